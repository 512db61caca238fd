//! The inner loops, compiled for the baseline and for AVX2; both give the same bits.

use crate::math::algebra::{M3, V3};
use crate::math::rotation::refine_or_repair;
use crate::math::{F8, Lane};
use crate::state::{Groups, MemberBlock, Record};
use glam::{Mat3, Quat, Vec3};
use multiversion::multiversion;
use std::ops::Range;

/// What the kernel reads: groups, predicted positions, and P of each group.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) groups: &'a Groups,
    pub(super) right: &'a [Mat3],
    pub(super) pred: &'a [Record],
    /// First point of the body: accumulators hold the body's points only.
    pub(super) first_point: u32,
    /// Stiffness of one iteration per unit of material stiffness.
    pub(super) stiffness_scale: f32,
}

/// Σ w (x − origin) and Σ w (x − origin) qᵀ of one group.
#[inline(always)]
fn moments(blocks: &[MemberBlock], count: u32, pred: &[Record], origin: Vec3) -> (Vec3, Mat3) {
    let o = V3::new(
        F8::splat(origin.x),
        F8::splat(origin.y),
        F8::splat(origin.z),
    );
    let mut s = V3::new(F8::ZERO, F8::ZERO, F8::ZERO);
    let mut a = [s; 3];
    let Some((last, full)) = blocks.split_last() else {
        return (Vec3::ZERO, Mat3::ZERO);
    };
    let mut add = |block: &MemberBlock, x: V3<F8>, w: F8| {
        let wx = (x - o).scale(w);
        s = s + wx;
        for axis in 0..3 {
            a[axis] = a[axis] + wx.scale(block.q[axis]);
        }
    };
    for block in full {
        let (x, w) = gather(pred, &block.member);
        add(block, x, w);
    }
    let (x, w) = gather(pred, &last.member);
    add(last, x, mask_tail(w, count));
    let total = |v: V3<F8>| Vec3::new(v.x.sum(), v.y.sum(), v.z.sum());
    (
        total(s),
        Mat3::from_cols(total(a[0]), total(a[1]), total(a[2])),
    )
}

/// Zero weight for the lanes of a last block that hold no member.
#[inline(always)]
fn mask_tail(w: F8, count: u32) -> F8 {
    let members = (count + 7) % 8;
    let mut masked = w;
    for l in 0..8 {
        masked.0[l] = if l as u32 <= members { w.0[l] } else { 0.0 };
    }
    masked
}

/// Positions and weights of eight points, transposed into lanes.
#[inline(always)]
fn gather(pred: &[Record], member: &[u32; 8]) -> (V3<F8>, F8) {
    let r = member.map(|i| pred[i as usize].0);
    let lane = |k: usize| {
        F8([
            r[0][k], r[1][k], r[2][k], r[3][k], r[4][k], r[5][k], r[6][k], r[7][k],
        ])
    };
    (V3::new(lane(0), lane(1), lane(2)), lane(3))
}

/// Centres and rotations of up to eight groups.
pub(super) struct Fits {
    pub(super) center: [Vec3; 8],
    pub(super) rotation: [Quat; 8],
    /// A of each group, about its own centre.
    pub(super) a: [Mat3; 8],
    pub(super) repaired: u32,
}

/// Fits the groups in `pack` (at most eight), starting from their last centres and rotations.
#[inline(always)]
fn fit(input: &Input, pack: Range<usize>, center: &[Vec3], rotation: &[Quat]) -> Fits {
    let groups = input.groups;
    // Lanes without a group compute on identities.
    let mut a = [Mat3::IDENTITY; 8];
    let mut right = [Mat3::IDENTITY; 8];
    let mut guess = [Quat::IDENTITY; 8];
    let mut new_center = [Vec3::ZERO; 8];
    for (l, k) in pack.enumerate() {
        let blocks = &groups.blocks[groups.block_range(k)];
        let (s, moment) = moments(blocks, groups.count[k], input.pred, center[l]);
        // Σ w q = 0, so A about the old centre is A about the new one.
        a[l] = moment;
        new_center[l] = center[l] + s * groups.inv_weight[k];
        right[l] = input.right[k];
        guess[l] = rotation[l];
    }
    let m = M3::pack(a) * M3::pack(right);
    let guess = [
        F8(guess.map(|q| q.x)),
        F8(guess.map(|q| q.y)),
        F8(guess.map(|q| q.z)),
        F8(guess.map(|q| q.w)),
    ];
    let (q, repaired) = refine_or_repair(m, guess);
    Fits {
        center: new_center,
        rotation: std::array::from_fn(|l| {
            Quat::from_xyzw(q[0].0[l], q[1].0[l], q[2].0[l], q[3].0[l])
        }),
        a,
        repaired,
    }
}

/// Adds the goals of one group, times `gain`, to the accumulators of its members.
#[inline(always)]
fn add_goals(
    blocks: &[MemberBlock],
    count: u32,
    t: Mat3,
    c: Vec3,
    gain: f32,
    first_point: u32,
    acc: &mut [Record],
) {
    let m = (t * gain).to_cols_array().map(F8::splat);
    let c = (c * gain).to_array().map(F8::splat);
    let Some((last, full)) = blocks.split_last() else {
        return;
    };
    let goal = |block: &MemberBlock| -> [F8; 3] {
        std::array::from_fn(|axis| {
            m[axis] * block.q[0] + m[axis + 3] * block.q[1] + m[axis + 6] * block.q[2] + c[axis]
        })
    };
    for block in full {
        let g = goal(block);
        for l in 0..8 {
            let r = &mut acc[(block.member[l] - first_point) as usize].0;
            r[0] += g[0].0[l];
            r[1] += g[1].0[l];
            r[2] += g[2].0[l];
        }
    }
    let g = goal(last);
    for l in 0..((count + 7) % 8 + 1) as usize {
        let r = &mut acc[(last.member[l] - first_point) as usize].0;
        r[0] += g[0].0[l];
        r[1] += g[1].0[l];
        r[2] += g[2].0[l];
    }
}

/// Fits every group of `range` and adds K·goals to `acc`, which holds the body's points and starts at zero.
///
/// `center` and `rotation` are the parts of the columns that belong to `range`. Returns the number of repaired rotations.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn goals(
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
        let fits = fit(
            input,
            pack.clone(),
            &center[local.clone()],
            &rotation[local.clone()],
        );
        repaired += fits.repaired;
        for (l, k) in pack.enumerate() {
            center[local.start + l] = fits.center[l];
            rotation[local.start + l] = fits.rotation[l];
            let t = Mat3::from_quat(fits.rotation[l]) * groups.f_p[k];
            let gain = groups.material[k].stiffness * input.stiffness_scale;
            add_goals(
                &groups.blocks[groups.block_range(k)],
                groups.count[k],
                t,
                fits.center[l],
                gain.min(1.0),
                input.first_point,
                acc,
            );
        }
        first += 8;
    }
    repaired
}

/// Fits every group of `range` at the final positions and keeps A in `a` besides centre and rotation.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn fits(
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
        let fits = fit(
            input,
            pack.clone(),
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
