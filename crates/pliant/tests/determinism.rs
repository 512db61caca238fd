//! Equal worlds have equal futures, bit for bit.

use glam::{Mat3, Vec3};
use pliant::dynamics::{Action, ActionKind, Collider};
use pliant::geometry::Shape;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::{BodyDesc, Material, Settings, World};

const DT: f32 = 1.0 / 60.0;

fn body(name: &str, center: Vec3, r: f32) -> BodyDesc {
    let shape = Shape::Sphere {
        center,
        radius: 0.4,
    };
    BodyDesc::new(name, mesh_shape(&shape, 0.08).expect("a ball"), r)
}

/// Two balls of clay and rubber that collide above a floor and a post, and a projectile that hits both; after `first`, if there is one.
fn scene(first: Option<BodyDesc>) -> World {
    let mut world = World::new(Settings::default());
    if let Some(first) = first {
        world.add_body(first).expect("a body");
    }
    world.add_collider(Collider::floor(0.0));
    let post = Shape::Capsule {
        a: Vec3::ZERO,
        b: Vec3::Y * 0.3,
        radius: 0.2,
    };
    world.add_collider(Collider::solid("post", post, Vec3::new(0.1, 0.0, 0.1)));
    let mut left = body("left", Vec3::new(-0.6, 0.9, 0.0), 0.05);
    left.velocity = Vec3::new(4.0, 0.0, 0.5);
    let mut right = body("right", Vec3::new(0.6, 0.8, 0.1), 0.07);
    right.velocity = Vec3::new(-3.0, 1.0, 0.0);
    right.material = Material::elastic(0.7);
    world.add_body(left).expect("a body");
    world.add_body(right).expect("a body");
    world.add_action(Action {
        at: 0.1,
        kind: ActionKind::Shoot {
            from: Vec3::new(0.0, 2.0, 0.0),
            velocity: Vec3::new(0.0, -12.0, 0.3),
            radius: 0.15,
            mass: 60.0,
            until: 0.6,
        },
    });
    world
}

fn hashes(mut world: World, frames: usize) -> Vec<u64> {
    let step = |_| {
        assert_eq!(world.step(DT).non_finite, 0);
        world.hash()
    };
    (0..frames).map(step).collect()
}

/// One, two and five threads give the same hash after every frame.
#[test]
fn threads_do_not_show() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| hashes(scene(None), 40))
    };
    let one = with_threads(1);
    assert!(one.windows(2).all(|w| w[0] != w[1]), "something moves");
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(5));
}

/// Bodies far away, of other sizes and speeds, change no bit of the two that collide, wherever they stand in the list.
#[test]
fn a_far_body_does_not_show() {
    let mut far = body("far", Vec3::new(80.0, 5.0, 0.0), 0.15);
    far.velocity = Vec3::new(20.0, 0.0, 7.0);
    let mut alone = scene(None);
    let mut before = scene(Some(far.clone()));
    let mut after = scene(None);
    after.add_body(far).expect("a body");
    for frame in 0..40 {
        for world in [&mut alone, &mut before, &mut after] {
            world.step(DT);
        }
        for b in 0..2 {
            assert_eq!(alone.body_hash(b), after.body_hash(b), "frame {frame}");
            assert_eq!(alone.body_hash(b), before.body_hash(b + 1), "frame {frame}");
        }
    }
    assert_eq!(alone.body_hash(2), None);
}

/// A copy taken in the middle of a collision goes on to the same hashes, also when all its caches are made anew.
#[test]
fn a_copy_goes_on_alike() {
    let mut world = scene(None);
    hashes(world.clone(), 1);
    for _ in 0..12 {
        world.step(DT);
    }
    let copy = world.clone();
    let mut fresh = world.clone();
    // Asking for the groups makes the plan and the contact lists stale.
    let _ = fresh.groups_mut();
    assert_eq!(world.hash(), fresh.hash());
    let wanted = hashes(world, 25);
    assert_eq!(wanted, hashes(copy, 25));
    assert_eq!(wanted, hashes(fresh, 25));
}

fn next(f: &mut f32) {
    *f = f32::from_bits(f.to_bits() ^ 1);
}

type Change = (&'static str, Box<dyn Fn(&mut World)>);

/// The last bit of any number that the next step depends on shows in the hash.
#[test]
fn every_bit_shows_in_the_hash() {
    let mut world = scene(None);
    for _ in 0..8 {
        world.step(DT);
    }
    let n = world.points().len() - 1;
    let k = world.groups().len() - 1;
    let changes: Vec<Change> = vec![
        ("x", Box::new(move |w| next(&mut w.points_mut().x[n].y))),
        ("v", Box::new(move |w| next(&mut w.points_mut().v[0].z))),
        ("mass", Box::new(move |w| next(&mut w.points_mut().mass[n]))),
        (
            "inv_mass",
            Box::new(move |w| next(&mut w.points_mut().inv_mass[3])),
        ),
        (
            "f_p",
            Box::new(move |w| next(&mut w.groups_mut().f_p[k].y_axis.x)),
        ),
        (
            "yield",
            Box::new(move |w| next(&mut w.groups_mut().material[0].plastic_yield)),
        ),
        (
            "stiffness",
            Box::new(move |w| next(&mut w.groups_mut().material[k].stiffness)),
        ),
        (
            "center",
            Box::new(move |w| next(&mut w.groups_mut().center[k].x)),
        ),
        ("group id", Box::new(move |w| w.groups_mut().id[k] += 1)),
        (
            "rotation",
            Box::new(move |w| next(&mut w.groups_mut().rotation[k].w)),
        ),
    ];
    let original = world.hash();
    for (what, change) in changes {
        let mut other = world.clone();
        change(&mut other);
        assert_ne!(other.hash(), original, "{what}");
    }
    let mut zero = world.clone();
    let mut minus = world.clone();
    zero.groups_mut().f_p[0] = Mat3::ZERO;
    minus.groups_mut().f_p[0] = -Mat3::ZERO;
    assert_eq!(zero.hash(), minus.hash(), "−0 counts as 0");
}

/// Other seeds and names give other particles.
#[test]
fn seed_and_name_choose_the_particles() {
    let particles = |seed, name: &str| {
        let mut world = World::new(Settings {
            seed,
            ..Settings::default()
        });
        world.add_body(body(name, Vec3::ZERO, 0.1)).expect("a body");
        world.points().x.clone()
    };
    let original = particles(1, "a");
    assert_eq!(original, particles(1, "a"));
    assert_ne!(original, particles(2, "a"));
    assert_ne!(original, particles(1, "b"));
}
