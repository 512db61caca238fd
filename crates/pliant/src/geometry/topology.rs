//! What is in a mesh and what is wrong with it, in numbers and in plain words.
//!
//! Everything is counted on the mesh as it is indexed: vertices at the same place but with different numbers are
//! different vertices. Triangles that name a vertex twice have no edges or corners and take part in nothing but the
//! count of degenerate triangles.

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

use crate::geometry::{Mesh, bvh::Bvh};

/// How many self-intersecting pairs are looked for unless told otherwise: enough to judge, and a bound for broken files.
pub const SELF_INTERSECTION_LIMIT: usize = 100_000;

/// Triangles whose self-intersections are looked for between two checks of the limit.
const SEARCH_BLOCK: usize = 4096;

/// The analysis of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshReport {
    /// Vertices, used or not.
    pub vertex_count: usize,
    /// Vertices that no triangle uses.
    pub unused_vertex_count: usize,
    /// Triangles of any kind.
    pub triangle_count: usize,
    /// Triangles without area: a vertex named twice, or corners on one line.
    pub degenerate_triangle_count: usize,
    /// Triangles that repeat the three vertices of an earlier one, whichever way round.
    pub duplicate_triangle_count: usize,
    /// Pieces that share no vertex with each other.
    pub component_count: usize,
    /// Edges of just one triangle.
    pub boundary_edge_count: usize,
    /// Closed chains of boundary edges.
    pub hole_count: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edge_count: usize,
    /// Vertices where several separate fans of triangles meet in a point.
    pub pinched_vertex_count: usize,
    /// Edges whose two triangles do not agree on which side is outside.
    pub flipped_edge_count: usize,
    /// Pairs of triangles that pass through each other.
    pub self_intersecting_pair_count: usize,
    /// Triangles that take part in such a pair.
    pub self_intersecting_triangle_count: usize,
    /// Whether the search for such pairs went through the whole mesh or stopped at its limit.
    pub self_intersection_search_complete: bool,
    /// Used vertices − edges + triangles.
    pub euler_number: i64,
    /// Signed volume, m³; meaningful if `closed`.
    pub volume: f64,
    /// Surface area, m².
    pub area: f64,
    /// The box around the triangles, or `None` if there are none.
    pub bounds: Option<(Vec3, Vec3)>,
    /// Mean length of the edges, m, each counted once.
    pub mean_edge: f32,
}

impl MeshReport {
    /// Analyses a mesh whose indices and numbers are valid ([`Mesh::validate`]).
    pub fn new(mesh: &Mesh) -> Self {
        Self::with_limit(mesh, SELF_INTERSECTION_LIMIT)
    }

    /// As [`MeshReport::new`], but stops to look for self-intersections soon after `limit` pairs; zero: does not look.
    pub fn with_limit(mesh: &Mesh, limit: usize) -> Self {
        let proper: Vec<u32> = (0..mesh.triangles.len() as u32)
            .filter(|&t| {
                let [a, b, c] = mesh.triangles[t as usize];
                a != b && b != c && c != a
            })
            .collect();
        let used_vertex_count = {
            let mut used = vec![false; mesh.positions.len()];
            for &v in mesh.triangles.iter().flatten() {
                used[v as usize] = true;
            }
            used.into_iter().filter(|&u| u).count()
        };
        let edges = EdgeTable::new(mesh, &proper);
        let corners = Corners::new(mesh, &edges);
        let intersections = find_self_intersections(mesh, limit);
        Self {
            vertex_count: mesh.positions.len(),
            unused_vertex_count: mesh.positions.len() - used_vertex_count,
            triangle_count: mesh.triangles.len(),
            degenerate_triangle_count: (0..mesh.triangles.len())
                .filter(|&t| is_degenerate(corner_positions(mesh, t as u32)))
                .count(),
            duplicate_triangle_count: count_duplicates(mesh, &proper),
            component_count: count_components(mesh),
            boundary_edge_count: edges.iter().filter(|e| e.len() == 1).count(),
            hole_count: corners.count_holes(&edges),
            non_manifold_edge_count: edges.iter().filter(|e| e.len() > 2).count(),
            pinched_vertex_count: corners.count_pinched(mesh, &proper),
            flipped_edge_count: edges
                .iter()
                .filter(|e| e.len() == 2 && e[0].start(mesh) == e[1].start(mesh))
                .count(),
            self_intersecting_pair_count: intersections.pair_count,
            self_intersecting_triangle_count: intersections.triangle_count,
            self_intersection_search_complete: intersections.complete,
            euler_number: used_vertex_count as i64 - edges.iter().count() as i64
                + proper.len() as i64,
            volume: mesh.volume(),
            area: mesh.area(),
            bounds: mesh.bounds(),
            mean_edge: edges.mean_length(mesh),
        }
    }

    /// Whether the surface has no boundary.
    pub fn closed(&self) -> bool {
        self.triangle_count > 0 && self.boundary_edge_count == 0
    }

    /// Whether the surface looks like a (half) disc around each of its points.
    pub fn manifold(&self) -> bool {
        self.non_manifold_edge_count == 0 && self.pinched_vertex_count == 0
    }

    /// The number of handles of all pieces together; `None` unless the mesh is closed, manifold and consistently oriented.
    pub fn genus(&self) -> Option<i64> {
        let sound = self.closed() && self.manifold() && self.flipped_edge_count == 0;
        sound.then(|| self.component_count as i64 - self.euler_number / 2)
    }

    /// Whether nothing was found that could surprise.
    pub fn clean(&self) -> bool {
        self.problems().is_empty()
    }

    /// The report in plain words, one finding a line: first what the mesh is, then what is unusual about it and what
    /// Pliant does about that.
    pub fn findings(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{}, {}, {}",
            count(self.vertex_count, "vertex", "vertices"),
            count(self.triangle_count, "triangle", "triangles"),
            count(self.component_count, "piece", "pieces"),
        )];
        if let Some((lo, hi)) = self.bounds {
            let size = hi - lo;
            lines.push(format!(
                "size {:.4} × {:.4} × {:.4}, area {:.5}, mean edge {:.5}",
                size.x, size.y, size.z, self.area, self.mean_edge
            ));
        }
        if let Some(genus) = self.genus() {
            lines.push(format!(
                "closed and manifold, {}, volume {:.6}",
                count(genus.unsigned_abs() as usize, "handle", "handles"),
                self.volume.abs()
            ));
        } else if self.closed() {
            lines.push(format!("closed, volume {:.6}", self.volume.abs()));
        }
        lines.extend(self.problems());
        lines
    }

    /// What is unusual, one line each; empty for a mesh without defects.
    pub fn problems(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut note = |found: usize, one: &str, many: &str, consequence: &str| {
            if found > 0 {
                lines.push(format!("{}: {consequence}", count(found, one, many)));
            }
        };
        if self.boundary_edge_count > 0 {
            let edges = count(self.boundary_edge_count, "open edge", "open edges");
            note(
                self.hole_count,
                &format!("hole ({edges})"),
                &format!("holes ({edges})"),
                "inside and outside are told apart by winding numbers, which bridge holes; a tracked surface gets them closed, any other stays open",
            );
        }
        note(
            self.non_manifold_edge_count,
            "edge shared by more than two triangles",
            "edges shared by more than two triangles",
            "filling works, but a tracked surface needs these parted first",
        );
        note(
            self.pinched_vertex_count,
            "pinched vertex (separate fans of triangles meet in a point)",
            "pinched vertices (separate fans of triangles meet in a point)",
            "filling works, and a tracked surface gets one vertex for each fan",
        );
        note(
            self.flipped_edge_count,
            "edge between triangles that face opposite ways",
            "edges between triangles that face opposite ways",
            "inside and outside may be mixed up there; recalculate the normals in a modelling program",
        );
        let more = if self.self_intersection_search_complete {
            ""
        } else {
            ", at least"
        };
        note(
            self.self_intersecting_triangle_count,
            "triangle passes through another",
            &format!("triangles pass through each other{more}"),
            "overlaps count as inside; a tracked surface joins them",
        );
        note(
            self.duplicate_triangle_count,
            "duplicate triangle",
            "duplicate triangles",
            "kept, but one copy is enough",
        );
        note(
            self.degenerate_triangle_count,
            "triangle without area",
            "triangles without area",
            "ignored for inside and outside",
        );
        note(
            self.unused_vertex_count,
            "vertex not used by any triangle",
            "vertices not used by any triangle",
            "ignored",
        );
        if self.closed() && self.volume < 0.0 {
            lines.push("the mesh is inside out: it is taken the other way round".to_owned());
        }
        lines
    }
}

/// `1 hole`, `5 holes`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The corners of a triangle in f64.
fn corner_positions(mesh: &Mesh, triangle: u32) -> [DVec3; 3] {
    mesh.triangles[triangle as usize].map(|v| mesh.positions[v as usize].as_dvec3())
}

/// Whether the triangle's height is lost in the rounding of its corners.
fn is_degenerate([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a)
        .length_squared()
        .max((c - b).length_squared())
        .max((a - c).length_squared());
    (b - a).cross(c - a).length() <= 1e-10 * longest
}

/// One side of a triangle: from corner `corner % 3` of triangle `corner / 3` to the next corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Lower vertex in the high word, higher vertex in the low word: equal for the sides of one edge.
    key: u64,
    corner: u32,
}

impl Side {
    /// The vertex where the side starts, in the triangle's direction.
    fn start(self, mesh: &Mesh) -> u32 {
        mesh.triangles[self.corner as usize / 3][self.corner as usize % 3]
    }

    /// The corners at the lower and at the higher vertex of the edge.
    fn ends(self, mesh: &Mesh) -> [u32; 2] {
        let next = self.corner - self.corner % 3 + (self.corner + 1) % 3;
        if u64::from(self.start(mesh)) == self.key >> 32 {
            [self.corner, next]
        } else {
            [next, self.corner]
        }
    }
}

/// All sides, sorted so that those of one edge are neighbours.
struct EdgeTable {
    sides: Vec<Side>,
}

impl EdgeTable {
    fn new(mesh: &Mesh, proper: &[u32]) -> Self {
        let mut sides: Vec<Side> = proper
            .iter()
            .flat_map(|&t| {
                let vertices = mesh.triangles[t as usize];
                (0..3).map(move |i| {
                    let (a, b) = (vertices[i], vertices[(i + 1) % 3]);
                    Side {
                        key: u64::from(a.min(b)) << 32 | u64::from(a.max(b)),
                        corner: 3 * t + i as u32,
                    }
                })
            })
            .collect();
        sides.par_sort_unstable();
        Self { sides }
    }

    /// The sides of each edge.
    fn iter(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|a, b| a.key == b.key)
    }

    fn mean_length(&self, mesh: &Mesh) -> f32 {
        let (sum, number) = self.iter().fold((0.0, 0usize), |(sum, number), sides| {
            let key = sides[0].key;
            let [a, b] =
                [key >> 32, key & 0xffff_ffff].map(|v| mesh.positions[v as usize].as_dvec3());
            (sum + a.distance(b), number + 1)
        });
        (sum / number.max(1) as f64) as f32
    }
}

/// The corners of all triangles, joined to fans: two corners are in one fan if their triangles share an edge there.
struct Corners {
    fan: Vec<u32>,
}

impl Corners {
    fn new(mesh: &Mesh, edges: &EdgeTable) -> Self {
        let mut sets = DisjointSets::new(3 * mesh.triangles.len());
        for sides in edges.iter() {
            let ends = sides[0].ends(mesh);
            for side in &sides[1..] {
                let other = side.ends(mesh);
                sets.join(ends[0], other[0]);
                sets.join(ends[1], other[1]);
            }
        }
        Self {
            fan: sets.into_labels(),
        }
    }

    /// Vertices with more than one fan.
    fn count_pinched(&self, mesh: &Mesh, proper: &[u32]) -> usize {
        let mut fans: Vec<(u32, u32)> = proper
            .iter()
            .flat_map(|&t| {
                let vertices = mesh.triangles[t as usize];
                (0..3).map(move |i| (vertices[i as usize], self.fan[(3 * t + i) as usize]))
            })
            .collect();
        fans.par_sort_unstable();
        fans.dedup();
        fans.chunk_by(|a, b| a.0 == b.0)
            .filter(|fans_of_vertex| fans_of_vertex.len() > 1)
            .count()
    }

    /// Chains of boundary edges. Edges are linked through fans, not vertices: as if pinched vertices were parted.
    fn count_holes(&self, edges: &EdgeTable) -> usize {
        let next = |corner: u32| corner - corner % 3 + (corner + 1) % 3;
        let mut sets = DisjointSets::new(self.fan.len());
        let mut on_boundary: Vec<u32> = Vec::new();
        for side in edges.iter().filter(|e| e.len() == 1).map(|e| e[0]) {
            let ends = [side.corner, next(side.corner)].map(|c| self.fan[c as usize]);
            sets.join(ends[0], ends[1]);
            on_boundary.push(ends[0]);
        }
        let mut chains: Vec<u32> = on_boundary.into_iter().map(|f| sets.find(f)).collect();
        chains.sort_unstable();
        chains.dedup();
        chains.len()
    }
}

/// Disjoint sets over `0..count`, each known by its lowest member.
pub(super) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(count: usize) -> Self {
        Self {
            parent: (0..count as u32).collect(),
        }
    }

    pub(super) fn find(&mut self, mut item: u32) -> u32 {
        while self.parent[item as usize] != item {
            let grandparent = self.parent[self.parent[item as usize] as usize];
            self.parent[item as usize] = grandparent;
            item = grandparent;
        }
        item
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    pub(super) fn into_labels(mut self) -> Vec<u32> {
        (0..self.parent.len() as u32)
            .map(|item| self.find(item))
            .collect()
    }
}

/// Pieces of the mesh connected through vertices.
fn count_components(mesh: &Mesh) -> usize {
    let mut sets = DisjointSets::new(mesh.positions.len());
    for &[a, b, c] in &mesh.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut labels: Vec<u32> = mesh.triangles.iter().map(|t| sets.find(t[0])).collect();
    labels.par_sort_unstable();
    labels.dedup();
    labels.len()
}

/// Triangles beyond the first over the same three vertices.
fn count_duplicates(mesh: &Mesh, proper: &[u32]) -> usize {
    let mut keys: Vec<[u32; 3]> = proper
        .iter()
        .map(|&t| {
            let mut key = mesh.triangles[t as usize];
            key.sort_unstable();
            key
        })
        .collect();
    keys.par_sort_unstable();
    let before = keys.len();
    keys.dedup();
    before - keys.len()
}

/// What [`find_self_intersections`] found.
struct SelfIntersections {
    pair_count: usize,
    triangle_count: usize,
    complete: bool,
}

/// Looks for pairs of triangles that pass through each other. Pairs that share an edge are never counted.
fn find_self_intersections(mesh: &Mesh, limit: usize) -> SelfIntersections {
    let triangle_count = mesh.triangles.len();
    let tree = Bvh::of_triangles(mesh);
    let mut involved = vec![false; triangle_count];
    let mut pair_count = 0;
    let mut block_start = 0;
    // Blocks of fixed size, so that where the search stops does not depend on the threads.
    while block_start < triangle_count && pair_count < limit {
        let block_end = triangle_count.min(block_start + SEARCH_BLOCK);
        let pairs: Vec<(u32, u32)> = (block_start as u32..block_end as u32)
            .into_par_iter()
            .with_min_len(64)
            .flat_map_iter(|t| partners(mesh, &tree, t).into_iter().map(move |u| (t, u)))
            .collect();
        pair_count += pairs.len();
        for (t, u) in pairs {
            involved[t as usize] = true;
            involved[u as usize] = true;
        }
        block_start = block_end;
    }
    SelfIntersections {
        pair_count,
        triangle_count: involved.into_iter().filter(|&i| i).count(),
        complete: block_start >= triangle_count,
    }
}

/// The triangles with a number above `t` that pass through triangle `t`.
fn partners(mesh: &Mesh, tree: &Bvh, t: u32) -> Vec<u32> {
    let [a, b, c] = mesh.triangles[t as usize].map(|v| mesh.positions[v as usize]);
    let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
    let mut found = Vec::new();
    tree.for_each_in_box(lo, hi, |u| {
        if u > t && pass_through(mesh, t, u) {
            found.push(u);
        }
    });
    found
}

/// Whether two triangles have more in common than the vertices they share.
fn pass_through(mesh: &Mesh, t: u32, u: u32) -> bool {
    let (vertices, other_vertices) = (mesh.triangles[t as usize], mesh.triangles[u as usize]);
    let (corners, other_corners) = (corner_positions(mesh, t), corner_positions(mesh, u));
    if is_degenerate(corners) || is_degenerate(other_corners) {
        return false;
    }
    let shared = |i: usize| other_vertices.iter().position(|v| *v == vertices[i]);
    let mut pairs = (0..3).filter_map(|i| shared(i).map(|j| (i, j)));
    match (pairs.next(), pairs.next()) {
        (None, _) => triangles_meet(corners, other_corners),
        // With a corner in common they pass through each other if the side opposite to it, of either, pierces the other.
        (Some((i, j)), None) => {
            let opposite = |c: [DVec3; 3], k: usize| [c[(k + 1) % 3], c[(k + 2) % 3]];
            segment_pierces(opposite(corners, i), other_corners)
                || segment_pierces(opposite(other_corners, j), corners)
        }
        _ => false,
    }
}

/// Six times the signed volume of a tetrahedron: positive if `d` lies on the side of `a b c` it is seen clockwise from.
///
/// In f64 from f32 corners; the rounding is far below what the corners themselves carry.
fn orient(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    (a - d).dot((b - d).cross(c - d))
}

/// Whether two triangles without a common vertex touch or cross.
fn triangles_meet(t: [DVec3; 3], u: [DVec3; 3]) -> bool {
    let [a, b, c] = t;
    let sides = u.map(|p| orient(a, b, c, p));
    if sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0) {
        return false;
    }
    if sides == [0.0; 3] {
        return coplanar_triangles_meet(t, u);
    }
    let edges = |c: [DVec3; 3]| [[c[0], c[1]], [c[1], c[2]], [c[2], c[0]]];
    edges(u).into_iter().any(|edge| segment_pierces(edge, t))
        || edges(t).into_iter().any(|edge| segment_pierces(edge, u))
}

/// Whether a segment that is not in the plane of the triangle goes through it.
fn segment_pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (from, to) = (orient(a, b, c, p), orient(a, b, c, q));
    if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) || (from == 0.0 && to == 0.0) {
        return false;
    }
    let turns = [orient(p, q, a, b), orient(p, q, b, c), orient(p, q, c, a)];
    turns.iter().all(|&s| s >= 0.0) || turns.iter().all(|&s| s <= 0.0)
}

/// Whether two triangles of one plane overlap.
fn coplanar_triangles_meet(t: [DVec3; 3], u: [DVec3; 3]) -> bool {
    // Along the axis the plane faces most, the projection keeps all that matters.
    let axis = (t[1] - t[0]).cross(t[2] - t[0]).abs().max_position();
    let flat = |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
    let (t, u) = (t.map(flat), u.map(flat));
    // Separating axes: convex shapes of a plane are disjoint if and only if an edge of one parts them.
    let parted = |s: [DVec2; 3], other: [DVec2; 3]| {
        (0..3).any(|i| {
            let (a, b, c) = (s[i], s[(i + 1) % 3], s[(i + 2) % 3]);
            let inner = (b - a).perp_dot(c - a);
            other
                .iter()
                .all(|&p| (b - a).perp_dot(p - a) * inner <= 0.0)
        })
    };
    !parted(t, u) && !parted(u, t)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A sphere of latitude rings and longitude segments, closed, one vertex at each pole.
    pub(crate) fn sphere(rings: u32, segments: u32, radius: f32) -> Mesh {
        let mut positions = vec![Vec3::Y * radius];
        for ring in 1..rings {
            let (sin, cos) = libm::sincosf(std::f32::consts::PI * ring as f32 / rings as f32);
            for segment in 0..segments {
                let angle = std::f32::consts::TAU * segment as f32 / segments as f32;
                let (s, c) = libm::sincosf(angle);
                positions.push(Vec3::new(sin * s, cos, sin * c) * radius);
            }
        }
        positions.push(Vec3::NEG_Y * radius);
        let last = positions.len() as u32 - 1;
        let at = |ring: u32, segment: u32| 1 + (ring - 1) * segments + segment % segments;
        let mut triangles = Vec::new();
        for s in 0..segments {
            triangles.push([0, at(1, s), at(1, s + 1)]);
            for ring in 1..rings - 1 {
                let [a, b] = [at(ring, s), at(ring, s + 1)];
                let [c, d] = [at(ring + 1, s), at(ring + 1, s + 1)];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
            triangles.push([at(rings - 1, s), last, at(rings - 1, s + 1)]);
        }
        Mesh {
            positions,
            triangles,
            ..Mesh::default()
        }
    }

    /// A closed torus.
    pub(crate) fn torus(n: u32, m: u32) -> Mesh {
        let mut mesh = Mesh::default();
        for i in 0..n {
            for j in 0..m {
                let (s, c) = libm::sincosf(std::f32::consts::TAU * i as f32 / n as f32);
                let (sj, cj) = libm::sincosf(std::f32::consts::TAU * j as f32 / m as f32);
                let ring = 1.0 + 0.3 * cj;
                mesh.positions.push(Vec3::new(c * ring, sj * 0.3, s * ring));
                let at = |i: u32, j: u32| (i % n) * m + j % m;
                let [a, b] = [at(i, j), at(i, j + 1)];
                let [c, d] = [at(i + 1, j), at(i + 1, j + 1)];
                mesh.triangles.extend([[a, b, c], [c, b, d]]);
            }
        }
        mesh
    }

    pub(crate) fn append(mesh: &mut Mesh, other: &Mesh, offset: Vec3) {
        let first = mesh.positions.len() as u32;
        mesh.positions
            .extend(other.positions.iter().map(|&p| p + offset));
        mesh.triangles
            .extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// A sphere has no defect and no handle, a torus one handle, two tori two.
    #[test]
    fn clean_meshes() {
        let report = MeshReport::new(&sphere(12, 24, 1.0));
        assert!(report.clean(), "{:?}", report.problems());
        assert!(report.closed() && report.manifold());
        assert_eq!(report.euler_number, 2);
        assert_eq!(report.genus(), Some(0));
        assert!(report.volume > 3.9 && report.volume < 4.19);
        let mut tori = torus(16, 12);
        assert!(tori.volume() > 0.0);
        assert_eq!(MeshReport::new(&tori).genus(), Some(1));
        let copy = tori.clone();
        append(&mut tori, &copy, Vec3::X * 5.0);
        let report = MeshReport::new(&tori);
        assert_eq!((report.component_count, report.genus()), (2, Some(2)));
        assert_eq!(report.findings().len(), 3);
    }

    /// Holes are counted by their loops; two that touch in a vertex are one loop, as parting that vertex joins them.
    #[test]
    fn holes() {
        let mut mesh = sphere(12, 24, 1.0);
        mesh.triangles
            .retain(|t| !t.contains(&0) && !t.contains(&(12 * 24 - 24 + 1)));
        let report = MeshReport::new(&mesh);
        assert_eq!((report.hole_count, report.boundary_edge_count), (2, 48));
        assert_eq!((report.unused_vertex_count, report.genus()), (2, None));
        assert!(!report.closed() && report.manifold());
        // These two triangles around the pole meet only there.
        let mut mesh = sphere(12, 24, 1.0);
        let pole: Vec<usize> = (0..mesh.triangles.len())
            .filter(|&t| mesh.triangles[t][0] == 0)
            .collect();
        mesh.triangles.remove(pole[12]);
        mesh.triangles.remove(pole[0]);
        let report = MeshReport::new(&mesh);
        assert_eq!((report.hole_count, report.boundary_edge_count), (1, 6));
        assert_eq!(report.pinched_vertex_count, 1);
    }

    /// Two spheres joined in one vertex have one pinched vertex and Euler number three.
    #[test]
    fn pinched_vertex() {
        let mut mesh = sphere(8, 16, 1.0);
        let top = mesh.positions.len() as u32;
        let other = mesh.clone();
        append(&mut mesh, &other, Vec3::NEG_Y * 2.0);
        // The upper pole of the lower sphere becomes the lower pole of the upper one.
        for v in mesh.triangles.iter_mut().flatten() {
            if *v == top {
                *v = top - 1;
            }
        }
        let report = MeshReport::new(&mesh);
        assert_eq!(report.pinched_vertex_count, 1);
        assert_eq!(report.component_count, 1);
        assert_eq!(report.euler_number, 3);
        assert!(report.closed() && !report.manifold());
        assert_eq!(report.unused_vertex_count, 1);
    }

    /// Flipped, duplicate and degenerate triangles and fins are counted.
    #[test]
    fn defects() {
        let mut mesh = sphere(8, 16, 1.0);
        mesh.triangles[40].swap(0, 1);
        assert_eq!(MeshReport::new(&mesh).flipped_edge_count, 3);
        mesh.triangles[40].swap(0, 1);
        let [a, b, c] = mesh.triangles[40];
        mesh.triangles.push([a, a, b]);
        assert_eq!(MeshReport::new(&mesh).degenerate_triangle_count, 1);
        mesh.triangles.push([c, b, a]);
        let report = MeshReport::new(&mesh);
        assert_eq!(report.duplicate_triangle_count, 1);
        assert_eq!(report.non_manifold_edge_count, 3);
        let mut inside_out = sphere(8, 16, 1.0);
        inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert_eq!(MeshReport::new(&inside_out).problems().len(), 1);
    }

    /// Overlapping spheres pass through each other along their circle; separate ones do not. The limit ends the search.
    #[test]
    fn self_intersections() {
        let ball = sphere(40, 80, 1.0);
        let mut mesh = ball.clone();
        append(&mut mesh, &ball, Vec3::new(0.51, 0.13, 0.07));
        let report = MeshReport::new(&mesh);
        assert!(report.self_intersecting_triangle_count > 200);
        assert!(report.self_intersecting_triangle_count < 1000);
        assert!(report.self_intersection_search_complete);
        assert!(!MeshReport::with_limit(&mesh, 1).self_intersection_search_complete);
        assert_eq!(
            MeshReport::with_limit(&mesh, 0).self_intersecting_pair_count,
            0
        );
        let mut apart = ball.clone();
        append(&mut apart, &ball, Vec3::X * 2.1);
        assert_eq!(MeshReport::new(&apart).self_intersecting_pair_count, 0);
    }

    /// The triangle test knows crossing, missing, piercing, coplanar and touching pairs.
    #[test]
    fn triangle_pairs() {
        let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let base = [v(0., 0., 0.), v(2., 0., 0.), v(0., 2., 0.)];
        let through = [v(0.5, 0.5, -1.), v(0.5, 0.5, 1.), v(5., 5., 0.5)];
        assert!(triangles_meet(base, through));
        let beside = through.map(|p| p + v(2., 2., 0.));
        assert!(!triangles_meet(base, beside));
        let above = base.map(|p| p + DVec3::Z);
        assert!(!triangles_meet(base, above));
        let slid = base.map(|p| p + v(0.5, 0.5, 0.));
        assert!(triangles_meet(base, slid));
        let far = base.map(|p| p + v(3., 0., 0.));
        assert!(!triangles_meet(base, far));
        let inner = base.map(|p| p * 0.1 + v(0.3, 0.3, 0.));
        assert!(triangles_meet(base, inner) && triangles_meet(inner, base));
    }

    /// A mesh without triangles gives a report too.
    #[test]
    fn empty_mesh() {
        let report = MeshReport::new(&Mesh::default());
        assert!(!report.closed());
        assert_eq!(report.genus(), None);
        assert_eq!(report.findings().len(), 1);
    }
}
