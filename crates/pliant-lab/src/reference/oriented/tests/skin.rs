//! Weights and blends.

use super::super::body::Body;
use super::super::particle::Particle;
use super::super::skin::{Blend, Distance, SkinVertex};
use super::{Random, random_pose, random_radii};
use crate::reference::tests::assert_close;
use glam::{DQuat, DVec3};

fn vertex(particles: &[Particle], x: DVec3, count: usize) -> SkinVertex {
    SkinVertex::new(particles, x, DVec3::Y, count, Distance::Euclidean)
}

/// Weights are shares, the nearer the heavier, of the nearest particles.
#[test]
fn weights_are_shares() {
    let mut random = Random(9);
    let particles: Vec<_> = (0..20)
        .map(|_| Particle::new(random_pose(&mut random), 1.0, random_radii(&mut random)))
        .collect();
    for _ in 0..100 {
        for distance in [Distance::Euclidean, Distance::Ellipsoid] {
            let x = random.vector() * 1.5;
            let v = SkinVertex::new(&particles, x, DVec3::Y, 4, distance);
            assert_eq!(v.weights.len(), 4);
            assert_close(v.weights.iter().map(|w| w.1).sum(), 1.0, 1e-15);
            assert!(v.weights.iter().all(|w| w.1 >= 0.0));
            assert!(v.weights.is_sorted_by(|a, b| a.1 >= b.1));
        }
    }
}

/// Worked weights: distances 1, 2 and 3 with two carriers give (1 − 1/9)² to (1 − 4/9)², so 64 to 25.
#[test]
fn worked_weights() {
    let particles: Vec<_> = [1.0, 2.0, 3.0]
        .map(|d| Particle::sphere(DVec3::X * d, 1.0, 0.1))
        .to_vec();
    let v = vertex(&particles, DVec3::ZERO, 2);
    assert_eq!((v.weights[0].0, v.weights[1].0), (0, 1));
    assert_close(v.weights[0].1, 64.0 / 89.0, 1e-15);
    assert_close(v.weights[1].1, 25.0 / 89.0, 1e-15);
}

/// Equal distances and lone particles: the nearest carries all, of equals the first.
#[test]
fn weights_without_a_difference() {
    let around = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z];
    let particles: Vec<_> = around.map(|x| Particle::sphere(x, 1.0, 0.1)).to_vec();
    let v = vertex(&particles, DVec3::ZERO, 4);
    assert_eq!(v.weights[0], (0, 1.0));
    assert!(v.weights[1..].iter().all(|w| w.1 == 0.0));
    let v = vertex(&particles[..1], DVec3::Y, 4);
    assert_eq!(v.weights, vec![(0, 1.0)]);
    let v = vertex(&particles[..1], DVec3::X, 4);
    assert_eq!(v.weights, vec![(0, 1.0)]);
}

/// A thin limb: in metres a particle of the next limb is nearer, in radii the one along this limb.
#[test]
fn ellipsoid_distance_follows_limbs() {
    let radii = DVec3::new(0.5, 0.05, 0.05);
    let at = |x: f64, y: f64| {
        let rest = super::super::Pose::at(DVec3::new(x, y, 0.0));
        Particle::new(rest, 1.0, radii)
    };
    let particles = vec![at(0.0, 0.0), at(0.45, 0.3)];
    let x = DVec3::new(0.45, 0.05, 0.0);
    let first = |distance| SkinVertex::new(&particles, x, DVec3::Y, 1, distance).weights[0].0;
    assert_eq!(first(Distance::Euclidean), 1);
    assert_eq!(first(Distance::Ellipsoid), 0);
}

/// A bent rod: both blends stay near each other, and halfway between two particles the axis lies outside of their chord.
#[test]
fn blends_of_a_bend() {
    let mut body = Body::rod(5, 0.1, 0.05, DVec3::ZERO);
    let motion = random_pose(&mut Random(3));
    let skin: Vec<_> = (0..=40)
        .map(|i| vertex(&body.particles, DVec3::X * (0.01 * i as f64), 2))
        .collect();
    // On a circle of radius 1 m about (0, 1, 0).
    for p in &mut body.particles {
        let angle = p.rest.x.x;
        p.pose.x = DVec3::new(angle.sin(), 1.0 - angle.cos(), 0.0);
        p.pose.q = DQuat::from_rotation_z(angle);
        p.pose = motion.after(&p.pose);
    }
    let blends = [Blend::Linear, Blend::DualQuaternion];
    for s in &skin {
        let [linear, dual] = blends.map(|b| s.position(&body.particles, b));
        assert!(linear.distance(dual) < 1e-3, "{}", linear.distance(dual));
        let [n, m] = blends.map(|b| s.normal(&body.particles, b));
        assert!(n.angle_between(m) < 1e-2);
    }
    for between in [15, 25] {
        let radius = |b| {
            let x = skin[between].position(&body.particles, b);
            motion.local(x).distance(DVec3::Y)
        };
        assert_close(radius(Blend::Linear), 1.0 / 0.05_f64.cos(), 1e-5);
        assert!(radius(Blend::DualQuaternion) > 1.0);
    }
}
