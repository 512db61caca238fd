//! Clustered shape matching with weighted membership and reclustering in an embedded space [FJLSB17 §2–3], in f64.
//!
//! A particle's mass is split over its clusters; springs pull it to the mean of its goals. A cluster whose rest shape has flowed
//! too far fades out. A particle that is about to lose its last cluster seeds a new one, which is built where the
//! surrounding clusters are free of stress, and fades in. Particles never come or go.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | a_ic | `a`, `a0` | raw weight of particle i in cluster c: now, and when fully faded in |
//! | w_ic | `w` | a_ic over the sum of the particle's raw weights |
//! | p_ic | `p` | rest position relative to the cluster's centre; Σ w m p = 0 |
//! | x̄, v̄ | `center`, `velocity` | weighted means over a cluster |
//! | A_xr, A_rr | `a_xr`, `a_rr` | Σ w m (x − x̄) pᵀ, Σ w m p pᵀ |
//! | F_p, α | `f_p`, `alpha` | plastic deformation of the rest shape, cumulative strain |
//! | e, ē | `e`, `center` | positions in the embedded space |
//! | d | `reach` | radius of a cluster |
//! | λ, ν, K | `plastic_yield`, `plastic_flow`, `hardening` | plastic material |
//! | γ, ω of the strain limit | `max_stretch`, `relax` | largest distance from the goal, in cluster widths; relaxation |
//!
//! | file | content |
//! |---|---|
//! | [`kernel`] | weight by distance |
//! | [`clustering`] | the clusters of a body at rest |
//! | [`cluster`] | moments, placement and flow of one cluster |
//! | [`body`] | state and step |
//! | [`strain`] | strain limiting |
//! | [`fade`] | clusters that come and go |
//! | [`local`] | the clusters and particles around a candidate |
//! | [`embed`] | the embedding, and its linearised form |
//! | [`accelerate`] | the embedding by fewer sweeps |
//! | [`create`] | candidates and new clusters |
//! | [`beam`] | the beam of the experiments |
//! | [`experiments`] | what is done to the beam, and what is measured |

pub mod accelerate;
pub mod beam;
pub mod body;
pub mod cluster;
pub mod clustering;
pub mod create;
pub mod embed;
pub mod experiments;
pub mod fade;
pub mod kernel;
pub mod local;
pub mod strain;

#[cfg(test)]
mod tests;

pub use body::{Body, Drive, Params, Plastic, Recluster, StepReport};
pub use cluster::{Cluster, Member, Phase};
pub use clustering::{Clustering, Method};
pub use kernel::Kernel;
