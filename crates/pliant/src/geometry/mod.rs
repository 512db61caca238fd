//! Shapes, meshes and the queries on them.

pub mod bvh;
pub mod figures;
pub mod grid;
pub mod mesh;
pub mod poisson;
pub mod repair;
pub mod shape;
pub mod solids;
pub mod surface_nets;
pub mod topology;
pub mod winding;

pub use mesh::Mesh;
pub use shape::Shape;
