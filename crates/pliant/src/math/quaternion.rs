//! The mean of rotations.

use glam::{Quat, Vec4};

/// Normalised sum of quaternions, each with the sign that puts it on the side of the first [Gramkow 2001].
///
/// `None` when the sum is shorter than 1e-3 of the count, that is when the rotations point in all directions.
pub fn mean_rotation(rotations: impl Iterator<Item = Quat>) -> Option<Quat> {
    let mut first = Vec4::ZERO;
    let mut sum = Vec4::ZERO;
    let mut count = 0.0;
    for q in rotations {
        let q = Vec4::from(q);
        if count == 0.0 {
            first = q;
        }
        sum += if q.dot(first) < 0.0 { -q } else { q };
        count += 1.0;
    }
    (sum.length() > 1e-3 * count).then(|| Quat::from_vec4(sum.normalize()))
}
