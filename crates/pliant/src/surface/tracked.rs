//! A tracked surface on its particles: carried by them, repaired, and hung on them anew where it has changed.

use super::closed_mesh::{ClosedMesh, ClosedMeshError, MADE, NONE, next};
use super::components::Component;
use super::cut::{Cut, CutError};
use super::skin::{self, SkinFrame};
use super::smooth;
use super::tear::Carriers;
use super::tracker::{Tracker, TrackerSettings};
use super::unfold::unfold;
use crate::geometry::Mesh;
use crate::geometry::grid::PointGrid;
use crate::report::{Stage, SurfaceReport};
use crate::state::{SKIN_INFLUENCES, Skin};
use glam::{Mat3, Vec3};
use rayon::prelude::*;

/// Updates that a new surface may take to get rid of its crossings.
const FIRST_UPDATES: usize = 8;
/// A vertex whose particles are all farther away than this, in particle radii, is hung on nearer ones.
const FAR: f32 = 2.0;
/// Rings around a new vertex that are searched for older ones.
const RINGS: usize = 4;

/// A tracked surface and how it hangs on particles.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    tracker: Tracker,
    /// One entry a vertex slot; that of a free slot means nothing.
    skin: Vec<Skin>,
    grid: PointGrid,
}

impl Tracked {
    /// Takes over a closed mesh, brings its edges into range and joins what overlaps. It hangs on nothing yet.
    pub fn new(mesh: &Mesh, settings: TrackerSettings) -> Result<Self, ClosedMeshError> {
        let mut tracker = Tracker::new(mesh, settings)?;
        tracker.refine();
        for _ in 0..FIRST_UPDATES {
            if tracker.update().events.crossings == 0 {
                break;
            }
        }
        Ok(Self {
            tracker,
            ..Self::default()
        })
    }

    /// Hangs every vertex on the nearest of `points` that are of its piece; the points are a body at rest, the first has the index
    /// `first`, and `piece` tells the piece of each. A piece without points hangs on whatever is near.
    pub fn bind(&mut self, points: &[Vec3], piece: &[u32], first: usize, particle_radius: f32) {
        let everything: Vec<u32> = (0..points.len() as u32).collect();
        let ids: Vec<u32> = self.components().iter().map(|c| c.id).collect();
        let lots: Vec<(Vec<u32>, PointGrid)> = ids
            .iter()
            .map(|id| {
                let own = |i: &&u32| piece[**i as usize] == *id;
                let mut lot: Vec<u32> = everything.iter().filter(own).copied().collect();
                if lot.is_empty() {
                    lot.clone_from(&everything);
                }
                let places: Vec<Vec3> = lot.iter().map(|&i| points[i as usize]).collect();
                let grid = PointGrid::new(&places, 2.0 * particle_radius);
                (lot, grid)
            })
            .collect();
        let mesh = self.tracker.mesh_mut();
        mesh.vertex_flags.fill(0);
        let hang = |(v, &y): (usize, &Vec3)| {
            // Free slots have no piece.
            if mesh.out[v] == NONE {
                return Skin::default();
            }
            let at = ids.binary_search(&mesh.component[v]).unwrap_or(0);
            let (lot, grid) = &lots[at];
            let at_rest = |i: usize| (points[lot[i] as usize], Mat3::IDENTITY);
            let mut skin = skin::hang(grid, 0, y, particle_radius, at_rest);
            skin.point = skin.point.map(|i| first as u32 + lot[i as usize]);
            skin
        };
        mesh.x
            .par_iter()
            .enumerate()
            .with_min_len(256)
            .map(hang)
            .collect_into_vec(&mut self.skin);
    }

    /// The surface as it is.
    pub fn mesh(&self) -> &ClosedMesh {
        self.tracker.mesh()
    }

    /// Asks for a cut, which the next step makes.
    pub fn cut(&mut self, cut: Cut) -> Result<(), CutError> {
        self.tracker.cut(cut)
    }

    /// The solid pieces, by ascending id.
    pub fn components(&self) -> &[Component] {
        self.tracker.components()
    }

    /// Skin data by vertex slot; that of free slots means nothing.
    pub fn skin(&self) -> &[Skin] {
        &self.skin
    }

    /// Takes out pieces that no particle carries, at the next update.
    pub(crate) fn drop_pieces(&mut self, ids: &[u32]) {
        self.tracker.drop_pieces(ids);
    }

    /// The surface, and the skin data to change.
    pub(crate) fn mesh_and_skins(&mut self) -> (&ClosedMesh, &mut [Skin]) {
        (self.tracker.mesh(), &mut self.skin)
    }

    pub(crate) fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Skin data of the vertices that there are.
    pub(crate) fn skins(&self) -> impl Iterator<Item = &Skin> {
        let alive = self.mesh().vertices();
        alive.map(|v| &self.skin[v as usize])
    }

    /// Skin data of the vertices that there are, to change.
    pub(crate) fn skins_mut(&mut self) -> impl Iterator<Item = &mut Skin> {
        let out = &self.tracker.mesh().out;
        self.skin
            .iter_mut()
            .zip(out)
            .filter_map(|(skin, &out)| (out != NONE).then_some(skin))
    }

    /// Moves skin data along when the vertices of the mesh got other slots.
    fn renumber_slots(&mut self, new_of_old: &[u32]) {
        let mut moved = vec![Skin::default(); self.mesh().positions().len()];
        for (skin, &new) in self.skin.iter().zip(new_of_old) {
            if let Some(slot) = moved.get_mut(new as usize) {
                *slot = *skin;
            }
        }
        self.skin = moved;
    }

    /// Carries every vertex with its particles.
    pub(crate) fn carry(&mut self, frame: &SkinFrame) {
        let mesh = self.tracker.mesh_mut();
        mesh.x
            .par_iter_mut()
            .zip(&mesh.out)
            .zip(self.skin.par_iter_mut())
            .with_min_len(1024)
            .for_each(|((y, &out), skin)| {
                if out != NONE
                    && let Some(to) = skin::carried(frame, skin)
                {
                    *y = to;
                }
            });
    }

    /// Lays folds flat and takes the roughness out of what flows.
    pub(crate) fn smooth(&mut self, flow: &[f32]) {
        unfold(self.tracker.mesh_mut());
        let skins = &self.skin;
        smooth::smooth(self.tracker.mesh_mut(), |v| skins[v as usize].mean(flow));
    }

    /// Repairs the surface after it was carried, and hangs on particles what has changed. Parts that overlap become one when they
    /// have done so for `merge_delay` frames.
    pub(crate) fn update(
        &mut self,
        frame: &SkinFrame,
        merge_delay: u32,
        carriers: &Carriers,
        lap: &mut impl FnMut(Stage),
    ) -> SurfaceReport {
        let before: Vec<u32> = self.components().iter().map(|c| c.id).collect();
        self.tracker.set_merge_delay(merge_delay);
        let first = frame.own.start as u32;
        let guess: Vec<u32> = self
            .skin
            .iter()
            .map(|skin| skin.point[0].wrapping_sub(first))
            .collect();
        let carriers = Carriers {
            guess: &guess,
            ..*carriers
        };
        let tracker = self.tracker.update_in_stages(&carriers, lap);
        if let Some(new_of_old) = &tracker.renumbered {
            self.renumber_slots(new_of_old);
        }
        self.hang_changed(frame);
        lap(Stage::Skin);
        let after = self.components();
        let missing = |id: &u32| after.binary_search_by_key(id, |c| c.id).is_err();
        let gone = before.iter().filter(|id| missing(id)).count();
        let new = after
            .iter()
            .filter(|c| before.binary_search(&c.id).is_err())
            .count();
        SurfaceReport {
            // A crumb that had a name is gone too, but has not become part of another piece.
            merges: gone.saturating_sub(tracker.components.crumbs) as u32,
            splits: new as u32,
            tracker,
        }
    }

    /// New vertices are hung on particles near to them, those that were moved keep theirs; both stay out of colliders.
    fn hang_changed(&mut self, frame: &SkinFrame) {
        let mesh = self.tracker.mesh_mut();
        self.skin.resize(mesh.x.len(), Skin::default());
        let changed: Vec<u32> = mesh
            .vertices()
            .filter(|&v| mesh.vertex_flags[v as usize] != 0)
            .collect();
        if changed.is_empty() {
            return;
        }
        let (points, r) = (frame.points, frame.particle_radius);
        let first = frame.own.start;
        self.grid
            .rebuild(frame.own.len(), 2.0 * r, |i| points.x[first + i]);
        let (mesh, skins, grid) = (self.tracker.mesh(), &self.skin, &self.grid);
        let hung: Vec<(Vec3, Skin)> = changed
            .par_iter()
            .with_min_len(64)
            .map(|&v| {
                let at = v as usize;
                let y = skin::push_out(frame, mesh.x[at], |_| false).unwrap_or(mesh.x[at]);
                let mut skin = skins[at];
                if mesh.vertex_flags[at] & MADE != 0 || skin::strays(frame, &skin, y, FAR * r) {
                    skin = skin::hang_beside(
                        frame,
                        grid,
                        y,
                        &carriers_around(mesh, skins, v),
                        FAR * r,
                    );
                } else {
                    skin::hold(frame, &mut skin, y);
                }
                (y, skin)
            })
            .collect();
        let mesh = self.tracker.mesh_mut();
        for (&v, (y, skin)) in changed.iter().zip(hung) {
            mesh.x[v as usize] = y;
            self.skin[v as usize] = skin;
        }
        mesh.vertex_flags.fill(0);
    }
}

/// The particles that the nearest vertices around `v` hang on which were there before this frame, and its own if it was.
fn carriers_around(mesh: &ClosedMesh, skins: &[Skin], v: u32) -> Vec<u32> {
    let (mut ring, mut carriers) = (vec![v], Vec::new());
    for _ in 0..RINGS {
        let old = |v: &&u32| mesh.vertex_flags[**v as usize] & MADE == 0;
        for &v in ring.iter().filter(old) {
            carriers.extend(skins[v as usize].point);
        }
        if carriers.len() > SKIN_INFLUENCES {
            break;
        }
        let around = |&v: &u32| mesh.ring(v).map(|h| mesh.origin(next(h)));
        ring = ring.iter().flat_map(around).collect();
        ring.sort_unstable();
        ring.dedup();
    }
    carriers.sort_unstable();
    carriers.dedup();
    carriers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::testing;

    fn tracked() -> (Tracked, Vec<Vec3>) {
        let ball = testing::sphere(4);
        let mut tracked = Tracked::new(&ball, TrackerSettings::new(0.2)).unwrap();
        let points: Vec<Vec3> = ball.positions.iter().map(|p| 0.8 * *p).collect();
        let piece = vec![tracked.components()[0].id; points.len()];
        tracked.bind(&points, &piece, 5, 0.2);
        (tracked, points)
    }

    /// Coarse input is split on load, and every vertex hangs on particles of its own body.
    #[test]
    fn coarse_input_is_split_and_bound() {
        let (tracked, points) = tracked();
        let mesh = tracked.mesh();
        assert!(mesh.vertex_count() > points.len());
        for v in mesh.vertices() {
            let skin = &tracked.skin()[v as usize];
            assert!((skin.weight.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for &i in &skin.point {
                assert!((5..5 + points.len()).contains(&(i as usize)));
            }
        }
    }

    /// Skin data follow their vertices to other slots.
    #[test]
    fn skin_follows_slots() {
        let (mut tracked, _) = tracked();
        let old = tracked.skin().to_vec();
        let reversed: Vec<u32> = (0..old.len() as u32).rev().collect();
        tracked.renumber_slots(&reversed);
        assert!(tracked.skin().iter().eq(old.iter().rev()));
    }
}
