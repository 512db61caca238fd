//! Shapes, meshes and the queries on them.

pub mod figures;
pub mod mesh;
pub mod shape;
pub mod surface_nets;

pub use mesh::Mesh;
pub use shape::Shape;
