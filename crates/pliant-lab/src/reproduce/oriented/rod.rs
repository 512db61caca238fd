//! A clamped rod under gravity, and one of plain particles.

use super::pictures::{Shown, frames, line, write_sheet};
use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::experiments::ByReference;
use crate::reference::oriented::experiments::rod::{COUNT, EARLY, run, run_with};
use crate::reference::oriented::{Body, Params};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;

/// Iterations and substeps, with the tip's drop after four seconds that a prototype in f64 came to (m).
const SETTLED: [(usize, usize, f64); 5] = [
    (2, 1, 0.516),
    (10, 1, 0.319),
    (50, 1, 0.065),
    (10, 4, 0.0207),
    (10, 10, 0.0033),
];
/// How far other choices than the prototype's may lead from its numbers.
const NEAR: f64 = 0.2;
/// Iterations and substeps at which the rod must stand out.
const USUAL: (usize, usize) = (10, 4);
/// Largest drop of the tip in the first two seconds (m).
const STANDS: f64 = 0.05;
/// The same of plain particles, at least (m).
const SWINGS: f64 = 0.8;
/// Largest error of the length, over the length.
const LENGTH: f64 = 0.02;

/// Seconds at which the rods are pictured.
const PICTURED: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 1.0, 2.0];

/// E3.
pub(super) fn clamped(bench: &mut Bench) -> Result<(), LabError> {
    check_settled::<ByReference>(bench);
    check_settled::<ByEngine>(bench);
    check_control::<ByReference>(bench);
    check_control::<ByEngine>(bench);
    plot(bench)?;
    picture(bench)
}

fn params(iterations: usize, substeps: usize) -> Params {
    Params {
        substeps,
        iterations,
        ..Params::default()
    }
}

fn check_settled<S: Measured>(bench: &mut Bench) {
    for (iterations, substeps, expected) in SETTLED {
        let hung = run::<S>(iterations, substeps, true);
        bench.check(
            S::SOLVER,
            format!("drop of the tip after 4 s, iterations {iterations}, substeps {substeps}"),
            format!("{:.4} m", hung.settled),
            format!("{expected} m within 20 %"),
            hung.finite && (hung.settled / expected - 1.0).abs() <= NEAR,
        );
    }
}

fn check_control<S: Measured>(bench: &mut Bench) {
    let (iterations, substeps) = USUAL;
    let hung = run::<S>(iterations, substeps, true);
    let plain = run::<S>(iterations, substeps, false);
    bench.check(
        S::SOLVER,
        format!("largest drop of the tip in {EARLY} s"),
        format!("{:.4} m", hung.largest_early),
        format!("at most {STANDS} m"),
        hung.finite && hung.largest_early <= STANDS,
    );
    bench.check(
        S::SOLVER,
        format!(
            "the same of plain particles in the same groups, which nothing holds up; later {:.3} m",
            plain.largest
        ),
        format!("{:.4} m", plain.largest_early),
        format!("at least {SWINGS} m"),
        plain.finite && plain.largest_early >= SWINGS,
    );
    bench.check(
        S::SOLVER,
        "largest error of the length, with and without rotations",
        format!(
            "{:.2} %, {:.2} %",
            100.0 * hung.length_error,
            100.0 * plain.length_error
        ),
        "at most 2 %",
        hung.length_error <= LENGTH && plain.length_error <= LENGTH,
    );
}

/// The tip's drop over time, by the engine.
fn drops(label: String, params: Params, oriented: bool) -> Series {
    let mut points = vec![(0.0, 0.0)];
    run_with::<ByEngine>(params, oriented, |time, rod| {
        points.push((time, -rod.particles[COUNT - 1].pose.x.y));
    });
    line(label, &points)
}

fn plot(bench: &Bench) -> Result<(), LabError> {
    let mut lines: Vec<Series> = SETTLED
        .iter()
        .map(|&(iterations, substeps, _)| {
            let label = format!("iterations {iterations}, substeps {substeps}");
            drops(label, params(iterations, substeps), true)
        })
        .collect();
    let usual = params(USUAL.0, USUAL.1);
    lines.push(drops("plain particles, 10 and 4".into(), usual, false));
    let axes = ["time, s", "drop of the tip, m"];
    bench.plot("e3.svg", "A clamped rod, by the engine", axes, &lines)
}

/// The rod as it is at [`PICTURED`], by the engine.
fn states(oriented: bool) -> Vec<Body> {
    frames(&PICTURED, |watch| {
        let body = Body::rod(COUNT, 0.1, 0.05, glam::DVec3::ZERO);
        watch(0.0, &body);
        run_with::<ByEngine>(params(USUAL.0, USUAL.1), oriented, watch);
    })
}

fn picture(bench: &Bench) -> Result<(), LabError> {
    let pairs = states(true).into_iter().zip(states(false));
    let pictures: Vec<(Vec<Shown>, String)> = pairs
        .zip(PICTURED)
        .map(|((rod, plain), time)| {
            let shown = vec![
                Shown::new(rod, Vec3::ZERO, 0),
                Shown::new(plain, Vec3::Z * 0.3, 2),
            ];
            (shown, format!("{time} s, plain particles blue"))
        })
        .collect();
    write_sheet(bench, "e3.png", 3, false, &pictures)
}
