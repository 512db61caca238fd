//! Groups of oriented particles, one after the other \[MC11\].
//!
//! Symbols, per group: members i with mass m_i, rest position q_i, and, if they have one, rotation R_i since rest and moment radius r_i;
//! c = Σ m x / M, c̄ = Σ m q / M, A = Σ (m r²/5 R_i + m (x − c)(q − c̄)ᵀ); R is the rotation of A, the goal of a member R (q − c̄) + c. Its own
//! moment is what makes A of a rope, of a sheet and of one particle alone invertible. The paper prints the moment of an ellipsoid with the
//! rotation on the wrong side; with radii that are equal about all axes, as here, both are the same.
//!
//! Applied in sequence, each group sees what those before it did: a bend travels along a whole rope in one pass, and each group leaves
//! the momentum as it is. Bodies do not share particles, so they are done at the same time; a body of many groups is cut into runs of
//! neighbouring groups that share no particle with another run and are done at the same time, and what is left at their borders is cut again. The
//! runs depend on the body alone.

use super::JacobiReport;
use super::kernel::{self, Sums};
use crate::math::algebra::{M3, V3};
use crate::math::lanes::{F8, Quad, Wide, dispatch};
use crate::math::rotation::rotation_near;
use crate::state::{Groups, NO_LEAD, Oriented, Points, Record, Rings};
use glam::{Mat3, Quat, Vec3, Vec4};
use rayon::prelude::*;
use std::ops::Range;

/// Groups up to which they are done in one run.
const WHOLE: usize = 96;
/// Runs that the groups of a body are cut into at a time: at least, at most, and for how many groups there is one more.
const PARTS: (usize, usize, usize) = (4, 16, 256);

/// How much heavier than it is something held counts in the sums.
const HELD: f32 = 1e4;

/// Which particles take the rotation of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turning {
    /// The one in the middle \[MC11\]. One that is in the middle of no group turns with every group that its own rotation counts in; if
    /// nothing turned it, it would be a flywheel.
    #[default]
    Lead,
    /// All members: keeps the angular momentum better.
    All,
}

/// What the solve needs to know of a body of oriented particles.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialBody {
    /// Its number in the world.
    pub body: usize,
    /// The body's points.
    pub points: Range<usize>,
    /// Its first entry in the columns of oriented particles.
    pub first_oriented: usize,
    /// Its groups.
    pub rings: Range<usize>,
    /// Which particles turn.
    pub turning: Turning,
    /// Its groups are placed in the first of so many iterations; contacts and joints in each.
    pub every: u32,
}

/// The moment of a particle about its own centre, by columns.
type Moment = [Quad; 3];

/// A run of groups with a copy of the particles that they hold.
#[derive(Clone, Debug, Default)]
struct Run {
    /// Its body among those that take part.
    body: usize,
    /// It is placed in the first of so many iterations.
    every: u32,
    groups: Vec<u32>,
    /// Where the members of each group begin in `members`, and where the last ones end.
    first: Vec<u32>,
    /// Whether each group turns more than its lead.
    turns_more: Vec<bool>,
    /// Whether a particle turns with every group that its own rotation counts in.
    follows: Vec<bool>,
    /// Entries of its particles in the columns of oriented ones, ascending.
    particles: Vec<u32>,
    /// Members in the lanes of the groups' blocks, by their places in `particles`.
    members: Vec<[u32; 8]>,
    /// The particle that turns with each group, or [`NO_LEAD`].
    lead: Vec<u32>,
    /// Predicted positions with masses; those of held particles are negative.
    x: Vec<Record>,
    turned: Vec<Quat>,
    /// m r²/5.
    inertia: Vec<f32>,
    /// Whether the rotation is held.
    held: Vec<bool>,
    moment: Vec<Moment>,
    center: Vec<Vec3>,
    rotation: Vec<Quat>,
    /// New rest positions, in the lanes of the groups' blocks.
    flowed: Vec<[F8; 3]>,
    /// Rotations that were repaired, or groups that flowed, in the last pass.
    met: u32,
}

/// The runs of all bodies; those of one colour share no particle.
#[derive(Clone, Debug, Default)]
pub struct Sequential {
    colors: Vec<Vec<Run>>,
    /// Bodies of the world that take part, and Σ m Δx of each in this substep (kg m): round-off, for in exact arithmetic it is zero.
    residue: Vec<(usize, Vec3)>,
}

impl Sequential {
    /// Plans the work anew after bodies or groups have changed.
    pub fn plan(&mut self, bodies: &[SequentialBody], rings: &Rings) {
        self.colors.clear();
        self.residue = bodies.iter().map(|b| (b.body, Vec3::ZERO)).collect();
        for (at, body) in bodies.iter().enumerate() {
            let mut leads = vec![false; body.points.len()];
            for &lead in &rings.lead[body.rings.clone()] {
                if lead != NO_LEAD {
                    leads[lead as usize - body.points.start] = true;
                }
            }
            for (color, runs) in rounds(body, rings).into_iter().enumerate() {
                if self.colors.len() <= color {
                    self.colors.resize_with(color + 1, Vec::new);
                }
                for groups in runs {
                    let mut run = Run::new(body, rings, groups, &leads);
                    (run.body, run.every) = (at, body.every.max(1));
                    self.colors[color].push(run);
                }
            }
        }
    }

    /// Begins a substep.
    pub fn begin_substep(&mut self) {
        self.residue.iter_mut().for_each(|r| r.1 = Vec3::ZERO);
    }

    /// Bodies with the Σ m Δx that round-off has left in each since the substep began (kg m). Far from the origin it repeats and acts like
    /// a force, so the caller takes it out of the velocities.
    pub fn residue(&self) -> &[(usize, Vec3)] {
        &self.residue
    }

    /// Adds to the residue of a body of the world (kg m).
    pub fn add_residue(&mut self, body: usize, residue: Vec3) {
        if let Some(own) = self.residue.iter_mut().find(|own| own.0 == body) {
            own.1 += residue;
        }
    }

    /// Places every group once, whose turn it is in this iteration, and moves its members to their goals.
    pub fn iterate(
        &mut self,
        iteration: u32,
        rings: &mut Rings,
        points: &mut Points,
        oriented: &mut Oriented,
    ) -> JacobiReport {
        let mut met = JacobiReport::default();
        for runs in &mut self.colors {
            let groups = &rings.groups;
            let is_due = |run: &Run| iteration.is_multiple_of(run.every);
            runs.par_iter_mut().for_each(|run| {
                if is_due(run) {
                    run.load(groups, points, oriented);
                    run.met = solve(run, groups);
                }
            });
            for run in runs.iter_mut().filter(|run| is_due(run)) {
                let residue = &mut self.residue[run.body].1;
                met += run.store(&mut rings.groups, points, oriented, residue);
            }
        }
        met
    }
}

impl Sequential {
    /// Lets the groups of bodies flow that do; `creep` tells how, by the bodies' numbers in the world. Returns how many groups flowed.
    pub fn flow(
        &mut self,
        rings: &mut Rings,
        points: &Points,
        oriented: &Oriented,
        creep: impl Fn(usize) -> Option<Creep> + Sync,
    ) -> u32 {
        let mut yielding = 0;
        let bodies = &self.residue;
        for runs in &mut self.colors {
            let flows = |run: &Run| creep(bodies[run.body].0);
            let read = &*rings;
            runs.par_iter_mut().for_each(|run| {
                run.met = 0;
                if let Some(creep) = flows(run) {
                    run.load(&read.groups, points, oriented);
                    run.met = flow(run, read, &creep);
                }
            });
            for run in runs.iter().filter(|run| run.met > 0) {
                yielding += run.met;
                let groups = &mut rings.groups;
                for (l, &k) in run.groups.iter().enumerate() {
                    let blocks = groups.block_range(k as usize);
                    let flowed = &run.flowed[run.own(l)];
                    for (block, q) in groups.blocks[blocks].iter_mut().zip(flowed) {
                        block.q = *q;
                    }
                }
            }
        }
        yielding
    }
}

/// The groups of a body in rounds of runs: those of a round share no particle.
///
/// The groups are cut into parts of neighbours. The first part that asks for a particle gets it; groups that want one of another part are
/// left for the next round.
fn rounds(body: &SequentialBody, rings: &Rings) -> Vec<Vec<Vec<u32>>> {
    let mut rest: Vec<u32> = (body.rings.start as u32..body.rings.end as u32).collect();
    let mut rounds = Vec::new();
    while rest.len() > WHOLE {
        let parts = (rest.len() / PARTS.2).clamp(PARTS.0, PARTS.1);
        let length = rest.len().div_ceil(parts);
        let mut owner = vec![usize::MAX; body.points.len()];
        let mut left = Vec::new();
        let mut runs = Vec::new();
        for (part, groups) in rest.chunks(length).enumerate() {
            let mut own = Vec::new();
            for &k in groups {
                let of = |point: u32| point as usize - body.points.start;
                let members = || rings.groups.members(k as usize).map(|(point, _)| of(point));
                let is_free = |i: usize| owner[i] == usize::MAX || owner[i] == part;
                if members().all(is_free) {
                    members().for_each(|i| owner[i] = part);
                    own.push(k);
                } else {
                    left.push(k);
                }
            }
            if !own.is_empty() {
                runs.push(own);
            }
        }
        rounds.push(runs);
        rest = left;
    }
    if !rest.is_empty() {
        rounds.push(vec![rest]);
    }
    rounds
}

impl Run {
    /// The run over `groups`; `leads` tells of each particle of the body whether it is in the middle of a group.
    fn new(body: &SequentialBody, rings: &Rings, groups: Vec<u32>, leads: &[bool]) -> Self {
        let all = &rings.groups;
        let own = |point: u32| point - body.points.start as u32 + body.first_oriented as u32;
        let numbers = || groups.iter().map(|&k| k as usize);
        let mut particles: Vec<u32> = numbers()
            .flat_map(|k| all.members(k).map(|(point, _)| own(point)))
            .collect();
        particles.sort_unstable();
        particles.dedup();
        let place = |point: u32| particles.partition_point(|&i| i < own(point)) as u32;
        let (mut members, mut first) = (Vec::new(), vec![0]);
        for k in numbers() {
            let blocks = all.blocks[all.block_range(k)].iter();
            members.extend(blocks.map(|block| block.member.map(place)));
            first.push(members.len() as u32);
        }
        let lead = numbers()
            .map(|k| {
                let lead = rings.lead[k];
                if lead == NO_LEAD {
                    NO_LEAD
                } else {
                    place(lead)
                }
            })
            .collect();
        let follows =
            |point: u32| body.turning == Turning::All || !leads[point as usize - body.points.start];
        let turns_more = numbers()
            .map(|k| {
                let mut members = all.weighted_members(k);
                members.any(|m| m.weight > 0.0 && follows(m.mover))
            })
            .collect();
        let point = |i: u32| i - body.first_oriented as u32 + body.points.start as u32;
        Self {
            first,
            turns_more,
            follows: particles.iter().map(|&i| follows(point(i))).collect(),
            members,
            lead,
            particles,
            groups,
            ..Self::default()
        }
    }

    /// Where the members of the run's `l`-th group are in `members`.
    #[inline(always)]
    fn own(&self, l: usize) -> Range<usize> {
        self.first[l] as usize..self.first[l + 1] as usize
    }

    /// Copies the particles as they are predicted, and the last places of the groups.
    fn load(&mut self, groups: &Groups, points: &Points, oriented: &Oriented) {
        self.x.clear();
        self.turned.clear();
        self.inertia.clear();
        self.held.clear();
        self.moment.clear();
        for &i in &self.particles {
            let i = i as usize;
            let point = oriented.point[i] as usize;
            let mass = points.mass[point];
            let weight = if points.inv_mass[point] > 0.0 {
                mass
            } else {
                -HELD * mass
            };
            let heavy = if oriented.held[i] { HELD } else { 1.0 };
            let inertia = heavy * oriented.moment[i];
            self.x
                .push(Record::new(points.pred[point].position(), weight));
            self.turned.push(oriented.turned[i]);
            self.inertia.push(inertia);
            self.held.push(oriented.held[i]);
            self.moment.push(moment_of(oriented.turned[i], inertia));
        }
        let own = || self.groups.iter().map(|&k| k as usize);
        self.center.clear();
        self.center.extend(own().map(|k| groups.center[k]));
        self.rotation.clear();
        self.rotation.extend(own().map(|k| groups.rotation[k]));
    }

    /// Writes back what the groups did; a number that is not finite is dropped.
    fn store(
        &self,
        groups: &mut Groups,
        points: &mut Points,
        oriented: &mut Oriented,
        residue: &mut Vec3,
    ) -> JacobiReport {
        let mut non_finite = 0;
        for (l, &i) in self.particles.iter().enumerate() {
            let i = i as usize;
            let (x, turned) = (self.x[l].position(), self.turned[l]);
            if x.is_finite() && turned.is_finite() {
                let point = oriented.point[i] as usize;
                *residue += (x - points.pred[point].position()) * points.mass[point];
                points.pred[point].set_position(x);
                oriented.turned[i] = turned;
            } else {
                non_finite += 1;
            }
        }
        for (l, &k) in self.groups.iter().enumerate() {
            let k = k as usize;
            if self.center[l].is_finite() && self.rotation[l].is_finite() {
                groups.center[k] = self.center[l];
                groups.rotation[k] = self.rotation[l];
            }
        }
        JacobiReport {
            repaired: self.met,
            non_finite,
        }
    }

    /// Turns a particle to the rotation of a group by the share `k`.
    #[inline(always)]
    fn turn(&mut self, particle: usize, rotation: Quat, k: f32) {
        if self.held[particle] || self.inertia[particle] == 0.0 {
            return;
        }
        let turned = if k >= 1.0 {
            rotation
        } else {
            between(self.turned[particle], rotation, k)
        };
        self.turned[particle] = turned;
        self.moment[particle] = moment_of(turned, self.inertia[particle]);
    }
}

/// The rotation that is the share `k` of the way from `a` to `b`, the shorter way round, along the chord.
///
/// Written out because a square root of glam's is an instruction of SSE here, which stalls among those of AVX (measured: a third of the solve).
#[inline(always)]
fn between(a: Quat, b: Quat, k: f32) -> Quat {
    let (a, b) = (Vec4::from(a), Vec4::from(b));
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let c = a * (1.0 - k) + b * k;
    Quat::from_vec4(c * (1.0 / c.dot(c).sqrt()))
}

/// m r²/5 R by columns.
#[inline(always)]
fn moment_of(turned: Quat, inertia: f32) -> Moment {
    let m = Mat3::from_quat(turned) * inertia;
    let quad = |c: Vec3| Quad([c.x, c.y, c.z, 0.0]);
    [quad(m.x_axis), quad(m.y_axis), quad(m.z_axis)]
}

dispatch! {
    /// Places the groups of a run one after the other: see [`solve_kernel`].
    fn solve(run: &mut Run, groups: &Groups) -> u32 = solve_kernel
}

/// Places the groups of a run one after the other and moves their members; returns the number of repaired rotations.
#[inline(always)]
fn solve_kernel<W: Wide>(run: &mut Run, groups: &Groups) -> u32 {
    let mut repaired = 0;
    for l in 0..run.groups.len() {
        let k = run.groups[l] as usize;
        let blocks = groups.block_range(k);
        let own = run.own(l);
        // Most groups are one block, which is read once.
        let head = W::gather(&run.x, &run.members[own.start]);
        let fit = fit::<W>(run, groups, (l, k), own.clone(), head);
        repaired += u32::from(fit.mended);
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
        if run.lead[l] != NO_LEAD {
            run.turn(run.lead[l] as usize, fit.rotation, stiffness);
        }
        if run.turns_more[l] {
            let weights = &groups.weights[blocks];
            for i in 0..groups.count[k] as usize {
                let member = run.members[own.start + i / 8][i % 8] as usize;
                if run.follows[member] && weights[i / 8].0[i % 8] > 0.0 {
                    run.turn(member, fit.rotation, stiffness);
                }
            }
        }
    }
    repaired
}

/// Where a group is: its members belong at R q + place.
struct Placement {
    center: Vec3,
    rotation: Quat,
    place: Vec3,
    /// Whether the warm start did not do.
    mended: bool,
}

/// Places group `k`, the run's `l`-th, whose blocks of members are `own` in the run; the first of these are at `head`.
#[inline(always)]
fn fit<W: Wide>(
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
    a += own_moments(groups, k, members, &run.moment);
    let (rotation, mended) = rotation_near(a, run.rotation[l]);
    Placement {
        center,
        rotation,
        place: center - rotation * mean_q,
        mended,
    }
}

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
    fn flow(run: &mut Run, rings: &Rings, creep: &Creep) -> u32 = flow_kernel
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

/// A vector, shortened to `most` if it is longer; written out for the same reason as [`between`].
#[inline(always)]
fn no_longer_than(v: Vec3, most: f32) -> Vec3 {
    let length = v.length_squared().sqrt();
    if length > most {
        v * (most / length)
    } else {
        v
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

/// Adds up the members of group `k`, which are at `members` in `x`, the first block of them at `head`. Weights are not those that rest positions were centred with: what is
/// held counts more.
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
fn own_moments(groups: &Groups, k: usize, members: &[[u32; 8]], moment: &[Moment]) -> Mat3 {
    let weights = &groups.weights[groups.block_range(k)];
    let mut sum = [Quad::splat(0.0); 3];
    for i in 0..groups.count[k] as usize {
        let weight = Quad::splat(weights[i / 8].0[i % 8]);
        let own = &moment[members[i / 8][i % 8] as usize];
        for (sum, own) in sum.iter_mut().zip(own) {
            *sum = *sum + *own * weight;
        }
    }
    let column = |c: Quad| Vec3::new(c.0[0], c.0[1], c.0[2]);
    Mat3::from_cols(column(sum[0]), column(sum[1]), column(sum[2]))
}
