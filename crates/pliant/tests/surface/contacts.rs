//! Parts that touch for a moment come apart as they were; those that stay in touch become one.

use crate::motions::{ball, between, check, together};
use glam::Vec3;
use pliant::surface::closed_mesh::INNER;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};

const STEPS: usize = 3;

/// Two balls that are pressed into each other in three steps, held for `held` frames and drawn apart again, with a delay of eight
/// frames. Returns the pieces of every frame.
fn press(seed: u64, held: usize) -> Result<(Tracker, Vec<usize>), String> {
    let step = between(seed, 1, 0.1, 0.25) / STEPS as f32;
    let sides = [-1.02, 1.02].map(|x| ball(Vec3::X * x, 1.0, 11));
    let settings = TrackerSettings {
        merge_delay: 8,
        ..TrackerSettings::new(between(seed, 0, 0.22, 0.3))
    };
    let mut tracker = Tracker::new(&together(&sides), settings).map_err(|e| e.to_string())?;
    let mut pieces = Vec::new();
    for frame in 0..2 * STEPS + held {
        let inward = match frame {
            f if f < STEPS => step,
            f if f < STEPS + held => 0.0,
            _ => -step,
        };
        // Each ball by its own, also where it is inside of the other.
        let rest = tracker.mesh().rest_positions().to_vec();
        tracker.advect_vertices(|v, p| p - Vec3::X * (inward * rest[v as usize].x.signum()));
        tracker.update();
        if let Err(violation) = tracker.mesh().validate(Level::Everything) {
            return Err(format!("frame {frame}: {violation}"));
        }
        pieces.push(tracker.components().len());
    }
    Ok((tracker, pieces))
}

fn inner(tracker: &Tracker) -> usize {
    let mesh = tracker.mesh();
    mesh.triangles()
        .filter(|&t| mesh.material(t) == INNER)
        .count()
}

#[test]
fn a_moment_in_touch_leaves_no_trace() {
    check(4, |seed| {
        let (tracker, pieces) = press(seed, 4)?;
        if pieces.iter().any(|&n| n != 2) || inner(&tracker) > 0 {
            return Err(format!("{pieces:?}, {} inner", inner(&tracker)));
        }
        Ok(())
    });
}

#[test]
fn what_stays_in_touch_becomes_one() {
    check(4, |seed| {
        let (_, pieces) = press(seed, 12)?;
        // In touch since the first or second step.
        let first = pieces.iter().position(|&n| n == 1);
        if !first.is_some_and(|frame| (8..=STEPS + 8).contains(&frame)) {
            return Err(format!("{pieces:?}"));
        }
        Ok(())
    });
}
