//! The surface that people see: a mesh that follows the particles.

pub mod columns;
pub mod extract;
mod lines;
pub mod rays;
pub mod skin;
