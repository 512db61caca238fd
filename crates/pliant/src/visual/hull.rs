//! What collision needs of primitives, in columns: vertices, faces, and directions in which they can be separated.
//!
//! Everything is kept about the centroid, so that coordinates are small however far away a body is. A [`Hull`] holds the undeformed
//! shape; [`Hull::place`] deforms one into a [`Placed`] for one step: vertices D v, edges D e, normals D⁻ᵀ n \[MCM16 §3.3\].
//!
//! Directions that are parallel are kept once: a box has three normals and three edge directions, the prism of a triangle four of each.
//! Neighbouring faces in one plane count as one, so that a cube of twelve triangles collides as one of six squares.

use glam::{DVec3, Mat3, Vec3};

use super::polyhedron::{area_vector, edges};
use super::primitive::Primitive;
use crate::math::F8;
use crate::state::Csr;

/// Faces are in one plane, and directions parallel, if the sine of their angle is below this.
const PARALLEL: f64 = 1e-4;

/// More edges than this are not told apart by direction but by the normals beside them.
pub(crate) const MANY_EDGES: usize = 24;

/// Face directions of a placed hull, eight side by side, with the hull's extent along each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisBlock {
    /// Unit normals, by coordinate; zero in lanes that are not used.
    pub n: [F8; 3],
    /// Lowest vertex along each (m).
    pub lo: F8,
    /// Highest vertex along each, where the face is (m).
    pub hi: F8,
}

impl Default for AxisBlock {
    /// Lanes that are not used never separate anything.
    fn default() -> Self {
        Self {
            n: [F8::ZERO; 3],
            lo: F8([-1e30; 8]),
            hi: F8([1e30; 8]),
        }
    }
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullEdge {
    /// Its two vertices.
    pub verts: [u16; 2],
    /// The faces to its sides.
    pub faces: [u16; 2],
}

/// The undeformed shape of one primitive, for collision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// Vertices about the centroid (m).
    pub verts: Vec<Vec3>,
    /// Vertices of each face; faces in one plane are one.
    pub faces: Csr,
    /// Unit normal of each face.
    pub normals: Vec<Vec3>,
    /// Faces with different directions; `u16` pairs: a face and the one that looks the other way, or itself.
    pub axes: Vec<[u16; 2]>,
    /// Edges between faces that are not in one plane.
    pub edges: Vec<HullEdge>,
    /// Edges with different directions.
    pub directions: Vec<u16>,
    /// Radius of the ball around the centroid (m).
    pub radius: f32,
}

impl Hull {
    /// The hull of a primitive.
    pub fn new(primitive: &Primitive) -> Self {
        let center = primitive.centroid.as_dvec3();
        let at: Vec<DVec3> = primitive
            .verts
            .iter()
            .map(|v| v.as_dvec3() - center)
            .collect();
        let faces = merge_coplanar(&at, &primitive.faces);
        let normal = |f: &[u32]| area_vector(f, |v| at[v as usize]).normalize_or(DVec3::Z);
        let normals: Vec<DVec3> = faces.iter().map(normal).collect();
        let parallel = |a: DVec3, b: DVec3| a.cross(b).length_squared() < PARALLEL * PARALLEL;
        let mut axes: Vec<[u16; 2]> = Vec::new();
        for (f, &n) in normals.iter().enumerate() {
            let f = f as u16;
            match axes
                .iter_mut()
                .find(|a| parallel(normals[usize::from(a[0])], n))
            {
                Some(axis) if n.dot(normals[usize::from(axis[0])]) < 0.0 => axis[1] = f,
                Some(_) => {}
                None => axes.push([f, f]),
            }
        }
        let edges = hull_edges(&faces);
        let direction = |e: &HullEdge| {
            let [a, b] = e.verts.map(|v| at[usize::from(v)]);
            (b - a).normalize_or_zero()
        };
        let mut directions: Vec<u16> = Vec::new();
        if edges.len() <= MANY_EDGES {
            for (i, e) in edges.iter().enumerate() {
                let d = direction(e);
                let known = |k: &u16| parallel(direction(&edges[usize::from(*k)]), d);
                if !directions.iter().any(known) {
                    directions.push(i as u16);
                }
            }
        }
        let radius = at.iter().map(|v| v.length()).fold(0.0, f64::max);
        Self {
            verts: at.iter().map(|v| v.as_vec3()).collect(),
            faces,
            normals: normals.iter().map(|n| n.as_vec3()).collect(),
            axes,
            edges,
            directions,
            radius: radius as f32 * (1.0 + 1e-6),
        }
    }

    /// Places it with the deformation D, which must be invertible; what was in `out` is overwritten, its memory kept.
    pub fn place(&self, d: Mat3, out: &mut Placed) {
        out.verts.clear();
        out.verts.extend(self.verts.iter().map(|&v| d * v));
        // D⁻ᵀ up to a factor that normalising takes out; its sign is that of the determinant, which is positive.
        let cofactor = Mat3::from_cols(
            d.y_axis.cross(d.z_axis),
            d.z_axis.cross(d.x_axis),
            d.x_axis.cross(d.y_axis),
        );
        out.normals.clear();
        out.normals
            .extend(self.normals.iter().map(|&n| (cofactor * n).normalize_or(n)));
        out.axes.clear();
        for chunk in self.axes.chunks(8) {
            let mut block = AxisBlock::default();
            for (l, &[f, back]) in chunk.iter().enumerate() {
                let n = out.normals[usize::from(f)];
                for (k, x) in n.to_array().into_iter().enumerate() {
                    block.n[k].0[l] = x;
                }
                let on = |f: u16| out.verts[self.faces.row(usize::from(f))[0] as usize];
                block.hi.0[l] = n.dot(on(f));
                block.lo.0[l] = if back == f {
                    extent(&out.verts, n).0
                } else {
                    n.dot(on(back))
                };
            }
            out.axes.push(block);
        }
        out.directions.clear();
        for &e in &self.directions {
            let [a, b] = self.edges[usize::from(e)]
                .verts
                .map(|v| out.verts[usize::from(v)]);
            out.directions.push((b - a).normalize_or_zero());
        }
        let around = Bounds::of(out.verts.iter().copied());
        (out.radius, out.lo, out.hi) = (around.radius, around.lo, around.hi);
    }

    /// What is around it if it is placed with the deformation D.
    pub fn bounds(&self, d: Mat3) -> Bounds {
        Bounds::of(self.verts.iter().map(|&v| d * v))
    }
}

/// A ball and a box around a placed hull, about its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Radius of the ball around the centre (m).
    pub radius: f32,
    /// Lowest corner of the box (m).
    pub lo: Vec3,
    /// Highest corner of the box (m).
    pub hi: Vec3,
}

impl Bounds {
    fn of(verts: impl Iterator<Item = Vec3>) -> Self {
        let mut square: f32 = 0.0;
        let (mut lo, mut hi) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for v in verts {
            let far = v.length_squared();
            square = if far > square { far } else { square };
            lo = lo.min(v);
            hi = hi.max(v);
        }
        Self {
            radius: square.sqrt() * (1.0 + 1e-6),
            lo,
            hi,
        }
    }
}

/// A hull as it is deformed and turned now, about its centre; where the centre is, is told with each query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed {
    /// Vertices about the centre (m).
    pub verts: Vec<Vec3>,
    /// Unit normal of each face.
    pub normals: Vec<Vec3>,
    /// Face directions, none of them parallel.
    pub axes: Vec<AxisBlock>,
    /// Unit vectors along edges of different directions; empty for hulls of many edges.
    pub directions: Vec<Vec3>,
    /// Radius of the ball around the centre (m).
    pub radius: f32,
    /// Lowest corner of the box around it, about the centre (m).
    pub lo: Vec3,
    /// Highest corner of the box around it, about the centre (m).
    pub hi: Vec3,
}

/// Lowest and highest vertex along `n`.
#[inline]
pub(crate) fn extent(verts: &[Vec3], n: Vec3) -> (f32, f32) {
    let (mut lo, mut hi) = (f32::MAX, f32::MIN);
    for v in verts {
        let at = n.dot(*v);
        // Plain comparisons are one instruction each; `f32::min` is not.
        lo = if at < lo { at } else { lo };
        hi = if at > hi { at } else { hi };
    }
    (lo, hi)
}

/// Edges with their vertices and faces.
fn hull_edges(faces: &Csr) -> Vec<HullEdge> {
    let mut sides: Vec<(u32, u32, u16)> = Vec::with_capacity(faces.items.len());
    for (f, row) in faces.iter().enumerate() {
        sides.extend(edges(row).map(|(a, b)| (a.min(b), a.max(b), f as u16)));
    }
    sides.sort_unstable();
    let both = sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    both.filter(|pair| pair.len() == 2)
        .map(|pair| HullEdge {
            verts: [pair[0].0 as u16, pair[0].1 as u16],
            faces: [pair[0].2, pair[1].2],
        })
        .collect()
}

/// Faces, with neighbours in one plane made one. A group whose border is not a single loop stays as it is.
fn merge_coplanar(at: &[DVec3], faces: &Csr) -> Csr {
    let count = faces.rows();
    if count <= 6 {
        // Prisms and boxes: nothing to gain.
        return faces.clone();
    }
    let normals: Vec<DVec3> = faces
        .iter()
        .map(|f| area_vector(f, |v| at[v as usize]).normalize_or_zero())
        .collect();
    let mut group: Vec<usize> = (0..count).collect();
    for e in hull_edges(faces) {
        let [f, g] = e.faces.map(usize::from);
        // With the group's first face, not with the neighbour: else a fine sphere would be one plane.
        let (a, b) = (group[f], group[g]);
        let flat = normals[a].cross(normals[b]).length_squared() < PARALLEL * PARALLEL;
        if a != b && flat && normals[a].dot(normals[b]) > 0.0 {
            let (keep, drop) = (a.min(b), a.max(b));
            group
                .iter_mut()
                .filter(|g| **g == drop)
                .for_each(|g| *g = keep);
        }
    }
    let mut merged = Csr::default();
    for f in 0..count {
        if group[f] != f {
            continue;
        }
        let members: Vec<usize> = (f..count).filter(|&g| group[g] == f).collect();
        match border(faces, &members) {
            Some(ring) => merged.push(ring),
            None => members
                .iter()
                .for_each(|&g| merged.push(faces.row(g).iter().copied())),
        }
    }
    merged
}

/// The loop around faces, if it is one.
fn border(faces: &Csr, members: &[usize]) -> Option<Vec<u32>> {
    if let [one] = members {
        return Some(faces.row(*one).to_vec());
    }
    let mut directed: Vec<(u32, u32)> = members.iter().flat_map(|&g| edges(faces.row(g))).collect();
    directed.sort_unstable();
    let outside = |e: &(u32, u32)| directed.binary_search(&(e.1, e.0)).is_err();
    let rim: Vec<(u32, u32)> = directed.iter().copied().filter(outside).collect();
    let mut ring = vec![rim.first()?.0];
    loop {
        let from = *ring.last()?;
        let next = rim[rim.binary_search_by_key(&from, |e| e.0).ok()?].1;
        if next == ring[0] {
            break;
        }
        ring.push(next);
        if ring.len() > rim.len() {
            return None;
        }
    }
    (ring.len() == rim.len()).then_some(ring)
}

#[cfg(test)]
mod tests {
    use super::super::intake::{IntakeOptions, intake};
    use super::super::nasty::{cube, sheet};
    use super::super::polygons::PolygonMesh;
    use super::*;

    fn hull(mesh: &PolygonMesh) -> Hull {
        Hull::new(&intake(mesh, &IntakeOptions::default()).unwrap().primitives[0])
    }

    /// Parallel directions are kept once: three and three for a box, four and four for the prism of a triangle.
    #[test]
    fn directions() {
        let b = hull(&cube(0.0, 1.0));
        assert_eq!(
            (b.axes.len(), b.directions.len(), b.edges.len()),
            (3, 3, 12)
        );
        let mut triangle = sheet(1, 1, 1.0);
        triangle.faces = Csr::default();
        triangle.faces.push([0, 1, 3]);
        let p = hull(&triangle);
        assert_eq!((p.axes.len(), p.directions.len(), p.edges.len()), (4, 4, 9));
    }

    /// A cube of twelve triangles collides as one of six squares.
    #[test]
    fn coplanar_faces_are_one() {
        let quads = cube(0.0, 1.0);
        let mut mesh = quads.clone();
        mesh.faces = Csr::default();
        for f in quads.faces.iter() {
            mesh.faces.push([f[0], f[1], f[2]]);
            mesh.faces.push([f[0], f[2], f[3]]);
        }
        let h = hull(&mesh);
        assert_eq!(
            (h.faces.rows(), h.axes.len(), h.directions.len()),
            (6, 3, 3)
        );
    }

    /// A placed hull has the extents, normals and directions of its deformed vertices.
    #[test]
    fn placed() {
        let h = hull(&cube(0.0, 1.0));
        let d = Mat3::from_cols_array(&[1.5, 0.0, 0.3, 0.2, 0.8, 0.0, 0.0, -0.1, 1.1]);
        let mut placed = Placed::default();
        h.place(d, &mut placed);
        let block = &placed.axes[0];
        for l in 0..3 {
            let n = Vec3::from(block.n.map(|x| x.0[l]));
            let (lo, hi) = extent(&placed.verts, n);
            assert!((lo - block.lo.0[l]).abs() < 1e-6 && (hi - block.hi.0[l]).abs() < 1e-6);
        }
        assert!(
            (placed.radius - placed.verts.iter().map(|v| v.length()).fold(0.0, f32::max)).abs()
                < 1e-5
        );
    }
}
