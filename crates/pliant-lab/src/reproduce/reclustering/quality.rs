//! How far below the linearised embedding the nonlinear one comes.

use crate::reference::reclustering::Params;
use crate::reference::reclustering::beam::{Beam, PARTICLES};
use crate::reference::reclustering::experiments::quality::{
    Quality, STATES, SWEEPS, compressed, twisted,
};
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Energy of the linearised embedding over that of the nonlinear one [FJLSB17 §3.2.2 reports about a hundred].
const BETTER: f64 = 10.0;

/// R8.
pub(super) fn against_linear(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    let mut lines = Vec::new();
    let pressed = compressed(&beam);
    check_gain(bench, "pressed", &pressed);
    lines.push(line("pressed beam (R1)", &pressed));
    if bench.options.long {
        let twisted = twisted(&beam);
        check_gain(bench, "twisted", &twisted);
        lines.push(line("twisted beam (R5)", &twisted));
    }
    let ends = [0.0, horizontal(SWEEPS[SWEEPS.len() - 1])];
    lines.push(Series {
        label: "linearised".into(),
        points: ends.iter().map(|&x| (x, 0.0)).collect(),
    });
    bench.plot(
        "r8.svg",
        "Energy of the embedding over that of the linearised one",
        [
            "log10 of 1 + sweeps",
            "log10 of the ratio, mean of 50 states",
        ],
        &lines,
    )
}

fn check_gain(bench: &mut Bench, beam: &str, found: &[Quality]) {
    let usual = Params::default().embed_sweeps;
    for sweeps in [usual, SWEEPS[SWEEPS.len() - 1]] {
        let mut gains: Vec<f64> = found.iter().map(|q| q.gain(sweeps)).collect();
        gains.sort_by(f64::total_cmp);
        let mean = log_mean(&gains).exp();
        let (least, most) = (gains.first(), gains.last());
        bench.check(
            Reference,
            format!("energy of the linearised embedding over that after {sweeps} sweeps, {} states of the {beam} beam", found.len()),
            format!(
                "geometric mean {mean:.2}, from {:.2} to {:.2}",
                least.unwrap_or(&f64::NAN),
                most.unwrap_or(&f64::NAN)
            ),
            format!("at least {BETTER} in {STATES} states"),
            mean >= BETTER && found.len() == STATES,
        );
    }
}

fn log_mean(values: &[f64]) -> f64 {
    values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64
}

/// Where a number of sweeps is in the plot.
fn horizontal(sweeps: usize) -> f64 {
    (1.0 + sweeps as f64).log10()
}

/// The mean over all states of log10 of E over that of the linearised embedding, against sweeps.
fn line(label: &str, found: &[Quality]) -> Series {
    let point = |&sweeps: &usize| {
        let gains: Vec<f64> = found.iter().map(|q| q.gain(sweeps)).collect();
        (
            horizontal(sweeps),
            -log_mean(&gains) / std::f64::consts::LN_10,
        )
    };
    Series {
        label: label.into(),
        points: SWEEPS.iter().map(point).collect(),
    }
}
