//! The surface that people see: a mesh that follows the particles.

pub mod closed_mesh;
mod operations;
mod remesh;
pub mod skin;
mod surgery;
pub mod tracker;
pub mod validate;

pub use closed_mesh::ClosedMesh;
pub use remesh::RemeshReport;
pub use tracker::{Tracker, TrackerReport, TrackerSettings};
