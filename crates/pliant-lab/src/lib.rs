//! The papers' experiments and benchmark rows.
//!
//! | module | what |
//! |---|---|
//! | [`bench`](mod@bench) | the rows of `pliant bench` |
//! | [`fuzz`] | byte strings that become cases for the engine, and what must hold in all of them |
//! | [`mod@reference`] | plain f64 steps: the truth that the engine is compared with |
//! | [`reproduce`] | the experiments of `pliant reproduce`, measured against expected |

pub mod bench;
pub mod fuzz;
pub mod reference;
pub mod reproduce;
