//! The surface that people see: a mesh that follows the particles.

pub mod closed_mesh;
mod operations;
pub mod skin;
mod surgery;
pub mod validate;

pub use closed_mesh::ClosedMesh;
