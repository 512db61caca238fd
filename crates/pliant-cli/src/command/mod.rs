//! The commands, one module each.

mod bench;
mod check;
mod reproduce;
mod run;
mod scenes;
mod view;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Does what the command line asks for.
pub(crate) fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Run(args) => run::run(args),
        Command::Scenes(args) => scenes::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::View(args) => view::run(args),
        Command::Resume(args) => Err(Failure::Input(format!(
            "{}: runs leave no snapshots yet, so there is nothing to resume from",
            args.folder.display()
        ))),
    }
}

/// Lets all work run on so many threads.
fn use_threads(count: usize) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global()
        .map_err(|error| Failure::Io(format!("cannot start {count} threads: {error}")))
}
