//! Shapes, meshes and the queries on them.

pub mod bvh;
pub mod grid;
pub mod mesh;
pub mod poisson;
pub mod topology;
pub mod winding;

pub use mesh::Mesh;
