//! Which particles a group takes in.

use crate::geometry::grid::PointGrid;
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How the distance to a group's centre is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Membership {
    /// Straight.
    #[default]
    Euclidean,
    /// From particle to particle through the material: what is folded over is far away.
    Geodesic,
}

/// Longest hop from particle to particle, in r.
const HOP: f32 = 2.0;
/// A path from particle to particle is longer than the straight line by about so much.
const DETOUR: f32 = 1.2;

/// The particles within `radius` of particle `from` for which `mine` holds, ascending; `grid` holds the places `x`, and `solid` tells
/// whether there is material at a place half-way.
pub(crate) fn reach(
    grid: &PointGrid,
    x: &[Vec3],
    from: u32,
    radius: f32,
    (membership, r): (Membership, f32),
    mine: impl Fn(u32) -> bool,
    solid: impl Fn(Vec3) -> bool,
) -> Vec<u32> {
    let center = x[from as usize];
    let mut found: Vec<u32> = Vec::new();
    grid.for_each_within(center, radius, |j, _, _| {
        if mine(j) {
            found.push(j);
        }
    });
    found.sort_unstable();
    if membership == Membership::Euclidean {
        return found;
    }
    // Shortest paths; lengths are compared as integers, so that the order is total.
    let mut length = vec![f32::INFINITY; found.len()];
    let mut heap: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    if let Ok(start) = found.binary_search(&from) {
        length[start] = 0.0;
        heap.push(Reverse((0, start)));
    }
    while let Some(Reverse((bits, k))) = heap.pop() {
        if bits != length[k].to_bits() {
            continue;
        }
        let (p, so_far) = (x[found[k] as usize], length[k]);
        grid.for_each_within(p, HOP * r, |j, x, d2| {
            if let Ok(at) = found.binary_search(&j) {
                let along = so_far + d2.sqrt();
                let shorter = along < length[at] && along <= DETOUR * radius;
                if shorter && solid(0.5 * (p + x)) {
                    length[at] = along;
                    heap.push(Reverse((along.to_bits(), at)));
                }
            }
        });
    }
    let near = |k: usize| length[k] <= DETOUR * radius;
    (0..found.len())
        .filter(|&k| near(k))
        .map(|k| found[k])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two layers of a folded sheet: straight across they are near, through the material far.
    #[test]
    fn folds_are_far_through_the_material() {
        let mut x: Vec<Vec3> = Vec::new();
        for layer in 0..2 {
            for i in 0..20 {
                x.push(Vec3::new(i as f32, 3.0 * layer as f32, 0.0));
            }
        }
        // The fold.
        x.extend([
            Vec3::new(20.0, 0.7, 0.0),
            Vec3::new(20.5, 1.5, 0.0),
            Vec3::new(20.0, 2.3, 0.0),
        ]);
        let grid = PointGrid::new(&x, 2.0);
        let of =
            |from, membership| reach(&grid, &x, from, 4.0, (membership, 1.0), |_| true, |_| true);
        assert!(of(5, Membership::Euclidean).iter().any(|&j| j >= 20));
        assert!(of(5, Membership::Geodesic).iter().all(|&j| j < 20));
        assert_eq!(of(5, Membership::Geodesic), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // At the fold both layers belong together.
        assert!(
            of(41, Membership::Geodesic)
                .iter()
                .any(|&j| (20..40).contains(&j))
        );
    }
}
