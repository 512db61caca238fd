//! Groups around centres that are optimised together with the weights of their members.

use super::Kernel;
use crate::geometry::grid::PointGrid;
use crate::random::Random;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Fewest and most rounds of optimisation.
const ROUNDS: std::ops::RangeInclusive<u32> = 5..=400;
/// A centre that moves less than this rests, in radii.
const REST: f32 = 1e-3;
/// Most rounds of a partition.
const PARTITION_ROUNDS: u32 = 100;
/// Factor by which the radius grows if centres cannot reach all particles, and how often it may.
const GROWTH: (f32, u32) = (1.25, 24);

/// Groups with weights.
pub(super) struct Fuzzy {
    /// Centres.
    pub(super) centers: Vec<Vec3>,
    /// Members of each group with their raw weights, ascending.
    pub(super) members: Vec<Vec<(u32, f32)>>,
    /// Radius of the groups (m).
    pub(super) radius: f32,
}

impl Fuzzy {
    /// Starts at the means of a partition, and lets centres and weights settle \[JMLSB15\]. The number of groups stays as asked for:
    /// where they do not reach all particles, their radius grows.
    pub(super) fn optimised(
        points: &[Vec3],
        count: u32,
        radius: f32,
        kernel: Kernel,
        key: u64,
    ) -> Self {
        let start = partition(points, count, key);
        let mut radius = radius;
        for _ in 0..GROWTH.1 {
            if let Some(found) = settle(points, start.clone(), radius, kernel) {
                return found;
            }
            radius *= GROWTH.0;
        }
        Self::around(points, start, radius, kernel)
    }

    /// Balls around the means of a partition.
    pub(super) fn around_means(
        points: &[Vec3],
        count: u32,
        radius: f32,
        kernel: Kernel,
        key: u64,
    ) -> Self {
        Self::around(points, partition(points, count, key), radius, kernel)
    }

    /// Balls around particles that are in none yet, in random order.
    pub(super) fn random(points: &[Vec3], radius: f32, kernel: Kernel, key: u64) -> Self {
        let grid = PointGrid::new(points, radius);
        let mut held = vec![false; points.len()];
        let mut centers = Vec::new();
        for i in shuffled(points.len(), key) {
            if !held[i as usize] {
                let center = points[i as usize];
                grid.for_each_within(center, radius, |j, _, _| held[j as usize] = true);
                centers.push(center);
            }
        }
        Self::around(points, centers, radius, kernel)
    }

    /// Groups of all particles within the radius of each centre; a particle in none joins the nearest.
    fn around(points: &[Vec3], centers: Vec<Vec3>, radius: f32, kernel: Kernel) -> Self {
        let grid = PointGrid::new(points, radius);
        let mut members = balls(&grid, &centers, radius, kernel);
        join_orphans(points, &centers, radius, &mut members);
        Self {
            centers,
            members,
            radius,
        }
    }
}

/// All particles in the order of random keys.
fn shuffled(count: usize, key: u64) -> Vec<u32> {
    let draw = |i: u32| Random::new([key, 0x63_6c_75_73, 0, u64::from(i)]).next_u64();
    let mut order: Vec<(u64, u32)> = (0..count as u32).map(|i| (draw(i), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

/// Means of a partition of the particles, each with the nearest mean (k-means from random particles).
fn partition(points: &[Vec3], count: u32, key: u64) -> Vec<Vec3> {
    let count = (count as usize).clamp(1, points.len());
    let start = shuffled(points.len(), key);
    let mut centers: Vec<Vec3> = start[..count].iter().map(|&i| points[i as usize]).collect();
    let mut owner = vec![u32::MAX; points.len()];
    for _ in 0..PARTITION_ROUNDS {
        let grid = PointGrid::new(&centers, spacing(points, count));
        let nearest = |p: &Vec3| grid.nearest(*p, 1).first().copied().unwrap_or((0, 0.0));
        let found: Vec<(u32, f32)> = points.par_iter().map(nearest).collect();
        let stable = found.iter().zip(&owner).all(|(f, o)| f.0 == *o);
        owner = found.iter().map(|f| f.0).collect();
        if stable {
            break;
        }
        move_to_means(points, &found, &mut centers);
    }
    centers
}

/// Distance of so many centres that fill the box of the points (m).
fn spacing(points: &[Vec3], count: usize) -> f32 {
    let (lo, hi) = points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), p| {
            (lo.min(*p), hi.max(*p))
        });
    let size = hi - lo;
    let least = 1e-3 * size.max_element();
    libm::cbrtf(size.max(Vec3::splat(least)).element_product() / count as f32)
}

/// Moves each centre to the mean of what it owns; one that owns nothing goes to the particle that is farthest from its own.
fn move_to_means(points: &[Vec3], owner: &[(u32, f32)], centers: &mut [Vec3]) {
    let mut sums = vec![(DVec3::ZERO, 0u32); centers.len()];
    for (p, (k, _)) in points.iter().zip(owner) {
        let sum = &mut sums[*k as usize];
        sum.0 += p.as_dvec3();
        sum.1 += 1;
    }
    let mut far: Vec<(f32, u32)> = Vec::new();
    for (center, (sum, count)) in centers.iter_mut().zip(sums) {
        if count > 0 {
            *center = (sum / f64::from(count)).as_vec3();
            continue;
        }
        if far.is_empty() {
            far = owner.iter().zip(0..).map(|(o, i)| (o.1, i)).collect();
            far.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        }
        if let Some((_, i)) = far.pop() {
            *center = points[i as usize];
        }
    }
}

/// Members of each centre's ball with their weights, ascending.
fn balls(grid: &PointGrid, centers: &[Vec3], radius: f32, kernel: Kernel) -> Vec<Vec<(u32, f32)>> {
    let ball = |center: &Vec3| {
        let mut members = Vec::new();
        grid.for_each_within(*center, radius, |i, _, d2| {
            members.push((i, kernel.weight(d2.sqrt(), radius)));
        });
        members.sort_unstable_by_key(|m| m.0);
        members
    };
    centers.par_iter().map(ball).collect()
}

/// Particles in no ball join the nearest centre, with the weight of the rim; returns whether there were any.
fn join_orphans(
    points: &[Vec3],
    centers: &[Vec3],
    radius: f32,
    members: &mut [Vec<(u32, f32)>],
) -> bool {
    let mut held = vec![false; points.len()];
    for (i, _) in members.iter().flatten() {
        held[*i as usize] = true;
    }
    let grid = PointGrid::new(centers, radius);
    let mut any = false;
    for i in (0..points.len()).filter(|&i| !held[i]) {
        any = true;
        if let Some((k, _)) = grid.nearest(points[i], 1).first() {
            members[*k as usize].push((i as u32, 1.0));
        }
    }
    if any {
        for group in members.iter_mut() {
            group.sort_unstable_by_key(|m| m.0);
        }
    }
    any
}

/// Lets centres go to the weighted means of their balls until nothing changes; `None` if they never reach all particles.
fn settle(points: &[Vec3], mut centers: Vec<Vec3>, radius: f32, kernel: Kernel) -> Option<Fuzzy> {
    let grid = PointGrid::new(points, radius);
    let mut counts: Vec<usize> = Vec::new();
    for round in 1..=*ROUNDS.end() {
        let mut members = balls(&grid, &centers, radius, kernel);
        let orphans = join_orphans(points, &centers, radius, &mut members);
        let new_counts: Vec<usize> = members.iter().map(Vec::len).collect();
        let moved = move_to_weighted_means(points, &members, &mut centers);
        let rests = moved <= REST * radius && new_counts == counts;
        if rests && round >= *ROUNDS.start() {
            // Where nothing moves any more, nobody will reach those that are left.
            if orphans {
                return None;
            }
            let members = balls(&grid, &centers, radius, kernel);
            return Some(Fuzzy {
                centers,
                members,
                radius,
            });
        }
        counts = new_counts;
    }
    // Slow, but whole, is good enough.
    let mut members = balls(&grid, &centers, radius, kernel);
    let orphans = join_orphans(points, &centers, radius, &mut members);
    (!orphans).then_some(Fuzzy {
        centers,
        members,
        radius,
    })
}

/// Moves each centre to the mean of its members, each weighing as much as the group has of it; returns the farthest move.
fn move_to_weighted_means(
    points: &[Vec3],
    members: &[Vec<(u32, f32)>],
    centers: &mut [Vec3],
) -> f32 {
    let mut total = vec![0.0f64; points.len()];
    for (i, a) in members.iter().flatten() {
        total[*i as usize] += f64::from(*a);
    }
    let mut farthest = 0.0f32;
    for (center, members) in centers.iter_mut().zip(members) {
        let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
        for (i, a) in members {
            let w = f64::from(*a) / total[*i as usize];
            sum += points[*i as usize].as_dvec3() * w;
            weight += w;
        }
        if weight > 0.0 {
            let mean = (sum / weight).as_vec3();
            farthest = farthest.max(mean.distance(*center));
            *center = mean;
        }
    }
    farthest
}
