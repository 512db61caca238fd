//! Makes any mesh the boundary of a solid: closed, manifold and oriented outward.
//!
//! A tracked surface walks from triangle to triangle and must never meet an end, a fork or a surprise. So this is what
//! [`repair`] promises of its result:
//!
//! - every edge has exactly two triangles, which pass along it in opposite directions, and no two edges have the same ends;
//! - every vertex has one closed fan of three triangles or more; no vertex is unused;
//! - no two triangles have the same three vertices; the smallest piece is a tetrahedron;
//! - pieces face outward, but for cavities (below).
//!
//! Nothing is promised about geometry: triangles may still pass through each other or have no area.
//!
//! # How
//!
//! Triangles are taken apart and glued together again side by side; vertices follow from that. The order of the steps:
//!
//! 1. `weld`: open edges that lie on each other are joined, so that unconnected triangles become a surface.
//! 2. `duplicates`: triangles that name a vertex twice or repeat another one go.
//! 3. `glue`: neighbours are turned to agree, a surface with one side only is cut, more than two triangles at an edge
//!    are paired around the solid parts, and each fan gets a vertex of its own.
//! 4. `fill`: every hole is closed, with triangles of the part `inner`.
//! 5. `pieces`: what has no volume goes; the rest is turned outward.
//!
//! # Cavities
//!
//! A piece that lies in no other faces outward. A piece within others keeps its side relative to the outermost of them,
//! so that a hollow stays hollow, unless that would make the surroundings less than empty: where cavities and solids
//! around it cancel, there is nothing to be carved out, and it faces outward.
//!
//! A mesh without defects comes back bit for bit, and a repaired mesh is one without defects.

mod duplicates;
mod fill;
mod glue;
mod pieces;
#[cfg(test)]
mod tests;
mod weld;

use glam::{Vec2, Vec3};

use crate::geometry::Mesh;
use crate::geometry::mesh::MeshError;
use crate::geometry::topology::count;

/// The part that triangles get which close holes: they were not there, and what they show is the inside.
pub const INNER_PART: &str = "inner";

/// The name of the part that a mesh without parts was, once it needs a second one.
const OUTER_PART: &str = "outer";

/// No entry.
const NONE: u32 = u32::MAX;

/// Why a mesh cannot be made the boundary of a solid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The mesh breaks the promises of its type.
    #[error(transparent)]
    Invalid(#[from] MeshError),
    /// Every triangle names a vertex twice.
    #[error("every triangle of the mesh names a vertex twice: there is no surface")]
    NoSurface,
    /// The only piece has no volume, even when its holes are closed.
    #[error("the mesh is a flat sheet: it has no inside; give it thickness")]
    FlatSheet,
    /// No piece has volume, even when its holes are closed.
    #[error(
        "all {pieces} pieces of the mesh are flat: it has no inside; give them thickness, or join vertices that nearly meet"
    )]
    FlatPieces {
        /// How many pieces there are.
        pieces: usize,
    },
}

/// What [`repair`] did, in numbers; all zero for a mesh without defects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Vertices that became one with another at the same place.
    pub welded_vertices: usize,
    /// Triangles that named a vertex twice, left out.
    pub degenerate_triangles: usize,
    /// Triangles over the vertices of another one, left out.
    pub duplicate_triangles: usize,
    /// Triangles of the input that now face the other way.
    pub turned_triangles: usize,
    /// Edges along which a surface with one side only was cut.
    pub cut_edges: usize,
    /// Edges of more than two triangles that were parted.
    pub parted_edges: usize,
    /// Pinched vertices that got a copy for each fan, not counting the ends of edges that were parted or cut.
    pub split_vertices: usize,
    /// Edges that got a vertex in the middle, because another edge had the same ends.
    pub halved_edges: usize,
    /// Holes that were closed.
    pub closed_holes: usize,
    /// Triangles that close them.
    pub added_triangles: usize,
    /// Pieces without volume that were left out.
    pub flat_pieces: usize,
    /// Vertices that no triangle used, left out.
    pub unused_vertices: usize,
}

impl RepairReport {
    /// What was done in one line for users, or `None` if nothing was.
    pub fn summary(&self) -> Option<String> {
        let done = [
            (
                self.welded_vertices,
                "joined",
                "vertex with another",
                "vertices with others",
            ),
            (
                self.degenerate_triangles,
                "left out",
                "degenerate triangle",
                "degenerate triangles",
            ),
            (
                self.duplicate_triangles,
                "left out",
                "duplicate triangle",
                "duplicate triangles",
            ),
            (
                self.cut_edges,
                "cut",
                "edge of a one-sided surface",
                "edges of a one-sided surface",
            ),
            (self.turned_triangles, "turned", "triangle", "triangles"),
            (
                self.parted_edges,
                "parted",
                "edge of more than two triangles",
                "edges of more than two triangles",
            ),
            (
                self.split_vertices,
                "split",
                "pinched vertex",
                "pinched vertices",
            ),
            (self.halved_edges, "halved", "doubled edge", "doubled edges"),
            (self.closed_holes, "closed", "hole", "holes"),
            (self.flat_pieces, "left out", "flat piece", "flat pieces"),
            (
                self.unused_vertices,
                "left out",
                "unused vertex",
                "unused vertices",
            ),
        ];
        let parts: Vec<String> = done
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|&(number, verb, one, many)| format!("{verb} {}", count(number, one, many)))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Makes the mesh the boundary of a solid, as the [module](self) promises; attributes of what survives are kept.
pub fn repair(mesh: &Mesh) -> Result<(Mesh, RepairReport), RepairError> {
    mesh.validate()?;
    let mut draft = Draft::new(mesh);
    // Both before and after: a triangle that names a vertex twice hides an open edge, and joining vertices makes new ones.
    duplicates::drop_degenerate(&mut draft);
    weld::weld(&mut draft);
    duplicates::drop_degenerate(&mut draft);
    if draft.mesh.triangles.is_empty() {
        return Err(RepairError::NoSurface);
    }
    duplicates::drop_duplicates(&mut draft);
    glue::make_manifold(&mut draft);
    fill::fill_holes(&mut draft);
    let dropped = pieces::drop_flat(&mut draft);
    if draft.mesh.triangles.is_empty() {
        return Err(match dropped {
            0 | 1 => RepairError::FlatSheet,
            pieces => RepairError::FlatPieces { pieces },
        });
    }
    pieces::turn_outward(&mut draft);
    Ok(draft.finish(mesh))
}

/// A mesh under repair.
struct Draft {
    mesh: Mesh,
    /// What happened to each triangle.
    traces: Vec<Trace>,
    report: RepairReport,
}

/// What happened to a triangle.
#[derive(Clone, Copy, Debug)]
struct Trace {
    /// It faces the other way than in the input.
    turned: bool,
    /// It is not in the input as a whole.
    added: bool,
    /// The hole it closes, or `NONE`.
    hole: u32,
}

impl Trace {
    const INPUT: Self = Self {
        turned: false,
        added: false,
        hole: NONE,
    };
}

impl Draft {
    fn new(mesh: &Mesh) -> Self {
        Self {
            mesh: mesh.clone(),
            traces: vec![Trace::INPUT; mesh.triangles.len()],
            report: RepairReport::default(),
        }
    }

    fn position(&self, vertex: u32) -> glam::DVec3 {
        self.mesh.positions[vertex as usize].as_dvec3()
    }

    /// Keeps the triangles for which `keep` holds, in their order.
    fn retain(&mut self, keep: &[bool]) {
        fn filter<T>(column: &mut Vec<T>, keep: &[bool]) {
            let mut flags = keep.iter();
            column.retain(|_| flags.next().copied().unwrap_or(false));
        }
        if keep.iter().all(|&k| k) {
            return;
        }
        filter(&mut self.mesh.triangles, keep);
        filter(&mut self.mesh.corner_uvs, keep);
        filter(&mut self.mesh.parts, keep);
        filter(&mut self.traces, keep);
    }

    /// Makes a triangle face the other way.
    fn turn(&mut self, triangle: usize) {
        self.mesh.triangles[triangle].swap(0, 2);
        if let Some(uvs) = self.mesh.corner_uvs.get_mut(triangle) {
            uvs.swap(0, 2);
        }
        self.traces[triangle].turned ^= true;
    }

    /// Appends a triangle that looks like `model`, with its own corners.
    fn push_like(&mut self, model: usize, corners: [u32; 3], uvs: [Vec2; 3]) {
        self.mesh.triangles.push(corners);
        if !self.mesh.corner_uvs.is_empty() {
            self.mesh.corner_uvs.push(uvs);
        }
        if let Some(&part) = self.mesh.parts.get(model) {
            self.mesh.parts.push(part);
        }
        let trace = Trace {
            added: true,
            ..self.traces[model]
        };
        self.traces.push(trace);
    }

    /// Appends a vertex in the middle of others.
    fn push_mean(&mut self, of: &[u32]) -> u32 {
        let weight = 1.0 / of.len().max(1) as f64;
        let sum: glam::DVec3 = of.iter().map(|&v| self.position(v)).sum();
        if !self.mesh.colors.is_empty() {
            let channel = |i: usize| {
                let sum: u64 = of
                    .iter()
                    .map(|&v| u64::from(self.mesh.colors[v as usize][i]))
                    .sum();
                (sum / of.len().max(1) as u64) as u8
            };
            let color = [channel(0), channel(1), channel(2), channel(3)];
            self.mesh.colors.push(color);
        }
        self.push_position((sum * weight).as_vec3())
    }

    /// Appends a vertex that is a copy.
    fn push_copy(&mut self, of: u32) -> u32 {
        if let Some(&color) = self.mesh.colors.get(of as usize) {
            self.mesh.colors.push(color);
        }
        self.push_position(self.mesh.positions[of as usize])
    }

    fn push_position(&mut self, position: Vec3) -> u32 {
        self.mesh.positions.push(position);
        self.mesh.positions.len() as u32 - 1
    }

    /// Leaves out unused vertices, names the parts and counts what is known only now.
    fn finish(mut self, input: &Mesh) -> (Mesh, RepairReport) {
        self.name_inner_part();
        let mut used = vec![false; self.mesh.positions.len()];
        for &v in self.mesh.triangles.iter().flatten() {
            used[v as usize] = true;
        }
        if used.iter().any(|&u| !u) {
            let mut number = vec![NONE; used.len()];
            let in_use = number.iter_mut().zip(&used).filter(|(_, used)| **used);
            for (new, (number, _)) in (0u32..).zip(in_use) {
                *number = new;
            }
            for v in self.mesh.triangles.iter_mut().flatten() {
                *v = number[*v as usize];
            }
            let mut flags = used.iter();
            self.mesh.positions.retain(|_| flags.next() == Some(&true));
            let mut flags = used.iter();
            self.mesh.colors.retain(|_| flags.next() == Some(&true));
        }
        // Only what the input itself did not use: what other steps have left over is counted there.
        let mut named = vec![false; input.positions.len()];
        for &v in input.triangles.iter().flatten() {
            named[v as usize] = true;
        }
        self.report.unused_vertices = named.iter().filter(|&&n| !n).count();
        self.report.turned_triangles = self.traces.iter().filter(|t| t.turned && !t.added).count();
        // Only holes of pieces that are still there. Triangles of one hole are neighbours in the list.
        let mut holes: Vec<u32> = self.traces.iter().map(|t| t.hole).collect();
        holes.retain(|&hole| hole != NONE);
        self.report.added_triangles = holes.len();
        holes.dedup();
        self.report.closed_holes = holes.len();
        (self.mesh, self.report)
    }

    /// Gives the triangles that close holes their part.
    fn name_inner_part(&mut self) {
        if !self.traces.iter().any(|t| t.hole != NONE) {
            return;
        }
        let mesh = &mut self.mesh;
        if mesh.parts.is_empty() {
            mesh.parts = vec![0; mesh.triangles.len()];
            if mesh.part_names.is_empty() {
                mesh.part_names.push(OUTER_PART.to_owned());
            }
        }
        let inner = mesh
            .part_names
            .iter()
            .position(|name| name == INNER_PART)
            .or_else(|| {
                // Numbers without a name are legal; they must not become the new part's by accident.
                let highest = mesh
                    .parts
                    .iter()
                    .map(|&p| usize::from(p))
                    .max()
                    .unwrap_or(0);
                for number in mesh.part_names.len()..=highest {
                    mesh.part_names.push(format!("part {number}"));
                }
                let number = mesh.part_names.len();
                u16::try_from(number).is_ok().then(|| {
                    mesh.part_names.push(INNER_PART.to_owned());
                    number
                })
            });
        // With all 65,536 parts taken, the triangles keep the part of their neighbours.
        let Some(inner) = inner.and_then(|number| u16::try_from(number).ok()) else {
            return;
        };
        for (part, trace) in mesh.parts.iter_mut().zip(&self.traces) {
            if trace.hole != NONE {
                *part = inner;
            }
        }
    }
}

/// One side of a triangle, from corner `corner % 3` of triangle `corner / 3` to the next corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Lower vertex in the high word, higher vertex in the low word: equal for the sides of one edge.
    key: u64,
    corner: u32,
}

impl Side {
    fn ends(self) -> [u32; 2] {
        [(self.key >> 32) as u32, self.key as u32]
    }
}

/// The next corner of the same triangle.
fn next(corner: u32) -> u32 {
    corner - corner % 3 + (corner + 1) % 3
}

fn edge_key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// All sides, sorted so that those of one edge are neighbours.
fn sides(mesh: &Mesh) -> Vec<Side> {
    use rayon::prelude::*;
    let mut sides: Vec<Side> = (0u32..)
        .zip(&mesh.triangles)
        .flat_map(|(t, vertices)| {
            (0..3).map(move |i| Side {
                key: edge_key(vertices[i], vertices[(i + 1) % 3]),
                corner: 3 * t + i as u32,
            })
        })
        .collect();
    sides.par_sort_unstable();
    sides
}

/// The sides of each edge.
fn edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|a, b| a.key == b.key)
}
