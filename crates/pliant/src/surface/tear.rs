//! Tearing: where no particle is left to carry the surface, it opens.
//!
//! A vertex without a particle of its piece within two particle radii is *bare*. Bare places that last for two frames, or that
//! three connected vertices share, are taken out with their triangles. What goes around a strand leaves two loops, and each is
//! closed for itself: the strand breaks. What is a disc opens a hole only together with a disc on the back of the same sheet;
//! capping it alone would restore the same surface in every frame.
//!
//! Only what is being stretched tears. A tear leaves long edges, which re-meshing splits later, and every new vertex may be bare:
//! without this a surface at rest would go on tearing for as long as it is re-meshed.

use super::closed_mesh::{ClosedMesh, NONE, next};
use super::components;
use super::filling;
use super::marks::Marks;
use super::surgery::Surgery;
use crate::geometry::grid::PointGrid;
use glam::Vec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Reach of a particle, in particle radii.
const REACH: f32 = 2.0;
/// How far behind a disc its counterpart may lie, in particle radii.
const BEHIND: f32 = 4.0;
/// An edge that grows by more than this in a frame is being stretched, in shortest edges.
const GROWTH: f32 = 1e-3;
/// Frames that a vertex must be bare while it is stretched.
const FRAMES: u8 = 2;
/// Connected bare vertices that need not wait.
const MANY: usize = 3;
/// Triangles of an island that goes with what is around it.
const ISLAND: usize = 32;
/// A piece of which fewer triangles would be left goes as a whole.
const LEAST: usize = 4;

/// The particles that carry a surface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carriers<'a> {
    /// Their places (m).
    pub positions: &'a [Vec3],
    /// The piece that each belongs to, or nothing if any particle carries any piece.
    pub components: &'a [u32],
    /// Their radius (m).
    pub radius: f32,
    /// Per vertex slot a particle that probably carries it: a first guess that saves the search. May be short or empty.
    pub guess: &'a [u32],
}

/// What tearing has done in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TearReport {
    /// Vertices without a particle.
    pub bare: usize,
    /// Strands that broke.
    pub broken: usize,
    /// Holes that opened in sheets.
    pub holes: usize,
    /// Pieces that went as a whole.
    pub removed: usize,
}

impl TearReport {
    /// Whether the topology of the surface changed.
    pub(crate) fn changed(&self) -> bool {
        self.broken + self.holes + self.removed > 0
    }
}

/// The rule with what it remembers from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tearing {
    grid: PointGrid,
    surgery: Surgery,
    /// Per vertex slot: whether an edge at it has been stretched since the last frame.
    stretched: Vec<bool>,
    /// Per vertex slot: in how many frames it was bare and stretched, without being carried in between. The rest position tells a
    /// vertex from another that has taken its slot.
    bare: Vec<(u8, Vec3)>,
    taken: Marks,
    seen: Marks,
}

/// A connected set of triangles that is to go.
#[derive(Clone, Debug, Default)]
struct Patch {
    triangles: Vec<u32>,
    loops: usize,
    /// Euler number of the closed set.
    euler: i64,
    center: Vec3,
    normal: Vec3,
    reach: f32,
    component: u32,
}

impl Carriers<'_> {
    /// Whether particle `i` is of the piece `id`.
    fn may_carry(&self, i: usize, id: u32) -> bool {
        self.components.get(i).is_none_or(|&c| c == id)
    }

    /// Whether the particle that probably carries vertex `v` does so.
    fn guessed(&self, mesh: &ClosedMesh, v: u32, reach: f32) -> bool {
        let guess = self.guess.get(v as usize).map(|&i| i as usize);
        guess.is_some_and(|i| {
            let near = self
                .positions
                .get(i)
                .is_some_and(|p| p.distance_squared(mesh.x[v as usize]) <= reach * reach);
            near && self.may_carry(i, mesh.component[v as usize])
        })
    }

    /// Without particles there is nothing to miss.
    fn any(&self) -> bool {
        !self.positions.is_empty() && self.radius.is_finite() && self.radius > 0.0
    }
}

impl Tearing {
    /// Looks where the surface is being stretched. This comes before re-meshing, which moves vertices too.
    pub(crate) fn look(&mut self, mesh: &ClosedMesh, carriers: &Carriers, min_edge: f32) {
        if !carriers.any() {
            return;
        }
        (0..mesh.x.len() as u32)
            .into_par_iter()
            .with_min_len(256)
            .map(|v| mesh.out[v as usize] != NONE && is_stretched(mesh, v, GROWTH * min_edge))
            .collect_into_vec(&mut self.stretched);
    }

    /// Opens the surface where nothing carries it and it is being stretched.
    pub(crate) fn run(&mut self, mesh: &mut ClosedMesh, carriers: &Carriers) -> TearReport {
        let mut report = TearReport::default();
        if !carriers.any() {
            return report;
        }
        let radius = carriers.radius;
        let marked = self.mark(mesh, carriers, &mut report);
        if marked.is_empty() {
            return report;
        }
        self.taken.reset(mesh.material.len());
        for &v in &marked {
            for h in mesh.ring(v) {
                self.taken.set_new(h / 3, 0);
            }
        }
        self.take_islands(mesh);
        let mut all: Vec<u32> = mesh.triangles().filter(|&t| self.taken.has(t)).collect();
        report.removed = self.remove_what_is_left(mesh, &all);
        all.retain(|&t| mesh.alive(t));
        let patches = self.patches(mesh, &all);
        let mut done = vec![false; patches.len()];
        for k in 0..patches.len() {
            if done[k] || patches[k].loops == 0 {
                continue;
            }
            if patches[k].loops > 1 {
                done[k] = true;
                let loops = self.surgery.open(mesh, &patches[k].triangles, &[]);
                filling::fill(mesh, &mut self.surgery, &loops);
                self.surgery.commit(mesh);
                report.broken += 1;
            } else if patches[k].euler == 1
                && let Some(other) = (k + 1..patches.len())
                    .find(|&j| !done[j] && patches[j].faces(&patches[k], radius))
                && self.hole(mesh, &patches[k], &patches[other])
            {
                done[k] = true;
                done[other] = true;
                report.holes += 1;
            }
        }
        report
    }

    /// The vertices whose stars go.
    fn mark(
        &mut self,
        mesh: &ClosedMesh,
        carriers: &Carriers,
        report: &mut TearReport,
    ) -> Vec<u32> {
        let reach = REACH * carriers.radius;
        let places = carriers.positions;
        let mut bare: Vec<bool> = (0..mesh.x.len() as u32)
            .into_par_iter()
            .with_min_len(1024)
            .map(|v| mesh.out[v as usize] != NONE && !carriers.guessed(mesh, v, reach))
            .collect();
        if bare.contains(&true) {
            self.grid.rebuild(places.len(), reach, |i| places[i]);
            let grid = &self.grid;
            let carried = |v: usize| {
                let id = mesh.component[v];
                grid.any_within(mesh.x[v], reach, |i| carriers.may_carry(i as usize, id))
            };
            bare.par_iter_mut()
                .with_min_len(256)
                .enumerate()
                .for_each(|(v, bare)| *bare = *bare && !carried(v));
        }
        self.bare.resize(mesh.x.len(), (0, Vec3::ZERO));
        for (v, &bare) in bare.iter().enumerate() {
            if !bare {
                self.bare[v].0 = 0;
            }
        }
        // Connected sets of bare vertices.
        let mut marked = Vec::new();
        self.seen.reset(mesh.x.len());
        for first in 0..mesh.x.len() as u32 {
            if !bare[first as usize] || !self.seen.set_new(first, 0) {
                continue;
            }
            let mut set = vec![first];
            let mut k = 0;
            while k < set.len() {
                for h in mesh.ring(set[k]) {
                    let w = mesh.target(h);
                    if bare[w as usize] && self.seen.set_new(w, 0) {
                        set.push(w);
                    }
                }
                k += 1;
            }
            report.bare += set.len();
            // Vertices that re-meshing has just made are stretched like those around them.
            let stretched = |&v: &u32| self.stretched.get(v as usize) == Some(&true);
            if !set.iter().any(stretched) {
                continue;
            }
            for &v in &set {
                let (frames, rest) = &mut self.bare[v as usize];
                let same = *rest == mesh.rest[v as usize];
                *frames = if same { frames.saturating_add(1) } else { 1 };
                *rest = mesh.rest[v as usize];
            }
            if set.len() >= MANY {
                marked.extend(set);
            } else {
                marked.extend(set.iter().filter(|&&v| self.bare[v as usize].0 >= FRAMES));
            }
        }
        marked.sort_unstable();
        marked
    }

    /// Small parts of the surface that are left between taken triangles go too: closed for themselves they would be crumbs.
    fn take_islands(&mut self, mesh: &ClosedMesh) {
        self.seen.reset(mesh.material.len());
        let starts: Vec<u32> = mesh
            .triangles()
            .filter(|&t| self.taken.has(t))
            .flat_map(|t| (3 * t..3 * t + 3).map(|h| mesh.twin(h) / 3))
            .filter(|&s| !self.taken.has(s))
            .collect();
        for (name, &first) in starts.iter().enumerate() {
            if self.taken.has(first) || !self.seen.set_new(first, name as u32) {
                continue;
            }
            let mut island = vec![first];
            let mut k = 0;
            let mut small = true;
            while small && k < island.len() {
                let t = island[k];
                for h in 3 * t..3 * t + 3 {
                    let s = mesh.twin(h) / 3;
                    if !self.taken.has(s) && self.seen.get(s) != Some(name as u32) {
                        // Another search has come here and given up.
                        small &= self.seen.set_new(s, name as u32);
                        island.push(s);
                    }
                }
                small &= island.len() <= ISLAND;
                k += 1;
            }
            if small {
                for t in island {
                    self.taken.set_new(t, 0);
                }
            }
        }
    }

    /// Takes out pieces of which next to nothing would be left. Returns how many.
    fn remove_what_is_left(&mut self, mesh: &mut ClosedMesh, taken: &[u32]) -> usize {
        let piece =
            |mesh: &ClosedMesh, t: u32| mesh.component[mesh.corner[3 * t as usize] as usize];
        let mut left: BTreeMap<u32, i64> = BTreeMap::new();
        for &t in taken {
            left.insert(piece(mesh, t), 0);
        }
        for t in mesh.triangles() {
            if !self.taken.has(t) {
                left.entry(piece(mesh, t)).and_modify(|n| *n += 1);
            }
        }
        left.retain(|_, n| *n < LEAST as i64);
        if !left.is_empty() {
            let gone: Vec<u32> = mesh
                .triangles()
                .filter(|&t| left.contains_key(&piece(mesh, t)))
                .collect();
            components::remove(mesh, &gone);
        }
        left.len()
    }

    /// The connected sets of taken triangles, with their shape.
    fn patches(&mut self, mesh: &ClosedMesh, all: &[u32]) -> Vec<Patch> {
        self.seen.reset(mesh.material.len());
        let mut patches = Vec::new();
        for &first in all {
            if !self.seen.set_new(first, 0) {
                continue;
            }
            let mut triangles = vec![first];
            let mut k = 0;
            while k < triangles.len() {
                let t = triangles[k];
                for h in 3 * t..3 * t + 3 {
                    let s = mesh.twin(h) / 3;
                    if self.taken.has(s) && self.seen.set_new(s, 0) {
                        triangles.push(s);
                    }
                }
                k += 1;
            }
            triangles.sort_unstable();
            patches.push(self.measure(mesh, triangles));
        }
        patches
    }

    fn measure(&self, mesh: &ClosedMesh, triangles: Vec<u32>) -> Patch {
        let inside = |h: u32| self.taken.has(h / 3);
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.triangle(t)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut border: Vec<u32> = triangles
            .iter()
            .flat_map(|&t| 3 * t..3 * t + 3)
            .filter(|&h| !inside(mesh.twin(h)))
            .collect();
        border.sort_unstable();
        let edges = usize::midpoint(3 * triangles.len(), border.len());
        let mut patch = Patch {
            euler: vertices.len() as i64 - edges as i64 + triangles.len() as i64,
            loops: 0,
            component: mesh.component[vertices[0] as usize],
            ..Patch::default()
        };
        // Loops of the border: turn around the end of an edge, inside of the set, to the next.
        let mut met = vec![false; border.len()];
        for k in 0..border.len() {
            if met[k] {
                continue;
            }
            patch.loops += 1;
            let mut at = k;
            while !met[at] {
                met[at] = true;
                let mut h = next(border[at]);
                for _ in 0..mesh.corner.len() {
                    if !inside(mesh.twin(h)) {
                        break;
                    }
                    h = next(mesh.twin(h));
                }
                let Ok(found) = border.binary_search(&h) else {
                    break;
                };
                at = found;
            }
        }
        let count = vertices.len() as f32;
        patch.center = vertices.iter().map(|&v| mesh.x[v as usize]).sum::<Vec3>() / count;
        patch.normal = triangles
            .iter()
            .map(|&t| mesh.area_vector(t))
            .sum::<Vec3>()
            .normalize_or_zero();
        patch.reach = vertices.iter().fold(0.0, |far: f32, &v| {
            far.max(mesh.x[v as usize].distance(patch.center))
        });
        patch.triangles = triangles;
        patch
    }

    /// Opens a hole through a sheet between two discs.
    fn hole(&mut self, mesh: &mut ClosedMesh, a: &Patch, b: &Patch) -> bool {
        let mut triangles = [a.triangles.as_slice(), b.triangles.as_slice()].concat();
        triangles.sort_unstable();
        let loops = self.surgery.open(mesh, &triangles, &[]);
        if let [first, second] = loops.as_slice()
            && let Some((h, g)) = nearest(mesh, first, second)
        {
            self.surgery.bridge(mesh, h, g);
            let mut open: Vec<u32> = first
                .iter()
                .chain(second)
                .copied()
                .chain(self.surgery.made.iter().flat_map(|&t| 3 * t..3 * t + 3))
                .filter(|&h| mesh.twin(h) == NONE)
                .collect();
            open.sort_unstable();
            if let Some(&start) = open.first() {
                let edges = super::surgery::loop_of(mesh, start);
                filling::fill(mesh, &mut self.surgery, &[edges]);
                self.surgery.commit(mesh);
                return true;
            }
        }
        self.surgery.roll_back(mesh);
        false
    }
}

impl Patch {
    /// Whether this is a disc on the back of the same sheet.
    fn faces(&self, other: &Self, radius: f32) -> bool {
        let apart = self.center - other.center;
        let behind = -apart.dot(other.normal);
        let lateral = (apart + behind * other.normal).length();
        self.loops == 1
            && self.euler == 1
            && self.component == other.component
            && self.normal.dot(other.normal) < -0.5
            && behind > 0.0
            && behind < BEHIND * radius
            && lateral < 0.7 * (self.reach + other.reach)
    }
}

/// Whether an edge at `v` has grown by more than `growth` since the last frame.
fn is_stretched(mesh: &ClosedMesh, v: u32, growth: f32) -> bool {
    let length = |x: &[Vec3], w: u32| x[v as usize].distance(x[w as usize]);
    mesh.ring(v)
        .map(|h| mesh.target(h))
        .any(|w| length(&mesh.x, w) - length(&mesh.was, w) > growth)
}

/// The edges of two loops that are nearest to each other and may be bridged.
fn nearest(mesh: &ClosedMesh, a: &[u32], b: &[u32]) -> Option<(u32, u32)> {
    let mut best: Option<(f32, u32, u32)> = None;
    for &h in a {
        for &g in b {
            let length =
                mesh.at(h).distance(mesh.at(next(g))) + mesh.at(next(h)).distance(mesh.at(g));
            if best.is_none_or(|b| length < b.0) && Surgery::can_bridge(mesh, h, g) {
                best = Some((length, h, g));
            }
        }
    }
    best.map(|(_, h, g)| (h, g))
}
