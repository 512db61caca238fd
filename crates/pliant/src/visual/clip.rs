//! Convex polyhedra cut by planes, in f64 \[MCK13\].
//!
//! Faces are clipped one by one, and the cut is closed by a cap. Departs from sorting the cap's corners by angle: they are chained by the
//! edges that the clipped faces leave open, which needs no geometry and cannot go wrong where corners are close.
//!
//! Every vertex is classified once per plane: within a tolerance of it, it lies on it for both sides. So the two halves share their cut
//! bit for bit, and so do neighbours that share an edge.
//!
//! Vertices know where they come from ([`VertexKey`]): the edge or face of the source primitive that they lie on, by its gids, and the planes
//! that made them. Equal keys are equal vertices, also between primitives whose inner vertices are not in the same place.

use glam::DVec3;

use super::polyhedron::{Polyhedron, edges};
use super::primitive::{FaceTag, Primitive};
use crate::state::Csr;

/// The half-space n · x ≤ d.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Unit normal, out of the half-space.
    pub n: DVec3,
    /// Its distance from the origin along the normal (m).
    pub d: f64,
}

impl Plane {
    /// The plane through `point` with the normal `n`, which need not have unit length.
    pub fn through(point: DVec3, n: DVec3) -> Self {
        let n = n.normalize_or(DVec3::Z);
        Self { n, d: n.dot(point) }
    }

    /// The other half-space.
    pub fn flipped(self) -> Self {
        Self {
            n: -self.n,
            d: -self.d,
        }
    }

    /// How far a point is outside (m).
    #[inline]
    pub fn distance(&self, p: DVec3) -> f64 {
        self.n.dot(p) - self.d
    }
}

/// Where a vertex of a piece comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexKey {
    /// A vertex of the source primitive, by its gid.
    Gid(u32),
    /// Where planes cut an edge (two gids), a face (its gids) or the inside (none) of the source primitive.
    Made {
        /// Sorted gids of the edge or face, empty inside.
        feature: Vec<u32>,
        /// Sorted numbers of the planes.
        planes: Vec<u32>,
    },
}

/// Where a face of a piece comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaceKey {
    /// A face of the source primitive, by its sorted gids.
    Source(Vec<u32>),
    /// The plane with this number.
    Plane(u32),
}

/// A piece of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its shape.
    pub shape: Polyhedron,
    /// Where its vertices come from.
    pub vertex_keys: Vec<VertexKey>,
    /// Where its faces come from.
    pub face_keys: Vec<FaceKey>,
}

/// What a plane leaves of a piece.
#[derive(Clone, Debug, PartialEq)]
pub enum Clipped {
    /// All of it.
    All,
    /// Nothing.
    Nothing,
    /// This.
    Part(Piece),
}

impl Piece {
    /// The whole of a primitive.
    pub fn new(primitive: &Primitive) -> Self {
        Self::with_gids(primitive.polyhedron(), &primitive.gids)
    }

    /// A shape whose vertices have these gids.
    pub fn with_gids(shape: Polyhedron, gids: &[u32]) -> Self {
        let face_key = |row: &[u32]| {
            let mut gids: Vec<u32> = row.iter().map(|&v| gids[v as usize]).collect();
            gids.sort_unstable();
            FaceKey::Source(gids)
        };
        Self {
            vertex_keys: gids.iter().map(|&g| VertexKey::Gid(g)).collect(),
            face_keys: shape.faces.iter().map(face_key).collect(),
            shape,
        }
    }

    /// What lies in a half-space. The plane has the number `number`, the same for both of its sides; vertices within `tolerance` (m) are on
    /// it. The cap is tagged [`FaceTag::Cut`] and looks like `source`.
    pub fn clip(&self, plane: &Plane, number: u32, tolerance: f64, source: u32) -> Clipped {
        let height: Vec<f64> = self
            .shape
            .verts
            .iter()
            .map(|&v| plane.distance(v))
            .collect();
        let sign: Vec<i8> = height
            .iter()
            .map(|&h| i8::from(h > tolerance) - i8::from(h < -tolerance))
            .collect();
        if sign.iter().all(|&s| s <= 0) {
            return Clipped::All;
        }
        if sign.iter().all(|&s| s >= 0) {
            return Clipped::Nothing;
        }
        let mut out = Building {
            verts: self.shape.verts.clone(),
            keys: self.vertex_keys.clone(),
            on_plane: sign.iter().map(|&s| s == 0).collect(),
            made: Vec::new(),
        };
        out.cut_edges(self, &height, &sign, number);
        let mut faces = Csr::default();
        let (mut tags, mut sources, mut face_keys) = (Vec::new(), Vec::new(), Vec::new());
        let mut ring = Vec::new();
        for (f, row) in self.shape.faces.iter().enumerate() {
            ring.clear();
            for (a, b) in edges(row) {
                if sign[a as usize] <= 0 {
                    ring.push(a);
                }
                if sign[a as usize] * sign[b as usize] < 0 {
                    ring.extend(out.on_edge(a, b));
                }
            }
            if ring.len() >= 3 && !ring.iter().all(|&v| out.on_plane[v as usize]) {
                faces.push(ring.iter().copied());
                tags.push(self.shape.tags[f]);
                sources.push(self.shape.sources[f]);
                face_keys.push(self.face_keys[f].clone());
            }
        }
        let Some(cap) = cap(&faces, &out.on_plane) else {
            // The cut has no area: what sticks out is as flat as the tolerance, and stays or goes with the larger part.
            let most = |s: f64| height.iter().map(|h| h * s).fold(0.0, f64::max);
            return if most(-1.0) >= most(1.0) {
                Clipped::All
            } else {
                Clipped::Nothing
            };
        };
        faces.push(cap);
        tags.push(FaceTag::Cut);
        sources.push(source);
        face_keys.push(FaceKey::Plane(number));
        Clipped::Part(out.finish(faces, tags, sources, face_keys))
    }

    /// The pieces inside and outside of a half-space; `None` for what would be empty.
    pub fn split(
        &self,
        plane: &Plane,
        number: u32,
        tolerance: f64,
        source: u32,
    ) -> [Option<Self>; 2] {
        let side = |plane: &Plane| match self.clip(plane, number, tolerance, source) {
            Clipped::All => Some(self.clone()),
            Clipped::Nothing => None,
            Clipped::Part(piece) => Some(piece),
        };
        [side(plane), side(&plane.flipped())]
    }
}

/// Vertices of a piece that is being made.
struct Building {
    verts: Vec<DVec3>,
    keys: Vec<VertexKey>,
    on_plane: Vec<bool>,
    /// Ends of cut edges, ascending, and the vertex on each; sorted.
    made: Vec<(u32, u32, u32)>,
}

impl Building {
    /// Makes a vertex on each edge that passes through the plane.
    fn cut_edges(&mut self, piece: &Piece, height: &[f64], sign: &[i8], number: u32) {
        let mut cut: Vec<(u32, u32, usize)> = Vec::new();
        for (f, row) in piece.shape.faces.iter().enumerate() {
            let through = edges(row).filter(|&(a, b)| sign[a as usize] * sign[b as usize] < 0);
            cut.extend(through.map(|(a, b)| (a.min(b), a.max(b), f)));
        }
        cut.sort_unstable();
        for pair in cut.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (a, b, f) = pair[0];
            let g = pair.last().map_or(f, |e| e.2);
            // Seen from either side, or from a neighbour, the ends come in the same order: the result has the same bits.
            let [i, j] = in_order(&piece.shape.verts, a, b).map(|v| v as usize);
            let t = height[i] / (height[i] - height[j]);
            let (p, q) = (piece.shape.verts[i], piece.shape.verts[j]);
            let key = edge_key(&piece.face_keys[f], &piece.face_keys[g], number);
            self.made.push((a, b, self.verts.len() as u32));
            self.verts.push(p + (q - p) * t);
            self.keys.push(key);
            self.on_plane.push(true);
        }
    }

    fn on_edge(&self, a: u32, b: u32) -> Option<u32> {
        let ends = (a.min(b), a.max(b));
        let found = self.made.binary_search_by_key(&ends, |m| (m.0, m.1)).ok()?;
        Some(self.made[found].2)
    }

    /// The piece without the vertices that no face uses any more.
    fn finish(
        self,
        mut faces: Csr,
        tags: Vec<FaceTag>,
        sources: Vec<u32>,
        face_keys: Vec<FaceKey>,
    ) -> Piece {
        let mut number = vec![u32::MAX; self.verts.len()];
        faces.items.iter().for_each(|&v| number[v as usize] = 0);
        let (mut verts, mut vertex_keys) = (Vec::new(), Vec::new());
        for (v, key) in self.keys.into_iter().enumerate() {
            if number[v] == 0 {
                number[v] = verts.len() as u32;
                verts.push(self.verts[v]);
                vertex_keys.push(key);
            }
        }
        faces
            .items
            .iter_mut()
            .for_each(|v| *v = number[*v as usize]);
        Piece {
            shape: Polyhedron {
                verts,
                faces,
                tags,
                sources,
            },
            vertex_keys,
            face_keys,
        }
    }
}

/// Two vertices in the order of their coordinates.
fn in_order(verts: &[DVec3], a: u32, b: u32) -> [u32; 2] {
    let (p, q) = (verts[a as usize].to_array(), verts[b as usize].to_array());
    if p <= q { [a, b] } else { [b, a] }
}

/// The key of the vertex where a plane cuts the edge between two faces.
fn edge_key(f: &FaceKey, g: &FaceKey, number: u32) -> VertexKey {
    let (feature, mut planes) = match (f, g) {
        (FaceKey::Source(a), FaceKey::Source(b)) => {
            let shared = a.iter().copied().filter(|v| b.binary_search(v).is_ok());
            (shared.collect(), vec![number])
        }
        (FaceKey::Source(a), FaceKey::Plane(p)) | (FaceKey::Plane(p), FaceKey::Source(a)) => {
            (a.clone(), vec![*p, number])
        }
        (FaceKey::Plane(p), FaceKey::Plane(q)) => (Vec::new(), vec![*p, *q, number]),
    };
    planes.sort_unstable();
    planes.dedup();
    VertexKey::Made { feature, planes }
}

/// The loop that closes the faces: their open edges on the plane, turned round.
fn cap(faces: &Csr, on_plane: &[bool]) -> Option<Vec<u32>> {
    let on = |e: &(u32, u32)| on_plane[e.0 as usize] && on_plane[e.1 as usize];
    let mut rim: Vec<(u32, u32)> = faces.iter().flat_map(edges).filter(on).collect();
    rim.sort_unstable();
    let open: Vec<(u32, u32)> = rim
        .iter()
        .filter(|e| rim.binary_search(&(e.1, e.0)).is_err())
        .map(|e| (e.1, e.0))
        .collect();
    let mut open = open;
    open.sort_unstable();
    let mut ring = vec![open.first()?.0];
    loop {
        let from = *ring.last()?;
        let at = open.binary_search_by_key(&from, |e| e.0).ok()?;
        let next = open[at].1;
        if next == ring[0] {
            break;
        }
        ring.push(next);
        if ring.len() > open.len() {
            return None;
        }
    }
    (ring.len() >= 3 && ring.len() == open.len()).then_some(ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    fn unit_cube() -> Piece {
        let shape = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE, FaceTag::Outer);
        Piece::with_gids(shape, &[0, 1, 2, 3, 4, 5, 6, 7])
    }

    /// A cube cut parallel to a face, through edges and across a corner gives the right volumes, tags and keys.
    #[test]
    fn cube_cuts() {
        let cube = unit_cube();
        let [a, b] = cube.split(&Plane::through(DVec3::splat(0.25), DVec3::X), 7, 1e-9, 3);
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a.shape.volume() - 0.25).abs() < 1e-12 && (b.shape.volume() - 0.75).abs() < 1e-12);
        assert_eq!(a.shape.check(1e-9), Ok(()));
        assert_eq!(
            (a.shape.tags.last(), a.shape.sources.last()),
            (Some(&FaceTag::Cut), Some(&3))
        );
        let made = VertexKey::Made {
            feature: vec![0, 1],
            planes: vec![7],
        };
        assert!(a.vertex_keys.contains(&made) && b.vertex_keys.contains(&made));
        // Through two opposite edges: their vertices are on the plane and stay what they are.
        let [a, b] = cube.split(
            &Plane::through(DVec3::ZERO, DVec3::new(1.0, -1.0, 0.0)),
            8,
            1e-9,
            0,
        );
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!((a.shape.verts.len(), b.shape.verts.len()), (6, 6));
        assert!(a.vertex_keys.iter().all(|k| matches!(k, VertexKey::Gid(_))));
        let corner = Plane::through(DVec3::new(0.5, 0.0, 0.0), DVec3::ONE);
        let [a, _] = cube.split(&corner, 9, 1e-9, 0);
        assert!((a.unwrap().shape.volume() - 0.5f64.powi(3) / 6.0).abs() < 1e-12);
    }

    /// A plane along a face, within the tolerance, leaves all or nothing.
    #[test]
    fn coplanar() {
        let cube = unit_cube();
        for shift in [-1e-10, 0.0, 1e-10] {
            let plane = Plane::through(DVec3::X * (1.0 + shift), DVec3::X);
            assert_eq!(cube.clip(&plane, 0, 1e-9, 0), Clipped::All);
            assert_eq!(cube.clip(&plane.flipped(), 0, 1e-9, 0), Clipped::Nothing);
        }
    }

    /// Two planes through one face make the same key from both sides of either.
    #[test]
    fn keys_of_two_planes() {
        let cube = unit_cube();
        let (p, q) = (
            Plane::through(DVec3::splat(0.3), DVec3::X),
            Plane::through(DVec3::splat(0.6), DVec3::Y),
        );
        let key = VertexKey::Made {
            feature: vec![4, 5, 6, 7],
            planes: vec![1, 2],
        };
        let mut at = Vec::new();
        for first in cube.split(&p, 1, 1e-9, 0).into_iter().flatten() {
            for piece in first.split(&q, 2, 1e-9, 0).into_iter().flatten() {
                let v = piece.vertex_keys.iter().position(|k| *k == key).unwrap();
                at.push(piece.shape.verts[v].to_array());
            }
        }
        assert_eq!(at.len(), 4);
        at.dedup();
        assert_eq!(at, [[0.3, 0.6, 1.0]]);
    }

    proptest! {
        /// However a box is cut, pieces are closed and convex, their volumes and first moments add up, and cuts agree bit for bit.
        #[test]
        fn pieces_add_up(seed in 0u64..100_000) {
            let mut random = Random::new([seed, 0, 0, 0]);
            let size = random.next_in_cube().as_dvec3() + DVec3::new(0.5, 0.5, 1e-3);
            let shape = Polyhedron::cuboid(DVec3::ZERO, size, FaceTag::Outer);
            let whole = shape.mass_properties();
            let mut pieces = vec![Piece::with_gids(shape, &[0, 1, 2, 3, 4, 5, 6, 7])];
            for number in 0..6 {
                let mut n = random.next_direction().as_dvec3();
                if random.next_below(3) == 0 {
                    // Planes along faces and through vertices, too.
                    n = DVec3::X;
                }
                let point = random.next_in_cube().as_dvec3() * size;
                let plane = Plane::through(if random.next_below(4) == 0 { size } else { point }, n);
                pieces = pieces.iter().flat_map(|p| p.split(&plane, number, 1e-9, 0)).flatten().collect();
            }
            let (mut volume, mut first) = (0.0, DVec3::ZERO);
            let mut made: Vec<(VertexKey, [u64; 3])> = Vec::new();
            for piece in &pieces {
                prop_assert_eq!(piece.shape.check(1e-7), Ok(()));
                let mass = piece.shape.mass_properties();
                volume += mass.volume;
                first += mass.centroid * mass.volume;
                for (k, v) in piece.vertex_keys.iter().zip(&piece.shape.verts) {
                    if let VertexKey::Made { planes, .. } = k
                        && planes.len() == 1
                    {
                        made.push((k.clone(), v.to_array().map(f64::to_bits)));
                    }
                }
            }
            prop_assert!((volume / whole.volume - 1.0).abs() < 1e-9);
            prop_assert!((first / volume - whole.centroid).length() < 1e-9);
            made.sort();
            for w in made.windows(2) {
                // The same edge and plane may have been cut after another plane had shortened the edge: then bits may differ.
                let far = (0..3).any(|i| (f64::from_bits(w[0].1[i]) - f64::from_bits(w[1].1[i])).abs() > 1e-12);
                prop_assert!(w[0].0 != w[1].0 || !far);
            }
        }
    }
}
