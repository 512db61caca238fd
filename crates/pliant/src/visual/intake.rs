//! From any mesh to primitives \[MCM16 §3.1\].
//!
//! The mesh may be open, non-manifold, self-intersecting or a soup. Vertices of a part at the same place are welded; faces are made convex
//! and flat; closed convex shapes become one primitive each; every other face is extruded against its normal. What had to be dropped or
//! split is counted in an [`IntakeReport`].
//!
//! Outer vertices have the number of the mesh's vertex as gid, inner ones that plus the number of vertices \[MCM16 §3.4\]: copies made along
//! different normals are drawn in one place, t/3 deep along each axis at the corner of a cube, t/2 at an edge.

use glam::{DVec3, Vec3};

use super::clean::{Clean, clean};
use super::convex_parts::convex_parts;
use super::extrude::Extruder;
use super::polygons::{PolygonError, PolygonMesh};
use super::primitive::Primitive;

/// Thickness of a part that was given none, in its diagonals.
const DEFAULT_THICKNESS: f64 = 0.02;
/// The least thickness that can be asked for, in diagonals of the part.
const LEAST_THICKNESS: f64 = 1e-3;
/// The largest coordinate (m): beyond, f32 cannot tell the sides of a sheet apart.
const LARGEST: f32 = 1e6;
/// The smallest diagonal (m): below, second moments leave the range of f32.
const SMALLEST: f32 = 1e-4;

/// How a mesh becomes primitives.
#[derive(Clone, Debug, PartialEq)]
pub struct IntakeOptions {
    /// Thickness of the faces of each part (m). Parts beyond the end, and those with 0, get a fiftieth of their diagonal.
    pub thickness: Vec<f32>,
    /// Whether vertices of different parts at the same place are one.
    pub join_parts: bool,
    /// Whether closed convex shapes become one primitive.
    pub detect_convex: bool,
}

impl Default for IntakeOptions {
    fn default() -> Self {
        Self {
            thickness: Vec::new(),
            join_parts: false,
            detect_convex: true,
        }
    }
}

/// The primitives of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intake {
    /// Primitives, in the order of their lowest faces.
    pub primitives: Vec<Primitive>,
    /// The mesh as it was welded and cleaned; [`Primitive::sources`] are faces of it.
    pub mesh: PolygonMesh,
    /// For each face of `mesh` the face of the input that it is, or is a piece of.
    pub origins: Vec<u32>,
    /// One more than the highest gid.
    pub gid_count: u32,
    /// What was dropped, split or changed.
    pub report: IntakeReport,
}

/// What was dropped, split or changed on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntakeReport {
    /// Vertices that were welded to others at the same place.
    pub welded_vertices: usize,
    /// Faces with fewer than three different vertices, dropped.
    pub collapsed_faces: usize,
    /// Faces or pieces without area, dropped.
    pub faces_without_area: usize,
    /// Faces that named a vertex twice, mended.
    pub repeated_corners: usize,
    /// Faces that repeat another, dropped.
    pub duplicate_faces: usize,
    /// Pairs of faces that are the two sides of one.
    pub double_sided_faces: usize,
    /// Quads whose edges cross, made two triangles.
    pub bow_ties: usize,
    /// Quads with an inward corner, made two triangles.
    pub reflex_quads: usize,
    /// Quads that are not flat, made two triangles.
    pub bent_quads: usize,
    /// Polygons of five and more corners that were cut into convex pieces.
    pub split_polygons: usize,
    /// Faces that were made thinner, so that they do not reach through the wall behind them.
    pub thinned_faces: usize,
    /// Parts whose thickness was raised to the least one.
    pub thickened_parts: usize,
    /// Closed convex shapes that became one primitive.
    pub convex_shapes: usize,
    /// Closed convex shapes around a cavity, extruded instead.
    pub hollow_shapes: usize,
    /// Closed convex shapes of more than a thousand faces, extruded instead.
    pub fine_convex_shapes: usize,
}

impl IntakeReport {
    /// One line in plain words for each thing that was found.
    pub fn lines(&self) -> Vec<String> {
        let all = [
            (
                self.welded_vertices,
                "vertices at the same place as others were welded",
            ),
            (
                self.collapsed_faces,
                "faces with fewer than three different vertices were dropped",
            ),
            (self.faces_without_area, "faces without area were dropped"),
            (
                self.repeated_corners,
                "faces named a vertex twice and were mended",
            ),
            (
                self.duplicate_faces,
                "faces that repeat another were dropped",
            ),
            (
                self.double_sided_faces,
                "faces are seen from both sides and were extruded half each way",
            ),
            (
                self.bow_ties,
                "quads with crossing edges were made two triangles",
            ),
            (
                self.reflex_quads,
                "quads with an inward corner were made two triangles",
            ),
            (
                self.bent_quads,
                "quads that are not flat were made two triangles",
            ),
            (self.split_polygons, "polygons were cut into convex pieces"),
            (
                self.thinned_faces,
                "faces were made thinner than asked, so that they do not pierce what is behind them",
            ),
            (
                self.thickened_parts,
                "parts were made thicker than asked, a thousandth of their size",
            ),
            (
                self.convex_shapes,
                "closed convex shapes became one primitive each",
            ),
            (
                self.hollow_shapes,
                "convex shapes around a cavity were extruded",
            ),
            (
                self.fine_convex_shapes,
                "convex shapes of more than 1024 faces were extruded",
            ),
        ];
        let found = all.into_iter().filter(|(count, _)| *count > 0);
        found
            .map(|(count, what)| format!("{count} {what}"))
            .collect()
    }
}

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The mesh breaks a promise of its type.
    #[error(transparent)]
    Mesh(#[from] PolygonError),
    /// No face was left.
    #[error(
        "none of the {faces} faces can be used: {collapsed} have fewer than three different vertices, {without_area} have no area"
    )]
    NothingLeft {
        /// Faces of the input.
        faces: usize,
        /// How many had collapsed.
        collapsed: usize,
        /// How many had no area.
        without_area: usize,
    },
    /// The mesh is too large or too far away.
    #[error("the mesh reaches to {found} m, at most {LARGEST} m were expected")]
    TooLarge {
        /// Its largest coordinate (m).
        found: f32,
    },
    /// The mesh is too small.
    #[error("the mesh is {found} m across, at least {SMALLEST} m were expected")]
    TooSmall {
        /// Its diagonal (m).
        found: f32,
    },
    /// A thickness is negative or not a number.
    #[error("the thickness of part {part} is {found}, a positive number was expected")]
    Thickness {
        /// Index of the part.
        part: usize,
        /// The thickness that was given.
        found: f32,
    },
}

/// Makes primitives of a mesh.
pub fn intake(mesh: &PolygonMesh, options: &IntakeOptions) -> Result<Intake, IntakeError> {
    mesh.validate()?;
    let bad = |t: &f32| !(t.is_finite() && *t >= 0.0);
    if let Some(part) = options.thickness.iter().position(bad) {
        let found = options.thickness[part];
        return Err(IntakeError::Thickness { part, found });
    }
    let (lo, hi) = mesh.bounds().unwrap_or_default();
    let found = lo.abs().max(hi.abs()).max_element();
    if found > LARGEST {
        return Err(IntakeError::TooLarge { found });
    }
    let found = (hi - lo).length();
    if found < SMALLEST {
        return Err(IntakeError::TooSmall { found });
    }
    let mut report = IntakeReport::default();
    let clean = clean(mesh, options.join_parts, &mut report);
    if clean.faces.is_empty() {
        return Err(IntakeError::NothingLeft {
            faces: mesh.face_count(),
            collapsed: report.collapsed_faces,
            without_area: report.faces_without_area,
        });
    }
    let thickness = thicknesses(mesh, &clean, options, &mut report);
    let mut primitives = Vec::with_capacity(clean.faces.len());
    let mut taken = vec![false; clean.faces.len()];
    if options.detect_convex {
        for part in convex_parts(&clean, &mut report) {
            part.faces.iter().for_each(|&f| taken[f as usize] = true);
            let mut primitive = Primitive::new(&part.shape, part.vertices, part.width as f32);
            primitive.part = clean.faces[part.faces[0] as usize].part;
            primitives.push(primitive);
        }
    }
    extrude_rest(&clean, &taken, &thickness, &mut primitives, &mut report);
    primitives.sort_by_key(|p| p.source);
    let (mesh, origins) = cleaned_mesh(mesh, &clean);
    Ok(Intake {
        primitives,
        gid_count: 2 * mesh.positions.len() as u32,
        mesh,
        origins,
        report,
    })
}

/// Thickness and diagonal of each part (m).
fn thicknesses(
    mesh: &PolygonMesh,
    clean: &Clean,
    options: &IntakeOptions,
    report: &mut IntakeReport,
) -> Vec<(f64, f64)> {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut boxes = vec![none; mesh.part_count()];
    for face in &clean.faces {
        let b = &mut boxes[usize::from(face.part)];
        for c in &face.corners {
            let p = clean.positions[c.vertex as usize];
            *b = (b.0.min(p), b.1.max(p));
        }
    }
    let of_part = |(part, (lo, hi)): (usize, &(DVec3, DVec3))| {
        let diagonal = if lo.x <= hi.x {
            (*hi - *lo).length()
        } else {
            1.0
        };
        let asked = options.thickness.get(part).copied().unwrap_or(0.0);
        if asked == 0.0 {
            return (DEFAULT_THICKNESS * diagonal, diagonal);
        }
        let least = LEAST_THICKNESS * diagonal;
        report.thickened_parts += usize::from(f64::from(asked) < least);
        (f64::from(asked).max(least), diagonal)
    };
    boxes.iter().enumerate().map(of_part).collect()
}

/// Extrudes every face that is not taken.
fn extrude_rest(
    clean: &Clean,
    taken: &[bool],
    thickness: &[(f64, f64)],
    primitives: &mut Vec<Primitive>,
    report: &mut IntakeReport,
) {
    let count = clean.positions.len() as u32;
    let extruder = Extruder::new(clean);
    for (f, face) in clean.faces.iter().enumerate() {
        if taken[f] || face.second {
            continue;
        }
        let (t, diagonal) = thickness[usize::from(face.part)];
        let (shape, t) = extruder.extrude(f as u32, t, diagonal, report);
        let outer = face.corners.iter().map(|c| c.vertex);
        let gids = outer.clone().chain(outer.map(|v| count + v)).collect();
        let mut primitive = Primitive::new(&shape, gids, t as f32);
        primitive.part = face.part;
        primitives.push(primitive);
    }
}

/// The welded and cleaned mesh with its attributes, and where its faces come from.
fn cleaned_mesh(mesh: &PolygonMesh, clean: &Clean) -> (PolygonMesh, Vec<u32>) {
    let origin = &clean.vertex_origin;
    let mut out = PolygonMesh {
        positions: clean
            .positions
            .iter()
            .map(|p| p.as_vec3())
            .collect::<Vec<Vec3>>(),
        part_names: mesh.part_names.clone(),
        ..PolygonMesh::default()
    };
    if !mesh.colors.is_empty() {
        out.colors = origin.iter().map(|&v| mesh.colors[v as usize]).collect();
    }
    for face in &clean.faces {
        out.faces.push(face.corners.iter().map(|c| c.vertex));
        if !mesh.corner_uvs.is_empty() {
            let uvs = face
                .corners
                .iter()
                .map(|c| mesh.corner_uvs[c.corner as usize]);
            out.corner_uvs.extend(uvs);
        }
        if !mesh.parts.is_empty() {
            out.parts.push(face.part);
        }
    }
    (out, clean.faces.iter().map(|f| f.origin).collect())
}

#[cfg(test)]
mod tests;
