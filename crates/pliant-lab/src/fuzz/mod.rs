//! Byte strings that become cases for the engine, shared by the coverage-guided fuzzer and the plain seeded runner.

mod bytes;
pub mod surface;
