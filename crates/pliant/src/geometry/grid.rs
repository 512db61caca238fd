//! A hashed uniform grid over points.
//!
//! Hashed, not a dense box: a long strand in a large box must not cost memory for its empty space. Points are sorted by
//! bucket with a counting sort, so a query reads contiguous memory, and results come in an order that the positions alone
//! decide.

use glam::{IVec3, Vec3};
use std::ops::Range;

/// Points sorted into cells. Rebuild with [`PointGrid::rebuild`]; buffers are kept.
#[derive(Clone, Debug, Default)]
pub struct PointGrid {
    inv_cell: f32,
    mask: u32,
    /// First entry of each bucket, and the end of the last.
    start: Vec<u32>,
    /// Point indices by bucket, ascending within one.
    index: Vec<u32>,
    /// Positions in the order of `index`.
    position: Vec<Vec3>,
    /// Packed cells in the order of `index`: two cells may share a bucket, and comparing keys is what a query does most.
    key: Vec<u64>,
    bucket_of: Vec<u32>,
}

/// Mixes cell coordinates into a bucket number.
#[inline]
fn hash(cell: IVec3, mask: u32) -> u32 {
    let h = (cell.x as u32).wrapping_mul(0x9E37_79B1)
        ^ (cell.y as u32).wrapping_mul(0x85EB_CA77)
        ^ (cell.z as u32).wrapping_mul(0xC2B2_AE3D);
    (h ^ (h >> 15)) & mask
}

/// The cell that holds `p`. Truncation and a compare: `floor` is a function call where the machine has no instruction for it.
#[inline]
fn cell_at(p: Vec3, inv_cell: f32) -> IVec3 {
    let scaled = p * inv_cell;
    let whole = scaled.as_ivec3();
    let below = |whole: i32, scaled: f32| whole.saturating_sub(i32::from(whole as f32 > scaled));
    IVec3::new(
        below(whole.x, scaled.x),
        below(whole.y, scaled.y),
        below(whole.z, scaled.z),
    )
}

/// Cell coordinates in 21 bits each; cells 2²¹ apart look alike, which the distance test sorts out.
#[inline]
fn pack(cell: IVec3) -> u64 {
    const BITS: u64 = (1 << 21) - 1;
    let bits = |c: i32| u64::from(c as u32) & BITS;
    bits(cell.x) | bits(cell.y) << 21 | bits(cell.z) << 42
}

impl PointGrid {
    /// A grid over `points` with cells of size `cell`.
    pub fn new(points: &[Vec3], cell: f32) -> Self {
        let mut grid = Self::default();
        grid.rebuild(points.len(), cell, |i| points[i]);
        grid
    }

    /// Sorts `count` points anew.
    pub fn rebuild(&mut self, count: usize, cell: f32, position: impl Fn(usize) -> Vec3) {
        self.inv_cell = 1.0 / cell;
        let buckets = (count.max(8) * 2).next_power_of_two();
        self.mask = buckets as u32 - 1;
        self.start.clear();
        self.start.resize(buckets + 1, 0);
        let (mask, inv_cell) = (self.mask, self.inv_cell);
        self.bucket_of.clear();
        self.bucket_of
            .extend((0..count).map(|i| hash(cell_at(position(i), inv_cell), mask)));
        for &b in &self.bucket_of {
            self.start[b as usize + 1] += 1;
        }
        for b in 0..buckets {
            self.start[b + 1] += self.start[b];
        }
        self.index.resize(count, 0);
        self.position.resize(count, Vec3::ZERO);
        self.key.resize(count, 0);
        // Filled from the back, so that the starts end up in place and each bucket ascends.
        for i in (0..count).rev() {
            let b = self.bucket_of[i] as usize + 1;
            let at = (self.start[b] - 1) as usize;
            self.start[b] -= 1;
            self.index[at] = i as u32;
            self.position[at] = position(i);
            self.key[at] = pack(cell_at(self.position[at], inv_cell));
        }
        // Each slot b + 1 now holds the start of bucket b: shift back by one.
        self.start.copy_within(1.., 0);
        self.start[buckets] = count as u32;
    }

    #[inline]
    fn cell_of(&self, p: Vec3) -> IVec3 {
        cell_at(p, self.inv_cell)
    }

    /// Calls `f(index, position, squared distance)` for every point within `radius` of `p`.
    ///
    /// Costs (2·radius/cell + 1)³ bucket look-ups: choose cells of about the radius.
    #[inline]
    pub fn for_each_within(&self, p: Vec3, radius: f32, mut f: impl FnMut(u32, Vec3, f32)) {
        let (lo, hi) = (
            self.cell_of(p - Vec3::splat(radius)),
            self.cell_of(p + Vec3::splat(radius)),
        );
        let limit = radius * radius;
        for z in lo.z..=hi.z {
            for y in lo.y..=hi.y {
                for x in lo.x..=hi.x {
                    let cell = IVec3::new(x, y, z);
                    let (b, key) = (hash(cell, self.mask) as usize, pack(cell));
                    for at in self.start[b] as usize..self.start[b + 1] as usize {
                        let q = self.position[at];
                        let d2 = q.distance_squared(p);
                        // Two cells of the search may share a bucket: count a point only in its own cell.
                        if d2 <= limit && self.key[at] == key {
                            f(self.index[at], q, d2);
                        }
                    }
                }
            }
        }
    }

    /// Whether `f(index)` holds for any point within `radius` of `p`; stops at the first.
    #[inline]
    pub fn any_within(&self, p: Vec3, radius: f32, mut f: impl FnMut(u32) -> bool) -> bool {
        let (lo, hi) = (
            self.cell_of(p - Vec3::splat(radius)),
            self.cell_of(p + Vec3::splat(radius)),
        );
        let limit = radius * radius;
        for z in lo.z..=hi.z {
            for y in lo.y..=hi.y {
                for x in lo.x..=hi.x {
                    let b = hash(IVec3::new(x, y, z), self.mask) as usize;
                    for at in self.start[b] as usize..self.start[b + 1] as usize {
                        // A point of another cell that is near enough counts as well as one of this cell.
                        if self.position[at].distance_squared(p) <= limit && f(self.index[at]) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Number of buckets, for [`PointGrid::for_each_neighborhood`].
    pub fn buckets(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Calls `f(index, position, around)` for every point of the buckets in `range`, where `around` holds the points of the 27
    /// cells about it (itself included): all that lie within one cell size of it, and more.
    ///
    /// Points of one cell share the list, which makes this cheaper than a query for each.
    pub fn for_each_neighborhood(
        &self,
        range: Range<usize>,
        mut f: impl FnMut(u32, Vec3, &Around),
    ) {
        let mut around = Around::default();
        let mut gathered = None;
        for bucket in range {
            for at in self.start[bucket] as usize..self.start[bucket + 1] as usize {
                let p = self.position[at];
                if gathered != Some(self.key[at]) {
                    self.gather_around(self.cell_of(p), &mut around);
                    gathered = Some(self.key[at]);
                }
                f(self.index[at], p, &around);
            }
        }
    }

    /// The points of the 27 cells about `center`.
    fn gather_around(&self, center: IVec3, around: &mut Around) {
        around.index.clear();
        around.position.iter_mut().for_each(Vec::clear);
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -1..=1 {
                    let cell = center + IVec3::new(x, y, z);
                    let (b, key) = (hash(cell, self.mask) as usize, pack(cell));
                    for at in self.start[b] as usize..self.start[b + 1] as usize {
                        if self.key[at] == key {
                            around.push(self.index[at], self.position[at]);
                        }
                    }
                }
            }
        }
    }

    /// The `count` nearest points to `p` (fewer if there are fewer), nearest first, ties by index.
    pub fn nearest(&self, p: Vec3, count: usize) -> Vec<(u32, f32)> {
        let mut found: Vec<(u32, f32)> = Vec::new();
        let mut radius = 1.5 / self.inv_cell;
        let wanted = count.min(self.index.len());
        // Bounded doubling; past it (a query far from everything) every point is looked at.
        for attempt in 0.. {
            found.clear();
            if attempt < 4 {
                self.for_each_within(p, radius, |i, _, d2| found.push((i, d2)));
            } else {
                found.extend(
                    self.index
                        .iter()
                        .zip(&self.position)
                        .map(|(&i, q)| (i, q.distance_squared(p))),
                );
            }
            if found.len() >= wanted {
                break;
            }
            radius *= 2.0;
        }
        found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        found.truncate(wanted);
        found
    }
}

/// Distances that are computed together.
const LANES: usize = 16;

/// The points around a place, coordinate by coordinate: distances to all of them are what a search spends its time on.
#[derive(Clone, Debug, Default)]
pub struct Around {
    index: Vec<u32>,
    position: [Vec<f32>; 3],
}

impl Around {
    fn push(&mut self, index: u32, p: Vec3) {
        self.index.push(index);
        for axis in 0..3 {
            self.position[axis].push(p[axis]);
        }
    }

    /// Puts into `near` the points within `radius` of `p`, with their squared distances.
    #[inline]
    pub fn within(&self, p: Vec3, radius: f32, near: &mut Vec<(u32, f32)>) {
        near.clear();
        let limit = radius * radius;
        let [x, y, z] = self.position.each_ref().map(Vec::as_slice);
        for at in (0..x.len()).step_by(LANES) {
            let lanes = LANES.min(x.len() - at);
            let mut d2 = [f32::INFINITY; LANES];
            let (x, y, z) = (&x[at..at + lanes], &y[at..at + lanes], &z[at..at + lanes]);
            for (((d2, &x), &y), &z) in d2.iter_mut().zip(x).zip(y).zip(z) {
                let (x, y, z) = (x - p.x, y - p.y, z - p.z);
                *d2 = x * x + y * y + z * z;
            }
            for (l, &d2) in d2.iter().enumerate() {
                if d2 <= limit {
                    near.push((self.index[at + l], d2));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A query finds exactly the points that a search over all finds.
        #[test]
        fn finds_what_brute_force_finds(points in prop::collection::vec(prop::array::uniform3(-3.0f32..3.0), 1..200),
                                        p in prop::array::uniform3(-4.0f32..4.0), radius in 0.1f32..2.0) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let p = Vec3::from(p);
            let grid = PointGrid::new(&points, 0.5);
            let mut found = Vec::new();
            grid.for_each_within(p, radius, |i, _, _| found.push(i));
            found.sort_unstable();
            let expected: Vec<u32> = (0..points.len() as u32).filter(|&i| points[i as usize].distance_squared(p) <= radius * radius).collect();
            prop_assert_eq!(found, expected);
            let mut by_distance: Vec<(u32, f32)> = points.iter().enumerate().map(|(i, q)| (i as u32, q.distance_squared(p))).collect();
            by_distance.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            by_distance.truncate(4);
            prop_assert_eq!(grid.nearest(p, 4), by_distance);
        }

        /// Every point is visited once, with all points within a cell size around it.
        #[test]
        fn neighborhoods_are_complete(points in prop::collection::vec(prop::array::uniform3(-3.0f32..3.0), 1..200)) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let grid = PointGrid::new(&points, 0.5);
            let mut visited = vec![0; points.len()];
            grid.for_each_neighborhood(0..grid.buckets(), |i, p, around| {
                visited[i as usize] += 1;
                let mut found = Vec::new();
                around.within(p, 0.5, &mut found);
                let mut near: Vec<u32> = found.iter().map(|f| f.0).collect();
                near.sort_unstable();
                let expected: Vec<u32> = (0..points.len() as u32).filter(|&j| points[j as usize].distance_squared(p) <= 0.25).collect();
                assert_eq!(near, expected);
            });
            prop_assert!(visited.iter().all(|&n| n == 1));
        }
    }
}
