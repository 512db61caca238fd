//! What must hold for any body: momentum, rigid motions.

#![allow(
    clippy::unnecessary_wraps,
    reason = "every experiment has the same signature"
)]

use super::stepper::{ByEngine, Measured};
use crate::reference::Fit;
use crate::reference::oriented::experiments::{ByReference, invariance, momentum as drifting};
use crate::reference::oriented::{Order, Params, Plastic, Turning};
use crate::reproduce::check::Solver::{Engine, Reference};
use crate::reproduce::{Bench, LabError};

const TURNINGS: [(Turning, &str); 2] = [
    (Turning::Centre, "only centres are turned"),
    (Turning::AllMembers, "all members are turned"),
];
const ORDERS: [(Order, &str); 2] = [
    (Order::First, "first order"),
    (Order::Second, "second order"),
];

/// How far the engine may be off after five steps in f32.
///
/// Beside the origin by 1.4 m, a position is rounded to 6e-8 m, about ten times in each of 20 substeps. A velocity keeps what its position has
/// got, so errors with signs that vary grow as the power 3/2 of the substeps: 6e-8 m √10 · 20^1.5 = 2e-5 m. A turn is measured over the distance
/// of particles, a tenth of a metre, but groups of nine of them hold each other.
const F32: f64 = 1e-4;

/// E1.
pub(super) fn momentum(bench: &mut Bench) -> Result<(), LabError> {
    check_drift::<ByReference>(bench, 1e-9);
    check_drift::<ByEngine>(bench, 1e-4);
    Ok(())
}

fn check_drift<S: Measured>(bench: &mut Bench, bound: f64) {
    let steps = drifting::STEPS;
    for (turning, who) in TURNINGS {
        for (order, name) in ORDERS {
            let drift = drifting::drift::<S>(turning, order);
            let what = format!("change of momentum over it in {steps} steps, {who}, {name}");
            bench.at_most(S::SOLVER, &what, drift, bound);
        }
    }
}

/// E2.
pub(super) fn rigid_motion(bench: &mut Bench) -> Result<(), LabError> {
    for (turning, who) in TURNINGS {
        for (order, name) in ORDERS {
            for (fit, rotation) in [
                (Fit::Procrustes, "rotations of A"),
                (Fit::Affine, "of A Ā⁻¹"),
            ] {
                let apart = invariance::difference::<ByReference>(Params {
                    turning,
                    order,
                    fit,
                    plastic: Some(Plastic::default()),
                    ..Params::default()
                });
                let what = format!(
                    "a body on a floor, moved, stepped and moved back: off by, m or rad, {who}, {name}, {rotation}"
                );
                bench.at_most(Reference, &what, apart, 1e-10);
            }
        }
        // The engine has one rotation, and a world that is begun anew knows nothing of what has flowed before.
        let apart = invariance::difference::<ByEngine>(Params {
            turning,
            ..Params::default()
        });
        let what =
            format!("a body on a floor, moved, stepped and moved back: off by, m or rad, {who}");
        bench.at_most(Engine, &what, apart, F32);
    }
    Ok(())
}
