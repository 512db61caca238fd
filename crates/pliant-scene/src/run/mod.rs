//! The run loop: steps a world and writes what happens.

mod output;
mod sinks;
mod stats;

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pliant::{StepReport, World};

pub use output::MeshOutput;
pub(crate) use output::write_mesh;
pub(crate) use stats::Statistics;

use crate::build::Built;
use crate::error::Error;
use crate::picture::Coloring;
use sinks::Sinks;

/// What a run writes.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Number of steps; by default what the scene says.
    pub frames: Option<u32>,
    /// Folder for the meshes, which is made if it is not there; none = no meshes.
    pub out: Option<PathBuf>,
    /// Formats of the meshes.
    pub formats: Vec<MeshOutput>,
    /// A picture: `.png` of the last frame or `.gif` of all.
    pub preview: Option<PathBuf>,
    /// What gives bodies their colours in it.
    pub coloring: Coloring,
    /// A file for statistics, one JSON object a line.
    pub stats: Option<PathBuf>,
    /// Whether every frame's hash is wanted.
    pub hash: bool,
    /// Whether to stop at the first sign of instability.
    pub strict: bool,
}

/// What a run tells while it goes on.
#[non_exhaustive]
pub enum Event<'a> {
    /// A frame is complete and written.
    Frame(FrameDone<'a>),
    /// So many of so many pictures of an animation are drawn.
    Picture(usize, usize),
}

/// A frame that is complete.
pub struct FrameDone<'a> {
    /// Its number; 0 is the initial state.
    pub frame: u32,
    /// The number of the last one.
    pub last: u32,
    /// The world after it.
    pub world: &'a World,
    /// What the step said.
    pub report: &'a StepReport,
    /// Warnings that were not there before.
    pub new_warnings: &'a [String],
    /// Hash of the state, if it was asked for.
    pub hash: Option<u64>,
}

/// Where the time of a run went. Meshes and statistics are written side by side, so their times overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Stepping.
    pub simulation: Duration,
    /// Writing meshes.
    pub meshes: Duration,
    /// Hashes and statistics.
    pub statistics: Duration,
    /// Pictures.
    pub pictures: Duration,
}

/// What a run has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Steps made.
    pub frames: u32,
    /// Whether it was told to stop before the last one.
    pub interrupted: bool,
    /// The first frame in which numbers were not finite or clusters were reset; with `strict` also the last one.
    pub unstable: Option<u32>,
    /// All warnings, each once.
    pub warnings: Vec<String>,
    /// Hash of the last frame, if it was asked for.
    pub hash: Option<u64>,
    /// The picture, if one was written.
    pub preview: Option<PathBuf>,
    /// Where the time went.
    pub spent: Spent,
}

/// Runs a scene to its end, or until `stop` is set: then the frame in hand is finished and all files are whole.
pub fn run(
    mut built: Built,
    options: &RunOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(&Event<'_>),
) -> Result<Summary, Error> {
    let last = options.frames.unwrap_or(built.frames);
    let mut sinks = Sinks::open(options, last, built.fps)?;
    if let Some(file) = sinks.leftover(last) {
        built.warnings.push(format!(
            "{} is left from a longer run and does not belong to this one",
            file.display()
        ));
    }
    let world = &mut built.world;
    world.settings_mut().clock = Some(seconds);
    let dt = 1.0 / built.fps;
    let mut summary = Summary::default();
    for frame in 0..=last {
        let from = Instant::now();
        let report = if frame == 0 {
            StepReport {
                warnings: std::mem::take(&mut built.warnings),
                ..StepReport::default()
            }
        } else {
            world.step(dt)
        };
        summary.spent.simulation += from.elapsed();
        summary.hash = sinks.record(frame, world, &report, &mut summary.spent)?;
        summary.frames = frame;

        let known = summary.warnings.len();
        for warning in &report.warnings {
            if !summary.warnings.contains(warning) {
                summary.warnings.push(warning.clone());
            }
        }
        on_event(&Event::Frame(FrameDone {
            frame,
            last,
            world,
            report: &report,
            new_warnings: &summary.warnings[known..],
            hash: summary.hash.filter(|_| options.hash),
        }));
        if report.non_finite > 0 || report.groups_reset > 0 {
            summary.unstable.get_or_insert(frame);
            if options.strict {
                break;
            }
        }
        if stop.load(Ordering::Relaxed) && frame < last {
            summary.interrupted = true;
            break;
        }
    }
    let from = Instant::now();
    let mut drawn = |done, all| on_event(&Event::Picture(done, all));
    summary.preview = sinks.finish(&built.world, &built.looks, summary.interrupted, &mut drawn)?;
    summary.spent.pictures += from.elapsed();
    Ok(summary)
}

/// The clock of the engine's timings.
pub(crate) fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
