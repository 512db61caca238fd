//! Files that are either whole or not there, and what the writers share.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glam::Vec2;
use pliant::geometry::Mesh;

use super::error::MeshFileError;
use super::{encode_glb, encode_obj, encode_ply};

/// Writes a mesh as OBJ.
pub fn write_obj(path: &Path, mesh: &Mesh) -> Result<(), MeshFileError> {
    write_whole(path, &encode_obj(mesh))
}

/// Writes a mesh as binary little-endian PLY.
pub fn write_ply(path: &Path, mesh: &Mesh) -> Result<(), MeshFileError> {
    write_whole(path, &encode_ply(mesh))
}

/// Writes a mesh as GLB.
pub fn write_glb(path: &Path, mesh: &Mesh) -> Result<(), MeshFileError> {
    write_whole(path, &encode_glb(mesh))
}

/// Writes under another name and renames, so that an interruption leaves the old file or none, but no half one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), MeshFileError> {
    let temporary = temporary_path(path).map_err(|e| MeshFileError::from_io(path, e))?;
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // The error that counts is the first one; a leftover that cannot be removed changes nothing about it.
        let _ = fs::remove_file(&temporary);
        MeshFileError::from_io(path, error)
    })
}

/// A name in the same folder, so that renaming does not cross file systems.
fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.part", std::process::id()));
    Ok(path.with_file_name(temporary))
}

/// A mesh whose vertices each have one texture coordinate, for formats that need it.
pub(super) struct SplitMesh {
    /// The mesh vertex behind each vertex: first all of the mesh in order, then copies for seams.
    pub(super) source: Vec<u32>,
    /// Texture coordinate of each vertex; empty if the mesh has none.
    pub(super) uvs: Vec<Vec2>,
    /// The triangles over the vertices.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Splits vertices at texture seams, and nowhere else.
pub(super) fn split_at_seams(mesh: &Mesh) -> SplitMesh {
    let count = mesh.positions.len();
    let mut split = SplitMesh {
        source: (0..count as u32).collect(),
        uvs: Vec::new(),
        triangles: mesh.triangles.clone(),
    };
    if mesh.corner_uvs.is_empty() {
        return split;
    }
    let mut first_uv: Vec<Option<Vec2>> = vec![None; count];
    let mut copies: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
    let mut copy_uvs = Vec::new();
    for (triangle, uvs) in split.triangles.iter_mut().zip(&mesh.corner_uvs) {
        for (corner, &uv) in triangle.iter_mut().zip(uvs) {
            let vertex = *corner;
            if *first_uv[vertex as usize].get_or_insert(uv) == uv {
                continue;
            }
            let key = (vertex, uv.to_array().map(f32::to_bits));
            *corner = *copies.entry(key).or_insert_with(|| {
                split.source.push(vertex);
                copy_uvs.push(uv);
                split.source.len() as u32 - 1
            });
        }
    }
    split.uvs = first_uv
        .into_iter()
        .map(Option::unwrap_or_default)
        .chain(copy_uvs)
        .collect();
    split
}

/// The name of a part on one line.
pub(super) fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ").trim().to_owned()
}
