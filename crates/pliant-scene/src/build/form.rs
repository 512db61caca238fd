//! The form of a body: where its mesh comes from, how large it is and where it goes.

use std::path::Path;

use glam::{Quat, Vec3};
use pliant::dynamics::collider::rotation_from_degrees;
use pliant::geometry::surface_nets::{CELL_LIMIT, MeshShapeError, mesh_shape};
use pliant::geometry::topology::MeshReport;
use pliant::geometry::{Mesh, Shape};

use super::{Site, shape};
use crate::error::Error;
use crate::file::Body;
use crate::mesh_files::read_mesh_within;

/// Particles along the longest side of a body that names no radius.
const PARTICLES_A_SIDE: f32 = 40.0;
/// Edge length of a shape's surface that names none, in particle radii.
const EDGE_SHARE: f32 = 0.5;
/// Edges along the longest side of the coarse mesh that tells a shape's true size.
const PROBE_EDGES: f32 = 48.0;

/// A body's mesh in the world, and how fine its particles and its surface are.
pub(super) struct Form {
    pub(super) mesh: Mesh,
    pub(super) particle_radius: f32,
    /// Longest edge of the surface if it is tracked (m).
    pub(super) edge_length: f32,
    /// The mesh file, as messages name it; a shape has none.
    pub(super) file: Option<String>,
    /// What is unusual about a mesh that came from a file, one line each.
    pub(super) findings: Vec<String>,
}

/// The smallest box around a mesh.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) lo: Vec3,
    pub(super) hi: Vec3,
}

impl Bounds {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let (lo, hi) = mesh.bounds().unwrap_or_default();
        Self { lo, hi }
    }

    fn size(self) -> Vec3 {
        self.hi - self.lo
    }

    fn center(self) -> Vec3 {
        0.5 * (self.lo + self.hi)
    }

    fn longest(self) -> f32 {
        self.size().max_element()
    }
}

/// The form of the body of an index, as it is after what others have given it; `replacement` is a mesh file that takes its place.
pub(super) fn build(
    site: &Site<'_>,
    index: usize,
    body: &Body,
    replacement: Option<&Path>,
) -> Result<Form, Error> {
    let path = format!("body.{index}");
    let source = Source::of(site, &path, body)?;
    let (mut mesh, placement) = match replacement {
        None => source.mesh(site, &path, body)?,
        Some(file) => {
            let mesh = read_mesh_within(file, &site.limits.of_mesh())?;
            let (old, new) = (source.bounds(), Bounds::of(&mesh));
            let place = Placement::in_place_of(body, old, new);
            let place = place
                .ok_or_else(|| site.error(&path, "the mesh in place of this body has no size"))?;
            (mesh, place)
        }
    };
    let file = match (replacement, &body.mesh) {
        (Some(file), _) => Some(file.display().to_string()),
        (None, file) => file.clone(),
    };
    let findings = match &file {
        Some(file) => findings(file, &mesh),
        None => Vec::new(),
    };
    let longest = Bounds::of(&mesh).longest() * placement.scale;
    let particle_radius = body.particle_radius.unwrap_or(longest / PARTICLES_A_SIDE);
    placement.apply(&mut mesh);
    if let Err(error) = mesh.validate() {
        return Err(site.error(
            &path,
            &format!(
                "{error} after it was placed, expected a size and position that numbers can hold"
            ),
        ));
    }
    let plain = EDGE_SHARE * particle_radius;
    let edge_length = body.edge_length.unwrap_or(match file {
        Some(_) => plain.min(2.0 * mean_edge(&mesh)),
        None => plain,
    });
    Ok(Form {
        mesh,
        particle_radius,
        edge_length,
        file,
        findings,
    })
}

/// Mean length of the edges (m); those of closed meshes are all met twice.
fn mean_edge(mesh: &Mesh) -> f32 {
    let length = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        f64::from(a.distance(b)) + f64::from(b.distance(c)) + f64::from(c.distance(a))
    };
    let total: f64 = mesh.triangles.iter().map(length).sum();
    (total / (3 * mesh.triangles.len()).max(1) as f64) as f32
}

/// What is unusual about a mesh file. An artist's mesh is used as it is; what was found in it is said.
fn findings(file: &str, mesh: &Mesh) -> Vec<String> {
    let problems = MeshReport::new(mesh).problems();
    problems
        .iter()
        .map(|problem| format!("{file}: {problem}"))
        .collect()
}

/// The mesh or the shape of a body in its own coordinates; `None` if it has neither.
pub(super) fn own_mesh(site: &Site<'_>, index: usize, body: &Body) -> Result<Option<Mesh>, Error> {
    if body.mesh.is_none() && body.shape.is_none() {
        return Ok(None);
    }
    let path = format!("body.{index}");
    let source = Source::of(site, &path, body)?;
    Ok(Some(source.mesh(site, &path, body)?.0))
}

/// What a scene file says about a body's form.
enum Source {
    File(Mesh),
    Shape(Shape),
}

/// Scale about a centre, turn, move: p → R s (p − c) + t.
pub(super) struct Placement {
    pub(super) center: Vec3,
    pub(super) scale: f32,
    degrees: Vec3,
    pub(super) position: Vec3,
}

impl Placement {
    pub(super) fn new(body: &Body, bounds: Bounds) -> Self {
        let fitted = match (body.height, body.extent) {
            (Some(height), _) => Some(height / bounds.size().y),
            (None, Some(extent)) => Some(extent / bounds.longest()),
            (None, None) => None,
        };
        let vector = |value: Option<[f32; 3]>| value.map_or(Vec3::ZERO, Vec3::from_array);
        Self {
            center: if fitted.is_some() {
                bounds.center()
            } else {
                Vec3::ZERO
            },
            scale: fitted.or(body.scale).unwrap_or(1.0),
            degrees: vector(body.rotation),
            position: vector(body.position),
        }
    }

    /// Where a mesh goes that takes the place of a body's own form; `None` for a mesh without a size.
    ///
    /// With `height` or `extent` that is said by the body. Otherwise the mesh gets the same longest side and stands
    /// where the form stood: the middle of its underside goes to the same place.
    pub(super) fn in_place_of(body: &Body, old: Bounds, new: Bounds) -> Option<Self> {
        if new.longest() <= 0.0 {
            return None;
        }
        if body.height.is_some() || body.extent.is_some() {
            return Some(Self::new(body, new));
        }
        let mut placement = Self::new(body, old);
        let turn = placement.turn();
        let underside = |b: Bounds| turn * Vec3::new(b.center().x, b.lo.y, b.center().z);
        let stood = placement.scale * underside(old) + placement.position;
        placement.scale *= old.longest() / new.longest();
        placement.position = stood - placement.scale * underside(new);
        Some(placement)
    }

    pub(super) fn turn(&self) -> Quat {
        rotation_from_degrees(self.degrees)
    }

    pub(super) fn apply(&self, mesh: &mut Mesh) {
        self.apply_to(&mut mesh.positions);
    }

    pub(super) fn apply_to(&self, positions: &mut [Vec3]) {
        let turn = self.turn();
        for p in positions {
            *p = turn * (self.scale * (*p - self.center)) + self.position;
        }
    }
}

impl Source {
    fn of(site: &Site<'_>, path: &str, body: &Body) -> Result<Self, Error> {
        if let Some(name) = &body.mesh {
            return Ok(Self::File(site.mesh(&format!("{path}.mesh"), name)?));
        }
        let at = format!("{path}.shape");
        let Some(named) = &body.shape else {
            return Err(site.error(path, "the body has no form, expected `mesh` or `shape`"));
        };
        let shape = shape::convert(named)
            .map_err(|kind| site.error(&at, &format!("a body cannot be a `{kind}`")))?;
        shape
            .validate()
            .map_err(|error| site.error(&at, &error.to_string()))?;
        Ok(Self::Shape(shape))
    }

    /// The mesh in its own coordinates and where it goes.
    fn mesh(self, site: &Site<'_>, path: &str, body: &Body) -> Result<(Mesh, Placement), Error> {
        let bounds = self.bounds();
        match self {
            Self::File(mesh) => Ok((mesh, Placement::new(body, bounds))),
            Self::Shape(shape) => {
                let scale = Placement::new(body, bounds).scale;
                let r = body
                    .particle_radius
                    .unwrap_or(bounds.longest() * scale / PARTICLES_A_SIDE);
                let edge = body.edge_length.unwrap_or(EDGE_SHARE * r) / scale;
                let mesh = mesh_shape(&shape, edge)
                    .map_err(|error| shape_error(site, path, body, &error))?;
                // The fine mesh tells the size better than the coarse one did.
                let placement = Placement::new(body, Bounds::of(&mesh));
                Ok((mesh, placement))
            }
        }
    }

    /// The box of the form in its own coordinates. A shape's own box may be too large, so it is taken from a coarse mesh.
    fn bounds(&self) -> Bounds {
        match self {
            Self::File(mesh) => Bounds::of(mesh),
            Self::Shape(shape) => {
                let (lo, hi) = shape.bounds();
                let edge = (hi - lo).max_element() / PROBE_EDGES;
                mesh_shape(shape, edge).map_or(Bounds { lo, hi }, |mesh| Bounds::of(&mesh))
            }
        }
    }
}

/// Says what is wrong with a shape's mesh at the field that decides about it.
pub(super) fn shape_error(
    site: &Site<'_>,
    path: &str,
    body: &Body,
    error: &MeshShapeError,
) -> Error {
    match error {
        MeshShapeError::TooFine {
            edge_length,
            coarser,
            ..
        } => {
            let fields = [
                ("edge_length", body.edge_length),
                ("particle_radius", body.particle_radius),
            ];
            match fields.iter().find_map(|(name, value)| Some((name, (*value)?))) {
                Some((name, value)) => site.limit(
                    &format!("{path}.{name}"),
                    &format!(
                        "`{name}` is {value}, too fine for the grid that makes the surface (at most {CELL_LIMIT} cells), expected at least {}",
                        value * coarser / edge_length
                    ),
                ),
                None => site.limit(path, &error.to_string()),
            }
        }
        _ => site.error(&format!("{path}.shape"), &error.to_string()),
    }
}
