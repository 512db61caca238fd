//! Filling loops that need not be flat.

use super::closed_mesh::{ClosedMesh, NONE};
use super::surgery::{Surgery, loop_of};
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Closes all open edges of `loops` and of what was made so far by cutting off corners, shortest new edge first; what has no legal
/// corner left gets a fan. Loops that were bridged run side by side, so the shortest edges zip them up.
pub(crate) fn fill(mesh: &mut ClosedMesh, surgery: &mut Surgery, loops: &[Vec<u32>]) {
    let mut boundary: Vec<u32> = loops
        .iter()
        .flatten()
        .copied()
        .chain(surgery.made.iter().flat_map(|&t| 3 * t..3 * t + 3))
        .filter(|&h| mesh.twin(h) == NONE)
        .collect();
    boundary.sort_unstable();
    boundary.dedup();
    // Boundary half-edges by the vertex they end in.
    let mut into: BTreeMap<u32, u32> = boundary.iter().map(|&h| (mesh.target(h), h)).collect();
    let ear = |mesh: &ClosedMesh, h: u32| Reverse(Ear::new(mesh, h));
    let mut heap: BinaryHeap<Reverse<Ear>> = boundary.iter().map(|&h| ear(mesh, h)).collect();
    while let Some(Reverse(Ear { edge, after, .. })) = heap.pop() {
        let stale = mesh.twin(edge) != NONE
            || mesh.out[mesh.target(edge) as usize] != after
            || mesh.twin(after) != NONE;
        if stale || !Surgery::can_ear(mesh, edge) {
            continue;
        }
        let new = surgery.ear(mesh, edge);
        if new == NONE {
            continue;
        }
        boundary.push(new);
        into.insert(mesh.target(new), new);
        heap.push(ear(mesh, new));
        if let Some(&before) = into.get(&mesh.origin(new)) {
            heap.push(ear(mesh, before));
        }
    }
    for h in boundary {
        if mesh.twin(h) == NONE {
            let edges = loop_of(mesh, h);
            let center = edges.iter().map(|&h| mesh.at(h)).sum::<Vec3>() / edges.len() as f32;
            let center = if center.is_finite() {
                center
            } else {
                mesh.at(h)
            };
            surgery.fan(mesh, h, center);
        }
    }
}

/// A corner of a loop that may be closed by a triangle; ordered by how long the new edge is and how much it folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ear {
    score: u32,
    /// Vertices, so that ties do not depend on the order of work.
    vertices: [u32; 3],
    edge: u32,
    after: u32,
}

impl Ear {
    /// The ear between boundary half-edge `edge` and the one after it.
    fn new(mesh: &ClosedMesh, edge: u32) -> Self {
        let after = mesh.out[mesh.target(edge) as usize];
        let (u, v, w) = (mesh.origin(edge), mesh.origin(after), mesh.target(after));
        let [pu, pv, pw] = [u, v, w].map(|v| mesh.x[v as usize]);
        let n = (pv - pw).cross(pu - pw).normalize_or_zero();
        let agreement = [edge, after]
            .map(|h| mesh.area_vector(h / 3).normalize_or_zero().dot(n))
            .into_iter()
            .fold(1.0, f32::min);
        let fold = 1.0 + 4.0 * (0.3 - agreement).max(0.0);
        Self {
            score: (pu.distance(pw) * fold).to_bits() & !0xf,
            vertices: [u, v, w],
            edge,
            after,
        }
    }
}
