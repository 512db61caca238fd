//! `pliant run SCENE`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pliant_scene::{BuildOptions, Event, RunOptions, Summary, build, load};
use serde_json::json;

use crate::args::{self, RunArgs};
use crate::failure::Failure;
use crate::print;
use crate::progress::Progress;

pub(crate) fn run(args: RunArgs) -> Result<(), Failure> {
    refuse_snapshots(&args)?;
    if let Some(count) = args.threads {
        super::use_threads(count)?;
    }
    let start = Instant::now();
    let limits = args::limits(&args.limit);
    let mut overrides = args.set;
    overrides.extend(args.seed.map(|seed| format!("simulation.seed={seed}")));
    let loaded = load(&args.scene, &overrides, &limits)?;
    let build_options = BuildOptions {
        mesh: args.mesh,
        limits,
    };
    let built = build(&loaded, &build_options)?;
    let built_after = start.elapsed();

    let out = match args.out {
        Some(folder) if folder == Path::new("none") => None,
        Some(folder) => Some(folder),
        None => Some(Path::new("out").join(&loaded.name)),
    };
    let beside = |name: &str| out.as_ref().map(|folder| folder.join(name));
    let options = RunOptions {
        frames: args.frames,
        formats: args.format,
        coloring: args.color,
        preview: args.preview.or_else(|| beside("preview.png")),
        stats: args.stats.or_else(|| beside("stats.jsonl")),
        out,
        hash: args.hash,
        strict: args.strict,
    };
    let stop = stop_on_interrupt();
    let mut progress = Progress::new(args.quiet);
    let mut printed = Ok(());
    let result = pliant_scene::run(built, &options, &stop, &mut |event| {
        if let Event::Frame(done) = event
            && let Some(hash) = done.hash
            && printed.is_ok()
        {
            printed = print::line(format_args!("{} {hash:016x}", done.frame));
        }
        progress.show(event);
    });
    progress.finish();
    let summary = result?;
    printed?;

    let times = Times {
        build: built_after,
        total: start.elapsed(),
    };
    if args.json {
        print::line(json_summary(&loaded.name, &options, &summary, &times))?;
    } else if !args.quiet {
        let text = human_summary(&options, &summary, &times);
        // Whoever asked for hashes reads stdout with a program.
        if options.hash {
            print::note(text);
        } else {
            print::line(text)?;
        }
    }
    outcome(&summary, &options)
}

/// Seconds of the parts that the run loop does not know.
struct Times {
    build: Duration,
    total: Duration,
}

fn refuse_snapshots(args: &RunArgs) -> Result<(), Failure> {
    let option = match (&args.save, &args.restore) {
        (Some(_), _) => "--save",
        (None, Some(_)) => "--restore",
        (None, None) => return Ok(()),
    };
    Err(Failure::Input(format!(
        "{option}: snapshots are not supported yet"
    )))
}

/// A flag that Ctrl-C sets; the second Ctrl-C ends the program at once.
fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once, which is all that is lost.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}

fn outcome(summary: &Summary, options: &RunOptions) -> Result<(), Failure> {
    if let Some(frame) = summary.unstable.filter(|_| options.strict) {
        return Err(Failure::Unstable(format!(
            "the simulation became unstable in frame {frame}: numbers were not finite or clusters were reset"
        )));
    }
    if summary.interrupted {
        return Err(Failure::Interrupted(format!(
            "interrupted after frame {}, all files are whole",
            summary.frames
        )));
    }
    Ok(())
}

fn json_summary(
    name: &str,
    options: &RunOptions,
    summary: &Summary,
    times: &Times,
) -> serde_json::Value {
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
    let formats: Vec<&str> = options.formats.iter().map(|f| f.ending()).collect();
    let spent = &summary.spent;
    json!({
        "scene": name,
        "frames": summary.frames,
        "out": shown(&options.out),
        "formats": formats,
        "preview": shown(&summary.preview),
        "stats": shown(&options.stats),
        "hash": summary.hash.map(|hash| format!("{hash:016x}")),
        "interrupted": summary.interrupted,
        "unstable": summary.unstable,
        "warnings": summary.warnings,
        "seconds": {
            "build": times.build.as_secs_f64(),
            "simulation": spent.simulation.as_secs_f64(),
            "meshes": spent.meshes.as_secs_f64(),
            "statistics": spent.statistics.as_secs_f64(),
            "pictures": spent.pictures.as_secs_f64(),
            "total": times.total.as_secs_f64(),
        },
    })
}

fn human_summary(options: &RunOptions, summary: &Summary, times: &Times) -> String {
    let spent = &summary.spent;
    let seconds = |d: Duration| format!("{:.1} s", d.as_secs_f64());
    let mut lines = vec![format!(
        "{} frames in {} (build {}, simulation {}, meshes {}, statistics {}, picture {})",
        summary.frames,
        seconds(times.total),
        seconds(times.build),
        seconds(spent.simulation),
        seconds(spent.meshes),
        seconds(spent.statistics),
        seconds(spent.pictures),
    )];
    if let Some(folder) = &options.out {
        let endings: Vec<&str> = options.formats.iter().map(|f| f.ending()).collect();
        lines.push(format!(
            "meshes      {} ({} files {})",
            folder.display(),
            u64::from(summary.frames) + 1,
            endings.join(", ")
        ));
    }
    if let Some(path) = &options.stats {
        lines.push(format!("statistics  {}", path.display()));
    }
    match (&summary.preview, &options.preview) {
        (Some(path), _) => lines.push(format!("picture     {}", path.display())),
        (None, Some(path)) => lines.push(format!("no picture  {}", path.display())),
        (None, None) => {}
    }
    lines.join("\n")
}
