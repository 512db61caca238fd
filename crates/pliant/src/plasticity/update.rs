//! The update of F_P that both models share.

use super::{FACTOR_RANGE, Flow, frobenius_flow, log_flow};
use crate::matching::choi_stretch;
use crate::material::{Material, PlasticClamp, PlasticModel, StrainMeasure};
use crate::math::algebra::M3;
use crate::math::lanes::{Wide, dispatch};
use crate::math::strain::exp_strain;
use crate::math::svd::{signed_svd, symmetric_eigen};
use crate::state::Groups;
use glam::{Mat3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// One plastic step of a body.
#[derive(Clone, Copy, Debug)]
pub struct PlasticStep<'a> {
    /// The body's material.
    pub material: &'a Material,
    /// Length of the substep (s).
    pub dt: f32,
}

/// What the update met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlasticReport {
    /// Groups that flowed.
    pub yielding: u32,
    /// Groups whose F_P was beyond repair and was set to the identity.
    pub reset: u32,
}

/// ν of a substep of `dt` seconds: `flow` is the share per 1/60 s, whatever the step.
pub fn flow_per_substep(flow: f32, dt: f32) -> f32 {
    1.0 - libm::powf(1.0 - flow, 60.0 * dt)
}

/// The columns of one group that a plastic step changes, and those it reads.
struct GroupState<'a> {
    f_p: &'a mut Mat3,
    plastic_yield: &'a mut f32,
    alpha: &'a mut f32,
}

/// Lets the groups in `range` flow. `a` holds A of each group from the state pass (all groups of the world).
pub fn plastic_update(
    step: &PlasticStep,
    range: Range<usize>,
    groups: &mut Groups,
    a: &[Mat3],
) -> PlasticReport {
    let material = step.material;
    let elastic = groups.material[range.clone()]
        .iter()
        .all(|m| m.plastic_yield == f32::INFINITY);
    if elastic || range.is_empty() {
        return PlasticReport::default();
    }
    let choi = material.strain == StrainMeasure::Choi;
    let f_e = &groups.f_e[range.clone()];
    let a = &a[range.clone()];
    let a_qq_inv = &groups.a_qq_inv[range.clone()];
    let degenerate = &groups.degenerate[range.clone()];
    let packs = (
        groups.f_p[range.clone()].par_chunks_mut(8),
        groups.material[range.clone()].par_chunks_mut(8),
        groups.alpha[range.clone()].par_chunks_mut(8),
        groups.yielding[range.clone()].par_chunks_mut(8),
        groups.flowed[range.clone()].par_chunks_mut(8),
    );
    packs
        .into_par_iter()
        .with_min_len(8)
        .enumerate()
        .map(|(pack, (f_p, group, alpha, yielding, flowed))| {
            let first = pack * 8;
            let mut report = PlasticReport::default();
            let stretches = if choi {
                std::array::from_fn(|l| {
                    f_p.get(l).map_or((Vec3::ONE, Mat3::IDENTITY), |f_p| {
                        choi_principal(a[first + l], a_qq_inv[first + l], *f_p)
                    })
                })
            } else {
                principal_stretches(&f_e[first..first + f_p.len()])
            };
            for l in 0..f_p.len() {
                let (stretch, axes) = stretches[l];
                let (nu, hardening) = (group[l].plastic_flow, group[l].hardening);
                let mut state = GroupState {
                    f_p: &mut f_p[l],
                    plastic_yield: &mut group[l].plastic_yield,
                    alpha: &mut alpha[l],
                };
                let flow = (!degenerate[first + l])
                    .then(|| flow_group(step, nu, hardening, stretch, axes, &mut state))
                    .flatten();
                yielding[l] = flow.is_some();
                flowed[l] += flow.unwrap_or(0.0);
                report.yielding += u32::from(yielding[l]);
                // Without re-sampling no group can be replaced: a hopeless F_P starts again from nothing, and is counted.
                if !f_p[l].is_finite() || (f_p[l].determinant() - 1.0).abs() > 0.5 {
                    f_p[l] = Mat3::IDENTITY;
                    report.reset += 1;
                }
            }
            report
        })
        .reduce(PlasticReport::default, |x, y| PlasticReport {
            yielding: x.yielding + y.yielding,
            reset: x.reset + y.reset,
        })
}

/// Principal stretches and their axes of up to eight deformations.
#[inline(always)]
fn stretches_kernel<W: Wide>(f_e: &[Mat3]) -> [(Vec3, Mat3); 8] {
    let mut m = [Mat3::IDENTITY; 8];
    m[..f_e.len()].copy_from_slice(f_e);
    let svd = signed_svd(M3::<W>::pack(&m));
    let (sigma, v) = (svd.sigma.unpack(), svd.v.unpack());
    let mut out = [(Vec3::ONE, Mat3::IDENTITY); 8];
    for l in 0..8 {
        out[l] = (sigma[l], v[l]);
    }
    out
}

dispatch! {
    /// Principal stretches and their axes of up to eight deformations; the smallest is negative where one is inverted.
    fn principal_stretches(f_e: &[Mat3]) -> [(Vec3, Mat3); 8] = stretches_kernel
}

/// Stretches of the literal variant: least squares for the rotation of A_pq.
fn choi_principal(a: Mat3, a_qq_inv: Mat3, f_p: Mat3) -> (Vec3, Mat3) {
    let a_qq = f_p * a_qq_inv.inverse() * f_p.transpose();
    symmetric_eigen(choi_stretch(a * f_p.transpose(), a_qq))
}

/// Lets one group flow; returns the plastic strain if it did.
fn flow_group(
    step: &PlasticStep,
    nu: f32,
    hardening: f32,
    stretch: Vec3,
    axes: Mat3,
    state: &mut GroupState,
) -> Option<f32> {
    let nu = flow_per_substep(nu, step.dt);
    let model = step.material.plastic_model;
    let flow = match model {
        PlasticModel::Log => log_flow(stretch, *state.plastic_yield, nu),
        PlasticModel::Frobenius => {
            let y = (*state.plastic_yield + hardening * *state.alpha).max(0.0);
            let flow = frobenius_flow(stretch, y, nu);
            if stretch.is_finite() {
                // Departs from [FJLSB17 Eq. 14]: the stretch, not F_e, is compared with I; a rigid spin must not harden.
                *state.alpha += step.dt * (stretch - Vec3::ONE).length();
            }
            flow
        }
    };
    let flow = flow?;
    let limited = bounded_factor(flow, step.material.clamp, model);
    let limit = step.material.plastic_limit.unwrap_or(f32::INFINITY);
    *state.f_p = limit_condition(*state.f_p, axes, limited, limit);
    if model == PlasticModel::Log {
        // Departs from [CMM16 §3.1]: the yield accumulates; as printed it would drop to zero without hardening.
        *state.plastic_yield += hardening * flow.strain * step.dt;
    }
    Some(limited.abs().max_element())
}

/// ln of the plastic factors within the bounds of one substep.
pub(super) fn bounded_factor(flow: Flow, clamp: PlasticClamp, model: PlasticModel) -> Vec3 {
    let bounds = FACTOR_RANGE.map(libm::logf);
    if model == PlasticModel::Log && clamp == PlasticClamp::Paper {
        return flow
            .log_factor
            .clamp(Vec3::splat(bounds[0]), Vec3::splat(bounds[1]));
    }
    let (low, high) = (flow.log_factor.min_element(), flow.log_factor.max_element());
    // Departs from [CMM16 §3.1]: one exponent for all factors keeps the determinant; clamping each does not. [FJLSB17] has no bound, but
    // a violent step must not ruin a group before it can be replaced.
    flow.log_factor * (bounds[0] / low).min(bounds[1] / high).min(1.0)
}

/// V diag(exp f) Vᵀ F_P with unit determinant.
fn stretched(f_p: Mat3, axes: Mat3, log_factor: Vec3) -> Mat3 {
    let f = axes * Mat3::from_diagonal(exp_strain(log_factor)) * axes.transpose() * f_p;
    f * (1.0 / libm::cbrtf(f.determinant()))
}

/// ‖F‖² below which a matrix of unit determinant cannot have a condition number above `limit`.
fn frobenius_below_limit(limit: f32) -> f32 {
    3.0 * libm::powf((limit * limit + 1.0) / (2.0 * limit), 2.0 / 3.0)
}

fn frobenius_squared(f: Mat3) -> f32 {
    f.x_axis.length_squared() + f.y_axis.length_squared() + f.z_axis.length_squared()
}

/// ln of the condition number.
fn log_condition(f: Mat3) -> f32 {
    let s = signed_svd(M3::from(f)).sigma;
    libm::logf(s.x / s.z.abs().max(1e-12))
}

/// The stretched F_P, with as much of the flow as keeps its condition number at or below `limit`.
fn limit_condition(f_p: Mat3, axes: Mat3, log_factor: Vec3, limit: f32) -> Mat3 {
    let full = stretched(f_p, axes, log_factor);
    if limit == f32::INFINITY || frobenius_squared(full) <= frobenius_below_limit(limit) {
        return full;
    }
    let bound = libm::logf(limit);
    let (before, after) = (log_condition(f_p), log_condition(full));
    if after <= bound || after <= before {
        return full;
    }
    if before >= bound {
        return f_p;
    }
    // ln cond is close to linear in the exponent: false position meets the limit in a few steps.
    let (mut low, mut high) = ((0.0, before - bound), (1.0, after - bound));
    let mut best = f_p;
    for _ in 0..4 {
        let t = low.0 + (high.0 - low.0) * -low.1 / (high.1 - low.1);
        let trial = stretched(f_p, axes, log_factor * t);
        let error = log_condition(trial) - bound;
        if error < 1e-4 {
            best = trial;
        }
        if error <= 0.0 {
            low = (t, error);
        } else {
            high = (t, error);
        }
        if error.abs() < 1e-4 {
            break;
        }
    }
    best
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
