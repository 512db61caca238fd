//! A bounding volume hierarchy with four children a node, built by the surface area heuristic.
//!
//! It knows boxes only; what lies in a leaf is tested by the caller's closure. Four children, because one node's slab test
//! then fills the lanes of a `Vec4`.

use glam::{Vec3, Vec4};
use std::ops::Range;

/// Items a leaf may hold.
const LEAF_SIZE: usize = 4;
/// Bins tried along each axis.
const BIN_COUNT: usize = 12;
/// From this depth on the tree is halved by count, which bounds the depth, and so the stack, for any input.
const DEPTH_OF_HALVING: usize = 24;
/// Branches of fewer items are built by one thread.
const PARALLEL_SIZE: usize = 4096;
/// At most three siblings wait on each of `DEPTH_OF_HALVING + log2(2^28)` levels.
const STACK_SIZE: usize = 160;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    pub(crate) lo: Vec3,
    pub(crate) hi: Vec3,
}

impl Aabb {
    /// The box around nothing.
    pub(crate) const EMPTY: Self = Self {
        lo: Vec3::INFINITY,
        hi: Vec3::NEG_INFINITY,
    };

    /// The box around both.
    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Half of the surface area, 0 for the empty box.
    fn half_area(&self) -> f32 {
        let d = (self.hi - self.lo).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    /// Twice the centre: the order of centres is all the build needs.
    fn center_twice(&self) -> Vec3 {
        self.lo + self.hi
    }
}

/// A ray prepared for slab tests.
pub(crate) struct Ray {
    pub(crate) origin: Vec3,
    pub(crate) direction: Vec3,
    origin4: [Vec4; 3],
    inverse4: [Vec4; 3],
    /// 1 where the direction is negative: the index of the plane that is met first.
    first: [usize; 3],
    /// Whether all numbers are finite. Others meet nothing: the slab test would take a NaN for a hit of a missing child.
    sound: bool,
}

impl Ray {
    pub(crate) fn new(origin: Vec3, direction: Vec3) -> Self {
        // A zero would make 0·∞ in the slab test; a tiny number of the same sign changes no picture.
        let inverse = direction
            .to_array()
            .map(|d| 1.0 / if d.abs() < 1e-18 { 1e-18 } else { d });
        Self {
            origin,
            direction,
            origin4: origin.to_array().map(Vec4::splat),
            inverse4: inverse.map(Vec4::splat),
            first: inverse.map(|d| usize::from(d < 0.0)),
            sound: (origin + direction).is_finite(),
        }
    }
}

#[derive(Clone, Copy)]
struct Node {
    /// Lower and upper planes of the four children, per axis. A missing child has the empty box, which no ray meets.
    planes: [[Vec4; 3]; 2],
    /// Index of the child node, or of the first item of a leaf.
    first: [u32; 4],
    /// Items of a leaf; 0 for an inner child.
    count: [u32; 4],
}

impl Node {
    const EMPTY: Self = Self {
        planes: [[Vec4::INFINITY; 3], [Vec4::NEG_INFINITY; 3]],
        first: [0; 4],
        count: [0; 4],
    };

    /// Which children the ray meets before `t_max` (a bit each), and where.
    #[inline(always)]
    fn meet(&self, ray: &Ray, t_max: f32) -> (u32, Vec4) {
        let plane = |side: usize, axis: usize| {
            let which = ray.first[axis] ^ side;
            (self.planes[which][axis] - ray.origin4[axis]) * ray.inverse4[axis]
        };
        let near = plane(0, 0)
            .max(plane(0, 1))
            .max(plane(0, 2).max(Vec4::ZERO));
        let far = plane(1, 0)
            .min(plane(1, 1))
            .min(plane(1, 2).min(Vec4::splat(t_max)));
        // The slack keeps rays that run along a box's face.
        (near.cmple(far * 1.000_001).bitmask(), near)
    }
}

/// The hierarchy. Leaves hold ranges of the caller's items after they were put into `order`.
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    /// The caller's item at each place of the leaves' ranges.
    pub(crate) order: Vec<u32>,
}

/// A node of the binary tree that is built first.
struct Binary {
    bounds: Aabb,
    range: Range<usize>,
    children: Option<[usize; 2]>,
}

impl Bvh {
    /// Builds the hierarchy over boxes.
    pub(crate) fn build(boxes: &[Aabb]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        if boxes.is_empty() {
            return Self {
                nodes: Vec::new(),
                order,
            };
        }
        let tree = build_parallel(boxes, &mut order, 0, 0);
        let mut nodes = Vec::with_capacity(tree.len() / 3 + 1);
        collapse(&tree, 0, &mut nodes);
        Self { nodes, order }
    }

    /// Visits the leaves along the ray, near ones first. `leaf` gets a range of items and the distance up to which hits
    /// count, and returns that distance, shortened if it hit.
    #[inline]
    pub(crate) fn nearest(
        &self,
        ray: &Ray,
        mut t_max: f32,
        mut leaf: impl FnMut(Range<usize>, f32) -> f32,
    ) {
        if self.nodes.is_empty() || !ray.sound {
            return;
        }
        let mut stack = [(0u32, 0.0f32); STACK_SIZE];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (index, near) = stack[top];
            if near > t_max {
                continue;
            }
            let node = &self.nodes[index as usize];
            let (mut mask, near) = node.meet(ray, t_max);
            let near = near.to_array();
            let bottom = top;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let first = node.first[lane];
                if node.count[lane] > 0 {
                    t_max = leaf(first as usize..(first + node.count[lane]) as usize, t_max);
                } else {
                    // Insert so that the nearest lies on top.
                    let mut place = top;
                    while place > bottom && stack[place - 1].1 < near[lane] {
                        stack[place] = stack[place - 1];
                        place -= 1;
                    }
                    stack[place] = (first, near[lane]);
                    top += 1;
                }
            }
        }
    }

    /// Whether `leaf` says yes for any leaf that the ray meets before `t_max`.
    #[inline]
    pub(crate) fn any(
        &self,
        ray: &Ray,
        t_max: f32,
        mut leaf: impl FnMut(Range<usize>) -> bool,
    ) -> bool {
        if self.nodes.is_empty() || !ray.sound {
            return false;
        }
        let mut stack = [0u32; STACK_SIZE];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            let (mut mask, _) = node.meet(ray, t_max);
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let first = node.first[lane];
                if node.count[lane] == 0 {
                    stack[top] = first;
                    top += 1;
                } else if leaf(first as usize..(first + node.count[lane]) as usize) {
                    return true;
                }
            }
        }
        false
    }
}

/// Builds the tree over `order` (which starts at `offset` in the whole), large branches in parallel. Where branches are cut
/// depends on their sizes only, so the tree does not depend on the number of threads.
fn build_parallel(boxes: &[Aabb], order: &mut [u32], offset: usize, depth: usize) -> Vec<Binary> {
    let mut tree = Vec::new();
    if order.len() < PARALLEL_SIZE {
        build_binary(boxes, order, offset, depth, &mut tree);
        return tree;
    }
    let range = offset..offset + order.len();
    let middle = split(boxes, order, depth);
    let (left, right) = order.split_at_mut(middle);
    let branches = rayon::join(
        || build_parallel(boxes, left, offset, depth + 1),
        || build_parallel(boxes, right, offset + middle, depth + 1),
    );
    tree.push(Binary {
        bounds: branches.0[0].bounds.join(branches.1[0].bounds),
        range,
        children: Some([1, 1 + branches.0.len()]),
    });
    for branch in [branches.0, branches.1] {
        let shift = tree.len();
        tree.extend(branch.into_iter().map(|node| Binary {
            children: node.children.map(|c| c.map(|child| child + shift)),
            ..node
        }));
    }
    tree
}

/// Builds the subtree over `order` (which starts at `offset` in the whole) and returns its index in `tree`.
fn build_binary(
    boxes: &[Aabb],
    order: &mut [u32],
    offset: usize,
    depth: usize,
    tree: &mut Vec<Binary>,
) -> usize {
    let bounds = order
        .iter()
        .fold(Aabb::EMPTY, |b, &i| b.join(boxes[i as usize]));
    let index = tree.len();
    tree.push(Binary {
        bounds,
        range: offset..offset + order.len(),
        children: None,
    });
    if order.len() > LEAF_SIZE {
        let middle = split(boxes, order, depth);
        let (left, right) = order.split_at_mut(middle);
        let left = build_binary(boxes, left, offset, depth + 1, tree);
        let right = build_binary(boxes, right, offset + middle, depth + 1, tree);
        tree[index].children = Some([left, right]);
    }
    index
}

/// Partitions `order` at the cheapest of the binned planes, or in the middle when there is none.
fn split(boxes: &[Aabb], order: &mut [u32], depth: usize) -> usize {
    let half = order.len() / 2;
    let center = |i: u32| boxes[i as usize].center_twice();
    let (lo, hi) = order
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), &i| {
            (lo.min(center(i)), hi.max(center(i)))
        });
    let extent = hi - lo;
    if depth >= DEPTH_OF_HALVING {
        let axis = extent.max_position();
        order.select_nth_unstable_by(half, |&a, &b| {
            center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b))
        });
        return half;
    }

    let scale = Vec3::from_array(extent.to_array().map(|e| {
        if e > 0.0 {
            BIN_COUNT as f32 * 0.9999 / e
        } else {
            0.0
        }
    }));
    let bin_of = |i: u32| ((center(i) - lo) * scale).to_array().map(|b| b as usize);
    let mut bins = [[(Aabb::EMPTY, 0usize); BIN_COUNT]; 3];
    for &i in order.iter() {
        for (axis, bin) in bin_of(i).into_iter().enumerate() {
            let (bounds, count) = &mut bins[axis][bin.min(BIN_COUNT - 1)];
            *bounds = bounds.join(boxes[i as usize]);
            *count += 1;
        }
    }

    let mut best = (f32::INFINITY, 0, 0);
    for (axis, bins) in bins.iter().enumerate() {
        if extent[axis] <= 0.0 {
            continue;
        }
        // Costs of everything right of each plane, then swept from the left.
        let mut right_cost = [0.0; BIN_COUNT];
        let (mut bounds, mut count) = (Aabb::EMPTY, 0);
        for plane in (1..BIN_COUNT).rev() {
            bounds = bounds.join(bins[plane].0);
            count += bins[plane].1;
            right_cost[plane] = bounds.half_area() * count as f32;
        }
        let (mut bounds, mut count) = (Aabb::EMPTY, 0);
        for plane in 1..BIN_COUNT {
            bounds = bounds.join(bins[plane - 1].0);
            count += bins[plane - 1].1;
            let cost = bounds.half_area() * count as f32 + right_cost[plane];
            if count > 0 && count < order.len() && cost < best.0 {
                best = (cost, axis, plane);
            }
        }
    }
    let (cost, axis, plane) = best;
    if cost.is_infinite() {
        return half;
    }
    partition(order, |i| bin_of(i)[axis] < plane)
}

/// Moves the items that satisfy `left` to the front and returns how many there are.
fn partition(order: &mut [u32], left: impl Fn(u32) -> bool) -> usize {
    let mut middle = 0;
    for place in 0..order.len() {
        if left(order[place]) {
            order.swap(place, middle);
            middle += 1;
        }
    }
    middle
}

/// Turns the binary subtree at `root` into nodes of four and returns the index of its node.
fn collapse(tree: &[Binary], root: usize, nodes: &mut Vec<Node>) -> u32 {
    let mut members = vec![root];
    // Open the largest inner member until four are there.
    while members.len() < 4 {
        let widest = (0..members.len())
            .filter(|&m| tree[members[m]].children.is_some())
            .max_by(|&a, &b| {
                let area = |m: usize| tree[members[m]].bounds.half_area();
                area(a).total_cmp(&area(b))
            });
        let Some((member, children)) =
            widest.and_then(|m| tree[members[m]].children.map(|children| (m, children)))
        else {
            break;
        };
        members[member] = children[0];
        members.push(children[1]);
    }
    let index = nodes.len();
    nodes.push(Node::EMPTY);
    let mut node = Node::EMPTY;
    for (lane, &member) in members.iter().enumerate() {
        let item = &tree[member];
        for axis in 0..3 {
            node.planes[0][axis][lane] = item.bounds.lo[axis];
            node.planes[1][axis][lane] = item.bounds.hi[axis];
        }
        if item.children.is_some() {
            node.first[lane] = collapse(tree, member, nodes);
        } else {
            node.first[lane] = item.range.start as u32;
            node.count[lane] = item.range.len() as u32;
        }
    }
    nodes[index] = node;
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item lies in exactly one leaf, also when all centres coincide.
    #[test]
    fn leaves_hold_every_item_once() {
        for spread in [0.0, 1.0] {
            let boxes: Vec<Aabb> = (0..10_000)
                .map(|i| {
                    let p =
                        spread * Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
                    Aabb {
                        lo: p,
                        hi: p + Vec3::ONE,
                    }
                })
                .collect();
            let bvh = Bvh::build(&boxes);
            let mut seen = vec![0; boxes.len()];
            for node in &bvh.nodes {
                for lane in 0..4 {
                    let first = node.first[lane] as usize;
                    for &item in &bvh.order[first..first + node.count[lane] as usize] {
                        seen[item as usize] += 1;
                    }
                }
            }
            assert!(seen.iter().all(|&n| n == 1));
        }
    }
}
