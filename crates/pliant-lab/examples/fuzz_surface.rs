//! Runs random cases of the tracked surface by seed, on all cores: `--executions N --seed S`. With `--executions 1` it is the way to
//! run a case that has failed once more.

use pliant_lab::fuzz::surface::{random_case, run_case};
use rayon::ThreadPoolBuilder;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A case that takes longer has failed.
const TOO_LONG: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Summary {
    failures: usize,
    slowest: (Duration, u64),
}

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
    let next = AtomicU64::new(0);
    let summary = Mutex::new(Summary::default());
    // A pool for each thread: in a common one a case that waits for its parts would take over others, and pay for them.
    let work = || {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a thread can be started");
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= executions {
                break;
            }
            let outcome = pool.install(|| run(seed + number));
            let mut summary = summary.lock().expect("no thread panics while it counts");
            summary.slowest = summary.slowest.max((outcome.time, outcome.seed));
            if let Some(failure) = outcome.failure {
                summary.failures += 1;
                println!("seed {}: {failure}", outcome.seed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let summary = summary.lock().expect("no thread panics while it counts");
    let (failures, slowest) = (summary.failures, summary.slowest);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{executions} executions in {seconds:.1} s, {:.0} a second; slowest {:.1} ms (seed {}); {failures} failures",
        executions as f64 / seconds,
        1000.0 * slowest.0.as_secs_f64(),
        slowest.1,
    );
    ExitCode::from(u8::from(failures > 0))
}
