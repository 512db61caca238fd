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
//!
//! Members may also weigh differently: a group has a raw weight a_ik of each, W_i is the sum of a mover's raw weights times the fades of
//! the groups, and the mass is shared as m_i a_ik / W_i [FJLSB17 Eq. 7]. Equal weights are the case a_ik = 1.
//!
//! Goals become motion in one of two ways ([`Dynamics`]): positions move to them in every iteration, or springs pull velocities to them
//! once a substep, and what is still strained too much afterwards is drawn back. Both use the same pass over groups.

mod jacobi;
mod kernel;
mod sequential;
mod state_pass;

pub use jacobi::{Jacobi, JacobiReport, MatchedBody};
pub(crate) use kernel::{Listed, sweep};
pub use sequential::{Creep, Order, Sequential, SequentialBody, Turning};
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

/// How goals become motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Dynamics {
    /// Positions move to their goals [MHT05, MMCK14].
    #[default]
    Positions,
    /// Springs pull to the goals, and strain is limited [FJLSB17 §3].
    Springs(Springs),
}

/// How far strain travels in a substep, in radii of groups.
const SOUND: f32 = 0.38;

/// How springs pull. Shares are those of one substep, the step of the paper: more substeps make a body stiffer, by their square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Springs {
    /// Share of the way to its goal that a particle is sped up to go in one substep, 0 to 1.
    pub goal: f32,
    /// Share of the difference to the mean velocity of its groups that a particle loses in one substep, 0 to 1.
    pub damping: f32,
    /// How far a particle may be from its goals, in widths of the groups.
    pub max_stretch: f32,
    /// Share of what is beyond that is taken back in one sweep, 0 to 1.
    pub relax: f32,
    /// Sweeps of strain limiting in a substep.
    pub sweeps: u32,
}

impl Springs {
    /// What is wrong with the numbers, if anything.
    pub fn complaint(&self) -> Option<&'static str> {
        let shares = [
            (self.goal, "goal must be from 0 to 1"),
            (self.damping, "damping must be from 0 to 1"),
            (self.relax, "relax must be from 0 to 1"),
        ];
        if !(self.max_stretch >= 0.0 && self.max_stretch.is_finite()) {
            return Some("max_stretch must not be negative");
        }
        let wrong = shares.iter().find(|(x, _)| !(0.0..=1.0).contains(x));
        wrong.map(|(_, complaint)| *complaint)
    }

    /// About how much a column of `height` is compressed at its foot by its weight, if groups have a radius of `reach` and a substep takes
    /// `h` seconds: gravity times height over the square of the speed of sound.
    ///
    /// A particle goes to its goal in one substep, so strain travels by about a group in that time, weakened towards its rim: 0.38
    /// radii, as measured on a cube that was set on the floor.
    pub fn strain_of_weight(&self, reach: f32, height: f32, gravity: f32, h: f32) -> f32 {
        let speed = SOUND * reach * self.goal.sqrt() / h;
        gravity * height / (speed * speed)
    }
}

impl Default for Springs {
    fn default() -> Self {
        Self {
            goal: 1.0,
            damping: 0.0,
            max_stretch: 0.1,
            relax: 1.0,
            sweeps: 8,
        }
    }
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
