//! Joins vertices along open edges that lie on each other.
//!
//! Files without shared vertices (STL) and files that part vertices at texture seams are surfaces only to the eye.
//! Vertices at the same place alone are no reason to join them: two solids may touch. So only open edges are joined,
//! and only where two of them have both ends in common.

use glam::Vec3;

use crate::geometry::topology::DisjointSets;

use super::{Draft, edges, sides};

pub(super) fn weld(draft: &mut Draft) {
    let mesh = &draft.mesh;
    let sides = sides(mesh);
    let open: Vec<[u32; 2]> = edges(&sides)
        .filter(|edge| edge.len() == 1)
        .map(|edge| edge[0].ends())
        .filter(|[a, b]| a != b)
        .collect();
    // Each edge from the lower to the higher place, so that those on each other are equal.
    let mut placed: Vec<([[u32; 3]; 2], [u32; 2])> = open
        .into_iter()
        .map(|[a, b]| {
            let (pa, pb) = (
                place(mesh.positions[a as usize]),
                place(mesh.positions[b as usize]),
            );
            if pa <= pb {
                ([pa, pb], [a, b])
            } else {
                ([pb, pa], [b, a])
            }
        })
        .filter(|([pa, pb], _)| pa != pb)
        .collect();
    placed.sort_unstable();
    let mut sets = DisjointSets::new(mesh.positions.len());
    for edge in placed.chunk_by(|a, b| a.0 == b.0) {
        for (_, ends) in &edge[1..] {
            sets.join(edge[0].1[0], ends[0]);
            sets.join(edge[0].1[1], ends[1]);
        }
    }
    let labels = sets.into_labels();
    draft.report.welded_vertices = (0u32..)
        .zip(&labels)
        .filter(|(v, label)| v != *label)
        .count();
    for v in draft.mesh.triangles.iter_mut().flatten() {
        *v = labels[*v as usize];
    }
}

/// The bits of a position, with one zero only.
fn place(p: Vec3) -> [u32; 3] {
    (p + Vec3::ZERO).to_array().map(f32::to_bits)
}
