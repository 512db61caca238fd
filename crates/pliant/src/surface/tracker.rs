//! The tracked surface: one closed mesh that is carried along, re-meshed, merged, split and cut.

use super::closed_mesh::{ClosedMesh, ClosedMeshError, in_world};
use super::components::{Component, ComponentReport, Components};
use super::cut::{Cut, CutError, CutLimits, CutReport, Cuts};
use super::detect::{Detector, Exempt};
use super::events::{Contact, EventLimits, EventReport, Events};
use super::patches::Patches;
use super::rebuild::rebuild;
use super::remesh::{Budget, Lengths, RemeshReport, Remesher};
use super::tear::{Carriers, TearReport, Tearing};
use super::volume::VolumeKeeper;
use crate::geometry::Mesh;
use crate::report::Stage;
use glam::Vec3;
use rayon::prelude::*;

/// Frames that a piece may stay tangled.
const STUCK_FRAMES: usize = 30;
/// Share of the triangles that may stay tangled.
const STUCK_SHARE: f32 = 0.05;

/// A surface of more triangles is renumbered, so that neighbours lie next to each other in memory.
const SCATTERED: usize = 4096;
/// That is done when it is new and whenever one in so many triangles came by splits, which put them at the end of memory.
const SCATTER: usize = 4;

/// How a surface is tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackerSettings {
    /// Longest edge (m); the shortest is a tenth of it.
    pub edge_length: f32,
    /// Radius of the particles that carry the surface (m): pieces below its cube are crumbs. Without particles twice the longest
    /// edge.
    pub particle_radius: f32,
    /// Whether every piece keeps its volume.
    pub keep_volume: bool,
    /// Frames that parts overlap before they are joined. What is buried meanwhile is not seen, and parts that bounce come apart
    /// again as they were.
    pub merge_delay: u32,
    /// Operations of re-meshing that one frame may try.
    pub max_operations: u32,
    /// Triangles that the surface may have; at the limit edges are no longer split.
    pub max_triangles: usize,
}

impl TrackerSettings {
    /// The usual settings for a longest edge.
    pub fn new(edge_length: f32) -> Self {
        Self {
            edge_length,
            particle_radius: 2.0 * edge_length,
            keep_volume: false,
            merge_delay: 0,
            max_operations: 8000,
            max_triangles: 2_000_000,
        }
    }
}

impl Default for TrackerSettings {
    fn default() -> Self {
        Self::new(0.05)
    }
}

/// What happened to a surface in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackerReport {
    /// Re-meshing.
    pub remesh: RemeshReport,
    /// Crossings and what became of them.
    pub events: EventReport,
    /// Pieces that were taken out.
    pub components: ComponentReport,
    /// Cuts that were made.
    pub cuts: CutReport,
    /// Where the surface tore.
    pub tears: TearReport,
    /// Crossings that only the audit of the search has found.
    pub audit_misses: usize,
    /// Triangles that were extracted anew where the surface could not be untangled.
    pub rebuilt: usize,
    /// If the slots were renumbered at the end of the frame: the new slot of every old vertex, `u32::MAX` for free ones.
    pub renumbered: Option<Vec<u32>>,
}

/// A surface that stays closed while it is carried along.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    settings: TrackerSettings,
    mesh: ClosedMesh,
    patches: Patches,
    remesher: Remesher,
    detector: Detector,
    events: Events,
    components: Components,
    pairs: Vec<(u32, u32)>,
    cuts: Cuts,
    tearing: Tearing,
    volume: VolumeKeeper,
    /// Triangles that splits have made since neighbours were last put next to each other in memory.
    new_triangles: u32,
}

impl Tracker {
    /// Starts tracking a closed, manifold, consistently oriented mesh. Its vertices and triangles get slots by where they lie, so
    /// that their order in the input does not matter.
    pub fn new(mesh: &Mesh, settings: TrackerSettings) -> Result<Self, ClosedMeshError> {
        let mut tracker = Self {
            settings,
            mesh: ClosedMesh::new(mesh)?,
            ..Self::default()
        };
        tracker.mesh.order_by_place();
        tracker.look_anew(0.0);
        Ok(tracker)
    }

    /// Looks at a new surface: its patches and its pieces. It may cross itself, which the first frame will see to.
    fn look_anew(&mut self, min_volume: f64) {
        self.patches = Patches::build(&mut self.mesh);
        self.patches.begin_frame(&mut self.mesh);
        let mut pairs = Vec::new();
        Detector::default().find(&self.mesh, &self.patches, None, &mut pairs);
        let tangled: Vec<u32> = pairs.into_iter().flat_map(|(i, j)| [i, j]).collect();
        self.components = Components::default();
        self.components
            .update(&mut self.mesh, &self.patches, min_volume, &tangled);
    }

    /// The surface as it is.
    pub fn mesh(&self) -> &ClosedMesh {
        &self.mesh
    }

    /// The solid pieces, by ascending id.
    pub fn components(&self) -> &[Component] {
        &self.components.list
    }

    /// Carries every vertex to where `motion` takes its place. A place that is not finite or out of the
    /// [`WORLD`](super::closed_mesh::WORLD) is refused and counted; the vertex stays where it was.
    pub fn advect(&mut self, motion: impl Fn(Vec3) -> Vec3 + Sync) -> usize {
        self.advect_vertices(|_, x| motion(x))
    }

    /// [`Tracker::advect`] by a motion that may differ from vertex to vertex: it gets the vertex's slot and place.
    pub fn advect_vertices(&mut self, motion: impl Fn(u32, Vec3) -> Vec3 + Sync) -> usize {
        self.mesh
            .x
            .par_iter_mut()
            .enumerate()
            .with_min_len(1024)
            .map(|(v, x)| {
                let to = motion(v as u32, *x);
                let fine = in_world(to);
                if fine {
                    *x = to;
                }
                usize::from(!fine)
            })
            .sum()
    }

    /// The surface, to be moved vertex by vertex.
    pub(crate) fn mesh_mut(&mut self) -> &mut ClosedMesh {
        &mut self.mesh
    }

    /// Frames that parts overlap before they are joined, from now on.
    pub(crate) fn set_merge_delay(&mut self, frames: u32) {
        self.settings.merge_delay = frames;
    }

    /// What is known about crossings that were left: triangles that are tangled and vertices in contact, with for how many frames.
    pub(crate) fn crossings(&self) -> (&[(u32, usize)], &[Contact]) {
        self.events.state()
    }

    /// Takes out pieces that no particle carries, at the next update.
    pub(crate) fn drop_pieces(&mut self, ids: &[u32]) {
        self.components.bare.extend_from_slice(ids);
    }

    /// The id that the next new piece gets.
    pub(crate) fn next_component(&self) -> u32 {
        self.components.next_id
    }

    /// Triangles that splits have made since the surface was last renumbered: they decide when it is again.
    pub(crate) fn new_triangles(&self) -> u32 {
        self.new_triangles
    }

    /// Brings a new surface into range at once, without moving what it came with, and looks at its pieces anew.
    pub fn refine(&mut self) {
        let s = self.settings;
        let lengths = Lengths::new(s.edge_length, s.particle_radius);
        self.remesher
            .refine(&mut self.mesh, lengths, s.max_triangles);
        if self.mesh.material.len() > SCATTERED {
            // What splits have made lies at the end of memory, far from what is around it.
            self.patches = Patches::build(&mut self.mesh);
            self.mesh.compact();
        }
        self.mesh.was.clone_from(&self.mesh.x);
        self.detector = Detector::default();
        self.look_anew(f64::from(lengths.min_volume));
    }

    /// Asks for a cut, which the next [`Tracker::update`] makes. Cuts are made in the order in which they were asked for.
    pub fn cut(&mut self, cut: Cut) -> Result<(), CutError> {
        self.cuts.ask(cut)
    }

    /// Repairs the surface after it was carried.
    pub fn update(&mut self) -> TrackerReport {
        self.update_carried(&Carriers::default())
    }

    /// [`Tracker::update`] of a surface that particles carry: it tears where they are missing.
    pub fn update_carried(&mut self, carriers: &Carriers) -> TrackerReport {
        self.update_in_stages(carriers, &mut |_| ())
    }

    /// [`Tracker::update_carried`], which calls `lap` at the end of each stage.
    pub(crate) fn update_in_stages(
        &mut self,
        carriers: &Carriers,
        lap: &mut impl FnMut(Stage),
    ) -> TrackerReport {
        let mut report = TrackerReport::default();
        let s = self.settings;
        let lengths = Lengths::new(s.edge_length, s.particle_radius);
        let budget = Budget {
            operations: s.max_operations,
            triangles: s.max_triangles,
        };
        let Self {
            mesh,
            patches,
            remesher,
            detector,
            events,
            components,
            pairs,
            cuts,
            tearing,
            volume,
            new_triangles,
            ..
        } = self;

        // Where it is being stretched; re-meshing moves vertices too.
        tearing.look(mesh, carriers, lengths.min);

        // Edges come back into range; necks are cut before they turn inside out.
        report.remesh = remesher.run(mesh, patches, lengths, budget);
        lap(Stage::Remesh);

        // Where nothing carries the surface any more it tears.
        report.tears = tearing.run(mesh, carriers);

        // What was asked to be cut.
        let limits = CutLimits {
            min_edge: lengths.min,
            max_edge: lengths.max,
            triangles: s.max_triangles,
        };
        report.cuts = cuts.run(mesh, limits);
        let exempt: Option<Exempt> = cuts.any_scars.then_some(&ClosedMesh::cut_apart);

        // Where the surface crosses itself.
        patches.begin_frame(mesh);
        detector.find(mesh, patches, exempt, pairs);
        report.audit_misses = detector.statistics().audit_misses;

        // What overlaps is joined.
        let limits = EventLimits {
            max_edge: lengths.max,
            min_volume: lengths.min_volume,
            merge_delay: s.merge_delay,
        };
        report.events = events.run(mesh, patches, detector, exempt, pairs, limits);

        // What stays tangled is extracted anew.
        report.rebuilt = rebuild_stuck(mesh, patches, events, lengths.max, s.max_triangles);

        // Which pieces there are now.
        let before = components.list.len();
        let changed = report.remesh.necks + report.remesh.tunnels > 0
            || report.cuts.cuts > 0
            || report.tears.changed()
            || report.events.resolved > 0
            || report.rebuilt > 0
            || !components.bare.is_empty()
            || components.any_engulfed(mesh, patches);
        if changed {
            let min_volume = f64::from(lengths.min_volume);
            report.components = components.update(mesh, patches, min_volume, events.crossing());
        }
        if report.cuts.cuts > 0 {
            report.cuts.pieces = components.list.len().saturating_sub(before);
        }
        if s.keep_volume {
            volume.run(mesh, &components.list, 0.1 * s.particle_radius);
        }
        patches.housekeeping(mesh);
        *new_triangles = new_triangles.saturating_add(2 * report.remesh.splits);
        report.renumbered = close_gaps(mesh, patches, events, new_triangles);
        mesh.was.clone_from(&mesh.x);
        lap(Stage::Topology);
        report
    }
}

/// Renumbers the slots if too many are free, or if too many triangles lie far from their neighbours in memory. Returns the new
/// slot of every old vertex.
fn close_gaps(
    mesh: &mut ClosedMesh,
    patches: &mut Patches,
    events: &mut Events,
    new_triangles: &mut u32,
) -> Option<Vec<u32>> {
    let triangles = mesh.triangle_count();
    let scattered = triangles > SCATTERED && *new_triangles as usize > triangles / SCATTER;
    (scattered || mesh.has_gaps()).then(|| {
        *new_triangles = 0;
        // New patches are numbered by where they lie, and triangles by patch.
        Patches::build(mesh);
        let new_of_old = mesh.compact();
        *patches = Patches::build(mesh);
        events.forget(&new_of_old);
        new_of_old
    })
}

/// Extracts the tangled pieces anew if one has been so for too long or if too much is. Returns the number of new triangles.
fn rebuild_stuck(
    mesh: &mut ClosedMesh,
    patches: &mut Patches,
    events: &mut Events,
    max_edge: f32,
    max_triangles: usize,
) -> usize {
    let (oldest, knots) = events.stuck();
    if oldest <= STUCK_FRAMES && knots as f32 <= STUCK_SHARE * mesh.triangle_count() as f32 {
        return 0;
    }
    let made = rebuild(mesh, &events.tangled(), max_edge, max_triangles);
    *patches = Patches::build(mesh);
    patches.begin_frame(mesh);
    events.forget(&[]);
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solids::octahedron;
    use crate::surface::validate::Level;

    /// Places out of the world are refused one by one; at its border the surface is still sound after an update.
    #[test]
    fn places_out_of_the_world_are_refused() {
        let mut tracker = Tracker::new(&octahedron(1.0), TrackerSettings::new(0.5)).unwrap();
        let before = tracker.mesh().positions().to_vec();
        assert_eq!(tracker.advect(|_| Vec3::X * 1e20), 6);
        assert_eq!(tracker.advect(|_| Vec3::Y * f32::NAN), 6);
        assert_eq!(tracker.mesh().positions(), before);
        assert_eq!(tracker.advect(|p| p * 1e7), 0);
        tracker.update();
        tracker.mesh().validate(Level::Everything).unwrap();
    }
}
