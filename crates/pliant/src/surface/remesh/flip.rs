//! Flipping edges whose opposite angles are too large.

use super::super::closed_mesh::{ClosedMesh, prev};
use super::scan::{descending, opposite_angles};
use super::{RemeshReport, Remesher};

/// Opposite angles may sum to 180° and this much more (5°): its sine.
const MARGIN: f32 = 0.0872;
/// Cosine of the largest dihedral and of the largest turn of a normal (30°).
const FLAT: f32 = 0.866;

impl Remesher {
    /// Flips obtuse pairs that the scan has found, and those that splits and collapses have made.
    pub(super) fn flip_obtuse(
        &mut self,
        mesh: &mut ClosedMesh,
        left: &mut u32,
        report: &mut RemeshReport,
    ) {
        let mut candidates = std::mem::take(&mut self.scan.obtuse);
        for &v in &self.touched.list {
            if mesh.out[v as usize] != super::super::closed_mesh::NONE {
                candidates.extend(mesh.ring(v).map(|h| super::edge_name(mesh, h)));
            }
        }
        // The most obtuse first, so that the result hangs on the shape and not on the numbering.
        let mut worst: Vec<(u32, u32)> = candidates
            .iter()
            .filter(|&&h| mesh.alive(h / 3))
            .filter_map(|&h| excess(mesh, h).map(|e| (descending(e), super::edge_name(mesh, h))))
            .collect();
        worst.sort_unstable();
        worst.dedup();
        for &(_, h) in &worst {
            if !mesh.alive(h / 3) || excess(mesh, h).is_none() {
                continue;
            }
            if *left == 0 {
                break;
            }
            *left -= 1;
            if mesh.can_flip(h) && stays_flat(mesh, h) {
                mesh.flip(h);
                report.flips += 1;
                for k in [h, mesh.twin(h)] {
                    self.touched.add(mesh.origin(k));
                    self.touched.add(mesh.origin(prev(k)));
                }
            } else {
                report.refused_flips += 1;
            }
        }
        candidates.clear();
        self.scan.obtuse = candidates;
    }
}

/// How far the angles across the edge exceed 180° (0 to 2), if they do by more than 5°.
pub(super) fn excess(mesh: &ClosedMesh, h: u32) -> Option<f32> {
    let (sine, cosine) = opposite_angles(mesh, h);
    (sine < -MARGIN || (sine < 0.0 && cosine > 0.0)).then_some(1.0 + cosine)
}

/// Whether the two faces are nearly coplanar, before and after.
fn stays_flat(mesh: &ClosedMesh, h: u32) -> bool {
    let g = mesh.twin(h);
    let (a, b) = (mesh.at(h), mesh.at(g));
    let (c, d) = (mesh.at(prev(h)), mesh.at(prev(g)));
    let (n_h, n_g) = (mesh.area_vector(h / 3), mesh.area_vector(g / 3));
    let within = |u: glam::Vec3, v: glam::Vec3| {
        let norm2 = u.length_squared() * v.length_squared();
        norm2 > 0.0 && u.dot(v) > FLAT * norm2.sqrt()
    };
    let whole = n_h + n_g;
    // A face without area has no side; it may go if the rest agrees.
    let flat = within(n_h, n_g)
        || n_h.length_squared().min(n_g.length_squared()) < 1e-8 * whole.length_squared();
    flat && within((b - d).cross(c - d), whole) && within((d - a).cross(c - a), whole)
}
