//! The faces of a shape: flat ones where it has some.

use glam::{Quat, Vec3};
use pliant::geometry::Shape;
use pliant::visual::PolygonMesh;

use super::form::{self, Bounds, Placement};
use super::{Site, shape};
use crate::error::Error;
use crate::file::Body;
use crate::models::{self, Mold};

/// Edges along the longest side of a shape without plane faces that gives no length.
const EDGES_A_SIDE: f32 = 30.0;
/// Sides of something round that gives no length of its edges.
const SIDES: u32 = 20;

/// The faces of a shape: flat ones where it has some, else triangles.
pub(super) fn of_shape(site: &Site<'_>, path: &str, body: &Body) -> Result<PolygonMesh, Error> {
    let at = format!("{path}.shape");
    let Some(named) = &body.shape else {
        return Err(site.error(
            path,
            "the body has no form, expected `mesh`, `shape` or `model`",
        ));
    };
    let shape = shape::convert(named)
        .map_err(|kind| site.error(&at, &format!("a body cannot be a `{kind}`")))?;
    shape
        .validate()
        .map_err(|error| site.error(&at, &error.to_string()))?;
    let (lo, hi) = shape.bounds();
    let longest = (hi - lo).max_element();
    let scale = Placement::new(body, Bounds { lo, hi }).scale;
    let edge = body.edge_length.map(|edge| edge / scale);
    // Faces of the finest kind are half as large as the square of an edge.
    let count = edge.map_or(0.0, |edge| 12.0 * (longest / edge).powi(2));
    if count > site.limits.triangles as f32 {
        let message = format!(
            "`edge_length` makes about {count:.0} faces, the limit is {}",
            site.limits.triangles
        );
        return Err(site.limit(&format!("{path}.edge_length"), &message));
    }
    if let Some(mesh) = flat_faces(&shape, edge) {
        return Ok(mesh);
    }
    let edge = edge.unwrap_or(longest / EDGES_A_SIDE);
    let mesh = pliant::geometry::surface_nets::mesh_shape(&shape, edge)
        .map_err(|error| form::shape_error(site, path, body, &error))?;
    Ok(PolygonMesh::from(&mesh))
}

/// The mesh of a shape whose faces are flat anyway, or those of a solid of revolution.
fn flat_faces(shape: &Shape, edge: Option<f32>) -> Option<PolygonMesh> {
    let mut mold = Mold::default();
    mold.part("", models::BODY_COLOR);
    let sides = |radius: f32| edge.map_or(SIDES, |e| round(std::f32::consts::TAU * radius, e));
    let arc = |center: (f32, f32), radius: f32, from: f32, to: f32, n: u32| {
        let step = move |k: u32| {
            let angle = from + (to - from) * k as f32 / n as f32;
            let (sin, cos) = libm::sincosf(angle);
            let away = center.0 + radius * cos;
            // The axis itself, whatever rounding says.
            let away = if away < 1e-5 * radius { 0.0 } else { away };
            (away, center.1 + radius * sin)
        };
        (0..=n).map(step)
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    match shape {
        Shape::Box { center, half } => {
            mold.cuboid(
                *center,
                *half,
                Quat::IDENTITY,
                edge.unwrap_or(f32::INFINITY),
            );
        }
        Shape::Sphere { center, radius } => {
            let n = sides(*radius);
            let profile: Vec<_> = arc((0.0, 0.0), *radius, -quarter, quarter, n / 2).collect();
            mold.revolve(*center, Quat::IDENTITY, &profile, n);
        }
        Shape::Ellipsoid { center, radii } => {
            let n = sides(radii.max_element());
            let profile: Vec<_> = arc((0.0, 0.0), 1.0, -quarter, quarter, n / 2).collect();
            mold.revolve(Vec3::ZERO, Quat::IDENTITY, &profile, n);
            mold.move_all(|p| *center + *radii * p);
        }
        Shape::Capsule { a, b, radius } => {
            let (n, long) = (sides(*radius), a.distance(*b));
            let straight = edge.map_or(1, |e| models::pieces(long, e));
            let mut profile: Vec<_> = arc((0.0, 0.0), *radius, -quarter, 0.0, n / 4).collect();
            profile.extend((1..straight).map(|k| (*radius, long * k as f32 / straight as f32)));
            let top = arc((0.0, long), *radius, 0.0, quarter, n / 4);
            profile.extend(top.skip(usize::from(long == 0.0)));
            let turn = Quat::from_rotation_arc(Vec3::Y, (*b - *a).normalize_or(Vec3::Y));
            mold.revolve(*a, turn, &profile, n);
        }
        Shape::Cylinder {
            center,
            radius,
            height,
        } => {
            let straight = edge.map_or(1, |e| models::pieces(*height, e));
            let at = |k: u32| (*radius, height * (k as f32 / straight as f32 - 0.5));
            let profile: Vec<_> = (0..=straight).map(at).collect();
            mold.revolve(*center, Quat::IDENTITY, &profile, sides(*radius));
        }
        Shape::Torus {
            center,
            major,
            minor,
        } => {
            let n = edge.map_or(SIDES / 2, |e| round(std::f32::consts::TAU * minor, e));
            // The profile ends with the very numbers that it begins with.
            let mut profile: Vec<_> = arc((*major, 0.0), *minor, 0.0, 4.0 * quarter, n).collect();
            profile[n as usize] = profile[0];
            mold.turned(*center, Quat::IDENTITY, &profile, sides(major + minor));
        }
        _ => return None,
    }
    Some(mold.finish())
}

/// A number of sides of something round: a multiple of four, so that halves and quarters of it are round, too.
fn round(length: f32, edge: f32) -> u32 {
    (models::pieces(length, edge).div_ceil(4) * 4).max(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes become flat faces: boxes and solids of revolution quads, and all look outwards.
    #[test]
    fn shapes_have_flat_faces() {
        let shapes = [
            Shape::Box {
                center: Vec3::X,
                half: Vec3::new(0.5, 1.0, 1.5),
            },
            Shape::Sphere {
                center: Vec3::X,
                radius: 1.0,
            },
            Shape::Ellipsoid {
                center: Vec3::X,
                radii: Vec3::new(1.0, 2.0, 0.5),
            },
            Shape::Capsule {
                a: Vec3::X,
                b: Vec3::NEG_ONE,
                radius: 0.5,
            },
            Shape::Cylinder {
                center: Vec3::X,
                radius: 0.5,
                height: 3.0,
            },
            Shape::Torus {
                center: Vec3::X,
                major: 1.0,
                minor: 0.3,
            },
        ];
        for shape in &shapes {
            for edge in [None, Some(0.1)] {
                let mesh = flat_faces(shape, edge).unwrap();
                assert_eq!(mesh.validate(), Ok(()));
                let options = pliant::visual::IntakeOptions::default();
                let intake = pliant::visual::intake(&mesh, &options).unwrap();
                let report = &intake.report;
                assert_eq!(
                    (
                        report.bent_quads,
                        report.welded_vertices,
                        report.faces_without_area
                    ),
                    (0, 0, 0),
                    "{shape:?}"
                );
                let is_ring = matches!(shape, Shape::Torus { .. });
                if !is_ring && report.fine_convex_shapes == 0 {
                    assert_eq!(intake.primitives.len(), 1, "{shape:?}");
                }
            }
        }
    }
}
