//! Polygons into triangles.

use glam::{DVec2, DVec3, Vec3};
use pliant::geometry::Mesh;
use pliant::visual::PolygonMesh;

/// Corners above which a polygon is split as a fan even if it is not convex: cutting ears takes up to cubic time.
const MOST_EARS: usize = 512;

/// A mesh of polygons as one of triangles; nothing else changes.
pub(super) fn triangulated(polygons: PolygonMesh) -> Mesh {
    let mut mesh = Mesh {
        positions: polygons.positions,
        colors: polygons.colors,
        part_names: polygons.part_names,
        ..Mesh::default()
    };
    let mut first = 0;
    for (face, row) in polygons.faces.iter().enumerate() {
        let corners: Vec<Vec3> = row.iter().map(|&v| mesh.positions[v as usize]).collect();
        for triangle in triangulate(&corners) {
            let chosen = triangle.map(|i| i as usize);
            mesh.triangles.push(chosen.map(|i| row[i]));
            if !polygons.corner_uvs.is_empty() {
                let uvs = chosen.map(|i| polygons.corner_uvs[first + i]);
                mesh.corner_uvs.push(uvs);
            }
            mesh.parts.extend(polygons.parts.get(face));
        }
        first += row.len();
    }
    mesh
}

/// Splits a polygon with at least three corners into triangles, given as numbers of its corners.
///
/// Convex polygons become a fan about their first corner, others lose one ear after the other.
pub(super) fn triangulate(corners: &[Vec3]) -> Vec<[u32; 3]> {
    let count = corners.len() as u32;
    let fan = || (2..count).map(|i| [0, i - 1, i]).collect();
    if count <= 3 || corners.len() > MOST_EARS {
        return fan();
    }
    let flat = flatten(corners);
    let turn = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|i| flat[i as usize]);
        (b - a).perp_dot(c - b)
    };
    let convex = (0..count).all(|i| turn(i, (i + 1) % count, (i + 2) % count) >= 0.0);
    if convex {
        return fan();
    }
    let mut left: Vec<u32> = (0..count).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    while left.len() > 3 {
        let n = left.len();
        let corner = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let is_ear = |&i: &usize| {
            let [a, b, c] = corner(i);
            turn(a, b, c) > 0.0
                && !left
                    .iter()
                    .any(|&p| ![a, b, c].contains(&p) && holds(&flat, [a, b, c], p))
        };
        // A polygon that crosses itself may have no ear; it is cut anyway, so that no corner is lost.
        let ear = (0..n).find(is_ear).unwrap_or(0);
        triangles.push(corner(ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Projects a polygon along its normal, so that it turns counter-clockwise.
fn flatten(corners: &[Vec3]) -> Vec<DVec2> {
    // Newell's normal: right for polygons of any shape, even when they are not quite flat.
    let next = |i: usize| corners[(i + 1) % corners.len()].as_dvec3();
    let origin = corners[0].as_dvec3();
    let normal: DVec3 = (0..corners.len())
        .map(|i| (corners[i].as_dvec3() - origin).cross(next(i) - origin))
        .sum();
    let (u, v) = normal
        .try_normalize()
        .unwrap_or(DVec3::Z)
        .any_orthonormal_pair();
    corners
        .iter()
        .map(|c| {
            let c = c.as_dvec3() - origin;
            DVec2::new(c.dot(u), c.dot(v))
        })
        .collect()
}

/// Whether a counter-clockwise triangle holds a point, its border included.
fn holds(flat: &[DVec2], triangle: [u32; 3], point: u32) -> bool {
    let p = flat[point as usize];
    let [a, b, c] = triangle.map(|i| flat[i as usize]);
    // Corners in the same place as the point belong to a slit or a pinch and do not block the ear.
    if p == a || p == b || p == c {
        return false;
    }
    [(a, b), (b, c), (c, a)]
        .iter()
        .all(|&(from, to)| (to - from).perp_dot(p - from) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3]) -> (f32, f32) {
        let (mut signed, mut absolute) = (0.0, 0.0);
        for t in triangulate(corners) {
            let [a, b, c] = t.map(|i| corners[i as usize]);
            let z = (b - a).cross(c - a).z * 0.5;
            signed += z;
            absolute += z.abs();
        }
        (signed, absolute)
    }

    /// Convex and concave polygons are covered exactly once, either way round.
    #[test]
    fn covers_once() {
        let square = [(0., 0.), (1., 0.), (1., 1.), (0., 1.)];
        let arrow = [(0., 0.), (2., 0.), (2., 2.), (1., 0.5)];
        let comb = [
            (0., 0.),
            (5., 0.),
            (5., 2.),
            (4., 2.),
            (4., 1.),
            (3., 1.),
            (3., 2.),
            (2., 2.),
            (2., 1.),
            (1., 1.),
            (1., 2.),
            (0., 2.),
        ];
        for (polygon, expected) in [(&square[..], 1.0), (&arrow, 1.5), (&comb, 8.0)] {
            let mut corners: Vec<Vec3> =
                polygon.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
            let (signed, absolute) = area(&corners);
            assert!((signed - expected).abs() < 1e-5 && (absolute - expected).abs() < 1e-5);
            corners.reverse();
            let (signed, absolute) = area(&corners);
            assert!((signed + expected).abs() < 1e-5 && (absolute - expected).abs() < 1e-5);
        }
    }

    /// Degenerate polygons keep their number of triangles.
    #[test]
    fn degenerate() {
        assert_eq!(triangulate(&[Vec3::ZERO; 5]).len(), 3);
        let bow = [Vec3::ZERO, Vec3::ONE, Vec3::X, Vec3::Y, Vec3::Z];
        assert_eq!(triangulate(&bow).len(), 3);
    }
}
