//! Reading PLY: a header that describes the columns, then text or binary rows.

use glam::{Vec2, Vec3};
use pliant::visual::PolygonMesh;

use super::MeshLimits;
use super::assemble::{FaceNames, PartTable, weld};
use super::error::Problem;
use super::text::{Scanner, Token, shown};

/// Comments that name the parts begin with this word; the face property `part` counts them.
pub(super) const PART_COMMENT: &str = "part";

/// The most properties of an element that are taken for serious.
const MOST_PROPERTIES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value that stands for full brightness in a colour.
    fn brightest(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::I32 => f64::from(i32::MAX),
            Self::U32 => f64::from(u32::MAX),
            Self::F32 | Self::F64 => 1.0,
        }
    }

    /// The value of exactly [`Scalar::size`] bytes.
    fn decode(self, bytes: &[u8], encoding: Encoding) -> f64 {
        let mut le = [0; 8];
        for (to, from) in le.iter_mut().zip(bytes) {
            *to = *from;
        }
        if encoding == Encoding::BigEndian {
            le[..self.size()].reverse();
        }
        let [a, b, c, d, ..] = le;
        match self {
            Self::I8 => f64::from(i8::from_le_bytes([a])),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(le),
        }
    }
}

#[derive(Debug)]
struct Property {
    name: Vec<u8>,
    scalar: Scalar,
    /// The type of the length, for lists.
    length: Option<Scalar>,
}

#[derive(Debug)]
struct Element {
    name: Vec<u8>,
    count: usize,
    properties: Vec<Property>,
}

#[derive(Debug)]
struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    part_names: Vec<String>,
}

pub(super) fn parse_ply(bytes: &[u8], limits: &MeshLimits) -> Result<PolygonMesh, Problem> {
    let mut scanner = Scanner::new(bytes);
    let header = parse_header(&mut scanner)?;
    let mut rows = Rows {
        scanner,
        encoding: header.encoding,
        binary_at: 0,
    };
    let mut builder = Builder::default();
    for element in &header.elements {
        rows.check_count(element)?;
        match element.name.as_slice() {
            b"vertex" => limits.check_vertices(builder.mesh.positions.len() + element.count)?,
            b"face" => limits.check_triangles(element.count)?,
            _ => {}
        }
        if element.properties.is_empty() {
            continue;
        }
        let mut row = Row::new(element);
        for number in 0..element.count {
            rows.read(element, &mut row, number)?;
            match element.name.as_slice() {
                b"vertex" => builder.vertex(&row, number)?,
                b"face" => builder.face(&row, number, limits)?,
                _ => {}
            }
        }
    }
    builder.finish(&header.part_names)
}

fn parse_header(scanner: &mut Scanner) -> Result<Header, Problem> {
    let first = scanner.next_token();
    if first.is_none_or(|token| token.bytes != b"ply") {
        return Err(Problem::placed(
            scanner.place(),
            "not a PLY file, 'ply' was expected at its start",
        ));
    }
    let mut header = Header {
        encoding: Encoding::Text,
        elements: Vec::new(),
        part_names: Vec::new(),
    };
    let mut has_format = false;
    loop {
        if !scanner.next_line() {
            return Err(Problem::placed(
                scanner.place(),
                "the file ends within its header, 'end_header' was expected",
            ));
        }
        let Some(keyword) = scanner.next_in_line() else {
            continue;
        };
        match keyword.bytes {
            b"format" => {
                header.encoding = parse_format(scanner, keyword)?;
                has_format = true;
            }
            b"comment" => {
                let comment = String::from_utf8_lossy(scanner.rest_of_line());
                let name = comment.strip_prefix(PART_COMMENT);
                // A part without a name leaves nothing, not even the blank.
                if let Some(name) = name.filter(|n| n.is_empty() || n.starts_with(' ')) {
                    header.part_names.push(name.trim_start().to_owned());
                }
            }
            b"obj_info" => {}
            b"element" => header.elements.push(parse_element(scanner, keyword)?),
            b"property" => {
                let Some(element) = header.elements.last_mut() else {
                    return Err(keyword.problem("a property before the first element"));
                };
                if element.properties.len() >= MOST_PROPERTIES {
                    return Err(keyword.problem("more than 1000 properties in one element"));
                }
                element.properties.push(parse_property(scanner, keyword)?);
            }
            b"end_header" => break,
            _ => {
                return Err(keyword.problem(format!(
                    "'{}' in the header, 'element', 'property' or 'end_header' was expected",
                    keyword.shown()
                )));
            }
        }
    }
    if !has_format {
        return Err(Problem::placed(
            scanner.place(),
            "the header has no 'format' line",
        ));
    }
    scanner.next_line();
    Ok(header)
}

fn word<'a>(
    scanner: &mut Scanner<'a>,
    keyword: Token,
    expected: &str,
) -> Result<Token<'a>, Problem> {
    scanner.next_in_line().ok_or_else(|| {
        keyword.problem(format!(
            "'{}' is not followed by {expected}",
            keyword.shown()
        ))
    })
}

fn parse_format(scanner: &mut Scanner, keyword: Token) -> Result<Encoding, Problem> {
    let format = word(scanner, keyword, "a format")?;
    match format.bytes {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(format.problem(format!(
            "format '{}', ascii, binary_little_endian or binary_big_endian was expected",
            format.shown()
        ))),
    }
}

fn parse_element(scanner: &mut Scanner, keyword: Token) -> Result<Element, Problem> {
    let name = word(scanner, keyword, "a name and a count")?.bytes.to_vec();
    let count = word(scanner, keyword, "a name and a count")?;
    let number = usize::try_from(count.integer()?)
        .map_err(|_| count.problem(format!("a count of {}", count.shown())))?;
    Ok(Element {
        name,
        count: number,
        properties: Vec::new(),
    })
}

fn parse_property(scanner: &mut Scanner, keyword: Token) -> Result<Property, Problem> {
    let expected = "a type and a name";
    let scalar = |token: Token| {
        Scalar::of_name(token.bytes).ok_or_else(|| {
            token.problem(format!(
                "'{}' where a type such as float or uchar was expected",
                token.shown()
            ))
        })
    };
    let first = word(scanner, keyword, expected)?;
    let length = if first.bytes == b"list" {
        let token = word(scanner, keyword, expected)?;
        let length = scalar(token)?;
        if matches!(length, Scalar::F32 | Scalar::F64) {
            return Err(token.problem("the length of a list cannot be a float"));
        }
        Some(length)
    } else {
        None
    };
    let value = match length {
        Some(_) => scalar(word(scanner, keyword, expected)?)?,
        None => scalar(first)?,
    };
    let name = word(scanner, keyword, expected)?.bytes.to_vec();
    Ok(Property {
        name,
        scalar: value,
        length,
    })
}

/// The rows after the header.
struct Rows<'a> {
    scanner: Scanner<'a>,
    encoding: Encoding,
    /// Bytes of a binary body that have been read.
    binary_at: usize,
}

/// The values of one row, reused for all rows of an element.
struct Row<'a> {
    element: &'a Element,
    /// Values of all properties one after the other.
    values: Vec<f64>,
    /// Where each property's values end.
    ends: Vec<usize>,
}

impl<'a> Row<'a> {
    fn new(element: &'a Element) -> Self {
        Self {
            element,
            values: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The values of the first property that has one of the names.
    fn list(&self, names: &[&str]) -> Option<&[f64]> {
        let index = self.column(names)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.values[start..self.ends[index]])
    }

    fn scalar(&self, names: &[&str]) -> Option<f64> {
        self.list(names)?.first().copied()
    }

    fn column(&self, names: &[&str]) -> Option<usize> {
        let is_named = |p: &Property| names.iter().any(|n| n.as_bytes() == p.name);
        self.element.properties.iter().position(is_named)
    }

    /// A colour channel as a byte.
    fn channel(&self, names: &[&str]) -> Option<u8> {
        let index = self.column(names)?;
        let brightest = self.element.properties[index].scalar.brightest();
        let value = self.scalar(names)? / brightest;
        Some((value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
    }
}

impl Rows<'_> {
    /// Refuses a count of rows that the rest of the file cannot hold.
    fn check_count(&self, element: &Element) -> Result<(), Problem> {
        let binary_size = |p: &Property| p.length.unwrap_or(p.scalar).size();
        let (row_size, left) = if self.encoding == Encoding::Text {
            // A digit and a blank each, but for the last digit of the file.
            (2 * element.properties.len(), self.scanner.rest().len() + 1)
        } else {
            let size = element.properties.iter().map(binary_size).sum();
            (size, self.scanner.rest().len() - self.binary_at)
        };
        if (element.count as u128) * (row_size as u128) <= left as u128 {
            return Ok(());
        }
        Err(Problem::new(format!(
            "the header declares {} rows of '{}', but the file is too short for them",
            element.count,
            shown(&element.name)
        )))
    }

    fn read(&mut self, element: &Element, row: &mut Row, number: usize) -> Result<(), Problem> {
        row.values.clear();
        row.ends.clear();
        for property in &element.properties {
            let count = match property.length {
                None => 1,
                Some(length) => {
                    let count = self.value(length, element, number)?;
                    // Each value takes a byte at least, in either encoding.
                    if count < 0.0 || count > self.scanner.rest().len() as f64 {
                        return Err(Problem::new(format!(
                            "row {number} of '{}' has a list of {count} values, more than the file can hold",
                            shown(&element.name)
                        )));
                    }
                    count as usize
                }
            };
            for _ in 0..count {
                let value = self.value(property.scalar, element, number)?;
                row.values.push(value);
            }
            row.ends.push(row.values.len());
        }
        Ok(())
    }

    /// The next value, of the given type.
    fn value(&mut self, scalar: Scalar, element: &Element, number: usize) -> Result<f64, Problem> {
        let ended = |place| {
            let name = shown(&element.name);
            Problem::placed(place, format!("the file ends in row {number} of '{name}'"))
        };
        if self.encoding == Encoding::Text {
            let Some(token) = self.scanner.next_token() else {
                return Err(ended(self.scanner.place()));
            };
            let value = std::str::from_utf8(token.bytes)
                .ok()
                .and_then(|word| word.parse::<f64>().ok());
            return value.ok_or_else(|| {
                token.problem(format!("'{}' where a number was expected", token.shown()))
            });
        }
        let end = self.binary_at + scalar.size();
        let body = self.scanner.rest();
        let bytes = body
            .get(self.binary_at..end)
            .ok_or_else(|| ended(super::error::Place::default()))?;
        self.binary_at = end;
        Ok(scalar.decode(bytes, self.encoding))
    }
}

/// The mesh as its rows arrive.
#[derive(Default)]
struct Builder {
    mesh: PolygonMesh,
    triangle_count: usize,
    vertex_uvs: Vec<Vec2>,
    /// Corner coordinates of faces, where the file has them there.
    has_corner_uvs: bool,
    face_parts: Vec<u32>,
}

impl Builder {
    fn vertex(&mut self, row: &Row, number: usize) -> Result<(), Problem> {
        let axis = |name| {
            row.scalar(&[name])
                .ok_or_else(|| Problem::new("vertices without x, y and z, which were expected"))
        };
        let position = Vec3::new(axis("x")? as f32, axis("y")? as f32, axis("z")? as f32);
        if !position.is_finite() {
            return Err(Problem::new(format!(
                "vertex {number} has a coordinate that is not a finite number"
            )));
        }
        self.mesh.positions.push(position);
        let rgb = [
            row.channel(&["red", "diffuse_red", "r"]),
            row.channel(&["green", "diffuse_green", "g"]),
            row.channel(&["blue", "diffuse_blue", "b"]),
        ];
        if let [Some(r), Some(g), Some(b)] = rgb {
            let alpha = row.channel(&["alpha", "diffuse_alpha", "a"]);
            self.mesh.colors.push([r, g, b, alpha.unwrap_or(255)]);
        }
        let u = row.scalar(&["u", "s", "texture_u", "texture_s"]);
        let v = row.scalar(&["v", "t", "texture_v", "texture_t"]);
        if let (Some(u), Some(v)) = (u, v) {
            self.vertex_uvs.push(finite_uv(u, v));
        }
        Ok(())
    }

    fn face(&mut self, row: &Row, number: usize, limits: &MeshLimits) -> Result<(), Problem> {
        let Some(list) = row.list(&["vertex_indices", "vertex_index"]) else {
            return Err(Problem::new(
                "faces without vertex_indices, which were expected",
            ));
        };
        if list.len() < 3 {
            return Err(Problem::new(format!(
                "face {number} has {} corners, at least three were expected",
                list.len()
            )));
        }
        self.triangle_count += list.len() - 2;
        limits.check_triangles(self.triangle_count)?;
        let count = self.mesh.positions.len();
        let in_range = |&&v: &&f64| !(v >= 0.0 && v < count as f64 && v.fract() == 0.0);
        if let Some(vertex) = list.iter().find(in_range) {
            return Err(Problem::new(format!(
                "face {number} refers to vertex {vertex}, but there are only {count} (counted from 0) before it"
            )));
        }
        let corners: Vec<u32> = list.iter().map(|&v| v as u32).collect();
        let uvs = row
            .list(&["texcoord", "texcoords"])
            .filter(|uvs| uvs.len() == 2 * corners.len());
        self.has_corner_uvs |= uvs.is_some();
        let part = row.scalar(&["part"]).map_or(u32::MAX, |p| p as u32);
        self.face_parts.push(part);
        for (i, &v) in corners.iter().enumerate() {
            self.mesh.corner_uvs.push(match uvs {
                Some(uvs) => finite_uv(uvs[2 * i], uvs[2 * i + 1]),
                None => self.vertex_uvs.get(v as usize).copied().unwrap_or_default(),
            });
        }
        self.mesh.faces.push(corners);
        Ok(())
    }

    fn finish(self, part_names: &[String]) -> Result<PolygonMesh, Problem> {
        let mut mesh = self.mesh;
        if self.vertex_uvs.is_empty() && !self.has_corner_uvs {
            mesh.corner_uvs = Vec::new();
        }
        if mesh.colors.len() != mesh.positions.len() {
            mesh.colors = Vec::new();
        }
        let mut parts = PartTable::default();
        let mut number_of = |name: &str| {
            parts.number(&FaceNames {
                object: name.to_owned(),
                ..FaceNames::default()
            })
        };
        let numbers: Vec<u32> = part_names.iter().map(|name| number_of(name)).collect();
        let unnamed = number_of("");
        for &part in &self.face_parts {
            let number = numbers.get(part as usize).copied();
            parts.push(number.unwrap_or(unnamed));
        }
        (mesh.parts, mesh.part_names) = parts.finish()?;
        // Coordinates per vertex force a file to repeat vertices along seams.
        if !self.vertex_uvs.is_empty() {
            weld(&mut mesh);
        }
        Ok(mesh)
    }
}

/// A texture coordinate; nonsense becomes the origin, as it can do no harm there.
fn finite_uv(u: f64, v: f64) -> Vec2 {
    let uv = Vec2::new(u as f32, v as f32);
    if uv.is_finite() { uv } else { Vec2::ZERO }
}
