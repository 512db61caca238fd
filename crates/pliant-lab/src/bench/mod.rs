//! Benchmark rows.

mod row;
pub mod solve;
pub mod surface;

pub use row::{Reference, Row, Samples};
