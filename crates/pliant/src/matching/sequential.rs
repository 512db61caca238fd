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

mod abreast;
mod alone;
mod flow;
mod spun;

use super::JacobiReport;
use crate::math::lanes::{F8, Quad, Wide, dispatch};
use crate::state::{Groups, NO_LEAD, Oriented, Points, Record, Rings};
use abreast::Abreast;
pub use flow::Creep;
use flow::flow;
use glam::{Quat, Vec3};
use rayon::prelude::*;
use spun::{Spun, between, rotation_of, spun};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Groups up to which they are done in one run, if their order is given, and if it is free: the longer a run is the more groups are side by
/// side, but one thread does it.
const WHOLE: [usize; 2] = [96, 6000];
/// If levels hold fewer groups than this on the mean, eights are sought in other ways, among so many that are open.
const THIN: usize = 4;
const OPEN: usize = 12;
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

/// In which order the groups of a body are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they are numbered, in each iteration, so that a bend travels along a rope.
    #[default]
    Given,
    /// About as they are numbered, forwards and backwards in turn: for sheets and shells, whose numbers say little of who is beside whom.
    Free,
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
    /// In which order its groups are placed.
    pub order: Order,
    /// Its groups are placed in the first of so many iterations; contacts and joints in each.
    pub every: u32,
}

/// What is placed next.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// One of the run's groups.
    Alone(u32),
    /// One of its eights.
    Abreast(u32),
}

/// A run of groups with a copy of the particles that they hold.
#[derive(Clone, Debug, Default)]
struct Run {
    /// Its body among those that take part.
    body: usize,
    /// It is placed in the first of so many iterations.
    every: u32,
    /// In the order in which they are placed.
    groups: Vec<u32>,
    work: Vec<Work>,
    eights: Vec<Abreast>,
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
    /// Behind the last one is nobody, who weighs nothing.
    x: Vec<Record>,
    /// Rotations with the moments of the particles; behind the last one nobody's.
    spun: Vec<Spun>,
    /// Whether something may turn a particle.
    turns: Vec<bool>,
    center: Vec<Vec3>,
    rotation: Vec<Quat>,
    /// New rest positions, in the lanes of the groups' blocks.
    flowed: Vec<[F8; 3]>,
    /// Rotations that were repaired, or groups that flowed, in the last pass.
    met: u32,
    order: Order,
    /// Whether it is placed in the opposite order in this iteration.
    backwards: bool,
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
                    let mut run = Run::new(body, rings, &groups, &leads);
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
                    run.backwards = run.order == Order::Free && iteration % 2 == 1;
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
            for run in runs.iter_mut().filter(|run| run.met > 0) {
                yielding += run.met;
                let groups = &mut rings.groups;
                for (l, &k) in run.groups.iter().enumerate() {
                    let blocks = groups.block_range(k as usize);
                    let flowed = &run.flowed[run.own(l)];
                    for (block, q) in groups.blocks[blocks].iter_mut().zip(flowed) {
                        block.q = *q;
                    }
                }
                let mut eights = std::mem::take(&mut run.eights);
                for eight in &mut eights {
                    eight.read_rest(run, groups);
                }
                run.eights = eights;
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
    while rest.len() > WHOLE[body.order as usize] {
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
    fn new(body: &SequentialBody, rings: &Rings, groups: &[u32], leads: &[bool]) -> Self {
        let all = &rings.groups;
        let levels = arrange(groups, all, body.order);
        let groups: Vec<u32> = levels.iter().flatten().copied().collect();
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
        let mut run = Self {
            first,
            turns_more,
            follows: particles.iter().map(|&i| follows(point(i))).collect(),
            members,
            lead,
            particles,
            groups,
            order: body.order,
            ..Self::default()
        };
        run.put_abreast(all, &levels);
        run
    }

    /// Puts groups that share no particle side by side.
    fn put_abreast(&mut self, groups: &Groups, levels: &[Vec<u32>]) {
        let mut from = 0;
        for level in levels {
            for chunk in level.chunks(8) {
                let own = from..from + chunk.len();
                from = own.end;
                let small = |&&k: &&u32| groups.count[k as usize] <= abreast::MOST;
                if chunk.iter().filter(small).count() == chunk.len()
                    && chunk.len() >= abreast::LEAST
                {
                    self.work.push(Work::Abreast(self.eights.len() as u32));
                    self.eights.push(Abreast::new(self, groups, own));
                } else {
                    self.work.extend(own.map(|l| Work::Alone(l as u32)));
                }
            }
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
        self.spun.clear();
        self.turns.clear();
        for &i in &self.particles {
            let i = i as usize;
            let point = oriented.point[i] as usize;
            let mass = points.mass[point];
            let weight = if points.inv_mass[point] > 0.0 {
                mass
            } else {
                -HELD * mass
            };
            let held = oriented.held[i];
            let inertia = oriented.moment[i] * if held { HELD } else { 1.0 };
            self.x
                .push(Record::new(points.pred[point].position(), weight));
            self.spun.push(spun(oriented.turned[i], inertia));
            self.turns.push(!held && inertia > 0.0);
        }
        self.x.push(Quad::splat(0.0));
        self.spun.push(Quad::splat(0.0));
        self.turns.push(false);
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
            let (x, spun) = (self.x[l].position(), self.spun[l]);
            if x.is_finite() && spun.0.iter().all(|c| c.is_finite()) {
                let point = oriented.point[i] as usize;
                *residue += (x - points.pred[point].position()) * points.mass[point];
                points.pred[point].set_position(x);
                if self.turns[l] {
                    oriented.turned[i] = rotation_of(spun);
                }
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

    /// Turns those of the `l`-th group that turn with it by the share `k`.
    #[inline(always)]
    fn turn_members(&mut self, groups: &Groups, l: usize, k: f32) {
        if self.lead[l] != NO_LEAD {
            self.turn(self.lead[l] as usize, self.rotation[l], k);
        }
        if self.turns_more[l] {
            self.turn_followers(groups, l, k);
        }
    }

    /// The same of those that are not its lead.
    #[inline(always)]
    fn turn_followers(&mut self, groups: &Groups, l: usize, k: f32) {
        let group = self.groups[l] as usize;
        let weights = &groups.weights[groups.block_range(group)];
        let own = self.own(l).start;
        for i in 0..groups.count[group] as usize {
            let member = self.members[own + i / 8][i % 8] as usize;
            if self.follows[member] && weights[i / 8].0[i % 8] > 0.0 {
                self.turn(member, self.rotation[l], k);
            }
        }
    }

    /// Turns a particle to the rotation of a group by the share `k`.
    #[inline(always)]
    fn turn(&mut self, particle: usize, rotation: Quat, k: f32) {
        if self.turns[particle] {
            let own = &mut self.spun[particle].0;
            *own = between(*own, rotation.to_array(), k);
        }
    }
}

/// Groups in lists, in each of which no two share a particle, large ones first; the lists are placed one after the other.
fn arrange(groups: &[u32], all: &Groups, order: Order) -> Vec<Vec<u32>> {
    let mut lists = levels(groups, all);
    if order == Order::Free && lists.len() * THIN > groups.len() {
        lists = windows(groups, all);
    }
    for list in &mut lists {
        list.sort_by_key(|&k| std::cmp::Reverse(all.count[k as usize]));
    }
    lists
}

/// Groups that share a particle are in levels that ascend as they do, so placing one level after the other is placing one group after the other.
fn levels(order: &[u32], groups: &Groups) -> Vec<Vec<u32>> {
    let mut next = BTreeMap::new();
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for &k in order {
        let members = || groups.members(k as usize).map(|(point, _)| point);
        let level = members()
            .filter_map(|point| next.get(&point).copied())
            .max();
        let level: usize = level.unwrap_or(0);
        members().for_each(|point| {
            next.insert(point, level + 1);
        });
        if level == levels.len() {
            levels.push(Vec::new());
        }
        levels[level].push(k);
    }
    levels
}

/// Each group is put with the first eight that still take some and hold none of its particles: almost the order of numbers, but where those
/// around a shell would wait for each other, eight are found.
fn windows(groups: &[u32], all: &Groups) -> Vec<Vec<u32>> {
    let mut done = Vec::new();
    let mut open: Vec<(Vec<u32>, BTreeSet<u32>)> = Vec::new();
    for &k in groups {
        let members = || all.members(k as usize).map(|(point, _)| point);
        if all.count[k as usize] > abreast::MOST {
            done.extend(open.drain(..).map(|(list, _)| list));
            done.push(vec![k]);
            continue;
        }
        let takes = |(_, taken): &(Vec<u32>, BTreeSet<u32>)| members().all(|m| !taken.contains(&m));
        let at = open.iter().position(takes).unwrap_or_else(|| {
            open.push((Vec::new(), BTreeSet::new()));
            open.len() - 1
        });
        open[at].0.push(k);
        open[at].1.extend(members());
        if open[at].0.len() == 8 {
            done.push(open.remove(at).0);
        } else if open.len() > OPEN {
            done.push(open.remove(0).0);
        }
    }
    done.extend(open.into_iter().map(|(list, _)| list));
    done
}

dispatch! {
    /// Places the groups of a run one after the other: see [`solve_kernel`].
    fn solve(run: &mut Run, groups: &Groups) -> u32 = solve_kernel
}

/// Places the groups of a run one after the other and moves their members; returns the number of repaired rotations.
#[inline(always)]
fn solve_kernel<W: Wide>(run: &mut Run, groups: &Groups) -> u32 {
    let (work, eights) = (
        std::mem::take(&mut run.work),
        std::mem::take(&mut run.eights),
    );
    let mut repaired = 0;
    // Not a closure: that would be compiled without AVX (measured: fifteen times slower).
    for at in 0..work.len() {
        let at = if run.backwards {
            work.len() - 1 - at
        } else {
            at
        };
        repaired += match work[at] {
            Work::Alone(l) => u32::from(alone::place::<W>(run, groups, l as usize)),
            Work::Abreast(at) => abreast::place::<W>(run, groups, &eights[at as usize]),
        };
    }
    (run.work, run.eights) = (work, eights);
    repaired
}

#[cfg(test)]
mod tests;
