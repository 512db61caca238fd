//! Necks: tubes of material, or tunnels through it, that are about to vanish are cut before they turn inside out.
//!
//! Around an edge that is short or shrinks fast, a ball is grown along the surface. A ball that is a disc (Euler number 1) has no
//! neck. Otherwise the shortest loops that cannot be contracted inside the ball come from a shortest-path tree and a dual
//! spanning tree that takes the longest loops first: edges in neither give the loops. A loop is cut when the tube has become thin
//! or would vanish soon. Thickness is measured by the vector area of the loop, not by its length: loops of edges zigzag.

use super::super::closed_mesh::{ClosedMesh, NONE, next};
use super::super::surgery::Surgery;
use super::scan::quantized;
use super::{Lengths, RemeshReport};
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most vertices of a ball.
const BALL: usize = 160;
/// Most balls of a round.
const LOOKS: usize = 500;
/// Triangles that must lie on each side of a cut.
const SIDE: usize = 32;
/// A side with this many triangles counts as large without a look at its volume.
const LARGE: usize = 2048;
/// Frames that the thickness is extrapolated by.
const LOOK_AHEAD: f32 = 1.5;
/// Loops of one ball that are tried.
const TRIES: usize = 3;
/// How far each side of a cut draws back, in shortest edges: a collapse moves a vertex by up to half of such an edge, and stubs that
/// overlap again would be joined at once.
const PARTING: f32 = 0.25;
/// Times the whole search is repeated after cuts.
const ROUNDS: usize = 3;

/// A loop of half-edges that is ripe to be cut.
#[derive(Clone, Debug)]
struct Neck {
    length: f32,
    edges: Vec<u32>,
}

/// What a ball turned out to be.
enum Ball {
    /// It has a neck to cut.
    Neck(Neck),
    /// Nothing to cut here; vertices within this distance of the middle need no look of their own (m).
    Nothing { clear: f32 },
}

/// The search for necks with its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct NeckFinder {
    /// Per vertex: number of the ball it was last in.
    ball_of: Vec<u32>,
    /// Per vertex: its index in that ball.
    local: Vec<u32>,
    /// Per triangle: the ball or the flood that last met it, and its index there.
    triangle_stamp: Vec<u32>,
    triangle_local: Vec<u32>,
    /// Per vertex: a neck was ruled out, or a cut is near, in this round.
    closed: Vec<bool>,
    stamp: u32,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    nodes: Vec<Node>,
    triangles: Vec<u32>,
    surgery: Surgery,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    vertex: u32,
    distance: f32,
    /// Half-edge from the parent's vertex to this one.
    from_parent: u32,
    settled: bool,
}

impl NeckFinder {
    /// Cuts all necks near the edges `thin`; appends the triangles of the caps to `caps`.
    pub(super) fn cut_all(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        thin: &[u32],
        caps: &mut Vec<u32>,
        report: &mut RemeshReport,
    ) {
        // Shortest edges first: they are looked at even if there are more than a frame has time for.
        let mut shortest: Vec<(u32, u32)> = thin
            .iter()
            .map(|&h| (quantized(mesh.length2(h)), h))
            .collect();
        shortest.sort_unstable();
        let candidates: Vec<u32> = shortest
            .iter()
            .flat_map(|&(_, h)| [mesh.origin(h), mesh.target(h)])
            .collect();
        for _ in 0..ROUNDS {
            if candidates.is_empty() {
                return;
            }
            let mut necks = self.find(mesh, lengths, &candidates);
            if necks.is_empty() {
                return;
            }
            necks.sort_by_key(|n| (quantized(n.length), n.edges[0]));
            self.cut_disjoint(mesh, lengths, necks, caps, report);
        }
    }

    fn find(&mut self, mesh: &ClosedMesh, lengths: Lengths, candidates: &[u32]) -> Vec<Neck> {
        self.closed.clear();
        self.closed.resize(mesh.x.len(), false);
        self.ball_of.resize(mesh.x.len(), 0);
        self.local.resize(mesh.x.len(), 0);
        self.triangle_stamp.resize(mesh.material.len(), 0);
        self.triangle_local.resize(mesh.material.len(), 0);
        let mut necks = Vec::new();
        let mut looks = 0;
        for &v in candidates {
            if self.closed[v as usize] || mesh.out[v as usize] == NONE {
                continue;
            }
            self.closed[v as usize] = true;
            looks += 1;
            if looks > LOOKS {
                break;
            }
            match self.look(mesh, lengths, v) {
                Ball::Neck(neck) => necks.push(neck),
                Ball::Nothing { clear } => {
                    for node in &self.nodes {
                        if node.settled && node.distance <= clear {
                            self.closed[node.vertex as usize] = true;
                        }
                    }
                }
            }
        }
        necks
    }

    fn next_stamp(&mut self) -> u32 {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.ball_of.fill(0);
            self.triangle_stamp.fill(0);
            self.stamp = 1;
        }
        self.stamp
    }

    /// Grows the ball around `center` and looks for a loop to cut.
    fn look(&mut self, mesh: &ClosedMesh, lengths: Lengths, center: u32) -> Ball {
        let radius = self.grow(mesh, 2.0 * lengths.max, center);
        let stamp = self.next_stamp();
        self.triangles.clear();
        for node in self.nodes.iter().filter(|n| n.settled) {
            for h in mesh.ring(node.vertex) {
                let t = h / 3;
                if std::mem::replace(&mut self.triangle_stamp[t as usize], stamp) != stamp {
                    self.triangle_local[t as usize] = self.triangles.len() as u32;
                    self.triangles.push(t);
                }
            }
        }
        // One entry an edge: from the inside if it is on the rim of the ball.
        let inside = |h: u32| self.triangle_stamp[h as usize / 3] == stamp;
        let edges: Vec<u32> = self
            .triangles
            .iter()
            .flat_map(|&t| 3 * t..3 * t + 3)
            .filter(|&h| h < mesh.twin(h) || !inside(mesh.twin(h)))
            .collect();
        let euler = self.nodes.len() as i64 - edges.len() as i64 + self.triangles.len() as i64;
        if euler >= 1 {
            // A loop that passes the middle at distance d and is shorter than 2(R − d) would lie in the ball. Thin tubes have
            // short loops, so a ball that is full before it has its whole radius still clears what is near its middle.
            let clear = (radius - 1.25 * lengths.max).clamp(0.0, 0.5 * lengths.max);
            return Ball::Nothing { clear };
        }

        // Longest loops first into the dual tree; node 0 is everything outside of the ball.
        let node = |v: u32| &self.nodes[self.local[v as usize] as usize];
        let mut crossings: Vec<(u32, u32)> = Vec::with_capacity(edges.len());
        for &h in &edges {
            let (a, b) = (mesh.origin(h), mesh.target(h));
            let in_tree = |n: &Node| n.from_parent == h || n.from_parent == mesh.twin(h);
            if in_tree(node(a)) || in_tree(node(b)) {
                continue;
            }
            let length = node(a).distance + node(b).distance + mesh.length2(h).sqrt();
            crossings.push((quantized(length), h));
        }
        crossings.sort_unstable_by_key(|&(l, h)| (Reverse(l), h));
        let mut sets: Vec<u32> = (0..=self.triangles.len() as u32).collect();
        let mut loops = Vec::new();
        for &(length, h) in &crossings {
            let side = |h: u32| {
                if inside(h) {
                    self.triangle_local[h as usize / 3] + 1
                } else {
                    0
                }
            };
            let (p, q) = (
                root(&mut sets, side(h)),
                root(&mut sets, side(mesh.twin(h))),
            );
            if p == q {
                loops.push((length, h));
            } else {
                sets[p as usize] = q;
            }
        }
        loops.sort_unstable();
        let loops: Vec<Vec<u32>> = loops
            .iter()
            .take(TRIES)
            .map(|&(_, h)| self.close_loop(mesh, h))
            .collect();
        for edges in loops {
            if let Some(length) = ripe(mesh, lengths, &edges)
                && self.both_sides_large(mesh, lengths, &edges)
            {
                return Ball::Neck(Neck { length, edges });
            }
        }
        Ball::Nothing { clear: 0.0 }
    }

    /// Shortest paths along edges from `center`. Returns the distance up to which the ball is complete.
    fn grow(&mut self, mesh: &ClosedMesh, radius: f32, center: u32) -> f32 {
        let stamp = self.next_stamp();
        self.nodes.clear();
        self.heap.clear();
        self.meet(stamp, center, 0.0, NONE);
        let mut settled = 0;
        while let Some(Reverse((_, i))) = self.heap.pop() {
            let node = self.nodes[i as usize];
            if node.settled {
                continue;
            }
            if node.distance > radius {
                break;
            }
            if settled == BALL {
                return node.distance;
            }
            self.nodes[i as usize].settled = true;
            settled += 1;
            for h in mesh.ring(node.vertex) {
                let distance = node.distance + mesh.length2(h).sqrt();
                self.meet(stamp, mesh.target(h), distance, h);
            }
        }
        radius
    }

    /// A path of the given length leads to `v` over `from_parent`.
    fn meet(&mut self, stamp: u32, v: u32, distance: f32, from_parent: u32) {
        let i = v as usize;
        if std::mem::replace(&mut self.ball_of[i], stamp) == stamp {
            let local = self.local[i];
            let node = &mut self.nodes[local as usize];
            if node.settled || distance >= node.distance {
                return;
            }
            node.distance = distance;
            node.from_parent = from_parent;
        } else {
            self.local[i] = self.nodes.len() as u32;
            self.nodes.push(Node {
                vertex: v,
                distance,
                from_parent,
                settled: false,
            });
        }
        self.heap
            .push(Reverse((quantized(distance), self.local[i])));
    }

    /// The loop that `h` closes with the shortest paths to its ends, as half-edges head to tail.
    fn close_loop(&self, mesh: &ClosedMesh, h: u32) -> Vec<u32> {
        let to_root = |mut v: u32| {
            let mut path = Vec::new();
            loop {
                let node = &self.nodes[self.local[v as usize] as usize];
                if node.from_parent == NONE || path.len() > self.nodes.len() {
                    return path;
                }
                path.push(node.from_parent);
                v = mesh.origin(node.from_parent);
            }
        };
        let (mut start, mut end) = (to_root(mesh.origin(h)), to_root(mesh.target(h)));
        while let (Some(a), Some(b)) = (start.last(), end.last())
            && a == b
        {
            start.pop();
            end.pop();
        }
        // Down to the origin of h, along h, and back up.
        start.reverse();
        start.push(h);
        start.extend(end.iter().map(|&k| mesh.twin(k)));
        start
    }

    /// Whether no side of the loop would be a crumb: a thread is parted once and leaves two stubs, not a row of beads.
    fn both_sides_large(&mut self, mesh: &ClosedMesh, lengths: Lengths, edges: &[u32]) -> bool {
        let center = edges.iter().map(|&h| mesh.at(h)).sum::<Vec3>() / edges.len() as f32;
        let wall = |h: u32| edges.contains(&h) || edges.contains(&mesh.twin(h));
        [true, false].iter().all(|&forward| {
            let stamp = self.next_stamp();
            let mut queue: Vec<u32> = Vec::new();
            for &h in edges {
                let t = if forward { h / 3 } else { mesh.twin(h) / 3 };
                if std::mem::replace(&mut self.triangle_stamp[t as usize], stamp) != stamp {
                    queue.push(t);
                }
            }
            let mut k = 0;
            while k < queue.len() && queue.len() < LARGE {
                let t = queue[k];
                k += 1;
                for h in 3 * t..3 * t + 3 {
                    let s = mesh.twin(h) / 3;
                    if !wall(h)
                        && std::mem::replace(&mut self.triangle_stamp[s as usize], stamp) != stamp
                    {
                        queue.push(s);
                    }
                }
            }
            // Seen from the middle of the loop, its cap adds nothing to the volume.
            let volume = |t: &u32| {
                let [a, b, c] = mesh.points(*t).map(|p| p - center);
                a.dot(b.cross(c)) / 6.0
            };
            queue.len() >= LARGE
                || (queue.len() >= SIDE
                    && queue.iter().map(volume).sum::<f32>().abs() >= lengths.min_volume)
        })
    }

    /// Cuts the necks in order, leaving out those that come within a ring of a cut that was made.
    fn cut_disjoint(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        necks: Vec<Neck>,
        caps: &mut Vec<u32>,
        report: &mut RemeshReport,
    ) {
        self.closed.fill(false);
        for neck in necks {
            let vertices: Vec<u32> = neck.edges.iter().map(|&h| mesh.origin(h)).collect();
            // An earlier cut may have made this one cut off a crumb.
            self.triangle_stamp.resize(mesh.material.len(), 0);
            if vertices.iter().any(|&v| self.closed[v as usize])
                || !self.both_sides_large(mesh, lengths, &neck.edges)
            {
                continue;
            }
            for &v in &vertices {
                self.closed[v as usize] = true;
                for h in mesh.ring(v) {
                    self.closed[mesh.target(h) as usize] = true;
                }
            }
            if self.cut(mesh, lengths, &neck.edges, caps) {
                report.necks += 1;
            } else {
                report.tunnels += 1;
            }
            // The copies of the loop's vertices may lie in slots that were free.
            self.closed.resize(mesh.x.len(), true);
            for &t in &self.surgery.made {
                for v in mesh.triangle(t) {
                    self.closed[v as usize] = true;
                }
            }
        }
    }

    /// Parts the surface along the loop and caps both sides. Returns whether it was a neck of material, not a tunnel.
    fn cut(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        edges: &[u32],
        caps: &mut Vec<u32>,
    ) -> bool {
        let center = edges.iter().map(|&h| mesh.at(h)).sum::<Vec3>() / edges.len() as f32;
        let outward: f32 = edges
            .iter()
            .map(|&h| {
                let v = mesh.origin(h);
                (mesh.x[v as usize] - center).dot(mesh.vertex_normal(v).normalize_or_zero())
            })
            .sum();
        let material = outward >= 0.0;
        let loops = self.surgery.open(mesh, &[], edges);
        for side in loops {
            let n: Vec3 = side
                .iter()
                .map(|&h| (mesh.at(h) - center).cross(mesh.at(next(h)) - center))
                .sum();
            // The cap runs against the loop of the hole, so its outward normal is −n. A neck draws back, a tunnel closes up.
            let away = n.normalize_or_zero() * if material { 1.0 } else { -1.0 };
            let step = away * (PARTING * lengths.min);
            let vertices: Vec<u32> = side.iter().map(|&h| mesh.origin(h)).collect();
            if side.len() == 3 && Surgery::can_ear(mesh, side[0]) {
                self.surgery.ear(mesh, side[0]);
            } else {
                self.surgery.fan(mesh, side[0], center + step);
            }
            for v in vertices {
                let to = mesh.x[v as usize] + step;
                self.surgery.move_vertex(mesh, v, to);
            }
        }
        caps.extend_from_slice(&self.surgery.made);
        self.surgery.commit(mesh);
        material
    }
}

fn root(sets: &mut [u32], mut i: u32) -> u32 {
    while sets[i as usize] != i {
        sets[i as usize] = sets[sets[i as usize] as usize];
        i = sets[i as usize];
    }
    i
}

/// The length of the loop if the tube it goes around is thin or about to vanish.
fn ripe(mesh: &ClosedMesh, lengths: Lengths, edges: &[u32]) -> Option<f32> {
    if edges.len() < 3 {
        return None;
    }
    let length: f32 = edges.iter().map(|&h| mesh.length2(h).sqrt()).sum();
    let radius = |x: &[Vec3]| {
        let origin = x[mesh.origin(edges[0]) as usize];
        let area: Vec3 = edges
            .iter()
            .map(|&h| {
                let a = x[mesh.origin(h) as usize] - origin;
                a.cross(x[mesh.target(h) as usize] - origin)
            })
            .sum();
        (0.5 * area.length() / std::f32::consts::PI).sqrt()
    };
    let (now, before) = (radius(&mesh.x), radius(&mesh.was));
    // A neck that grows was born by a merge in the last frames.
    let grows = now > 1.1 * before;
    let thin =
        !grows && (now < 2.0 * lengths.min || now + LOOK_AHEAD * (now - before) < lengths.min);
    (length < 4.0 * lengths.max && thin).then_some(length)
}
