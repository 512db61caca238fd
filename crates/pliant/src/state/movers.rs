//! Movers: whatever has a position.

use crate::dynamics::turns::Past;
use crate::math::lanes::Quad;
use glam::{Quat, Vec3};

/// Predicted position and weight of a point as the shape-matching kernel reads it: one aligned load.
pub type Record = Quad;

impl Record {
    /// The position with a weight.
    pub fn new(x: Vec3, weight: f32) -> Self {
        Self([x.x, x.y, x.z, weight])
    }

    /// The position.
    #[inline(always)]
    pub fn position(self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    /// Replaces the position and keeps the weight.
    #[inline(always)]
    pub fn set_position(&mut self, x: Vec3) {
        self.0[..3].copy_from_slice(&[x.x, x.y, x.z]);
    }
}

/// Plain particles.
///
/// Invariants: all columns have the same length; positions and velocities are finite; `mass > 0`; `inv_mass` is `1/mass`,
/// or 0 while the particle follows a script; ids ascend within a body.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Position (m).
    pub x: Vec<Vec3>,
    /// Velocity (m/s).
    pub v: Vec<Vec3>,
    /// Predicted position, and the mass that this point has in each of its groups' sums (kg).
    pub pred: Vec<Record>,
    /// Inverse mass (1/kg); 0 = kinematic.
    pub inv_mass: Vec<f32>,
    /// Mass (kg).
    pub mass: Vec<f32>,
    /// Rotation interpolated from the groups; not simulated.
    pub rotation: Vec<Quat>,
    /// Stable id, local to the body.
    pub id: Vec<u64>,
    /// The piece of the body's tracked surface that it belongs to; [`NO_PIECE`] without such a surface.
    pub piece: Vec<u32>,
}

/// A particle that belongs to no piece of a surface.
pub const NO_PIECE: u32 = u32::MAX;

impl Points {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Moves the predicted position of point `i`.
    #[inline]
    pub fn shift_pred(&mut self, i: usize, d: Vec3) {
        let moved = self.pred[i].position() + d;
        self.pred[i].set_position(moved);
    }

    /// Adds a particle at rest.
    pub fn push(&mut self, x: Vec3, v: Vec3, mass: f32, id: u64) {
        self.x.push(x);
        self.v.push(v);
        self.pred.push(Record::new(x, mass));
        self.inv_mass.push(1.0 / mass);
        self.mass.push(mass);
        self.rotation.push(Quat::IDENTITY);
        self.id.push(id);
        self.piece.push(NO_PIECE);
    }

    /// Adds a copy of particle `i` of other columns.
    pub(crate) fn push_copy(&mut self, from: &Self, i: usize) {
        self.x.push(from.x[i]);
        self.v.push(from.v[i]);
        self.pred.push(from.pred[i]);
        self.inv_mass.push(from.inv_mass[i]);
        self.mass.push(from.mass[i]);
        self.rotation.push(from.rotation[i]);
        self.id.push(from.id[i]);
        self.piece.push(from.piece[i]);
    }
}

/// What points have besides if they have a rotation of their own \[MC11\]: a body of such particles is a range of points and a range of
/// these, in the same order.
///
/// Rotations are those from the rest pose, R(q) R(q̄)ᵀ in the letters of the paper; the present one is [`Points::rotation`]. A particle
/// without a moment has no rotation: joints are made of these.
///
/// Invariants: all columns have the same length; radii are positive; rotations have unit length.
#[derive(Clone, Debug, Default)]
pub struct Oriented {
    /// The point.
    pub point: Vec<u32>,
    /// Predicted rotation from the rest pose.
    pub turned: Vec<Quat>,
    /// What the second-order method remembers.
    pub past: Vec<Past>,
    /// Spin (rad/s), world axes.
    pub spin: Vec<Vec3>,
    /// Position at rest, x̄ (m).
    pub rest: Vec<Vec3>,
    /// The axes of the ellipsoid at rest, q̄.
    pub axes: Vec<Quat>,
    /// Semi-axes of the ellipsoid (m).
    pub radii: Vec<Vec3>,
    /// Its moment in the sums of its groups, m r²/5 (kg m²); 0 for a particle without a rotation.
    pub moment: Vec<f32>,
    /// Whether something holds its rotation.
    pub held: Vec<bool>,
    /// Whether it touches other things.
    pub collides: Vec<bool>,
}

/// A particle with a rotation and an ellipsoid, at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Where it is, x̄ (m).
    pub rest: Vec3,
    /// Its axes, q̄.
    pub axes: Quat,
    /// Its semi-axes (m).
    pub radii: Vec3,
    /// Radius of the ball whose moment it has in the sums of its groups (m); 0 for a particle without a rotation.
    pub moment_radius: f32,
    /// Whether it touches other things.
    pub collides: bool,
}

impl Oriented {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.point.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.point.is_empty()
    }

    /// Adds what point `point` of mass `mass` has besides.
    pub fn push(&mut self, point: u32, mass: f32, ellipsoid: &Ellipsoid) {
        let r = ellipsoid.moment_radius;
        self.point.push(point);
        self.turned.push(Quat::IDENTITY);
        self.past.push(Past::default());
        self.spin.push(Vec3::ZERO);
        self.rest.push(ellipsoid.rest);
        self.axes.push(ellipsoid.axes);
        self.radii.push(ellipsoid.radii);
        self.moment.push(mass * r * r / 5.0);
        self.held.push(false);
        self.collides.push(ellipsoid.collides);
    }

    /// The entry of a point, if it has one: both ascend.
    pub fn of_point(&self, point: u32) -> Option<usize> {
        self.point.binary_search(&point).ok()
    }

    /// Inverse moments of inertia about the axes of the ellipsoid (1/(kg m²)); zero if it cannot turn.
    pub fn inv_inertia(&self, i: usize, mass: f32) -> Vec3 {
        if self.held[i] || self.moment[i] == 0.0 {
            return Vec3::ZERO;
        }
        let d = self.radii[i] * self.radii[i];
        5.0 / (mass * Vec3::new(d.y + d.z, d.x + d.z, d.x + d.y))
    }

    /// Keeps the entries whose flag is set, in order, and renumbers their points.
    pub(crate) fn keep(&mut self, keep: &[bool], new_point: impl Fn(u32) -> u32) {
        super::remap::retain(&mut self.point, keep);
        super::remap::retain(&mut self.turned, keep);
        super::remap::retain(&mut self.past, keep);
        super::remap::retain(&mut self.spin, keep);
        super::remap::retain(&mut self.rest, keep);
        super::remap::retain(&mut self.axes, keep);
        super::remap::retain(&mut self.radii, keep);
        super::remap::retain(&mut self.moment, keep);
        super::remap::retain(&mut self.held, keep);
        super::remap::retain(&mut self.collides, keep);
        self.point.iter_mut().for_each(|i| *i = new_point(*i));
    }
}

/// Rigid bodies. Today these are projectiles: spheres with mass and spin.
///
/// `turn` is the rotation vector of the substep in hand, the rotational twin of `pred - x`. The velocity changes by `shift`
/// alone: the difference of two positions far from the origin would let round-off walk away with the momentum.
#[derive(Clone, Debug, Default)]
pub struct Rigids {
    /// Position of the centre of mass (m).
    pub x: Vec<Vec3>,
    /// Velocity (m/s).
    pub v: Vec<Vec3>,
    /// Predicted position (m).
    pub pred: Vec<Vec3>,
    /// Rotation from body to world axes.
    pub rotation: Vec<Quat>,
    /// What contacts have added to `pred` in this substep (m).
    pub shift: Vec<Vec3>,
    /// Rotation vector of this substep (rad).
    pub turn: Vec<Vec3>,
    /// Spin (rad/s), world axes.
    pub spin: Vec<Vec3>,
    /// Mass (kg).
    pub mass: Vec<f32>,
    /// Radius of the sphere (m).
    pub radius: Vec<f32>,
    /// Friction coefficient.
    pub friction: Vec<f32>,
    /// Time at which it is taken out of the world (s).
    pub until: Vec<f64>,
}

impl Rigids {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Inverse moment of inertia of sphere `i` (1/(kg m²)).
    pub fn inv_inertia(&self, i: usize) -> f32 {
        2.5 / (self.mass[i] * self.radius[i] * self.radius[i])
    }

    /// Moves sphere `i` by a contact's correction.
    pub fn push_by(&mut self, i: usize, d: Vec3) {
        self.pred[i] += d;
        self.shift[i] += d;
    }

    /// Adds a sphere.
    pub fn push_sphere(
        &mut self,
        x: Vec3,
        v: Vec3,
        radius: f32,
        mass: f32,
        friction: f32,
        until: f64,
    ) {
        self.x.push(x);
        self.v.push(v);
        self.pred.push(x);
        self.rotation.push(Quat::IDENTITY);
        self.shift.push(Vec3::ZERO);
        self.turn.push(Vec3::ZERO);
        self.spin.push(Vec3::ZERO);
        self.mass.push(mass);
        self.radius.push(radius);
        self.friction.push(friction);
        self.until.push(until);
    }

    /// Takes out the spheres whose time is over.
    pub fn retire(&mut self, time: f64) {
        let keep: Vec<bool> = self.until.iter().map(|&until| time < until).collect();
        if keep.iter().all(|&k| k) {
            return;
        }
        super::remap::retain(&mut self.x, &keep);
        super::remap::retain(&mut self.v, &keep);
        super::remap::retain(&mut self.pred, &keep);
        super::remap::retain(&mut self.rotation, &keep);
        super::remap::retain(&mut self.shift, &keep);
        super::remap::retain(&mut self.turn, &keep);
        super::remap::retain(&mut self.spin, &keep);
        super::remap::retain(&mut self.mass, &keep);
        super::remap::retain(&mut self.radius, &keep);
        super::remap::retain(&mut self.friction, &keep);
        super::remap::retain(&mut self.until, &keep);
    }
}
