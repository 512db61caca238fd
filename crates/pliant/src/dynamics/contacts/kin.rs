//! Which points of a body never touch each other, because groups hold them together.

use super::pairs::PairBody;
use crate::state::Csr;
use std::ops::Range;

/// For each group those whose points do not touch its own: itself, and in a body of `wide_kin` all that share a member with it.
pub(super) fn kin(bodies: &[PairBody], groups_of: &Csr) -> Csr {
    let count = groups_of.items.iter().max().map_or(0, |&k| k as usize + 1);
    let mut pairs = Vec::new();
    for body in bodies {
        let own = groups_of_points(&body.points, groups_of);
        if body.wide_kin {
            pairs.extend(sharing(body, own, groups_of));
        } else {
            pairs.extend(own.map(|k| (k, k)));
        }
    }
    Csr::from_pairs(count, pairs.iter().copied())
}

/// The groups of a body's points.
fn groups_of_points(points: &Range<usize>, groups_of: &Csr) -> Range<u32> {
    let all = || {
        points
            .clone()
            .flat_map(|i| groups_of.row(i).iter().copied())
    };
    all().min().unwrap_or(0)..all().max().map_or(0, |k| k + 1)
}

/// Pairs of groups of a body that share a member, ascending by the second.
fn sharing(body: &PairBody, own: Range<u32>, groups_of: &Csr) -> Vec<(u32, u32)> {
    let n = own.len();
    let mut share = vec![false; n * n];
    for i in body.points.clone() {
        for &a in groups_of.row(i) {
            for &b in groups_of.row(i) {
                share[(a - own.start) as usize * n + (b - own.start) as usize] = true;
            }
        }
    }
    let all = own.clone().flat_map(|b| own.clone().map(move |a| (a, b)));
    all.zip(share)
        .filter_map(|(pair, shared)| shared.then_some(pair))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
