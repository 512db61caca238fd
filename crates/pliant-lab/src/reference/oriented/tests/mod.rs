//! Worked numbers and invariants at the tolerances of f64.

mod contacts;
mod edges;
mod experiments;
mod invariants;
mod skin;
mod worked;

use super::pose::Pose;
use crate::reference::tests::Random;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Any turn.
fn random_turn(random: &mut Random) -> DQuat {
    DQuat::from_axis_angle(random.vector().normalize(), PI * random.unit())
}

/// A pose near the origin with any turn.
fn random_pose(random: &mut Random) -> Pose {
    Pose {
        x: random.vector(),
        q: random_turn(random),
    }
}

/// Half axes between 0.2 and 1.
fn random_radii(random: &mut Random) -> DVec3 {
    random.vector() * 0.4 + 0.6
}
