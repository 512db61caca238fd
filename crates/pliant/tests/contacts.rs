//! Bodies touch obstacles, each other and themselves.

use glam::Vec3;
use pliant::body::Sampling;
use pliant::dynamics::{
    Action, ActionKind, Collider, ColliderShape, Ease, MeshField, Motion, MotionKey,
};
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::{BodyDesc, Material, Settings, World};
use std::sync::Arc;

const R: f32 = 0.1;
const DT: f32 = 1.0 / 60.0;

fn block(name: &str, center: Vec3, half: Vec3) -> BodyDesc {
    let shape = Shape::Box { center, half };
    let mut desc = BodyDesc::new(name, mesh_shape(&shape, 0.15).expect("a box"), R);
    desc.material = Material::elastic(0.9);
    desc
}

// Bodies start with their contact radius above what they rest on: r/2 and a little.
fn cube(name: &str, center: Vec3) -> BodyDesc {
    block(name, center, Vec3::splat(0.3))
}

fn world_with(collider: Collider, desc: BodyDesc) -> World {
    let mut world = World::new(Settings::default());
    world.add_collider(collider);
    world.add_body(desc).expect("a body");
    world
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        assert_eq!(world.step(DT).non_finite, 0);
    }
}

fn mean(all: &[Vec3]) -> Vec3 {
    all.iter().sum::<Vec3>() / all.len() as f32
}

/// How far the particle that is deepest in the first collider has sunk below its contact radius, in r.
fn sunk(world: &World) -> f32 {
    let collider = &world.colliders()[0];
    let pose = collider.motion.pose(world.time());
    let distance = |x: &Vec3| {
        let nearest = collider.shape.distance_normal(pose.invert(*x), 10.0);
        nearest.map_or(10.0, |(d, _)| d)
    };
    let least = world.points().x.iter().map(distance).fold(10.0, f32::min);
    (0.5 * R - least) / R
}

/// Drops a block from just above `shape`, whose top is at y = 0, and checks that it rests there.
fn rests_on(shape: ColliderShape) {
    let collider = Collider {
        shape,
        ..Collider::floor(0.0)
    };
    let mut world = world_with(
        collider,
        block("b", Vec3::Y * 0.26, Vec3::new(0.4, 0.2, 0.4)),
    );
    let mut deepest = f32::MIN;
    for _ in 0..90 {
        run(&mut world, 1);
        deepest = deepest.max(sunk(&world));
    }
    assert!(deepest < 0.05, "sinks by {deepest} r");
    assert!(sunk(&world) > -0.1, "does not touch: {} r", sunk(&world));
    let middle = mean(&world.points().x);
    assert!((0.1..0.35).contains(&middle.y), "is at {middle}");
}

/// A block rests on a plane without sinking in.
#[test]
fn rests_on_a_plane() {
    rests_on(Collider::floor(0.0).shape);
}

/// A block rests on a box without sinking in.
#[test]
fn rests_on_a_box() {
    rests_on(ColliderShape::Solid(Shape::Box {
        center: Vec3::NEG_Y * 0.3,
        half: Vec3::new(0.5, 0.3, 0.5),
    }));
}

/// A block rests on top of a ball without sinking in.
#[test]
fn rests_on_a_sphere() {
    rests_on(ColliderShape::Solid(Shape::Sphere {
        center: Vec3::NEG_Y * 2.0,
        radius: 2.0,
    }));
}

/// A block rests on a lying capsule without sinking in.
#[test]
fn rests_on_a_capsule() {
    rests_on(ColliderShape::Solid(Shape::Capsule {
        a: Vec3::new(-1.0, -1.0, 0.0),
        b: Vec3::new(1.0, -1.0, 0.0),
        radius: 1.0,
    }));
}

/// A block rests on the flat end of a cylinder without sinking in.
#[test]
fn rests_on_a_cylinder() {
    rests_on(ColliderShape::Solid(Shape::Cylinder {
        center: Vec3::NEG_Y * 0.5,
        radius: 0.5,
        height: 1.0,
    }));
}

/// A block rests on a lying ring, across its hole, without sinking in.
#[test]
fn rests_on_a_torus() {
    rests_on(ColliderShape::Solid(Shape::Torus {
        center: Vec3::NEG_Y * 0.15,
        major: 0.25,
        minor: 0.15,
    }));
}

/// A body whose mesh is put down exactly on the floor, so that its lowest particles start inside, rises by r/2 and does not
/// jump.
#[test]
fn a_body_put_on_the_floor_does_not_jump() {
    for half in [Vec3::splat(0.3), Vec3::new(0.5, 0.2, 0.5)] {
        for material in [Material::default(), Material::elastic(0.9)] {
            let mut desc = block("b", Vec3::Y * half.y, half);
            desc.material = material;
            let mut world = world_with(Collider::floor(0.0), desc);
            let start = mean(&world.points().x).y;
            let mut highest = start;
            for _ in 0..60 {
                run(&mut world, 1);
                highest = highest.max(mean(&world.points().x).y);
            }
            let rise = (highest - start) / R;
            assert!(rise < 0.6, "rises by {rise} r");
            assert!(sunk(&world) < 0.05, "is {} r inside", sunk(&world));
        }
    }
}

fn box_mesh(half: f32) -> Mesh {
    let corner = |i: u32| {
        let side = |bit: u32| if i & bit == 0 { -half } else { half };
        Vec3::new(side(1), side(2), side(4))
    };
    Mesh {
        positions: (0..8).map(corner).collect(),
        triangles: vec![
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ],
        ..Mesh::default()
    }
}

/// A block rests on a closed triangle mesh without sinking in.
#[test]
fn rests_on_a_mesh() {
    let mut mesh = box_mesh(0.6);
    assert!(mesh.volume() > 0.0);
    mesh.positions.iter_mut().for_each(|p| p.y -= 0.6);
    let field = MeshField::new(&mesh).expect("a closed mesh");
    rests_on(ColliderShape::Mesh(Arc::new(field)));
}

/// How far a block slides down an incline in a second; both frictions are given.
fn slides(degrees: f32, body: f32, floor: f32) -> f32 {
    let a = degrees.to_radians();
    let normal = Vec3::new(a.sin(), a.cos(), 0.0);
    let collider = Collider {
        shape: ColliderShape::Plane {
            normal,
            offset: 0.0,
        },
        friction: floor,
        ..Collider::floor(0.0)
    };
    let mut desc = block("b", Vec3::Y * 0.26, Vec3::new(0.5, 0.2, 0.5));
    desc.material.friction = body;
    // The same block, turned onto the incline.
    let turn = glam::Quat::from_rotation_z(-a);
    desc.mesh.positions.iter_mut().for_each(|p| *p = turn * *p);
    let mut world = world_with(collider, desc);
    run(&mut world, 30);
    let before = mean(&world.points().x);
    run(&mut world, 60);
    let moved = mean(&world.points().x) - before;
    moved.dot(Vec3::new(a.cos(), -a.sin(), 0.0))
}

/// Below the angle of static friction a block stays, well above it slides, and friction is the mean of both sides.
#[test]
fn friction_holds_on_an_incline() {
    // tan⁻¹ 0.5 = 26.6°, tan⁻¹ 0.4 = 21.8° when sliding.
    let stays = slides(18.0, 0.5, 0.5);
    assert!(stays.abs() < 0.02, "stays, but moves by {stays} m");
    let goes = slides(40.0, 0.5, 0.5);
    // g (sin 40° − 0.4 cos 40°) = 3.3 m/s² from 0.5 s to 1.5 s.
    assert!((goes - 3.3).abs() < 0.3, "slides by {goes} m");
    let mixed = slides(18.0, 1.0, 0.0);
    assert!((mixed - stays).abs() < 0.02, "the mean holds: {mixed} m");
    let free = slides(18.0, 0.0, 0.0);
    // g sin 18° from 0.5 s to 1.5 s: 3.03 m/s² × (1.5² − 0.5²)/2.
    assert!((free - 3.03).abs() < 0.3, "without friction: {free} m");
}

fn moving(shape: Shape, keys: [(f64, Vec3, Vec3); 2]) -> Collider {
    let key = |(time, position, rotation)| MotionKey {
        time,
        position,
        rotation,
    };
    Collider {
        motion: Motion {
            keys: keys.map(key).to_vec(),
            pivot: None,
            ease: Ease::Linear,
            looping: false,
        },
        ..Collider::solid("moving", shape, Vec3::ZERO)
    }
}

/// A conveyor that starts at once carries a block up to its own speed.
#[test]
fn a_conveyor_carries() {
    let belt = Shape::Box {
        center: Vec3::NEG_Y * 0.2,
        half: Vec3::new(8.0, 0.2, 1.0),
    };
    let keys = [
        (0.0, Vec3::ZERO, Vec3::ZERO),
        (9.0, Vec3::X * 9.0, Vec3::ZERO),
    ];
    let flat = block("b", Vec3::Y * 0.26, Vec3::new(0.5, 0.2, 0.5));
    let mut world = world_with(moving(belt, keys), flat);
    run(&mut world, 120);
    let v = mean(&world.points().v);
    assert!((v.x - 1.0).abs() < 0.1 && v.z.abs() < 0.1, "moves at {v}");
}

/// A turntable takes a block along its circle: after a quarter turn the block is a quarter turn further.
#[test]
fn a_turntable_carries() {
    let disc = Shape::Cylinder {
        center: Vec3::NEG_Y * 0.2,
        radius: 2.0,
        height: 0.4,
    };
    // 45°/s at 1 m: 0.79 m/s and 0.62 m/s² are far below what friction holds.
    let keys = [
        (0.5, Vec3::ZERO, Vec3::ZERO),
        (2.5, Vec3::ZERO, Vec3::Y * 90.0),
    ];
    let mut world = world_with(moving(disc, keys), cube("b", Vec3::new(1.0, 0.36, 0.0)));
    run(&mut world, 150);
    let at = mean(&world.points().x);
    let angle = (-at.z).atan2(at.x).to_degrees();
    assert!((75.0..100.0).contains(&angle), "has turned by {angle}°");
    let radius = at.x.hypot(at.z);
    assert!((0.9..1.15).contains(&radius), "is {radius} m from the axis");
}

/// A piston that presses a clay block to less than half its height leaves no particle deeper than r/2 in piston or floor.
#[test]
fn a_piston_crushes() {
    let piston = Shape::Box {
        center: Vec3::Y * 0.25,
        half: Vec3::new(1.5, 0.25, 1.5),
    };
    let keys = [
        (0.0, Vec3::Y * 0.95, Vec3::ZERO),
        (1.0, Vec3::Y * 0.35, Vec3::ZERO),
    ];
    let mut desc = block("clay", Vec3::Y * 0.46, Vec3::splat(0.4));
    desc.material = Material::default();
    let mut world = world_with(moving(piston, keys), desc);
    world.add_collider(Collider::floor(0.0));
    run(&mut world, 75);
    let depth = sunk(&world) - 0.5;
    assert!(depth < 0.5, "{depth} r inside the piston");
    let lowest = world.points().x.iter().fold(f32::MAX, |m, x| m.min(x.y));
    assert!(lowest > -0.5 * R, "{lowest} m below the floor");
    let widest = world.points().x.iter().fold(0.0_f32, |m, x| m.max(x.x));
    assert!(widest > 0.45, "was squeezed sideways to {widest} m");
}

/// A body at 50 m/s, two plate thicknesses a substep, does not pass through a thin plate.
#[test]
fn a_fast_body_does_not_tunnel() {
    let plate = Shape::Box {
        center: Vec3::ZERO,
        half: Vec3::new(3.0, 0.05, 3.0),
    };
    for height in [1.5, 1.57, 1.64, 1.71] {
        let mut desc = cube("fast", Vec3::Y * height);
        desc.velocity = Vec3::NEG_Y * 50.0;
        let mut world = world_with(Collider::solid("plate", plate.clone(), Vec3::ZERO), desc);
        run(&mut world, 60);
        let through = world.points().x.iter().filter(|x| x.y < 0.0).count();
        let all = world.points().len();
        assert_eq!(through, 0, "{through} of {all} are through from {height} m");
    }
}

/// A block on a block stays on it, and no particle of one comes nearer than 0.8 r to one of the other.
#[test]
fn stacked_blocks_stay_apart() {
    let mut world = world_with(Collider::floor(0.0), cube("lower", Vec3::Y * 0.36));
    world
        .add_body(cube("upper", Vec3::Y * 1.08))
        .expect("a body");
    run(&mut world, 120);
    let of = |b: usize| &world.points().x[world.bodies()[b].points.clone()];
    let gap = of(0)
        .iter()
        .flat_map(|a| of(1).iter().map(|b| a.distance(*b)));
    let least = gap.fold(f32::MAX, f32::min);
    assert!(least > 0.8 * R, "{} r apart", least / R);
    assert!(least < 1.2 * R, "they do touch: {} r", least / R);
    let (lower, upper) = (mean(of(0)), mean(of(1)));
    assert!(upper.y - lower.y > 0.5, "on top by {} m", upper.y - lower.y);
}

/// Least distance of the middles of the tips of a U whose arms are thrown together, along x, and least distance of a
/// particle of the one to one of the other.
fn tips_meet(self_contact: bool) -> (f32, f32) {
    let bar = |center, half| Shape::Box { center, half };
    let shape = Shape::Union(vec![
        bar(Vec3::new(-0.5, 0.6, 0.0), Vec3::new(0.15, 0.8, 0.2)),
        bar(Vec3::new(0.5, 0.6, 0.0), Vec3::new(0.15, 0.8, 0.2)),
        bar(Vec3::new(0.0, -0.1, 0.0), Vec3::new(0.65, 0.15, 0.2)),
    ]);
    let mut desc = BodyDesc::new("u", mesh_shape(&shape, 0.1).expect("a U"), R);
    desc.self_contact = self_contact;
    desc.material = Material {
        stiffness: 0.05,
        ..Material::default()
    };
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    world.add_body(desc).expect("a body");
    let start = world.points().x.clone();
    for (v, x) in world.points_mut().v.iter_mut().zip(&start) {
        if x.y > 0.2 {
            v.x = -8.0 * x.x.signum() * (x.y - 0.2);
        }
    }
    let (mut gap, mut distance) = (f32::MAX, f32::MAX);
    for _ in 0..60 {
        run(&mut world, 1);
        let tip = |side: f32| -> Vec<Vec3> {
            let of_tip = start.iter().zip(&world.points().x);
            let of_tip = of_tip.filter(|(s, _)| s.y > 1.0 && s.x * side > 0.0);
            of_tip.map(|(_, x)| *x).collect()
        };
        let (left, right) = (tip(-1.0), tip(1.0));
        gap = gap.min(mean(&right).x - mean(&left).x);
        for a in &left {
            distance = right.iter().fold(distance, |m, b| m.min(a.distance(*b)));
        }
    }
    (gap, distance)
}

/// The arms of a U that are thrown together stop at each other; without self-contact they pass.
#[test]
fn a_folded_body_touches_itself() {
    let (gap, _) = tips_meet(false);
    assert!(gap < -0.2, "without contact they pass: {gap} m");
    let (gap, distance) = tips_meet(true);
    assert!(gap > 0.05, "the tips overlap: {gap} m apart");
    assert!(distance > 0.7 * R, "{} r apart", distance / R);
    assert!(distance < 1.2 * R, "they do meet: {} r", distance / R);
}

/// The height above its rest to which a loose grain bounces when it falls from one metre above it.
fn bounce(restitution: f32) -> f32 {
    let mut desc = cube("grain", Vec3::ZERO);
    desc.material.restitution = restitution;
    let grain = Sampling {
        points: vec![Vec3::Y * (1.0 + 0.5 * R)],
        groups: Vec::new(),
        volume: 1e-3,
        ..Sampling::default()
    };
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world.add_sampled(desc, &grain).expect("a grain");
    let (mut touched, mut highest) = (false, 0.0_f32);
    for _ in 0..75 {
        run(&mut world, 1);
        let height = world.points().x[0].y - 0.5 * R;
        touched |= height < 0.1;
        if touched && world.points().v[0].y >= 0.0 {
            highest = highest.max(height);
        }
    }
    assert!(touched);
    highest
}

/// A grain without restitution stays down; one with restitution e comes back to e² of its height.
#[test]
fn restitution_bounces() {
    let (without, with) = (bounce(0.0), bounce(0.8));
    assert!(without < 0.01, "{without} m without restitution");
    assert!((with - 0.64).abs() < 0.07, "{with} m");
}

/// A ball shot along the floor ends up rolling: its spin is v/r about the axis across its path, and 5/7 of its speed is left.
#[test]
fn a_ball_rolls() {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    let (radius, speed) = (0.25, 3.0);
    world.add_action(Action {
        at: 0.0,
        kind: ActionKind::Shoot {
            from: Vec3::Y * radius,
            velocity: Vec3::X * speed,
            radius,
            mass: 2.0,
            until: f64::INFINITY,
        },
    });
    run(&mut world, 90);
    let (v, spin) = (world.rigids().v[0], world.rigids().spin[0]);
    assert!((v.x - speed * 5.0 / 7.0).abs() < 0.1, "moves at {v}");
    let rolling = Vec3::NEG_Z * (v.x / radius);
    assert!(
        (spin - rolling).length() < 0.02 * rolling.length(),
        "{spin} is not {rolling}"
    );
    let height = world.rigids().x[0].y;
    assert!((height - radius).abs() < 0.01, "is at the height {height}");
}
