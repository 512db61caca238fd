//! Free bodies with all kinds of groups keep their momentum.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::group::{Group, Turning};
use super::super::integrate::Order;
use super::{Stepper, larger, noise};
use glam::DVec3;

/// Steps of the run.
pub const STEPS: usize = 600;

/// Largest |P − P₀|/|P₀| of a run.
pub fn drift<S: Stepper>(turning: Turning, order: Order) -> f64 {
    let mut body = tangle();
    let params = Params {
        turning,
        order,
        ..Params::default()
    };
    let mut stepper = S::default();
    let start = body.momentum();
    let mut worst: f64 = 0.0;
    for _ in 0..STEPS {
        stepper.step(&mut body, &params, &Surroundings::none());
        let drift = body.momentum().distance(start) / start.length();
        worst = larger(worst, drift);
    }
    worst
}

/// A sheet of particles of many masses and shapes, some without a turn, in soft and stiff groups that overlap, with joints, all in motion.
pub fn tangle() -> Body {
    let mut body = Body::sheet(5, 0.1, 0.05);
    for (i, p) in body.particles.iter_mut().enumerate() {
        let spread = noise(i);
        p.mass = 1.5 + spread.x;
        p.radii *= DVec3::ONE + spread * 0.4;
        *p = p.with_ellipsoid_moment();
        p.oriented = i % 5 != 3;
        p.v = DVec3::new(0.5, -0.3, 0.2) + noise(i + 100) * 0.5;
        p.w = noise(i + 200) * 5.0;
    }
    for (i, group) in body.groups.iter_mut().enumerate() {
        group.stiffness = 0.25 + 0.25 * (i % 4) as f64;
    }
    let groups = [vec![0, 1, 2, 5, 6, 7], vec![7, 12, 17, 22, 23], vec![20, 4]];
    for members in groups {
        let group = Group::new(&body.particles, None, &members, 0.8);
        body.groups.push(group.with_joints(&[7]));
    }
    body
}
