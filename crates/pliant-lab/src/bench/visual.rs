//! The scenes that the paper on visual geometry tells the frame rates of \[MCM16\], with its rates beside ours, and a pile of shells.
//!
//! The paper's times are of one thread of a Core i7 at 3.1 GHz, without the drawing.

use super::row::{Reference, Row, Samples, start};
use glam::Vec3;
use pliant::dynamics::Collider;
use pliant::report::Stage;
use pliant::state::Surface;
use pliant::visual::{Behavior, PolygonMesh, VisualDesc};
use pliant::{Settings, World};
use pliant_scene::Error;
use pliant_scene::builtin::SCENES;
use std::collections::BTreeMap;
use std::f32::consts::{PI, TAU};

/// Frames that are not timed, and frames that are.
const FRAMES: (usize, usize) = (60, 300);
/// Frames of the pile until it rests.
const FALL: usize = 90;

/// The columns of the table.
pub const COLUMNS: [&str; 6] = ["predict", "contacts", "solve", "skin", "fracture", "total"];

/// A row of the paper: the scene that stands for it, what makes it as fine as the paper's, and frames a second, if told.
struct Paper {
    scene: &'static str,
    finest: &'static [&'static str],
    size: &'static str,
    fps: Option<f64>,
}

const FINEST: &[&str] = &["body.0.detail=1"];

const ROWS: [Paper; 5] = [
    Paper {
        scene: "car",
        finest: FINEST,
        size: "21 objects, 28 joints, 16k primitives",
        fps: Some(60.0),
    },
    Paper {
        scene: "door",
        finest: FINEST,
        size: "4 objects, 4 joints, 700 primitives, 1k more for each hit",
        fps: Some(100.0),
    },
    Paper {
        scene: "monster-truck",
        finest: FINEST,
        size: "45k primitives, 9 joints, 4 soft tyres of 2.5k primitives",
        fps: Some(30.0),
    },
    Paper {
        scene: "bridge",
        finest: FINEST,
        size: "the truck and 600 primitives, 1.5k attachments",
        fps: Some(20.0),
    },
    Paper {
        scene: "curtain",
        finest: FINEST,
        size: "not told",
        fps: None,
    },
];

/// The row that is no scene.
const PILE: &str = "pile";

/// Names of the rows, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.scene).chain([PILE])
}

/// Whether there is what the row of this name runs.
pub fn is_there(name: &str) -> bool {
    name == PILE || SCENES.iter().any(|scene| scene.name == name)
}

/// Times the rows of these names on the current thread pool; those that are not there are left out.
pub fn measure(names: &[&str], clock: fn() -> f64) -> Result<Vec<Row>, Error> {
    let wanted = |name: &str| names.contains(&name) && is_there(name);
    let papers = ROWS.iter().filter(|paper| wanted(paper.scene));
    let mut rows = papers
        .map(|paper| scene(paper, clock))
        .collect::<Result<Vec<_>, _>>()?;
    if wanted(PILE) {
        rows.push(pile(clock)?);
    }
    Ok(rows)
}

/// Runs so many frames, and times them if they are wanted.
fn frames(world: &mut World, count: usize, mut samples: Option<&mut Samples>) {
    for _ in 0..count {
        let report = world.step(1.0 / 60.0);
        let Some(samples) = &mut samples else {
            continue;
        };
        for stage in Stage::ALL {
            let name = stage.name();
            if COLUMNS.contains(&name) {
                samples.add(name, report.timings.of(stage));
            }
        }
        samples.add("total", report.timings.total());
    }
}

/// What a world holds.
fn counts(world: &World) -> BTreeMap<String, f64> {
    let visuals = || (0..world.bodies().len()).filter_map(|k| world.visual(k));
    let primitives: usize = visuals().map(|v| v.primitives.len()).sum();
    let soft = visuals().filter(|v| v.is_soft());
    let soft: usize = soft.map(|v| v.primitives.len()).sum();
    let links: usize = visuals().map(|v| v.graph.links.len()).sum();
    let triangles: usize = world.surfaces().iter().map(Surface::triangle_count).sum();
    [
        ("primitives", primitives),
        ("soft_primitives", soft),
        ("links", links),
        ("bodies", world.bodies().len()),
        ("joints", world.joints().len()),
        ("attachments", world.attachments().len()),
        ("triangles", triangles),
    ]
    .map(|(name, n)| (name.to_owned(), n as f64))
    .into()
}

fn settings(world: &World) -> BTreeMap<String, serde_json::Value> {
    let settings = world.settings();
    BTreeMap::from([
        ("substeps".to_owned(), settings.substeps.into()),
        ("iterations".to_owned(), settings.iterations.into()),
    ])
}

fn scene(paper: &Paper, clock: fn() -> f64) -> Result<Row, Error> {
    let mut world = start(paper.scene, paper.finest, clock)?;
    let at_start = counts(&world);
    let mut samples = Samples::default();
    frames(&mut world, FRAMES.0, None);
    frames(&mut world, FRAMES.1, Some(&mut samples));
    let mut counts = counts(&world);
    // What breaks and is divided grows.
    for name in ["primitives", "bodies", "joints"] {
        let first = at_start.get(name).copied().unwrap_or(0.0);
        counts.insert(format!("{name}_at_start"), first);
    }
    let reference = paper.fps.map(|fps| {
        counts.insert("paper_fps".to_owned(), fps);
        Reference {
            what: format!("paper, {}, Core i7 3.1 GHz, one thread", paper.size),
            ms: BTreeMap::from([("total".to_owned(), 1000.0 / fps)]),
        }
    });
    Ok(Row {
        counts,
        settings: settings(&world),
        reference,
        ..samples.row("visual", paper.scene)
    })
}

/// A ball of 800 triangles, of which one is left out: a closed one would be one convex primitive.
fn shell(radius: f32, rings: u32, segments: u32) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for i in 0..=rings {
        for j in 0..segments {
            let a = PI * i as f32 / rings as f32;
            let b = TAU * j as f32 / segments as f32;
            let around = Vec3::new(a.sin() * b.cos(), a.cos(), a.sin() * b.sin());
            mesh.positions.push(radius * around);
        }
    }
    let at = |i: u32, j: u32| i * segments + j % segments;
    let place = |v: u32| mesh.positions[v as usize];
    let mut faces = Vec::new();
    for i in 0..rings {
        for j in 0..segments {
            for tri in [
                [at(i, j), at(i, j + 1), at(i + 1, j + 1)],
                [at(i, j), at(i + 1, j + 1), at(i + 1, j)],
            ] {
                let [a, b, c] = tri.map(place);
                if (b - a).cross(c - a).length() >= 1e-6 {
                    faces.push(tri);
                }
            }
        }
    }
    faces.iter().skip(1).for_each(|face| mesh.faces.push(*face));
    mesh
}

/// Twenty shells in piles of two, as in `peers/rapier`: so close that they touch the floor and each other.
fn pile(clock: fn() -> f64) -> Result<Row, Error> {
    let mut world = World::new(Settings {
        clock: Some(clock),
        sleep_speed: 0.0,
        ..Settings::default()
    });
    world.add_collider(Collider::floor(0.0));
    let ball = shell(1.0, 21, 20);
    for k in 0..20u8 {
        let (layer, row, column) = (k / 10, k / 5 % 2, k % 5);
        let [layer, row, column] = [layer, row, column].map(f32::from);
        let at = Vec3::new(column * 2.05, 1.2 + layer * 2.1, row * 2.05 + 0.1 * layer);
        let mut mesh = ball.clone();
        mesh.positions.iter_mut().for_each(|p| *p += at);
        let desc = VisualDesc {
            behavior: Behavior::Rigid,
            thickness: 0.08,
            ..VisualDesc::new(format!("shell {k}"), mesh)
        };
        world
            .add_visual(desc)
            .map_err(|error| Error::Input(error.to_string()))?;
    }
    let (mut fall, mut rest) = (Samples::default(), Samples::default());
    frames(&mut world, FALL, Some(&mut fall));
    frames(&mut world, FRAMES.1, Some(&mut rest));
    let mut row = rest.row("visual", PILE);
    let times = [
        (&mut row.ms, 0.5),
        (&mut row.ms_min, 0.0),
        (&mut row.ms_p95, 0.95),
    ];
    for (ms, q) in times {
        let total = fall.quantile(q).get("total").copied();
        ms.insert("falling".to_owned(), total.unwrap_or(f64::NAN));
    }
    let heights = (0..world.bodies().len()).filter_map(|k| Some(world.visual(k)?.rigid?.x.y));
    let height = heights.sum::<f32>() / world.bodies().len() as f32;
    row.counts = counts(&world);
    row.counts
        .insert("mean_height".to_owned(), f64::from(height));
    row.counts
        .insert("max_speed".to_owned(), world.ledger().max_speed);
    row.settings = settings(&world);
    Ok(row)
}
