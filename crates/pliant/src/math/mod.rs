//! Small dense algebra: 3×3 decompositions that never return a reflection, written once for one lane and for eight.
//!
//! | file | what |
//! |---|---|
//! | [`lanes`] | the lane type [`F8`] and the trait [`Lane`] that `f32`, `f64` and `F8` share |
//! | [`algebra`] | 3-vectors and 3×3 matrices over a lane |
//! | [`svd`] | signed singular value decomposition, polar decomposition, symmetric eigenvalues |
//! | [`rotation`] | warm-started extraction of the rotation of a moment matrix |
//! | [`strain`] | logarithmic strain and its powers |
//! | [`quaternion`] | the mean of rotations |
//!
//! Transcendental functions come from `libm`, so that results have the same bits on every machine.

pub mod algebra;
pub mod lanes;
pub mod quaternion;
pub mod rotation;
pub mod strain;
pub mod svd;

pub use lanes::{F8, Lane};

#[cfg(test)]
mod tests;
