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

/// How far contacts are looked for beyond the way of a body, in the thickness of its thinnest primitive.
const SLACK: f32 = 0.1;
/// How much farther than it is expected to go a body may go.
const SWERVE: f32 = 0.25;

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

/// How far a body may go in the rest of the frame.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    lo: Vec3,
    hi: Vec3,
    reach: f32,
    is_free: bool,
}

/// What may touch in this frame.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Body and primitive of each that may touch anything, ascending.
    pub used: Vec<(u32, u32)>,
    /// Primitives that may touch each other.
    pub pairs: Vec<Pair>,
    /// Round movers that may touch primitives.
    pub rounds: Vec<Round>,
    /// Obstacles that may touch bodies.
    pub against: Vec<Against>,
    /// Entries in `used`.
    pub near: Vec<u32>,
    ways: Vec<Way>,
    /// Where bodies were when the candidates were found; of soft ones nothing.
    from: Vec<(Vec3, f32)>,
    /// Entries in `used` of a body's primitives, by number, while candidates are found.
    slots: Vec<Vec<u32>>,
}

impl Candidates {
    /// Whether a body has gone farther than was expected, or nothing is known yet.
    pub fn are_stale(
        &self,
        scene: &Scene,
        predicted: impl Fn(usize) -> Option<(Vec3, f32)>,
    ) -> bool {
        self.ways.len() != scene.visuals.len()
            || scene.visuals.iter().enumerate().any(|(at, visual)| {
                let Some(visual) = visual else { return false };
                let way = &self.ways[at];
                match predicted(at) {
                    Some((x, turned)) => {
                        let (from, spun) = self.from[at];
                        let gone = x.distance(from) + (spun + turned).min(2.0) * visual.radius;
                        gone > way.reach
                    }
                    None => scene.bodies[at]
                        .points
                        .clone()
                        .zip(&visual.rest)
                        .any(|(i, was)| {
                            let square = scene.points.pred[i].position().distance_squared(was.x);
                            square > way.reach * way.reach
                        }),
                }
            })
    }

    /// Adds up how rigid bodies have turned since the candidates were found.
    pub fn note_turns(&mut self, turned: impl Fn(usize) -> Option<f32>) {
        for (at, from) in self.from.iter_mut().enumerate() {
            from.1 += turned(at).unwrap_or(0.0);
        }
    }

    /// Forgets everything, when bodies have changed.
    pub fn clear(&mut self) {
        self.ways.clear();
    }

    /// Finds all candidates for the `left` seconds that the frame still has. `apart` are pairs of bodies that do not touch, `tied`
    /// primitives with the bodies that they are tied to.
    pub fn find(
        &mut self,
        scene: &Scene,
        placed: &[PlacedCollider],
        (apart, tied): (&[(u32, u32)], &[[(u32, u32); 2]]),
        gravity: Vec3,
        left: f32,
    ) {
        let known: Vec<(Key, Feature)> = self.known_features();
        self.find_ways(scene, gravity, left);
        self.used.clear();
        self.pairs.clear();
        self.rounds.clear();
        self.against.clear();
        self.near.clear();
        let mut named: Vec<[(u32, u32); 2]> = Vec::new();
        for (a, b) in self.body_pairs(apart) {
            self.primitive_pairs(scene, (a, b), &mut named);
        }
        let is_tied = |[p, q]: &[(u32, u32); 2]| {
            let tie = |p: (u32, u32), q: (u32, u32)| tied.binary_search(&[p, (q.0, 0)]).is_ok();
            tie(*p, *q) || tie(*q, *p)
        };
        if !tied.is_empty() {
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
        let against = self.find_against(scene, placed);
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
        // In the order of the pairs, which ascends.
        let pairs = self.pairs.iter();
        pairs.map(|pair| (self.key(pair), pair.cache)).collect()
    }

    fn find_ways(&mut self, scene: &Scene, gravity: Vec3, left: f32) {
        self.ways.clear();
        self.from.clear();
        let fall = 0.5 * gravity.length() * left * left;
        for (at, visual) in scene.visuals.iter().enumerate() {
            let Some(visual) = visual else {
                self.ways.push(Way::default());
                self.from.push((Vec3::ZERO, 0.0));
                continue;
            };
            let slack = SLACK * visual.thinnest;
            let (gone, is_free, from) = match &visual.rigid {
                Some(rigid) => {
                    let turn = (rigid.spin.length() * left).min(2.0) * visual.radius;
                    let is_free = rigid.inv_mass > 0.0;
                    (rigid.v.length() * left + turn, is_free, rigid.x)
                }
                None => {
                    let own = &scene.points.v[scene.bodies[at].points.clone()];
                    let fastest = own.iter().map(|v| v.length_squared()).fold(0.0, f32::max);
                    (fastest.sqrt() * left, true, Vec3::ZERO)
                }
            };
            let reach = if is_free {
                slack + fall + gone * (1.0 + SWERVE)
            } else {
                0.0
            };
            let (lo, hi) = visual.bounds();
            self.ways.push(Way {
                lo: lo - reach,
                hi: hi + reach,
                reach,
                is_free,
            });
            self.from.push((from, 0.0));
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
    fn primitive_pairs(&self, scene: &Scene, (a, b): (u32, u32), named: &mut Vec<[(u32, u32); 2]>) {
        let of = |k: u32| (scene.visuals[k as usize].as_deref(), &self.ways[k as usize]);
        let ((Some(first), way_a), (Some(second), way_b)) = (of(a), of(b)) else {
            return;
        };
        let (lo, hi) = (way_a.lo.max(way_b.lo), way_a.hi.min(way_b.hi));
        let grow = way_a.reach + way_b.reach;
        // The shorter list is looked up in the tree of the other.
        let mine = |visual: &VisualBody, way: &Way| {
            let mut own = Vec::new();
            let (from, to) = to_axes(visual, lo - way.reach, hi + way.reach);
            visual.tree.for_each_in_box(from, to, |k| own.push(k));
            own
        };
        let (own_a, own_b) = (mine(first, way_a), mine(second, way_b));
        let swapped = own_b.len() < own_a.len();
        let (list, own, other) = if swapped {
            (own_b, second, first)
        } else {
            (own_a, first, second)
        };
        for k in list {
            let (lo, hi) = in_world(own, k);
            let (lo, hi) = to_axes(other, lo - grow, hi + grow);
            other.tree.for_each_in_box(lo, hi, |l| {
                let near = &other.boxes[l as usize];
                if near.0.cmple(hi).all() && lo.cmple(near.1).all() {
                    let (k, l) = if swapped { (l, k) } else { (k, l) };
                    named.push([(a, k), (b, l)]);
                }
            });
        }
    }

    /// Far parts of a soft body: not linked, and with no neighbour in common.
    fn own_pairs(&self, visual: &VisualBody, at: u32, named: &mut Vec<[(u32, u32); 2]>) {
        let grow = Vec3::splat(2.0 * self.ways[at as usize].reach);
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
            let mut look = |who: Who, x: Vec3, radius: f32, speed: f32, friction: f32| {
                let grow = Vec3::splat(radius + (1.0 + SWERVE) * speed * left);
                let (lo, hi) = (x - grow, x + grow);
                if lo.cmpgt(way.hi).any() || way.lo.cmpgt(hi).any() {
                    return;
                }
                let mut near = Vec::new();
                let (lo, hi) = to_axes(visual, lo - way.reach, hi + way.reach);
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
                        look(Who::Point(i as u32), x, radius, v.length(), friction);
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
                    look(Who::Oriented(o as u32), x, radius, v.length(), friction);
                }
            }
            let balls = scene.rigids;
            for s in 0..balls.len() {
                let (x, v) = (balls.x[s], balls.v[s].length());
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
    fn find_against(&self, scene: &Scene, placed: &[PlacedCollider]) -> Vec<(u32, u32, Vec<u32>)> {
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
                    let (lo, hi) = to_axes(visual, lo - way.reach - moves, hi + way.reach + moves);
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
