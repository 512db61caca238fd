//! One Jacobi iteration over all groups: every group adds its goals, then every point moves to their mean.

use super::kernel::{self, Input};
use super::{Averaging, Dynamics, Fit, Springs};
use crate::math::lanes::Quad;
use crate::parallel::{self, Columns, PerRange};
use crate::state::{Groups, Points, Record};
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many accumulators a body of so many groups gets: the most threads it can use in this stage.
///
/// A power of two, so that pairs of threads share evenly (three chunks for two threads cost a third more); few, so that clearing
/// and summing accumulators stays small beside filling them.
fn chunk_count(groups: usize) -> usize {
    match groups {
        0..128 => 1,
        128..800 => 2,
        800..1600 => 4,
        _ => 8,
    }
}

/// A run of groups of one body with its own accumulators.
#[derive(Clone, Debug)]
struct Chunk {
    body: usize,
    groups: Range<usize>,
    first_point: u32,
    acc: Range<usize>,
}

/// Where the accumulators of a block of points are.
#[derive(Clone, Copy, Debug)]
struct BlockAcc {
    body: usize,
    /// The block's first accumulator in the body's first chunk.
    first: usize,
    /// Accumulators of a chunk: the points of the body.
    stride: usize,
    chunks: usize,
}

/// What the solve needs to know of a body: its points, its groups, and how they are fitted and averaged.
///
/// The ranges of all bodies tile the columns in order.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedBody {
    /// The body's points.
    pub points: Range<usize>,
    /// The body's groups.
    pub groups: Range<usize>,
    /// Which rotation places its goals.
    pub fit: Fit,
    /// How its corrections are combined.
    pub averaging: Averaging,
    /// How its goals become motion.
    pub dynamics: Dynamics,
    /// Whether its groups' members have weights of their own.
    pub weighted: bool,
}

impl MatchedBody {
    fn springs(&self) -> Option<&Springs> {
        match &self.dynamics {
            Dynamics::Positions => None,
            Dynamics::Springs(springs) => Some(springs),
        }
    }
}

/// What a body does in a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pass {
    /// Members that are nearer to their goals than this many widths stay.
    max_stretch: f32,
    /// Share of the mean way to its goals that a point goes.
    relaxation: f32,
}

/// The plan and the scratch of the Jacobi solve: which chunk of groups adds into which accumulators.
///
/// The plan depends on the bodies alone, never on the number of threads, so sums have the same order everywhere; it is
/// made per body, so that a body far away changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Jacobi {
    bodies: Vec<MatchedBody>,
    chunks: Vec<Chunk>,
    /// Points of each body in blocks, and the accumulators of that body.
    blocks: Vec<Range<usize>>,
    block_acc: Vec<BlockAcc>,
    acc: Vec<Record>,
    /// P of each group: the rotation of A·P places the goals.
    pub right: Vec<Mat3>,
    /// 1 / Σ of the fades of each point's groups: one over their number where none comes or goes.
    share: Vec<f32>,
    /// K of each group in one iteration, times its fade.
    gain: Vec<f32>,
    /// Σ of `gain` over the groups of each point.
    hold: Vec<f32>,
    /// A place near the middle of each body, from which goals are measured.
    origin: Vec<Vec3>,
    /// Σ m Δx of each block in this substep.
    residue: Vec<Vec3>,
}

/// What one iteration met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JacobiReport {
    /// Rotations whose warm start failed and that an SVD repaired.
    pub repaired: u32,
    /// Corrections that were not finite and were dropped.
    pub non_finite: u32,
}

impl std::ops::AddAssign for JacobiReport {
    fn add_assign(&mut self, other: Self) {
        self.repaired += other.repaired;
        self.non_finite += other.non_finite;
    }
}

impl Jacobi {
    /// Plans the work anew after bodies, points or groups have changed.
    pub fn plan(&mut self, bodies: Vec<MatchedBody>, groups: &Groups) {
        *self = Self::default();
        for (body, ranges) in bodies.iter().enumerate() {
            let (points, groups) = (&ranges.points, &ranges.groups);
            let chunks = chunk_count(groups.len());
            // Whole packs of eight, so that lanes stay full.
            let per_chunk = groups.len().div_ceil(chunks).next_multiple_of(8).max(8);
            let first = self.acc.len();
            for start in groups.clone().step_by(per_chunk) {
                let end = (start + per_chunk).min(groups.end);
                let acc = self.acc.len()..self.acc.len() + points.len();
                self.acc.resize(acc.end, Record::default());
                self.chunks.push(Chunk {
                    body,
                    groups: start..end,
                    first_point: points.start as u32,
                    acc,
                });
            }
            let chunks = groups.len().div_ceil(per_chunk);
            for block in parallel::blocks(points.start, points.len()) {
                self.block_acc.push(BlockAcc {
                    body,
                    first: first + block.start - points.start,
                    stride: points.len(),
                    chunks,
                });
                self.blocks.push(block);
            }
        }
        let share = |hold: f32| if hold > 0.0 { 1.0 / hold } else { 0.0 };
        for body in &bodies {
            let holds = groups.holds(body.groups.clone(), body.points.clone());
            self.share.extend(holds.into_iter().map(share));
        }
        self.bodies = bodies;
        self.refresh_right(groups);
    }

    /// Recomputes P after F_P has changed.
    pub fn refresh_right(&mut self, groups: &Groups) {
        self.right.clear();
        for body in &self.bodies {
            self.right.extend(
                body.groups
                    .clone()
                    .map(|k| super::right_factor(groups, k, body.fit)),
            );
        }
    }

    /// Sets the stiffness of one iteration: `scale` times the material's K, at most one.
    ///
    /// Gains have 12 bits, so that their sums are exact: a point moves by share·(Σ gain·g − x·Σ gain), a small difference of
    /// large numbers, and an error of the sum would act like a force.
    pub fn set_stiffness_scale(&mut self, groups: &Groups, scale: f32) {
        self.gain.clear();
        self.hold.clear();
        for body in &self.bodies {
            let gain = |k: usize| {
                // Springs have a strength of their own.
                if body.springs().is_some() {
                    return groups.fade[k];
                }
                let stiffness = (groups.material[k].stiffness * scale).min(1.0);
                f32::from_bits((groups.fade[k] * stiffness).to_bits() & 0xffff_f000)
            };
            self.gain.extend(body.groups.clone().map(gain));
            let gain = &self.gain;
            let hold = |i: usize| {
                let row = groups.of_mover.row(i);
                row.iter().map(|&k| gain[k as usize]).sum::<f32>()
            };
            if body.weighted {
                // Ways are summed, not goals.
                self.hold.resize(body.points.end, 0.0);
            } else {
                self.hold.extend(body.points.clone().map(hold));
            }
        }
    }

    /// Begins a substep: goals are measured from the middle of each body, because round-off grows with the distance.
    ///
    /// A group whose last fit was not finite starts anew at one of its members: sums begin at the last centre, so it would
    /// never recover by itself.
    pub fn begin_substep(&mut self, groups: &mut Groups, points: &Points) {
        self.origin.clear();
        for body in &self.bodies {
            let mut origin = mean(&groups.center[body.groups.clone()]);
            if !origin.is_finite() {
                body.groups.clone().for_each(|k| restart(groups, k, points));
                origin = mean(&groups.center[body.groups.clone()]);
            }
            self.origin.push(origin);
        }
        self.residue.clear();
        self.residue.resize(self.blocks.len(), Vec3::ZERO);
    }

    /// The residue of each block, for stages that add to it.
    pub fn residue_mut(&mut self) -> &mut [Vec3] {
        &mut self.residue
    }

    /// Σ m Δx that round-off has left in each body since the substep began (kg m); zero in exact arithmetic.
    ///
    /// A body that glides along looks the same in every iteration, so its round-off repeats and adds up to a force: a body
    /// shot away changed its momentum by 4e-3 in ten seconds. The caller takes the residue out of the velocities. A body whose
    /// corrections need not balance (plain averaging) has none by definition.
    pub fn residue(&self) -> Vec<Vec3> {
        let mut of_body = vec![Vec3::ZERO; self.bodies.len()];
        for (block, residue) in self.block_acc.iter().zip(&self.residue) {
            if self.bodies[block.body].averaging == Averaging::MassWeighted {
                of_body[block.body] += *residue;
            }
        }
        of_body
    }

    /// The points in blocks that never straddle two bodies.
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// One iteration: x* ← x* + ω Σ share·K (g − x*) for every point that is free to move, of bodies without springs.
    pub fn iterate(
        &mut self,
        groups: &mut Groups,
        points: &mut Points,
        relaxation: f32,
    ) -> JacobiReport {
        let pull = Pass {
            max_stretch: 0.0,
            relaxation,
        };
        self.pass(groups, points, |body| {
            (body.springs().is_none() && !body.groups.is_empty()).then_some(pull)
        })
    }

    /// One sweep of strain limiting over the bodies with springs: points that are farther from their goals than they may be come
    /// nearer [FJLSB17 §3.1].
    pub fn limit_strain(
        &mut self,
        sweep: u32,
        groups: &mut Groups,
        points: &mut Points,
    ) -> JacobiReport {
        self.pass(groups, points, |body| {
            let springs = body.springs().filter(|s| sweep < s.sweeps)?;
            Some(Pass {
                max_stretch: springs.max_stretch,
                relaxation: springs.relax,
            })
        })
    }

    /// The most sweeps of strain limiting that a body wants.
    pub fn sweeps(&self) -> u32 {
        let sweeps = |body: &MatchedBody| body.springs().map_or(0, |s| s.sweeps);
        self.bodies.iter().map(sweeps).max().unwrap_or(0)
    }

    /// Fits the groups of the bodies that take part and moves their points.
    fn pass(
        &mut self,
        groups: &mut Groups,
        points: &mut Points,
        of: impl Fn(&MatchedBody) -> Option<Pass>,
    ) -> JacobiReport {
        let passes: Vec<Option<Pass>> = self.bodies.iter().map(of).collect();
        if passes.iter().all(Option::is_none) {
            return JacobiReport::default();
        }
        JacobiReport {
            repaired: self.add_goals(&passes, groups, &points.pred),
            non_finite: self.move_points(&passes, points),
        }
    }

    /// Springs speed the points of a body up towards their goals, and to the mean velocity of their groups:
    /// v ← v + k (g − x)/Δt + b (u − v) [FJLSB17 Eq. 8], in a substep of `h` seconds.
    pub fn spring(&mut self, groups: &mut Groups, points: &mut Points, h: f32) -> JacobiReport {
        let passes: Vec<Option<Pass>> = self
            .bodies
            .iter()
            .map(|body| {
                body.springs().map(|springs| Pass {
                    max_stretch: 0.0,
                    relaxation: springs.goal / h,
                })
            })
            .collect();
        if passes.iter().all(Option::is_none) {
            return JacobiReport::default();
        }
        for body in self.bodies.iter().filter(|body| body.springs().is_some()) {
            for i in body.points.clone() {
                points.pred[i].set_position(points.x[i]);
            }
        }
        let repaired = self.add_goals(&passes, groups, &points.pred);
        let non_finite = self.push_points(&passes, points, h);
        let loss = |body: &MatchedBody| body.springs().map_or(0.0, |s| s.damping);
        let losses: Vec<f32> = self.bodies.iter().map(loss).collect();
        if losses.iter().any(|loss| *loss > 0.0) {
            self.add_means(&losses, groups, points);
            self.calm_points(&losses, points);
        }
        JacobiReport {
            repaired,
            non_finite,
        }
    }

    /// Every chunk clears its accumulators and adds the goals of its groups.
    fn add_goals(&mut self, passes: &[Option<Pass>], groups: &mut Groups, pred: &[Record]) -> u32 {
        let mut center = std::mem::take(&mut groups.center);
        let mut rotation = std::mem::take(&mut groups.rotation);
        let mut acc = std::mem::take(&mut self.acc);
        let repaired = AtomicU32::new(0);
        let groups_read = &*groups;
        let this = &*self;
        for_each_chunk(
            &this.chunks,
            (&mut center[..], &mut rotation[..]),
            &mut acc,
            &|chunk, (center, rotation), acc| {
                let Some(pass) = passes[chunk.body] else {
                    return;
                };
                let input = Input {
                    max_stretch: pass.max_stretch,
                    ..this.input(chunk, groups_read, pred)
                };
                acc.fill(Record::default());
                let count = kernel::goals(&input, chunk.groups.clone(), center, rotation, acc);
                // A count of integers: the order of threads cannot show.
                repaired.fetch_add(count, Ordering::Relaxed);
            },
        );
        self.acc = acc;
        groups.center = center;
        groups.rotation = rotation;
        repaired.into_inner()
    }

    fn input<'a>(&'a self, chunk: &Chunk, groups: &'a Groups, pred: &'a [Record]) -> Input<'a> {
        Input {
            groups,
            right: &self.right,
            pred,
            gain: &self.gain,
            first_point: chunk.first_point,
            origin: self.origin.get(chunk.body).copied().unwrap_or_default(),
            weighted: self.bodies[chunk.body].weighted,
            max_stretch: 0.0,
        }
    }

    /// Sums the accumulators of each point in order and moves it.
    fn move_points(&mut self, passes: &[Option<Pass>], points: &mut Points) -> u32 {
        let non_finite = AtomicU32::new(0);
        let mut residue = std::mem::take(&mut self.residue);
        let this = &*self;
        let (mass, inv_mass) = (&points.mass, &points.inv_mass);
        let columns = (&mut points.pred[..], PerRange(&mut residue[..]));
        parallel::for_each_range(&this.blocks, columns, &|b, range, (pred, residue)| {
            let plan = this.block_acc[b];
            let Some(pass) = passes[plan.body] else {
                return;
            };
            let block = MoveBlock {
                acc: &this.acc[plan.first..],
                stride: plan.stride,
                chunks: plan.chunks,
                origin: Record::new(this.origin[plan.body], 0.0),
                hold: &this.hold[range.clone()],
                share: &this.share[range.clone()],
                mass: &mass[range.clone()],
                inv_mass: &inv_mass[range],
                relaxation: pass.relaxation,
            };
            let (moved, bad) = block.run(pred);
            residue.0[0] += moved;
            if bad > 0 {
                non_finite.fetch_add(bad, Ordering::Relaxed);
            }
        });
        self.residue = residue;
        non_finite.into_inner()
    }

    /// Sums the accumulators of each point in order and speeds it up.
    fn push_points(&mut self, passes: &[Option<Pass>], points: &mut Points, h: f32) -> u32 {
        let non_finite = AtomicU32::new(0);
        let mut residue = std::mem::take(&mut self.residue);
        let this = &*self;
        let (mass, inv_mass) = (&points.mass, &points.inv_mass);
        let columns = (&mut points.v[..], PerRange(&mut residue[..]));
        parallel::for_each_range(&this.blocks, columns, &|b, range, (v, residue)| {
            let plan = this.block_acc[b];
            let Some(pass) = passes[plan.body] else {
                return;
            };
            let mut bad = 0;
            for (l, i) in range.enumerate().filter(|(_, i)| inv_mass[*i] > 0.0) {
                let push = this.sum_of(&plan, l) * (this.share[i] * pass.relaxation);
                let faster = v[l] + push;
                if faster.is_finite() {
                    residue.0[0] += (faster - v[l]) * (mass[i] * h);
                    v[l] = faster;
                } else {
                    bad += 1;
                }
            }
            if bad > 0 {
                non_finite.fetch_add(bad, Ordering::Relaxed);
            }
        });
        self.residue = residue;
        non_finite.into_inner()
    }

    /// The sum of the accumulators of point `l` of a block, in order.
    fn sum_of(&self, plan: &BlockAcc, l: usize) -> Vec3 {
        (0..plan.chunks).fold(Vec3::ZERO, |sum, chunk| {
            sum + self.acc[plan.first + chunk * plan.stride + l].position()
        })
    }

    /// Every chunk of a body with losses clears its accumulators and adds the mean velocities of its groups.
    fn add_means(&mut self, losses: &[f32], groups: &Groups, points: &Points) {
        let weight = |i: usize| points.pred[i].0[3];
        let velocities: Vec<Record> = points
            .v
            .iter()
            .enumerate()
            .map(|(i, v)| Record::new(*v, weight(i)))
            .collect();
        let mut acc = std::mem::take(&mut self.acc);
        let this = &*self;
        let mut nothing = vec![(); groups.len()];
        for_each_chunk(
            &this.chunks,
            &mut nothing[..],
            &mut acc,
            &|chunk, _, acc| {
                if losses[chunk.body] > 0.0 {
                    acc.fill(Record::default());
                    let input = this.input(chunk, groups, &velocities);
                    kernel::means(&input, chunk.groups.clone(), acc);
                }
            },
        );
        self.acc = acc;
    }

    /// Draws the velocity of each point to the mean of its groups' velocities.
    fn calm_points(&mut self, losses: &[f32], points: &mut Points) {
        let this = &*self;
        let inv_mass = &points.inv_mass;
        parallel::for_each_range(
            &this.blocks,
            &mut points.v[..],
            &|b, range, v: &mut [Vec3]| {
                let plan = this.block_acc[b];
                let loss = losses[plan.body];
                for (l, i) in range.enumerate() {
                    if loss > 0.0 && inv_mass[i] > 0.0 && this.share[i] > 0.0 {
                        let mean = this.sum_of(&plan, l) * this.share[i];
                        let calmed = v[l] + (mean - v[l]) * loss;
                        if calmed.is_finite() {
                            v[l] = calmed;
                        }
                    }
                }
            },
        );
    }

    /// Centre, rotation and A of every group at the positions in `pred`, without moving anything.
    pub(super) fn fit_all(&self, groups: &mut Groups, pred: &[Record], a: &mut [Mat3]) -> u32 {
        let mut center = std::mem::take(&mut groups.center);
        let mut rotation = std::mem::take(&mut groups.rotation);
        let repaired = AtomicU32::new(0);
        let groups_read = &*groups;
        for_each_chunk(
            &self.chunks,
            (&mut center[..], &mut rotation[..], a),
            &mut [],
            &|chunk, (center, rotation, a), _| {
                let input = self.input(chunk, groups_read, pred);
                let count = kernel::fits(&input, chunk.groups.clone(), center, rotation, a);
                repaired.fetch_add(count, Ordering::Relaxed);
            },
        );
        groups.center = center;
        groups.rotation = rotation;
        repaired.into_inner()
    }

    /// Sets the weight of every point of `bodies` in its groups' sums, and rebuilds what depends on it.
    ///
    /// Other bodies keep every bit: centring a rest shape twice rounds it twice.
    pub fn refresh_weights(bodies: &[MatchedBody], points: &mut Points, groups: &mut Groups) {
        for body in bodies {
            let holds = groups.holds(body.groups.clone(), body.points.clone());
            for (i, hold) in body.points.clone().zip(holds) {
                points.pred[i].0[3] = match body.averaging {
                    Averaging::MassWeighted if hold > 0.0 => points.mass[i] / hold,
                    _ => points.mass[i],
                };
            }
            groups.refresh(body.groups.clone(), |i| points.pred[i as usize].0[3]);
        }
    }
}

fn mean(centers: &[Vec3]) -> Vec3 {
    centers.iter().sum::<Vec3>() / centers.len().max(1) as f32
}

/// Forgets the last fit of group `k` if it is not finite.
fn restart(groups: &mut Groups, k: usize, points: &Points) {
    if !groups.center[k].is_finite() {
        let first = groups.members(k).next();
        groups.center[k] = first.map_or(Vec3::ZERO, |(i, _)| points.x[i as usize]);
    }
    if !groups.rotation[k].is_finite() {
        groups.rotation[k] = Quat::IDENTITY;
    }
}

/// Runs `f` on every chunk with its part of the group columns and of the accumulators (or none, if `acc` is empty).
fn for_each_chunk<C: Columns>(
    chunks: &[Chunk],
    columns: C,
    acc: &mut [Record],
    f: &(impl Fn(&Chunk, C, &mut [Record]) + Sync),
) {
    match chunks {
        [] => {}
        [chunk] => f(chunk, columns, acc),
        _ => {
            let (left, right) = chunks.split_at(chunks.len() / 2);
            let (a, b) = columns.cut(right[0].groups.start - left[0].groups.start, left.len());
            let at = if acc.is_empty() {
                0
            } else {
                right[0].acc.start - left[0].acc.start
            };
            let (acc_a, acc_b) = acc.split_at_mut(at);
            rayon::join(
                || for_each_chunk(left, a, acc_a, f),
                || for_each_chunk(right, b, acc_b, f),
            );
        }
    }
}

/// One block of points with all that moves it.
struct MoveBlock<'a> {
    acc: &'a [Record],
    stride: usize,
    chunks: usize,
    origin: Record,
    hold: &'a [f32],
    share: &'a [f32],
    mass: &'a [f32],
    inv_mass: &'a [f32],
    relaxation: f32,
}

impl MoveBlock<'_> {
    /// Moves the block's points; returns Σ m Δx and the number of corrections that were not finite and were dropped.
    fn run(&self, pred: &mut [Record]) -> (Vec3, u32) {
        // One and two chunks are the usual cases; knowing the number saves a loop a point.
        match self.chunks {
            1 => self.run_chunks::<1>(pred),
            2 => self.run_chunks::<2>(pred),
            _ => self.run_chunks::<0>(pred),
        }
    }

    #[inline(always)]
    fn run_chunks<const CHUNKS: usize>(&self, pred: &mut [Record]) -> (Vec3, u32) {
        let n = pred.len();
        let (hold, share) = (&self.hold[..n], &self.share[..n]);
        let (mass, inv_mass) = (&self.mass[..n], &self.inv_mass[..n]);
        let first = if self.chunks > 0 { &self.acc[..n] } else { &[] };
        let second = if CHUNKS == 2 {
            &self.acc[self.stride..self.stride + n]
        } else {
            first
        };
        let mut sum = Record::default();
        let mut bad = 0;
        for l in 0..n {
            let goal = match CHUNKS {
                1 => first[l],
                2 => first[l] + second[l],
                _ => (0..self.chunks).fold(Record::default(), |sum, chunk| {
                    sum + self.acc[chunk * self.stride + l]
                }),
            };
            let x = pred[l];
            let pull = goal - (x - self.origin) * Quad::splat(hold[l]);
            let free = if inv_mass[l] > 0.0 {
                self.relaxation
            } else {
                0.0
            };
            let moved = x + pull * Quad::splat(share[l] * free);
            let step = moved - x;
            if (step.0[0] + step.0[1] + step.0[2]).is_finite() {
                // The fourth number of a record is a weight and stays.
                pred[l] = Quad([moved.0[0], moved.0[1], moved.0[2], x.0[3]]);
                sum = sum + step * Quad::splat(mass[l]);
            } else {
                bad += 1;
            }
        }
        (sum.position(), bad)
    }
}
