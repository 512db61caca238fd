//! What is done to bodies, and what is measured, whoever steps them.
//!
//! | file | experiment |
//! |---|---|
//! | [`momentum`] | free bodies with all kinds of groups keep their momentum |
//! | [`invariance`] | the same steps after a rigid motion of everything |
//! | [`rod`] | a clamped rod under gravity, and the same without turns |
//! | [`rotation`] | what free bodies lose of their angular momentum |
//! | [`torsion`] | a rod whose end is turned about its axis |
//! | [`sheet`] | a crumpled sheet becomes flat again |
//! | [`small`] | one and two particles in a fast spin |
//! | [`mod@drop`] | ellipsoids fall on a floor |
//! | [`joint`] | a wheel on a free chassis, with and without the hub's moment |
//! | [`skinning`] | a tube that is carried by a rod |
//! | [`bend`] | a rod that is bent and let go, below and above its yield |

pub mod bend;
pub mod drop;
pub mod invariance;
pub mod joint;
pub mod momentum;
pub mod rod;
pub mod rotation;
pub mod sheet;
pub mod skinning;
pub mod small;
pub mod torsion;

use super::body::{Body, Params, StepReport};
use super::contact::Surroundings;
use glam::DVec3;

/// What steps bodies: the reference, or another solver that is to be measured in the same way. One of them steps one body from its start.
pub trait Stepper: Default {
    /// Moves a body on by one step.
    fn step(&mut self, body: &mut Body, params: &Params, around: &Surroundings) -> StepReport;
}

/// The reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByReference;

impl Stepper for ByReference {
    fn step(&mut self, body: &mut Body, params: &Params, around: &Surroundings) -> StepReport {
        body.step(params, around)
    }
}

/// The `index`-th of evenly spread vectors with components in [−1, 1): multiples of powers of the root of g⁴ = g + 1, without
/// their whole parts.
pub fn noise(index: usize) -> DVec3 {
    let g = 1.220_744_084_605_759_5_f64;
    let powers = DVec3::new(g.recip(), g.powi(-2), g.powi(-3));
    (powers * (index + 1) as f64).fract() * 2.0 - 1.0
}

/// The larger of two numbers; unlike `f64::max` it does not overlook a NaN, which would pass for a small error.
pub fn larger(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

/// Adds the counts of a step to a sum.
pub fn add(total: &mut StepReport, step: StepReport) {
    total.inverted += step.inverted;
    total.contacts += step.contacts;
    total.flowed += step.flowed;
    total.stopped += step.stopped;
}
