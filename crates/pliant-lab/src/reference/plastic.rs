//! Yield and flow of one cluster: which part of the elastic stretch moves into the rest shape.

use super::linear::{from_principal, signed_svd, symmetric_eigen};
use glam::{DMat3, DVec3};

/// Which measure of strain decides about flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlasticModel {
    /// Largest principal logarithmic strain [CMM16 §3.1].
    #[default]
    Log,
    /// Frobenius norm of the volume-free stretch minus identity [FJLSB17 Eqs. 10–14].
    Frobenius,
}

/// Where the stretch of a cluster comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainMeasure {
    /// Polar factor of F_e.
    #[default]
    Polar,
    /// Least-squares stretch for the polar rotation of A_pq, the literal reading of [CMM16 Eq. 5].
    Choi,
}

/// How the flow of one substep is bounded to stretches in [0.8, 1.2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlasticClamp {
    /// One smaller exponent for all three factors: the determinant stays one.
    #[default]
    Exponent,
    /// Each factor by itself as printed in [CMM16 §3.1], then the determinant is renormalised.
    Paper,
}

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// K at the reference step (1/240 s, 4 iterations).
    pub stiffness: f64,
    /// ε_Y, or λ of the Frobenius model; infinite = elastic.
    pub plastic_yield: f64,
    /// ν per 1/60 s.
    pub plastic_flow: f64,
    /// κ, or K_h of the Frobenius model, in 1/s.
    pub hardening: f64,
    /// Yield and flow rule.
    pub plastic_model: PlasticModel,
    /// Source of the stretch.
    pub strain: StrainMeasure,
    /// Bound of one substep's flow; the Frobenius model has none.
    pub clamp: PlasticClamp,
    /// Largest condition number of F_P; infinite = no limit.
    pub plastic_limit: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            stiffness: 0.9,
            plastic_yield: 1e-4,
            plastic_flow: 0.9,
            hardening: 0.0,
            plastic_model: PlasticModel::Log,
            strain: StrainMeasure::Polar,
            clamp: PlasticClamp::Exponent,
            plastic_limit: 4.0,
        }
    }
}

/// Stretch below which the logarithmic model does not flow.
pub const LOG_STRETCH_FLOOR: f64 = 1e-3;
/// Stretch below which the Frobenius model does not flow.
pub const FROBENIUS_STRETCH_FLOOR: f64 = 1e-4;
/// Largest |ln d| at which a stretch counts as a pure change of volume.
const DEVIATOR_FLOOR: f64 = 1e-9;
/// Bounds of one substep's plastic factors [CMM16 §3.1].
pub const FACTOR_RANGE: [f64; 2] = [0.8, 1.2];

/// Flow of one substep before any bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The strain that was compared with the yield.
    pub strain: f64,
    /// γ in [0, 1].
    pub gamma: f64,
    /// ln d, the logarithm of the volume-free stretches; its sum is zero.
    pub deviator: DVec3,
}

impl Flow {
    /// d^γ.
    pub fn factors(&self) -> DVec3 {
        (self.deviator * self.gamma).exp()
    }

    /// The same flow with γ reduced until all factors lie in [0.8, 1.2].
    ///
    /// Departs from [CMM16 §3.1]: a clamp of each factor changes the determinant, one exponent for all does not.
    #[must_use]
    pub fn limited(&self) -> Self {
        let [low, high] = FACTOR_RANGE.map(f64::ln);
        let limit = (low / self.deviator.min_element()).min(high / self.deviator.max_element());
        Self {
            gamma: self.gamma.min(limit),
            ..*self
        }
    }

    /// d^γ with each factor clamped to [0.8, 1.2], as printed in [CMM16 §3.1]. Their product is not one.
    pub fn clamped_factors(&self) -> DVec3 {
        let [low, high] = FACTOR_RANGE.map(DVec3::splat);
        self.factors().clamp(low, high)
    }
}

/// ν of a substep of `dt` seconds; ν is given per 1/60 s.
pub fn flow_per_substep(plastic_flow: f64, dt: f64) -> f64 {
    1.0 - (1.0 - plastic_flow).powf(60.0 * dt)
}

/// Flow of the principal stretches λ in the logarithmic model; `None` below the yield and where strain has no meaning.
///
/// e = max |ln λ|, γ = ν (e − ε_Y)/e, d = λ/(λ₁λ₂λ₃)^⅓ [CMM16 §3.1, Eq. 6].
/// Departs from the text: γ ≥ 0, else strain below the yield would flow backwards; |Λ| is the determinant.
pub fn log_flow(stretch: DVec3, plastic_yield: f64, nu: f64) -> Option<Flow> {
    if stretch.min_element() < LOG_STRETCH_FLOOR {
        return None;
    }
    let strain = stretch.ln();
    let e = strain.abs().max_element();
    let deviator = volume_free(strain);
    if e <= plastic_yield || deviator.abs().max_element() < DEVIATOR_FLOOR {
        return None;
    }
    Some(Flow {
        strain: e,
        gamma: (nu * (e - plastic_yield) / e).min(1.0),
        deviator,
    })
}

/// Flow in the Frobenius model: F* = Σ/(det Σ)^⅓, n = ‖F* − I‖, γ = ν (n − y)/n [FJLSB17 Eqs. 10–13].
///
/// Departs from [FJLSB17 Eq. 13]: ν multiplies the whole excess.
pub fn frobenius_flow(stretch: DVec3, plastic_yield: f64, nu: f64) -> Option<Flow> {
    if stretch.min_element() < FROBENIUS_STRETCH_FLOOR {
        return None;
    }
    let deviator = volume_free(stretch.ln());
    let n = (deviator.exp() - DVec3::ONE).length();
    if n <= plastic_yield || deviator.abs().max_element() < DEVIATOR_FLOOR {
        return None;
    }
    Some(Flow {
        strain: n,
        gamma: (nu * (n - plastic_yield) / n).clamp(0.0, 1.0),
        deviator,
    })
}

fn volume_free(strain: DVec3) -> DVec3 {
    strain - DVec3::splat(strain.element_sum() / 3.0)
}

/// F_P ← V diag(factors) Vᵀ F_P [CMM16 Eq. 6], scaled to a unit determinant.
pub fn stretched(f_p: DMat3, axes: DMat3, factors: DVec3) -> DMat3 {
    let f = from_principal(factors, axes) * f_p;
    f * (1.0 / f.determinant().cbrt())
}

/// [`stretched`] with as much of the flow as keeps cond(F_P) at or below `limit`.
///
/// ln cond is convex in the share of the flow (ln σ_max of V d^γ Vᵀ F_P and of its inverse are), so a start below the limit and
/// an end above it enclose exactly one crossing.
pub fn stretched_within(f_p: DMat3, axes: DMat3, factors: DVec3, limit: f64) -> DMat3 {
    let at = |share: f64| stretched(f_p, axes, (factors.ln() * share).exp());
    let cond = |f: DMat3| signed_svd(f).condition();
    let full = at(1.0);
    if cond(full) <= limit.max(cond(f_p)) {
        return full;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if cond(at(middle)) <= limit {
            low = middle;
        } else {
            high = middle;
        }
    }
    if low == 0.0 { f_p } else { at(low) }
}

/// The symmetric S that fits R S A_qq to A_pq best: S A_qq + A_qq S = Rᵀ A_pq + A_pqᵀ R [CMM16 Eq. 5].
pub fn least_squares_stretch(rotation: DMat3, a_pq: DMat3, a_qq: DMat3) -> DMat3 {
    let (mu, e) = symmetric_eigen(a_qq);
    let right = rotation.transpose() * a_pq;
    let right = e.transpose() * (right + right.transpose()) * e;
    // In the axes of A_qq each entry stands alone.
    let column = |j: usize| right.col(j) / (mu + DVec3::splat(mu[j]));
    e * DMat3::from_cols(column(0), column(1), column(2)) * e.transpose()
}

/// The part of a cluster's state that flow changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlasticState {
    /// F_P.
    pub f_p: DMat3,
    /// ε_Y.
    pub plastic_yield: f64,
    /// α, the accumulated strain of the Frobenius model.
    pub alpha: f64,
}

/// Lets one cluster of principal stretches `stretch` along `axes` flow for `dt` seconds; says whether it did.
pub fn flow(
    state: &mut PlasticState,
    stretch: DVec3,
    axes: DMat3,
    material: &Material,
    dt: f64,
) -> bool {
    let nu = flow_per_substep(material.plastic_flow, dt);
    let (flow, factors) = match material.plastic_model {
        PlasticModel::Log => {
            let Some(flow) = log_flow(stretch, state.plastic_yield, nu) else {
                return false;
            };
            // Departs from [CMM16 §3.1]: the yield accumulates; as printed it would become zero without hardening.
            state.plastic_yield += material.hardening * flow.strain * dt;
            let factors = match material.clamp {
                PlasticClamp::Exponent => flow.limited().factors(),
                PlasticClamp::Paper => flow.clamped_factors(),
            };
            (flow, factors)
        }
        PlasticModel::Frobenius => {
            let y = (state.plastic_yield + material.hardening * state.alpha).max(0.0);
            let flow = frobenius_flow(stretch, y, nu);
            // Departs from [FJLSB17 Eq. 14]: the stretch, not F_e, is compared with I, so that a rigid turn does not harden.
            state.alpha += dt * (stretch - DVec3::ONE).length();
            let Some(flow) = flow else { return false };
            (flow, flow.factors())
        }
    };
    // ν = 0 must leave F_P alone to the last bit; the determinant's renormalisation would not.
    if flow.gamma > 0.0 {
        state.f_p = stretched_within(state.f_p, axes, factors, material.plastic_limit);
    }
    true
}
