//! Few contacts in place of many: a rigid body stands on a handful.

use super::solve::Contact;
use glam::Vec3;

/// Two rigid bodies have no more contacts than this along about the same normal.
const MOST_ALONG: usize = 6;
/// Fewer than so many are left as they are.
const FEW: usize = 8;
/// Normals are about the same if they look along each other so much (cosine).
const SAME: f32 = 0.95;
/// Directions in which contacts are to be far apart, across the normal.
const AROUND: usize = 8;

/// A primitive, a place of it, and the gap there (m).
pub(super) type Low = (u32, Vec3, f32);

/// Thins out the contacts of two movers from `first` on.
pub(super) fn reduce(contacts: &mut Vec<Contact>, first: usize) {
    if contacts.len() - first <= FEW {
        return;
    }
    let all = &contacts[first..];
    // Movers that have frames of their own for each primitive are not rigid.
    if all.iter().any(|c| c.frames != all[0].frames) {
        return;
    }
    let mut keep = vec![false; all.len()];
    let mut group_of: Vec<usize> = Vec::with_capacity(all.len());
    let mut leads: Vec<Vec3> = Vec::new();
    for c in all {
        let known = leads.iter().position(|n| n.dot(c.normal) > SAME);
        group_of.push(known.unwrap_or(leads.len()));
        if known.is_none() {
            leads.push(c.normal);
        }
    }
    for (group, &n) in leads.iter().enumerate() {
        let own: Vec<usize> = (0..all.len()).filter(|&k| group_of[k] == group).collect();
        if own.len() <= MOST_ALONG {
            for k in own {
                keep[k] = true;
            }
            continue;
        }
        for k in extremes(&own, n, |k| (all[k].at, all[k].gap)) {
            keep[k] = true;
        }
    }
    let mut at = 0;
    let mut kept = keep.iter();
    contacts.retain(|_| {
        at += 1;
        at <= first || kept.next().copied().unwrap_or(true)
    });
}

/// Of places on a plane that looks along `n`, with what they belong to and their gaps: the lowest, and those farthest out in some directions.
pub(super) fn spread(all: Vec<Low>, n: Vec3) -> Vec<Low> {
    if all.len() <= 4 {
        return all;
    }
    let own: Vec<usize> = (0..all.len()).collect();
    let mut kept = extremes(&own, n, |k| (all[k].1, all[k].2));
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|k| all[k]).collect()
}

/// The lowest, and the farthest in each of some directions across `n`; of those about as far the lowest.
fn extremes(own: &[usize], n: Vec3, of: impl Fn(usize) -> (Vec3, f32)) -> Vec<usize> {
    let (u, v) = n.any_orthonormal_pair();
    let mut kept = Vec::with_capacity(AROUND + 1);
    let lowest = own.iter().min_by(|a, b| of(**a).1.total_cmp(&of(**b).1));
    kept.extend(lowest);
    let (lo, hi) = own.iter().fold((Vec3::MAX, Vec3::MIN), |(lo, hi), &k| {
        let p = of(k).0;
        (lo.min(p), hi.max(p))
    });
    let size = (hi - lo).length();
    let diagonal = std::f32::consts::FRAC_1_SQRT_2;
    let compass = [
        (1.0, 0.0),
        (diagonal, diagonal),
        (0.0, 1.0),
        (-diagonal, diagonal),
        (-1.0, 0.0),
        (-diagonal, -diagonal),
        (0.0, -1.0),
        (diagonal, -diagonal),
    ];
    let deepest = kept.first().map_or(0.0, |&k| of(k).1);
    for (a, b) in compass {
        let direction = u * a + v * b;
        // What hovers is worth less: a place that is out far but does not touch holds nothing.
        let worth = |k: usize| {
            let (p, gap) = of(k);
            direction.dot(p) - 2.0 * (gap - deepest).min(size)
        };
        let best = own.iter().fold(None, |best: Option<(usize, f32)>, &k| {
            let w = worth(k);
            match best {
                Some((_, most)) if w <= most => best,
                _ => Some((k, w)),
            }
        });
        if let Some((k, _)) = best
            && !kept.contains(&k)
        {
            kept.push(k);
        }
    }
    kept
}
