//! Shapes, meshes and the queries on them.

pub mod mesh;

pub use mesh::Mesh;
pub mod grid;
