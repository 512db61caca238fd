//! Plastic flow: part of a group's elastic stretch is moved into its rest shape F_P, once per substep.
//!
//! Both models answer the same question (given the principal stretches λ of F_e and the yield, by which factors does the
//! rest shape stretch along the same axes?), so the rest of the update exists once: F_P ← V diag(factor) Vᵀ F_P with
//! the determinant kept at one, the condition number kept below the material's limit, and hardening.

mod frobenius;
mod log;
mod update;

pub use update::{PlasticReport, PlasticStep, flow_per_substep, plastic_update};

use glam::Vec3;

/// Below this stretch a group is crushed and its strain has no meaning: it does not flow.
pub const STRETCH_FLOOR: f32 = 1e-3;

/// Bounds of the stretch that may flow in one substep [CMM16 §3.1].
pub const FACTOR_RANGE: [f32; 2] = [0.8, 1.2];

/// Flow of one substep: logarithms of the factors along the principal axes, before any limit. Their sum is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// ln of each factor.
    pub log_factor: Vec3,
    /// The measure of strain that was compared with the yield.
    pub strain: f32,
}

pub use frobenius::frobenius_flow;
pub use log::log_flow;
