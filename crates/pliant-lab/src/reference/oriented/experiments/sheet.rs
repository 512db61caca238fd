//! A crumpled sheet becomes flat again.

use super::super::super::linear::{outer, symmetric_eigen};
use super::super::body::{Body, Params, StepReport};
use super::super::contact::Surroundings;
use super::{Stepper, add, noise};
use glam::{DMat3, DVec3};

/// Particles along a side.
pub const SIDE: usize = 5;
/// Distance of particles, in m.
pub const SPACING: f64 = 0.1;
/// Largest noise of a coordinate, in m.
pub const NOISE: f64 = 1e-3;
/// Steps.
pub const STEPS: usize = 1000;

/// What the sheet has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flattened {
    /// Largest distance from a plane at the start, in m.
    pub crumpled: f64,
    /// Largest distance from a plane at the end, in m.
    pub left: f64,
    /// Smallest cosine between the normals of two particles in any step: one that has flipped over has −1.
    pub least_cosine: f64,
    /// Whether all numbers stayed finite.
    pub finite: bool,
    /// Sums over all steps.
    pub total: StepReport,
}

/// Shakes every particle out of its place and lets the sheet go, without gravity.
pub fn run<S: Stepper>() -> Flattened {
    let mut body = Body::sheet(SIDE, SPACING, 0.5 * SPACING);
    for (i, p) in body.particles.iter_mut().enumerate() {
        p.pose.x += noise(i) * NOISE;
    }
    let mut result = Flattened {
        crumpled: off_plane(&body),
        least_cosine: 1.0,
        finite: true,
        ..Flattened::default()
    };
    let mut stepper = S::default();
    for _ in 0..STEPS {
        let report = stepper.step(&mut body, &Params::default(), &Surroundings::none());
        add(&mut result.total, report);
        result.finite &= report.stopped == 0 && body.is_finite();
        let normals: Vec<DVec3> = body.particles.iter().map(|p| p.pose.q * DVec3::Y).collect();
        for n in &normals {
            result.least_cosine = result.least_cosine.min(n.dot(normals[0]));
        }
    }
    result.left = off_plane(&body);
    result
}

/// Largest distance of a particle from the plane that fits all best, in m.
fn off_plane(body: &Body) -> f64 {
    let count = body.particles.len() as f64;
    let mean = body.particles.iter().map(|p| p.pose.x).sum::<DVec3>() / count;
    let from_mean = body.particles.iter().map(|p| p.pose.x - mean);
    let moment = from_mean.clone().fold(DMat3::ZERO, |m, d| m + outer(d, d));
    let (_, axes) = symmetric_eigen(moment);
    from_mean
        .map(|d| d.dot(axes.z_axis).abs())
        .fold(0.0, f64::max)
}
