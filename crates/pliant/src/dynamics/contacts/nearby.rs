//! Which oriented particles may touch something in a frame.
//!
//! Sizes differ by much: a skull beside hairs. So movers are found by boxes in a tree, not by cells of one size. A mover is expected to go
//! on as it does to the end of the frame; its box holds it on its way, with some slack, and two are candidates if they may touch within their
//! slack. That holds until something strays farther from its way than its slack.

use super::combined_friction;
use super::ellipsoid::Posed;
use super::ellipsoids::{EllipsoidBody, Movers, TOUCHING, posed_at};
use super::kinship::{self, Kinship};
use super::pairs::PairBody;
use crate::geometry::bvh::Bvh;
use crate::state::Oriented;
use glam::Vec3;
use rayon::prelude::*;

/// Slack of a box, in the reach of its mover.
const SLACK: f32 = 0.25;
/// How much a mover may swerve, in its way.
const SWERVE: f32 = 0.2;

/// The tree is made anew when more than one in so many particles has left its box.
const FEW: usize = 5;

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
    /// They do not touch before both together have moved so far since the frame began (m).
    pub clear: f32,
}

impl Candidate {
    /// What candidates are known by.
    fn key(&self) -> (u32, Other) {
        (self.particle, self.other)
    }
}

/// A box around a mover on its way.
type Swept = (Vec3, Vec3);

/// Where a particle is expected to be in a frame.
#[derive(Clone, Copy, Debug)]
struct Course {
    /// Its ellipsoid at the start, and how far that reaches (m).
    start: Posed,
    reach: f32,
    /// Its velocity (m/s), and how much time is left at the start (s).
    v: Vec3,
    left: f32,
    /// How far anything of it may be from where it is expected (m).
    slack: f32,
}

impl Course {
    /// The course of particle `i`, which is predicted for a time with `left` seconds to go.
    fn new(movers: &Movers, i: u32, left: f32) -> Self {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let i = i as usize;
        let v = points.v[oriented.point[i] as usize];
        let turning = (oriented.spin[i].length() * left).min(1.0);
        let most = oriented.radii[i].max_element();
        Self {
            start: posed_at(points, oriented, i),
            reach: most,
            v,
            left,
            slack: (SLACK + turning) * most + SWERVE * v.length() * left,
        }
    }

    /// A box around it on its way; it came from `x`.
    fn swept(&self, x: Vec3) -> Swept {
        let half = self.start.half_box() + self.slack;
        swept([x, self.start.x, self.v * self.left], half)
    }

    /// Where it is expected with `left` seconds to go.
    fn at(&self, left: f32) -> Vec3 {
        self.start.x + self.v * (self.left - left)
    }

    /// Whether it is within its slack with `left` seconds to go.
    fn holds(&self, now: &Posed, left: f32) -> bool {
        let expected = Posed {
            x: self.at(left),
            m: self.start.m,
        };
        expected.most_between(now) <= self.slack
    }

    /// Whether it may come nearer to another than `margin` while both are within their slack.
    fn may_touch(&self, other: &Self, margin: f32) -> bool {
        let left = self.left.min(other.left);
        let way = other.at(left) - self.at(left);
        let distance = way.length();
        let n = way / distance.max(f32::MIN_POSITIVE);
        let apart = distance - self.start.reach(n) - other.start.reach(n);
        let approach = (n.dot(self.v - other.v) * left).max(0.0);
        apart - approach <= self.slack + other.slack + margin
    }
}

/// The candidates of a frame.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    /// Pairs in the order of the tree, then of their discovery.
    pub candidates: Vec<Candidate>,
    /// The oriented particles that touch anything, the number of each one's body, and their boxes; the tree counts these.
    own: Vec<u32>,
    bodies: Vec<u32>,
    courses: Vec<Course>,
    boxes: Vec<Swept>,
    tree: Bvh,
    /// Boxes of all plain points, by body.
    plain: Vec<Vec<Swept>>,
    spheres: Vec<Swept>,
    /// Particles that have left the boxes that the tree knows, ascending.
    strays: Vec<u32>,
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
        (bodies, plain): (&[EllipsoidBody], &[PairBody]),
        kinship: &Kinship,
        movers: &Movers,
        left: f32,
    ) {
        let kin = Kin {
            bodies,
            kinship,
            oriented: movers.oriented,
        };
        if self.is_known && self.balls_hold(plain, movers) {
            let gone = self.gone(movers, left);
            if FEW * (gone.len() + self.strays.len()) <= self.own.len() {
                self.catch(&gone, &kin, plain, movers, left);
                return;
            }
        }
        self.is_known = true;
        self.strays.clear();
        self.sweep((bodies, plain), movers, left);
        self.candidates.clear();
        let leaves: Vec<usize> = self.tree.leaves().collect();
        let found = leaves.par_iter().with_min_len(16);
        let found = found.flat_map_iter(|&leaf| self.pairs_of_leaf(leaf, &kin));
        let mut candidates: Vec<Candidate> = found.collect();
        self.for_each_ball(plain, movers, |ball| {
            self.tree.for_each_in_box(ball.swept.0, ball.swept.1, |at| {
                candidates.extend(self.meets(&ball, at, &kin));
            });
        });
        self.candidates = candidates;
    }

    /// Adds what particles may touch that have left their boxes.
    fn catch(&mut self, gone: &[u32], kin: &Kin, plain: &[PairBody], movers: &Movers, left: f32) {
        for &at in gone {
            let at = at as usize;
            self.courses[at] = Course::new(movers, self.own[at], left);
            self.boxes[at] = self.courses[at].swept(came_from(movers, self.own[at]));
        }
        self.strays.extend(gone);
        self.strays.sort_unstable();
        self.strays.dedup();
        let mut found = Vec::new();
        for &at in gone {
            let (lo, hi) = self.boxes[at as usize];
            let mut meet = |other: u32| found.extend(self.pair(at, other, kin));
            self.tree.for_each_in_box(lo, hi, &mut meet);
            // The tree knows strays where they were.
            self.strays.iter().for_each(|&other| meet(other));
            self.for_each_ball(plain, movers, |ball| {
                found.extend(self.meets(&ball, at, kin));
            });
        }
        found.sort_unstable_by_key(Candidate::key);
        found.dedup_by_key(|c| c.key());
        let mut is_new = vec![true; found.len()];
        for known in &self.candidates {
            if let Ok(at) = found.binary_search_by_key(&known.key(), Candidate::key) {
                is_new[at] = false;
            }
        }
        let new = found.iter().zip(is_new).filter(|(_, is_new)| *is_new);
        self.candidates.extend(new.map(|(c, _)| c));
    }

    /// Particles that have strayed from their courses, with `left` seconds of the frame to go.
    fn gone(&self, movers: &Movers, left: f32) -> Vec<u32> {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let is_gone = |at: &u32| {
            let now = posed_at(points, oriented, self.own[*at as usize] as usize);
            !self.courses[*at as usize].holds(&now, left)
        };
        let all = (0..self.own.len() as u32).into_par_iter();
        all.with_min_len(256).filter(is_gone).collect()
    }

    /// Whether all plain particles and projectiles are in their boxes.
    fn balls_hold(&self, plain: &[PairBody], movers: &Movers) -> bool {
        let points = &*movers.points;
        let points_hold = plain.iter().zip(&self.plain).all(|(body, boxes)| {
            let mut boxes = body.points.clone().zip(boxes);
            boxes.all(|(i, b)| {
                let ball = movers.layer.ball(i);
                let x = points.pred[i].position() + ball.inset;
                contains(b, x, Vec3::splat(ball.radius))
            })
        });
        let rigids = &*movers.rigids;
        let mut spheres = self.spheres.iter().enumerate();
        points_hold
            && self.spheres.len() == rigids.len()
            && spheres.all(|(s, b)| contains(b, rigids.pred[s], Vec3::splat(rigids.radius[s])))
    }

    /// Puts all movers into boxes that hold them to the end of the frame if they go on as they do.
    fn sweep(
        &mut self,
        (bodies, plain): (&[EllipsoidBody], &[PairBody]),
        movers: &Movers,
        left: f32,
    ) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        self.own.clear();
        let touches = |i: &u32| oriented.collides[*i as usize];
        self.own.extend((0..oriented.len() as u32).filter(touches));
        self.bodies.clear();
        for (number, body) in bodies.iter().enumerate() {
            let touching = body.oriented.clone().filter(|&i| oriented.collides[i]);
            self.bodies.extend(touching.map(|_| number as u32));
        }
        let own = self.own.par_iter().with_min_len(256);
        own.map(|&i| Course::new(movers, i, left))
            .collect_into_vec(&mut self.courses);
        let own = self.own.iter().zip(&self.courses);
        self.boxes.clear();
        self.boxes
            .extend(own.map(|(&i, course)| course.swept(came_from(movers, i))));
        self.tree = Bvh::new(&self.boxes);
        let of_plain = |body: &PairBody| {
            let way = |i: usize| [points.x[i], points.pred[i].position(), points.v[i] * left];
            let of_point = |i: usize| {
                let ball = movers.layer.ball(i);
                let [x, pred, way] = way(i);
                let half = Vec3::splat(ball.radius + SLACK * body.radius);
                swept([x + ball.inset, pred + ball.inset, way], half)
            };
            body.points.clone().map(of_point).collect()
        };
        self.plain = plain.iter().map(of_plain).collect();
        let rigids = &*movers.rigids;
        let of_sphere = |s: usize| {
            let half = Vec3::splat((1.0 + SLACK) * rigids.radius[s]);
            swept([rigids.x[s], rigids.pred[s], rigids.v[s] * left], half)
        };
        self.spheres = (0..rigids.len()).map(of_sphere).collect();
    }

    /// Pairs of the particles of a leaf with each other and with those of later leaves.
    fn pairs_of_leaf(&self, leaf: usize, kin: &Kin) -> Vec<Candidate> {
        let mut found = Vec::new();
        let own = &self.tree.order[self.tree.nodes[leaf].items()];
        for (at, &a) in own.iter().enumerate() {
            found.extend(own[at + 1..].iter().filter_map(|&b| self.pair(a, b, kin)));
        }
        self.tree.for_each_leaf_after(leaf, |others| {
            let others = &self.tree.order[others];
            for &a in own {
                found.extend(others.iter().filter_map(|&b| self.pair(a, b, kin)));
            }
        });
        found
    }

    /// Two particles, if their boxes meet and they are no kin.
    fn pair(&self, a: u32, b: u32, kin: &Kin) -> Option<Candidate> {
        let meet = meet(&self.boxes[a as usize], &self.boxes[b as usize]);
        if a == b || !meet {
            return None;
        }
        // Particles are in ascending order.
        let (i, j) = (self.own[a.min(b) as usize], self.own[a.max(b) as usize]);
        let overlap = match kin.kinship.between(i, j) {
            kinship::Kin::Near => return None,
            kinship::Kin::Overlap(overlap) => Some(overlap),
            kinship::Kin::None => None,
        };
        let (first, second) = (self.bodies[a as usize], self.bodies[b as usize]);
        let body = &kin.bodies[first as usize];
        if first == second && !body.self_contact {
            return None;
        }
        let (course, other) = (&self.courses[a as usize], &self.courses[b as usize]);
        let smaller = course.reach.min(other.reach);
        if !course.may_touch(other, TOUCHING * smaller) {
            return None;
        }
        let turned = kin.oriented.turned[i as usize];
        Some(Candidate {
            particle: i,
            other: Other::Oriented(j),
            radius: 0.0,
            reach: course.reach + other.reach,
            smaller,
            friction: combined_friction(body.friction, kin.bodies[second as usize].friction),
            allowed: overlap.map_or(0.0, |o| o.depth),
            normal: overlap.map_or(Vec3::ZERO, |o| turned * o.normal),
            clear: f32::NEG_INFINITY,
        })
    }

    /// Calls `f` with every plain particle and every projectile.
    fn for_each_ball(&self, plain: &[PairBody], movers: &Movers, mut f: impl FnMut(Ball)) {
        for (body, boxes) in plain.iter().zip(&self.plain) {
            for (point, &swept) in body.points.clone().zip(boxes) {
                f(Ball {
                    other: Other::Point(point as u32),
                    radius: movers.layer.ball(point).radius,
                    friction: body.friction,
                    swept,
                });
            }
        }
        for (s, &swept) in self.spheres.iter().enumerate() {
            f(Ball {
                other: Other::Sphere(s as u32),
                radius: movers.rigids.radius[s],
                friction: movers.rigids.friction[s],
                swept,
            });
        }
    }

    /// The `at`-th particle and a ball, if their boxes meet.
    fn meets(&self, ball: &Ball, at: u32, kin: &Kin) -> Option<Candidate> {
        let i = self.own[at as usize];
        let own = kin.oriented.radii[i as usize].max_element();
        let friction = body_of(kin.bodies, i as usize).friction;
        meet(&self.boxes[at as usize], &ball.swept).then(|| Candidate {
            particle: i,
            other: ball.other,
            radius: ball.radius,
            reach: own + ball.radius,
            smaller: own.min(ball.radius),
            friction: combined_friction(ball.friction, friction),
            allowed: 0.0,
            normal: Vec3::ZERO,
            clear: f32::NEG_INFINITY,
        })
    }
}

/// What is known of particles besides where they are.
struct Kin<'a> {
    bodies: &'a [EllipsoidBody],
    kinship: &'a Kinship,
    oriented: &'a Oriented,
}

/// A plain particle or a projectile.
struct Ball {
    other: Other,
    radius: f32,
    friction: f32,
    swept: Swept,
}

/// Whether a box holds all within `half` of `x`.
fn contains(b: &Swept, x: Vec3, half: Vec3) -> bool {
    (x - half).cmpge(b.0).all() && (x + half).cmple(b.1).all()
}

/// Whether two boxes meet.
fn meet(a: &Swept, b: &Swept) -> bool {
    (a.0.cmple(b.1) & b.0.cmple(a.1)).all()
}

/// The box of a mover that goes from `x` to its prediction and on from there.
fn swept([x, pred, way]: [Vec3; 3], half: Vec3) -> Swept {
    let end = pred + way;
    (x.min(pred).min(end) - half, x.max(pred).max(end) + half)
}

/// Where particle `i` was when the substep began.
fn came_from(movers: &Movers, i: u32) -> Vec3 {
    movers.points.x[movers.oriented.point[i as usize] as usize]
}

/// The body that an oriented particle belongs to; every particle has one.
fn body_of(bodies: &[EllipsoidBody], i: usize) -> &EllipsoidBody {
    let at = bodies.partition_point(|body| body.oriented.end <= i);
    &bodies[at.min(bodies.len() - 1)]
}
