//! Writing GLB: glTF 2.0 in one file.

use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::repair::INNER_PART;
use serde_json::{Value, json};

use super::color::linear_of_srgb;
use super::write::split_at_seams;

// Constants of the glTF 2.0 specification.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Light that the inside gives back, against 1 of the outside: enough to see cuts and seams. It is plain, because nobody has
/// painted it; whoever wants the outside's picture there has texture coordinates of the same scale.
const INNER_LIGHT: f32 = 0.65;

/// A mesh as GLB: one node with a material of its own for each part, over shared vertex data that is split along texture seams.
pub fn encode_glb(mesh: &Mesh) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let split = split_at_seams(mesh);
    let mut nodes = Vec::new();
    let mut meshes = Vec::new();
    let mut materials = Vec::new();
    // The format has no empty accessors; a mesh without triangles becomes a file without a scene.
    if !split.triangles.is_empty() {
        let attributes = push_attributes(mesh, &split, &mut buffer);
        for (name, triangles) in parts(mesh, &split.triangles) {
            let indices = triangles.iter().flatten().copied();
            let accessor = buffer.push_indices(indices);
            meshes.push(json!({
                "name": name,
                "primitives": [{
                    "attributes": attributes,
                    "indices": accessor,
                    "material": materials.len(),
                }],
            }));
            materials.push(material(name));
            nodes.push(json!({ "name": name, "mesh": meshes.len() - 1 }));
        }
    }
    let mut root = json!({ "asset": { "version": "2.0", "generator": "Pliant" } });
    if !nodes.is_empty() {
        root["scene"] = 0.into();
        root["scenes"] = json!([{ "nodes": (0..nodes.len()).collect::<Vec<usize>>() }]);
        root["nodes"] = nodes.into();
        root["meshes"] = meshes.into();
        root["materials"] = materials.into();
        root["accessors"] = buffer.accessors.into();
        root["bufferViews"] = buffer.views.into();
        root["buffers"] = json!([{ "byteLength": buffer.bytes.len() }]);
    }
    container(&root, &buffer.bytes)
}

/// The material of a part. The format's own default is bare metal.
fn material(part: &str) -> Value {
    let is_inner = part.rsplit('.').next() == Some(INNER_PART);
    let light = if is_inner { INNER_LIGHT } else { 1.0 };
    json!({
        "name": part,
        "pbrMetallicRoughness": {
            "baseColorFactor": [light, light, light, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        },
    })
}

/// Writes the vertex data and returns the attributes of a primitive.
fn push_attributes(mesh: &Mesh, split: &super::write::SplitMesh, buffer: &mut Buffer) -> Value {
    let normals = mesh.vertex_normals();
    let sources = || split.source.iter().map(|&v| v as usize);
    // Adding zero turns −0 into 0: JSON readers may not tell them apart, and the bounds must match the data.
    let positions = || sources().map(|v| mesh.positions[v] + Vec3::ZERO);
    let start = positions().next().unwrap_or_default();
    let (lo, hi) = positions().fold((start, start), |(lo, hi), p| (lo.min(p), hi.max(p)));
    let mut attributes = json!({});
    attributes["POSITION"] = buffer.push_floats(positions().map(|p| p.to_array())).into();
    if let Some(accessor) = buffer.accessors.last_mut() {
        accessor["min"] = json!(lo.to_array());
        accessor["max"] = json!(hi.to_array());
    }
    // Normals must have unit length; a vertex without area around it has none of its own.
    let normal = |v: usize| {
        let n = normals[v];
        if n == Vec3::ZERO { Vec3::Y } else { n }
    };
    attributes["NORMAL"] = buffer
        .push_floats(sources().map(|v| normal(v).to_array()))
        .into();
    if !split.uvs.is_empty() {
        // The format's origin is at the upper left.
        let uvs = split.uvs.iter().map(|uv| [uv.x, 1.0 - uv.y]);
        attributes["TEXCOORD_0"] = buffer.push_floats(uvs).into();
    }
    if !mesh.colors.is_empty() {
        attributes["COLOR_0"] = buffer.push_colors(sources().map(|v| mesh.colors[v])).into();
    }
    attributes
}

/// The triangles of each part that has any, in the order of the parts.
fn parts<'a>(mesh: &'a Mesh, triangles: &[[u32; 3]]) -> Vec<(&'a str, Vec<[u32; 3]>)> {
    if mesh.parts.is_empty() {
        return vec![("", triangles.to_vec())];
    }
    let part_count = mesh.parts.iter().max().map_or(0, |&p| usize::from(p) + 1);
    let mut of_part: Vec<Vec<[u32; 3]>> = vec![Vec::new(); part_count];
    for (triangle, &part) in triangles.iter().zip(&mesh.parts) {
        of_part[usize::from(part)].push(*triangle);
    }
    let name = |part: usize| mesh.part_names.get(part).map_or("", String::as_str);
    of_part
        .into_iter()
        .enumerate()
        .filter(|(_, triangles)| !triangles.is_empty())
        .map(|(part, triangles)| (name(part), triangles))
        .collect()
}

/// The binary chunk, with what describes it. Everything is a multiple of four bytes, so everything is aligned.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn push_floats<const N: usize>(&mut self, rows: impl Iterator<Item = [f32; N]>) -> usize {
        let start = self.bytes.len();
        for number in rows.flatten() {
            self.bytes.extend(number.to_le_bytes());
        }
        let count = (self.bytes.len() - start) / (4 * N);
        let kind = if N == 2 { "VEC2" } else { "VEC3" };
        self.describe(start, ARRAY_BUFFER, FLOAT, kind, count)
    }

    fn push_indices(&mut self, indices: impl Iterator<Item = u32>) -> usize {
        let start = self.bytes.len();
        for index in indices {
            self.bytes.extend(index.to_le_bytes());
        }
        let count = (self.bytes.len() - start) / 4;
        self.describe(start, ELEMENT_ARRAY_BUFFER, UNSIGNED_INT, "SCALAR", count)
    }

    /// Colours in linear light with 16 bits a channel: enough for every sRGB byte to come back.
    fn push_colors(&mut self, colors: impl Iterator<Item = [u8; 4]>) -> usize {
        let start = self.bytes.len();
        let wide = |light: f32| (light * 65535.0 + 0.5) as u16;
        for [r, g, b, a] in colors {
            let [r, g, b] = [r, g, b].map(|c| wide(linear_of_srgb(c)));
            for channel in [r, g, b, u16::from(a) * 257] {
                self.bytes.extend(channel.to_le_bytes());
            }
        }
        let count = (self.bytes.len() - start) / 8;
        let accessor = self.describe(start, ARRAY_BUFFER, UNSIGNED_SHORT, "VEC4", count);
        self.accessors[accessor]["normalized"] = true.into();
        accessor
    }

    /// Adds the view and the accessor of what was written since `start`, and returns the accessor's number.
    fn describe(
        &mut self,
        start: usize,
        target: u32,
        component: u32,
        kind: &str,
        count: usize,
    ) -> usize {
        self.views.push(json!({
            "buffer": 0,
            "byteOffset": start,
            "byteLength": self.bytes.len() - start,
            "target": target,
        }));
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": component,
            "type": kind,
            "count": count,
        }));
        self.accessors.len() - 1
    }
}

/// Header, JSON chunk and binary chunk; chunks are padded to four bytes, JSON with blanks.
fn container(root: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = root.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary_chunk = if binary.is_empty() {
        0
    } else {
        8 + binary.len()
    };
    let total = 12 + 8 + json.len() + binary_chunk;
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(b"glTF");
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((total as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&json);
    if binary_chunk > 0 {
        bytes.extend((binary.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(binary);
    }
    bytes
}
