//! One group at a time, eight of its members side by side: for large groups, and for those that have few others beside them.

use super::Run;
use super::spun::{Products, turned_matrix};
use crate::matching::kernel::{self, Sums};
use crate::math::algebra::{M3, V3};
use crate::math::lanes::Wide;
use crate::math::rotation::rotation_near;
use crate::state::{Groups, Record};
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;

/// Where a group is: its members belong at R q + place.
pub(super) struct Placement {
    pub(super) center: Vec3,
    pub(super) rotation: Quat,
    pub(super) place: Vec3,
    /// Whether the warm start did not do.
    pub(super) mended: bool,
}

/// Places the run's `l`-th group and moves its members; returns whether its rotation was repaired.
#[inline(always)]
pub(super) fn place<W: Wide>(run: &mut Run, groups: &Groups, l: usize) -> bool {
    let k = run.groups[l] as usize;
    let blocks = groups.block_range(k);
    let own = run.own(l);
    // Most groups are one block, which is read once.
    let head = W::gather(&run.x, &run.members[own.start]);
    let fit = fit::<W>(run, groups, (l, k), own.clone(), head);
    run.center[l] = fit.center;
    run.rotation[l] = fit.rotation;

    let stiffness = groups.material[k].stiffness;
    let (turn, place) = (Mat3::from_quat(fit.rotation), fit.place);
    for (at, block) in groups.blocks[blocks.clone()].iter().enumerate() {
        let members = &run.members[own.start + at];
        let [x, y, z, w] = if at == 0 {
            head
        } else {
            W::gather(&run.x, members)
        };
        let w = present(w, at + 1 == blocks.len(), groups.count[k]);
        let t = M3::<W>::from_cols(
            kernel::splat(turn.x_axis),
            kernel::splat(turn.y_axis),
            kernel::splat(turn.z_axis),
        );
        let [gx, gy, gz] = kernel::goal(block, &t, kernel::splat(place));
        // What is held has a negative weight, what is not there none.
        let zero = W::splat(0.0);
        let share = zero.select_less(w, W::splat(stiffness), zero);
        let way = V3::new(gx - x, gy - y, gz - z).scale(share);
        W::scatter_add(&mut run.x, members, 0, [way.x, way.y, way.z]);
    }
    run.turn_members(groups, l, stiffness);
    fit.mended
}

/// Places group `k`, the run's `l`-th, whose blocks of members are `own` in the run; the first of these are at `head`.
#[inline(always)]
pub(super) fn fit<W: Wide>(
    run: &Run,
    groups: &Groups,
    (l, k): (usize, usize),
    own: Range<usize>,
    head: [W; 4],
) -> Placement {
    let members = &run.members[own];
    let origin = run.center[l];
    let sums = sums::<W>(groups, k, (members, head), &run.x, origin);
    let mean_q = sums.q / sums.total;
    let center = origin + sums.s / sums.total;
    let mut a = sums.a - Mat3::from_cols(sums.s * mean_q.x, sums.s * mean_q.y, sums.s * mean_q.z);
    a += own_moments::<W>(groups, k, members, &run.spun);
    let (rotation, mended) = rotation_near(a, run.rotation[l]);
    Placement {
        center,
        rotation,
        place: center - rotation * mean_q,
        mended,
    }
}

/// Sums of one group about `origin`.
struct GroupSums {
    /// Σ m.
    total: f32,
    /// Σ m q.
    q: Vec3,
    /// Σ m (x − origin).
    s: Vec3,
    /// Σ m (x − origin) qᵀ.
    a: Mat3,
}

/// Adds up the members of group `k`, which are at `members` in `x`, the first block of them at `head`. Weights are not those that rest
/// positions were centred with: what is held counts more.
#[inline(always)]
fn sums<W: Wide>(
    groups: &Groups,
    k: usize,
    (members, head): (&[[u32; 8]], [W; 4]),
    x: &[Record],
    origin: Vec3,
) -> GroupSums {
    let zero = V3::new(W::splat(0.0), W::splat(0.0), W::splat(0.0));
    let mut sums = Sums::<W>::zero();
    let (mut total, mut q) = (W::splat(0.0), zero);
    let blocks = &groups.blocks[groups.block_range(k)];
    for (at, (block, members)) in blocks.iter().zip(members).enumerate() {
        let [x, y, z, w] = if at == 0 { head } else { W::gather(x, members) };
        let w = present(w, at + 1 == blocks.len(), groups.count[k]).abs();
        sums.add(block, V3::new(x, y, z), w, kernel::splat(origin));
        total += w;
        q = q + kernel::rest(block).scale(w);
    }
    let (s, a) = sums.totals();
    GroupSums {
        total: total.sum(),
        q: kernel::total(q),
        s,
        a,
    }
}

/// The weights of a block, zero in lanes of the last one that hold no member.
#[inline(always)]
fn present<W: Wide>(w: W, is_last: bool, count: u32) -> W {
    if is_last {
        kernel::mask_tail(w, count)
    } else {
        w
    }
}

/// Σ of the members' own moments, but for those of joints.
#[inline(always)]
fn own_moments<W: Wide>(
    groups: &Groups,
    k: usize,
    members: &[[u32; 8]],
    spun: &[super::spun::Spun],
) -> Mat3 {
    let weights = &groups.weights[groups.block_range(k)];
    let mut sum = Products::<W>::zero();
    for (weight, members) in weights.iter().zip(members) {
        // Weights are 1, or 0 where the moment does not count or nobody is.
        let weight = W::load(weight);
        let [x, y, z, w] = W::gather(spun, members);
        sum.add([x * weight, y * weight, z * weight, w * weight]);
    }
    turned_matrix(&sum.totals())
}
