//! A box that lies askew, is stretched along x and let go: what the goals' rotation does to angular momentum [FJLSB17 §3.1].

use super::super::super::cluster::Fit;
use super::super::beam::Beam;
use super::super::body::{Drive, Params, Recluster};
use super::super::clustering::Growth;
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_4;

/// Particles of the box.
pub const PARTICLES: usize = 400;
/// Clusters of the box.
pub const CLUSTERS: usize = 30;
/// d, in m.
pub const REACH: f64 = 0.3;
/// Stretch along x.
pub const STRETCH: f64 = 2.0;
/// Seconds.
pub const DURATION: f64 = 4.0;

/// What the box has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spun {
    /// Highest angular momentum, in kg m²/s for a box of 1 kg.
    pub angular: f64,
    /// Highest momentum, in kg m/s.
    pub linear: f64,
    /// Whether all positions stayed finite.
    pub finite: bool,
}

/// Lets the stretched box go, with springs alone: strain limiting and damping do not keep angular momentum.
pub fn run(fit: Fit) -> Spun {
    let mut beam = Beam::new(PARTICLES);
    let turn = DMat3::from_rotation_z(FRAC_PI_4);
    for x in &mut beam.x {
        *x = turn * *x;
    }
    let mut body = beam.body(CLUSTERS, REACH, Growth::Count);
    for x in &mut body.x {
        *x *= DVec3::new(STRETCH, 1.0, 1.0);
    }
    let params = Params {
        fit,
        sweeps: 0,
        recluster: Recluster::Off,
        ..Params::default()
    };
    let mut spun = Spun {
        finite: true,
        ..Spun::default()
    };
    for _ in 0..(DURATION / params.dt).round() as usize {
        body.step(&params, &Drive::none());
        spun.angular = spun.angular.max(body.angular_momentum().length());
        spun.linear = spun.linear.max(body.momentum().length());
        spun.finite &= body.x.iter().all(|x| x.is_finite());
    }
    spun
}
