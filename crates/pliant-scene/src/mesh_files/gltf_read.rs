//! Reading glTF 2.0 and GLB.
//!
//! The JSON is read by `gltf-json`; buffers and accessors are resolved here, because the crates' own import reads files
//! outside the folder and hides accessors that run over their buffer. All meshes of the scene are joined, their nodes'
//! transforms applied; animations, skins and morph targets are passed over.

use std::collections::HashMap;
use std::path::{Component, Path};

use glam::{DMat4, DQuat, DVec3, Vec2, Vec3};
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Index, Root};
use pliant::geometry::Mesh;

use super::MeshLimits;
use super::assemble::{FaceNames, PartTable, Welder};
use super::color::srgb_of_linear;
use super::error::{Place, Problem};

/// Extensions without which the triangles cannot be found.
const UNREADABLE: [&str; 3] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "EXT_mesh_gpu_instancing",
];

/// Reads a glTF or GLB; `folder` is where the files it names are looked for, `None` if it must not name any.
pub(super) fn parse_gltf(
    bytes: &[u8],
    folder: Option<&Path>,
    limits: &MeshLimits,
) -> Result<Mesh, Problem> {
    let is_container = bytes.starts_with(b"glTF");
    let (json, binary) = if is_container {
        split_container(bytes)?
    } else {
        (bytes, None)
    };
    let root = Root::from_slice(json).map_err(|error| {
        let place = Place {
            line: error.line(),
            column: error.column(),
        };
        // The library's message repeats the place, which is said in front already.
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default();
        let what = format!("not a sound glTF document: {what}");
        if is_container {
            Problem::new(what)
        } else {
            Problem::placed(place, what)
        }
    })?;
    if let Some(name) = root
        .extensions_required
        .iter()
        .find(|name| UNREADABLE.contains(&name.as_str()))
    {
        return Err(Problem::new(format!(
            "the file requires the extension {name}, which is not supported; export it without compression"
        )));
    }
    let buffers = load_buffers(&root, binary, folder, limits)?;
    let mut reader = Reader {
        root: &root,
        buffers: &buffers,
        limits,
        welder: Welder::default(),
        mesh: Mesh::default(),
        parts: PartTable::default(),
        has_uvs: false,
        has_colors: false,
    };
    reader.read_scene()?;
    reader.finish()
}

/// The JSON and the binary chunk of a GLB.
fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Problem> {
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let truncated = || Problem::new("the GLB file is cut off");
    let version = word(4).ok_or_else(truncated)?;
    if version != 2 {
        return Err(Problem::new(format!(
            "GLB version {version}, version 2 was expected"
        )));
    }
    let length = word(8).ok_or_else(truncated)? as usize;
    if length > bytes.len() {
        return Err(Problem::new(format!(
            "the GLB file is cut off: its header declares {length} bytes, it has {}",
            bytes.len()
        )));
    }
    let chunk = |at: usize, kind: &[u8; 4]| {
        let end = at.checked_add(8)?.checked_add(word(at)? as usize)?;
        let is_kind = bytes.get(at + 4..at + 8)? == kind;
        let body = bytes.get(at + 8..end)?;
        is_kind.then_some((body, end))
    };
    let (json, end) = chunk(12, b"JSON")
        .ok_or_else(|| Problem::new("the GLB file has no whole JSON chunk at its start"))?;
    let binary = chunk(end, b"BIN\0").map(|(body, _)| body);
    if binary.is_none() && end + 8 <= length && bytes.get(end + 4..end + 8) == Some(b"BIN\0") {
        return Err(truncated());
    }
    Ok((json, binary))
}

/// The bytes of all buffers.
fn load_buffers(
    root: &Root,
    binary: Option<&[u8]>,
    folder: Option<&Path>,
    limits: &MeshLimits,
) -> Result<Vec<Vec<u8>>, Problem> {
    let mut allowed = limits.bytes;
    let mut buffers = Vec::new();
    for (number, buffer) in root.buffers.iter().enumerate() {
        let bytes = match (&buffer.uri, binary) {
            (Some(uri), _) => load_uri(uri, number, folder, allowed)?,
            (None, Some(binary)) if number == 0 => binary.to_vec(),
            (None, _) => {
                return Err(Problem::new(format!(
                    "buffer {number} has neither a uri nor a binary chunk"
                )));
            }
        };
        if (bytes.len() as u64) < buffer.byte_length.0 {
            return Err(Problem::new(format!(
                "buffer {number} declares {} bytes but has {}",
                buffer.byte_length.0,
                bytes.len()
            )));
        }
        // Many buffers may name one file: what counts is the sum.
        allowed = allowed.checked_sub(bytes.len() as u64).ok_or_else(|| {
            let what = format!(
                "the buffers have more than {} bytes, the limit",
                limits.bytes
            );
            Problem::limit(what)
        })?;
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// The bytes behind a buffer's uri: encoded in it, or a file in the folder or below.
fn load_uri(
    uri: &str,
    number: usize,
    folder: Option<&Path>,
    allowed: u64,
) -> Result<Vec<u8>, Problem> {
    let problem = |what: &str| Problem::new(format!("buffer {number}: {what}"));
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, payload) = data
            .split_once(',')
            .ok_or_else(|| problem("a data uri without a comma"))?;
        if !kind.ends_with(";base64") {
            return Err(problem("a data uri that is not base64"));
        }
        return decode_base64(payload.as_bytes())
            .ok_or_else(|| problem("a data uri that is not sound base64"));
    }
    let refused = || {
        let what = format!(
            "uri '{}' is not a file in the folder of the glTF or below, which was expected",
            super::text::shown(uri.as_bytes())
        );
        problem(&what)
    };
    let name = decode_percent(uri).ok_or_else(refused)?;
    let path = Path::new(&name);
    let is_plain = path.components().all(|c| matches!(c, Component::Normal(_)));
    // A colon is a scheme or a drive, a backslash a separator elsewhere.
    if name.is_empty() || !is_plain || name.contains([':', '\\', '\0']) {
        return Err(refused());
    }
    let folder = folder.ok_or_else(|| problem("refers to a file, but only memory was given"))?;
    super::read_file(&folder.join(path), allowed).map_err(|error| problem(&error.to_string()))
}

/// Turns `%20` into what it stands for; `None` if that is not UTF-8.
fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Base64 with the standard alphabet, padded or not; `None` if it has any other character.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut bit_count) = (0u32, 0);
    for &character in text.trim_ascii_end() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count) as u8);
        }
    }
    Some(bytes)
}

/// An accessor that was held against its buffer: reading it cannot fail.
struct View<'a> {
    number: usize,
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    width: usize,
    component: ComponentType,
    normalized: bool,
}

impl View<'_> {
    /// The component `k` of row `i`, both in range.
    fn value(&self, i: usize, k: usize) -> f32 {
        let start = i * self.stride + k * self.component.size();
        let mut raw = [0; 4];
        for (to, from) in raw.iter_mut().zip(&self.bytes[start..]) {
            *to = *from;
        }
        let [a, b, ..] = raw;
        let (value, most) = match self.component {
            ComponentType::I8 => (f32::from(i8::from_le_bytes([a])), 127.0),
            ComponentType::U8 => (f32::from(a), 255.0),
            ComponentType::I16 => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
            ComponentType::U16 => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
            ComponentType::U32 => return u32::from_le_bytes(raw) as f32,
            ComponentType::F32 => return f32::from_le_bytes(raw),
        };
        if self.normalized {
            (value / most).max(-1.0)
        } else {
            value
        }
    }

    fn index(&self, i: usize) -> usize {
        let start = i * self.stride;
        let mut raw = [0; 4];
        let size = self.component.size();
        raw[..size].copy_from_slice(&self.bytes[start..start + size]);
        u32::from_le_bytes(raw) as usize
    }

    fn vec3(&self, i: usize) -> Vec3 {
        Vec3::new(self.value(i, 0), self.value(i, 1), self.value(i, 2))
    }
}

/// The attributes of a primitive.
struct Attributes<'a> {
    positions: View<'a>,
    uvs: Option<View<'a>>,
    colors: Option<View<'a>>,
}

struct Reader<'a> {
    root: &'a Root,
    buffers: &'a [Vec<u8>],
    limits: &'a MeshLimits,
    welder: Welder,
    mesh: Mesh,
    parts: PartTable,
    has_uvs: bool,
    has_colors: bool,
}

impl<'a> Reader<'a> {
    /// Goes through the nodes of the default scene, or of the first, or through all nodes that are no one's child.
    fn read_scene(&mut self) -> Result<(), Problem> {
        let node_count = self.root.nodes.len();
        let scene = self
            .root
            .scene
            .and_then(|index| self.root.get(index))
            .or(self.root.scenes.first());
        let roots: Vec<usize> = if let Some(scene) = scene {
            scene.nodes.iter().map(Index::value).collect()
        } else {
            let mut is_child = vec![false; node_count];
            for child in self
                .root
                .nodes
                .iter()
                .flat_map(|n| n.children.iter().flatten())
            {
                if let Some(flag) = is_child.get_mut(child.value()) {
                    *flag = true;
                }
            }
            (0..node_count).filter(|&n| !is_child[n]).collect()
        };
        let mut visited = vec![false; node_count];
        let mut stack: Vec<(usize, DMat4)> = roots
            .into_iter()
            .rev()
            .map(|n| (n, DMat4::IDENTITY))
            .collect();
        while let Some((number, parent)) = stack.pop() {
            let Some(node) = self.root.nodes.get(number) else {
                return Err(Problem::new(format!(
                    "the scene refers to node {number}, but there are only {node_count}"
                )));
            };
            if std::mem::replace(&mut visited[number], true) {
                return Err(Problem::new(format!(
                    "node {number} has two parents or is its own ancestor, a tree was expected"
                )));
            }
            let transform = parent * local_transform(node);
            if let Some(mesh) = node.mesh {
                self.read_mesh(mesh, node.name.as_deref(), number, transform)?;
            }
            let children = node.children.iter().flatten().rev();
            stack.extend(children.map(|child| (child.value(), transform)));
        }
        Ok(())
    }

    fn read_mesh(
        &mut self,
        index: Index<gltf_json::Mesh>,
        node_name: Option<&str>,
        node: usize,
        transform: DMat4,
    ) -> Result<(), Problem> {
        let Some(mesh) = self.root.get(index) else {
            return Err(Problem::new(format!(
                "node {node} refers to mesh {}, but there are only {}",
                index.value(),
                self.root.meshes.len()
            )));
        };
        let object = node_name.or(mesh.name.as_deref()).unwrap_or_default();
        for primitive in &mesh.primitives {
            let material = primitive.material.and_then(|m| self.root.get(m));
            let names = FaceNames {
                object: object.to_owned(),
                group: String::new(),
                material: material.and_then(|m| m.name.clone()).unwrap_or_default(),
            };
            let place = format!("mesh {} of node {node}", index.value());
            self.read_primitive(primitive, &names, transform, &place)?;
        }
        Ok(())
    }

    fn read_primitive(
        &mut self,
        primitive: &Primitive,
        names: &FaceNames,
        transform: DMat4,
        place: &str,
    ) -> Result<(), Problem> {
        let Checked::Valid(mode) = primitive.mode else {
            return Err(Problem::new(format!("{place} has an unknown mode")));
        };
        if !matches!(
            mode,
            Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan
        ) {
            return Ok(());
        }
        let attributes = self.attributes(primitive, place)?;
        let indices = primitive
            .indices
            .map(|index| self.index_view(index))
            .transpose()?;
        let corner_count = indices
            .as_ref()
            .map_or(attributes.positions.count, |i| i.count);
        let triangle_count = match mode {
            Mode::Triangles => corner_count / 3,
            _ => corner_count.saturating_sub(2),
        };
        if mode == Mode::Triangles && corner_count % 3 != 0 {
            return Err(Problem::new(format!(
                "{place} has {corner_count} corners, a multiple of three was expected"
            )));
        }
        self.limits
            .check_triangles(self.mesh.triangles.len() + triangle_count)?;
        let part = self.parts.number(names);
        // A mirroring transform turns triangles inside out; they are turned back.
        let mirrored = transform.determinant() < 0.0;
        let mut known: HashMap<usize, u32> = HashMap::new();
        for t in 0..triangle_count {
            let mut corners = match mode {
                Mode::TriangleStrip => [t, t + 1 + t % 2, t + 2 - t % 2],
                Mode::TriangleFan => [t + 1, t + 2, 0],
                _ => [3 * t, 3 * t + 1, 3 * t + 2],
            };
            if mirrored {
                corners.swap(1, 2);
            }
            let corners = corners.map(|c| indices.as_ref().map_or(c, |i| i.index(c)));
            let [a, b, c] = corners;
            // Strips repeat corners on purpose where they jump.
            if mode == Mode::TriangleStrip && (a == b || b == c || c == a) {
                continue;
            }
            let mut triangle = [0; 3];
            for (vertex, &corner) in triangle.iter_mut().zip(&corners) {
                *vertex = match known.get(&corner) {
                    Some(&vertex) => vertex,
                    None => self.vertex(&attributes, corner, transform, place)?,
                };
                known.insert(corner, *vertex);
            }
            self.mesh.triangles.push(triangle);
            let uv = |corner: usize| {
                let view = attributes.uvs.as_ref().filter(|view| corner < view.count);
                let uv =
                    view.map(|view| Vec2::new(view.value(corner, 0), 1.0 - view.value(corner, 1)));
                uv.filter(|uv| uv.is_finite()).unwrap_or_default()
            };
            self.mesh.corner_uvs.push(corners.map(uv));
            self.parts.push(part);
        }
        self.has_uvs |= attributes.uvs.is_some();
        self.has_colors |= attributes.colors.is_some();
        Ok(())
    }

    /// The number of the vertex of a corner in the joined mesh.
    fn vertex(
        &mut self,
        attributes: &Attributes,
        corner: usize,
        transform: DMat4,
        place: &str,
    ) -> Result<u32, Problem> {
        let Attributes {
            positions, colors, ..
        } = attributes;
        if corner >= positions.count {
            return Err(Problem::new(format!(
                "{place} refers to vertex {corner}, but accessor {} has only {}",
                positions.number, positions.count
            )));
        }
        let position = transform
            .transform_point3(positions.vec3(corner).as_dvec3())
            .as_vec3();
        if !position.is_finite() {
            return Err(Problem::new(format!(
                "vertex {corner} of {place} has a coordinate that is not a finite number"
            )));
        }
        let color = colors.as_ref().filter(|view| corner < view.count);
        let color = color.map_or([255; 4], |view| {
            let channel = |k: usize| srgb_of_linear(view.value(corner, k));
            let alpha = if view.width > 3 {
                view.value(corner, 3)
            } else {
                1.0
            };
            let alpha = (alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
            [channel(0), channel(1), channel(2), alpha]
        });
        let vertex = self.welder.vertex(position, color);
        self.limits.check_vertices(self.welder.positions.len())?;
        Ok(vertex)
    }

    fn attributes(&self, primitive: &Primitive, place: &str) -> Result<Attributes<'a>, Problem> {
        let find = |semantic: Semantic, widths: &[usize]| {
            let index = primitive.attributes.get(&Checked::Valid(semantic));
            index
                .map(|&index| {
                    let view = self.view(index)?;
                    if widths.contains(&view.width) {
                        return Ok(view);
                    }
                    Err(Problem::new(format!(
                        "accessor {} has rows of {} numbers, {widths:?} were expected",
                        view.number, view.width
                    )))
                })
                .transpose()
        };
        let positions = find(Semantic::Positions, &[3])?;
        Ok(Attributes {
            positions: positions
                .ok_or_else(|| Problem::new(format!("{place} has no POSITION attribute")))?,
            uvs: find(Semantic::TexCoords(0), &[2])?,
            colors: find(Semantic::Colors(0), &[3, 4])?,
        })
    }

    fn index_view(&self, index: Index<gltf_json::Accessor>) -> Result<View<'a>, Problem> {
        let view = self.view(index)?;
        let whole = matches!(
            view.component,
            ComponentType::U8 | ComponentType::U16 | ComponentType::U32
        );
        if view.width == 1 && whole {
            return Ok(view);
        }
        Err(Problem::new(format!(
            "accessor {} holds indices, unsigned whole numbers were expected",
            view.number
        )))
    }

    /// Holds an accessor against its view and buffer.
    fn view(&self, index: Index<gltf_json::Accessor>) -> Result<View<'a>, Problem> {
        let number = index.value();
        let problem = |what: &str| Problem::new(format!("accessor {number} {what}"));
        let accessor = self
            .root
            .get(index)
            .ok_or_else(|| problem("does not exist"))?;
        let (Checked::Valid(component), Checked::Valid(kind)) =
            (accessor.component_type, accessor.type_)
        else {
            return Err(problem("has an unknown type"));
        };
        let component = component.0;
        let width = match kind {
            Type::Scalar => 1,
            Type::Vec2 => 2,
            Type::Vec3 => 3,
            Type::Vec4 => 4,
            Type::Mat2 | Type::Mat3 | Type::Mat4 => {
                return Err(problem("holds matrices, numbers or vectors were expected"));
            }
        };
        if accessor.sparse.is_some() {
            return Err(problem("is sparse, which is not supported"));
        }
        let view = accessor
            .buffer_view
            .ok_or_else(|| problem("has no buffer view"))?;
        let view = self
            .root
            .get(view)
            .ok_or_else(|| problem("refers to a buffer view that does not exist"))?;
        let buffer = self
            .buffers
            .get(view.buffer.value())
            .ok_or_else(|| problem("refers to a buffer that does not exist"))?;
        let start = view.byte_offset.unwrap_or_default().0;
        let viewed = start
            .checked_add(view.byte_length.0)
            .and_then(|end| buffer.get(start as usize..usize::try_from(end).ok()?))
            .ok_or_else(|| problem("has a buffer view that runs over its buffer"))?;
        let row = (component.size() * width) as u64;
        let stride = view.byte_stride.as_ref().map_or(row, |s| s.0 as u64);
        let offset = accessor.byte_offset.unwrap_or_default().0;
        let count = accessor.count.0;
        let end = count
            .checked_sub(1)
            .and_then(|last| last.checked_mul(stride))
            .and_then(|size| size.checked_add(row)?.checked_add(offset));
        let fits = count == 0 || end.is_some_and(|end| end <= viewed.len() as u64);
        if !fits || stride < row {
            return Err(problem(&format!(
                "has {count} rows, more than its buffer view of {} bytes holds",
                viewed.len()
            )));
        }
        Ok(View {
            number,
            bytes: viewed.get(offset as usize..).unwrap_or_default(),
            stride: stride as usize,
            count: count as usize,
            width,
            component,
            normalized: accessor.normalized,
        })
    }

    fn finish(self) -> Result<Mesh, Problem> {
        let mut mesh = self.mesh;
        mesh.positions = self.welder.positions;
        if self.has_colors {
            mesh.colors = self.welder.colors;
        }
        if !self.has_uvs {
            mesh.corner_uvs = Vec::new();
        }
        (mesh.parts, mesh.part_names) = self.parts.finish()?;
        Ok(mesh)
    }
}

/// A node's own transform, a matrix or its three factors.
fn local_transform(node: &gltf_json::Node) -> DMat4 {
    if let Some(matrix) = node.matrix {
        return DMat4::from_cols_array(&matrix.map(f64::from));
    }
    let vector = |v: Option<[f32; 3]>, default: f32| {
        DVec3::from_array(v.unwrap_or([default; 3]).map(f64::from))
    };
    let rotation = node
        .rotation
        .map_or(DQuat::IDENTITY, |q| DQuat::from_array(q.0.map(f64::from)));
    // A zero quaternion turns into no rotation instead of NaN.
    let rotation = if rotation.length_squared() > 0.0 {
        rotation.normalize()
    } else {
        DQuat::IDENTITY
    };
    DMat4::from_scale_rotation_translation(
        vector(node.scale, 1.0),
        rotation,
        vector(node.translation, 0.0),
    )
}
