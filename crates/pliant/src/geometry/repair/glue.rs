//! Glues triangles together along their sides, so that each side has one partner at most, and gives vertices to the fans
//! that come about.

use glam::{DVec3, Vec2};

use crate::geometry::topology::DisjointSets;

use super::{Draft, NONE, Side, edge_key, edges, next, sides};

/// Makes edges and vertices manifold and neighbours face the same way. Holes may be left, and come about.
pub(super) fn make_manifold(draft: &mut Draft) {
    let sides = sides(&draft.mesh);
    let mut glue = Glue::new(draft, &sides);
    glue.orient(draft);
    glue.pair_crowded(draft, &sides);
    glue.part_vertices(draft);
    while glue.halve_doubled(draft) {}
}

/// Which sides are glued together.
struct Glue {
    /// The other side, or `NONE`, for each side, known by the corner where it begins.
    partner: Vec<u32>,
    /// A number for each triangle, equal if a path over edges of two triangles leads from one to the other.
    patch: Vec<u32>,
    /// Triangles that were turned: their sides have other numbers than before.
    turned: Vec<bool>,
    /// Vertices at the end of an edge that was parted or cut.
    touched: Vec<bool>,
}

impl Glue {
    /// Glues the sides of edges with two triangles.
    fn new(draft: &Draft, sides: &[Side]) -> Self {
        let triangle_count = draft.mesh.triangles.len();
        let mut partner = vec![NONE; 3 * triangle_count];
        for edge in edges(sides).filter(|edge| edge.len() == 2) {
            partner[edge[0].corner as usize] = edge[1].corner;
            partner[edge[1].corner as usize] = edge[0].corner;
        }
        Self {
            partner,
            patch: vec![NONE; triangle_count],
            turned: vec![false; triangle_count],
            touched: vec![false; draft.mesh.positions.len()],
        }
    }

    /// The number a side has after the turning of triangles.
    fn renumbered(&self, corner: u32) -> u32 {
        // Corners 0 and 2 are swapped: side 0 becomes side 1 the other way round, side 1 side 0, side 2 stays.
        match corner % 3 {
            i @ (0 | 1) if self.turned[corner as usize / 3] => corner - i + 1 - i,
            _ => corner,
        }
    }

    fn unglue(&mut self, side: u32) {
        let other = self.partner[side as usize];
        self.partner[side as usize] = NONE;
        if other != NONE {
            self.partner[other as usize] = NONE;
        }
    }

    fn join(&mut self, a: u32, b: u32) {
        self.partner[a as usize] = b;
        self.partner[b as usize] = a;
    }

    /// Turns triangles so that neighbours face the same way, as few as possible in each patch. Where a path around the
    /// surface leads to the other side of it, it is cut.
    fn orient(&mut self, draft: &mut Draft) {
        let triangle_count = draft.mesh.triangles.len();
        let start = |corner: u32| draft.mesh.triangles[corner as usize / 3][corner as usize % 3];
        let mut cut_edges = 0;
        let mut members: Vec<u32> = Vec::new();
        for seed in 0..triangle_count as u32 {
            if self.patch[seed as usize] != NONE {
                continue;
            }
            members.clear();
            members.push(seed);
            self.patch[seed as usize] = seed;
            let mut visited = 0;
            while let Some(&t) = members.get(visited) {
                visited += 1;
                for side in 3 * t..3 * t + 3 {
                    let other = self.partner[side as usize];
                    if other == NONE {
                        continue;
                    }
                    let neighbour = other as usize / 3;
                    // The sides of an edge begin at different vertices where the triangles agree.
                    let agree = start(side) != start(other);
                    let turn = self.turned[t as usize] ^ !agree;
                    if self.patch[neighbour] == NONE {
                        self.patch[neighbour] = seed;
                        self.turned[neighbour] = turn;
                        members.push(neighbour as u32);
                    } else if self.turned[neighbour] != turn {
                        cut_edges += 1;
                        self.touched[start(side) as usize] = true;
                        self.touched[start(next(side)) as usize] = true;
                        self.unglue(side);
                    }
                }
            }
            let turned = members.iter().filter(|&&t| self.turned[t as usize]).count();
            if 2 * turned > members.len() {
                for &t in &members {
                    self.turned[t as usize] ^= true;
                }
            }
        }
        draft.report.cut_edges = cut_edges;
        let mut partner = vec![NONE; self.partner.len()];
        for side in 0..self.partner.len() as u32 {
            let other = self.partner[side as usize];
            if other != NONE {
                partner[self.renumbered(side) as usize] = self.renumbered(other);
            }
        }
        self.partner = partner;
        for t in 0..triangle_count {
            if self.turned[t] {
                draft.turn(t);
            }
        }
    }

    /// Glues the sides of edges with more than two triangles in pairs that have solid between them.
    fn pair_crowded(&mut self, draft: &mut Draft, sides: &[Side]) {
        for edge in edges(sides).filter(|edge| edge.len() > 2) {
            draft.report.parted_edges += 1;
            for end in edge[0].ends() {
                self.touched[end as usize] = true;
            }
            let mut around: Vec<Spoke> = {
                let corners = edge.iter().map(|side| self.renumbered(side.corner));
                spokes(draft, edge[0].ends(), corners)
            };
            // A patch that has one beginning and one end here would be closed but for what it touches.
            let mut by_patch: Vec<(u32, usize)> = around
                .iter()
                .enumerate()
                .map(|(i, spoke)| (self.patch[spoke.side as usize / 3], i))
                .collect();
            by_patch.sort_unstable();
            for patch in by_patch.chunk_by(|a, b| a.0 == b.0) {
                if let &[(_, i), (_, j)] = patch
                    && around[i].begins != around[j].begins
                {
                    self.join(around[i].side, around[j].side);
                    around[i].glued = true;
                    around[j].glued = true;
                }
            }
            // Solid wedges nest like brackets, and the order is cyclic: the second round closes what the first began.
            let mut begun: Vec<usize> = Vec::new();
            for round in 0..2 {
                for i in 0..around.len() {
                    if around[i].glued {
                        continue;
                    }
                    if around[i].begins {
                        if round == 0 {
                            begun.push(i);
                        }
                    } else if let Some(j) = begun.pop() {
                        self.join(around[i].side, around[j].side);
                        around[i].glued = true;
                        around[j].glued = true;
                    }
                }
            }
        }
    }

    /// Gives each fan of triangles a vertex of its own. The first fan of a vertex keeps it.
    fn part_vertices(&self, draft: &mut Draft) {
        let mut fans = DisjointSets::new(self.partner.len());
        for side in 0..self.partner.len() as u32 {
            let other = self.partner[side as usize];
            if other != NONE {
                fans.join(side, next(other));
                fans.join(next(side), other);
            }
        }
        let fans = fans.into_labels();
        let vertex_count = draft.mesh.positions.len();
        let mut vertex_of_fan = vec![NONE; fans.len()];
        let mut taken = vec![false; vertex_count];
        let mut split = vec![false; vertex_count];
        for corner in 0..fans.len() {
            let vertex = draft.mesh.triangles[corner / 3][corner % 3];
            let fan = fans[corner] as usize;
            if vertex_of_fan[fan] == NONE {
                let first = !std::mem::replace(&mut taken[vertex as usize], true);
                vertex_of_fan[fan] = if first {
                    vertex
                } else {
                    split[vertex as usize] |= !self.touched[vertex as usize];
                    draft.push_copy(vertex)
                };
            }
            draft.mesh.triangles[corner / 3][corner % 3] = vertex_of_fan[fan];
        }
        draft.report.split_vertices = split.iter().filter(|&&s| s).count();
    }

    /// Where several edges have the same two ends, puts a vertex in the middle of all but the first. Returns whether there
    /// may be more to do.
    fn halve_doubled(&mut self, draft: &mut Draft) -> bool {
        let sides = sides(&draft.mesh);
        let mut busy = vec![false; draft.mesh.triangles.len()];
        let mut found = false;
        for edge in edges(&sides).filter(|edge| edge.len() > 1) {
            let kept = edge[0].corner;
            for side in edge[1..].iter().map(|side| side.corner) {
                let other = self.partner[side as usize];
                // Each pair once, from its lower side.
                if other == kept || (other != NONE && other < side) {
                    continue;
                }
                found = true;
                let others_triangle = if other == NONE { side / 3 } else { other / 3 };
                // A triangle that is new or whose sides have other numbers by now waits for the next round.
                let waits = |t: u32| busy.get(t as usize).copied().unwrap_or(true);
                if waits(side / 3) || waits(others_triangle) {
                    continue;
                }
                busy[side as usize / 3] = true;
                busy[others_triangle as usize] = true;
                self.halve(draft, side);
                draft.report.halved_edges += 1;
            }
        }
        found
    }

    /// Puts a vertex in the middle of an edge.
    fn halve(&mut self, draft: &mut Draft, side: u32) {
        let other = self.partner[side as usize];
        let start = |corner: u32| draft.mesh.triangles[corner as usize / 3][corner as usize % 3];
        let middle = draft.push_mean(&[start(side), start(next(side))]);
        let new_side = self.halve_triangle(draft, side, middle);
        if other != NONE {
            let new_other = self.halve_triangle(draft, other, middle);
            self.join(side, new_other);
            self.join(other, new_side);
        }
    }

    /// Cuts a triangle from the middle of a side to the opposite corner. The triangle keeps the first half of the side;
    /// returns the second half.
    fn halve_triangle(&mut self, draft: &mut Draft, side: u32, middle: u32) -> u32 {
        let (t, i) = (side as usize / 3, side as usize % 3);
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let corners = draft.mesh.triangles[t];
        let mut uvs = [Vec2::ZERO; 3];
        if let Some(own) = draft.mesh.corner_uvs.get_mut(t) {
            let halfway = own[i].midpoint(own[j]);
            uvs = [halfway, own[j], own[k]];
            own[j] = halfway;
        }
        draft.mesh.triangles[t][j] = middle;
        let first = 3 * draft.mesh.triangles.len() as u32;
        draft.push_like(t, [middle, corners[j], corners[k]], uvs);
        self.partner.extend([NONE; 3]);
        // The side after the cut one is now the new triangle's; in its place is the cut.
        let moved = (3 * t + j) as u32;
        let beyond = self.partner[moved as usize];
        if beyond != NONE {
            self.join(first + 1, beyond);
        }
        self.join(moved, first + 2);
        first
    }
}

/// A side of a crowded edge, as seen along the edge.
struct Spoke {
    angle: f64,
    /// The solid is on the side of larger angles.
    begins: bool,
    side: u32,
    glued: bool,
}

/// The sides of an edge by the angle of their triangles around it. At equal angles what ends comes before what begins, so
/// that solids which touch stay apart.
fn spokes(draft: &Draft, ends: [u32; 2], sides: impl Iterator<Item = u32>) -> Vec<Spoke> {
    let [origin, end] = ends.map(|v| draft.position(v));
    let axis = (end - origin).normalize_or_zero();
    let mut reference: Option<(DVec3, DVec3)> = None;
    let mut spokes: Vec<Spoke> = sides
        .map(|side| {
            let corners = draft.mesh.triangles[side as usize / 3];
            let apex = corners[(side as usize + 2) % 3];
            debug_assert_eq!(
                edge_key(ends[0], ends[1]),
                edge_key(corners[side as usize % 3], corners[(side as usize + 1) % 3])
            );
            let arm = draft.position(apex) - origin;
            let across = (arm - axis * arm.dot(axis)).normalize_or_zero();
            if reference.is_none() && across != DVec3::ZERO {
                reference = Some((across, axis.cross(across)));
            }
            let angle = reference.map_or(0.0, |(u, v)| libm::atan2(across.dot(v), across.dot(u)));
            Spoke {
                angle,
                begins: corners[side as usize % 3] != ends[0],
                side,
                glued: false,
            }
        })
        .collect();
    spokes.sort_by(|a, b| {
        (a.angle.total_cmp(&b.angle))
            .then(a.begins.cmp(&b.begins))
            .then(a.side.cmp(&b.side))
    });
    spokes
}
