//! Points against points: different bodies, and parts of one body that share no group.

use super::kin::kin;
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
    /// Whether points do not touch whose groups share a member, beside those that share a group: few groups that overlap little leave
    /// points that lie side by side in none in common [FJLSB17 §3, as for its collision proxies].
    pub wide_kin: bool,
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
/// slack by moving against each other. The motion that all points of a body share does not count inside that body. Where a single body
/// has only a few points that have gone farther, strays, the list does for all the others, and strays are looked up one by one. Pairs
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
    /// The points in the grid.
    searched: Vec<u32>,
    /// For each group those whose points do not touch its own.
    kin: Csr,
    strays: Strays,
    corrections: Vec<Vec3>,
    /// How often the list was made.
    pub rebuilds: u64,
}

/// Points that have moved farther since the last rebuild than the list allows for, all of one body.
#[derive(Clone, Debug, Default)]
struct Strays {
    /// Ascending.
    points: Vec<u32>,
    /// Of every point whether it is one; empty if there are none.
    is: Vec<bool>,
    /// Motion that all points of the body share (m).
    drift: Vec3,
}

impl Strays {
    fn clear(&mut self) {
        self.points.clear();
        self.is.clear();
    }
}

/// Most strays that are looked up one by one, and most for every point that was searched.
const STRAYS: (usize, f32) = (512, 0.2);

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
        let outer = || depth.iter().map(|d| d.is_finite());
        let known = self.built_at.len() == points.len() && self.outer.iter().copied().eq(outer());
        if !known || !self.reaches(bodies, points) {
            // A longer list costs less than four short ones, and what may touch is the same.
            let in_substep = self.used(bodies, points, |i| points.x[i]);
            let [least, most] = SLACK.map(|s| s * 2.0 * largest);
            self.slack = (AHEAD * in_substep / BUDGET).clamp(least, most);
            self.outer.clear();
            self.outer.extend(outer());
            self.strays.clear();
            self.rebuild(bodies, largest, points, groups_of);
        }
        self.choose(bodies, points, depth, groups_of);
    }

    /// Whether the list still holds all that is near, but for pairs with strays; finds these.
    fn reaches(&mut self, bodies: &[PairBody], points: &Points) -> bool {
        self.strays.clear();
        let [body] = bodies else {
            return self.used(bodies, points, |i| self.built_at[i]) <= BUDGET * self.slack;
        };
        let moved = |i: usize| points.pred[i].position() - self.built_at[i];
        let count = body.points.len();
        let sum = crate::parallel::sum(count, Vec3::ZERO, |i| moved(body.points.start + i));
        let drift = sum / count.max(1) as f32;
        let limit = 0.5 * BUDGET * self.slack;
        // What is not a number strays too.
        let stays = |i: u32| moved(i as usize).distance_squared(drift) <= limit * limit;
        let most = ((self.searched.len() as f32 * STRAYS.1) as usize).min(STRAYS.0);
        let found = self.searched.iter().filter(|&&i| !stays(i)).take(most + 1);
        self.strays.points.extend(found);
        self.strays.drift = drift;
        if !self.strays.points.is_empty() {
            self.strays.is.resize(points.len(), false);
            for &i in &self.strays.points {
                self.strays.is[i as usize] = true;
            }
        }
        self.strays.points.len() <= most
    }

    /// Keeps the candidates that are near at the predicted positions.
    fn choose(&mut self, bodies: &[PairBody], points: &Points, depth: &[f32], groups_of: &Csr) {
        self.near.clear();
        let strays = &self.strays;
        let mut with_strays = Vec::new();
        if let ([body], false) = (bodies, strays.points.is_empty()) {
            with_strays = self.of_strays(body, points, depth, groups_of);
        }
        let mut extra = with_strays.into_iter().peekable();
        for (at, &i) in self.candidates.points.iter().enumerate() {
            while let Some((i, neighbor)) = extra.next_if(|e| e.0 < i) {
                self.near.push(i, neighbor);
            }
            let stray = |i: u32| strays.is.get(i as usize) == Some(&true);
            if stray(i) {
                continue;
            }
            for neighbor in self.candidates.row(at) {
                let before = |e: &(u32, Neighbor)| (e.0, e.1.point) < (i, neighbor.point);
                while let Some((i, neighbor)) = extra.next_if(before) {
                    self.near.push(i, neighbor);
                }
                if !stray(neighbor.point)
                    && let Some(neighbor) = touching(points, depth, i, neighbor)
                {
                    self.near.push(i, neighbor);
                }
            }
        }
        for (i, neighbor) in extra {
            self.near.push(i, neighbor);
        }
        self.near.finish();
    }

    /// All that strays are near to, and what is near to them, ascending.
    fn of_strays(
        &self,
        body: &PairBody,
        points: &Points,
        depth: &[f32],
        groups_of: &Csr,
    ) -> Vec<(u32, Neighbor)> {
        let mut found = Vec::new();
        let bodies = std::slice::from_ref(body);
        let mut look = |i: u32, j: u32| {
            let listed = neighbor(bodies, body, j);
            let Some(touched) = listed.and_then(|n| touching(points, depth, i, &n)) else {
                return;
            };
            let others = groups_of.row(j as usize);
            let shares_group = |k: &u32| others.binary_search(k).is_ok();
            let mut own = groups_of.row(i as usize).iter();
            if !own.any(|&k| self.kin.row(k as usize).iter().any(shares_group)) {
                found.push((i, touched));
                found.push((
                    j,
                    Neighbor {
                        point: i,
                        ..touched
                    },
                ));
            }
        };
        // The others are where they were, but for the drift and what the list allows for; a little more, as this is rounded.
        let distance = body.own_distance.unwrap_or(0.0);
        let reach = 1.0001 * (distance * (1.0 + NEAR) + 0.5 * BUDGET * self.slack);
        let strays = &self.strays;
        for (at, &i) in strays.points.iter().enumerate() {
            let p = points.pred[i as usize].position() - strays.drift;
            self.grid.for_each_within(p, reach, |at, _, _| {
                let j = self.searched[at as usize];
                if !strays.is[j as usize] {
                    look(i, j);
                }
            });
            for &j in &strays.points[at + 1..] {
                look(i, j);
            }
        }
        found.sort_unstable_by_key(|(i, neighbor)| (*i, neighbor.point));
        found
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
        // The parts of a single body may touch at less than its points do elsewhere; cells need be no larger than that.
        let farthest = match bodies {
            [only] => only.own_distance.unwrap_or(0.0),
            _ => 2.0 * largest,
        };
        // Smaller cells than this hold less than two points, and looking them up costs more than the points in larger ones.
        let cell = (farthest + slack).max(CELL * largest);
        self.searched = self.searched(bodies, points, farthest + slack);
        let searched = &self.searched;
        self.grid
            .rebuild(searched.len(), cell, |at| position(searched[at] as usize));
        self.kin = kin(bodies, groups_of);
        let (grid, outer, kin) = (&self.grid, &self.outer, &self.kin);
        let chunks: Vec<Range<usize>> = crate::parallel::blocks(0, grid.buckets()).collect();
        let mut found: Vec<(u32, Neighbor)> = chunks
            .into_par_iter()
            .flat_map_iter(|range| {
                let mut rows = Vec::new();
                // The groups of the point in hand carry its number: a neighbour that shares one shows at its first or second
                // group, where comparing two sorted lists takes a dozen steps (measured: 1.7 of 1.9 ms).
                let mut stamp = vec![u32::MAX; kin.rows()];
                let mut near = Vec::new();
                grid.for_each_neighborhood(range, |at, p, around| {
                    let i = searched[at as usize];
                    let body = body_of(bodies, i);
                    for &k in groups_of.row(i as usize) {
                        stamp[k as usize] = i;
                    }
                    let has = |k: &u32| stamp[*k as usize] == i;
                    // Few get as far as the second test.
                    let shares_group = |j: u32| {
                        let others = groups_of.row(j as usize);
                        others.iter().any(has)
                            || (body.wide_kin
                                && others.iter().any(|&k| kin.row(k as usize).iter().any(has)))
                    };
                    let farthest = farthest.min(body.radius + largest) + slack;
                    around.within(p, farthest, &mut near);
                    for &(j, d2) in &near {
                        let j = searched[j as usize];
                        let own = body.points.contains(&(j as usize));
                        if i == j || (own && !(outer[i as usize] && outer[j as usize])) {
                            continue;
                        }
                        let Some(neighbor) = neighbor(bodies, body, j) else {
                            continue;
                        };
                        let reach = neighbor.distance + slack;
                        if d2 <= reach * reach && !(own && shares_group(j)) {
                            rows.push((i, neighbor));
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

/// Point `j` as one that a point of `body` may touch; none if that is its own body, whose parts do not touch.
fn neighbor(bodies: &[PairBody], body: &PairBody, j: u32) -> Option<Neighbor> {
    let own = body.points.contains(&(j as usize));
    let other = if own { body } else { body_of(bodies, j) };
    let distance = if own {
        body.own_distance?
    } else {
        body.radius + other.radius
    };
    Some(Neighbor {
        point: j,
        distance,
        friction: combined_friction(body.friction, other.friction),
        own,
    })
}

/// The pair as it may touch in this substep, if it is near enough at the predicted positions.
fn touching(points: &Points, depth: &[f32], i: u32, neighbor: &Neighbor) -> Option<Neighbor> {
    let (i, j) = (i as usize, neighbor.point as usize);
    let mut distance = neighbor.distance;
    if neighbor.own {
        distance = distance.min(depth[i] + depth[j]);
    }
    // The pair's own share of the slack, never more than the list reaches.
    let reach = distance * (1.0 + NEAR);
    let apart = points.pred[i]
        .position()
        .distance_squared(points.pred[j].position());
    // Written so that what is not a number is not near.
    if !(distance > 0.0 && apart < reach * reach) {
        return None;
    }
    // Old penetration is left for later substeps but for a small lift, as with colliders.
    let lifted = points.x[i].distance(points.x[j]) + 0.5 * LIFT * distance;
    Some(Neighbor {
        distance: distance.min(lifted),
        ..*neighbor
    })
}

/// The body that holds point `j`.
pub(super) fn body_of(bodies: &[PairBody], j: u32) -> &PairBody {
    let at = bodies.partition_point(|b| b.points.end <= j as usize);
    &bodies[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A list that is kept while a body drifts and a few of its points run about gives the pairs that a new search gives.
    #[test]
    fn strays_meet_what_a_new_search_finds() {
        const R: f32 = 0.1;
        const COUNT: usize = 400;
        let mut random = Random::new([7, 0, 0, 0]);
        let mut points = Points::default();
        let mut groups = Vec::new();
        for i in 0..COUNT {
            let x = random.next_in_cube() * 0.6;
            points.push(x, Vec3::ZERO, 1.0, i as u64);
            // A sixth of them share a group.
            groups.push((i as u32, random.next_below(6)));
        }
        let groups_of = Csr::from_pairs(COUNT, groups.into_iter());
        let depth: Vec<f32> = (0..COUNT)
            .map(|i| match i % 5 {
                0 => f32::INFINITY,
                1 => -0.1 * R,
                _ => 0.4 * R,
            })
            .collect();
        let bodies = [PairBody {
            points: 0..COUNT,
            radius: 0.5 * R,
            friction: 0.3,
            own_distance: Some(0.5 * R),
            wide_kin: false,
        }];
        let mut kept = Pairs::default();
        let (mut with_strays, mut pairs) = (0, 0);
        for step in 0..60 {
            for i in 0..COUNT {
                let fast = if i % 29 == step % 7 {
                    0.6 * R
                } else {
                    0.002 * R
                };
                let by = Vec3::X * 0.3 * R + random.next_direction() * fast;
                points.x[i] = points.pred[i].position();
                points.shift_pred(i, by);
            }
            kept.update(&bodies, &points, &depth, &groups_of);
            let mut new = Pairs::default();
            new.update(&bodies, &points, &depth, &groups_of);
            assert_eq!(kept.near.points, new.near.points, "step {step}");
            assert_eq!(kept.near.offsets, new.near.offsets);
            assert_eq!(kept.near.neighbors, new.near.neighbors);
            with_strays += usize::from(!kept.strays.points.is_empty());
            pairs += kept.len();
        }
        assert!(with_strays > 20, "{with_strays} steps with strays");
        assert!(
            kept.rebuilds < 20 && pairs > 100,
            "{} {pairs}",
            kept.rebuilds
        );
    }
}
