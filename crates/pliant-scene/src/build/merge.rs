//! Bodies of one `merge` name: they become one body of the world, whose pieces begin apart.

use std::collections::BTreeMap;

use pliant::BodyDesc;
use pliant::Material;
use serde::Serialize;

use super::Site;
use super::form::Form;
use crate::error::Error;
use crate::file::{Body, Copies, SceneFile};

/// Sizes that differ by less are the same: bounds of meshes are not exact.
const ROUND_OFF: f32 = 1e-4;

/// The bodies of the scene that are one body of the world, ascending, in the order of the first of each. A body with copies is there as
/// often as they are.
pub(super) fn groups(scene: &SceneFile) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, body) in scene.body.iter().enumerate() {
        let new = groups.len();
        let known = body
            .merge
            .as_deref()
            .map(|m| *of_name.entry(m).or_insert(new));
        match known {
            Some(at) if at < new => groups[at].push(index),
            _ => {
                let copies = body.copies.as_ref().map_or(1, Copies::total);
                groups.extend(std::iter::repeat_n(vec![index], copies));
            }
        }
    }
    groups
}

/// The bodies of a group with the fields that they must share: what one of them says holds for those that say nothing.
pub(super) fn complete(site: &Site<'_>, members: &[usize]) -> Result<Vec<Body>, Error> {
    let mut group = Group {
        site,
        members,
        bodies: members
            .iter()
            .map(|&index| site.loaded.scene.body[index].clone())
            .collect(),
    };
    if members.len() > 1 {
        group.share("particle_radius", |b| &mut b.particle_radius)?;
        group.share("edge_length", |b| &mut b.edge_length)?;
        group.share("volume", |b| &mut b.volume)?;
        group.share("merge_delay", |b| &mut b.merge_delay)?;
        group.share("cluster_radius", |b| &mut b.cluster_radius)?;
        group.share("membership", |b| &mut b.membership)?;
        group.share("fit", |b| &mut b.fit)?;
        group.share("averaging", |b| &mut b.averaging)?;
        group.share("mass", |b| &mut b.mass)?;
        group.share("recluster", |b| &mut b.recluster)?;
        group.share("dynamics", |b| &mut b.dynamics)?;
        group.share("springs", |b| &mut b.springs)?;
        group.share("clustering", |b| &mut b.clustering)?;
        group.share("kernel", |b| &mut b.kernel)?;
        group.share("embedded", |b| &mut b.embedded)?;
        group.share("texture", |b| &mut b.texture)?;
    }
    Ok(group.bodies)
}

struct Group<'a> {
    site: &'a Site<'a>,
    members: &'a [usize],
    bodies: Vec<Body>,
}

impl Group<'_> {
    /// Gives all the value of a field that one of them has; two different values are an error.
    fn share<T: Clone + PartialEq + Serialize>(
        &mut self,
        name: &str,
        field: impl Fn(&mut Body) -> &mut Option<T>,
    ) -> Result<(), Error> {
        let mut given: Option<(usize, T)> = None;
        for (body, &index) in self.bodies.iter_mut().zip(self.members) {
            match (&given, field(body).clone()) {
                (_, None) => {}
                (None, Some(value)) => given = Some((index, value)),
                (Some((first, known)), Some(value)) => {
                    if *known != value {
                        let partner = name_of(self.site, *first);
                        let show = |v: &T| serde_json::to_string(v).unwrap_or_default();
                        let message = format!(
                            "`{name}` is {}, but `{partner}`, with which the body merges, has {}, expected the same",
                            show(&value),
                            show(known)
                        );
                        return Err(self.site.error(&format!("body.{index}.{name}"), &message));
                    }
                }
            }
        }
        if let Some((_, value)) = given {
            for body in &mut self.bodies {
                *field(body) = Some(value.clone());
            }
        }
        Ok(())
    }
}

/// Gives the forms of a group its smallest edge length; particle radii that follow from different sizes are an error.
pub(super) fn agree(site: &Site<'_>, members: &[usize], forms: &mut [Form]) -> Result<(), Error> {
    let Some(r) = forms.first().map(|form| form.particle_radius) else {
        return Ok(());
    };
    let differs = |form: &Form| (form.particle_radius / r - 1.0).abs() > ROUND_OFF;
    if let Some(at) = forms.iter().position(differs) {
        let message = format!(
            "its size makes `particle_radius` {:.4}, but `{}`, with which the body merges, has {r:.4}, expected `particle_radius` in one of them",
            forms[at].particle_radius,
            name_of(site, members[0])
        );
        return Err(site.error(&format!("body.{}.merge", members[at]), &message));
    }
    let smallest = forms.iter().map(|form| form.edge_length);
    let smallest = smallest.fold(f32::INFINITY, f32::min);
    for form in forms {
        form.edge_length = smallest;
        form.particle_radius = r;
    }
    Ok(())
}

/// What of their materials the bodies of a group cannot have each for itself, if it is different.
pub(super) fn lost_differences(descs: &[&BodyDesc]) -> Option<String> {
    let (first, others) = descs.split_first()?;
    let of_all = |m: &Material| {
        (
            (m.friction, m.restitution, m.plastic_limit),
            (m.plastic_model, m.strain, m.clamp),
        )
    };
    let other = others
        .iter()
        .find(|desc| of_all(&desc.material) != of_all(&first.material))?;
    Some(format!(
        "{}: friction, restitution and the kind of plasticity are those of {}, with which it merges",
        other.name, first.name
    ))
}

fn name_of(site: &Site<'_>, index: usize) -> String {
    site.loaded.scene.body[index].name_or_index(index)
}
