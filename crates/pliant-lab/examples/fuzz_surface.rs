//! Runs random cases of the tracked surface by seed, on all cores: `--executions N --seed S`. With `--executions 1` it is the way to
//! run a case that has failed once more.

use pliant_lab::fuzz::surface::{random_case, run_case};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A case that takes longer has failed.
const TOO_LONG: Duration = Duration::from_millis(500);
/// Cases between two looks at the clock.
const CHUNK: u64 = 1000;

struct Outcome {
    seed: u64,
    time: Duration,
    failure: Option<String>,
}

fn run(seed: u64) -> Outcome {
    let bytes = random_case(seed);
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| run_case(&bytes)));
    let time = start.elapsed();
    let failure = match result {
        Ok(Ok(())) => (time > TOO_LONG).then(|| "too slow".to_owned()),
        Ok(Err(broken)) => Some(broken),
        Err(_) => Some("panic".to_owned()),
    };
    Outcome {
        seed,
        time,
        failure,
    }
}

fn argument(name: &str, default: u64) -> u64 {
    let mut arguments = std::env::args().skip_while(|a| a != name).skip(1);
    arguments.next().map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} wants a whole number, not {text}"))
    })
}

fn main() -> ExitCode {
    let executions = argument("--executions", 10_000);
    let seed = argument("--seed", 0);
    let start = Instant::now();
    let (mut done, mut failures) = (0, 0);
    let mut slowest = (Duration::ZERO, seed);
    while done < executions {
        let count = CHUNK.min(executions - done);
        let first = seed + done;
        let outcomes: Vec<Outcome> = (first..first + count).into_par_iter().map(run).collect();
        for outcome in outcomes {
            slowest = slowest.max((outcome.time, outcome.seed));
            if let Some(failure) = outcome.failure {
                failures += 1;
                println!("seed {}: {failure}", outcome.seed);
            }
        }
        done += count;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{done} executions in {seconds:.1} s, {:.0} a second; slowest {:.1} ms (seed {}); {failures} failures",
        done as f64 / seconds,
        1000.0 * slowest.0.as_secs_f64(),
        slowest.1,
    );
    ExitCode::from(u8::from(failures > 0))
}
