//! The cut by a blade, which deletes what it crosses.

use super::super::closed_mesh::ClosedMesh;
use super::super::filling::fill;
use super::super::surgery::Surgery;
use super::{CutOutcome, Place, close_flat};
use glam::DVec2;
use std::collections::BTreeMap;

/// Fewer triangles of a piece are not left over.
const LEAST: usize = 4;

/// Deletes the triangles that the blade crosses and closes the holes.
pub(super) fn cut(
    mesh: &mut ClosedMesh,
    surgery: &mut Surgery,
    place: &Place,
    chosen: impl Fn(&ClosedMesh, u32) -> bool,
) -> CutOutcome {
    let mut crossed: Vec<u32> = mesh
        .triangles()
        .filter(|&t| chosen(mesh, mesh.corner[3 * t as usize]) && crosses(mesh, place, t))
        .collect();
    if crossed.is_empty() {
        return CutOutcome::Missed;
    }
    spare_small_pieces(mesh, &mut crossed);
    if crossed.is_empty() {
        return CutOutcome::Refused;
    }
    for slits in [true, false] {
        let loops = surgery.open(mesh, &crossed, &[]);
        // Loops on one side of the plane bound flat caps; others go around the tip of the blade.
        let mut sorted: [Vec<Vec<u32>>; 3] = Default::default();
        for edges in &loops {
            let over = |&h: &u32| place.height(mesh.at(h)) >= 0.0;
            let side = if edges.iter().all(over) {
                1
            } else if edges.iter().any(over) {
                2
            } else {
                0
            };
            sorted[side].push(edges.clone());
        }
        let [below, above, around] = &sorted;
        let caps = close_flat(mesh, surgery, place, below, false, slits).and_then(|lower| {
            let upper = close_flat(mesh, surgery, place, above, true, slits)?;
            Some([lower, upper])
        });
        if let Some(caps) = caps {
            fill(mesh, surgery, around);
            surgery.commit(mesh);
            return CutOutcome::Cut {
                loops: loops.len(),
                caps,
            };
        }
        surgery.roll_back(mesh);
    }
    CutOutcome::Refused
}

/// Whether the triangle passes through the rectangle.
fn crosses(mesh: &ClosedMesh, place: &Place, t: u32) -> bool {
    let corners = mesh.points(t);
    let heights = corners.map(|p| place.height(p));
    let mut ends: [DVec2; 2] = [DVec2::ZERO; 2];
    let mut count = 0;
    for k in 0..3 {
        let l = (k + 1) % 3;
        if (heights[k] >= 0.0) != (heights[l] >= 0.0) {
            let s = heights[k] / (heights[k] - heights[l]);
            ends[count] = place.flat(corners[k]).lerp(place.flat(corners[l]), s);
            count += 1;
        }
    }
    let Some(half) = place.half else {
        return count == 2;
    };
    // The part of the segment that lies between the sides of the rectangle.
    let (mut from, mut to) = (0.0f64, 1.0f64);
    let along = ends[1] - ends[0];
    for (axis, &half) in half.iter().enumerate() {
        let (start, step) = (ends[0][axis], along[axis]);
        if step == 0.0 {
            if start.abs() > half {
                return false;
            }
            continue;
        }
        let (a, b) = ((-half - start) / step, (half - start) / step);
        from = from.max(a.min(b));
        to = to.min(a.max(b));
    }
    count == 2 && from <= to
}

/// A piece of which next to nothing would be left is not cut.
fn spare_small_pieces(mesh: &ClosedMesh, crossed: &mut Vec<u32>) {
    let piece = |t: u32| mesh.component[mesh.corner[3 * t as usize] as usize];
    let mut left: BTreeMap<u32, usize> = BTreeMap::new();
    for t in mesh.triangles() {
        *left.entry(piece(t)).or_insert(0) += 1;
    }
    for &t in crossed.iter() {
        left.entry(piece(t)).and_modify(|n| *n -= 1);
    }
    crossed.retain(|&t| left.get(&piece(t)).is_some_and(|&n| n >= LEAST));
}
