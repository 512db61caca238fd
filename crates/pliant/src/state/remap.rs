//! The one place where indices move.

use super::{Groups, Points, Surface};

/// Marks an index that is gone.
pub const GONE: u32 = u32::MAX;

/// Where each old index went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remap {
    /// New index of each old one, or [`GONE`].
    pub new_of_old: Vec<u32>,
    /// How many are left.
    pub count: usize,
}

/// Keeps the items whose flag is set, in order.
pub fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    column.retain(|_| *flags.next().unwrap_or(&false));
}

impl Remap {
    /// The remap that drops the items whose flag is not set and keeps the order of the others.
    pub fn keeping(keep: &[bool]) -> Self {
        let mut count = 0;
        let new_of_old = keep
            .iter()
            .map(|&k| {
                let new = if k { count as u32 } else { GONE };
                count += usize::from(k);
                new
            })
            .collect();
        Self { new_of_old, count }
    }

    /// Which old indices stay.
    fn kept(&self) -> Vec<bool> {
        self.new_of_old.iter().map(|&n| n != GONE).collect()
    }

    /// Drops points and renumbers everything that refers to them. Groups and vertices that lose a member must have
    /// been dropped before: a dangling reference is a bug.
    pub fn apply_to_points(
        &self,
        points: &mut Points,
        groups: &mut Groups,
        surfaces: &mut [Surface],
    ) {
        let keep = self.kept();
        retain(&mut points.x, &keep);
        retain(&mut points.v, &keep);
        retain(&mut points.pred, &keep);
        retain(&mut points.inv_mass, &keep);
        retain(&mut points.mass, &keep);
        retain(&mut points.rotation, &keep);
        retain(&mut points.id, &keep);
        retain(&mut points.piece, &keep);
        let renumber = |i: &mut u32| {
            *i = self.new_of_old[*i as usize];
            debug_assert_ne!(
                *i, GONE,
                "a group or a vertex refers to a point that is gone"
            );
        };
        for block in &mut groups.blocks {
            block.member.iter_mut().for_each(renumber);
        }
        let carrying = surfaces.iter_mut().flat_map(Surface::carrying_points_mut);
        carrying.flatten().for_each(renumber);
        groups.rebuild_rows(points.len());
    }

    /// Drops groups. The rows mover → groups are rebuilt by the caller's next [`Remap::apply_to_points`] or
    /// [`Groups::rebuild_rows`].
    pub fn apply_to_groups(&self, groups: &mut Groups) {
        let keep = self.kept();
        let mut blocks = Vec::with_capacity(groups.blocks.len());
        let mut weights = Vec::with_capacity(groups.weights.len());
        let mut offsets = vec![0];
        for k in (0..keep.len()).filter(|&k| keep[k]) {
            blocks.extend_from_slice(&groups.blocks[groups.block_range(k)]);
            weights.extend_from_slice(&groups.weights[groups.block_range(k)]);
            offsets.push(blocks.len() as u32);
        }
        groups.blocks = blocks;
        groups.weights = weights;
        groups.block_offsets = offsets;
        retain(&mut groups.id, &keep);
        retain(&mut groups.count, &keep);
        retain(&mut groups.f_p, &keep);
        retain(&mut groups.next_f_p, &keep);
        retain(&mut groups.material, &keep);
        retain(&mut groups.alpha, &keep);
        retain(&mut groups.inv_weight, &keep);
        retain(&mut groups.a_qq_inv, &keep);
        retain(&mut groups.degenerate, &keep);
        retain(&mut groups.radius, &keep);
        retain(&mut groups.width, &keep);
        retain(&mut groups.center, &keep);
        retain(&mut groups.rotation, &keep);
        retain(&mut groups.f_e, &keep);
        retain(&mut groups.yielding, &keep);
        retain(&mut groups.flowed, &keep);
        retain(&mut groups.fade, &keep);
        retain(&mut groups.fading, &keep);
        retain(&mut groups.born_with, &keep);
        retain(&mut groups.last_norm, &keep);
    }
}
