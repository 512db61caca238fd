//! The command `pliant`.
fn main() {}
