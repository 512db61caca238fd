//! Wavefront OBJ.
//!
//! Read: `v` (with colours, as many programs write them), `vt`, `f`, `o`, `g`, `usemtl`. Lines, points, curves and
//! materials' own files are passed over. Names and comments may be in any encoding.

use std::fmt::Write;

use glam::{Vec2, Vec3};
use pliant::geometry::Mesh;
use pliant::visual::PolygonMesh;

use super::MeshLimits;
use super::assemble::{FaceNames, PartTable};
use super::error::{Place, Problem};
use super::text::{Scanner, Token};
use super::write::one_line;

/// No texture coordinate at this corner.
const NO_UV: u32 = u32::MAX;

/// What has been read so far.
#[derive(Default)]
struct Obj {
    positions: Vec<Vec3>,
    /// Empty until the first coloured vertex.
    colors: Vec<[u8; 4]>,
    uvs: Vec<Vec2>,
    /// Vertex and texture coordinate of each corner of each face.
    corners: Vec<[u32; 2]>,
    /// Number of corners of each face.
    faces: Vec<u32>,
    triangle_count: usize,
    parts: PartTable,
    names: FaceNames,
    /// The number of `names`, once a face has needed it: long names are not looked up again for every face.
    part: Option<u32>,
    /// Indices that refer to something not read yet; which is unusual, but not wrong if it comes later.
    forward: Vec<Forward>,
}

struct Forward {
    kind: usize,
    index: u32,
    place: Place,
}

/// Names of what a face refers to, for messages.
const KINDS: [&str; 2] = ["vertex", "texture coordinate"];

pub(super) fn parse_obj(bytes: &[u8], limits: &MeshLimits) -> Result<PolygonMesh, Problem> {
    let mut obj = Obj::default();
    let mut scanner = Scanner::new(bytes);
    let mut words: Vec<Token> = Vec::new();
    loop {
        words.clear();
        let keyword = scanner.next_in_line();
        match keyword.map_or(&b""[..], |k| k.bytes) {
            kind @ (b"o" | b"g" | b"usemtl") => {
                let name = String::from_utf8_lossy(scanner.rest_of_line()).into_owned();
                obj.rename(kind, name);
            }
            statement @ (b"v" | b"vt" | b"f") => {
                collect_words(&mut scanner, &mut words);
                let place = keyword.map(|k| k.place).unwrap_or_default();
                match statement {
                    b"v" => obj.vertex(&words, place, limits),
                    b"vt" => obj.texture_coordinate(&words, place, limits),
                    _ => obj.face(&words, place, limits),
                }
                .map_err(|problem| problem.or_placed(place))?;
            }
            _ => {}
        }
        if !scanner.next_line() {
            break;
        }
    }
    obj.finish()
}

/// The words of a statement: of this line up to a comment, and of the next one if the line ends with a backslash.
fn collect_words<'a>(scanner: &mut Scanner<'a>, words: &mut Vec<Token<'a>>) {
    while let Some(token) = scanner.next_in_line() {
        if token.bytes.starts_with(b"#") {
            return;
        }
        if token.bytes == b"\\" {
            if !scanner.next_line() {
                return;
            }
        } else {
            words.push(token);
        }
    }
}

impl Obj {
    /// Gives the faces that follow a new object, group or material name.
    fn rename(&mut self, kind: &[u8], name: String) {
        match kind {
            b"o" => self.names.object = name,
            b"g" => self.names.group = name,
            _ => self.names.material = name,
        }
        self.part = None;
    }

    fn vertex(
        &mut self,
        words: &[Token],
        place: Place,
        limits: &MeshLimits,
    ) -> Result<(), Problem> {
        if words.len() < 3 {
            let what = format!("a vertex with {} numbers, three were expected", words.len());
            return Err(Problem::placed(place, what));
        }
        limits.check_vertices(self.positions.len() + 1)?;
        let mut numbers = [0.0; 7];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = word.number()?;
        }
        let [x, y, z, ..] = numbers;
        // x y z, x y z w, x y z r g b, x y z r g b a; a weight w belongs to curves only.
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let color = match words.len() {
            6 => Some([numbers[3], numbers[4], numbers[5], 1.0].map(byte)),
            7 => Some([numbers[3], numbers[4], numbers[5], numbers[6]].map(byte)),
            _ => None,
        };
        if color.is_some() || !self.colors.is_empty() {
            self.colors.resize(self.positions.len(), [255; 4]);
            self.colors.push(color.unwrap_or([255; 4]));
        }
        self.positions.push(Vec3::new(x, y, z));
        Ok(())
    }

    fn texture_coordinate(
        &mut self,
        words: &[Token],
        place: Place,
        limits: &MeshLimits,
    ) -> Result<(), Problem> {
        let [u, rest @ ..] = words else {
            return Err(Problem::placed(
                place,
                "a texture coordinate without numbers, two were expected",
            ));
        };
        // Seams need more coordinates than vertices, but never more than corners.
        limits.check_triangles(self.uvs.len() / 3)?;
        let v = rest.first().map_or(Ok(0.0), Token::number)?;
        self.uvs.push(Vec2::new(u.number()?, v));
        Ok(())
    }

    fn face(&mut self, words: &[Token], place: Place, limits: &MeshLimits) -> Result<(), Problem> {
        if words.len() < 3 {
            let what = format!(
                "a face with {} corners, at least three were expected",
                words.len()
            );
            return Err(Problem::placed(place, what));
        }
        self.triangle_count += words.len() - 2;
        limits.check_triangles(self.triangle_count)?;
        for word in words {
            let corner = self.corner(*word)?;
            self.corners.push(corner);
        }
        let part = match self.part {
            Some(part) => part,
            None => self.parts.number(&self.names),
        };
        self.part = Some(part);
        self.parts.push(part);
        self.faces.push(words.len() as u32);
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: Token) -> Result<[u32; 2], Problem> {
        let mut fields = word.bytes.split(|&b| b == b'/');
        let mut offset = 0;
        let mut corner = [0, NO_UV];
        for kind in 0..2 {
            let Some(field) = fields.next() else { break };
            if !field.is_empty() || kind == 0 {
                let place = Place {
                    column: word.place.column + offset,
                    ..word.place
                };
                let token = Token {
                    bytes: field,
                    place,
                };
                corner[kind] = self.resolve(token, kind)?;
            }
            offset += field.len() + 1;
        }
        Ok(corner)
    }

    /// An index counted from 1, or backwards from −1, as an index from 0.
    fn resolve(&mut self, token: Token, kind: usize) -> Result<u32, Problem> {
        let count = [self.positions.len(), self.uvs.len()][kind] as i64;
        let given = token.integer()?;
        let index = if given < 0 { count + given } else { given - 1 };
        if given == 0 || index < 0 || index >= i64::from(NO_UV) {
            let what = format!(
                "the face refers to {} {given}, indices from 1 (or from -1 backwards) to {count} were expected",
                KINDS[kind]
            );
            return Err(token.problem(what));
        }
        if index >= count {
            self.forward.push(Forward {
                kind,
                index: index as u32,
                place: token.place,
            });
        }
        Ok(index as u32)
    }

    fn finish(self) -> Result<PolygonMesh, Problem> {
        let counts = [self.positions.len(), self.uvs.len()];
        for Forward { kind, index, place } in self.forward {
            if index as usize >= counts[kind] {
                let what = format!(
                    "the face refers to {} {}, but there are only {}",
                    KINDS[kind],
                    u64::from(index) + 1,
                    counts[kind]
                );
                return Err(Problem::placed(place, what));
            }
        }
        let has_uvs = self.corners.iter().any(|corner| corner[1] != NO_UV);
        let mut mesh = PolygonMesh {
            positions: self.positions,
            colors: self.colors,
            ..PolygonMesh::default()
        };
        let mut vertices = self.corners.iter().map(|corner| corner[0]);
        for corner_count in self.faces {
            mesh.faces
                .push(vertices.by_ref().take(corner_count as usize));
        }
        if has_uvs {
            let uv = |corner: &[u32; 2]| self.uvs.get(corner[1] as usize).copied();
            let uvs = self
                .corners
                .iter()
                .map(|corner| uv(corner).unwrap_or_default());
            mesh.corner_uvs = uvs.collect();
        }
        (mesh.parts, mesh.part_names) = self.parts.finish()?;
        Ok(mesh)
    }
}

/// A mesh as OBJ text: parts as groups, vertex colours behind the coordinates. Alpha is left out, as readers stumble on it.
pub fn encode_obj(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::with_capacity(64 * mesh.positions.len() + 32 * mesh.triangles.len());
    // Writing to a string cannot fail, so the results are dropped.
    for (v, p) in mesh.positions.iter().enumerate() {
        let _ = write!(text, "v {} {} {}", p.x, p.y, p.z);
        if let Some(color) = mesh.colors.get(v) {
            let [r, g, b, _] = color.map(|c| f32::from(c) / 255.0);
            let _ = write!(text, " {r} {g} {b}");
        }
        text.push('\n');
    }
    let mut uv_numbers = UvNumbers::default();
    let uv_corners: Vec<[u32; 3]> = mesh
        .corner_uvs
        .iter()
        .map(|uvs| uvs.map(|uv| uv_numbers.number(uv, &mut text)))
        .collect();
    let mut current = None;
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let part = mesh.parts.get(t).copied();
        if part != current {
            current = part;
            let name = part.and_then(|p| mesh.part_names.get(usize::from(p)));
            let _ = writeln!(text, "g {}", name.map(|n| one_line(n)).unwrap_or_default());
        }
        text.push('f');
        for (i, v) in triangle.iter().enumerate() {
            let _ = write!(text, " {}", v + 1);
            if let Some(uvs) = uv_corners.get(t) {
                let _ = write!(text, "/{}", uvs[i]);
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Writes each texture coordinate once.
#[derive(Default)]
struct UvNumbers {
    known: std::collections::HashMap<[u32; 2], u32>,
}

impl UvNumbers {
    fn number(&mut self, uv: Vec2, text: &mut String) -> u32 {
        let next = self.known.len() as u32 + 1;
        *self
            .known
            .entry(uv.to_array().map(f32::to_bits))
            .or_insert_with(|| {
                let _ = writeln!(text, "vt {} {}", uv.x, uv.y);
                next
            })
    }
}
