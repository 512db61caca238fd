//! What must hold in any case.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::experiments::momentum::tangle;
use super::super::group::Turning;
use super::super::pose::turn_vector;
use super::Random;
use crate::reference::tests::assert_close;
use glam::DVec3;

/// Quaternions stay unit and go on without a jump of sign; rest shapes are centred; rotations are rotations.
#[test]
fn state_stays_sound() {
    let mut body = tangle();
    for p in &mut body.particles {
        p.w *= 8.0;
    }
    let params = Params {
        gravity: DVec3::Y * -9.81,
        plastic: Some(super::super::Plastic::default()),
        ..Params::default()
    };
    let around = Surroundings {
        planes: vec![super::super::super::Plane::floor(-0.1)],
        pairs: true,
        ..Surroundings::default()
    };
    let one = Params {
        substeps: 1,
        dt: params.dt / 4.0,
        ..params
    };
    let mut contacts = 0;
    for _ in 0..400 {
        let before: Vec<_> = body.particles.iter().map(|p| p.pose.q).collect();
        contacts += body.step(&one, &around).contacts;
        for (p, q) in body.particles.iter().zip(before) {
            assert_close(p.pose.q.length(), 1.0, 1e-12);
            assert!(p.pose.q.dot(q) >= 0.0);
        }
        for group in &body.groups {
            assert!(group.members.is_sorted_by(|a, b| a.particle < b.particle));
            assert_close(group.rotation.determinant(), 1.0, 1e-12);
        }
    }
    assert!(body.is_finite() && contacts > 0);
}

/// A group that turns all its members adds as much angular momentum to places as it takes from turns, up to the third power of the angles.
#[test]
fn all_members_balance() {
    let imbalance = |size: f64| {
        let mut random = Random(11);
        let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
        for p in &mut body.particles {
            p.pred.x += random.vector() * (0.1 * size);
            p.pred.q = super::super::pose::turn_by(random.vector() * size) * p.pred.q;
        }
        let before = body.particles.clone();
        let params = Params {
            turning: Turning::AllMembers,
            ..Params::default()
        };
        let mut group = body.groups[1].clone();
        let center = group.moments(&before, 1.0).center;
        group.pull(&mut body.particles, &[true; 3], &params);
        let (mut orbit, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        for (p, b) in body.particles.iter().zip(&before) {
            orbit += (b.pred.x - center).cross(p.pred.x - b.pred.x) * p.mass;
            spin += p.inertia() * turn_vector(p.pred.q * b.pred.q.inverse());
        }
        ((orbit + spin).length(), orbit.length())
    };
    for size in [0.2, 0.1, 0.05] {
        let (sum, orbit) = imbalance(size);
        let (half, _) = imbalance(0.5 * size);
        assert!(sum < 0.05 * orbit, "{sum} {orbit}");
        assert!(half < sum / 7.0, "{half} {sum}");
    }
}

/// A body at rest in any pose stays there.
#[test]
fn rest_is_rest() {
    let mut body = Body::sheet(4, 0.1, 0.05);
    let motion = super::random_pose(&mut Random(2));
    for p in &mut body.particles {
        p.pose = motion.after(&p.rest);
    }
    let before = body.clone();
    for _ in 0..100 {
        body.step(&Params::default(), &Surroundings::none());
    }
    for (p, b) in body.particles.iter().zip(&before.particles) {
        let moved = p.pose.x.distance(b.pose.x);
        let turned = turn_vector(p.pose.q * b.pose.q.inverse()).length();
        // Velocities are differences of places, so their round-off adds up.
        assert!(moved < 1e-10 && turned < 1e-10, "{moved:e} {turned:e}");
    }
}
