//! `[[body]]` of method `visual`: polygons, whole or part by part.

use std::path::Path;

use glam::Vec3;
use pliant::World;
use pliant::state::BodyId;
use pliant::visual::{Behavior, PatternDesc, PolygonMesh, TearRule, VisualDesc, VisualError};

use super::body::{DEFAULT_MATERIAL, Totals, look};
use super::boxes::JointBox;
use super::cast::Cast;
use super::polygons::{self, Solid, line_part};
use super::{Site, material, pattern};
use crate::error::Error;
use crate::file::{self, Body, Tear};
use crate::models::{BODY_COLOR, JointRule};
use crate::picture::{BodyLook, body_color};

/// Joints of a body's mesh, which are made when all bodies are there.
pub(super) struct Loose {
    /// Name of the body.
    pub(super) body: String,
    /// Where the scene speaks of its mesh.
    pub(super) path: String,
    pub(super) boxes: Vec<JointBox>,
    pub(super) rules: &'static [JointRule],
}

/// What the building of a body adds to.
pub(super) struct Stage<'a> {
    pub(super) world: &'a mut World,
    pub(super) cast: &'a mut Cast,
    pub(super) looks: &'a mut Vec<(BodyId, BodyLook)>,
}

/// Adds a body of an index, or its copy of a number, and says which joints its mesh has.
pub(super) fn add(
    site: &Site<'_>,
    (index, body, copy): (usize, &Body, usize),
    replacement: Option<&Path>,
    stage: &mut Stage<'_>,
) -> Result<Loose, Error> {
    let path = format!("body.{index}");
    let name = body.name_or_index(index);
    let markers = markers(site, body);
    let form = polygons::build(site, index, body, replacement, &markers)?;
    let at = if form.file.is_some() && body.mesh.is_some() {
        format!("{path}.mesh")
    } else {
        path.clone()
    };
    for (_, tear) in rules(site) {
        if let Ok(lines) = pattern::lines_of(&form.whole, tear) {
            stage.cast.lines.push((tear.clone(), lines));
        }
    }
    for (k, solid) in form.solids.into_iter().enumerate() {
        let full = if form.is_split && !solid.part.is_empty() {
            stage.cast.add_part(&name, &solid.part)
        } else {
            name.clone()
        };
        let given = solid.material.as_deref().or(body.material.as_deref());
        let substance = given.unwrap_or(DEFAULT_MATERIAL);
        let (paint, look) = appearance(site, (index, copy, k), body, substance, &solid)?;
        let Solid { mut mesh, part, .. } = solid;
        paint_over(&mut mesh, paint);
        Totals::of(stage.world).add_polygons(site, index, &mesh)?;
        let is_fixed = form.is_split
            && (form.fixed.iter().any(|start| part.starts_with(start))
                || body
                    .fixed_parts
                    .iter()
                    .any(|name| polygons::is_meant(name, &part)));
        let desc = describe(site, &path, body, (&full, substance), mesh, &form.whole)?;
        let desc = VisualDesc {
            is_fixed: desc.is_fixed || is_fixed,
            ..desc
        };
        let ids = stage.world.add_visual(desc).map_err(|error| {
            let what = match (&form.file, &error) {
                (Some(file), VisualError::Intake(_)) => format!("{file}: {error}"),
                _ => error.to_string(),
            };
            site.error(&at, &what)
        })?;
        if stage.world.bodies().len() > site.limits.bodies {
            let message = format!(
                "the scene has {} bodies so far, the limit is {}",
                stage.world.bodies().len(),
                site.limits.bodies
            );
            return Err(site.limit(&path, &message));
        }
        stage.cast.add_body(&full, &ids);
        stage.cast.add_body(&name, &ids);
        stage
            .looks
            .extend(ids.into_iter().map(|id| (id, look.clone())));
    }
    Ok(Loose {
        body: name,
        path: at,
        boxes: form.joints,
        rules: form.rules,
    })
}

/// What the engine needs to know of a mesh of a name that is made of a material; `whole` is the mesh that it is a part of.
fn describe(
    site: &Site<'_>,
    path: &str,
    body: &Body,
    (name, substance): (&str, &str),
    mesh: PolygonMesh,
    whole: &PolygonMesh,
) -> Result<VisualDesc, Error> {
    let scene = &site.loaded.scene;
    let fields = scene
        .material_fields(substance)
        .ok_or_else(|| site.error(path, &format!("unknown material `{substance}`")))?;
    let plain = VisualDesc::new(name, mesh);
    let rule = match (&body.tear, &fields.tear) {
        (Some(tear), _) => {
            // What a body says of itself must be there; a material may be that of other bodies, too.
            let found = pattern::lines_of(whole, tear);
            let at = format!("{path}.tear");
            Some(found.map_err(|what| site.error(&at, &what))?)
        }
        (None, Some(tear)) => Some(pattern::lines_of(whole, tear).unwrap_or_default()),
        (None, None) => None,
    };
    let breaks = match &fields.pattern {
        Some(name) => pattern::build(site, name, &|tear| {
            pattern::lines_of(whole, tear).unwrap_or_default()
        })?,
        None => PatternDesc::default(),
    };
    let vector = |value: Option<[f32; 3]>| value.map_or(Vec3::ZERO, Vec3::from_array);
    Ok(VisualDesc {
        behavior: match fields.kind {
            Some(file::MaterialKind::Rigid) => Behavior::Rigid,
            Some(file::MaterialKind::Soft) => Behavior::Soft,
            Some(file::MaterialKind::Plastic) => Behavior::Plastic,
            Some(file::MaterialKind::Brittle) => Behavior::Brittle,
            Some(file::MaterialKind::Ductile) => Behavior::Ductile,
            None => plain.behavior,
        },
        material: material::convert(&fields.values()),
        thickness: fields.thickness.unwrap_or(plain.thickness),
        is_fixed: body.fixed.unwrap_or(false),
        velocity: vector(body.velocity),
        spin: vector(body.spin.map(|spin| spin.map(f32::to_radians))),
        dent_speed: fields.dent_speed.unwrap_or(plain.dent_speed),
        tear_stretch: fields.tear_stretch.unwrap_or(plain.tear_stretch),
        tear: match rule {
            Some(lines) if !lines.segments.is_empty() => TearRule::Lines(lines),
            _ => TearRule::None,
        },
        pattern: breaks,
        is_shown: body.surface != Some(file::Surface::None),
        ..plain
    })
}

/// Whether a body is of polygons.
pub(super) fn is_visual(body: &Body) -> bool {
    body.method == Some(file::Method::Visual)
}

/// The names of parts of a body that only mark lines: whatever it is made of says so.
fn markers<'s>(site: &Site<'s>, body: &'s Body) -> Vec<&'s str> {
    let own = line_part(body.tear.as_ref()).into_iter();
    let of_scene = rules(site)
        .into_iter()
        .map(|(_, tear)| line_part(Some(tear)));
    own.chain(of_scene.flatten()).collect()
}

/// The lines on bodies that patterns and materials in use speak of, and where they do.
fn rules<'s>(site: &Site<'s>) -> Vec<(String, &'s Tear)> {
    let scene: &'s file::SceneFile = &site.loaded.scene;
    let bodies = scene.body.iter().filter(|body| is_visual(body));
    let used: Vec<&String> = bodies
        .flat_map(|body| body.material.iter().chain(body.parts.values()))
        .collect();
    let materials = scene
        .material
        .iter()
        .filter(|(name, _)| used.contains(name));
    let of_materials = materials.map(|(name, m)| (format!("material.{name}.tear"), &m.tear));
    let patterns = scene.pattern.iter();
    let on_bodies = patterns.filter(|(_, p)| p.kind != file::PatternKind::Mesh);
    let of_patterns = on_bodies.map(|(name, p)| (format!("pattern.{name}.tear"), &p.tear));
    let all = of_materials.chain(of_patterns);
    all.filter_map(|(at, tear)| match tear {
        Some(tear @ (Tear::Color(_) | Tear::Mesh(_))) => Some((at, tear)),
        _ => None,
    })
    .collect()
}

/// Refuses lines that are drawn on no body.
pub(super) fn check_lines(site: &Site<'_>, cast: &Cast) -> Result<(), Error> {
    if !site.loaded.scene.body.iter().any(is_visual) {
        return Ok(());
    }
    for (at, tear) in rules(site) {
        if cast.lines.iter().all(|(known, _)| known != tear) {
            let what = match tear {
                Tear::Mesh(name) => {
                    format!("no body has a part `{name}`, expected one that marks the line")
                }
                _ => "no edge of a body has this colour at both ends, expected a painted line"
                    .to_owned(),
            };
            return Err(site.error(&at, &what));
        }
    }
    Ok(())
}

/// The colour of what has none, and how the whole looks: the numbers are those of the body, its copy and the part.
fn appearance(
    site: &Site<'_>,
    (index, copy, part): (usize, usize, usize),
    body: &Body,
    substance: &str,
    solid: &Solid,
) -> Result<([u8; 3], BodyLook), Error> {
    let of_body = body_color(index + copy);
    let plain = look(site, (index, copy), body, false)?;
    let first = solid.mesh.colors.first();
    let color = match first {
        Some(&[r, g, b, _]) if first != Some(&BODY_COLOR) => [r, g, b],
        _ => {
            let own = body_color(index + copy + part);
            color_of(site, substance).unwrap_or(own)
        }
    };
    // Vertices of models that have the colour of the body have it in all parts.
    let paint = if solid.mesh.colors.iter().all(|c| *c == BODY_COLOR) {
        color
    } else {
        of_body
    };
    let look = BodyLook {
        color: Some(color),
        ..plain
    };
    Ok((paint, look))
}

/// The colour of what is made of a material that has one, whatever it is called in the scene.
fn color_of(site: &Site<'_>, substance: &str) -> Option<[u8; 3]> {
    let materials = &site.loaded.scene.material;
    let mut name = substance;
    // The file's own check has made sure that bases end.
    while let Some(base) = materials.get(name).and_then(|m| m.base.as_deref())
        && base != name
    {
        name = base;
    }
    match name {
        "glass" => Some([176, 206, 222]),
        "rubber" => Some([46, 46, 50]),
        "wood" => Some([156, 112, 72]),
        "steel" => Some([168, 172, 178]),
        _ => None,
    }
}

/// Gives vertices that have the colour of the body a colour; a mesh in that colour alone needs none.
fn paint_over(mesh: &mut PolygonMesh, [r, g, b]: [u8; 3]) {
    if mesh.colors.iter().all(|color| *color == BODY_COLOR) {
        mesh.colors.clear();
    }
    for color in &mut mesh.colors {
        if *color == BODY_COLOR {
            *color = [r, g, b, 255];
        }
    }
}
