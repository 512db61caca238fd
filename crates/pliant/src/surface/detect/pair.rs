//! A pair of patches, triangle by triangle.

use super::parting::{self, Clip, Frame};
use super::star::Stars;
use crate::surface::boxes::{self, Bounds, Box8};
use crate::surface::closed_mesh::ClosedMesh;
use crate::surface::patches::Patches;
use crate::surface::predicates::{distance_bound, triangles_cross};
use glam::Vec3;

/// Distances are searched up to this part of the shorter typical edge: far enough to last for many frames, near enough to look
/// at few triangles.
const REACH: f32 = 0.3;

/// The same for neighbours, whose triangles are never far apart.
const NEAR_REACH: f32 = 0.1;

/// A distance is worth its search if it would last for this many frames like the present one.
const LASTING: f32 = 2.0;

/// The triangles of a patch, laid out for tests.
#[derive(Default)]
struct Side {
    /// The patch that is loaded, if any.
    patch: Option<u32>,
    ids: Vec<u32>,
    corners: Vec<[u32; 3]>,
    points: Vec<[Vec3; 3]>,
    bounds: Vec<Bounds>,
    boxes: Vec<Box8>,
}

impl Side {
    fn load(&mut self, mesh: &ClosedMesh, patches: &Patches, p: u32) {
        if self.patch == Some(p) {
            return;
        }
        self.patch = Some(p);
        self.fill(mesh, patches.triangles(mesh, p));
    }

    fn fill(&mut self, mesh: &ClosedMesh, triangles: impl Iterator<Item = u32>) {
        self.ids.clear();
        self.ids.extend(triangles);
        self.corners.clear();
        self.corners
            .extend(self.ids.iter().map(|&t| mesh.triangle(t)));
        self.points.clear();
        let place = |&[a, b, c]: &[u32; 3]| {
            let x = &mesh.x;
            [x[a as usize], x[b as usize], x[c as usize]]
        };
        self.points.extend(self.corners.iter().map(place));
        self.bounds.clear();
        self.bounds
            .extend(self.points.iter().map(|&p| Bounds::of(p)));
        boxes::pack(&self.bounds, &mut self.boxes);
    }

    /// The shadow on an axis, seen from `origin`.
    fn shadow(&self, axis: Vec3, origin: Vec3) -> (f32, f32) {
        let mut shadow = (f32::INFINITY, f32::NEG_INFINITY);
        for points in &self.points {
            for &p in points {
                let s = (p - origin).dot(axis);
                shadow = (shadow.0.min(s), shadow.1.max(s));
            }
        }
        shadow
    }
}

/// Memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) near: Vec<u32>,
    /// Pairs that cross, of the last call of [`Scratch::triangles`].
    pub(super) hits: Vec<(u32, u32)>,
    sides: [Side; 2],
    clips: [Clip; 2],
    candidates: Vec<(u32, u32)>,
}

/// How a pair of patches is searched.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    /// Whether the distance is wanted, if so by how much it may shrink in a frame (m).
    pub(super) distance: Option<f32>,
    /// Pairs that a plane parts are dropped.
    pub(super) frame: Option<&'a Frame>,
    /// The patches are neighbours or the same.
    pub(super) near: bool,
    /// Pairs that share a vertex with a flat star are dropped.
    pub(super) stars: Option<&'a Stars>,
}

/// What the triangles of a pair of patches say.
pub(super) struct Verdict {
    /// Pairs that were tested.
    pub(super) tested: usize,
    /// The patches are at least this far apart (m); zero if they meet or nobody asked. Of neighbours: how far their
    /// vertices and those around may move against each other until they might meet where they do not yet.
    pub(super) distance: f32,
}

impl Scratch {
    /// Forgets the patches that are loaded: a new row begins, perhaps of another mesh.
    pub(super) fn forget(&mut self) {
        for side in &mut self.sides {
            side.patch = None;
        }
    }

    /// Loads a pair of patches. One that is paired with itself takes only the first side.
    fn load(&mut self, mesh: &ClosedMesh, patches: &Patches, pair: [u32; 2]) {
        let [first, second] = &mut self.sides;
        first.load(mesh, patches, pair[0]);
        if pair[0] != pair[1] {
            second.load(mesh, patches, pair[1]);
        }
    }

    /// The sides of a pair that is loaded.
    fn both(sides: &[Side; 2], same: bool) -> [&Side; 2] {
        [&sides[0], &sides[usize::from(!same)]]
    }

    /// The width of the gap between two patches along the mean normal of either (m), rounded down; zero if there is none.
    pub(super) fn gap(&mut self, mesh: &ClosedMesh, patches: &Patches, pair: [u32; 2]) -> f32 {
        self.load(mesh, patches, pair);
        let [a, b] = pair.map(|p| &patches.all()[p as usize]);
        let all = a.bounds.join(b.bounds);
        let rounding = 1e-6 * (all.hi - all.lo).length();
        let origin = a.bounds.lo;
        let mut best = 0.0;
        for axis in [a.axis, b.axis] {
            let [s, t] = [0, 1].map(|k| self.sides[k].shadow(axis, origin));
            let gap = (t.0 - s.1).max(s.0 - t.1) * 0.99999 - rounding;
            if gap > best {
                best = gap;
            }
        }
        best
    }

    /// Tests the triangles of two patches against each other; [`Scratch::hits`] are those that cross. Pairs that [`Rules`] rule out
    /// are not tested.
    pub(super) fn triangles(
        &mut self,
        mesh: &ClosedMesh,
        patches: &Patches,
        pair: [u32; 2],
        rules: Rules,
    ) -> Verdict {
        let [a, b] = pair.map(|p| &patches.all()[p as usize]);
        // An edge that is no number, because squares overflow, must not hide candidates.
        let reach = if rules.near { NEAR_REACH } else { REACH } * a.edge.min(b.edge);
        let lasts = rules
            .distance
            .is_some_and(|shrinks| reach.is_finite() && LASTING * shrinks < reach);
        let margin = if lasts { reach } else { 0.0 };
        let same = pair[0] == pair[1];
        self.load(mesh, patches, pair);
        let sides = Self::both(&self.sides, same).into_iter().zip([b, a]);
        for ((side, other), clip) in sides.zip(&mut self.clips) {
            clip.which.clear();
            boxes::near(&side.boxes, &other.bounds, margin, &mut clip.which);
        }
        self.candidates.clear();
        if let Some(frame) = rules.frame {
            self.not_parted(frame, margin, same);
        } else {
            let [first, second] = Self::both(&self.sides, same);
            let (some, into) = (&self.clips[0].which, &mut self.candidates);
            boxes::near_pairs(some, &first.bounds, &second.boxes, margin, into);
            into.retain(|&(k, l)| !same || k < l);
        }
        let clear = match rules.stars {
            Some(stars) => self.drop_flat(mesh, stars, same),
            None => f32::INFINITY,
        };
        let mut verdict = self.test(mesh, same, margin);
        if rules.near {
            verdict.distance = verdict.distance.min(clear);
        }
        verdict
    }

    /// Finds the pairs that are nearer than the margin and that no plane of either parts.
    fn not_parted(&mut self, frame: &Frame, margin: f32, same: bool) {
        if self.clips.iter().any(|clip| clip.which.is_empty()) {
            return;
        }
        let count = if same { 1 } else { 2 };
        for (clip, side) in self.clips.iter_mut().zip(&self.sides).take(count) {
            clip.fill(frame, &side.points, &side.bounds);
        }
        let [first, second] = &self.clips;
        let second = if same { first } else { second };
        let margins = [margin, margin + frame.error];
        parting::candidates(first, second, same, margins, &mut self.candidates);
    }

    /// Drops the pairs that share a vertex with a flat star. Returns how far vertices may move until one of these might not be (m).
    fn drop_flat(&mut self, mesh: &ClosedMesh, stars: &Stars, same: bool) -> f32 {
        let [first, second] = Self::both(&self.sides, same);
        let mut least = f32::INFINITY;
        self.candidates.retain(|&(k, l)| {
            let (t, u) = (first.corners[k as usize], second.corners[l as usize]);
            let mut clear = 0.0_f32;
            for v in t {
                if u.contains(&v) {
                    clear = clear.max(stars.clearance(mesh, v));
                }
            }
            if clear > 0.0 {
                least = least.min(clear);
            }
            clear == 0.0
        });
        least
    }

    /// Tests the candidates exactly.
    fn test(&mut self, mesh: &ClosedMesh, same: bool, margin: f32) -> Verdict {
        let [first, second] = Self::both(&self.sides, same);
        self.hits.clear();
        let mut distance = margin * 0.9999;
        let mut tested = 0;
        for &(k, l) in &self.candidates {
            let (k, l) = (k as usize, l as usize);
            let (i, j) = (first.ids[k], second.ids[l]);
            let meet = first.bounds[k].meets(&second.bounds[l]);
            if meet {
                tested += 1;
                if triangles_cross(mesh, i, j) {
                    self.hits.push((i.min(j), i.max(j)));
                    distance = 0.0;
                    continue;
                }
            }
            if distance > 0.0 {
                let [t, u] =
                    [first.points[k], second.points[l]].map(|c: [Vec3; 3]| c.map(Vec3::as_dvec3));
                let bound = distance_bound(t, u, f64::from(distance)) as f32 * 0.99999;
                distance = distance.min(bound);
            }
        }
        Verdict { tested, distance }
    }

    /// Calls `f` for the given triangles, which should lie near each other, with every living triangle whose box meets theirs.
    pub(super) fn around(
        &mut self,
        mesh: &ClosedMesh,
        patches: &Patches,
        triangles: impl Iterator<Item = u32>,
        mut f: impl FnMut(u32, u32),
    ) {
        self.forget();
        let [given, others] = &mut self.sides;
        given.fill(mesh, triangles);
        let joint = given
            .bounds
            .iter()
            .fold(Bounds::EMPTY, |all, b| all.join(*b));
        self.near.clear();
        patches.tree().meeting(&joint, 0, &mut self.near);
        let living = self.near.iter().flat_map(|&p| patches.triangles(mesh, p));
        others.fill(
            mesh,
            living.filter(|&t| Bounds::of(mesh.points(t)).meets(&joint)),
        );
        let some = &mut self.clips[0].which;
        some.clear();
        some.extend(0..given.ids.len() as u32);
        self.candidates.clear();
        boxes::near_pairs(
            some,
            &given.bounds,
            &others.boxes,
            0.0,
            &mut self.candidates,
        );
        for &(k, l) in &self.candidates {
            f(given.ids[k as usize], others.ids[l as usize]);
        }
    }
}
