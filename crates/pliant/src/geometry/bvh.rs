//! A tree of boxes over a fixed list of items, laid out for traversal without a stack.
//!
//! Nodes are stored depth first, and each knows where its subtree ends. A query is one loop: go to the next node to
//! descend, jump to `skip` to leave a subtree out. The items of *every* node, not only of leaves, are a contiguous run
//! of `order`; so sums over subtrees need no recursion either.

use glam::Vec3;

use crate::geometry::Mesh;

/// Most items a leaf holds. Four triangles are tested about as fast as two more levels are visited.
const LEAF_SIZE: usize = 4;

/// One box of the tree.
#[derive(Clone, Copy, Debug)]
pub struct BvhNode {
    /// Lowest corner of the box.
    pub lo: Vec3,
    /// Index of the first node that is not in this node's subtree.
    pub skip: u32,
    /// Highest corner of the box.
    pub hi: Vec3,
    /// Where the node's items begin in [`Bvh::order`].
    pub first: u32,
    /// Number of items below the node.
    pub count: u32,
}

/// A bounding volume hierarchy, split at the median along the longest side of the centres' box.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// Nodes, depth first; the root is the first. Empty if there are no items.
    pub nodes: Vec<BvhNode>,
    /// The items, so that every node's are next to each other.
    pub order: Vec<u32>,
}

impl BvhNode {
    /// The node's items as a range of [`Bvh::order`].
    #[inline]
    pub fn items(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Bvh {
    /// Builds the tree over items given by their boxes (lowest and highest corner, finite numbers).
    pub fn new(boxes: &[(Vec3, Vec3)]) -> Self {
        let mut entries: Vec<(Vec3, u32)> = (0u32..)
            .zip(boxes)
            .map(|(item, (lo, hi))| ((*lo + *hi) * 0.5, item))
            .collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        if !entries.is_empty() {
            split(&mut entries, 0, boxes, &mut nodes);
        }
        Self {
            nodes,
            order: entries.into_iter().map(|(_, item)| item).collect(),
        }
    }

    /// Builds the tree over the triangles of a mesh.
    pub fn of_triangles(mesh: &Mesh) -> Self {
        let boxes: Vec<(Vec3, Vec3)> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                (a.min(b).min(c), a.max(b).max(c))
            })
            .collect();
        Self::new(&boxes)
    }

    /// Whether the nodes are leaves is a matter of their number of items.
    #[inline]
    pub fn is_leaf(node: &BvhNode) -> bool {
        node.count as usize <= LEAF_SIZE
    }

    /// Makes the boxes anew for items that have moved; the items of each node stay the same.
    pub fn refit(&mut self, boxes: &[(Vec3, Vec3)]) {
        let union = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
        let empty = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        // What is below a node comes after it.
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let bounds = if Self::is_leaf(&node) {
                let items = self.order[node.items()].iter();
                items.map(|&item| boxes[item as usize]).fold(empty, union)
            } else {
                let left = &self.nodes[at + 1];
                let right = &self.nodes[left.skip as usize];
                union((left.lo, left.hi), (right.lo, right.hi))
            };
            (self.nodes[at].lo, self.nodes[at].hi) = bounds;
        }
    }

    /// The nodes that are leaves.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| Self::is_leaf(node))
            .map(|(i, _)| i)
    }

    /// Calls `visit` with the items of each leaf after node `leaf` whose box touches the one of that, as a range of [`Bvh::order`]. Called for
    /// all leaves, it visits each pair of them once.
    #[inline]
    pub fn for_each_leaf_after(&self, leaf: usize, mut visit: impl FnMut(std::ops::Range<usize>)) {
        let own = self.nodes[leaf];
        let mut i = leaf + 1;
        while let Some(node) = self.nodes.get(i) {
            let touches = node.lo.cmple(own.hi) & own.lo.cmple(node.hi);
            if touches.all() && !Self::is_leaf(node) {
                i += 1;
                continue;
            }
            if touches.all() {
                visit(node.items());
            }
            i = node.skip as usize;
        }
    }

    /// Calls `visit` with every item of a leaf whose box touches the box `lo..hi`.
    #[inline]
    pub fn for_each_in_box(&self, lo: Vec3, hi: Vec3, mut visit: impl FnMut(u32)) {
        let mut i = 0;
        while let Some(node) = self.nodes.get(i) {
            let touches = node.lo.cmple(hi).all() && lo.cmple(node.hi).all();
            if touches && !Self::is_leaf(node) {
                i += 1;
                continue;
            }
            if touches {
                self.order[node.items()]
                    .iter()
                    .for_each(|&item| visit(item));
            }
            i = node.skip as usize;
        }
    }
}

/// Appends the subtree of `entries`, which start at `first` in the order, and returns its box.
fn split(
    entries: &mut [(Vec3, u32)],
    first: usize,
    boxes: &[(Vec3, Vec3)],
    nodes: &mut Vec<BvhNode>,
) -> (Vec3, Vec3) {
    let index = nodes.len();
    nodes.push(BvhNode {
        lo: Vec3::ZERO,
        skip: 0,
        hi: Vec3::ZERO,
        first: first as u32,
        count: entries.len() as u32,
    });
    let union = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let bounds = if entries.len() <= LEAF_SIZE {
        let mut items = entries.iter().map(|&(_, item)| boxes[item as usize]);
        let start = items.next().unwrap_or_default();
        items.fold(start, union)
    } else {
        let start = (entries[0].0, entries[0].0);
        let (lo, hi) = entries
            .iter()
            .fold(start, |b, &(center, _)| union(b, (center, center)));
        let extent = hi - lo;
        let axis = extent.max_position();
        let middle = entries.len() / 2;
        // Items with equal centres are told apart by their number: the order is total, the tree always the same.
        entries.select_nth_unstable_by(middle, |a, b| {
            a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1))
        });
        let (left, right) = entries.split_at_mut(middle);
        let left_box = split(left, first, boxes, nodes);
        let right_box = split(right, first + middle, boxes, nodes);
        union(left_box, right_box)
    };
    let end = nodes.len() as u32;
    let node = &mut nodes[index];
    (node.lo, node.hi) = bounds;
    node.skip = end;
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A tree that is made anew for the same boxes is the same; for others, each node holds what is below it.
    #[test]
    fn refit() {
        let mut random = Random::new([2, 0, 0, 0]);
        let mut boxes: Vec<(Vec3, Vec3)> = (0..100)
            .map(|_| random.next_in_cube())
            .map(|lo| (lo, lo + 0.1))
            .collect();
        let made = Bvh::new(&boxes);
        let mut tree = made.clone();
        tree.refit(&boxes);
        let bounds =
            |t: &Bvh| -> Vec<(Vec3, Vec3)> { t.nodes.iter().map(|n| (n.lo, n.hi)).collect() };
        assert_eq!(bounds(&tree), bounds(&made));
        for b in &mut boxes {
            let by = random.next_in_cube();
            *b = (b.0 + by, b.1 + by * 1.5);
        }
        tree.refit(&boxes);
        for node in &tree.nodes {
            for &item in &tree.order[node.items()] {
                let (lo, hi) = boxes[item as usize];
                assert!(node.lo.cmple(lo).all() && hi.cmple(node.hi).all());
            }
        }
        Bvh::default().refit(&[]);
    }

    /// A box query visits every item whose box it touches, and the tree keeps its layout promises.
    #[test]
    fn box_query_finds_all() {
        let mut random = Random::new([1, 0, 0, 0]);
        let boxes: Vec<(Vec3, Vec3)> = (0..500)
            .map(|_| {
                let lo = random.next_in_cube();
                (lo, lo + random.next_in_cube() * 0.1)
            })
            .collect();
        let tree = Bvh::new(&boxes);
        for _ in 0..50 {
            let lo = random.next_in_cube();
            let hi = lo + random.next_in_cube() * 0.3;
            let mut found = Vec::new();
            tree.for_each_in_box(lo, hi, |item| found.push(item as usize));
            for (item, b) in boxes.iter().enumerate() {
                let touches = b.0.cmple(hi).all() && lo.cmple(b.1).all();
                assert!(!touches || found.contains(&item));
            }
        }
        for node in &tree.nodes {
            for &item in &tree.order[node.items()] {
                let (lo, hi) = boxes[item as usize];
                assert!(node.lo.cmple(lo).all() && hi.cmple(node.hi).all());
            }
        }
        assert_eq!(tree.nodes[0].skip as usize, tree.nodes.len());
    }

    /// Leaves meet each later leaf that they touch once.
    #[test]
    fn leaves_meet_once() {
        let mut random = Random::new([2, 0, 0, 0]);
        let boxes: Vec<(Vec3, Vec3)> = (0..300)
            .map(|_| {
                let lo = random.next_in_cube();
                (lo, lo + random.next_in_cube() * 0.2)
            })
            .collect();
        let tree = Bvh::new(&boxes);
        let leaves: Vec<usize> = tree.leaves().collect();
        let mut met = Vec::new();
        for &leaf in &leaves {
            tree.for_each_leaf_after(leaf, |items| {
                met.push((tree.nodes[leaf].first, items.start));
            });
        }
        for (at, a) in leaves.iter().map(|&l| tree.nodes[l]).enumerate() {
            for b in leaves[at + 1..].iter().map(|&l| tree.nodes[l]) {
                let touches = a.lo.cmple(b.hi).all() && b.lo.cmple(a.hi).all();
                let times = met.iter().filter(|m| **m == (a.first, b.first as usize));
                assert_eq!(times.count(), usize::from(touches));
            }
        }
    }

    /// No items, and many items in one place, are legal.
    #[test]
    fn degenerate_inputs() {
        Bvh::new(&[]).for_each_in_box(Vec3::ZERO, Vec3::ONE, |_| unreachable!());
        let tree = Bvh::new(&[(Vec3::ONE, Vec3::ONE); 100]);
        let mut count = 0;
        tree.for_each_in_box(Vec3::ZERO, Vec3::ONE, |_| count += 1);
        assert_eq!(count, 100);
    }
}
