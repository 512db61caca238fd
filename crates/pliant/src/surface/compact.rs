//! Closing the gaps in the slots, and putting what lies together next to each other in memory.

use super::closed_mesh::{ClosedMesh, NONE, next, prev};

/// Share of free slots above which the mesh is compacted.
const GAPS: f32 = 0.25;
/// Fewer slots are not worth the trouble.
const SMALLEST: usize = 4096;

impl ClosedMesh {
    /// Whether so many slots are free that [`ClosedMesh::compact`] is due.
    pub(crate) fn has_gaps(&self) -> bool {
        let due = |free: usize, all: usize| all > SMALLEST && free as f32 > GAPS * all as f32;
        due(self.free_triangles.len(), self.material.len())
            || due(self.free_vertices.len(), self.x.len())
    }

    /// Renumbers all elements: triangles by patch, vertices by first use. Returns the new number of every old vertex slot,
    /// [`NONE`] for free ones.
    pub(crate) fn compact(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = self.triangles().collect();
        order.sort_by_key(|&t| (self.patch[t as usize], t));
        let mut used = vec![false; self.x.len()];
        let mut vertices: Vec<u32> = Vec::with_capacity(self.vertex_count());
        for v in order.iter().flat_map(|&t| self.triangle(t)) {
            if !std::mem::replace(&mut used[v as usize], true) {
                vertices.push(v);
            }
        }
        let first: Vec<u32> = order.iter().map(|&t| 3 * t).collect();
        self.renumber(&first, &vertices)
    }

    /// Gives all elements new numbers: triangle k is the one that half-edge `first[k]` belongs to, and begins with it; vertex k is
    /// the one in slot `vertices[k]`. Returns the new number of every old vertex slot, [`NONE`] for free ones.
    pub(super) fn renumber(&mut self, first: &[u32], vertices: &[u32]) -> Vec<u32> {
        let mut new_vertex = vec![NONE; self.x.len()];
        for (&v, k) in vertices.iter().zip(0..) {
            new_vertex[v as usize] = k;
        }
        let halves: Vec<u32> = first.iter().flat_map(|&h| [h, next(h), prev(h)]).collect();
        let mut new_half = vec![NONE; self.corner.len()];
        for (&h, k) in halves.iter().zip(0..) {
            new_half[h as usize] = k;
        }
        let triangles: Vec<u32> = first.iter().map(|&h| h / 3).collect();
        pick(&mut self.corner, &halves);
        pick(&mut self.twin, &halves);
        pick(&mut self.uv, &halves);
        pick(&mut self.out, vertices);
        pick(&mut self.x, vertices);
        pick(&mut self.was, vertices);
        pick(&mut self.rest, vertices);
        pick(&mut self.color, vertices);
        pick(&mut self.component, vertices);
        pick(&mut self.vertex_flags, vertices);
        pick(&mut self.material, &triangles);
        pick(&mut self.scar, &triangles);
        pick(&mut self.patch, &triangles);
        for v in &mut self.corner {
            *v = new_vertex[*v as usize];
        }
        for h in self.twin.iter_mut().chain(&mut self.out) {
            *h = new_half[*h as usize];
        }
        self.free_vertices.clear();
        self.free_triangles.clear();
        new_vertex
    }
}

/// The column with only the chosen slots, in their order; an absent column stays absent.
fn pick<T: Copy>(column: &mut Vec<T>, slots: &[u32]) {
    if !column.is_empty() {
        *column = slots.iter().map(|&i| column[i as usize]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solids::sphere;
    use crate::surface::validate::Level;

    /// Compaction keeps the surface and closes the gaps.
    #[test]
    fn compaction_keeps_the_surface() {
        let mut mesh = ClosedMesh::new(&sphere(1.0, 12)).unwrap();
        for t in 0..mesh.material.len() as u32 {
            if mesh.alive(t) && t % 3 == 0 && mesh.can_collapse(3 * t) {
                let at = mesh.at(3 * t);
                mesh.collapse(3 * t, at, 0.0);
            }
        }
        let before = mesh.validate(Level::Everything).unwrap();
        let old: Vec<_> = mesh.x.clone();
        let map = mesh.compact();
        let after = mesh.validate(Level::Everything).unwrap();
        assert_eq!(
            (before.vertices, before.euler),
            (after.vertices, after.euler)
        );
        assert!((before.volume - after.volume).abs() < 1e-9);
        assert_eq!(mesh.x.len(), mesh.vertex_count());
        for (v, &to) in map.iter().enumerate().filter(|(_, to)| **to != NONE) {
            assert_eq!(old[v], mesh.x[to as usize]);
        }
    }
}
