//! The papers' experiments and benchmark rows.
//!
//! | module | what |
//! |---|---|
//! | [`bench`](mod@bench) | the rows of `pliant bench` |
//! | [`mod@reference`] | plain f64 steps: the truth that the engine is compared with |
//! | [`reproduce`] | the experiments of `pliant reproduce`, measured against expected |

pub mod bench;
pub mod reference;
pub mod reproduce;
