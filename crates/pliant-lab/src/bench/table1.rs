//! The five rows of the paper's table of timings [CMM16 Table 1], with its columns beside ours.
//!
//! Every row is a built-in scene whose body is made as large as the paper's: particles and triangles, averaged over the timed
//! frames, come within a fifth of it. How many clusters that makes, and how many particles are seeded, is reported, not chosen.

use super::row::{Reference, Row, Samples, start};
use pliant::World;
use pliant::report::{ResampleStage, Stage, StepReport};
use pliant_scene::Error;
use std::collections::BTreeMap;

/// Frames before the clock counts.
const WARM_UP: usize = 60;
/// Frames that are timed.
pub const FRAMES: usize = 300;

/// The paper's numbers for one scene, on its GPU.
struct Paper {
    row: &'static str,
    /// The built-in scene, and what is changed in it.
    scene: &'static str,
    overrides: &'static [&'static str],
    /// Sim, Topo, BH, PD, PA, CS, SK, Oth, Total (ms).
    ms: [f64; 9],
    particles: f64,
    seeding_percent: f64,
    clusters: f64,
    per_cluster: f64,
    triangles: f64,
}

const COLUMNS: [&str; 9] = [
    "sim", "topo", "columns", "delete", "seed", "clusters", "reskin", "other", "total",
];

const ROWS: [Paper; 5] = [
    Paper {
        row: "armadillo",
        scene: "shot",
        overrides: &["body.0.particle_radius=0.075", "body.0.edge_length=0.078"],
        ms: [2.61, 12.37, 0.20, 2.77, 5.78, 0.76, 1.09, 0.32, 25.90],
        particles: 11707.0,
        seeding_percent: 38.7,
        clusters: 697.0,
        per_cluster: 71.0,
        triangles: 60e3,
    },
    Paper {
        row: "bunny",
        scene: "bunny",
        overrides: &["body.0.particle_radius=0.071", "body.0.edge_length=0.125"],
        ms: [4.77, 18.87, 0.15, 3.15, 3.99, 0.88, 1.37, 0.40, 33.58],
        particles: 37883.0,
        seeding_percent: 16.5,
        clusters: 1387.0,
        per_cluster: 127.0,
        triangles: 36e3,
    },
    Paper {
        row: "cow",
        scene: "cow",
        overrides: &["body.0.particle_radius=0.118", "body.0.edge_length=0.04"],
        ms: [1.76, 26.05, 1.16, 1.87, 6.81, 0.51, 1.09, 0.37, 39.62],
        particles: 4452.0,
        seeding_percent: 80.0,
        clusters: 394.0,
        per_cluster: 56.0,
        triangles: 239e3,
    },
    Paper {
        row: "taffy",
        scene: "taffy",
        overrides: &["body.0.particle_radius=0.075", "body.0.edge_length=0.03"],
        ms: [2.33, 34.99, 1.63, 0.77, 7.79, 0.69, 3.67, 0.47, 52.34],
        particles: 6188.0,
        seeding_percent: 65.5,
        clusters: 512.0,
        per_cluster: 95.0,
        triangles: 342e3,
    },
    Paper {
        row: "dough",
        scene: "dough",
        overrides: &["body.0.particle_radius=0.091", "body.0.edge_length=0.074"],
        ms: [2.12, 7.38, 0.19, 0.57, 4.32, 0.54, 1.41, 0.30, 16.83],
        particles: 7073.0,
        seeding_percent: 50.1,
        clusters: 335.0,
        per_cluster: 108.0,
        triangles: 46e3,
    },
];

/// Names of the rows, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.row)
}

/// Times a row on the current thread pool; `None` if there is none of this name.
pub fn measure(name: &str, frames: usize, clock: fn() -> f64) -> Option<Result<Row, Error>> {
    let paper = ROWS.iter().find(|row| row.row == name)?;
    Some(start(paper.scene, paper.overrides, clock).map(|world| run(paper, world, frames)))
}

/// The columns of the table, in the order of [`COLUMNS`] (ms).
fn columns(report: &StepReport) -> [f64; 9] {
    let sum = |stages: &[Stage]| stages.iter().map(|&s| report.timings.of(s)).sum::<f64>();
    let sim = sum(&[
        Stage::Predict,
        Stage::Contacts,
        Stage::Solve,
        Stage::Plasticity,
        Stage::Skin,
    ]);
    let topo = sum(&[Stage::Remesh, Stage::Topology]);
    let [columns, delete, seed, clusters, reskin, embedding] =
        ResampleStage::ALL.map(|part| report.timings.resample[part as usize]);
    let clusters = clusters + embedding;
    let total = report.timings.total();
    let other = total - sim - topo - columns - delete - seed - clusters - reskin;
    [
        sim, topo, columns, delete, seed, clusters, reskin, other, total,
    ]
}

/// Share of the particles around which new ones are tried: those of a significantly deformed group.
fn seeding_share(world: &World) -> f64 {
    let groups = world.groups();
    let mut seeds = vec![false; world.points().len()];
    for body in world.bodies() {
        let deformed = body.groups.clone().filter(|&k| {
            let columns = groups.f_p[k].to_cols_array();
            let squares: f32 = columns.iter().map(|c| c * c).sum();
            squares.sqrt() > body.resampling.seed_strain
        });
        for (i, _) in deformed.flat_map(|k| groups.members(k)) {
            seeds[i as usize] = true;
        }
    }
    seeds.iter().filter(|s| **s).count() as f64 / seeds.len().max(1) as f64
}

fn run(paper: &Paper, mut world: World, frames: usize) -> Row {
    let mut samples = Samples::default();
    let mut sums = [0.0; 5];
    let start = world.points().len() as f64;
    for frame in 0..WARM_UP + frames {
        let report = world.step(1.0 / 60.0);
        if frame < WARM_UP {
            continue;
        }
        for (name, ms) in COLUMNS.iter().zip(columns(&report)) {
            samples.add(name, ms);
        }
        let members: u32 = world.groups().count.iter().sum();
        let triangles: usize = world
            .surfaces()
            .iter()
            .map(pliant::state::Surface::triangle_count)
            .sum();
        let now = [
            world.points().len() as f64,
            world.groups().len() as f64,
            f64::from(members),
            triangles as f64,
            seeding_share(&world),
        ];
        sums.iter_mut().zip(now).for_each(|(sum, n)| *sum += n);
    }
    let [particles, clusters, members, triangles, seeding] = sums.map(|s| s / frames.max(1) as f64);
    let counts = [
        ("particles", particles.round()),
        ("paper_particles", paper.particles),
        ("start_particles", start),
        ("clusters", clusters.round()),
        ("paper_clusters", paper.clusters),
        ("per_cluster", (members / clusters.max(1.0)).round()),
        ("paper_per_cluster", paper.per_cluster),
        ("triangles", triangles.round()),
        ("paper_triangles", paper.triangles),
        ("seeding_percent", (1000.0 * seeding).round() / 10.0),
        ("paper_seeding_percent", paper.seeding_percent),
    ];
    let paper_ms = COLUMNS.iter().zip(paper.ms);
    Row {
        counts: counts.map(|(name, n)| (name.to_owned(), n)).into(),
        settings: BTreeMap::from([
            ("frames".to_owned(), frames.into()),
            ("scene".to_owned(), paper.scene.into()),
            ("overrides".to_owned(), paper.overrides.join(" ").into()),
        ]),
        reference: Some(Reference {
            what: "paper, GTX Titan X".into(),
            ms: paper_ms
                .map(|(name, ms)| ((*name).to_owned(), ms))
                .collect(),
        }),
        ..samples.row("table1", paper.row)
    }
}
