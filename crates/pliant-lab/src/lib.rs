//! The papers' experiments and benchmark rows.

pub mod bench;
