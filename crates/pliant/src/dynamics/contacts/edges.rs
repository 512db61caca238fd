//! Ellipsoids against colliders that are not flat.
//!
//! The plane that a ball touches need not be the one that an ellipsoid touches: a long one that lies across the edge of a table touches the
//! edge with its side, while the place nearest to its centre tells it to go away sideways. An ellipsoid touches where the collider is nearest to
//! its centre in its own measure, in which it is a ball [MC11 §6]: the paper maps a triangle; here any shape will do whose distance is known.

use super::ellipsoid::Posed;
use super::statics::{Placed, TangentPlane};
use glam::{Mat3, Vec3};

/// Steps of the search, and a length, in the least radius, below which they end.
const SEARCH: (usize, f32) = (32, 0.01);

/// How far from a collider the place of contact on its tangent plane may be for it to count as flat there, in the least radius.
const FLAT: f32 = 0.02;

/// The plane in which an ellipsoid touches a collider at the end of the substep, given the one that a ball in its place would touch.
pub(super) fn fitted(placed: &Placed, plane: TangentPlane, shape: &Posed) -> TangentPlane {
    let least = shape.least();
    let room = plane.normal.dot(shape.x) - plane.offset;
    // Where the centre is inside the measure says nothing.
    if room <= 0.0 || least <= 0.0 {
        return plane;
    }
    // The place of contact if the collider were as flat as the plane.
    let flat = shape.x - shape.toward(plane.normal, room);
    let is_flat = |(distance, _): (f32, _)| f32::abs(distance) < FLAT * least;
    if placed
        .distance(placed.end.invert(flat), FLAT * least)
        .is_some_and(is_flat)
    {
        return plane;
    }
    let local = shape.seen_from(placed.end.position, placed.end.rotation);
    match nearest(placed, &local, placed.end.invert(flat), least) {
        Some((place, normal)) => placed.plane_at(place, normal),
        None => plane,
    }
}

/// The place of a collider that is nearest to an ellipsoid's centre in its own measure, and the direction from there in which it is to go; the
/// search begins at `start`. All in the collider's axes.
///
/// It goes down the measure and back to the collider, with momentum: some steps for long ellipsoids, but it is only for edges.
fn nearest(placed: &Placed, shape: &Posed, start: Vec3, least: f32) -> Option<(Vec3, Vec3)> {
    let back = |p: Vec3| {
        let (distance, normal) = placed.distance_normal(p, f32::INFINITY)?;
        Some(p - normal * distance.max(0.0))
    };
    let inverse = (shape.m * shape.m.transpose()).inverse();
    let downhill = |p: Vec3| inverse * (shape.x - p);
    let mut place = back(start)?;
    let (mut ahead, mut pace) = (place, 1.0f32);
    for _ in 0..SEARCH.0 {
        let next = back(ahead + downhill(ahead) * (least * least))?;
        let way = next - place;
        // Momentum that has led too far is dropped.
        if way.dot(ahead - next) > 0.0 {
            pace = 1.0;
        }
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * pace * pace).sqrt());
        ahead = next + way * ((pace - 1.0) / faster);
        (place, pace) = (next, faster);
        if way.length_squared() < (SEARCH.1 * least) * (SEARCH.1 * least) {
            break;
        }
    }
    let normal = downhill(place).try_normalize()?;
    Some((place, normal))
}

impl Posed {
    /// Least of its semi-axes (m).
    fn least(&self) -> f32 {
        let Mat3 {
            x_axis,
            y_axis,
            z_axis,
        } = self.m;
        let squares = [x_axis, y_axis, z_axis].map(Vec3::length_squared);
        squares.into_iter().fold(f32::INFINITY, f32::min).sqrt()
    }

    /// The way from the place of the plane with normal `n` that is nearest in its own measure to its centre, which is `room` above the plane.
    fn toward(&self, n: Vec3, room: f32) -> Vec3 {
        let u = self.m.transpose() * n;
        self.m * u * (room / u.length_squared().max(f32::MIN_POSITIVE))
    }

    /// The same ellipsoid in axes that are at `position` and turned by `rotation`.
    fn seen_from(&self, position: Vec3, rotation: glam::Quat) -> Self {
        let back = rotation.conjugate();
        Self {
            x: back * (self.x - position),
            m: Mat3::from_quat(back) * self.m,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::Collider;
    use crate::dynamics::collider::{ColliderShape, MeshField, Motion};
    use crate::geometry::Shape;
    use glam::Quat;

    fn table() -> Collider {
        Collider {
            shape: ColliderShape::Solid(Shape::Box {
                center: Vec3::ZERO,
                half: Vec3::ONE,
            }),
            ..Collider::floor(0.0)
        }
    }

    fn plane_of(placed: &Placed, shape: &Posed) -> TangentPlane {
        let x = shape.x;
        let ball = placed.tangent_plane(x, x, shape.least(), 10.0).unwrap();
        fitted(placed, ball, shape)
    }

    /// One that lies across the edge of a table, its centre beside it, touches the edge with its lower side.
    #[test]
    fn a_long_one_lies_on_an_edge() {
        let table = table();
        let placed = Placed::during(&table, 0.0, 0.0);
        let radii = Vec3::new(1.0, 0.1, 0.1);
        let shape = Posed::new(Vec3::new(1.5, 1.05, 0.0), Quat::IDENTITY, radii);
        let plane = plane_of(&placed, &shape);
        let n = Vec3::new(0.5, 5.0, 0.0).normalize();
        assert!(plane.normal.distance(n) < 0.01, "{}", plane.normal);
        let depth = plane.offset + shape.reach(plane.normal) - plane.normal.dot(shape.x);
        assert!((depth - 0.0412).abs() < 2e-3, "{depth}");
        // A ball there would be told to go sideways.
        let ball = placed.tangent_plane(shape.x, shape.x, 0.1, 10.0).unwrap();
        assert!(ball.normal.x > 0.9);
    }

    /// The same on a table that is turned and elsewhere, and on a mesh of it.
    #[test]
    fn edges_may_be_anywhere() {
        let mesh = crate::geometry::surface_nets::mesh_shape(
            &Shape::Box {
                center: Vec3::ZERO,
                half: Vec3::ONE,
            },
            0.25,
        );
        let field = MeshField::new(&mesh.unwrap()).unwrap();
        for shape in [table().shape, ColliderShape::Mesh(field.into())] {
            let is_mesh = matches!(shape, ColliderShape::Mesh(_));
            let motion = Motion::fixed(Vec3::new(3.0, -2.0, 5.0), Vec3::new(20.0, 40.0, 0.0));
            let table = Collider {
                shape,
                motion,
                ..table()
            };
            let placed = Placed::during(&table, 0.0, 0.0);
            let turn = placed.end.rotation;
            let x = placed.end.apply(Vec3::new(1.5, 1.05, 0.0));
            let shape = Posed::new(x, turn, Vec3::new(1.0, 0.1, 0.1));
            let plane = plane_of(&placed, &shape);
            let n = turn * Vec3::new(0.5, 5.0, 0.0).normalize();
            // A mesh made of cells has its edges a little rounded.
            let tolerance = if is_mesh { 0.1 } else { 0.01 };
            assert!(plane.normal.distance(n) < tolerance, "{}", plane.normal);
        }
    }

    /// On a flat side the plane stays as it is, whatever the ellipsoid.
    #[test]
    fn flat_sides_are_flat() {
        let table = table();
        let placed = Placed::during(&table, 0.0, 0.0);
        let turn = Quat::from_rotation_z(0.3);
        let shape = Posed::new(Vec3::new(0.2, 1.1, 0.1), turn, Vec3::new(0.5, 0.1, 0.2));
        let ball = placed.tangent_plane(shape.x, shape.x, 0.1, 10.0).unwrap();
        assert_eq!(fitted(&placed, ball, &shape), ball);
    }
}
