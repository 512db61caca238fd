//! Benchmark rows.

mod row;
pub mod solve;

pub use row::{Reference, Row, Samples};
