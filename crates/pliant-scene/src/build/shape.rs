//! From the shapes of scene files to those of the engine.

use glam::Vec3;
use pliant::geometry::Shape;
use pliant::geometry::figures::Figure;

use crate::file;

/// The engine's shape; `Err` names a kind that has no solid of its own.
pub(super) fn convert(shape: &file::Shape) -> Result<Shape, &'static str> {
    let figure = |figure, at: &file::Figure| Shape::Figure {
        figure,
        center: point(at.center),
    };
    Ok(match shape {
        file::Shape::Sphere(s) => Shape::Sphere {
            center: point(s.center),
            radius: s.radius,
        },
        file::Shape::Box(b) => Shape::Box {
            center: point(b.center),
            half: b.half.into(),
        },
        file::Shape::Capsule(c) => Shape::Capsule {
            a: Vec3::from(c.a) + point(c.center),
            b: Vec3::from(c.b) + point(c.center),
            radius: c.radius,
        },
        file::Shape::Cylinder(c) => Shape::Cylinder {
            center: point(c.center),
            radius: c.radius,
            height: c.height,
        },
        file::Shape::Torus(t) => Shape::Torus {
            center: point(t.center),
            major: t.major,
            minor: t.minor,
        },
        file::Shape::Ellipsoid(e) => Shape::Ellipsoid {
            center: point(e.center),
            radii: e.radii.into(),
        },
        file::Shape::Golem(f) => figure(Figure::Golem, f),
        file::Shape::Bunny(f) => figure(Figure::Bunny, f),
        file::Shape::Cow(f) => figure(Figure::Cow, f),
        file::Shape::Taffy(f) => figure(Figure::Taffy, f),
        file::Shape::Dough(f) => figure(Figure::Dough, f),
        file::Shape::Octopus(f) => figure(Figure::Octopus, f),
        file::Shape::Pancreas(f) => figure(Figure::Pancreas, f),
        file::Shape::Union(of) => Shape::Union(convert_all(of)?),
        file::Shape::Intersection(of) => Shape::Intersection(convert_all(of)?),
        file::Shape::Difference(of) => Shape::Difference(convert_all(of)?),
        file::Shape::SmoothUnion(union) => Shape::SmoothUnion {
            of: convert_all(&union.of)?,
            radius: union.radius,
        },
        file::Shape::Plane(_) => return Err("plane"),
        file::Shape::Mesh(_) => return Err("mesh"),
    })
}

fn convert_all(shapes: &[file::Shape]) -> Result<Vec<Shape>, &'static str> {
    shapes.iter().map(convert).collect()
}

fn point(center: Option<[f32; 3]>) -> Vec3 {
    center.map_or(Vec3::ZERO, Vec3::from_array)
}
