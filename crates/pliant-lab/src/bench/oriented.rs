//! The scenes of oriented particles that the paper tells the frame rates of \[MC11\], with its rates beside ours.
//!
//! The paper's times hold simulation on a CPU of 3 GHz and skinning on a GTX 480; ours hold both on the CPU.

use super::row::{Reference, Row, Samples, start};
use pliant::report::{Stage, StepReport};
use pliant::state::Surface;
use pliant_scene::Error;
use std::collections::BTreeMap;

/// Frames that are not timed, and frames that are.
const FRAMES: (usize, usize) = (60, 300);

/// The columns of the table.
pub const COLUMNS: [&str; 3] = ["simulation", "skinning", "total"];

/// A row of the paper: the scene that stands for it, particles and triangles in thousands, frames a second.
struct Paper {
    scene: &'static str,
    /// What makes the scene as fine as the paper's.
    finest: &'static [&'static str],
    size: &'static str,
    fps: f64,
}

const fn paper(
    scene: &'static str,
    finest: &'static [&'static str],
    size: &'static str,
    fps: f64,
) -> Paper {
    Paper {
        scene,
        finest,
        size,
        fps,
    }
}

const ROWS: [Paper; 6] = [
    paper("octopus", &[], "900 particles, 63k triangles", 60.0),
    paper(
        "tree",
        &["body.0.detail=1"],
        "3000 particles, 90k triangles",
        25.0,
    ),
    paper(
        "toys",
        &["body.0.detail=1"],
        "2000 particles, 240k triangles",
        40.0,
    ),
    paper(
        "cloth-hair",
        &["body.0.detail=1"],
        "1000 particles, 100k triangles",
        35.0,
    ),
    paper("chain", &["body.0.detail=1"], "600 links", 45.0),
    paper(
        "trucks",
        &["body.0.detail=1", "body.1.detail=1"],
        "10 of 300 particles, 100k triangles",
        20.0,
    ),
];

/// Names of the rows, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.scene)
}

/// Times the rows of these names on the current thread pool.
pub fn measure(names: &[&str], clock: fn() -> f64) -> Result<Vec<Row>, Error> {
    let wanted = ROWS.iter().filter(|row| names.contains(&row.scene));
    wanted.map(|paper| run(paper, clock)).collect()
}

/// The columns of the table, in the order of [`COLUMNS`] (ms).
fn columns(report: &StepReport) -> [f64; 3] {
    let total = report.timings.total();
    let skinning = report.timings.of(Stage::Skin);
    [total - skinning, skinning, total]
}

fn run(paper: &Paper, clock: fn() -> f64) -> Result<Row, Error> {
    let mut world = start(paper.scene, paper.finest, clock)?;
    let mut samples = Samples::default();
    for frame in 0..FRAMES.0 + FRAMES.1 {
        let report = world.step(1.0 / 60.0);
        if frame >= FRAMES.0 {
            for (name, ms) in COLUMNS.iter().zip(columns(&report)) {
                samples.add(name, ms);
            }
        }
    }
    let triangles: usize = world.surfaces().iter().map(Surface::triangle_count).sum();
    let counts = [
        ("particles", world.points().len() as f64),
        ("triangles", triangles as f64),
        ("paper_fps", paper.fps),
    ];
    let settings = world.settings();
    Ok(Row {
        counts: counts.map(|(name, n)| (name.to_owned(), n)).into(),
        settings: BTreeMap::from([
            ("substeps".to_owned(), settings.substeps.into()),
            ("iterations".to_owned(), settings.iterations.into()),
        ]),
        reference: Some(Reference {
            what: format!("paper, {}, Core i7 3 GHz and GTX 480", paper.size),
            ms: BTreeMap::from([("total".to_owned(), 1000.0 / paper.fps)]),
        }),
        ..samples.row("oriented", paper.scene)
    })
}
