//! What may touch in a frame, in the first two of three stages \[MCM16 §3.2\]: bodies by their boxes, then the primitives of each pair that lie
//! in what the boxes share.
//!
//! Boxes hold the way of a body to the end of the frame. Departs from a second sweep and prune: every body has a tree of its primitives, rigid
//! ones in their own axes, where it stays valid while they move. Candidates hold until a body strays from its box.

use super::cast::{Originals, Who};
use super::ways::{Passage, Reach, Way};
use crate::dynamics::contacts::statics::Placed as PlacedCollider;
use crate::geometry::bvh::Bvh;
use crate::state::{Oriented, Points, Rigids};
use crate::visual::VisualBody;
use crate::visual::body::world_box;
use crate::visual::sat::Feature;
use crate::world::Body;
use glam::{Mat3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Everything that candidates are found among.
pub struct Scene<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// What those of visual geometry have besides.
    pub visuals: &'a [Option<Box<VisualBody>>],
    /// Particles.
    pub points: &'a Points,
    /// What those of soft bodies have besides.
    pub oriented: &'a Oriented,
    /// Projectiles.
    pub rigids: &'a Rigids,
    /// Length of a substep (s).
    pub h: f32,
    /// Gravity (m/s²).
    pub gravity: Vec3,
}

impl Scene<'_> {
    /// The movers that have no frame of their own.
    pub fn movers(&self) -> Originals<'_> {
        Originals {
            points: self.points,
            oriented: self.oriented,
            rigids: self.rigids,
        }
    }
}

/// So many rings around what is tied to a body do not touch it.
const TIE_RINGS: usize = 2;

/// What does not touch, because something holds it together.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// Pairs of bodies that joints hold, ascending.
    pub bodies: Vec<(u32, u32)>,
    /// Primitives of soft bodies that are tied to bodies or near those that are, with these, ascending.
    pub tied: Vec<[(u32, u32); 2]>,
}

impl Apart {
    /// Which of the `count` primitives of a body are tied to another one, or to any; none if nothing is.
    fn tied_of(&self, body: u32, to: Option<u32>, count: usize) -> Option<Vec<bool>> {
        let first = self.tied.partition_point(|tie| tie[0].0 < body);
        let own = self.tied[first..].iter().take_while(|tie| tie[0].0 == body);
        let own = own.filter(|tie| to.is_none_or(|to| tie[1].0 == to));
        let mut marks = Vec::new();
        for tie in own {
            marks.resize(count, false);
            marks[tie[0].1 as usize] = true;
        }
        (!marks.is_empty()).then_some(marks)
    }

    /// Adds what is linked to what is tied, and what is linked to that: it is as near to the body as it always is. `linked` visits the primitives
    /// that are linked to one.
    pub fn spread_ties(&mut self, linked: impl Fn((u32, u32), &mut dyn FnMut(u32))) {
        for _ in 0..TIE_RINGS {
            for at in 0..self.tied.len() {
                let [p, to] = self.tied[at];
                linked(p, &mut |n| self.tied.push([(p.0, n), to]));
            }
            self.tied.sort_unstable();
            self.tied.dedup();
        }
    }
}

/// Two primitives that may touch, by their entries in [`Candidates::used`].
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The primitive of the body with the lower place, or of one body the lower primitive.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// What separated them last.
    pub cache: Feature,
}

/// A round mover that may touch primitives of a body.
#[derive(Clone, Debug)]
pub struct Round {
    /// The mover.
    pub who: Who,
    /// Its radius (m); of ellipsoids the largest.
    pub radius: f32,
    /// Friction of its body.
    pub friction: f32,
    /// The body.
    pub body: u32,
    /// Entries of the primitives in [`Candidates::used`], a range of [`Candidates::near`].
    pub near: Range<usize>,
}

/// An obstacle that may touch a body.
#[derive(Clone, Debug)]
pub struct Against {
    /// The obstacle.
    pub collider: u32,
    /// The body.
    pub body: u32,
    /// Entries of the primitives in [`Candidates::used`], a range of [`Candidates::near`]; none for planes, which look through the tree.
    pub near: Range<usize>,
}

/// What may touch in this frame.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Body and primitive of each that may touch anything, ascending.
    pub used: Vec<(u32, u32)>,
    /// Primitives that may touch each other, pairs of bodies ascending and those of two bodies together.
    pub pairs: Vec<Pair>,
    /// Those of them that are looked at in each substep, and those that are not.
    pub(super) fast: Vec<Pair>,
    pub(super) slow: Vec<Pair>,
    /// Whether each entry of `used` is looked at in each substep.
    pub(super) live: Vec<bool>,
    /// Round movers that may touch primitives.
    pub rounds: Vec<Round>,
    /// Obstacles that may touch bodies.
    pub against: Vec<Against>,
    /// Entries in `used`.
    pub near: Vec<u32>,
    ways: Vec<Way>,
    /// Where primitives of soft bodies may be.
    reaches: Vec<Reach>,
    /// How rigid bodies have turned since the candidates were found (rad), how long ago that was, and how long the frame has taken (s).
    turned: Vec<Vec3>,
    elapsed: f32,
    since: f32,
    /// Parts of each soft body that may touch each other.
    own: Vec<OwnPairs>,
    /// Entries in `used` of a body's primitives, by number, while candidates are found.
    slots: Vec<Vec<u32>>,
    /// Body and primitive of the candidates before.
    used_before: Vec<(u32, u32)>,
}

/// Parts of a soft body that may touch each other. They hold for as long as it goes as it was expected to when they were found; a body that strays
/// makes the candidates of all others anew, but not these, which are the dearest.
#[derive(Clone, Debug, Default)]
struct OwnPairs {
    pairs: Vec<[u32; 2]>,
    way: Way,
    from: Vec<Vec3>,
    strays: Vec<f32>,
    /// How long ago they were found (s).
    elapsed: f32,
    is_known: bool,
}

/// Whether a particle of a soft body will be farther from where it was expected at the time `t` than it may stray.
fn has_strayed(
    scene: &Scene,
    at: usize,
    way: &Way,
    (from, strays): (&[Vec3], &[f32]),
    t: f32,
) -> bool {
    let going = way.going(t);
    let own = scene.bodies[at].points.clone().zip(from);
    own.zip(strays).any(|((i, &from), stray)| {
        let off = scene.points.pred[i].position() - from - going.of(from);
        off.length_squared() > stray * stray
    })
}

impl Candidates {
    /// Whether a body is not where it was expected, or nothing is known yet.
    pub fn are_stale(
        &self,
        scene: &Scene,
        predicted: impl Fn(usize) -> Option<(Vec3, Vec3)>,
    ) -> bool {
        if self.ways.len() != scene.visuals.len() {
            return true;
        }
        let t = self.elapsed + scene.h;
        scene.visuals.iter().enumerate().any(|(at, visual)| {
            let way = &self.ways[at];
            if visual.is_none() || !way.is_free {
                return false;
            }
            let going = way.going(t);
            if let Some((x, turned)) = predicted(at) {
                let off = x - way.from - going.of(way.from);
                let turned = self.turned[at] + turned - way.spin * t;
                return off.length() + turned.length().min(2.0) * way.radius > way.margin;
            }
            let reach = &self.reaches[at];
            let expected = (&reach.from[..], &reach.strays[..]);
            has_strayed(scene, at, way, expected, t) || !self.knows_own(scene, at)
        })
    }

    /// Whether it is still known which parts of a soft body may touch each other, or nothing is to be known.
    fn knows_own(&self, scene: &Scene, at: usize) -> bool {
        let Some(own) = self.own.get(at) else {
            return false;
        };
        let expected = (&own.from[..], &own.strays[..]);
        own.is_known && !has_strayed(scene, at, &own.way, expected, own.elapsed + scene.h)
    }

    /// A substep is over, or about to be: adds up how rigid bodies have turned since the candidates were found.
    pub fn advance(&mut self, h: f32, turned: impl Fn(usize) -> Option<Vec3>) {
        self.elapsed += h;
        self.since += h;
        self.own.iter_mut().for_each(|own| own.elapsed += h);
        for (at, sum) in self.turned.iter_mut().enumerate() {
            *sum += turned(at).unwrap_or(Vec3::ZERO);
        }
    }

    /// A frame begins: forgets everything, bodies may have changed.
    pub fn clear(&mut self) {
        self.ways.clear();
        self.own.iter_mut().for_each(|own| own.is_known = false);
        self.since = 0.0;
    }

    /// Finds all candidates for the `left` seconds that the frame still has.
    pub fn find(&mut self, scene: &Scene, placed: &[PlacedCollider], apart: &Apart, left: f32) {
        self.find_ways(scene, left);
        self.find_own(scene, apart);
        let mut bodies = self.body_pairs(&apart.bodies);
        let soft = self
            .own
            .iter()
            .enumerate()
            .filter(|(_, own)| !own.pairs.is_empty());
        bodies.extend(soft.map(|(at, _)| (at as u32, at as u32)));
        bodies.sort_unstable();
        let meet = |&(a, b): &(u32, u32)| {
            if a == b {
                return self.own[a as usize].pairs.clone();
            }
            let mut near = self.primitive_pairs(scene, (a, b), left);
            let count = |body: u32| {
                scene.visuals[body as usize]
                    .as_ref()
                    .map_or(0, |v| v.primitives.len())
            };
            if let Some(tied) = apart.tied_of(a, Some(b), count(a)) {
                near.retain(|&[k, _]| !tied[k as usize]);
            }
            if let Some(tied) = apart.tied_of(b, Some(a), count(b)) {
                near.retain(|&[_, l]| !tied[l as usize]);
            }
            near.sort_unstable();
            near
        };
        let near: Vec<Vec<[u32; 2]>> = bodies.par_iter().map(meet).collect();
        let meetings: Vec<Meeting> = bodies.into_iter().zip(near).collect();
        let rounds = self.find_rounds(scene, left);
        let against = self.find_against(scene, placed, left);
        std::mem::swap(&mut self.used, &mut self.used_before);
        self.number(scene, &meetings, &rounds, &against);
        self.list(&meetings, rounds, against);
        self.remember();
    }

    /// Finds which parts of soft bodies may touch each other, where that is not known any more.
    fn find_own(&mut self, scene: &Scene, apart: &Apart) {
        self.own.resize_with(scene.visuals.len(), OwnPairs::default);
        let touches_itself = |v: &VisualBody| v.is_soft() && v.rules.self_contact;
        let mut all = std::mem::take(&mut self.own);
        all.par_iter_mut().enumerate().for_each(|(at, own)| {
            if !scene.visuals[at].as_deref().is_some_and(touches_itself) {
                own.pairs.clear();
                own.is_known = true;
                own.from.clear();
                return;
            }
            let expected = (&own.from[..], &own.strays[..]);
            let t = own.elapsed + scene.h;
            if own.is_known && !has_strayed(scene, at, &own.way, expected, t) {
                return;
            }
            let (body, reach) = (at as u32, &self.reaches[at]);
            own.pairs = self.own_pairs(scene, body, apart);
            own.pairs.sort_unstable();
            own.way = self.ways[at];
            own.from.clone_from(&reach.from);
            own.strays.clone_from(&reach.strays);
            (own.elapsed, own.is_known) = (0.0, true);
        });
        self.own = all;
    }

    /// What separated a pair last still does, mostly.
    fn remember(&mut self) {
        let key = |used: &[(u32, u32)], pair: &Pair| {
            let [(a, k), (b, l)] = [pair.a, pair.b].map(|slot| used[slot as usize]);
            [a, b, k, l]
        };
        for known in [&self.fast, &self.slow] {
            // Both are in the same order.
            let mut known = known.iter().peekable();
            for pair in &mut self.pairs {
                let own = key(&self.used, pair);
                while known.next_if(|k| key(&self.used_before, k) < own).is_some() {}
                if let Some(same) = known.next_if(|k| key(&self.used_before, k) == own) {
                    pair.cache = same.cache;
                }
            }
        }
    }

    /// Says which pairs are looked at in each substep.
    pub(super) fn set_fast(&mut self, fast: Vec<Pair>) {
        self.live.clear();
        self.live.resize(self.used.len(), false);
        for pair in &fast {
            self.live[pair.a as usize] = true;
            self.live[pair.b as usize] = true;
        }
        for &slot in &self.near {
            self.live[slot as usize] = true;
        }
        self.fast = fast;
    }

    fn find_ways(&mut self, scene: &Scene, left: f32) {
        self.ways.clear();
        self.reaches
            .resize_with(scene.visuals.len(), Reach::default);
        self.turned.clear();
        self.turned.resize(scene.visuals.len(), Vec3::ZERO);
        self.elapsed = 0.0;
        let bodies = scene.visuals.iter().zip(&mut self.reaches).enumerate();
        for (at, (visual, reach)) in bodies {
            self.ways.push(match visual {
                Some(visual) => Way::find(scene, (at, visual), (left, self.since), reach),
                None => Way::default(),
            });
        }
    }

    /// The primitives of a body as they are looked for: a tree, and its boxes; of a soft one with what they may stray.
    fn spread<'a>(&'a self, at: u32, visual: &'a VisualBody) -> (&'a Bvh, &'a [(Vec3, Vec3)]) {
        if visual.is_soft() {
            let reach = &self.reaches[at as usize];
            (&reach.tree, &reach.boxes)
        } else {
            (&visual.tree, &visual.boxes)
        }
    }

    /// Where the centre of a primitive is in the axes of its body, and a radius around all of it.
    fn ball(&self, at: u32, visual: &VisualBody, k: u32) -> (Vec3, f32) {
        let (k, radius) = (k as usize, visual.bounds_of[k as usize].radius);
        if visual.is_soft() {
            let reach = &self.reaches[at as usize];
            (reach.from[k], radius + reach.strays[k])
        } else {
            (visual.rest[k].x, radius)
        }
    }

    /// First stage: pairs of bodies whose boxes meet, by sweep and prune along x.
    fn body_pairs(&self, apart: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let there = (0u32..).zip(&self.ways).filter(|(_, w)| w.lo != w.hi);
        let mut order: Vec<(f32, u32)> = there.map(|(k, w)| (w.lo.x, k)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut pairs = Vec::new();
        for (k, &(_, a)) in order.iter().enumerate() {
            let own = &self.ways[a as usize];
            for &(lo, b) in &order[k + 1..] {
                if lo > own.hi.x {
                    break;
                }
                let other = &self.ways[b as usize];
                let meet = own.lo.cmple(other.hi).all() && other.lo.cmple(own.hi).all();
                let key = (a.min(b), a.max(b));
                let counts = meet && (own.is_free || other.is_free);
                if counts && apart.binary_search(&key).is_err() {
                    pairs.push(key);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Second stage: primitives of two bodies whose boxes meet.
    fn primitive_pairs(&self, scene: &Scene, (a, b): (u32, u32), left: f32) -> Vec<[u32; 2]> {
        let mut near = Vec::new();
        let of = |k: u32| (scene.visuals[k as usize].as_deref(), &self.ways[k as usize]);
        let ((Some(first), way_a), (Some(second), way_b)) = (of(a), of(b)) else {
            return near;
        };
        let shared = (way_a.lo.max(way_b.lo), way_a.hi.min(way_b.hi));
        let grow = way_a.nearing(way_b, shared, left);
        // The shorter list is looked up in the tree of the other.
        let (lo, hi) = (shared.0 - grow, shared.1 + grow);
        let mine = |at: u32, visual: &VisualBody| {
            let mut own = Vec::new();
            let (from, to) = to_axes(visual, lo, hi);
            self.spread(at, visual)
                .0
                .for_each_in_box(from, to, |k| own.push(k));
            own
        };
        let (own_a, own_b) = (mine(a, first), mine(b, second));
        let swapped = own_b.len() < own_a.len();
        let (list, (i, own), (j, other)) = if swapped {
            (own_b, (b, second), (a, first))
        } else {
            (own_a, (a, first), (b, second))
        };
        let (tree, boxes) = self.spread(j, other);
        let (way, seen_by) = (&self.ways[i as usize], &self.ways[j as usize]);
        let margin = way.margin + seen_by.margin;
        let turn = (way.spin - seen_by.spin).length() * left;
        let passage = Passage::new(way, seen_by, left);
        for k in list {
            let (x, radius) = self.ball(i, own, k);
            let course = passage.course(own.out_of_own(x)).seen(|p| other.to_own(p));
            let grow = margin + turn.min(2.0) * radius;
            let (lo, hi) = in_world(own, self.spread(i, own).1[k as usize]);
            let (lo, hi) = course.sweep(to_axes(other, lo - grow, hi + grow));
            tree.for_each_in_box(lo, hi, |l| {
                let other_box = &boxes[l as usize];
                let meet = other_box.0.cmple(hi).all() && lo.cmple(other_box.1).all();
                let (y, besides) = self.ball(j, other, l);
                if meet && course.passes(y, radius + besides + margin) {
                    near.push(if swapped { [l, k] } else { [k, l] });
                }
            });
        }
        near
    }

    /// Far parts of a soft body: not linked, with no neighbour in common, and not both of them tied to something.
    fn own_pairs(&self, scene: &Scene, at: u32, apart: &Apart) -> Vec<[u32; 2]> {
        let mut near = Vec::new();
        let Some(visual) = scene.visuals[at as usize].as_deref() else {
            return near;
        };
        let (tree, boxes) = self.spread(at, visual);
        let tied = apart.tied_of(at, None, boxes.len());
        let are_tied = |k: u32, l: u32| {
            let tied = tied.as_ref();
            tied.is_some_and(|tied| tied[k as usize] && tied[l as usize])
        };
        let balls: Vec<(Vec3, f32)> = tree
            .order
            .iter()
            .map(|&k| self.ball(at, visual, k))
            .collect();
        let mut meet = |p: usize, q: usize| {
            let ((x, radius), (y, besides)) = (balls[p], balls[q]);
            let reach = radius + besides;
            if x.distance_squared(y) > reach * reach {
                return;
            }
            let (p, q) = (tree.order[p], tree.order[q]);
            let (k, l) = (p.min(q), p.max(q));
            let (own, other) = (&boxes[k as usize], &boxes[l as usize]);
            let meet = other.0.cmple(own.1).all() && own.0.cmple(other.1).all();
            if meet && !visual.are_kin(k, l) && !are_tied(k, l) {
                near.push([k, l]);
            }
        };
        // Leaf by leaf: there are a quarter as many as primitives.
        for leaf in tree.leaves() {
            let own = tree.nodes[leaf].items();
            for p in own.clone() {
                (p + 1..own.end).for_each(|q| meet(p, q));
            }
            tree.for_each_leaf_after(leaf, |others| {
                for p in own.clone() {
                    others.clone().for_each(|q| meet(p, q));
                }
            });
        }
        near
    }

    /// Points, oriented particles of other methods and projectiles near primitives.
    fn find_rounds(&self, scene: &Scene, left: f32) -> Vec<NearRound> {
        let mut found = Vec::new();
        for (at, visual) in scene.visuals.iter().enumerate() {
            let Some(visual) = visual else { continue };
            let way = &self.ways[at];
            let (tree, boxes) = self.spread(at as u32, visual);
            let mut look = |who: Who, x: Vec3, radius: f32, v: Vec3, friction: f32| {
                let grow = Vec3::splat(radius + way.nearing_at((x, radius), v, left));
                let (lo, hi) = (x - grow, x + grow);
                if lo.cmpgt(way.hi).any() || way.lo.cmpgt(hi).any() {
                    return;
                }
                let mut near = Vec::new();
                let (lo, hi) = to_axes(visual, lo, hi);
                tree.for_each_in_box(lo, hi, |k| {
                    let own = &boxes[k as usize];
                    if own.0.cmple(hi).all() && lo.cmple(own.1).all() {
                        near.push(k);
                    }
                });
                if !near.is_empty() {
                    near.sort_unstable();
                    found.push((who, radius, friction, at as u32, near));
                }
            };
            for (other, body) in scene.bodies.iter().enumerate() {
                if scene.visuals[other].is_some() {
                    continue;
                }
                let friction = body.material.friction;
                if body.oriented.is_empty() {
                    for i in body.points.clone() {
                        let (x, v) = (scene.points.x[i], scene.points.v[i]);
                        let radius = 0.5 * body.particle_radius;
                        look(Who::Point(i as u32), x, radius, v, friction);
                    }
                }
                for o in body
                    .oriented
                    .clone()
                    .filter(|&o| scene.oriented.collides[o])
                {
                    let i = scene.oriented.point[o] as usize;
                    let (x, v) = (scene.points.x[i], scene.points.v[i]);
                    let radius = scene.oriented.radii[o].max_element();
                    look(Who::Oriented(o as u32), x, radius, v, friction);
                }
            }
            let balls = scene.rigids;
            for s in 0..balls.len() {
                let (x, v) = (balls.x[s], balls.v[s]);
                look(
                    Who::Sphere(s as u32),
                    x,
                    balls.radius[s],
                    v,
                    balls.friction[s],
                );
            }
        }
        found
    }

    /// Obstacles near bodies.
    fn find_against(
        &self,
        scene: &Scene,
        placed: &[PlacedCollider],
        left: f32,
    ) -> Vec<(u32, u32, Vec<u32>)> {
        let mut found = Vec::new();
        for (c, p) in (0u32..).zip(placed) {
            for (at, visual) in scene.visuals.iter().enumerate() {
                let (Some(visual), way) = (visual, &self.ways[at]) else {
                    continue;
                };
                let moves = (p.end.position - p.start.position).length() * 4.0;
                if !way.is_free || !p.may_touch(way.lo, way.hi, moves) {
                    continue;
                }
                let mut near = Vec::new();
                if p.flat.is_none() {
                    let (lo, hi) = p.world_bounds();
                    let grow = way.reach(left) + moves;
                    let (lo, hi) = to_axes(visual, lo - grow, hi + grow);
                    let (tree, _) = self.spread(at as u32, visual);
                    tree.for_each_in_box(lo, hi, |k| near.push(k));
                    near.sort_unstable();
                    if near.is_empty() {
                        continue;
                    }
                }
                found.push((c, at as u32, near));
            }
        }
        found
    }

    /// Numbers the primitives that may touch anything.
    fn number(
        &mut self,
        scene: &Scene,
        meetings: &[Meeting],
        rounds: &[NearRound],
        against: &[(u32, u32, Vec<u32>)],
    ) {
        // By marks, not by sorting: there may be a million pairs.
        let slots = &mut self.slots;
        slots.resize_with(scene.visuals.len(), Vec::new);
        for (own, visual) in slots.iter_mut().zip(scene.visuals) {
            own.clear();
            let count = visual.as_ref().map_or(0, |v| v.primitives.len());
            own.resize(count, u32::MAX);
        }
        let mut mark = |body: u32, k: u32| slots[body as usize][k as usize] = 0;
        for ((a, b), near) in meetings {
            for &[k, l] in near {
                mark(*a, k);
                mark(*b, l);
            }
        }
        for (.., body, near) in rounds {
            for &k in near {
                mark(*body, k);
            }
        }
        for (_, body, near) in against {
            for &k in near {
                mark(*body, k);
            }
        }
        self.used.clear();
        for (body, own) in (0u32..).zip(slots) {
            for (k, slot) in (0u32..).zip(own).filter(|(_, slot)| **slot == 0) {
                *slot = self.used.len() as u32;
                self.used.push((body, k));
            }
        }
    }

    /// Lists what may touch by those numbers.
    fn list(
        &mut self,
        meetings: &[Meeting],
        rounds: Vec<NearRound>,
        against: Vec<(u32, u32, Vec<u32>)>,
    ) {
        self.pairs.clear();
        self.rounds.clear();
        self.against.clear();
        self.near.clear();
        let slots = &self.slots;
        let slot = |(body, k): (u32, u32)| slots[body as usize][k as usize];
        for ((a, b), near) in meetings {
            self.pairs.extend(near.iter().map(|&[k, l]| Pair {
                a: slot((*a, k)),
                b: slot((*b, l)),
                cache: Feature::None,
            }));
        }
        let near = &mut self.near;
        let mut range = |body: u32, own: Vec<u32>| {
            let start = near.len();
            near.extend(own.into_iter().map(|k| slot((body, k))));
            start..near.len()
        };
        for (who, radius, friction, body, own) in rounds {
            let near = range(body, own);
            self.rounds.push(Round {
                who,
                radius,
                friction,
                body,
                near,
            });
        }
        for (collider, body, own) in against {
            let near = range(body, own);
            self.against.push(Against {
                collider,
                body,
                near,
            });
        }
    }
}

/// Two bodies, or one twice, and which of their primitives may touch, ascending.
type Meeting = ((u32, u32), Vec<[u32; 2]>);
/// A round mover, its radius and its friction, and which primitives of a body are near, ascending.
type NearRound = (Who, f32, f32, u32, Vec<u32>);

/// A box of the world around which a box in the body's axes is drawn.
fn to_axes(visual: &VisualBody, lo: Vec3, hi: Vec3) -> (Vec3, Vec3) {
    match &visual.rigid {
        None => (lo, hi),
        Some(rigid) => {
            let back = rigid.rotation.conjugate();
            world_box(lo, hi, -(back * rigid.x), Mat3::from_quat(back))
        }
    }
}

/// A box in a body's axes, in the world.
fn in_world(visual: &VisualBody, (lo, hi): (Vec3, Vec3)) -> (Vec3, Vec3) {
    match &visual.rigid {
        None => (lo, hi),
        Some(rigid) => world_box(lo, hi, rigid.x, Mat3::from_quat(rigid.rotation)),
    }
}
