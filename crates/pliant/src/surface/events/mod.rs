//! Topology events: where the surface crosses itself, the overlapping parts are deleted and the holes are joined or filled.
//!
//! What goes is decided by the winding number just outside each region between the crossings: the boundary of the union is where
//! it is 0. Which holes belong together is decided by the crossing pairs themselves. Holes are closed by operations that keep the
//! mesh closed and manifold whatever the geometry ([`super::surgery`]). A result that does not cross itself less than before is
//! taken back; the next pass deletes more around it.

mod closing;
mod regions;
mod waiting;

use super::closed_mesh::ClosedMesh;
use super::detect::{Detector, Exempt};
use super::marks::Marks;
use super::patches::Patches;
use super::surgery::Surgery;
use regions::Verdict;
pub(crate) use waiting::Contact;
use waiting::Waiting;

/// Mark of triangles that cross since an event of this pass: they belong to no group yet.
const FOREIGN: u32 = u32::MAX;
/// Passes of one frame.
const PASSES: usize = 4;
/// Frames after which a knot may be parted although no buried or inverted part of the surface calls for it, and a fold may become
/// a handle.
const PATIENCE: usize = 3;
/// Knots that stay from frame to frame are cut out with a ring more in every frame, up to this many.
const MAX_AGE: usize = 2;

/// What topology events have done in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventReport {
    /// Crossing pairs at the start of the frame.
    pub crossings: usize,
    /// Events that changed the surface.
    pub resolved: usize,
    /// Attempts that were taken back because they did not help, or refused because nothing would be left.
    pub refused: usize,
    /// Passes over what was left.
    pub passes: usize,
    /// Crossing pairs that are left.
    pub left: usize,
    /// Those among them that are left because their contact is too young.
    pub waiting: usize,
}

/// Limits of the events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventLimits {
    /// Longest edge (m).
    pub(crate) max_edge: f32,
    /// Smaller pieces may vanish (m³).
    pub(crate) min_volume: f32,
    /// Frames that a contact lasts before it is joined.
    pub(crate) merge_delay: u32,
}

/// Crossing triangles that hang together by crossings or shared vertices.
#[derive(Clone, Debug)]
struct Group {
    triangles: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

/// The events with their buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    surgery: Surgery,
    /// Per triangle: the group that it was hit in.
    hit: Marks,
    /// Per triangle: it goes.
    taken: Marks,
    /// Per triangle: the region it was reached by.
    region: Marks,
    /// Per triangle or vertex, for single searches.
    seen: Marks,
    /// Triangles that were left crossing in the last frame, with for how many frames they have been; ascending.
    knots: Vec<(u32, usize)>,
    /// Contacts that are too young to be joined.
    waiting: Waiting,
    /// Triangles that cross others at the end of this frame, tangled or waiting.
    crossing: Vec<u32>,
}

/// What one attempt came to.
enum Outcome {
    /// The surface was changed; these triangles are new or have moved.
    Changed(Vec<u32>),
    /// Nothing was changed.
    Refused,
    /// Something else has changed the surface here in this pass: look again in the next.
    Stale,
}

impl Events {
    /// Resolves the crossing `pairs`.
    pub(crate) fn run(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &mut Patches,
        detector: &Detector,
        exempt: Option<Exempt>,
        pairs: &[(u32, u32)],
        limits: EventLimits,
    ) -> EventReport {
        let mut report = EventReport {
            crossings: pairs.len(),
            ..EventReport::default()
        };
        let mut pairs = pairs.to_vec();
        let groups = if limits.merge_delay > 0 {
            self.group(mesh, &pairs)
        } else {
            Vec::new()
        };
        self.waiting.look(mesh, &groups, limits.merge_delay);
        while !pairs.iter().all(|&pair| self.waiting.has(pair)) && report.passes < PASSES {
            pairs = self.pass(mesh, patches, detector, exempt, &pairs, limits, &mut report);
            report.passes += 1;
        }
        report.left = pairs.len();
        self.crossing = pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
        pairs.retain(|&pair| !self.waiting.has(pair));
        report.waiting = report.left - pairs.len();
        self.remember(&pairs);
        report
    }

    /// Keeps what is left for the next frame.
    fn remember(&mut self, left: &[(u32, u32)]) {
        let mut knots: Vec<u32> = left.iter().flat_map(|&(i, j)| [i, j]).collect();
        knots.sort_unstable();
        knots.dedup();
        let age = |t: u32| {
            self.knots
                .binary_search_by_key(&t, |k| k.0)
                .map_or(0, |k| self.knots[k].1)
        };
        self.knots = knots.iter().map(|&t| (t, age(t) + 1)).collect();
    }

    /// Longest time that a triangle of the groups has been left crossing.
    fn age(&self, groups: &[Group], set: &[usize]) -> usize {
        set.iter()
            .flat_map(|&k| &groups[k].triangles)
            .filter_map(|&t| self.knots.binary_search_by_key(&t, |k| k.0).ok())
            .map(|k| self.knots[k].1)
            .max()
            .unwrap_or(0)
    }

    /// The triangles that cross others, tangled or waiting.
    pub(crate) fn crossing(&self) -> &[u32] {
        &self.crossing
    }

    /// The triangles that are left crossing.
    pub(crate) fn tangled(&self) -> Vec<u32> {
        self.knots.iter().map(|k| k.0).collect()
    }

    /// Starts anew after the elements were renumbered; contacts that wait keep their places if the new ones are known.
    pub(crate) fn forget(&mut self, new_of_old: &[u32]) {
        self.knots.clear();
        self.crossing.clear();
        self.waiting.renumber(new_of_old);
    }

    /// What decides about the next frame: triangles that are left crossing and vertices in contact, with for how many frames.
    pub(crate) fn state(&self) -> (&[(u32, usize)], &[Contact]) {
        (&self.knots, self.waiting.contacts())
    }

    /// Longest time that anything has been left crossing (frames), and how many triangles are.
    pub(crate) fn stuck(&self) -> (usize, usize) {
        let oldest = self.knots.iter().map(|k| k.1).max().unwrap_or(0);
        (oldest, self.knots.len())
    }

    /// Tries every group once. Returns the crossings that are left.
    fn pass(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &mut Patches,
        detector: &Detector,
        exempt: Option<Exempt>,
        pairs: &[(u32, u32)],
        limits: EventLimits,
        report: &mut EventReport,
    ) -> Vec<(u32, u32)> {
        let groups = self.group(mesh, pairs);
        let mut done = vec![false; groups.len()];
        let mut again: Vec<u32> = Vec::new();
        let mut left: Vec<(u32, u32)> = Vec::new();
        let young: Vec<bool> = groups
            .iter()
            .map(|g| g.pairs.iter().all(|&pair| self.waiting.has(pair)))
            .collect();
        for g in 0..groups.len() {
            if done[g] || young[g] {
                continue;
            }
            let mut set = vec![g];
            let outcome = self.attempt(
                mesh,
                patches,
                detector,
                exempt,
                &groups,
                &done,
                &mut set,
                report.passes,
                limits,
            );
            set.retain(|&k| k != FOREIGN as usize && !done[k]);
            for &k in &set {
                done[k] = true;
            }
            match outcome {
                Outcome::Changed(touched) => {
                    self.waiting.release(&touched);
                    again.extend(touched);
                    report.resolved += 1;
                }
                Outcome::Stale => again.extend(set.iter().flat_map(|&k| &groups[k].triangles)),
                Outcome::Refused => {
                    report.refused += 1;
                    left.extend(set.iter().flat_map(|&k| &groups[k].pairs));
                }
            }
        }
        let waiting = groups
            .iter()
            .enumerate()
            .filter(|(k, _)| young[*k] && !done[*k]);
        left.extend(waiting.flat_map(|(_, g)| &g.pairs));
        let mut found = Vec::new();
        detector.hits_around(mesh, patches, exempt, &again, &mut found);
        left.retain(|&(i, j)| mesh.alive(i) && mesh.alive(j));
        left.extend(found);
        left.sort_unstable();
        left.dedup();
        left
    }

    /// Tries the groups in `set`, with all others that must be decided together with them: these are added to it.
    fn attempt(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &mut Patches,
        detector: &Detector,
        exempt: Option<Exempt>,
        groups: &[Group],
        done: &[bool],
        set: &mut Vec<usize>,
        pass: usize,
        limits: EventLimits,
    ) -> Outcome {
        loop {
            let changed = |k: &usize| {
                let is_marked = |&t: &u32| self.hit.get(t) == Some(*k as u32);
                *k == FOREIGN as usize || done[*k] || !groups[*k].triangles.iter().all(is_marked)
            };
            if set.iter().any(changed) {
                return Outcome::Stale;
            }
            let age = self.age(groups, set);
            let rings = pass.min(2) + age.min(MAX_AGE);
            match self.judge(mesh, patches, groups, set, rings, limits) {
                Verdict::Absorb(others) => set.extend(others),
                Verdict::Refuse => return Outcome::Refused,
                Verdict::Delete { triangles, buried } => {
                    let members: Vec<&Group> = set.iter().map(|&k| &groups[k]).collect();
                    let old = age > PATIENCE;
                    let outcome = self.close(
                        mesh, patches, detector, exempt, &triangles, &members, buried, old, limits,
                    );
                    if matches!(outcome, Outcome::Refused) && pass > 0 {
                        return self.untangle(mesh, patches, detector, exempt, &members, limits);
                    }
                    return outcome;
                }
            }
        }
    }

    /// Groups of hit triangles, in the order of their smallest triangle; every hit triangle is marked with its group.
    fn group(&mut self, mesh: &ClosedMesh, pairs: &[(u32, u32)]) -> Vec<Group> {
        let mut hit: Vec<u32> = pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
        hit.sort_unstable();
        hit.dedup();
        let index = |t: u32| hit.binary_search(&t).unwrap_or(0) as u32;
        let mut sets: Vec<u32> = (0..hit.len() as u32).collect();
        for &(i, j) in pairs {
            unite(&mut sets, index(i), index(j));
        }
        self.seen.reset(mesh.x.len());
        for (k, &t) in hit.iter().enumerate() {
            for v in mesh.triangle(t) {
                if let Some(first) = self.seen.get(v) {
                    unite(&mut sets, first, k as u32);
                } else {
                    self.seen.set(v, k as u32);
                }
            }
        }
        // Sets are named by their smallest member, so groups come in the right order.
        let mut number = vec![u32::MAX; hit.len()];
        let mut groups: Vec<Group> = Vec::new();
        self.hit.reset(mesh.material.len());
        for (k, &t) in hit.iter().enumerate() {
            let root = find(&mut sets, k as u32) as usize;
            if number[root] == u32::MAX {
                number[root] = groups.len() as u32;
                groups.push(Group {
                    triangles: Vec::new(),
                    pairs: Vec::new(),
                });
            }
            groups[number[root] as usize].triangles.push(t);
            self.hit.set(t, number[root]);
        }
        for &(i, j) in pairs {
            let root = find(&mut sets, index(i)) as usize;
            groups[number[root] as usize].pairs.push((i, j));
        }
        groups
    }
}

/// The smallest member of the set of `i`.
fn find(sets: &mut [u32], mut i: u32) -> u32 {
    while sets[i as usize] != i {
        sets[i as usize] = sets[sets[i as usize] as usize];
        i = sets[i as usize];
    }
    i
}

/// Joins two sets; the smaller name stays.
fn unite(sets: &mut [u32], i: u32, j: u32) {
    let (a, b) = (find(sets, i), find(sets, j));
    sets[a.max(b) as usize] = a.min(b);
}
