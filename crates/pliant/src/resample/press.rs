//! Narrow gaps in what flows are closed.
//!
//! Where two layers of a body have come together, new groups hold both, and nothing presses them against each other any more. The gap
//! that is left between their surfaces would be drawn out for ever. Here its walls are moved towards each other until they cross, and
//! the surface joins them.

use super::cloud::Cloud;
use super::{Context, Scratch};
use crate::surface::Tracked;
use glam::Vec3;
use rayon::prelude::*;

/// How far in front of a vertex the opposite wall is looked for: this part of the inflation away it is met blown up too.
const AHEAD: f32 = 0.8;
/// How far a vertex moves in a frame, as part of the inflation.
const STEP: f32 = 0.4;

/// Vertices in narrow gaps, ascending, and where they are to go.
///
/// The columns hold the surface blown up: in front of a vertex it is covered once, by itself; twice means that there is another wall.
pub(super) fn press(
    cloud: &Cloud,
    context: &Context,
    tracked: &Tracked,
    scratch: &Scratch,
) -> Vec<(u32, Vec3)> {
    let mesh = tracked.mesh();
    let blown_up = scratch.inflation.moved();
    (0..mesh.x.len() as u32)
        .into_par_iter()
        .with_min_len(1024)
        .filter_map(|v| {
            let (y, out) = (
                mesh.x[v as usize],
                blown_up[v as usize] - mesh.x[v as usize],
            );
            let covered = out.is_finite()
                && cloud.winding(scratch, y + AHEAD * out, mesh.component[v as usize]) > 1;
            let flows = || {
                tracked.skin()[v as usize]
                    .point
                    .iter()
                    .any(|&i| context.groups.flows(i as usize))
            };
            (covered && flows()).then(|| (v, y + STEP * out))
        })
        .collect()
}
