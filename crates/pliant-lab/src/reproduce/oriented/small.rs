//! Torsion of a rod, a crumpled sheet, one and two particles.

#![allow(
    clippy::unnecessary_wraps,
    reason = "every experiment has the same signature"
)]

use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::experiments::{
    ByReference, larger, sheet as crumpled, small as spun, torsion as turned,
};
use crate::reproduce::{Bench, LabError};

/// How near all particles come to the turn of the first (degrees).
const SAME_TURN: f64 = 0.1;
/// Largest distance from a plane of a sheet that counts as flat (m).
const FLAT: f64 = 1e-4;

/// E5.
pub(super) fn torsion(bench: &mut Bench) -> Result<(), LabError> {
    check_torsion::<ByReference>(bench);
    check_torsion::<ByEngine>(bench);
    Ok(())
}

fn check_torsion<S: Measured>(bench: &mut Bench) {
    let farthest = |degrees: &[f64], from: f64| {
        let off = degrees.iter().map(|d| (d - from).abs());
        off.fold(0.0, larger)
    };
    let off = farthest(&turned::run::<S>(true).degrees, 90.0);
    bench.check(
        S::SOLVER,
        "turn of a rod's groups whose first particle is turned by 90°: largest distance from it",
        format!("{off:.4}°"),
        format!("at most {SAME_TURN}°"),
        off <= SAME_TURN,
    );
    let plain = farthest(&turned::run::<S>(false).degrees, 0.0);
    bench.check(
        S::SOLVER,
        "the same of plain particles, which know nothing of it: largest turn",
        format!("{plain:.4}°"),
        format!("at most {SAME_TURN}°"),
        plain <= SAME_TURN,
    );
}

/// E6.
pub(super) fn sheet(bench: &mut Bench) -> Result<(), LabError> {
    check_sheet::<ByReference>(bench);
    check_sheet::<ByEngine>(bench);
    Ok(())
}

fn check_sheet<S: Measured>(bench: &mut Bench) {
    let sheet = crumpled::run::<S>();
    bench.check(
        S::SOLVER,
        format!(
            "distance from a plane after {} steps; at the start",
            crumpled::STEPS
        ),
        format!("{:.1e} m; {:.1e} m", sheet.left, sheet.crumpled),
        format!("at most {FLAT:.0e} m; more than that"),
        sheet.left <= FLAT && sheet.crumpled > FLAT,
    );
    bench.check(
        S::SOLVER,
        "all is finite; groups inside out; smallest cosine between the normals of two particles",
        format!(
            "{}; {}; {:.4}",
            sheet.finite, sheet.total.inverted, sheet.least_cosine
        ),
        "true; 0; above 0",
        sheet.finite && sheet.total.inverted == 0 && sheet.least_cosine > 0.0,
    );
}

/// E7.
pub(super) fn few(bench: &mut Bench) -> Result<(), LabError> {
    check_few::<ByReference>(bench, 1e-9, 1e-6);
    // In f32 a turn of 0.4 rad is rounded to 6e-8, which is 1.5e-7 of the spin, 2,400 times: 4e-4 if all went one way.
    check_few::<ByEngine>(bench, 1e-3, 1e-5);
    Ok(())
}

fn check_few<S: Measured>(bench: &mut Bench, spin: f64, distance: f64) {
    for substeps in [1, 4] {
        let one = spun::run::<S>(1, substeps);
        let change = (one.spin / spun::SPIN - 1.0).abs();
        bench.check(
            S::SOLVER,
            format!("one particle at {} rad/s, substeps {substeps}: all is finite; change of its spin over it", spun::SPIN),
            format!("{}; {change:.1e}", one.finite),
            format!("true; at most {spin:.0e}"),
            one.finite && change <= spin,
        );
        let two = spun::run::<S>(2, substeps);
        let off = (two.distance - 0.1).abs();
        bench.check(
            S::SOLVER,
            format!("two particles at {} rad/s, substeps {substeps}: all is finite; error of their distance; spin at the end", spun::SPIN),
            format!("{}; {off:.1e} m; {:.1} rad/s", two.finite, two.spin),
            format!("true; at most {distance:.0e} m; no more than at the start"),
            two.finite && off <= distance && two.spin <= spun::SPIN,
        );
    }
}
