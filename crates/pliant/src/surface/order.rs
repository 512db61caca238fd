//! Numbering a new surface by where it lies.
//!
//! What to split, flip, join or fill first is decided by shape where shape can tell, and by number where it cannot: among edges of
//! the same length, loops of the same size, ends of a bridge. Any choice is as good as another, but seams of few triangles come
//! out with volumes that differ by some thousandths. With numbers that follow from the places of the vertices, the same solid
//! gives the same surface, however its mesh was numbered.

use super::closed_mesh::{ClosedMesh, NONE};
use crate::geometry::poisson::morton_key;
use glam::Vec3;
use std::cmp::Ordering;

/// Cells along the longest side of the surface; whatever shares one is in lexicographic order.
const CELLS: f32 = (1 << 20) as f32;

impl ClosedMesh {
    /// Renumbers all elements: vertices along a Morton curve, triangles by their vertices and beginning with the first of them.
    /// Only vertices in the same place whose neighbours are in the same places too, as those of two copies of a part, stay in the
    /// order they had.
    pub(super) fn order_by_place(&mut self) {
        let used = || self.vertices().map(|v| self.x[v as usize]);
        let lo = used().fold(Vec3::INFINITY, Vec3::min);
        let hi = used().fold(Vec3::NEG_INFINITY, Vec3::max);
        let cell = (hi - lo).max_element() / CELLS;
        let mut keyed: Vec<(u64, u32)> = self
            .vertices()
            .map(|v| (morton_key((self.x[v as usize] - lo) / cell), v))
            .collect();
        keyed.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| self.compare_places(a.1, b.1))
                .then(a.1.cmp(&b.1))
        });
        let vertices: Vec<u32> = keyed.into_iter().map(|(_, v)| v).collect();
        let mut number = vec![NONE; self.x.len()];
        for (&v, k) in vertices.iter().zip(0..) {
            number[v as usize] = k;
        }
        let mut triangles: Vec<([u32; 3], u32)> = self
            .triangles()
            .map(|t| {
                let corners = self.triangle(t).map(|v| number[v as usize]);
                let first = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
                let from_first = [0, 1, 2].map(|k| corners[(first + k) % 3]);
                (from_first, 3 * t + first as u32)
            })
            .collect();
        triangles.sort_unstable();
        let first: Vec<u32> = triangles.into_iter().map(|(_, h)| h).collect();
        self.renumber(&first, &vertices);
        // Which of its half-edges a vertex knows is a matter of numbers too.
        for h in 0..self.corner.len() as u32 {
            let v = self.origin(h);
            self.out[v as usize] = h;
        }
    }

    /// Compares two vertices by their places, or else by the places of their neighbours.
    fn compare_places(&self, a: u32, b: u32) -> Ordering {
        let place = |v: u32| self.x[v as usize].to_array();
        // Places are finite, so any two of them compare.
        let compare = |p: &[f32; 3], q: &[f32; 3]| p.partial_cmp(q).unwrap_or(Ordering::Equal);
        let around = |v: u32| {
            let mut places: Vec<_> = self.ring(v).map(|h| place(self.target(h))).collect();
            places.sort_unstable_by(compare);
            places
        };
        compare(&place(a), &place(b)).then_with(|| {
            let (a, b) = (around(a), around(b));
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use crate::random::Random;
    use crate::surface::testing::{append, sphere};
    use crate::surface::validate::Level;
    use glam::Vec2;

    /// Two balls that touch in a vertex, with everything a mesh may have.
    fn two_balls() -> Mesh {
        let mut mesh = sphere(4);
        append(&mut mesh, &sphere(4), 2.0 * Vec3::X);
        mesh.colors = (0..mesh.positions.len() as u32)
            .map(u32::to_le_bytes)
            .collect();
        mesh.parts = (0..mesh.triangles.len() as u16).map(|t| t % 5).collect();
        mesh.corner_uvs = mesh
            .triangles
            .iter()
            .map(|t| t.map(|v| Vec2::splat(v as f32)))
            .collect();
        mesh
    }

    /// The mesh with its elements in another order.
    fn shuffled(mesh: &Mesh, random: &mut Random) -> Mesh {
        let mut order = |count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            for k in (1..count).rev() {
                order.swap(k, random.next_below(k as u32 + 1) as usize);
            }
            order
        };
        let (vertices, triangles) = (order(mesh.positions.len()), order(mesh.triangles.len()));
        let mut other = mesh.clone();
        for (old, &new) in vertices.iter().enumerate() {
            other.positions[new] = mesh.positions[old];
            other.colors[new] = mesh.colors[old];
        }
        for (old, &new) in triangles.iter().enumerate() {
            other.triangles[new] = mesh.triangles[old].map(|v| vertices[v as usize] as u32);
            other.triangles[new].rotate_left(old % 3);
            other.corner_uvs[new] = mesh.corner_uvs[old];
            other.corner_uvs[new].rotate_left(old % 3);
            other.parts[new] = mesh.parts[old];
        }
        other
    }

    /// Any order of the input gives the same numbers, and attributes stay where they belong.
    #[test]
    fn the_order_of_the_input_does_not_show() {
        let two = two_balls();
        let ordered = |mesh: &Mesh| {
            let mut mesh = ClosedMesh::new(mesh).unwrap();
            mesh.order_by_place();
            mesh.validate(Level::Everything).unwrap();
            mesh
        };
        let one = ordered(&two);
        for v in one.vertices() {
            let old = u32::from_le_bytes(one.color[v as usize]);
            assert_eq!(one.x[v as usize], two.positions[old as usize]);
            for h in one.ring(v) {
                assert_eq!(one.uv[h as usize], Vec2::splat(old as f32));
            }
        }
        let mut random = Random::new([5, 0, 0, 0]);
        for _ in 0..20 {
            let other = ordered(&shuffled(&two, &mut random));
            assert_eq!(one.x, other.x);
            assert_eq!(one.rest, other.rest);
            assert_eq!(one.color, other.color);
            assert_eq!(one.corner, other.corner);
            assert_eq!(one.twin, other.twin);
            assert_eq!(one.out, other.out);
            assert_eq!(one.uv, other.uv);
            assert_eq!(one.material, other.material);
        }
    }
}
