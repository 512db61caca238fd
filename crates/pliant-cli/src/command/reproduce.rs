//! `pliant reproduce`: the papers' experiments, measured against expected.

use pliant_lab::reproduce::{LabError, Options, experiments, run as run_experiments};
use pliant_scene::mesh_files::read_mesh;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::print;

pub(crate) fn run(args: ReproduceArgs) -> Result<(), Failure> {
    if args.list {
        for experiment in experiments() {
            print::line(format_args!("{:18} {}", experiment.id, experiment.title))?;
        }
        return Ok(());
    }
    let mesh = args.mesh.as_deref().map(read_mesh).transpose()?;
    let options = Options {
        out: args.out,
        mesh,
        long: args.long,
    };
    // Each line is printed when it is known: a group takes minutes.
    let mut printed = Ok(());
    let checks = run_experiments(&args.names, &options, &mut |check| {
        if printed.is_ok() {
            printed = print::line(check);
        }
    })?;
    printed?;
    let failed = checks.iter().filter(|check| !check.pass).count();
    print::line(format_args!(
        "{} passed, {failed} failed; results.json and pictures are in {}",
        checks.len() - failed,
        options.out.display()
    ))?;
    if failed > 0 {
        return Err(Failure::Checks(format!(
            "{failed} of {} checks failed",
            checks.len()
        )));
    }
    Ok(())
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        let text = error.to_string();
        match error {
            LabError::Io { .. } | LabError::Draw(_) | LabError::Plot { .. } => Self::Io(text),
            _ => Self::Input(text),
        }
    }
}
