//! What free bodies lose of their angular momentum.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::group::Group;
use super::super::integrate::Order;
use super::super::particle::Particle;
use super::Stepper;
use glam::DVec3;

/// ω₀Δt of the rigid group for a whole step.
pub const TURN: f64 = 0.1;
/// Steps of a run.
pub const STEPS: usize = 60;
/// Spin of the rod, in rad/s.
pub const SPIN: DVec3 = DVec3::new(3.0, 0.0, 6.0);

/// L/L₀ of a rigid group that turns freely, after each step.
///
/// It is a box of plain particles about one of its axes, as one group.
pub fn rigid<S: Stepper>(substeps: usize, order: Order) -> Vec<f64> {
    let mut particles = Vec::new();
    for corner in 0..8 {
        let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let x = DVec3::new(0.5 * sign(0), 0.3 * sign(1), 0.2 * sign(2));
        particles.push(Particle::sphere(x, 1.0, 0.1).without_turn());
    }
    let all: Vec<usize> = (0..8).collect();
    let groups = vec![Group::new(&particles, None, &all, 1.0)];
    let mut body = Body { particles, groups };
    let params = Params {
        substeps,
        iterations: 1,
        order,
        ..Params::default()
    };
    body.set_motion(DVec3::ZERO, DVec3::Z * (TURN / params.dt));
    kept::<S>(body, &params)
}

/// L/L₀ of a free body after each step.
fn kept<S: Stepper>(mut body: Body, params: &Params) -> Vec<f64> {
    let mut stepper = S::default();
    let start = body.angular_momentum().length();
    let kept = |_| {
        stepper.step(&mut body, params, &Surroundings::none());
        body.angular_momentum().length() / start
    };
    (0..STEPS).map(kept).collect()
}

/// The same of first order in closed form: α₁ = atan θ₀, α' = atan(sin α/(2 − cos α)), L/L₀ = sin α/θ₀.
///
/// A step goes along the chord of the last one from where that ended; the fit turns the group to where this points.
pub fn rigid_formula(substeps: usize) -> Vec<f64> {
    let turn = TURN / substeps as f64;
    let mut angle = turn.atan();
    let mut kept = Vec::new();
    for substep in 1..=STEPS * substeps {
        if substep % substeps == 0 {
            kept.push(angle.sin() / turn);
        }
        angle = (angle.sin() / (2.0 - angle.cos())).atan();
    }
    kept
}

/// L/L₀ of a rod of eight oriented particles in groups of neighbours, after each step of a second.
pub fn rod<S: Stepper>(substeps: usize, order: Order) -> Vec<f64> {
    let mut body = Body::rod(8, 0.1, 0.05, DVec3::X * -0.35);
    body.set_motion(DVec3::ZERO, SPIN);
    let params = Params {
        substeps,
        order,
        ..Params::default()
    };
    kept::<S>(body, &params)
}
