//! Bodies that merge with each other.

use glam::Vec3;
use pliant::dynamics::Collider;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::resample::Recluster;
use pliant::state::Surface;
use pliant::surface::Tracked;
use pliant::surface::validate::Level;
use pliant::{BodyDesc, BuildError, Material, Settings, SurfaceKind, World};

const DT: f32 = 1.0 / 60.0;
const R: f32 = 0.09;
const EDGE: f32 = 0.09;
const RED: [u8; 4] = [200, 40, 40, 255];
const BLUE: [u8; 4] = [40, 60, 200, 255];

fn desc(name: &str, shape: &Shape, color: [u8; 4]) -> BodyDesc {
    let mut mesh = mesh_shape(shape, EDGE).expect("a shape");
    mesh.colors = vec![color; mesh.positions.len()];
    let mut desc = BodyDesc::new(name, mesh, R);
    desc.surface = SurfaceKind::Tracked {
        edge_length: EDGE,
        keep_volume: true,
    };
    desc.merge_delay = 0.0;
    desc
}

/// Two balls that fly into each other: the right one is heavier, stiffer and harder to make flow.
fn balls() -> [BodyDesc; 2] {
    let ball = |x: f32| Shape::Sphere {
        center: Vec3::X * x,
        radius: 0.4,
    };
    let mut left = desc("left", &ball(-0.45), RED);
    left.velocity = Vec3::X * 2.5;
    let mut right = desc("right", &ball(0.45), BLUE);
    right.velocity = Vec3::X * -2.5;
    right.material = Material {
        density: 1500.0,
        stiffness: 0.7,
        plastic_yield: 0.01,
        plastic_flow: 0.5,
        hardening: 0.2,
        ..Material::default()
    };
    [left, right]
}

fn empty() -> World {
    World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
}

fn merging() -> World {
    let mut world = empty();
    world.add_merging(balls().into()).expect("two balls");
    world
}

fn surface_of(world: &World, body: usize) -> &Tracked {
    match &world.surfaces()[body] {
        Surface::Tracked(tracked) => tracked,
        _ => panic!("the surface is tracked"),
    }
}

/// Particles of the left one: they came first.
fn left_count() -> u64 {
    let mut world = empty();
    let [left, _] = balls();
    world.add_body(left).expect("a ball");
    world.points().len() as u64
}

/// Each keeps what it is made of, how it moves and what it weighs, and is a piece of its own.
#[test]
fn each_keeps_what_is_its_own() {
    let world = merging();
    let [left, right] = balls();
    let mut alone = [empty(), empty()];
    alone[0].add_body(left.clone()).expect("a ball");
    alone[1].add_body(right.clone()).expect("a ball");
    assert_eq!(world.bodies().len(), 1);
    assert_eq!(world.bodies()[0].name, "left");
    assert_eq!(surface_of(&world, 0).components().len(), 2);
    let (points, groups) = (world.points(), world.groups());
    let n = alone[0].points().len();
    assert_eq!(points.len(), n + alone[1].points().len());
    for i in 0..points.len() {
        let (own, desc, l) = if i < n {
            (&alone[0], &left, i)
        } else {
            (&alone[1], &right, i - n)
        };
        assert_eq!(points.x[i], own.points().x[l]);
        assert_eq!(points.v[i], desc.velocity);
        assert_eq!(points.mass[i], own.points().mass[l]);
        assert_eq!(points.id[i], i as u64);
    }
    let first = alone[0].groups().len();
    assert_eq!(groups.len(), first + alone[1].groups().len());
    let ids: Vec<u64> = (0..groups.len() as u64).collect();
    assert_eq!(groups.id, ids, "groups are numbered one after the other");
    assert_eq!(world.bodies()[0].first_groups, ids.len() as u64);
    for k in 0..groups.len() {
        let desc = if k < first { &left } else { &right };
        assert_eq!(groups.material[k].stiffness, desc.material.stiffness);
        assert_eq!(
            groups.material[k].plastic_yield,
            desc.material.plastic_yield
        );
        assert_eq!(groups.material[k].plastic_flow, desc.material.plastic_flow);
        assert_eq!(groups.material[k].hardening, desc.material.hardening);
        assert!(groups.members(k).all(|m| (m.0 < n as u32) == (k < first)));
    }
}

/// Where two touch, every vertex hangs on particles of its own piece, and every particle is of the piece that it lies in.
#[test]
fn touching_bodies_hang_on_their_own_particles() {
    let slab = |x: f32| Shape::Box {
        center: Vec3::X * x,
        half: Vec3::new(0.4, 0.3, 0.3),
    };
    // The gap is a fiftieth of a particle's radius: particles of both lie nearer to a face than others of its own.
    let gap = 0.02 * R;
    let mut world = empty();
    let pair = [
        desc("left", &slab(-0.4 - 0.5 * gap), RED),
        desc("right", &slab(0.4 + 0.5 * gap), BLUE),
    ];
    world.add_merging(pair.into()).expect("two slabs");
    let tracked = surface_of(&world, 0);
    assert_eq!(tracked.components().len(), 2);
    let points = world.points();
    let pieces = [points.piece[0], *points.piece.last().unwrap()];
    assert_ne!(pieces[0], pieces[1]);
    for i in 0..points.len() {
        let side = usize::from(points.x[i].x > 0.0);
        assert_eq!(points.piece[i], pieces[side], "{}", points.x[i]);
    }
    let mesh = tracked.mesh();
    for v in mesh.vertices() {
        let side = mesh.positions()[v as usize].x > 0.0;
        for &i in &tracked.skin()[v as usize].point {
            assert_eq!(points.x[i as usize].x > 0.0, side);
        }
    }
}

/// Two that are pushed together become one, held by groups with particles of both, of a material between theirs; nothing of the
/// mass, the momentum and the volume is lost, and each keeps its colour.
#[test]
fn two_become_one() {
    become_one(Recluster::World);
    become_one(Recluster::Embedded);
}

fn become_one(recluster: Recluster) {
    let mut world = empty();
    let balls = balls().map(|mut ball| {
        ball.resampling.recluster = recluster;
        ball
    });
    world.add_merging(balls.into()).expect("two balls");
    let first = left_count();
    let count = world.points().len() as u64;
    let before = world.ledger();
    let volume: f64 = surface_of(&world, 0)
        .components()
        .iter()
        .map(|c| c.target)
        .sum();
    let mut merges = 0;
    for _ in 0..60 {
        let report = world.step(DT);
        assert_eq!(report.non_finite, 0);
        merges += report.surfaces[0].merges;
        surface_of(&world, 0)
            .mesh()
            .validate(Level::Everything)
            .unwrap();
        let mass = world.ledger().mass;
        assert!((mass / before.mass - 1.0).abs() < 1e-4, "{mass}");
    }
    assert_eq!(merges, 1);
    let tracked = surface_of(&world, 0);
    assert_eq!(tracked.components().len(), 1);
    assert!((tracked.components()[0].target / volume - 1.0).abs() < 1e-6);
    let piece = tracked.components()[0].id;
    assert!(world.points().piece.iter().all(|&p| p == piece));

    let (points, groups) = (world.points(), world.groups());
    let of = |k: usize, range: std::ops::Range<u64>| {
        let ids = groups.members(k).map(|m| points.id[m.0 as usize]);
        ids.filter(|id| range.contains(id)).count()
    };
    let both: Vec<usize> = (0..groups.len())
        .filter(|&k| of(k, 0..first) > 0 && of(k, first..count) > 0)
        .collect();
    assert!(both.len() > 1, "{} groups hold both", both.len());
    let between = |k: &&usize| {
        let m = groups.material[**k];
        m.stiffness > 0.7 && m.stiffness < 0.9 && m.plastic_flow > 0.5 && m.plastic_flow < 0.9
    };
    assert!(both.iter().filter(between).count() > 0);
    let momentum = world.ledger().momentum - before.momentum;
    let scale = before.mass * 2.5;
    assert!(momentum.length() < 1e-3 * scale, "{momentum}");

    let mesh: Mesh = tracked.mesh().to_mesh();
    let share = |color: [u8; 4]| {
        let same = mesh.colors.iter().filter(|c| **c == color).count();
        same as f64 / mesh.colors.len() as f64
    };
    assert!(share(RED) > 0.35 && share(BLUE) > 0.35);
    assert!(share(RED) + share(BLUE) > 0.8, "the border is sharp");
}

/// Two bodies that are not of one group stay two.
#[test]
fn others_stay_two() {
    let mut world = empty();
    for ball in balls() {
        world.add_body(ball).expect("a ball");
    }
    for _ in 0..60 {
        let report = world.step(DT);
        assert!(report.surfaces.iter().all(|s| s.merges == 0));
    }
    for body in 0..2 {
        assert_eq!(world.surfaces()[body].piece_count(), 1);
    }
}

/// One and two threads give the same hash after every frame.
#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads").install(|| {
            let mut world = merging();
            world.add_collider(Collider::floor(-0.5));
            let step = |_| {
                world.step(DT);
                world.hash()
            };
            (0..30).map(step).collect()
        })
    };
    assert_eq!(run(1), run(2));
}

/// Too different bodies are refused, and so is none.
#[test]
fn different_bodies_are_refused() {
    let refused = |descs: Vec<BodyDesc>| {
        let mut world = empty();
        let error = world.add_merging(descs).expect_err("they are different");
        assert!(world.bodies().is_empty() && world.points().is_empty());
        assert!(matches!(error, BuildError::Parameter(_)), "{error}");
    };
    refused(Vec::new());
    let [left, mut right] = balls();
    right.particle_radius *= 1.1;
    refused(vec![left.clone(), right]);
    let [_, mut right] = balls();
    right.surface = SurfaceKind::Tracked {
        edge_length: 1.1 * EDGE,
        keep_volume: true,
    };
    refused(vec![left.clone(), right]);
    let skinned = balls().map(|mut ball| {
        ball.surface = SurfaceKind::Skinned;
        ball
    });
    refused(skinned.into());
}
