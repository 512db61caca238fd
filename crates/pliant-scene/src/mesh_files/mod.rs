//! Meshes in and out: OBJ, PLY, STL, glTF and GLB.
//!
//! Files are untrusted. Nothing is allocated by a number that a file claims before the number was held against the
//! length of the file; every coordinate must be finite and every index in range; a glTF file may refer only to files of
//! its own folder or below. What is wrong is said in one line with the place where it was found.
//!
//! The readers of text and of binary lists are our own: they are short, and the crates at hand lose the line, accept
//! NaN, or allocate by the numbers of the header.
//!
//! Conventions: texture coordinates have their origin at the lower left (as in OBJ; glTF's are turned on the way), vertex
//! colours are sRGB. Formats that split vertices at texture seams (glTF, and PLY with coordinates per vertex) are welded
//! again: vertices with equal position and colour become one.

mod assemble;
mod color;
mod error;
mod glb_write;
mod gltf_read;
mod obj;
mod ply_read;
mod ply_write;
mod stl;
#[cfg(test)]
mod tests;
mod text;
mod triangulate;
mod write;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use pliant::geometry::Mesh;
use pliant::visual::PolygonMesh;

pub use error::MeshFileError;
pub use glb_write::encode_glb;
pub use obj::encode_obj;
pub use ply_write::encode_ply;
pub use write::{write_glb, write_obj, write_ply};

use error::Problem;

/// The largest mesh that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLimits {
    /// Most triangles, after polygons were split.
    pub triangles: usize,
    /// Most vertices.
    pub vertices: usize,
    /// Most bytes of a file.
    pub bytes: u64,
}

impl Default for MeshLimits {
    fn default() -> Self {
        Self {
            triangles: 2_000_000,
            vertices: 6_000_000,
            bytes: 2 << 30,
        }
    }
}

/// A kind of mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary of either byte order.
    Ply,
    /// STL, text or binary.
    Stl,
    /// glTF 2.0, as JSON or as a GLB container.
    Gltf,
}

impl MeshFormat {
    /// The format of a file by the ending of its name, whatever its case.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// The format of a file that begins with an unmistakable mark.
    fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            Some(Self::Ply)
        } else if bytes.starts_with(b"glTF") {
            Some(Self::Gltf)
        } else {
            None
        }
    }
}

/// Reads a mesh, within the default [`MeshLimits`].
pub fn read_mesh(path: &Path) -> Result<Mesh, MeshFileError> {
    read_mesh_within(path, &MeshLimits::default())
}

/// Reads a mesh. The format follows from the content where that is unmistakable, else from the name's ending.
pub fn read_mesh_within(path: &Path, limits: &MeshLimits) -> Result<Mesh, MeshFileError> {
    let (bytes, format) = read_format(path, limits)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, format, Some(folder), limits).map_err(|problem| problem.at(path))
}

/// Reads a mesh whose polygons stay polygons, within the default [`MeshLimits`]; for visual geometry, which makes a primitive of each face.
/// STL and glTF know triangles only.
pub fn read_polygons(path: &Path) -> Result<PolygonMesh, MeshFileError> {
    read_polygons_within(path, &MeshLimits::default())
}

/// Reads a mesh whose polygons stay polygons.
pub fn read_polygons_within(
    path: &Path,
    limits: &MeshLimits,
) -> Result<PolygonMesh, MeshFileError> {
    let (bytes, format) = read_format(path, limits)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse_as_polygons(&bytes, format, Some(folder), limits).map_err(|problem| problem.at(path))
}

/// Reads a mesh whose polygons stay polygons from memory, as [`parse_mesh`] does.
pub fn parse_polygons(
    bytes: &[u8],
    format: MeshFormat,
    name: &Path,
    limits: &MeshLimits,
) -> Result<PolygonMesh, MeshFileError> {
    parse_as_polygons(bytes, format, None, limits).map_err(|problem| problem.at(name))
}

/// Reads a mesh from memory. `name` stands for the file in errors; a glTF must carry its data within itself.
pub fn parse_mesh(
    bytes: &[u8],
    format: MeshFormat,
    name: &Path,
    limits: &MeshLimits,
) -> Result<Mesh, MeshFileError> {
    parse(bytes, format, None, limits).map_err(|problem| problem.at(name))
}

/// The bytes of a file, and the format that they are in.
fn read_format(path: &Path, limits: &MeshLimits) -> Result<(Vec<u8>, MeshFormat), MeshFileError> {
    let named = MeshFormat::of_path(path);
    let bytes = read_file(path, limits.bytes)?;
    match MeshFormat::of_content(&bytes).or(named) {
        Some(format) => Ok((bytes, format)),
        None => Err(MeshFileError::UnsupportedExtension {
            path: path.to_owned(),
        }),
    }
}

/// What a file holds: polygons if its format knows them.
enum Content {
    Polygons(PolygonMesh),
    Triangles(Mesh),
}

fn parse_content(
    bytes: &[u8],
    format: MeshFormat,
    folder: Option<&Path>,
    limits: &MeshLimits,
) -> Result<Content, Problem> {
    if bytes.is_empty() {
        return Err(Problem::new("the file is empty, a mesh was expected"));
    }
    Ok(match format {
        MeshFormat::Obj => Content::Polygons(obj::parse_obj(bytes, limits)?),
        MeshFormat::Ply => Content::Polygons(ply_read::parse_ply(bytes, limits)?),
        MeshFormat::Stl => Content::Triangles(stl::parse_stl(bytes, limits)?),
        MeshFormat::Gltf => Content::Triangles(gltf_read::parse_gltf(bytes, folder, limits)?),
    })
}

fn parse(
    bytes: &[u8],
    format: MeshFormat,
    folder: Option<&Path>,
    limits: &MeshLimits,
) -> Result<Mesh, Problem> {
    let mesh = match parse_content(bytes, format, folder, limits)? {
        Content::Polygons(polygons) => triangulate::triangulated(polygons),
        Content::Triangles(mesh) => mesh,
    };
    // The readers have checked all this with better places; here it is made certain.
    mesh.validate()
        .map_err(|error| Problem::new(format!("{error}, a mesh of triangles was expected")))?;
    Ok(mesh)
}

fn parse_as_polygons(
    bytes: &[u8],
    format: MeshFormat,
    folder: Option<&Path>,
    limits: &MeshLimits,
) -> Result<PolygonMesh, Problem> {
    let mesh = match parse_content(bytes, format, folder, limits)? {
        Content::Polygons(polygons) => polygons,
        Content::Triangles(mesh) => PolygonMesh::from(&mesh),
    };
    mesh.validate()
        .map_err(|error| Problem::new(format!("{error}, a mesh of polygons was expected")))?;
    Ok(mesh)
}

/// The whole of a regular file, if it is not too long.
fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, MeshFileError> {
    let failed = |source: std::io::Error| MeshFileError::from_io(path, source);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(MeshFileError::IsDirectory {
            path: path.to_owned(),
        });
    }
    if !metadata.is_file() {
        // A pipe or a device may have no end.
        return Err(Problem::new("not a regular file, a mesh file was expected").at(path));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    // One byte more than allowed tells a file that grows while it is read.
    let allowed = limit.saturating_add(1);
    if metadata.len() <= limit {
        file.take(allowed).read_to_end(&mut bytes).map_err(failed)?;
    }
    if metadata.len().max(bytes.len() as u64) > limit {
        let what = format!(
            "the file has {} bytes, the limit is {limit}",
            metadata.len()
        );
        return Err(Problem::limit(what).at(path));
    }
    Ok(bytes)
}
