//! Scripts and hands act on the world.

use glam::{Quat, Vec3};
use pliant::dynamics::{Action, ActionKind, Grip, PathKey};
use pliant::geometry::Shape;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::state::BodyId;
use pliant::{BodyDesc, Material, Settings, World};

const R: f32 = 0.1;
const DT: f32 = 1.0 / 60.0;
const FOREVER: f64 = f64::INFINITY;

/// A weightless or falling bar along x, 2 m long.
fn bar(gravity: Vec3) -> World {
    let shape = Shape::Box {
        center: Vec3::ZERO,
        half: Vec3::new(1.0, 0.2, 0.2),
    };
    let mut desc = BodyDesc::new("bar", mesh_shape(&shape, 0.1).expect("a box"), R);
    desc.material = Material::elastic(0.9);
    let mut world = World::new(Settings {
        gravity,
        ..Settings::default()
    });
    world.add_body(desc).expect("a body");
    world
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        assert_eq!(world.step(DT).non_finite, 0);
    }
}

fn act(world: &mut World, at: f64, kind: ActionKind) {
    world.add_action(Action { at, kind });
}

/// Indices of the particles in a ball; there must be some, but not all.
fn inside(world: &World, at: Vec3, radius: f32) -> Vec<usize> {
    let all = 0..world.points().len();
    let found: Vec<usize> = all
        .filter(|&i| world.points().x[i].distance_squared(at) <= radius * radius)
        .collect();
    assert!(found.len() > 5 && found.len() < world.points().len());
    found
}

fn end(side: f32) -> (Vec3, f32) {
    (Vec3::X * side, 0.45)
}

fn pin(world: &mut World, side: f32, until: f64) {
    let (at, radius) = end(side);
    let grip = Grip::Ball { at, radius };
    act(world, 0.0, ActionKind::Pin { grip, until });
}

/// A pull takes the grabbed particles exactly along its line, drags the rest behind, and lets go with the hand's velocity.
#[test]
fn a_pull_carries_and_lets_go() {
    let mut world = bar(Vec3::ZERO);
    let (at, radius) = end(1.0);
    let held = inside(&world, at, radius);
    let start = world.points().x.clone();
    let travel = Vec3::new(0.6, 0.3, 0.0);
    let (to, until) = (at + travel, 0.5);
    act(&mut world, 0.0, ActionKind::pull(at, radius, to, until));
    for frame in 1..=30 {
        run(&mut world, 1);
        let t = frame as f32 / 30.0;
        for &i in &held {
            let off = world.points().x[i].distance(start[i] + travel * t);
            assert!(off < 1e-4, "particle {i} is {off} m off at {t}");
        }
        let holding = frame < 30;
        let zero = |&i: &usize| (world.points().inv_mass[i] == 0.0) == holding;
        assert!(held.iter().all(zero), "frame {frame}");
    }
    let momentum = world.ledger().momentum;
    assert!(momentum.x > 0.0, "the rest follows: {momentum}");
    run(&mut world, 30);
    let off = |&i: &usize| world.points().x[i].distance(start[i] + travel);
    assert!(held.iter().all(|i| off(i) > 0.05), "they are free again");
    let drift = (world.ledger().momentum - momentum).length();
    assert!(
        drift < 1e-3 * momentum.length(),
        "nothing holds it any more"
    );
}

/// Pinned particles stay exactly where they are while the rest sags, and fall when the pin ends.
#[test]
fn a_pin_holds() {
    let mut world = bar(Vec3::NEG_Y * 9.81);
    let (at, radius) = end(-1.0);
    let held = inside(&world, at, radius);
    let start = world.points().x.clone();
    pin(&mut world, -1.0, 0.5);
    run(&mut world, 29);
    assert!(held.iter().all(|&i| world.points().x[i] == start[i]));
    let free = inside(&world, Vec3::X, radius);
    let sag = |&i: &usize| start[i].y - world.points().x[i].y;
    let least = free.iter().map(sag).fold(f32::MAX, f32::min);
    assert!(least > 0.002, "the free end sags by {least} m");
    run(&mut world, 31);
    assert!(
        held.iter()
            .all(|&i| world.points().x[i].y < start[i].y - 0.3)
    );
}

/// A pin in the form of a box holds what is in the box, into its corners, and nothing else.
#[test]
fn a_pin_may_be_a_box() {
    let mut world = bar(Vec3::NEG_Y * 9.81);
    let start = world.points().x.clone();
    let (at, half) = (Vec3::NEG_X, Vec3::new(0.3, 0.5, 0.5));
    let grip = Grip::Box { at, half };
    let kind = ActionKind::Pin {
        grip,
        until: FOREVER,
    };
    act(&mut world, 0.0, kind);
    run(&mut world, 30);
    let mut held = 0;
    for (i, from) in start.iter().enumerate() {
        let is_held = world.points().inv_mass[i] == 0.0;
        assert_eq!(is_held, from.x <= -0.7, "{from}");
        assert!(!is_held || world.points().x[i] == *from);
        held += usize::from(is_held);
    }
    assert!(held > 10, "{held}");
}

/// A turn carries what it holds rigidly and evenly about its line, and lets go with the velocity of the motion; the rest follows.
#[test]
fn a_turn_carries_about_its_line() {
    let (at, half) = (Vec3::X, Vec3::new(0.3, 0.5, 0.5));
    let mut world = bar(Vec3::ZERO);
    let start = world.points().x.clone();
    let grip = Grip::Box { at, half };
    let kind = ActionKind::Turn {
        grip,
        axis: Vec3::X * 3.0,
        degrees: 60.0,
        until: 0.5,
    };
    act(&mut world, 0.0, kind);
    let held: Vec<usize> = (0..start.len()).filter(|&i| start[i].x >= 0.7).collect();
    assert!(held.len() > 10);
    let rate = 120.0_f32.to_radians();
    let turned = |i: usize, angle: f32| Quat::from_rotation_x(angle) * start[i];
    for frame in 1..=30 {
        run(&mut world, 1);
        for &i in &held {
            let off = world.points().x[i].distance(turned(i, rate * frame as f32 / 60.0));
            assert!(off < 1e-5, "particle {i} is {off} m off in frame {frame}");
        }
    }
    for &i in &held {
        assert!(world.points().inv_mass[i] > 0.0, "it has let go");
        let wanted = (rate * Vec3::X).cross(world.points().x[i]);
        let off = world.points().v[i].distance(wanted);
        assert!(off < 0.02 * wanted.length() + 1e-3, "{off} m/s off");
    }
    let spin = world.ledger().angular_momentum.x;
    assert!(spin > 0.0, "{spin}");
    run(&mut world, 15);
    let kept = world.ledger().angular_momentum.x;
    assert!((kept / spin - 1.0).abs() < 0.05, "{spin} became {kept}");
}

/// A turn cannot be led, and none that would last for ever is begun.
#[test]
fn a_turn_goes_its_own_way() {
    let mut world = bar(Vec3::ZERO);
    let (at, radius) = end(1.0);
    let turn = |until| ActionKind::Turn {
        grip: Grip::Ball { at, radius },
        axis: Vec3::Y,
        degrees: 5.0,
        until,
    };
    let kind = turn(1.0);
    let id = world.add_action(Action { at: 0.0, kind });
    run(&mut world, 1);
    assert!(world.held_by(id).is_some_and(|held| held > 5));
    let key = PathKey {
        time: 0.5,
        position: Vec3::ZERO,
    };
    assert!(!world.guide(id, key));
    assert!(world.end_action(id, 0.05));
    run(&mut world, 3);
    assert_eq!(world.held_by(id), None);
    assert!(turn(FOREVER).complaint().is_some());
}

/// A particle in two pins is held until the later one ends, whichever was first.
#[test]
fn overlapping_pins_hold_until_the_last_ends() {
    for (first, second) in [(0.2, 0.5), (0.5, 0.2)] {
        let mut world = bar(Vec3::NEG_Y * 9.81);
        let (at, radius) = end(1.0);
        let held = inside(&world, at, radius);
        let start = world.points().x.clone();
        pin(&mut world, 1.0, first);
        pin(&mut world, 1.0, second);
        run(&mut world, 24);
        assert!(held.iter().all(|&i| world.points().x[i] == start[i]));
        run(&mut world, 12);
        assert!(held.iter().all(|&i| world.points().x[i] != start[i]));
    }
}

/// An impulse adds its velocity once, to the particles in the ball only.
#[test]
fn an_impulse_adds_momentum() {
    let mut world = bar(Vec3::ZERO);
    let (at, radius) = end(1.0);
    let hit = inside(&world, at, radius);
    let mass: f32 = hit.iter().map(|&i| world.points().mass[i]).sum();
    let velocity = Vec3::new(0.0, 2.0, 0.0);
    act(
        &mut world,
        0.1,
        ActionKind::Impulse {
            at,
            radius,
            velocity,
        },
    );
    run(&mut world, 6);
    assert!(world.ledger().kinetic_energy < 1e-6, "not before its time");
    for _ in 0..20 {
        run(&mut world, 1);
        let p = world.ledger().momentum;
        let wanted = (mass * velocity).as_dvec3();
        assert!((p - wanted).length() < 1e-3 * wanted.length(), "{p}");
    }
}

/// Bodies take on the velocity of the air like 1 − exp(−t), and keep it when the wind ends.
#[test]
fn wind_carries_bodies_along() {
    let mut world = bar(Vec3::ZERO);
    let velocity = Vec3::new(3.0, 0.0, -1.0);
    act(
        &mut world,
        0.0,
        ActionKind::Wind {
            velocity,
            until: 1.0,
        },
    );
    let mean = |world: &World| (world.ledger().momentum / world.ledger().mass).as_vec3();
    run(&mut world, 60);
    let wanted = velocity * (1.0 - (-1.0_f32).exp());
    let v = mean(&world);
    assert!((v - wanted).length() < 0.02, "{v} is not {wanted}");
    run(&mut world, 60);
    let later = mean(&world);
    assert!((later - v).length() < 1e-3, "{later} was {v}");
}

fn squeeze(strength: f32, body: Option<BodyId>, until: f64) -> ActionKind {
    ActionKind::Squeeze {
        point: Vec3::X * 0.25,
        normal: Vec3::X * 7.0,
        strength,
        body,
        until,
    }
}

/// The middle of a body swings about the plane that squeezes it as d cos(√k t), whatever it is made of, and goes on evenly afterwards.
#[test]
fn a_squeeze_swings_the_middle_of_a_body() {
    let mut world = bar(Vec3::ZERO);
    let middle = |world: &World| {
        let points = world.points();
        let moment = points.x.iter().zip(&points.mass);
        let sum: glam::DVec3 = moment.map(|(x, m)| (*x * *m).as_dvec3()).sum();
        (sum / world.ledger().mass).as_vec3()
    };
    let from = middle(&world);
    act(&mut world, 0.0, squeeze(4.0, None, 1.0));
    let d = from.x - 0.25;
    for frame in 1..=60 {
        run(&mut world, 1);
        let wanted = from + Vec3::X * (d * (2.0 * frame as f32 / 60.0).cos() - d);
        let off = middle(&world).distance(wanted);
        assert!(off < 0.01 * d.abs(), "{off} m off in frame {frame}");
    }
    let momentum = world.ledger().momentum;
    let wanted = -2.0 * f64::from(d) * 2.0_f64.sin() * world.ledger().mass;
    assert!((momentum.x / wanted - 1.0).abs() < 0.02, "{momentum}");
    run(&mut world, 20);
    let drift = (world.ledger().momentum - momentum).length();
    assert!(drift < 1e-3 * momentum.length(), "{drift}");
}

/// A squeeze shortens a body along the normal, a negative one draws it out; only the body that it is for is woken.
#[test]
fn a_squeeze_shortens_or_draws_out() {
    for strength in [400.0, -400.0] {
        let mut world = bar(Vec3::ZERO);
        let shape = Shape::Box {
            center: Vec3::Y * 3.0,
            half: Vec3::splat(0.3),
        };
        let mesh = mesh_shape(&shape, 0.1).expect("a box");
        world
            .add_body(BodyDesc::new("other", mesh, R))
            .expect("a body");
        run(&mut world, 5);
        let (bar, other) = (world.bodies()[0].clone(), world.bodies()[1].clone());
        let resting = world.points().x.clone();
        let length = |world: &World| {
            let x = world.points().x[bar.points.clone()].iter().map(|x| x.x);
            x.clone().fold(f32::MIN, f32::max) - x.fold(f32::MAX, f32::min)
        };
        let before = length(&world);
        let kind = squeeze(strength, Some(bar.id), FOREVER);
        act(&mut world, 0.0, kind);
        run(&mut world, 6);
        let ratio = length(&world) / before;
        assert!(
            (ratio - 1.0) * strength < 0.0 && (ratio - 1.0).abs() > 0.005,
            "{ratio}"
        );
        assert_eq!(
            world.points().x[other.points.clone()],
            resting[other.points.clone()]
        );
    }
}

/// A squeeze that is under way shows in the hash, with all that it does.
#[test]
fn a_squeeze_shows_in_the_hash() {
    let hash = |kind: ActionKind| {
        let mut world = bar(Vec3::ZERO);
        act(&mut world, 0.0, kind);
        // A frame of no length begins the actions and nothing else.
        world.step(0.0);
        world.hash()
    };
    let plain = hash(squeeze(4.0, None, 1.0));
    assert_eq!(hash(squeeze(4.0, None, 1.0)), plain);
    for other in [
        squeeze(5.0, None, 1.0),
        squeeze(4.0, Some(BodyId(0)), 1.0),
        squeeze(4.0, None, 2.0),
    ] {
        assert_ne!(hash(other), plain);
    }
}

fn shoot(radius: f32, until: f64) -> ActionKind {
    ActionKind::Shoot {
        from: Vec3::Y * 5.0 * radius * 10.0,
        velocity: Vec3::X,
        radius,
        mass: 1.0,
        until,
    }
}

/// A projectile flies from its time until its end, and those that stay are not mixed up by those that go.
#[test]
fn a_projectile_is_retired() {
    let mut world = bar(Vec3::ZERO);
    act(&mut world, 0.05, shoot(0.1, 0.2));
    act(&mut world, 0.05, shoot(0.2, FOREVER));
    let mut counts = Vec::new();
    for _ in 0..20 {
        run(&mut world, 1);
        counts.push(world.rigids().len());
    }
    let wanted: Vec<usize> = (1..=20)
        .map(|f| match f {
            1..=3 => 0,
            4..=11 => 2,
            _ => 1,
        })
        .collect();
    assert_eq!(counts, wanted);
    let left = world.rigids();
    assert_eq!((left.radius[0], left.v[0]), (0.2, Vec3::X));
    let flown = 17.0 * DT;
    assert!((left.x[0].x - flown).abs() < 1e-4, "flew {}", left.x[0].x);
}

/// Actions happen in the order of their times, those at the same time in the order in which they were added.
#[test]
fn actions_at_equal_times_keep_their_order() {
    let mut world = bar(Vec3::ZERO);
    act(&mut world, 0.0, shoot(0.3, FOREVER));
    act(&mut world, -1.0, shoot(0.1, FOREVER));
    act(&mut world, 0.0, shoot(0.2, FOREVER));
    act(&mut world, -1.0, shoot(0.4, FOREVER));
    run(&mut world, 1);
    assert_eq!(world.rigids().radius, [0.1, 0.4, 0.3, 0.2]);
}

/// An action whose time has passed happens in the next step, once, and before later ones that were there already.
#[test]
fn an_action_in_the_past_happens_next() {
    let mut world = bar(Vec3::ZERO);
    act(&mut world, 0.0, shoot(0.1, FOREVER));
    act(&mut world, 0.5, shoot(0.2, FOREVER));
    run(&mut world, 15);
    act(&mut world, 0.1, shoot(0.3, FOREVER));
    assert_eq!(world.rigids().radius, [0.1]);
    run(&mut world, 1);
    assert_eq!(world.rigids().radius, [0.1, 0.3]);
    run(&mut world, 30);
    assert_eq!(world.rigids().radius, [0.1, 0.3, 0.2]);
}
