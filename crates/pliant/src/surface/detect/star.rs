//! Vertices around which the surface cannot cross itself.

use crate::surface::closed_mesh::{ClosedMesh, NONE};
use glam::Vec3;
use std::sync::atomic::{AtomicU8, Ordering};

/// Most triangles of a star that is looked at; larger ones are not flat.
const LARGEST: usize = 24;
/// Cosine of the largest angle between a normal and the vertex normal, about 84°: two triangles of a flat star are never folded
/// by more than 169°, so the fold test need not be asked.
const STEEPEST: f32 = 0.1;
/// Part of the product of two spokes that their product seen along the vertex normal must have. Angles between spokes, seen that
/// way, are then at least a hundredth away from zero and from a half turn, a hundred times what rounding can change.
const CLEAR: f32 = 1e-2;
/// Products of four lengths below this lose digits (m⁴).
const TINY: f32 = 1e-28;

/// Which vertices have a flat star, found out when somebody asks.
///
/// A star is flat if all its triangles, seen along the vertex normal, turn counter-clockwise and go around the vertex once. They then
/// lie side by side in that view, so no two of them meet except in what they share: this is a proof, not a rule of thumb.
#[derive(Debug, Default)]
pub(super) struct Stars {
    /// [`UNKNOWN`], [`FLAT`] or [`STEEP`]. Threads may find out the same thing twice, and always the same.
    known: Vec<AtomicU8>,
}

const UNKNOWN: u8 = 0;
const FLAT: u8 = 1;
const STEEP: u8 = 2;

impl Clone for Stars {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Stars {
    /// Forgets everything.
    pub(super) fn reset(&mut self, vertices: usize) {
        self.known.resize_with(vertices, AtomicU8::default);
        for known in &mut self.known {
            *known.get_mut() = UNKNOWN;
        }
    }

    /// Whether the star of `v` is flat.
    pub(super) fn flat(&self, mesh: &ClosedMesh, v: u32) -> bool {
        let Some(known) = self.known.get(v as usize) else {
            return false;
        };
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let flat = is_flat(mesh, v);
                known.store(if flat { FLAT } else { STEEP }, Ordering::Relaxed);
                flat
            }
            known => known == FLAT,
        }
    }
}

/// Whether the triangles around `v` lie side by side when seen along its normal.
pub(super) fn is_flat(mesh: &ClosedMesh, v: u32) -> bool {
    let first = mesh.out[v as usize];
    if first == NONE {
        return false;
    }
    let mut spokes = [Vec3::ZERO; LARGEST + 1];
    let mut count = 0;
    for h in mesh.outgoing(first) {
        if count == LARGEST || mesh.twin(h) == NONE {
            return false;
        }
        spokes[count] = mesh.x[mesh.target(h) as usize] - mesh.x[v as usize];
        count += 1;
    }
    spokes[count] = spokes[0];
    let spokes = &spokes[..=count];
    let sum = spokes
        .windows(2)
        .fold(Vec3::ZERO, |sum, s| sum + s[0].cross(s[1]));
    let axis = sum / sum.length();
    if !axis.is_finite() {
        return false;
    }
    let level = axis.any_orthonormal_vector();
    let mut turns = 0;
    let mut behind = spokes[0].dot(level) < 0.0;
    for s in spokes.windows(2) {
        let normal = s[0].cross(s[1]);
        let size2 = s[0].length_squared() * s[1].length_squared();
        let seen = normal.dot(axis);
        let least = (STEEPEST * STEEPEST * normal.length_squared()).max(CLEAR * CLEAR * size2);
        // Nothing compares with what is not a number.
        if !(seen > 0.0 && size2 > TINY && seen * seen > least) {
            return false;
        }
        let next = s[1].dot(level) < 0.0;
        turns += usize::from(behind && !next);
        behind = next;
    }
    turns == 1
}
