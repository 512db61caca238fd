//! STL, text and binary. Its triangles share no vertices; equal ones are welded, or nothing would be connected.

use glam::Vec3;
use pliant::geometry::Mesh;

use super::MeshLimits;
use super::assemble::{FaceNames, PartTable, Welder};
use super::error::Problem;
use super::text::{Scanner, Token};

/// Bytes before the triangles of a binary file: a comment and the number of triangles.
const HEADER: usize = 84;

/// Bytes of a triangle: normal, three corners, two bytes of attributes.
const RECORD: usize = 50;

pub(super) fn parse_stl(bytes: &[u8], limits: &MeshLimits) -> Result<Mesh, Problem> {
    let declared = bytes
        .get(HEADER - 4..HEADER)
        .and_then(|b| b.try_into().ok())
        .map(u32::from_le_bytes);
    let binary_length = |count: u32| HEADER as u64 + RECORD as u64 * u64::from(count);
    // Binary files that begin with "solid" exist; the length is what tells.
    let fits = declared.is_some_and(|count| binary_length(count) == bytes.len() as u64);
    if !fits && bytes.trim_ascii_start().starts_with(b"solid") {
        return parse_text(bytes, limits);
    }
    let Some(count) = declared else {
        return Err(Problem::new(
            "too short for an STL file, 'solid' or a header of 84 bytes was expected",
        ));
    };
    // A few bytes more than needed do no harm and occur.
    if binary_length(count) > bytes.len() as u64 {
        return Err(Problem::new(format!(
            "the header declares {count} triangles, which need {} bytes, but the file has {}",
            binary_length(count),
            bytes.len()
        )));
    }
    parse_binary(&bytes[HEADER..], count as usize, limits)
}

fn parse_binary(bytes: &[u8], count: usize, limits: &MeshLimits) -> Result<Mesh, Problem> {
    limits.check_triangles(count)?;
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(count);
    for (number, record) in bytes.chunks_exact(RECORD).take(count).enumerate() {
        let float = |i: usize| {
            let start = 12 + 4 * i;
            f32::from_le_bytes([
                record[start],
                record[start + 1],
                record[start + 2],
                record[start + 3],
            ])
        };
        let corners = [0, 3, 6].map(|i| Vec3::new(float(i), float(i + 1), float(i + 2)));
        if !corners.iter().all(|c| c.is_finite()) {
            return Err(Problem::new(format!(
                "triangle {number} has a corner that is not finite"
            )));
        }
        triangles.push(corners.map(|c| welder.vertex(c, [255; 4])));
    }
    limits.check_vertices(welder.positions.len())?;
    Ok(Mesh {
        positions: welder.positions,
        triangles,
        ..Mesh::default()
    })
}

fn parse_text(bytes: &[u8], limits: &MeshLimits) -> Result<Mesh, Problem> {
    let mut scanner = Scanner::new(bytes);
    let mut welder = Welder::default();
    let mut parts = PartTable::default();
    let mut mesh = Mesh::default();
    while let Some(token) = scanner.next_token() {
        expect(token, b"solid")?;
        let names = FaceNames {
            object: String::from_utf8_lossy(scanner.rest_of_line()).into_owned(),
            ..FaceNames::default()
        };
        let part = parts.number(&names);
        loop {
            let token = next(&mut scanner, "'facet' or 'endsolid'")?;
            if token.bytes.eq_ignore_ascii_case(b"endsolid") {
                scanner.rest_of_line();
                break;
            }
            expect(token, b"facet")?;
            limits
                .check_triangles(mesh.triangles.len() + 1)
                .map_err(|problem| problem.or_placed(token.place))?;
            let corners = facet(&mut scanner)?;
            mesh.triangles
                .push(corners.map(|c| welder.vertex(c, [255; 4])));
            parts.push(part);
        }
    }
    limits.check_vertices(welder.positions.len())?;
    mesh.positions = welder.positions;
    (mesh.parts, mesh.part_names) = parts.finish()?;
    Ok(mesh)
}

/// What follows the word `facet`.
fn facet(scanner: &mut Scanner) -> Result<[Vec3; 3], Problem> {
    expect(next(scanner, "'normal'")?, b"normal")?;
    for _ in 0..3 {
        // Normals are recomputed; writers that could not compute them leave NaN here.
        next(scanner, "a number")?;
    }
    expect(next(scanner, "'outer'")?, b"outer")?;
    expect(next(scanner, "'loop'")?, b"loop")?;
    let mut corners = [Vec3::ZERO; 3];
    for corner in &mut corners {
        expect(next(scanner, "'vertex'")?, b"vertex")?;
        for axis in 0..3 {
            corner[axis] = next(scanner, "a number")?.number()?;
        }
    }
    expect(next(scanner, "'endloop'")?, b"endloop")?;
    expect(next(scanner, "'endfacet'")?, b"endfacet")?;
    Ok(corners)
}

fn next<'a>(scanner: &mut Scanner<'a>, expected: &str) -> Result<Token<'a>, Problem> {
    scanner.next_token().ok_or_else(|| {
        Problem::placed(
            scanner.place(),
            format!("the file ends where {expected} was expected"),
        )
    })
}

fn expect(token: Token, word: &[u8]) -> Result<(), Problem> {
    if token.bytes.eq_ignore_ascii_case(word) {
        return Ok(());
    }
    let word = String::from_utf8_lossy(word);
    Err(token.problem(format!("'{}' where '{word}' was expected", token.shown())))
}
