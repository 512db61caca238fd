//! A wheel on a free chassis [MC11 "Arbitrary Shape Match Groups"].

use super::super::body::{Body, Params};
use super::super::contact::Surroundings;
use super::super::group::{Group, Turning};
use super::super::particle::Particle;
use super::Stepper;
use glam::DVec3;
use std::f64::consts::TAU;

/// Particles of the rim.
pub const RIM: usize = 6;
/// Radius of the rim, in m.
pub const RADIUS: f64 = 0.3;
/// Spin of the wheel at the start, in rad/s.
pub const SPIN: f64 = 10.0;
/// Radius of particles, in m.
pub const PARTICLE: f64 = 0.1;
/// The two particles of the hub.
const HUB: [usize; 2] = [RIM, RIM + 1];

/// Spin of the wheel later, in rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelSpin {
    /// After ten frames.
    pub ten_frames: f64,
    /// After a second.
    pub second: f64,
    /// Of the chassis after a second.
    pub chassis: f64,
}

/// Lets the wheel turn; with `hub_moments` the particles of the hub tell both groups how they are turned, which couples them.
/// `watch` sees the time and the spin after every frame.
pub fn run<S: Stepper>(
    hub_moments: bool,
    turning: Turning,
    mut watch: impl FnMut(f64, f64),
) -> WheelSpin {
    let mut body = vehicle(hub_moments);
    let params = Params {
        turning,
        ..Params::default()
    };
    let mut result = WheelSpin::default();
    let mut stepper = S::default();
    for frame in 1..=60 {
        stepper.step(&mut body, &params, &Surroundings::none());
        result.second = spin_about_axle(&body.particles[..RIM]);
        if frame == 10 {
            result.ten_frames = result.second;
        }
        watch(f64::from(frame) * params.dt, result.second);
    }
    result.chassis = spin_about_axle(&body.particles[RIM + 2..]);
    result
}

/// The rim in the plane z = 0, the hub on the axle along z, the chassis above it.
fn vehicle(hub_moments: bool) -> Body {
    let mut particles = Vec::new();
    for i in 0..RIM {
        let angle = TAU * i as f64 / RIM as f64;
        let x = DVec3::new(angle.cos(), angle.sin(), 0.0) * RADIUS;
        let mut p = Particle::sphere(x, 1.0, PARTICLE);
        p.w = DVec3::Z * SPIN;
        p.v = p.w.cross(x);
        particles.push(p);
    }
    for side in [-1.0, 1.0] {
        let hub = Particle::sphere(DVec3::Z * (0.1 * side), 1.0, PARTICLE);
        particles.push(hub);
    }
    for (x, z) in [(-0.4, -0.2), (-0.4, 0.2), (0.4, -0.2), (0.4, 0.2)] {
        particles.push(Particle::sphere(DVec3::new(x, 0.4, z), 1.0, PARTICLE));
    }
    let omitted: &[usize] = if hub_moments { &[] } else { &HUB };
    let group =
        |members: Vec<usize>| Group::new(&particles, None, &members, 1.0).with_joints(omitted);
    let chassis = (RIM..particles.len()).collect();
    let wheel = (0..RIM + 2).collect();
    let groups = vec![group(chassis), group(wheel)];
    Body { particles, groups }
}

/// Spin about z that particles have together about their own centre, in rad/s.
fn spin_about_axle(particles: &[Particle]) -> f64 {
    let count = particles.len() as f64;
    let center = particles.iter().map(|p| p.pose.x).sum::<DVec3>() / count;
    let velocity = particles.iter().map(|p| p.v).sum::<DVec3>() / count;
    let (mut momentum, mut inertia) = (0.0, 0.0);
    for p in particles {
        let d = (p.pose.x - center).with_z(0.0);
        momentum += d.cross(p.v - velocity).z;
        inertia += d.length_squared();
    }
    momentum / inertia
}
