//! Blobs in random motion: the surface stays sound, ends without crossings and encloses the union.

use crate::motions::{ball, between, check, crossings, repaired, together, unit};
use glam::{Quat, Vec3};
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::columns::Columns;
use pliant::surface::{Tracker, TrackerSettings};

/// A ball with bumps that moves rigidly.
pub(crate) struct Blob {
    radius: f32,
    waves: [(Vec3, f32); 3],
    center: Vec3,
    turn: Quat,
    velocity: Vec3,
    spin: Quat,
}

impl Blob {
    /// Blob `k` of a case, on its way to the middle.
    pub(crate) fn new(seed: u64, k: u64, rate: f32) -> Self {
        let mut random = Random::new([seed, k, 0, 1]);
        let center = random.next_direction() * 1.3;
        let mut number = |lo: f32, hi: f32| lo + (hi - lo) * random.next_f32();
        let radius = number(0.6, 0.9);
        let velocity = -center * (rate * number(0.8, 1.2));
        let waves = [(); 3].map(|()| (number(1.0, 3.0), number(0.0, 6.0)));
        let waves = waves.map(|(size, phase)| (random.next_direction() * size, phase));
        Self {
            radius,
            waves,
            center,
            turn: Quat::IDENTITY,
            velocity,
            spin: Quat::from_scaled_axis(random.next_direction() * 0.01),
        }
    }

    /// Distance from the middle to the surface, along a direction at rest.
    fn reach(&self, direction: Vec3) -> f32 {
        let bumps: f32 = self
            .waves
            .iter()
            .map(|(q, phase)| (direction.dot(*q) + phase).sin())
            .sum();
        self.radius * (1.0 + 0.04 * bumps)
    }

    /// The surface at rest, about the origin.
    pub(crate) fn rest(&self, segments: u32) -> Mesh {
        let mut mesh = ball(Vec3::ZERO, 1.0, segments);
        for p in &mut mesh.positions {
            *p *= self.reach(*p);
        }
        mesh
    }

    /// Where a point of the rest shape is now.
    fn place(&self, p: Vec3) -> Vec3 {
        self.center + self.turn * p
    }

    /// Below 1 inside, 1 on the surface, more outside.
    fn depth(&self, p: Vec3) -> f32 {
        let q = self.turn.inverse() * (p - self.center);
        q.length() / self.reach(q.normalize_or_zero())
    }

    /// The next place of a point that moves with the blob.
    fn carry(&self, p: Vec3) -> Vec3 {
        self.center + self.velocity + self.spin * (p - self.center)
    }

    fn step(&mut self) {
        self.center += self.velocity;
        self.turn = self.spin * self.turn;
    }
}

/// Several blobs, each where it is now.
pub(crate) fn placed(blobs: &[Blob], rest: &[Mesh]) -> Mesh {
    let mut parts = rest.to_vec();
    for (blob, part) in blobs.iter().zip(&mut parts) {
        for p in &mut part.positions {
            *p = blob.place(*p);
        }
    }
    together(&parts)
}

/// One frame: a point moves with the blob on whose surface it lies. That is the one it lies deepest in, because on the boundary of
/// the union it is outside of all others.
fn carry(blobs: &mut [Blob], tracker: &mut Tracker, noise: impl Fn(Vec3) -> Vec3 + Sync) {
    tracker.advect(|p| {
        let own = blobs
            .iter()
            .min_by(|a, b| a.depth(p).total_cmp(&b.depth(p)));
        own.map_or(p, |blob| blob.carry(p)) + noise(p)
    });
    blobs.iter_mut().for_each(Blob::step);
}

/// Volume of what lies inside of any part of a mesh that crosses itself, by counting points of a lattice.
fn sampled_union(mesh: &Mesh) -> f64 {
    let Some((lo, hi)) = mesh.bounds() else {
        return 0.0;
    };
    let step = (hi - lo).max_element() / 128.0;
    let mut columns = Columns::new();
    columns.build(&mesh.positions, mesh.triangles.as_flattened(), None, step);
    let size = ((hi - lo) / step).ceil().as_uvec3();
    let mut inside = 0u32;
    for i in 0..size.x {
        for j in 0..size.y {
            for k in 0..size.z {
                let p = lo + step * (glam::UVec3::new(i, j, k).as_vec3() + 0.5);
                inside += u32::from(columns.contains(p));
            }
        }
    }
    f64::from(inside) * f64::from(step).powi(3)
}

/// Independent noise in [−1, 1]³ for every point and frame.
fn noise(seed: u64, frame: usize, p: Vec3) -> Vec3 {
    let [x, y, z] = p.to_array().map(|x| u64::from(x.to_bits()));
    2.0 * Random::new([seed ^ (frame as u64) << 40, x, y, z]).next_in_cube() - 1.0
}

/// Two to eight blobs fly into each other for 24 frames, with noise, and then stand still for six.
fn run(seed: u64) -> Result<(), String> {
    let count = 2 + (unit(seed, 0) * 7.0) as u64;
    // At most two thousand triangles.
    let segments = (250 / count).isqrt() as u32;
    let edge = between(seed, 1, 1.7, 2.1) * 0.8 / segments as f32;
    let rate = between(seed, 2, 0.005, 0.03);
    let shake = between(seed, 3, 0.0, 0.02) * edge;
    let told = |what: String| {
        format!(
            "{what}; {count} blobs of {segments} segments, edge {edge}, rate {rate}, noise {shake}"
        )
    };
    let mut blobs: Vec<Blob> = (0..count).map(|k| Blob::new(seed, k, rate)).collect();
    let rest: Vec<Mesh> = blobs.iter().map(|b| b.rest(segments)).collect();
    let mut settings = TrackerSettings::new(edge);
    // What the blobs enclose between them is not to be dropped as too small: it counts.
    settings.particle_radius = 0.5 * edge;
    let mut tracker = Tracker::new(&placed(&blobs, &rest), settings).map_err(|e| e.to_string())?;
    for frame in 0..30 {
        if frame < 24 {
            carry(&mut blobs, &mut tracker, |p| shake * noise(seed, frame, p));
        }
        repaired(&mut tracker, frame).map_err(told)?;
    }
    let left = crossings(tracker.mesh());
    if left > 0 {
        return Err(told(format!(
            "{left} crossings are left after six frames of rest"
        )));
    }
    let union = sampled_union(&placed(&blobs, &rest));
    let error = tracker.mesh().volume() / union - 1.0;
    if error.abs() > 0.02 {
        return Err(told(format!("volume off by {:.2} %", 100.0 * error)));
    }
    Ok(())
}

#[test]
fn blobs_end_as_their_union_without_crossings() {
    check(30, run);
}
