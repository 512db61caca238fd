//! `[[group]]`, `[[joint]]`, `[[attachment]]` and `[pattern.NAME]`: how bodies hang together and fall apart.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Method;
use super::check::{At, Range};
use super::error::SceneError;
use super::names::Names;

/// `[[group]]`: particles of an oriented body that keep their shape together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The body.
    pub body: String,
    /// Indices of the particles.
    pub particles: Vec<u32>,
    /// How firmly they keep their shape, 0 to 1; 1 if omitted.
    pub stiffness: Option<f32>,
    /// Particles whose own orientation does not count.
    pub omit_moment: Option<Vec<u32>>,
}

/// `[[joint]]`: a box in which two things hold on to each other.
///
/// A part of a mesh file or a model that is a box and is called `joint.TYPE.A.B`, with or without `.N` at its end, means the same, without
/// limits and motor. Its x axis goes along its longest side, its y axis along the more upright of the others, both towards the positive.
/// Actions call it by its name, with or without `joint.`, or BODY/NAME.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// A name for actions.
    pub name: Option<String>,
    /// How they may move against each other.
    #[serde(rename = "type")]
    pub kind: JointKind,
    /// A body, a collider or `world`.
    pub a: String,
    /// A body, a collider or `world`.
    pub b: String,
    /// Centre of the box (m).
    pub center: [f32; 3],
    /// Half of the box's extents (m); 0.05 each if omitted. What of the two things lies in it is held.
    pub half: Option<[f32; 3]>,
    /// Rotation of the box about the fixed x, then y, then z axis (degrees). Hinges and wheels turn about its x axis, slides go along it;
    /// wheels are sprung along y and steered about it.
    pub rotation: Option<[f32; 3]>,
    /// Least and greatest angle of a hinge (degrees), of a slide way (m); of a ball the second is how far the x axes may be apart (degrees).
    pub limits: Option<[f32; 2]>,
    /// Turns a hinge or a wheel, or moves a slide.
    pub motor: Option<Motor>,
}

/// How two things may move against each other at a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// They turn about a point.
    Ball,
    /// They turn about an axis.
    Hinge,
    /// They slide along an axis.
    Slide,
    /// They turn about an axis that can be steered.
    Wheel,
}

/// Turns a joint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Speed that it aims for (degrees/s), of a slide (m/s).
    pub speed: f32,
    /// The most it can exert (N m), of a slide (N).
    pub torque: f32,
}

/// `[[attachment]]`: forces or forbids that a soft thing sticks to a rigid one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// A body.
    pub soft: String,
    /// A body or a collider.
    pub rigid: String,
    /// Forbids it; false if omitted.
    pub off: Option<bool>,
}

/// `[pattern.NAME]`: how things break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The arrangement of the pieces.
    pub kind: PatternKind,
    /// Number of pieces, about; 30 if omitted. Those of a mesh are as many as they are.
    pub cells: Option<u32>,
    /// How far around the impact there are pieces (m); as large as the body if omitted.
    pub radius: Option<f32>,
    /// Which of the borders between pieces tear; all if omitted.
    pub tear: Option<Tear>,
    /// The mesh of the pieces, relative to the scene file; only with kind `mesh`.
    pub file: Option<String>,
}

/// The arrangement of the pieces of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PatternKind {
    /// Around random points.
    Voronoi,
    /// Rays and rings.
    Glass,
    /// Long along one axis.
    Splinters,
    /// Rows of bricks.
    Bricks,
    /// The pieces of a mesh.
    Mesh,
}

impl PatternKind {
    /// The names of the kinds that need nothing else, so that they stand for a pattern with its defaults.
    pub(super) const PLAIN: [&'static str; 4] = ["voronoi", "glass", "splinters", "bricks"];
}

/// Which links may tear: borders between the pieces of a pattern, or between the polygons of a mesh.
///
/// Lines are drawn on the mesh of the body, in a colour or as a part that is called so and is not simulated; those of a pattern of kind
/// `mesh` are drawn on the mesh of the pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tear {
    /// All; of patterns only.
    All,
    /// None.
    None,
    /// Those that cross an edge between vertices of this colour (red, green, blue from 0 to 1, within 0.1).
    Color([f32; 3]),
    /// Those that cross an edge of the part of this name: a strip of thin faces along the line will do.
    Mesh(String),
}

impl Group {
    pub(super) fn check(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        names.check_body(at.field("body"), Some(&self.body))?;
        if names.method(&self.body) != Some(Method::Oriented) {
            return Err(at.field("body").error(format_args!(
                "the body `{}` has no groups, expected one of method `oriented`",
                self.body
            )));
        }
        at.number("stiffness", self.stiffness, Range::UNIT)?;
        if self.particles.is_empty() {
            return Err(at
                .field("particles")
                .error("`particles` is empty, expected at least one index"));
        }
        let members: BTreeSet<u32> = self.particles.iter().copied().collect();
        for (index, particle) in self.omit_moment.iter().flatten().enumerate() {
            if !members.contains(particle) {
                return Err(at.field("omit_moment").element(index).error(format_args!(
                    "`omit_moment` names the particle {particle}, expected one of the group's `particles`"
                )));
            }
        }
        Ok(())
    }
}

impl Joint {
    pub(super) fn check(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        at.name("name", self.name.as_deref())?;
        if self.name.as_deref().is_some_and(|name| name.ends_with('*')) {
            return Err(at.field("name").error(
                "the name of a joint ends in `*`, which stands for anything in actions, expected another one",
            ));
        }
        names.check_solid(at.field("a"), &self.a, true)?;
        names.check_solid(at.field("b"), &self.b, true)?;
        if self.a == self.b {
            return Err(at.field("b").error(format_args!(
                "the joint ties `{}` to itself, expected two different things",
                self.a
            )));
        }
        at.sizes("half", self.half)?;
        if let Some([least, most]) = self.limits
            && least > most
        {
            return Err(at.field("limits").error(format_args!(
                "`limits` is [{least}, {most}], expected the smaller one first"
            )));
        }
        if let Some([_, most]) = self.limits {
            if matches!(self.kind, JointKind::Fixed | JointKind::Wheel) {
                return Err(at.field("limits").key_error(
                    "`limits` are for joints of type `hinge`, `slide` and `ball`, expected none",
                ));
            }
            if self.kind == JointKind::Ball && most < 0.0 {
                return Err(at.field("limits").error(format_args!(
                    "the greatest of the `limits` of a ball is {most}, expected a number of at least 0"
                )));
            }
        }
        if let Some(motor) = &self.motor {
            if matches!(self.kind, JointKind::Fixed | JointKind::Ball) {
                return Err(at.field("motor").key_error(
                    "a `motor` is for joints of type `hinge`, `wheel` and `slide`, expected none",
                ));
            }
            at.field("motor")
                .number("torque", motor.torque, Range::NOT_NEGATIVE)?;
        }
        Ok(())
    }
}

impl Attachment {
    pub(super) fn check(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        names.check_body(at.field("soft"), Some(&self.soft))?;
        names.check_solid(at.field("rigid"), &self.rigid, false)
    }
}

impl Pattern {
    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.count("cells", self.cells, 1, 100_000)?;
        at.number("radius", self.radius, Range::POSITIVE)?;
        match (&self.file, self.kind) {
            (Some(_), PatternKind::Mesh) => at.path("file", self.file.as_deref())?,
            (None, PatternKind::Mesh) => {
                return Err(at.field("kind").error(
                    "a pattern of kind `mesh` has no `file`, expected the path of its mesh",
                ));
            }
            (Some(_), _) => {
                return Err(at
                    .field("file")
                    .key_error("`file` is for a pattern of kind `mesh`, expected none"));
            }
            (None, _) => {}
        }
        match &self.tear {
            Some(tear) => tear.check(at.field("tear")),
            None => Ok(()),
        }
    }
}

impl Tear {
    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        match self {
            Self::All | Self::None => Ok(()),
            Self::Color(color) => {
                let at = at.field("color");
                for (index, part) in color.iter().enumerate() {
                    if !(0.0..=1.0).contains(part) {
                        return Err(at.element(index).error(format_args!(
                            "`color.{index}` is {part}, expected a number from 0 to 1"
                        )));
                    }
                }
                Ok(())
            }
            Self::Mesh(name) => at.name("mesh", Some(name)),
        }
    }

    /// Checks the rule of a body or a material, which is about the mesh itself.
    pub(super) fn check_of_mesh(&self, at: At<'_>) -> Result<(), SceneError> {
        if *self == Self::All {
            return Err(at.error(
                "the mesh itself cannot tear everywhere, expected `none`, `{ color = … }` or `{ mesh = … }` (`all` is for patterns)",
            ));
        }
        self.check(at)
    }
}
