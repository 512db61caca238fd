//! Blobs in random motion: the surface stays sound, ends without crossings and encloses the union.

use crate::motions::{ball, between, check, together, unit};
use glam::{Quat, Vec3};
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};

/// A ball with bumps.
fn bumpy(seed: u64, k: u64, center: Vec3, radius: f32) -> Mesh {
    let mut mesh = ball(Vec3::ZERO, 1.0, 8);
    let waves: Vec<(Vec3, f32)> = (0..3)
        .map(|w| {
            let direction = Random::new([seed, k, w, 5]).next_direction();
            (
                direction * between(seed, 100 * k + w, 1.0, 3.0),
                between(seed, 200 * k + w, 0.0, 6.0),
            )
        })
        .collect();
    for p in &mut mesh.positions {
        let bump: f32 = waves
            .iter()
            .map(|(q, phase)| (p.dot(*q) + phase).sin())
            .sum();
        *p = center + *p * (radius * (1.0 + 0.06 * bump));
    }
    mesh
}

/// A rigid motion of one blob.
struct Drift {
    center: Vec3,
    velocity: Vec3,
    spin: Vec3,
}

/// Blobs fly into each other; vertices follow the drift of the nearest blob middle, blended, plus noise.
fn run(seed: u64) -> Result<(), String> {
    let count = 2 + (unit(seed, 0) * 4.0) as u64;
    let edge = between(seed, 1, 0.2, 0.3);
    let mut drifts: Vec<Drift> = Vec::new();
    let mut parts = Vec::new();
    for k in 0..count {
        let center = Random::new([seed, k, 0, 1]).next_direction() * 1.3;
        let radius = between(seed, 20 + k, 0.5, 0.9);
        parts.push(bumpy(seed, k, center, radius));
        drifts.push(Drift {
            center,
            velocity: -center * between(seed, 40 + k, 0.01, 0.05),
            spin: Random::new([seed, k, 0, 2]).next_direction() * 0.05,
        });
    }
    let mut tracker =
        Tracker::new(&together(&parts), TrackerSettings::new(edge)).map_err(|e| e.to_string())?;
    for frame in 0..30 {
        let moving = frame < 24;
        if moving {
            let fields: Vec<(Vec3, Vec3, Quat)> = drifts
                .iter()
                .map(|d| (d.center, d.velocity, Quat::from_scaled_axis(d.spin)))
                .collect();
            tracker.advect(|p| {
                let (mut sum, mut total) = (Vec3::ZERO, 0.0);
                for (center, velocity, spin) in &fields {
                    let w = (-4.0 * p.distance_squared(*center)).exp() + 1e-9;
                    sum += w * (*center + *velocity + *spin * (p - *center));
                    total += w;
                }
                let noise = 0.02
                    * edge
                    * Vec3::new((37.0 * p.x).sin(), (41.0 * p.y).sin(), (43.0 * p.z).sin());
                sum / total + noise
            });
            for d in &mut drifts {
                d.center += d.velocity;
            }
        }
        let report = tracker.update();
        if let Err(violation) = tracker.mesh().validate(Level::Everything) {
            return Err(format!("frame {frame}: {violation}"));
        }
        if frame == 29 && report.events.left > 0 {
            return Err(format!(
                "{} crossings are left: {report:?}",
                report.events.left
            ));
        }
    }
    Ok(())
}

#[test]
fn blobs_stay_sound_and_end_without_crossings() {
    check(40, run);
}
