//! Filling loops that lie in a plane, with holes, by triangles.
//!
//! Works on numbers alone: points in the plane and loops over them. Holes are joined to the loop around them by a slit, an edge
//! that is passed in both directions; then corners are cut off, the one with the smallest circle around it first, so that
//! slivers come last. An edge that the surface has already is never made again; what then has no corner left to cut off gets a
//! vertex in its middle.

use super::index::Index;
use glam::DVec2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Corners of a hole that are tried as ends of its slit.
const SLIT_STARTS: usize = 64;
/// Ends that are tried for each of them.
const SLIT_ENDS: usize = 4;
/// Corners that may be cut off against the rules before the rules are given up.
const MAX_RELAXED: usize = 64;

/// How loops are to be filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filling {
    /// Triangles of points, in the direction of the loops. Numbers beyond the points are centres.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Places of new vertices, and the points around each.
    pub(crate) centers: Vec<(DVec2, Vec<u32>)>,
}

/// Loops in a plane. An outer loop runs counter-clockwise, a hole clockwise.
pub(crate) struct Loops<'a> {
    /// Points of all loops, one loop after the other.
    pub(crate) points: &'a [DVec2],
    /// Number of points of each loop.
    pub(crate) lengths: &'a [usize],
    /// Pairs of points that the surface joins by an edge already; neighbours in a loop need not be named.
    pub(crate) joined: &'a [(u32, u32)],
    /// Loops of three points that must not be closed by one triangle, because the surface has it.
    pub(crate) pillows: &'a [bool],
}

impl Loops<'_> {
    /// Fills the loops. `None` if the slits have led nowhere; without slits, that is with every loop filled for itself, there
    /// is always an answer.
    pub(crate) fn fill(&self, slits: bool) -> Option<Filling> {
        let mut work = Work::new(self);
        let rings = work.rings(self);
        if slits {
            let (outer, holes): (Vec<Ring>, Vec<Ring>) =
                rings.into_iter().partition(|r| r.area >= 0.0);
            let mut groups: Vec<(Ring, Vec<Ring>)> =
                outer.into_iter().map(|r| (r, Vec::new())).collect();
            for hole in holes {
                match work.around(&groups, &hole) {
                    Some(k) => groups[k].1.push(hole),
                    None => groups.push((hole, Vec::new())),
                }
            }
            for (ring, holes) in groups {
                work.join_holes(&ring, holes);
                work.fill(ring.first, ring.pillow)?;
            }
        } else {
            for ring in rings {
                work.fill(ring.first, ring.pillow)?;
            }
        }
        Some(work.filling)
    }
}

/// A point's place in a polygon; points at the end of slits have several.
#[derive(Clone, Copy, Debug)]
struct Node {
    point: u32,
    before: u32,
    after: u32,
    alive: bool,
}

/// One loop.
#[derive(Clone, Copy, Debug)]
struct Ring {
    first: u32,
    area: f64,
    pillow: bool,
}

/// A corner that may be cut off; smallest circle first.
type Corner = Reverse<(u64, u32, u32, u32)>;

struct Work<'a> {
    points: &'a [DVec2],
    nodes: Vec<Node>,
    /// Points that each point has an edge to.
    joined: Vec<Vec<u32>>,
    filling: Filling,
}

fn cross(a: DVec2, b: DVec2) -> f64 {
    a.perp_dot(b)
}

impl<'a> Work<'a> {
    fn new(loops: &Loops<'a>) -> Self {
        let mut work = Self {
            points: loops.points,
            nodes: Vec::with_capacity(loops.points.len() + 16),
            joined: vec![Vec::new(); loops.points.len()],
            filling: Filling::default(),
        };
        for &(a, b) in loops.joined {
            work.join(a, b);
        }
        work
    }

    fn join(&mut self, a: u32, b: u32) {
        self.joined[a as usize].push(b);
        self.joined[b as usize].push(a);
    }

    fn is_joined(&self, a: u32, b: u32) -> bool {
        let (of_a, of_b) = (&self.joined[a as usize], &self.joined[b as usize]);
        if of_a.len() < of_b.len() {
            of_a.contains(&b)
        } else {
            of_b.contains(&a)
        }
    }

    fn at(&self, node: u32) -> DVec2 {
        self.points[self.nodes[node as usize].point as usize]
    }

    /// Links the points of every loop.
    fn rings(&mut self, loops: &Loops) -> Vec<Ring> {
        let mut first = 0;
        let mut rings = Vec::with_capacity(loops.lengths.len());
        for (l, &length) in loops.lengths.iter().enumerate() {
            let n = length as u32;
            let mut area = 0.0;
            let origin = loops.points[first as usize];
            for k in 0..n {
                let (before, after) = (first + (k + n - 1) % n, first + (k + 1) % n);
                self.nodes.push(Node {
                    point: first + k,
                    before,
                    after,
                    alive: true,
                });
                self.join(first + k, after);
                let (p, q) = (
                    loops.points[(first + k) as usize],
                    loops.points[after as usize],
                );
                area += 0.5 * cross(p - origin, q - origin);
            }
            rings.push(Ring {
                first,
                area,
                pillow: loops.pillows.get(l) == Some(&true),
            });
            first += n;
        }
        rings
    }

    /// The nodes of a polygon, in order.
    fn polygon(&self, first: u32) -> Vec<u32> {
        let mut all = vec![first];
        let mut at = self.nodes[first as usize].after;
        while at != first && all.len() <= self.nodes.len() {
            all.push(at);
            at = self.nodes[at as usize].after;
        }
        all
    }

    /// The smallest outer loop that most of the hole's corners lie in.
    fn around(&self, groups: &[(Ring, Vec<Ring>)], hole: &Ring) -> Option<usize> {
        let corners = self.polygon(hole.first);
        let step = corners.len().div_ceil(9).max(1);
        let sample: Vec<DVec2> = corners.iter().step_by(step).map(|&n| self.at(n)).collect();
        groups
            .iter()
            .enumerate()
            .filter(|(_, (ring, _))| {
                if ring.area < -hole.area {
                    return false;
                }
                let outer: Vec<DVec2> = self
                    .polygon(ring.first)
                    .iter()
                    .map(|&n| self.at(n))
                    .collect();
                2 * sample.iter().filter(|&&p| inside(&outer, p)).count() > sample.len()
            })
            .min_by(|a, b| a.1.0.area.total_cmp(&b.1.0.area))
            .map(|(k, _)| k)
    }

    /// Joins every hole to the polygon by a slit; those first that see it.
    fn join_holes(&mut self, ring: &Ring, mut holes: Vec<Ring>) {
        while !holes.is_empty() {
            let mut hidden = Vec::new();
            let mut progress = false;
            for k in 0..holes.len() {
                let rest: Vec<Ring> = hidden.iter().chain(&holes[k + 1..]).copied().collect();
                match self.slit(ring, &holes[k], &rest, false) {
                    Some((p, q)) => {
                        self.cut_slit(p, q);
                        progress = true;
                    }
                    None => hidden.push(holes[k]),
                }
            }
            if !progress {
                // Nothing sees it, so this cannot be drawn; what is made is legal all the same.
                let hole = hidden.remove(0);
                match self.slit(ring, &hole, &[], true) {
                    Some((p, q)) => self.cut_slit(p, q),
                    None => return,
                }
            }
            holes = hidden;
        }
    }

    /// The shortest edge between a hole and the polygon that crosses nothing and does not exist: nodes (hole, polygon).
    fn slit(&self, ring: &Ring, hole: &Ring, others: &[Ring], forced: bool) -> Option<(u32, u32)> {
        let (outer, inner) = (self.polygon(ring.first), self.polygon(hole.first));
        let step = inner.len().div_ceil(SLIT_STARTS).max(1);
        let mut candidates: Vec<(f64, u32, u32)> = Vec::new();
        for &p in inner.iter().step_by(step) {
            let mut best: Vec<(f64, u32, u32)> = Vec::with_capacity(SLIT_ENDS + 1);
            for &q in &outer {
                let d = self.at(p).distance_squared(self.at(q));
                if best.len() < SLIT_ENDS || d < best[SLIT_ENDS - 1].0 {
                    if !(forced || self.in_corner(p, q) && self.in_corner(q, p)) {
                        continue;
                    }
                    let at = best.partition_point(|b| b.0 <= d);
                    best.insert(at, (d, p, q));
                    best.truncate(SLIT_ENDS);
                }
            }
            candidates.extend(best);
        }
        candidates.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0)
                .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        });
        let mut edges: Vec<u32> = outer;
        edges.extend(&inner);
        for other in others {
            edges.extend(self.polygon(other.first));
        }
        candidates
            .into_iter()
            .map(|(_, p, q)| (p, q))
            .filter(|&(p, q)| {
                let (a, b) = (self.nodes[p as usize].point, self.nodes[q as usize].point);
                !self.is_joined(a, b)
            })
            .find(|&(p, q)| forced || edges.iter().all(|&n| !self.crosses(p, q, n)))
    }

    /// Whether the way from node `n` to node `to` begins inside of the polygon.
    fn in_corner(&self, n: u32, to: u32) -> bool {
        let node = self.nodes[n as usize];
        let b = self.at(n);
        let (a, c, t) = (
            self.at(node.before) - b,
            self.at(node.after) - b,
            self.at(to) - b,
        );
        if cross(c, a) >= 0.0 && (cross(c, a) > 0.0 || c.dot(a) > 0.0) {
            cross(c, t) > 0.0 && cross(t, a) > 0.0
        } else {
            !(cross(a, t) >= 0.0 && cross(t, c) >= 0.0)
        }
    }

    /// Whether the edge between nodes `p` and `q` meets the edge after node `n` elsewhere than at a common point.
    fn crosses(&self, p: u32, q: u32, n: u32) -> bool {
        let after = self.nodes[n as usize].after;
        let point = |n: u32| self.nodes[n as usize].point;
        let ends = [point(p), point(q)];
        if ends.contains(&point(n)) || ends.contains(&point(after)) {
            return false;
        }
        let (p, q, a, b) = (self.at(p), self.at(q), self.at(n), self.at(after));
        if p.max(q).cmplt(a.min(b)).any() || a.max(b).cmplt(p.min(q)).any() {
            return false;
        }
        let differ = |s: f64, t: f64| s == 0.0 || t == 0.0 || (s > 0.0) != (t > 0.0);
        differ(cross(q - p, a - p), cross(q - p, b - p))
            && differ(cross(b - a, p - a), cross(b - a, q - a))
    }

    /// Opens the polygon along the edge between node `p` of a hole and node `q` of the polygon.
    fn cut_slit(&mut self, p: u32, q: u32) {
        let n = self.nodes.len() as u32;
        let (hole, outer) = (self.nodes[p as usize], self.nodes[q as usize]);
        self.join(hole.point, outer.point);
        let (last_p, last_q) = (n, n + 1);
        self.nodes.push(Node {
            after: last_q,
            ..hole
        });
        self.nodes.push(Node {
            before: last_p,
            ..outer
        });
        self.nodes[hole.before as usize].after = last_p;
        self.nodes[outer.after as usize].before = last_q;
        self.nodes[q as usize].after = p;
        self.nodes[p as usize].before = q;
    }

    /// The corner at node `v` with its score, if it may be cut off. At first it must be convex and empty; what cannot be done
    /// like this may be occupied, then also reflex.
    fn corner(&self, v: u32, relaxed: u32) -> Option<Corner> {
        let node = self.nodes[v as usize];
        let (u, w) = (node.before, node.after);
        let (a, b, c) = (self.at(u), self.at(v), self.at(w));
        let turn = cross(b - a, c - b);
        if relaxed < 2 && (turn.is_nan() || turn <= 0.0) {
            return None;
        }
        let round = (b - a).length() * (c - b).length() * (c - a).length()
            / turn.abs().max(f64::MIN_POSITIVE);
        let score = if round.is_finite() {
            round.to_bits() & !0xfff
        } else {
            u64::MAX
        };
        Some(Reverse((score, v, u, w)))
    }

    fn may_cut(&self, v: u32, left: usize, pillow: bool) -> bool {
        let node = self.nodes[v as usize];
        let point = |n: u32| self.nodes[n as usize].point;
        let (a, b, c) = (point(node.before), node.point, point(node.after));
        if a == b || b == c || a == c {
            return false;
        }
        if left == 3 {
            return !pillow;
        }
        !self.is_joined(a, c)
    }

    /// Whether another node lies in the corner at `v`.
    fn occupied(&self, index: &Index, v: u32) -> bool {
        let node = self.nodes[v as usize];
        let (a, b, c) = (self.at(node.before), self.at(v), self.at(node.after));
        index.any(a.min(b).min(c), a.max(b).max(c), |n, p| {
            self.nodes[n as usize].alive
                && p != a
                && p != b
                && p != c
                && cross(b - a, p - a) >= 0.0
                && cross(c - b, p - b) >= 0.0
                && cross(a - c, p - c) >= 0.0
        })
    }

    /// Cuts off corners until nothing is left.
    fn fill(&mut self, first: u32, pillow: bool) -> Option<()> {
        let mut left = self.polygon(first);
        let mut count = left.len();
        let mut index = Index::new(left.iter().map(|&n| (n, self.at(n))));
        let mut heap: BinaryHeap<Corner> = BinaryHeap::with_capacity(2 * count);
        heap.extend(left.iter().filter_map(|&n| self.corner(n, 0)));
        let mut relaxed = 0;
        let mut broken = 0;
        let mut some = first;
        while count >= 3 {
            let Some(Reverse((_, v, u, w))) = heap.pop() else {
                if relaxed == 2 {
                    break;
                }
                relaxed += 1;
                left = self.polygon(some);
                heap.extend(left.iter().filter_map(|&n| self.corner(n, relaxed)));
                continue;
            };
            let node = self.nodes[v as usize];
            let stale = !node.alive || node.before != u || node.after != w;
            if stale
                || !self.may_cut(v, count, pillow)
                || (relaxed == 0 && count > 3 && self.occupied(&index, v))
            {
                continue;
            }
            let point = |n: u32| self.nodes[n as usize].point;
            let (a, c) = (point(u), point(w));
            self.filling.triangles.push([a, node.point, c]);
            self.nodes[v as usize].alive = false;
            count -= 1;
            if count == 2 {
                return Some(());
            }
            self.join(a, c);
            self.nodes[u as usize].after = w;
            self.nodes[w as usize].before = u;
            some = u;
            if relaxed > 0 && broken < MAX_RELAXED {
                broken += 1;
                relaxed = 0;
                heap.clear();
                left = self.polygon(some);
                heap.extend(left.iter().filter_map(|&n| self.corner(n, 0)));
            } else {
                heap.extend([u, w].into_iter().filter_map(|n| self.corner(n, relaxed)));
            }
            if 2 * count < index.len() {
                left = self.polygon(some);
                index = Index::new(left.iter().map(|&n| (n, self.at(n))));
            }
        }
        self.fan(some)
    }

    /// Closes what is left around a new vertex, which is legal if no point is there twice.
    fn fan(&mut self, first: u32) -> Option<()> {
        let ring: Vec<u32> = self
            .polygon(first)
            .iter()
            .map(|&n| self.nodes[n as usize].point)
            .collect();
        let mut sorted = ring.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != ring.len() {
            return None;
        }
        let sum: DVec2 = ring.iter().map(|&p| self.points[p as usize]).sum();
        let center = (self.points.len() + self.filling.centers.len()) as u32;
        for k in 0..ring.len() {
            let after = ring[(k + 1) % ring.len()];
            self.filling.triangles.push([ring[k], after, center]);
        }
        self.filling.centers.push((sum / ring.len() as f64, ring));
        Some(())
    }
}

/// Whether a point lies inside of a polygon: crossings of the ray to the right.
fn inside(polygon: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    for (k, &b) in polygon.iter().enumerate() {
        let a = polygon[(k + polygon.len() - 1) % polygon.len()];
        if (a.y > p.y) != (b.y > p.y) {
            let side = cross(b - a, p - a);
            inside ^= (side > 0.0) == (b.y > a.y);
        }
    }
    inside
}

#[cfg(test)]
mod tests;
