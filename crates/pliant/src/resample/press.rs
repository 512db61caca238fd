//! Narrow gaps in what flows are closed.
//!
//! Where two layers of a body have come together, new groups hold both, and nothing presses them against each other any more. The gap
//! that is left between their surfaces would be drawn out for ever, until there is more gap than body. Particles cannot tell a gap
//! below their own distance from none at all; here its walls are moved towards each other until they cross, and the surface joins them.

use super::cloud::Cloud;
use super::{Context, Scratch};
use crate::surface::Tracked;
use glam::Vec3;
use rayon::prelude::*;

/// How far in front of a vertex the opposite wall is looked for, in r: within the vertex's own inflation, and beyond it.
const AHEAD: [f32; 2] = [0.2, 0.6];
/// How far a vertex moves in a frame, in r.
const STEP: f32 = 0.09;
/// Plastic strain of a frame below which gaps stay: what creeps keeps its shape.
const LEAST_FLOW: f32 = 2e-3;

/// Vertices in narrow gaps, ascending, and where they are to go.
///
/// The columns hold the surface blown up: just in front of a vertex it is covered once, by itself, and farther ahead not at all. Once
/// more means that there is another wall.
pub(super) fn press(
    cloud: &Cloud,
    context: &Context,
    tracked: &Tracked,
    scratch: &Scratch,
) -> Vec<(u32, Vec3)> {
    let mesh = tracked.mesh();
    let blown_up = scratch.inflation.moved();
    let per_inflation = 1.0 / cloud.settings.inflation;
    (0..mesh.x.len() as u32)
        .into_par_iter()
        .with_min_len(1024)
        .filter_map(|v| {
            let (y, piece) = (mesh.x[v as usize], mesh.component[v as usize]);
            // One r along the normal.
            let out = (blown_up[v as usize] - y) * per_inflation;
            if !out.is_finite() || tracked.skin()[v as usize].mean(context.flow) < LEAST_FLOW {
                return None;
            }
            let covered = |ahead: f32| cloud.winding(scratch, y + ahead * out, piece);
            let walled = covered(AHEAD[0]) > 1 || covered(AHEAD[1]) > 0;
            walled.then(|| (v, y + STEP * out))
        })
        .collect()
}
