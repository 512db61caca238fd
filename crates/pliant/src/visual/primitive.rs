//! Primitives: the convex polyhedra that bodies of visual geometry are made of \[MCM16 §3.1\].

use glam::{Mat3, Vec3};

use super::polyhedron::{Polyhedron, ShapeProblem};
use crate::state::Csr;

/// What a face of a primitive is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaceTag {
    /// A face of the source mesh, or a piece of one.
    #[default]
    Outer,
    /// The other side of an extruded face.
    Inner,
    /// Between the outer and the inner face; hidden where a neighbour has the same one.
    Side,
    /// Made by a cut.
    Cut,
}

/// Cell of a primitive that no pattern has cut.
pub const NO_CELL: u32 = u32::MAX;

/// A convex polyhedron in its undeformed shape.
///
/// Invariants: faces are counter-clockwise from outside and close; no gid comes twice; `centroid`, `volume`, `moment` and `radius` are those
/// of `verts` before they were rounded to f32.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Vertices in the undeformed configuration (m).
    pub verts: Vec<Vec3>,
    /// The number of each vertex in its body; equal numbers are drawn in one place.
    pub gids: Vec<u32>,
    /// Vertices of each face.
    pub faces: Csr,
    /// What each face is.
    pub tags: Vec<FaceTag>,
    /// For each face, the face of the source mesh that it looks like.
    pub sources: Vec<u32>,
    /// Centroid x̄ (m).
    pub centroid: Vec3,
    /// Volume (m³).
    pub volume: f32,
    /// Second moment J = ∫ s sᵀ dV about the centroid, for density 1 (m⁵).
    pub moment: Mat3,
    /// Radius of the ball with the same mass and trace of J, at least a tenth of the longest edge (m).
    pub radius: f32,
    /// The face of the source mesh that it was made from; the lowest one for convex shapes.
    pub source: u32,
    /// The part of the source mesh.
    pub part: u16,
    /// The pattern's cell that it lies in, or [`NO_CELL`].
    pub cell: u32,
    /// Thickness of the face that it was made from (m); for convex shapes, the least width.
    pub thickness: f32,
    /// How often it has been cut.
    pub depth: u8,
}

impl Primitive {
    /// A primitive of the shape and the gids of its vertices. What is not shape is left at its default: part 0, no cell, not cut.
    pub fn new(shape: &Polyhedron, gids: Vec<u32>, thickness: f32) -> Self {
        let mass = shape.mass_properties();
        // [MCM16 §3.3] needs a radius and does not say which. The trace of A_i = (1/5) m r² is that of J for r² = (5/3) tr J / m.
        let trace = mass.moment.x_axis.x + mass.moment.y_axis.y + mass.moment.z_axis.z;
        let square = if mass.volume > 0.0 {
            (5.0 / 3.0) * trace.max(0.0) / mass.volume
        } else {
            0.0
        };
        let radius = square.sqrt().max(0.1 * shape.longest_edge());
        Self {
            verts: shape.verts.iter().map(|v| v.as_vec3()).collect(),
            gids,
            faces: shape.faces.clone(),
            tags: shape.tags.clone(),
            sources: shape.sources.clone(),
            centroid: mass.centroid.as_vec3(),
            volume: mass.volume as f32,
            moment: mass.moment.as_mat3(),
            radius: radius as f32,
            source: shape.sources.first().copied().unwrap_or(0),
            part: 0,
            cell: NO_CELL,
            thickness,
            depth: 0,
        }
    }

    /// Its shape in f64, for cuts and checks.
    pub fn polyhedron(&self) -> Polyhedron {
        Polyhedron {
            verts: self.verts.iter().map(|v| v.as_dvec3()).collect(),
            faces: self.faces.clone(),
            tags: self.tags.clone(),
            sources: self.sources.clone(),
        }
    }

    /// Says whether it is closed and convex; `tolerance` is that of [`Polyhedron::check`] (m).
    pub fn check(&self, tolerance: f64) -> Result<(), ShapeProblem> {
        self.polyhedron().check(tolerance)
    }

    /// The smallest box around its undeformed shape.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let first = self.verts.first().copied().unwrap_or_default();
        self.verts
            .iter()
            .fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }

    /// Whether one of its vertices has this gid.
    #[inline]
    pub fn has_gid(&self, gid: u32) -> bool {
        self.gids.contains(&gid)
    }
}

/// The length of the diagonal of the box around primitives (m).
pub fn diagonal(primitives: &[Primitive]) -> f32 {
    let mut boxes = primitives.iter().map(Primitive::bounds);
    let Some(first) = boxes.next() else {
        return 0.0;
    };
    let (lo, hi) = boxes.fold(first, |(lo, hi), b| (lo.min(b.0), hi.max(b.1)));
    (hi - lo).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// The box 1 × 1 × 0.1 has the second moment and the radius of the worked example.
    #[test]
    fn box_radius() {
        let shape = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.1), FaceTag::Outer);
        let p = Primitive::new(&shape, (0..8).collect(), 0.1);
        assert!((p.radius - 0.528362).abs() < 1e-6, "{}", p.radius);
        let per_mass = p.moment * (1.0 / p.volume);
        for (axis, expected) in [0.083333, 0.083333, 0.000833].into_iter().enumerate() {
            assert!((per_mass.col(axis)[axis] - expected).abs() < 1e-6);
        }
        assert_eq!(p.check(1e-6), Ok(()));
        assert!((diagonal(&[p]) - 2.01f32.sqrt()).abs() < 1e-6);
    }

    /// A needle's radius is not below a tenth of its length.
    #[test]
    fn needle_radius() {
        let shape = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 1e-4, 1e-4), FaceTag::Outer);
        let p = Primitive::new(&shape, (0..8).collect(), 1e-4);
        assert!(p.radius >= 0.1);
    }
}
