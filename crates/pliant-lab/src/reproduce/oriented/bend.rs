//! A rod that is bent and let go, below and above its yield.

use super::pictures::line;
use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::Plastic;
use crate::reference::oriented::experiments::ByReference;
use crate::reference::oriented::experiments::bend::{Bent, HELD, run};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Bends above the yield (rad).
const ABOVE: [f64; 2] = [1.0, 2.0];
/// A bend below the yield (rad).
const BELOW: f64 = 0.2;
/// Angle up to which a rod counts as straight again (rad).
const STRAIGHT: f64 = 1e-3;

/// E11.
pub(super) fn past_yield(bench: &mut Bench) -> Result<(), LabError> {
    check_bends::<ByReference>(bench);
    check_bends::<ByEngine>(bench);
    let plastic = Some(Plastic::default());
    let mut lines: Vec<Series> = (ABOVE.iter().chain([&BELOW]))
        .map(|&angle| angles(format!("bent by {angle} rad"), angle, plastic))
        .collect();
    lines.push(angles("bent by 2 rad, no yield".into(), ABOVE[1], None));
    let title = format!("A rod is bent, held for {HELD} s and let go, by the engine");
    let axes = ["time, s", "angle between the ends, rad"];
    bench.plot("e11.svg", &title, axes, &lines)
}

fn bent<S: Measured>(angle: f64, plastic: Option<Plastic>) -> Bent {
    run::<S>(angle, plastic, |_, _| ())
}

fn check_bends<S: Measured>(bench: &mut Bench) {
    let plastic = Some(Plastic::default());
    for angle in ABOVE {
        let rod = bent::<S>(angle, plastic);
        bench.check(
            S::SOLVER,
            format!(
                "angle left of a rod that was bent past its yield; imposed {:.3} rad",
                rod.imposed
            ),
            format!("{:.4} rad", rod.left),
            format!("above {STRAIGHT} rad, below the imposed one"),
            rod.left > STRAIGHT && rod.left < rod.imposed,
        );
    }
    for (what, angle, plastic) in [
        ("below its yield", BELOW, plastic),
        ("without a yield", ABOVE[1], None),
    ] {
        let rod = bent::<S>(angle, plastic);
        bench.check(
            S::SOLVER,
            format!(
                "angle left of a rod that was bent by {:.3} rad {what}; groups that flowed",
                rod.imposed
            ),
            format!("{:.1e} rad; {}", rod.left, rod.flowed),
            format!("at most {STRAIGHT:.0e} rad; 0"),
            rod.left <= STRAIGHT && rod.imposed > STRAIGHT && rod.flowed == 0,
        );
    }
}

/// Angle over time, by the engine.
fn angles(label: String, angle: f64, plastic: Option<Plastic>) -> Series {
    let mut points = Vec::new();
    run::<ByEngine>(angle, plastic, |time, angle| points.push((time, angle)));
    line(label, &points)
}
