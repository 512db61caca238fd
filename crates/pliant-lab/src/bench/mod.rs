//! Benchmark rows.

pub mod beam;
mod row;
pub mod solve;
pub mod surface;
pub mod table1;

pub use row::{Reference, Row, Samples};
