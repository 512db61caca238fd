//! Shapes against each other, and what contacts do.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::ellipsoid::{Ellipsoid, nearest_on_triangle};
use super::super::particle::Particle;
use super::super::pose::Pose;
use super::{Random, random_pose, random_radii};
use crate::reference::contact::Friction;
use crate::reference::tests::{assert_close, assert_vector};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

fn random_ellipsoid(random: &mut Random) -> Ellipsoid {
    let pose = random_pose(random);
    Ellipsoid::new(&pose, random_radii(random))
}

/// Directions all over the sphere.
fn directions(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    (0..count).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sin, cos) = (TAU * golden * i as f64).sin_cos();
        DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z
    })
}

/// Support points lie on the ellipsoid, and nothing of it is farther.
#[test]
fn support_is_the_farthest_point() {
    let mut random = Random(1);
    for _ in 0..20 {
        let e = random_ellipsoid(&mut random);
        let n = random.vector().normalize();
        let p = e.support(n);
        let local = e.axes.transpose() * (p - e.x) / e.radii;
        assert_close(local.length(), 1.0, 1e-14);
        assert_close(n.dot(p - e.x), e.reach(n), 1e-14);
        for d in directions(500) {
            let on = e.x + e.axes * (d * e.radii);
            assert!(n.dot(on) <= n.dot(p) + 1e-14);
        }
    }
}

/// No direction has a larger gap than the one that is found.
#[test]
fn pair_gap_is_the_largest() {
    let mut random = Random(2);
    let mut apart = 0;
    for _ in 0..200 {
        let (a, mut b) = (random_ellipsoid(&mut random), random_ellipsoid(&mut random));
        b.x *= 1.5;
        let touch = a.touch(&b);
        let best = directions(4000)
            .map(|n| a.gap(&b, n))
            .fold(f64::MIN, f64::max);
        assert!(-touch.depth >= best - 1e-9, "{} {best}", -touch.depth);
        assert!(-touch.depth <= best + 5e-3, "{} {best}", -touch.depth);
        apart += usize::from(touch.depth < 0.0);
        // The deepest points lie over each other along the normal.
        let along = (touch.other - touch.point).dot(touch.normal);
        assert_close(along, touch.depth, 1e-12);
        let across = touch.other - touch.point - touch.normal * along;
        assert!(across.length() < 1e-5, "{across}");
    }
    assert!(apart > 20 && apart < 180, "{apart}");
}

/// Spheres: the distance tells it all, also in the same place.
#[test]
fn sphere_pairs() {
    let sphere = |x: DVec3, r: f64| Ellipsoid::new(&Pose::at(x), DVec3::splat(r));
    let n = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    let touch = sphere(DVec3::ZERO, 0.5).touch(&sphere(n * 0.7, 0.3));
    assert_close(touch.depth, 0.1, 1e-14);
    // At a maximum the gap does not tell directions apart below the root of the last digit.
    assert_vector(touch.normal, (-n).to_array(), 1e-7);
    let same = sphere(DVec3::ZERO, 0.5).touch(&sphere(DVec3::ZERO, 0.3));
    assert_close(same.depth, 0.8, 1e-14);
}

/// The nearest point of a triangle beats all others of it.
#[test]
fn nearest_of_a_triangle() {
    let mut random = Random(4);
    for _ in 0..200 {
        let [a, b, c] = [0; 3].map(|_| random.vector());
        let y = nearest_on_triangle(a, b, c);
        let mut best = f64::INFINITY;
        for i in 0..=60 {
            for j in 0..=60 - i {
                let (s, t) = (i as f64 / 60.0, j as f64 / 60.0);
                best = best.min((a + (b - a) * s + (c - a) * t).length());
            }
        }
        assert!(y.length() <= best + 1e-12 && y.length() > best - 0.05);
    }
    let flat = nearest_on_triangle(DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0);
    assert_eq!(flat, DVec3::X);
}

/// A large triangle is a plane; one beside the ellipsoid is not met; one through the centre pushes along its normal.
#[test]
fn triangles() {
    let pose = Pose {
        x: DVec3::new(0.1, 0.3, -0.2),
        q: DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8),
    };
    let e = Ellipsoid::new(&pose, DVec3::new(0.6, 0.4, 0.5));
    let floor = [[-9.0, -9.0], [0.0, 9.0], [9.0, -9.0]].map(|[x, z]| DVec3::new(x, 0.0, z));
    let touch = e.touch_triangle(floor).expect("it reaches below");
    let plane = e.touch_plane(DVec3::Y, 0.0);
    assert_vector(touch.normal, [0.0, 1.0, 0.0], 1e-14);
    assert_close(touch.depth, plane.depth, 1e-14);
    assert!(touch.point.distance(plane.point) < 1e-14);
    assert!(e.touch_triangle(floor.map(|p| p - DVec3::Y)).is_none());
    assert!(
        e.touch_triangle(floor.map(|p| p + DVec3::X * 20.0))
            .is_none()
    );
    let through = floor.map(|p| p + DVec3::Y * 0.3);
    let touch = e.touch_triangle(through).expect("it holds the centre");
    assert_close(touch.normal.y.abs(), 1.0, 1e-9);
    // An edge: the push is away from the edge's nearest point, in the ellipsoid's own measure.
    let edge = floor.map(|p| p + DVec3::Z * -9.1);
    let touch = e.touch_triangle(edge).expect("the corner sticks in it");
    assert!(touch.depth > 0.0 && touch.normal.y > 0.0 && touch.normal.z > 0.0);
}

/// A ball that is thrown along a floor slides with μ_k g until it rolls, with five sevenths of its speed.
#[test]
fn ball_begins_to_roll() {
    let radius = 0.1;
    let mut body = Body::rod(1, 0.1, radius, DVec3::Y * radius);
    body.particles[0].v = DVec3::X * 2.0;
    let params = Params {
        gravity: DVec3::Y * -10.0,
        ..Params::default()
    };
    let floor = Surroundings {
        friction: Friction {
            fixed: 0.2,
            sliding: 0.2,
        },
        ..Surroundings::floor()
    };
    for _ in 0..6 {
        body.step(&params, &floor);
    }
    assert_close(body.particles[0].v.x, 2.0 - 0.2 * 10.0 * 0.1, 0.01);
    for _ in 0..54 {
        body.step(&params, &floor);
    }
    let p = &body.particles[0];
    assert_close(p.v.x, 2.0 * 5.0 / 7.0, 0.01);
    assert_close(p.w.z, -p.v.x / radius, 0.1);
    assert_close(p.pose.x.y, radius, 1e-6);
}

/// One push at a lever arm is just as large as it takes: what is left of a small depth is of second order.
#[test]
fn one_push_is_enough() {
    let smooth = Friction {
        fixed: 0.0,
        sliding: 0.0,
    };
    let around = Surroundings {
        pairs: true,
        friction: smooth,
        ..Surroundings::floor()
    };
    let depth = 1e-5;
    let mut body = two_ellipsoids(2.0);
    let above = body.particles[0].ellipsoid().reach(DVec3::Y);
    body.particles[0].pred.x.y = above - depth;
    body.particles[1].pred.x.y = 2.0;
    assert_eq!(body.push_contacts(&around), 1);
    let left = body.particles[0].ellipsoid().touch_plane(DVec3::Y, 0.0);
    assert!(left.depth.abs() < 0.01 * depth, "{}", left.depth);
    assert!(body.particles[0].pred.x.y < above - 0.1 * depth);

    // Two in the air, moved together along their line until they overlap a little.
    let mut body = two_ellipsoids(1.0);
    for p in &mut body.particles {
        p.pred.x.y += 2.0;
    }
    for _ in 0..20 {
        let [a, b] = [0, 1].map(|i| body.particles[i].ellipsoid());
        body.particles[1].pred.x += (b.x - a.x).normalize() * (a.touch(&b).depth - depth);
    }
    assert_eq!(body.push_contacts(&around), 1);
    let [a, b] = [0, 1].map(|i| body.particles[i].ellipsoid());
    assert!(a.touch(&b).depth.abs() < 0.01 * depth);
}

/// A plain particle has no lever arm: it slides without turning.
#[test]
fn plain_particles_do_not_turn() {
    let mut body = Body::rod(1, 0.1, 0.1, DVec3::Y * 0.1);
    body.particles[0].oriented = false;
    body.particles[0].v = DVec3::X;
    let params = Params {
        gravity: DVec3::Y * -10.0,
        ..Params::default()
    };
    for _ in 0..60 {
        body.step(&params, &Surroundings::floor());
    }
    let p = &body.particles[0];
    assert_eq!(p.pose.q, DQuat::IDENTITY);
    assert!(p.v.length() < 1e-12, "{}", p.v);
}

fn two_ellipsoids(distance: f64) -> Body {
    let turned = |x: DVec3, angle| Pose {
        x,
        q: DQuat::from_rotation_z(angle),
    };
    let radii = DVec3::new(0.3, 0.2, 0.1);
    let a = Particle::new(turned(DVec3::ZERO, 0.3), 1.0, radii);
    let b = Particle::new(turned(DVec3::new(distance, 0.1, 0.0), -0.8), 3.0, radii);
    Body::from_edges(vec![a, b], &[], 1.0)
}

/// Lets one run into the other at 2 m/s for a second; returns what became of them, and the angular momentum they gained.
fn collide(substeps: usize) -> (Body, f64) {
    let mut body = two_ellipsoids(1.0);
    body.particles[0].v = DVec3::X * 2.0;
    let (start, angular) = (body.momentum(), body.angular_momentum());
    let around = Surroundings {
        pairs: true,
        ..Surroundings::default()
    };
    let params = Params {
        substeps,
        ..Params::default()
    };
    let mut contacts = 0;
    for _ in 0..60 {
        contacts += body.step(&params, &around).contacts;
    }
    assert!(contacts > 0);
    // Velocities are differences of places over a short time: round-off of places is all there is.
    assert!(body.momentum().distance(start) < 1e-9);
    let gained = body.angular_momentum().distance(angular);
    (body, gained)
}

/// Two that collide keep their momentum, part and turn. Of angular momentum they gain something of the order of a substep.
#[test]
fn colliding_ellipsoids_keep_momentum() {
    let (body, gained) = collide(4);
    let (a, b) = (&body.particles[0], &body.particles[1]);
    assert!(a.ellipsoid().touch(&b.ellipsoid()).depth < 1e-3);
    assert!((b.pose.x - a.pose.x).dot(b.v - a.v) > 0.0);
    assert!(a.w.length() > 0.1 && b.w.length() > 0.1);
    let (_, gained_finer) = collide(16);
    assert!(gained_finer < gained / 3.0, "{gained} {gained_finer}");
}

/// Two that overlap at rest stay as they are; pressed deeper they push back; two of one group never do.
#[test]
fn overlap_at_rest_is_allowed() {
    let around = Surroundings {
        pairs: true,
        ..Surroundings::default()
    };
    let mut body = two_ellipsoids(0.3);
    for _ in 0..60 {
        body.step(&Params::default(), &around);
    }
    for p in &body.particles {
        assert!(p.pose.x.distance(p.rest.x) < 1e-9, "{}", p.pose.x);
    }
    body.particles[1].pose.x.x -= 0.05;
    assert!(body.step(&Params::default(), &around).contacts > 0);
    let mut joined = two_ellipsoids(0.3);
    joined = Body::from_edges(joined.particles, &[(0, 1)], 1.0);
    joined.particles[1].pose.x.x -= 0.05;
    assert_eq!(joined.step(&Params::default(), &around).contacts, 0);
}
