//! How far surfaces are from each other.

use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::bvh::Bvh;
use rayon::prelude::*;

/// The largest distance (m) from a vertex of `from` to the surface `to`; `reach` if it is that or more.
pub(super) fn farthest(from: &Mesh, to: &Mesh, reach: f32) -> f32 {
    let tree = Bvh::of_triangles(to);
    let distance_of = |&p: &Vec3| {
        let mut nearest = reach;
        tree.for_each_in_box(p - reach, p + reach, |t| {
            let corners = to.triangles[t as usize].map(|v| to.positions[v as usize]);
            nearest = nearest.min(distance(p, corners));
        });
        nearest
    };
    from.positions
        .par_iter()
        .map(distance_of)
        .reduce(|| 0.0, f32::max)
}

/// Distance from a point to a triangle: to its plane if the point lies over it, else to the nearest edge.
fn distance(p: Vec3, [a, b, c]: [Vec3; 3]) -> f32 {
    let to_edge = |a: Vec3, b: Vec3| {
        let t = (p - a).dot(b - a) / (b - a).length_squared().max(f32::MIN_POSITIVE);
        p.distance(a + t.clamp(0.0, 1.0) * (b - a))
    };
    let n = (b - a).cross(c - a);
    let over = |a: Vec3, b: Vec3| (b - a).cross(p - a).dot(n) >= 0.0;
    let edges = to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a));
    // A triangle without area has no inside.
    if over(a, b) && over(b, c) && over(c, a) && n.length_squared() > 0.0 {
        return edges.min((p - a).dot(n.normalize_or_zero()).abs());
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_triangle() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for (p, expected) in [
            (Vec3::new(0.2, 0.2, 0.5), 0.5),
            (Vec3::new(0.5, -2.0, 0.0), 2.0),
            (Vec3::new(4.0, 0.0, 4.0), 5.0),
            (Vec3::new(1.0, 1.0, 0.0), 0.5f32.sqrt()),
        ] {
            assert!((distance(p, triangle) - expected).abs() < 1e-6);
        }
    }
}
