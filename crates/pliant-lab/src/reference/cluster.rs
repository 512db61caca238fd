//! One cluster: its moments, its best rigid placement and the goals of its members.

use super::linear::{from_principal, outer, signed_svd, symmetric_eigen};
use super::plastic::{Material, PlasticState, StrainMeasure, flow, least_squares_stretch};
use glam::{DMat3, DVec3};

/// Which rotation places the rest shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Polar factor of A_pq: the least-squares rotation, which keeps angular momentum.
    #[default]
    Procrustes,
    /// Polar factor of F_e [CMM16 §3.1].
    Affine,
}

/// Eigenvalue of A_qq, relative to the largest, below which a cluster has no extent along that axis.
const FLAT: f64 = 1e-6;

/// Members, rest shape, plastic state, and the placement found by the last state pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Particle indices.
    pub members: Vec<usize>,
    /// Mass with which each member enters every sum of this cluster: m_i/n_i or m_i.
    pub weights: Vec<f64>,
    /// Rest positions; Σ weight·q = 0.
    pub q: Vec<DVec3>,
    /// F_P.
    pub f_p: DMat3,
    /// ε_Y of this cluster.
    pub plastic_yield: f64,
    /// α of the Frobenius model.
    pub alpha: f64,
    /// Whether the members lie in a plane, on a line or in a point: no plasticity then.
    pub degenerate: bool,
    /// c.
    pub center: DVec3,
    /// R of the goals.
    pub rotation: DMat3,
    /// F, which does not depend on F_P.
    pub f: DMat3,
    /// F_e = F F_P⁻¹, after the plastic flow of the last substep.
    pub f_e: DMat3,
}

/// How a cluster lies in a set of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// c = Σ m x / Σ m.
    pub center: DVec3,
    /// R of the goals.
    pub rotation: DMat3,
    /// A_pq = (Σ m (x − c) qᵀ) F_Pᵀ.
    pub a_pq: DMat3,
    /// A_qq = F_P (Σ m q qᵀ) F_Pᵀ.
    pub a_qq: DMat3,
    /// F = (Σ m (x − c) qᵀ) (Σ m q qᵀ)⁻¹.
    pub f: DMat3,
    /// F_e = F F_P⁻¹ = A_pq A_qq⁻¹.
    pub f_e: DMat3,
}

impl Cluster {
    /// A cluster at rest: q relative to the weighted centre of `positions` (one a member), F_P = I.
    pub fn new(
        members: Vec<usize>,
        weights: Vec<f64>,
        positions: &[DVec3],
        plastic_yield: f64,
    ) -> Self {
        let center = weighted_mean(&weights, positions);
        let q: Vec<DVec3> = positions.iter().map(|x| x - center).collect();
        let (mu, _) = symmetric_eigen(rest_moments(&weights, &q));
        Self {
            members,
            weights,
            q,
            f_p: DMat3::IDENTITY,
            plastic_yield,
            alpha: 0.0,
            degenerate: mu.min_element() <= FLAT * mu.max_element(),
            center,
            rotation: DMat3::IDENTITY,
            f: DMat3::IDENTITY,
            f_e: DMat3::IDENTITY,
        }
    }

    /// Best placement of the rest shape in `x`, the positions of all particles [CMM16 §3.1].
    pub fn place(&self, x: &[DVec3], fit: Fit) -> Placement {
        let here: Vec<DVec3> = self.members.iter().map(|&i| x[i]).collect();
        let center = weighted_mean(&self.weights, &here);
        let mut a = DMat3::ZERO;
        for ((x, q), m) in here.iter().zip(&self.q).zip(&self.weights) {
            a += outer((x - center) * *m, *q);
        }
        let a_qq0 = rest_moments(&self.weights, &self.q);
        let a_pq = a * self.f_p.transpose();
        let procrustes = signed_svd(a_pq).rotation();
        let f = if self.degenerate {
            // Along axes without extent nothing is known: the deformation there is the rotation alone.
            let (inverse, missing) = pseudo_inverse(a_qq0);
            a * inverse + procrustes * missing
        } else {
            a * a_qq0.inverse()
        };
        let f_e = f * self.f_p.inverse();
        Placement {
            center,
            rotation: match fit {
                Fit::Procrustes => procrustes,
                // A flat cluster has a meaningful rotation only in the least-squares sense.
                Fit::Affine if self.degenerate => procrustes,
                Fit::Affine => signed_svd(f_e).rotation(),
            },
            a_pq,
            a_qq: self.f_p * a_qq0 * self.f_p.transpose(),
            f,
            f_e,
        }
    }

    /// g_i = R F_P q_i + c of each member [CMM16 §3.1].
    pub fn goals(&self, place: &Placement) -> Vec<DVec3> {
        let map = place.rotation * self.f_p;
        self.q.iter().map(|q| map * *q + place.center).collect()
    }

    /// Σ m q qᵀ.
    pub fn rest_moments(&self) -> DMat3 {
        rest_moments(&self.weights, &self.q)
    }

    /// Principal stretches λ and their axes in the rest frame.
    pub fn principal_stretches(place: &Placement, strain: StrainMeasure) -> (DVec3, DMat3) {
        match strain {
            StrainMeasure::Polar => {
                let svd = signed_svd(place.f_e);
                (svd.sigma, svd.v)
            }
            StrainMeasure::Choi => {
                let rotation = signed_svd(place.a_pq).rotation();
                symmetric_eigen(least_squares_stretch(rotation, place.a_pq, place.a_qq))
            }
        }
    }

    /// Stores the placement in `x` and lets the cluster flow for `dt` seconds. Says whether F_P was beyond repair and reset.
    pub fn update_state(&mut self, x: &[DVec3], fit: Fit, material: &Material, dt: f64) -> bool {
        let place = self.place(x, fit);
        self.center = place.center;
        self.rotation = place.rotation;
        self.f = place.f;
        if !self.degenerate {
            let (stretch, axes) = Self::principal_stretches(&place, material.strain);
            let mut state = PlasticState {
                f_p: self.f_p,
                plastic_yield: self.plastic_yield,
                alpha: self.alpha,
            };
            flow(&mut state, stretch, axes, material, dt);
            self.f_p = state.f_p;
            self.plastic_yield = state.plastic_yield;
            self.alpha = state.alpha;
        }
        // Without re-sampling a cluster cannot be replaced: a hopeless rest shape starts again.
        let reset = !self.f_p.is_finite()
            || (self.f_p.determinant() - 1.0).abs() > 0.5
            || signed_svd(self.f_p).condition() > 1e3;
        if reset {
            self.f_p = DMat3::IDENTITY;
        }
        self.f_e = self.f * self.f_p.inverse();
        reset
    }
}

/// Summed relative to the first position: far from the origin rounding would move the whole cluster, always the same way.
fn weighted_mean(weights: &[f64], x: &[DVec3]) -> DVec3 {
    let origin = x.first().copied().unwrap_or_default();
    let total: f64 = weights.iter().sum();
    let offset: DVec3 = weights.iter().zip(x).map(|(m, x)| (x - origin) * *m).sum();
    origin + offset / total
}

fn rest_moments(weights: &[f64], q: &[DVec3]) -> DMat3 {
    let mut a = DMat3::ZERO;
    for (m, q) in weights.iter().zip(q) {
        a += outer(*q * *m, *q);
    }
    a
}

/// Inverse of a symmetric matrix on its range, and the projector on the rest.
fn pseudo_inverse(a: DMat3) -> (DMat3, DMat3) {
    let (mu, e) = symmetric_eigen(a);
    let known = mu.cmpgt(DVec3::splat(FLAT * mu.max_element()));
    let inverse = DVec3::select(known, mu.recip(), DVec3::ZERO);
    let missing = DVec3::select(known, DVec3::ZERO, DVec3::ONE);
    (from_principal(inverse, e), from_principal(missing, e))
}
