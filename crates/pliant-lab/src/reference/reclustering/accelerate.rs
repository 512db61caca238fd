//! The embedding by accelerated sweeps: twenty of them do more than a hundred plain ones.
//!
//! Plain sweeps carry a correction about one cluster further each; across a bent bar of many clusters they need hundreds. With
//! least-squares rotations a sweep is a step of steepest descent on E, and what speeds up steepest descent speeds up the sweeps; affine
//! rotations are near to that. Here each sweep starts from that combination of the last few that would leave the smallest correction if
//! corrections depended on positions linearly (Anderson 1965).

use super::super::cluster::Fit;
use super::embed::{Embedding, SLACK, Sweep};
use super::local::LocalSet;
use glam::DVec3;

/// Differences of earlier sweeps that are combined.
const DEPTH: usize = 10;

/// Share of the trace that keeps the equations for the combination regular.
const REGULAR: f64 = 1e-12;

/// Where the last sweeps started, and where they led.
#[derive(Default)]
struct History {
    from: Vec<Vec<DVec3>>,
    to: Vec<Vec<DVec3>>,
}

impl LocalSet {
    /// [`Self::embed`], accelerated.
    ///
    /// Departs from [FJLSB17 §3.2.2], which sweeps plainly. Where E would rise after a combination, that is dropped with all before it,
    /// and the last sweep counts as it was; where it would rise after a plain sweep, least squares takes over as in [`Self::embed`].
    /// What is returned is the end of a sweep, not a combination.
    pub fn embed_accelerated(
        &self,
        x: &[DVec3],
        fit: Fit,
        sweeps: usize,
        tolerance: f64,
    ) -> Embedding {
        let mut start: Vec<DVec3> = self.particles.iter().map(|&i| x[i]).collect();
        let mut best = start.clone();
        let mut history = History::default();
        let (mut energies, mut ratios) = (Vec::new(), Vec::new());
        let (mut first, mut fallbacks) = (0.0, 0);
        for _ in 0..sweeps {
            let mut sweep = self.sweep(&start, fit);
            let rises = |&last: &f64| sweep.energy > last * (1.0 + SLACK);
            if energies.last().is_some_and(rises) {
                fallbacks += 1;
                let combined = history.is_combined();
                history = History::default();
                if combined {
                    start.clone_from(&best);
                    continue;
                }
                sweep = self.sweep(&start, Fit::Procrustes);
            }
            let Sweep { energy, next } = sweep;
            energies.push(energy);
            let moves = start.iter().zip(&next);
            let change: f64 = moves.map(|(a, b)| a.distance_squared(*b)).sum();
            if ratios.is_empty() {
                first = change;
            }
            let ratio = if first > 0.0 { change / first } else { 0.0 };
            ratios.push(ratio);
            best.clone_from(&next);
            if ratio <= tolerance {
                break;
            }
            history.push(start, next);
            start = history.combined();
        }
        Embedding {
            e: best,
            energies,
            ratios,
            fallbacks,
        }
    }
}

impl History {
    /// Whether [`Self::combined`] is more than the end of the last sweep.
    fn is_combined(&self) -> bool {
        self.from.len() > 1
    }

    fn push(&mut self, from: Vec<DVec3>, to: Vec<DVec3>) {
        self.from.push(from);
        self.to.push(to);
        if self.from.len() > DEPTH + 1 {
            self.from.remove(0);
            self.to.remove(0);
        }
    }

    /// How far sweep `k` moved particle `i`.
    fn correction(&self, k: usize, i: usize) -> DVec3 {
        self.to[k][i] - self.from[k][i]
    }

    /// How much further sweep `k + 1` moved particle `i` than sweep `k`.
    fn change(&self, k: usize, i: usize) -> DVec3 {
        self.correction(k + 1, i) - self.correction(k, i)
    }

    /// Where the sweeps would lead if corrections depended on positions linearly and the one left were as small as it can be.
    fn combined(&self) -> Vec<DVec3> {
        let last = self.from.len() - 1;
        let particles = || 0..self.to[last].len();
        let mut matrix = [[0.0; DEPTH]; DEPTH];
        let mut right = [0.0; DEPTH];
        for r in 0..last {
            for c in 0..=r {
                matrix[r][c] = particles()
                    .map(|i| self.change(r, i).dot(self.change(c, i)))
                    .sum();
                matrix[c][r] = matrix[r][c];
            }
            right[r] = particles()
                .map(|i| self.change(r, i).dot(self.correction(last, i)))
                .sum();
        }
        let share = solved(matrix, right, last);
        let combine = |i: usize| {
            let back = |k: usize| (self.to[k + 1][i] - self.to[k][i]) * share[k];
            self.to[last][i] - (0..last).map(back).sum::<DVec3>()
        };
        particles().map(combine).collect()
    }
}

/// Solves the first `n` of some symmetric positive equations by elimination.
fn solved(mut matrix: [[f64; DEPTH]; DEPTH], mut right: [f64; DEPTH], n: usize) -> [f64; DEPTH] {
    let trace: f64 = (0..n).map(|k| matrix[k][k]).sum();
    let mut solution = [0.0; DEPTH];
    if trace <= 0.0 || !trace.is_finite() {
        return solution;
    }
    for k in 0..n {
        matrix[k][k] += REGULAR * trace;
    }
    for p in 0..n {
        for r in p + 1..n {
            let factor = matrix[r][p] / matrix[p][p];
            for c in p..n {
                matrix[r][c] -= factor * matrix[p][c];
            }
            right[r] -= factor * right[p];
        }
    }
    for p in (0..n).rev() {
        let known: f64 = (p + 1..n).map(|c| matrix[p][c] * solution[c]).sum();
        solution[p] = (right[p] - known) / matrix[p][p];
    }
    solution
}
