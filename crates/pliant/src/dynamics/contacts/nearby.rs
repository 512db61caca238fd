//! Which oriented particles may touch something in a frame.
//!
//! Sizes differ by much: a skull beside hairs. So movers are found by boxes in a tree, not by cells of one size. A box holds a mover on its
//! way to the end of the frame, with some slack; the candidates hold until something leaves its box.

use super::combined_friction;
use super::ellipsoids::{EllipsoidBody, Movers};
use super::kinship::Kinship;
use super::pairs::PairBody;
use crate::geometry::bvh::Bvh;
use crate::state::{Oriented, Points};
use glam::{Mat3, Vec3};
use rayon::prelude::*;

/// Slack of a box, in the reach of its mover.
const SLACK: f32 = 0.25;
/// How much a mover may swerve, in its way.
const SWERVE: f32 = 0.2;

/// What a particle may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// An oriented particle.
    Oriented(u32),
    /// A plain one.
    Point(u32),
    /// A projectile.
    Sphere(u32),
}

/// Two movers that may touch in this frame.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// An oriented particle.
    pub particle: u32,
    /// The other mover.
    pub other: Other,
    /// Radius of a point or a sphere (m).
    pub radius: f32,
    /// How far both reach together, and the smaller of them alone (m).
    pub reach: f32,
    /// See `reach`.
    pub smaller: f32,
    /// Friction coefficient.
    pub friction: f32,
    /// Overlap that is no contact: the two overlapped at rest (m).
    pub allowed: f32,
    /// Direction from the first to the second in which they were farthest apart last, or zero.
    pub normal: Vec3,
}

/// A box around a mover on its way.
type Swept = (Vec3, Vec3);

/// The candidates of a frame.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    /// Pairs in the order of their particles.
    pub candidates: Vec<Candidate>,
    /// The oriented particles that touch anything, and their boxes; the tree counts these.
    own: Vec<u32>,
    boxes: Vec<Swept>,
    tree: Bvh,
    /// Boxes of all plain points, by body.
    plain: Vec<Vec<Swept>>,
    spheres: Vec<Swept>,
    is_known: bool,
}

impl Nearby {
    /// Forgets everything.
    pub fn forget(&mut self) {
        self.is_known = false;
        self.candidates.clear();
    }

    /// Makes sure that the candidates hold in this substep; `left` is the time to the end of the frame (s).
    pub fn follow(
        &mut self,
        bodies: &[EllipsoidBody],
        plain: &[PairBody],
        kinship: &Kinship,
        movers: &Movers,
        left: f32,
    ) {
        if self.is_known && self.holds(plain, movers) {
            return;
        }
        self.is_known = true;
        self.sweep(plain, movers, left);
        let mut last = std::mem::take(&mut self.candidates);
        let found = (0..self.own.len()).into_par_iter().with_min_len(64);
        let found = found.flat_map_iter(|at| self.around(at, bodies, kinship, movers.oriented));
        let mut candidates: Vec<Candidate> = found.collect();
        let own = candidates.len();
        self.find_plain(bodies, plain, movers, &mut candidates);
        self.find_spheres(bodies, movers, &mut candidates);
        // Those among oriented particles are in order already.
        if candidates.len() > own {
            candidates.sort_unstable_by_key(|c| (c.particle, c.other));
        }
        remember_normals(&mut last, &mut candidates);
        self.candidates = candidates;
    }

    /// Whether every mover is still in its box.
    fn holds(&self, plain: &[PairBody], movers: &Movers) -> bool {
        let (points, oriented): (&Points, &Oriented) = (&*movers.points, &*movers.oriented);
        let contains = |b: &Swept, x: Vec3, half: Vec3| {
            (x - half).cmpge(b.0).all() && (x + half).cmple(b.1).all()
        };
        let own = self.own.iter().zip(&self.boxes).all(|(&i, b)| {
            let i = i as usize;
            let x = points.pred[oriented.point[i] as usize].position();
            contains(b, x, half_box(oriented, i))
        });
        let points_hold = plain.iter().zip(&self.plain).all(|(body, boxes)| {
            let mut boxes = body.points.clone().zip(boxes);
            boxes.all(|(i, b)| contains(b, points.pred[i].position(), Vec3::splat(body.radius)))
        });
        let rigids = &*movers.rigids;
        let spheres_hold = self.spheres.len() == rigids.len()
            && self
                .spheres
                .iter()
                .enumerate()
                .all(|(s, b)| contains(b, rigids.pred[s], Vec3::splat(rigids.radius[s])));
        own && points_hold && spheres_hold
    }

    /// Puts all movers into boxes that hold them to the end of the frame if they go on as they do.
    fn sweep(&mut self, plain: &[PairBody], movers: &Movers, left: f32) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let swept = |x: Vec3, pred: Vec3, way: Vec3, half: Vec3| {
            let end = pred + way;
            (x.min(pred).min(end) - half, x.max(pred).max(end) + half)
        };
        let of_particle = |&i: &u32| {
            let i = i as usize;
            let point = oriented.point[i] as usize;
            let most = oriented.radii[i].max_element();
            let turning = (oriented.spin[i].length() * left).min(1.0);
            let swerve = SWERVE * points.v[point].length() * left;
            let half = half_box(oriented, i) + (SLACK + turning) * most + swerve;
            let pred = points.pred[point].position();
            swept(points.x[point], pred, points.v[point] * left, half)
        };
        self.own.clear();
        let touches = |i: &u32| oriented.collides[*i as usize];
        self.own.extend((0..oriented.len() as u32).filter(touches));
        self.boxes.clear();
        self.boxes.extend(self.own.iter().map(of_particle));
        self.tree = Bvh::new(&self.boxes);
        let of_plain = |body: &PairBody| {
            let half = Vec3::splat((1.0 + SLACK) * body.radius);
            let own = body.points.clone();
            own.map(|i| {
                swept(
                    points.x[i],
                    points.pred[i].position(),
                    points.v[i] * left,
                    half,
                )
            })
            .collect()
        };
        self.plain = plain.iter().map(of_plain).collect();
        let rigids = &*movers.rigids;
        let of_sphere = |s: usize| {
            let half = Vec3::splat((1.0 + SLACK) * rigids.radius[s]);
            swept(rigids.x[s], rigids.pred[s], rigids.v[s] * left, half)
        };
        self.spheres = (0..rigids.len()).map(of_sphere).collect();
    }

    /// Oriented particles that the `at`-th may touch, each pair once.
    fn around(
        &self,
        at: usize,
        bodies: &[EllipsoidBody],
        kinship: &Kinship,
        oriented: &Oriented,
    ) -> Vec<Candidate> {
        let i = self.own[at] as usize;
        let body = body_of(bodies, i);
        let mut found = Vec::new();
        let (lo, hi) = self.boxes[at];
        self.tree.for_each_in_box(lo, hi, |k| {
            let (from, to) = self.boxes[k as usize];
            let j = self.own[k as usize];
            let other = j as usize;
            if other <= i || !(from.cmple(hi).all() && lo.cmple(to).all()) {
                return;
            }
            if body.oriented.contains(&other) && !body.self_contact {
                return;
            }
            if kinship.are_kin(i as u32, j) {
                return;
            }
            let overlap = kinship.overlap(i as u32, j);
            let reach = [i, other].map(|i| oriented.radii[i].max_element());
            found.push(Candidate {
                particle: i as u32,
                other: Other::Oriented(j),
                radius: 0.0,
                reach: reach[0] + reach[1],
                smaller: reach[0].min(reach[1]),
                friction: combined_friction(body.friction, body_of(bodies, other).friction),
                allowed: overlap.map_or(0.0, |o| o.depth),
                normal: overlap.map_or(Vec3::ZERO, |o| oriented.turned[i] * o.normal),
            });
        });
        found.sort_unstable_by_key(|c| c.other);
        found
    }

    /// Plain particles that oriented ones may touch.
    fn find_plain(
        &self,
        bodies: &[EllipsoidBody],
        plain: &[PairBody],
        movers: &Movers,
        found: &mut Vec<Candidate>,
    ) {
        for (body, boxes) in plain.iter().zip(&self.plain) {
            for (point, &(lo, hi)) in body.points.clone().zip(boxes) {
                self.tree.for_each_in_box(lo, hi, |i| {
                    let other = Other::Point(point as u32);
                    let near = (other, body.radius, body.friction);
                    found.extend(self.meets((lo, hi), near, i, bodies, movers.oriented));
                });
            }
        }
    }

    /// Projectiles that oriented particles may touch.
    fn find_spheres(&self, bodies: &[EllipsoidBody], movers: &Movers, found: &mut Vec<Candidate>) {
        let rigids = &*movers.rigids;
        for (s, &(lo, hi)) in self.spheres.iter().enumerate() {
            self.tree.for_each_in_box(lo, hi, |i| {
                let near = (
                    Other::Sphere(s as u32),
                    rigids.radius[s],
                    rigids.friction[s],
                );
                found.extend(self.meets((lo, hi), near, i, bodies, movers.oriented));
            });
        }
    }

    /// The `at`-th particle and a ball with its radius and friction, if their boxes meet.
    fn meets(
        &self,
        (lo, hi): Swept,
        (other, radius, friction): (Other, f32, f32),
        at: u32,
        bodies: &[EllipsoidBody],
        oriented: &Oriented,
    ) -> Option<Candidate> {
        let (from, to) = self.boxes[at as usize];
        let i = self.own[at as usize];
        let meets = from.cmple(hi).all() && lo.cmple(to).all();
        let own = oriented.radii[i as usize].max_element();
        meets.then(|| Candidate {
            particle: i,
            other,
            radius,
            reach: own + radius,
            smaller: own.min(radius),
            friction: combined_friction(friction, body_of(bodies, i as usize).friction),
            allowed: 0.0,
            normal: Vec3::ZERO,
        })
    }
}

/// The body that an oriented particle belongs to; every particle has one.
fn body_of(bodies: &[EllipsoidBody], i: usize) -> &EllipsoidBody {
    let at = bodies.partition_point(|body| body.oriented.end <= i);
    &bodies[at.min(bodies.len() - 1)]
}

/// Half of the box around the ellipsoid of particle `i` as it is turned by prediction.
fn half_box(oriented: &Oriented, i: usize) -> Vec3 {
    let turn = Mat3::from_quat(oriented.turned[i] * oriented.axes[i]);
    let r = oriented.radii[i];
    let square = |v: Vec3| v * v;
    let [x, y, z] = [turn.x_axis * r.x, turn.y_axis * r.y, turn.z_axis * r.z].map(square);
    let sum = x + y + z;
    Vec3::new(sum.x.sqrt(), sum.y.sqrt(), sum.z.sqrt())
}

/// The search for the normal of a pair starts where it ended last.
fn remember_normals(last: &mut [Candidate], now: &mut [Candidate]) {
    let mut last = last.iter().peekable();
    for near in now {
        let key = (near.particle, near.other);
        while last.next_if(|l| (l.particle, l.other) < key).is_some() {}
        if let Some(known) = last.next_if(|l| (l.particle, l.other) == key) {
            near.normal = known.normal;
        }
    }
}
