//! Oriented particles against colliders, each other, plain particles and projectiles.
//!
//! All of these are ellipsoids, some of them balls; a contact acts at the end of a lever arm, so it also turns. Contacts are solved one
//! after the other, in the order of their movers.

use super::ellipsoid::{Posed, separation};
use super::pairs::PairBody;
use super::statics::{Placed, TangentPlane};
use super::{LIFT, combined_friction, friction};
use crate::dynamics::turns::turn_of;
use crate::geometry::grid::PointGrid;
use crate::state::{Csr, Oriented, Points, Rigids, Rings};
use glam::{Quat, Vec3};
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

/// What a particle may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Other {
    Oriented(u32),
    Point(u32),
    Sphere(u32),
}

/// Two movers that may touch in this substep.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particle: u32,
    other: Other,
    /// Radius of a point or a sphere (m).
    radius: f32,
    friction: f32,
    /// Overlap that is no contact: the two overlapped at rest, or have done so before (m).
    allowed: f32,
    /// Direction from the first to the second in which they were farthest apart last.
    normal: Vec3,
}

/// Particles that do not touch: those that share a group never do, others overlap at rest by so much.
#[derive(Clone, Debug, Default)]
pub struct Kinship {
    /// For each oriented particle those that share a group with it, ascending.
    kin: Csr,
    /// Overlaps of pairs at rest, ascending.
    overlaps: Vec<(u32, u32, f32)>,
}

impl Kinship {
    /// Finds out for all bodies; rest poses are those in which particles were added.
    pub fn new(bodies: &[EllipsoidBody], oriented: &Oriented, rings: &Rings) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut of_point = vec![0; rings.groups.of_mover.rows()];
        for (i, &point) in oriented.point.iter().enumerate() {
            of_point[point as usize] = i as u32;
        }
        for i in 0..oriented.len() {
            for &k in rings.groups.of_mover.row(oriented.point[i] as usize) {
                let members = rings.groups.members(k as usize);
                pairs.extend(members.map(|(j, _)| (i as u32, of_point[j as usize])));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let kin = Csr::from_pairs(oriented.len(), pairs.iter().copied());
        let mut overlaps = Vec::new();
        let mut grid = PointGrid::default();
        for body in bodies.iter().filter(|body| body.self_contact) {
            let own = body.oriented.clone();
            let reach = |i: usize| oriented.radii[i].max_element();
            let most = own.clone().map(reach).fold(0.0, f32::max);
            grid.rebuild(own.len(), 2.0 * most, |i| oriented.rest[own.start + i]);
            for i in own.clone() {
                let pose =
                    |i: usize| Posed::new(oriented.rest[i], oriented.axes[i], oriented.radii[i]);
                grid.for_each_within(oriented.rest[i], reach(i) + most, |j, _, _| {
                    let j = own.start + j as usize;
                    if j > i && kin.row(i).binary_search(&(j as u32)).is_err() {
                        let (_, apart) = separation(&pose(i), &pose(j), None);
                        if apart < 0.0 {
                            overlaps.push((i as u32, j as u32, -apart));
                        }
                    }
                });
            }
        }
        overlaps.sort_unstable_by_key(|o| (o.0, o.1));
        Self { kin, overlaps }
    }

    /// By how much two particles may overlap (m); `None` if they never touch.
    fn allowed(&self, i: u32, j: u32) -> Option<f32> {
        if self.kin.row(i as usize).binary_search(&j).is_ok() {
            return None;
        }
        let found = self.overlaps.binary_search_by_key(&(i, j), |o| (o.0, o.1));
        Some(found.map_or(0.0, |at| self.overlaps[at].2))
    }
}

/// The contacts of oriented particles in a substep.
#[derive(Clone, Debug, Default)]
pub struct EllipsoidContacts {
    statics: Vec<Static>,
    pairs: Vec<Pair>,
    last: Vec<Pair>,
    grid: PointGrid,
}

/// How much farther apart than they reach two movers may be to count as near, in the reach of the smaller.
const NEAR: f32 = 0.3;

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
        (self.statics.len(), self.pairs.len())
    }

    /// Begins a frame: nothing of the last one may show, or equal states would have unequal futures.
    pub fn begin_frame(&mut self) {
        self.pairs.clear();
    }

    /// Finds what may touch in this substep.
    pub fn find(
        &mut self,
        bodies: &[EllipsoidBody],
        plain: &[PairBody],
        kinship: &Kinship,
        movers: &Movers,
        placed: &[Placed],
    ) {
        std::mem::swap(&mut self.pairs, &mut self.last);
        self.statics.clear();
        self.pairs.clear();
        if bodies.is_empty() {
            return;
        }
        self.find_statics(bodies, movers, placed);
        let oriented = &*movers.oriented;
        let points = &*movers.points;
        let most = oriented
            .radii
            .iter()
            .fold(0.0f32, |m, r| m.max(r.max_element()));
        self.grid.rebuild(oriented.len(), 2.0 * most, |i| {
            points.pred[oriented.point[i] as usize].position()
        });
        self.find_own(bodies, kinship, movers, most);
        self.find_plain(bodies, plain, movers, most);
        self.find_spheres(bodies, movers);
        self.pairs
            .sort_unstable_by_key(|pair| (pair.particle, pair.other));
        self.remember_normals();
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
                for i in body.oriented.clone() {
                    let point = oriented.point[i] as usize;
                    let (x, pred) = (points.x[point], points.pred[point].position());
                    let (least, most) = (
                        oriented.radii[i].min_element(),
                        oriented.radii[i].max_element(),
                    );
                    let Some(plane) = collider.tangent_plane(x, pred, least, 2.0 * most - least)
                    else {
                        continue;
                    };
                    let n = plane.normal;
                    let axes = points.rotation[point] * oriented.axes[i];
                    let reach = Posed::new(x, axes, oriented.radii[i]).reach(n);
                    let depth = plane.offset_start + reach - n.dot(x);
                    self.statics.push(Static {
                        particle: i as u32,
                        plane,
                        friction: combined_friction(body.friction, collider.collider.friction),
                        restitution: body.restitution,
                        left: (depth - LIFT * least).max(0.0),
                        pushed: false,
                    });
                }
            }
        }
    }

    /// Oriented particles near each other.
    fn find_own(
        &mut self,
        bodies: &[EllipsoidBody],
        kinship: &Kinship,
        movers: &Movers,
        most: f32,
    ) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let (grid, pairs) = (&self.grid, &mut self.pairs);
        for body in bodies {
            for i in body.oriented.clone() {
                let x = points.pred[oriented.point[i] as usize].position();
                let reach = oriented.radii[i].max_element();
                grid.for_each_within(x, (1.0 + NEAR) * (reach + most), |j, _, d2| {
                    let other = j as usize;
                    let both = reach + oriented.radii[other].max_element();
                    let near = both + NEAR * reach.min(both - reach);
                    if other <= i || d2 > near * near {
                        return;
                    }
                    let own = body.oriented.contains(&other);
                    if own && !body.self_contact {
                        return;
                    }
                    let Some(allowed) = kinship.allowed(i as u32, j) else {
                        return;
                    };
                    let its = friction_of(bodies, other);
                    pairs.push(Pair {
                        particle: i as u32,
                        other: Other::Oriented(j),
                        radius: 0.0,
                        friction: combined_friction(body.friction, its),
                        allowed,
                        normal: Vec3::ZERO,
                    });
                });
            }
        }
    }

    /// Plain particles near oriented ones.
    fn find_plain(
        &mut self,
        bodies: &[EllipsoidBody],
        plain: &[PairBody],
        movers: &Movers,
        most: f32,
    ) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let places = oriented
            .point
            .iter()
            .map(|&i| points.pred[i as usize].position());
        let (lo, hi) = places.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), p| (lo.min(p), hi.max(p)));
        let (grid, pairs) = (&self.grid, &mut self.pairs);
        for body in plain {
            let reach = (1.0 + NEAR) * (most + body.radius);
            let (lo, hi) = (lo - reach, hi + reach);
            for point in body.points.clone() {
                let x = points.pred[point].position();
                if x.cmplt(lo).any() || x.cmpgt(hi).any() {
                    continue;
                }
                grid.for_each_within(x, reach, |i, _, d2| {
                    let own = oriented.radii[i as usize].max_element();
                    let near = own + body.radius + NEAR * own.min(body.radius);
                    if d2 <= near * near {
                        let its = friction_of(bodies, i as usize);
                        pairs.push(Pair {
                            particle: i,
                            other: Other::Point(point as u32),
                            radius: body.radius,
                            friction: combined_friction(body.friction, its),
                            allowed: 0.0,
                            normal: Vec3::ZERO,
                        });
                    }
                });
            }
        }
    }

    /// Projectiles near oriented particles, on their whole way.
    fn find_spheres(&mut self, bodies: &[EllipsoidBody], movers: &Movers) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let rigids = &*movers.rigids;
        for s in 0..rigids.len() {
            let way = rigids.pred[s].distance(rigids.x[s]);
            for i in 0..oriented.len() {
                let x = points.pred[oriented.point[i] as usize].position();
                let own = oriented.radii[i].max_element();
                let near = own + rigids.radius[s] + way + NEAR * own;
                if x.distance_squared(rigids.pred[s]) <= near * near {
                    self.pairs.push(Pair {
                        particle: i as u32,
                        other: Other::Sphere(s as u32),
                        radius: rigids.radius[s],
                        friction: combined_friction(rigids.friction[s], friction_of(bodies, i)),
                        allowed: 0.0,
                        normal: Vec3::ZERO,
                    });
                }
            }
        }
    }

    /// The search for the normal of a pair starts where it ended in the last substep.
    fn remember_normals(&mut self) {
        let mut last = self.last.iter().peekable();
        for pair in &mut self.pairs {
            let key = (pair.particle, pair.other);
            while last.next_if(|l| (l.particle, l.other) < key).is_some() {}
            if let Some(known) = last.next_if(|l| (l.particle, l.other) == key) {
                pair.normal = known.normal;
            }
        }
    }

    /// Moves particles that are already inside a collider a little out of it, so that old penetration does not turn into velocity.
    pub fn stabilize(&self, movers: &mut Movers) {
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
    pub fn solve(&mut self, movers: &mut Movers) {
        for pair in &mut self.pairs {
            solve_pair(pair, movers);
        }
        for contact in &mut self.statics {
            solve_static(contact, movers);
        }
    }

    /// Gives back part of the normal speed at impacts on colliders in a substep of `h` seconds. `v` and `spin` are the velocities before the
    /// solve.
    pub fn restitute(&self, movers: &mut Movers, v: &[Vec3], spin: &[Vec3], h: f32) {
        let bounces = |c: &&Static| c.pushed && c.restitution > 0.0;
        for contact in self.statics.iter().filter(bounces) {
            let i = contact.particle as usize;
            let point = movers.oriented.point[i] as usize;
            let side = Side::oriented(movers.points, movers.oriented, i);
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

/// Friction of the body that an oriented particle belongs to.
fn friction_of(bodies: &[EllipsoidBody], i: usize) -> f32 {
    let at = bodies.partition_point(|body| body.oriented.end <= i);
    bodies.get(at).map_or(0.0, |body| body.friction)
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
    fn oriented(points: &Points, oriented: &Oriented, i: usize) -> Self {
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
            inv_inertia: oriented.inv_inertia(i, points.mass[point]),
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

fn solve_static(contact: &mut Static, movers: &mut Movers) {
    let i = contact.particle as usize;
    let side = Side::oriented(movers.points, movers.oriented, i);
    if side.inv_mass == 0.0 {
        return;
    }
    let n = contact.plane.normal;
    let arm = -side.shape.arm(n);
    let depth = contact.plane.offset - contact.left - n.dot(side.shape.x + arm);
    if depth <= 0.0 {
        return;
    }
    contact.pushed = true;
    let slip = side.slip(arm) - contact.plane.drift;
    let impulse = impulse(n, depth, slip, contact.friction, |n| side.give(arm, n));
    push(movers, i, &side, arm, impulse);
}

fn solve_pair(pair: &mut Pair, movers: &mut Movers) {
    let i = pair.particle as usize;
    let a = Side::oriented(movers.points, movers.oriented, i);
    let b = match pair.other {
        Other::Oriented(j) => Side::oriented(movers.points, movers.oriented, j as usize),
        Other::Point(j) => Side::point(movers.points, j as usize, pair.radius),
        Other::Sphere(s) => Side::sphere(movers.rigids, s as usize),
    };
    if a.inv_mass + b.inv_mass == 0.0 {
        return;
    }
    let guess = (pair.normal != Vec3::ZERO).then_some(pair.normal);
    let (n, apart) = separation(&a.shape, &b.shape, guess);
    pair.normal = n;
    let depth = -apart - pair.allowed;
    if depth <= 0.0 {
        return;
    }
    let (arm_a, arm_b) = (a.shape.arm(n), -b.shape.arm(n));
    let slip = b.slip(arm_b) - a.slip(arm_a);
    // What is pushed into the second mover; the first gets the opposite.
    let give = |n: Vec3| a.give(arm_a, n) + b.give(arm_b, n);
    let impulse = impulse(n, depth, slip, pair.friction, give);
    push(movers, i, &a, arm_a, -impulse);
    match pair.other {
        Other::Oriented(j) => push(movers, j as usize, &b, arm_b, impulse),
        Other::Point(j) => movers.points.shift_pred(j as usize, impulse * b.inv_mass),
        Other::Sphere(s) => {
            let s = s as usize;
            movers.rigids.push_by(s, impulse * b.inv_mass);
            movers.rigids.turn[s] += b.turn_by(arm_b.cross(impulse));
        }
    }
}
