//! Keeping the volume of every piece, by moving its surface along its normals.

use super::closed_mesh::{ClosedMesh, MOVED, NONE};
use super::components::Component;
use crate::parallel;
use glam::Vec3;
use rayon::prelude::*;

/// Moves every vertex along its normal by d = (V_target − V)/A of its piece, at most `limit`. Returns the largest |d| (m).
pub(crate) fn keep_volume(mesh: &mut ClosedMesh, pieces: &[Component], limit: f32) -> f32 {
    if pieces.is_empty() {
        return 0.0;
    }
    let (volumes, areas) = measure(mesh, pieces);
    let offsets: Vec<f32> = pieces
        .iter()
        .enumerate()
        .map(|(k, piece)| {
            let d = ((piece.target - volumes[k]) / areas[k].max(f64::MIN_POSITIVE)) as f32;
            if d.is_finite() {
                d.clamp(-limit, limit)
            } else {
                0.0
            }
        })
        .collect();
    let moved: Vec<Vec3> = (0..mesh.x.len() as u32)
        .into_par_iter()
        .with_min_len(1024)
        .map(|v| {
            let x = mesh.x[v as usize];
            if mesh.out[v as usize] == NONE {
                return x;
            }
            let d = piece_of(pieces, mesh.component[v as usize]).map_or(0.0, |k| offsets[k]);
            if d == 0.0 {
                return x;
            }
            x + mesh.vertex_normal(v).normalize_or_zero() * d
        })
        .collect();
    for (v, to) in moved.into_iter().enumerate() {
        if to != mesh.x[v] {
            mesh.x[v] = to;
            mesh.vertex_flags[v] |= MOVED;
        }
    }
    offsets.iter().fold(0.0, |m, d| m.max(d.abs()))
}

fn piece_of(pieces: &[Component], id: u32) -> Option<usize> {
    pieces.binary_search_by_key(&id, |p| p.id).ok()
}

/// Volume and area of every piece, summed in blocks of a fixed size.
pub(crate) fn measure(mesh: &ClosedMesh, pieces: &[Component]) -> (Vec<f64>, Vec<f64>) {
    // One origin for all: the first vertex alive. Sums are f64, so distance from it costs nothing that matters.
    let origin = mesh
        .vertices()
        .next()
        .map_or(Vec3::ZERO, |v| mesh.x[v as usize])
        .as_dvec3();
    let blocks: Vec<_> = parallel::blocks(0, mesh.material.len()).collect();
    let parts: Vec<(Vec<f64>, Vec<f64>)> = blocks
        .par_iter()
        .map(|range| {
            let mut sums = (vec![0.0; pieces.len()], vec![0.0; pieces.len()]);
            for t in range.clone() {
                if !mesh.alive(t as u32) {
                    continue;
                }
                let id = mesh.component[mesh.corner[3 * t] as usize];
                if let Some(k) = piece_of(pieces, id) {
                    let [a, b, c] = mesh.points(t as u32).map(|p| p.as_dvec3() - origin);
                    sums.0[k] += a.dot(b.cross(c)) / 6.0;
                    sums.1[k] += 0.5 * (b - a).cross(c - a).length();
                }
            }
            sums
        })
        .collect();
    let mut total = (vec![0.0; pieces.len()], vec![0.0; pieces.len()]);
    for (volumes, areas) in parts {
        for k in 0..pieces.len() {
            total.0[k] += volumes[k];
            total.1[k] += areas[k];
        }
    }
    total
}
