//! Balls and ellipsoids against convex hulls.

use glam::{Mat3, Vec3};

use super::hull::{Hull, Placed};
use super::sat::Solid;

/// The place of a hull's surface that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The place, from the hull's centre (m).
    pub point: Vec3,
    /// Unit vector from the surface to the outside: towards the point if that is outside.
    pub normal: Vec3,
    /// Distance from the surface, negative inside (m).
    pub distance: f32,
}

/// A round body that touches a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundContact {
    /// The place on the hull, from the hull's centre (m).
    pub on_hull: Vec3,
    /// The place on the round body, from that body's centre (m).
    pub on_round: Vec3,
    /// Unit vector from the hull to the round body.
    pub normal: Vec3,
    /// Gap along the normal, negative if they overlap (m).
    pub gap: f32,
}

/// The nearest place of a hull's surface to a point `p` from its centre, if that is no farther outside than `reach` (m).
pub fn nearest(s: Solid, p: Vec3, reach: f32) -> Option<Nearest> {
    if p.length_squared() > (s.placed.radius + reach) * (s.placed.radius + reach) {
        return None;
    }
    let mut deepest = (0, f32::MIN);
    for f in 0..s.placed.normals.len() {
        let n = s.placed.normals[f];
        let height = n.dot(p - s.placed.verts[s.hull.faces.row(f)[0] as usize]);
        if height > reach {
            return None;
        }
        if height > deepest.1 {
            deepest = (f, height);
        }
    }
    let (face, height) = deepest;
    if height <= 0.0 {
        let normal = s.placed.normals[face];
        return Some(Nearest {
            point: p - normal * height,
            normal,
            distance: height,
        });
    }
    // Outside, the nearest place is on a face that looks at the point.
    let mut best = (f32::MAX, Vec3::ZERO, Vec3::Y);
    for f in 0..s.placed.normals.len() {
        let n = s.placed.normals[f];
        let ring = s.hull.faces.row(f);
        let height = n.dot(p - s.placed.verts[ring[0] as usize]);
        if height <= 0.0 || height * height >= best.0 {
            continue;
        }
        let q = nearest_on_face(s.placed, ring, n, p - n * height);
        let square = q.distance_squared(p);
        if square < best.0 {
            best = (square, q, n);
        }
    }
    let distance = best.0.sqrt();
    // Just at the surface the direction to the point is noise; the face's normal is not.
    let normal = if distance > 1e-6 * s.placed.radius {
        (p - best.1) / distance
    } else {
        best.2
    };
    (distance <= reach).then_some(Nearest {
        point: best.1,
        normal,
        distance,
    })
}

/// The nearest place of a face to a point in its plane.
fn nearest_on_face(placed: &Placed, ring: &[u32], n: Vec3, p: Vec3) -> Vec3 {
    let at = |i: usize| placed.verts[ring[i % ring.len()] as usize];
    let mut best = (f32::MAX, p);
    for i in 0..ring.len() {
        let (a, b) = (at(i), at(i + 1));
        let e = b - a;
        if e.cross(n).dot(p - a) <= 0.0 {
            continue;
        }
        let along = ((p - a).dot(e) / e.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let q = a + e * along;
        let square = q.distance_squared(p);
        if square < best.0 {
            best = (square, q);
        }
    }
    best.1
}

/// Where a ball touches a hull, if the gap is at most `margin`. `center` is that of the ball, from the hull's centre (m).
pub fn sphere_convex(s: Solid, center: Vec3, radius: f32, margin: f32) -> Option<RoundContact> {
    let near = nearest(s, center, radius + margin)?;
    Some(RoundContact {
        on_hull: near.point,
        on_round: near.normal * -radius,
        normal: near.normal,
        gap: near.distance - radius,
    })
}

/// Where an ellipsoid touches a hull that is deformed by `d`, if the gap is at most `margin`. `center` is that of the ellipsoid, from the
/// hull's centre (m), `m` makes it of the unit ball: its columns are the semi-axes.
///
/// In the space where the ellipsoid is the unit ball the question is that of a ball. The nearest place there is not the nearest here, but it
/// touches where and when it should.
pub fn ellipsoid_convex(
    hull: &Hull,
    d: Mat3,
    center: Vec3,
    m: Mat3,
    margin: f32,
    scratch: &mut Placed,
) -> Option<RoundContact> {
    let inverse = m.inverse();
    if !inverse.is_finite() {
        return None;
    }
    hull.place(inverse * d, scratch);
    let shortest = [m.x_axis, m.y_axis, m.z_axis].map(Vec3::length_squared);
    let shortest = shortest.into_iter().fold(f32::MAX, f32::min).sqrt();
    let s = Solid {
        hull,
        placed: scratch,
    };
    let near = nearest(s, inverse * center, 1.0 + margin / shortest)?;
    // A plane with normal n̂ there has the normal M⁻ᵀ n̂ here, and distances along it are 1/|M⁻ᵀ n̂| as long.
    let covector = inverse.transpose() * near.normal;
    let scale = covector.length();
    let normal = covector / scale;
    let gap = (near.distance - 1.0) / scale;
    (gap <= margin).then_some(RoundContact {
        on_hull: m * near.point,
        on_round: m * -near.normal,
        normal,
        gap,
    })
}

#[cfg(test)]
mod tests {
    use super::super::links::at_rest;
    use super::super::sat::tests::primitive;
    use super::*;
    use crate::random::Random;
    use parry3d::query::PointQuery;

    /// The nearest place of a hull agrees with another library's, inside and outside.
    #[test]
    fn nearest_agrees() {
        let mut random = Random::new([3, 3, 3, 3]);
        for kind in [0, 1, 2, 4] {
            let (hull, placed) = at_rest(&primitive(kind));
            let s = Solid {
                hull: &hull,
                placed: &placed,
            };
            let shape = parry3d::shape::ConvexPolyhedron::from_convex_hull(&placed.verts).unwrap();
            for _ in 0..300 {
                let p = (random.next_in_cube() - 0.5) * 2.5;
                let near = nearest(s, p, 10.0).unwrap();
                let other = shape.project_local_point(p, false);
                let distance = other.point.distance(p);
                assert_eq!(other.is_inside, near.distance <= 0.0);
                assert!(
                    (near.distance.abs() - distance).abs() < 1e-4,
                    "{kind}: {near:?} {distance}"
                );
                assert!((p - near.point - near.normal * near.distance).length() < 1e-5);
            }
        }
    }

    /// A ball near the face, the edge and the corner of a cube has the gap it should.
    #[test]
    fn ball_and_cube() {
        let (hull, placed) = at_rest(&primitive(0));
        let s = Solid {
            hull: &hull,
            placed: &placed,
        };
        let gap = |p: Vec3| sphere_convex(s, p, 0.2, 1.0).unwrap().gap;
        assert!((gap(Vec3::new(0.1, 0.8, 0.2)) - 0.1).abs() < 1e-6);
        assert!((gap(Vec3::new(0.0, 0.8, 0.9)) - 0.3).abs() < 1e-6);
        assert!((gap(Vec3::ONE) - (0.75f32.sqrt() - 0.2)).abs() < 1e-6);
        assert!((gap(Vec3::X * 0.4) + 0.3).abs() < 1e-6);
        assert!(sphere_convex(s, Vec3::Y * 0.8, 0.2, 0.05).is_none());
    }

    /// A round ellipsoid is a ball; a flat one lies on a face with the gap that its shortest axis leaves.
    #[test]
    fn ellipsoids() {
        let (hull, placed) = at_rest(&primitive(0));
        let s = Solid {
            hull: &hull,
            placed: &placed,
        };
        let mut scratch = Placed::default();
        let p = Vec3::new(0.3, 0.9, 0.6);
        let ball = sphere_convex(s, p, 0.2, 1.0).unwrap();
        let round = ellipsoid_convex(
            &hull,
            Mat3::IDENTITY,
            p,
            Mat3::IDENTITY * 0.2,
            1.0,
            &mut scratch,
        )
        .unwrap();
        assert!(
            (ball.gap - round.gap).abs() < 1e-5 && (ball.normal - round.normal).length() < 1e-4
        );
        let flat = Mat3::from_diagonal(Vec3::new(0.5, 0.1, 0.5));
        let c = ellipsoid_convex(
            &hull,
            Mat3::IDENTITY,
            Vec3::Y * 0.62,
            flat,
            1.0,
            &mut scratch,
        )
        .unwrap();
        assert!((c.gap - 0.02).abs() < 1e-5, "{}", c.gap);
        assert!((c.normal - Vec3::Y).length() < 1e-5);
        assert!((c.on_round - Vec3::Y * -0.1).length() < 1e-5);
        assert!((c.on_hull.y - 0.5).abs() < 1e-5);
    }
}
