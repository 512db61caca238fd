//! The state of every group after a substep: what plasticity, skinning and re-sampling read.

use super::{Fit, Jacobi};
use crate::math::svd::{polar_rotation, symmetric_eigen};
use crate::state::{Groups, Record};
use glam::Mat3;

/// P of group `k`: the rotation of A·P is the rotation of the goals.
pub fn right_factor(groups: &Groups, k: usize, fit: Fit) -> Mat3 {
    match fit {
        // A flat group has no F_e; its best rigid placement still exists.
        Fit::Affine if !groups.degenerate[k] => groups.a_qq_inv[k] * groups.f_p[k].inverse(),
        _ => groups.f_p[k].transpose(),
    }
}

/// Fits every group at the final positions and stores F_e; returns the number of repaired rotations.
///
/// A flat or thin group has no measurable strain across its plane: its F_e is its rotation, so nothing flows.
pub fn state_pass(jacobi: &Jacobi, groups: &mut Groups, pred: &[Record], a: &mut Vec<Mat3>) -> u32 {
    a.resize(groups.len(), Mat3::ZERO);
    let repaired = jacobi.fit_all(groups, pred, a);
    for k in 0..groups.len() {
        groups.f_e[k] = if groups.degenerate[k] {
            Mat3::from_quat(groups.rotation[k])
        } else {
            a[k] * groups.a_qq_inv[k] * groups.f_p[k].inverse()
        };
    }
    repaired
}

/// The least-squares symmetric stretch for the rotation of A_pq [Choi 2014]: S A_qq + A_qq S = Rᵀ A_pq + A_pqᵀ R.
pub fn choi_stretch(a_pq: Mat3, a_qq: Mat3) -> Mat3 {
    let r = polar_rotation(a_pq);
    let rhs = r.transpose() * a_pq;
    let rhs = rhs + rhs.transpose();
    let (d, w) = symmetric_eigen(a_qq);
    let n = w.transpose() * rhs * w;
    let s = Mat3::from_cols(
        n.x_axis / (d + d.x),
        n.y_axis / (d + d.y),
        n.z_axis / (d + d.z),
    );
    w * s * w.transpose()
}
