//! Incremental re-meshing: only what is out of range is touched, all else keeps its vertices bit for bit.
//!
//! One scan finds edges that are too long or too short, slivers, obtuse pairs and edges that shrink. Necks come first, on the
//! surface as it was carried; then splits, collapses and flips, worst first, up to a budget of operations; what was touched is
//! relaxed along the surface. What is left over waits for the next frame.

mod collapse;
mod flip;
mod neck;
mod relax;
mod scan;
mod split;

use super::closed_mesh::{ClosedMesh, next};
use scan::Scan;

/// The range that edges are kept in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lengths {
    /// Longer edges are split (m).
    pub(crate) max: f32,
    /// Shorter edges are collapsed (m); a tenth of `max`.
    pub(crate) min: f32,
    /// Smaller pieces are crumbs (m³): the cube of the particle radius.
    pub(crate) min_volume: f32,
}

impl Lengths {
    pub(crate) fn new(edge_length: f32, particle_radius: f32) -> Self {
        Self {
            max: edge_length,
            min: 0.1 * edge_length,
            min_volume: particle_radius * particle_radius * particle_radius,
        }
    }
}

/// What re-meshing has done in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemeshReport {
    /// Edges that were split.
    pub splits: u32,
    /// Edges that were collapsed.
    pub collapses: u32,
    /// Edges that were flipped.
    pub flips: u32,
    /// Necks of material that were cut.
    pub necks: u32,
    /// Tunnels that were closed.
    pub tunnels: u32,
    /// Collapses that a rule about topology or shape refused.
    pub refused_collapses: u32,
    /// Flips that were refused.
    pub refused_flips: u32,
    /// Splits that the limit of triangles refused.
    pub refused_splits: u32,
    /// Edges out of range that wait for the next frame because the budget was spent.
    pub postponed: u32,
}

/// Limits of one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Operations that may be tried.
    pub(crate) operations: u32,
    /// Triangles the mesh may have.
    pub(crate) triangles: usize,
}

/// Re-meshing with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remesher {
    scan: Scan,
    neck: neck::NeckFinder,
    touched: Touched,
    /// Triangles the necks have made: the caps.
    pub(crate) caps: Vec<u32>,
}

/// Vertices whose surroundings were changed in this frame.
#[derive(Clone, Debug, Default)]
struct Touched {
    list: Vec<u32>,
    seen: Vec<bool>,
}

impl Touched {
    fn add(&mut self, v: u32) {
        let i = v as usize;
        if i >= self.seen.len() {
            self.seen.resize(i + 1, false);
        }
        if !std::mem::replace(&mut self.seen[i], true) {
            self.list.push(v);
        }
    }

    fn add_ring(&mut self, mesh: &ClosedMesh, v: u32) {
        self.add(v);
        for h in mesh.ring(v) {
            self.add(mesh.target(h));
        }
    }

    fn clear(&mut self) {
        for &v in &self.list {
            self.seen[v as usize] = false;
        }
        self.list.clear();
    }
}

impl Remesher {
    /// Brings the mesh back into range.
    pub(crate) fn run(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        budget: Budget,
    ) -> RemeshReport {
        let mut report = RemeshReport::default();
        self.touched.clear();
        self.caps.clear();
        self.scan.run(mesh, lengths);

        self.neck
            .cut_all(mesh, lengths, &self.scan.thin, &mut self.caps, &mut report);
        let mut left = budget.operations;
        self.split_long(mesh, lengths, budget.triangles, &mut left, &mut report);
        self.collapse_short(mesh, lengths, &mut left, &mut report);
        self.flip_obtuse(mesh, &mut left, &mut report);
        self.relax_touched(mesh);
        report
    }
}

/// The half-edge of triangle `t` for which `f` is largest.
fn longest_of(mesh: &ClosedMesh, t: u32) -> u32 {
    (3 * t..3 * t + 3)
        .max_by(|&g, &h| mesh.length2(g).total_cmp(&mesh.length2(h)))
        .unwrap_or(3 * t)
}

/// The shortest half-edge of triangle `t`.
fn shortest_of(mesh: &ClosedMesh, t: u32) -> u32 {
    (3 * t..3 * t + 3)
        .min_by(|&g, &h| mesh.length2(g).total_cmp(&mesh.length2(h)))
        .unwrap_or(3 * t)
}

/// Both half-edges of an edge name it by the smaller one.
fn edge_name(mesh: &ClosedMesh, h: u32) -> u32 {
    h.min(mesh.twin(h))
}

/// Ends of an edge.
fn ends(mesh: &ClosedMesh, h: u32) -> (u32, u32) {
    (mesh.corner[h as usize], mesh.corner[next(h) as usize])
}
