//! Closes holes.
//!
//! By now every vertex has one fan, so that the open edges form simple loops which share no vertex. A loop is closed by
//! cutting off ears, short ones first, that look like part of a plane polygon where there are such. A diagonal that is an
//! edge already is never drawn; if that leaves no ear, or the loop is huge, a fan around a new vertex closes the rest,
//! which is always possible.

use std::collections::BTreeSet;

use glam::{DVec2, DVec3, Vec2};

use super::{Draft, NONE, edge_key, edges, next, sides};

/// Longest loop of which ears are cut off; the time grows with the square.
const EARS_LIMIT: usize = 8192;

/// Longest loop whose ears are tested for other vertices in them; the time grows with the cube at worst.
const EMPTY_LIMIT: usize = 512;

pub(super) fn fill_holes(draft: &mut Draft) {
    let sides = sides(&draft.mesh);
    let start = |corner: u32| draft.mesh.triangles[corner as usize / 3][corner as usize % 3];
    // The open side that begins at each vertex.
    let mut side_from = vec![NONE; draft.mesh.positions.len()];
    let mut any = false;
    for edge in edges(&sides).filter(|edge| edge.len() == 1) {
        side_from[start(edge[0].corner) as usize] = edge[0].corner;
        any = true;
    }
    if !any {
        return;
    }
    let mut loop_of = vec![NONE; side_from.len()];
    let mut loops: Vec<Vec<u32>> = Vec::new();
    for first in 0..side_from.len() as u32 {
        let mut corners = Vec::new();
        let mut vertex = first;
        while side_from[vertex as usize] != NONE && loop_of[vertex as usize] == NONE {
            loop_of[vertex as usize] = loops.len() as u32;
            corners.push(side_from[vertex as usize]);
            vertex = start(next(side_from[vertex as usize]));
        }
        if !corners.is_empty() {
            loops.push(corners);
        }
    }
    let chords: BTreeSet<u64> = edges(&sides)
        .filter(|edge| {
            let [a, b] = edge[0].ends().map(|v| loop_of[v as usize]);
            a == b && a != NONE
        })
        .map(|edge| edge[0].key)
        .collect();
    for (hole, corners) in (0u32..).zip(&loops) {
        fill_loop(draft, hole, corners, &chords);
    }
}

/// Closes the hole whose open sides are given, each going on where the one before ends.
fn fill_loop(draft: &mut Draft, hole: u32, corners: &[u32], chords: &BTreeSet<u64>) {
    let texture = Texture::new(draft, corners);
    // The other way round: from the hole's side, the loop is a polygon that faces outward.
    let ring: Vec<u32> = corners
        .iter()
        .rev()
        .map(|&c| draft.mesh.triangles[c as usize / 3][c as usize % 3])
        .collect();
    let mut polygon = Polygon::new(draft, ring);
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut drawn: BTreeSet<u64> = BTreeSet::new();
    if polygon.count <= EARS_LIMIT {
        while polygon.count > 3 {
            let Some(ear) = polygon.best_ear(|key| chords.contains(&key) || drawn.contains(&key))
            else {
                break;
            };
            let [a, b, c] = polygon.ear(ear);
            drawn.insert(edge_key(a, c));
            triangles.push([a, b, c]);
            polygon.cut(ear);
        }
    }
    let rest = polygon.rest();
    if let &[a, b, c] = rest.as_slice() {
        triangles.push([a, b, c]);
    } else {
        let center = draft.push_mean(&rest);
        let ends = rest.iter().zip(rest.iter().cycle().skip(1));
        triangles.extend(ends.map(|(&a, &b)| [a, b, center]));
    }
    let model = corners[0] as usize / 3;
    for triangle in triangles {
        let uvs = triangle.map(|v| texture.at(draft.position(v)));
        draft.push_like(model, triangle, uvs);
        if let Some(trace) = draft.traces.last_mut() {
            trace.hole = hole;
            trace.turned = false;
        }
    }
}

/// Twice the area vector of a closed polygon.
fn area_vector(points: &[DVec3]) -> DVec3 {
    let origin = points.first().copied().unwrap_or_default();
    let next = points.iter().cycle().skip(1);
    points
        .iter()
        .zip(next)
        .map(|(&a, &b)| (a - origin).cross(b - origin))
        .sum()
}

/// What is left of a loop.
struct Polygon {
    vertices: Vec<u32>,
    points: Vec<DVec3>,
    /// Neighbours that are left.
    before: Vec<usize>,
    after: Vec<usize>,
    left: Vec<bool>,
    /// How good each ear is: the lower the better.
    costs: Vec<(bool, f64)>,
    normal: DVec3,
    count: usize,
    /// With so many vertices left, all ears may be judged again.
    judge_again_at: usize,
}

impl Polygon {
    fn new(draft: &Draft, vertices: Vec<u32>) -> Self {
        let count = vertices.len();
        let points: Vec<DVec3> = vertices.iter().map(|&v| draft.position(v)).collect();
        let mut polygon = Self {
            before: (0..count).map(|i| (i + count - 1) % count).collect(),
            after: (0..count).map(|i| (i + 1) % count).collect(),
            left: vec![true; count],
            costs: vec![(true, 0.0); count],
            normal: area_vector(&points).normalize_or_zero(),
            vertices,
            points,
            count,
            judge_again_at: count,
        };
        if count > 3 && count <= EARS_LIMIT {
            polygon.judge_all();
        }
        polygon
    }

    fn judge_all(&mut self) {
        for i in 0..self.vertices.len() {
            if self.left[i] {
                self.costs[i] = self.cost(i);
            }
        }
    }

    /// Whether the ear would overlap with the rest of the polygon, seen along its normal, and how long its diagonal is.
    fn cost(&self, i: usize) -> (bool, f64) {
        let (h, j) = (self.before[i], self.after[i]);
        let [a, b, c] = [h, i, j].map(|k| self.points[k]);
        let left_of = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).dot(self.normal);
        let overlaps = left_of(a, b, c) <= 0.0
            || (self.vertices.len() <= EMPTY_LIMIT
                && (0..self.points.len()).any(|k| {
                    let p = self.points[k];
                    self.left[k]
                        && ![h, i, j].contains(&k)
                        && p != a
                        && p != c
                        && left_of(a, b, p) >= 0.0
                        && left_of(b, c, p) >= 0.0
                        && left_of(c, a, p) >= 0.0
                }));
        (overlaps, a.distance_squared(c))
    }

    /// The best ear whose diagonal is not taken.
    fn best_ear(&mut self, taken: impl Fn(u64) -> bool) -> Option<usize> {
        let best = self.search(&taken)?;
        let stale = self.costs[best].0 && self.count <= self.judge_again_at;
        if !stale || self.vertices.len() > EMPTY_LIMIT {
            return Some(best);
        }
        // What lay in an ear may have been cut off since. If not, it takes more cuts until another look is worth its time.
        self.judge_all();
        let best = self.search(&taken)?;
        if self.costs[best].0 {
            self.judge_again_at = self.count - self.count / 4;
        }
        Some(best)
    }

    fn search(&self, taken: &impl Fn(u64) -> bool) -> Option<usize> {
        let mut best: Option<usize> = None;
        for i in (0..self.vertices.len()).filter(|&i| self.left[i]) {
            let better = best.is_none_or(|best| self.costs[i] < self.costs[best]);
            // Whether the diagonal is there takes longest to find out, so it is asked last.
            if better {
                let [a, _, c] = self.ear(i);
                if !taken(edge_key(a, c)) {
                    best = Some(i);
                }
            }
        }
        best
    }

    fn ear(&self, i: usize) -> [u32; 3] {
        [self.before[i], i, self.after[i]].map(|k| self.vertices[k])
    }

    fn cut(&mut self, i: usize) {
        let (h, j) = (self.before[i], self.after[i]);
        self.left[i] = false;
        self.after[h] = j;
        self.before[j] = h;
        self.count -= 1;
        self.costs[h] = self.cost(h);
        self.costs[j] = self.cost(j);
    }

    /// The vertices that are left.
    fn rest(&self) -> Vec<u32> {
        let left = (0..self.vertices.len()).filter(|&i| self.left[i]);
        left.map(|i| self.vertices[i]).collect()
    }
}

/// Texture coordinates for a hole: its plane, at the scale and the place of the triangles around it.
struct Texture {
    origin: DVec3,
    axes: [DVec3; 2],
    scale: f64,
    offset: DVec2,
}

impl Texture {
    fn new(draft: &Draft, corners: &[u32]) -> Self {
        let mesh = &draft.mesh;
        let ends: Vec<DVec3> = corners
            .iter()
            .map(|&c| draft.position(mesh.triangles[c as usize / 3][c as usize % 3]))
            .collect();
        let weight = 1.0 / corners.len().max(1) as f64;
        let (axis, other) = (-area_vector(&ends))
            .normalize_or(DVec3::Z)
            .any_orthonormal_pair();
        let mut lengths = [0.0, 0.0];
        let mut offset = DVec2::ZERO;
        for &corner in corners {
            let (t, i) = (corner as usize / 3, corner as usize % 3);
            let Some(uvs) = mesh.corner_uvs.get(t).map(|uvs| uvs.map(Vec2::as_dvec2)) else {
                continue;
            };
            let [a, b] =
                [corner, next(corner)].map(|c| draft.position(mesh.triangles[t][c as usize % 3]));
            lengths[0] += uvs[i].distance(uvs[(i + 1) % 3]);
            lengths[1] += a.distance(b);
            offset += uvs[i] * weight;
        }
        Self {
            origin: ends.iter().sum::<DVec3>() * weight,
            axes: [axis, other],
            scale: if lengths[1] > 0.0 {
                lengths[0] / lengths[1]
            } else {
                0.0
            },
            offset,
        }
    }

    fn at(&self, p: DVec3) -> Vec2 {
        let [u, v] = self
            .axes
            .map(|axis| (p - self.origin).dot(axis) * self.scale);
        let uv = (self.offset + DVec2::new(u, v)).as_vec2();
        if uv.is_finite() { uv } else { Vec2::ZERO }
    }
}
