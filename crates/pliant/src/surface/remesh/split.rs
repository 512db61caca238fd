//! Splitting edges that are too long.

use super::super::closed_mesh::{ClosedMesh, next, prev};
use super::scan::descending;
use super::{Lengths, RemeshReport, Remesher, ends};
use glam::Vec3;

/// Tension of the interpolation: the midpoint of a smooth surface bulges as its neighbourhood does.
const TENSION: f32 = 1.0 / 16.0;
/// Cosine of the largest angle between the faces around an edge that counts as smooth (30°).
const SMOOTH: f32 = 0.866;

impl Remesher {
    /// Splits edges, longest first; edges that a split makes are looked at again.
    pub(super) fn split_long(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        triangles: usize,
        left: &mut u32,
        report: &mut RemeshReport,
    ) {
        let mut long = std::mem::take(&mut self.scan.long);
        let mut again = Vec::new();
        while !long.is_empty() {
            for &(_, h) in &long {
                if !mesh.alive(h / 3) || mesh.length2(h) <= lengths.max * lengths.max {
                    continue;
                }
                if *left == 0 {
                    report.postponed += 1;
                    continue;
                }
                if mesh.triangle_count() + 2 > triangles {
                    report.refused_splits += 1;
                    continue;
                }
                *left -= 1;
                let at = midpoint(mesh, h);
                let m = mesh.split(h, at);
                report.splits += 1;
                self.touched.add_ring(mesh, m);
                // A split renames half-edges of its two triangles, so their outer edges are queued anew too.
                for k in mesh.ring(m).flat_map(|k| [k, next(k)]) {
                    let l2 = mesh.length2(k);
                    if l2 > lengths.max * lengths.max {
                        again.push((descending(l2), k));
                    }
                }
            }
            again.sort_unstable();
            std::mem::swap(&mut long, &mut again);
            again.clear();
            if *left == 0 {
                report.postponed += long.len() as u32;
                break;
            }
        }
        long.clear();
        self.scan.long = long;
    }
}

/// The middle of an edge. Where the six faces around it are smooth, it is raised along the normal as the butterfly scheme
/// raises it, so that refinement keeps curvature and with it the volume.
fn midpoint(mesh: &ClosedMesh, h: u32) -> Vec3 {
    let g = mesh.twin(h);
    let (a, b) = ends(mesh, h);
    let middle = 0.5 * (mesh.x[a as usize] + mesh.x[b as usize]);
    let wings = [next(h), prev(h), next(g), prev(g)].map(|k| mesh.twin(k));
    let normal = |k: u32| mesh.area_vector(k / 3).normalize_or_zero();
    let (n_h, n_g) = (normal(h), normal(g));
    let n = (n_h + n_g).normalize_or_zero();
    // The rim of a cap is an edge however flat it is.
    let smooth = !mesh.is_border(h)
        && n_h.dot(n_g) > SMOOTH
        && wings.iter().all(|&k| normal(k).dot(n) > SMOOTH);
    if !smooth {
        return middle;
    }
    let apexes = mesh.at(prev(h)) + mesh.at(prev(g));
    let outer: Vec3 = wings.iter().map(|&k| mesh.at(prev(k))).sum();
    let raise = (2.0 * TENSION * (apexes - 2.0 * middle) - TENSION * (outer - 4.0 * middle)).dot(n);
    let limit = 0.1 * mesh.length2(h).sqrt();
    middle + n * raise.clamp(-limit, limit)
}
