//! The surface that people see: a mesh that follows the particles.

pub(crate) mod boxes;
pub mod closed_mesh;
pub mod detect;
pub mod patches;
pub mod predicates;
pub mod skin;
#[cfg(test)]
pub(crate) mod testing;
pub mod validate;

pub use closed_mesh::ClosedMesh;
pub use detect::Detector;
pub use patches::Patches;
