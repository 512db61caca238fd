//! Which oriented particles never touch, and which overlap from the start.

use super::ellipsoid::{Posed, separation};
use super::ellipsoids::EllipsoidBody;
use crate::geometry::grid::PointGrid;
use crate::state::{Csr, Oriented, Rings};
use glam::Vec3;

/// Two that overlap at rest by more of the smaller one's reach than this never touch.
///
/// Departs from the rule that two touch as soon as they are deeper in each other than at rest: the ellipsoids of a solid reach into those
/// of its second neighbours, which groups keep in place; they are most of all pairs.
const NESTED: f32 = 0.25;

/// Particles that do not touch: those that share a group, or whose groups a joint connects, never do, others overlap at rest by so much.
#[derive(Clone, Debug, Default)]
pub struct Kinship {
    /// For each oriented particle those that share a group with it or overlap it at rest, ascending.
    near: Csr,
    /// How each of those in the rows of `near` overlaps it.
    overlaps: Vec<Option<Overlap>>,
    /// Whether a particle is in no group with others.
    alone: Vec<bool>,
}

/// How two particles overlap at rest that share no group.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// By how much (m).
    pub depth: f32,
    /// Direction from the first to the second in which they were farthest apart, as the first sees it.
    pub normal: Vec3,
}

/// Adds the particles of groups that a joint connects, which never touch: bent at the joint they would be pushed apart where it holds them
/// together, and never come to rest. A particle is a joint of the groups in which its own rotation does not count.
fn add_jointed(rings: &Rings, of_point: &[u32], pairs: &mut Vec<(u32, u32)>) {
    let groups = &rings.groups;
    let mut jointed: Vec<(u32, u32)> = Vec::new();
    for k in 0..rings.len() {
        let joints = groups.weighted_members(k).filter(|m| m.weight == 0.0);
        jointed.extend(joints.map(|m| (m.mover, k as u32)));
    }
    jointed.sort_unstable();
    let of_group = |k: u32| {
        groups
            .members(k as usize)
            .map(|(j, _)| of_point[j as usize])
    };
    for of_joint in jointed.chunk_by(|a, b| a.0 == b.0) {
        let groups = || of_joint.iter().map(|&(_, k)| k);
        for (a, b) in groups().flat_map(|a| groups().map(move |b| (a, b))) {
            if a != b {
                pairs.extend(of_group(a).flat_map(|i| of_group(b).map(move |j| (i, j))));
            }
        }
    }
}

/// What two particles are to each other.
#[derive(Clone, Copy, Debug)]
pub enum Kin {
    /// They share a group, or are so deep in each other at rest that they never touch.
    Near,
    /// They overlap at rest a little.
    Overlap(Overlap),
    /// Strangers.
    None,
}

impl Kinship {
    /// Finds out for all bodies; rest poses are those in which particles were added.
    pub fn new(bodies: &[EllipsoidBody], oriented: &Oriented, rings: &Rings) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut of_point = vec![0; rings.groups.of_mover.rows()];
        for (i, &point) in oriented.point.iter().enumerate() {
            of_point[point as usize] = i as u32;
        }
        // Particles of other bodies never touch as ellipsoids, and those of fine meshes have so many neighbours that nothing holds all pairs.
        for i in bodies.iter().flat_map(|body| body.oriented.clone()) {
            for &k in rings.groups.of_mover.row(oriented.point[i] as usize) {
                let members = rings.groups.members(k as usize);
                pairs.extend(members.map(|(j, _)| (i as u32, of_point[j as usize])));
            }
        }
        add_jointed(rings, &of_point, &mut pairs);
        pairs.sort_unstable();
        pairs.dedup();
        let kin = Csr::from_pairs(oriented.len(), pairs.iter().copied());
        let is_alone = |i: usize| kin.row(i).iter().all(|&j| j as usize == i);
        let alone = (0..oriented.len()).map(is_alone).collect();
        let mut overlaps = Vec::new();
        let mut grid = PointGrid::default();
        for body in bodies.iter().filter(|body| body.self_contact) {
            let own = body.oriented.clone();
            let reach = |i: usize| oriented.radii[i].max_element();
            let most = own.clone().map(reach).fold(0.0, f32::max);
            grid.rebuild(own.len(), 2.0 * most, |i| oriented.rest[own.start + i]);
            for i in own.clone() {
                let pose =
                    |i: usize| Posed::new(oriented.rest[i], oriented.axes[i], oriented.radii[i]);
                grid.for_each_within(oriented.rest[i], reach(i) + most, |j, _, _| {
                    let j = own.start + j as usize;
                    if j > i && kin.row(i).binary_search(&(j as u32)).is_err() {
                        let (normal, apart) = separation(&pose(i), &pose(j), None, f32::INFINITY);
                        if apart < -NESTED * reach(i).min(reach(j)) {
                            pairs.extend([(i as u32, j as u32), (j as u32, i as u32)]);
                        } else if apart < 0.0 {
                            let depth = -apart;
                            overlaps.push(((i as u32, j as u32), Overlap { depth, normal }));
                        }
                    }
                });
            }
        }
        let mut all: Vec<_> = pairs.into_iter().map(|pair| (pair, None)).collect();
        // From the first to the second only: that is how they are asked for.
        all.extend(overlaps.into_iter().map(|(pair, o)| (pair, Some(o))));
        all.sort_unstable_by_key(|&(pair, _)| pair);
        Self {
            near: Csr::from_pairs(oriented.len(), all.iter().map(|&(pair, _)| pair)),
            overlaps: all.into_iter().map(|(_, overlap)| overlap).collect(),
            alone,
        }
    }

    /// Whether a particle is in no group with others.
    pub fn is_alone(&self, i: u32) -> bool {
        self.alone[i as usize]
    }

    /// What two particles are to each other, the first of which has the lower number.
    pub fn between(&self, i: u32, j: u32) -> Kin {
        let Ok(at) = self.near.row(i as usize).binary_search(&j) else {
            return Kin::None;
        };
        match self.overlaps[self.near.offsets[i as usize] as usize + at] {
            Some(overlap) => Kin::Overlap(overlap),
            None => Kin::Near,
        }
    }
}
