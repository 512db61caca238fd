//! The logarithmic model [CMM16 §3.1, Eq. 6].

use super::{Flow, STRETCH_FLOOR};
use crate::math::strain::log_strain;
use glam::Vec3;

/// Flow of principal stretches `stretch` above the yield strain.
///
/// e = max |ln λ|, γ = ν (e − ε_Y)/e, factors d^γ with d = λ / (λ₁λ₂λ₃)^⅓.
/// Departs from [CMM16 §3.1]: γ is also bounded from below by 0, else strain below the yield would flow backwards;
/// |Λ| is read as the determinant, which a unit determinant needs.
pub fn log_flow(stretch: Vec3, plastic_yield: f32, flow: f32) -> Option<Flow> {
    let strain = log_strain(stretch, STRETCH_FLOOR)?;
    let e = strain.abs().max_element();
    if e <= plastic_yield {
        return None;
    }
    let deviator = strain - Vec3::splat((strain.x + strain.y + strain.z) / 3.0);
    // A pure change of volume has nothing to flow along. f32 logarithms are good to about 1e-7.
    if deviator.abs().max_element() < 1e-7 {
        return None;
    }
    let gamma = (flow * (e - plastic_yield) / e).min(1.0);
    Some(Flow {
        log_factor: deviator * gamma,
        strain: e,
    })
}
