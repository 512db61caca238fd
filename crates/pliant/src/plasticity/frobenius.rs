//! The Frobenius model [FJLSB17 Eqs. 10–14].

use super::{Flow, STRETCH_FLOOR};
use crate::math::strain::log_strain;
use glam::Vec3;

/// Flow of principal stretches `stretch` above the yield.
///
/// F* = Σ / (σ₁σ₂σ₃)^⅓, n = ‖F* − I‖, γ = ν (n − y)/n, factors (F*)^γ.
/// Departs from [FJLSB17 Eq. 13]: the yield is subtracted before the product with ν; as printed, flow just above the yield
/// runs backwards when ν < 1.
pub fn frobenius_flow(stretch: Vec3, plastic_yield: f32, flow: f32) -> Option<Flow> {
    let strain = log_strain(stretch, STRETCH_FLOOR)?;
    let deviator = strain - Vec3::splat((strain.x + strain.y + strain.z) / 3.0);
    let f = crate::math::strain::exp_strain(deviator);
    let n = (f - Vec3::ONE).length();
    if n <= plastic_yield || n < 1e-7 {
        return None;
    }
    let gamma = (flow * (n - plastic_yield) / n).clamp(0.0, 1.0);
    Some(Flow {
        log_factor: deviator * gamma,
        strain: n,
    })
}
