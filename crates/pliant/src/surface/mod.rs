//! The surface that people see: a mesh that follows the particles, of fixed topology ([`skin`]) or tracked ([`Tracked`]).
//!
//! # Tracking a surface without particles
//!
//! [`Tracker`] needs no particles and no [`World`](crate::World): whoever has a velocity field of his own, from a fluid or an MPM
//! solver, carries the mesh along it and calls [`Tracker::update`] once a frame. The surface stays closed, manifold and
//! consistently oriented while it stretches, merges, splits and is cut, and takes texture coordinates, colours, parts and
//! rest positions along. `examples/velocity_field.rs` is a longer version of this:
//!
//! ```
//! use glam::Vec3;
//! use pliant::geometry::solids::sphere;
//! use pliant::surface::{Tracker, TrackerSettings, validate::Level};
//!
//! // Two balls that fly towards each other.
//! let mut balls = sphere(1.0, 8);
//! let n = balls.positions.len() as u32;
//! let other: Vec<Vec3> = balls.positions.iter().map(|p| *p + Vec3::X * 2.3).collect();
//! let triangles: Vec<[u32; 3]> = balls.triangles.iter().map(|t| t.map(|v| v + n)).collect();
//! balls.positions.extend(other);
//! balls.triangles.extend(triangles);
//!
//! let mut surface = Tracker::new(&balls, TrackerSettings::new(0.3))?;
//! let velocity = |p: Vec3| Vec3::X * (1.15 - p.x).signum();
//! for _ in 0..30 {
//!     surface.advect(|p| p + velocity(p) / 60.0);
//!     surface.update();
//! }
//! assert_eq!(surface.components().len(), 1, "they have become one");
//! let census = surface.mesh().validate(Level::Everything)?;
//! assert_eq!((census.sheets, census.euler), (1, 2));
//! let mesh = surface.mesh().to_mesh();
//! # assert!(!mesh.triangles.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a frame goes
//!
//! [`Tracker::update`] re-meshes what is out of range and cuts necks before they turn inside out, makes the [`Cut`]s that were asked
//! for, searches for crossings over [`patches`] of triangles, deletes what does not lie on the boundary of the union, joins or fills
//! the holes, names the pieces anew, and keeps their volumes if told to. Every change of topology is made of operations that keep
//! the mesh closed whatever its geometry, and is taken back if the surface crosses itself no less than before.

pub(crate) mod boxes;
pub mod closed_mesh;
pub mod columns;
mod compact;
pub mod components;
pub mod cut;
pub mod detect;
mod events;
pub mod export;
pub mod extract;
mod filling;
mod lines;
mod marks;
mod motions;
mod operations;
mod order;
mod outside;
pub mod patches;
pub mod predicates;
pub mod rays;
mod rebuild;
mod remesh;
pub mod skin;
mod smooth;
mod surgery;
pub mod tear;
#[cfg(test)]
pub(crate) mod testing;
pub mod tracked;
pub mod tracker;
mod unfold;
pub mod validate;
mod volume;

pub use closed_mesh::ClosedMesh;
pub use cut::{Blade, Cut, CutError, CutReport};
pub use events::EventReport;
pub use remesh::RemeshReport;
pub use tear::{Carriers, TearReport};
pub use tracked::Tracked;
pub use tracker::{Tracker, TrackerReport, TrackerSettings};
