//! The five rows of the paper's table of timings of a beam [FJLSB17 Table 1], with its columns beside ours.
//!
//! Times are means over all frames, as the paper's are: groups are made anew in some frames and not in others, so a median would leave
//! that out.

use super::row::{Reference, Row, Samples, start};
use pliant::World;
use pliant::report::{ResampleStage, Stage, StepReport};
use pliant_scene::Error;
use std::collections::BTreeMap;

/// The paper's numbers for one row, on its CPU.
struct Paper {
    row: &'static str,
    /// The built-in scene, and what is changed in it.
    scene: &'static str,
    overrides: &'static [&'static str],
    /// Frames that are timed.
    frames: usize,
    /// Dynamics, plasticity, reclustering, the embedding in it, total (ms).
    ms: [f64; 5],
}

/// The columns of the table.
pub const COLUMNS: [&str; 5] = [
    "dynamics",
    "plasticity",
    "reclustering",
    "embedding",
    "total",
];

/// Particles of the paper's beam.
const PARTICLES: f64 = 5317.0;
/// Clusters that it starts with.
const CLUSTERS: f64 = 200.0;

const ROWS: [Paper; 5] = [
    // Only while it is compressed: afterwards it bursts.
    Paper {
        row: "no-reclustering",
        scene: "beam",
        overrides: &["body.0.recluster=off"],
        frames: 240,
        ms: [2.07, 0.07, 0.0, 0.0, 16.17],
    },
    Paper {
        row: "compressed",
        scene: "beam",
        overrides: &[],
        frames: 480,
        ms: [0.56, 0.07, 18.60, 6.64, 35.54],
    },
    Paper {
        row: "no-optimisation",
        scene: "beam",
        overrides: &["body.0.embedded.sweeps=0"],
        frames: 480,
        ms: [0.57, 0.07, 9.85, 0.0, 24.99],
    },
    Paper {
        row: "more-elastic",
        scene: "beam-elastic",
        overrides: &[],
        frames: 480,
        ms: [0.59, 0.04, 8.03, 2.60, 20.62],
    },
    Paper {
        row: "twisted",
        scene: "twist",
        overrides: &[],
        frames: 840,
        ms: [1.12, 0.16, 12.56, 3.31, 46.54],
    },
];

/// Times all rows on the current thread pool.
pub fn measure(clock: fn() -> f64) -> Result<Vec<Row>, Error> {
    let measure = |paper: &Paper| {
        // As in the paper there are particles only, and their number stays.
        let overrides = [&["body.0.surface=none"], paper.overrides].concat();
        Ok(run(paper, start(paper.scene, &overrides, clock)?))
    };
    ROWS.iter().map(measure).collect()
}

/// The columns of the table, in the order of [`COLUMNS`] (ms). The paper's dynamics has no contacts of its own; ours is everything that is
/// neither plastic flow nor new groups.
fn columns(report: &StepReport) -> [f64; 5] {
    let total = report.timings.total();
    let plasticity = report.timings.of(Stage::Plasticity);
    let reclustering = report.timings.of(Stage::ResampleClusters);
    let embedding = report.timings.resample[ResampleStage::Embedding as usize];
    let dynamics = total - plasticity - reclustering;
    [dynamics, plasticity, reclustering, embedding, total]
}

fn run(paper: &Paper, mut world: World) -> Row {
    let mut samples = Samples::default();
    let (mut timed, mut new_clusters) = (0, 0);
    for _ in 0..paper.frames {
        let report = world.step(1.0 / 60.0);
        if report.non_finite > 0 {
            break;
        }
        timed += 1;
        new_clusters += report.resampled.iter().map(|r| r.groups_added).sum::<u32>();
        for (name, ms) in COLUMNS.iter().zip(columns(&report)) {
            samples.add(name, ms);
        }
    }
    let counts = [
        ("particles", world.points().len() as f64),
        ("paper_particles", PARTICLES),
        ("clusters", world.groups().len() as f64),
        ("paper_start_clusters", CLUSTERS),
        ("new_clusters", f64::from(new_clusters)),
        ("frames", f64::from(timed)),
    ];
    let paper_ms = COLUMNS.iter().zip(paper.ms);
    Row {
        ms_mean: Some(samples.mean()),
        counts: counts.map(|(name, n)| (name.to_owned(), n)).into(),
        settings: BTreeMap::from([
            ("scene".to_owned(), paper.scene.into()),
            ("overrides".to_owned(), paper.overrides.join(" ").into()),
        ]),
        reference: Some(Reference {
            what: "paper, 2.5 GHz Intel i7".into(),
            ms: paper_ms
                .map(|(name, ms)| ((*name).to_owned(), ms))
                .collect(),
        }),
        ..samples.row("beam", paper.row)
    }
}
