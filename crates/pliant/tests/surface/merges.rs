//! Bodies that meet become one.

use crate::motions::{ball, between, check, repaired, together, unit};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::{Tracker, TrackerSettings};
use std::f64::consts::PI;

/// Volume of two balls of radius 1 whose middles are `d` apart.
fn union_of_two(d: f64) -> f64 {
    let lens = PI * (4.0 + d) * (2.0 - d).powi(2) / 12.0;
    8.0 / 3.0 * PI - lens
}

/// A ball of few triangles with the volume of a round one.
fn round(center: Vec3) -> Mesh {
    let facets = ball(Vec3::ZERO, 1.0, 11).volume() / (4.0 / 3.0 * PI);
    ball(center, (1.0 / facets).cbrt() as f32, 11)
}

/// How two balls met.
struct Meeting {
    /// Euler number of every frame.
    euler: Vec<i64>,
    volume: f64,
    /// Distance of the middles in the end.
    gap: f32,
    /// What the case was made of.
    told: String,
}

/// Two balls approach, overlap and stand still for six frames.
fn approach(seed: u64, swap: bool) -> Result<Meeting, String> {
    let edge = between(seed, 0, 0.22, 0.3);
    let direction = Random::new([seed, 1, 0, 0]).next_direction();
    let speed = edge * between(seed, 2, 0.1, 0.6);
    let mut gap = 2.03;
    let last = between(seed, 3, 1.2, 1.7).max(gap - 24.0 * speed);
    let (a, b) = (
        round(direction * (-0.5 * gap)),
        round(direction * (0.5 * gap)),
    );
    let parts = if swap { [b, a] } else { [a, b] };
    let mut tracker =
        Tracker::new(&together(&parts), TrackerSettings::new(edge)).map_err(|e| e.to_string())?;
    let mut euler = Vec::new();
    let mut still = 0;
    while still < 6 {
        let step = speed.min(gap - last).max(0.0);
        gap -= step;
        still += usize::from(step == 0.0);
        tracker.advect(|p| p - direction * (0.5 * step * p.dot(direction).signum()));
        let (_, census) = repaired(&mut tracker, euler.len())?;
        euler.push(census.euler);
    }
    Ok(Meeting {
        euler,
        volume: tracker.mesh().volume(),
        gap,
        told: format!("edge {edge}, speed {speed}, gap {gap}"),
    })
}

/// The balls become one, once, with the volume of their union.
fn joined(meeting: &Meeting) -> Result<(), String> {
    let Meeting {
        euler,
        volume,
        gap,
        told,
    } = meeting;
    let first = euler.iter().position(|&e| e != 4).unwrap_or(euler.len());
    if first == euler.len() {
        return Err(format!("never joined; {told}"));
    }
    if let Some(frame) = (first..euler.len()).find(|&frame| euler[frame] != 2) {
        return Err(format!(
            "Euler number {} in frame {frame}, joined in frame {first}; {told}",
            euler[frame]
        ));
    }
    let error = volume / union_of_two(f64::from(*gap)) - 1.0;
    if error.abs() > 0.01 {
        return Err(format!("volume off by {:.2} %; {told}", 100.0 * error));
    }
    Ok(())
}

/// The same motion with the balls named the other way round gives a volume that differs by a thousandth at most.
fn same_volume(seed: u64) -> Result<(), String> {
    let (one, other) = (approach(seed, false)?, approach(seed, true)?);
    let change = other.volume / one.volume - 1.0;
    if change.abs() > 0.001 {
        let percent = 100.0 * change;
        return Err(format!("volumes differ by {percent:.3} %; {}", one.told));
    }
    Ok(())
}

/// Six balls around a circle grow together into a ring.
fn ring_of_six(seed: u64) -> Result<(), String> {
    let edge = between(seed, 0, 0.34, 0.4);
    let reach = between(seed, 1, 1.75, 1.85);
    let phase = unit(seed, 2);
    let turn = std::f32::consts::TAU / 6.0;
    let toward = |k: f32| Vec3::new((k * turn).cos(), 0.0, (k * turn).sin());
    let mut radius = 2.2f32;
    let balls: Vec<Mesh> = (0..6)
        .map(|k| ball(toward(k as f32 + phase) * radius, 1.0, 6))
        .collect();
    let mut tracker =
        Tracker::new(&together(&balls), TrackerSettings::new(edge)).map_err(|e| e.to_string())?;
    let mut end = (0, 0);
    for frame in 0..24 {
        let to = (radius - 0.05).max(reach);
        let step = radius - to;
        radius = to;
        tracker.advect(|p| {
            let k = (p.z.atan2(p.x) / turn - phase).round() + phase;
            p - toward(k) * step
        });
        let (_, census) = repaired(&mut tracker, frame)?;
        end = (census.sheets, census.euler);
    }
    if end != (1, 0) {
        return Err(format!(
            "ends with {} sheets, Euler number {}; edge {edge}, reach {reach}",
            end.0, end.1
        ));
    }
    Ok(())
}

#[test]
fn two_balls_become_one() {
    check(10, |seed| joined(&approach(seed, false)?));
}

#[test]
fn two_balls_become_one_in_the_other_order() {
    check(10, |seed| joined(&approach(seed, true)?));
}

#[test]
fn the_order_of_the_balls_does_not_show_in_the_volume() {
    check(10, same_volume);
}

#[test]
fn a_ring_of_six_becomes_a_torus() {
    check(4, ring_of_six);
}
