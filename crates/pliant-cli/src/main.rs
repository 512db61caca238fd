//! The command `pliant`: simulates scenes, checks files, measures.
//!
//! An error is one line on stderr and an exit code, see [`failure`].

mod args;
mod command;
mod failure;
mod print;
mod progress;
#[cfg(feature = "viewer")]
mod viewer;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse().and_then(command::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print::error(&failure.to_string());
            failure.exit_code()
        }
    }
}
