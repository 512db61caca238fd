//! Keeping the volume of every piece, by moving its surface along its normals.

use super::closed_mesh::{ClosedMesh, MOVED, NONE, prev};
use super::components::Component;
use crate::parallel::{self, PerRange};
use glam::Vec3;
use rayon::prelude::*;

/// Volume (m³) and area (m²).
type Size = [f64; 2];

/// Keeps volumes, and its memory from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct VolumeKeeper {
    /// Twice the area vector of every triangle; that of a free slot means nothing.
    areas: Vec<Vec3>,
}

impl VolumeKeeper {
    /// Moves every vertex along its normal by d = (V_target − V)/A of its piece, at most `limit`. Returns the largest |d| (m).
    pub(crate) fn run(&mut self, mesh: &mut ClosedMesh, pieces: &[Component], limit: f32) -> f32 {
        if pieces.is_empty() {
            return 0.0;
        }
        let sizes = self.measure(mesh, pieces);
        let offset = |(piece, [volume, area]): (&Component, &Size)| {
            let d = ((piece.target - volume) / area.max(f64::MIN_POSITIVE)) as f32;
            if d.is_finite() {
                d.clamp(-limit, limit)
            } else {
                0.0
            }
        };
        let offsets: Vec<f32> = pieces.iter().zip(&sizes).map(offset).collect();
        let areas = &self.areas;
        let twin = &mesh.twin;
        (
            &mut mesh.x,
            &mut mesh.vertex_flags,
            &mesh.out,
            &mesh.component,
        )
            .into_par_iter()
            .with_min_len(1024)
            .for_each(|(x, flags, &out, &component)| {
                if out == NONE {
                    return;
                }
                let d = piece_of(pieces, component).map_or(0.0, |k| offsets[k]);
                if d == 0.0 {
                    return;
                }
                let to = *x + normal_at(twin, areas, out).normalize_or_zero() * d;
                if to != *x {
                    *x = to;
                    *flags |= MOVED;
                }
            });
        offsets.iter().fold(0.0, |m, d| m.max(d.abs()))
    }

    /// Volume and area of every piece, summed in blocks of a fixed size. The area vectors that come up are kept.
    fn measure(&mut self, mesh: &ClosedMesh, pieces: &[Component]) -> Vec<Size> {
        // One origin for all: the first vertex alive. Sums are f64, so distance from it costs nothing that matters.
        let origin = mesh
            .vertices()
            .next()
            .map_or(Vec3::ZERO, |v| mesh.x[v as usize])
            .as_dvec3();
        let triangles = mesh.material.len();
        let blocks: Vec<_> = parallel::blocks(0, triangles).collect();
        let mut parts = vec![vec![[0.0; 2]; pieces.len()]; blocks.len()];
        self.areas.resize(triangles, Vec3::ZERO);
        let columns = (&mut self.areas[..], PerRange(&mut parts));
        parallel::for_each_range(&blocks, columns, &|_, range, (areas, parts)| {
            let sizes = &mut parts.0[0];
            for (t, kept) in range.zip(areas) {
                if !mesh.alive(t as u32) {
                    continue;
                }
                let points = mesh.points(t as u32);
                *kept = (points[1] - points[0]).cross(points[2] - points[0]);
                let id = mesh.component[mesh.corner[3 * t] as usize];
                if let Some(k) = piece_of(pieces, id) {
                    let [a, b, c] = points.map(|p| p.as_dvec3() - origin);
                    sizes[k][0] += a.dot(b.cross(c)) / 6.0;
                    sizes[k][1] += 0.5 * (b - a).cross(c - a).length();
                }
            }
        });
        let mut total = vec![[0.0; 2]; pieces.len()];
        for (part, k) in parts.iter().flat_map(|part| part.iter().zip(0..)) {
            let sum: &mut Size = &mut total[k];
            sum[0] += part[0];
            sum[1] += part[1];
        }
        total
    }
}

/// The sum of the area vectors around the origin of a half-edge.
#[inline]
fn normal_at(twin: &[u32], areas: &[Vec3], first: u32) -> Vec3 {
    let mut sum = Vec3::ZERO;
    let mut h = first;
    // A turn is never longer than the mesh.
    for _ in 0..twin.len() {
        sum += areas[h as usize / 3];
        h = twin[prev(h) as usize];
        if h == first || h == NONE {
            break;
        }
    }
    sum
}

fn piece_of(pieces: &[Component], id: u32) -> Option<usize> {
    pieces.binary_search_by_key(&id, |p| p.id).ok()
}
