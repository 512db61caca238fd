//! The tracked surface for those who look at it: as a plain mesh with all its attributes, and in numbers.

use super::closed_mesh::ClosedMesh;
use crate::geometry::Mesh;
use crate::geometry::repair::INNER_PART;
use glam::{Vec2, Vec3};

/// The surface as a plain mesh. What was inside of the body is the part [`INNER_PART`]; if the mesh has texture coordinates, so
/// has that part.
pub(crate) fn mesh(closed: &ClosedMesh) -> Mesh {
    let mut mesh = closed.to_mesh();
    if let Some(inner) = inner_part(&mesh)
        && !mesh.corner_uvs.is_empty()
    {
        lay_inner_uvs(&mut mesh, &rest(closed), inner);
    }
    mesh
}

/// Rest positions in the order of the vertices of [`mesh`] (m).
pub(crate) fn rest(closed: &ClosedMesh) -> Vec<Vec3> {
    closed.vertices().map(|v| closed.rest[v as usize]).collect()
}

/// The number of the part that was inside, if the mesh has one.
pub fn inner_part(mesh: &Mesh) -> Option<u16> {
    let at = mesh.part_names.iter().position(|name| name == INNER_PART)?;
    u16::try_from(at).ok()
}

/// Gives the corners of the part `inner` texture coordinates: nobody has painted the inside, so it is laid out by its rest
/// positions, seen along the axis that each triangle faces most at rest.
///
/// The scale is that of the outside, the mean length in the texture over the length at rest, so that the picture is as fine
/// on a cut as around it. Where neighbours face different axes there is a seam, as on the border to the outside.
fn lay_inner_uvs(mesh: &mut Mesh, rest: &[Vec3], inner: u16) {
    let (mut in_texture, mut at_rest) = (0.0_f64, 0.0_f64);
    for (t, uvs) in mesh.corner_uvs.iter().enumerate() {
        if mesh.parts[t] == inner {
            continue;
        }
        let corners = mesh.triangles[t].map(|v| rest[v as usize]);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            in_texture += f64::from(uvs[i].distance(uvs[j]));
            at_rest += f64::from(corners[i].distance(corners[j]));
        }
    }
    let density = in_texture / at_rest;
    let density = if density.is_finite() && density > 0.0 {
        density as f32
    } else {
        1.0
    };
    for (t, uvs) in mesh.corner_uvs.iter_mut().enumerate() {
        if mesh.parts[t] == inner {
            *uvs = planar_uvs(mesh.triangles[t].map(|v| rest[v as usize])).map(|uv| density * uv);
        }
    }
}

/// A triangle seen along the axis that its normal is nearest to, not mirrored.
fn planar_uvs([a, b, c]: [Vec3; 3]) -> [Vec2; 3] {
    let normal = (b - a).cross(c - a);
    let size = normal.abs();
    let along = if size.x >= size.y && size.x >= size.z {
        |p: Vec3, s: f32| Vec2::new(p.y * s, p.z)
    } else if size.y >= size.z {
        |p: Vec3, s: f32| Vec2::new(p.z * s, p.x)
    } else {
        |p: Vec3, s: f32| Vec2::new(p.x * s, p.y)
    };
    let facing = if size.x >= size.y && size.x >= size.z {
        normal.x
    } else if size.y >= size.z {
        normal.y
    } else {
        normal.z
    };
    let side = if facing < 0.0 { -1.0 } else { 1.0 };
    [a, b, c].map(|p| along(p, side))
}

impl ClosedMesh {
    /// Surface area (m²).
    pub fn area(&self) -> f64 {
        self.triangles()
            .map(|t| {
                let [a, b, c] = self.points(t).map(Vec3::as_dvec3);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    /// The smallest box around the surface (m), or `None` if nothing is left of it.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let mut places = self.vertices().map(|v| self.x[v as usize]);
        let first = places.next()?;
        Some(places.fold((first, first), |(lo, hi), p| (lo.min(p), hi.max(p))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inner corners get coordinates of the same scale as the outside and are not mirrored.
    #[test]
    fn the_inside_is_laid_out_like_the_outside() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mut mesh = Mesh {
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            corner_uvs: vec![
                [Vec2::ZERO, Vec2::X * 3.0, Vec2::Y * 3.0],
                [Vec2::ZERO, Vec2::X * 3.0, Vec2::Y * 3.0],
                [Vec2::ZERO; 3],
                [Vec2::ZERO; 3],
            ],
            parts: vec![0, 0, 1, 1],
            part_names: vec!["outer".to_owned(), INNER_PART.to_owned()],
            positions,
            ..Mesh::default()
        };
        let rest = mesh.positions.clone();
        let inner = inner_part(&mesh).unwrap();
        let before = mesh.corner_uvs.clone();
        lay_inner_uvs(&mut mesh, &rest, inner);
        assert_eq!(mesh.corner_uvs[..2], before[..2]);
        for uvs in &mesh.corner_uvs[2..] {
            let turn = (uvs[1] - uvs[0]).perp_dot(uvs[2] - uvs[0]);
            assert!((turn - 9.0).abs() < 1e-4, "{uvs:?}");
        }
    }
}
