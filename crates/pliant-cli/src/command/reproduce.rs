//! `pliant reproduce`: the papers' experiments, measured against expected.
//!
//! Several experiments run side by side, each in a process of its own: one alone seldom keeps all cores busy, and some look at the memory
//! of their process.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pliant_lab::reproduce::{
    Check, Experiment, LabError, Options, choose, experiments, run as run_experiment, take_over,
    write_results,
};
use pliant_scene::mesh_files::read_mesh;

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::print;

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.list {
        for experiment in experiments() {
            print::line(format_args!("{:18} {}", experiment.id, experiment.title))?;
        }
        return Ok(());
    }
    if args.part {
        thread::spawn(end_with_input);
    }
    let chosen = choose(&args.names)?;
    let mesh = args.mesh.as_deref().map(read_mesh).transpose()?;
    let options = Options {
        out: args.out.clone(),
        mesh,
        long: args.long,
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = if args.part {
        1
    } else {
        cores.min(chosen.len())
    };
    let checks = if jobs > 1 {
        side_by_side(args, &chosen, jobs)?
    } else {
        one_by_one(&chosen, &options)?
    };
    write_results(&options.out, &checks)?;
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

/// Runs experiments in this process. Each line is printed when it is known.
fn one_by_one(chosen: &[&Experiment], options: &Options) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    for experiment in chosen {
        let mut printed = Ok(());
        checks.extend(run_experiment(experiment, options, &mut |check| {
            if printed.is_ok() {
                printed = print::line(check);
            }
        })?);
        printed?;
    }
    Ok(checks)
}

/// Runs so many experiments at a time. The lines of each are printed when it has ended.
fn side_by_side(
    args: &ReproduceArgs,
    chosen: &[&Experiment],
    jobs: usize,
) -> Result<Vec<Check>, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Io(format!("the program itself: {error}")))?;
    let parts = args.out.join("parts");
    let folder = |at: usize| parts.join(chosen[at].id.replace('/', "-"));
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|&at| !chosen[at].is_heavy());
    let next = AtomicUsize::new(0);
    let (ended, endings) = mpsc::channel();
    let mut checks = vec![Vec::new(); chosen.len()];
    thread::scope(|scope| {
        for _ in 0..jobs {
            let ended = ended.clone();
            scope.spawn(|| {
                let ended = ended;
                while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let output = run_part(&program, chosen[at], &folder(at), args);
                    if ended.send((at, output)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(ended);
        for (at, output) in endings {
            check_ending(chosen[at].id, output)?;
            checks[at] = take_over(&folder(at), &args.out)?;
            for check in &checks[at] {
                print::line(check)?;
            }
        }
        Ok::<_, Failure>(())
    })?;
    // Nothing is lost if it cannot be removed.
    let _ = std::fs::remove_dir(&parts);
    Ok(checks.concat())
}

/// Runs an experiment in a process of its own, to its end.
fn run_part(
    program: &Path,
    experiment: &Experiment,
    out: &Path,
    args: &ReproduceArgs,
) -> std::io::Result<Output> {
    let mut command = Command::new(program);
    command.args(["reproduce", experiment.id, "--part", "--out"]);
    command.arg(out);
    if let Some(mesh) = &args.mesh {
        command.arg("--mesh").arg(mesh);
    }
    if args.long {
        command.arg("--long");
    }
    command.stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut part = command.spawn()?;
    // Open as long as this process lives: its end ends the part, however it comes.
    let _input = part.stdin.take();
    part.wait_with_output()
}

/// Passes on why a part has not come to its checks, if it has not.
fn check_ending(id: &str, output: std::io::Result<Output>) -> Result<(), Failure> {
    let output =
        output.map_err(|error| Failure::Io(format!("{id} could not be started: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    let text = format!("{id}: {}", last.strip_prefix("error: ").unwrap_or(last));
    match output.status.code() {
        Some(0 | 1) => Ok(()),
        Some(2) => Err(Failure::Input(text)),
        Some(3) => Err(Failure::Limit(text)),
        Some(4) => Err(Failure::Unstable(text)),
        Some(130) => Err(Failure::Interrupted(text)),
        Some(_) => Err(Failure::Io(text)),
        None => Err(Failure::Io(format!("{id} was stopped from outside"))),
    }
}

/// Waits until there is no more input, and ends the process.
fn end_with_input() {
    let mut input = std::io::stdin().lock();
    let mut buffer = [0; 64];
    while input.read(&mut buffer).is_ok_and(|count| count > 0) {}
    std::process::exit(130);
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
