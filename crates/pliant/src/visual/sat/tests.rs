use super::super::intake::{IntakeOptions, intake};
use super::super::nasty::{cube, icosphere, polygon_mesh};
use super::super::primitive::Primitive;
use super::*;
use crate::random::Random;
use glam::{Mat3, Quat};
use proptest::prelude::*;

pub(in crate::visual) fn primitive(kind: u32) -> Primitive {
    let triangle = [[0., 0., 0.], [1., 0.1, 0.], [0.2, 0.9, 0.]];
    let quad = [[0., 0., 0.], [1., 0., 0.], [1.2, 0.8, 0.], [0.1, 1., 0.]];
    let (mesh, t) = match kind {
        0 => (cube(0.0, 1.0), 0.0),
        1 => (polygon_mesh(&triangle, &[&[0, 1, 2]]), 0.1),
        2 => (polygon_mesh(&quad, &[&[0, 1, 2, 3]]), 0.3),
        3 => (polygon_mesh(&quad, &[&[0, 1, 2, 3]]), 2e-3),
        _ => (icosphere(1), 0.0),
    };
    let options = IntakeOptions {
        thickness: vec![t],
        ..IntakeOptions::default()
    };
    intake(&mesh, &options).unwrap().primitives.swap_remove(0)
}

struct Case {
    hull: Hull,
    placed: Placed,
}

impl Case {
    fn new(kind: u32, d: Mat3) -> Self {
        let hull = Hull::new(&primitive(kind));
        let mut placed = Placed::default();
        hull.place(d, &mut placed);
        Self { hull, placed }
    }

    fn solid(&self) -> Solid<'_> {
        Solid {
            hull: &self.hull,
            placed: &self.placed,
        }
    }
}

fn random_matrix(random: &mut Random, stretch: f32) -> Mat3 {
    let q = Quat::from_axis_angle(random.next_direction(), 6.0 * random.next_f32());
    let s = Vec3::ONE + (random.next_in_cube() - 0.5) * stretch;
    let p = Quat::from_axis_angle(random.next_direction(), random.next_f32());
    Mat3::from_quat(q * p) * Mat3::from_diagonal(s) * Mat3::from_quat(p.inverse())
}

/// Distance by GJK, zero when they overlap; and the least depth over many directions when they do.
fn reference(a: &Case, b: &Case, offset: Vec3) -> (f32, f32) {
    use parry3d::query::details;
    use parry3d::shape::ConvexPolyhedron;
    let point = |v: &Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
    let shape = |c: &Case| {
        ConvexPolyhedron::from_convex_hull(&c.placed.verts.iter().map(point).collect::<Vec<_>>())
            .unwrap()
    };
    let pose = parry3d::math::Pose::translation(offset.x, offset.y, offset.z);
    let distance = details::distance_support_map_support_map(&pose, &shape(a), &shape(b));
    let mut random = Random::new([5, 5, 5, 5]);
    let mut best = f32::MIN;
    for _ in 0..2000 {
        best = best.max(along(&a.placed, &b.placed, offset, random.next_direction()));
    }
    (distance, best)
}

/// Hulls overlap exactly when GJK says so, the gap never exceeds the distance, and no random axis parts them better: a thousand poses.
#[test]
fn agrees_with_gjk() {
    let mut random = Random::new([1, 2, 3, 4]);
    let (mut hits, mut apart) = (0, 0);
    for case in 0..1000 {
        let (ka, kb) = (random.next_below(5), random.next_below(5));
        let a = Case::new(ka, random_matrix(&mut random, 0.8));
        let b = Case::new(kb, random_matrix(&mut random, 0.8));
        let offset = (random.next_in_cube() - 0.5) * 3.0;
        let mut cache = Feature::None;
        let found = separation(a.solid(), b.solid(), offset, 10.0, &mut cache);
        let (distance, sampled) = reference(&a, &b, offset);
        let found = found.unwrap_or(Separation {
            gap: f32::INFINITY,
            ..NOTHING
        });
        assert!(
            found.gap <= distance + 1e-4 || distance == 0.0,
            "{case}: {} {distance}",
            found.gap
        );
        if distance > 1e-4 {
            apart += 1;
            assert!(
                found.gap > 0.0,
                "{case} ({ka}, {kb}): {} {distance}",
                found.gap
            );
        } else {
            hits += 1;
            assert!(found.gap <= 1e-4, "{case}: {} {distance}", found.gap);
            // Faces are preferred by half a percent.
            let allowed = 0.006 * found.gap.abs() + 2e-4;
            assert!(
                sampled <= found.gap + allowed,
                "{case} ({ka}, {kb}): {} {sampled}",
                found.gap
            );
        }
        // The cached axis and a margin change nothing.
        let again = separation(a.solid(), b.solid(), offset, 0.01, &mut cache);
        assert_eq!(again.is_some(), found.gap <= 0.01, "{case}");
    }
    assert!(hits > 200 && apart > 200, "{hits} {apart}");
}

/// Two slabs a thousand times as wide as thick, one above the other by a hundredth of their thickness, are apart by that.
#[test]
fn thin_slabs() {
    let mut random = Random::new([9, 0, 0, 0]);
    for _ in 0..50 {
        let q = Mat3::from_quat(Quat::from_axis_angle(
            random.next_direction(),
            6.0 * random.next_f32(),
        ));
        let (a, b) = (Case::new(3, q), Case::new(3, q));
        let thickness = a.placed.axes[0].hi.0[0] - a.placed.axes[0].lo.0[0];
        let up = q * Vec3::Z;
        for sign in [1.0, -1.0] {
            let offset = up * thickness * (1.0 + sign * 0.01) + q * Vec3::X * 0.3;
            let found = separation(a.solid(), b.solid(), offset, 1.0, &mut Feature::None).unwrap();
            assert!(
                (found.gap - sign * 0.01 * thickness).abs() < 1e-3 * thickness,
                "{}",
                found.gap
            );
            assert!(found.normal.dot(up) > 0.9999);
        }
    }
}

/// Spheres of 80 faces, with their many edges, are apart where they should be.
#[test]
fn many_edges() {
    let (a, b) = (Case::new(4, Mat3::IDENTITY), Case::new(4, Mat3::IDENTITY));
    for direction in [Vec3::X, Vec3::Y, Vec3::ONE.normalize()] {
        let at = |d: f32| separation(a.solid(), b.solid(), direction * d, 0.0, &mut Feature::None);
        assert!(at(2.01).is_none());
        assert!(at(1.8).is_some());
    }
}

proptest! {
    /// Exchanging the hulls turns the normal round and changes nothing else; moving both changes nothing.
    #[test]
    fn symmetric(seed in 0u64..10_000) {
        let mut random = Random::new([seed, 1, 0, 0]);
        let a = Case::new(random.next_below(4), random_matrix(&mut random, 0.8));
        let b = Case::new(random.next_below(4), random_matrix(&mut random, 0.8));
        let offset = (random.next_in_cube() - 0.5) * 2.0;
        let one = separation(a.solid(), b.solid(), offset, 5.0, &mut Feature::None);
        let two = separation(b.solid(), a.solid(), -offset, 5.0, &mut Feature::None);
        prop_assert_eq!(one.is_some(), two.is_some());
        if let (Some(one), Some(two)) = (one, two) {
            prop_assert!((one.gap - two.gap).abs() <= 0.006 * one.gap.abs() + 3e-4);
        }
    }

    /// Hulls that were parted along the normal by their depth do not overlap any more.
    #[test]
    fn normal_parts(seed in 0u64..10_000) {
        let mut random = Random::new([seed, 2, 0, 0]);
        let a = Case::new(random.next_below(4), random_matrix(&mut random, 0.8));
        let b = Case::new(random.next_below(4), random_matrix(&mut random, 0.8));
        let offset = (random.next_in_cube() - 0.5) * 0.5;
        if let Some(hit) = separation(a.solid(), b.solid(), offset, 0.0, &mut Feature::None) {
            let moved = offset + hit.normal * (1e-4 - hit.gap);
            prop_assert!(separation(a.solid(), b.solid(), moved, 0.0, &mut Feature::None).is_none());
        }
    }
}
