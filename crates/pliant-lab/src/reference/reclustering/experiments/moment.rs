//! A moment of a run as experiments see it, whichever solver made it: both are measured by the same code.

use super::super::super::linear::outer;
use super::super::body::{Body, StepReport};
use super::super::cluster::Phase;
use glam::{DMat3, DVec3};

/// The state of a body after a step, and what the step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Time since the start, in s.
    pub time: f64,
    /// Positions, in m.
    pub x: Vec<DVec3>,
    /// Velocities, in m/s.
    pub v: Vec<DVec3>,
    /// Masses, in kg.
    pub mass: Vec<f64>,
    /// Whether all numbers were finite.
    pub finite: bool,
    /// Largest condition number of F_p in a cluster of full weight.
    pub alive_condition: f64,
    /// Largest condition number of F_p in any cluster.
    pub condition: f64,
    /// What the step did.
    pub report: StepReport,
}

impl Moment {
    /// That of a body of this solver.
    pub fn of(body: &Body, report: &StepReport) -> Self {
        Self {
            time: body.time,
            x: body.x.clone(),
            v: body.v.clone(),
            mass: body.mass.clone(),
            finite: body.x.iter().chain(&body.v).all(|x| x.is_finite()),
            alive_condition: body.max_condition(|c| c.phase == Phase::Alive),
            condition: body.max_condition(|_| true),
            report: *report,
        }
    }

    /// Speed of the fastest particle, in m/s.
    pub fn max_speed(&self) -> f64 {
        self.v.iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    /// Σ ½ m v², in J.
    pub fn kinetic_energy(&self) -> f64 {
        let energy = |(m, v): (&f64, &DVec3)| 0.5 * m * v.length_squared();
        self.mass.iter().zip(&self.v).map(energy).sum()
    }

    /// Mean square of the velocities, in m²/s².
    pub fn mean_square_speed(&self) -> f64 {
        2.0 * self.kinetic_energy() / self.mass.iter().sum::<f64>()
    }

    /// The same without the body's translation and spin.
    pub fn mean_square_oscillation(&self) -> f64 {
        let mass: f64 = self.mass.iter().sum();
        let mean = |value: &[DVec3]| {
            let sum: DVec3 = value.iter().zip(&self.mass).map(|(v, m)| *v * *m).sum();
            sum / mass
        };
        let (center, drift) = (mean(&self.x), mean(&self.v));
        let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for i in 0..self.x.len() {
            let r = self.x[i] - center;
            momentum += r.cross(self.v[i] - drift) * self.mass[i];
            inertia += (DMat3::IDENTITY * r.length_squared() - outer(r, r)) * self.mass[i];
        }
        let spin = inertia.inverse() * momentum;
        let square = |i: usize| {
            let rigid = drift + spin.cross(self.x[i] - center);
            self.mass[i] * (self.v[i] - rigid).length_squared()
        };
        (0..self.x.len()).map(square).sum::<f64>() / mass
    }
}
