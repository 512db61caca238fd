//! The embedding: where the clusters around a candidate would be if nothing but their rest shapes mattered [FJLSB17 Eq. 21].

use super::super::cluster::Fit;
use super::super::linear::{outer, signed_svd};
use super::local::{LocalCluster, LocalSet};
use glam::{DMat3, DVec3};

/// Where an embedding ends, and how it got there.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Position of each particle of the set.
    pub e: Vec<DVec3>,
    /// E before each sweep.
    pub energies: Vec<f64>,
    /// Σ|Δe|² of each sweep over that of the first.
    pub ratios: Vec<f64>,
    /// Sweeps that needed the least-squares rotation because E would have risen with the asked one.
    pub fallbacks: usize,
}

/// Relative rise of E that is put down to rounding.
pub(super) const SLACK: f64 = 1e-12;

/// One placement of all clusters, and what it leaves.
pub(super) struct Sweep {
    pub(super) energy: f64,
    pub(super) next: Vec<DVec3>,
}

impl LocalSet {
    /// Minimises E = Σ w m |R F_p p − (e − ē)|² from the particles' positions `x`, by Jacobi sweeps.
    ///
    /// With the least-squares rotation E cannot rise: each sweep minimises it over R and ē, then over e. The affine rotation
    /// mostly makes it fall faster, but needs not; where E would rise, the sweep is done again with least squares.
    pub fn embed(&self, x: &[DVec3], fit: Fit, sweeps: usize, tolerance: f64) -> Embedding {
        let mut e: Vec<DVec3> = self.particles.iter().map(|&i| x[i]).collect();
        let (mut energies, mut ratios) = (Vec::new(), Vec::new());
        let (mut first, mut fallbacks) = (0.0, 0);
        for _ in 0..sweeps {
            let mut sweep = self.sweep(&e, fit);
            let rises = |&last: &f64| sweep.energy > last * (1.0 + SLACK);
            if energies.last().is_some_and(rises) {
                sweep = self.sweep(&e, Fit::Procrustes);
                fallbacks += 1;
            }
            let change: f64 = e
                .iter()
                .zip(&sweep.next)
                .map(|(a, b)| a.distance_squared(*b))
                .sum();
            energies.push(sweep.energy);
            e = sweep.next;
            if ratios.is_empty() {
                first = change;
            }
            let ratio = if first > 0.0 { change / first } else { 0.0 };
            ratios.push(ratio);
            if ratio <= tolerance {
                break;
            }
        }
        Embedding {
            e,
            energies,
            ratios,
            fallbacks,
        }
    }

    /// Places every cluster in `e`; e_i goes to the mean of its goals.
    pub(super) fn sweep(&self, e: &[DVec3], fit: Fit) -> Sweep {
        let mut next = vec![DVec3::ZERO; e.len()];
        let mut energy = 0.0;
        for cluster in &self.clusters {
            let center = cluster.center(e);
            let rotation = cluster.rotation(e, center, fit);
            for k in &cluster.members {
                let goal = rotation * k.q + center;
                energy += k.weight * goal.distance_squared(e[k.slot]);
                next[k.slot] += goal * k.share;
            }
        }
        Sweep { energy, next }
    }

    /// Σ w m |F_p p − (e − ē)|² of positions `e`: what the linearised embedding minimises.
    pub fn unrotated_energy(&self, e: &[DVec3]) -> f64 {
        let mut energy = 0.0;
        for cluster in &self.clusters {
            let center = cluster.center(e);
            for k in &cluster.members {
                energy += k.weight * (k.q + center).distance_squared(e[k.slot]);
            }
        }
        energy
    }

    /// E of positions `e` under the best rigid placement of every cluster.
    pub fn energy(&self, e: &[DVec3]) -> f64 {
        self.sweep(e, Fit::Procrustes).energy
    }
}

impl LocalCluster {
    fn rotation(&self, e: &[DVec3], center: DVec3, fit: Fit) -> DMat3 {
        let mut a_eq = DMat3::ZERO;
        for k in &self.members {
            a_eq += outer((e[k.slot] - center) * k.weight, k.q);
        }
        if fit == Fit::Affine && !self.degenerate {
            signed_svd(a_eq * self.inverse).rotation()
        } else {
            signed_svd(a_eq).rotation()
        }
    }
}

/// A bipartite system of equations: unknown positions of particles, then of clusters, with one particle held.
struct Linear<'a> {
    set: &'a LocalSet,
    pinned: usize,
    diagonal: Vec<f64>,
}

impl LocalSet {
    /// The embedding without rotations: the e_i and ē that minimise Σ w m |F_p p − (e − ē)|², with slot `pinned` held at `at`.
    ///
    /// Three symmetric positive definite systems, one for each axis, solved by conjugate gradients (Jones et al. 2014).
    pub fn embed_linear(&self, pinned: usize, at: DVec3) -> Vec<DVec3> {
        let n = self.particles.len();
        let mut diagonal = vec![0.0; n + self.clusters.len()];
        let mut right = vec![DVec3::ZERO; n + self.clusters.len()];
        for (c, cluster) in self.clusters.iter().enumerate() {
            for k in &cluster.members {
                diagonal[k.slot] += k.weight;
                diagonal[n + c] += k.weight;
                right[k.slot] += k.q * k.weight;
                right[n + c] -= k.q * k.weight;
            }
        }
        let system = Linear {
            set: self,
            pinned,
            diagonal,
        };
        let solve = |axis: usize| {
            let right: Vec<f64> = right.iter().map(|r| r[axis]).collect();
            system.solve(right)
        };
        let axes = [0, 1, 2].map(solve);
        // The held particle is the origin of the system.
        let position = |i: usize| DVec3::new(axes[0][i], axes[1][i], axes[2][i]) + at;
        (0..n).map(position).collect()
    }
}

impl Linear<'_> {
    /// The matrix times `z`, without the row and the column of the held particle.
    fn apply(&self, z: &[f64]) -> Vec<f64> {
        let n = self.set.particles.len();
        let mut out: Vec<f64> = z.iter().zip(&self.diagonal).map(|(z, d)| z * d).collect();
        for (c, cluster) in self.set.clusters.iter().enumerate() {
            for k in &cluster.members {
                out[k.slot] -= k.weight * z[n + c];
                out[n + c] -= k.weight * z[k.slot];
            }
        }
        out[self.pinned] = 0.0;
        out
    }

    /// Conjugate gradients with a diagonal preconditioner.
    fn solve(&self, mut residual: Vec<f64>) -> Vec<f64> {
        const TOLERANCE: f64 = 1e-24;
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let scaled = |r: &[f64]| -> Vec<f64> {
            r.iter()
                .zip(&self.diagonal)
                .map(|(r, d)| if *d > 0.0 { r / d } else { 0.0 })
                .collect()
        };
        residual[self.pinned] = 0.0;
        let mut z = vec![0.0; residual.len()];
        let mut direction = scaled(&residual);
        let mut rho = dot(&residual, &direction);
        let end = rho * TOLERANCE;
        for _ in 0..10 * residual.len() {
            if rho <= end {
                break;
            }
            let image = self.apply(&direction);
            let step = rho / dot(&direction, &image);
            for i in 0..z.len() {
                z[i] += step * direction[i];
                residual[i] -= step * image[i];
            }
            let preconditioned = scaled(&residual);
            let next = dot(&residual, &preconditioned);
            for i in 0..z.len() {
                direction[i] = preconditioned[i] + next / rho * direction[i];
            }
            rho = next;
        }
        z
    }
}
