//! Scene files, mesh files and the run loop of Pliant.

pub mod file;
pub mod mesh_files;
