//! State and step.

use super::super::cluster::Fit;
use super::contact::Surroundings;
use super::group::{Group, Turning};
use super::integrate::Order;
use super::particle::Particle;
use super::plastic::Plastic;
use glam::DVec3;

/// How a body is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Seconds of a step.
    pub dt: f64,
    /// Substeps of a step.
    pub substeps: usize,
    /// Iterations of a substep: all groups in order, then all contacts.
    pub iterations: usize,
    /// Acceleration, in m/s².
    pub gravity: DVec3,
    /// Part of velocity and spin that is lost in a second, in 1/s.
    pub damping: f64,
    /// `Procrustes` for the polar rotation of A, `Affine` for that of A Ā⁻¹.
    pub fit: Fit,
    /// Who is turned by a group.
    pub turning: Turning,
    /// Order of velocities.
    pub order: Order,
    /// How many times its mass a held particle counts.
    pub pin_weight: f64,
    /// Flow; `None` for an elastic body.
    pub plastic: Option<Plastic>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            dt: 1.0 / 60.0,
            substeps: 4,
            iterations: 2,
            gravity: DVec3::ZERO,
            damping: 0.0,
            fit: Fit::Procrustes,
            turning: Turning::Centre,
            order: Order::First,
            pin_weight: 1e6,
            plastic: None,
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Fits of inverted groups.
    pub inverted: usize,
    /// Contacts that pushed.
    pub contacts: usize,
    /// Groups that flowed.
    pub flowed: usize,
    /// Numbers that were not finite and were stopped. The reference stops none; other solvers of its bodies may.
    pub stopped: usize,
}

/// Particles, and the groups that hold them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Particles.
    pub particles: Vec<Particle>,
    /// Groups, in the order in which they pull.
    pub groups: Vec<Group>,
}

impl Body {
    /// Moves on by one step.
    pub fn step(&mut self, params: &Params, around: &Surroundings) -> StepReport {
        let mut report = StepReport::default();
        let dt = params.dt / params.substeps as f64;
        for _ in 0..params.substeps {
            self.substep(params, around, dt, &mut report);
        }
        report
    }

    fn substep(
        &mut self,
        params: &Params,
        around: &Surroundings,
        dt: f64,
        report: &mut StepReport,
    ) {
        for p in &mut self.particles {
            p.predict(params.gravity, params.damping, dt);
        }

        // One group after another: each has Σ m (g − x) = 0, so momentum is exact.
        let has_group = self.has_group();
        for _ in 0..params.iterations {
            for group in &mut self.groups {
                let inverted = group.pull(&mut self.particles, &has_group, params);
                report.inverted += usize::from(inverted);
            }
            report.contacts += self.push_contacts(around);
        }

        // What the groups could not undo flows.
        if let Some(plastic) = &params.plastic {
            for group in &mut self.groups {
                let place = group.place(&self.particles, params.fit, params.pin_weight);
                report.flowed += usize::from(group.flow(&self.particles, &place, plastic, dt));
            }
        }
        for p in &mut self.particles {
            p.finish(params.order, dt);
        }
    }

    /// Around which particles a group was formed.
    pub fn has_group(&self) -> Vec<bool> {
        let mut has = vec![false; self.particles.len()];
        for centre in self.groups.iter().filter_map(|g| g.centre) {
            has[centre] = true;
        }
        has
    }

    /// Sets velocities and spins to those of a body that turns with `w` about the origin and moves with `v`.
    pub fn set_motion(&mut self, v: DVec3, w: DVec3) {
        for p in &mut self.particles {
            p.v = v + w.cross(p.pose.x);
            p.w = w;
        }
    }

    /// Σ m v, in kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.particles.iter().map(|p| p.v * p.mass).sum()
    }

    /// Σ m x×v about the origin, in kg m²/s.
    pub fn orbital_momentum(&self) -> DVec3 {
        let orbit = |p: &Particle| p.pose.x.cross(p.v) * p.mass;
        self.particles.iter().map(orbit).sum()
    }

    /// Σ I ω of the particles' own turning, in kg m²/s.
    pub fn spin_momentum(&self) -> DVec3 {
        let spin = |p: &Particle| p.pose.q * (p.inertia() * (p.pose.q.inverse() * p.w));
        let turning = self.particles.iter().filter(|p| p.oriented);
        turning.map(spin).sum()
    }

    /// Orbital and spin momentum together, in kg m²/s.
    pub fn angular_momentum(&self) -> DVec3 {
        self.orbital_momentum() + self.spin_momentum()
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let finite = |p: &Particle| p.pose.is_finite() && p.v.is_finite() && p.w.is_finite();
        self.particles.iter().all(finite)
    }
}
