//! The same bits for any number of threads, in a crash.

use super::worlds::{FRAME, body, cuboid, grounded, later, picture, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{Quat, Vec3};
use pliant::World;
use pliant::visual::nasty::{icosphere, moved, sheet};
use pliant::visual::tear::TearLines;
use pliant::visual::{Behavior, JointDesc, JointKind, PatternKind, TearRule};
use pliant_draw::Image;

/// Frames of a run, and of a long one.
const FRAMES: [usize; 2] = [180, 600];
const THREADS: [usize; 3] = [1, 2, 8];
/// Frames of which there is a picture.
const SHOWN: [usize; 3] = [5, 40, 120];

/// What a run has come to.
#[derive(Default)]
struct Ran {
    hashes: Vec<u64>,
    bodies: (usize, usize),
    joints: (usize, usize),
    dented: usize,
    stopped: u32,
    pictures: Vec<(Image, String)>,
}

/// V14.
pub(super) fn same_bits(bench: &mut Bench) -> Result<(), LabError> {
    let frames = FRAMES[usize::from(bench.options.long)];
    let one = run(THREADS[0], frames)?;
    bench.check(
        Engine,
        "the crash: bodies and joints before and after; dented primitives; not finite",
        format!(
            "{} → {}, {} → {}; {}; {}",
            one.bodies.0, one.bodies.1, one.joints.0, one.joints.1, one.dented, one.stopped
        ),
        "at least 20 more bodies; dents; 0",
        one.bodies.1 >= one.bodies.0 + 20 && one.dented > 0 && one.stopped == 0,
    );
    for &threads in &THREADS[1..] {
        let other = run(threads, frames)?;
        let pairs = one.hashes.iter().zip(&other.hashes);
        let differing = pairs.filter(|(a, b)| a != b).count();
        let last = [&one, &other].map(|r| r.hashes.last().copied().unwrap_or_default());
        bench.check(
            Engine,
            format!(
                "hash after {frames} frames with 1 and {threads} threads; frames whose hash differs"
            ),
            format!("{:016x}, {:016x}; {differing}", last[0], last[1]),
            "the same; 0",
            differing == 0 && one.hashes.len() == other.hashes.len(),
        );
    }
    write(bench, "v14-crash.png", &one.pictures)
}

fn run(threads: usize, frames: usize) -> Result<Ran, LabError> {
    let mut world = crash()?;
    let mut ran = Ran {
        bodies: (world.bodies().len(), 0),
        joints: (world.joints().len(), 0),
        ..Ran::default()
    };
    let mut go = || -> Result<(), LabError> {
        for frame in 0..frames {
            let report = world.step(FRAME);
            ran.hashes.push(world.hash());
            ran.stopped += report.non_finite;
            if threads == 1 && SHOWN.contains(&frame) {
                ran.pictures
                    .push((picture(&world)?, format!("{:.2} s", world.time())));
            }
        }
        Ok(())
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(go)?,
        Err(_) => go()?,
    }
    ran.bodies.1 = world.bodies().len();
    ran.joints.1 = world.joints().len();
    let visuals = (0..world.bodies().len()).filter_map(|k| world.visual(k));
    ran.dented = visuals
        .flat_map(|v| &v.dented)
        .filter(|d| **d > 0.0)
        .count();
    Ok(ran)
}

/// Balls are shot through a pane in a hinged frame into a plate, a ductile one beside it; a cloth with a line falls over all, and loose
/// boxes.
fn crash() -> Result<World, LabError> {
    let mut world = grounded();
    let mut pane = body(
        "pane",
        cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.6, 1.6, 0.03)),
        Behavior::Brittle,
    );
    pane.pattern.kind = PatternKind::Glass;
    pane.pattern.cells = 50;
    // What has broken off may fall, and boxes on it, without that it breaks again and again.
    pane.dent_speed = 15.0;
    let pane = world.add_visual(pane)?;
    let post = |name: &str, x: f32| {
        let mut post = body(
            name,
            cuboid(Vec3::new(x, 1.0, 0.0), Vec3::new(0.2, 2.0, 0.2)),
            Behavior::Rigid,
        );
        post.is_fixed = true;
        post
    };
    let left = world.add_visual(post("left", -0.95))?;
    let right = world.add_visual(post("right", 0.95))?;
    for (k, (side, x)) in [(&left, -0.82f32), (&right, 0.82)].into_iter().enumerate() {
        for (l, y) in [0.5f32, 1.5].into_iter().enumerate() {
            world.add_joint(JointDesc {
                name: format!("clamp {k} {l}"),
                kind: JointKind::Fixed,
                a: pane.clone(),
                b: side.clone(),
                center: Vec3::new(x, y, 0.0),
                half: Vec3::splat(0.1),
                rotation: Quat::IDENTITY,
                limits: None,
                motor: None,
            })?;
        }
    }
    for (name, x, behavior) in [
        ("plate", -0.9f32, Behavior::Plastic),
        ("tin", 0.9, Behavior::Ductile),
    ] {
        let mut plate = body(
            name,
            moved(sheet(8, 8, 0.2), Vec3::new(x - 0.8, 0.05, -1.5)),
            behavior,
        );
        plate.thickness = 0.03;
        plate.pattern.cells = 40;
        world.add_visual(plate)?;
    }
    let mut mesh = sheet(16, 16, 0.15);
    for p in &mut mesh.positions {
        *p = Vec3::new(p.x - 1.2, 2.6, p.y - 1.2);
    }
    mesh.colors = mesh
        .positions
        .iter()
        .map(|p| [if p.x.abs() < 1e-3 { 255 } else { 0 }; 4])
        .collect();
    let mut cloth = body("cloth", mesh.clone(), Behavior::Soft);
    cloth.thickness = 0.02;
    cloth.material.stiffness = 0.1;
    cloth.tear = TearRule::Lines(TearLines::of_colors(&mesh, |c| c[0] > 128));
    cloth.tear_stretch = 1.1;
    world.add_visual(cloth)?;
    for k in 0..4u8 {
        let at = Vec3::new(0.3 * f32::from(k) - 0.5, 3.0 + 0.4 * f32::from(k), 0.4);
        world.add_visual(body(
            &format!("box {k}"),
            cuboid(at, Vec3::splat(0.3)),
            Behavior::Rigid,
        ))?;
    }
    let mut shell = icosphere(1);
    shell.positions.iter_mut().for_each(|p| *p *= 0.3);
    let mut egg = body(
        "egg",
        moved(shell, Vec3::new(-2.0, 2.0, 0.0)),
        Behavior::Brittle,
    );
    egg.dent_speed = 5.0;
    world.add_visual(egg)?;
    world.add_action(later(
        0.0,
        Vec3::new(-0.3, 1.0, 2.0),
        Vec3::Z * -25.0,
        0.12,
        20.0,
    ));
    world.add_action(later(
        0.4,
        Vec3::new(0.6, 0.8, 2.0),
        Vec3::Z * -25.0,
        0.12,
        20.0,
    ));
    Ok(world)
}
