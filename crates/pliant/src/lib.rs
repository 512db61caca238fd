//! Pliant simulates solids that bend, flow, tear and shatter in real time.

pub mod geometry;
pub mod matching;
pub mod material;
pub mod math;
mod parallel;
pub mod plasticity;
pub mod state;
