//! Model files: the particles, edges and groups of an oriented body, one by one.
//!
//! ```toml
//! edges = [[0, 1], [1, 2]]
//!
//! [[particle]]
//! position = [0, 0, 0]
//! radius = 0.1
//!
//! [[particle]]
//! position = [0.2, 0, 0]
//! radii = [0.1, 0.05, 0.02]
//! rotation = [0, 0, 45]
//!
//! [[particle]]
//! position = [0.4, 0, 0]
//! radius = 0.02
//! turns = false
//!
//! [[group]]
//! particles = [0, 1, 2]
//! omit_moment = [2]
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;

/// A model file: what an oriented body is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// The particles; edges and groups count them from 0.
    pub particle: Vec<ModelParticle>,
    /// Particles that are connected: each has a group with those that it is connected to.
    #[serde(default)]
    pub edges: Vec<[u32; 2]>,
    /// Groups besides: rigid parts, and parts with joints.
    #[serde(default)]
    pub group: Vec<ModelGroup>,
}

/// `[[particle]]` of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelParticle {
    /// Where it is (m).
    pub position: [f32; 3],
    /// Radius of a ball (m).
    pub radius: Option<f32>,
    /// Semi-axes of an ellipsoid (m), in place of `radius`.
    pub radii: Option<[f32; 3]>,
    /// Rotation of the ellipsoid about the fixed x, then y, then z axis (degrees).
    pub rotation: Option<[f32; 3]>,
    /// Mass (kg); if omitted that of the ellipsoid, made of the body's material.
    pub mass: Option<f32>,
    /// Whether it has a rotation; joints are made of particles without. True if omitted.
    pub turns: Option<bool>,
    /// Whether it touches other things; true if omitted.
    pub collides: Option<bool>,
}

/// `[[group]]` of a model: particles that keep their shape together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelGroup {
    /// Its particles.
    pub particles: Vec<u32>,
    /// How firmly they keep their shape, 0 to 1; 1 if omitted.
    pub stiffness: Option<f32>,
    /// Particles whose own rotation does not count in it: joints to other groups.
    pub omit_moment: Option<Vec<u32>>,
    /// The particle that takes its rotation.
    pub lead: Option<u32>,
    /// Whether it flows as the material does; false if omitted.
    pub plastic: Option<bool>,
}

impl ModelFile {
    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        if self.particle.is_empty() {
            let message = "the model has no particle, expected at least one [[particle]]";
            return Err(at.field("particle").error(message));
        }
        for (index, particle) in self.particle.iter().enumerate() {
            particle.check(at.field("particle").element(index))?;
        }
        for (index, edge) in self.edges.iter().enumerate() {
            let at = at.field("edges").element(index);
            self.check_particles(at, edge)?;
            if edge[0] == edge[1] {
                return Err(at.error(format_args!(
                    "the edge connects particle {} to itself, expected two particles",
                    edge[0]
                )));
            }
        }
        for (index, group) in self.group.iter().enumerate() {
            let at = at.field("group").element(index);
            if group.particles.is_empty() {
                let message = "`particles` is empty, expected at least one index";
                return Err(at.field("particles").error(message));
            }
            self.check_particles(at.field("particles"), &group.particles)?;
            at.number("stiffness", group.stiffness, Range::UNIT)?;
            let omitted = group.omit_moment.as_deref().unwrap_or_default();
            for (field, members) in [("omit_moment", omitted), ("lead", group.lead.as_slice())] {
                if let Some(stray) = members.iter().find(|i| !group.particles.contains(i)) {
                    return Err(at.field(field).error(format_args!(
                        "`{field}` names the particle {stray}, expected one of the group's `particles`"
                    )));
                }
            }
        }
        Ok(())
    }

    fn check_particles(&self, at: At<'_>, particles: &[u32]) -> Result<(), SceneError> {
        let count = self.particle.len();
        match particles.iter().position(|&i| i as usize >= count) {
            Some(index) => Err(at.element(index).error(format_args!(
                "there is no particle {}, expected an index below {count}",
                particles[index]
            ))),
            None => Ok(()),
        }
    }
}

impl ModelParticle {
    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("radius", self.radius, Range::POSITIVE)?;
        at.sizes("radii", self.radii)?;
        at.number("mass", self.mass, Range::POSITIVE)?;
        match (self.radius, self.radii) {
            (None, None) => Err(at.error("the particle has no size, expected `radius` or `radii`")),
            (Some(_), Some(_)) => Err(at
                .field("radii")
                .key_error("the particle has both `radius` and `radii`, expected one of them")),
            _ => Ok(()),
        }
    }
}
