//! Opening the surface and closing it again, in a way that can be taken back.
//!
//! [`Surgery::open`] takes triangles out and parts edges; what is left is an oriented manifold whose boundary is a set of disjoint
//! simple loops of at least three edges (an undirected edge has two half-edges, so a loop of two would need a duplicate edge).
//! Three primitives close it: [`Surgery::bridge`] joins two loops by a quad, [`Surgery::ear`] cuts off a corner of a loop, and
//! [`Surgery::fan`] closes a loop around a new vertex. The first two refuse to make an edge twice, also one that this surgery
//! made; the last is always legal, since all its edges end in a vertex that had none. So every surgery ends with a closed,
//! manifold mesh whatever the geometry is. [`Surgery::sew`] puts in triangles that were planned elsewhere, if they fit. [`Surgery::roll_back`] restores the mesh, [`Surgery::commit`] keeps it.

mod sew;

use super::closed_mesh::{ClosedMesh, INNER, NONE, next};
use glam::Vec3;

/// One change, with what is needed to take it back.
#[derive(Clone, Copy, Debug)]
enum Change {
    Corner(u32, u32),
    Twin(u32, u32),
    Out(u32, u32),
    Position(u32, Vec3, u8),
    MadeVertex(u32),
    MadeTriangle(u32),
    FreedVertex(u32, u32, u8),
    FreedTriangle(u32, [u32; 3], [u32; 3], u32),
}

/// An operation on the surface that is under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surgery {
    changes: Vec<Change>,
    deleted: Vec<u32>,
    orphans: Vec<u32>,
    /// Triangles this surgery has made.
    pub(crate) made: Vec<u32>,
    /// `(copy, original)` of every vertex that fell apart into several.
    pub(crate) copies: Vec<(u32, u32)>,
    slots: (usize, usize),
    stamp: u32,
    deleted_stamp: Vec<u32>,
}

impl Surgery {
    /// Takes `deleted` triangles out, parts the edges `parted` (half-edges, one side is enough; they must form closed curves) and
    /// splits every vertex whose triangles fall apart. Returns the loops, each as its boundary half-edges in order; loops are ordered by their
    /// smallest half-edge and start there.
    pub(crate) fn open(
        &mut self,
        mesh: &mut ClosedMesh,
        deleted: &[u32],
        parted: &[u32],
    ) -> Vec<Vec<u32>> {
        self.begin(mesh, deleted);
        let gone = |s: &Self, h: u32| s.deleted_stamp[h as usize / 3] == s.stamp;

        // The turns of all vertices concerned, while they are still closed.
        let mut vertices: Vec<u32> = deleted
            .iter()
            .flat_map(|&t| mesh.triangle(t))
            .chain(
                parted
                    .iter()
                    .flat_map(|&h| [mesh.origin(h), mesh.target(h)]),
            )
            .collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut turns: Vec<u32> = Vec::with_capacity(7 * vertices.len());
        let mut starts = vec![0];
        for &v in &vertices {
            turns.extend(mesh.ring(v));
            starts.push(turns.len());
        }

        let mut boundary = Vec::new();
        for h in deleted.iter().flat_map(|&t| 3 * t..3 * t + 3) {
            let g = mesh.twin(h);
            if !gone(self, g) {
                self.set_twin(mesh, g, NONE);
                boundary.push(g);
            }
        }
        for &h in parted {
            let g = mesh.twin(h);
            if g != NONE && !gone(self, h) && !gone(self, g) {
                self.set_twin(mesh, h, NONE);
                self.set_twin(mesh, g, NONE);
                boundary.extend([h, g]);
            }
        }
        for (k, &v) in vertices.iter().enumerate() {
            self.part_vertex(mesh, v, &turns[starts[k]..starts[k + 1]]);
        }
        boundary.sort_unstable();
        boundary.dedup();
        walk_loops(mesh, &boundary)
    }

    fn begin(&mut self, mesh: &ClosedMesh, deleted: &[u32]) {
        self.changes.clear();
        self.made.clear();
        self.copies.clear();
        self.orphans.clear();
        self.deleted.clear();
        self.deleted.extend_from_slice(deleted);
        self.slots = (mesh.x.len(), mesh.material.len());
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.deleted_stamp.fill(0);
            self.stamp = 1;
        }
        if self.deleted_stamp.len() < mesh.material.len() {
            self.deleted_stamp.resize(mesh.material.len(), 0);
        }
        for &t in deleted {
            self.deleted_stamp[t as usize] = self.stamp;
        }
    }

    /// One vertex for every fan of triangles that is left of the closed turn around `v`.
    fn part_vertex(&mut self, mesh: &mut ClosedMesh, v: u32, turn: &[u32]) {
        let kept = |s: &Self, h: u32| s.deleted_stamp[h as usize / 3] != s.stamp;
        // A fan begins where the edge has lost its other side.
        let mut first = true;
        for (k, &h) in turn.iter().enumerate() {
            if !kept(self, h) || mesh.twin(h) != NONE {
                continue;
            }
            let w = if first {
                v
            } else {
                let at = mesh.x[v as usize];
                let copy = mesh.add_vertex(v, at);
                mesh.was[copy as usize] = mesh.was[v as usize];
                self.changes.push(Change::MadeVertex(copy));
                self.copies.push((copy, v));
                copy
            };
            self.set_out(mesh, w, h);
            if !first {
                for i in 0..turn.len() {
                    let g = turn[(k + i) % turn.len()];
                    if !kept(self, g) || (i > 0 && mesh.twin(g) == NONE) {
                        break;
                    }
                    self.changes.push(Change::Corner(g, v));
                    mesh.corner[g as usize] = w;
                }
            }
            first = false;
        }
        if first && turn.iter().all(|&h| !kept(self, h)) {
            self.orphans.push(v);
        }
    }

    fn set_twin(&mut self, mesh: &mut ClosedMesh, h: u32, g: u32) {
        self.changes.push(Change::Twin(h, mesh.twin(h)));
        mesh.twin[h as usize] = g;
    }

    fn glue(&mut self, mesh: &mut ClosedMesh, h: u32, g: u32) {
        self.set_twin(mesh, h, g);
        self.set_twin(mesh, g, h);
    }

    fn set_out(&mut self, mesh: &mut ClosedMesh, v: u32, h: u32) {
        self.changes.push(Change::Out(v, mesh.out[v as usize]));
        mesh.out[v as usize] = h;
    }

    /// Moves a vertex.
    pub(crate) fn move_vertex(&mut self, mesh: &mut ClosedMesh, v: u32, to: Vec3) {
        let i = v as usize;
        self.changes
            .push(Change::Position(v, mesh.x[i], mesh.vertex_flags[i]));
        mesh.move_vertex(v, to);
    }

    fn add_triangle(&mut self, mesh: &mut ClosedMesh, vertices: [u32; 3], beside: u32) -> u32 {
        let t = mesh.add_triangle(vertices, INNER, mesh.patch[beside as usize / 3]);
        self.changes.push(Change::MadeTriangle(t));
        self.made.push(t);
        3 * t
    }

    /// Whether [`Surgery::bridge`] may join these boundary half-edges of two loops.
    pub(crate) fn can_bridge(mesh: &ClosedMesh, a: u32, b: u32) -> bool {
        let (a0, a1, b0, b1) = (
            mesh.origin(a),
            mesh.target(a),
            mesh.origin(b),
            mesh.target(b),
        );
        a0 != b0
            && a0 != b1
            && a1 != b0
            && a1 != b1
            && !mesh.joined(a0, b1)
            && !mesh.joined(a1, b0)
            && !mesh.joined(a1, b1)
    }

    /// Joins two loops by a quad between the boundary half-edges `a` and `b`; the two loops become one.
    pub(crate) fn bridge(&mut self, mesh: &mut ClosedMesh, a: u32, b: u32) {
        let (a0, a1, b0, b1) = (
            mesh.origin(a),
            mesh.target(a),
            mesh.origin(b),
            mesh.target(b),
        );
        let s = self.add_triangle(mesh, [a1, a0, b1], a);
        let t = self.add_triangle(mesh, [a1, b1, b0], b);
        self.glue(mesh, s, a);
        self.glue(mesh, s + 2, t);
        self.glue(mesh, t + 1, b);
        self.set_out(mesh, a0, s + 1);
        self.set_out(mesh, b0, t + 2);
    }

    /// Whether [`Surgery::ear`] may cut off the corner at which boundary half-edge `h` ends.
    pub(crate) fn can_ear(mesh: &ClosedMesh, h: u32) -> bool {
        let g = mesh.out[mesh.target(h) as usize];
        let (u, w) = (mesh.origin(h), mesh.target(g));
        if u == w || mesh.twin(h) != NONE || mesh.twin(g) != NONE {
            return false;
        }
        let last = mesh.out[w as usize];
        if mesh.twin(last) == NONE && mesh.target(last) == u {
            // Three edges are left: the triangle must not be there already.
            return next(h) != g;
        }
        !mesh.joined(u, w)
    }

    /// Closes the corner at which `h` ends by one triangle. Returns the boundary half-edge that replaces the two, or [`NONE`] if
    /// the loop is closed now.
    pub(crate) fn ear(&mut self, mesh: &mut ClosedMesh, h: u32) -> u32 {
        let g = mesh.out[mesh.target(h) as usize];
        let (u, v, w) = (mesh.origin(h), mesh.origin(g), mesh.target(g));
        let t = self.add_triangle(mesh, [w, v, u], h);
        let last = mesh.out[w as usize];
        self.glue(mesh, t, g);
        self.glue(mesh, t + 1, h);
        if mesh.twin(last) == NONE && mesh.target(last) == u {
            self.glue(mesh, t + 2, last);
            return NONE;
        }
        self.set_out(mesh, u, t + 2);
        t + 2
    }

    /// A new vertex at `at` whose attributes are the mean of those `around` it, of which there must be one.
    pub(crate) fn add_center(&mut self, mesh: &mut ClosedMesh, around: &[u32], at: Vec3) -> u32 {
        let m = mesh.add_vertex(around[0], at);
        self.changes.push(Change::MadeVertex(m));
        let n = around.len() as f32;
        let mean =
            |of: &dyn Fn(usize) -> Vec3| around.iter().map(|&v| of(v as usize)).sum::<Vec3>() / n;
        let rest = mean(&|v| mesh.rest[v]);
        let was = mean(&|v| mesh.was[v]);
        if !mesh.color.is_empty() {
            let color = std::array::from_fn(|k| {
                let sum: u32 = around
                    .iter()
                    .map(|&v| u32::from(mesh.color[v as usize][k]))
                    .sum();
                (sum / around.len() as u32) as u8
            });
            mesh.color[m as usize] = color;
        }
        mesh.rest[m as usize] = rest;
        mesh.was[m as usize] = was;
        m
    }

    /// Closes the loop through boundary half-edge `first` by a fan around a new vertex at `at`. Returns the vertex.
    pub(crate) fn fan(&mut self, mesh: &mut ClosedMesh, first: u32, at: Vec3) -> u32 {
        let edges = loop_of(mesh, first);
        let rim: Vec<u32> = edges.iter().map(|&h| mesh.origin(h)).collect();
        let m = self.add_center(mesh, &rim, at);
        let triangles: Vec<u32> = edges
            .iter()
            .map(|&h| {
                let vertices = [mesh.target(h), mesh.origin(h), m];
                let t = self.add_triangle(mesh, vertices, h);
                self.glue(mesh, t, h);
                t
            })
            .collect();
        for (k, &t) in triangles.iter().enumerate() {
            // Edge u → m of this triangle is m → u of the one before, whose loop edge ends in u.
            let before = triangles[(k + triangles.len() - 1) % triangles.len()];
            self.glue(mesh, t + 1, before + 2);
        }
        self.set_out(mesh, m, triangles[0] + 2);
        m
    }

    /// Takes the deleted triangles out of the mesh for good, so that searches no longer see them. All loops must be closed.
    pub(crate) fn remove_deleted(&mut self, mesh: &mut ClosedMesh) {
        for t in std::mem::take(&mut self.deleted) {
            let h = 3 * t as usize;
            let corners = mesh.triangle(t);
            let twins = [mesh.twin[h], mesh.twin[h + 1], mesh.twin[h + 2]];
            self.changes.push(Change::FreedTriangle(
                t,
                corners,
                twins,
                mesh.patch[t as usize],
            ));
            mesh.free_triangle(t);
        }
        for v in std::mem::take(&mut self.orphans) {
            let i = v as usize;
            self.changes
                .push(Change::FreedVertex(v, mesh.out[i], mesh.vertex_flags[i]));
            mesh.free_vertex(v);
        }
    }

    /// Keeps the changes.
    pub(crate) fn commit(&mut self, mesh: &mut ClosedMesh) {
        self.remove_deleted(mesh);
        self.changes.clear();
    }

    /// Restores the mesh as it was before [`Surgery::open`].
    pub(crate) fn roll_back(&mut self, mesh: &mut ClosedMesh) {
        while let Some(change) = self.changes.pop() {
            match change {
                Change::Corner(h, v) => mesh.corner[h as usize] = v,
                Change::Twin(h, g) => mesh.twin[h as usize] = g,
                Change::Out(v, h) => mesh.out[v as usize] = h,
                Change::Position(v, x, flags) => {
                    mesh.x[v as usize] = x;
                    mesh.vertex_flags[v as usize] = flags;
                }
                Change::MadeVertex(v) => mesh.forget_vertex(v, self.slots.0),
                Change::MadeTriangle(t) => mesh.forget_triangle(t, self.slots.1),
                Change::FreedVertex(v, h, flags) => {
                    mesh.free_vertices.pop();
                    mesh.out[v as usize] = h;
                    mesh.vertex_flags[v as usize] = flags;
                }
                Change::FreedTriangle(t, corners, twins, patch) => {
                    mesh.free_triangles.pop();
                    let h = 3 * t as usize;
                    mesh.corner[h..h + 3].copy_from_slice(&corners);
                    mesh.twin[h..h + 3].copy_from_slice(&twins);
                    mesh.patch[t as usize] = patch;
                }
            }
        }
        self.deleted.clear();
        self.orphans.clear();
        self.made.clear();
        self.copies.clear();
    }
}

impl ClosedMesh {
    /// Takes back the youngest vertex; `slots` is the number of slots there were before it.
    fn forget_vertex(&mut self, v: u32, slots: usize) {
        if v as usize >= slots {
            self.x.pop();
            self.was.pop();
            self.rest.pop();
            self.out.pop();
            self.vertex_flags.pop();
            self.component.pop();
            self.color.pop();
        } else {
            self.free_vertex(v);
        }
    }

    /// Takes back the youngest triangle; `slots` is the number of slots there were before it.
    fn forget_triangle(&mut self, t: u32, slots: usize) {
        if t as usize >= slots {
            self.corner.truncate(3 * t as usize);
            self.twin.truncate(3 * t as usize);
            self.material.pop();
            self.scar.pop();
            self.patch.pop();
            self.uv.truncate(3 * t as usize);
        } else {
            self.free_triangle(t);
        }
    }
}

/// The boundary half-edges of the loop through `first`, in order, beginning with it.
pub(crate) fn loop_of(mesh: &ClosedMesh, first: u32) -> Vec<u32> {
    let mut edges = vec![first];
    let mut h = mesh.out[mesh.target(first) as usize];
    while h != first && edges.len() <= mesh.corner.len() {
        edges.push(h);
        h = mesh.out[mesh.target(h) as usize];
    }
    edges
}

fn walk_loops(mesh: &ClosedMesh, boundary: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; boundary.len()];
    let mut loops = Vec::new();
    for (k, &h) in boundary.iter().enumerate() {
        if seen[k] {
            continue;
        }
        let edges = loop_of(mesh, h);
        for g in &edges {
            if let Ok(i) = boundary.binary_search(g) {
                seen[i] = true;
            }
        }
        loops.push(edges);
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::super::validate::Level;
    use super::*;
    use crate::geometry::solids::{sphere, torus};
    use crate::random::Random;

    /// Everything that is alive, and which slots are free; what a free slot holds does not matter.
    fn fingerprint(mesh: &ClosedMesh) -> String {
        let vertices: Vec<_> = mesh
            .vertices()
            .map(|v| (v, mesh.x[v as usize], mesh.out[v as usize]))
            .collect();
        let triangles: Vec<_> = mesh
            .triangles()
            .map(|t| (t, mesh.triangle(t), mesh.twin(3 * t), mesh.material(t)))
            .collect();
        let free = (&mesh.free_vertices, &mesh.free_triangles);
        format!("{vertices:?} {triangles:?} {free:?}")
    }

    /// Any set of triangles may go: the mesh closes again by fans, and can be restored bit for bit.
    #[test]
    fn every_hole_closes_and_every_surgery_can_be_taken_back() {
        let mut random = Random::new([3, 0, 0, 0]);
        for case in 0..300 {
            let solid = if case % 2 == 0 {
                sphere(1.0, 4)
            } else {
                torus(1.0, 0.4, 8, 5)
            };
            let mut mesh = ClosedMesh::new(&solid).unwrap();
            let mut surgery = Surgery::default();
            for _ in 0..3 {
                let share = random.next_f32() * 0.7;
                let deleted: Vec<u32> = mesh
                    .triangles()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .filter(|_| random.next_f32() < share)
                    .collect();
                // Parting along the border of a region: the edges form closed curves.
                let n = random.next_direction();
                let level = random.next_f32();
                let above = |t: u32| mesh.points(t).into_iter().sum::<Vec3>().dot(n) > level;
                let parted: Vec<u32> = mesh
                    .triangles()
                    .flat_map(|t| 3 * t..3 * t + 3)
                    .filter(|&h| above(h / 3) && !above(mesh.twin(h) / 3))
                    .collect();
                let before = fingerprint(&mesh);
                let take_back = random.next_below(2) == 0;
                let loops = surgery.open(&mut mesh, &deleted, &parted);
                for edges in loops {
                    assert!(edges.len() >= 3);
                    close_at_random(&mut surgery, &mut mesh, edges[0], &mut random);
                }
                surgery.remove_deleted(&mut mesh);
                if mesh.triangle_count() > 0 {
                    mesh.validate(Level::Everything).unwrap();
                }
                if take_back {
                    surgery.roll_back(&mut mesh);
                    assert!(fingerprint(&mesh) == before, "case {case}");
                } else {
                    surgery.commit(&mut mesh);
                }
            }
        }
    }

    fn close_at_random(
        surgery: &mut Surgery,
        mesh: &mut ClosedMesh,
        start: u32,
        random: &mut Random,
    ) {
        let mut h = start;
        for _ in 0..random.next_below(6) {
            for _ in 0..random.next_below(4) {
                h = mesh.out[mesh.target(h) as usize];
            }
            if Surgery::can_ear(mesh, h) {
                h = surgery.ear(mesh, h);
                if h == NONE {
                    return;
                }
            }
        }
        surgery.fan(mesh, h, Vec3::ZERO);
    }

    /// Two spheres lose a triangle each and are joined by a quad and ears: one sheet, χ = 2.
    #[test]
    fn a_bridge_joins_two_spheres() {
        let mut two = sphere(1.0, 2);
        let other = sphere(1.0, 2);
        let n = two.positions.len() as u32;
        two.positions
            .extend(other.positions.iter().map(|p| *p + Vec3::X * 3.0));
        two.triangles
            .extend(other.triangles.iter().map(|t| t.map(|v| v + n)));
        let mut mesh = ClosedMesh::new(&two).unwrap();
        let mut surgery = Surgery::default();
        let loops = surgery.open(&mut mesh, &[0, 32], &[]);
        assert_eq!(loops.len(), 2);
        assert!(Surgery::can_bridge(&mesh, loops[0][0], loops[1][0]));
        surgery.bridge(&mut mesh, loops[0][0], loops[1][0]);
        let mut h = loops[0][1];
        assert_eq!(loop_of(&mesh, h).len(), 6);
        while h != NONE {
            h = if Surgery::can_ear(&mesh, h) {
                surgery.ear(&mut mesh, h)
            } else {
                mesh.out[mesh.target(h) as usize]
            };
        }
        surgery.commit(&mut mesh);
        let census = mesh.validate(Level::Everything).unwrap();
        assert_eq!((census.sheets, census.euler), (1, 2));
    }
}
