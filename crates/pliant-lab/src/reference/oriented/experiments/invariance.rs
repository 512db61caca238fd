//! The same steps after a rigid motion of everything.

use super::super::super::contact::Plane;
use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::particle::Particle;
use super::super::pose::{Pose, turn_vector};
use super::momentum::tangle;
use super::{Stepper, larger};
use glam::{DMat3, DQuat, DVec3};

/// Steps before the motion, so that there is a past.
const BEFORE: usize = 5;
/// Steps that are compared.
const STEPS: usize = 5;

/// Largest distance between a body that was moved, stepped and moved back, and one that was only stepped, in m.
///
/// The body lies on a floor, which moves along, so contacts are compared too. Friction jumps where what sticks begins to slide, so that the least
/// difference may decide which of the two it is; `rough` tells whether there is any.
pub fn difference<S: Stepper>(mut params: Params, rough: bool) -> f64 {
    params.gravity = DVec3::Y * -9.81;
    let mut floor = Surroundings {
        planes: vec![Plane::floor(-0.06)],
        pairs: true,
        ..Surroundings::default()
    };
    if !rough {
        floor.friction.fixed = 0.0;
        floor.friction.sliding = 0.0;
    }
    let mut body = tangle();
    let mut before = S::default();
    for _ in 0..BEFORE {
        before.step(&mut body, &params, &floor);
    }
    let motion = Pose {
        x: DVec3::new(0.7, -0.4, 1.1),
        q: DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 0.5).normalize(), 2.2),
    };
    let mut moved = body.clone();
    carry(&mut moved, &motion);
    let normal = motion.q * DVec3::Y;
    let offset = normal.dot(motion.apply(DVec3::Y * -0.06));
    let floor_moved = Surroundings {
        planes: vec![Plane { normal, offset }],
        ..floor.clone()
    };
    let params_moved = Params {
        gravity: motion.q * params.gravity,
        ..params
    };
    let (mut one, mut other) = (S::default(), S::default());
    for _ in 0..STEPS {
        one.step(&mut body, &params, &floor);
        other.step(&mut moved, &params_moved, &floor_moved);
    }
    carry(&mut moved, &motion.inverse());
    apart(&body, &moved)
}

/// Moves all that a body knows of the world.
fn carry(body: &mut Body, motion: &Pose) {
    for p in &mut body.particles {
        p.pose = motion.after(&p.pose);
        p.v = motion.q * p.v;
        p.w = motion.q * p.w;
        if let Some(before) = &mut p.before {
            for vector in [
                &mut before.moved,
                &mut before.turned,
                &mut before.v,
                &mut before.w,
            ] {
                *vector = motion.q * *vector;
            }
        }
    }
    for group in &mut body.groups {
        group.rotation = DMat3::from_quat(motion.q) * group.rotation;
    }
}

/// Largest difference of places and turns, where a turn counts as much as it moves a point 1 m away.
fn apart(a: &Body, b: &Body) -> f64 {
    let pairs = a.particles.iter().zip(&b.particles);
    let difference = |(a, b): (&Particle, &Particle)| {
        let turn = turn_vector(a.pose.q * b.pose.q.inverse()).length();
        larger(a.pose.x.distance(b.pose.x), turn)
    };
    pairs.map(difference).fold(0.0, larger)
}
