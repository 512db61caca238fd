//! The surface that people see: a mesh that follows the particles.

pub mod closed_mesh;
pub mod columns;
mod events;
pub mod extract;
mod lines;
mod marks;
mod operations;
pub mod rays;
mod remesh;
pub mod skin;
mod surgery;
pub mod tracker;
pub mod validate;

pub use closed_mesh::ClosedMesh;
pub use events::EventReport;
pub use remesh::RemeshReport;
pub use tracker::{Tracker, TrackerReport, TrackerSettings};
