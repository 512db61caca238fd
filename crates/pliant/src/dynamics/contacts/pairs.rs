//! Points against points: different bodies, and parts of one body that share no group.

use super::{LIFT, combined_friction, friction};
use crate::geometry::grid::PointGrid;
use crate::state::{Csr, Points};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// A point that another one may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// Its index.
    pub point: u32,
    /// Distance at which they touch (m).
    pub distance: f32,
    /// Friction coefficient of the two.
    pub friction: f32,
    /// Whether it is of the same body.
    pub own: bool,
}

/// What pair contacts need to know of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct PairBody {
    /// Its points.
    pub points: Range<usize>,
    /// Contact radius of its points (m).
    pub radius: f32,
    /// Friction coefficient.
    pub friction: f32,
    /// Distance at which its own parts touch, if they do at all (m); at most twice the radius.
    pub own_distance: Option<f32>,
}

/// Points with their neighbours.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Points that have neighbours, ascending.
    points: Vec<u32>,
    /// First neighbour of each, and the end.
    offsets: Vec<u32>,
    neighbors: Vec<Neighbor>,
}

impl Rows {
    fn clear(&mut self) {
        self.points.clear();
        self.offsets.clear();
        self.neighbors.clear();
    }

    fn push(&mut self, i: u32, neighbor: Neighbor) {
        if self.points.last() != Some(&i) {
            self.points.push(i);
            self.offsets.push(self.neighbors.len() as u32);
        }
        self.neighbors.push(neighbor);
    }

    /// Ends the last row.
    fn finish(&mut self) {
        self.offsets.push(self.neighbors.len() as u32);
    }

    fn row(&self, at: usize) -> &[Neighbor] {
        &self.neighbors[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// Candidate pairs, kept over several substeps, and those of them that may touch in this one.
///
/// The list reaches `slack` beyond the contact distance, and it is rebuilt as soon as points may have used up most of that
/// slack by moving against each other. The motion that all points of a body share does not count inside that body. Pairs
/// that are in the list only because it is old or reaches far must not show: what may touch in a substep is chosen by the
/// predicted positions at its start and by the radii of the two, so that it is the same however the list came about.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    candidates: Rows,
    /// Candidates that are near enough to touch in this substep.
    near: Rows,
    /// Positions at the last rebuild.
    built_at: Vec<Vec3>,
    /// Which points were outer ones then.
    outer: Vec<bool>,
    slack: f32,
    grid: PointGrid,
    corrections: Vec<Vec3>,
    /// How often the list was made.
    pub rebuilds: u64,
}

/// Slack of the list in units of the largest particle radius, at least and at most.
const SLACK: [f32; 2] = [0.6, 1.0];
/// Share of the slack that motion may use up before the list is rebuilt; the rest is room for what the solver adds.
const BUDGET: f32 = 0.7;
/// Smallest cells of the search, in largest particle radii of contact.
const CELL: f32 = 3.4;
/// Substeps of the present motion for which a list should do.
const AHEAD: f32 = 4.0;
/// A pair that is farther apart than its distance by more than this part of it does not touch in a substep.
const NEAR: f32 = 0.3;

impl Pairs {
    /// Forces a rebuild, after points or groups have changed.
    pub fn invalidate(&mut self) {
        self.built_at.clear();
    }

    /// Number of pairs that may touch in this substep, each counted once.
    pub fn len(&self) -> usize {
        self.near.neighbors.len() / 2
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.near.neighbors.is_empty()
    }

    /// Chooses the pairs of this substep; rebuilds the list if motion up to the predicted positions asks for it.
    ///
    /// Parts of one body meet with their outer points, those that carry its surface; looking at all the others, which are nearly all
    /// in a large body, would be most of the work of a step. `depth` tells how far below the surface a point lies, infinity for those
    /// that are not outer ones. Parts touch where their surfaces do: points that stand out of theirs, as they do after a cut, must not
    /// hold the two apart.
    pub fn update(&mut self, bodies: &[PairBody], points: &Points, depth: &[f32], groups_of: &Csr) {
        let largest = bodies.iter().fold(0.0_f32, |m, b| m.max(b.radius));
        if bodies.is_empty()
            || largest == 0.0
            || (bodies.len() == 1 && bodies[0].own_distance.is_none())
        {
            self.candidates.clear();
            self.near.clear();
            return;
        }
        let since = |i: usize| self.built_at[i];
        let outer = || depth.iter().map(|d| d.is_finite());
        let known = self.built_at.len() == points.len() && self.outer.iter().copied().eq(outer());
        if !known || self.used(bodies, points, since) > BUDGET * self.slack {
            // A longer list costs less than four short ones, and what may touch is the same.
            let in_substep = self.used(bodies, points, |i| points.x[i]);
            let [least, most] = SLACK.map(|s| s * 2.0 * largest);
            self.slack = (AHEAD * in_substep / BUDGET).clamp(least, most);
            self.outer.clear();
            self.outer.extend(outer());
            self.rebuild(bodies, largest, points, groups_of);
        }
        self.choose(points, depth);
    }

    /// Keeps the candidates that are near at the predicted positions.
    fn choose(&mut self, points: &Points, depth: &[f32]) {
        let position = |i: u32| points.pred[i as usize].position();
        self.near.clear();
        for (at, &i) in self.candidates.points.iter().enumerate() {
            let p = position(i);
            for neighbor in self.candidates.row(at) {
                let between = depth[i as usize] + depth[neighbor.point as usize];
                let distance = if neighbor.own {
                    neighbor.distance.min(between)
                } else {
                    neighbor.distance
                };
                if distance <= 0.0 {
                    continue;
                }
                // The pair's own share of the slack, never more than the list reaches.
                let reach = distance * (1.0 + NEAR);
                if p.distance_squared(position(neighbor.point)) < reach * reach {
                    // Old penetration is left for later substeps but for a small lift, as with colliders.
                    let apart = points.x[i as usize].distance(points.x[neighbor.point as usize]);
                    let lifted = apart + 0.5 * LIFT * distance;
                    let distance = distance.min(lifted);
                    self.near.push(
                        i,
                        Neighbor {
                            distance,
                            ..*neighbor
                        },
                    );
                }
            }
        }
        self.near.finish();
    }

    /// How much closer points may have come to each other since they were at `from`.
    fn used(
        &self,
        bodies: &[PairBody],
        points: &Points,
        from: impl Fn(usize) -> Vec3 + Sync,
    ) -> f32 {
        // Mean displacement of each body, and the largest deviation from it.
        let motion: Vec<(Vec3, f32, Vec3, Vec3)> = bodies
            .iter()
            .map(|body| {
                let n = body.points.len().max(1) as f32;
                let (first, len) = (body.points.start, body.points.len());
                let moved = |i: usize| points.pred[first + i].position() - from(first + i);
                let mean = crate::parallel::sum(len, Vec3::ZERO, moved) / n;
                let (mut spread, mut lo, mut hi) = (0.0_f32, Vec3::MAX, Vec3::MIN);
                for i in 0..len {
                    spread = spread.max(moved(i).distance_squared(mean));
                    let p = points.pred[first + i].position();
                    (lo, hi) = (lo.min(p), hi.max(p));
                }
                (mean, spread.sqrt(), lo, hi)
            })
            .collect();
        let mut used = 0.0_f32;
        for (a, (mean_a, spread_a, lo_a, hi_a)) in motion.iter().enumerate() {
            if bodies[a].own_distance.is_some() {
                used = used.max(2.0 * spread_a);
            }
            for (b, (mean_b, spread_b, lo_b, hi_b)) in motion.iter().enumerate().skip(a + 1) {
                let reach = Vec3::splat(bodies[a].radius + bodies[b].radius + self.slack);
                let apart = (*lo_a - *hi_b - reach).max_element() > 0.0
                    || (*lo_b - *hi_a - reach).max_element() > 0.0;
                if !apart {
                    used = used.max(spread_a + spread_b + (*mean_a - *mean_b).length());
                }
            }
        }
        used
    }

    fn rebuild(&mut self, bodies: &[PairBody], largest: f32, points: &Points, groups_of: &Csr) {
        let position = |i: usize| points.pred[i].position();
        let slack = self.slack;
        let group_count = groups_of.items.iter().max().map_or(0, |&k| k as usize + 1);
        // The parts of a single body may touch at less than its points do elsewhere; cells need be no larger than that.
        let farthest = match bodies {
            [only] => only.own_distance.unwrap_or(0.0),
            _ => 2.0 * largest,
        };
        // Smaller cells than this hold less than two points, and looking them up costs more than the points in larger ones.
        let cell = (farthest + slack).max(CELL * largest);
        let searched = self.searched(bodies, points, farthest + slack);
        self.grid
            .rebuild(searched.len(), cell, |at| position(searched[at] as usize));
        let (grid, outer) = (&self.grid, &self.outer);
        let chunks: Vec<Range<usize>> = crate::parallel::blocks(0, grid.buckets()).collect();
        let mut found: Vec<(u32, Neighbor)> = chunks
            .into_par_iter()
            .flat_map_iter(|range| {
                let mut rows = Vec::new();
                // The groups of the point in hand carry its number: a neighbour that shares one shows at its first or second
                // group, where comparing two sorted lists takes a dozen steps (measured: 1.7 of 1.9 ms).
                let mut stamp = vec![u32::MAX; group_count];
                let mut near = Vec::new();
                grid.for_each_neighborhood(range, |at, p, around| {
                    let i = searched[at as usize];
                    let body = body_of(bodies, i);
                    groups_of
                        .row(i as usize)
                        .iter()
                        .for_each(|&k| stamp[k as usize] = i);
                    let shares_group = |j: u32| {
                        groups_of
                            .row(j as usize)
                            .iter()
                            .any(|&k| stamp[k as usize] == i)
                    };
                    let farthest = farthest.min(body.radius + largest) + slack;
                    around.within(p, farthest, &mut near);
                    for &(j, d2) in &near {
                        let j = searched[j as usize];
                        let own = body.points.contains(&(j as usize));
                        if i == j || (own && !(outer[i as usize] && outer[j as usize])) {
                            continue;
                        }
                        let other = if own { body } else { body_of(bodies, j) };
                        let distance = if own {
                            body.own_distance
                        } else {
                            Some(body.radius + other.radius)
                        };
                        let Some(distance) = distance else {
                            continue;
                        };
                        let reach = distance + slack;
                        if d2 <= reach * reach && !(own && shares_group(j)) {
                            let friction = combined_friction(body.friction, other.friction);
                            rows.push((
                                i,
                                Neighbor {
                                    point: j,
                                    distance,
                                    friction,
                                    own,
                                },
                            ));
                        }
                    }
                });
                rows
            })
            .collect();
        // The grid's order is nobody's business: rows by point, candidates by point.
        found.sort_unstable_by_key(|(i, neighbor)| (*i, neighbor.point));
        self.candidates.clear();
        for (i, neighbor) in found {
            self.candidates.push(i, neighbor);
        }
        self.candidates.finish();
        self.built_at.clear();
        self.built_at.extend((0..points.len()).map(position));
        self.rebuilds += 1;
    }

    /// The points that may touch others, ascending: outer ones, and all in the box of another body.
    fn searched(&self, bodies: &[PairBody], points: &Points, reach: f32) -> Vec<u32> {
        let position = |i: usize| points.pred[i].position();
        let boxes: Vec<(Vec3, Vec3)> = bodies
            .iter()
            .map(|body| {
                let places = body.points.clone().map(position);
                let (lo, hi) =
                    places.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), p| (lo.min(p), hi.max(p)));
                (lo - reach, hi + reach)
            })
            .collect();
        let mut searched = Vec::new();
        for (k, body) in bodies.iter().enumerate() {
            let others = boxes.iter().enumerate().filter(|(other, _)| *other != k);
            let met: Vec<&(Vec3, Vec3)> = others
                .map(|(_, b)| b)
                .filter(|b| boxes[k].0.cmple(b.1).all() && b.0.cmple(boxes[k].1).all())
                .collect();
            let may_meet = |i: usize| {
                let p = position(i);
                met.iter().any(|b| b.0.cmple(p).all() && p.cmple(b.1).all())
            };
            let wanted = |i: &usize| self.outer[*i] || may_meet(*i);
            searched.extend(body.points.clone().filter(wanted).map(|i| i as u32));
        }
        searched
    }

    /// Counts the active contacts of every listed point at `position` into `count` (added to what is there).
    pub(super) fn count_active(&self, position: impl Fn(usize) -> Vec3, count: &mut [u32]) {
        for (at, &i) in self.near.points.iter().enumerate() {
            let p = position(i as usize);
            let active = self.near.row(at).iter().filter(|n| {
                p.distance_squared(position(n.point as usize)) < n.distance * n.distance
            });
            count[i as usize] += active.count() as u32;
        }
    }

    /// Computes the correction of every listed point from positions and, if `slip` is given, friction against the
    /// displacement since the start of the substep; results wait in `self` until [`Pairs::apply`].
    pub(super) fn correct(
        &mut self,
        position: impl Fn(usize) -> Vec3 + Sync,
        slip: Option<&[Vec3]>,
        inv_mass: &[f32],
        count: &[u32],
    ) {
        let mut corrections = std::mem::take(&mut self.corrections);
        corrections.clear();
        corrections.resize(self.near.points.len(), Vec3::ZERO);
        let this = &*self;
        corrections
            .par_iter_mut()
            .with_min_len(256)
            .enumerate()
            .for_each(|(at, correction)| {
                let i = this.near.points[at] as usize;
                let (p, w) = (position(i), inv_mass[i]);
                if w == 0.0 || count[i] == 0 {
                    return;
                }
                for neighbor in this.near.row(at) {
                    let j = neighbor.point as usize;
                    let away = p - position(j);
                    let length = away.length();
                    let depth = neighbor.distance - length;
                    if depth <= 0.0 || count[j] == 0 {
                        continue;
                    }
                    // Coincident points separate along an axis that both sides agree on.
                    let n = if length > 1e-9 {
                        away / length
                    } else if i < j {
                        Vec3::X
                    } else {
                        Vec3::NEG_X
                    };
                    let share = w / (w * count[i] as f32 + inv_mass[j] * count[j] as f32);
                    *correction += n * (depth * share);
                    if let Some(x) = slip {
                        let u = (p - x[i]) - (position(j) - x[j]);
                        *correction -= friction(u - n * n.dot(u), depth, neighbor.friction) * share;
                    }
                }
            });
        self.corrections = corrections;
    }

    /// Hands every computed correction to `add`.
    pub(super) fn apply(&self, mut add: impl FnMut(usize, Vec3)) {
        for (&i, &correction) in self.near.points.iter().zip(&self.corrections) {
            add(i as usize, correction);
        }
    }
}

/// The body that holds point `j`.
fn body_of(bodies: &[PairBody], j: u32) -> &PairBody {
    let at = bodies.partition_point(|b| b.points.end <= j as usize);
    &bodies[at]
}
