//! The papers' experiments, benchmark rows, and the plain references that the engine is tested against.

pub mod bench;
pub mod reference;
