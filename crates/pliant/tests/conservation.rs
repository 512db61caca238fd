//! What the solver must keep, measured on small worlds.

use glam::Vec3;
use pliant::dynamics::{Action, ActionKind, Collider};
use pliant::geometry::Shape;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::report::Ledger;
use pliant::{BodyDesc, Material, Settings, World};

const R: f32 = 0.1;
const DT: f32 = 1.0 / 60.0;

fn block(name: &str, center: Vec3, half: Vec3) -> BodyDesc {
    let shape = Shape::Box { center, half };
    BodyDesc::new(name, mesh_shape(&shape, 0.15).expect("a box"), R)
}

fn weightless() -> World {
    World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
}

/// Largest change of the total momentum over `frames`, in units of the initial Σ m |v|.
fn momentum_drift(world: &mut World, frames: usize, scale: f64, start: Ledger) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..frames {
        let report = world.step(DT);
        assert_eq!(report.non_finite, 0);
        worst = worst.max((report.ledger.momentum - start.momentum).length() / scale);
    }
    worst
}

/// A body shot by a sphere of a tenth of its mass keeps the total momentum to 1e-3 over 600 frames.
#[test]
fn a_shot_keeps_momentum() {
    let mut world = weightless();
    world
        .add_body(block("target", Vec3::ZERO, Vec3::splat(0.5)))
        .expect("a body");
    let mass = world.ledger().mass as f32 / 10.0;
    let velocity = Vec3::new(6.0, 0.0, 0.0);
    let from = Vec3::new(-1.5, 0.12, 0.08);
    world.add_action(Action {
        at: 0.0,
        kind: ActionKind::Shoot {
            from,
            velocity,
            radius: 0.25,
            mass,
            until: f64::INFINITY,
        },
    });
    let first = world.step(DT);
    let scale = f64::from(mass * velocity.length());
    let drift = momentum_drift(&mut world, 599, scale, first.ledger);
    assert!(drift < 1e-3, "momentum drifts by {drift:.2e}");
    let body = world.body_ledger(&world.bodies()[0]);
    assert!(body.momentum.x > 0.3 * scale, "the body was pushed");
}

/// Two bodies that collide keep the total momentum to 1e-3 over 600 frames.
#[test]
fn two_bodies_keep_momentum() {
    let mut world = weightless();
    let speed = 2.0;
    let mut left = block("left", Vec3::new(-0.8, 0.1, 0.0), Vec3::splat(0.4));
    left.velocity = Vec3::new(speed, 0.0, 0.0);
    let mut right = block("right", Vec3::new(0.8, 0.0, 0.1), Vec3::splat(0.4));
    right.velocity = Vec3::new(-0.5 * speed, 0.0, 0.0);
    right.material = Material {
        density: 500.0,
        ..Material::elastic(0.9)
    };
    world.add_body(left).expect("a body");
    world.add_body(right).expect("a body");
    let start = world.ledger();
    let scale: f64 = world
        .points()
        .v
        .iter()
        .zip(&world.points().mass)
        .map(|(v, m)| f64::from(v.length() * m))
        .sum();
    let drift = momentum_drift(&mut world, 600, scale, start);
    assert!(drift < 1e-3, "momentum drifts by {drift:.2e}");
    let after = world.ledger();
    assert!(
        after.kinetic_energy < 0.9 * start.kinetic_energy,
        "they did collide"
    );
}

/// An elastic block 14 r tall that stands on the floor for ten seconds does not sink by more than 0.02 r.
#[test]
fn a_block_does_not_sink() {
    let half = Vec3::new(0.4, 0.7, 0.4);
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    // Its lowest particles start at their contact radius above the floor.
    let mut desc = block("block", Vec3::new(0.0, 0.7 + 0.5 * R, 0.0), half);
    desc.material = Material::elastic(0.9);
    world.add_body(desc).expect("a body");
    let mut deepest = 0.0_f32;
    for _ in 0..600 {
        world.step(DT);
        // A particle rests at its contact radius above the floor.
        let lowest = world.points().x.iter().fold(f32::MAX, |m, x| m.min(x.y));
        deepest = deepest.max(0.5 * R - lowest);
    }
    assert!(deepest <= 0.02 * R, "sinks by {:.4} r", deepest / R);
}
