//! State of one particle.

use super::ellipsoid::Ellipsoid;
use super::pose::Pose;
use glam::{DMat3, DQuat, DVec3};

/// What the second-order update knows of the last substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    /// x − x_prev, in m.
    pub moved: DVec3,
    /// Rotation vector from q_prev to q, in rad.
    pub turned: DVec3,
    /// Velocity before it, in m/s.
    pub v: DVec3,
    /// Spin before it, in rad/s.
    pub w: DVec3,
}

/// An oriented particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Pose at the start of a substep.
    pub pose: Pose,
    /// Predicted pose.
    pub pred: Pose,
    /// Rest pose.
    pub rest: Pose,
    /// Velocity, in m/s.
    pub v: DVec3,
    /// Spin ω in world axes, in rad/s.
    pub w: DVec3,
    /// Mass, in kg.
    pub mass: f64,
    /// Half axes (a, b, c) of the ellipsoid that collides, in m.
    pub radii: DVec3,
    /// Squares of the half axes that enter the moment, in m².
    ///
    /// They are apart from `radii` because a flake would put nearly nothing into A across itself.
    pub moment_squares: DVec3,
    /// Whether the place stays as it is.
    pub fixed: bool,
    /// Whether the turn stays as it is.
    pub fixed_turn: bool,
    /// Whether there is a turn at all; without one, A_i = 0 and contacts have no lever arm.
    pub oriented: bool,
    /// Whether a contact has moved it in this substep.
    pub touched: bool,
    /// The last substep; `None` at the start and after a contact.
    pub before: Option<Before>,
}

impl Particle {
    /// A particle at rest, with the isotropic moment radius r_m² = (a² + b² + c²)/3.
    pub fn new(rest: Pose, mass: f64, radii: DVec3) -> Self {
        Self {
            pose: rest,
            pred: rest,
            rest,
            v: DVec3::ZERO,
            w: DVec3::ZERO,
            mass,
            radii,
            moment_squares: DVec3::splat(radii.length_squared() / 3.0),
            fixed: false,
            fixed_turn: false,
            oriented: true,
            touched: false,
            before: None,
        }
    }

    /// A sphere at rest at `x`.
    pub fn sphere(x: DVec3, mass: f64, radius: f64) -> Self {
        Self::new(Pose::at(x), mass, DVec3::splat(radius))
    }

    /// The same with an ellipsoid's own moment, axis by axis.
    pub fn with_ellipsoid_moment(mut self) -> Self {
        self.moment_squares = self.radii * self.radii;
        self
    }

    /// The same without a turn: a point of plain shape matching.
    pub fn without_turn(mut self) -> Self {
        self.oriented = false;
        self
    }

    /// Holds place and turn.
    pub fn fix(&mut self) {
        self.fixed = true;
        self.fixed_turn = true;
    }

    /// 1/m, or 0 for what is held.
    pub fn inverse_mass(&self) -> f64 {
        if self.fixed { 0.0 } else { self.mass.recip() }
    }

    /// I_body = m/5 (b² + c², a² + c², a² + b²), in kg m².
    pub fn inertia(&self) -> DVec3 {
        let d = self.radii * self.radii;
        (DVec3::splat(d.element_sum()) - d) * (self.mass / 5.0)
    }

    /// I⁻¹ in world axes at the predicted turn; zero for what does not turn.
    pub fn inverse_inertia(&self) -> DMat3 {
        if self.fixed_turn || !self.oriented {
            return DMat3::ZERO;
        }
        let r = DMat3::from_quat(self.pred.q);
        r * DMat3::from_diagonal(self.inertia().recip()) * r.transpose()
    }

    /// A_i = (m/5) R D R̄ᵀ about the particle's own centre, in kg m²; zero without a turn.
    ///
    /// Departs from [MC11 "Oriented Particle"], which prints D on the left of R: ∫ρ (R s)(R̄ s)ᵀ dV has it in between. For spheres and for
    /// rigid motions both have the same rotation.
    pub fn moment(&self, pose: &Pose) -> DMat3 {
        if !self.oriented {
            return DMat3::ZERO;
        }
        let (r, rest) = (DMat3::from_quat(pose.q), DMat3::from_quat(self.rest.q));
        r * DMat3::from_diagonal(self.moment_squares) * rest.transpose() * (self.mass / 5.0)
    }

    /// The ellipsoid at the predicted pose.
    pub fn ellipsoid(&self) -> Ellipsoid {
        Ellipsoid::new(&self.pred, self.radii)
    }

    /// The ellipsoid at rest.
    pub fn rest_ellipsoid(&self) -> Ellipsoid {
        Ellipsoid::new(&self.rest, self.radii)
    }

    /// R(q) R̄ᵀ: the turn from rest.
    pub fn turn_from_rest(&self) -> DQuat {
        self.pose.q * self.rest.q.inverse()
    }
}
