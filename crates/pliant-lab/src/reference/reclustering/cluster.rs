//! One cluster: its weighted members, how it lies in a set of positions, and how its rest shape flows.

use super::super::cluster::Fit;
use super::super::linear::{Svd, from_principal, outer, signed_svd, symmetric_eigen};
use super::super::plastic::{flow_per_substep, frobenius_flow, stretched};
use super::body::Plastic;
use glam::{DMat3, DVec3};

/// Eigenvalue of A_rr, relative to the largest, below which a cluster has no extent along that axis. Relative, since A_rr
/// scales with the weights while a cluster fades.
const FLAT: f64 = 1e-9;

/// One particle in one cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Index of the particle.
    pub particle: usize,
    /// Raw weight, as faded as the cluster is.
    pub a: f64,
    /// Raw weight of the cluster when fully there: when faded in, or when it began to fade out.
    pub a0: f64,
    /// Share of the particle that belongs to the cluster.
    pub w: f64,
    /// Rest position relative to the cluster's centre.
    pub p: DVec3,
}

/// Whether a cluster comes, stays or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has its full weight.
    Alive,
    /// It has had so many steps of fading in.
    FadingIn(usize),
    /// It has `left` steps of `total` before it is gone.
    FadingOut {
        /// Steps that are left.
        left: usize,
        /// Steps of the whole fade.
        total: usize,
    },
}

/// A set of particles with a rest shape that may flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Stable; never used again.
    pub id: u64,
    /// Sorted by particle.
    pub members: Vec<Member>,
    /// F_p, of determinant one.
    pub f_p: DMat3,
    /// F_p after the flow of this step; it takes effect at the end of the step.
    pub f_p_next: DMat3,
    /// α.
    pub alpha: f64,
    /// Comes, stays or goes.
    pub phase: Phase,
    /// M = Σ w m; zero before the first step of fading in.
    pub mass: f64,
    /// A_rr⁻¹, on the range of A_rr.
    pub rest_inverse: DMat3,
    /// Projector on the axes along which the cluster has no extent.
    pub missing: DMat3,
    /// Whether the members are fewer than four or lie in a plane, on a line or in a point: no plasticity then.
    pub degenerate: bool,
    /// Largest |p|.
    pub width: f64,
}

/// How a cluster lies in a set of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// x̄ [FJLSB17 Eq. 7].
    pub center: DVec3,
    /// R of the goals.
    pub rotation: DMat3,
    /// F_e = A_xr A_rr⁻¹ F_p⁻¹ [FJLSB17 Eq. 15].
    pub f_e: DMat3,
    /// Its decomposition; strain comes from here whatever the rotation of the goals.
    pub svd: Svd,
}

impl Cluster {
    /// A cluster of full weight with rest positions `p` relative to any origin; shares and moments are left to the body.
    pub fn new(id: u64, members: impl IntoIterator<Item = (usize, f64, DVec3)>) -> Self {
        let member = |(particle, a, p)| Member {
            particle,
            a,
            a0: a,
            w: 0.0,
            p,
        };
        Self {
            id,
            members: members.into_iter().map(member).collect(),
            f_p: DMat3::IDENTITY,
            f_p_next: DMat3::IDENTITY,
            alpha: 0.0,
            phase: Phase::Alive,
            mass: 0.0,
            rest_inverse: DMat3::IDENTITY,
            missing: DMat3::ZERO,
            degenerate: false,
            width: 0.0,
        }
    }

    /// Whether the cluster will be there once all fades are over.
    pub fn survives(&self) -> bool {
        !matches!(self.phase, Phase::FadingOut { .. })
    }

    /// σ_max/σ_min of F_p.
    pub fn condition(&self) -> f64 {
        signed_svd(self.f_p).condition()
    }

    /// Renews what follows from shares and members: M, centred p, A_rr⁻¹ and width. `m` are the masses of all particles.
    pub fn rebuild(&mut self, m: &[f64]) {
        self.mass = self.members.iter().map(|k| k.w * m[k.particle]).sum();
        if self.mass <= 0.0 {
            return;
        }
        // A change of weights moves the centre, and rest positions are relative to it.
        let moments = |k: &Member| k.p * (k.w * m[k.particle]);
        let shift = self.members.iter().map(moments).sum::<DVec3>() / self.mass;
        let mut a_rr = DMat3::ZERO;
        self.width = 0.0;
        for k in &mut self.members {
            k.p -= shift;
            a_rr += outer(k.p * (k.w * m[k.particle]), k.p);
            self.width = self.width.max(k.p.length());
        }
        let range = Range::of(a_rr);
        self.rest_inverse = range.inverse;
        self.missing = range.missing;
        self.degenerate = self.members.len() < 4 || range.missing != DMat3::ZERO;
        if self.degenerate {
            // What a flat set of points says about flow across it means nothing.
            self.f_p = DMat3::IDENTITY;
            self.f_p_next = DMat3::IDENTITY;
        }
    }

    /// The mean of `value` over the members.
    pub fn mean(&self, m: &[f64], value: &[DVec3]) -> DVec3 {
        // Relative to the first member: far from the origin rounding would move the whole cluster, always the same way.
        let origin = self
            .members
            .first()
            .map_or(DVec3::ZERO, |k| value[k.particle]);
        let offset = |k: &Member| (value[k.particle] - origin) * (k.w * m[k.particle]);
        origin + self.members.iter().map(offset).sum::<DVec3>() / self.mass
    }

    /// How the cluster lies in `x` [FJLSB17 Eqs. 3, 7, 9, 15]; `None` while it has no mass.
    pub fn place(&self, m: &[f64], x: &[DVec3], fit: Fit) -> Option<Placement> {
        if self.mass <= 0.0 {
            return None;
        }
        let center = self.mean(m, x);
        let mut a_xr = DMat3::ZERO;
        for k in &self.members {
            a_xr += outer((x[k.particle] - center) * (k.w * m[k.particle]), k.p);
        }
        let procrustes = || signed_svd(a_xr * self.f_p.transpose()).rotation();
        let mut f = a_xr * self.rest_inverse;
        if self.degenerate {
            f += procrustes() * self.missing;
        }
        let f_e = f * self.f_p.inverse();
        let svd = signed_svd(f_e);
        let affine = fit == Fit::Affine && !self.degenerate;
        let rotation = if affine { svd.rotation() } else { procrustes() };
        Some(Placement {
            center,
            rotation,
            f_e,
            svd,
        })
    }

    /// Lets the rest shape flow for `dt` seconds; the result waits in `f_p_next`.
    ///
    /// F* = Σ/(det Σ)^⅓, F_p ← V (F*)^γ Vᵀ F_p [FJLSB17 Eqs. 10–14]. Departs from the print as `frobenius_flow` and `stretched`
    /// do, and bounds the factors of one step to [0.8, 1.2], so that a violent step cannot ruin a rest shape.
    pub fn flow(&mut self, place: &Placement, plastic: &Plastic, dt: f64) {
        self.f_p_next = self.f_p;
        if self.degenerate {
            return;
        }
        let y = (plastic.plastic_yield + plastic.hardening * self.alpha).max(0.0);
        let nu = flow_per_substep(plastic.plastic_flow, dt);
        let sigma = place.svd.sigma;
        self.alpha += dt * (sigma - DVec3::ONE).length();
        let Some(flow) = frobenius_flow(sigma, y, nu) else {
            return;
        };
        if flow.gamma > 0.0 {
            self.f_p_next = stretched(self.f_p, place.svd.v, flow.limited().factors());
        }
    }
}

/// A symmetric matrix split into where it can be inverted and where not.
pub(super) struct Range {
    /// The inverse on the range.
    pub(super) inverse: DMat3,
    /// The projector on the rest; exactly zero for a regular matrix.
    pub(super) missing: DMat3,
}

impl Range {
    pub(super) fn of(a: DMat3) -> Self {
        let (mu, axes) = symmetric_eigen(a);
        let known = mu.cmpge(DVec3::splat(FLAT * mu.max_element())) & mu.cmpgt(DVec3::ZERO);
        if known.all() {
            return Self {
                inverse: from_principal(mu.recip(), axes),
                missing: DMat3::ZERO,
            };
        }
        let inverse = DVec3::select(known, mu.recip(), DVec3::ZERO);
        let missing = DVec3::select(known, DVec3::ZERO, DVec3::ONE);
        Self {
            inverse: from_principal(inverse, axes),
            missing: from_principal(missing, axes),
        }
    }
}
