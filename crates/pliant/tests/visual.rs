//! Bodies of visual geometry in a world.

use glam::{Quat, Vec3};
use pliant::dynamics::Collider;
use pliant::visual::nasty::{cube, sheet};
use pliant::visual::{Behavior, PolygonMesh, VisualDesc};
use pliant::{Settings, World};

fn world() -> World {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world
}

fn body(name: &str, mesh: PolygonMesh, behavior: Behavior) -> VisualDesc {
    VisualDesc {
        behavior,
        ..VisualDesc::new(name, mesh)
    }
}

/// A box of this size about a place.
fn cuboid(center: Vec3, size: Vec3) -> PolygonMesh {
    let mut mesh = cube(-0.5, 0.5);
    for p in &mut mesh.positions {
        *p = *p * size + center;
    }
    mesh
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        let report = world.step(1.0 / 60.0);
        assert_eq!(report.non_finite, 0);
    }
}

fn center(world: &World, body: usize) -> Vec3 {
    world.visual(body).unwrap().rigid.unwrap().x
}

/// A box that falls on its face lies on the floor, and stays there.
#[test]
fn a_box_lies_down() {
    let mut world = world();
    let mesh = cuboid(Vec3::Y * 1.5, Vec3::ONE);
    let desc = body("box", mesh, Behavior::Rigid);
    world.add_visual(desc).unwrap();
    run(&mut world, 120);
    let there = center(&world, 0);
    assert!((there - Vec3::Y * 0.5).length() < 5e-3, "{there}");
    run(&mut world, 300);
    let drift = center(&world, 0) - there;
    assert!(drift.length() < 1e-3, "{drift}");
}

/// A tilted box comes to rest on a face.
#[test]
fn a_tilted_box_comes_to_rest() {
    let mut world = world();
    let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.4, 0.3, 0.5);
    let mut mesh = cuboid(Vec3::ZERO, Vec3::ONE);
    for p in &mut mesh.positions {
        *p = turn * *p + Vec3::Y * 2.0;
    }
    world
        .add_visual(body("box", mesh, Behavior::Rigid))
        .unwrap();
    run(&mut world, 400);
    let rigid = world.visual(0).unwrap().rigid.unwrap();
    assert!((rigid.x.y - 0.5).abs() < 5e-3, "{}", rigid.x);
    assert!(
        rigid.v.length() < 0.02 && rigid.spin.length() < 0.05,
        "{rigid:?}"
    );
}

/// A stack of ten boxes stands for ten seconds.
#[test]
fn a_stack_stands() {
    let mut world = world();
    for k in 0..10u8 {
        let at = Vec3::Y * (0.5 + f32::from(k));
        let desc = body(&format!("box {k}"), cuboid(at, Vec3::ONE), Behavior::Rigid);
        world.add_visual(desc).unwrap();
    }
    run(&mut world, 600);
    for k in 0..10u8 {
        let expected = Vec3::Y * (0.5 + f32::from(k));
        let off = center(&world, usize::from(k)) - expected;
        assert!(off.length() < 0.1, "box {k} is off by {off}");
    }
    let top = world.surfaces()[9].bounds().unwrap().1.y;
    assert!((top - 10.0).abs() < 0.1, "{top}");
}

/// A box slides down a slope if it is steeper than friction holds, else it stays.
#[test]
fn friction_on_a_slope() {
    for (angle, slides) in [(0.35f32, false), (0.75, true)] {
        let mut world = World::new(Settings::default());
        let mut floor = Collider::floor(0.0);
        floor.shape = pliant::dynamics::ColliderShape::Plane {
            normal: Vec3::new(angle.sin(), angle.cos(), 0.0),
            offset: 0.0,
        };
        world.add_collider(floor);
        let turn = Quat::from_rotation_z(-angle);
        let mut mesh = cuboid(Vec3::Y * 0.5, Vec3::ONE);
        for p in &mut mesh.positions {
            *p = turn * *p;
        }
        world
            .add_visual(body("box", mesh, Behavior::Rigid))
            .unwrap();
        let start = center(&world, 0);
        run(&mut world, 60);
        let gone = center(&world, 0).distance(start);
        assert_eq!(gone > 0.3, slides, "{angle}: {gone} m");
        assert!(slides || gone < 0.02, "{angle}: {gone} m");
    }
}

/// Two boxes that collide in free space keep their momentum and their angular momentum.
#[test]
fn a_collision_keeps_momentum() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    for (k, x) in [-1.2f32, 1.2].into_iter().enumerate() {
        let mut desc = body(
            &format!("box {k}"),
            cuboid(Vec3::new(x, 0.3 * x, 0.1), Vec3::new(1.0, 0.8, 1.2)),
            Behavior::Rigid,
        );
        desc.velocity = Vec3::X * -2.0 * x;
        desc.spin = Vec3::new(0.3, 0.1, -0.5);
        world.add_visual(desc).unwrap();
    }
    let before = world.ledger();
    run(&mut world, 120);
    let after = world.ledger();
    let scale = before.mass * 2.4;
    assert!((after.momentum - before.momentum).length() < 1e-5 * scale);
    let drift = (after.angular_momentum - before.angular_momentum).length();
    assert!(drift < 1e-3 * scale, "{drift} of {scale}");
    assert!(after.kinetic_energy < before.kinetic_energy * 1.001);
    let turned = world.visual(0).unwrap().rigid.unwrap().v.x < 2.3;
    assert!(turned, "they met");
}

/// A soft sheet falls over a box and hangs on it; nothing goes through.
#[test]
fn a_sheet_on_a_box() {
    let mut world = world();
    let mut mesh = sheet(16, 16, 0.15);
    for p in &mut mesh.positions {
        *p = Vec3::new(p.x - 1.2, 1.3 + p.z, p.y - 1.2);
    }
    let mut cloth = body("cloth", mesh, Behavior::Soft);
    cloth.thickness = 0.02;
    cloth.material.stiffness = 0.05;
    world.add_visual(cloth).unwrap();
    let mut block = body("block", cuboid(Vec3::Y * 0.5, Vec3::ONE), Behavior::Rigid);
    block.is_fixed = true;
    world.add_visual(block).unwrap();
    run(&mut world, 200);
    let (lo, hi) = world.surfaces()[0].bounds().unwrap();
    assert!(hi.y > 0.98 && hi.y < 1.15, "{hi}");
    assert!(lo.y > -0.05 && lo.y < 0.8, "{lo}");
}
