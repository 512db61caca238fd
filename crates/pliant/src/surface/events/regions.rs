//! What is deleted: hit triangles, and the regions between them that do not lie on the boundary of the union.

use super::super::closed_mesh::ClosedMesh;
use super::super::outside::{winding_outside, winding_outside_all_over};
use super::super::patches::Patches;
use super::{EventLimits, Events, Group, find, unite};

/// Rounds in which kept triangles between deleted ones are deleted too.
const TRIM_ROUNDS: usize = 4;
/// Regions of more triangles are asked all over before they go.
const LARGE: usize = 256;
/// Triangles that a region grows by in its turn.
const TURN: usize = 16;

/// What becomes of a set of groups.
pub(super) enum Verdict {
    /// These triangles go; `buried` tells whether whole regions between the crossings are among them.
    Delete { triangles: Vec<u32>, buried: bool },
    /// A region that goes borders these groups too: decide about all of them together.
    Absorb(Vec<usize>),
    /// Nothing large enough would be left.
    Refuse,
}

/// A part of the surface between hit triangles.
struct Region {
    triangles: Vec<u32>,
    /// Next triangle to look at.
    next: usize,
    /// Groups met at the border that are not in the set.
    met: Vec<usize>,
}

impl Events {
    /// Decides what goes for the groups in `set`.
    pub(super) fn judge(
        &mut self,
        mesh: &ClosedMesh,
        patches: &Patches,
        groups: &[Group],
        set: &[usize],
        rings: usize,
        limits: EventLimits,
    ) -> Verdict {
        self.taken.reset(mesh.material.len());
        let mut deleted: Vec<u32> = Vec::new();
        for &k in set {
            for &t in &groups[k].triangles {
                if self.taken.set(t, 0) {
                    deleted.push(t);
                }
            }
        }
        for _ in 0..rings {
            self.grow_by_ring(mesh, &mut deleted);
        }
        let mut others = self.strangers(mesh, set, &deleted);
        if !others.is_empty() {
            return Verdict::Absorb(others);
        }

        let mut regions = self.flood(mesh, set, &deleted);
        let (mut kept, mut buried) = (false, false);
        for i in 0..regions.len() {
            let outside = winding_outside(mesh, patches, &regions[i].triangles);
            if outside == 0 {
                kept = true;
                continue;
            }
            buried = true;
            self.grow_region(mesh, set, &mut regions, i, usize::MAX);
            let region = &mut regions[i];
            // A crossing that is not known yet may part what lies at the border from the rest, which must not go with it.
            if region.triangles.len() > LARGE
                && winding_outside_all_over(mesh, patches, &region.triangles) == 0
            {
                return Verdict::Refuse;
            }
            others.append(&mut region.met);
            for &t in &region.triangles {
                self.taken.set(t, 0);
            }
            deleted.append(&mut region.triangles);
        }
        if !others.is_empty() {
            others.sort_unstable();
            others.dedup();
            return Verdict::Absorb(others);
        }
        if !kept && mesh.volume_of(deleted.iter().copied()).abs() > f64::from(limits.min_volume) {
            return Verdict::Refuse;
        }
        self.trim(mesh, &mut deleted);
        deleted.sort_unstable();
        Verdict::Delete {
            triangles: deleted,
            buried,
        }
    }

    /// Adds all triangles that share a vertex with a deleted one.
    fn grow_by_ring(&mut self, mesh: &ClosedMesh, deleted: &mut Vec<u32>) {
        for k in 0..deleted.len() {
            for v in mesh.triangle(deleted[k]) {
                for h in mesh.ring(v) {
                    if self.taken.set(h / 3, 0) {
                        deleted.push(h / 3);
                    }
                }
            }
        }
    }

    /// Groups outside of `set` whose triangles are among `deleted` or border on them.
    fn strangers(&self, mesh: &ClosedMesh, set: &[usize], deleted: &[u32]) -> Vec<usize> {
        let mut others: Vec<usize> = deleted
            .iter()
            .flat_map(|&t| {
                [
                    t,
                    mesh.twin(3 * t) / 3,
                    mesh.twin(3 * t + 1) / 3,
                    mesh.twin(3 * t + 2) / 3,
                ]
            })
            .filter_map(|t| self.hit.get(t).map(|k| k as usize))
            .filter(|k| !set.contains(k))
            .collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// The regions that touch the deleted triangles. All grow in turns until at most one is unfinished, so that the cost is that of
    /// the small ones.
    fn flood(&mut self, mesh: &ClosedMesh, set: &[usize], deleted: &[u32]) -> Vec<Region> {
        self.region.reset(mesh.material.len());
        let mut regions: Vec<Region> = Vec::new();
        let mut sets: Vec<u32> = Vec::new();
        for h in deleted.iter().flat_map(|&t| 3 * t..3 * t + 3) {
            let t = mesh.twin(h) / 3;
            if !self.taken.has(t) && !self.region.has(t) {
                self.region.set(t, regions.len() as u32);
                sets.push(regions.len() as u32);
                regions.push(Region {
                    triangles: vec![t],
                    next: 0,
                    met: Vec::new(),
                });
            }
        }
        loop {
            let unfinished: Vec<usize> = (0..regions.len())
                .filter(|&i| sets[i] == i as u32 && regions[i].next < regions[i].triangles.len())
                .collect();
            if unfinished.len() <= 1 {
                break;
            }
            for i in unfinished {
                if sets[i] != i as u32 {
                    continue;
                }
                let meets = self.grow_region(mesh, set, &mut regions, i, TURN);
                for other in meets {
                    let (a, b) = (find(&mut sets, i as u32), find(&mut sets, other));
                    if a != b {
                        unite(&mut sets, a, b);
                        let (into, from) = (a.min(b) as usize, a.max(b) as usize);
                        absorb(&mut regions, into, from);
                    }
                }
            }
        }
        regions
            .into_iter()
            .enumerate()
            .filter(|(i, _)| sets[*i] == *i as u32)
            .map(|(_, region)| region)
            .collect()
    }

    /// Grows region `i` by up to `steps` triangles. Returns the names of the regions it ran into.
    fn grow_region(
        &mut self,
        mesh: &ClosedMesh,
        set: &[usize],
        regions: &mut [Region],
        i: usize,
        steps: usize,
    ) -> Vec<u32> {
        let mut meets = Vec::new();
        let region = &mut regions[i];
        let mut left = steps;
        while left > 0 && region.next < region.triangles.len() {
            left -= 1;
            let t = region.triangles[region.next];
            region.next += 1;
            let name = self.region.get(t).unwrap_or(i as u32);
            for h in 3 * t..3 * t + 3 {
                let s = mesh.twin(h) / 3;
                if self.taken.has(s) {
                    continue;
                }
                if let Some(group) = self.hit.get(s) {
                    if !set.contains(&(group as usize)) {
                        region.met.push(group as usize);
                    }
                    continue;
                }
                match self.region.get(s) {
                    None => {
                        self.region.set(s, name);
                        region.triangles.push(s);
                    }
                    Some(other) if other != name => meets.push(other),
                    Some(_) => {}
                }
            }
        }
        meets
    }

    /// Deletes kept triangles with two or three deleted neighbours, so that the loops become smooth.
    fn trim(&mut self, mesh: &ClosedMesh, deleted: &mut Vec<u32>) {
        let mut start = 0;
        for _ in 0..TRIM_ROUNDS {
            let end = deleted.len();
            for k in start..end {
                let t = deleted[k];
                for h in 3 * t..3 * t + 3 {
                    let s = mesh.twin(h) / 3;
                    let gone = |h: u32| self.taken.has(mesh.twin(h) / 3);
                    if !self.taken.has(s)
                        && !self.hit.has(s)
                        && (3 * s..3 * s + 3).filter(|&h| gone(h)).count() >= 2
                    {
                        self.taken.set(s, 0);
                        deleted.push(s);
                    }
                }
            }
            if deleted.len() == end {
                break;
            }
            start = end;
        }
    }
}

/// Moves what is known about region `from` to region `into`.
fn absorb(regions: &mut [Region], into: usize, from: usize) {
    let mut gone = std::mem::replace(
        &mut regions[from],
        Region {
            triangles: Vec::new(),
            next: 0,
            met: Vec::new(),
        },
    );
    let region = &mut regions[into];
    region.met.append(&mut gone.met);
    // Finished triangles stay in front of those that wait.
    let waiting = region.triangles.split_off(region.next);
    region
        .triangles
        .extend_from_slice(&gone.triangles[..gone.next]);
    region.next += gone.next;
    region.triangles.extend(waiting);
    region
        .triangles
        .extend_from_slice(&gone.triangles[gone.next..]);
}
