//! Ellipsoids fall on a floor.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::ellipsoid::Ellipsoid;
use super::super::integrate::Order;
use super::super::particle::Particle;
use super::super::pose::Pose;
use super::{Stepper, larger};
use glam::{DQuat, DVec3};

/// Half axes, in m.
pub const RADII: DVec3 = DVec3::new(0.3, 0.2, 0.1);
/// Height of the centres at the start, in m.
pub const HEIGHT: f64 = 0.5;
/// Distance of one ellipsoid from the next, in m. They do not see each other.
pub const APART: f64 = 0.9;
/// Ellipsoids in a row.
pub const ROW: usize = 3;
/// Seconds.
pub const DURATION: f64 = 8.0;
/// In 1/s. Without it an ellipsoid still rocks by some degrees after that time: one point of contact has no friction against rolling.
pub const DAMPING: f64 = 1.0;

/// An ellipsoid before it is dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Half axes, the shortest last, in m.
    pub radii: DVec3,
    /// Angle between the shortest axis and the vertical, about an axis askew, in degrees.
    pub tilt: f64,
}

impl Start {
    /// An ellipsoid of [`RADII`].
    pub const fn tilted(tilt: f64) -> Self {
        Self { radii: RADII, tilt }
    }

    /// The particle, `shift` from the middle.
    fn particle(&self, shift: DVec3) -> Particle {
        let up = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
        let axis = DVec3::new(1.0, 0.0, 0.6).normalize();
        let pose = Pose {
            x: DVec3::Y * HEIGHT + shift,
            q: DQuat::from_axis_angle(axis, self.tilt.to_radians()) * up,
        };
        Particle::new(pose, 1.0, self.radii)
    }
}

/// How an ellipsoid lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// Angle between the shortest axis and the vertical, in degrees.
    pub tilt: f64,
    /// How deep it was in the floor at most in the last second, over its shortest half axis.
    pub sunk: f64,
    /// How deep it was in the floor at most, over its shortest half axis.
    pub deepest: f64,
    /// Speed at the end, in m/s.
    pub speed: f64,
    /// Spin at the end, in rad/s.
    pub spin: f64,
}

/// Ellipsoids in rows, each a body of its own in all but name.
pub fn ellipsoids(starts: &[Start]) -> Body {
    let shift = |i: usize| DVec3::new((i % ROW) as f64, 0.0, (i / ROW) as f64) * APART;
    let particles = (starts.iter().enumerate())
        .map(|(i, start)| start.particle(shift(i)))
        .collect();
    Body::from_edges(particles, &[], 1.0)
}

/// Drops ellipsoids; hands back how they lie, and them.
pub fn run<S: Stepper>(starts: &[Start], damping: f64, order: Order) -> (Vec<Dropped>, Body) {
    let mut body = ellipsoids(starts);
    let params = Params {
        gravity: DVec3::Y * -9.81,
        damping,
        order,
        ..Params::default()
    };
    let floor = Surroundings::floor();
    let mut results = vec![Dropped::default(); starts.len()];
    let mut stepper = S::default();
    for step in 1..=(DURATION / params.dt).round() as usize {
        stepper.step(&mut body, &params, &floor);
        for (result, p) in results.iter_mut().zip(&body.particles) {
            let touch = Ellipsoid::new(&p.pose, p.radii).touch_plane(DVec3::Y, 0.0);
            let depth = larger(0.0, touch.depth) / p.radii.z;
            result.deepest = larger(result.deepest, depth);
            if step as f64 * params.dt > DURATION - 1.0 {
                result.sunk = larger(result.sunk, depth);
            }
        }
    }
    for (result, p) in results.iter_mut().zip(&body.particles) {
        result.tilt = (p.pose.q * DVec3::Z)
            .y
            .abs()
            .clamp(0.0, 1.0)
            .acos()
            .to_degrees();
        result.speed = p.v.length();
        result.spin = p.w.length();
    }
    (results, body)
}
