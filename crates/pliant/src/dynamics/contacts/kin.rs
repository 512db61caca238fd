//! Which points of a body never touch each other, because groups hold them together.

use super::pairs::{PairBody, body_of};
use crate::state::Csr;

/// For each group those whose points do not touch its own: itself, and in a body of `wide_kin` all that share a member with it.
pub(super) fn kin(bodies: &[PairBody], groups_of: &Csr) -> Csr {
    let count = groups_of.items.iter().max().map_or(0, |&k| k + 1);
    if !bodies.iter().any(|body| body.wide_kin) {
        return Csr::from_pairs(count as usize, (0..count).map(|k| (k, k)));
    }
    let groups = |i: u32| groups_of.row(i as usize);
    let points = 0..groups_of.rows() as u32;
    let memberships = points.flat_map(|i| groups(i).iter().map(move |&k| (k, i)));
    let members = Csr::from_pairs(count as usize, memberships);
    let mut kin = Csr::default();
    let mut listed = vec![u32::MAX; count as usize];
    for k in 0..count {
        let members = members.row(k as usize);
        let wide = |i: &u32| body_of(bodies, *i).wide_kin;
        if members.first().is_some_and(wide) {
            for &l in members.iter().flat_map(|&i| groups(i)) {
                if listed[l as usize] != k {
                    listed[l as usize] = k;
                    kin.items.push(l);
                }
            }
        } else {
            kin.items.push(k);
        }
        kin.offsets.push(kin.items.len() as u32);
    }
    kin
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    /// Three groups in a row are kin of the next one, in a body that asks for it.
    #[test]
    fn groups_that_share_a_member_are_kin() {
        let memberships = [
            (0, 0),
            (1, 0),
            (1, 1),
            (2, 1),
            (2, 2),
            (3, 2),
            (4, 3),
            (4, 4),
        ];
        let mut sorted = memberships;
        sorted.sort_by_key(|m| m.1);
        let groups_of = Csr::from_pairs(5, sorted.into_iter());
        let body = |points: Range<usize>, wide_kin: bool| PairBody {
            points,
            radius: 0.1,
            friction: 0.0,
            own_distance: Some(0.1),
            wide_kin,
        };
        let kin = kin(&[body(0..4, true), body(4..5, false)], &groups_of);
        let rows: Vec<&[u32]> = (0..5).map(|k| kin.row(k)).collect();
        assert_eq!(rows, [&[0, 1][..], &[0, 1, 2], &[1, 2], &[3], &[4]]);
    }
}
