//! Frames as mesh files.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec2;
use pliant::World;
use pliant::geometry::Mesh;
use pliant::state::Surface;

use crate::error::Error;
use crate::mesh_files::{write_glb, write_obj, write_ply};

/// A format in which frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshOutput {
    /// Wavefront OBJ.
    Obj,
    /// Binary PLY.
    Ply,
    /// Binary glTF.
    Glb,
}

impl MeshOutput {
    /// The ending of its files, which is also its name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Glb => "glb",
        }
    }

    /// The format of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Obj, Self::Ply, Self::Glb]
            .into_iter()
            .find(|format| format.ending() == name)
    }
}

/// The folder into which frames go.
pub(super) struct Frames<'a> {
    folder: &'a Path,
    formats: &'a [MeshOutput],
    /// Digits of a frame number, so that files sort.
    digits: usize,
}

impl<'a> Frames<'a> {
    /// Makes the folder.
    pub(super) fn create(
        folder: &'a Path,
        formats: &'a [MeshOutput],
        last_frame: u32,
    ) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))?;
        Ok(Self {
            folder,
            formats,
            digits: last_frame.to_string().len().max(4),
        })
    }

    /// Writes a frame of the world.
    pub(super) fn write(&self, frame: u32, world: &World) -> Result<(), Error> {
        if self.formats.is_empty() {
            return Ok(());
        }
        let mesh = merged(world);
        for format in self.formats {
            write_as(&self.path(frame, *format), *format, &mesh)?;
        }
        Ok(())
    }

    /// The first file of an earlier, longer run that would pass for a frame of this one.
    pub(super) fn leftover(&self, last_frame: u32) -> Option<PathBuf> {
        let next = last_frame.checked_add(1)?;
        let mut paths = self.formats.iter().map(|format| self.path(next, *format));
        paths.find(|path| path.exists())
    }

    fn path(&self, frame: u32, format: MeshOutput) -> PathBuf {
        let (digits, ending) = (self.digits, format.ending());
        self.folder.join(format!("frame_{frame:0digits$}.{ending}"))
    }
}

/// Writes all surfaces of a world into one file.
pub(crate) fn write_mesh(path: &Path, format: MeshOutput, world: &World) -> Result<(), Error> {
    write_as(path, format, &merged(world))
}

fn write_as(path: &Path, format: MeshOutput, mesh: &Mesh) -> Result<(), Error> {
    match format {
        MeshOutput::Obj => write_obj(path, mesh),
        MeshOutput::Ply => write_ply(path, mesh),
        MeshOutput::Glb => write_glb(path, mesh),
    }
    .map_err(|error| match error {
        // The folder was there a moment ago.
        crate::mesh_files::MeshFileError::NotFound { path } => {
            Error::io(&path, std::io::ErrorKind::NotFound.into())
        }
        other => other.into(),
    })
}

/// All surfaces as one mesh, each body a part of its own; a body's own parts keep their names after the body's.
fn merged(world: &World) -> Mesh {
    let meshes: Vec<Cow<'_, Mesh>> = world.surfaces().iter().map(Surface::mesh).collect();
    let has_uvs = meshes.iter().any(|mesh| !mesh.corner_uvs.is_empty());
    let has_colors = meshes.iter().any(|mesh| !mesh.colors.is_empty());
    // Part numbers have 16 bits; too many parts are told apart by body only, too many bodies not at all.
    let named = |mesh: &Mesh| mesh.part_names.len().max(1);
    let parts: usize = meshes.iter().map(|mesh| named(mesh)).sum();
    let keep_parts = u16::try_from(parts).is_ok();

    let mut all = Mesh::default();
    for (body, mesh) in world.bodies().iter().zip(&meshes) {
        let first = all.positions.len() as u32;
        let first_part = u16::try_from(all.part_names.len()).unwrap_or(u16::MAX);
        all.positions.extend(&mesh.positions);
        all.triangles
            .extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        if has_uvs {
            extend_or_fill(
                &mut all.corner_uvs,
                &mesh.corner_uvs,
                mesh.triangles.len(),
                [Vec2::ZERO; 3],
            );
        }
        if has_colors {
            extend_or_fill(
                &mut all.colors,
                &mesh.colors,
                mesh.positions.len(),
                [255; 4],
            );
        }
        if keep_parts && !mesh.parts.is_empty() && !mesh.part_names.is_empty() {
            let qualified = |part: &String| format!("{}.{part}", body.name);
            all.part_names.extend(mesh.part_names.iter().map(qualified));
            all.parts
                .extend(mesh.parts.iter().map(|part| part + first_part));
        } else {
            all.part_names.push(body.name.clone());
            let parts = all.parts.len() + mesh.triangles.len();
            all.parts.resize(parts, first_part);
        }
    }
    all
}

/// Appends a column, or as many times the filling if the column is empty.
fn extend_or_fill<T: Copy>(all: &mut Vec<T>, column: &[T], count: usize, filling: T) {
    if column.is_empty() {
        all.resize(all.len() + count, filling);
    } else {
        all.extend(column);
    }
}
