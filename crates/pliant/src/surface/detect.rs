//! Where the surface passes through itself (§6).
//!
//! Nearly all triangles whose boxes meet are neighbours on the surface, so the search runs over pairs of patches and drops most
//! of them at once: pairs that were known to be farther apart than they can have moved since, neighbours whose normals lie in a
//! narrow cone, and pairs that a plane parts. What is left is searched triangle by triangle, eight at a time: boxes that are apart,
//! planes that part two triangles and stars that lie flat leave few pairs for the exact test.

mod pair;
mod parting;
mod star;

use super::closed_mesh::ClosedMesh;
use super::patches::{Patch, Patches};
use super::predicates::triangles_cross;
use pair::{Rules, Scratch, Verdict};
use parting::Frame;
use rayon::prelude::*;
use star::Stars;

/// Patches in a unit of work; fixed, so that the result does not depend on the number of threads.
const CHUNK: usize = 8;

/// Every patch is searched without culls once in this many frames.
const AUDIT: u64 = 32;

/// cos 80°: neighbouring patches whose normals lie in a narrower cone do not meet (§6.2).
const NARROW: f32 = 0.173_648_18;

/// Decides which pairs of triangles do not count, although they cross.
pub type Exempt<'a> = &'a (dyn Fn(&ClosedMesh, u32, u32) -> bool + Sync);

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectStatistics {
    /// Pairs of patches whose boxes meet, each patch with itself included.
    pub patch_pairs: usize,
    /// Pairs dropped because of their normal cone, or because a plane parts them.
    pub culled: usize,
    /// Pairs dropped because they cannot have met since they were last looked at.
    pub slack_skipped: usize,
    /// Pairs of triangles that were tested.
    pub triangle_pairs: usize,
    /// Pairs that cross.
    pub hits: usize,
    /// Hits that the audit has found in pairs of patches which would have been dropped.
    pub audit_misses: usize,
}

impl DetectStatistics {
    fn add(&mut self, other: &Self) {
        self.patch_pairs += other.patch_pairs;
        self.culled += other.culled;
        self.slack_skipped += other.slack_skipped;
        self.triangle_pairs += other.triangle_pairs;
        self.hits += other.hits;
        self.audit_misses += other.audit_misses;
    }
}

/// What one chunk of patches has found.
#[derive(Clone, Debug, Default)]
struct Found {
    pairs: Vec<(u32, u32)>,
    /// (patch, other patch, distance they are known to have), ascending.
    slack: Vec<(u32, u32, f32)>,
    statistics: DetectStatistics,
}

/// Finds the crossing triangles of a surface; keeps its memory and what it knows about distances from frame to frame.
#[derive(Clone, Debug)]
pub struct Detector {
    /// Whether pairs of patches may be dropped without looking at their triangles. Only tests have a reason to say no.
    pub culls: bool,
    /// Whether distances are kept from frame to frame. Only tests have a reason to say no.
    pub keeps_distances: bool,
    chunks: Vec<Found>,
    /// Distances by first patch: `slack[slack_start[a]..slack_start[a + 1]]` are (b, distance), ascending.
    slack_start: Vec<u32>,
    slack: Vec<(u32, f32)>,
    /// Frame of the patches that the distances belong to.
    frame: u64,
    stars: Stars,
    statistics: DetectStatistics,
}

impl Default for Detector {
    fn default() -> Self {
        Self {
            culls: true,
            keeps_distances: true,
            chunks: Vec::new(),
            slack_start: Vec::new(),
            slack: Vec::new(),
            frame: 0,
            stars: Stars::default(),
            statistics: DetectStatistics::default(),
        }
    }
}

impl Detector {
    /// Finds all pairs (i < j) of triangles that cross, ascending, except the exempt ones.
    ///
    /// The patches must have begun their frame; triangles changed since must have been touched.
    pub fn find(
        &mut self,
        mesh: &ClosedMesh,
        patches: &Patches,
        exempt: Option<Exempt>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        // Displacements are those of one frame, so distances of an older one are of no use.
        if patches.frame() != self.frame + 1 || !self.keeps_distances {
            self.slack_start.clear();
            self.slack.clear();
        }
        self.frame = patches.frame();
        let count = patches.len();
        self.stars.reset(mesh.x.len());
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.resize_with(count.div_ceil(CHUNK), Found::default);
        let search = Search {
            mesh,
            patches,
            known: self,
            frame: Frame::new(&patches.tree().bounds()),
        };
        chunks.par_iter_mut().enumerate().for_each_init(
            Scratch::default,
            |scratch, (chunk, found)| {
                found.pairs.clear();
                found.slack.clear();
                found.statistics = DetectStatistics::default();
                for a in chunk * CHUNK..((chunk + 1) * CHUNK).min(count) {
                    search.row(a as u32, scratch, found);
                }
            },
        );
        self.chunks = chunks;
        self.collect(count, pairs);
        if let Some(exempt) = exempt {
            pairs.retain(|&(i, j)| !exempt(mesh, i, j));
        }
        self.statistics.hits = pairs.len();
    }

    /// Puts together what the chunks have found.
    fn collect(&mut self, count: usize, pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        self.slack.clear();
        self.slack_start.clear();
        self.slack_start.resize(count + 1, 0);
        self.statistics = DetectStatistics::default();
        for found in &self.chunks {
            pairs.extend(&found.pairs);
            self.statistics.add(&found.statistics);
            for &(a, b, distance) in &found.slack {
                self.slack.push((b, distance));
                self.slack_start[a as usize + 1] += 1;
            }
        }
        for a in 0..count {
            self.slack_start[a + 1] += self.slack_start[a];
        }
        pairs.sort_unstable();
    }

    /// What the last search did.
    pub fn statistics(&self) -> &DetectStatistics {
        &self.statistics
    }

    /// Finds all pairs (i < j) that cross and have at least one of the given triangles, ascending: the search after a local
    /// change. What was changed since the frame began must have been touched.
    pub fn hits_around(
        &self,
        mesh: &ClosedMesh,
        patches: &Patches,
        exempt: Option<Exempt>,
        triangles: &[u32],
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.clear();
        let mut given: Vec<(u32, u32)> = triangles
            .iter()
            .filter(|&&t| mesh.alive(t))
            .map(|&t| (mesh.patch[t as usize], t))
            .collect();
        given.sort_unstable();
        given.dedup();
        // Triangles of one patch are near each other: they share the search for what is near.
        let mut scratch = Scratch::default();
        for group in given.chunk_by(|s, t| s.0 == t.0) {
            scratch.around(mesh, patches, group.iter().map(|&(_, t)| t), |i, j| {
                let pair = (i.min(j), i.max(j));
                if i != j && triangles_cross(mesh, pair.0, pair.1) {
                    pairs.push(pair);
                }
            });
        }
        if let Some(exempt) = exempt {
            pairs.retain(|&(i, j)| !exempt(mesh, i, j));
        }
        pairs.sort_unstable();
        pairs.dedup();
    }

    /// The distances that were known of pairs with first patch `a`, ascending.
    fn known(&self, a: u32) -> &[(u32, f32)] {
        let a = a as usize;
        match (self.slack_start.get(a), self.slack_start.get(a + 1)) {
            (Some(&from), Some(&to)) => &self.slack[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// A search in progress.
struct Search<'a> {
    mesh: &'a ClosedMesh,
    patches: &'a Patches,
    known: &'a Detector,
    frame: Frame,
}

impl Search<'_> {
    /// Whether this is the patch's turn to be searched without culls.
    fn audited(&self, p: u32) -> bool {
        u64::from(p) % AUDIT == self.known.frame % AUDIT
    }

    /// All pairs of patch `a` with itself and with patches of larger number.
    fn row(&self, a: u32, scratch: &mut Scratch, found: &mut Found) {
        let all = self.patches.all();
        let first = &all[a as usize];
        let mut near = std::mem::take(&mut scratch.near);
        near.clear();
        self.patches.tree().meeting(&first.bounds, a, &mut near);
        found.statistics.patch_pairs += near.len();
        scratch.forget();
        let unrest = self.unrest(a);
        let mut known = self.known.known(a);
        for &b in &near {
            while known.first().is_some_and(|k| k.0 < b) {
                known = &known[1..];
            }
            let kept = known.first().filter(|k| k.0 == b).map(|k| k.1);
            self.pair([a, b], kept.unwrap_or(0.0), unrest, scratch, found);
        }
        scratch.near = near;
    }

    /// How far a vertex of a patch and one of it or of those around it can have moved against each other in this frame (m); not finite
    /// if one of the patches has changed. The stars of the patch's vertices lie in these.
    fn unrest(&self, a: u32) -> f32 {
        let all = self.patches.all();
        let own = &all[a as usize];
        let around = self.patches.neighbours(a).iter();
        around.fold(motion(own, own), |most, &q| {
            most.max(motion(own, &all[q as usize]))
        })
    }

    /// One pair of patches, `b` not smaller than `a`. `kept` is the distance they had in the last frame, zero if that is not known.
    fn pair(
        &self,
        [a, b]: [u32; 2],
        kept: f32,
        unrest: f32,
        scratch: &mut Scratch,
        found: &mut Found,
    ) {
        let all = self.patches.all();
        let (first, second) = (&all[a as usize], &all[b as usize]);
        let audit = self.audited(a) || self.audited(b) || !self.known.culls;
        let near = a == b || self.patches.neighbours(a).binary_search(&b).is_ok();
        let statistics = &mut found.statistics;
        let moved = if near { unrest } else { motion(first, second) };
        // A little less, as this is rounded.
        let mut slack = (1.0 - 2e-7) * kept - moved;
        let mut dropped = slack > 0.0;
        statistics.slack_skipped += usize::from(dropped);
        if !dropped {
            slack = if near {
                0.0
            } else {
                scratch.gap(self.mesh, self.patches, [a, b])
            };
            dropped = slack > 0.0 || (near && in_narrow_cone(first, second));
            statistics.culled += usize::from(dropped);
        }
        if !dropped || audit {
            // The audit is for what rests on experience; planes and flat stars rest on proof.
            let rules = Rules {
                near,
                distance: (!dropped && self.known.keeps_distances).then_some(moved),
                frame: self.known.culls.then_some(&self.frame),
                stars: (near && self.known.culls).then_some(&self.known.stars),
            };
            let verdict = scratch.triangles(self.mesh, self.patches, [a, b], rules);
            let Verdict { tested, distance } = verdict;
            statistics.triangle_pairs += tested;
            if dropped {
                statistics.audit_misses += scratch.hits.len();
            } else {
                slack = distance;
            }
            if !scratch.hits.is_empty() {
                slack = 0.0;
                found.pairs.append(&mut scratch.hits);
            }
        }
        if slack > 0.0 && self.known.keeps_distances {
            found.slack.push((a, b, slack));
        }
    }
}

/// Whether all normals of two patches lie within 80° of one axis. About the axis between their axes, θ apart, no normal is
/// farther than θ/2 plus the wider half-angle.
fn in_narrow_cone(a: &Patch, b: &Patch) -> bool {
    let cos = a.cos.min(b.cos);
    if cos <= NARROW {
        return false;
    }
    let cos_half = 0.5 * (a.axis + b.axis).length();
    let sin_half = 0.5 * (a.axis - b.axis).length();
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    cos_half * cos - sin_half * sin > NARROW
}

/// How much nearer two patches can have come in this frame (m); not finite if one has changed.
fn motion(a: &Patch, b: &Patch) -> f32 {
    if a.changed || b.changed {
        return f32::INFINITY;
    }
    let rounding = 1e-6 * (a.shift.length() + b.shift.length());
    (a.shift - b.shift).length() + a.spread + b.spread + rounding
}

#[cfg(test)]
mod tests;
