//! Writing PLY, binary and little endian.

use std::fmt::Write;

use glam::Vec3;
use pliant::geometry::Mesh;

use super::ply_read::PART_COMMENT;
use super::write::{one_line, split_at_seams};

/// A mesh as binary PLY: normals, colours and texture coordinates per vertex (split along seams), a part number per face
/// with the parts' names as comments.
pub fn encode_ply(mesh: &Mesh) -> Vec<u8> {
    let split = split_at_seams(mesh);
    let normals = mesh.vertex_normals();
    let has_parts = !mesh.parts.is_empty();
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    // Writing to a string cannot fail, so the results are dropped.
    if has_parts {
        for name in &mesh.part_names {
            let _ = writeln!(header, "comment {PART_COMMENT} {}", one_line(name));
        }
    }
    let _ = writeln!(header, "element vertex {}", split.source.len());
    for property in ["x", "y", "z", "nx", "ny", "nz"] {
        let _ = writeln!(header, "property float {property}");
    }
    if !mesh.colors.is_empty() {
        for property in ["red", "green", "blue", "alpha"] {
            let _ = writeln!(header, "property uchar {property}");
        }
    }
    if !split.uvs.is_empty() {
        header.push_str("property float s\nproperty float t\n");
    }
    let _ = writeln!(header, "element face {}", split.triangles.len());
    header.push_str("property list uchar int vertex_indices\n");
    if has_parts {
        header.push_str("property ushort part\n");
    }
    header.push_str("end_header\n");

    let mut bytes = header.into_bytes();
    bytes.reserve(36 * split.source.len() + 15 * split.triangles.len());
    for (i, &source) in split.source.iter().enumerate() {
        let v = source as usize;
        for number in [mesh.positions[v], normals[v]]
            .iter()
            .flat_map(Vec3::to_array)
        {
            bytes.extend(number.to_le_bytes());
        }
        if let Some(color) = mesh.colors.get(v) {
            bytes.extend(color);
        }
        if let Some(uv) = split.uvs.get(i) {
            bytes.extend(uv.x.to_le_bytes());
            bytes.extend(uv.y.to_le_bytes());
        }
    }
    for (t, triangle) in split.triangles.iter().enumerate() {
        bytes.push(3);
        for v in triangle {
            bytes.extend(v.to_le_bytes());
        }
        if let Some(part) = mesh.parts.get(t) {
            bytes.extend(part.to_le_bytes());
        }
    }
    bytes
}
