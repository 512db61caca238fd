//! The names in a scene, and the checks of whatever refers to them.

use std::collections::BTreeMap;

use super::SceneFile;
use super::body::Method;
use super::check::At;
use super::error::SceneError;
use super::nearest::unknown;
use super::presets::PRESETS;
use super::structure::PatternKind;

/// What joints call the fixed surroundings.
const WORLD: &str = "world";

/// The names of a scene.
pub(super) struct Names<'s> {
    scene: &'s SceneFile,
    bodies: BTreeMap<String, Method>,
    /// Whether mesh files and models may add joints that the scene does not list.
    has_mesh_files: bool,
    /// Whether they may add bodies, too: one for each of their parts.
    has_parts: bool,
}

impl<'s> Names<'s> {
    /// Collects the names and refuses those that mean two things; `at` is the scene.
    pub(super) fn collect(scene: &'s SceneFile, at: At<'_>) -> Result<Self, SceneError> {
        let mut bodies = BTreeMap::new();
        for (index, body) in scene.body.iter().enumerate() {
            let at = at.field("body").element(index);
            at.name("name", body.name.as_deref())?;
            let name = body.name_or_index(index);
            check_reserved(at, &name)?;
            let method = body.method.unwrap_or_default();
            if bodies.insert(name.clone(), method).is_some() {
                return Err(at.field("name").error(format_args!(
                    "the name `{name}` is already taken by another body, expected a new one"
                )));
            }
        }
        let mut colliders = BTreeMap::new();
        for (index, collider) in scene.collider.iter().enumerate() {
            let at = at.field("collider").element(index);
            at.name("name", collider.name.as_deref())?;
            let Some(name) = &collider.name else { continue };
            check_reserved(at, name)?;
            if bodies.contains_key(name) || colliders.insert(name, index).is_some() {
                return Err(at.field("name").error(format_args!(
                    "the name `{name}` is already taken by a body or collider, expected a new one"
                )));
            }
        }
        let mut joints = BTreeMap::new();
        for (index, joint) in scene.joint.iter().enumerate() {
            let Some(name) = &joint.name else { continue };
            if joints.insert(name, index).is_some() {
                let at = at.field("joint").element(index).field("name");
                return Err(at.error(format_args!(
                    "the name `{name}` is already taken by another joint, expected a new one"
                )));
            }
        }
        Ok(Self {
            scene,
            bodies,
            has_mesh_files: scene
                .body
                .iter()
                .any(|body| body.mesh.is_some() || body.model.is_some()),
            has_parts: scene.body.iter().any(|body| {
                let has_file = body.mesh.is_some() || body.model.is_some();
                body.method == Some(Method::Visual) && (has_file || !body.parts.is_empty())
            }),
        })
    }

    /// The method of a body.
    pub(super) fn method(&self, body: &str) -> Option<Method> {
        self.bodies.get(body).copied()
    }

    /// Refuses the name of a body that does not exist.
    pub(super) fn check_body(&self, at: At<'_>, name: Option<&str>) -> Result<(), SceneError> {
        match name {
            Some(name) if !self.bodies.contains_key(name) && !self.has_parts => {
                let known = self.bodies.keys().map(String::as_str);
                Err(at.error(unknown("body", name, known)))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what is neither a body nor a collider nor, if `or_world`, the world.
    pub(super) fn check_solid(
        &self,
        at: At<'_>,
        name: &str,
        or_world: bool,
    ) -> Result<(), SceneError> {
        let bodies = self.bodies.keys().map(String::as_str);
        let colliders = self.scene.collider.iter();
        let colliders = colliders.filter_map(|collider| collider.name.as_deref());
        let known = bodies.chain(colliders).chain(or_world.then_some(WORLD));
        if known.clone().any(|one| one == name) || self.has_parts {
            Ok(())
        } else {
            Err(at.error(unknown("body or collider", name, known)))
        }
    }

    /// Refuses a material that is neither in the file nor a preset.
    pub(super) fn check_material(&self, at: At<'_>, name: Option<&str>) -> Result<(), SceneError> {
        let Some(name) = name else { return Ok(()) };
        if self.scene.material.contains_key(name) || PRESETS.contains(&name) {
            return Ok(());
        }
        let own = self.scene.material.keys().map(String::as_str);
        Err(at.error(unknown("material", name, own.chain(PRESETS))))
    }

    /// Refuses a pattern that is neither in the file nor a kind with defaults.
    pub(super) fn check_pattern(&self, at: At<'_>, name: Option<&str>) -> Result<(), SceneError> {
        let Some(name) = name else { return Ok(()) };
        if self.scene.pattern.contains_key(name) || PatternKind::PLAIN.contains(&name) {
            return Ok(());
        }
        let own = self.scene.pattern.keys().map(String::as_str);
        Err(at.error(unknown("pattern", name, own.chain(PatternKind::PLAIN))))
    }

    /// Refuses the name of a joint that cannot exist; a `*` at the end stands for anything.
    pub(super) fn check_joint(&self, at: At<'_>, pattern: &str) -> Result<(), SceneError> {
        let mut known = self
            .scene
            .joint
            .iter()
            .filter_map(|joint| joint.name.as_deref());
        let is_known = match pattern.strip_suffix('*') {
            Some(start) => known.clone().any(|name| name.starts_with(start)),
            None => known.clone().any(|name| name == pattern),
        };
        if is_known || self.has_mesh_files {
            return Ok(());
        }
        match known.next() {
            None => Err(at.error(format_args!(
                "there is no joint `{pattern}`, expected a [[joint]] of that name"
            ))),
            Some(first) => Err(at.error(unknown(
                "joint",
                pattern,
                std::iter::once(first).chain(known),
            ))),
        }
    }
}

fn check_reserved(at: At<'_>, name: &str) -> Result<(), SceneError> {
    if name == WORLD {
        return Err(at
            .field("name")
            .error("the name `world` stands for the surroundings, expected another one"));
    }
    Ok(())
}
