//! Scene files: what a TOML file says, checked, as plain data.
//!
//! [`parse_scene`] goes the whole way from text to a [`SceneFile`] in which every number is finite and in range and
//! every name refers to something. It opens no other file and knows nothing of the engine: whether a mesh exists, or
//! a method is implemented, is found out by whoever builds a world from it.
//!
//! On the way the text is a [`Document`], a tree of values that remember their places. [`apply_overrides`] changes
//! it, and [`Document::error_at`] gives later errors the same form: `FILE:LINE:COL: what is wrong, and what was
//! expected`.
//!
//! ```
//! use pliant_scene::file::parse_scene;
//!
//! let text = "[[body]]\nshape = { sphere = { radius = 1 } }\n";
//! let scene = parse_scene(text, "ball.toml", &["body.0.material=rubber".to_owned()])?;
//! assert_eq!(scene.body[0].material.as_deref(), Some("rubber"));
//!
//! let error = parse_scene("[[body]]\nedge_lenght = 1\n", "ball.toml", &[]).unwrap_err();
//! assert_eq!(error.to_string(), "ball.toml:2:1: unknown field `edge_lenght`, did you mean `edge_length`?");
//! # Ok::<(), pliant_scene::file::SceneError>(())
//! ```

mod action;
mod body;
mod camera;
mod check;
mod collider;
mod document;
mod error;
mod hands;
mod material;
mod model;
mod names;
mod nearest;
mod overrides;
mod presets;
mod reader;
mod schema;
mod shape;
mod simulation;
mod structure;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use action::{
    Action, Change, Cut, Drive, Fracture, Gravity, Impulse, PathKey, Pin, Pull, Shoot, Squeeze,
    Steer, Tool, Turn, Verb, Wind,
};
pub use body::{
    Averaging, Body, Clustering, Copies, Dynamics, Embedded, Fit, Kernel, Mass, Membership, Method,
    Recluster, SkinKind, Springs, Surface, TurningKind,
};
pub use camera::Camera;
pub use collider::{Collider, Ease, MotionKey};
pub use document::Document;
pub use error::{Place, SceneError};
pub use hands::{CapsuleKey, HandCapsule, Hands, parse_hands};
pub use material::{Clamp, Material, MaterialKind, MaterialValues, Plasticity, Strain};
pub use model::{ModelFile, ModelGroup, ModelParticle};
pub(crate) use nearest::unknown;
pub use overrides::apply_overrides;
pub use presets::{PRESETS, preset};
pub use schema::schema;
pub use shape::{
    Capsule, Cuboid, Cylinder, Ellipsoid, Figure, MeshShape, Plane, Shape, SmoothUnion, Sphere,
    Torus,
};
pub use simulation::Simulation;
pub use structure::{Attachment, Group, Joint, JointKind, Motor, Pattern, PatternKind, Tear};

use check::At;
use names::Names;

/// The most materials between one and the end of its bases.
const BASE_DEPTH: usize = 32;

/// A scene: bodies, what they are made of, what stands in their way and what happens to them.
///
/// Units are SI (m, kg, s, Pa), angles are in degrees.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// A title for people.
    pub title: Option<String>,
    /// How time runs.
    #[serde(default)]
    pub simulation: Simulation,
    /// The view of pictures.
    pub camera: Option<Camera>,
    /// Materials by name; presets need not be listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub material: BTreeMap<String, Material>,
    /// What deforms; at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// Rigid obstacles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collider: Vec<Collider>,
    /// What happens while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub action: Vec<Action>,
    /// Groups of particles of oriented bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<Group>,
    /// Joints between bodies and colliders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    /// Forced and forbidden attachments of soft to rigid things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachment: Vec<Attachment>,
    /// How things break, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pattern: BTreeMap<String, Pattern>,
}

/// Reads and checks a scene file.
///
/// `origin` is the name of the file that messages show; `overrides` are applied before anything is checked, see
/// [`apply_overrides`].
pub fn parse_scene(
    text: &str,
    origin: &str,
    overrides: &[String],
) -> Result<SceneFile, SceneError> {
    let mut document = Document::parse(text, origin)?;
    apply_overrides(&mut document, overrides)?;
    document.scene()
}

impl SceneFile {
    /// The scene as the text of a scene file.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(self).map_err(|error| SceneError::Unwritable {
            message: error::one_line(&error.to_string()),
        })
    }

    /// The values of a material of the file or of a preset, with everything that it extends; what clusters read.
    pub fn material(&self, name: &str) -> Option<MaterialValues> {
        Some(self.material_fields(name)?.values())
    }

    /// The fields of a material of the file or of a preset, with everything that it extends; what the other methods
    /// read is among them.
    ///
    /// `None` if there is no such material, or if its bases lead nowhere or in a circle.
    pub fn material_fields(&self, name: &str) -> Option<Material> {
        let mut fields = Material::default();
        let mut name = name;
        for _ in 0..BASE_DEPTH {
            let Some(material) = self.material.get(name) else {
                return Some(fields.extending(&preset(name)?));
            };
            fields = fields.extending(material);
            match &material.base {
                Some(base) if base != name => name = base,
                // A material may extend the preset of its own name, with or without saying so.
                Some(_) => return Some(fields.extending(&preset(name)?)),
                None => return Some(fields.extending(&preset(name).unwrap_or_default())),
            }
        }
        None
    }

    /// Refuses what has the right types but makes no sense.
    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        if self.body.is_empty() {
            return Err(at
                .field("body")
                .error("the scene has no body, expected at least one [[body]]"));
        }
        let names = Names::collect(self, at)?;
        self.simulation.check(at.field("simulation"))?;
        if let Some(camera) = &self.camera {
            camera.check(at.field("camera"))?;
        }
        for (name, pattern) in &self.pattern {
            pattern.check(at.field("pattern").field(name))?;
        }
        self.check_materials(at.field("material"), &names)?;
        self.check_bodies(at.field("body"), &names)?;
        for (index, collider) in self.collider.iter().enumerate() {
            collider.check(at.field("collider").element(index))?;
        }
        for (index, action) in self.action.iter().enumerate() {
            action.check(at.field("action").element(index), &names)?;
        }
        for (index, group) in self.group.iter().enumerate() {
            group.check(at.field("group").element(index), &names)?;
        }
        for (index, joint) in self.joint.iter().enumerate() {
            joint.check(at.field("joint").element(index), &names)?;
        }
        for (index, attachment) in self.attachment.iter().enumerate() {
            attachment.check(at.field("attachment").element(index), &names)?;
        }
        Ok(())
    }

    fn check_materials(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        for (name, material) in &self.material {
            let at = at.field(name);
            material.check(at)?;
            names.check_material(at.field("base"), material.base.as_deref())?;
            names.check_pattern(at.field("pattern"), material.pattern.as_deref())?;
            match self.material_fields(name) {
                Some(fields) => fields.check_resolved(at)?,
                None => {
                    return Err(at.field("base").error(format_args!(
                        "the bases of `{name}` go in a circle or are more than {BASE_DEPTH}, expected them to end at a material without one"
                    )));
                }
            }
        }
        Ok(())
    }

    fn check_bodies(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        // The first body of each merge name; the others must be like it.
        let mut merges: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, body) in self.body.iter().enumerate() {
            let at = at.element(index);
            body.check(at)?;
            names.check_material(at.field("material"), body.material.as_deref())?;
            for (part, material) in &body.parts {
                names.check_material(at.field("parts").field(part), Some(material))?;
            }
            if let Some(merge) = &body.merge {
                let first = *merges.entry(merge).or_insert(index);
                self.check_merge(first, index, at)?;
            }
        }
        Ok(())
    }

    /// Refuses to merge bodies that are too different. What is omitted follows from sizes that are known only later.
    fn check_merge(&self, first: usize, second: usize, at: At<'_>) -> Result<(), SceneError> {
        let partner = self.body[first].name_or_index(first);
        let (first, second) = (&self.body[first], &self.body[second]);
        let differs = |name: &str, own: &str, other: &str| {
            Err(at.field(name).error(format_args!(
                "`{name}` is {own}, but `{partner}`, with which the body merges, has {other}, expected the same"
            )))
        };
        let methods = [second, first].map(|body| body.method.unwrap_or_default());
        if methods[0] != methods[1] {
            return differs("method", methods[0].name(), methods[1].name());
        }
        let numbers = [
            (
                "particle_radius",
                second.particle_radius,
                first.particle_radius,
            ),
            ("edge_length", second.edge_length, first.edge_length),
        ];
        for (name, own, other) in numbers {
            if let (Some(own), Some(other)) = (own, other)
                && own != other
            {
                return differs(name, &own.to_string(), &other.to_string());
            }
        }
        Ok(())
    }
}
