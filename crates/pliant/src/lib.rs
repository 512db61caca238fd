//! Pliant simulates solids that bend, flow, tear and shatter in real time.

pub mod geometry;
pub mod random;
