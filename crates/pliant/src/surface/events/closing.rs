//! How holes are closed: loops that the crossing pairs join are bridged, everything else is filled.

use super::super::closed_mesh::{ClosedMesh, NONE, next};
use super::super::detect::{Detector, Exempt};
use super::super::filling;
use super::super::outside::winding_outside;
use super::super::patches::Patches;
use super::super::surgery::Surgery;
use super::{EventLimits, Events, FOREIGN, Group, Outcome, find, unite};
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Share of the votes of the smaller loop that joins two loops.
const VOTE_SHARE: f32 = 0.15;
/// How many times more votes for each other than for themselves two rims of one annulus need to be joined.
const CREASE_SHARE: f32 = 1.5;
/// Bridges are no longer than this many longest edges.
const REACH: f32 = 8.0;
/// Edge pairs that are tried for a bridge.
const BRIDGE_TRIES: usize = 16;
/// Edge pairs that are looked at for a bridge; of longer loops only every n-th edge.
const BRIDGE_WORK: usize = 200_000;
/// Times a knot is smoothed before it is left for the next frame.
const UNTANGLE_ROUNDS: usize = 4;
/// A knot with this many times more crossings than triangles is no pleat, and smoothing it would take long.
const HOPELESS: usize = 4;
/// Hit triangles that are asked whether they overlap or are inverted.
const OVERLAP_SAMPLE: usize = 16;
/// Rings around a knot in which its parts hang together if it is only a fold.
const FOLD_RINGS: usize = 3;
/// Steps of seam relaxation.
const RELAX_STEPS: usize = 2;

impl Events {
    /// Deletes the triangles, closes the holes and keeps the result if it crosses itself less than before.
    pub(super) fn close(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &mut Patches,
        detector: &Detector,
        exempt: Option<Exempt>,
        deleted: &[u32],
        groups: &[&Group],
        buried: bool,
        old: bool,
        limits: EventLimits,
    ) -> Outcome {
        let before: usize = groups.iter().map(|g| g.pairs.len()).sum();
        let euler = mesh.euler();
        let overlap = overlaps(mesh, patches, groups);
        let one_sheet = self.hang_together(mesh, groups);
        let loops = self.surgery.open(mesh, deleted, &[]);
        if !loops.is_empty() {
            let votes = self.votes(mesh, deleted, groups, &loops);
            self.bridge_loops(mesh, deleted, &loops, &votes, overlap, limits);
            filling::fill(mesh, &mut self.surgery, &loops);
        }
        let mut rim: Vec<u32> = loops.iter().flatten().map(|&h| mesh.origin(h)).collect();
        rim.sort_unstable();
        rim.dedup();
        self.surgery.remove_deleted(mesh);
        // Cutting out more around a small knot may go through a whole neck; that is no reason to part it. Nor does the
        // surface get a handle where it is only folded.
        let changes = mesh.euler() - euler;
        if !old && (changes > 0 && !buried || changes < 0 && one_sheet) {
            self.surgery.roll_back(mesh);
            return Outcome::Refused;
        }

        let mut touched = self.surgery.made.clone();
        for &v in &rim {
            touched.extend(mesh.ring(v).map(|h| h / 3));
        }
        touched.sort_unstable();
        touched.dedup();
        self.relax_seam(mesh, &rim, &touched, 0.1 * limits.max_edge);
        patches.touch(mesh, &touched);
        let mut after = Vec::new();
        detector.hits_around(mesh, patches, exempt, &touched, &mut after);
        if after.len() >= before {
            self.surgery.roll_back(mesh);
            patches.touch(mesh, deleted);
            return Outcome::Refused;
        }
        self.surgery.commit(mesh);
        for &t in deleted {
            self.hit.clear(t);
        }
        // What still crosses here bounds the regions of other events; it is looked at in the next pass.
        self.hit.grow(mesh.material.len());
        for t in after.iter().flat_map(|&(i, j)| [i, j]) {
            self.hit.set(t, FOREIGN);
        }
        Outcome::Changed(touched)
    }

    /// Whether the hit triangles hang together along the surface: it is folded there, and no other part of it has come near.
    fn hang_together(&mut self, mesh: &ClosedMesh, groups: &[&Group]) -> bool {
        self.seen.reset(mesh.x.len().max(mesh.material.len()));
        let mut around: Vec<u32> = groups.iter().flat_map(|g| &g.triangles).copied().collect();
        let hits = around.len();
        let mut sets: Vec<u32> = (0..hits as u32).collect();
        let mut name: Vec<u32> = sets.clone();
        for (k, &t) in around.iter().enumerate() {
            self.seen.set(t, k as u32);
        }
        let mut from = 0;
        for _ in 0..FOLD_RINGS {
            let to = around.len();
            for k in from..to {
                for h in mesh
                    .triangle(around[k])
                    .into_iter()
                    .flat_map(|v| mesh.ring(v))
                {
                    if let Some(other) = self.seen.get(h / 3) {
                        unite(&mut sets, name[k], name[other as usize]);
                    } else {
                        self.seen.set(h / 3, around.len() as u32);
                        around.push(h / 3);
                        name.push(name[k]);
                    }
                }
            }
            from = to;
        }
        (0..hits as u32).all(|k| find(&mut sets, k) == 0)
    }

    /// The other way out of a small knot, when opening it did not help: the surface around it is smoothed. Kept if it crosses
    /// itself less than before.
    pub(super) fn untangle(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &mut Patches,
        detector: &Detector,
        exempt: Option<Exempt>,
        groups: &[&Group],
        limits: EventLimits,
    ) -> Outcome {
        let before: usize = groups.iter().map(|g| g.pairs.len()).sum();
        let hits: usize = groups.iter().map(|g| g.triangles.len()).sum();
        if before > HOPELESS * hits {
            return Outcome::Refused;
        }
        let mut knot: Vec<u32> = groups
            .iter()
            .flat_map(|g| &g.triangles)
            .flat_map(|&t| mesh.triangle(t))
            .flat_map(|v| mesh.ring(v).map(|h| mesh.origin(next(h))))
            .collect();
        knot.sort_unstable();
        knot.dedup();
        let mut touched: Vec<u32> = knot
            .iter()
            .flat_map(|&v| mesh.ring(v).map(|h| h / 3))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        // Smoothing unfolds pleats; drawing back parts sheets that only just touch, and swelling parts what is turned inside out.
        for shift in [0.0, -0.05 * limits.max_edge, 0.05 * limits.max_edge] {
            self.surgery.open(mesh, &[], &[]);
            for _ in 0..UNTANGLE_ROUNDS {
                if shift == 0.0 {
                    self.relax_seam(mesh, &knot, &touched, 0.1 * limits.max_edge);
                } else {
                    let to: Vec<Vec3> = knot
                        .iter()
                        .map(|&v| {
                            let n = mesh.vertex_normal(v).normalize_or_zero();
                            mesh.x[v as usize] + n * shift
                        })
                        .collect();
                    self.move_all(mesh, &knot, &to);
                }
                patches.touch(mesh, &touched);
                let mut after = Vec::new();
                detector.hits_around(mesh, patches, exempt, &touched, &mut after);
                if after.len() < before {
                    self.surgery.commit(mesh);
                    return Outcome::Changed(touched);
                }
            }
            self.surgery.roll_back(mesh);
            patches.touch(mesh, &touched);
        }
        Outcome::Refused
    }

    /// How often the crossing pairs name each pair of loops. At a crossing four half-sheets meet and exactly two are kept, so in
    /// general two loops, or one loop twice, run along each stretch of the crossing curve.
    fn votes(
        &mut self,
        mesh: &ClosedMesh,
        deleted: &[u32],
        groups: &[&Group],
        loops: &[Vec<u32>],
    ) -> BTreeMap<(u32, u32), u32> {
        // Loops at the vertices as they were before they fell apart.
        let mut original: BTreeMap<u32, u32> = BTreeMap::new();
        for &(copy, of) in &self.surgery.copies {
            original.insert(copy, of);
        }
        let mut at: Vec<(u32, u32)> = Vec::new();
        for (l, edges) in loops.iter().enumerate() {
            for &h in edges {
                let v = mesh.origin(h);
                at.push((original.get(&v).copied().unwrap_or(v), l as u32));
            }
        }
        at.sort_unstable();
        at.dedup();
        let nearest = self.nearest_loops(mesh, deleted, loops);
        let loops_of = |t: u32| {
            let mut found: Vec<u32> = mesh
                .triangle(t)
                .into_iter()
                .flat_map(|v| {
                    let first = at.partition_point(|e| e.0 < v);
                    at[first..]
                        .iter()
                        .take_while(move |e| e.0 == v)
                        .map(|e| e.1)
                })
                .collect();
            if found.is_empty()
                && let Ok(k) = nearest.binary_search_by_key(&t, |e| e.0)
            {
                found.push(nearest[k].1);
            }
            found.sort_unstable();
            found.dedup();
            found
        };
        let mut votes = BTreeMap::new();
        for &(i, j) in groups.iter().flat_map(|g| &g.pairs) {
            let (of_i, of_j) = (loops_of(i), loops_of(j));
            for &a in &of_i {
                for &b in &of_j {
                    *votes.entry((a.min(b), a.max(b))).or_insert(0) += 1;
                }
            }
        }
        votes
    }

    /// The loop that is nearest to each deleted triangle, counted in triangles; ascending by triangle.
    fn nearest_loops(
        &mut self,
        mesh: &ClosedMesh,
        deleted: &[u32],
        loops: &[Vec<u32>],
    ) -> Vec<(u32, u32)> {
        self.seen.reset(mesh.material.len());
        let mut of_edge: Vec<(u32, u32)> = loops
            .iter()
            .enumerate()
            .flat_map(|(l, edges)| edges.iter().map(move |&h| (h, l as u32)))
            .collect();
        of_edge.sort_unstable();
        let mut queue: Vec<u32> = Vec::new();
        for &t in deleted {
            for h in 3 * t..3 * t + 3 {
                // The deleted side still knows its neighbour.
                if let Ok(k) = of_edge.binary_search_by_key(&mesh.twin(h), |e| e.0)
                    && !self.seen.has(t)
                {
                    self.seen.set(t, of_edge[k].1);
                    queue.push(t);
                }
            }
        }
        let mut k = 0;
        while k < queue.len() {
            let t = queue[k];
            k += 1;
            let name = self.seen.get(t).unwrap_or(0);
            for h in 3 * t..3 * t + 3 {
                let s = mesh.twin(h) / 3;
                if self.taken.has(s) && !self.seen.has(s) {
                    self.seen.set(s, name);
                    queue.push(s);
                }
            }
        }
        deleted
            .iter()
            .filter_map(|&t| self.seen.get(t).map(|l| (t, l)))
            .collect()
    }

    /// The connected set of deleted triangles that each loop goes around.
    fn sets_of_loops(
        &mut self,
        mesh: &ClosedMesh,
        deleted: &[u32],
        loops: &[Vec<u32>],
    ) -> Vec<u32> {
        self.seen.reset(mesh.material.len());
        let mut stack = Vec::new();
        for &first in deleted {
            if !self.seen.set(first, first) {
                continue;
            }
            stack.push(first);
            while let Some(t) = stack.pop() {
                for h in 3 * t..3 * t + 3 {
                    let s = mesh.twin(h) / 3;
                    if self.taken.has(s) && !self.seen.has(s) {
                        self.seen.set(s, first);
                        stack.push(s);
                    }
                }
            }
        }
        let mut of_edge: Vec<(u32, u32)> = deleted
            .iter()
            .flat_map(|&t| 3 * t..3 * t + 3)
            .map(|h| (mesh.twin(h), self.seen.get(h / 3).unwrap_or(0)))
            .collect();
        of_edge.sort_unstable();
        loops
            .iter()
            .map(|edges| {
                of_edge
                    .binary_search_by_key(&edges[0], |e| e.0)
                    .map_or(NONE, |k| of_edge[k].1)
            })
            .collect()
    }

    /// Joins loops that enough votes join.
    ///
    /// Where a neck has turned inside out, an annulus is deleted and its two rims are capped: that is a split, and bridging them
    /// would undo it. Where two sides of a crease have run into each other, an annulus is deleted too, and there its rims
    /// belong together.
    fn bridge_loops(
        &mut self,
        mesh: &mut ClosedMesh,
        deleted: &[u32],
        loops: &[Vec<u32>],
        votes: &BTreeMap<(u32, u32), u32>,
        overlap: bool,
        limits: EventLimits,
    ) {
        let sets = self.sets_of_loops(mesh, deleted, loops);
        let mut total = vec![0u32; loops.len()];
        for (&(a, b), &n) in votes {
            total[a as usize] += n;
            if a != b {
                total[b as usize] += n;
            }
        }
        let own = |l: u32| votes.get(&(l, l)).copied().unwrap_or(0);
        let mut pairs: Vec<(Reverse<u32>, u32, u32)> = votes
            .iter()
            .filter(|&(&(a, b), &n)| {
                let smaller = total[a as usize].min(total[b as usize]);
                a != b
                    && (sets[a as usize] != sets[b as usize]
                        || (overlap && n as f32 >= CREASE_SHARE * own(a).max(own(b)) as f32))
                    && n as f32 >= VOTE_SHARE * smaller as f32
                    && n >= own(a).max(own(b))
            })
            .map(|(&(a, b), &n)| (Reverse(n), a, b))
            .collect();
        pairs.sort_unstable();
        let mut united: Vec<u32> = (0..loops.len() as u32).collect();
        for (_, a, b) in pairs {
            if find(&mut united, a) == find(&mut united, b) {
                continue;
            }
            if let Some((h, g)) = best_bridge(mesh, &loops[a as usize], &loops[b as usize], limits)
            {
                self.surgery.bridge(mesh, h, g);
                unite(&mut united, a, b);
            }
        }
    }

    /// Smooths the seam: the vertices of the rim go halfway to the middle of their neighbours, twice, and then out again along
    /// their normals until the volume is what it was. Without the smoothing seams are jagged and cross themselves again;
    /// without the way back every event would wear the surface off.
    fn relax_seam(&mut self, mesh: &mut ClosedMesh, rim: &[u32], touched: &[u32], reach: f32) {
        let Some(origin) = rim.first().map(|&v| mesh.x[v as usize].as_dvec3()) else {
            return;
        };
        let volume = mesh.volume_about(touched.iter().copied(), origin);
        for _ in 0..RELAX_STEPS {
            let moved: Vec<Vec3> = rim
                .iter()
                .map(|&v| {
                    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
                    for h in mesh.ring(v) {
                        sum += mesh.x[mesh.target(h) as usize];
                        count += 1.0;
                    }
                    0.5 * mesh.x[v as usize] + 0.5 * sum / count
                })
                .collect();
            self.move_all(mesh, rim, &moved);
        }
        // A vertex that moves by d along its normal n sweeps d·|Σ 2A|/6.
        let normals: Vec<Vec3> = rim.iter().map(|&v| mesh.vertex_normal(v)).collect();
        let sweep: f64 = normals.iter().map(|n| f64::from(n.length()) / 6.0).sum();
        let lost = volume - mesh.volume_about(touched.iter().copied(), origin);
        if sweep > 0.0 {
            let d = ((lost / sweep) as f32).clamp(-reach, reach);
            let back: Vec<Vec3> = rim
                .iter()
                .zip(&normals)
                .map(|(&v, n)| mesh.x[v as usize] + n.normalize_or_zero() * d)
                .collect();
            self.move_all(mesh, rim, &back);
        }
    }

    fn move_all(&mut self, mesh: &mut ClosedMesh, vertices: &[u32], to: &[Vec3]) {
        for (&v, &to) in vertices.iter().zip(to) {
            if to.is_finite() {
                self.surgery.move_vertex(mesh, v, to);
            }
        }
    }
}

/// Whether material overlaps at the crossings, rather than being turned inside out: the winding number outside of the hit triangles
/// that are not on the boundary of the union is positive for most.
fn overlaps(mesh: &ClosedMesh, patches: &Patches, groups: &[&Group]) -> bool {
    let hits: Vec<u32> = groups.iter().flat_map(|g| &g.triangles).copied().collect();
    let stride = hits.len().div_ceil(OVERLAP_SAMPLE).max(1);
    let sum: i32 = hits
        .iter()
        .step_by(stride)
        .map(|&t| winding_outside(mesh, patches, &[t]).signum())
        .sum();
    sum > 0
}

/// The edges of two loops that are nearest to each other and may be bridged.
fn best_bridge(mesh: &ClosedMesh, a: &[u32], b: &[u32], limits: EventLimits) -> Option<(u32, u32)> {
    let open = |edges: &[u32]| -> Vec<u32> {
        edges
            .iter()
            .copied()
            .filter(|&h| mesh.twin(h) == NONE)
            .collect()
    };
    let (a, b) = (open(a), open(b));
    let stride = (a.len() * b.len() / BRIDGE_WORK).max(1);
    let mut best: Vec<(u32, u32, u32)> = Vec::new();
    let reach = 2.0 * REACH * limits.max_edge;
    for &h in a.iter().step_by(stride) {
        let (a0, a1) = (mesh.at(h), mesh.at(next(h)));
        for &g in &b {
            let (b0, b1) = (mesh.at(g), mesh.at(next(g)));
            let length = a0.distance(b1) + a1.distance(b0);
            if length > reach {
                continue;
            }
            let key = (length.to_bits() & !0xf, h, g);
            if best.len() < BRIDGE_TRIES || key < best[BRIDGE_TRIES - 1] {
                let at = best.partition_point(|e| *e < key);
                best.insert(at, key);
                best.truncate(BRIDGE_TRIES);
            }
        }
    }
    best.into_iter()
        .map(|(_, h, g)| (h, g))
        .find(|&(h, g)| Surgery::can_bridge(mesh, h, g))
}
