//! The mean of rotations.

use glam::{Quat, Vec4};

/// Normalised weighted sum of quaternions, each with the sign that puts it on the side of the first [Gramkow 2001].
///
/// `None` when the sum is shorter than 1e-3 of the weights, that is when the rotations point in all directions.
pub fn mean_rotation(rotations: impl Iterator<Item = (Quat, f32)>) -> Option<Quat> {
    let mut first = Vec4::ZERO;
    let mut sum = Vec4::ZERO;
    let mut weight = 0.0;
    for (q, w) in rotations {
        let q = Vec4::from(q);
        if weight == 0.0 {
            first = q;
        }
        sum += if q.dot(first) < 0.0 { -w } else { w } * q;
        weight += w;
    }
    (sum.length() > 1e-3 * weight).then(|| Quat::from_vec4(sum.normalize()))
}
