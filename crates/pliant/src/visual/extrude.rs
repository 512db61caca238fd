//! Faces into prisms \[MCM16 §3.1\].

use glam::{DVec3, Vec3};

use super::clean::{Clean, CleanFace};
use super::intake::IntakeReport;
use super::polyhedron::Polyhedron;
use super::primitive::FaceTag;
use crate::geometry::bvh::Bvh;
use crate::state::Csr;

/// What is left of a thickness that had to be reduced, at least, in diagonals of the part.
const THINNEST: f64 = 1e-4;

/// A face of corners `ring`, counter-clockwise from outside, as a prism from `above` to `below` its plane along the unit normal `n`.
///
/// Vertices are the outer ring and then the inner ring; faces are outer, inner, and the sides in the order of edges.
pub fn prism(ring: &[DVec3], n: DVec3, above: f64, below: f64, sources: [u32; 2]) -> Polyhedron {
    let count = ring.len() as u32;
    let outer = ring.iter().map(|&v| v + n * above);
    let inner = ring.iter().map(|&v| v - n * below);
    let mut faces = Csr::default();
    faces.push(0..count);
    faces.push((count..2 * count).rev());
    for a in 0..count {
        let b = (a + 1) % count;
        faces.push([b, a, count + a, count + b]);
    }
    let mut tags = vec![FaceTag::Side; 2 + ring.len()];
    tags[..2].copy_from_slice(&[FaceTag::Outer, FaceTag::Inner]);
    let mut all = vec![sources[0]; 2 + ring.len()];
    all[1] = sources[1];
    Polyhedron {
        verts: outer.chain(inner).collect(),
        faces,
        tags,
        sources: all,
    }
}

/// Extrudes faces, and knows what lies behind them.
pub(super) struct Extruder<'a> {
    clean: &'a Clean,
    /// Unit normal and centre of each face.
    planes: Vec<(DVec3, DVec3)>,
    tree: Bvh,
}

impl<'a> Extruder<'a> {
    pub(super) fn new(clean: &'a Clean) -> Self {
        let plane = |face: &CleanFace| {
            let at = |i: usize| clean.positions[face.corners[i].vertex as usize];
            let fan = |i: usize| (at(i - 1) - at(0)).cross(at(i) - at(0));
            let count = face.corners.len();
            let n = (2..count).map(fan).sum::<DVec3>().normalize_or(DVec3::Z);
            (n, (0..count).map(at).sum::<DVec3>() / count as f64)
        };
        let bounds = |face: &CleanFace| {
            let at = |i: usize| clean.positions[face.corners[i].vertex as usize].as_vec3();
            let grow = |(lo, hi): (Vec3, Vec3), i| (lo.min(at(i)), hi.max(at(i)));
            (1..face.corners.len()).fold((at(0), at(0)), grow)
        };
        let boxes: Vec<(Vec3, Vec3)> = clean.faces.iter().map(bounds).collect();
        Self {
            clean,
            planes: clean.faces.iter().map(plane).collect(),
            tree: Bvh::new(&boxes),
        }
    }

    /// The prism of a face, and its thickness. `diagonal` is that of the face's part.
    pub(super) fn extrude(
        &self,
        face: u32,
        thickness: f64,
        diagonal: f64,
        report: &mut IntakeReport,
    ) -> (Polyhedron, f64) {
        let f = &self.clean.faces[face as usize];
        let (n, _) = self.planes[face as usize];
        let at = |c: &super::clean::Corner| self.clean.positions[c.vertex as usize];
        let ring: Vec<DVec3> = f.corners.iter().map(at).collect();
        if let Some(twin) = f.twin {
            // Seen from both sides, it has no inside: half of it goes each way.
            let mut shape = prism(&ring, n, 0.5 * thickness, 0.5 * thickness, [face, twin]);
            shape.tags[1] = FaceTag::Outer;
            return (shape, thickness);
        }
        let mut t = thickness;
        if let Some(distance) = self.wall_behind(face, 2.0 * thickness) {
            // Departs from a floor of 1e-3 diagonals here: what is thinner than that would be pierced after all.
            t = (0.5 * distance).max(THINNEST * diagonal).min(thickness);
            report.thinned_faces += usize::from(t < thickness);
        }
        (prism(&ring, n, 0.0, t, [face, face]), t)
    }

    /// How far a face that looks the other way is behind the centre of a face, if not farther than `reach`. Only its own part counts: parts
    /// may overlap as they like.
    fn wall_behind(&self, face: u32, reach: f64) -> Option<f64> {
        let (n, from) = self.planes[face as usize];
        let part = self.clean.faces[face as usize].part;
        let to = from - n * reach;
        let (a, b) = (from.as_vec3(), to.as_vec3());
        // Rounding to f32 moves the box by less than this.
        let slack = Vec3::splat(1e-6 * (a.abs().max(b.abs())).max_element());
        let mut nearest: Option<f64> = None;
        self.tree
            .for_each_in_box(a.min(b) - slack, a.max(b) + slack, |g| {
                let other = &self.clean.faces[g as usize];
                let (m, _) = self.planes[g as usize];
                if g == face || other.part != part || other.second || m.dot(n) >= -0.01 {
                    return;
                }
                if let Some(distance) = self.hit(g, from, -n)
                    && distance <= nearest.unwrap_or(reach)
                {
                    nearest = Some(distance);
                }
            });
        nearest
    }

    /// Where a ray leaves through a face, if it does.
    fn hit(&self, face: u32, from: DVec3, direction: DVec3) -> Option<f64> {
        let (n, center) = self.planes[face as usize];
        let distance = n.dot(center - from) / n.dot(direction);
        if distance <= 0.0 || distance.is_nan() {
            return None;
        }
        let p = from + direction * distance;
        let corners = &self.clean.faces[face as usize].corners;
        let at = |i: usize| self.clean.positions[corners[i % corners.len()].vertex as usize];
        let inside = |i: usize| (at(i + 1) - at(i)).cross(p - at(i)).dot(n) >= 0.0;
        (0..corners.len()).all(inside).then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prism is closed, convex, and has area times thickness as its volume.
    #[test]
    fn prism_volume() {
        let ring = [DVec3::ZERO, DVec3::X, DVec3::new(1.5, 1.0, 0.0), DVec3::Y];
        let shape = prism(&ring, DVec3::Z, 0.1, 0.2, [3, 4]);
        assert_eq!(shape.check(1e-9), Ok(()));
        let area = -0.5 * (ring[0] - ring[2]).cross(ring[1] - ring[3]).z;
        assert!((shape.volume() - area.abs() * 0.3).abs() < 1e-12);
        assert_eq!(shape.sources[..3], [3, 4, 3]);
    }
}
