//! Vertices around which the surface cannot cross itself.

use crate::surface::closed_mesh::{ClosedMesh, NONE};
use glam::Vec3;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most triangles of a star that is looked at; larger ones are not flat.
const LARGEST: usize = 24;
/// Cosine of the largest angle between a normal and the vertex normal, about 84°: two triangles of a flat star are never folded
/// by more than 169°, so the fold test need not be asked.
const STEEPEST: f32 = 0.1;
/// Part of the product of two lengths that the product of two spokes seen along the vertex normal must have. Angles between spokes, seen that
/// way, are then at least a hundredth away from zero and from a half turn, a hundred times what rounding can change.
const CLEAR: f32 = 1e-2;
/// Products of two lengths below this lose digits (m²).
const TINY: f32 = 1e-14;

/// How flat the stars of the vertices are, found out when somebody asks.
///
/// A star is flat if all its triangles, seen along the vertex normal, turn counter-clockwise and go around the vertex once. They then
/// lie side by side in that view, so no two of them meet except in what they share: this is a proof, not a rule of thumb.
#[derive(Debug, Default)]
pub(super) struct Stars {
    /// Clearances as bits, or [`UNKNOWN`]. Threads may find out the same thing twice, and always the same.
    known: Vec<AtomicU32>,
}

/// Bits that no clearance has.
const UNKNOWN: u32 = u32::MAX;

impl Clone for Stars {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Stars {
    /// Forgets everything.
    pub(super) fn reset(&mut self, vertices: usize) {
        self.known.resize_with(vertices, AtomicU32::default);
        for known in &mut self.known {
            *known.get_mut() = UNKNOWN;
        }
    }

    /// [`clearance`] of the star of `v`.
    #[inline]
    pub(super) fn clearance(&self, mesh: &ClosedMesh, v: u32) -> f32 {
        let Some(known) = self.known.get(v as usize) else {
            return 0.0;
        };
        let bits = known.load(Ordering::Relaxed);
        if bits != UNKNOWN {
            return f32::from_bits(bits);
        }
        let found = clearance(mesh, v);
        known.store(found.to_bits(), Ordering::Relaxed);
        found
    }
}

/// How far the vertices of the star of `v` may move, besides moving together, until it might not be flat any more (m); zero if it is
/// not flat.
///
/// If both ends of two spokes move by δ, their product moves by at most e = 2δ(|s| + |t|) + 4δ². As long as no triangle turns over the
/// star cannot begin to go around twice.
pub(super) fn clearance(mesh: &ClosedMesh, v: u32) -> f32 {
    let mut spokes = [Vec3::ZERO; LARGEST + 1];
    let Some(count) = find_spokes(mesh, v, &mut spokes) else {
        return 0.0;
    };
    let spokes = &spokes[..=count];
    let sum = spokes
        .windows(2)
        .fold(Vec3::ZERO, |sum, s| sum + s[0].cross(s[1]));
    let axis = sum / sum.length();
    if !axis.is_finite() {
        return 0.0;
    }
    let level = axis.any_orthonormal_vector();
    let mut turns = 0;
    let mut behind = spokes[0].dot(level) < 0.0;
    let mut length = spokes[0].length();
    let mut clear = f32::INFINITY;
    for s in spokes.windows(2) {
        let normal = s[0].cross(s[1]);
        let next_length = s[1].length();
        let size = length * next_length;
        let seen = normal.dot(axis) - STEEPEST * normal.length();
        // Nothing compares with what is not a number.
        if !(size > TINY && seen > CLEAR * size) {
            return 0.0;
        }
        // With δ ≤ (|s| + |t|)/8, e + STEEPEST e is at most 2.75 δ (|s| + |t|).
        let both = length + next_length;
        clear = clear.min(seen / (2.8 * both)).min(0.12 * both);
        let next = s[1].dot(level) < 0.0;
        turns += usize::from(behind && !next);
        (behind, length) = (next, next_length);
    }
    if turns == 1 { clear } else { 0.0 }
}

/// The edges of the star of `v` in order, the first one again at the end. Returns how many there are; none if too many or open.
#[inline]
fn find_spokes(mesh: &ClosedMesh, v: u32, spokes: &mut [Vec3; LARGEST + 1]) -> Option<usize> {
    let first = mesh.out[v as usize];
    let mut count = 0;
    for h in mesh.outgoing(first) {
        if count == LARGEST || mesh.twin(h) == NONE {
            return None;
        }
        spokes[count] = mesh.x[mesh.target(h) as usize] - mesh.x[v as usize];
        count += 1;
    }
    spokes[count] = spokes[0];
    Some(count)
}
