//! Particles that nearly coincide with another, or have got outside, go [CMM16 §3.3.1]; so do those that crowd where a body flows.
//!
//! Departs from [CMM16 §3.3.1] by the last: seeding keeps the distance of r, but flow pushes particles together again, and under a load
//! that comes and goes their number would only grow.

use super::cloud::Cloud;
use super::{Context, Scratch};
use crate::surface::Tracked;
use rayon::prelude::*;

/// A piece keeps at least so many particles.
const LEAST: usize = 4;
/// Plastic strain of a frame above which particles may crowd.
const LEAST_FLOW: f32 = 2e-3;
/// A particle in a crowd is nearer to another than this, in r.
const CROWDED: f32 = 0.4;
/// So many others are within r of it; where there are fewer, close ones are all there is.
const CROWD: usize = 3;
/// A particle is looked at for this in one of so many frames.
const TURNS: u64 = 4;

pub(super) fn thin(cloud: &mut Cloud, context: &Context, tracked: &Tracked, scratch: &mut Scratch) {
    let near = cloud.settings.merge_distance * cloud.r;
    let x = &cloud.x;
    // Cells of r serve seeding too.
    scratch.near.rebuild(x.len(), cloud.r, |i| x[i]);
    let carries = carries(cloud, tracked);
    let suspects: Vec<(u32, bool)> = (0..cloud.old)
        .into_par_iter()
        .with_min_len(512)
        .filter_map(|i| {
            if cloud.held(context.points, i) {
                return None;
            }
            let outside = !carries[i] && !cloud.inside(scratch, cloud.x[i], cloud.piece[i]);
            let close = || {
                scratch
                    .near
                    .any_within(cloud.x[i], near, |j| j as usize > i)
            };
            (outside || close() || (may_crowd(cloud, context, i) && crowded(cloud, scratch, i)))
                .then_some((i as u32, outside))
        })
        .collect();
    if suspects.is_empty() {
        return;
    }
    let mut left: Vec<(u32, usize)> = tracked.components().iter().map(|c| (c.id, 0)).collect();
    for i in 0..cloud.len() {
        if let Ok(at) = left.binary_search_by_key(&cloud.piece[i], |l| l.0) {
            left[at].1 += 1;
        }
    }
    // One after the other: of three in a row the middle one may go, or both others, but not all.
    for (i, outside) in suspects {
        let at = i as usize;
        let goes = outside
            || (may_crowd(cloud, context, at) && crowded(cloud, scratch, at))
            || scratch.near.any_within(cloud.x[at], near, |j| {
                let other = j as usize;
                other > at
                    && cloud.alive[other]
                    && cloud.piece[other] == cloud.piece[at]
                    && !squeezed(cloud, context, at, other, 2.0 * near)
            });
        if !goes {
            continue;
        }
        if let Ok(k) = left.binary_search_by_key(&cloud.piece[at], |l| l.0) {
            if left[k].1 <= LEAST {
                continue;
            }
            left[k].1 -= 1;
        }
        cloud.alive[at] = false;
    }
}

/// Whether it is the turn of particle `i`, and it flows.
fn may_crowd(cloud: &Cloud, context: &Context, i: usize) -> bool {
    let at = cloud.body.points.start + i;
    let turn = context.points.id[at].wrapping_add(context.frame) % TURNS;
    turn == 0 && context.flow[at] > LEAST_FLOW
}

/// Whether particle `i` is one of a crowd.
fn crowded(cloud: &Cloud, scratch: &Scratch, i: usize) -> bool {
    let (mut nearest, mut count) = (f32::INFINITY, 0);
    scratch
        .near
        .for_each_within(cloud.x[i], cloud.r, |j, _, d2| {
            let other = j as usize;
            if other != i && cloud.alive[other] && cloud.piece[other] == cloud.piece[i] {
                nearest = nearest.min(d2);
                count += 1;
            }
        });
    let close = CROWDED * cloud.r;
    count >= CROWD && nearest < close * close
}

/// Whether two old particles of a common group that does not flow are farther apart at rest than `distance`: they are only squeezed
/// together and will part again.
fn squeezed(cloud: &Cloud, context: &Context, i: usize, j: usize, distance: f32) -> bool {
    if i >= cloud.old || j >= cloud.old {
        return false;
    }
    let first = cloud.body.points.start;
    let groups = context.groups;
    let others = groups.of_mover.row(first + j);
    let common = groups
        .of_mover
        .row(first + i)
        .iter()
        .find(|k| others.binary_search(k).is_ok());
    common.is_some_and(|&k| {
        let k = k as usize;
        if groups.yielding[k] {
            return false;
        }
        let place = |of: usize| {
            let found = groups.members(k).find(|m| m.0 as usize == first + of);
            found.map(|m| m.1)
        };
        match (place(i), place(j)) {
            (Some(a), Some(b)) => (groups.f_p[k] * (a - b)).length() > distance,
            _ => false,
        }
    })
}

/// Whether a vertex hangs on each old particle.
fn carries(cloud: &Cloud, tracked: &Tracked) -> Vec<bool> {
    let first = cloud.body.points.start as u32;
    let mut carries = vec![false; cloud.len()];
    for i in tracked.skins().flat_map(|skin| skin.point) {
        carries[(i - first) as usize] = true;
    }
    carries
}
