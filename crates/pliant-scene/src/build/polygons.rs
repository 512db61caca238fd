//! The polygons of a visual body: where they come from, what they are parts of, where they go.

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec3;
use pliant::visual::PolygonMesh;

use super::boxes::{JointBox, joint_box};
use super::form::{Bounds, Placement};
use super::{Site, facets};
use crate::error::Error;
use crate::file::{Body, Tear};
use crate::mesh_files::read_polygons_within;
use crate::models::{self, JointRule, PolygonModel};

/// How a part of a mesh begins that is a joint.
const JOINT: &str = "joint.";
/// Detail of a model that gives none.
const DEFAULT_DETAIL: f32 = 0.4;

/// The polygons of a body in the world.
pub(super) struct Polygons {
    /// What is simulated: one mesh, or one for each part.
    pub(super) solids: Vec<Solid>,
    /// Whether parts are bodies of their own.
    pub(super) is_split: bool,
    /// Joints between them.
    pub(super) joints: Vec<JointBox>,
    /// The whole mesh with what only marks lines, to find those.
    pub(super) whole: PolygonMesh,
    /// What the model says of joints.
    pub(super) rules: &'static [JointRule],
    /// How the names of parts begin that the model wants to stay where they are.
    pub(super) fixed: &'static [&'static str],
    /// The mesh file, as messages name it.
    pub(super) file: Option<String>,
}

/// A mesh that becomes a body.
pub(super) struct Solid {
    /// The name of the part; of an unnamed one and of a whole mesh empty.
    pub(super) part: String,
    pub(super) mesh: PolygonMesh,
    /// The material that the scene or the model has for it.
    pub(super) material: Option<String>,
}

/// The polygons of the body of an index; `replacement` is a mesh file that takes their place, `lines` are names of parts that only mark lines.
pub(super) fn build(
    site: &Site<'_>,
    index: usize,
    body: &Body,
    replacement: Option<&Path>,
    lines: &[&str],
) -> Result<Polygons, Error> {
    let path = format!("body.{index}");
    let own = source(site, &path, index, body)?;
    let markers = own.markers;
    let is_line = |name: &str| lines.contains(&name) || markers.contains(&name);
    let is_marker = |name: &str| name.starts_with(JOINT) || is_line(name);
    let bounds = |mesh: &PolygonMesh| bounds_of(mesh, |part| !is_marker(mesh.part_name(part)));
    let (model, placement) = match replacement {
        None => {
            let placement = Placement::new(body, bounds(&own.mesh));
            (own, placement)
        }
        Some(file) => {
            let mesh = read_polygons_within(file, &site.limits.of_mesh())?;
            let place = Placement::in_place_of(body, bounds(&own.mesh), bounds(&mesh));
            let place = place
                .ok_or_else(|| site.error(&path, "the mesh in place of this body has no size"))?;
            (PolygonModel::plain(mesh), place)
        }
    };
    let mut mesh = model.mesh;
    placement.apply_to(&mut mesh.positions);
    if let Err(error) = mesh.validate() {
        return Err(site.error(
            &path,
            &format!(
                "{error} after it was placed, expected a size and position that numbers can hold"
            ),
        ));
    }
    let file = match (replacement, &body.mesh) {
        (Some(file), _) => Some(file.display().to_string()),
        (None, file) => file.clone(),
    };
    let at = match replacement {
        None if body.mesh.is_some() => format!("{path}.mesh"),
        _ => path.clone(),
    };
    let mut joints = Vec::new();
    let mut solids: Vec<(u16, String)> = Vec::new();
    for part in used_parts(&mesh) {
        let name = mesh.part_name(part);
        if let Some(rest) = name.strip_prefix(JOINT) {
            let corners = corners_of(&mesh, part);
            let found = joint_box(rest, &corners, placement.turn())
                .map_err(|complaint| site.error(&at, &complaint))?;
            joints.push(found);
        } else if !is_line(name) {
            solids.push((part, name.to_owned()));
        }
    }
    if solids.is_empty() {
        return Err(site.error(
            &at,
            "the mesh has no part that is neither a joint nor a line",
        ));
    }
    let materials = materials(site, &path, body, &solids, model.materials)?;
    for (at, key) in body.fixed_parts.iter().enumerate() {
        if !solids.iter().any(|(_, name)| is_meant(key, name)) {
            let known = solids.iter().map(|(_, name)| name.as_str());
            let message = crate::file::unknown("part", key, known);
            return Err(site.error(&format!("{path}.fixed_parts.{at}"), &message));
        }
    }
    let is_split = model.is_split || !body.parts.is_empty() || !joints.is_empty();
    let solids = if is_split {
        let solid = |(part, name): (u16, String)| Solid {
            mesh: only_parts(&mesh, |p| p == part),
            material: materials.get(&name).cloned(),
            part: name,
        };
        solids.into_iter().map(solid).collect()
    } else {
        let (_, first) = &solids[0];
        vec![Solid {
            part: String::new(),
            material: materials.get(first).cloned(),
            mesh: only_parts(&mesh, |p| !is_marker(mesh.part_name(p))),
        }]
    };
    Ok(Polygons {
        solids,
        is_split,
        joints,
        whole: mesh,
        rules: model.joints,
        fixed: model.fixed,
        file,
    })
}

/// The names of parts that a rule is about.
pub(super) fn line_part(tear: Option<&Tear>) -> Option<&str> {
    match tear {
        Some(Tear::Mesh(name)) => Some(name),
        _ => None,
    }
}

/// Whether a scene means a part by a name that may end in `*`.
pub(super) fn is_meant(key: &str, part: &str) -> bool {
    match key.strip_suffix('*') {
        Some(start) => part.starts_with(start),
        None => part == key,
    }
}

/// What the scene or the model makes the parts of, by their names.
fn materials(
    site: &Site<'_>,
    path: &str,
    body: &Body,
    solids: &[(u16, String)],
    of_model: &[(&str, &str)],
) -> Result<BTreeMap<String, String>, Error> {
    let mut found = BTreeMap::new();
    for (_, name) in solids {
        let meant = |(start, _): &&(&str, &str)| name.starts_with(start);
        if let Some((_, material)) = of_model.iter().find(meant) {
            found.insert(name.clone(), (*material).to_owned());
        }
    }
    // What names a part in full goes before what only says how it begins.
    let (wide, exact): (Vec<_>, Vec<_>) =
        body.parts.iter().partition(|(key, _)| key.ends_with('*'));
    for (key, material) in wide.into_iter().chain(exact) {
        let mut is_used = false;
        for (_, name) in solids {
            if is_meant(key, name) {
                found.insert(name.clone(), material.clone());
                is_used = true;
            }
        }
        if !is_used {
            let known = solids.iter().map(|(_, name)| name.as_str());
            let message = crate::file::unknown("part", key, known);
            return Err(site.error(&format!("{path}.parts"), &message));
        }
    }
    Ok(found)
}

/// The polygons that a scene gives to a body, in their own coordinates.
fn source(site: &Site<'_>, path: &str, index: usize, body: &Body) -> Result<PolygonModel, Error> {
    if let Some(known) = site.polygons.borrow().get(&index) {
        return Ok(known.clone());
    }
    let model = if let Some(file) = &body.mesh {
        PolygonModel::plain(site.polygon_mesh(&format!("{path}.mesh"), file)?)
    } else if let Some(name) = &body.model {
        let detail = body.detail.unwrap_or(DEFAULT_DETAIL);
        models::make_polygons(name, detail).ok_or_else(|| {
            let known = models::POLYGON_NAMES.join("`, `");
            let message = if models::NAMES.contains(&name.as_str()) {
                format!("the model `{name}` is for method `oriented`, expected one of `{known}`")
            } else {
                format!("unknown model `{name}`, expected one of `{known}`")
            };
            site.error(&format!("{path}.model"), &message)
        })?
    } else {
        PolygonModel::plain(facets::of_shape(site, path, body)?)
    };
    site.polygons.borrow_mut().insert(index, model.clone());
    Ok(model)
}

/// The parts that faces belong to, in the order of their numbers.
fn used_parts(mesh: &PolygonMesh) -> Vec<u16> {
    let mut used: Vec<u16> = (0..mesh.face_count()).map(|face| mesh.part(face)).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// The places of the vertices of a part.
fn corners_of(mesh: &PolygonMesh, part: u16) -> Vec<Vec3> {
    let faces = mesh.faces.iter().enumerate();
    let own = faces.filter(|(face, _)| mesh.part(*face) == part);
    own.flat_map(|(_, row)| row.iter().map(|&v| mesh.positions[v as usize]))
        .collect()
}

fn bounds_of(mesh: &PolygonMesh, counts: impl Fn(u16) -> bool) -> Bounds {
    let faces = mesh.faces.iter().enumerate();
    let own = faces.filter(|(face, _)| counts(mesh.part(*face)));
    let places = own.flat_map(|(_, row)| row.iter().map(|&v| mesh.positions[v as usize]));
    let boxes = places.map(|p| (p, p));
    let (lo, hi) = boxes
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default();
    Bounds { lo, hi }
}

/// The faces of some parts, with the vertices that they use; parts are told apart only where there are several.
pub(super) fn only_parts(mesh: &PolygonMesh, is_meant: impl Fn(u16) -> bool) -> PolygonMesh {
    let mut out = PolygonMesh::default();
    let mut new_of_old = vec![u32::MAX; mesh.positions.len()];
    let mut parts: BTreeMap<u16, u16> = BTreeMap::new();
    for (face, row) in mesh.faces.iter().enumerate() {
        let part = mesh.part(face);
        if !is_meant(part) {
            continue;
        }
        for &v in row {
            let new = &mut new_of_old[v as usize];
            if *new == u32::MAX {
                *new = out.positions.len() as u32;
                out.positions.push(mesh.positions[v as usize]);
                out.colors.extend(mesh.colors.get(v as usize));
            }
        }
        let ring: Vec<u32> = row.iter().map(|&v| new_of_old[v as usize]).collect();
        out.faces.push(ring);
        out.corner_uvs.extend(mesh.face_uvs(face));
        let next = parts.len() as u16;
        let own = *parts.entry(part).or_insert_with(|| {
            out.part_names.push(mesh.part_name(part).to_owned());
            next
        });
        out.parts.push(own);
    }
    if parts.len() < 2 {
        out.parts.clear();
        out.part_names.clear();
    }
    out
}
