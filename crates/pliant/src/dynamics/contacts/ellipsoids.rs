//! Oriented particles against colliders, each other, plain particles and projectiles.
//!
//! All of these are ellipsoids, some of them balls; a contact acts at the end of a lever arm, so it also turns. Contacts are solved one
//! after the other, in the order of their movers.

use super::ellipsoid::{Posed, refine, separation};
use super::kinship::Kinship;
use super::nearby::{Candidate, Nearby, Other};
use super::pairs::PairBody;
use super::statics::{Placed, TangentPlane};
use super::{LIFT, combined_friction, friction};
use crate::dynamics::turns::turn_of;
use crate::state::{Oriented, Points, Rigids};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// What contacts need to know of a body of oriented particles.
#[derive(Clone, Debug, PartialEq)]
pub struct EllipsoidBody {
    /// Its entries in the columns of oriented particles.
    pub oriented: Range<usize>,
    /// Friction coefficient.
    pub friction: f32,
    /// Restitution.
    pub restitution: f32,
    /// Whether far parts of it collide.
    pub self_contact: bool,
}

/// A particle against the plane of a collider.
#[derive(Clone, Copy, Debug)]
struct Static {
    particle: u32,
    plane: TangentPlane,
    friction: f32,
    restitution: f32,
    /// Old penetration that is left for later substeps (m).
    left: f32,
    /// Whether the solver had to push the particle out in this substep.
    pushed: bool,
}

/// Two movers that touch, or nearly so, in this substep.
#[derive(Clone, Copy, Debug)]
struct Pair {
    near: Candidate,
    /// Direction from the first to the second in which they are farthest apart.
    normal: Vec3,
    /// How deep they were in each other when the substep began (m).
    old: f32,
    /// Old penetration that is left for later substeps (m).
    left: f32,
}

/// The contacts of oriented particles in a substep.
#[derive(Clone, Debug, Default)]
pub struct EllipsoidContacts {
    statics: Vec<Static>,
    pairs: Vec<Pair>,
    nearby: Nearby,
    /// Where the ellipsoids are predicted to be when the substep begins.
    poses: Vec<Posed>,
}

/// How far apart two movers may be to count as touching while the solver runs, in the reach of the smaller.
const TOUCHING: f32 = 0.1;

/// The movers of a step.
pub struct Movers<'a> {
    /// All particles.
    pub points: &'a mut Points,
    /// What some of them have besides.
    pub oriented: &'a mut Oriented,
    /// Projectiles.
    pub rigids: &'a mut Rigids,
}

impl EllipsoidContacts {
    /// How many may touch a collider, and how many another mover.
    pub fn counts(&self) -> (usize, usize) {
        (self.statics.len(), self.nearby.candidates.len())
    }

    /// Begins a frame: nothing of the last one may show, or equal states would have unequal futures.
    pub fn begin_frame(&mut self) {
        self.nearby.forget();
    }

    /// Finds what may touch in this substep; `left` is the time to the end of the frame (s).
    pub fn find(
        &mut self,
        (bodies, plain): (&[EllipsoidBody], &[PairBody]),
        kinship: &Kinship,
        movers: &Movers,
        placed: &[Placed],
        left: f32,
    ) {
        self.statics.clear();
        self.pairs.clear();
        if bodies.is_empty() {
            return;
        }
        self.find_statics(bodies, movers, placed);
        self.nearby.follow((bodies, plain), kinship, movers, left);
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let posed = (0..oriented.len()).into_par_iter().with_min_len(256);
        posed
            .map(|i| posed_at(points, oriented, i))
            .collect_into_vec(&mut self.poses);
        let poses = &self.poses;
        let touching = |near: &mut Candidate| touching(near, poses, movers);
        let nearby = self.nearby.candidates.par_iter_mut().with_min_len(256);
        self.pairs.par_extend(nearby.filter_map(touching));
    }

    /// Particles near colliders.
    fn find_statics(&mut self, bodies: &[EllipsoidBody], movers: &Movers, placed: &[Placed]) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        for body in bodies {
            let places = body.oriented.clone().flat_map(|i| {
                let point = oriented.point[i] as usize;
                [points.x[point], points.pred[point].position()]
            });
            let (lo, hi) =
                places.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), p| (lo.min(p), hi.max(p)));
            let most = body
                .oriented
                .clone()
                .map(|i| oriented.radii[i].max_element());
            let most = most.fold(0.0, f32::max);
            for collider in placed.iter().filter(|c| c.may_touch(lo, hi, 2.0 * most)) {
                let own = body.oriented.clone().into_par_iter().with_min_len(128);
                let near = |i: usize| near_collider(movers, body, i, collider);
                self.statics.par_extend(own.filter_map(near));
            }
        }
    }

    /// Moves particles that are already inside each other or inside a collider a little apart, so that old penetration does not turn into
    /// velocity.
    pub fn stabilize(&self, movers: &mut Movers) {
        for pair in self.pairs.iter().filter(|pair| pair.old > 0.0) {
            part(pair, movers);
        }
        for contact in &self.statics {
            let i = contact.particle as usize;
            let point = movers.oriented.point[i] as usize;
            if movers.points.inv_mass[point] == 0.0 {
                continue;
            }
            let n = contact.plane.normal;
            let axes = movers.points.rotation[point] * movers.oriented.axes[i];
            let x = movers.points.x[point];
            let reach = Posed::new(x, axes, movers.oriented.radii[i]).reach(n);
            let depth = contact.plane.offset_start + reach - contact.left - n.dot(x);
            if depth > 0.0 {
                movers.points.x[point] += n * depth;
                movers.points.shift_pred(point, n * depth);
            }
        }
    }

    /// Pushes what overlaps apart, with friction, then out of colliders.
    ///
    /// A push at the end of a lever arm turns a particle, and its groups have a say in that when they come next. After the last pushes of a
    /// substep they do not, so there only particles turn that are in no group with others: else particles under a body would spin like
    /// the balls of a bearing, and it would slide without friction.
    pub fn solve(&mut self, movers: &mut Movers, kinship: &Kinship, is_last: bool) {
        let turns = |i: u32| !is_last || kinship.is_alone(i);
        for pair in &mut self.pairs {
            solve_pair(pair, movers, &turns);
        }
        for contact in &mut self.statics {
            let turns = turns(contact.particle);
            solve_static(contact, movers, turns);
        }
    }

    /// Gives back part of the normal speed at impacts on colliders in a substep of `h` seconds. `v` and `spin` are the velocities before the
    /// solve.
    pub fn restitute(&self, movers: &mut Movers, v: &[Vec3], spin: &[Vec3], h: f32) {
        let bounces = |c: &&Static| c.pushed && c.restitution > 0.0;
        for contact in self.statics.iter().filter(bounces) {
            let i = contact.particle as usize;
            let point = movers.oriented.point[i] as usize;
            let side = Side::oriented(movers.points, movers.oriented, i, true);
            let n = contact.plane.normal;
            let arm = -side.shape.arm(n);
            let surface = contact.plane.drift.dot(n) / h;
            let approach = n.dot(v[point] + spin[i].cross(arm)) - surface;
            let own = &mut movers.points.v[point];
            let now = n.dot(*own + movers.oriented.spin[i].cross(arm));
            let wanted = surface - contact.restitution * approach;
            if approach < 0.0 && now < wanted {
                let impulse = n * ((wanted - now) / side.give(arm, n));
                *own += impulse * side.inv_mass;
                movers.oriented.spin[i] += side.turn_by(arm.cross(impulse));
            }
        }
    }
}

/// Particle `i` against a collider, if it may touch it in this substep.
fn near_collider(
    movers: &Movers,
    body: &EllipsoidBody,
    i: usize,
    collider: &Placed,
) -> Option<Static> {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    if !oriented.collides[i] {
        return None;
    }
    let point = oriented.point[i] as usize;
    let (x, pred) = (points.x[point], points.pred[point].position());
    let radii = oriented.radii[i];
    let (least, most) = (radii.min_element(), radii.max_element());
    let plane = collider.tangent_plane(x, pred, least, 2.0 * most - least)?;
    let n = plane.normal;
    let axes = points.rotation[point] * oriented.axes[i];
    let reach = Posed::new(x, axes, radii).reach(n);
    let depth = plane.offset_start + reach - n.dot(x);
    Some(Static {
        particle: i as u32,
        plane,
        friction: combined_friction(body.friction, collider.collider.friction),
        restitution: body.restitution,
        left: (depth - LIFT * least).max(0.0),
        pushed: false,
    })
}

/// The ellipsoids of two movers where they are predicted to be.
fn shapes(near: &Candidate, movers: &Movers) -> (Posed, Posed) {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    let b = match near.other {
        Other::Oriented(j) => posed_at(points, oriented, j as usize),
        Other::Point(j) => Posed::ball(points.pred[j as usize].position(), near.radius),
        Other::Sphere(s) => Posed::ball(movers.rigids.pred[s as usize], near.radius),
    };
    (posed_at(points, oriented, near.particle as usize), b)
}

/// Two movers as a contact, if they touch or nearly so. Remembers the direction between them for the next substep.
fn touching(near: &mut Candidate, poses: &[Posed], movers: &Movers) -> Option<Pair> {
    let ball;
    let (a, b) = (
        &poses[near.particle as usize],
        match near.other {
            Other::Oriented(j) => &poses[j as usize],
            Other::Point(_) | Other::Sphere(_) => {
                ball = shapes(near, movers).1;
                &ball
            }
        },
    );
    let margin = TOUCHING * near.smaller;
    let far = near.reach + margin;
    if a.x.distance_squared(b.x) > far * far {
        return None;
    }
    let guess = (near.normal != Vec3::ZERO).then_some(near.normal);
    // Two that overlap at rest hold each other in place by their groups; they touch where they are deeper in each other.
    let margin = if near.allowed > 0.0 {
        -near.allowed
    } else {
        margin
    };
    let (normal, apart) = separation(a, b, guess, margin);
    near.normal = normal;
    (apart <= margin).then(|| {
        let (a, b) = old_shapes(near, movers);
        let room = normal.dot(b.x - a.x) - a.reach(normal) - b.reach(normal);
        let old = (-room - near.allowed).max(0.0);
        Pair {
            near: *near,
            normal,
            old,
            left: (old - LIFT * near.smaller).max(0.0),
        }
    })
}

/// The ellipsoids of two movers where they were when the substep began.
fn old_shapes(near: &Candidate, movers: &Movers) -> (Posed, Posed) {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    let posed = |i: u32| {
        let i = i as usize;
        let point = oriented.point[i] as usize;
        let axes = points.rotation[point] * oriented.axes[i];
        Posed::new(points.x[point], axes, oriented.radii[i])
    };
    let b = match near.other {
        Other::Oriented(j) => posed(j),
        Other::Point(j) => Posed::ball(points.x[j as usize], near.radius),
        Other::Sphere(s) => Posed::ball(movers.rigids.x[s as usize], near.radius),
    };
    (posed(near.particle), b)
}

/// The ellipsoid of particle `i` where it is predicted to be.
fn posed_at(points: &Points, oriented: &Oriented, i: usize) -> Posed {
    let x = points.pred[oriented.point[i] as usize].position();
    Posed::new(x, oriented.turned[i] * oriented.axes[i], oriented.radii[i])
}

/// One side of a contact.
#[derive(Clone, Copy)]
struct Side {
    shape: Posed,
    /// How far its centre has gone in this substep (m), and how it has turned (rad).
    gone: Vec3,
    turned: Vec3,
    inv_mass: f32,
    /// Axes of its moments of inertia, and their inverses.
    axes: Quat,
    inv_inertia: Vec3,
}

impl Side {
    /// An oriented particle; `turns` tells whether pushes turn it.
    fn oriented(points: &Points, oriented: &Oriented, i: usize, turns: bool) -> Self {
        let point = oriented.point[i] as usize;
        let x = points.pred[point].position();
        let axes = oriented.turned[i] * oriented.axes[i];
        let turned = turn_of(oriented.turned[i] * points.rotation[point].conjugate());
        Self {
            shape: Posed::new(x, axes, oriented.radii[i]),
            gone: x - points.x[point],
            turned,
            inv_mass: points.inv_mass[point],
            axes,
            inv_inertia: if turns {
                oriented.inv_inertia(i, points.mass[point])
            } else {
                Vec3::ZERO
            },
        }
    }

    fn point(points: &Points, i: usize, radius: f32) -> Self {
        let x = points.pred[i].position();
        Self {
            shape: Posed::ball(x, radius),
            gone: x - points.x[i],
            turned: Vec3::ZERO,
            inv_mass: points.inv_mass[i],
            axes: Quat::IDENTITY,
            inv_inertia: Vec3::ZERO,
        }
    }

    fn sphere(rigids: &Rigids, s: usize) -> Self {
        Self {
            shape: Posed::ball(rigids.pred[s], rigids.radius[s]),
            gone: rigids.pred[s] - rigids.x[s],
            turned: rigids.turn[s],
            inv_mass: 1.0 / rigids.mass[s],
            axes: Quat::IDENTITY,
            inv_inertia: Vec3::splat(rigids.inv_inertia(s)),
        }
    }

    /// I⁻¹ v.
    fn turn_by(&self, v: Vec3) -> Vec3 {
        self.axes * (self.inv_inertia * (self.axes.conjugate() * v))
    }

    /// How much the end of `arm` gives way along `n` to a unit push.
    fn give(&self, arm: Vec3, n: Vec3) -> f32 {
        let lever = arm.cross(n);
        self.inv_mass + lever.dot(self.turn_by(lever))
    }

    /// How far the end of `arm` has gone in this substep (m).
    fn slip(&self, arm: Vec3) -> Vec3 {
        self.gone + self.turned.cross(arm)
    }
}

/// Pushes an oriented particle at the end of `arm`.
fn push(movers: &mut Movers, i: usize, side: &Side, arm: Vec3, push: Vec3) {
    let point = movers.oriented.point[i] as usize;
    movers.points.shift_pred(point, push * side.inv_mass);
    let turn = side.turn_by(arm.cross(push));
    if turn != Vec3::ZERO {
        let q = movers.oriented.turned[i];
        let by = Quat::from_xyzw(0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 0.0) * q;
        movers.oriented.turned[i] = (q + by).normalize();
    }
    movers.oriented.past[i].unsettle();
}

/// The push that undoes a depth along `n`, and as much of a slip across it as friction can; `give` tells how far a unit push along a
/// direction moves the two.
///
/// Friction is bounded by pushes, not by distances as for points: a push across turns a ball, so it moves the place of contact farther than
/// one along n, and a ball would never come to roll.
fn impulse(n: Vec3, depth: f32, slip: Vec3, coefficient: f32, give: impl Fn(Vec3) -> f32) -> Vec3 {
    let normal = depth / give(n);
    let across = slip - n * n.dot(slip);
    let along = across.normalize_or_zero();
    if along == Vec3::ZERO {
        return n * normal;
    }
    let stop = across.length() / give(along);
    n * normal - friction(along * stop, normal, coefficient)
}

/// Moves the two of a pair apart by as much of their old penetration as leaves in this substep.
fn part(pair: &Pair, movers: &mut Movers) {
    let (points, rigids) = (&mut *movers.points, &mut *movers.rigids);
    let i = movers.oriented.point[pair.near.particle as usize] as usize;
    let weight = |point: usize, points: &Points| points.inv_mass[point];
    let w = [
        weight(i, points),
        match pair.near.other {
            Other::Oriented(j) => weight(movers.oriented.point[j as usize] as usize, points),
            Other::Point(j) => weight(j as usize, points),
            Other::Sphere(s) => 1.0 / rigids.mass[s as usize],
        },
    ];
    if w[0] + w[1] == 0.0 {
        return;
    }
    let way = pair.normal * ((pair.old - pair.left) / (w[0] + w[1]));
    let mut shift = |point: usize, by: Vec3| {
        points.x[point] += by;
        points.shift_pred(point, by);
    };
    shift(i, -way * w[0]);
    match pair.near.other {
        Other::Oriented(j) => shift(movers.oriented.point[j as usize] as usize, way * w[1]),
        Other::Point(j) => shift(j as usize, way * w[1]),
        Other::Sphere(s) => {
            rigids.x[s as usize] += way * w[1];
            rigids.pred[s as usize] += way * w[1];
        }
    }
}

fn solve_static(contact: &mut Static, movers: &mut Movers, turns: bool) {
    let i = contact.particle as usize;
    let n = contact.plane.normal;
    let point = movers.oriented.point[i] as usize;
    let room = contact.plane.offset - contact.left - n.dot(movers.points.pred[point].position());
    // Most are farther away than any ellipsoid of theirs reaches.
    if movers.points.inv_mass[point] == 0.0 || room + movers.oriented.radii[i].max_element() <= 0.0
    {
        return;
    }
    let side = Side::oriented(movers.points, movers.oriented, i, turns);
    let arm = -side.shape.arm(n);
    let depth = room - n.dot(arm);
    if depth <= 0.0 {
        return;
    }
    contact.pushed = true;
    let slip = side.slip(arm) - contact.plane.drift;
    let impulse = impulse(n, depth, slip, contact.friction, |n| side.give(arm, n));
    push(movers, i, &side, arm, impulse);
}

fn solve_pair(pair: &mut Pair, movers: &mut Movers, turns: &impl Fn(u32) -> bool) {
    let near = pair.near;
    let (shape_a, shape_b) = shapes(&near, movers);
    let (n, apart) = refine(&shape_a, &shape_b, pair.normal);
    pair.normal = n;
    let depth = -apart - near.allowed - pair.left;
    if depth <= 0.0 {
        return;
    }
    let i = near.particle as usize;
    let a = Side::oriented(movers.points, movers.oriented, i, turns(near.particle));
    let b = match near.other {
        Other::Oriented(j) => Side::oriented(movers.points, movers.oriented, j as usize, turns(j)),
        Other::Point(j) => Side::point(movers.points, j as usize, near.radius),
        Other::Sphere(s) => Side::sphere(movers.rigids, s as usize),
    };
    if a.inv_mass + b.inv_mass == 0.0 {
        return;
    }
    let (arm_a, arm_b) = (a.shape.arm(n), -b.shape.arm(n));
    let slip = b.slip(arm_b) - a.slip(arm_a);
    // What is pushed into the second mover; the first gets the opposite.
    let give = |n: Vec3| a.give(arm_a, n) + b.give(arm_b, n);
    let impulse = impulse(n, depth, slip, near.friction, give);
    push(movers, i, &a, arm_a, -impulse);
    match near.other {
        Other::Oriented(j) => push(movers, j as usize, &b, arm_b, impulse),
        Other::Point(j) => movers.points.shift_pred(j as usize, impulse * b.inv_mass),
        Other::Sphere(s) => {
            let s = s as usize;
            movers.rigids.push_by(s, impulse * b.inv_mass);
            movers.rigids.turn[s] += b.turn_by(arm_b.cross(impulse));
        }
    }
}
