//! The inner loops, compiled for the baseline and for AVX2; both give the same bits.
//!
//! They come in two variants. Where all members of a group weigh the same, weights are left out, and goals are summed as they are.
//! Where members have weights of their own (`WEIGHTED`), these multiply the terms of all sums, and the way from a mover to its goal
//! is summed: weights are no round numbers, so a difference of sums would not vanish where all goals are reached.

use crate::math::algebra::{M3, V3};
use crate::math::lanes::{F8, Wide, dispatch};
use crate::math::rotation::refine_or_repair;
use crate::state::{Groups, MemberBlock, Record};
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;

/// What the kernel reads: groups, predicted positions, and P of each group.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) groups: &'a Groups,
    pub(super) right: &'a [Mat3],
    pub(super) pred: &'a [Record],
    /// First point of the body: accumulators hold the body's points only.
    pub(super) first_point: u32,
    /// K of each group in one iteration.
    pub(super) gain: &'a [f32],
    /// Where the goals of the body are measured from.
    pub(super) origin: Vec3,
    /// Whether members have weights of their own.
    pub(super) weighted: bool,
    /// How far members may be from their goals without being pulled, in widths of the group; only for members with weights.
    pub(super) max_stretch: f32,
}

/// Sums of one group in lanes.
pub(super) struct Sums<W> {
    /// Σ w (x − origin).
    s: V3<W>,
    /// Σ w (x − origin) qᵀ, by columns.
    a: M3<W>,
}

impl<W: Wide> Sums<W> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = W::splat(0.0);
        let zero = V3::new(zero, zero, zero);
        Self {
            s: zero,
            a: M3::from_cols(zero, zero, zero),
        }
    }

    /// Σ w (x − origin) and Σ w (x − origin) qᵀ over all lanes.
    #[inline(always)]
    pub(super) fn totals(self) -> (Vec3, Mat3) {
        // One by one: `map` of an array is a call here, to code without AVX (measured: a third of a solve).
        let [x, y, z] = self.a.cols;
        (total(self.s), Mat3::from_cols(total(x), total(y), total(z)))
    }

    #[inline(always)]
    pub(super) fn add(&mut self, block: &MemberBlock, x: V3<W>, w: W, origin: V3<W>) {
        let wx = (x - origin).scale(w);
        self.s = self.s + wx;
        self.a.cols[0] = self.a.cols[0] + wx.scale(W::load(&block.q[0]));
        self.a.cols[1] = self.a.cols[1] + wx.scale(W::load(&block.q[1]));
        self.a.cols[2] = self.a.cols[2] + wx.scale(W::load(&block.q[2]));
    }
}

/// The rest positions of eight members.
#[inline(always)]
pub(super) fn rest<W: Wide>(block: &MemberBlock) -> V3<W> {
    let [x, y, z] = &block.q;
    V3::new(W::load(x), W::load(y), W::load(z))
}

/// Σ w (x − origin) and Σ w (x − origin) qᵀ of one group.
#[inline(always)]
fn moments<W: Wide, const WEIGHTED: bool>(
    groups: &Groups,
    k: usize,
    pred: &[Record],
    origin: Vec3,
) -> (Vec3, Mat3) {
    let origin = splat(origin);
    let mut sums = Sums::<W>::zero();
    let range = groups.block_range(k);
    let blocks = &groups.blocks[range.clone()];
    if WEIGHTED {
        // Lanes without a member have no weight.
        for (block, weight) in blocks.iter().zip(&groups.weights[range]) {
            let [x, y, z, w] = W::gather(pred, &block.member);
            sums.add(block, V3::new(x, y, z), w * W::load(weight), origin);
        }
    } else if let Some((last, full)) = blocks.split_last() {
        for block in full {
            let [x, y, z, w] = W::gather(pred, &block.member);
            sums.add(block, V3::new(x, y, z), w, origin);
        }
        let [x, y, z, w] = W::gather(pred, &last.member);
        let w = mask_tail(w, groups.count[k]);
        sums.add(last, V3::new(x, y, z), w, origin);
    }
    sums.totals()
}

#[inline(always)]
pub(super) fn total<W: Wide>(v: V3<W>) -> Vec3 {
    Vec3::new(v.x.sum(), v.y.sum(), v.z.sum())
}

/// Zero weight for the lanes of a last block that hold no member.
#[inline(always)]
pub(super) fn mask_tail<W: Wide>(w: W, count: u32) -> W {
    const NUMBERS: F8 = F8([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let members = ((count + 7) % 8 + 1) as f32;
    W::load(&NUMBERS).select_less(W::splat(members), w, W::splat(0.0))
}

/// Centres and rotations of up to eight groups.
pub(super) struct Fits {
    pub(super) center: [Vec3; 8],
    pub(super) rotation: [Quat; 8],
    /// A of each group, about its own centre.
    pub(super) a: [Mat3; 8],
    pub(super) repaired: u32,
}

/// Fits the groups in `pack` (at most eight) with their P in `right_of`, starting from their last centres and rotations.
#[inline(always)]
fn fit<W: Wide, const WEIGHTED: bool>(
    input: &Input,
    pack: impl Iterator<Item = usize>,
    right_of: &[Mat3],
    center: &[Vec3],
    rotation: &[Quat],
) -> Fits {
    let groups = input.groups;
    // Lanes without a group compute on identities.
    let mut a = [Mat3::IDENTITY; 8];
    let mut right = [Mat3::IDENTITY; 8];
    let mut guess = [Quat::IDENTITY; 8];
    let mut new_center = [Vec3::ZERO; 8];
    for (l, k) in pack.enumerate() {
        let (s, moment) = moments::<W, WEIGHTED>(groups, k, input.pred, center[l]);
        // Σ w q = 0, so A about the old centre is A about the new one.
        a[l] = moment;
        new_center[l] = center[l] + s * groups.inv_weight[k];
        right[l] = right_of[l];
        guess[l] = rotation[l];
    }
    let m = M3::<W>::pack(&a) * M3::pack(&right);
    let (rotation, repaired) = refine_or_repair(m, &guess, |_| false);
    Fits {
        center: new_center,
        rotation,
        a,
        repaired,
    }
}

/// T q + c for eight members.
#[inline(always)]
pub(super) fn goal<W: Wide>(block: &MemberBlock, t: &M3<W>, c: V3<W>) -> [W; 3] {
    let q = V3::new(
        W::load(&block.q[0]),
        W::load(&block.q[1]),
        W::load(&block.q[2]),
    );
    let g = t.apply(q) + c;
    [g.x, g.y, g.z]
}

/// The same vector in every lane.
#[inline(always)]
pub(super) fn splat<W: Wide>(v: Vec3) -> V3<W> {
    V3::new(W::splat(v.x), W::splat(v.y), W::splat(v.z))
}

/// Adds the goals of one group, times `gain`, to the accumulators of its members.
#[inline(always)]
fn add_goals<W: Wide>(
    blocks: &[MemberBlock],
    count: u32,
    t: Mat3,
    c: Vec3,
    gain: f32,
    first_point: u32,
    acc: &mut [Record],
) {
    let t = t * gain;
    let t = M3::<W>::from_cols(splat(t.x_axis), splat(t.y_axis), splat(t.z_axis));
    let c = splat(c * gain);
    let Some((last, full)) = blocks.split_last() else {
        return;
    };
    for block in full {
        W::scatter_add(acc, &block.member, first_point, goal(block, &t, c));
    }
    let [x, y, z] = goal(last, &t, c);
    let g = [x.store(), y.store(), z.store()];
    for l in 0..((count + 7) % 8 + 1) as usize {
        let r = &mut acc[(last.member[l] - first_point) as usize].0;
        r[0] += g[0].0[l];
        r[1] += g[1].0[l];
        r[2] += g[2].0[l];
    }
}

/// One group that is fitted: its number, T = R F_P, the centre, and what its ways are multiplied with.
struct Placing<W> {
    k: usize,
    t: M3<W>,
    c: V3<W>,
    gain: W,
}

impl<W: Wide> Placing<W> {
    #[inline(always)]
    fn new(groups: &Groups, k: usize, rotation: Quat, center: Vec3, gain: f32) -> Self {
        let t = Mat3::from_quat(rotation) * groups.f_p[k];
        Self {
            k,
            t: M3::from_cols(splat(t.x_axis), splat(t.y_axis), splat(t.z_axis)),
            c: splat(center),
            gain: W::splat(gain),
        }
    }

    /// The ways of eight members to their goals T q + c, and what each counts in the sums of the group but for its weight there.
    #[inline(always)]
    fn ways(&self, block: &MemberBlock, pred: &[Record]) -> (V3<W>, W) {
        let [x, y, z, mass] = W::gather(pred, &block.member);
        let goal = self.t.apply(rest(block));
        (goal + (self.c - V3::new(x, y, z)), mass)
    }

    /// Adds the ways, times weights and gain, to the accumulators of the members. With `ENERGY`, returns Σ w |way|².
    #[inline(always)]
    fn add_ways<const ENERGY: bool>(&self, input: &Input, acc: &mut [Record]) -> f32 {
        let mut energy = W::splat(0.0);
        let range = input.groups.block_range(self.k);
        let weights = &input.groups.weights[range.clone()];
        for (block, weight) in input.groups.blocks[range].iter().zip(weights) {
            let (way, mass) = self.ways(block, input.pred);
            let weight = W::load(weight) * self.gain;
            if ENERGY {
                energy += mass * weight * way.dot(way);
            }
            let way = way.scale(weight);
            W::scatter_add(acc, &block.member, input.first_point, [way.x, way.y, way.z]);
        }
        if ENERGY { energy.sum() } else { 0.0 }
    }

    /// As [`Placing::add_ways`] for ways that are longer than `slack`, by the part beyond it [FJLSB17 §3.1].
    ///
    /// What the members of a group are moved by differs, so the group would move as a whole: a bunny that was dropped slid away at
    /// 4 m/s. Its mean is taken from all of them.
    #[inline(always)]
    fn add_excess(&self, input: &Input, slack: f32, acc: &mut [Record]) {
        let range = input.groups.block_range(self.k);
        let weights = &input.groups.weights[range.clone()];
        let blocks = || input.groups.blocks[range.clone()].iter().zip(weights);
        let zero = W::splat(0.0);
        let mut sum = V3::new(zero, zero, zero);
        for (block, weight) in blocks() {
            let (way, mass) = self.ways(block, input.pred);
            let length = way.dot(way).sqrt().max(W::splat(f32::MIN_POSITIVE));
            let beyond = (W::splat(1.0) - W::splat(slack) / length).max(zero);
            let excess = way.scale(W::load(weight) * beyond);
            sum = sum + excess.scale(mass);
            let add = excess.scale(self.gain);
            W::scatter_add(acc, &block.member, input.first_point, [add.x, add.y, add.z]);
        }
        let mean = total(sum) * input.groups.inv_weight[self.k];
        if mean == Vec3::ZERO {
            return;
        }
        let back = splat::<W>(-mean).scale(self.gain);
        for (block, weight) in blocks() {
            let add = back.scale(W::load(weight));
            W::scatter_add(acc, &block.member, input.first_point, [add.x, add.y, add.z]);
        }
    }
}

/// Fits every group of `range` and adds K·goals to `acc`, which holds the body's points and starts at zero; with weights, K times the
/// ways to the goals.
///
/// `center` and `rotation` are the parts of the columns that belong to `range`. Returns the number of repaired rotations.
#[inline(always)]
fn goals_kernel<W: Wide>(
    input: &Input,
    range: Range<usize>,
    center: &mut [Vec3],
    rotation: &mut [Quat],
    acc: &mut [Record],
) -> u32 {
    if input.weighted {
        goals_of::<W, true>(input, range, center, rotation, acc)
    } else {
        goals_of::<W, false>(input, range, center, rotation, acc)
    }
}

#[inline(always)]
fn goals_of<W: Wide, const WEIGHTED: bool>(
    input: &Input,
    range: Range<usize>,
    center: &mut [Vec3],
    rotation: &mut [Quat],
    acc: &mut [Record],
) -> u32 {
    let groups = input.groups;
    let mut repaired = 0;
    let mut first = range.start;
    while first < range.end {
        let pack = first..(first + 8).min(range.end);
        let local = pack.start - range.start..pack.end - range.start;
        let fits = fit::<W, WEIGHTED>(
            input,
            pack.clone(),
            &input.right[pack.clone()],
            &center[local.clone()],
            &rotation[local.clone()],
        );
        repaired += fits.repaired;
        for (l, k) in pack.enumerate() {
            center[local.start + l] = fits.center[l];
            rotation[local.start + l] = fits.rotation[l];
            let gain = input.gain[k];
            if WEIGHTED {
                let group = Placing::<W>::new(groups, k, fits.rotation[l], fits.center[l], gain);
                let slack = input.max_stretch * groups.width[k];
                if slack > 0.0 {
                    group.add_excess(input, slack, acc);
                } else {
                    group.add_ways::<false>(input, acc);
                }
            } else {
                let t = Mat3::from_quat(fits.rotation[l]) * groups.f_p[k];
                let center = fits.center[l] - input.origin;
                add_goals::<W>(
                    &groups.blocks[groups.block_range(k)],
                    groups.count[k],
                    t,
                    center,
                    gain,
                    input.first_point,
                    acc,
                );
            }
        }
        first += 8;
    }
    repaired
}

/// A list of groups with what a sweep over it needs and changes, all in its order.
pub(crate) struct Listed<'a> {
    pub(crate) groups: &'a [u32],
    /// P of each.
    pub(crate) right: &'a [Mat3],
    /// What its ways are multiplied with.
    pub(crate) gain: &'a [f32],
    pub(crate) center: &'a mut [Vec3],
    pub(crate) rotation: &'a mut [Quat],
}

/// Fits the groups of a list and adds the ways of their members to the goals to `acc`; returns Σ w |way|² of all.
#[inline(always)]
fn ways_kernel<W: Wide>(input: &Input, list: &mut Listed, acc: &mut [Record]) -> f32 {
    let groups = input.groups;
    let mut energy = 0.0;
    for first in (0..list.groups.len()).step_by(8) {
        let pack = first..(first + 8).min(list.groups.len());
        let numbers = list.groups[pack.clone()].iter().map(|&k| k as usize);
        let fits = fit::<W, true>(
            input,
            numbers.clone(),
            &list.right[pack.clone()],
            &list.center[pack.clone()],
            &list.rotation[pack.clone()],
        );
        for (l, k) in numbers.enumerate() {
            let at = first + l;
            list.center[at] = fits.center[l];
            list.rotation[at] = fits.rotation[l];
            let group =
                Placing::<W>::new(groups, k, fits.rotation[l], fits.center[l], list.gain[at]);
            energy += group.add_ways::<true>(input, acc);
        }
    }
    energy
}

/// Adds the mean velocity of each group of `range`, times the weights and fades of its members, to `acc`. The positions of the input are
/// velocities here.
#[inline(always)]
fn means_kernel<W: Wide>(input: &Input, range: Range<usize>, acc: &mut [Record]) -> u32 {
    let groups = input.groups;
    for k in range {
        let (sum, _) = moments::<W, true>(groups, k, input.pred, Vec3::ZERO);
        let mean = sum * (groups.inv_weight[k] * groups.fade[k]);
        for member in groups.weighted_members(k) {
            let r = &mut acc[(member.mover - input.first_point) as usize].0;
            for axis in 0..3 {
                r[axis] += mean[axis] * member.weight;
            }
        }
    }
    0
}

/// Fits every group of `range` at the final positions and keeps A in `a` besides centre and rotation.
#[inline(always)]
fn fits_kernel<W: Wide>(
    input: &Input,
    range: Range<usize>,
    center: &mut [Vec3],
    rotation: &mut [Quat],
    a: &mut [Mat3],
) -> u32 {
    if input.weighted {
        fits_of::<W, true>(input, range, center, rotation, a)
    } else {
        fits_of::<W, false>(input, range, center, rotation, a)
    }
}

#[inline(always)]
fn fits_of<W: Wide, const WEIGHTED: bool>(
    input: &Input,
    range: Range<usize>,
    center: &mut [Vec3],
    rotation: &mut [Quat],
    a: &mut [Mat3],
) -> u32 {
    let mut repaired = 0;
    let mut first = range.start;
    while first < range.end {
        let pack = first..(first + 8).min(range.end);
        let local = pack.start - range.start..pack.end - range.start;
        let fits = fit::<W, WEIGHTED>(
            input,
            pack.clone(),
            &input.right[pack.clone()],
            &center[local.clone()],
            &rotation[local.clone()],
        );
        repaired += fits.repaired;
        for l in 0..pack.len() {
            center[local.start + l] = fits.center[l];
            rotation[local.start + l] = fits.rotation[l];
            a[local.start + l] = fits.a[l];
        }
        first += 8;
    }
    repaired
}

dispatch! {
    /// Fits every group of `range` and adds K·goals to `acc`: see [`goals_kernel`].
    pub(super) fn goals(input: &Input, range: Range<usize>, center: &mut [Vec3], rotation: &mut [Quat], acc: &mut [Record]) -> u32 = goals_kernel
}

dispatch! {
    /// Adds the ways of a list of groups to `acc`: see [`ways_kernel`].
    fn ways(input: &Input, list: &mut Listed, acc: &mut [Record]) -> f32 = ways_kernel
}

/// One sweep over a list of groups, whose members are at `places` with their weights: adds their ways to the goals, times raw weights and
/// gains, to `acc`, and returns Σ w |way|².
pub(crate) fn sweep(
    groups: &Groups,
    places: &[Record],
    list: &mut Listed,
    acc: &mut [Record],
) -> f32 {
    let input = Input {
        groups,
        right: &[],
        pred: places,
        first_point: 0,
        gain: &[],
        origin: Vec3::ZERO,
        weighted: true,
        max_stretch: 0.0,
    };
    ways(&input, list, acc)
}

dispatch! {
    /// Adds the mean velocity of every group of `range` to `acc`: see [`means_kernel`].
    pub(super) fn means(input: &Input, range: Range<usize>, acc: &mut [Record]) -> u32 = means_kernel
}

dispatch! {
    /// Fits every group of `range` at the final positions: see [`fits_kernel`].
    pub(super) fn fits(input: &Input, range: Range<usize>, center: &mut [Vec3], rotation: &mut [Quat], a: &mut [Mat3]) -> u32 = fits_kernel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::state::{GroupMaterial, Member};

    /// A deformed cloud in groups of odd sizes, so that last blocks are partly filled.
    fn cloud() -> (Groups, Vec<Record>) {
        let mut random = Random::new([1, 2, 3, 4]);
        let rest: Vec<Vec3> = (0..300).map(|_| random.next_in_cube()).collect();
        let mut groups = Groups::default();
        let material = GroupMaterial {
            stiffness: 0.9,
            plastic_yield: f32::INFINITY,
            plastic_flow: 0.0,
            hardening: 0.0,
        };
        for k in 0..21_u32 {
            let size = 5 + (k * 7) % 60;
            let members: Vec<Member> = (k * 10..k * 10 + size)
                .map(|i| Member {
                    weight: 0.5 + (i % 7) as f32,
                    ..Member::plain(i, rest[i as usize])
                })
                .collect();
            groups.push(&members, 0.4, material);
        }
        groups.refresh(0..groups.len(), |i| 1.0 + i as f32 * 0.01);
        let pred = rest.iter().enumerate().map(|(i, x)| {
            let noise = random.next_in_cube() * 0.1;
            Record::new(
                Vec3::new(1.3 * x.x, 0.8 * x.y, x.z + 0.2 * x.x) + noise,
                1.0 + i as f32 * 0.01,
            )
        });
        let pred = pred.collect();
        (groups, pred)
    }

    /// Goals, ways, means and fits have the same bits from AVX registers and from plain arrays.
    #[test]
    fn registers_equal_arrays_in_the_solver() {
        for (weighted, max_stretch) in [(false, 0.0), (true, 0.0), (true, 0.1)] {
            let (groups, pred) = cloud();
            let n = groups.len();
            let input = Input {
                groups: &groups,
                right: &groups.f_p,
                pred: &pred,
                first_point: 0,
                gain: &vec![0.75; n],
                origin: Vec3::new(0.4, 0.5, 0.6),
                weighted,
                max_stretch,
            };
            let fresh = || {
                (
                    vec![Vec3::splat(0.3); n],
                    vec![Quat::IDENTITY; n],
                    vec![Record::default(); pred.len()],
                    vec![Mat3::ZERO; n],
                )
            };
            let (mut c1, mut r1, mut acc1, mut a1) = fresh();
            let (mut c2, mut r2, mut acc2, mut a2) = fresh();
            let repaired = goals(&input, 0..n, &mut c1, &mut r1, &mut acc1);
            assert_eq!(
                repaired,
                goals_kernel::<F8>(&input, 0..n, &mut c2, &mut r2, &mut acc2)
            );
            means(&input, 0..n, &mut acc1);
            means_kernel::<F8>(&input, 0..n, &mut acc2);
            fits(&input, 0..n, &mut c1, &mut r1, &mut a1);
            fits_kernel::<F8>(&input, 0..n, &mut c2, &mut r2, &mut a2);
            assert_eq!((&c1, &r1, &acc1, &a1), (&c2, &r2, &acc2, &a2));
            assert!(acc1.iter().any(|a| a.0[0] != 0.0) && r1.iter().any(|q| *q != Quat::IDENTITY));
        }
    }
}
