//! A tube that is carried by a rod.

use super::super::body::Body;
use super::super::pose::Pose;
use super::super::skin::{Blend, Distance, SkinVertex};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Particles of the rod.
pub const COUNT: usize = 8;
/// Vertices around the tube.
pub const AROUND: usize = 12;
/// Vertices along the tube for each particle.
const ALONG: usize = 4;
/// Radius of the tube, in m.
pub const RADIUS: f64 = 0.04;
/// Particles that carry a vertex.
pub const CARRIERS: usize = 4;

/// How far a carried mesh is from where it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Carried {
    /// Largest distance from the rest mesh in the rest pose, in m.
    pub rest: f64,
    /// Largest distance from the mesh that was moved itself, after a rigid motion of all particles, in m.
    pub rigid: f64,
    /// The same of normals.
    pub rigid_normal: f64,
    /// Least distance of a vertex from the axis when the rod's halves are twisted by 150° against each other, over the radius.
    pub twisted_radius: f64,
}

/// The rod inside of the tube.
pub fn rod() -> Body {
    let mut body = Body::rod(COUNT, 0.1, 0.05, DVec3::ZERO);
    for (i, p) in body.particles.iter_mut().enumerate() {
        // Rest turns of all kinds: only the way from them may count.
        p.rest.q = DQuat::from_axis_angle(super::noise(i).normalize(), i as f64);
        p.pose = p.rest;
    }
    body
}

/// The rigid motion of everything.
pub fn motion() -> Pose {
    Pose {
        x: DVec3::new(3.0, -2.0, 1.0),
        q: DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 0.5).normalize(), 2.8),
    }
}

/// Places and normals of the tube's vertices at rest: rings of [`AROUND`] each.
pub fn tube() -> Vec<(DVec3, DVec3)> {
    let mut vertices = Vec::new();
    for ring in 0..=ALONG * (COUNT - 1) {
        for side in 0..AROUND {
            let angle = TAU * side as f64 / AROUND as f64;
            let normal = DVec3::new(0.0, angle.cos(), angle.sin());
            let x = DVec3::X * (0.1 * ring as f64 / ALONG as f64) + normal * RADIUS;
            vertices.push((x, normal));
        }
    }
    vertices
}

/// Carries a tube around a rod.
pub fn run(blend: Blend, distance: Distance) -> Carried {
    let mut body = rod();
    let hang = |(x, normal)| SkinVertex::new(&body.particles, x, normal, CARRIERS, distance);
    let skin: Vec<SkinVertex> = tube().into_iter().map(hang).collect();
    let largest = |body: &Body, goal: &dyn Fn(&SkinVertex) -> DVec3| {
        let error = |s: &SkinVertex| s.position(&body.particles, blend).distance(goal(s));
        skin.iter().map(error).fold(0.0, f64::max)
    };
    let mut result = Carried {
        rest: largest(&body, &|s| s.rest),
        ..Carried::default()
    };

    let motion = motion();
    let mut moved = body.clone();
    for (i, p) in moved.particles.iter_mut().enumerate() {
        p.pose = motion.after(&p.rest);
        // q and −q are one turn: half of the particles get the other sign.
        p.pose.q = if i % 2 == 0 { p.pose.q } else { -p.pose.q };
    }
    result.rigid = largest(&moved, &|s| motion.apply(s.rest));
    let normal_error = |s: &SkinVertex| {
        let normal = s.normal(&moved.particles, blend);
        normal.distance(motion.q * s.normal)
    };
    result.rigid_normal = skin.iter().map(normal_error).fold(0.0, f64::max);

    let half_twist = 75.0_f64.to_radians();
    for (i, p) in body.particles.iter_mut().enumerate() {
        let angle = if i < COUNT / 2 {
            -half_twist
        } else {
            half_twist
        };
        p.pose.q = DQuat::from_rotation_x(angle) * p.rest.q;
    }
    let radius = |s: &SkinVertex| s.position(&body.particles, blend).with_x(0.0).length();
    result.twisted_radius = skin.iter().map(radius).fold(f64::INFINITY, f64::min) / RADIUS;
    result
}
