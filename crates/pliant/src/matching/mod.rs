//! Shape matching: moments → rotation → goals, for all groups at once [CMM16 §3.1, MHT05].
//!
//! Symbols, per group: members i with weight w_i and local rest position q_i (Σ w q = 0), plastic deformation F_P,
//! centre c = Σ w x / Σ w, A = Σ w (x − c) qᵀ, A_pq = A F_Pᵀ, A_qq0 = Σ w q qᵀ, F = A A_qq0⁻¹, F_e = F F_P⁻¹.
//! The rotation R is that of A_pq (`Fit::Procrustes`: least squares, exerts no torque) or of F_e (`Fit::Affine`, as the
//! paper prints it); goals are g_i = R F_P q_i + c. Both rotations are those of A·P with a matrix P that is constant during
//! a substep, so the kernel knows only P.
//!
//! With [`Averaging::MassWeighted`] a particle's mass is shared among its groups, w_i = m_i / n_i, which makes the sum of
//! all corrections exactly momentum-free; with [`Averaging::Count`] every group sees the whole mass, as in the paper. A group
//! that comes or goes has a fade a < 1: the mass is then shared as m_i a_k / Σ a, and because a_k is common to all members of the
//! group, its sums may leave it out: w_i = m_i / Σ a.

mod jacobi;
mod kernel;
mod state_pass;

pub use jacobi::{Jacobi, JacobiReport, MatchedBody};
pub use state_pass::{choi_stretch, right_factor, state_pass};

/// Which rotation places the goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// The rotation of A_pq, the least-squares one.
    #[default]
    Procrustes,
    /// The rotation of F_e, that of the best affine fit.
    Affine,
}

/// How the corrections of several groups to one particle are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// A particle's mass is split over its groups; linear momentum is exact.
    #[default]
    MassWeighted,
    /// Plain mean of the corrections [CMM16 §3.1].
    Count,
}
