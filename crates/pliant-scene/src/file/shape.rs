//! Shapes of bodies and colliders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;

/// `shape = { sphere = { radius = 1 } }`: a solid in local coordinates, before position, rotation and scale.
///
/// `plane` and `mesh` are for colliders only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A cuboid along the axes.
    Box(Cuboid),
    /// All points near a segment.
    Capsule(Capsule),
    /// A cylinder about the y axis.
    Cylinder(Cylinder),
    /// A ring about the y axis.
    Torus(Torus),
    /// A stretched ball along the axes.
    Ellipsoid(Ellipsoid),
    /// The built-in figure in place of the armadillo.
    Golem(Figure),
    /// The built-in rabbit.
    Bunny(Figure),
    /// The built-in cow.
    Cow(Figure),
    /// The built-in bar of taffy.
    Taffy(Figure),
    /// The built-in lump of dough.
    Dough(Figure),
    /// The built-in octopus.
    Octopus(Figure),
    /// The built-in pancreas.
    Pancreas(Figure),
    /// Everything inside any of the shapes.
    Union(Vec<Shape>),
    /// Everything inside all of the shapes.
    Intersection(Vec<Shape>),
    /// Everything inside the first shape and outside of all the others.
    Difference(Vec<Shape>),
    /// A union with rounded seams.
    SmoothUnion(SmoothUnion),
    /// The half-space behind a plane; colliders only.
    Plane(Plane),
    /// A closed mesh from a file; colliders only.
    Mesh(MeshShape),
}

/// A ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius (m).
    pub radius: f32,
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A cuboid along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Half of the extents along x, y and z (m).
    pub half: [f32; 3],
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// All points near a segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// One end of the segment (m).
    pub a: [f32; 3],
    /// The other end (m).
    pub b: [f32; 3],
    /// Radius (m).
    pub radius: f32,
    /// Where the origin of `a` and `b` goes (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A cylinder about the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius (m).
    pub radius: f32,
    /// Length along y (m).
    pub height: f32,
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A ring about the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torus {
    /// Distance from the axis to the middle of the ring (m).
    pub major: f32,
    /// Radius of the ring itself, smaller than `major` (m).
    pub minor: f32,
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A stretched ball along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// Radii along x, y and z (m).
    pub radii: [f32; 3],
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A built-in figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Centre (m); the origin if omitted.
    pub center: Option<[f32; 3]>,
}

/// A union with rounded seams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothUnion {
    /// The shapes to join.
    pub of: Vec<Shape>,
    /// How far from a seam the rounding reaches (m).
    pub radius: f32,
}

/// The half-space behind a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Points out of the solid side; need not have unit length.
    pub normal: [f32; 3],
    /// Distance of the plane from the origin along the normal (m); 0 if omitted.
    pub offset: Option<f32>,
}

/// A closed mesh from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// Path relative to the scene file.
    pub file: String,
}

/// Who carries a shape; not every shape suits everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    Body,
    Collider,
    /// A part of a union, intersection, difference or smooth union of a collider.
    ColliderPart,
}

impl Shape {
    /// Checks the shape; `at` is the table with the shape's name.
    pub(super) fn check(&self, at: At<'_>, carrier: Carrier) -> Result<(), SceneError> {
        match self {
            Self::Sphere(sphere) => {
                at.field("sphere")
                    .number("radius", sphere.radius, Range::POSITIVE)
            }
            Self::Box(cuboid) => at.field("box").sizes("half", cuboid.half),
            Self::Capsule(capsule) => {
                at.field("capsule")
                    .number("radius", capsule.radius, Range::POSITIVE)
            }
            Self::Cylinder(cylinder) => {
                let at = at.field("cylinder");
                at.number("radius", cylinder.radius, Range::POSITIVE)?;
                at.number("height", cylinder.height, Range::POSITIVE)
            }
            Self::Torus(torus) => {
                let at = at.field("torus");
                at.number("major", torus.major, Range::POSITIVE)?;
                at.number("minor", torus.minor, Range::POSITIVE)?;
                if torus.minor >= torus.major {
                    return Err(at.field("minor").error(format_args!(
                        "`minor` is {}, expected less than `major`, which is {}",
                        torus.minor, torus.major
                    )));
                }
                Ok(())
            }
            Self::Ellipsoid(ellipsoid) => at.field("ellipsoid").sizes("radii", ellipsoid.radii),
            Self::Golem(_)
            | Self::Bunny(_)
            | Self::Cow(_)
            | Self::Taffy(_)
            | Self::Dough(_)
            | Self::Octopus(_)
            | Self::Pancreas(_) => Ok(()),
            Self::Union(parts) => check_parts(parts, "union", at.field("union"), carrier),
            Self::Intersection(parts) => {
                check_parts(parts, "intersection", at.field("intersection"), carrier)
            }
            Self::Difference(parts) => {
                check_parts(parts, "difference", at.field("difference"), carrier)
            }
            Self::SmoothUnion(union) => {
                let at = at.field("smooth_union");
                at.number("radius", union.radius, Range::POSITIVE)?;
                check_parts(&union.of, "of", at.field("of"), carrier)
            }
            Self::Plane(plane) => {
                let at = at.field("plane");
                if carrier == Carrier::Body {
                    return Err(at.key_error(
                        "a body cannot be a `plane`, expected a bounded shape (planes are for colliders)",
                    ));
                }
                at.direction("normal", plane.normal)
            }
            Self::Mesh(mesh) => {
                let at = at.field("mesh");
                match carrier {
                    Carrier::Body => Err(at.key_error(
                        "a body's shape cannot be a `mesh`, expected the body's own field `mesh = \"FILE\"`",
                    )),
                    Carrier::ColliderPart => Err(at.key_error(
                        "a `mesh` cannot be part of another shape, expected a collider of its own",
                    )),
                    Carrier::Collider => at.path("file", Some(&mesh.file)),
                }
            }
        }
    }
}

fn check_parts(
    parts: &[Shape],
    name: &str,
    at: At<'_>,
    carrier: Carrier,
) -> Result<(), SceneError> {
    if parts.is_empty() {
        return Err(at.error(format_args!(
            "`{name}` is empty, expected at least one shape"
        )));
    }
    let carrier = match carrier {
        Carrier::Body => Carrier::Body,
        Carrier::Collider | Carrier::ColliderPart => Carrier::ColliderPart,
    };
    for (index, part) in parts.iter().enumerate() {
        part.check(at.element(index), carrier)?;
    }
    Ok(())
}
