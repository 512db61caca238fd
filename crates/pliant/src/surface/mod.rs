//! The surface that people see: a mesh that follows the particles.

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
mod operations;
mod outside;
pub mod patches;
pub mod predicates;
pub mod rays;
mod rebuild;
mod remesh;
pub mod skin;
mod surgery;
pub mod tear;
#[cfg(test)]
pub(crate) mod testing;
pub mod tracked;
pub mod tracker;
pub mod validate;
mod volume;

pub use closed_mesh::ClosedMesh;
pub use cut::{Blade, Cut, CutError, CutReport};
pub use events::EventReport;
pub use remesh::RemeshReport;
pub use tear::{Carriers, TearReport};
pub use tracked::Tracked;
pub use tracker::{Tracker, TrackerReport, TrackerSettings};
