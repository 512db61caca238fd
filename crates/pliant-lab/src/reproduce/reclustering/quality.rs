//! How far below the linearised embedding the nonlinear one comes.

use crate::reference::reclustering::Params;
use crate::reference::reclustering::beam::{Beam, PARTICLES};
use crate::reference::reclustering::experiments::quality::{
    Quality, STATES, SWEEPS, compressed, twisted,
};
use crate::reference::reclustering::experiments::twist::KEEPING_COND_MAX;
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Energy of the linearised embedding over that of the nonlinear one [FJLSB17 §3.2.2 reports about a hundred].
const BETTER: f64 = 10.0;

/// Energies after each of [`SWEEPS`], of plain or accelerated ones.
type Swept = fn(&Quality) -> &[f64; SWEEPS.len()];

const KINDS: [(&str, Swept); 2] = [("plain", |q| &q.swept), ("accelerated", |q| &q.accelerated)];

/// R8.
pub(super) fn against_linear(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    // The states that the bar is about, and some where rest shapes have turned against each other.
    let mut runs = vec![
        ("pressed beam (R1)", compressed(&beam)),
        (
            "twisted beam, clusters go at 1.1",
            twisted(&beam, KEEPING_COND_MAX),
        ),
    ];
    if bench.options.long {
        let usual = twisted(&beam, Params::default().cond_max);
        runs.push(("twisted beam (R5)", usual));
    }
    let mut lines = Vec::new();
    for (beam, found) in &runs {
        for (kind, swept) in KINDS {
            check_gain(bench, &format!("{kind} sweeps, {beam}"), found, swept);
            lines.push(line(&format!("{beam}, {kind}"), found, swept));
        }
    }
    let ends = [0.0, horizontal(SWEEPS[SWEEPS.len() - 1])];
    lines.push(Series {
        label: "linearised".into(),
        points: ends.iter().map(|&x| (x, 0.0)).collect(),
    });
    let axes = [
        "log10 of 1 + sweeps",
        "log10 of the ratio, mean of 50 states",
    ];
    let title = "Energy of the embedding over that of the linearised one";
    bench.plot("r8.svg", title, axes, &lines)
}

/// The linearised energy over the nonlinear one of each state, after so many sweeps of [`SWEEPS`].
fn gains(found: &[Quality], swept: Swept, sweeps: usize) -> Vec<f64> {
    let at = SWEEPS.iter().position(|&s| s == sweeps);
    let gain = |q: &Quality| at.map_or(f64::NAN, |at| q.linear / swept(q)[at]);
    found.iter().map(gain).collect()
}

fn check_gain(bench: &mut Bench, how: &str, found: &[Quality], swept: Swept) {
    let (usual, many) = (Params::default().embed_sweeps, SWEEPS[SWEEPS.len() - 1]);
    let gained = gains(found, swept, usual);
    let mean = geometric_mean(&gained);
    let least = gained.iter().copied().fold(f64::INFINITY, f64::min);
    let most = gained.iter().copied().fold(0.0, f64::max);
    let converged = geometric_mean(&gains(found, swept, many));
    bench.check(
        Reference,
        format!("energy of the linearised embedding over that after {usual} {how}"),
        format!(
            "geometric mean of {} states {mean:.2}, from {least:.2} to {most:.2}; {converged:.2} after {many}",
            found.len()
        ),
        format!("at least {BETTER}, {STATES} states"),
        mean >= BETTER && found.len() == STATES,
    );
}

fn geometric_mean(values: &[f64]) -> f64 {
    let logs = values.iter().map(|v| v.ln());
    (logs.sum::<f64>() / values.len() as f64).exp()
}

/// Where a number of sweeps is in the plot.
fn horizontal(sweeps: usize) -> f64 {
    (1.0 + sweeps as f64).log10()
}

/// The mean over all states of log10 of E over that of the linearised embedding, against sweeps.
fn line(label: &str, found: &[Quality], swept: Swept) -> Series {
    let point = |&sweeps: &usize| {
        let gain = geometric_mean(&gains(found, swept, sweeps));
        (horizontal(sweeps), -gain.log10())
    };
    Series {
        label: label.into(),
        points: SWEEPS.iter().map(point).collect(),
    }
}
