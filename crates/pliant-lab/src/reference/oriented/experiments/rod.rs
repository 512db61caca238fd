//! A clamped rod under gravity [MC11 "Singularity Problem"].

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::Stepper;
use glam::DVec3;

/// Particles of the rod.
pub const COUNT: usize = 10;
/// Distance of particles, in m.
pub const SPACING: f64 = 0.1;
/// Radius of particles, in m.
pub const RADIUS: f64 = 0.05;
/// Seconds until the rod is settled.
pub const SETTLED: f64 = 4.0;
/// Seconds in which the largest drop is looked for.
pub const EARLY: f64 = 2.0;

/// What the tip of a rod has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hung {
    /// How far the tip is below the clamp at the end, in m.
    pub settled: f64,
    /// How far it was at most in the first two seconds, in m.
    pub largest_early: f64,
    /// How far it was at most, in m.
    pub largest: f64,
    /// Largest error of the length of the rod, over its length.
    pub length_error: f64,
    /// Whether all numbers stayed finite.
    pub finite: bool,
}

/// Clamps one end of the rod and lets gravity pull; without turns it is plain shape matching with the same groups.
pub fn run<S: Stepper>(iterations: usize, substeps: usize, oriented: bool) -> Hung {
    let params = Params {
        substeps,
        iterations,
        ..Params::default()
    };
    run_with::<S>(params, oriented, |_, _| ())
}

/// The same with other settings; `watch` sees the time and the rod after every step.
pub fn run_with<S: Stepper>(
    mut params: Params,
    oriented: bool,
    mut watch: impl FnMut(f64, &Body),
) -> Hung {
    params.gravity = DVec3::Y * -9.81;
    let mut body = Body::rod(COUNT, SPACING, RADIUS, DVec3::ZERO);
    for p in &mut body.particles {
        p.oriented = oriented;
    }
    body.particles[0].fix();
    let length = SPACING * (COUNT - 1) as f64;
    let mut hung = Hung {
        finite: true,
        ..Hung::default()
    };
    let steps = (SETTLED / params.dt).round() as usize;
    let mut stepper = S::default();
    for step in 1..=steps {
        let report = stepper.step(&mut body, &params, &Surroundings::none());
        hung.settled = -body.particles[COUNT - 1].pose.x.y;
        hung.largest = hung.largest.max(hung.settled);
        if step as f64 * params.dt <= EARLY + 1e-9 {
            hung.largest_early = hung.largest;
        }
        hung.length_error = hung.length_error.max((arc(&body) / length - 1.0).abs());
        hung.finite &= report.stopped == 0 && body.is_finite();
        watch(step as f64 * params.dt, &body);
    }
    hung
}

/// Length along the particles, in m.
fn arc(body: &Body) -> f64 {
    let pairs = body.particles.windows(2);
    pairs.map(|w| w[0].pose.x.distance(w[1].pose.x)).sum()
}
