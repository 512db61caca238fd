//! What ends inside of material without any crossing goes; cavities, and what lies in them, stay.

use crate::motions::{ball, between, check, repaired, together};
use glam::{Quat, Vec3};
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::{Tracker, TrackerSettings};

const EDGE: f32 = 0.3;

fn inside_out(mut mesh: Mesh) -> Mesh {
    for t in &mut mesh.triangles {
        t.swap(1, 2);
    }
    mesh
}

/// Up to three balls jump into a large one, or into another that jumps too, from one frame to the next.
fn engulfed(seed: u64) -> Result<(), String> {
    let mut random = Random::new([seed, 1, 0, 0]);
    let count = 1 + random.next_below(3);
    let far = Vec3::X * 10.0;
    let large = ball(Vec3::ZERO, 1.0, 8);
    let mut parts = vec![large.clone()];
    for k in 0..count {
        // Each in a third of the large one, so that they do not meet each other.
        let angle = std::f32::consts::TAU * (k as f32 + 0.3 * random.next_f32()) / 3.0;
        let size = between(seed, 10 + u64::from(k), 0.25, 0.35);
        let place = Vec3::new(angle.cos(), 0.6 * random.next_f32() - 0.3, angle.sin());
        parts.push(ball(place * 0.5 + far, size, 4));
    }
    // A part that lies first in the mesh must not be treated better.
    let parts_first = random.next_below(2) == 1;
    if parts_first {
        parts.rotate_left(1);
    }
    let told = |what: String| format!("{what}; {count} balls, first {parts_first}");
    let mut settings = TrackerSettings::new(EDGE);
    settings.particle_radius = 0.5 * EDGE;
    let mut tracker = Tracker::new(&together(&parts), settings).map_err(|e| e.to_string())?;
    repaired(&mut tracker, 0).map_err(told)?;
    let before = tracker.components().len();
    if before != count as usize + 1 {
        return Err(told(format!("{before} pieces before the jump")));
    }
    tracker.advect(|p| if p.x > 5.0 { p - far } else { p });
    let (report, census) = repaired(&mut tracker, 1).map_err(told)?;
    if report.components.engulfed != count as usize || census.sheets != 1 {
        return Err(told(format!(
            "{} were taken out, {} sheets are left",
            report.components.engulfed, census.sheets
        )));
    }
    // The large one is what it would be alone.
    let mut alone = Tracker::new(&large, settings).map_err(|e| e.to_string())?;
    repaired(&mut alone, 0)?;
    let (_, expected) = repaired(&mut alone, 1)?;
    if (census.volume / expected.volume - 1.0).abs() > 1e-3 {
        return Err(told(format!(
            "volume {} instead of {}",
            census.volume, expected.volume
        )));
    }
    Ok(())
}

/// A body with a cavity, in half of the cases with a ball in the cavity, tumbles about: nothing is taken out.
fn cavity(seed: u64) -> Result<(), String> {
    let mut random = Random::new([seed, 2, 0, 0]);
    let size = between(seed, 1, 0.5, 0.7);
    let middle = random.next_direction() * between(seed, 2, 0.0, 0.9 * (0.95 - size));
    let filled = random.next_below(2) == 1;
    let mut parts = vec![ball(Vec3::ZERO, 1.0, 9), inside_out(ball(middle, size, 8))];
    if filled {
        let shift = random.next_direction() * between(seed, 3, 0.0, 0.3 * size);
        parts.push(ball(middle + shift, 0.5 * size, 5));
    }
    let first = random.next_below(parts.len() as u32) as usize;
    parts.rotate_left(first);
    let told = |what: String| {
        format!("{what}; cavity of {size} at {middle}, filled {filled}, part {first} first")
    };
    let mut settings = TrackerSettings::new(EDGE);
    settings.particle_radius = 0.5 * EDGE;
    let mesh = together(&parts);
    let volume = mesh.volume();
    let mut tracker = Tracker::new(&mesh, settings).map_err(|e| e.to_string())?;
    let turn = Quat::from_scaled_axis(random.next_direction() * 0.2);
    let drift = random.next_direction() * 0.1;
    for frame in 0..20 {
        tracker.advect(|p| turn * p + drift);
        let (report, census) = repaired(&mut tracker, frame).map_err(told)?;
        let cavities: usize = tracker.components().iter().map(|c| c.cavities).sum();
        let pieces = tracker.components().len();
        if (pieces, cavities, census.sheets) != (1 + usize::from(filled), 1, parts.len()) {
            return Err(told(format!(
                "frame {frame}: {pieces} pieces, {cavities} cavities, {} sheets, {} engulfed, {} inverted",
                census.sheets, report.components.engulfed, report.components.inverted
            )));
        }
        if (census.volume / volume - 1.0).abs() > 0.01 {
            return Err(told(format!(
                "frame {frame}: volume {} from {volume}",
                census.volume
            )));
        }
    }
    Ok(())
}

#[test]
fn the_engulfed_go() {
    check(10, engulfed);
}

#[test]
fn cavities_stay() {
    check(10, cavity);
}
