//! Fracture patterns: convex cells that fill space, or a part of it \[MCK13\].
//!
//! A cell is a list of half-spaces over planes that neighbouring cells share: what one side cuts, the other cuts at the same bits. A pattern is
//! made about the origin, where the impact will be, with the struck surface's normal along z; [`Pattern::placed`] puts it anywhere. What is
//! random depends on a key, never on time.

use glam::{DMat3, DVec3};

use super::clip::{Clipped, FaceKey, Piece, Plane};
use super::intake::{IntakeError, IntakeOptions, intake};
use super::polygons::PolygonMesh;
use super::polyhedron::Polyhedron;
use super::primitive::FaceTag;

/// Patterns without bounds are worked out in a box of this many times their size.
const FAR: f64 = 64.0;

/// One side of a plane of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// Number of the plane.
    pub plane: u32,
    /// Whether the other side is meant.
    pub flipped: bool,
}

/// A convex cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The half-spaces whose intersection it is.
    pub halves: Vec<Half>,
    /// Its shape; of cells without bounds, what lies within a box far out.
    pub shape: Polyhedron,
}

/// Two cells that share a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// The lower cell.
    pub a: u32,
    /// The higher cell.
    pub b: u32,
    /// Whether links across the face may break.
    pub tearable: bool,
}

/// Convex cells and what is between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Planes that cells share.
    pub planes: Vec<Plane>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// Cells that share a face, in ascending order.
    pub adjacency: Vec<Adjacency>,
    /// Whether the cells fill only a part of space; what lies outside stays as it is.
    pub bounded: bool,
    /// The half-spaces whose intersection the cells fill, if they are bounded and together convex; else empty.
    pub outer: Vec<Half>,
}

/// Why cells do not make a pattern.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The mesh cannot be used at all.
    #[error(transparent)]
    Mesh(#[from] IntakeError),
    /// A part is not one closed convex shape.
    #[error("part {part} ('{name}') of the pattern is not a closed convex shape")]
    NotConvex {
        /// Index of the part.
        part: u16,
        /// Its name.
        name: String,
    },
}

impl Pattern {
    /// The half-space itself.
    #[inline]
    pub fn plane(&self, half: Half) -> Plane {
        let plane = self.planes[half.plane as usize];
        if half.flipped { plane.flipped() } else { plane }
    }

    /// Whether links between two cells may break.
    pub fn is_tearable(&self, a: u32, b: u32) -> bool {
        let key = (a.min(b), a.max(b));
        let found = self.adjacency.binary_search_by_key(&key, |x| (x.a, x.b));
        found.is_ok_and(|at| self.adjacency[at].tearable)
    }

    /// Says anew which faces between cells may tear.
    pub fn set_tearable(&mut self, mut tearable: impl FnMut(&Cell, &Cell) -> bool) {
        for x in &mut self.adjacency {
            x.tearable = tearable(&self.cells[x.a as usize], &self.cells[x.b as usize]);
        }
    }

    /// The cell that holds a point, within `tolerance` (m); the lowest of several.
    pub fn cell_of(&self, p: DVec3, tolerance: f64) -> Option<u32> {
        let inside = |cell: &Cell| {
            cell.halves
                .iter()
                .all(|&h| self.plane(h).distance(p) <= tolerance)
        };
        self.cells.iter().position(inside).map(|c| c as u32)
    }

    /// The pattern `scale` times as large, turned about z by `roll` (rad), with z along `normal` and its origin at `point`.
    pub fn placed(&self, point: DVec3, normal: DVec3, roll: f64, scale: f64) -> Self {
        let turn = axes_along(normal, roll);
        let mut out = self.clone();
        for plane in &mut out.planes {
            let n = turn * plane.n;
            *plane = Plane {
                n,
                d: scale * plane.d + n.dot(point),
            };
        }
        for cell in &mut out.cells {
            for v in &mut cell.shape.verts {
                *v = point + turn * *v * scale;
            }
        }
        out
    }

    /// What of it lies within an octagonal prism about z whose sides and ends are `radius` from the origin (m): outside of it nothing is cut. All
    /// faces between its cells may tear.
    pub fn within(&self, radius: f64) -> Self {
        let mut planes = self.planes.clone();
        let mut side = |n: DVec3| {
            planes.push(Plane { n, d: radius });
            Half {
                plane: planes.len() as u32 - 1,
                flipped: false,
            }
        };
        let around = (0..8).map(|k| {
            let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
            DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
        });
        let outer: Vec<Half> = around
            .chain([DVec3::Z, DVec3::NEG_Z])
            .map(&mut side)
            .collect();
        let cell = |c: &Cell| c.halves.iter().chain(&outer).copied().collect();
        let cells = self.cells.iter().map(cell).collect();
        Self {
            bounded: true,
            outer,
            ..Self::from_halves(planes, cells, radius)
        }
    }

    /// Cells of half-spaces; those within `size` of the origin (m) matter. What shares a plane and overlaps there is adjacent, and tearable.
    pub fn from_halves(planes: Vec<Plane>, cells: Vec<Vec<Half>>, size: f64) -> Self {
        let far = DVec3::splat(FAR * size);
        let whole = Piece::with_gids(
            Polyhedron::cuboid(-far, far, FaceTag::Cut),
            &[0, 1, 2, 3, 4, 5, 6, 7],
        );
        let mut out = Self {
            planes,
            ..Self::default()
        };
        let mut faces: Vec<(u32, bool, u32, Vec<DVec3>)> = Vec::new();
        for halves in cells {
            let mut piece = Some(whole.clone());
            for &half in &halves {
                let cut = |p: Piece| match p.clip(&out.plane(half), half.plane, 1e-9 * size, 0) {
                    Clipped::All => Some(p),
                    Clipped::Nothing => None,
                    Clipped::Part(part) => Some(part),
                };
                piece = piece.and_then(cut);
            }
            let Some(piece) = piece else { continue };
            let number = out.cells.len() as u32;
            let mut used = Vec::new();
            for (key, row) in piece.face_keys.iter().zip(piece.shape.faces.iter()) {
                let FaceKey::Plane(plane) = key else { continue };
                let Some(&half) = halves.iter().find(|h| h.plane == *plane) else {
                    continue;
                };
                let ring = row.iter().map(|&v| piece.shape.verts[v as usize]).collect();
                faces.push((half.plane, half.flipped, number, ring));
                used.push(half);
            }
            out.cells.push(Cell {
                halves: used,
                shape: piece.shape,
            });
        }
        out.adjacency = adjacency(&mut faces, &out.planes, 1e-9 * size * size);
        out
    }
}

/// Cells whose faces lie on two sides of a plane and overlap.
fn adjacency(
    faces: &mut [(u32, bool, u32, Vec<DVec3>)],
    planes: &[Plane],
    least: f64,
) -> Vec<Adjacency> {
    faces.sort_by_key(|f| (f.0, f.1, f.2));
    let mut found = Vec::new();
    for group in faces.chunk_by(|x, y| x.0 == y.0) {
        let n = planes[group[0].0 as usize].n;
        let split = group.iter().position(|f| f.1).unwrap_or(group.len());
        for x in &group[..split] {
            for y in &group[split..] {
                if overlap(&x.3, &y.3, n) > least {
                    let (a, b) = (x.2.min(y.2), x.2.max(y.2));
                    found.push(Adjacency {
                        a,
                        b,
                        tearable: true,
                    });
                }
            }
        }
    }
    found.sort_by_key(|x| (x.a, x.b));
    found.dedup();
    found
}

/// The area that two convex polygons of one plane share (m²). The first is counter-clockwise about `n`, the second clockwise.
pub(super) fn overlap(a: &[DVec3], b: &[DVec3], n: DVec3) -> f64 {
    let mut polygon: Vec<DVec3> = a.to_vec();
    for i in 0..b.len() {
        let (from, to) = (b[i], b[(i + 1) % b.len()]);
        let side = n.cross(to - from);
        let height = |p: DVec3| side.dot(p - from);
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for k in 0..polygon.len() {
            let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (hp, hq) = (height(p), height(q));
            if hp <= 0.0 {
                kept.push(p);
            }
            if hp * hq < 0.0 {
                kept.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        polygon = kept;
    }
    if polygon.len() < 3 {
        return 0.0;
    }
    let fan = |i: usize| (polygon[i] - polygon[0]).cross(polygon[i + 1] - polygon[0]);
    0.5 * (1..polygon.len() - 1).map(fan).sum::<DVec3>().length()
}

/// The axes of a pattern that is placed with z along `normal`, turned about it by `roll` (rad).
pub(super) fn axes_along(normal: DVec3, roll: f64) -> DMat3 {
    let z = normal.normalize_or(DVec3::Z);
    let (u, v) = z.any_orthonormal_pair();
    let (sin, cos) = (libm::sin(roll), libm::cos(roll));
    DMat3::from_cols(u * cos + v * sin, v * cos - u * sin, z)
}

/// The Voronoi cells of seeds, without bounds. Seeds in one place share a cell.
pub fn voronoi(seeds: &[DVec3]) -> Pattern {
    let mut distinct: Vec<DVec3> = Vec::with_capacity(seeds.len());
    for &s in seeds {
        if s.is_finite() && !distinct.iter().any(|t| t.distance_squared(s) == 0.0) {
            distinct.push(s);
        }
    }
    let size = distinct.iter().map(|s| s.length()).fold(1e-9, f64::max);
    let mut planes = Vec::new();
    let mut cells: Vec<Vec<Half>> = vec![Vec::new(); distinct.len()];
    for i in 0..distinct.len() {
        for j in i + 1..distinct.len() {
            let (p, q) = (distinct[i], distinct[j]);
            let plane = planes.len() as u32;
            planes.push(Plane::through((p + q) * 0.5, q - p));
            cells[i].push(Half {
                plane,
                flipped: false,
            });
            cells[j].push(Half {
                plane,
                flipped: true,
            });
        }
        // The nearest planes first: the rest then mostly cuts nothing.
        let nearness = |h: &Half| planes[h.plane as usize].distance(distinct[i]).abs();
        cells[i].sort_by(|a, b| {
            nearness(a)
                .total_cmp(&nearness(b))
                .then(a.plane.cmp(&b.plane))
        });
    }
    Pattern::from_halves(planes, cells, size)
}

/// Cells of a mesh whose parts are closed convex shapes. The pattern is bounded.
pub fn from_mesh(mesh: &PolygonMesh) -> Result<Pattern, PatternError> {
    let result = intake(mesh, &IntakeOptions::default())?;
    let mut shapes: Vec<Option<Polyhedron>> = vec![None; mesh.part_count()];
    let not_convex = |part: u16| PatternError::NotConvex {
        part,
        name: mesh.part_name(part).to_owned(),
    };
    for p in &result.primitives {
        let place = &mut shapes[usize::from(p.part)];
        if place.is_some() || p.tags.iter().any(|&t| t != FaceTag::Outer) {
            return Err(not_convex(p.part));
        }
        *place = Some(p.polyhedron());
    }
    let shapes: Vec<Polyhedron> = shapes.into_iter().flatten().collect();
    let size = shapes
        .iter()
        .flat_map(|s| &s.verts)
        .map(|v| v.length())
        .fold(0.0, f64::max);
    let mut planes: Vec<Plane> = Vec::new();
    let mut cells = Vec::new();
    for shape in &shapes {
        let mut halves: Vec<Half> = Vec::new();
        for f in 0..shape.faces.rows() {
            let plane = Plane::through(
                shape.verts[shape.faces.row(f)[0] as usize],
                shape.area_vector(f),
            );
            let half = known_plane(&planes, &plane, size).unwrap_or_else(|| {
                planes.push(plane);
                Half {
                    plane: planes.len() as u32 - 1,
                    flipped: false,
                }
            });
            if !halves.contains(&half) {
                halves.push(half);
            }
        }
        cells.push(halves);
    }
    let mut pattern = Pattern::from_halves(planes, cells, size);
    pattern.bounded = true;
    pattern.outer = outer(&pattern, size);
    Ok(pattern)
}

/// A plane of the list in the same place, whichever way it looks.
fn known_plane(planes: &[Plane], plane: &Plane, size: f64) -> Option<Half> {
    let same = |p: &Plane| (p.n - plane.n).length() < 1e-5 && (p.d - plane.d).abs() < 1e-5 * size;
    planes.iter().zip(0u32..).find_map(|(p, k)| match p {
        p if same(p) => Some(Half {
            plane: k,
            flipped: false,
        }),
        p if same(&p.flipped()) => Some(Half {
            plane: k,
            flipped: true,
        }),
        _ => None,
    })
}

/// The half-spaces around all cells, if together they are convex.
fn outer(pattern: &Pattern, size: f64) -> Vec<Half> {
    let all = |half: &Half| {
        let plane = pattern.plane(*half);
        let verts = pattern.cells.iter().flat_map(|c| &c.shape.verts);
        verts.into_iter().all(|&v| plane.distance(v) <= 1e-5 * size)
    };
    let mut halves: Vec<Half> = pattern
        .cells
        .iter()
        .flat_map(|c| c.halves.iter().copied())
        .filter(all)
        .collect();
    halves.sort_by_key(|h| (h.plane, h.flipped));
    halves.dedup();
    let filled: f64 = pattern.cells.iter().map(|c| c.shape.volume()).sum();
    let hull = Pattern::from_halves(pattern.planes.clone(), vec![halves.clone()], size);
    let convex = hull
        .cells
        .first()
        .is_some_and(|c| (c.shape.volume() - filled).abs() <= 1e-5 * filled);
    if convex { halves } else { Vec::new() }
}
