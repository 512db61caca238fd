//! Convex polyhedra in f64: what they weigh, and whether they are what they should be.

use glam::{DMat3, DVec3};

use super::primitive::FaceTag;
use crate::state::Csr;

/// A closed convex polyhedron with polygons as faces, counter-clockwise from outside.
///
/// Cuts are made on this type: in f32 the pieces of a primitive would not add up to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polyhedron {
    /// Vertices (m).
    pub verts: Vec<DVec3>,
    /// Vertices of each face.
    pub faces: Csr,
    /// What each face is.
    pub tags: Vec<FaceTag>,
    /// The face of the source mesh that each face looks like.
    pub sources: Vec<u32>,
}

/// Volume, centroid and second moment for density 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassProperties {
    /// Volume (m³).
    pub volume: f64,
    /// Centroid (m).
    pub centroid: DVec3,
    /// Second moment ∫ s sᵀ dV about the centroid (m⁵).
    pub moment: DMat3,
}

/// Why something is not a closed convex polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeProblem {
    /// Fewer than four vertices or faces, or a face of fewer than three corners.
    #[error("too few vertices or faces for a solid")]
    TooSmall,
    /// An edge that is not between exactly two faces of opposite direction, or pieces that are not connected.
    #[error("the faces do not close")]
    Open,
    /// The volume is zero or negative.
    #[error("the volume is not positive")]
    NoVolume,
    /// A vertex lies in front of the plane of a face.
    #[error("the shape is not convex")]
    NotConvex,
}

impl Polyhedron {
    /// The box between two corners, all faces with the given tag.
    pub fn cuboid(lo: DVec3, hi: DVec3, tag: FaceTag) -> Self {
        let corner = |i: usize| {
            let pick = |bit: usize, axis: usize| if i & bit == 0 { lo[axis] } else { hi[axis] };
            DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        };
        let mut faces = Csr::default();
        for face in [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ] {
            faces.push(face);
        }
        Self {
            verts: (0..8).map(corner).collect(),
            faces,
            tags: vec![tag; 6],
            sources: vec![0; 6],
        }
    }

    /// Volume, centroid and second moment.
    pub fn mass_properties(&self) -> MassProperties {
        mass_properties(&self.verts, &self.faces)
    }

    /// Volume (m³).
    pub fn volume(&self) -> f64 {
        let origin = self.verts.first().copied().unwrap_or_default();
        let corner = |v: u32| self.verts[v as usize] - origin;
        let face = |f: &[u32]| -> f64 {
            let fan = |i: usize| corner(f[0]).dot(corner(f[i - 1]).cross(corner(f[i])));
            (2..f.len()).map(fan).sum()
        };
        self.faces.iter().map(face).sum::<f64>() / 6.0
    }

    /// Area vector of a face, by Newell's sum about its first corner: its length is the area (m²), its direction the outward normal.
    pub fn area_vector(&self, face: usize) -> DVec3 {
        area_vector(self.faces.row(face), |v| self.verts[v as usize])
    }

    /// The smallest box around it.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let first = self.verts.first().copied().unwrap_or_default();
        self.verts
            .iter()
            .fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }

    /// The length of the longest edge (m).
    pub fn longest_edge(&self) -> f64 {
        let mut longest: f64 = 0.0;
        for face in self.faces.iter() {
            for (a, b) in edges(face) {
                let length = self.verts[a as usize].distance_squared(self.verts[b as usize]);
                longest = longest.max(length);
            }
        }
        longest.sqrt()
    }

    /// Says whether this is a closed convex solid; vertices may stand out from planes by `tolerance` (m).
    pub fn check(&self, tolerance: f64) -> Result<(), ShapeProblem> {
        if self.verts.len() < 4 || self.faces.rows() < 4 || self.faces.iter().any(|f| f.len() < 3) {
            return Err(ShapeProblem::TooSmall);
        }
        let mut directed: Vec<(u32, u32)> = self.faces.iter().flat_map(edges).collect();
        directed.sort_unstable();
        let twice = directed.windows(2).any(|w| w[0] == w[1]);
        let paired = |&(a, b): &(u32, u32)| a != b && directed.binary_search(&(b, a)).is_ok();
        if twice || !directed.iter().all(paired) {
            return Err(ShapeProblem::Open);
        }
        let mut used = vec![false; self.verts.len()];
        self.faces
            .items
            .iter()
            .for_each(|&v| used[v as usize] = true);
        let vertex_count = used.iter().filter(|u| **u).count();
        // Euler's formula: one piece, no handle.
        if vertex_count + self.faces.rows() != directed.len() / 2 + 2 {
            return Err(ShapeProblem::Open);
        }
        let volume = self.volume();
        if volume <= 0.0 || volume.is_nan() {
            return Err(ShapeProblem::NoVolume);
        }
        let longest = self.longest_edge();
        for f in 0..self.faces.rows() {
            let area = self.area_vector(f);
            // The plane of a needle says nothing.
            if area.length() < 1e-9 * longest * longest {
                continue;
            }
            let n = area.normalize();
            let row = self.faces.row(f);
            let on: DVec3 = row.iter().map(|&v| self.verts[v as usize]).sum();
            let height = n.dot(on / row.len() as f64);
            if self.verts.iter().any(|v| n.dot(*v) > height + tolerance) {
                return Err(ShapeProblem::NotConvex);
            }
        }
        Ok(())
    }

    /// Turns the direction of every face round.
    pub fn flip(&mut self) {
        for f in 0..self.faces.rows() {
            let range = self.faces.offsets[f] as usize..self.faces.offsets[f + 1] as usize;
            self.faces.items[range].reverse();
        }
    }
}

/// The directed edges of a face.
pub(crate) fn edges(face: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    (0..face.len()).map(move |i| (face[i], face[(i + 1) % face.len()]))
}

/// Area vector of a polygon by Newell's sum about its first corner.
pub(crate) fn area_vector(face: &[u32], at: impl Fn(u32) -> DVec3) -> DVec3 {
    let Some(&first) = face.first() else {
        return DVec3::ZERO;
    };
    let origin = at(first);
    let fan = |w: &[u32]| (at(w[0]) - origin).cross(at(w[1]) - origin);
    0.5 * face[1..].windows(2).map(fan).sum::<DVec3>()
}

/// Volume, centroid and second moment of a closed polyhedron, as a sum of tetrahedra to one of its vertices.
///
/// Of a tetrahedron 0, a, b, c of volume V, with s = a + b + c: ∫ x = V s/4 and ∫ x xᵀ = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
pub fn mass_properties(verts: &[DVec3], faces: &Csr) -> MassProperties {
    let origin = verts.first().copied().unwrap_or_default();
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for face in faces.iter() {
        let a = verts[face[0] as usize] - origin;
        for w in face[1..].windows(2) {
            let [b, c] = [w[0], w[1]].map(|v| verts[v as usize] - origin);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (0.25 * v);
            second += (outer(s) + outer(a) + outer(b) + outer(c)) * (v / 20.0);
        }
    }
    if volume == 0.0 {
        return MassProperties {
            centroid: origin,
            ..MassProperties::default()
        };
    }
    let mean = first / volume;
    MassProperties {
        volume,
        centroid: origin + mean,
        moment: second - outer(mean) * volume,
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box weighs what it should, wherever it is, and is closed and convex; an open or dented one is not.
    #[test]
    fn cuboid() {
        let lo = DVec3::new(100.0, -7.0, 3.0);
        let mut b = Polyhedron::cuboid(lo, lo + DVec3::new(1.0, 1.0, 0.1), FaceTag::Outer);
        assert_eq!(b.check(1e-9), Ok(()));
        let mass = b.mass_properties();
        assert!((mass.volume - 0.1).abs() < 1e-12 && (b.volume() - 0.1).abs() < 1e-12);
        assert!((mass.centroid - lo - DVec3::new(0.5, 0.5, 0.05)).length() < 1e-11);
        let expected = [0.0083333333, 0.0083333333, 0.0000833333];
        for axis in 0..3 {
            assert!((mass.moment.col(axis)[axis] - expected[axis]).abs() < 1e-9);
        }
        let mut open = b.clone();
        open.faces.items[0] = 1;
        assert_eq!(open.check(1e-9), Err(ShapeProblem::Open));
        b.verts[0] += DVec3::splat(0.09);
        assert_eq!(b.check(1e-3), Err(ShapeProblem::NotConvex));
        b.flip();
        assert_eq!(b.check(1e-3), Err(ShapeProblem::NoVolume));
    }
}
