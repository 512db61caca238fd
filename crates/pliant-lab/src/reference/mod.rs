//! Plain f64 references: one slow, single-threaded step per method, written to be read.
//!
//! They are the truth that the engine is tested against, so they share no code with it: sums are loops, decompositions
//! are Jacobi sweeps, contact pairs are found by looking at all pairs, and nothing is kept that can be computed again.
//!
//! This module holds clustered shape matching with plastic flow [CMM16 §3.1] on the particle solver of [MMCK14 §4], without
//! re-sampling and without a surface. The letters of the papers:
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | x, x* | `x`, `pred` | position at the start of a substep, predicted position |
//! | c, R | `center`, `rotation` | placement of a cluster |
//! | q | `q` | rest position of a member, relative to the centre |
//! | F_P | `f_p` | plastic deformation of a cluster's rest shape, det = 1 |
//! | F = F_e F_P | `f` | least-squares deformation from q to x − c |
//! | F_e = R_e S | `f_e` | elastic part; λ are the eigenvalues of S |
//! | K, ν, ε_Y, κ | `stiffness`, `plastic_flow`, `plastic_yield`, `hardening` | material |
//! | n_i | | number of clusters of particle i |
//!
//! | file | content |
//! |---|---|
//! | [`linear`] | 3×3 decompositions |
//! | [`cluster`] | moments, fit and goals of one cluster |
//! | [`plastic`] | yield and flow |
//! | [`contact`] | floor, pairs and friction |
//! | [`body`] | the step |
//! | [`resample`] | the closed formulas of re-sampling |
//! | [`reclustering`] | springs, weighted clusters and reclustering, a method of its own |
//! | [`oriented`] | particles with a turn, another method of its own |

pub mod body;
pub mod cluster;
pub mod contact;
pub mod linear;
pub mod oriented;
pub mod plastic;
pub mod reclustering;
pub mod resample;

#[cfg(test)]
mod tests;

pub use body::{Averaging, Body, Params};
pub use cluster::{Cluster, Fit, Placement};
pub use contact::Plane;
pub use plastic::{Material, PlasticClamp, PlasticModel, StrainMeasure};
