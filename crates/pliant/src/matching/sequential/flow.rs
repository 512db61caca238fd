//! Groups whose rest positions flow.

use super::Run;
use super::alone::fit;
use crate::math::lanes::{Wide, dispatch};
use crate::state::Rings;
use glam::Vec3;

/// How bodies flow: by shares of the excess in a substep, so far, in sizes of the group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Creep {
    /// Share of a substep.
    pub share: f32,
    /// Farthest from the rest position before any flow.
    pub most: f32,
}

dispatch! {
    /// Finds new rest positions: see [`flow_kernel`].
    pub(super) fn flow(run: &mut Run, rings: &Rings, creep: &Creep) -> u32 = flow_kernel
}

/// Rest positions of groups that are strained above their yield move towards where their members are; returns how many do.
///
/// A group flows if a member is farther from its goal than the yield, in sizes of the group. Its members' rest positions are its own: what
/// has flowed need not fit together any more.
#[inline(always)]
fn flow_kernel<W: Wide>(run: &mut Run, rings: &Rings, creep: &Creep) -> u32 {
    let groups = &rings.groups;
    let mut yielding = 0;
    run.flowed.clear();
    for l in 0..run.groups.len() {
        let k = run.groups[l] as usize;
        let blocks = groups.block_range(k);
        let own = run.own(l);
        let from = run.flowed.len();
        let rest = groups.blocks[blocks.clone()].iter().map(|block| block.q);
        run.flowed.extend(rest);
        let (limit, size) = (groups.material[k].plastic_yield, groups.radius[k]);
        if !(limit.is_finite() && size > 0.0) {
            continue;
        }
        let head = W::gather(&run.x, &run.members[own.start]);
        let fit = fit::<W>(run, groups, (l, k), own.clone(), head);
        let back = fit.rotation.conjugate();
        let off: Vec<Vec3> = (groups.members(k).enumerate())
            .map(|(i, (_, q))| {
                let member = run.members[own.start + i / 8][i % 8];
                back * (run.x[member as usize].position() - fit.place) - q
            })
            .collect();
        let most = off.iter().map(|d| d.length_squared()).fold(0.0, f32::max);
        let most = most.sqrt();
        // What is no number does not flow.
        if !(most > limit * size && most.is_finite()) {
            continue;
        }
        yielding += 1;
        for (i, (d, (_, q))) in off.iter().zip(groups.members(k)).enumerate() {
            let unflowed = rings.unflowed[blocks.start + i / 8].map(|q| q.0[i % 8]);
            let unflowed = Vec3::from(unflowed);
            let flowed = q + *d * creep.share - unflowed;
            let flowed = unflowed + no_longer_than(flowed, creep.most * size);
            for axis in 0..3 {
                run.flowed[from + i / 8][axis].0[i % 8] = flowed[axis];
            }
        }
    }
    yielding
}

/// A vector, shortened to `most` if it is longer.
///
/// Written out because a square root of glam's is an instruction of SSE here, which stalls among those of AVX.
#[inline(always)]
fn no_longer_than(v: Vec3, most: f32) -> Vec3 {
    let length = v.length_squared().sqrt();
    if length > most {
        v * (most / length)
    } else {
        v
    }
}
