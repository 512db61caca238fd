//! Filling loops that need not be flat.

use super::closed_mesh::{ClosedMesh, NONE};
use super::surgery::{Surgery, loop_of};
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A corner of a loop, by the length of the edge that would close it; the vertices decide ties.
type Ear = Reverse<(u32, [u32; 3], u32, u32)>;

fn ear(mesh: &ClosedMesh, edge: u32) -> Ear {
    let after = mesh.out[mesh.target(edge) as usize];
    let vertices = [mesh.origin(edge), mesh.origin(after), mesh.target(after)];
    let [u, v, w] = vertices.map(|v| mesh.x[v as usize]);
    let n = (v - w).cross(u - w).normalize_or_zero();
    let agreement = [edge, after]
        .map(|h| mesh.area_vector(h / 3).normalize_or_zero().dot(n))
        .into_iter()
        .fold(1.0, f32::min);
    let fold = 1.0 + 4.0 * (0.3 - agreement).max(0.0);
    let score = u.distance(w) * fold;
    Reverse((score.to_bits() & !0xf, vertices, edge, after))
}

/// Closes every loop by cutting off its corners, shortest new edge first; what has no legal corner left gets a fan.
pub(crate) fn fill(mesh: &mut ClosedMesh, surgery: &mut Surgery, loops: &[Vec<u32>]) {
    for edges in loops {
        fill_one(mesh, surgery, edges);
    }
}

fn fill_one(mesh: &mut ClosedMesh, surgery: &mut Surgery, edges: &[u32]) {
    // Boundary half-edges by the vertex they end in, the youngest last.
    let mut into: std::collections::BTreeMap<u32, u32> =
        edges.iter().map(|&h| (mesh.target(h), h)).collect();
    let mut heap: BinaryHeap<Ear> = edges.iter().map(|&h| ear(mesh, h)).collect();
    let mut open = edges[0];
    while let Some(Reverse((_, _, h, after))) = heap.pop() {
        let stale = mesh.twin(h) != NONE
            || mesh.out[mesh.target(h) as usize] != after
            || mesh.twin(after) != NONE;
        if stale || !Surgery::can_ear(mesh, h) {
            continue;
        }
        let new = surgery.ear(mesh, h);
        if new == NONE {
            return;
        }
        open = new;
        into.insert(mesh.target(new), new);
        heap.push(ear(mesh, new));
        if let Some(&before) = into.get(&mesh.origin(new)) {
            heap.push(ear(mesh, before));
        }
    }
    let rest = loop_of(mesh, open);
    let center = rest.iter().map(|&h| mesh.at(h)).sum::<Vec3>() / rest.len() as f32;
    let center = if center.is_finite() {
        center
    } else {
        mesh.at(open)
    };
    surgery.fan(mesh, open, center);
}
