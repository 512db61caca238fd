//! The surface that people see: a mesh that follows the particles.

pub mod closed_mesh;
pub mod skin;
pub mod validate;

pub use closed_mesh::ClosedMesh;
