//! What the simulation is made of: movers, groups and surfaces, as structures of arrays.
//!
//! ```text
//!  movers   points     particles                                         x v m
//!           oriented   what those with a rotation have besides           q ω radii
//!           rigids     rigid bodies and projectiles                       x v m q ω inertia
//!  groups   sets of movers with local rest positions, a plastic deformation and a fitted rotation
//!           group → movers in blocks of eight lanes, mover → groups as CSR
//!  rings    groups over particles with a rotation, applied one after the other
//!  surface  what people see, skinned to movers
//! ```
//! Outside, a mover is known by a stable id; inside, by a dense index that is valid for one step. Whatever moves indices
//! makes a [`Remap`], and [`remap`] is the one place that applies it.

mod csr;
mod groups;
mod ids;
mod movers;
pub mod remap;
mod rings;
mod surface;

pub use csr::Csr;
pub use groups::{Fading, GroupMaterial, Groups, Member, MemberBlock};
pub use ids::{BodyId, ParticleId};
pub use movers::{Ellipsoid, NO_PIECE, Oriented, Points, Record, Rigids};
pub use remap::Remap;
pub use rings::{NO_LEAD, Rings};
pub use surface::{Blend, Carriers, Hanging, SKIN_INFLUENCES, Skin, Skinned, Surface};
