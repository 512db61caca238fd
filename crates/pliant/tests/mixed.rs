//! Bodies of all methods in one world: whatever falls on whatever stays on it.

use glam::{Quat, Vec3};
use pliant::dynamics::{Action, ActionKind, Collider, ColliderShape, Ease, Motion, MotionKey};
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::oriented::OrientedDesc;
use pliant::visual::nasty::{cube, sheet};
use pliant::visual::{Behavior, JointDesc, JointKind, PolygonMesh, VisualDesc};
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};

const DT: f32 = 1.0 / 60.0;
/// Top of the table (m).
const TABLE: f32 = 0.0;
/// Middle of what lies on it, and half of its size (m).
const LOWER: (Vec3, Vec3) = (Vec3::new(0.0, 0.21, 0.0), Vec3::new(0.5, 0.15, 0.5));
/// Middle of what falls on that, and half of its size (m).
const UPPER: (Vec3, Vec3) = (Vec3::new(0.05, 0.62, 0.03), Vec3::new(0.25, 0.1, 0.25));

/// What falls, or is fallen upon.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Clusters with a tracked surface.
    Clay,
    /// Oriented particles.
    Oriented,
    /// A rigid body of visual geometry.
    Rigid,
    /// A sheet of visual geometry; below, its ends are held.
    Sheet,
    /// A projectile.
    Ball,
    /// A collider that moves.
    Lift,
}
use Kind::{Ball, Clay, Lift, Oriented, Rigid, Sheet};

fn block(center: Vec3, half: Vec3) -> Mesh {
    mesh_shape(&Shape::Box { center, half }, 0.12).unwrap()
}

fn table(moves: bool) -> Collider {
    let key = |time: f64, position: Vec3| MotionKey {
        time,
        position,
        rotation: Vec3::ZERO,
    };
    let half = Vec3::new(0.6, 0.2, 0.6);
    let keys = if moves {
        // As high as what else would lie there.
        let low = LOWER.0 + Vec3::Y * (LOWER.1.y - half.y);
        vec![key(0.0, low), key(1.0, low + Vec3::new(0.2, 0.3, 0.1))]
    } else {
        vec![key(0.0, Vec3::Y * (TABLE - half.y))]
    };
    Collider {
        name: "table".into(),
        shape: ColliderShape::Solid(Shape::Box {
            center: Vec3::ZERO,
            half,
        }),
        motion: Motion {
            keys,
            pivot: None,
            ease: Ease::Smooth,
            looping: false,
        },
        friction: 0.5,
    }
}

/// A body that is made so, about a place; its name says where it is.
fn add(world: &mut World, kind: Kind, name: &str, (center, half): (Vec3, Vec3)) {
    match kind {
        Clay => {
            let mut desc = BodyDesc::new(name, block(center, half), 0.1);
            desc.material = Material::elastic(0.9);
            desc.surface = SurfaceKind::Tracked {
                edge_length: 0.1,
                keep_volume: false,
            };
            world.add_body(desc).unwrap();
        }
        Oriented => {
            let mesh = block(center, half);
            let desc = OrientedDesc::covering(name, mesh, 40, 1000.0, 1).unwrap();
            world.add_oriented(desc).unwrap();
        }
        Rigid => {
            let mut mesh = cube(-1.0, 1.0);
            for p in &mut mesh.positions {
                *p = center + *p * half;
            }
            world
                .add_visual(visual(name, mesh, Behavior::Rigid))
                .unwrap();
        }
        Sheet => {
            let mut mesh = sheet(10, 10, 0.2 * half.x);
            for p in &mut mesh.positions {
                *p = center + Vec3::new(p.x - half.x, 0.0, half.z - p.y);
            }
            let mut desc = visual(name, mesh, Behavior::Soft);
            desc.thickness = 0.03;
            let ids = world.add_visual(desc).unwrap();
            if name == "lower" {
                for side in [-1.0, 1.0] {
                    let end = JointDesc {
                        name: format!("end {side}"),
                        kind: JointKind::Fixed,
                        a: ids.clone(),
                        b: Vec::new(),
                        center: center + Vec3::X * (side * half.x),
                        half: Vec3::new(0.05, 0.1, 2.0 * half.z),
                        rotation: Quat::IDENTITY,
                        limits: None,
                        motor: None,
                    };
                    world.add_joint(end).unwrap();
                }
            }
        }
        Ball => {
            world.add_action(Action {
                at: 0.0,
                kind: ActionKind::Shoot {
                    from: center,
                    velocity: Vec3::NEG_Y,
                    radius: half.y,
                    mass: 4.0,
                    until: 1e3,
                },
            });
        }
        Lift => world.add_collider(table(true)),
    }
}

fn visual(name: &str, mesh: PolygonMesh, behavior: Behavior) -> VisualDesc {
    VisualDesc {
        behavior,
        ..VisualDesc::new(name, mesh)
    }
}

/// Where the vertices of a body are, or the lowest point of the ball.
fn places(world: &World, name: &str) -> Vec<Vec3> {
    let at = world.bodies().iter().position(|b| b.name == name);
    match at {
        Some(at) => world.surfaces()[at].mesh().positions.clone(),
        None => vec![world.rigids().x[0] - Vec3::Y * world.rigids().radius[0]],
    }
}

/// Whatever falls on whatever stays above the middle of it, and below there is nothing but a table or a void.
#[test]
fn nothing_sinks_through() {
    let mut wrong = Vec::new();
    for lower in [Clay, Oriented, Rigid, Sheet, Lift] {
        for upper in [Clay, Oriented, Rigid, Sheet, Ball] {
            let mut world = World::new(Settings::default());
            if !matches!(lower, Sheet | Lift) {
                world.add_collider(table(false));
            }
            add(&mut world, lower, "lower", LOWER);
            add(&mut world, upper, "upper", UPPER);
            for _ in 0..60 {
                assert_eq!(world.step(DT).non_finite, 0, "{upper:?} on {lower:?}");
            }
            let above = places(&world, "upper");
            let middle = above.iter().sum::<Vec3>() / above.len() as f32;
            let lowest = above.iter().fold(f32::MAX, |y, p| y.min(p.y));
            let ground = if lower == Lift {
                world.colliders()[0].motion.pose(world.time()).position.y + 0.15
            } else {
                let near = |p: &Vec3| (*p - middle).with_y(0.0).length() < 0.2;
                // A sheet sags, a box has no vertices but its corners.
                let mut below = places(&world, "lower");
                if lower == Sheet {
                    below.retain(near);
                }
                below.iter().map(|p| p.y).sum::<f32>() / below.len() as f32
            };
            if lowest.is_nan() || ground.is_nan() || lowest < ground - 0.02 {
                wrong.push(format!("{upper:?} on {lower:?}: {lowest} m, {ground} m"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A heap of everything is the same for one and for two threads.
#[test]
fn a_heap_of_everything_is_the_same_for_any_number_of_threads() {
    let hashes = |threads: usize| {
        let run = || {
            let mut world = World::new(Settings::default());
            world.add_collider(table(false));
            let kinds = [Clay, Sheet, Oriented, Rigid, Sheet, Clay, Rigid, Oriented];
            for (k, kind) in (0u8..).zip(kinds) {
                let up = Vec3::Y * (0.4 * f32::from(k));
                let place = (LOWER.0 + up, UPPER.1);
                add(&mut world, kind, &format!("{k}"), place);
            }
            add(
                &mut world,
                Ball,
                "ball",
                (Vec3::new(0.1, 4.0, 0.0), UPPER.1),
            );
            add(&mut world, Lift, "lift", LOWER);
            let frames = 0..60;
            let hashes = frames.map(|_| {
                assert_eq!(world.step(DT).non_finite, 0);
                world.hash()
            });
            hashes.collect::<Vec<u64>>()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(run)
    };
    assert_eq!(hashes(1), hashes(2));
}
