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

/// Particles that do not touch: those that share a group never do, others overlap at rest by so much.
#[derive(Clone, Debug, Default)]
pub struct Kinship {
    /// For each oriented particle those that share a group with it, ascending.
    kin: Csr,
    /// Overlaps of pairs at rest, ascending.
    overlaps: Vec<Overlap>,
}

/// Two particles that overlap at rest.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// The two.
    pair: (u32, u32),
    /// By how much (m).
    pub depth: f32,
    /// Direction from the first to the second in which they were farthest apart, as the first sees it.
    pub normal: Vec3,
}

impl Kinship {
    /// Finds out for all bodies; rest poses are those in which particles were added.
    pub fn new(bodies: &[EllipsoidBody], oriented: &Oriented, rings: &Rings) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut of_point = vec![0; rings.groups.of_mover.rows()];
        for (i, &point) in oriented.point.iter().enumerate() {
            of_point[point as usize] = i as u32;
        }
        for i in 0..oriented.len() {
            for &k in rings.groups.of_mover.row(oriented.point[i] as usize) {
                let members = rings.groups.members(k as usize);
                pairs.extend(members.map(|(j, _)| (i as u32, of_point[j as usize])));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let kin = Csr::from_pairs(oriented.len(), pairs.iter().copied());
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
                            overlaps.push(Overlap {
                                pair: (i as u32, j as u32),
                                depth: -apart,
                                normal,
                            });
                        }
                    }
                });
            }
        }
        pairs.sort_unstable();
        let kin = Csr::from_pairs(oriented.len(), pairs.iter().copied());
        overlaps.sort_unstable_by_key(|o: &Overlap| o.pair);
        Self { kin, overlaps }
    }

    /// Whether a particle is in no group with others.
    pub fn is_alone(&self, i: u32) -> bool {
        self.kin.row(i as usize).iter().all(|&j| j == i)
    }

    /// Whether two particles share a group.
    pub fn are_kin(&self, i: u32, j: u32) -> bool {
        self.kin.row(i as usize).binary_search(&j).is_ok()
    }

    /// How two particles overlap at rest, if they do.
    pub fn overlap(&self, i: u32, j: u32) -> Option<&Overlap> {
        let found = self.overlaps.binary_search_by_key(&(i, j), |o| o.pair);
        found.ok().map(|at| &self.overlaps[at])
    }
}
