//! Overlapping balls around particles.

use crate::body::BodyDesc;
use crate::geometry::grid::PointGrid;
use crate::geometry::poisson::morton_key;
use crate::random::{Random, name_key};
use crate::resample;
use glam::Vec3;

/// Covers the particles with overlapping groups until each is in `min_memberships` [CMM16 §3.3.5].
///
/// A round visits the particles that have too few groups in random order: one that is not marked becomes a centre and marks
/// its candidates within the spacing; its group is everything within the cluster radius. Every candidate gains a group in
/// every round, so as many rounds as memberships are enough.
pub(super) fn cover(desc: &BodyDesc, seed: u64, points: &[Vec3], origin: Vec3) -> Vec<Vec<u32>> {
    let r = desc.particle_radius;
    let (reach, spacing) = (desc.cluster_radius * r, desc.cluster_spacing * r);
    let grid = PointGrid::new(points, reach * 0.5);
    let mut memberships = vec![0u32; points.len()];
    let how = (desc.resampling.membership, r);
    let members_of = |i: u32| resample::reach(&grid, points, i, reach, how, |_| true, |_| true);
    let mut groups: Vec<(Vec3, Vec<u32>)> = Vec::new();
    for round in 0..desc.min_memberships {
        let mut order: Vec<(u64, u32)> = (0..points.len() as u32)
            .filter(|&i| memberships[i as usize] < desc.min_memberships)
            .map(|i| {
                (
                    Random::new([seed, name_key(&desc.name), u64::from(round), u64::from(i)])
                        .next_u64(),
                    i,
                )
            })
            .collect();
        order.sort_unstable();
        let mut marked = vec![false; points.len()];
        for &(_, i) in &order {
            if marked[i as usize] {
                continue;
            }
            let members = members_of(i);
            for &j in &members {
                let near = points[i as usize].distance(points[j as usize]) <= spacing;
                marked[j as usize] |= near;
                memberships[j as usize] += 1;
            }
            groups.push((points[i as usize], members));
        }
    }
    // Groups along a space-filling curve touch memory in the order of the particles.
    groups.sort_by_key(|(center, _)| morton_key((*center - origin) / r));
    // Fewer than four cannot hold a shape; such crumbs are held by what else they belong to, or stay free.
    groups.retain(|(_, members)| members.len() >= 4);
    groups.into_iter().map(|(_, members)| members).collect()
}
