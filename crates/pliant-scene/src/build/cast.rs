//! What the names of a scene stand for in the world that was made of it.

use std::collections::BTreeMap;

use pliant::World;
use pliant::state::BodyId;
use pliant::visual::JointKind;

use super::Site;
use crate::error::Error;
use crate::file::unknown;

/// What the names of a scene stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cast {
    /// The bodies of the world that a name stands for: a body's own, and BODY/PART for each part of one that has parts.
    bodies: BTreeMap<String, Vec<BodyId>>,
    /// The names BODY/PART that a part without its body may mean.
    parts: BTreeMap<String, Vec<String>>,
    /// Joints.
    joints: Vec<Joint>,
    /// Lines along which bodies may tear, by how a scene file names them, in the world at the start.
    pub(super) lines: Vec<(crate::file::Tear, pliant::visual::tear::TearLines)>,
}

/// A joint of the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joint {
    /// Its name in the world.
    pub(super) name: String,
    /// What else it is called.
    pub(super) others: Vec<String>,
    /// What it lets happen.
    pub(super) kind: JointKind,
}

impl Cast {
    /// Notes that a name of the scene stands for these bodies, too.
    pub(super) fn add_body(&mut self, name: &str, ids: &[BodyId]) {
        let known = self.bodies.entry(name.to_owned()).or_default();
        known.extend(ids);
        known.sort_unstable();
        known.dedup();
    }

    /// Notes a part of a body; returns what it is called.
    pub(super) fn add_part(&mut self, body: &str, part: &str) -> String {
        let full = format!("{body}/{part}");
        let known = self.parts.entry(part.to_owned()).or_default();
        if !known.contains(&full) {
            known.push(full.clone());
        }
        full
    }

    pub(super) fn add_joint(&mut self, joint: Joint) {
        self.joints.push(joint);
    }

    /// The bodies of a name, `Err` with a complaint if it stands for none, or for parts of several bodies.
    pub(super) fn bodies(&self, name: &str) -> Result<&[BodyId], String> {
        if let Some(ids) = self.bodies.get(name) {
            return Ok(ids);
        }
        match self.parts.get(name).map(Vec::as_slice) {
            Some([full]) => Ok(self.bodies.get(full).map_or(&[], Vec::as_slice)),
            Some([first, second, ..]) => Err(format!(
                "`{name}` is a part of several bodies, expected one of them, like `{first}` or `{second}`"
            )),
            _ => Err(unknown("body", name, self.body_names())),
        }
    }

    /// Every name that bodies are called by.
    pub(super) fn body_names(&self) -> impl Iterator<Item = &str> + Clone {
        let own = self.bodies.keys().map(String::as_str);
        own.chain(self.parts.keys().map(String::as_str))
    }

    /// The joints of a name, which may end in `*`; `Err` with a complaint if there is none.
    pub(super) fn joints(&self, name: &str) -> Result<Vec<&Joint>, String> {
        let is_meant = |one: &str| match name.strip_suffix('*') {
            Some(start) => one.starts_with(start),
            None => one == name,
        };
        let names = |joint: &Joint| {
            let all = std::iter::once(&joint.name).chain(&joint.others);
            all.cloned().collect::<Vec<String>>()
        };
        let meant = |joint: &&Joint| names(joint).iter().any(|one| is_meant(one));
        let found: Vec<&Joint> = self.joints.iter().filter(meant).collect();
        if found.is_empty() {
            let known: Vec<String> = self.joints.iter().flat_map(names).collect();
            return Err(unknown("joint", name, known.iter().map(String::as_str)));
        }
        Ok(found)
    }

    /// The one body of the world that an action at a path is for.
    pub(super) fn only_body(&self, site: &Site<'_>, at: &str, name: &str) -> Result<BodyId, Error> {
        let scene = &site.loaded.scene;
        let mut bodies = scene.body.iter().enumerate();
        let body = bodies.find(|(index, body)| body.name_or_index(*index) == name);
        if body.is_some_and(|(_, body)| body.copies.is_some()) {
            let message = format!("`{name}` has copies, expected one body; leave `body` out");
            return Err(site.error(at, &message));
        }
        match self.bodies(name) {
            Ok([id]) => Ok(*id),
            Ok(several) => {
                let message = format!(
                    "`{name}` is {} bodies, expected one: name one of its parts, or leave `body` out",
                    several.len()
                );
                Err(site.error(at, &message))
            }
            Err(complaint) => Err(site.error(at, &complaint)),
        }
    }
}

/// Where a body of an id is among the bodies of a world, if it is still there.
pub(super) fn place_of(world: &World, id: BodyId) -> Option<usize> {
    world.bodies().iter().position(|body| body.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts are found by their own name if it is unique, joints by any of their names and by how those begin.
    #[test]
    fn names_are_found() {
        let mut cast = Cast::default();
        for (body, id) in [("a", 3), ("b", 4)] {
            let full = cast.add_part(body, "wheel");
            cast.add_body(&full, &[BodyId(id)]);
            cast.add_body(body, &[BodyId(id)]);
        }
        let full = cast.add_part("a", "hood");
        cast.add_body(&full, &[BodyId(7)]);
        cast.add_body("a", &[BodyId(7)]);
        assert_eq!(cast.bodies("hood"), Ok(&[BodyId(7)][..]));
        assert_eq!(cast.bodies("a"), Ok(&[BodyId(3), BodyId(7)][..]));
        assert_eq!(cast.bodies("b/wheel"), Ok(&[BodyId(4)][..]));
        let told = cast.bodies("wheel").unwrap_err();
        assert!(told.contains("`a/wheel` or `b/wheel`"), "{told}");
        let told = cast.bodies("hod").unwrap_err();
        assert!(told.contains("did you mean `hood`"), "{told}");
        let joint = |body: &str| Joint {
            name: format!("{body}/hinge.hood.{body}"),
            others: vec![format!("hinge.hood.{body}")],
            kind: JointKind::Hinge,
        };
        cast.add_joint(joint("a"));
        cast.add_joint(joint("b"));
        assert_eq!(cast.joints("hinge.*").unwrap().len(), 2);
        assert_eq!(cast.joints("b/*").unwrap(), [&joint("b")]);
        assert!(cast.joints("hinge").is_err());
    }
}
