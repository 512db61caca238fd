//! How much a particle belongs to a cluster, by its distance from the centre.

use std::f64::consts::PI;

/// The raw weight a_ic as a function of the distance s, for clusters of radius h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// 1.
    Box,
    /// 315/(64π h⁹) (h² − s²)³.
    Poly6,
    /// β + poly6.
    Blend(f64),
    /// 1/(s² + ε).
    InverseSquare(f64),
    /// Fuzzy c-means with exponent m > 1: 1/Σ_e (s/s_e)^(2/(m−1)) over the particle's clusters.
    Fuzzy(f64),
}

impl Default for Kernel {
    fn default() -> Self {
        Self::InverseSquare(1e-4)
    }
}

/// Least poly6 weight over that at the centre: a particle on the rim of its only cluster must still belong to it.
const POLY6_FLOOR: f64 = 1e-6;

impl Kernel {
    /// a at distance `s`; `others` are the particle's distances from the centres of its other clusters.
    pub fn weight(self, s: f64, h: f64, others: impl IntoIterator<Item = f64>) -> f64 {
        match self {
            Self::Box => 1.0,
            Self::Poly6 => poly6(s, h).max(POLY6_FLOOR * poly6(0.0, h)),
            Self::Blend(beta) => beta + poly6(s, h),
            Self::InverseSquare(epsilon) => 1.0 / (s * s + epsilon),
            // At a centre the particle is that cluster's alone, and 0/0 is not asked for.
            Self::Fuzzy(_) if s == 0.0 => 1.0,
            Self::Fuzzy(m) => {
                let ratio = |other: f64| (s / other).powf(2.0 / (m - 1.0));
                1.0 / (1.0 + others.into_iter().map(ratio).sum::<f64>())
            }
        }
    }
}

/// The smoothing kernel 315/(64π h⁹) (h² − s²)³, zero beyond h.
pub fn poly6(s: f64, h: f64) -> f64 {
    315.0 / (64.0 * PI * h.powi(9)) * (h * h - s * s).max(0.0).powi(3)
}
