//! What free bodies lose of their angular momentum.

use super::pictures::line;
use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::experiments::rotation::{rigid, rigid_formula, rod};
use crate::reference::oriented::experiments::{ByReference, larger};
use crate::reference::oriented::{Order, Params};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Substeps of a step, with the share of L that a prototype in f64 kept of the rod's in a second.
const KEPT: [(usize, f64); 4] = [(1, 0.684), (2, 0.796), (4, 0.880), (8, 0.934)];
/// The last digit of the prototype's numbers.
const DIGIT: f64 = 1e-3;
/// How much smaller the loss is with twice the substeps, at least.
const SHRINKS: f64 = 1.5;
/// How much smaller the loss is by the second-order method, at least.
const SMALLER: f64 = 4.0;

/// How near the engine is to the formula in f32 with one substep.
///
/// A velocity is a difference of positions: its error is that of rounding a position, 6e-8 |x|, over the way of a substep, which is from
/// 0.1 |x| down to 0.07 |x|. A position is rounded about ten times on its way to the next one, so a substep may change L by 1e-5 of it, and 60
/// of them, with signs that vary, by √60 times that.
const F32: f64 = 1e-4;

/// The same for s substeps: ways are s times shorter, and there are s times as many.
fn f32_bound(substeps: usize) -> f64 {
    F32 * (substeps as f64).powf(1.5)
}

/// E4.
pub(super) fn free(bench: &mut Bench) -> Result<(), LabError> {
    check_formula::<ByReference>(bench, |_| 1e-10);
    check_formula::<ByEngine>(bench, f32_bound);
    check_rod::<ByReference>(bench);
    check_rod::<ByEngine>(bench);
    plot_rigid(bench)?;
    plot_rod(bench)
}

fn end(kept: &[f64]) -> f64 {
    kept.last().copied().unwrap_or(f64::NAN)
}

fn check_formula<S: Measured>(bench: &mut Bench, bound: fn(usize) -> f64) {
    for (substeps, _) in KEPT {
        let bound = bound(substeps);
        let (found, formula) = (rigid::<S>(substeps, Order::First), rigid_formula(substeps));
        let off = (found.iter().zip(&formula)).map(|(a, b)| (a - b).abs());
        let worst = off.fold(0.0, larger);
        bench.check(
            S::SOLVER,
            format!("L/L₀ of a rigid group, substeps {substeps}: after 1 and 60 steps; largest distance from the formula"),
            format!("{:.6}, {:.6}; {worst:.1e}", found[0], end(&found)),
            format!("{:.6}, {:.6}; at most {bound:.1e}", formula[0], end(&formula)),
            worst <= bound && found.len() == formula.len(),
        );
        let less = end(&rigid::<S>(substeps, Order::Second));
        check_order::<S>(bench, "rigid group", substeps, end(&found), less);
    }
}

/// The second-order method must lose less. What it may gain counts as a loss.
fn check_order<S: Measured>(bench: &mut Bench, of: &str, substeps: usize, first: f64, second: f64) {
    let ratio = (1.0 - first) / (1.0 - second).abs();
    bench.check(
        S::SOLVER,
        format!("L/L₀ of a {of} after a second by the second-order method, substeps {substeps}; loss by the first-order one over its"),
        format!("{second:.6}; {ratio:.1}"),
        format!("at least {SMALLER}"),
        ratio >= SMALLER,
    );
}

fn check_rod<S: Measured>(bench: &mut Bench) {
    let mut last = None;
    for (substeps, expected) in KEPT {
        let kept = end(&rod::<S>(substeps, Order::First));
        bench.check(
            S::SOLVER,
            format!("L/L₀ of a rod of eight particles after a second, substeps {substeps}"),
            format!("{kept:.4}"),
            format!("{expected} within {DIGIT}"),
            (kept - expected).abs() <= DIGIT,
        );
        if let Some(before) = last.replace(kept) {
            let ratio = (1.0 - before) / (1.0 - kept);
            bench.check(
                S::SOLVER,
                format!("loss of the rod with half as many substeps over that with {substeps}"),
                format!("{ratio:.3}"),
                format!("at least {SHRINKS}"),
                ratio >= SHRINKS,
            );
        }
        let less = end(&rod::<S>(substeps, Order::Second));
        check_order::<S>(bench, "rod", substeps, kept, less);
    }
}

/// L/L₀ against time.
fn over_time(label: impl Into<String>, kept: &[f64]) -> Series {
    let dt = Params::default().dt;
    let start = std::iter::once((0.0, 1.0));
    let steps = kept.iter().enumerate();
    let points: Vec<(f64, f64)> = start
        .chain(steps.map(|(step, kept)| ((step + 1) as f64 * dt, *kept)))
        .collect();
    line(label, &points)
}

/// Lines of the engine, of first order for all substeps and of second order.
fn lines(run: impl Fn(usize, Order) -> Vec<f64>) -> Vec<Series> {
    let first = |&(substeps, _): &(usize, f64)| {
        let label = format!("first order, {substeps} substeps");
        over_time(label, &run(substeps, Order::First))
    };
    let mut lines: Vec<Series> = KEPT.iter().map(first).collect();
    let second = run(1, Order::Second);
    lines.push(over_time("second order, 1 substep", &second));
    lines
}

const AXES: [&str; 2] = ["time, s", "L / L₀"];

fn plot_rigid(bench: &Bench) -> Result<(), LabError> {
    let mut all = lines(rigid::<ByEngine>);
    for (substeps, _) in KEPT {
        let label = format!("formula, {substeps} substeps");
        all.push(over_time(label, &rigid_formula(substeps)));
    }
    let title = "Angular momentum of a free rigid group, by the engine";
    bench.plot("e4.svg", title, AXES, &all)
}

fn plot_rod(bench: &Bench) -> Result<(), LabError> {
    let title = "Angular momentum of a free rod, by the engine";
    bench.plot("e4-rod.svg", title, AXES, &lines(rod::<ByEngine>))
}
