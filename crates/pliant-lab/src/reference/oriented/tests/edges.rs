//! What must hold where formulas have no answer of their own.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::group::Group;
use super::super::integrate::Order;
use super::super::particle::Particle;
use super::super::plastic::Plastic;
use super::super::pose::{clamp_spin, turn_by, turn_vector};
use super::{Random, random_turn};
use crate::reference::cluster::Fit;
use crate::reference::tests::{assert_close, assert_vector, max_difference};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// No spin is no turn, and the smallest ones keep their digits.
#[test]
fn small_turns_keep_their_digits() {
    assert_eq!(turn_by(DVec3::ZERO), DQuat::IDENTITY);
    assert_eq!(turn_vector(DQuat::IDENTITY), DVec3::ZERO);
    for size in [1e-300, 1e-12, 3e-9, 1e-8, 3e-8, 1e-4, 1.0, 3.0] {
        let vector = DVec3::new(2.0, -1.0, 2.0) / 3.0 * size;
        let back = turn_vector(turn_by(vector));
        assert!(back.distance(vector) <= 1e-15 * size, "{size} {back}");
    }
}

/// A turn of more than half a circle ends with the quaternion that is nearer to the last one.
#[test]
fn signs_go_on() {
    let mut p = Particle::sphere(DVec3::ZERO, 1.0, 0.1);
    p.pred.q = turn_by(DVec3::X * 1.2 * PI);
    p.finish(Order::First, 0.1);
    assert_close(p.pose.q.w, -(0.6 * PI).cos(), 1e-15);
    assert_vector(p.w, [-8.0 * PI, 0.0, 0.0], 1e-12);
}

/// A spin that a step cannot tell from another is slowed down, not turned round.
#[test]
fn fast_spins_are_clamped() {
    let dt = 1.0 / 60.0;
    assert_close(clamp_spin(DVec3::X * 200.0, dt).x, 54.0 * PI, 1e-12);
    assert_eq!(clamp_spin(DVec3::X * 100.0, dt), DVec3::X * 100.0);
    let mut body = Body::rod(1, 0.1, 0.05, DVec3::ZERO);
    body.particles[0].w = DVec3::X * 200.0;
    let params = Params {
        substeps: 1,
        ..Params::default()
    };
    body.step(&params, &Surroundings::none());
    assert_close(body.particles[0].w.x, 54.0 * PI, 1e-9);
}

/// Plain particles in a row, in a plane, in one place: what A does not say stays as it was.
#[test]
fn undetermined_rotations_stay() {
    let mut random = Random(5);
    for _ in 0..50 {
        let turn = random_turn(&mut random);
        let mut row = Body::rod(3, 1.0, 0.5, DVec3::ZERO);
        for p in &mut row.particles {
            *p = p.without_turn();
            p.pred.x = turn * p.rest.x;
        }
        let group = &mut row.groups[1];
        group.rotation = DMat3::from_quat(turn);
        let place = group.place(&row.particles, Fit::Procrustes, 1.0);
        assert!(max_difference(place.rotation, group.rotation) < 1e-12 && !place.inverted);
        // The affine fit has no Ā⁻¹ here and falls back.
        let affine = group.place(&row.particles, Fit::Affine, 1.0);
        assert!(max_difference(affine.rotation, group.rotation) < 1e-12);
        for p in &mut row.particles {
            p.pred.x = DVec3::ONE;
        }
        let place = group.place(&row.particles, Fit::Procrustes, 1.0);
        assert_eq!(place.rotation, group.rotation);

        let mut flat = Body::sheet(3, 0.1, 0.05);
        for p in &mut flat.particles {
            *p = p.without_turn();
            p.pred.x = turn * p.rest.x;
        }
        let place = flat.groups[4].place(&flat.particles, Fit::Procrustes, 1.0);
        assert!(max_difference(place.rotation, DMat3::from_quat(turn)) < 1e-12);
        assert!(!place.inverted);
    }
}

/// A group that is inside out is counted, and is given a rotation, not a reflection.
#[test]
fn inverted_groups_are_counted() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y * 2.0, DVec3::Z * 3.0];
    let mut particles: Vec<_> = corners
        .map(|x| Particle::sphere(x, 1.0, 0.1).without_turn())
        .to_vec();
    let group = Group::new(&particles, None, &[0, 1, 2, 3], 1.0);
    for p in &mut particles {
        p.pose.x.x = -p.pose.x.x;
        p.pred = p.pose;
    }
    let place = group.place(&particles, Fit::Procrustes, 1.0);
    assert!(place.inverted);
    assert_close(place.rotation.determinant(), 1.0, 1e-14);
    let groups = vec![group];
    let mut body = Body { particles, groups };
    let report = body.step(&Params::default(), &Surroundings::none());
    assert!(report.inverted > 0 && body.is_finite());
}

/// What is held stays to the last bit; its neighbours come to it.
#[test]
fn held_particles_stay() {
    let mut body = Body::rod(4, 0.1, 0.05, DVec3::ZERO);
    body.particles[1].fix();
    let turn = DQuat::from_rotation_z(1.0);
    body.particles[1].pose.q = turn;
    let held = body.particles[1].pose;
    let params = Params {
        damping: 4.0,
        ..Params::default()
    };
    for _ in 0..300 {
        body.step(&params, &Surroundings::none());
    }
    assert_eq!(body.particles[1].pose, held);
    for p in &body.particles {
        let goal = turn * (p.rest.x - held.x) + held.x;
        assert!(p.pose.x.distance(goal) < 1e-6, "{}", p.pose.x);
    }
}

/// A place that is held alone leaves the turn free, and a turn the place.
#[test]
fn place_and_turn_are_held_apart() {
    let spin = DVec3::Z * 5.0;
    let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
    body.particles[0].fixed = true;
    body.set_motion(DVec3::ZERO, spin);
    let mut turned = Body::rod(1, 0.1, 0.05, DVec3::ZERO);
    turned.particles[0].fixed_turn = true;
    turned.set_motion(DVec3::X, spin);
    for _ in 0..6 {
        body.step(&Params::default(), &Surroundings::none());
        turned.step(&Params::default(), &Surroundings::none());
    }
    assert_eq!(body.particles[0].pose.x, DVec3::ZERO);
    let angle = turn_vector(body.particles[0].pose.q).z;
    assert!((angle - 0.5).abs() < 0.03, "{angle}");
    assert_vector(turned.particles[0].pose.x, [0.1, 0.0, 0.0], 1e-14);
    assert_eq!(turned.particles[0].pose.q, DQuat::IDENTITY);
}

/// Second order falls with g, not with twice as much, and keeps a free spin; a contact begins anew.
#[test]
fn second_order_falls_with_g() {
    let params = Params {
        order: Order::Second,
        gravity: DVec3::Y * -10.0,
        substeps: 1,
        ..Params::default()
    };
    let mut body = Body::rod(1, 0.1, 0.05, DVec3::Y * 20.0);
    body.set_motion(DVec3::ZERO, DVec3::new(1.0, 2.0, -3.0));
    body.particles[0].v = DVec3::X;
    for _ in 0..60 {
        body.step(&params, &Surroundings::floor());
    }
    let p = &body.particles[0];
    assert!(p.before.is_some());
    // The first step is of first order: it costs half a step of gravity, no more.
    assert!((p.v.y + 10.0).abs() < 10.0 / 60.0, "{}", p.v);
    assert!((p.pose.x.y - 15.0).abs() < 0.1, "{}", p.pose.x);
    assert_vector(p.w, [1.0, 2.0, -3.0], 1e-12);
    let mut before = body.particles[0].pose;
    while body.step(&params, &Surroundings::floor()).contacts == 0 {
        before = body.particles[0].pose;
        assert!(before.x.y > 0.0);
    }
    let p = &body.particles[0];
    assert!(p.before.is_none());
    assert_close(p.v.y, (p.pose.x.y - before.x.y) * 60.0, 1e-12);
}

/// Flow goes into the group's own rest shape, up to its limit, and leaves that of the particle alone.
#[test]
fn flow_is_the_groups_own() {
    let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
    for p in &mut body.particles {
        p.fix();
        p.pose.x.y = 0.1 * (p.rest.x.x / 0.1 - 1.0).powi(2);
    }
    let plastic = Plastic::default();
    let params = Params {
        plastic: Some(plastic),
        ..Params::default()
    };
    let size = body.groups[1].size();
    assert_close(size, 0.1, 1e-15);
    let mut before = 0.0;
    for frame in 0..60 {
        let report = body.step(&params, &Surroundings::none());
        let flow = |k: &super::super::Member| k.rest.distance(k.original);
        let largest = body.groups[1].members.iter().map(flow).fold(0.0, f64::max);
        assert!(largest >= before && largest <= plastic.max_flow * size + 1e-15);
        assert!(frame > 0 || report.flowed > 0 && largest > 0.0);
        before = largest;
    }
    assert!(before > 0.4 * size, "{before}");
    assert!(body.particles.iter().all(|p| p.rest.x.y == 0.0));
}

/// A group neither reads nor sets the turn of a particle whose moment it leaves out.
#[test]
fn joints_are_not_turned() {
    let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
    let mut group = Group::new(&body.particles, None, &[0, 1, 2], 1.0).with_joints(&[1]);
    let turn = DQuat::from_rotation_x(0.5);
    for i in [0, 1] {
        body.particles[i].pred.q = turn;
    }
    group.pull(&mut body.particles, &[false; 3], &Params::default());
    assert_eq!(body.particles[1].pred.q, turn);
    for i in [0, 2] {
        assert_close(turn_vector(body.particles[i].pred.q).x, 0.25, 1e-14);
    }
}

/// Two groups that share one particle without its moment are a ball joint; with it, turns of one reach the other.
#[test]
fn shared_particle_is_a_joint() {
    let run = |joints: &[usize]| {
        let at = |i: usize| Particle::sphere(DVec3::X * (0.1 * i as f64), 1.0, 0.05);
        let mut particles: Vec<_> = (0..5).map(at).collect();
        particles[0].fix();
        particles[0].pose.q = DQuat::from_rotation_x(1.0);
        let group = |m: &[usize]| Group::new(&particles, None, m, 1.0).with_joints(joints);
        let groups = vec![group(&[0, 1, 2]), group(&[2, 3, 4])];
        let mut body = Body { particles, groups };
        let params = Params {
            damping: 4.0,
            ..Params::default()
        };
        for _ in 0..300 {
            body.step(&params, &Surroundings::none());
        }
        let turn = |i: usize| turn_vector(body.particles[i].turn_from_rest()).x;
        (turn(1), turn(4))
    };
    let (near, far) = run(&[2]);
    assert_close(near, 1.0, 1e-5);
    assert_close(far, 0.0, 1e-9);
    let (near, far) = run(&[]);
    assert_close(near, 1.0, 1e-5);
    assert_close(far, 1.0, 1e-3);
}
