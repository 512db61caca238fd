//! Solids made of oriented particles \[MC11\], in f64.
//!
//! A particle has a place and a turn. Around each particle a group is formed of it and its neighbours; a group is pulled to the best
//! rigid placement of its rest shape. As every particle adds its own second moment, that placement is determined for chains and sheets
//! too. The turns also place ellipsoids for contacts, and carry the surface.
//!
//! \[MC11\] is cited by the headings of the talk's slides, which have no equation numbers.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | x, q | `pose` | place and turn at the start of a substep |
//! | x_p, q_p | `pred` | predicted place and turn, which groups and contacts move |
//! | x̄, q̄ | `rest` | rest pose; groups have copies of x̄ of their own |
//! | v, ω | `v`, `w` | velocity and spin, in world axes |
//! | c, c̄ | `center`, `rest_center` | centre of mass of a group, now and at rest |
//! | A, Ā | `a`, `a_rest` | moment matrix of a group, and that of its rest shape with itself |
//! | A_i | | moment of a particle about its own centre |
//! | g_i | `goal` | where a group wants particle i |
//! | a, b, c | `radii` | half axes of a particle's ellipsoid |
//! | Σ | `shape` | R diag(a², b², c²) Rᵀ, the ellipsoid in world axes |
//!
//! | file | content |
//! |---|---|
//! | [`pose`] | turns, and their logarithms |
//! | [`particle`] | state of one particle |
//! | [`group`] | moments, placement and pull of one group |
//! | [`plastic`] | rest shapes that flow |
//! | [`integrate`] | prediction and velocities, of first and second order |
//! | [`body`] | the step |
//! | [`ellipsoid`] | support points, and how deep two shapes are in each other |
//! | [`contact`] | what contacts do to particles |
//! | [`skin`] | a mesh that is carried by particles |
//! | [`structure`] | rods, sheets and groups from edges |
//! | [`experiments`] | what is done to bodies, and what is measured |

pub mod body;
pub mod contact;
pub mod ellipsoid;
pub mod experiments;
pub mod group;
pub mod integrate;
pub mod particle;
pub mod plastic;
pub mod pose;
pub mod skin;
pub mod structure;

#[cfg(test)]
mod tests;

pub use body::{Body, Params, StepReport};
pub use contact::Surroundings;
pub use ellipsoid::Ellipsoid;
pub use group::{Group, Member, Turning};
pub use integrate::Order;
pub use particle::Particle;
pub use plastic::Plastic;
pub use pose::Pose;
