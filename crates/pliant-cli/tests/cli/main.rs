//! The command `pliant`, run as a user runs it.

mod common;
mod refusals;
mod reproduce;
mod run;
