//! One and two particles in a fast spin.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::Stepper;
use glam::DVec3;

/// In rad/s.
pub const SPIN: f64 = 100.0;
/// Steps.
pub const STEPS: usize = 600;

/// What became of the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spun {
    /// Whether all numbers stayed finite.
    pub finite: bool,
    /// Spin of the first particle at the end, in rad/s.
    pub spin: f64,
    /// Distance of the first from the last particle at the end, in m.
    pub distance: f64,
}

/// Spins `count` particles in a row about an axis askew to it; they are 0.1 m apart.
pub fn run<S: Stepper>(count: usize, substeps: usize) -> Spun {
    let mut body = Body::rod(count, 0.1, 0.05, DVec3::X * (-0.05 * (count - 1) as f64));
    body.set_motion(DVec3::ZERO, DVec3::new(2.0, -1.0, 2.0) * (SPIN / 3.0));
    let params = Params {
        substeps,
        ..Params::default()
    };
    let (mut stepper, mut finite) = (S::default(), true);
    for _ in 0..STEPS {
        let report = stepper.step(&mut body, &params, &Surroundings::none());
        finite &= report.stopped == 0 && body.is_finite();
    }
    let [first, .., last] = body.particles.as_slice() else {
        let spin = body.particles.first().map_or(0.0, |p| p.w.length());
        return Spun {
            finite,
            spin,
            distance: 0.0,
        };
    };
    Spun {
        finite,
        spin: first.w.length(),
        distance: first.pose.x.distance(last.pose.x),
    }
}
