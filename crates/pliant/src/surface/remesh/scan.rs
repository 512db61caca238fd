//! The one scan over the mesh that finds everything re-meshing has to look at.

use super::super::closed_mesh::{ClosedMesh, next};
use super::flip::excess;
use super::{Lengths, edge_name};
use glam::Vec3;
use rayon::prelude::*;

/// Triangles that one task looks at.
const CHUNK: usize = 4096;

/// An edge with how badly it is out of range, worst first when sorted.
pub(super) type Scored = (u32, u32);

/// What the scan has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// Edges above the longest length, longest first.
    pub(super) long: Vec<Scored>,
    /// Edges below the shortest length, shortest first, then the shortest edges of slivers.
    pub(super) short: Vec<Scored>,
    /// Half-edges opposite to an obtuse corner where the angles across sum to too much.
    pub(super) obtuse: Vec<u32>,
    /// Edges that are near collapse or shrank by a fifth since the last search: where necks may be.
    pub(super) thin: Vec<u32>,
    chunks: Vec<Found>,
}

#[derive(Clone, Debug, Default)]
struct Found {
    long: Vec<Scored>,
    short: Vec<Scored>,
    obtuse: Vec<u32>,
    thin: Vec<u32>,
}

/// Scores are compared with 20 bits of mantissa, so that a last bit never decides.
pub(super) fn quantized(score: f32) -> u32 {
    score.to_bits() & !0xf
}

/// A score that sorts the largest first.
pub(super) fn descending(score: f32) -> u32 {
    u32::MAX - quantized(score)
}

impl Scan {
    pub(super) fn run(&mut self, mesh: &ClosedMesh, lengths: Lengths) {
        let triangles = mesh.material.len();
        let chunks = triangles.div_ceil(CHUNK);
        self.chunks.resize_with(chunks, Found::default);
        self.chunks
            .par_iter_mut()
            .enumerate()
            .for_each(|(k, found)| {
                found.clear();
                let end = ((k + 1) * CHUNK).min(triangles);
                for t in k * CHUNK..end {
                    if mesh.alive(t as u32) {
                        found.look_at(mesh, lengths, t as u32);
                    }
                }
            });
        self.long.clear();
        self.short.clear();
        self.obtuse.clear();
        self.thin.clear();
        for found in &self.chunks {
            self.long.extend_from_slice(&found.long);
            self.short.extend_from_slice(&found.short);
            self.obtuse.extend_from_slice(&found.obtuse);
            self.thin.extend_from_slice(&found.thin);
        }
        self.long.sort_unstable();
        self.short.sort_unstable();
        self.short.dedup();
    }
}

impl Found {
    fn clear(&mut self) {
        self.long.clear();
        self.short.clear();
        self.obtuse.clear();
        self.thin.clear();
    }

    #[inline]
    fn look_at(&mut self, mesh: &ClosedMesh, lengths: Lengths, t: u32) {
        let v = mesh.triangle(t).map(|v| v as usize);
        let p = v.map(|v| mesh.x[v]);
        let q = v.map(|v| mesh.was[v]);
        let (max2, min2) = (lengths.max * lengths.max, lengths.min * lengths.min);
        let e = [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
        let l2 = e.map(Vec3::length_squared);
        for k in 0..3 {
            let h = 3 * t + k as u32;
            if h > mesh.twin(h) {
                continue;
            }
            if l2[k] > max2 {
                self.long.push((descending(l2[k]), h));
            } else if l2[k] < min2 {
                self.short.push((quantized(l2[k]), h));
            }
            let was2 = q[k].distance_squared(q[(k + 1) % 3]);
            if l2[k] < 4.0 * min2 || l2[k] < 0.64 * was2 {
                self.thin.push(h);
            }
        }
        let longest2 = l2[0].max(l2[1]).max(l2[2]);
        // A corner is obtuse where the squares of its legs do not reach the square of the side across: at most one.
        for k in 0..3 {
            let h = 3 * t + k as u32;
            if l2[(k + 1) % 3] + l2[(k + 2) % 3] < l2[k] && excess(mesh, h).is_some() {
                self.obtuse.push(h);
            }
        }
        // Altitude² = (2A)² / longest².
        let area2 = e[0].cross(e[1]).length_squared();
        let thinnest = 0.05 * lengths.min;
        if area2 < thinnest * thinnest * longest2 {
            let k = (0..3).min_by(|&a, &b| l2[a].total_cmp(&l2[b])).unwrap_or(0);
            let h = edge_name(mesh, 3 * t + k as u32);
            self.short.push((quantized(l2[k].max(min2)), h));
        }
    }
}

/// cot α + cot β of the corners across an edge is negative where the two angles sum to more than 180°. Returns the sine of the
/// sum, negative beyond 180°, and its cosine.
pub(super) fn opposite_angles(mesh: &ClosedMesh, h: u32) -> (f32, f32) {
    let corner = |h: u32| {
        let apex = mesh.at(super::super::closed_mesh::prev(h));
        let (u, w) = (mesh.at(h) - apex, mesh.at(next(h)) - apex);
        let norm = (u.length_squared() * w.length_squared()).sqrt();
        if norm > 0.0 {
            (u.cross(w).length() / norm, u.dot(w) / norm)
        } else {
            (0.0, 1.0)
        }
    };
    let (sin_a, cos_a) = corner(h);
    let (sin_b, cos_b) = corner(mesh.twin(h));
    (sin_a * cos_b + cos_a * sin_b, cos_a * cos_b - sin_a * sin_b)
}
