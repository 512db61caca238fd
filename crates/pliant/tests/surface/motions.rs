//! Shapes and the motions that carry them.

use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::solids::{sphere, torus};
use rayon::prelude::*;

/// Seeds of a property with `share` of two hundred cases. `PLIANT_CASES=10000` runs ten thousand instead of two hundred;
/// `PLIANT_SEED` moves on to other cases.
pub(crate) fn cases(share: u64) -> std::ops::Range<u64> {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a whole number"))
    };
    let first = 1_000_000 * number("PLIANT_SEED", 0);
    first..first + (share * number("PLIANT_CASES", 200)).div_ceil(200)
}

/// Runs a property on `share` of two hundred cases, and tells about all that fail.
pub(crate) fn check(share: u64, case: impl Fn(u64) -> Result<(), String> + Sync) {
    let failed: Vec<(u64, String)> = cases(share)
        .into_par_iter()
        .filter_map(|seed| case(seed).err().map(|e| (seed, e)))
        .collect();
    assert!(failed.is_empty(), "{} failed: {failed:#?}", failed.len());
}

/// A random number in [0, 1) for a seed and a purpose.
pub(crate) fn unit(seed: u64, purpose: u64) -> f32 {
    pliant::random::Random::new([seed, purpose, 77, 0]).next_f32()
}

/// A random number in `lo..hi`.
pub(crate) fn between(seed: u64, purpose: u64, lo: f32, hi: f32) -> f32 {
    lo + (hi - lo) * unit(seed, purpose)
}

/// 0 below `a`, 1 above `b`, smooth between.
pub(crate) fn ramp(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A surface of revolution about the x axis with the given profile, closed at both ends.
pub(crate) fn lathe(rings: &[(f32, f32)], segments: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let inner = &rings[1..rings.len() - 1];
    for (k, &(x, radius)) in inner.iter().enumerate() {
        for s in 0..segments {
            let angle = std::f32::consts::TAU * (s as f32 + 0.5 * (k % 2) as f32) / segments as f32;
            mesh.positions
                .push(Vec3::new(x, radius * angle.cos(), radius * angle.sin()));
        }
    }
    let at = |k: usize, s: u32| k as u32 * segments + s % segments;
    for k in 0..inner.len() - 1 {
        for s in 0..segments {
            let (a, b) = (at(k, s), at(k, s + 1));
            let (c, d) = (at(k + 1, s), at(k + 1, s + 1));
            if k % 2 == 0 {
                mesh.triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                mesh.triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    let n = mesh.positions.len() as u32;
    mesh.positions.push(Vec3::X * rings[0].0);
    mesh.positions.push(Vec3::X * rings[rings.len() - 1].0);
    for s in 0..segments {
        mesh.triangles.push([n, at(0, s), at(0, s + 1)]);
        let last = inner.len() - 1;
        mesh.triangles.push([n + 1, at(last, s + 1), at(last, s)]);
    }
    for t in &mut mesh.triangles {
        t.swap(1, 2);
    }
    mesh
}

/// Two balls of radius 1 at x = ±`reach`, joined by a tube of radius `tube`.
pub(crate) fn dumbbell(reach: f32, tube: f32, edge: f32) -> Mesh {
    let n = ((reach + 1.0) / (0.7 * edge)).ceil() as i32;
    let profile = |x: f32| {
        let d = x.abs() - reach;
        let ball = (1.0 - d * d).max(0.0).sqrt();
        ball.max(if x.abs() < reach { tube } else { 0.0 })
    };
    let rings: Vec<(f32, f32)> = (-n..=n)
        .map(|k| {
            let x = (reach + 1.0) * k as f32 / n as f32;
            (x, profile(x))
        })
        .collect();
    let segments = (std::f32::consts::TAU / (0.9 * edge)).ceil() as u32;
    lathe(&rings, segments)
}

/// Several meshes in one.
pub(crate) fn together(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let n = all.positions.len() as u32;
        all.positions.extend_from_slice(&part.positions);
        all.triangles
            .extend(part.triangles.iter().map(|t| t.map(|v| v + n)));
    }
    all
}

/// A ball.
pub(crate) fn ball(center: Vec3, radius: f32, segments: u32) -> Mesh {
    let mut mesh = sphere(radius, segments);
    for p in &mut mesh.positions {
        *p += center;
    }
    mesh
}

/// A torus with edges of about `edge`.
pub(crate) fn ring(major: f32, minor: f32, edge: f32) -> Mesh {
    let count = |length: f32| (length / edge).ceil() as u32;
    torus(
        major,
        minor,
        count(std::f32::consts::TAU * major),
        count(std::f32::consts::TAU * minor),
    )
}
