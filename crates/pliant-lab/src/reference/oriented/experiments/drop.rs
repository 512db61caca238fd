//! An ellipsoid falls on a floor.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::integrate::Order;
use super::super::particle::Particle;
use super::super::pose::Pose;
use glam::{DQuat, DVec3};

/// Half axes, in m.
pub const RADII: DVec3 = DVec3::new(0.3, 0.2, 0.1);
/// Height of the centre at the start, in m.
pub const HEIGHT: f64 = 0.5;
/// Seconds.
pub const DURATION: f64 = 8.0;
/// In 1/s. Without it the ellipsoid still rocks by some degrees after that time: one point of contact has no friction against rolling.
pub const DAMPING: f64 = 1.0;

/// How the ellipsoid lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// Angle between the shortest axis and the vertical, in degrees.
    pub tilt: f64,
    /// How deep it is in the floor at the end, over its shortest half axis.
    pub sunk: f64,
    /// How deep it was in the floor at most, over its shortest half axis.
    pub deepest: f64,
    /// Speed at the end, in m/s.
    pub speed: f64,
    /// Spin at the end, in rad/s.
    pub spin: f64,
}

/// Drops an ellipsoid whose shortest axis is turned by `tilt` degrees from the vertical, about an axis askew.
pub fn run(tilt: f64, damping: f64, order: Order) -> Dropped {
    let up = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let askew = DQuat::from_axis_angle(DVec3::new(1.0, 0.0, 0.6).normalize(), tilt.to_radians());
    let pose = Pose {
        x: DVec3::Y * HEIGHT,
        q: askew * up,
    };
    let mut body = Body::from_edges(vec![Particle::new(pose, 1.0, RADII)], &[], 1.0);
    let params = Params {
        gravity: DVec3::Y * -9.81,
        damping,
        order,
        ..Params::default()
    };
    let floor = Surroundings::floor();
    let mut result = Dropped::default();
    for _ in 0..(DURATION / params.dt).round() as usize {
        body.step(&params, &floor);
        let touch = body.particles[0].ellipsoid().touch_plane(DVec3::Y, 0.0);
        result.sunk = touch.depth.max(0.0) / RADII.z;
        result.deepest = result.deepest.max(result.sunk);
    }
    let p = &body.particles[0];
    result.tilt = (p.pose.q * DVec3::Z).y.abs().min(1.0).acos().to_degrees();
    result.speed = p.v.length();
    result.spin = p.w.length();
    result
}
