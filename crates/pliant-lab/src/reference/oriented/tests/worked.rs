//! Worked examples with published digits.

use super::super::body::Body;
use super::super::ellipsoid::Ellipsoid;
use super::super::group::Group;
use super::super::particle::Particle;
use super::super::pose::{Pose, turn_by, turn_vector};
use super::{Random, random_turn};
use crate::reference::cluster::Fit;
use crate::reference::linear::{outer, signed_svd};
use crate::reference::tests::{assert_close, assert_rows, assert_vector, max_difference};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

/// Half a unit of the sixth digit.
const PRINTED: f64 = 0.51e-6;

/// The moment of 3 kg with half axes (2, 1, 0.5), turned to q from a rest turn.
fn moment(q: DQuat, rest: DQuat) -> DMat3 {
    let radii = DVec3::new(2.0, 1.0, 0.5);
    let at = |q| Pose { x: DVec3::ZERO, q };
    let p = Particle::new(at(rest), 3.0, radii).with_ellipsoid_moment();
    p.moment(&at(q))
}

/// A_i of an ellipsoid: R D R̄ᵀ, not D R as printed.
#[test]
fn ellipsoid_moment() {
    let quarter = DQuat::from_rotation_z(FRAC_PI_2);
    let a = moment(quarter, DQuat::IDENTITY);
    assert_rows(
        a,
        [[0.0, -0.6, 0.0], [2.4, 0.0, 0.0], [0.0, 0.0, 0.15]],
        PRINTED,
    );
    let printed = moment(DQuat::IDENTITY, DQuat::IDENTITY) * DMat3::from_quat(quarter);
    assert_rows(
        printed,
        [[0.0, -2.4, 0.0], [0.6, 0.0, 0.0], [0.0, 0.0, 0.15]],
        PRINTED,
    );
    let a = moment(quarter, DQuat::from_rotation_x(FRAC_PI_2));
    assert_rows(
        a,
        [[0.0, 0.0, -0.6], [2.4, 0.0, 0.0], [0.0, -0.15, 0.0]],
        PRINTED,
    );
    let a = moment(DQuat::from_rotation_z(FRAC_PI_6), DQuat::IDENTITY);
    assert_vector(a.row(0), [2.078461, -0.3, 0.0], PRINTED);
    assert_vector(a.row(1), [1.2, 0.519615, 0.0], PRINTED);
}

/// The isotropic moment radius has the mean of the squares; a sphere's moment is that of six points at r√(3/5) along its axes.
#[test]
fn sphere_moment() {
    let p = Particle::new(Pose::at(DVec3::ZERO), 3.0, DVec3::new(2.0, 1.0, 0.5));
    assert_vector(p.moment_squares, [1.75; 3], 1e-15);
    let radius = 0.7;
    let p = Particle::sphere(DVec3::ZERO, 3.0, radius);
    let pose = Pose {
        x: DVec3::ZERO,
        q: DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.1),
    };
    let mut six = DMat3::ZERO;
    for axis in DVec3::AXES {
        for point in [axis, -axis] {
            let z = point * (radius * 0.6_f64.sqrt());
            six += outer(pose.q * z, z) * (3.0 / 6.0);
        }
    }
    assert!(max_difference(p.moment(&pose), six) < 1e-15);
}

/// A rigid motion of ellipsoids: A Ā⁻¹ is the rotation itself. With D on the printed side only the polar factor is right.
#[test]
fn rigid_motion_of_ellipsoids() {
    let mut random = Random(3);
    let radii = DVec3::new(0.5, 0.2, 0.1);
    let particle = |_| Particle::new(Pose::at(random.vector() * 0.1), 1.0, radii);
    let mut body = Body {
        particles: (0..4)
            .map(particle)
            .map(Particle::with_ellipsoid_moment)
            .collect(),
        groups: Vec::new(),
    };
    let motion = Pose {
        x: DVec3::new(1.0, 2.0, -1.0),
        q: random_turn(&mut random),
    };
    for p in &mut body.particles {
        p.pred = motion.after(&p.rest);
    }
    let group = Group::new(&body.particles, None, &[0, 1, 2, 3], 1.0);
    let m = group.moments(&body.particles, 1.0);
    let q = DMat3::from_quat(motion.q);
    assert!(max_difference(m.a * m.a_rest.inverse(), q) < 1e-14);
    assert!(max_difference(signed_svd(m.a).rotation(), q) < 1e-14);
    let mut printed = m.a;
    for p in &body.particles {
        let d = DMat3::from_diagonal(p.moment_squares) * (p.mass / 5.0);
        printed += d * DMat3::from_quat(p.pred.q) - p.moment(&p.pred);
    }
    assert!(max_difference(printed * m.a_rest.inverse(), q) > 0.5);
    assert!(max_difference(signed_svd(printed).rotation(), q) < 1e-14);
}

/// Three particles in a row: without turns two singular values are zero, with them a roll about the line is seen.
#[test]
fn particles_in_a_row() {
    for (oriented, sigma) in [(false, [2.0, 0.0, 0.0]), (true, [2.15, 0.15, 0.15])] {
        let mut body = Body::rod(3, 1.0, 0.5, DVec3::ZERO);
        for p in &mut body.particles {
            p.oriented = oriented;
        }
        let group = &body.groups[1];
        assert_vector(
            signed_svd(group.moments(&body.particles, 1.0).a).sigma,
            sigma,
            1e-14,
        );
        for p in &mut body.particles {
            p.pred.q = DQuat::from_rotation_x(FRAC_PI_2);
        }
        let rotation = group.place(&body.particles, Fit::Procrustes, 1.0).rotation;
        let roll = if oriented { FRAC_PI_2 } else { 0.0 };
        assert!(max_difference(rotation, DMat3::from_rotation_x(roll)) < 1e-15);
    }
}

/// A spin to a turn and back, also through the other quaternion of the same turn.
#[test]
fn spin_there_and_back() {
    let dt = 1.0 / 60.0;
    let q = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    let w = DVec3::new(1.0, -2.0, 3.0);
    let q_p = turn_by(w * dt) * q;
    let expected = [0.099983, 0.189709, 0.334144, 0.917803];
    for (ours, theirs) in q_p.to_array().into_iter().zip(expected) {
        assert_close(ours, theirs, PRINTED);
    }
    for q_p in [q_p, -q_p] {
        assert_vector(turn_vector(q_p * q.inverse()) / dt, [1.0, -2.0, 3.0], 1e-12);
    }
    // Without the flip the long way round is read.
    let r = -q_p * q.inverse();
    let long = 2.0 * r.xyz().length().atan2(r.w) / dt;
    assert_close(long, 373.249, 5e-4);
}

/// A spin that is too fast for the step reads as one the other way.
#[test]
fn alias_of_a_fast_spin() {
    let dt = 1.0 / 60.0;
    let read = turn_vector(turn_by(DVec3::X * 200.0 * dt)) / dt;
    assert_vector(read, [-176.991118, 0.0, 0.0], PRINTED);
}

/// The stretched rectangle: least squares turn it by −11.3°, the affine fit not at all.
#[test]
fn two_rotations_of_a_stretched_rectangle() {
    let mut particles = Vec::new();
    for z in [-1.0, 1.0] {
        for [x, y] in [[1.0, 3.0], [3.0, 1.0], [-1.0, -3.0], [-3.0, -1.0]] {
            let mut p = Particle::sphere(DVec3::new(x, y, z), 0.5, 1.0).without_turn();
            p.pred.x.x *= 2.0;
            particles.push(p);
        }
    }
    let all: Vec<usize> = (0..8).collect();
    let group = Group::new(&particles, None, &all, 1.0);
    let a = group.moments(&particles, 1.0).a;
    assert_rows(
        a,
        [[40.0, 24.0, 0.0], [12.0, 20.0, 0.0], [0.0, 0.0, 4.0]],
        1e-12,
    );
    let angle = |fit| {
        let r = group.place(&particles, fit, 1.0).rotation;
        r.x_axis.y.atan2(r.x_axis.x).to_degrees()
    };
    assert_close(angle(Fit::Procrustes), -11.309932, PRINTED);
    assert_close(angle(Fit::Affine), 0.0, 1e-12);
}

fn leaning() -> Ellipsoid {
    let pose = Pose {
        x: DVec3::ZERO,
        q: DQuat::from_rotation_z(FRAC_PI_6),
    };
    Ellipsoid::new(&pose, DVec3::new(2.0, 1.0, 0.5))
}

/// Support of a leaning ellipsoid.
#[test]
fn support_point() {
    let ellipsoid = leaning();
    assert_close(ellipsoid.reach(DVec3::Y), 1.322876, PRINTED);
    assert_vector(
        ellipsoid.support(DVec3::Y),
        [0.981981, 1.322876, 0.0],
        PRINTED,
    );
}

/// Two ellipsoids, a little and deep in each other. Twelve steps of ascent come near the maximum.
#[test]
fn ellipsoid_pairs() {
    let first = leaning();
    let cases = [
        ([2.5, 1.5, 0.3], -0.0413, 5e-5, [0.675, 0.234, 0.700]),
        ([1.5, 0.9, 0.1], -0.71869, 5e-6, [0.230, 0.077, 0.970]),
    ];
    for (center, gap, tolerance, n) in cases {
        let center = DVec3::from_array(center);
        let second = Ellipsoid::new(&Pose::at(center), DVec3::new(1.0, 1.5, 0.5));
        let touch = first.touch(&second);
        assert_close(-touch.depth, gap, tolerance);
        assert_vector(-touch.normal, n, 2e-3);
    }
    let second = Ellipsoid::new(
        &Pose::at(DVec3::new(2.5, 1.5, 0.3)),
        DVec3::new(1.0, 1.5, 0.5),
    );
    let n = first.ascend(&second, second.x.normalize(), 12);
    assert_close(first.gap(&second, n), -0.0422, 5e-5);
}

/// What a push at a lever arm does: 12 kg with an inertia of 2 kg m², pushed at (½, −½, ½) along y.
#[test]
fn push_at_a_lever_arm() {
    let radius = (2.0_f64 / 4.8).sqrt();
    let mut p = Particle::sphere(DVec3::ZERO, 12.0, radius);
    assert_vector(p.inertia(), [2.0; 3], 1e-14);
    let lever = DVec3::new(0.5, -0.5, 0.5);
    assert_close(p.answer(lever, DVec3::Y), 1.0 / 3.0, 1e-15);
    p.push(lever, DVec3::Y * 0.03);
    assert_vector(p.pred.x, [0.0, 0.0025, 0.0], 1e-15);
    // The turn is that of normalise(q + ½[Δθ, 0] q): right to first order.
    assert_vector(turn_vector(p.pred.q), [-0.0075, 0.0, 0.0075], 1e-6);
}
