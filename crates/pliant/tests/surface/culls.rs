//! The search for crossings may leave out only what does not cross.

use crate::motions::{ball, between, check, together, unit};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::ClosedMesh;
use pliant::surface::detect::Detector;
use pliant::surface::patches::Patches;

/// Searches a surface that a motion deforms more and more, with every short cut and without any, for some frames.
fn searched(mesh: &Mesh, frames: usize, motion: impl Fn(Vec3) -> Vec3) -> Result<(), String> {
    let mut mesh = ClosedMesh::new(mesh).map_err(|e| e.to_string())?;
    let mut patches = Patches::build(&mut mesh);
    let (mut fast, mut slow) = (Detector::default(), Detector::default());
    (slow.culls, slow.keeps_distances) = (false, false);
    let (mut found, mut all) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        patches.begin_frame(&mut mesh);
        fast.find(&mesh, &patches, None, &mut found);
        slow.find(&mesh, &patches, None, &mut all);
        if found != all {
            let missed = all.iter().find(|pair| !found.contains(pair));
            return Err(format!(
                "frame {frame}: {} crossings instead of {}, missed {missed:?}",
                found.len(),
                all.len()
            ));
        }
        for p in mesh.positions_mut() {
            *p = motion(*p);
        }
    }
    Ok(())
}

/// A ball that crumples.
fn crumpling(seed: u64) -> Result<(), String> {
    let (size, force) = (between(seed, 0, 2.0, 12.0), between(seed, 1, 0.005, 0.08));
    let mut random = Random::new([seed, 1, 0, 0]);
    let axes = [(); 3].map(|()| {
        (
            random.next_direction() * size,
            random.next_direction() * force,
        )
    });
    let noise = between(seed, 2, 0.0, 0.2);
    let mut mesh = ball(Vec3::ZERO, 1.0, 10);
    for p in &mut mesh.positions {
        *p += noise * (random.next_in_cube() - 0.5);
    }
    searched(&mesh, 8, |p| {
        p + axes
            .iter()
            .map(|(q, way)| *way * p.dot(*q).sin())
            .sum::<Vec3>()
    })
    .map_err(|e| format!("{e}; waves of {size}, force {force}, noise {noise}"))
}

/// Two balls that pass through each other, or lie on each other exactly.
fn passing(seed: u64) -> Result<(), String> {
    let speed = between(seed, 0, 0.0, 0.3);
    let away = if unit(seed, 1) < 0.1 {
        0.0
    } else {
        between(seed, 2, 0.0, 2.2)
    };
    let way = Random::new([seed, 3, 0, 0]).next_direction();
    let segments = if unit(seed, 4) < 0.5 { 9 } else { 8 };
    let mesh = together(&[ball(Vec3::ZERO, 1.0, 9), ball(way * away, 1.0, segments)]);
    let half = 0.5 * away;
    searched(&mesh, 8, |p| {
        if p.dot(way) > half {
            p - way * speed
        } else {
            p
        }
    })
    .map_err(|e| format!("{e}; {segments} segments, {away} away, speed {speed}"))
}

/// A thin slab that is bent over, so that its layers touch or pass through each other.
fn folding(seed: u64) -> Result<(), String> {
    let (thin, bend) = (between(seed, 0, 0.01, 0.1), between(seed, 1, 0.0, 0.3));
    let mut random = Random::new([seed, 2, 0, 0]);
    let (along, up) = (random.next_direction(), random.next_direction());
    let mut mesh = ball(Vec3::ZERO, 1.0, 15);
    for p in &mut mesh.positions {
        p.y *= thin;
    }
    searched(&mesh, 8, |p| {
        let s = p.dot(along);
        p + bend * (4.0 * s).sin() * up - 0.5 * bend * s * along
    })
    .map_err(|e| format!("{e}; thickness {thin}, bend {bend}"))
}

#[test]
fn culls_change_nothing_on_crumpled_balls() {
    check(8, crumpling);
}

#[test]
fn culls_change_nothing_on_balls_that_pass() {
    check(8, passing);
}

#[test]
fn culls_change_nothing_on_folded_slabs() {
    check(8, folding);
}
