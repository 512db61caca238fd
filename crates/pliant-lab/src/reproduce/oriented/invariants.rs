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

/// How far the engine may be off after five steps in f32 (m or rad).
///
/// Beside the origin by 1.4 m, a place is rounded by up to 6e-8 m when it is predicted and by every group that it is in, about twenty times
/// in each of 20 substeps. A velocity keeps what its place has got, so errors with signs that vary grow as the power 3/2 of the substeps:
/// 6e-8 m · √20 · 20^1.5 = 2.4e-5 m. A turn is told by about four such places on either side at a tenth of a metre: 2.4e-5 / (0.1 √4) = 1.2e-4 rad.
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
                let apart = invariance::difference::<ByReference>(
                    Params {
                        turning,
                        order,
                        fit,
                        plastic: Some(Plastic::default()),
                        ..Params::default()
                    },
                    true,
                );
                let what = format!(
                    "a body on a floor, moved, stepped and moved back: off by, m or rad, {who}, {name}, {rotation}"
                );
                bench.at_most(Reference, &what, apart, 1e-10);
            }
        }
        // The engine has one rotation, and a world that is begun anew knows nothing of what has flowed before.
        let params = Params {
            turning,
            ..Params::default()
        };
        for (rough, floor) in [(false, "smooth"), (true, "rough")] {
            let apart = invariance::difference::<ByEngine>(params, rough);
            let what = format!(
                "a body on a {floor} floor, moved, stepped and moved back: off by, m or rad, {who}"
            );
            bench.at_most(Engine, &what, apart, F32);
        }
    }
    Ok(())
}
