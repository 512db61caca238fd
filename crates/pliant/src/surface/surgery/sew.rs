//! Closing loops by triangles that were planned elsewhere.

use super::super::closed_mesh::{ClosedMesh, prev};
use super::Surgery;

/// One side of an edge: its ends, smaller first; whether it runs from the smaller to the larger; the half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: (u32, u32),
    forward: bool,
    edge: u32,
}

impl Side {
    fn new(mesh: &ClosedMesh, edge: u32) -> Self {
        let (a, b) = (mesh.origin(edge), mesh.target(edge));
        Self {
            ends: (a.min(b), a.max(b)),
            forward: a < b,
            edge,
        }
    }
}

impl Surgery {
    /// Closes the loops made of the boundary half-edges `boundary` by `triangles`. Returns whether they fit: every edge has two
    /// sides that run in opposite directions, none was there before, and the triangles at every vertex are one fan. If not, the
    /// surgery must be rolled back.
    pub(crate) fn sew(
        &mut self,
        mesh: &mut ClosedMesh,
        triangles: &[[u32; 3]],
        boundary: &[u32],
    ) -> bool {
        let Some(&beside) = boundary.first() else {
            return triangles.is_empty();
        };
        if triangles
            .iter()
            .any(|&[a, b, c]| a == b || b == c || c == a)
        {
            return false;
        }
        // Triangles at each vertex, before and after.
        let mut corners: Vec<u32> = triangles.iter().flatten().copied().collect();
        corners.sort_unstable();
        let mut fans: Vec<(u32, usize)> = corners
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], same.len()))
            .collect();
        for (v, count) in &mut fans {
            // A vertex without triangles is the middle of a fan that is to come.
            *count += mesh.ring(*v).count();
        }
        let mut sides: Vec<Side> = boundary.iter().map(|&h| Side::new(mesh, h)).collect();
        let old = mesh.corner.len();
        let before = self.made.len();
        for &vertices in triangles {
            let h = self.add_triangle(mesh, vertices, beside);
            for (k, &v) in vertices.iter().enumerate() {
                if mesh.out[v as usize] == super::NONE {
                    self.set_out(mesh, v, h + k as u32);
                }
                sides.push(Side::new(mesh, h + k as u32));
            }
        }
        debug_assert!(old <= mesh.corner.len());
        sides.sort_unstable();
        let made = &self.made[before..];
        let mut made: Vec<u32> = made.to_vec();
        made.sort_unstable();
        let is_made = |h: u32| made.binary_search(&(h / 3)).is_ok();
        let mut pairs = Vec::with_capacity(sides.len() / 2);
        for same in sides.chunk_by(|a, b| a.ends == b.ends) {
            let [a, b] = same else {
                return false;
            };
            let apex = |h: u32| mesh.origin(prev(h));
            if a.forward == b.forward || apex(a.edge) == apex(b.edge) {
                return false;
            }
            let new = is_made(a.edge) && is_made(b.edge);
            if new && exists(mesh, a.ends.0, a.ends.1, &is_made) {
                return false;
            }
            pairs.push((a.edge, b.edge));
        }
        for (a, b) in pairs {
            self.glue(mesh, a, b);
        }
        fans.iter()
            .all(|&(v, count)| count >= 3 && mesh.ring(v).count() == count)
    }
}

/// Whether an edge joins `a` and `b` in a triangle that is not one of those just made.
fn exists(mesh: &ClosedMesh, a: u32, b: u32, is_made: &impl Fn(u32) -> bool) -> bool {
    let from = |a: u32, b: u32| {
        mesh.ring(a)
            .any(|h| !is_made(h) && (mesh.target(h) == b || mesh.origin(prev(h)) == b))
    };
    from(a, b) || from(b, a)
}
