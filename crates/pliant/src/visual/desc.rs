//! What bodies of visual geometry, their joints and their fracture patterns are made from.

use super::intake::IntakeError;
use super::pattern::Pattern;
use super::polygons::PolygonMesh;
use super::tear::TearLines;
use crate::material::Material;
use crate::state::BodyId;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// How a body of visual geometry answers to what happens to it \[MCM16 §3\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behavior {
    /// It keeps its shape.
    Rigid,
    /// It bends: one oriented particle a primitive.
    Soft,
    /// It keeps its shape until it is hit hard; then it has a dent.
    #[default]
    Plastic,
    /// It keeps its shape until it is hit hard; then it shatters.
    Brittle,
    /// Like a plastic one, but where it is hit it is divided by a pattern first, so that dents are finer than its faces, and links
    /// between the cells may tear.
    Ductile,
}

/// Which links between cells, or between primitives of the mesh, may break.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TearRule {
    /// All between different cells of a pattern.
    #[default]
    All,
    /// None.
    None,
    /// Those that cross a line, of the mesh and of patterns.
    Lines(TearLines),
}

/// The cells of a fracture pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PatternKind {
    /// Voronoi cells, smaller towards the impact.
    #[default]
    Voronoi,
    /// Cracks that run out from the impact, and rings.
    Glass,
    /// Long cells side by side.
    Splinters,
    /// Rows of bricks.
    Bricks,
    /// Cells that somebody has made, about the origin.
    Cells(Arc<Pattern>),
}

/// A fracture pattern, before it is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternDesc {
    /// Its cells.
    pub kind: PatternKind,
    /// About how many.
    pub cells: u32,
    /// Radius about the impact within which there are cells (m); 0: as large as the body that is hit.
    pub radius: f32,
    /// Which links between its cells may break.
    pub tear: TearRule,
}

impl Default for PatternDesc {
    fn default() -> Self {
        Self {
            kind: PatternKind::default(),
            cells: 30,
            radius: 0.0,
            tear: TearRule::default(),
        }
    }
}

/// What a body of visual geometry is made from. `VisualDesc::new` gives the defaults; change the fields you care about.
#[derive(Clone, Debug)]
pub struct VisualDesc {
    /// Its name; random numbers are keyed by it.
    pub name: String,
    /// The mesh in world coordinates; anything goes. Its parts only look different: they are one body.
    pub mesh: PolygonMesh,
    /// How it answers to what happens to it.
    pub behavior: Behavior,
    /// Density, friction, restitution and, of soft bodies and dents, stiffness.
    pub material: Material,
    /// Thickness of extruded faces (m); 0: a fiftieth of the mesh's diagonal.
    pub thickness: f32,
    /// Whether it can move at all.
    pub is_fixed: bool,
    /// Initial velocity (m/s).
    pub velocity: Vec3,
    /// Initial spin about the centre of mass (rad/s).
    pub spin: Vec3,
    /// Closing speed above which an impact dents, divides or shatters it (m/s).
    pub dent_speed: f32,
    /// Stretch at which a link that may break does; above 1.
    pub tear_stretch: f32,
    /// Which links of the mesh itself may break; [`TearRule::All`] means none of them: that is said of patterns.
    pub tear: TearRule,
    /// The pattern by which it is divided or shatters.
    pub pattern: PatternDesc,
    /// Whether far parts of it collide, if it is soft.
    pub self_contact: bool,
    /// How fast motions of its primitives against each other die away, if it is soft (1/s).
    pub damping: f32,
    /// Whether anything is seen of it.
    pub is_shown: bool,
}

impl VisualDesc {
    /// A body of the default material.
    pub fn new(name: impl Into<String>, mesh: PolygonMesh) -> Self {
        Self {
            name: name.into(),
            mesh,
            behavior: Behavior::default(),
            material: Material::elastic(0.9),
            thickness: 0.0,
            is_fixed: false,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            dent_speed: 2.0,
            tear_stretch: 1.2,
            tear: TearRule::None,
            pattern: PatternDesc::default(),
            self_contact: true,
            damping: 6.0,
            is_shown: true,
        }
    }
}

/// What two bodies may do at a joint. Axes are those of its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointKind {
    /// Nothing.
    #[default]
    Fixed,
    /// Turn any way about its centre.
    Ball,
    /// Turn about its x axis.
    Hinge,
    /// Slide along its x axis.
    Slide,
    /// Turn about its x axis, which may be steered about y, on a spring along y.
    Wheel,
}

/// What drives a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motor {
    /// Speed that it wants (rad/s; of slides m/s).
    pub speed: f32,
    /// The most that it can do for it (N m; of slides N).
    pub strength: f32,
}

/// What a joint is made from.
#[derive(Clone, Debug)]
pub struct JointDesc {
    /// Its name; actions find it by this.
    pub name: String,
    /// What it lets happen.
    pub kind: JointKind,
    /// The bodies on one side: those of them that meet the box are held, each by a joint of its own.
    pub a: Vec<BodyId>,
    /// The bodies on the other side; none: the world.
    pub b: Vec<BodyId>,
    /// Centre of its box (m), at the time it is made.
    pub center: Vec3,
    /// Half of the size of its box along each of its axes (m).
    pub half: Vec3,
    /// How its axes are turned against the world's.
    pub rotation: Quat,
    /// Least and largest angle (rad), or way of a slide (m).
    pub limits: Option<[f32; 2]>,
    /// What drives it.
    pub motor: Option<Motor>,
}

/// A joint that was added to a world, in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

/// Why a body or a joint of visual geometry could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VisualError {
    /// The mesh cannot be used.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// A parameter has no meaning.
    #[error("{0}")]
    Parameter(String),
    /// The box of a joint meets none of the bodies that it should hold.
    #[error("the box of joint `{joint}` meets no primitive of {side}; move or enlarge it")]
    JointBox {
        /// Name of the joint.
        joint: String,
        /// Which side.
        side: String,
    },
    /// A joint or an attachment of a body that is not of the right kind.
    #[error("{0} is not a body of visual geometry that {1}")]
    WrongBody(String, &'static str),
}
