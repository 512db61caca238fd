//! How cases are run, and the shapes and motions they are made of.
//!
//! A property is run on a share of two hundred cases, each made from its seed alone. `PLIANT_CASES=10000` runs ten thousand instead
//! of two hundred, `PLIANT_SEED=1` goes on to other cases, and `PLIANT_CASE=15` runs the case with seed 15 alone.

use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::solids::{sphere, torus};
use pliant::random::Random;
use pliant::surface::detect::Detector;
use pliant::surface::patches::Patches;
use pliant::surface::validate::{Census, Level};
use pliant::surface::{ClosedMesh, Tracker, TrackerReport};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The seeds of a property with `share` of two hundred cases.
fn seeds(share: u64) -> std::ops::Range<u64> {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a whole number"))
    };
    if let Some(seed) = number("PLIANT_CASE") {
        return seed..seed + 1;
    }
    let first = 1_000_000 * number("PLIANT_SEED").unwrap_or(0);
    first..first + (share * number("PLIANT_CASES").unwrap_or(200)).div_ceil(200)
}

/// Runs a property on `share` of two hundred cases, and tells in a line about each that fails.
pub(crate) fn check(share: u64, case: impl Fn(u64) -> Result<(), String> + Sync) {
    let seeds = seeds(share);
    let count = seeds.end - seeds.start;
    let failed: Vec<String> = seeds
        .into_par_iter()
        .filter_map(|seed| {
            // A panic must not hide which case it was.
            let ended = catch_unwind(AssertUnwindSafe(|| case(seed)));
            let told = ended.unwrap_or_else(|_| Err("panics".to_owned())).err()?;
            Some(format!("seed {seed}: {told}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {count} cases failed\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// Repairs the surface of a frame and looks at all its invariants.
pub(crate) fn repaired(
    tracker: &mut Tracker,
    frame: usize,
) -> Result<(TrackerReport, Census), String> {
    let report = tracker.update();
    let census = tracker
        .mesh()
        .validate(Level::Everything)
        .map_err(|violation| format!("frame {frame}: {violation}"))?;
    Ok((report, census))
}

/// Pairs of triangles that cross, looked for without any short cut.
pub(crate) fn crossings(mesh: &ClosedMesh) -> usize {
    let mut mesh = mesh.clone();
    let patches = Patches::build(&mut mesh);
    let mut pairs = Vec::new();
    let mut detector = Detector::default();
    detector.culls = false;
    detector.find(&mesh, &patches, None, &mut pairs);
    pairs.len()
}

/// A random number in [0, 1) for a seed and a purpose.
pub(crate) fn unit(seed: u64, purpose: u64) -> f32 {
    Random::new([seed, purpose, 77, 0]).next_f32()
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
