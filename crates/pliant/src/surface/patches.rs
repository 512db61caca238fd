//! Patches: the surface in connected sets of about 32 triangles, the unit of search and of parallel work (§2).

mod shape;

use super::boxes::{Bounds, BoxTree};
use super::closed_mesh::{ClosedMesh, NONE, next, prev};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;

/// A new patch grows to this many triangles. Larger ones wrap around the folds of a surface that has flowed, so that neither normals nor
/// boxes tell them apart.
pub const TARGET: usize = 32;
/// A larger patch is split.
pub const LARGEST: usize = 48;
/// A smaller one is joined to its smallest neighbour.
pub const SMALLEST: usize = 8;

/// What a patch is in this frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Box of the triangles (m).
    pub(crate) bounds: Bounds,
    /// Mean normal, of unit length; zero if there is none.
    pub(crate) axis: Vec3,
    /// Cosine of the largest angle between the axis and the normal of a triangle of the patch or of one that shares a vertex with
    /// it; −1 if one of them has no normal. Without the triangles around, the fans of the vertices on the border would not be
    /// complete, and two patches that fold over each other at a vertex because of a third one would look flat.
    pub(crate) cos: f32,
    /// Middle of the vertices' displacements since the last frame (m).
    pub(crate) shift: Vec3,
    /// No vertex moved farther from [`Patch::shift`] than this (m).
    pub(crate) spread: f32,
    /// Typical length of an edge (m).
    pub(crate) edge: f32,
    /// Which triangles the patch has and which vertices they join, as a number.
    signature: u64,
    /// The signature differs from that of the last frame, or triangles were touched since: nothing that was known about the
    /// patch may be used.
    pub(crate) changed: bool,
}

impl Default for Patch {
    fn default() -> Self {
        Self {
            bounds: Bounds::EMPTY,
            axis: Vec3::ZERO,
            cos: -1.0,
            shift: Vec3::ZERO,
            spread: 0.0,
            edge: 0.0,
            signature: 0,
            changed: true,
        }
    }
}

/// The partition of a surface's living triangles into patches. Each triangle knows its patch; this is the way back, and what
/// is known about each patch.
///
/// Displacements are measured from the positions that the frame before has seen, which are kept here, and changes of topology
/// are found by comparing signatures; so both are right whatever has happened to the mesh in between.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    all: Vec<Patch>,
    /// Members of patch p: `members[start[p]..start[p + 1]]`, ascending. A triangle that died or left may still be listed.
    start: Vec<u32>,
    members: Vec<u32>,
    /// The patch of every triangle when the lists were made.
    listed: Vec<u32>,
    /// Members that came after the lists were made: the last one of each patch, then (triangle, the one before).
    last_added: Vec<u32>,
    added: Vec<(u32, u32)>,
    around: Vec<Around>,
    /// Unit normal of each triangle; zero where there is none.
    normals: Vec<Vec3>,
    tree: BoxTree,
    /// Positions that the last frame has seen.
    seen: Vec<Vec3>,
    /// Frames begun.
    frame: u64,
    scratch: shape::Scratch,
    /// Patch numbers without triangles, while housekeeping lasts.
    free: Vec<u32>,
}

/// What surrounds a patch.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Patches that share a vertex, ascending.
    patches: Vec<u32>,
    /// Triangles of other patches that share a vertex, ascending.
    triangles: Vec<u32>,
}

impl Patches {
    /// Cuts a surface into patches. Growth goes breadth first from where the last patch ended, so patches whose numbers are
    /// near lie near each other.
    pub fn build(mesh: &mut ClosedMesh) -> Self {
        let mut patches = Self::default();
        patches.grow_all(mesh);
        patches.housekeeping(mesh);
        patches.begin_frame(mesh);
        patches
    }

    /// Measures all patches: members, boxes, cones, displacements, neighbours (§3 steps 1 and 2).
    ///
    /// Belongs right before the search for intersections, when the vertices have moved and re-meshing is done.
    pub fn begin_frame(&mut self, mesh: &mut ClosedMesh) {
        self.frame += 1;
        self.list_members(mesh);
        let mesh: &ClosedMesh = mesh;
        self.normals.resize(mesh.patch.len(), Vec3::ZERO);
        self.normals
            .par_iter_mut()
            .enumerate()
            .with_min_len(1024)
            .for_each(|(t, normal)| {
                if mesh.alive(t as u32) {
                    // What is too small to be squared, or too large, has no direction.
                    let n = mesh.area_vector(t as u32);
                    let length = n.length();
                    let has_one = length > 1e-18 && length.is_finite();
                    *normal = if has_one { n / length } else { Vec3::ZERO };
                }
            });
        let (start, members) = (&self.start, &self.members);
        let (seen, normals) = (&self.seen, &self.normals);
        let row = |p: usize| &members[start[p] as usize..start[p + 1] as usize];
        self.all
            .par_iter_mut()
            .enumerate()
            .with_min_len(8)
            .for_each(|(p, patch)| {
                let old = patch.signature;
                *patch = measure(mesh, row(p), seen, normals);
                patch.changed = patch.signature != old;
            });
        self.tree.fill(self.all.iter().map(|p| p.bounds));
        self.find_neighbours(mesh);
        let (start, members) = (&self.start, &self.members);
        let (around, normals) = (&self.around, &self.normals);
        let row = |p: usize| &members[start[p] as usize..start[p + 1] as usize];
        self.all
            .par_iter_mut()
            .enumerate()
            .with_min_len(8)
            .for_each(|(p, patch)| {
                let cos = |ts: &[u32]| {
                    ts.iter().fold(1.0, |least: f32, &t| {
                        let n = normals[t as usize];
                        let cos = n.dot(patch.axis);
                        least.min(if n == Vec3::ZERO { -1.0 } else { cos })
                    })
                };
                patch.cos = cos(row(p)).min(cos(&around[p].triangles));
            });
        self.seen.clear();
        self.seen.extend_from_slice(mesh.positions());
    }

    /// Lists the members of all patches by counting. Triangles without a patch get one.
    fn list_members(&mut self, mesh: &mut ClosedMesh) {
        self.added.clear();
        let count = self.all.len();
        // Whoever is alive and has no patch is missing in the count.
        if self.listed == mesh.patch
            && self.start.len() == count + 1
            && self.members.len() == mesh.triangle_count()
        {
            self.last_added.fill(NONE);
            return;
        }
        self.start.clear();
        self.start.resize(count + 1, 0);
        for t in 0..mesh.patch.len() {
            let p = mesh.patch[t] as usize;
            // Free triangles have no patch.
            if p < count {
                self.start[p + 1] += 1;
            } else if mesh.alive(t as u32) {
                let p = self.adopt(mesh, t as u32) as usize;
                self.start.resize(self.all.len() + 1, 0);
                self.start[p + 1] += 1;
            }
        }
        let count = self.all.len();
        for p in 0..count {
            self.start[p + 1] += self.start[p];
        }
        self.members.clear();
        self.members.resize(self.start[count] as usize, 0);
        for (t, &p) in mesh.patch.iter().enumerate() {
            if (p as usize) < count {
                let slot = &mut self.start[p as usize];
                self.members[*slot as usize] = t as u32;
                *slot += 1;
            }
        }
        self.start.copy_within(0..count, 1);
        self.start[0] = 0;
        self.last_added.clear();
        self.last_added.resize(count, NONE);
        self.listed.clone_from(&mesh.patch);
    }

    /// Gives a triangle without a patch that of a neighbour, or a new one.
    fn adopt(&mut self, mesh: &mut ClosedMesh, t: u32) -> u32 {
        let mut near = (3 * t..3 * t + 3).filter_map(|h| {
            let g = mesh.twin(h);
            (g != NONE).then(|| mesh.patch[g as usize / 3])
        });
        let p = near
            .find(|&p| (p as usize) < self.all.len())
            .unwrap_or_else(|| self.new_patch());
        mesh.patch[t as usize] = p;
        p
    }

    /// A new patch number.
    fn new_patch(&mut self) -> u32 {
        self.all.push(Patch::default());
        self.around.push(Around::default());
        self.last_added.push(NONE);
        self.all.len() as u32 - 1
    }

    /// Finds the neighbours of the patches that changed, and of those that were or became their neighbours.
    fn find_neighbours(&mut self, mesh: &ClosedMesh) {
        let mut stale: Vec<bool> = self.all.iter().map(|p| p.changed).collect();
        if !stale.contains(&true) {
            return;
        }
        for p in 0..self.all.len() {
            if self.all[p].changed {
                for &q in &self.around[p].patches {
                    stale[q as usize] = true;
                }
            }
        }
        self.list_neighbours(mesh, &stale);
        let mut more = vec![false; stale.len()];
        for p in 0..self.all.len() {
            if self.all[p].changed {
                for &q in &self.around[p].patches {
                    more[q as usize] |= !stale[q as usize];
                }
            }
        }
        self.list_neighbours(mesh, &more);
    }

    fn list_neighbours(&mut self, mesh: &ClosedMesh, which: &[bool]) {
        let (start, members) = (&self.start, &self.members);
        self.around
            .par_iter_mut()
            .enumerate()
            .with_min_len(8)
            .filter(|(p, _)| which[*p])
            .for_each(|(p, around)| {
                around.triangles.clear();
                around.patches.clear();
                for &t in &members[start[p] as usize..start[p + 1] as usize] {
                    for h in 3 * t..3 * t + 3 {
                        let g = mesh.twin(h);
                        if g == NONE || mesh.patch[g as usize / 3] == p as u32 {
                            continue;
                        }
                        // The fan of the patch at a vertex of its border begins at one half-edge of this kind.
                        let fan = mesh.outgoing(h).map(|k| k / 3);
                        around
                            .triangles
                            .extend(fan.filter(|&t| mesh.patch[t as usize] != p as u32));
                    }
                }
                around.triangles.sort_unstable();
                around.triangles.dedup();
                let patches = around.triangles.iter().map(|&t| mesh.patch[t as usize]);
                around.patches.extend(patches.filter(|&q| q != NONE));
                around.patches.sort_unstable();
                around.patches.dedup();
            });
    }

    /// Takes note of triangles that were made or whose vertices were moved since the frame began: from now on queries see them
    /// where they are. A triangle without a patch gets that of a neighbour.
    pub fn touch(&mut self, mesh: &mut ClosedMesh, triangles: &[u32]) {
        for &t in triangles {
            if !mesh.alive(t) {
                continue;
            }
            let mut p = mesh.patch[t as usize];
            if p as usize >= self.all.len() {
                p = self.adopt(mesh, t);
            }
            let i = p as usize;
            if !self.listed(p).any(|s| s == t) {
                self.added.push((t, self.last_added[i]));
                self.last_added[i] = self.added.len() as u32 - 1;
            }
            let patch = &mut self.all[i];
            patch.changed = true;
            let bounds = Bounds::of(mesh.points(t));
            patch.bounds = patch.bounds.join(bounds);
            self.tree.grow(p, &bounds);
            // Cones are not widened but given up: the patch and those around it are tested like ones that may be folded.
            patch.cos = -1.0;
            for &q in &self.around[i].patches {
                self.all[q as usize].cos = -1.0;
            }
        }
    }

    /// The list of a patch as it is, with triangles that died or left.
    fn listed(&self, p: u32) -> impl Iterator<Item = u32> + '_ {
        let i = p as usize;
        let row = self.start.get(i).zip(self.start.get(i + 1));
        let row = row.map_or(0..0, |(&a, &b)| a as usize..b as usize);
        let mut at = self.last_added.get(i).copied().unwrap_or(NONE);
        self.members[row]
            .iter()
            .copied()
            .chain(std::iter::from_fn(move || {
                let &(t, before) = self.added.get(at as usize)?;
                at = before;
                Some(t)
            }))
    }

    /// The living triangles of a patch.
    pub(crate) fn triangles<'a>(
        &'a self,
        mesh: &'a ClosedMesh,
        p: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        self.listed(p)
            .filter(move |&t| mesh.patch.get(t as usize) == Some(&p) && mesh.alive(t))
    }

    /// Calls `f` for every living triangle whose box meets the box from `lo` to `hi`.
    pub fn for_each_in_box(&self, mesh: &ClosedMesh, lo: Vec3, hi: Vec3, mut f: impl FnMut(u32)) {
        let query = Bounds { lo, hi };
        let mut near = Vec::new();
        self.tree.meeting(&query, 0, &mut near);
        for p in near {
            for t in self.triangles(mesh, p) {
                if Bounds::of(mesh.points(t)).meets(&query) {
                    f(t);
                }
            }
        }
    }

    /// Calls `f` for every living triangle whose box meets the vertical line through (`x`, `y`).
    pub fn column(&self, mesh: &ClosedMesh, x: f32, y: f32, f: impl FnMut(u32)) {
        self.for_each_in_box(
            mesh,
            Vec3::new(x, y, f32::MIN),
            Vec3::new(x, y, f32::MAX),
            f,
        );
    }

    /// Number of patch slots; some may be empty.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no patch.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether all normals of a patch and of what touches it lay within 60° of one direction when the frame began: no tube or
    /// tunnel of a few edges around leads through it.
    pub(crate) fn is_flat(&self, p: u32) -> bool {
        self.all
            .get(p as usize)
            .is_some_and(|patch| patch.cos > 0.5)
    }

    /// What is known about the patches.
    pub(crate) fn all(&self) -> &[Patch] {
        &self.all
    }

    /// Patches that share a vertex with patch `p`, ascending.
    pub(crate) fn neighbours(&self, p: u32) -> &[u32] {
        &self.around[p as usize].patches
    }

    /// The boxes of the patches.
    pub(crate) fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// Frames begun so far.
    pub(crate) fn frame(&self) -> u64 {
        self.frame
    }
}

/// Scrambles a number; sums of scrambled numbers tell sets apart.
#[inline(always)]
fn scramble(n: u64) -> u64 {
    let n = (n ^ (n >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (n ^ (n >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Box, axis, displacement and signature of a patch.
fn measure(mesh: &ClosedMesh, members: &[u32], seen: &[Vec3], normals: &[Vec3]) -> Patch {
    // Vectors in registers: most of this is smallest and largest coordinates.
    let nothing = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];
    let (mut bounds, mut moved) = (nothing, nothing);
    let mut sum = Vec3A::ZERO;
    let mut signature = 0u64;
    let mut squares = 0.0;
    for &t in members {
        let ids = mesh.triangle(t);
        let points = ids.map(|v| Vec3A::from(mesh.x[v as usize]));
        let [a, b, c] = ids.map(u64::from);
        signature =
            signature.wrapping_add(scramble(scramble(a << 32 | b) ^ (u64::from(t) << 32 | c)));
        for k in 0..3 {
            grow(&mut bounds, points[k]);
            if let Some(&old) = seen.get(ids[k] as usize) {
                grow(&mut moved, points[k] - Vec3A::from(old));
            }
        }
        sum += Vec3A::from(normals[t as usize]);
        squares += points[0].distance_squared(points[1]);
    }
    let [bounds, moved] = [bounds, moved].map(|[lo, hi]| Bounds {
        lo: lo.into(),
        hi: hi.into(),
    });
    let mut patch = Patch {
        bounds,
        signature,
        edge: (squares / members.len().max(1) as f32).sqrt(),
        ..Patch::default()
    };
    let sum = Vec3::from(sum);
    let length = sum.length();
    if length > 1e-6 {
        patch.axis = sum / length;
    }
    if moved.lo.cmple(moved.hi).all() {
        patch.shift = 0.5 * (moved.lo + moved.hi);
        let farthest = moved.lo.abs().max(moved.hi.abs());
        patch.spread = 0.5 * (moved.hi - moved.lo).length() * 1.00001 + 1e-6 * farthest.length();
    }
    patch
}

/// Makes a box hold a point.
#[inline(always)]
fn grow([lo, hi]: &mut [Vec3A; 2], p: Vec3A) {
    *lo = lo.min(p);
    *hi = hi.max(p);
}

/// Half-edges of a triangle.
#[inline]
fn sides(t: u32) -> [u32; 3] {
    let h = 3 * t;
    [h, next(h), prev(h)]
}

#[cfg(test)]
mod tests;
