//! Worked numbers and invariants of re-sampling.

use super::groups::{inverse_root, lens, norm};
use crate::body::{BodyDesc, SurfaceKind};
use crate::dynamics::action::{Action, ActionKind};
use crate::dynamics::collider::Collider;
use crate::geometry::Shape;
use crate::geometry::surface_nets::mesh_shape;
use crate::material::Material;
use crate::state::{Fading, NO_PIECE, Surface};
use crate::world::{Settings, World};
use glam::{Mat3, Vec3};
use std::collections::BTreeMap;

fn near(a: Mat3, b: Mat3, tolerance: f32) -> bool {
    let d = (a - b).to_cols_array();
    d.iter().all(|e| e.abs() < tolerance)
}

fn stretch(x: f32, y: f32, z: f32) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(x, y, z))
}

/// The volume that two balls have in common, and the mean strain of two groups weighted by it.
#[test]
fn strain_of_two_groups_is_blended() {
    let weights = [lens(0.1, 0.4), lens(0.3, 0.4)];
    assert!((weights[0] - 0.218_078_9).abs() < 1e-6);
    assert!((weights[1] - 0.124_354_71).abs() < 1e-6);
    assert_eq!(lens(0.8, 0.4), 0.0);
    assert_eq!(lens(1.0, 0.4), 0.0);
    let f = [
        Mat3::from_rotation_z(0.3) * stretch(1.2, 0.9, 0.95),
        Mat3::from_rotation_z(0.5) * stretch(1.1, 0.95, 1.0),
    ];
    let total = weights[0] + weights[1];
    let b = (0..2).fold(Mat3::ZERO, |b, k| {
        b + f[k] * f[k].transpose() * (weights[k] / total)
    });
    let expected = Mat3::from_cols(
        Vec3::new(0.885_366_4, -0.071_845_55, 0.0),
        Vec3::new(-0.071_845_55, 1.060_871_8, 0.0),
        Vec3::new(0.0, 0.0, 1.032_571_4),
    );
    assert!(near(inverse_root(b), expected, 1e-5), "{}", inverse_root(b));
}

/// The goals of a new group are those of the old one: elastic strain is remembered, plastic strain is kept.
#[test]
fn a_new_group_pulls_like_the_old_one() {
    let s = 1.2_f32;
    let elastic = stretch(s, s.powf(-0.5), s.powf(-0.5));
    let turn = Mat3::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let plastic = stretch(1.5, 1.5_f32.powf(-0.5), 1.5_f32.powf(-0.5));
    let f_e = turn * elastic;
    let x = f_e * plastic * Vec3::X;
    assert!(x.distance(Vec3::new(0.0, 1.8, 0.0)) < 1e-6);
    let goal = inverse_root(f_e * f_e.transpose()) * x;
    assert!(goal.distance(Vec3::new(0.0, 1.5, 0.0)) < 1e-5, "{goal}");
}

/// Uniaxial stretches at which groups seed and go.
#[test]
fn thresholds_of_uniaxial_strain() {
    let uniaxial = |s: f32| norm(stretch(s, s.powf(-0.5), s.powf(-0.5)));
    for (s, expected) in [
        (1.308_058_1, 1.8),
        (0.744_805_5, 1.8),
        (1.675_130_9, 2.0),
        (0.539_188_9, 2.0),
    ] {
        assert!((uniaxial(s) - expected).abs() < 1e-5);
    }
}

/// A bar whose surface is tracked.
fn bar(material: Material) -> World {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let shape = Shape::Box {
        center: Vec3::ZERO,
        half: Vec3::new(2.0, 0.5, 0.5),
    };
    let mut desc = BodyDesc::new("bar", mesh_shape(&shape, 0.12).unwrap(), 0.15);
    desc.surface = SurfaceKind::Tracked {
        edge_length: 0.15,
        keep_volume: false,
    };
    desc.material = material;
    world.add_body(desc).unwrap();
    world
}

fn putty() -> Material {
    Material {
        plastic_yield: 1e-4,
        plastic_flow: 0.9,
        ..Material::default()
    }
}

/// Pulls both ends apart, each by `by`, within `until` seconds.
fn pull(world: &mut World, by: f32, until: f64) {
    for side in [-1.0, 1.0] {
        let at = Vec3::X * 2.0 * side;
        world.add_action(Action {
            at: 0.0,
            kind: ActionKind::pull(at, 0.6, at + Vec3::X * side * by, until),
        });
    }
}

/// What must hold of points and groups after every frame.
fn check(world: &World) {
    let (points, groups) = (world.points(), world.groups());
    for (body, surface) in world.bodies().iter().zip(world.surfaces()) {
        let ids = &points.id[body.points.clone()];
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "ids ascend");
        let ids = &groups.id[body.groups.clone()];
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "ids of groups ascend");
        assert!(ids.last().is_none_or(|last| *last < body.next_group));
        let Surface::Tracked(tracked) = surface else {
            continue;
        };
        let known = |p: u32| tracked.components().iter().any(|c| c.id == p);
        for i in body.points.clone() {
            assert!(known(points.piece[i]), "a particle of no piece");
            assert!(points.mass[i] > 0.0 && points.x[i].is_finite());
        }
        for k in body.groups.clone() {
            let mut sum = Vec3::ZERO;
            let (mut piece, mut last, mut weight) = (NO_PIECE, None, 0.0);
            for (i, q) in groups.members(k) {
                assert!(body.points.contains(&(i as usize)));
                assert!(last.is_none_or(|l| l < i), "members ascend");
                last = Some(i);
                let i = i as usize;
                assert!(groups.of_mover.row(i).binary_search(&(k as u32)).is_ok());
                sum += points.pred[i].0[3] * q;
                weight += points.pred[i].0[3];
                assert!(
                    piece == NO_PIECE || piece == points.piece[i],
                    "spans pieces"
                );
                piece = points.piece[i];
            }
            assert!(sum.length() < 1e-5 * weight * groups.radius[k], "Σ w q = 0");
            assert!((groups.f_p[k].determinant() - 1.0).abs() < 1e-4);
            assert!((0.0..=1.0).contains(&groups.fade[k]));
        }
        let mesh = tracked.mesh();
        for v in mesh.vertices() {
            let skin = &tracked.skin()[v as usize];
            for a in 0..4 {
                assert!(body.points.contains(&(skin.point[a] as usize)));
            }
        }
    }
}

/// The numbers of a body's groups, with something of each that never changes.
struct Numbers {
    groups: BTreeMap<u64, u32>,
    next: u64,
}

impl Numbers {
    fn of(world: &World) -> Self {
        let groups = world.groups();
        let own = groups.id.iter().zip(&groups.born_with);
        Self {
            groups: own.map(|(id, born)| (*id, *born)).collect(),
            next: world.bodies()[0].next_group,
        }
    }

    /// Those of the next frame: what stays keeps its number, what is new gets one that nothing had before.
    fn followed_by(&self, later: Self, made: u32) -> Self {
        assert_eq!(later.next, self.next + u64::from(made));
        for (id, born) in &later.groups {
            let kept = self.groups.get(id) == Some(born);
            let new = (self.next..later.next).contains(id);
            assert!(kept || new, "group {id}");
        }
        later
    }
}

/// A bar that is drawn out gets particles and groups; every particle is held; mass, momentum and volume stay.
#[test]
fn a_bar_that_is_drawn_out_is_renewed() {
    let mut world = bar(putty());
    let (count, mass) = (world.points().len(), world.ledger().mass);
    pull(&mut world, 2.0, 1.5);
    let (mut added, mut made, mut gone) = (0, 0, 0);
    let mut numbers = Numbers::of(&world);
    for _ in 0..90 {
        let report = world.step(1.0 / 60.0);
        assert_eq!(report.non_finite, 0);
        check(&world);
        numbers = numbers.followed_by(Numbers::of(&world), report.resampled[0].groups_added);
        added += report.resampled[0].particles_added;
        made += report.resampled[0].groups_added;
        gone += report.resampled[0].groups_removed;
        let ledger = world.ledger();
        assert!((ledger.mass / mass - 1.0).abs() < 1e-4, "{}", ledger.mass);
    }
    assert!(added > 50 && made > 10 && gone > 5, "{added} {made} {gone}");
    assert!(world.points().len() > count + 50);
    let first = world.bodies()[0].first_groups;
    let is_first = |id: &&u64| **id < first;
    let firsts = world.groups().id.iter().filter(is_first).count();
    assert!(firsts > 0 && firsts < first as usize, "{firsts} of {first}");
    let free = (0..world.points().len()).filter(|&i| world.groups().of_mover.row(i).is_empty());
    assert_eq!(free.count(), 0);
    let worst = world
        .groups()
        .f_p
        .iter()
        .map(|f| norm(*f))
        .fold(0.0, f32::max);
    assert!(worst < 3.2, "{worst}");
}

/// What only bends back is left alone, whatever happens to it.
#[test]
fn elastic_bodies_keep_their_particles() {
    let mut world = bar(Material {
        plastic_yield: f32::INFINITY,
        ..Material::default()
    });
    pull(&mut world, 0.5, 0.5);
    let before = (world.points().id.clone(), world.groups().len());
    for _ in 0..60 {
        let report = world.step(1.0 / 60.0);
        assert_eq!(report.resampled[0], super::ResampleReport::default());
    }
    assert_eq!((world.points().id.clone(), world.groups().len()), before);
}

/// Cuts the bar in two near its middle.
fn cut(world: &mut World, normal: Vec3) {
    cut_at(world, 0.1, normal);
}

fn cut_at(world: &mut World, x: f32, normal: Vec3) {
    world.add_action(Action {
        at: 0.0,
        kind: ActionKind::Cut {
            point: Vec3::new(x, 0.0, 0.0),
            normal,
            blade: None,
            body: None,
        },
    });
}

/// A cut gives every half its own particles and groups.
#[test]
fn halves_have_particles_and_groups_of_their_own() {
    let mut world = bar(putty());
    world.add_collider(Collider::floor(-3.0));
    cut(&mut world, Vec3::new(1.0, 0.3, 0.1));
    let mass = world.ledger().mass;
    world.step(1.0 / 60.0);
    check(&world);
    assert_eq!(world.surfaces()[0].piece_count(), 2);
    let mut pieces = world.points().piece.clone();
    pieces.sort_unstable();
    pieces.dedup();
    assert_eq!(pieces.len(), 2);
    for _ in 0..20 {
        world.step(1.0 / 60.0);
        check(&world);
    }
    assert!((world.ledger().mass / mass - 1.0).abs() < 1e-4);
}

/// A slice far thinner than the particles that come with it is as fast as the bar it is cut from, and nothing of the momentum is
/// lost.
#[test]
fn a_slice_keeps_its_speed() {
    let velocity = Vec3::new(0.5, -0.3, 0.2);
    let mut world = bar(putty());
    world.points_mut().v.fill(velocity);
    let before = world.ledger();
    cut_at(&mut world, 1.95, Vec3::X);
    world.step(1.0 / 60.0);
    check(&world);
    assert_eq!(world.surfaces()[0].piece_count(), 2);
    let points = world.points();
    let pieces = [points.piece[0], *points.piece.last().unwrap()];
    assert_ne!(pieces[0], pieces[1]);
    for piece in pieces {
        let own = (0..points.len()).filter(|&i| points.piece[i] == piece);
        let (mass, momentum) = own.fold((0.0, Vec3::ZERO), |(m, p), i| {
            (m + points.mass[i], p + points.mass[i] * points.v[i])
        });
        let mean = momentum / mass;
        assert!(mean.distance(velocity) < 1e-3, "{piece} flies at {mean}");
    }
    let lost = world.ledger().momentum - before.momentum;
    assert!(lost.length() < 1e-4 * before.momentum.length(), "{lost}");
}

/// Halves go apart when they are pushed apart, whatever particles stand out of the cut, and are one again when they are brought
/// together: it needs no flow, only contact.
#[test]
fn halves_part_and_are_one_again() {
    let mut world = bar(Material {
        plastic_yield: 1.0,
        ..Material::default()
    });
    cut(&mut world, Vec3::X);
    let push = |world: &mut World, by: f32| {
        let points = world.points_mut();
        for (v, x) in points.v.iter_mut().zip(&points.x) {
            v.x = by * (x.x - 0.1).signum();
        }
    };
    let gap = |world: &World| {
        let mesh = world.surfaces()[0].mesh();
        let (mut left, mut right) = (f32::MIN, f32::MAX);
        for p in &mesh.positions {
            if p.x < 0.1 {
                left = left.max(p.x);
            } else {
                right = right.min(p.x);
            }
        }
        right - left
    };
    for frame in 0..90 {
        match frame {
            2 => push(&mut world, 0.3),
            32 => push(&mut world, -0.3),
            _ => {}
        }
        world.step(1.0 / 60.0);
        if frame == 31 {
            assert_eq!(world.surfaces()[0].piece_count(), 2);
            // Each half a second at 0.3 m/s.
            let gap = gap(&world);
            assert!(gap > 0.25 && gap < 0.35, "the gap is {gap} m wide");
        }
    }
    check(&world);
    assert_eq!(world.surfaces()[0].piece_count(), 1);
}

/// Groups that come and go do so over some frames, and no vertex is moved by it.
#[test]
fn groups_fade() {
    let mut world = bar(putty());
    pull(&mut world, 2.0, 1.5);
    let mut seen = [false; 3];
    for _ in 0..60 {
        world.step(1.0 / 60.0);
        for fading in &world.groups().fading {
            seen[*fading as usize] = true;
        }
    }
    assert_eq!(seen, [true; 3], "live, in, out");
    let live = |k: usize| world.groups().fading[k] == Fading::Live;
    assert!(
        (0..world.groups().len())
            .filter(|&k| live(k))
            .all(|k| world.groups().fade[k] == 1.0)
    );
}

/// A slot that is narrower than particles can tell closes when the bar is drawn out, and stays in one that only bends.
#[test]
fn narrow_slots_close_where_it_flows() {
    let wall = |material: Material| {
        let mut world = World::new(Settings {
            gravity: Vec3::ZERO,
            ..Settings::default()
        });
        let solid = Shape::Box {
            center: Vec3::ZERO,
            half: Vec3::new(2.0, 0.5, 0.5),
        };
        let slot = Shape::Box {
            center: Vec3::new(0.0, 0.3, 0.0),
            half: Vec3::new(1.0, 0.4, 0.05),
        };
        let shape = Shape::Difference(vec![solid, slot]);
        let mut desc = BodyDesc::new("bar", mesh_shape(&shape, 0.05).unwrap(), 0.15);
        desc.surface = SurfaceKind::Tracked {
            edge_length: 0.1,
            keep_volume: false,
        };
        desc.material = material;
        world.add_body(desc).unwrap();
        pull(&mut world, 0.6, 0.8);
        for _ in 0..45 {
            world.step(1.0 / 60.0);
        }
        // Surface on the walls of the slot.
        let mesh = world.surfaces()[0].mesh();
        let inside = |p: &Vec3| p.x.abs() < 0.8 && p.y.abs() < 0.25 && p.z.abs() < 0.15;
        mesh.positions.iter().filter(|p| inside(p)).count()
    };
    let elastic = wall(Material {
        plastic_yield: f32::INFINITY,
        ..Material::default()
    });
    let plastic = wall(putty());
    assert!(elastic > 100, "{elastic}");
    assert!(plastic * 5 < elastic, "{plastic} of {elastic}");
}
