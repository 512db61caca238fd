//! What may touch in a frame, in the first two of three stages \[MCM16 §3.2\]: bodies by their boxes, then the primitives of each pair that lie
//! in what the boxes share.
//!
//! Boxes hold the way of a body to the end of the frame. Departs from a second sweep and prune: every body has a tree of its primitives, rigid
//! ones in their own axes, where it stays valid while they move. Candidates hold until a body strays from its box.

use super::cast::{Originals, Who};
use crate::dynamics::contacts::statics::Placed as PlacedCollider;
use crate::state::{Oriented, Points, Rigids};
use crate::visual::VisualBody;
use crate::visual::body::world_box;
use crate::visual::sat::Feature;
use crate::world::Body;
use glam::{Mat3, Vec3};
use std::ops::Range;

/// How far from where it is expected a body may be before candidates are found anew, in the mean thickness of its primitives.
const SLACK: f32 = 0.25;
/// The same, in the way that it is expected to go.
const SWERVE: f32 = 0.1;

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

/// What does not touch, because something holds it together.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// Pairs of bodies that joints hold, ascending.
    pub bodies: Vec<(u32, u32)>,
    /// Primitives of soft bodies, with the bodies that they are tied to, ascending.
    pub tied: Vec<[(u32, u32); 2]>,
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

/// How a body is expected to go in the rest of the frame.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// A box around all of it on its way (m).
    lo: Vec3,
    hi: Vec3,
    /// Where it is, if it is rigid (m).
    from: Vec3,
    /// Its velocity; of soft ones the mean (m/s).
    v: Vec3,
    /// How far anything of it goes besides: by turning and bending (m).
    besides: f32,
    /// How far it may be from where it is expected (m).
    slack: f32,
    is_free: bool,
}

impl Way {
    /// How far anything of the two goes towards the other, in `left` seconds: what moves alike does not come nearer.
    fn nearing(&self, other: &Self, left: f32) -> f32 {
        (self.v - other.v).length() * left + self.besides + other.besides + self.slack + other.slack
    }

    /// The same for something that is expected to go with a velocity of its own (m/s).
    fn nearing_at(&self, v: Vec3, left: f32) -> f32 {
        let relative = (self.v - v).length() * left;
        (1.0 + SWERVE) * relative + self.besides + self.slack
    }
}

/// What may touch in this frame.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Body and primitive of each that may touch anything, ascending.
    pub used: Vec<(u32, u32)>,
    /// Primitives that may touch each other.
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
    /// How far rigid bodies have turned since the candidates were found (rad), and how long ago that was (s).
    turned: Vec<f32>,
    elapsed: f32,
    /// Entries in `used` of a body's primitives, by number, while candidates are found.
    slots: Vec<Vec<u32>>,
}

impl Candidates {
    /// Whether a body is not where it was expected, or nothing is known yet.
    pub fn are_stale(
        &self,
        scene: &Scene,
        predicted: impl Fn(usize) -> Option<(Vec3, f32)>,
    ) -> bool {
        if self.ways.len() != scene.visuals.len() {
            return true;
        }
        let t = self.elapsed + scene.h;
        let fall = scene.gravity * (0.5 * t * t);
        scene.visuals.iter().enumerate().any(|(at, visual)| {
            let (Some(visual), way) = (visual, &self.ways[at]) else {
                return false;
            };
            if !way.is_free {
                return false;
            }
            if let Some((x, turned)) = predicted(at) {
                let off = x.distance(way.from + way.v * t + fall);
                let turned = (self.turned[at] + turned).min(2.0) * visual.radius;
                return off + (turned - way.besides).max(0.0) > way.slack;
            }
            let expected = way.v * t + fall;
            let most = way.besides + way.slack;
            let mut own = scene.bodies[at].points.clone().zip(&visual.rest);
            own.any(|(i, was)| {
                let off = scene.points.pred[i].position() - was.x - expected;
                off.length_squared() > most * most
            })
        })
    }

    /// A substep is over, or about to be: adds up how far rigid bodies have turned since the candidates were found.
    pub fn advance(&mut self, h: f32, turned: impl Fn(usize) -> Option<f32>) {
        self.elapsed += h;
        for (at, sum) in self.turned.iter_mut().enumerate() {
            *sum += turned(at).unwrap_or(0.0);
        }
    }

    /// Forgets everything, when bodies have changed.
    pub fn clear(&mut self) {
        self.ways.clear();
    }

    /// Finds all candidates for the `left` seconds that the frame still has.
    pub fn find(&mut self, scene: &Scene, placed: &[PlacedCollider], apart: &Apart, left: f32) {
        let known: Vec<(Key, Feature)> = self.known_features();
        self.find_ways(scene, left);
        self.used.clear();
        self.pairs.clear();
        self.rounds.clear();
        self.against.clear();
        self.near.clear();
        let mut named: Vec<[(u32, u32); 2]> = Vec::new();
        for (a, b) in self.body_pairs(&apart.bodies) {
            self.primitive_pairs(scene, (a, b), left, &mut named);
        }
        let is_tied = |[p, q]: &[(u32, u32); 2]| {
            let tie =
                |p: (u32, u32), q: (u32, u32)| apart.tied.binary_search(&[p, (q.0, 0)]).is_ok();
            tie(*p, *q) || tie(*q, *p)
        };
        if !apart.tied.is_empty() {
            named.retain(|pair| !is_tied(pair));
        }
        for (at, visual) in scene.visuals.iter().enumerate() {
            if let Some(visual) = visual
                && visual.is_soft()
                && visual.rules.self_contact
            {
                self.own_pairs(visual, at as u32, &mut named);
            }
        }
        named.sort_unstable();
        let rounds = self.find_rounds(scene, left);
        let against = self.find_against(scene, placed, left);
        self.list(named, rounds, against);
        // What separated a pair last still does, mostly.
        for k in 0..self.pairs.len() {
            let key = self.key(&self.pairs[k]);
            if let Ok(at) = known.binary_search_by_key(&key, |known| known.0) {
                self.pairs[k].cache = known[at].1;
            }
        }
    }

    fn key(&self, pair: &Pair) -> Key {
        [self.used[pair.a as usize], self.used[pair.b as usize]]
    }

    fn known_features(&self) -> Vec<(Key, Feature)> {
        let pairs = self.fast.iter().chain(&self.slow);
        let mut known: Vec<(Key, Feature)> =
            pairs.map(|pair| (self.key(pair), pair.cache)).collect();
        known.sort_unstable_by_key(|known| known.0);
        known
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
        self.turned.clear();
        self.turned.resize(scene.visuals.len(), 0.0);
        self.elapsed = 0.0;
        let fall = scene.gravity * (0.5 * left * left);
        for (at, visual) in scene.visuals.iter().enumerate() {
            let Some(visual) = visual else {
                self.ways.push(Way::default());
                continue;
            };
            let (from, v, besides, is_free) = if let Some(rigid) = &visual.rigid {
                let turn = (rigid.spin.length() * left).min(2.0) * visual.radius;
                (rigid.x, rigid.v, turn, rigid.inv_mass > 0.0)
            } else {
                let own = &scene.points.v[scene.bodies[at].points.clone()];
                let mean = own.iter().sum::<Vec3>() / own.len().max(1) as f32;
                let off = own.iter().map(|v| (*v - mean).length_squared());
                let fastest = off.fold(0.0, f32::max).sqrt();
                (Vec3::ZERO, mean, (1.0 + SWERVE) * fastest * left, true)
            };
            let gone = v * left + fall;
            let slack = SLACK * visual.thickness + SWERVE * (gone.length() + besides);
            let (lo, hi) = visual.bounds();
            let mut way = Way {
                lo,
                hi,
                from,
                v,
                ..Way::default()
            };
            if is_free {
                let around = besides + slack;
                way = Way {
                    lo: lo + gone.min(Vec3::ZERO) - around,
                    hi: hi + gone.max(Vec3::ZERO) + around,
                    besides,
                    slack,
                    is_free,
                    ..way
                };
            }
            self.ways.push(way);
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
    fn primitive_pairs(
        &self,
        scene: &Scene,
        (a, b): (u32, u32),
        left: f32,
        named: &mut Vec<[(u32, u32); 2]>,
    ) {
        let of = |k: u32| (scene.visuals[k as usize].as_deref(), &self.ways[k as usize]);
        let ((Some(first), way_a), (Some(second), way_b)) = (of(a), of(b)) else {
            return;
        };
        let mut grow = way_a.nearing(way_b, left);
        if way_a.is_free != way_b.is_free {
            grow += 0.5 * scene.gravity.length() * left * left;
        }
        // The shorter list is looked up in the tree of the other.
        let (box_a, box_b) = (first.bounds(), second.bounds());
        let (lo, hi) = (box_a.0.max(box_b.0) - grow, box_a.1.min(box_b.1) + grow);
        let mine = |visual: &VisualBody| {
            let mut own = Vec::new();
            let (from, to) = to_axes(visual, lo, hi);
            visual.tree.for_each_in_box(from, to, |k| own.push(k));
            own
        };
        let (own_a, own_b) = (mine(first), mine(second));
        let swapped = own_b.len() < own_a.len();
        let (list, own, other) = if swapped {
            (own_b, second, first)
        } else {
            (own_a, first, second)
        };
        for k in list {
            let (lo, hi) = in_world(own, k);
            let (lo, hi) = to_axes(other, lo - grow, hi + grow);
            let (x, radius) = (own.pose(k as usize).x, own.placed[k as usize].radius);
            let x = other.to_own(x);
            other.tree.for_each_in_box(lo, hi, |l| {
                let near = &other.boxes[l as usize];
                let reach = radius + other.placed[l as usize].radius + grow;
                let meet = near.0.cmple(hi).all() && lo.cmple(near.1).all();
                if meet && x.distance_squared(other.rest[l as usize].x) < reach * reach {
                    let (k, l) = if swapped { (l, k) } else { (k, l) };
                    named.push([(a, k), (b, l)]);
                }
            });
        }
    }

    /// Far parts of a soft body: not linked, and with no neighbour in common.
    fn own_pairs(&self, visual: &VisualBody, at: u32, named: &mut Vec<[(u32, u32); 2]>) {
        let way = &self.ways[at as usize];
        let grow = Vec3::splat(2.0 * (way.besides + way.slack));
        let mut ring: Vec<u32> = Vec::new();
        for (k, &(lo, hi)) in (0u32..).zip(&visual.boxes) {
            ring.clear();
            let mut looked = false;
            let (lo, hi) = (lo - grow, hi + grow);
            visual.tree.for_each_in_box(lo, hi, |l| {
                let near = &visual.boxes[l as usize];
                if l <= k || near.0.cmpgt(hi).any() || lo.cmpgt(near.1).any() {
                    return;
                }
                if !looked {
                    looked = true;
                    ring.push(k);
                    for (n, _) in visual.graph.neighbors(k) {
                        ring.push(n);
                        ring.extend(visual.graph.neighbors(n).map(|(m, _)| m));
                    }
                    ring.sort_unstable();
                }
                if ring.binary_search(&l).is_err() {
                    named.push([(at, k), (at, l)]);
                }
            });
        }
    }

    /// Points, oriented particles of other methods and projectiles near primitives.
    fn find_rounds(&self, scene: &Scene, left: f32) -> Vec<(Who, f32, f32, u32, Vec<u32>)> {
        let mut found = Vec::new();
        for (at, visual) in scene.visuals.iter().enumerate() {
            let Some(visual) = visual else { continue };
            let way = &self.ways[at];
            let bounds = visual.bounds();
            let mut look = |who: Who, x: Vec3, radius: f32, v: Vec3, friction: f32| {
                let grow = Vec3::splat(radius + way.nearing_at(v, left));
                let (lo, hi) = (x - grow, x + grow);
                if lo.cmpgt(bounds.1).any() || bounds.0.cmpgt(hi).any() {
                    return;
                }
                let mut near = Vec::new();
                let (lo, hi) = to_axes(visual, lo, hi);
                visual.tree.for_each_in_box(lo, hi, |k| {
                    let own = &visual.boxes[k as usize];
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
                    let grow = way.nearing_at(Vec3::ZERO, left) + moves;
                    let (lo, hi) = to_axes(visual, lo - grow, hi + grow);
                    visual.tree.for_each_in_box(lo, hi, |k| near.push(k));
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

    /// Numbers the primitives that were named.
    fn list(
        &mut self,
        named: Vec<[(u32, u32); 2]>,
        rounds: Vec<(Who, f32, f32, u32, Vec<u32>)>,
        against: Vec<(u32, u32, Vec<u32>)>,
    ) {
        let used = &mut self.used;
        used.extend(named.iter().flatten());
        for (.., body, near) in &rounds {
            used.extend(near.iter().map(|&k| (*body, k)));
        }
        for (_, body, near) in &against {
            used.extend(near.iter().map(|&k| (*body, k)));
        }
        used.sort_unstable();
        used.dedup();
        // By number, not by search: there may be tens of thousands.
        self.slots.clear();
        for (slot, &(body, k)) in (0u32..).zip(&*used) {
            let body = body as usize;
            if self.slots.len() <= body {
                self.slots.resize_with(body + 1, Vec::new);
            }
            let own = &mut self.slots[body];
            if own.len() <= k as usize {
                own.resize(k as usize + 1, u32::MAX);
            }
            own[k as usize] = slot;
        }
        let slots = &self.slots;
        let slot = |(body, k): (u32, u32)| slots[body as usize][k as usize];
        self.pairs.extend(named.into_iter().map(|[a, b]| Pair {
            a: slot(a),
            b: slot(b),
            cache: Feature::None,
        }));
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

/// What pairs are known by from frame to frame.
type Key = [(u32, u32); 2];

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

/// The box of a primitive in the world.
fn in_world(visual: &VisualBody, k: u32) -> (Vec3, Vec3) {
    let (lo, hi) = visual.boxes[k as usize];
    match &visual.rigid {
        None => (lo, hi),
        Some(rigid) => world_box(lo, hi, rigid.x, Mat3::from_quat(rigid.rotation)),
    }
}
