//! From a hit to pieces \[MCM16 §3.6, MCK13\]: the pattern is put where the body was hit, in its undeformed coordinates, and cuts its primitives.
//!
//! What shatters becomes a body a connected piece of a cell. What is ductile stays one body, whose links between cells may tear; where it has
//! been divided once it is not divided again.

use super::body::VisualBody;
use super::desc::{PatternDesc, PatternKind, TearRule};
use super::fracture::{Fracture, FractureOptions, fracture, islands, relink_hulls};
use super::hull::Hull;
use super::links::{LinkGraph, LinkKind};
use super::pattern::{Pattern, axes_along};
use super::patterns::{bricks, glass, shards, shards_along, splinters};
use super::primitive::NO_CELL;
use super::tear::split_some;
use super::welded::Pose;
use super::world::TEAR_REACH;
use crate::random::Random;
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// How much longer than wide splinters and bricks are.
const LONG: [f64; 2] = [6.0, 2.5];

/// Where a body is hit, in its undeformed coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// The place (m).
    pub(crate) at: Vec3,
    /// Direction of the hit.
    pub(crate) normal: Vec3,
}

/// A body of pieces of another one's primitives.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    /// The body.
    pub(crate) body: VisualBody,
    /// For each of its primitives, the one of the other body that it is, or is a piece of.
    pub(crate) parents: Vec<u32>,
    /// Whether it cannot move if the other one could not.
    pub(crate) stays: bool,
}

/// A pattern as it is made for a body and put where that is hit. What is random depends on `key`.
pub(crate) fn pattern_at(
    desc: &PatternDesc,
    body: &VisualBody,
    hit: Hit,
    key: [u64; 4],
) -> Pattern {
    let (lo, hi) = body.undeformed_bounds();
    let far = (hit.at - lo).abs().max((hi - hit.at).abs()).length();
    let radius = if desc.radius > 0.0 { desc.radius } else { far };
    let radius = f64::from(radius.max(1e-3 * far));
    let mut random = Random::new(key);
    let seed = random.next_u64();
    let cells = f64::from(desc.cells.max(2));
    let (z, mut roll) = (
        hit.normal.as_dvec3(),
        std::f64::consts::TAU * f64::from(random.next_f32()),
    );
    // Boards split along their grain, walls have level courses, and who made cells of his own knows which way is up.
    let level = Vec3::Y.cross(hit.normal).normalize_or(Vec3::X);
    let mut lay = |along: Vec3| {
        let (u, v) = z.normalize_or(DVec3::Z).any_orthonormal_pair();
        let x = along.as_dvec3();
        roll = libm::atan2(x.dot(v), x.dot(u));
    };
    let made = match &desc.kind {
        PatternKind::Voronoi => match &desc.tear {
            TearRule::Lines(lines) => {
                let back = axes_along(z, roll).transpose();
                let (lo, hi) = (lo - body.thickness, hi + body.thickness);
                let is_on = |s: &&[Vec3; 2]| {
                    let inside = |p: Vec3| p.cmpge(lo).all() && p.cmple(hi).all();
                    s.iter().all(|&p| inside(p))
                };
                let own = lines.segments.iter().filter(is_on);
                let own = own.map(|s| s.map(|p| back * (p - hit.at).as_dvec3()));
                shards_along(desc.cells, radius, seed, &own.collect::<Vec<_>>())
            }
            _ => shards(desc.cells, radius, seed),
        },
        PatternKind::Glass => {
            let spokes = libm::sqrt(2.0 * cells).max(5.0);
            glass(spokes as u32, (cells / spokes + 0.5) as u32, radius, seed)
        }
        PatternKind::Splinters => {
            lay(Vec3::AXES[(hi - lo).max_position()]);
            let width = 2.0 * radius / libm::sqrt(cells * LONG[0]);
            let rows = (2.0 * radius / width + 0.5).max(2.0);
            let per_row = (cells / rows + 0.5).max(2.0);
            let length = 2.0 * radius / per_row;
            splinters(rows as u32, per_row as u32, width, length, seed)
        }
        PatternKind::Bricks => {
            lay(level);
            let height = 2.0 * radius / libm::sqrt(cells * LONG[1]);
            let rows = (2.0 * radius / height + 0.5).max(2.0);
            let per_row = (2.0 * radius / (LONG[1] * height) + 0.5).max(2.0);
            bricks(rows as u32, per_row as u32, height, LONG[1] * height)
        }
        PatternKind::Cells(cells) => {
            lay(level);
            (**cells).clone()
        }
    };
    // What is far from the hit is not cut.
    let made = if desc.radius > 0.0 && !made.bounded {
        made.within(radius)
    } else {
        made
    };
    let mut placed = made.placed(hit.at.as_dvec3(), z, roll, 1.0);
    match &desc.tear {
        TearRule::All => {}
        // Lines mark links, not cells, when it is known where the pieces are.
        TearRule::None | TearRule::Lines(_) => placed.set_tearable(|_, _| false),
    }
    placed
}

impl VisualBody {
    /// The smallest box around its primitives in the undeformed configuration.
    pub(crate) fn undeformed_bounds(&self) -> (Vec3, Vec3) {
        let boxes = self.primitives.iter().map(super::Primitive::bounds);
        boxes.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), b| {
            (lo.min(b.0), hi.max(b.1))
        })
    }

    /// Where a hit of a primitive is in the undeformed configuration; `p` and `n` are in the world, or in body axes if it is rigid.
    pub(crate) fn hit_at(&self, primitive: usize, p: Vec3, n: Vec3) -> Hit {
        let pose = &self.rest[primitive];
        let at = self.primitives[primitive].centroid + pose.d.inverse() * (p - pose.x);
        // Normals are divided by the deformation, not multiplied.
        let normal = (pose.d.transpose() * n).normalize_or(Vec3::Z);
        Hit { at, normal }
    }

    /// The fragments that a pattern makes of it, in the order of their lowest pieces; none if it stays whole. What it is made of goes over to
    /// them.
    pub(crate) fn shatter(&mut self, pattern: &Pattern) -> Option<Vec<Fragment>> {
        let options = FractureOptions::default();
        let made = fracture(&self.primitives, pattern, self.gid_count, &options);
        if made.primitives.len() > self.rules.max_primitives {
            return None;
        }
        let hulls = made.new_hulls();
        let graph = self.relinked(&made, &hulls, pattern);
        let (island, count) = islands(&made.primitives, &graph);
        if count < 2 {
            return None;
        }
        let mut suspect = self.suspects(&made);
        let parents = made.parents.clone();
        let mut whole = self.take_pieces(made, hulls, graph);
        // Cracks are open from now on: no place of one fragment is drawn with one of another.
        for link in &mut whole.graph.links {
            if island[link.i as usize] != island[link.j as usize] {
                link.broken = true;
                let [p, q] = [link.i, link.j].map(|k| &whole.primitives[k as usize]);
                let shared = p.gids.iter().filter(|g| q.has_gid(**g));
                shared.for_each(|g| suspect[*g as usize] = true);
            }
        }
        split_some(
            &mut whole.primitives,
            &whole.graph,
            suspect,
            &mut whole.gid_count,
        );
        let generation = self.generation.saturating_add(1);
        let fragment = |(mut body, own): (Self, Vec<u32>)| {
            // What no cell holds was not reached by the hit.
            let stays = body.primitives[0].cell == NO_CELL;
            // It is as whole as it was: a wall does not become hard because a corner of it is gone.
            if !stays {
                body.generation = generation;
            }
            for p in &mut body.primitives {
                p.cell = NO_CELL;
            }
            Fragment {
                body,
                parents: own.into_iter().map(|i| parents[i as usize]).collect(),
                stays,
            }
        };
        let parts = whole.into_parts(&island, count);
        Some(parts.into_iter().map(fragment).collect())
    }

    /// Divides it by a pattern and leaves it one body; none if nothing was cut. What it is made of goes over to the new one.
    pub(crate) fn divide(&mut self, pattern: &Pattern, hit: Hit, radius: f32) -> Option<Fragment> {
        let tear = self.rules.pattern.tear.clone();
        let known = |(at, r): &(Vec3, f32)| at.distance(hit.at) < *r;
        if self.divided.iter().any(known) {
            return None;
        }
        let options = FractureOptions::default();
        let made = fracture(&self.primitives, pattern, self.gid_count, &options);
        let count = made.primitives.len();
        if made.report.cut == 0 || count > self.rules.max_primitives {
            return None;
        }
        let hulls = made.new_hulls();
        let graph = self.relinked(&made, &hulls, pattern);
        let suspect = self.suspects(&made);
        let parents = made.parents.clone();
        let mut body = self.take_pieces(made, hulls, graph);
        split_some(
            &mut body.primitives,
            &body.graph,
            suspect,
            &mut body.gid_count,
        );
        if let TearRule::Lines(lines) = &tear {
            // All links that cross a line may break, those of corners too: one that may not would hold both sides.
            let reach = TEAR_REACH * body.thickness;
            lines.mark(&body.primitives, &mut body.graph, reach);
        }
        for p in &mut body.primitives {
            p.cell = NO_CELL;
        }
        body.divided.push((hit.at, radius));
        Some(Fragment {
            body,
            parents,
            stays: true,
        })
    }

    /// The links of the pieces of its primitives.
    fn relinked(&self, made: &Fracture, hulls: &[Option<Hull>], pattern: &Pattern) -> LinkGraph {
        let hull = |k: usize| match &hulls[k] {
            Some(new) => new,
            None => &self.hulls[made.parents[k] as usize],
        };
        relink_hulls(made, &self.graph, pattern, hull)
    }

    /// For each gid, whether what has it may have lost its connection by cuts: only where something was cut, or is now a piece.
    fn suspects(&self, made: &Fracture) -> Vec<bool> {
        let mut suspect = vec![false; made.gid_count as usize];
        let pieces = (0..made.is_piece.len()).filter(|&k| made.is_piece[k]);
        for k in pieces {
            let before = &self.primitives[made.parents[k] as usize];
            let gids = made.primitives[k].gids.iter().chain(&before.gids);
            gids.for_each(|g| suspect[*g as usize] = true);
        }
        suspect
    }

    /// A body of the pieces of its primitives, where those are. What was not cut keeps its hull.
    fn take_pieces(&mut self, made: Fracture, hulls: Vec<Option<Hull>>, graph: LinkGraph) -> Self {
        let place = |(p, &parent): (&super::Primitive, &u32)| {
            let (pose, whole) = (
                &self.rest[parent as usize],
                &self.primitives[parent as usize],
            );
            Pose {
                x: pose.x + pose.d * (p.centroid - whole.centroid),
                d: pose.d,
            }
        };
        let poses = made.primitives.iter().zip(&made.parents).map(place);
        let poses: Vec<Pose> = poses.collect();
        let shapes = hulls.into_iter().zip(&made.parents);
        let hulls = shapes.map(|(new, &parent)| {
            new.unwrap_or_else(|| std::mem::take(&mut self.hulls[parent as usize]))
        });
        let hulls = hulls.collect();
        let of = |column: &[f32]| made.parents.iter().map(|&k| column[k as usize]).collect();
        let dented = of(&self.dented);
        let turned = made.parents.iter();
        let turned = turned.map(|&k| self.turned[k as usize]).collect();
        let source = (Arc::clone(&self.source), made.gid_count);
        let mut body = Self::of_hulls(
            self.rules.clone(),
            (made.primitives, hulls),
            graph,
            poses,
            source,
        );
        (body.dented, body.turned) = (dented, turned);
        (body.events, body.generation) = (self.events, self.generation);
        body.divided.clone_from(&self.divided);
        body
    }

    /// Breaks links that are stretched too much, and lets what they held part. Returns whether any broke.
    pub(crate) fn tear(&mut self) -> bool {
        let most = self.rules.tear_stretch;
        let stretched = |(k, link): (u32, &super::Link)| {
            let now = self.rest[link.i as usize]
                .x
                .distance(self.rest[link.j as usize].x);
            let may = !link.broken && link.kind == LinkKind::Pattern { breakable: true };
            (may && now > most * link.rest).then_some(k)
        };
        let broken: Vec<u32> = (0u32..)
            .zip(&self.graph.links)
            .filter_map(stretched)
            .collect();
        if broken.is_empty() {
            return false;
        }
        for &k in &broken {
            self.graph.links[k as usize].broken = true;
        }
        self.is_torn = true;
        super::tear::split_gids(
            &mut self.primitives,
            &self.graph,
            &broken,
            &mut self.gid_count,
        );
        true
    }
}
