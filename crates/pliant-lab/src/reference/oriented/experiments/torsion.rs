//! A rod whose end is turned about its axis.

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::group::Group;
use super::super::particle::Particle;
use super::super::pose::turn_vector;
use super::Stepper;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

/// Particles of the rod.
pub const COUNT: usize = 6;
/// Seconds until the turn has come to the other end.
pub const DURATION: f64 = 4.0;
/// In 1/s.
pub const DAMPING: f64 = 4.0;

/// What has become of the rod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turned {
    /// Turn of each group about the axis, in degrees.
    pub degrees: Vec<f64>,
    /// Largest distance of a particle from where it was, in m.
    pub moved: f64,
}

/// Turns the first particle by 90° and holds it; `oriented` is false for plain shape matching.
pub fn run<S: Stepper>(oriented: bool) -> Turned {
    let mut body = Body::rod(COUNT, 0.1, 0.05, DVec3::ZERO);
    for p in &mut body.particles {
        p.oriented = oriented;
    }
    body.particles[0].fix();
    body.particles[0].pose.q = DQuat::from_rotation_x(FRAC_PI_2);
    let params = Params {
        damping: DAMPING,
        ..Params::default()
    };
    let mut stepper = S::default();
    for _ in 0..(DURATION / params.dt).round() as usize {
        stepper.step(&mut body, &params, &Surroundings::none());
    }
    let about_axis = |g: &Group| turn_vector(DQuat::from_mat3(&g.rotation)).x.to_degrees();
    let moved = |p: &Particle| p.pose.x.distance(p.rest.x);
    Turned {
        degrees: body.groups.iter().map(about_axis).collect(),
        moved: body.particles.iter().map(moved).fold(0.0, f64::max),
    }
}
