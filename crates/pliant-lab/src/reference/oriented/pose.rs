//! Places and turns, and the way from a spin to a turn and back.

use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Turns smaller than this have no axis of their own: they are treated as linear, in rad.
const SMALL: f64 = 1e-8;

/// A place and a turn: body to world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position, in m.
    pub x: DVec3,
    /// Unit quaternion.
    pub q: DQuat,
}

impl Pose {
    /// At `x`, unturned.
    pub fn at(x: DVec3) -> Self {
        Self {
            x,
            q: DQuat::IDENTITY,
        }
    }

    /// Where the point `z` of the body is in the world.
    pub fn apply(&self, z: DVec3) -> DVec3 {
        self.q * z + self.x
    }

    /// The point of the body that is at `y` in the world.
    pub fn local(&self, y: DVec3) -> DVec3 {
        self.q.inverse() * (y - self.x)
    }

    /// First `other`, then this.
    pub fn after(&self, other: &Pose) -> Pose {
        Pose {
            x: self.apply(other.x),
            q: (self.q * other.q).normalize(),
        }
    }

    /// The way back.
    pub fn inverse(&self) -> Pose {
        let q = self.q.inverse();
        Pose { x: q * -self.x, q }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.x.is_finite() && self.q.is_finite()
    }
}

/// Δq of a rotation vector ωΔt: \[ω/|ω| sin(|ω|Δt/2), cos(|ω|Δt/2)\] [MC11 "Prediction"].
///
/// Written with sinc, so that no axis is needed where there is none.
pub fn turn_by(vector: DVec3) -> DQuat {
    let half = 0.5 * vector.length();
    let sinc = if half < SMALL { 1.0 } else { half.sin() / half };
    let xyz = vector * (0.5 * sinc);
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, half.cos())
}

/// axis(r)·angle(r) [MC11 "Integration"], by the shorter way: r and −r are one turn, of which the one with w ≥ 0 is the shorter.
///
/// The arc tangent keeps all digits near no turn, where the arc cosine of w would lose half of them.
pub fn turn_vector(r: DQuat) -> DVec3 {
    let r = if r.w < 0.0 { -r } else { r };
    let n = r.xyz().length();
    let angle_per_length = if n < SMALL {
        2.0 / r.w
    } else {
        2.0 * n.atan2(r.w) / n
    };
    r.xyz() * angle_per_length
}

/// q or −q, whichever is nearer to `last`: the sign goes on without a jump.
pub fn same_sign(q: DQuat, last: DQuat) -> DQuat {
    if q.dot(last) < 0.0 { -q } else { q }
}

/// ω, at most nine tenths of what a step can tell apart: a turn of π or more in a step would be read as one the other way.
pub fn clamp_spin(w: DVec3, dt: f64) -> DVec3 {
    w.clamp_length_max(0.9 * PI / dt)
}
