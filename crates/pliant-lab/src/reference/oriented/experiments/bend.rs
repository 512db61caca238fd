//! A rod that is bent and let go.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::plastic::Plastic;
use super::super::pose::Pose;
use super::Stepper;
use glam::{DQuat, DVec3};

/// Particles of the rod.
pub const COUNT: usize = 10;
/// Distance of particles, in m.
pub const SPACING: f64 = 0.1;
/// Seconds in which the ends are held.
pub const HELD: f64 = 1.0;
/// Seconds after it.
pub const FREE: f64 = 4.0;
/// In 1/s.
pub const DAMPING: f64 = 4.0;

/// Angles between the first and the last two particles of the rod, in rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bent {
    /// While it is held.
    pub imposed: f64,
    /// At the end.
    pub left: f64,
    /// How often a group flowed.
    pub flowed: usize,
    /// Largest flow of a rest position, over the size of its group.
    pub largest_flow: f64,
}

/// Bends the rod to an arc of `angle` rad, holds its ends there, and lets go; `watch` sees the time and the angle between
/// the ends after every step.
pub fn run<S: Stepper>(
    angle: f64,
    plastic: Option<Plastic>,
    mut watch: impl FnMut(f64, f64),
) -> Bent {
    let mut body = Body::rod(COUNT, SPACING, 0.05, DVec3::ZERO);
    for p in &mut body.particles {
        p.pose = on_arc(p.rest.x.x, angle);
    }
    let held = [0, 1, COUNT - 2, COUNT - 1];
    for i in held {
        body.particles[i].fix();
    }
    let params = Params {
        plastic,
        damping: DAMPING,
        ..Params::default()
    };
    let mut result = Bent::default();
    let (mut stepper, mut time) = (S::default(), 0.0);
    let mut run = |body: &mut Body, seconds: f64| {
        for _ in 0..(seconds / params.dt).round() as usize {
            let report = stepper.step(body, &params, &Surroundings::none());
            result.flowed += report.flowed;
            time += params.dt;
            watch(time, end_angle(body));
        }
    };
    run(&mut body, HELD);
    let imposed = end_angle(&body);
    for i in held {
        body.particles[i].fixed = false;
        body.particles[i].fixed_turn = false;
    }
    run(&mut body, FREE);
    result.imposed = imposed;
    result.left = end_angle(&body);
    for group in &body.groups {
        let flow = group.members.iter().map(|k| k.rest.distance(k.original));
        let largest = flow.fold(0.0, f64::max) / group.size();
        result.largest_flow = result.largest_flow.max(largest);
    }
    result
}

/// The pose at `along` of an arc of the rod's length that turns by `angle` about z.
fn on_arc(along: f64, angle: f64) -> Pose {
    let length = SPACING * (COUNT - 1) as f64;
    let (radius, turned) = (length / angle, along / length * angle);
    Pose {
        x: DVec3::new(turned.sin(), 1.0 - turned.cos(), 0.0) * radius,
        q: DQuat::from_rotation_z(turned),
    }
}

/// Angle between the first and the last segment, in rad.
fn end_angle(body: &Body) -> f64 {
    let x = |i: usize| body.particles[i].pose.x;
    let first = x(1) - x(0);
    let last = x(COUNT - 1) - x(COUNT - 2);
    first.cross(last).length().atan2(first.dot(last))
}
