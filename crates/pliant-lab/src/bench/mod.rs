//! Benchmark rows.

pub mod beam;
pub mod oriented;
mod row;
pub mod solve;
pub mod surface;
pub mod table1;
pub mod visual;

pub use row::{Reference, Row, Samples};
