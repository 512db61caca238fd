//! Axis-parallel boxes, tested eight at a time.

use crate::math::lanes::{F8, Wide, dispatch};
use glam::Vec3;

/// An axis-parallel box (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) lo: Vec3,
    pub(crate) hi: Vec3,
}

impl Bounds {
    /// The box that holds nothing.
    pub(crate) const EMPTY: Self = Self {
        lo: Vec3::INFINITY,
        hi: Vec3::NEG_INFINITY,
    };

    /// The box of a triangle.
    #[inline(always)]
    pub(crate) fn of([a, b, c]: [Vec3; 3]) -> Self {
        Self {
            lo: a.min(b).min(c),
            hi: a.max(b).max(c),
        }
    }

    #[inline(always)]
    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Whether two boxes have a point in common; touching counts.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.lo.cmple(other.hi).all() && other.lo.cmple(self.hi).all()
    }
}

/// Eight boxes side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box8 {
    lo: [F8; 3],
    hi: [F8; 3],
}

impl Box8 {
    /// Eight boxes that hold nothing.
    pub(crate) const EMPTY: Self = Self {
        lo: [F8([f32::INFINITY; 8]); 3],
        hi: [F8([f32::NEG_INFINITY; 8]); 3],
    };

    #[inline]
    pub(crate) fn set(&mut self, lane: usize, bounds: &Bounds) {
        for k in 0..3 {
            self.lo[k].0[lane] = bounds.lo[k];
            self.hi[k].0[lane] = bounds.hi[k];
        }
    }

    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Bounds {
        let at = |c: &[F8; 3]| Vec3::new(c[0].0[lane], c[1].0[lane], c[2].0[lane]);
        Bounds {
            lo: at(&self.lo),
            hi: at(&self.hi),
        }
    }
}

/// Puts boxes into groups of eight; the last group is filled up with empty ones.
pub(crate) fn pack(bounds: &[Bounds], into: &mut Vec<Box8>) {
    into.clear();
    into.extend(bounds.chunks(8).map(|chunk| {
        let mut group = Box8::EMPTY;
        for (l, b) in chunk.iter().enumerate() {
            group.set(l, b);
        }
        group
    }));
}

/// The query box in every lane.
pub(crate) struct Query<L> {
    lo: [L; 3],
    hi: [L; 3],
    margin: L,
}

impl<L: Wide> Query<L> {
    #[inline(always)]
    pub(crate) fn new(bounds: &Bounds, margin: f32) -> Self {
        let (lo, hi) = (bounds.lo, bounds.hi);
        Self {
            lo: [L::splat(lo.x), L::splat(lo.y), L::splat(lo.z)],
            hi: [L::splat(hi.x), L::splat(hi.y), L::splat(hi.z)],
            margin: L::splat(margin),
        }
    }

    /// The lanes whose box is nowhere farther than the margin along any axis. A difference has the sign of the comparison,
    /// so that a margin of zero asks exactly whether the boxes meet.
    #[inline(always)]
    pub(crate) fn near(&self, boxes: &Box8) -> u32 {
        let mut gap = self.margin;
        for k in 0..3 {
            let below = L::load(&boxes.lo[k]) - self.hi[k];
            let above = self.lo[k] - L::load(&boxes.hi[k]);
            let along = below.max(above);
            gap = if k == 0 { along } else { gap.max(along) };
        }
        gap.at_most(self.margin)
    }
}

#[inline(always)]
fn push_lanes(mut mask: u32, first: u32, into: &mut Vec<u32>) {
    while mask != 0 {
        into.push(first + mask.trailing_zeros());
        mask &= mask - 1;
    }
}

#[inline(always)]
fn near_kernel<L: Wide>(boxes: &[Box8], bounds: &Bounds, margin: f32, into: &mut Vec<u32>) {
    let query = Query::<L>::new(bounds, margin);
    for (g, boxes) in boxes.iter().enumerate() {
        push_lanes(query.near(boxes), 8 * g as u32, into);
    }
}

dispatch! {
    /// Appends the numbers of the boxes nearer than `margin` to a box along every axis, ascending.
    pub(crate) fn near(boxes: &[Box8], bounds: &Bounds, margin: f32, into: &mut Vec<u32>) -> () = near_kernel
}

#[inline(always)]
fn near_pairs_kernel<L: Wide>(
    some: &[u32],
    bounds: &[Bounds],
    boxes: &[Box8],
    margin: f32,
    into: &mut Vec<(u32, u32)>,
) {
    for &i in some {
        let query = Query::<L>::new(&bounds[i as usize], margin);
        for (g, boxes) in boxes.iter().enumerate() {
            let mut mask = query.near(boxes);
            while mask != 0 {
                into.push((i, 8 * g as u32 + mask.trailing_zeros()));
                mask &= mask - 1;
            }
        }
    }
}

dispatch! {
    /// Appends all pairs of `some` of `bounds` with `boxes` that are nearer than `margin` along every axis.
    pub(crate) fn near_pairs(
        some: &[u32],
        bounds: &[Bounds],
        boxes: &[Box8],
        margin: f32,
        into: &mut Vec<(u32, u32)>,
    ) -> () = near_pairs_kernel
}

/// Boxes in two levels: groups of eight boxes, and the boxes around the groups again in eights.
///
/// Numbers that follow each other should be near each other in space; then a query looks at an eighth of the groups' boxes
/// and at few groups. It gives numbers in ascending order, so nothing needs to be sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxTree {
    boxes: Vec<Box8>,
    groups: Vec<Box8>,
}

impl BoxTree {
    /// Takes over boxes by number.
    pub(crate) fn fill(&mut self, bounds: impl Iterator<Item = Bounds>) {
        self.boxes.clear();
        self.groups.clear();
        for (i, b) in bounds.enumerate() {
            self.grow(i as u32, &b);
        }
    }

    /// Makes box `i` hold `bounds` too.
    pub(crate) fn grow(&mut self, i: u32, bounds: &Bounds) {
        let (group, lane) = (i as usize / 8, i as usize % 8);
        if group >= self.boxes.len() {
            self.boxes.resize(group + 1, Box8::EMPTY);
            self.groups.resize(group / 8 + 1, Box8::EMPTY);
        }
        let boxes = &mut self.boxes[group];
        boxes.set(lane, &boxes.get(lane).join(*bounds));
        let groups = &mut self.groups[group / 8];
        groups.set(group % 8, &groups.get(group % 8).join(*bounds));
    }

    /// Box `i`.
    #[cfg(test)]
    pub(crate) fn get(&self, i: u32) -> Bounds {
        self.boxes
            .get(i as usize / 8)
            .map_or(Bounds::EMPTY, |b| b.get(i as usize % 8))
    }

    /// The box of all.
    pub(crate) fn bounds(&self) -> Bounds {
        let lanes = self.groups.iter().flat_map(|g| (0..8).map(|l| g.get(l)));
        lanes.fold(Bounds::EMPTY, Bounds::join)
    }

    /// Appends the numbers from `first` on of the boxes that meet a box, ascending.
    pub(crate) fn meeting(&self, bounds: &Bounds, first: u32, into: &mut Vec<u32>) {
        let from = into.len();
        tree_near(&self.boxes, &self.groups, bounds, first / 8, into);
        let below = into[from..].iter().take_while(|&&i| i < first).count();
        into.drain(from..from + below);
    }
}

#[inline(always)]
fn tree_near_kernel<L: Wide>(
    boxes: &[Box8],
    groups: &[Box8],
    bounds: &Bounds,
    first_group: u32,
    into: &mut Vec<u32>,
) {
    let query = Query::<L>::new(bounds, 0.0);
    let first = first_group as usize / 8;
    for (k, group) in groups.iter().enumerate().skip(first) {
        let mut mask = query.near(group);
        while mask != 0 {
            let g = 8 * k + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            if g >= first_group as usize && g < boxes.len() {
                push_lanes(query.near(&boxes[g]), 8 * g as u32, into);
            }
        }
    }
}

dispatch! {
    fn tree_near(
        boxes: &[Box8],
        groups: &[Box8],
        bounds: &Bounds,
        first_group: u32,
        into: &mut Vec<u32>,
    ) -> () = tree_near_kernel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    fn some_boxes(seed: u64, count: u32, size: f32) -> Vec<Bounds> {
        let mut random = Random::new([seed, 0, 0, 0]);
        (0..count)
            .map(|_| {
                let lo = random.next_in_cube();
                let hi = lo + size * random.next_in_cube();
                Bounds { lo, hi }
            })
            .collect()
    }

    proptest! {
        /// The tree finds what a loop over all boxes finds, in the same order, also after a box has grown.
        #[test]
        fn tree_is_a_loop(seed in 0u64..1000, count in 0u32..700, size in 0.0f32..0.5, first in 0u32..700) {
            let mut boxes = some_boxes(seed, count, size);
            let mut tree = BoxTree::default();
            tree.fill(boxes.iter().copied());
            let query = some_boxes(seed + 7, 1, 0.3)[0];
            if count > 3 {
                boxes[3] = boxes[3].join(query);
                tree.grow(3, &query);
                prop_assert_eq!(tree.get(3), boxes[3]);
            }
            let mut found = vec![99];
            tree.meeting(&query, first, &mut found);
            let mut expected = vec![99];
            expected.extend((first..count).filter(|&i| boxes[i as usize].meets(&query)));
            prop_assert_eq!(found, expected);
        }
    }

    /// A margin of zero counts touching boxes; a larger one reaches farther.
    #[test]
    fn margins() {
        let at = |x: f32| Bounds {
            lo: Vec3::new(x, 0.0, 0.0),
            hi: Vec3::new(x + 1.0, 1.0, 1.0),
        };
        let mut packed = Vec::new();
        pack(&[at(1.0), at(1.5), at(-3.0)], &mut packed);
        let mut found = Vec::new();
        near(&packed, &at(0.0), 0.0, &mut found);
        assert_eq!(found, [0]);
        found.clear();
        near(&packed, &at(0.0), 0.6, &mut found);
        assert_eq!(found, [0, 1]);
        let mut pairs = Vec::new();
        near_pairs(&[1], &[at(9.0), at(0.0)], &packed, 2.0, &mut pairs);
        assert_eq!(pairs, [(1, 0), (1, 1), (1, 2)]);
    }
}
