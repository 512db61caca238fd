//! Joints and attachments follow the pieces.

use super::worlds::{body, cuboid, grounded, imbalance, picture, run, visuals, weightless, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{Quat, Vec3};
use pliant::World;
use pliant::dynamics::attachments::Ground;
use pliant::dynamics::{Action, ActionKind};
use pliant::visual::hull::{Hull, Placed};
use pliant::visual::nasty::append;
use pliant::visual::pattern::from_mesh;
use pliant::visual::sat::{Feature, Solid, separation};
use pliant::visual::{
    Behavior, JointDesc, JointKind, PatternDesc, PatternKind, PolygonMesh, VisualBody,
};
use std::f32::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// Boxes as the cells of a pattern; each has a centre and a size.
fn cells(boxes: &[(Vec3, Vec3)]) -> Option<PatternDesc> {
    let mut mesh = PolygonMesh::default();
    for (k, &(center, size)) in (0u16..).zip(boxes) {
        append(&mut mesh, &cuboid(center, size));
        mesh.parts.extend([k; 6]);
        mesh.part_names.push(format!("cell {k}"));
    }
    mesh.parts.truncate(6 * boxes.len());
    let pattern = from_mesh(&mesh).ok()?;
    Some(PatternDesc {
        kind: PatternKind::Cells(Arc::new(pattern)),
        ..PatternDesc::default()
    })
}

fn fracture(at: Vec3, pattern: Option<PatternDesc>) -> Action {
    let kind = ActionKind::Fracture {
        at,
        pattern,
        body: None,
    };
    Action { at: 0.0, kind }
}

/// V9.
pub(super) fn hinges(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = grounded();
    let mut wing = body(
        "wing",
        cuboid(Vec3::new(0.5, 5.0, 0.0), Vec3::new(1.0, 2.0, 0.05)),
        Behavior::Brittle,
    );
    wing.dent_speed = 1e9;
    let ids = world.add_visual(wing)?;
    for (k, y) in [4.4f32, 5.6].into_iter().enumerate() {
        world.add_joint(JointDesc {
            name: format!("hinge {k}"),
            kind: JointKind::Hinge,
            a: ids.clone(),
            b: Vec::new(),
            center: Vec3::new(0.0, y, 0.0),
            half: Vec3::splat(0.1),
            rotation: Quat::from_rotation_z(FRAC_PI_2),
            limits: None,
            motor: None,
        })?;
    }
    run(&mut world, 30);
    let mut shown = vec![(picture(&world)?, "whole".to_owned())];
    // Low and high at the hinges, and a strip at the far side that has none.
    let pattern = cells(&[
        (Vec3::new(-4.3, -4.5, 0.0), Vec3::new(9.0, 9.0, 9.0)),
        (Vec3::new(-4.3, 4.5, 0.0), Vec3::new(9.0, 9.0, 9.0)),
        (Vec3::new(4.7, 0.0, 0.0), Vec3::new(9.0, 18.0, 9.0)),
    ]);
    world.add_action(fracture(Vec3::new(0.5, 5.0, 0.0), pattern));
    run(&mut world, 1);
    let place = |k: usize| world.joints()[k].a;
    let height = |k: usize| {
        let at = world.bodies().iter().position(|b| b.id == place(k));
        let rigid = at.and_then(|at| world.visual(at)?.rigid);
        rigid.map_or(f32::NAN, |r| r.x.y)
    };
    let count = world.joints().len();
    let heights: Vec<f32> = (0..count).map(height).collect();
    let told: Vec<String> = heights.iter().map(|h| format!("{h:.2}")).collect();
    bench.check(
        Engine,
        "a wing on two hinges breaks into a low and a high part and a strip: bodies; joints; heights of what they hold",
        format!("{}; {count}; {} m", world.bodies().len(), told.join(", ")),
        "3; 2; below and above 5 m",
        world.bodies().len() == 3 && count == 2 && heights[0] < 4.9 && heights[1] > 5.1,
    );
    let held: Vec<bool> = world
        .bodies()
        .iter()
        .map(|b| world.joints().iter().any(|j| j.a == b.id))
        .collect();
    let was: Vec<Vec3> = visuals(&world).filter_map(|v| Some(v.rigid?.x)).collect();
    run(&mut world, 30);
    shown.push((picture(&world)?, "half a second after it broke".to_owned()));
    let fell: Vec<f32> = visuals(&world)
        .zip(&was)
        .filter_map(|(v, was)| Some(was.y - v.rigid?.x.y))
        .collect();
    // ½ g t².
    let free = 0.5 * 9.81 * 0.25;
    let mut pass = fell.len() == held.len();
    for (fell, held) in fell.iter().zip(&held) {
        pass &= if *held {
            fell.abs() < 0.05
        } else {
            *fell > 0.9 * free
        };
    }
    let told: Vec<String> = fell
        .iter()
        .zip(&held)
        .map(|(f, h)| format!("{f:.3} m {}", if *h { "(held)" } else { "(free)" }))
        .collect();
    bench.check(
        Engine,
        "how far the fragments fall in half a second",
        told.join(", "),
        format!("held at most 0.05 m, free at least {:.2} m", 0.9 * free),
        pass,
    );
    write(bench, "v9-hinges.png", &shown)
}

/// A ring of quads about z, with flat sides up and down.
fn torus(major: f32, minor: f32, around: u16, across: u16) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (
                TAU * (f32::from(i) + 0.3) / f32::from(around),
                TAU * (f32::from(j) + 0.5) / f32::from(across),
            );
            let r = major + minor * b.cos();
            mesh.positions
                .push(Vec3::new(r * a.cos(), r * a.sin(), minor * b.sin()));
        }
    }
    let at = |i: u16, j: u16| u32::from(i % around) * u32::from(across) + u32::from(j % across);
    for i in 0..around {
        for j in 0..across {
            mesh.faces
                .push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh
}

/// An upright many-sided drum about z.
fn drum(radius: f32, width: f32, sides: u32) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for z in [-0.5 * width, 0.5 * width] {
        for k in 0..sides {
            let a = TAU * k as f32 / sides as f32;
            mesh.positions
                .push(Vec3::new(radius * a.cos(), radius * a.sin(), z));
        }
    }
    mesh.faces.push((0..sides).rev());
    mesh.faces.push(sides..2 * sides);
    for k in 0..sides {
        let l = (k + 1) % sides;
        mesh.faces.push([k, l, sides + l, sides + k]);
    }
    mesh
}

/// V10.
pub(super) fn tyre(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    let mut tyre = body("tyre", torus(0.5, 0.15, 48, 12), Behavior::Soft);
    tyre.thickness = 0.02;
    let tyre = world.add_visual(tyre)?;
    let wheel = body("wheel", drum(0.4, 0.2, 24), Behavior::Rigid);
    let wheel = world.add_visual(wheel)?;
    let tied = world.attach(tyre[0], wheel[0])?;
    let expected: usize = overlapping(&world, 0, 1);
    bench.check(
        Engine,
        "primitives of a tyre that are attached to its wheel; that overlap it",
        format!("{tied}; {expected}"),
        "the same, more than 0",
        tied == expected && tied > 0,
    );
    // Quarters about the hub, through the faces. A pattern is put where the tyre is hit, on its flat side, and may be mirrored there.
    let top = Vec3::new(0.0, 0.5, 0.15);
    let hub = Vec3::Y * (0.021 - top.y);
    let quarters = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let boxes = quarters.map(|(x, y)| (Vec3::new(3.0 * x, 3.0 * y, 0.0) + hub, Vec3::splat(6.0)));
    let pattern = cells(&boxes);
    let mut shown = vec![(picture(&world)?, "whole".to_owned())];
    let mass = world.ledger().mass;
    world.add_action(fracture(top, pattern));
    let bad = run(&mut world, 1);
    let soft: Vec<usize> = (0..world.bodies().len())
        .filter(|&k| world.visual(k).is_some_and(VisualBody::is_soft))
        .collect();
    let rigid = (0..world.bodies().len())
        .find(|k| !soft.contains(k))
        .unwrap_or(0);
    let mut told = Vec::new();
    let mut pass = soft.len() == 4 && bad == 0;
    for &k in &soft {
        let id = world.bodies()[k].id;
        let tied = world.attachments().iter().filter(|t| t.soft == id).count();
        let over = overlapping(&world, k, rigid);
        told.push(format!("{tied} of {over}"));
        pass &= tied == over && tied > 0;
    }
    bench.check(
        Engine,
        "torn into quarters: pieces; attachments of each, of primitives that overlap the wheel",
        format!("{}; {}", soft.len(), told.join(", ")),
        "4; as many of as many",
        pass,
    );
    let is_sound = |t: &&pliant::dynamics::attachments::Attachment| {
        let at = world.bodies().iter().position(|b| b.id == t.soft);
        let visual = at.and_then(|at| world.visual(at));
        let holds =
            visual.is_some_and(|v| v.is_soft() && (t.primitive as usize) < v.primitives.len());
        holds && matches!(t.to, Ground::Body(id) if world.bodies()[rigid].id == id)
    };
    let sound = world.attachments().iter().filter(is_sound).count();
    let change = (world.ledger().mass / mass - 1.0).abs();
    bench.check(
        Engine,
        "attachments that dangle; change of mass; edges that do not close",
        format!(
            "{}; {change:.1e}; {}",
            world.attachments().len() - sound,
            imbalance(&world).0
        ),
        "0; at most 1e-6; 0",
        sound == world.attachments().len() && change <= 1e-6 && imbalance(&world).0 == 0,
    );
    // The pieces go on with the wheel.
    let bad = run(&mut world, 60);
    shown.push((picture(&world)?, "a second after".to_owned()));
    bench.check(
        Engine,
        "a second later: attachments; not finite",
        format!("{}; {bad}", world.attachments().len()),
        format!("{sound}; 0"),
        world.attachments().len() == sound && bad == 0,
    );
    write(bench, "v10-tyre.png", &shown)
}

/// Primitives of a body that overlap one of another, by looking at all of them.
fn overlapping(world: &World, soft: usize, rigid: usize) -> usize {
    let (Some(own), Some(other)) = (world.visual(soft), world.visual(rigid)) else {
        return 0;
    };
    let place = |visual: &VisualBody| -> Vec<(Hull, Placed, Vec3)> {
        let one = |k: usize| {
            let pose = visual.pose(k);
            let hull = Hull::new(&visual.primitives[k]);
            let mut placed = Placed::default();
            hull.place(pose.d, &mut placed);
            (hull, placed, pose.x)
        };
        (0..visual.primitives.len()).map(one).collect()
    };
    let (own, other) = (place(own), place(other));
    let touch = |a: &(Hull, Placed, Vec3), b: &(Hull, Placed, Vec3)| {
        let (x, y) = (
            Solid {
                hull: &a.0,
                placed: &a.1,
            },
            Solid {
                hull: &b.0,
                placed: &b.1,
            },
        );
        separation(x, y, b.2 - a.2, 0.0, &mut Feature::None).is_some()
    };
    own.iter()
        .filter(|a| other.iter().any(|b| touch(a, b)))
        .count()
}
