//! The surface that people see: a mesh that follows the particles.

pub mod skin;
