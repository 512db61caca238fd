//! Groups of particles that have a rotation of their own.

use super::{GroupMaterial, Groups, Member, Remap};
use crate::math::F8;
use std::ops::Range;

/// No particle takes the rotation of the group.
pub const NO_LEAD: u32 = u32::MAX;

/// Groups of oriented particles \[MC11\]: mostly one for each particle, with the particles that it is connected to.
///
/// They are groups like any others. What differs: they are applied one after the other, so a member's weight does not tell how much of
/// it the group has; it tells whether its own moment counts in the sums, 1 or 0. A particle where two groups are joined counts in neither.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    /// Members, stiffness, centres and rotations.
    pub groups: Groups,
    /// The point that takes the rotation of each group; [`NO_LEAD`] if none does.
    pub lead: Vec<u32>,
    /// Rest positions before any flow, in the lanes of the groups' blocks (m).
    pub unflowed: Vec<[F8; 3]>,
}

impl Rings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.lead.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lead.is_empty()
    }

    /// Adds a group; members ascend by mover.
    pub fn push(&mut self, members: &[Member], lead: u32, radius: f32, material: GroupMaterial) {
        let first = self.groups.blocks.len();
        self.groups.push(members, radius, material);
        let blocks = &self.groups.blocks[first..];
        self.unflowed.extend(blocks.iter().map(|block| block.q));
        self.lead.push(lead);
    }

    /// Takes out the groups in `gone`, and renumbers the points of the others, of which `points` are left.
    pub(crate) fn remove(&mut self, gone: &Range<usize>, points: &Remap) {
        let keep: Vec<bool> = (0..self.len()).map(|k| !gone.contains(&k)).collect();
        let blocks = self.groups.block_offsets.windows(2).zip(&keep);
        let keep_blocks: Vec<bool> = blocks
            .flat_map(|(w, &keep)| std::iter::repeat_n(keep, (w[1] - w[0]) as usize))
            .collect();
        super::remap::retain(&mut self.unflowed, &keep_blocks);
        super::remap::retain(&mut self.lead, &keep);
        Remap::keeping(&keep).apply_to_groups(&mut self.groups);
        self.renumber(points);
    }

    /// Gives the points of all groups their new numbers; none of them is gone.
    pub(crate) fn renumber(&mut self, points: &Remap) {
        if self.is_empty() {
            return;
        }
        let new = |i: &mut u32| *i = points.new_of_old[*i as usize];
        for block in &mut self.groups.blocks {
            block.member.iter_mut().for_each(new);
        }
        self.lead
            .iter_mut()
            .filter(|i| **i != NO_LEAD)
            .for_each(new);
        self.groups.rebuild_rows(points.count);
    }
}
