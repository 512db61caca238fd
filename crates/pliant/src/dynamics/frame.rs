//! Movers as constraints see them during a substep: a place, a turn, and how they give way to a push \[DCB14\].

use super::turns::{turn_by, turn_of};
use crate::report::Ledger;
use glam::{Mat3, Quat, Vec3};

/// Largest turn of a substep (rad): a faster spin could not be told from a slow one the other way round.
const LARGEST_TURN: f32 = 0.9 * std::f32::consts::PI;

/// How often the middle of a substep is looked for: each time its error is less by about the turn.
const MIDDLES: usize = 3;

/// A mover that may turn, as it is predicted for the end of a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where its centre is predicted (m).
    pub x: Vec3,
    /// Where its centre was when the substep began (m).
    pub start: Vec3,
    /// Predicted rotation.
    pub rotation: Quat,
    /// How it turns in the substep (rad).
    pub turned: Vec3,
    /// What constraints have added to `x` (m).
    pub shift: Vec3,
    /// Inverse of its mass (1/kg); 0 if nothing moves it.
    pub inv_mass: f32,
    /// Inverse of its inertia about its centre (1/(kg m²)), world axes as of the middle of the substep.
    pub inv_inertia: Mat3,
}

impl Default for Frame {
    /// Something that nothing moves.
    fn default() -> Self {
        Self {
            x: Vec3::ZERO,
            start: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            turned: Vec3::ZERO,
            shift: Vec3::ZERO,
            inv_mass: 0.0,
            inv_inertia: Mat3::ZERO,
        }
    }
}

impl Frame {
    /// How much the end of `arm` gives way along the unit vector `n` to a unit push: w = 1/m + (ρ × n)ᵀ I⁻¹ (ρ × n).
    #[inline]
    pub fn give(&self, arm: Vec3, n: Vec3) -> f32 {
        let lever = arm.cross(n);
        self.inv_mass + lever.dot(self.inv_inertia * lever)
    }

    /// How much it gives way to a unit turn about the unit vector `n`.
    #[inline]
    pub fn give_turn(&self, n: Vec3) -> f32 {
        n.dot(self.inv_inertia * n)
    }

    /// How far the end of `arm` goes in this substep (m).
    #[inline]
    pub fn slip(&self, arm: Vec3) -> Vec3 {
        self.x - self.start + self.turned.cross(arm)
    }

    /// Pushes it at the end of `arm`.
    #[inline]
    pub fn push(&mut self, arm: Vec3, push: Vec3) {
        let by = push * self.inv_mass;
        self.x += by;
        self.shift += by;
        self.turn(arm.cross(push));
    }

    /// Turns it by a push about its centre.
    #[inline]
    pub fn turn(&mut self, push: Vec3) {
        let turn = self.inv_inertia * push;
        if turn != Vec3::ZERO {
            self.turned += turn;
            self.rotation = turned_a_little(self.rotation, turn);
        }
    }

    /// Pushes it without giving it a velocity.
    pub fn place(&mut self, arm: Vec3, push: Vec3) {
        let by = push * self.inv_mass;
        self.x += by;
        self.start += by;
        let turn = self.inv_inertia * arm.cross(push);
        self.rotation = turned_a_little(self.rotation, turn);
    }

    /// The ends of arms in its own axes, in the world (m): from its centre.
    #[inline]
    pub fn arm(&self, local: Vec3) -> Vec3 {
        self.rotation * local
    }
}

/// q + ½ ω q, normalised.
#[inline]
fn turned_a_little(q: Quat, turn: Vec3) -> Quat {
    let by = Quat::from_xyzw(0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 0.0) * q;
    (q + by).normalize()
}

/// A rigid body of any shape.
///
/// Invariants: `rotation` has unit length; `inv_mass` is `1/mass`, or 0 if nothing moves it, and then `inv_inertia` is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Centre of mass (m).
    pub x: Vec3,
    /// Velocity (m/s).
    pub v: Vec3,
    /// Rotation from body to world axes.
    pub rotation: Quat,
    /// Spin (rad/s), world axes.
    pub spin: Vec3,
    /// Mass (kg).
    pub mass: f32,
    /// Inverse mass (1/kg).
    pub inv_mass: f32,
    /// Inertia about the centre of mass, body axes (kg m²).
    pub inertia: Mat3,
    /// Its inverse.
    pub inv_inertia: Mat3,
}

impl Rigid {
    /// What never moves: the world.
    pub const UNMOVED: Self = Self {
        x: Vec3::ZERO,
        v: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        spin: Vec3::ZERO,
        mass: 0.0,
        inv_mass: 0.0,
        inertia: Mat3::ZERO,
        inv_inertia: Mat3::ZERO,
    };

    /// A body at rest.
    pub fn new(x: Vec3, mass: f32, inertia: Mat3, is_fixed: bool) -> Self {
        let inverse = inertia.inverse();
        let turns = !is_fixed && inverse.is_finite();
        Self {
            x,
            v: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            spin: Vec3::ZERO,
            mass,
            inv_mass: if is_fixed { 0.0 } else { 1.0 / mass },
            inertia,
            inv_inertia: if turns { inverse } else { Mat3::ZERO },
        }
    }

    /// A matrix in body axes, in those of the world at rotation `q`.
    fn in_world(m: Mat3, q: Quat) -> Mat3 {
        let r = Mat3::from_quat(q);
        r * m * r.transpose()
    }

    /// Angular momentum about the centre of mass (kg m²/s).
    pub fn angular_momentum(&self) -> Vec3 {
        Self::in_world(self.inertia, self.rotation) * self.spin
    }

    /// Its momentum, energy and mass; of one that cannot move, nothing but the mass.
    pub fn ledger(&self) -> Ledger {
        let mass = f64::from(self.mass);
        if self.inv_mass == 0.0 {
            return Ledger {
                mass,
                ..Ledger::default()
            };
        }
        let (x, v) = (self.x.as_dvec3(), self.v.as_dvec3());
        let spin = self.angular_momentum().as_dvec3();
        Ledger {
            mass,
            momentum: mass * v,
            angular_momentum: mass * x.cross(v) + spin,
            kinetic_energy: 0.5 * mass * v.length_squared() + 0.5 * spin.dot(self.spin.as_dvec3()),
            max_speed: v.length(),
        }
    }

    /// The spin that has an angular momentum (rad/s).
    pub fn spin_of(&self, momentum: Vec3) -> Vec3 {
        Self::in_world(self.inv_inertia, self.rotation) * momentum
    }

    /// Velocity of a place that moves with it (m/s).
    pub fn velocity_at(&self, p: Vec3) -> Vec3 {
        self.v + self.spin.cross(p - self.x)
    }

    /// Where it would be after `h` seconds under an acceleration `a`.
    ///
    /// Departs from the explicit gyroscopic term of \[DCB14\]: the angular momentum is kept and the spin is that of the middle of the
    /// substep, so a free body tumbles as it should and gains no energy.
    pub fn predict(&mut self, a: Vec3, h: f32) -> Frame {
        if self.inv_mass == 0.0 {
            return Frame {
                x: self.x,
                start: self.x,
                rotation: self.rotation,
                ..Frame::default()
            };
        }
        self.v += a * h;
        let momentum = self.angular_momentum();
        // The middle is half of the turn away, which depends on the spin there.
        let mut turned = self.spin * h;
        let mut inv_inertia = Mat3::ZERO;
        for _ in 0..MIDDLES {
            let middle = turn_by(turned * 0.5) * self.rotation;
            inv_inertia = Self::in_world(self.inv_inertia, middle);
            turned = (inv_inertia * momentum * h).clamp_length_max(LARGEST_TURN);
        }
        let rotation = (turn_by(turned) * self.rotation).normalize();
        Frame {
            x: self.x + self.v * h,
            start: self.x,
            rotation,
            turned,
            shift: Vec3::ZERO,
            inv_mass: self.inv_mass,
            // As the spin is: a push of the substep then adds to the angular momentum what it should.
            inv_inertia,
        }
    }

    /// Takes over where constraints have put it after `h` seconds; `false` if that is no place, and then it stops where it was.
    pub fn settle(&mut self, frame: &Frame, h: f32) -> bool {
        if self.inv_mass == 0.0 {
            return true;
        }
        let sound = frame.x.is_finite() && frame.rotation.is_finite() && frame.turned.is_finite();
        if !sound {
            (self.v, self.spin) = (Vec3::ZERO, Vec3::ZERO);
            return false;
        }
        self.v += frame.shift / h;
        self.x = frame.x;
        // Not the difference of rotations: what was placed without velocity is in that, too.
        // A turn that is too large is what pushes at something long and thin have added up to; a spin like that would never end.
        let turned = frame.turned.clamp_length_max(LARGEST_TURN);
        let spin = turned / h;
        let middle = turn_by(turned * -0.5) * frame.rotation;
        self.rotation = frame.rotation.normalize();
        let momentum = Self::in_world(self.inertia, middle) * spin;
        self.spin = Self::in_world(self.inv_inertia, self.rotation) * momentum;
        self.spin = self.spin.clamp_length_max(LARGEST_TURN / h);
        true
    }

    /// The turn from one rotation to another (rad).
    pub fn turn_between(from: Quat, to: Quat) -> Vec3 {
        turn_of(to * from.conjugate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked push: a unit cube of 12 kg, pushed out of a floor by a centimetre at a lower corner.
    #[test]
    fn push_at_a_corner() {
        let mut cube = Rigid::new(Vec3::ZERO, 12.0, Mat3::IDENTITY * 2.0, false);
        let mut frame = cube.predict(Vec3::ZERO, 0.01);
        let arm = Vec3::new(0.5, -0.5, 0.5);
        let w = frame.give(arm, Vec3::Y);
        assert!((w - 1.0 / 3.0).abs() < 1e-6);
        frame.push(arm, Vec3::Y * (0.01 / w));
        assert!((frame.x - Vec3::new(0.0, 0.0025, 0.0)).length() < 1e-7);
        assert!((frame.turned - Vec3::new(-0.0075, 0.0, 0.0075)).length() < 1e-7);
    }

    /// A free box keeps its momentum and angular momentum; spun about its middle axis it tumbles, about the others it does not.
    #[test]
    fn free_boxes() {
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
        for (axis, tumbles) in [(0, false), (1, true), (2, false)] {
            let mut body = Rigid::new(Vec3::new(3.0, 4.0, 5.0), 2.0, inertia, false);
            body.v = Vec3::new(1.0, -2.0, 0.5);
            body.spin = Vec3::splat(1e-2);
            body.spin[axis] = 6.0;
            let (v, momentum) = (body.v, body.angular_momentum());
            let energy = |b: &Rigid| 0.5 * b.spin.dot(b.angular_momentum());
            let before = energy(&body);
            let mut least: f32 = 1.0;
            for _ in 0..2400 {
                let frame = body.predict(Vec3::ZERO, 1.0 / 240.0);
                assert!(body.settle(&frame, 1.0 / 240.0));
                let own = body.rotation * Vec3::AXES[axis];
                least = least.min(own.dot(Vec3::AXES[axis]));
            }
            assert_eq!(body.v, v);
            let drift = (body.angular_momentum() - momentum).length() / momentum.length();
            assert!(drift < 2e-3, "axis {axis}: {drift}");
            let change = energy(&body) / before;
            assert!((change - 1.0).abs() < 2e-2, "axis {axis}: energy {change}");
            assert_eq!(least < -0.9, tumbles, "axis {axis}: {least}");
        }
    }

    /// Placing moves without giving velocity; a number that is not finite stops the body.
    #[test]
    fn place_and_stop() {
        let mut body = Rigid::new(Vec3::ZERO, 1.0, Mat3::IDENTITY, false);
        let mut frame = body.predict(Vec3::ZERO, 0.01);
        frame.place(Vec3::X, Vec3::Y * 0.1);
        assert!(body.settle(&frame, 0.01));
        assert_eq!((body.v, body.spin), (Vec3::ZERO, Vec3::ZERO));
        assert!(body.x.y > 0.0 && body.rotation != Quat::IDENTITY);
        let mut frame = body.predict(Vec3::Y, 0.01);
        frame.x.x = f32::NAN;
        assert!(!body.settle(&frame, 0.01));
        assert!(body.x.is_finite() && body.v == Vec3::ZERO);
    }
}
