//! A closed, oriented triangle mesh whose topology changes: the data of the tracked surface.

use super::export::inner_part;
use crate::geometry::Mesh;
use crate::geometry::repair::INNER_PART;
use glam::{Vec2, Vec3};

/// No vertex, no half-edge, no triangle.
pub const NONE: u32 = u32::MAX;

/// Material of surface that cuts, bridges and caps have made: the inside that became visible.
pub const INNER: u16 = u16::MAX;

/// Half the width of the world (m). Beyond it single-precision numbers are a metre apart, and products of six lengths, as tests of
/// shape take them, would soon not be finite any more.
pub const WORLD: f32 = 1e7;

/// Whether a place is finite and lies in the [`WORLD`].
#[inline]
pub(crate) fn in_world(p: Vec3) -> bool {
    // Nothing compares with what is not a number.
    p.abs().cmple(Vec3::splat(WORLD)).all()
}

/// A vertex was made in this frame.
pub(crate) const MADE: u8 = 1;
/// A vertex was moved in this frame by something else than its carriers.
pub(crate) const MOVED: u8 = 2;

/// A closed triangle mesh as a corner table: structure of arrays, triangles only, adjacency maintained and never rebuilt.
///
/// Half-edge `h = 3t + k` runs from vertex `corner[h]` to `corner[next(h)]` inside triangle `t`; `twin[h]` is the same edge seen
/// from the other side. Slots of vertices and triangles are reused, so ids stay while an element lives.
///
/// What always holds between two operations ([`ClosedMesh::validate`](crate::surface::validate) checks it): the mesh is closed,
/// edge- and vertex-manifold, consistently oriented and finite. Self-intersection is legal.
///
/// Positions are one column of vectors, not three of numbers: nearly every access gathers single vertices, and a gather then
/// touches one cache line instead of three.
#[derive(Clone, Debug, Default)]
pub struct ClosedMesh {
    /// Positions (m).
    pub(crate) x: Vec<Vec3>,
    /// Positions at the end of the last frame (m): how the surface has moved since.
    pub(crate) was: Vec<Vec3>,
    /// Origin vertex of each half-edge; [`NONE`] for free triangles.
    pub(crate) corner: Vec<u32>,
    /// Opposite half-edge. [`NONE`] only while a surgery is open.
    pub(crate) twin: Vec<u32>,
    /// One outgoing half-edge of each vertex; [`NONE`] for free vertices.
    pub(crate) out: Vec<u32>,
    /// Rest positions (m): a texture coordinate without seams that every vertex has.
    pub(crate) rest: Vec<Vec3>,
    /// Colour per vertex (RGBA, sRGB), or empty.
    pub(crate) color: Vec<[u8; 4]>,
    /// Texture coordinate per half-edge, at its origin; or empty. An edge is a seam where its two sides differ.
    pub(crate) uv: Vec<Vec2>,
    /// Material per triangle.
    pub(crate) material: Vec<u16>,
    /// Side of a cut per triangle, or 0: the two sides of a cut, 2k and 2k + 1, are not joined again while they touch
    /// (`cut/scars.rs`).
    pub(crate) scar: Vec<u32>,
    /// Pairs of pieces that cuts hold apart in this frame, each in both orders, ascending.
    pub(crate) apart: Vec<(u32, u32)>,
    /// Patch per triangle: the unit of search and of parallel work.
    pub(crate) patch: Vec<u32>,
    /// Id of the component each vertex belongs to; of new vertices, the one they came from.
    pub(crate) component: Vec<u32>,
    /// What happened to each vertex in this frame: [`MADE`], [`MOVED`].
    pub(crate) vertex_flags: Vec<u8>,
    pub(crate) free_vertices: Vec<u32>,
    pub(crate) free_triangles: Vec<u32>,
    /// Names of the materials, as the input gave them.
    pub(crate) material_names: Vec<String>,
}

/// Why a mesh cannot be tracked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosedMeshError {
    /// An edge does not have exactly two triangles that run along it in opposite directions.
    #[error(
        "the edge between vertices {0} and {1} does not have exactly two triangles of opposite direction"
    )]
    Edge(u32, u32),
    /// The triangles at a vertex form more than one fan.
    #[error("the triangles at vertex {0} form more than one fan")]
    Vertex(u32),
    /// A triangle uses a vertex twice, or names one that does not exist.
    #[error("triangle {0} uses a vertex twice or names one that does not exist")]
    Triangle(u32),
    /// A position is not finite.
    #[error("vertex {0} has a coordinate that is not finite")]
    NonFinite(u32),
    /// More elements than indices.
    #[error("the mesh has more than 700 million triangles")]
    TooLarge,
}

/// The half-edge after `h` in its triangle.
#[inline]
pub(crate) const fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// The half-edge before `h` in its triangle.
#[inline]
pub(crate) const fn prev(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

impl ClosedMesh {
    /// Takes over a closed, manifold, consistently oriented mesh. Vertices that no triangle uses are left out of the surface
    /// but keep their slot.
    pub fn new(mesh: &Mesh) -> Result<Self, ClosedMeshError> {
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        if triangles > 700_000_000 || vertices > 700_000_000 {
            return Err(ClosedMeshError::TooLarge);
        }
        if let Some(v) = mesh.positions.iter().position(|p| !p.is_finite()) {
            return Err(ClosedMeshError::NonFinite(v as u32));
        }
        for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            if a == b || b == c || c == a || a.max(b).max(c) as usize >= vertices {
                return Err(ClosedMeshError::Triangle(t as u32));
            }
        }
        let mut closed = Self {
            x: mesh.positions.clone(),
            corner: mesh.triangles.iter().flatten().copied().collect(),
            twin: vec![NONE; 3 * triangles],
            out: vec![NONE; vertices],
            was: mesh.positions.clone(),
            rest: mesh.positions.clone(),
            color: mesh.colors.clone(),
            uv: mesh.corner_uvs.iter().flatten().copied().collect(),
            material: if mesh.parts.is_empty() {
                vec![0; triangles]
            } else {
                let inner = inner_part(mesh);
                let material = |&part: &u16| if Some(part) == inner { INNER } else { part };
                mesh.parts.iter().map(material).collect()
            },
            scar: vec![0; triangles],
            patch: vec![NONE; triangles],
            component: vec![0; vertices],
            vertex_flags: vec![0; vertices],
            material_names: mesh.part_names.clone(),
            ..Self::default()
        };
        closed.link()?;
        closed.free_vertices = (0..vertices as u32)
            .rev()
            .filter(|&v| closed.out[v as usize] == NONE)
            .collect();
        Ok(closed)
    }

    /// Finds the twins of all half-edges by sorting them; only when a mesh is taken over.
    fn link(&mut self) -> Result<(), ClosedMeshError> {
        let mut edges: Vec<(u32, u32, u32)> = (0..self.corner.len() as u32)
            .map(|h| {
                let (a, b) = (self.origin(h), self.target(h));
                (a.min(b), a.max(b), h)
            })
            .collect();
        edges.sort_unstable();
        let mut rest = edges.as_slice();
        while let [(a, b, g), tail @ ..] = rest {
            match tail {
                [(c, d, h), after @ ..]
                    if (a, b) == (c, d)
                        && self.origin(*g) != self.origin(*h)
                        && after.first().is_none_or(|e| (e.0, e.1) != (*a, *b)) =>
                {
                    self.twin[*g as usize] = *h;
                    self.twin[*h as usize] = *g;
                    rest = after;
                }
                _ => return Err(ClosedMeshError::Edge(*a, *b)),
            }
        }
        let mut corners = vec![0u32; self.x.len()];
        for h in 0..self.corner.len() as u32 {
            let v = self.origin(h) as usize;
            self.out[v] = h;
            corners[v] += 1;
        }
        for v in 0..self.x.len() {
            let h = self.out[v];
            if h != NONE && self.outgoing(h).count() != corners[v] as usize {
                return Err(ClosedMeshError::Vertex(v as u32));
            }
        }
        Ok(())
    }

    /// The surface as a plain mesh: living elements in slot order, without gaps.
    pub fn to_mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        self.write_mesh(&mut mesh);
        mesh
    }

    /// [`ClosedMesh::to_mesh`] into an existing mesh, whose memory is reused. Returns nothing else.
    pub fn write_mesh(&self, mesh: &mut Mesh) {
        mesh.positions.clear();
        mesh.colors.clear();
        mesh.triangles.clear();
        mesh.corner_uvs.clear();
        mesh.parts.clear();
        let mut number = vec![NONE; self.x.len()];
        for v in self.vertices() {
            number[v as usize] = mesh.positions.len() as u32;
            mesh.positions.push(self.x[v as usize]);
            if !self.color.is_empty() {
                mesh.colors.push(self.color[v as usize]);
            }
        }
        mesh.part_names.clone_from(&self.material_names);
        let has_inner = self.triangles().any(|t| self.material[t as usize] == INNER);
        let several =
            has_inner || !mesh.part_names.is_empty() || self.material.iter().any(|&m| m != 0);
        let inner = self.inner_part();
        if has_inner {
            while mesh.part_names.len() < inner as usize {
                mesh.part_names.push(if mesh.part_names.is_empty() {
                    "outer".to_owned()
                } else {
                    format!("part {}", mesh.part_names.len())
                });
            }
            if mesh.part_names.len() == inner as usize {
                mesh.part_names.push(INNER_PART.to_owned());
            }
        }
        for t in self.triangles() {
            mesh.triangles
                .push(self.triangle(t).map(|v| number[v as usize]));
            if !self.uv.is_empty() {
                let h = 3 * t as usize;
                mesh.corner_uvs
                    .push([self.uv[h], self.uv[h + 1], self.uv[h + 2]]);
            }
            if several {
                let material = self.material[t as usize];
                mesh.parts
                    .push(if material == INNER { inner } else { material });
            }
        }
    }

    /// The part number that [`INNER`] gets in an exported mesh: that of the name, else the first one that is not in use.
    fn inner_part(&self) -> u16 {
        let mut names = self.material_names.iter();
        if let Some(named) = names.position(|name| name == INNER_PART) {
            return named as u16;
        }
        let used = self
            .triangles()
            .map(|t| self.material[t as usize])
            .filter(|&m| m != INNER)
            .max()
            .map_or(1, |m| m + 1);
        used.max(self.material_names.len() as u16)
    }

    /// Living vertices in slot order.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.out.len() as u32).filter(|&v| self.out[v as usize] != NONE)
    }

    /// Living triangles in slot order.
    pub fn triangles(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.material.len() as u32).filter(|&t| self.alive(t))
    }

    /// Number of living vertices.
    pub fn vertex_count(&self) -> usize {
        self.x.len() - self.free_vertices.len()
    }

    /// Number of living triangles.
    pub fn triangle_count(&self) -> usize {
        self.material.len() - self.free_triangles.len()
    }

    /// Euler number of all pieces together: V − E + F, and a closed mesh has E = 3F/2.
    pub fn euler(&self) -> i64 {
        self.vertex_count() as i64 - self.triangle_count() as i64 / 2
    }

    /// Positions by slot (m); free slots hold their last value.
    pub fn positions(&self) -> &[Vec3] {
        &self.x
    }

    /// Positions by slot, to be moved (m). They must stay finite.
    pub fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.x
    }

    /// Rest positions by slot (m).
    pub fn rest_positions(&self) -> &[Vec3] {
        &self.rest
    }

    /// The vertices of a triangle, counter-clockwise from outside.
    #[inline]
    pub fn triangle(&self, t: u32) -> [u32; 3] {
        let h = 3 * t as usize;
        [self.corner[h], self.corner[h + 1], self.corner[h + 2]]
    }

    /// Whether triangle slot `t` is in use.
    #[inline]
    pub fn alive(&self, t: u32) -> bool {
        self.corner[3 * t as usize] != NONE
    }

    /// The component that a vertex belongs to.
    pub fn component_of(&self, v: u32) -> u32 {
        self.component[v as usize]
    }

    /// Material of a triangle.
    pub fn material(&self, t: u32) -> u16 {
        self.material[t as usize]
    }

    #[inline]
    pub(crate) fn origin(&self, h: u32) -> u32 {
        self.corner[h as usize]
    }

    #[inline]
    pub(crate) fn target(&self, h: u32) -> u32 {
        self.corner[next(h) as usize]
    }

    #[inline]
    pub(crate) fn twin(&self, h: u32) -> u32 {
        self.twin[h as usize]
    }

    /// Position of the origin of `h`.
    #[inline]
    pub(crate) fn at(&self, h: u32) -> Vec3 {
        self.x[self.corner[h as usize] as usize]
    }

    /// Corner positions of a triangle.
    #[inline]
    pub(crate) fn points(&self, t: u32) -> [Vec3; 3] {
        self.triangle(t).map(|v| self.x[v as usize])
    }

    /// Twice the area vector of a triangle.
    #[inline]
    pub(crate) fn area_vector(&self, t: u32) -> Vec3 {
        let [a, b, c] = self.points(t);
        (b - a).cross(c - a)
    }

    /// Squared length of an edge.
    #[inline]
    pub(crate) fn length2(&self, h: u32) -> f32 {
        self.at(h).distance_squared(self.at(next(h)))
    }

    /// All half-edges that leave the origin of `h`, counter-clockwise, beginning with `h`. At an open vertex the turn ends at the
    /// hole, so it is complete from the half-edge without a twin. Never longer than the mesh.
    #[inline]
    pub(crate) fn outgoing(&self, h: u32) -> Outgoing<'_> {
        Outgoing {
            mesh: self,
            first: h,
            at: h,
            left: self.corner.len(),
        }
    }

    /// All half-edges that leave vertex `v`.
    #[inline]
    pub(crate) fn ring(&self, v: u32) -> Outgoing<'_> {
        self.outgoing(self.out[v as usize])
    }

    /// Number of triangles at `v`.
    #[inline]
    pub(crate) fn valence(&self, v: u32) -> usize {
        self.ring(v).count()
    }

    /// The half-edge from `a` to `b`, or [`NONE`]. Complete at open vertices too, because `out` is then the half-edge at which
    /// the turn begins; there the edge may exist only as `b → a`, so ask both ways.
    pub(crate) fn half_edge(&self, a: u32, b: u32) -> u32 {
        self.ring(a).find(|&h| self.target(h) == b).unwrap_or(NONE)
    }

    /// Whether an edge joins `a` and `b` in either direction.
    pub(crate) fn joined(&self, a: u32, b: u32) -> bool {
        self.half_edge(a, b) != NONE || self.half_edge(b, a) != NONE
    }

    /// Area-weighted normal of a vertex, not normalised (twice the sum of the areas around it).
    #[inline]
    pub(crate) fn vertex_normal(&self, v: u32) -> Vec3 {
        self.ring(v)
            .map(|h| self.area_vector(h / 3))
            .fold(Vec3::ZERO, |s, n| s + n)
    }

    /// Whether the material changes across `h`, or the side of a cut ends there.
    #[inline]
    pub(crate) fn is_border(&self, h: u32) -> bool {
        let (t, s) = (h as usize / 3, self.twin(h) as usize / 3);
        self.material[t] != self.material[s] || self.scar[t] != self.scar[s]
    }

    /// Whether the texture changes across `h`, or it is a border.
    #[inline]
    pub(crate) fn is_seam(&self, h: u32) -> bool {
        let g = self.twin(h);
        self.is_border(h)
            || (!self.uv.is_empty()
                && (self.uv[h as usize] != self.uv[next(g) as usize]
                    || self.uv[next(h) as usize] != self.uv[g as usize]))
    }

    /// A new vertex that belongs to no triangle yet.
    pub(crate) fn add_vertex(&mut self, like: u32, at: Vec3) -> u32 {
        let (rest, flags) = (self.rest[like as usize], MADE);
        let component = self.component[like as usize];
        let color = self.color.get(like as usize).copied();
        if let Some(v) = self.free_vertices.pop() {
            let i = v as usize;
            self.x[i] = at;
            self.was[i] = at;
            self.rest[i] = rest;
            self.vertex_flags[i] = flags;
            self.component[i] = component;
            if let Some(color) = color {
                self.color[i] = color;
            }
            return v;
        }
        self.x.push(at);
        self.was.push(at);
        self.rest.push(rest);
        self.vertex_flags.push(flags);
        self.component.push(component);
        self.color.extend(color);
        self.out.push(NONE);
        self.x.len() as u32 - 1
    }

    /// A new triangle without twins, in the patch and with the material given; texture coordinates are zero.
    pub(crate) fn add_triangle(&mut self, vertices: [u32; 3], material: u16, patch: u32) -> u32 {
        if let Some(t) = self.free_triangles.pop() {
            let h = 3 * t as usize;
            self.corner[h..h + 3].copy_from_slice(&vertices);
            self.twin[h..h + 3].fill(NONE);
            self.material[t as usize] = material;
            self.scar[t as usize] = 0;
            self.patch[t as usize] = patch;
            if !self.uv.is_empty() {
                self.uv[h..h + 3].fill(Vec2::ZERO);
            }
            return t;
        }
        self.corner.extend(vertices);
        self.twin.extend([NONE; 3]);
        self.material.push(material);
        self.scar.push(0);
        self.patch.push(patch);
        if !self.uv.is_empty() {
            self.uv.extend([Vec2::ZERO; 3]);
        }
        self.material.len() as u32 - 1
    }

    /// Gives a triangle's slot back.
    pub(crate) fn free_triangle(&mut self, t: u32) {
        let h = 3 * t as usize;
        self.corner[h..h + 3].fill(NONE);
        self.twin[h..h + 3].fill(NONE);
        self.patch[t as usize] = NONE;
        self.free_triangles.push(t);
    }

    /// Gives a vertex's slot back.
    pub(crate) fn free_vertex(&mut self, v: u32) {
        self.out[v as usize] = NONE;
        self.vertex_flags[v as usize] = 0;
        self.free_vertices.push(v);
    }

    /// Moves a vertex and notes that it moved.
    #[inline]
    pub(crate) fn move_vertex(&mut self, v: u32, to: Vec3) {
        self.x[v as usize] = to;
        self.vertex_flags[v as usize] |= MOVED;
    }
}

/// See [`ClosedMesh::outgoing`].
#[derive(Clone)]
pub(crate) struct Outgoing<'a> {
    mesh: &'a ClosedMesh,
    first: u32,
    at: u32,
    left: usize,
}

impl Iterator for Outgoing<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.at == NONE || self.left == 0 {
            return None;
        }
        let h = self.at;
        self.left -= 1;
        self.at = self.mesh.twin(prev(h));
        if self.at == self.first {
            self.at = NONE;
        }
        Some(h)
    }
}
