//! `[pattern.NAME]` and `tear` → how bodies break.

use std::sync::Arc;

use glam::Vec3;
use pliant::visual::pattern::{Cell, from_mesh};
use pliant::visual::tear::TearLines;
use pliant::visual::{Pattern, PatternDesc, PatternKind, PolygonMesh, TearRule};

use super::Site;
use super::cast::Cast;
use crate::error::Error;
use crate::file::{self, Tear};

/// How far a channel of a colour may be off.
const COLOR_SLACK: f32 = 0.1;

/// The pattern of a name: one of the scene, or a kind with its defaults. `lines` finds lines that are drawn on bodies.
pub(super) fn build(
    site: &Site<'_>,
    name: &str,
    lines: &dyn Fn(&Tear) -> TearLines,
) -> Result<PatternDesc, Error> {
    let plain = PatternDesc::default();
    let Some(given) = site.loaded.scene.pattern.get(name) else {
        let kind = match name {
            "glass" => PatternKind::Glass,
            "splinters" => PatternKind::Splinters,
            "bricks" => PatternKind::Bricks,
            // The file's own check has refused other names.
            _ => PatternKind::Voronoi,
        };
        return Ok(PatternDesc { kind, ..plain });
    };
    let path = format!("pattern.{name}");
    let mut tear = match &given.tear {
        None | Some(Tear::All) => TearRule::All,
        Some(Tear::None) => TearRule::None,
        Some(_) if given.kind == file::PatternKind::Mesh => TearRule::All,
        Some(tear) => TearRule::Lines(lines(tear)),
    };
    let kind = match given.kind {
        file::PatternKind::Voronoi => PatternKind::Voronoi,
        file::PatternKind::Glass => PatternKind::Glass,
        file::PatternKind::Splinters => PatternKind::Splinters,
        file::PatternKind::Bricks => PatternKind::Bricks,
        file::PatternKind::Mesh => {
            let cells = cells(site, &path, given)?;
            if cells.adjacency.iter().all(|border| !border.tearable) {
                tear = TearRule::None;
            }
            PatternKind::Cells(Arc::new(cells))
        }
    };
    Ok(PatternDesc {
        kind,
        cells: given.cells.unwrap_or(plain.cells),
        radius: given.radius.unwrap_or(plain.radius),
        tear,
    })
}

/// The cells of a mesh file; those borders may tear on which its lines lie, if it has some.
fn cells(site: &Site<'_>, path: &str, given: &file::Pattern) -> Result<Pattern, Error> {
    let at = format!("{path}.file");
    let name = given.file.as_deref().unwrap_or_default();
    let mesh = site.polygon_mesh(&at, name)?;
    let lines =
        match &given.tear {
            None | Some(Tear::All | Tear::None) => None,
            Some(tear) => {
                let found = lines_of(&mesh, tear);
                Some(found.map_err(|what| {
                    site.error(&format!("{path}.tear"), &format!("{name}: {what}"))
                })?)
            }
        };
    let marker = match &given.tear {
        Some(Tear::Mesh(part)) => Some(part.as_str()),
        _ => None,
    };
    let pieces = super::polygons::only_parts(&mesh, |part| Some(mesh.part_name(part)) != marker);
    let mut pattern = from_mesh(&pieces).map_err(|error| {
        site.error(
            &at,
            &format!("{name}: {error}, expected closed convex parts"),
        )
    })?;
    if let Some(lines) = lines {
        let (lo, hi) = mesh.bounds().unwrap_or_default();
        let slack = 1e-4 * f64::from((hi - lo).length());
        let planes = pattern.clone();
        let touches = |cell: &Cell, p: Vec3| {
            let planes = cell.halves.iter().map(|half| planes.plane(*half));
            planes
                .map(|plane| plane.distance(p.as_dvec3()))
                .all(|d| d <= slack)
        };
        pattern.set_tearable(|a, b| {
            let on_both = |p: Vec3| touches(a, p) && touches(b, p);
            lines
                .segments
                .iter()
                .any(|ends| ends.iter().all(|p| on_both(*p)))
        });
    }
    Ok(pattern)
}

/// The lines that are drawn on a mesh; `Err` says why there are none.
pub(super) fn lines_of(mesh: &PolygonMesh, tear: &Tear) -> Result<TearLines, String> {
    let lines = match tear {
        Tear::All | Tear::None => return Ok(TearLines::default()),
        Tear::Color(color) => {
            let near =
                |found: u8, wanted: f32| (f32::from(found) / 255.0 - wanted).abs() <= COLOR_SLACK;
            TearLines::of_colors(mesh, |[r, g, b, _]| {
                near(r, color[0]) && near(g, color[1]) && near(b, color[2])
            })
        }
        Tear::Mesh(name) => {
            let named = mesh.part_names.iter().position(|part| part == name);
            let Some(part) = named else {
                let known = mesh.part_names.iter().map(String::as_str);
                return Err(file::unknown("part", name, known));
            };
            TearLines::of_part(mesh, part as u16)
        }
    };
    if lines.segments.is_empty() {
        return Err(
            "no edge of the mesh has this colour at both ends, expected a painted line".to_owned(),
        );
    }
    Ok(lines)
}

/// All lines that bodies of the scene have by a rule of tearing, for a pattern of which nobody knows what it will meet.
pub(super) fn lines_of_all(cast: &Cast, tear: &Tear) -> TearLines {
    let same = cast.lines.iter().filter(|(known, _)| known == tear);
    TearLines {
        segments: same.flat_map(|(_, lines)| lines.segments.clone()).collect(),
    }
}
