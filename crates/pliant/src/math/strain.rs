//! Logarithmic (Hencky) strain of principal stretches.

use glam::Vec3;

/// Natural logarithms of the principal stretches; `None` if one is below `floor` (crushed or turned inside out).
pub fn log_strain(stretch: Vec3, floor: f32) -> Option<Vec3> {
    // Written so that NaN fails too.
    if stretch.min_element() >= floor && stretch.is_finite() {
        Some(Vec3::new(
            libm::logf(stretch.x),
            libm::logf(stretch.y),
            libm::logf(stretch.z),
        ))
    } else {
        None
    }
}

/// Entrywise exponential: stretches of a logarithmic strain.
pub fn exp_strain(strain: Vec3) -> Vec3 {
    Vec3::new(
        libm::expf(strain.x),
        libm::expf(strain.y),
        libm::expf(strain.z),
    )
}
