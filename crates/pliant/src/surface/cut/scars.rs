//! Which triangles are the two sides of a cut.
//!
//! What was cut goes on touching itself, and two meshes of one bent face cross: joined like any other overlap, the halves would be
//! one again at once. So the cap triangles of a cut bear its number and their side, and keep it through re-meshing. While any
//! place of one side is near the other, crossings between the pieces on the two sides do not count, nor between the surroundings
//! of the sides if the cut went through one piece and left it whole. Once the sides have come clear of each other, the cut is
//! forgotten, and the pieces merge when they meet again.

use super::super::closed_mesh::ClosedMesh;
use crate::geometry::grid::PointGrid;

/// A triangle with the side of the cut it belongs to.
type Scarred = (u32, u32);

/// Notes the caps of a cut.
pub(super) fn add(mesh: &mut ClosedMesh, caps: &[Vec<u32>; 2]) {
    let last = mesh.triangles().map(|t| mesh.scar[t as usize]).max();
    let cut = (last.unwrap_or(0) & !1) + 2;
    for (side, cap) in (cut..).zip(caps) {
        for &t in cap {
            mesh.scar[t as usize] = side;
        }
    }
}

/// Forgets the cuts whose sides are farther than `reach` from each other, and notes which pieces the others hold apart. Returns
/// whether there are any.
pub(super) fn follow(mesh: &mut ClosedMesh, grid: &mut PointGrid, reach: f32) -> bool {
    mesh.apart.clear();
    let scar = |t: u32| (mesh.scar[t as usize], t);
    let mut scarred: Vec<Scarred> = mesh.triangles().map(scar).filter(|s| s.0 != 0).collect();
    scarred.sort_unstable();
    let mut any = false;
    for cut in scarred.chunk_by(|s, t| s.0 | 1 == t.0 | 1) {
        let sides = cut.split_at(cut.partition_point(|s| s.0 & 1 == 0));
        if near(mesh, grid, sides, reach) {
            any = true;
            hold_apart(mesh, sides);
        } else {
            for s in cut {
                mesh.scar[s.1 as usize] = 0;
            }
        }
    }
    mesh.apart.sort_unstable();
    mesh.apart.dedup();
    any
}

/// Whether a vertex of one side is no farther than `reach` from one of the other.
fn near(
    mesh: &ClosedMesh,
    grid: &mut PointGrid,
    (first, second): (&[Scarred], &[Scarred]),
    reach: f32,
) -> bool {
    if first.is_empty() || second.is_empty() {
        return false;
    }
    let corner = |k: usize| mesh.at(3 * first[k / 3].1 + (k % 3) as u32);
    grid.rebuild(3 * first.len(), reach, corner);
    second.iter().any(|s| {
        mesh.points(s.1).iter().any(|&p| {
            let mut found = false;
            grid.for_each_within(p, reach, |_, _, _| found = true);
            found
        })
    })
}

/// Notes that the pieces on the two sides are apart.
fn hold_apart(mesh: &mut ClosedMesh, (first, second): (&[Scarred], &[Scarred])) {
    let pieces = |side: &[Scarred]| {
        let mut pieces: Vec<u32> = side.iter().map(|s| mesh.piece(s.1)).collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces
    };
    let (first, second) = (pieces(first), pieces(second));
    for &p in &first {
        for &q in second.iter().filter(|&&q| q != p) {
            mesh.apart.extend([(p, q), (q, p)]);
        }
    }
}

impl ClosedMesh {
    /// The piece that a triangle belongs to, as far as it is known.
    #[inline]
    pub(crate) fn piece(&self, t: u32) -> u32 {
        self.component[self.corner[3 * t as usize] as usize]
    }

    /// Whether a cut holds two pieces apart.
    #[inline]
    pub(crate) fn pieces_apart(&self, p: u32, q: u32) -> bool {
        !self.apart.is_empty() && p != q && self.apart.binary_search(&(p, q)).is_ok()
    }

    /// Whether two triangles are on the two sides of a cut, so that it is no event if they cross.
    pub(crate) fn cut_apart(&self, i: u32, j: u32) -> bool {
        let (a, b) = (self.scar[i as usize], self.scar[j as usize]);
        let facing = a != 0 && a ^ b == 1;
        facing || self.pieces_apart(self.piece(i), self.piece(j)) || {
            let sides = self.scars_around(i);
            let others = if sides.is_empty() {
                Vec::new()
            } else {
                self.scars_around(j)
            };
            sides.iter().any(|side| others.contains(&(side ^ 1)))
        }
    }

    /// The sides of cuts that a triangle belongs to or is at most two triangles away from: at the rim of a cap the surface beside it
    /// crosses the other side too.
    fn scars_around(&self, t: u32) -> Vec<u32> {
        let mut sides: Vec<u32> = Vec::new();
        let around = |t: u32| {
            let vertices = self.triangle(t).into_iter();
            vertices.flat_map(|v| self.ring(v).map(|h| h / 3))
        };
        for s in around(t).flat_map(around) {
            let side = self.scar[s as usize];
            if side != 0 && !sides.contains(&side) {
                sides.push(side);
            }
        }
        sides
    }
}
