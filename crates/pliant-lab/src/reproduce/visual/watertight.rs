//! What is drawn stays closed.

use super::worlds::{body, cuboid, grounded, imbalance, pull, run, shot, weightless};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::World;
use pliant::dynamics::{Action, ActionKind};
use pliant::visual::nasty::{icosphere, moved, sheet};
use pliant::visual::tear::TearLines;
use pliant::visual::{Behavior, PatternKind, PolygonMesh, TearRule};
use pliant_scene::models::make_polygons;

/// Frames of the sheet that is bent.
const BENT: usize = 1000;

/// V3.
pub(super) fn always(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    let ball = moved(icosphere(2), Vec3::X * 4.0);
    let mut soft = body("ball", ball, Behavior::Soft);
    soft.thickness = 0.05;
    world.add_visual(soft)?;
    world.add_visual(body("box", cuboid(Vec3::ZERO, Vec3::ONE), Behavior::Rigid))?;
    if let Some(car) = make_polygons("car", 0.3) {
        let mut car = body("car", moved(car.mesh, Vec3::Z * 10.0), Behavior::Rigid);
        car.thickness = 0.01;
        world.add_visual(car)?;
    }
    check(bench, "at rest", &world, 0);
    bent(bench)?;
    cut(bench)?;
    torn(bench)
}

fn check(bench: &mut Bench, what: &str, world: &World, bad: u32) {
    let (open, count) = imbalance(world);
    bench.check(
        Engine,
        format!("{what}: edges that do not close, over {count} meshes; not finite"),
        format!("{open}; {bad}"),
        "0; 0",
        open == 0 && bad == 0 && count > 0,
    );
}

/// A sheet whose middle line is marked, or not, lying in the plane z = 0.
fn lined(n: u32, quad: f32) -> PolygonMesh {
    let mut mesh = sheet(n, n, quad);
    let middle = 0.5 * n as f32 * quad;
    let color = |p: &Vec3| [if (p.x - middle).abs() < 1e-4 { 255 } else { 0 }; 4];
    mesh.colors = mesh.positions.iter().map(color).collect();
    mesh
}

fn bent(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = grounded();
    let mut mesh = sheet(20, 20, 0.1);
    for p in &mut mesh.positions {
        *p = Vec3::new(p.x - 1.0, 1.3 + p.z, p.y - 1.0);
    }
    let mut cloth = body("cloth", mesh, Behavior::Soft);
    cloth.thickness = 0.02;
    cloth.material.stiffness = 0.05;
    world.add_visual(cloth)?;
    let mut block = body("block", cuboid(Vec3::Y * 0.5, Vec3::ONE), Behavior::Rigid);
    block.is_fixed = true;
    world.add_visual(block)?;
    let mut ball = body("ball", moved(icosphere(2), Vec3::Y * 3.0), Behavior::Soft);
    ball.thickness = 0.05;
    world.add_visual(ball)?;
    let bad = run(&mut world, BENT);
    check(
        bench,
        &format!("after {BENT} steps of cloth and a soft ball on a block"),
        &world,
        bad,
    );
    Ok(())
}

fn cut(bench: &mut Bench) -> Result<(), LabError> {
    let patterns = [
        (PatternKind::Voronoi, "shards"),
        (PatternKind::Glass, "glass"),
        (PatternKind::Splinters, "splinters"),
        (PatternKind::Bricks, "bricks"),
    ];
    for (kind, name) in patterns {
        let mut world = grounded();
        let mut pane = body(
            "pane",
            cuboid(Vec3::Y * 0.6, Vec3::new(1.0, 1.0, 0.05)),
            Behavior::Brittle,
        );
        let mut ball = body(
            "ball",
            moved(icosphere(2), Vec3::new(3.0, 1.1, 0.0)),
            Behavior::Brittle,
        );
        ball.thickness = 0.04;
        let mut cloth = body(
            "cloth",
            moved(lined(16, 0.1), Vec3::new(10.0, 0.1, 0.0)),
            Behavior::Soft,
        );
        cloth.thickness = 0.02;
        for desc in [&mut pane, &mut ball, &mut cloth] {
            desc.pattern.kind = kind.clone();
            desc.dent_speed = 1e6;
            world.add_visual(desc.clone())?;
        }
        for x in [0.2, 3.9, 10.8] {
            let kind = ActionKind::Fracture {
                body: None,
                at: Vec3::new(x, 0.8, 0.0),
                pattern: None,
            };
            world.add_action(Action { at: 0.05, kind });
        }
        let bad = run(&mut world, 60);
        check(
            bench,
            &format!(
                "a pane, a ball and a cloth cut by {name}, {} bodies",
                world.bodies().len()
            ),
            &world,
            bad,
        );
    }
    let mut world = weightless();
    let mut plate = body(
        "plate",
        moved(sheet(4, 4, 0.5), Vec3::new(-1.0, -1.0, 0.0)),
        Behavior::Ductile,
    );
    plate.thickness = 0.04;
    plate.pattern.cells = 60;
    world.add_visual(plate)?;
    world.add_action(shot(Vec3::new(0.1, 0.1, 0.6), Vec3::Z * -12.0, 0.2, 30.0));
    let bad = run(&mut world, 60);
    let count = world.visual(0).map_or(0, |v| v.primitives.len());
    check(
        bench,
        &format!("a plate of 16 faces divided where it was hit and dented, now {count} primitives"),
        &world,
        bad + u32::from(count <= 16),
    );
    Ok(())
}

fn torn(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    let mesh = lined(20, 0.1);
    let mut cloth = body("cloth", mesh.clone(), Behavior::Soft);
    cloth.tear = TearRule::Lines(TearLines::of_colors(&mesh, |c| c[0] > 128));
    cloth.thickness = 0.02;
    world.add_visual(cloth)?;
    // Obliquely: one end of the line opens first.
    for (at, to) in [(0.05, -0.6), (1.95, 2.6)] {
        let half = Vec3::new(0.15, 0.5, 1.0);
        world.add_action(pull(
            Vec3::new(at, 1.7, 0.0),
            half,
            Vec3::new(to, 2.0, 0.4),
            2.0,
        ));
    }
    let mut partly = (0, 0);
    let mut bad = 0;
    for _ in 0..240 {
        bad += run(&mut world, 1);
        let links = (0..world.bodies().len()).filter_map(|k| world.visual(k));
        let broken = links
            .flat_map(|v| &v.graph.links)
            .filter(|l| l.broken)
            .count();
        if world.bodies().len() == 1 && broken > 0 {
            partly.0 += 1;
            partly.1 = partly.1.max(imbalance(&world).0);
        }
    }
    bench.check(
        Engine,
        "frames in which a sheet is torn in part; edges that do not close then",
        format!("{}; {}", partly.0, partly.1),
        "at least 1; 0",
        partly.0 > 0 && partly.1 == 0,
    );
    check(
        bench,
        &format!("after the tear, {} bodies", world.bodies().len()),
        &world,
        bad,
    );
    Ok(())
}
