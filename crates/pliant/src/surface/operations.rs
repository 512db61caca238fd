//! The three local operations of re-meshing: split, flip and collapse of an edge. Each keeps the mesh closed and manifold, and
//! carries texture, colour, rest position and material along.

use super::closed_mesh::{ClosedMesh, MADE, next, prev};
use glam::{Vec2, Vec3};

fn mean_color(a: [u8; 4], b: [u8; 4]) -> [u8; 4] {
    std::array::from_fn(|k| u16::midpoint(u16::from(a[k]), u16::from(b[k])) as u8)
}

fn mix_color(a: [u8; 4], b: [u8; 4], s: f32) -> [u8; 4] {
    std::array::from_fn(|k| {
        (f32::from(a[k]) + s * (f32::from(b[k]) - f32::from(a[k])) + 0.5).clamp(0.0, 255.0) as u8
    })
}

impl ClosedMesh {
    /// Puts a new vertex on the edge `h`, at `at`. Always legal. Returns the vertex.
    ///
    /// ```text
    ///     c                c
    ///   / h1\            / | \
    ///  a --h- b   ──►   a--m--b      a→b, m→b are on the upper side
    ///   \ g1/            \ | /
    ///     d                d
    /// ```
    pub(crate) fn split(&mut self, h: u32, at: Vec3) -> u32 {
        let g = self.twin(h);
        let (h1, g1) = (next(h), next(g));
        let (a, b) = (self.origin(h), self.origin(g));
        let (c, d) = (self.origin(prev(h)), self.origin(prev(g)));
        let m = self.add_vertex(a, at);
        let (ia, ib, im) = (a as usize, b as usize, m as usize);
        self.rest[im] = 0.5 * (self.rest[ia] + self.rest[ib]);
        self.was[im] = 0.5 * (self.was[ia] + self.was[ib]);
        if !self.color.is_empty() {
            self.color[im] = mean_color(self.color[ia], self.color[ib]);
        }
        let (t, s) = ((h / 3) as usize, (g / 3) as usize);
        let n = 3 * self.add_triangle([m, b, c], self.material[t], self.patch[t]);
        let o = 3 * self.add_triangle([m, a, d], self.material[s], self.patch[s]);
        self.scar[(n / 3) as usize] = self.scar[t];
        self.scar[(o / 3) as usize] = self.scar[s];

        let (outer_h, outer_g) = (self.twin(h1), self.twin(g1));
        self.corner[h1 as usize] = m;
        self.corner[g1 as usize] = m;
        self.glue(h1, n + 2);
        self.glue(n + 1, outer_h);
        self.glue(g1, o + 2);
        self.glue(o + 1, outer_g);
        self.glue(h, o);
        self.glue(g, n);
        self.out[im] = n;
        self.out[ia] = h;
        self.out[ib] = g;

        if !self.uv.is_empty() {
            let uv = |k: u32| self.uv[k as usize];
            let (on_h, on_g) = (0.5 * (uv(h) + uv(h1)), 0.5 * (uv(g) + uv(g1)));
            let (b_h, c_h) = (uv(h1), uv(prev(h)));
            let (a_g, d_g) = (uv(g1), uv(prev(g)));
            self.uv[n as usize..n as usize + 3].copy_from_slice(&[on_h, b_h, c_h]);
            self.uv[o as usize..o as usize + 3].copy_from_slice(&[on_g, a_g, d_g]);
            self.uv[h1 as usize] = on_h;
            self.uv[g1 as usize] = on_g;
        }
        m
    }

    /// [`ClosedMesh::split`] a share `s` of the way along the edge as far as attributes are concerned.
    pub(crate) fn split_at(&mut self, h: u32, at: Vec3, s: f32) -> u32 {
        let (ia, ib) = (self.origin(h) as usize, self.target(h) as usize);
        let m = self.split(h, at);
        let im = m as usize;
        self.rest[im] = self.rest[ia].lerp(self.rest[ib], s);
        self.was[im] = self.was[ia].lerp(self.was[ib], s);
        if !self.color.is_empty() {
            self.color[im] = mix_color(self.color[ia], self.color[ib], s);
        }
        if !self.uv.is_empty() {
            // The edge is a → m in `h` and m → b in `n` on one side, b → m in `g` and m → a in `o` on the other.
            let o = self.twin(h);
            let n = next(self.twin(next(h)));
            let g = self.twin(n);
            let uv = |k: u32| self.uv[k as usize];
            let on_h = uv(h).lerp(uv(next(n)), s);
            let on_g = uv(next(o)).lerp(uv(g), s);
            for (k, value) in [(next(h), on_h), (n, on_h), (next(g), on_g), (o, on_g)] {
                self.uv[k as usize] = value;
            }
        }
        m
    }

    /// Makes two half-edges each other's twin.
    #[inline]
    pub(crate) fn glue(&mut self, h: u32, g: u32) {
        self.twin[h as usize] = g;
        self.twin[g as usize] = h;
    }

    /// Whether the edge may be flipped: the other diagonal is not there yet, no vertex loses its third triangle, and no seam of
    /// the texture or border of a material lies on it.
    pub(crate) fn can_flip(&self, h: u32) -> bool {
        let g = self.twin(h);
        let (c, d) = (self.origin(prev(h)), self.origin(prev(g)));
        c != d
            && !self.is_seam(h)
            && self.valence(self.origin(h)) > 3
            && self.valence(self.origin(g)) > 3
            && self.half_edge(c, d) == super::closed_mesh::NONE
    }

    /// Replaces the diagonal `h` of its two triangles by the other one. The caller asks [`ClosedMesh::can_flip`] first.
    pub(crate) fn flip(&mut self, h: u32) {
        let g = self.twin(h);
        let (h1, h2, g1, g2) = (next(h), prev(h), next(g), prev(g));
        let (a, b) = (self.origin(h), self.origin(g));
        let (c, d) = (self.origin(h2), self.origin(g2));
        let (bc, ca, ad, db) = (self.twin(h1), self.twin(h2), self.twin(g1), self.twin(g2));
        for (half, v) in [(h, c), (h1, d), (h2, b), (g, d), (g1, c), (g2, a)] {
            self.corner[half as usize] = v;
        }
        self.glue(h1, db);
        self.glue(h2, bc);
        self.glue(g1, ca);
        self.glue(g2, ad);
        for (v, half) in [(a, g2), (b, h2), (c, h), (d, g)] {
            self.out[v as usize] = half;
        }
        if !self.uv.is_empty() {
            let uv = |k: u32| self.uv[k as usize];
            let (ua, ub, uc, ud) = (uv(h), uv(h1), uv(h2), uv(g2));
            for (half, value) in [(h, uc), (h1, ud), (h2, ub), (g, ud), (g1, uc), (g2, ua)] {
                self.uv[half as usize] = value;
            }
        }
    }

    /// Whether the mesh stays manifold when edge `h` is collapsed: the link condition, and three triangles left everywhere.
    pub(crate) fn can_collapse(&self, h: u32) -> bool {
        let g = self.twin(h);
        let (a, b) = (self.origin(h), self.origin(g));
        let (c, d) = (self.origin(prev(h)), self.origin(prev(g)));
        if c == d || self.valence(c) < 4 || self.valence(d) < 4 {
            return false;
        }
        // Rings are short, so comparing all with all beats any set.
        let mut shared = 0;
        let mut ring_a = 0;
        for i in self.ring(a) {
            let v = self.target(i);
            ring_a += 1;
            shared += usize::from(v != b && self.ring(b).any(|j| self.target(j) == v));
        }
        shared == 2 && ring_a + self.valence(b) >= 7
    }

    /// Collapses edge `h` into its origin, which goes to `at`, a share `s` of the way to the other end as far as attributes are
    /// concerned. The caller asks [`ClosedMesh::can_collapse`] first.
    ///
    /// Corners of the charts that the edge lies in get the mixed texture coordinate of their side; others keep their own.
    pub(crate) fn collapse(&mut self, h: u32, at: Vec3, s: f32) {
        let g = self.twin(h);
        let (h1, h2, g1, g2) = (next(h), prev(h), next(g), prev(g));
        let (a, b) = (self.origin(h), self.origin(g));
        let (c, d) = (self.origin(h2), self.origin(g2));
        let (ia, ib) = (a as usize, b as usize);

        if !self.uv.is_empty() {
            let uv = |k: u32| self.uv[k as usize];
            let (left_a, left_b) = (uv(h), uv(h1));
            let (right_a, right_b) = (uv(g1), uv(g));
            let left = left_a.lerp(left_b, s);
            let right = right_a.lerp(right_b, s);
            self.recolor_corners(self.out[ia], left_a, left, right_a, right);
            self.recolor_corners(self.out[ib], left_b, left, right_b, right);
        }
        self.rest[ia] = self.rest[ia].lerp(self.rest[ib], s);
        self.was[ia] = self.was[ia].lerp(self.was[ib], s);
        if !self.color.is_empty() {
            self.color[ia] = mix_color(self.color[ia], self.color[ib], s);
        }

        // Every corner at b becomes one at a.
        let first = self.out[ib];
        let mut k = first;
        loop {
            self.corner[k as usize] = a;
            k = self.twin(prev(k));
            if k == first {
                break;
            }
        }
        let (cb, ac, da, bd) = (self.twin(h1), self.twin(h2), self.twin(g1), self.twin(g2));
        self.glue(cb, ac);
        self.glue(da, bd);
        self.out[ia] = ac;
        self.out[c as usize] = cb;
        self.out[d as usize] = da;
        self.free_triangle(h / 3);
        self.free_triangle(g / 3);
        let made = self.vertex_flags[ia] & MADE;
        self.free_vertex(b);
        self.move_vertex(a, at);
        self.vertex_flags[ia] |= made;
    }

    fn recolor_corners(
        &mut self,
        first: u32,
        left: Vec2,
        to_left: Vec2,
        right: Vec2,
        to_right: Vec2,
    ) {
        let mut k = first;
        loop {
            let value = &mut self.uv[k as usize];
            if *value == left {
                *value = to_left;
            } else if *value == right {
                *value = to_right;
            }
            k = self.twin(prev(k));
            if k == first {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::validate::Level;
    use super::*;
    use crate::geometry::Mesh;
    use crate::geometry::solids::{octahedron, sphere, tetrahedron, torus};

    fn closed(mesh: &Mesh) -> ClosedMesh {
        ClosedMesh::new(mesh).unwrap()
    }

    fn euler(mesh: &ClosedMesh) -> i64 {
        mesh.validate(Level::Everything).unwrap().euler
    }

    #[test]
    fn every_edge_of_a_tetrahedron_splits() {
        for h in 0..12 {
            let mut mesh = closed(&tetrahedron(1.0));
            let at = 0.5 * (mesh.at(h) + mesh.at(next(h)));
            let volume = mesh.volume();
            mesh.split(h, at);
            assert_eq!(euler(&mesh), 2);
            assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (5, 6));
            assert!((mesh.volume() - volume).abs() < 1e-7);
        }
    }

    /// The other diagonal of every quad in a tetrahedron exists already.
    #[test]
    fn a_tetrahedron_refuses_flips_and_collapses() {
        let mesh = closed(&tetrahedron(1.0));
        assert!((0..12).all(|h| !mesh.can_flip(h) && !mesh.can_collapse(h)));
    }

    #[test]
    fn an_octahedron_flips_and_flips_back() {
        for h in 0..24 {
            let mut mesh = closed(&octahedron(1.0));
            assert!(mesh.can_flip(h));
            let (c, d) = (mesh.origin(prev(h)), mesh.origin(prev(mesh.twin(h))));
            let ends = [mesh.origin(h), mesh.target(h)];
            mesh.flip(h);
            assert_eq!(euler(&mesh), 2);
            assert_eq!([mesh.origin(h), mesh.target(h)], [c, d]);
            mesh.flip(h);
            assert_eq!(euler(&mesh), 2);
            assert!(ends.contains(&mesh.origin(h)) && ends.contains(&mesh.target(h)));
        }
    }

    #[test]
    fn an_octahedron_collapses_to_five_vertices() {
        let mut mesh = closed(&octahedron(1.0));
        let at = 0.5 * (mesh.at(0) + mesh.at(1));
        assert!(mesh.can_collapse(0));
        mesh.collapse(0, at, 0.5);
        assert_eq!(euler(&mesh), 2);
        assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (5, 6));
    }

    /// In the smallest torus every edge lies on a cycle of three that bounds nothing, so no collapse is legal.
    #[test]
    fn the_smallest_torus_refuses_to_collapse() {
        let mesh = closed(&torus(1.0, 0.4, 3, 3));
        assert_eq!(euler(&mesh), 0);
        assert!((0..54).all(|h| !mesh.can_collapse(h)));
    }

    /// A sphere comes down to a tetrahedron by collapses alone, sound all the way.
    #[test]
    fn a_sphere_collapses_until_nothing_is_left_to_collapse() {
        let mut mesh = closed(&sphere(1.0, 4));
        while let Some(h) = (0..mesh.corner.len() as u32)
            .filter(|&h| mesh.alive(h / 3))
            .find(|&h| mesh.can_collapse(h))
        {
            let at = mesh.at(h);
            mesh.collapse(h, at, 0.0);
            assert_eq!(euler(&mesh), 2);
        }
        assert_eq!(mesh.triangle_count(), 4);
    }

    /// Texture coordinates follow: they stay a linear function of the rest position in each chart.
    #[test]
    fn texture_follows_splits_flips_and_collapses() {
        let mut input = sphere(1.0, 4);
        let upper = |t: &[u32; 3]| {
            t.iter()
                .map(|&v| input.positions[v as usize].y)
                .sum::<f32>()
                > 0.0
        };
        let chart: Vec<f32> = input
            .triangles
            .iter()
            .map(|t| if upper(t) { 1.0 } else { -1.0 })
            .collect();
        let uv = |p: Vec3, side: f32| Vec2::new(p.x * side + 3.0 * side, p.z);
        input.corner_uvs = input
            .triangles
            .iter()
            .zip(&chart)
            .map(|(t, &side)| t.map(|v| uv(input.positions[v as usize], side)))
            .collect();
        let mut mesh = closed(&input);
        let mut random = crate::random::Random::new([7, 0, 0, 0]);
        for _ in 0..2000 {
            let h = random.next_below(mesh.corner.len() as u32);
            if !mesh.alive(h / 3) {
                continue;
            }
            let ends = |m: &ClosedMesh| {
                let seams = |v: u32| m.ring(v).filter(|&k| m.is_seam(k)).count();
                (seams(m.origin(h)), seams(m.target(h)))
            };
            match random.next_below(3) {
                0 => {
                    let at = 0.5 * (mesh.at(h) + mesh.at(next(h)));
                    mesh.split(h, at);
                }
                1 if mesh.can_flip(h) => mesh.flip(h),
                2 if mesh.can_collapse(h)
                    && (ends(&mesh) == (0, 0) || mesh.is_seam(h) && ends(&mesh) == (2, 2)) =>
                {
                    let at = 0.5 * (mesh.at(h) + mesh.at(next(h)));
                    mesh.collapse(h, at, 0.5);
                }
                _ => {}
            }
        }
        mesh.validate(Level::Everything).unwrap();
        for h in (0..mesh.corner.len() as u32).filter(|&h| mesh.alive(h / 3)) {
            let side = mesh.uv[3 * (h / 3) as usize].x.signum();
            let expected = uv(mesh.rest[mesh.origin(h) as usize], side);
            assert!(mesh.uv[h as usize].distance(expected) < 1e-4);
        }
    }
}
