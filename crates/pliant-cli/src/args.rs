//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use pliant_scene::picture::Coloring;
use pliant_scene::{Limits, MeshOutput};

use crate::failure::Failure;
use crate::print;

/// More threads than this are a slip of the finger.
const MOST_THREADS: usize = 1024;

/// Simulates solids that bend, flow and tear.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulates a scene and writes its frames, statistics and a picture
    Run(RunArgs),
    /// Simulates a scene live in a window
    View(ViewArgs),
    /// Lists the built-in scenes
    Scenes(ScenesArgs),
    /// Reads a mesh or a scene and says what is in it and what is wrong with it
    Check(CheckArgs),
    /// Measures the benchmark rows
    Bench(BenchArgs),
    /// Runs the papers' experiments and says what passes
    Reproduce(ReproduceArgs),
    /// Goes on with a run that was interrupted
    Resume(ResumeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A built-in scene (see `pliant scenes`) or a .toml file
    pub(crate) scene: String,
    /// Steps to simulate; files are frames 0 to N, frame 0 is the initial state
    #[arg(long, value_name = "N")]
    pub(crate) frames: Option<u32>,
    /// Folder for the frames, `none` for no meshes [default: out/SCENE]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Formats of the frames: obj, ply, glb
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "ply", value_parser = parse_format)]
    pub(crate) format: Vec<MeshOutput>,
    /// A picture: .png of the last frame, .gif or .mp4 of all [default: preview.png in the folder of the frames]
    #[arg(long, value_name = "FILE", value_parser = parse_preview)]
    pub(crate) preview: Option<PathBuf>,
    /// Colours of bodies in the picture: texture, or clusters (grey those of the start, each later one its own)
    #[arg(long, value_name = "NAME", default_value = "texture", value_parser = parse_color)]
    pub(crate) color: Coloring,
    /// Statistics, one JSON object a frame [default: stats.jsonl in the folder of the frames]
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// Prints the number and the hash of every frame
    #[arg(long)]
    pub(crate) hash: bool,
    /// Threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// A mesh that takes the place of the first body's shape, fitted to its size
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,
    /// Overrides a field of the scene, such as material.clay.yield=0.01 (repeatable)
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Writes a snapshot at a frame (not available yet)
    #[arg(long, value_name = "FILE@FRAME")]
    pub(crate) save: Option<String>,
    /// Starts from a snapshot (not available yet)
    #[arg(long, value_name = "FILE")]
    pub(crate) restore: Option<PathBuf>,
    /// Changes a limit: particles, triangles, vertices, bodies or bytes (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// Stops with exit code 4 when the simulation becomes unstable
    #[arg(long)]
    pub(crate) strict: bool,
    /// Shows neither progress nor summary
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Prints a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[cfg_attr(
    not(feature = "viewer"),
    allow(dead_code, reason = "only the viewer reads them")
)]
pub(crate) struct ViewArgs {
    /// A built-in scene, a .toml file, or a mesh to play with
    pub(crate) scene: String,
    /// Folder for pictures, films, meshes and scenes that are saved
    #[arg(long, value_name = "DIR", default_value = "out/view")]
    pub(crate) out: PathBuf,
    /// Statistics, one JSON object a step
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// Threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// Overrides a field of the scene, such as material.clay.yield=0.01 (repeatable)
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Changes a limit: particles, triangles, vertices, bodies or bytes (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// Most pictures a second [default: as many as the display shows]
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub(crate) fps: Option<f32>,
    /// Starts paused
    #[arg(long)]
    pub(crate) paused: bool,
    /// Size of the window
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = parse_size)]
    pub(crate) size: [u32; 2],
}

#[derive(Debug, Args)]
pub(crate) struct ScenesArgs {
    /// Prints the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A mesh (.obj, .ply, .stl, .gltf, .glb) or a scene (.toml, or the name of a built-in one)
    pub(crate) file: String,
    /// Changes a limit: particles, triangles, vertices, bodies or bytes (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) limit: Vec<(String, u64)>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Benches to run: solve, surface, table1, beam, oriented, visual, or one row, such as table1/taffy or visual/car [default: all, without the large surface]
    pub(crate) names: Vec<String>,
    /// Writes the rows as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// A mesh in place of the figure
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,
    /// Numbers of threads to measure with [default: 1,2; of visual 1, as in its paper]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads)]
    pub(crate) threads: Option<Vec<usize>>,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// Groups or experiments, such as elastoplastic or elastoplastic/E1 [default: all]
    pub(crate) names: Vec<String>,
    /// Folder for results.json, pictures and plots
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    pub(crate) out: PathBuf,
    /// A mesh in place of the figure
    #[arg(long, value_name = "FILE")]
    pub(crate) mesh: Option<PathBuf>,
    /// Runs the full lengths
    #[arg(long)]
    pub(crate) long: bool,
    /// Lists the experiments instead of running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Runs as a part of another command, and ends when standard input does
    #[arg(long, hide = true)]
    pub(crate) part: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The folder of the run
    pub(crate) folder: PathBuf,
}

/// Reads the command line; help and version are shown here.
pub(crate) fn parse() -> Result<Cli, Failure> {
    Cli::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match print::line(error.render().to_string().trim_end()) {
                Ok(()) => Failure::Silent,
                Err(failure) => failure,
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Failure::Input("no command, expected run, view, scenes, check, bench, reproduce or resume (pliant --help explains them)".to_owned())
        }
        _ => Failure::Input(usage_message(&error.render().to_string())),
    })
}

/// The limits of a command: the usual ones with some changed.
pub(crate) fn limits(changes: &[(String, u64)]) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in changes {
        limits.set(name, *value);
    }
    limits
}

/// What is wrong with the usage, without the usage: one line of what clap says on many.
fn usage_message(rendered: &str) -> String {
    let lines = rendered
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty());
    let message = lines.collect::<Vec<_>>().join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    message.replace(" tip: ", "; tip: ")
}

fn parse_format(name: &str) -> Result<MeshOutput, String> {
    match name {
        "usd" => Err("usd is not supported yet, expected obj, ply or glb".to_owned()),
        _ => MeshOutput::of_name(name).ok_or_else(|| "expected obj, ply or glb".to_owned()),
    }
}

fn parse_color(name: &str) -> Result<Coloring, String> {
    Coloring::of_name(name).ok_or_else(|| "expected texture or clusters".to_owned())
}

fn parse_preview(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("png" | "gif" | "mp4") => Ok(path),
        _ => Err("expected a name that ends in .png, .gif or .mp4".to_owned()),
    }
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=MOST_THREADS) => Ok(count),
        _ => Err(format!("expected a number from 1 to {MOST_THREADS}")),
    }
}

fn parse_rate(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(rate) if (0.1..=1000.0).contains(&rate) => Ok(rate),
        _ => Err("expected a number from 0.1 to 1000".to_owned()),
    }
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(width, height)| {
        let side = |text: &str| {
            text.parse()
                .ok()
                .filter(|side| (320..=16384).contains(side))
        };
        Some([side(width)?, side(height)?])
    });
    sides.ok_or_else(|| "expected WIDTHxHEIGHT in points, such as 1280x720".to_owned())
}

fn parse_limit(text: &str) -> Result<(String, u64), String> {
    let names = Limits::NAMES.join(", ");
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("expected NAME=VALUE with NAME one of {names}"));
    };
    if !Limits::default().set(name, 0) {
        return Err(format!("unknown limit '{name}', expected one of {names}"));
    }
    match value.replace('_', "").parse() {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(_) => Err(format!("'{value}' is not a whole number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// clap finds no contradiction in the definition.
    #[test]
    fn definition_is_sound() {
        Cli::command().debug_assert();
    }

    /// Usage errors are one line and keep the hint.
    #[test]
    fn usage_errors_are_one_line() {
        let error = Cli::try_parse_from(["pliant", "run", "drop", "--frame", "3"]).unwrap_err();
        let message = usage_message(&error.render().to_string());
        assert!(
            message.starts_with("unexpected argument '--frame' found"),
            "{message}"
        );
        assert!(
            message.contains("--frames") && !message.contains('\n'),
            "{message}"
        );
    }
}
