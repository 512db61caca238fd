//! Bad numbers, bad shapes and extreme settings neither panic nor spread.

use glam::{Mat3, Vec3};
use pliant::body::Sampling;
use pliant::dynamics::{Action, ActionKind, Collider, ColliderShape, Grip, MeshField};
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::state::Surface;
use pliant::{BodyDesc, BuildError, Material, Settings, World};
use proptest::prelude::*;
use std::sync::Arc;

const R: f32 = 0.1;
const DT: f32 = 1.0 / 60.0;

fn cube(name: &str, center: Vec3) -> BodyDesc {
    let half = Vec3::splat(0.3);
    let mesh = mesh_shape(&Shape::Box { center, half }, 0.15).expect("a box");
    BodyDesc::new(name, mesh, R)
}

/// A block above a floor.
fn world_with(desc: BodyDesc, settings: Settings) -> World {
    let mut world = World::new(settings);
    world.add_collider(Collider::floor(0.0));
    world.add_body(desc).expect("a body");
    world
}

fn falling() -> World {
    world_with(cube("b", Vec3::Y * 0.5), Settings::default())
}

/// Everything that the next step reads and people see is finite.
fn assert_finite(world: &World) {
    let points = world.points();
    assert!(points.x.iter().all(|x| x.is_finite()), "positions");
    assert!(points.v.iter().all(|v| v.is_finite()), "velocities");
    assert!(points.rotation.iter().all(|q| q.is_finite()), "rotations");
    let groups = world.groups();
    assert!(groups.center.iter().all(|c| c.is_finite()), "centres");
    assert!(groups.rotation.iter().all(|q| q.is_finite()), "fits");
    assert!(groups.f_p.iter().all(Mat3::is_finite), "plastic");
    let rigids = world.rigids();
    assert!(rigids.x.iter().all(|x| x.is_finite()), "projectiles");
    for surface in world.surfaces() {
        assert!(
            surface.mesh().positions.iter().all(|y| y.is_finite()),
            "surface"
        );
    }
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        world.step(DT);
        assert_finite(world);
    }
}

fn mean(all: &[Vec3]) -> Vec3 {
    all.iter().sum::<Vec3>() / all.len() as f32
}

/// Largest change of a distance between neighbouring particles since `rest`, in r.
fn distortion(world: &World, rest: &[Vec3]) -> f32 {
    let x = &world.points().x;
    let mut worst = 0.0_f32;
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            let d = rest[i].distance(rest[j]);
            if d < 3.0 * R {
                worst = worst.max((x[i].distance(x[j]) - d).abs() / R);
            }
        }
    }
    worst
}

/// A bad number in one position or velocity is reported once, stopped, and the body keeps its shape and goes on.
#[test]
fn a_bad_number_is_contained() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for in_position in [true, false] {
            let mut desc = cube("b", Vec3::Y * 3.0);
            desc.material = Material::elastic(0.9);
            let mut world = world_with(desc, Settings::default());
            world
                .add_body(cube("other", Vec3::new(3.0, 3.0, 0.0)))
                .expect("a body");
            let rest = world.points().x.clone();
            run(&mut world, 5);
            let points = world.points_mut();
            let column = if in_position {
                &mut points.x
            } else {
                &mut points.v
            };
            column[7].y = bad;
            assert_eq!(world.step(DT).non_finite, 1, "{bad} {in_position}");
            assert_finite(&world);
            for _ in 0..15 {
                assert_eq!(world.step(DT).non_finite, 0, "{bad} {in_position}");
                assert_finite(&world);
            }
            let n = world.bodies()[0].points.len();
            let fell = 3.0 - mean(&world.points().x[..n]).y;
            assert!((0.4..0.8).contains(&fell), "fell by {fell} m");
            let (of_body, of_rest) = (world.points().x[7], rest[7]);
            assert!((of_body.y + fell - of_rest.y).abs() < R, "it is in place");
            assert!(distortion(&world, &rest) < 0.5);
        }
    }
}

/// A bad plastic deformation of one group is reset and the body goes on.
#[test]
fn a_bad_plastic_deformation_is_contained() {
    for bad in [f32::NAN, f32::INFINITY, 0.0, -3.0] {
        let mut world = falling();
        run(&mut world, 3);
        world.groups_mut().f_p[0] = Mat3::from_diagonal(Vec3::new(bad, 1.0, 1.0));
        let mut reset = 0;
        for _ in 0..20 {
            reset += world.step(DT).groups_reset;
        }
        assert_finite(&world);
        assert!(reset > 0, "{bad} was not reset");
        let at = mean(&world.points().x);
        assert!((0.2..0.5).contains(&at.y), "{bad}: is at {at}");
    }
}

/// The sampling of a body whose particles are all in one group.
fn one_group(points: Vec<Vec3>) -> Sampling {
    Sampling {
        groups: vec![(0..points.len() as u32).collect()],
        points,
        volume: 0.01,
        ..Sampling::default()
    }
}

/// Drops a body of given particles on the floor; it must stay finite and end above it.
fn drops(points: Vec<Vec3>) -> World {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world
        .add_sampled(cube("odd", Vec3::Y), &one_group(points))
        .expect("a body");
    world.points_mut().v[0] += Vec3::new(0.5, 0.0, 0.2);
    run(&mut world, 90);
    let x = &world.points().x;
    assert!(
        x.iter()
            .all(|x| x.y > 0.4 * R && x.y < 0.6 && x.length() < 3.0),
        "{x:?}"
    );
    world
}

/// Bodies of four particles, flat ones, lines, single points and coincident particles fall and come to rest.
#[test]
fn degenerate_bodies_stay_finite() {
    let at = |x: i32, y: i32, z: i32| Vec3::new(x as f32, y as f32 + 4.0, z as f32) * R;
    drops(vec![at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)]);
    let flat: Vec<Vec3> = (0..16).map(|i| at(i % 4, 0, i / 4)).collect();
    let world = drops(flat.clone());
    assert!(distortion(&world, &flat) < 0.3, "a sheet keeps its shape");
    let line: Vec<Vec3> = (0..6).map(|i| at(i, 0, 0)).collect();
    let world = drops(line.clone());
    assert!(distortion(&world, &line) < 0.3, "a rod keeps its length");
    drops(vec![at(0, 0, 0)]);
    drops(vec![at(0, 0, 0), at(1, 0, 0)]);
    drops(vec![at(0, 0, 0); 5]);
    drops(vec![
        at(0, 0, 0),
        at(0, 0, 0),
        at(1, 1, 0),
        at(1, 1, 0),
        at(2, 0, 1),
    ]);
}

/// Two bodies in the same place push each other apart.
#[test]
fn coincident_bodies_separate() {
    let mut world = falling();
    world.add_body(cube("b", Vec3::Y * 0.5)).expect("a body");
    let n = world.bodies()[0].points.len();
    assert_eq!(world.points().x[0], world.points().x[n]);
    run(&mut world, 60);
    let x = &world.points().x;
    let apart = (0..n)
        .map(|i| x[i].distance(x[n + i]))
        .fold(f32::MAX, f32::min);
    assert!(apart > 0.5 * R, "{} r", apart / R);
}

/// However fast a particle or a body is told to be, numbers stay finite and the world goes on.
#[test]
fn enormous_velocities_stay_finite() {
    for speed in [1e4, 1e10, 1e20, 1e30, f32::MAX] {
        let mut world = falling();
        world.points_mut().v[0] = Vec3::new(speed, 0.0, -speed);
        run(&mut world, 30);
        let x = world.points().x.iter();
        let farthest = x.fold(0.0_f32, |m, x| m.max(x.length()));
        assert!(farthest < 100.0, "{speed}: {farthest} m away");
        let mut desc = cube("b", Vec3::Y * 0.5);
        desc.velocity = Vec3::NEG_Y * speed;
        run(&mut world_with(desc, Settings::default()), 30);
    }
}

/// Tiny and large steps keep the body finite and above the floor; a step of no length changes no velocity.
#[test]
fn any_step_length_works() {
    for dt in [1e-6, 1e-3, 0.1, 0.5] {
        let mut world = falling();
        for _ in 0..30 {
            world.step(dt);
            assert_finite(&world);
        }
        let lowest = world.points().x.iter().fold(f32::MAX, |m, x| m.min(x.y));
        assert!(lowest > 0.0, "{dt}: {lowest} m");
    }
    for dt in [0.0, -0.1, f32::NAN, f32::INFINITY] {
        let mut world = falling();
        run(&mut world, 5);
        let (x, v, time) = (
            world.points().x.clone(),
            world.points().v.clone(),
            world.time(),
        );
        let report = world.step(dt);
        assert_eq!((report.non_finite, world.time()), (0, time), "{dt}");
        assert_eq!((&world.points().x, &world.points().v), (&x, &v), "{dt}");
        run(&mut world, 60);
    }
}

/// One substep and one iteration work; none at all count as one.
#[test]
fn few_substeps_and_iterations_work() {
    let end = |substeps, iterations| {
        let settings = Settings {
            substeps,
            iterations,
            ..Settings::default()
        };
        let mut world = world_with(cube("b", Vec3::Y * 0.5), settings);
        run(&mut world, 60);
        let lowest = world.points().x.iter().fold(f32::MAX, |m, x| m.min(x.y));
        assert!((0.4 * R..2.0 * R).contains(&lowest), "{lowest} m");
        world.hash()
    };
    assert_eq!(end(0, 4), end(1, 4));
    assert_eq!(end(4, 0), end(4, 1));
    assert_eq!(end(0, 0), end(1, 1));
}

/// Without gravity a body at rest stays where it is.
#[test]
fn nothing_moves_without_a_force() {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = world_with(cube("b", Vec3::Y), settings);
    let rest = world.points().x.clone();
    run(&mut world, 60);
    let moved = rest
        .iter()
        .zip(&world.points().x)
        .map(|(a, b)| a.distance(*b));
    let most = moved.fold(0.0, f32::max);
    assert!(most < 1e-4, "moved by {most} m");
}

/// A kilometre from the origin a body falls, rests and keeps its shape as it does at the origin.
#[test]
fn a_body_far_from_the_origin_rests() {
    let mut desc = cube("b", Vec3::new(1000.0, 0.5, -1000.0));
    desc.material = Material::elastic(0.9);
    let mut world = world_with(desc, Settings::default());
    let rest = world.points().x.clone();
    run(&mut world, 120);
    assert!(
        distortion(&world, &rest) < 0.3,
        "{} r",
        distortion(&world, &rest)
    );
    let at = mean(&world.points().x) - mean(&rest);
    assert!(at.x.abs() < 0.1 && at.z.abs() < 0.1, "has wandered by {at}");
    let speed = mean(&world.points().v).length();
    assert!(speed < 0.1, "moves at {speed} m/s");
}

/// A block a thousand times denser than the one below stays finite and above the floor.
#[test]
fn a_heavy_body_on_a_light_one_stays_finite() {
    let mut light = cube("light", Vec3::Y * 0.36);
    light.material.density = 10.0;
    let mut heavy = cube("heavy", Vec3::Y * 1.1);
    heavy.material.density = 10_000.0;
    let mut world = world_with(light, Settings::default());
    world.add_body(heavy).expect("a body");
    run(&mut world, 90);
    let lowest = world.points().x.iter().fold(f32::MAX, |m, x| m.min(x.y));
    assert!(lowest > 0.0, "{lowest} m");
    let highest = world.points().x.iter().fold(0.0_f32, |m, x| m.max(x.y));
    assert!(highest < 3.0, "{highest} m");
}

/// Taking out a body leaves the others as they were, down to their hashes, and their surfaces and pins follow them.
#[test]
fn a_removed_body_leaves_the_others() {
    let mut world = falling();
    let middle = world
        .add_body(cube("middle", Vec3::new(2.0, 0.5, 0.0)))
        .expect("a body");
    world
        .add_body(cube("last", Vec3::new(4.0, 1.0, 0.0)))
        .expect("a body");
    world.add_action(Action {
        at: 0.0,
        kind: ActionKind::Pin {
            grip: Grip::Ball {
                at: Vec3::new(4.0, 1.3, 0.0),
                radius: 0.3,
            },
            until: 1.0,
        },
    });
    run(&mut world, 20);
    let mut with = world.clone();
    assert!(world.remove_body(middle));
    assert!(!world.remove_body(middle), "it is gone");
    assert_eq!(world.bodies().len(), 2);
    assert_eq!(world.bodies()[1].points.end, world.points().len());
    assert_eq!(world.bodies()[1].groups.end, world.groups().len());
    for body in world.bodies() {
        let ids = world.groups().id[body.groups.clone()].iter();
        assert!(ids.copied().eq(0..body.next_group), "ids are local");
    }
    for _ in 0..60 {
        run(&mut world, 1);
        run(&mut with, 1);
        assert_eq!(world.body_hash(0), with.body_hash(0));
        assert_eq!(world.body_hash(1), with.body_hash(2));
    }
    let last = world.bodies()[1].clone();
    let Surface::Skinned(surface) = &world.surfaces()[1] else {
        panic!("a skinned surface is the default");
    };
    let mut carriers = surface.carriers.iter().flat_map(|c| c.point);
    assert!(carriers.all(|i| last.points.contains(&(i as usize))));
    assert!(world.remove_body(last.id) && world.remove_body(world.bodies()[0].id));
    run(&mut world, 3);
    assert!(world.points().is_empty() && world.groups().is_empty());
}

/// A world without bodies steps, with obstacles and projectiles or without, and can be given a body later.
#[test]
fn an_empty_world_steps() {
    let mut world = World::new(Settings::default());
    run(&mut world, 3);
    world.add_collider(Collider::floor(0.0));
    world.add_action(Action {
        at: 0.0,
        kind: ActionKind::Shoot {
            from: Vec3::Y,
            velocity: Vec3::ZERO,
            radius: 0.2,
            mass: 1.0,
            until: f64::INFINITY,
        },
    });
    run(&mut world, 60);
    assert!((world.rigids().x[0].y - 0.2).abs() < 0.01);
    assert_eq!((world.frame(), world.bodies().len()), (63, 0));
    world.add_body(cube("late", Vec3::Y * 0.9)).expect("a body");
    run(&mut world, 60);
    assert!(world.ledger().mass > 1.0);
}

/// Obstacles of no size, of enormous size, with a hole or inside out do not make numbers bad.
#[test]
fn odd_obstacles_stay_finite() {
    let center = Vec3::Y * 0.05;
    let sizes = [0.0, 1e-20, 1e4, 1e18];
    let mut shapes = Vec::new();
    for s in sizes {
        let half = Vec3::splat(s);
        shapes.extend([
            Shape::Sphere { center, radius: s },
            Shape::Box { center, half },
            Shape::Box {
                center,
                half: Vec3::new(s, 0.0, s),
            },
            Shape::Capsule {
                a: center,
                b: center,
                radius: s,
            },
            Shape::Cylinder {
                center,
                radius: s,
                height: s,
            },
            Shape::Torus {
                center,
                major: s,
                minor: s,
            },
            Shape::Ellipsoid {
                center,
                radii: half,
            },
        ]);
    }
    for shape in shapes {
        let mut world = falling();
        world.add_collider(Collider::solid("odd", shape, Vec3::ZERO));
        run(&mut world, 20);
    }
    let ball = Shape::Sphere {
        center: Vec3::NEG_Y * 0.4,
        radius: 0.5,
    };
    let closed = mesh_shape(&ball, 0.15).expect("a ball");
    let mut open = closed.clone();
    open.triangles.truncate(open.triangles.len() * 2 / 3);
    let mut inside_out = closed.clone();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let single = Mesh {
        positions: vec![
            Vec3::new(-1.0, 0.2, -1.0),
            Vec3::new(1.0, 0.2, -1.0),
            Vec3::new(0.0, 0.2, 1.0),
        ],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    };
    for mesh in [open, inside_out, single] {
        // A mesh may be refused, but not taken and then fail.
        if let Ok(field) = MeshField::new(&mesh) {
            let mut world = falling();
            world.add_collider(Collider {
                shape: ColliderShape::Mesh(Arc::new(field)),
                ..Collider::floor(0.0)
            });
            run(&mut world, 30);
        }
    }
}

/// A body smaller than its particles is refused, and so are radii without meaning; the world stays as it was.
#[test]
fn bodies_without_room_are_refused() {
    let mut world = World::new(Settings::default());
    let mut large = cube("b", Vec3::Y);
    large.particle_radius = 5.0;
    let error = world.add_body(large).expect_err("no room");
    assert!(
        matches!(error, BuildError::TooFewParticles { count, .. } if count < 4),
        "{error}"
    );
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut desc = cube("b", Vec3::Y);
        desc.particle_radius = radius;
        let error = world.add_body(desc).expect_err("no meaning");
        assert!(
            matches!(error, BuildError::Parameter(_)),
            "{radius}: {error}"
        );
    }
    let mut tiny = cube("b", Vec3::Y);
    tiny.particle_radius = 1e-5;
    let error = world.add_body(tiny).expect_err("too many");
    assert!(
        matches!(error, BuildError::TooManyParticles { .. }),
        "{error}"
    );
    assert!(world.bodies().is_empty() && world.points().is_empty());
}

fn any_vec(size: f32) -> impl Strategy<Value = Vec3> {
    let side = -size..size;
    (side.clone(), side.clone(), side).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn any_material() -> impl Strategy<Value = Material> {
    let plastic = prop_oneof![Just(f32::INFINITY), 0.0_f32..0.2];
    let unit = 0.0_f32..=1.0;
    let surface = (0.0_f32..2.0, unit.clone(), 10.0_f32..10_000.0);
    (unit.clone(), plastic, unit, -1.0_f32..1.0, surface).prop_map(
        |(stiffness, plastic_yield, plastic_flow, hardening, surface)| Material {
            stiffness,
            plastic_yield,
            plastic_flow,
            hardening,
            friction: surface.0,
            restitution: surface.1,
            density: surface.2,
            ..Material::default()
        },
    )
}

fn any_body() -> impl Strategy<Value = (Vec<Vec3>, Vec3, Material)> {
    let points = prop::collection::vec(any_vec(0.4), 1..24);
    (points, any_vec(30.0), any_material())
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (1_u32..5, 1_u32..5, any_vec(20.0), 0_u32..3, 1.0_f32..2.0).prop_map(
        |(substeps, iterations, gravity, stabilize_iterations, over_relaxation)| Settings {
            substeps,
            iterations,
            gravity,
            stabilize_iterations,
            over_relaxation,
            ..Settings::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random particles in random groups, thrown about with random settings between random obstacles, stay finite.
    #[test]
    fn random_worlds_stay_finite(
        bodies in prop::collection::vec(any_body(), 1..4),
        settings in any_settings(),
        ball in any_vec(0.5),
        shot in any_vec(40.0),
        dt in 1e-3_f32..0.1,
    ) {
        let mut world = World::new(settings);
        world.add_collider(Collider::floor(-0.5));
        let radius = 0.3;
        world.add_collider(Collider::solid("ball", Shape::Sphere { center: ball, radius }, Vec3::ZERO));
        for (points, velocity, material) in bodies {
            let mut desc = cube("b", Vec3::ZERO);
            (desc.velocity, desc.material) = (velocity, material);
            let n = points.len() as u32;
            // Overlapping halves: some particles are in two groups, some in one.
            let groups = vec![(0..n.div_ceil(2) + n / 4).collect(), (n / 2..n).collect()];
            world.add_sampled(desc, &Sampling { points, groups, volume: 0.2, ..Sampling::default() }).expect("a body");
        }
        world.add_action(Action {
            at: 0.0,
            kind: ActionKind::Shoot { from: -ball, velocity: shot, radius: 0.2, mass: 3.0, until: 10.0 },
        });
        for _ in 0..20 {
            let report = world.step(dt);
            prop_assert_eq!(report.non_finite, 0);
            prop_assert!(report.ledger.kinetic_energy.is_finite());
        }
        assert_finite(&world);
    }
}

/// Actions that mean nothing are left out with a warning and harm nobody.
#[test]
fn meaningless_actions_are_left_out() {
    use pliant::dynamics::{Action, ActionKind};
    let mut world = World::new(Settings::default());
    let shot = |mass: f32, radius: f32| ActionKind::Shoot {
        from: Vec3::Y,
        velocity: Vec3::X,
        radius,
        mass,
        until: f64::INFINITY,
    };
    let kinds = [
        shot(0.0, 1.0),
        shot(f32::NAN, 1.0),
        shot(1.0, 0.0),
        shot(-1.0, 1.0),
    ];
    for kind in kinds {
        world.add_action(Action { at: 0.0, kind });
    }
    let report = world.step(1.0 / 60.0);
    assert_eq!(report.warnings.len(), 4, "{:?}", report.warnings);
    assert!(world.rigids().is_empty());
}
