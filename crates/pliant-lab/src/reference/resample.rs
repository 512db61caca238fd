//! The closed formulas of skinning and re-sampling that worked examples check.

use super::linear::{from_principal, symmetric_eigen};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// Squared stretches that a new rest shape may take over [CMM16 §3.3.5].
pub const STRETCH_RANGE: [f64; 2] = [0.25, 4.0];

/// Volume common to two balls of radius `r` whose centres are `d` apart: π (4r + d)(2r − d)²/12 [CMM16 §3.3.5].
pub fn lens_volume(d: f64, r: f64) -> f64 {
    if d >= 2.0 * r {
        return 0.0;
    }
    PI * (4.0 * r + d) * (2.0 * r - d).powi(2) / 12.0
}

/// The map W from world offsets x − c to rest positions q of a new cluster, from (weight, F_e) of the old ones around it.
///
/// b = Σ ŵ F_e F_eᵀ = V D Vᵀ, D clamped to [0.25, 4], W = V D^(−½) Vᵀ; the identity when the weights sum to zero.
/// Departs from [CMM16 §3.3.5] in three places: F_e is the elastic part alone, else the plastic memory is lost; F_e F_eᵀ and not
/// F_eᵀ F_e, since a symmetric W lives in world axes; V D Vᵀ and not Vᵀ D V, to match the decomposition.
pub fn rest_map(old: &[(f64, DMat3)]) -> DMat3 {
    let total: f64 = old.iter().map(|(w, _)| w).sum();
    if total <= 0.0 {
        return DMat3::IDENTITY;
    }
    let mut b = DMat3::ZERO;
    for (w, f_e) in old {
        b += *f_e * f_e.transpose() * (w / total);
    }
    let (d, v) = symmetric_eigen(b);
    let [low, high] = STRETCH_RANGE.map(DVec3::splat);
    from_principal(d.clamp(low, high).powf(-0.5), v)
}

/// Normalised sum of quaternions, each on the side of the first [CMM16 §3.2]; `None` when they cancel.
pub fn mean_rotation(rotations: &[DQuat]) -> Option<DQuat> {
    let first = *rotations.first()?;
    let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for q in rotations {
        sum += if q.dot(first) < 0.0 { -*q } else { *q };
    }
    (sum.length() >= 1e-3).then(|| sum.normalize())
}

/// Offset along the normals that brings a closed surface to its target volume, to first order [CMM16 §3.3.6].
pub fn volume_offset(volume: f64, area: f64, target: f64) -> f64 {
    (target - volume) / area
}
