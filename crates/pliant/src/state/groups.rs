//! Groups: sets of movers that are pulled to the best rigid placement of a rest shape that may flow.

use super::Csr;
use crate::material::Material;
use crate::math::F8;
use crate::math::svd::pseudo_inverse;
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;

/// Eight members of a group: their local rest positions and their indices, two cache lines.
///
/// Lanes past the group's last member repeat its first member with q = 0; kernels mask them in the last block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct MemberBlock {
    /// Local rest positions by component.
    pub q: [F8; 3],
    /// Indices of the movers.
    pub member: [u32; 8],
}

/// A mover in a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Its index.
    pub mover: u32,
    /// Its local rest position.
    pub q: Vec3,
    /// Its raw weight a: how much of the mover the group has, against the other groups of that mover, once it is fully there.
    pub weight: f32,
}

impl Member {
    /// A member that weighs as much as any other.
    pub fn plain(mover: u32, q: Vec3) -> Self {
        Self {
            mover,
            q,
            weight: 1.0,
        }
    }
}

/// How one group resists and flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupMaterial {
    /// K at the reference step.
    pub stiffness: f32,
    /// Yield now (ε_Y, or λ of the Frobenius model); infinite = elastic.
    pub plastic_yield: f32,
    /// ν per 1/60 s.
    pub plastic_flow: f32,
    /// κ, or K_h of the Frobenius model.
    pub hardening: f32,
}

impl GroupMaterial {
    /// That of a new group of a material.
    pub fn new(material: &Material) -> Self {
        Self {
            stiffness: material.stiffness,
            plastic_yield: material.plastic_yield,
            plastic_flow: material.plastic_flow,
            hardening: material.hardening,
        }
    }

    /// The mean of several, by shares that add up to one.
    pub(crate) fn mix(parts: impl Iterator<Item = (Self, f32)>) -> Self {
        let nothing = Self {
            stiffness: 0.0,
            plastic_yield: 0.0,
            plastic_flow: 0.0,
            hardening: 0.0,
        };
        parts.fold(nothing, |sum, (m, part)| Self {
            stiffness: sum.stiffness + part * m.stiffness,
            plastic_yield: sum.plastic_yield + part * m.plastic_yield,
            plastic_flow: sum.plastic_flow + part * m.plastic_flow,
            hardening: sum.hardening + part * m.hardening,
        })
    }
}

/// Whether a group comes or goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fading {
    /// It is there.
    #[default]
    Live,
    /// Its share grows from frame to frame.
    In,
    /// Its share shrinks from frame to frame; it takes no new members.
    Out,
}

/// Groups over one set of movers.
///
/// Invariants: `Σ w q = 0` over the members of a group, with w the members' weights in the group's sums; members ascend;
/// the two directions of membership hold the same pairs; `det f_p = 1`; rotations have unit length; ids ascend within a body.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Stable id, local to the body, in the order of creation and never reused; those of groups that belong to no body count from 0.
    pub id: Vec<u64>,
    /// First block of each group, and the end of the last: `blocks[block_offsets[k]..block_offsets[k + 1]]`.
    pub block_offsets: Vec<u32>,
    /// Members of all groups in lanes of eight.
    pub blocks: Vec<MemberBlock>,
    /// Raw weights of the members, in the lanes of `blocks`; 0 in lanes without a member.
    pub weights: Vec<F8>,
    /// Number of members.
    pub count: Vec<u32>,
    /// For each mover its groups, ascending.
    pub of_mover: Csr,
    /// Plastic deformation F_P.
    pub f_p: Vec<Mat3>,
    /// F_P from the end of the next substep on, of bodies whose springs still pull to the old one while the new one is found.
    pub next_f_p: Vec<Mat3>,
    /// Material state.
    pub material: Vec<GroupMaterial>,
    /// Cumulative strain α of the Frobenius model.
    pub alpha: Vec<f32>,
    /// 1 / Σ w.
    pub inv_weight: Vec<f32>,
    /// (Σ w q qᵀ)⁻¹ on its range.
    pub a_qq_inv: Vec<Mat3>,
    /// The moment matrix has no inverse: too few members, or all in a plane or on a line.
    pub degenerate: Vec<bool>,
    /// Undeformed radius (m).
    pub radius: Vec<f32>,
    /// Largest distance of a member from the centre in the rest shape (m).
    pub width: Vec<f32>,
    /// Centre of mass of the last pass (m); the origin of the next one's sums.
    pub center: Vec<Vec3>,
    /// Fitted rotation; starts the next fit.
    pub rotation: Vec<Quat>,
    /// Elastic deformation F_e of the last state pass.
    pub f_e: Vec<Mat3>,
    /// Whether the last plastic update changed F_P.
    pub yielding: Vec<bool>,
    /// Plastic strain of this frame so far: the sum of the largest |ln| of each update's factors.
    pub flowed: Vec<f32>,
    /// Weight among the groups of a mover, 0 to 1: groups come and go by and by.
    pub fade: Vec<f32>,
    /// Which way that weight goes.
    pub fading: Vec<Fading>,
    /// Members when the group was made.
    pub born_with: Vec<u32>,
    /// ‖F_P‖ at the end of the last frame.
    pub last_norm: Vec<f32>,
}

impl Groups {
    /// Whether a group of mover `i` flowed in the last substep.
    pub fn flows(&self, i: usize) -> bool {
        let row = self.of_mover.row(i);
        row.iter().any(|&k| self.yielding[k as usize])
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.count.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count.is_empty()
    }

    /// The blocks of group `k`.
    #[inline]
    pub fn block_range(&self, k: usize) -> Range<usize> {
        self.block_offsets[k] as usize..self.block_offsets[k + 1] as usize
    }

    /// Members of group `k` with their local rest positions, ascending by mover.
    pub fn members(&self, k: usize) -> impl Iterator<Item = (u32, Vec3)> + Clone + '_ {
        let blocks = &self.blocks[self.block_range(k)];
        (0..self.count[k] as usize).map(move |i| {
            let (block, l) = (&blocks[i / 8], i % 8);
            (
                block.member[l],
                Vec3::new(block.q[0].0[l], block.q[1].0[l], block.q[2].0[l]),
            )
        })
    }

    /// The same with weights.
    pub fn weighted_members(&self, k: usize) -> impl Iterator<Item = Member> + Clone + '_ {
        let weights = &self.weights[self.block_range(k)];
        self.members(k)
            .enumerate()
            .map(move |(i, (mover, q))| Member {
                mover,
                q,
                weight: weights[i / 8].0[i % 8],
            })
    }

    /// Adds a group with F_P = I. `members` must ascend by mover.
    pub fn push(&mut self, members: &[Member], radius: f32, material: GroupMaterial) {
        if self.block_offsets.is_empty() {
            self.block_offsets.push(0);
        }
        for chunk in members.chunks(8) {
            let mut block = MemberBlock {
                q: [F8::ZERO; 3],
                member: [members[0].mover; 8],
            };
            let mut weights = F8::ZERO;
            for (l, member) in chunk.iter().enumerate() {
                block.member[l] = member.mover;
                weights.0[l] = member.weight;
                for axis in 0..3 {
                    block.q[axis].0[l] = member.q[axis];
                }
            }
            self.blocks.push(block);
            self.weights.push(weights);
        }
        self.block_offsets.push(self.blocks.len() as u32);
        self.id.push(self.id.len() as u64);
        self.count.push(members.len() as u32);
        self.f_p.push(Mat3::IDENTITY);
        self.next_f_p.push(Mat3::IDENTITY);
        self.material.push(material);
        self.alpha.push(0.0);
        self.inv_weight.push(0.0);
        self.a_qq_inv.push(Mat3::IDENTITY);
        self.degenerate.push(false);
        self.radius.push(radius);
        self.width.push(radius);
        self.center.push(Vec3::ZERO);
        self.rotation.push(Quat::IDENTITY);
        self.f_e.push(Mat3::IDENTITY);
        self.yielding.push(false);
        self.flowed.push(0.0);
        self.fade.push(1.0);
        self.fading.push(Fading::Live);
        self.born_with.push(members.len() as u32);
        self.last_norm.push(3.0_f32.sqrt());
    }

    /// Adds a group with these members and the state of group `k` of `from`. `members` must ascend by mover.
    pub(crate) fn push_copy(&mut self, from: &Self, k: usize, members: &[Member]) {
        self.push(members, from.radius[k], from.material[k]);
        let new = self.len() - 1;
        self.id[new] = from.id[k];
        self.f_p[new] = from.f_p[k];
        self.next_f_p[new] = from.next_f_p[k];
        self.alpha[new] = from.alpha[k];
        self.inv_weight[new] = from.inv_weight[k];
        self.a_qq_inv[new] = from.a_qq_inv[k];
        self.degenerate[new] = from.degenerate[k];
        self.width[new] = from.width[k];
        self.center[new] = from.center[k];
        self.rotation[new] = from.rotation[k];
        self.f_e[new] = from.f_e[k];
        self.yielding[new] = from.yielding[k];
        self.flowed[new] = from.flowed[k];
        self.fade[new] = from.fade[k];
        self.fading[new] = from.fading[k];
        self.born_with[new] = from.born_with[k];
        self.last_norm[new] = from.last_norm[k];
    }

    /// W of each of a body's movers: the sum of its weights in the groups of the body, each times the group's fade; 0 if it has none.
    pub(crate) fn holds(&self, groups: Range<usize>, movers: Range<usize>) -> Vec<f32> {
        let mut holds = vec![0.0; movers.len()];
        for k in groups {
            for member in self.weighted_members(k) {
                holds[member.mover as usize - movers.start] += self.fade[k] * member.weight;
            }
        }
        holds
    }

    /// F_P becomes what the last update has found [FJLSB17 §3.1]: springs pull to the old one for as long as a substep, else what flows
    /// at once would not resist at all.
    pub(crate) fn settle_flow(&mut self, range: Range<usize>) {
        self.f_p[range.clone()].copy_from_slice(&self.next_f_p[range]);
    }

    /// What an update has just made of F_P is kept for later, see [`Groups::settle_flow`].
    pub(crate) fn put_off_flow(&mut self, range: Range<usize>) {
        for k in range {
            std::mem::swap(&mut self.f_p[k], &mut self.next_f_p[k]);
        }
    }

    /// Rebuilds the rows mover → groups.
    pub fn rebuild_rows(&mut self, movers: usize) {
        let this = &*self;
        let pairs = (0..this.len()).flat_map(|k| this.members(k).map(move |(i, _)| (i, k as u32)));
        self.of_mover = Csr::from_pairs(movers, pairs);
    }

    /// Recentres the rest positions of the groups in `range` and rebuilds what depends on weights: 1/Σw and (Σ w q qᵀ)⁻¹.
    ///
    /// `weight` is the weight of a mover in the sums of each of its groups, times its raw weight in that group.
    pub fn refresh(&mut self, range: Range<usize>, weight: impl Fn(u32) -> f32) {
        for k in range {
            // In f64: the centring must hold to 1e-6 of the group's size or goals drift.
            let mut total = 0.0_f64;
            let mut mean = glam::DVec3::ZERO;
            for m in self.weighted_members(k) {
                let w = f64::from(weight(m.mover) * m.weight);
                total += w;
                mean += w * m.q.as_dvec3();
            }
            mean /= total;
            let mut a_qq = glam::DMat3::ZERO;
            let mut width = 0.0_f64;
            for m in self.weighted_members(k) {
                let q = m.q.as_dvec3() - mean;
                let wq = q * f64::from(weight(m.mover) * m.weight);
                a_qq += glam::DMat3::from_cols(wq * q.x, wq * q.y, wq * q.z);
                width = width.max(q.length_squared());
            }
            self.width[k] = width.sqrt() as f32;
            for i in 0..self.count[k] as usize {
                let block = &mut self.blocks[self.block_offsets[k] as usize + i / 8];
                for axis in 0..3 {
                    let lane = &mut block.q[axis].0[i % 8];
                    *lane = (f64::from(*lane) - mean[axis]) as f32;
                }
            }
            self.inv_weight[k] = (1.0 / total) as f32;
            let (inverse, flat) = pseudo_inverse(a_qq.as_mat3(), 1e-6);
            self.a_qq_inv[k] = inverse;
            self.degenerate[k] = flat || self.count[k] < 4;
        }
    }
}
