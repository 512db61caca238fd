//! Meshes that are covered with oriented particles: how they fit, and what they do to other bodies.

use glam::Vec3;
use pliant::dynamics::Collider;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::oriented::{GroupDesc, OrientedDesc, Particle};
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};

const DT: f32 = 1.0 / 60.0;

fn world(gravity: f32) -> World {
    World::new(Settings {
        substeps: 4,
        iterations: 2,
        gravity: Vec3::NEG_Y * gravity,
        sleep_speed: 0.0,
        ..Settings::default()
    })
}

fn figure(figure: Figure) -> Mesh {
    let center = Vec3::ZERO;
    mesh_shape(&Shape::Figure { figure, center }, 0.12).unwrap()
}

/// How far a particle reaches in direction `n`.
fn reach(particle: &Particle, n: Vec3) -> f32 {
    n.dot(particle.x) + (particle.axes.conjugate() * n * particle.radii).length()
}

/// However few particles cover a figure, they stick out of its box by no more than a fiftieth of its size, and reach to within a twentieth of
/// its sides. Boxes around what they cover would reach a tenth too far.
#[test]
fn ellipsoids_fit_the_mesh() {
    for (which, count) in [
        (Figure::Bunny, 20),
        (Figure::Bunny, 300),
        (Figure::Cow, 100),
        (Figure::Golem, 300),
    ] {
        let mesh = figure(which);
        let (lo, hi) = mesh.bounds().unwrap();
        let size = (hi - lo).max_element();
        let desc = OrientedDesc::covering("figure", mesh, count, 1000.0, 1).unwrap();
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for (n, side) in [(axis, hi.dot(axis)), (-axis, -lo.dot(axis))] {
                let far = desc.particles.iter().map(|p| reach(p, n));
                let over = (far.fold(f32::MIN, f32::max) - side) / size;
                let what = format!("{} of {count}: {over} of its size along {n}", which.name());
                assert!((-0.05..0.02).contains(&over), "{what}");
            }
        }
    }
}

/// Thin rods that fall on dough lie on it or stand in dents: none slips in between its particles, which are five times as far apart as a rod is
/// thick. What they and the dough have of momentum together changes by gravity alone.
#[test]
fn thin_rods_do_not_slip_into_dough() {
    let mut world = world(9.81);
    let slab = Shape::Box {
        center: Vec3::ZERO,
        half: Vec3::new(0.9, 0.35, 0.9),
    };
    let mut dough = BodyDesc::new("dough", mesh_shape(&slab, 0.1).unwrap(), 0.2);
    dough.material = Material::elastic(0.5);
    dough.surface = SurfaceKind::Tracked {
        edge_length: 0.1,
        keep_volume: false,
    };
    world.add_body(dough).unwrap();
    let floor = world.bodies()[0].points.clone();
    for k in 0..9 {
        let at = Vec3::new(
            (k % 3) as f32 * 0.43 - 0.45,
            0.5,
            (k / 3) as f32 * 0.41 - 0.45,
        );
        let particles = (0..6).map(|i| {
            let x = at + Vec3::Y * (0.1 * i as f32);
            Particle::ball(x, 0.04, 0.5)
        });
        let edges = (1..6).map(|i| [i - 1, i]).collect();
        let name = format!("rod {k}");
        let rod = OrientedDesc::new(&name, particles.collect(), edges);
        world.add_oriented(rod).unwrap();
    }
    // In free fall together with the dough, thrown against it: nothing else acts on them.
    world.settings_mut().gravity = Vec3::ZERO;
    for i in floor.end..world.points().len() {
        world.points_mut().v[i] = Vec3::NEG_Y * 3.0;
    }
    let before = world.ledger().momentum;
    let mut deepest = 0.0f32;
    for _ in 0..60 {
        assert_eq!(world.step(DT).non_finite, 0);
        let mesh = world.surfaces()[0].mesh().into_owned();
        for &x in &world.points().x[floor.end..] {
            deepest = deepest.max(below(&mesh, x));
        }
    }
    let drift = (world.ledger().momentum - before).length() / before.length();
    assert!(drift < 1e-4, "momentum changes by {drift}");
    assert!(deepest < 0.06, "a rod is {deepest} m deep in the dough");
}

/// How far a place is below the top of a mesh beside it.
fn below(mesh: &Mesh, x: Vec3) -> f32 {
    let beside = |y: &&Vec3| (**y - x).with_y(0.0).length() < 0.12 && y.y > -0.1;
    let tops = mesh.positions.iter().filter(beside);
    let (sum, count) = tops.fold((0.0, 0.0), |(s, n), y| (s + y.y, n + 1.0));
    if count == 0.0 { 0.0 } else { sum / count - x.y }
}

/// Two rigid parts on a joint that are folded until they overlap come to rest: parts that a joint holds together do not push each other away.
#[test]
fn jointed_parts_come_to_rest() {
    let part = |x: f32| Particle {
        radii: Vec3::new(0.12, 0.06, 0.06),
        ..Particle::ball(Vec3::new(x, 0.3, 0.0), 0.1, 0.3)
    };
    let hinge = |x: f32| Particle {
        turns: false,
        collides: false,
        ..Particle::ball(Vec3::new(x, 0.3, 0.0), 0.03, 0.15)
    };
    let particles = vec![part(0.0), hinge(0.1), part(0.2), hinge(0.3), part(0.4)];
    let group = |particles: &[u32], joints: &[u32]| GroupDesc {
        particles: particles.to_vec(),
        stiffness: 1.0,
        joints: joints.to_vec(),
        ..GroupDesc::default()
    };
    let mut desc = OrientedDesc::new("arm", particles, Vec::new());
    desc.groups = vec![
        group(&[0, 1], &[1]),
        group(&[1, 2, 3], &[1, 3]),
        group(&[3, 4], &[3]),
    ];
    let mut world = world(9.81);
    world.add_collider(Collider::floor(0.0));
    world.add_oriented(desc).unwrap();
    for (i, v) in [(0, 3.0), (4, -3.0)] {
        world.points_mut().v[i] = Vec3::new(0.0, 1.0, v);
    }
    let mut left = 0.0;
    for frame in 0..360 {
        assert_eq!(world.step(DT).non_finite, 0);
        let ledger = world.ledger();
        left += if frame >= 240 {
            ledger.kinetic_energy / ledger.mass / 120.0
        } else {
            0.0
        };
    }
    assert!(left < 1e-3, "{left} J/kg are left");
}

/// A round figure that is thrown across the floor rolls and rocks, and is at rest after ten seconds.
#[test]
fn round_bodies_stop_rolling() {
    let center = Vec3::Y * 1.5;
    let shape = Shape::Figure {
        figure: Figure::Pancreas,
        center,
    };
    let mesh = mesh_shape(&shape, 0.12).unwrap();
    let mut desc = OrientedDesc::covering("pancreas", mesh, 200, 1000.0, 1).unwrap();
    desc.material.stiffness = 0.25;
    desc.velocity = Vec3::new(0.0, 0.0, 2.0);
    let mut world = world(9.81);
    world.add_collider(Collider::floor(0.0));
    world.add_oriented(desc).unwrap();
    let mut left = 0.0;
    for frame in 0..720 {
        assert_eq!(world.step(DT).non_finite, 0);
        let ledger = world.ledger();
        if frame >= 600 {
            left += ledger.kinetic_energy / ledger.mass / 120.0;
        }
    }
    assert!(left < 2e-3, "{left} J/kg are left");
}

/// A lone particle, a pair, a straight line and a flat sheet that fall on the floor stay finite, straight and flat, and come to rest in a
/// thousand steps.
#[test]
fn small_and_flat_bodies_are_stable() {
    for (name, places) in [
        ("lone", vec![Vec3::ZERO]),
        ("pair", (0..2).map(|i| Vec3::X * (0.1 * i as f32)).collect()),
        (
            "line",
            (0..12).map(|i| Vec3::X * (0.1 * i as f32)).collect(),
        ),
        (
            "sheet",
            (0..49)
                .map(|i| Vec3::new((i % 7) as f32, 0.0, (i / 7) as f32) * 0.1)
                .collect::<Vec<_>>(),
        ),
    ] {
        let particles: Vec<Particle> = (places.iter())
            .map(|x| Particle::ball(*x + Vec3::Y * 0.3, 0.05, 0.1))
            .collect();
        let mut edges = Vec::new();
        for i in 0..places.len() {
            for j in i + 1..places.len() {
                if places[i].distance(places[j]) < 0.15 {
                    edges.push([i as u32, j as u32]);
                }
            }
        }
        let mut world = world(9.81);
        world.add_collider(Collider::floor(0.0));
        world
            .add_oriented(OrientedDesc::new(name, particles, edges))
            .unwrap();
        for _ in 0..1000 {
            assert_eq!(world.step(DT).non_finite, 0, "{name}");
        }
        let points = world.points();
        for (x, v) in points.x.iter().zip(&points.v) {
            assert!((x.y - 0.05).abs() < 5e-3, "{name}: {x}");
            assert!(v.length() < 1e-2, "{name}: {v}");
        }
        for (i, j) in (1..places.len()).map(|j| (0, j)) {
            let [is, was] = [&points.x, &places].map(|x| x[i].distance(x[j]));
            assert!(
                (is / was - 1.0).abs() < 0.01,
                "{name}: {is} m, {was} m at rest"
            );
        }
    }
}
