//! Winding numbers by counting what a vertical ray crosses.
//!
//! On a closed surface the winding number of a point is the sum, over the triangles above it, of the sign of their normal's z:
//! an integer, without tolerance. For that to hold the triangles must tile the plane below them without gap or overlap, so the
//! question "is the ray on this side of this edge" must have one answer for both triangles at the edge:
//!
//! - An edge meets the ray's row if one of its ends has y ≤ p.y and the other has not. A triangle has no or two such edges.
//! - The side is the sign of the edge function, in f64, with the ends ordered by vertex id. For single-precision positions of
//!   similar size its differences and products have no rounding, so the sign is exact.
//!
//! Triangles are corners `corner[3t..3t + 3]` into the positions `x`; a free slot has [`NONE`] as its first corner.
//!
//! **Cost.** About 10 ns a triangle that is asked; choose the triangles by their boxes. Many points at once are served better by
//! [`Columns`](super::columns::Columns).

use super::closed_mesh::NONE;
use glam::{DVec3, Vec3};

/// The three vertices of triangle `t`, or `None` for a free slot and a number out of range.
#[inline]
pub(super) fn vertices(corner: &[u32], t: usize) -> Option<[u32; 3]> {
    match corner.get(3 * t..3 * t + 3) {
        Some(&[a, b, c]) if a != NONE => Some([a, b, c]),
        _ => None,
    }
}

/// The sign of n_z of triangle `t` if the ray from `p` along +z crosses it, else 0.
///
/// A triangle exactly at the height of `p` counts as not crossed.
pub fn crossing_above(x: &[Vec3], corner: &[u32], t: u32, p: DVec3) -> i32 {
    crossing_along(x, corner, t, p, 2)
}

/// Space turned so that `axis` (0, 1, 2 for x, y, z) becomes z.
#[inline]
pub(super) fn turned(p: DVec3, axis: usize) -> DVec3 {
    DVec3::new(p[(axis + 1) % 3], p[(axis + 2) % 3], p[axis])
}

/// [`crossing_above`] for a ray along another axis; `p` is turned already.
pub(super) fn crossing_along(x: &[Vec3], corner: &[u32], t: u32, p: DVec3, axis: usize) -> i32 {
    let Some(ids) = vertices(corner, t as usize) else {
        return 0;
    };
    let q = ids.map(|v| turned(x[v as usize].as_dvec3(), axis));
    let below = q.map(|q| q.y <= p.y);
    if below[0] == below[1] && below[1] == below[2] {
        return 0;
    }
    let mut sign = 0;
    for k in 0..3 {
        let l = (k + 1) % 3;
        if below[k] != below[l] && is_left_of_edge(ids[k], q[k], ids[l], q[l], p) {
            sign += if below[k] { 1 } else { -1 };
        }
    }
    if sign != 0 && height(q, p) > p.z {
        sign
    } else {
        0
    }
}

/// Whether `p` lies on the −x side of an edge that meets its row.
#[inline]
fn is_left_of_edge(id_a: u32, a: DVec3, id_b: u32, b: DVec3, p: DVec3) -> bool {
    let (a, b) = if id_a < id_b { (a, b) } else { (b, a) };
    let edge = b - a;
    let side = edge.x * (p.y - a.y) - edge.y * (p.x - a.x);
    if edge.y > 0.0 { side > 0.0 } else { side < 0.0 }
}

/// The height of the triangle's plane over `p`, within the triangle's own heights.
fn height(q: [DVec3; 3], p: DVec3) -> f64 {
    let n = (q[1] - q[0]).cross(q[2] - q[0]);
    let lowest = q[0].z.min(q[1].z).min(q[2].z);
    let highest = q[0].z.max(q[1].z).max(q[2].z);
    let z = q[0].z - (n.x * (p.x - q[0].x) + n.y * (p.y - q[0].y)) / n.z;
    // A triangle that is all but vertical has any height; a number that is not finite becomes the middle.
    if z.is_finite() {
        z.clamp(lowest, highest)
    } else {
        0.5 * (lowest + highest)
    }
}

/// The winding number of `p` with respect to `triangles`, leaving out the triangle `skip` ([`NONE`]: none).
///
/// The triangles must include all of a closed surface that the ray from `p` along +z can cross; others do no harm.
pub fn winding_above(
    x: &[Vec3],
    corner: &[u32],
    triangles: impl IntoIterator<Item = u32>,
    p: DVec3,
    skip: u32,
) -> i32 {
    triangles
        .into_iter()
        .filter(|&t| t != skip)
        .map(|t| crossing_above(x, corner, t, p))
        .sum()
}

/// The winding number just outside triangle `t`: 0 on the boundary of the union, more if buried, less if turned inside out.
///
/// The ray starts at the centroid and ignores the triangle itself, so no offset from the surface is needed: with S the sum of
/// what it crosses, the side towards +z has winding number S, and crossing a triangle outward lowers the number by one. `None` for
/// a free or a vertical triangle, whose ray would run along it.
pub fn w_out(
    x: &[Vec3],
    corner: &[u32],
    triangles: impl IntoIterator<Item = u32>,
    t: u32,
) -> Option<i32> {
    let q = vertices(corner, t as usize)?.map(|v| x[v as usize].as_dvec3());
    let n_z = (q[1] - q[0]).cross(q[2] - q[0]).z;
    if n_z == 0.0 || !n_z.is_finite() {
        return None;
    }
    let centroid = (q[0] + q[1] + q[2]) / 3.0;
    let above = winding_above(x, corner, triangles, centroid, t);
    Some(if n_z > 0.0 { above } else { above - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use crate::geometry::topology::tests::{append, sphere, torus};
    use crate::random::Random;
    use proptest::prelude::*;

    fn all(mesh: &Mesh) -> std::ops::Range<u32> {
        0..mesh.triangles.len() as u32
    }

    fn winding(mesh: &Mesh, p: Vec3) -> i32 {
        let corner = mesh.triangles.as_flattened();
        winding_above(&mesh.positions, corner, all(mesh), p.as_dvec3(), NONE)
    }

    fn outside_windings(mesh: &Mesh, triangles: std::ops::Range<u32>) -> Vec<i32> {
        let corner = mesh.triangles.as_flattened();
        let mut found: Vec<i32> = triangles
            .filter_map(|t| w_out(&mesh.positions, corner, all(mesh), t))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn points(count: usize, extent: f32) -> impl Iterator<Item = Vec3> {
        let mut random = Random::new([11, 0, 0, 0]);
        (0..count).map(move |_| (random.next_in_cube() * 2.0 - 1.0) * extent)
    }

    /// Inside and outside of a sphere and a torus, right through their vertices too.
    #[test]
    fn sphere_and_torus() {
        let ball = sphere(24, 48, 1.0);
        let ring = torus(48, 24);
        for p in points(2000, 1.4) {
            if (p.length() - 1.0).abs() > 0.02 {
                assert_eq!(winding(&ball, p), i32::from(p.length() < 1.0), "{p}");
            }
            let tube = ((p.x * p.x + p.z * p.z).sqrt() - 1.0).hypot(p.y);
            if (tube - 0.3).abs() > 0.02 {
                assert_eq!(winding(&ring, p), i32::from(tube < 0.3), "{p}");
            }
        }
        // Below each vertex, where the ray meets a whole fan of triangles at once.
        for &v in &ball.positions {
            assert_eq!(winding(&ball, Vec3::new(v.x, v.y, -2.0)), 0, "{v}");
            let within = Vec3::new(v.x, v.y, 0.0);
            if within.length() < 0.9 {
                assert_eq!(winding(&ball, within), 1, "{v}");
            }
        }
        assert_eq!(outside_windings(&ball, all(&ball)), [0]);
        assert_eq!(outside_windings(&ring, all(&ring)), [0]);
    }

    /// Nested, inverted and overlapping spheres.
    #[test]
    fn pairs_of_spheres() {
        let ball = sphere(16, 32, 1.0);
        let count = ball.triangles.len() as u32;
        let mut nested = ball.clone();
        append(&mut nested, &sphere(16, 32, 0.5), Vec3::ZERO);
        assert_eq!(winding(&nested, Vec3::new(0.1, 0.05, 0.2)), 2);
        assert_eq!(outside_windings(&nested, 0..count), [0]);
        assert_eq!(outside_windings(&nested, count..2 * count), [1]);

        let mut inner = sphere(16, 32, 0.5);
        inner.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        assert_eq!(outside_windings(&inner, all(&inner)), [-1]);
        let mut hollow = ball.clone();
        append(&mut hollow, &inner, Vec3::ZERO);
        assert_eq!(winding(&hollow, Vec3::new(0.1, 0.05, 0.2)), 0);
        assert_eq!(winding(&hollow, Vec3::new(0.7, 0.05, 0.2)), 1);
        assert_eq!(outside_windings(&hollow, all(&hollow)), [0]);

        let mut overlapping = ball.clone();
        append(&mut overlapping, &ball, Vec3::new(0.9, 0.1, 0.2));
        for p in points(1000, 2.0) {
            let near = [Vec3::ZERO, Vec3::new(0.9, 0.1, 0.2)].map(|c| p.distance(c));
            if near.iter().all(|d| (d - 1.0).abs() > 0.03) {
                let expected = near.iter().filter(|d| **d < 1.0).count() as i32;
                assert_eq!(winding(&overlapping, p), expected, "{p}");
            }
        }
        assert_eq!(outside_windings(&overlapping, all(&overlapping)), [0, 1]);
    }

    /// Free slots, numbers out of range and triangles without area count nothing.
    #[test]
    fn odd_triangles() {
        let x = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let corner = [NONE, 7, 9, 0, 1, 1, 0, 1, 3];
        let p = DVec3::new(0.2, 0.0, -1.0);
        assert_eq!(winding_above(&x, &corner, 0..5, p, NONE), 0);
        for t in 0..5 {
            assert_eq!(w_out(&x, &corner, 0..3, t), None);
        }
    }

    proptest! {
        /// From far below, every closed surface sums to zero, however crumpled: no crossing is lost or counted twice. Coarse
        /// coordinates make rays run exactly through edges and vertices.
        #[test]
        fn closed_surfaces_cancel(
            coarse in prop::collection::vec((-4i8..5, -4i8..5, -4i8..5), 64),
            px in -10i8..11, py in -10i8..11, scale in prop::sample::select(vec![1.0f32, 1e-6, 1e6, 0.1]),
        ) {
            let mut mesh = torus(8, 8);
            for (p, &(x, y, z)) in mesh.positions.iter_mut().zip(&coarse) {
                *p = Vec3::new(f32::from(x), f32::from(y), f32::from(z)) * scale;
            }
            let p = Vec3::new(f32::from(px) * 0.5, f32::from(py) * 0.5, -100.0) * scale;
            prop_assert_eq!(winding(&mesh, p), 0);
        }
    }
}
