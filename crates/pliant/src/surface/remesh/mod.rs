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
use super::patches::Patches;
pub(crate) use collapse::collapse_along;
use scan::Scan;

/// Rounds that bring a new surface into range: enough to come down from any length.
const REFINE_ROUNDS: usize = 120;
/// Rounds at the final length: flips may make splits necessary.
const REFINE_LAST: usize = 4;
/// How much shorter edges are after a round.
const REFINE_STEP: f32 = 0.7;

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
        patches: &Patches,
        lengths: Lengths,
        budget: Budget,
    ) -> RemeshReport {
        let mut report = RemeshReport::default();
        self.touched.clear();
        self.caps.clear();
        self.scan.run(mesh, lengths);

        // Most thin edges lie in flat places, where no neck can be.
        let thin = &mut self.scan.thin;
        thin.retain(|&h| !patches.is_flat(mesh.patch[h as usize / 3]));
        self.neck
            .cut_all(mesh, lengths, thin, &mut self.caps, &mut report);
        let mut left = budget.operations;
        self.split_long(mesh, lengths, budget.triangles, &mut left, &mut report);
        self.collapse_short(mesh, lengths, &mut left, &mut report);
        self.flip_obtuse(mesh, &mut left, &mut report);
        self.relax_touched(mesh);
        report
    }

    /// Splits what is too long and flips what is too obtuse, without limit on operations: a new surface comes into range, and no
    /// vertex that it came with moves. Relaxing would round the creases of coarse input.
    ///
    /// The length comes down round by round, with flips in between: split at once, long triangles would become slivers.
    pub(crate) fn refine(&mut self, mesh: &mut ClosedMesh, lengths: Lengths, triangles: usize) {
        let edges = 0..mesh.corner.len() as u32;
        let alive = edges.filter(|&h| mesh.alive(h / 3));
        let mut max = alive.fold(0.0_f32, |m, h| m.max(mesh.length2(h))).sqrt();
        let mut last_rounds = 0;
        for _ in 0..REFINE_ROUNDS {
            max = (REFINE_STEP * max).max(lengths.max);
            let round = Lengths { max, ..lengths };
            let mut report = RemeshReport::default();
            let mut left = u32::MAX;
            self.touched.clear();
            self.scan.run(mesh, round);
            self.split_long(mesh, round, triangles, &mut left, &mut report);
            self.flip_obtuse(mesh, &mut left, &mut report);
            last_rounds += usize::from(max == lengths.max);
            if last_rounds > 0 && (report.splits == 0 || last_rounds == REFINE_LAST) {
                break;
            }
        }
        self.touched.clear();
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
