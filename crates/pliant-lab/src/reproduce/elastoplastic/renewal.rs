//! What people notice of re-sampling when it goes wrong: seams that stay, surfaces that jump, bodies that sink or get lighter.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::{Bench, LabError};
use glam::{Mat3, Vec3};
use pliant::dynamics::collider::{Ease, Motion, MotionKey};
use pliant::dynamics::contacts::statics::Placed;
use pliant::dynamics::{Action, ActionKind, Collider, ColliderShape};
use pliant::geometry::Shape;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::state::{SKIN_INFLUENCES, Surface};
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};
use pliant_scene::builtin::SCENES;
use pliant_scene::{BuildOptions, Built, Limits, build, load};

fn scene(name: &str) -> Result<Built, LabError> {
    let loaded = load(name, &[], &Limits::default())?;
    Ok(build(&loaded, &BuildOptions::default())?)
}

/// R1: a cut through dough, the halves pushed together, and the seam heals.
pub(super) fn cut_and_rejoined(bench: &mut Bench) -> Result<(), LabError> {
    const CUT: usize = 20;
    let mut world = dough_on_table()?;
    world.add_action(Action {
        at: CUT as f64 / 60.0,
        kind: ActionKind::Cut {
            point: Vec3::new(0.05, 0.5, 0.0),
            normal: Vec3::X,
            blade: None,
            body: None,
        },
    });
    let whole = world.surfaces()[0].volume();
    let (mut parted, mut sum) = (0, 0.0);
    let mut pictures = Vec::new();
    let mut side: Vec<(u64, u32)> = Vec::new();
    for frame in 1..=300 {
        world.step(1.0 / 60.0);
        if frame == CUT + 2 {
            parted = world.surfaces()[0].piece_count();
            sum = world.surfaces()[0].volume();
            let points = world.points();
            side = points
                .id
                .iter()
                .copied()
                .zip(points.piece.clone())
                .collect();
            part(&mut world, 0.8);
        }
        if [CUT + 2, 60, 300].contains(&frame) {
            let mesh = world.surfaces()[0].mesh().into_owned();
            pictures.push((mesh, format!("frame {frame}")));
        }
    }
    bench.check(
        Engine,
        "pieces two frames after the cut, and at the end",
        format!("{parted} and {}", world.surfaces()[0].piece_count()),
        "2 and 1",
        parted == 2 && world.surfaces()[0].piece_count() == 1,
    );
    let off = 100.0 * (sum / whole - 1.0).abs();
    bench.check(
        Engine,
        "volume of the halves against the whole",
        format!("{off:.3} %"),
        "within 2 %",
        off <= 2.0,
    );
    let spanning = spanning(&world, &side);
    bench.check(
        Engine,
        "clusters with particles of both halves at the end",
        spanning.to_string(),
        "at least 1",
        spanning > 0,
    );
    write_sheet(bench, "r1.png", 3, false, &pictures)
}

/// A dough between two walls.
fn dough_on_table() -> Result<World, LabError> {
    const R: f32 = 0.1;
    let shape = Shape::Figure {
        figure: Figure::Dough,
        center: Vec3::Y * 0.76,
    };
    let mut desc = BodyDesc::new("dough", mesh_shape(&shape, R).unwrap_or_default(), R);
    desc.surface = SurfaceKind::Tracked {
        edge_length: R,
        keep_volume: true,
    };
    desc.material = Material {
        stiffness: 0.1,
        plastic_yield: 0.1,
        plastic_flow: 0.9,
        ..Material::default()
    };
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world.add_body(desc)?;
    // Two walls that push from both sides, from the second second on.
    for side in [-1.0, 1.0] {
        let key = |time: f64, x: f32| MotionKey {
            time,
            position: Vec3::new(side * x, 1.0, 0.0),
            rotation: Vec3::ZERO,
        };
        let half = Vec3::new(0.2, 1.0, 2.5);
        let shape = Shape::Box {
            center: Vec3::ZERO,
            half,
        };
        world.add_collider(Collider {
            name: "wall".into(),
            shape: ColliderShape::Solid(shape),
            friction: 0.2,
            motion: Motion {
                keys: vec![key(0.0, 2.4), key(1.0, 2.4), key(3.0, 1.4)],
                pivot: None,
                ease: Ease::Smooth,
                looping: false,
            },
        });
    }
    Ok(world)
}

/// Pushes both halves away from the cut by a change of speed (m/s).
fn part(world: &mut World, by: f32) {
    let points = world.points_mut();
    for (v, x) in points.v.iter_mut().zip(&points.x) {
        v.x += by * (x.x - 0.05).signum();
    }
}

/// Clusters with particles that were of different pieces after the cut; ids ascend in `side`.
fn spanning(world: &World, side: &[(u64, u32)]) -> usize {
    let of = |i: u32| {
        let id = world.points().id[i as usize];
        let at = side.binary_search_by_key(&id, |s| s.0);
        at.ok().map(|at| side[at].1)
    };
    let spans = |k: &usize| {
        let mut sides = world.groups().members(*k).filter_map(|(i, _)| of(i));
        let first = sides.next();
        sides.any(|side| Some(side) != first)
    };
    (0..world.groups().len()).filter(spans).count()
}

/// R2: the surface where its particles carry it after re-sampling, against where it was before, in the same frame.
pub(super) fn popping(bench: &mut Bench) -> Result<(), LabError> {
    for name in ["taffy", "dough"] {
        let mut built = scene(name)?;
        let frames = if bench.options.long {
            built.frames
        } else {
            300
        };
        let r = built.world.bodies()[0].particle_radius;
        // By hundredths of r; the last holds all that is beyond.
        let mut counts = [0_usize; 101];
        let mut worst = 0.0_f32;
        for _ in 0..frames {
            built.world.step(1.0 / built.fps);
            for d in jumps(&built.world) {
                counts[((d / r * 100.0) as usize).min(100)] += 1;
                worst = worst.max(d / r);
            }
        }
        let all: usize = counts.iter().sum();
        let small: usize = counts[..10].iter().sum();
        let share = 100.0 * small as f64 / all.max(1) as f64;
        bench.check(
            Engine,
            format!(
                "{name}: vertices that re-sampling moves by at most 0.1 r, and the largest move"
            ),
            format!("{share:.3} % of {all}, {worst:.3} r"),
            "at least 99.9 %, at most 0.5 r",
            share >= 99.9 && worst <= 0.5,
        );
    }
    Ok(())
}

/// How far every vertex of the first surface is from where its particles would carry it now.
fn jumps(world: &World) -> Vec<f32> {
    let Surface::Tracked(tracked) = &world.surfaces()[0] else {
        return Vec::new();
    };
    let (points, mesh) = (world.points(), tracked.mesh());
    let placed: Vec<Placed> = world
        .colliders()
        .iter()
        .map(|c| Placed::during(c, world.time(), world.time()))
        .collect();
    mesh.vertices()
        .filter_map(|v| {
            let (skin, y) = (&tracked.skin()[v as usize], mesh.positions()[v as usize]);
            let mut carried = Vec3::ZERO;
            for a in 0..SKIN_INFLUENCES {
                let i = skin.point[a] as usize;
                let turn = Mat3::from_quat(points.rotation[i]);
                carried += skin.weight[a] * (turn * skin.local[a] + points.x[i]);
            }
            // What a collider holds away from where it would hang is not moved by re-sampling.
            let held = placed.iter().any(|p| depth_in(p, carried) > 0.0);
            (!held).then(|| carried.distance(y))
        })
        .collect()
}

/// How deep a place is in a collider (m); negative or zero outside.
fn depth_in(placed: &Placed, p: Vec3) -> f32 {
    placed
        .distance_normal(placed.end.invert(p), 0.0)
        .map_or(0.0, |(d, _)| -d)
}

/// R3: at the end of every scene no vertex lies deep in a collider, and the mass is what it was.
pub(super) fn sinking(bench: &mut Bench) -> Result<(), LabError> {
    for builtin in &SCENES {
        let mut built = scene(builtin.name)?;
        let frames = if bench.options.long {
            built.frames
        } else {
            built.frames.min(240)
        };
        let mass = body_mass(&built.world);
        let mut drift = 0.0_f64;
        for _ in 0..frames {
            built.world.step(1.0 / built.fps);
            drift = drift.max((body_mass(&built.world) / mass - 1.0).abs());
        }
        let world = &built.world;
        let mut deepest = f32::NEG_INFINITY;
        for (body, surface) in world.bodies().iter().zip(world.surfaces()) {
            for collider in world.colliders() {
                let placed = Placed::during(collider, world.time(), world.time());
                for p in &surface.mesh().positions {
                    deepest = deepest.max(depth_in(&placed, *p) / body.particle_radius);
                }
            }
        }
        bench.check(
            Engine,
            format!(
                "{}: deepest vertex in a collider at the end; change of mass",
                builtin.name
            ),
            format!("{deepest:.3} r, {:.3} %", 100.0 * drift),
            "at most 0.1 r and 3 %",
            deepest <= 0.1 && drift <= 0.03,
        );
    }
    Ok(())
}

/// Mass of all bodies, without what is shot at them (kg).
fn body_mass(world: &World) -> f64 {
    let of = |body| world.body_ledger(body).mass;
    world.bodies().iter().map(of).sum()
}

/// R4: hashes of every built-in scene with one and two threads.
pub(super) fn threads(bench: &mut Bench) -> Result<(), LabError> {
    let frames = if bench.options.long { 600 } else { 40 };
    for builtin in &SCENES {
        let mut hashes: Vec<Vec<u64>> = Vec::new();
        for threads in [1, 2] {
            let mut built = scene(builtin.name)?;
            let mut run = || {
                let step = |_| {
                    built.world.step(1.0 / built.fps);
                    built.world.hash()
                };
                (0..frames).map(step).collect()
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            hashes.push(match pool {
                Ok(pool) => pool.install(&mut run),
                Err(_) => run(),
            });
        }
        let equal = (0..frames)
            .filter(|&f| hashes[0][f] == hashes[1][f])
            .count();
        bench.check(
            Engine,
            format!(
                "{}: frames with equal hashes for 1 and 2 threads",
                builtin.name
            ),
            format!("{equal} of {frames}"),
            "all",
            equal == frames,
        );
    }
    Ok(())
}
