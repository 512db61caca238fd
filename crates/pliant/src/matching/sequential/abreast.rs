//! Eight groups side by side, which share no particle: member after member, each lane a group.
//!
//! Small groups fill their lanes badly one at a time: a primitive of a quad sheet and its eight neighbours are nine, two blocks of eight. And one
//! group alone waits for each step of its rotation (measured on a truck with four tyres of 2,500 primitives: the solve went from 37 ms
//! a frame to 14, a little of it by cheaper copies of what is tied).

use super::Run;
use super::spun::{Products, between};
use crate::math::algebra::{M3, V3};
use crate::math::lanes::{F8, Quad, Wide};
use crate::math::rotation::{LAST_STEP, refine_or_repair};
use crate::state::{Groups, NO_LEAD};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Groups of more members are placed alone.
pub(super) const MOST: u32 = 24;
/// So many groups are placed side by side; fewer are done sooner alone.
pub(super) const LEAST: usize = 3;

/// The same member of eight groups. Where a group has no such member, or there is no group, it is nobody, who weighs nothing.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Places of the particles in the run.
    member: [u32; 8],
    /// The same, but nobody where the particle's own moment does not count.
    counted: [u32; 8],
    /// Rest positions.
    q: [F8; 3],
}

/// Up to eight groups.
#[derive(Clone, Debug)]
pub(super) struct Abreast {
    /// Which of the run's groups.
    groups: Range<usize>,
    rows: Vec<Row>,
    /// The particles that turn with them; nobody where none does.
    leads: [u32; 8],
    stiffness: F8,
    /// One where there is no group.
    absent: F8,
    /// Whether any of them turns more than its lead.
    turns_more: bool,
}

impl Abreast {
    /// The groups `own` of a run.
    pub(super) fn new(run: &Run, groups: &Groups, own: Range<usize>) -> Self {
        let nobody = run.particles.len() as u32;
        let numbers = || run.groups[own.clone()].iter().map(|&k| k as usize);
        let longest = numbers().map(|k| groups.count[k]).max().unwrap_or(0);
        let row = Row {
            member: [nobody; 8],
            counted: [nobody; 8],
            q: [F8::ZERO; 3],
        };
        let mut this = Self {
            groups: own.clone(),
            rows: vec![row; longest as usize],
            leads: [nobody; 8],
            stiffness: F8::ZERO,
            absent: F8([1.0; 8]),
            turns_more: own.clone().any(|l| run.turns_more[l]),
        };
        for (lane, (l, k)) in own.clone().zip(numbers()).enumerate() {
            this.absent.0[lane] = 0.0;
            this.stiffness.0[lane] = groups.material[k].stiffness;
            if run.lead[l] != NO_LEAD {
                this.leads[lane] = run.lead[l];
            }
            let weights = &groups.weights[groups.block_range(k)];
            for i in 0..groups.count[k] as usize {
                let member = run.members[run.first[l] as usize + i / 8][i % 8];
                this.rows[i].member[lane] = member;
                if weights[i / 8].0[i % 8] > 0.0 {
                    this.rows[i].counted[lane] = member;
                }
            }
        }
        this.read_rest(run, groups);
        this
    }

    /// Reads the rest positions anew, after groups have flowed.
    pub(super) fn read_rest(&mut self, run: &Run, groups: &Groups) {
        for (lane, &k) in run.groups[self.groups.clone()].iter().enumerate() {
            let blocks = &groups.blocks[groups.block_range(k as usize)];
            for i in 0..groups.count[k as usize] as usize {
                for axis in 0..3 {
                    self.rows[i].q[axis].0[lane] = blocks[i / 8].q[axis].0[i % 8];
                }
            }
        }
    }
}

/// What members belong at: R q + place.
struct Places<W> {
    rotation: [Quat; 8],
    center: V3<W>,
    place: V3<W>,
    turn: M3<W>,
    quaternion: [W; 4],
    repaired: u32,
}

/// Places eight groups and moves their members; returns the number of repaired rotations.
#[inline(always)]
pub(super) fn place<W: Wide>(run: &mut Run, groups: &Groups, eight: &Abreast) -> u32 {
    let places = fit::<W>(run, eight);
    let center = places.center.unpack();
    for (lane, l) in eight.groups.clone().enumerate() {
        run.center[l] = center[lane];
        run.rotation[l] = places.rotation[lane];
    }
    let (zero, stiffness) = (W::splat(0.0), W::load(&eight.stiffness));
    for row in &eight.rows {
        let [x, y, z, w] = W::gather(&run.x, &row.member);
        let goal = places.turn.apply(rest(row)) + places.place;
        let way = (goal - V3::new(x, y, z)).scale(stiffness);
        // What is held has a negative weight, nobody has none.
        let only = |way: W| zero.select_less(w, way, zero);
        let way = [only(way.x), only(way.y), only(way.z)];
        W::scatter_add(&mut run.x, &row.member, 0, way);
    }
    turn_leads(run, eight, &places);
    if eight.turns_more {
        for l in eight.groups.clone() {
            let stiffness = groups.material[run.groups[l] as usize].stiffness;
            run.turn_followers(groups, l, stiffness);
        }
    }
    places.repaired
}

#[inline(always)]
fn rest<W: Wide>(row: &Row) -> V3<W> {
    let [x, y, z] = &row.q;
    V3::new(W::load(x), W::load(y), W::load(z))
}

/// Where eight groups are.
#[inline(always)]
fn fit<W: Wide>(run: &Run, eight: &Abreast) -> Places<W> {
    let (mut origin, mut guess) = ([Vec3::ZERO; 8], [Quat::IDENTITY; 8]);
    for (lane, l) in eight.groups.clone().enumerate() {
        (origin[lane], guess[lane]) = (run.center[l], run.rotation[l]);
    }
    let origin = V3::<W>::pack(&origin);
    let (zero, absent) = (W::splat(0.0), W::load(&eight.absent));
    let none = V3::new(zero, zero, zero);
    // Σ m, Σ m q, Σ m (x − origin), Σ m (x − origin) qᵀ.
    let (mut total, mut mean, mut s) = (absent, none, none);
    let mut a = [none; 3];
    for row in &eight.rows {
        let [x, y, z, w] = W::gather(&run.x, &row.member);
        let (w, q) = (w.abs(), rest::<W>(row));
        let d = (V3::new(x, y, z) - origin).scale(w);
        total += w;
        mean = mean + q.scale(w);
        s = s + d;
        a[0] = a[0] + d.scale(q.x);
        a[1] = a[1] + d.scale(q.y);
        a[2] = a[2] + d.scale(q.z);
    }
    let mut own = Products::<W>::zero();
    for row in &eight.rows {
        own.add(W::gather(&run.spun, &row.counted));
    }
    let inverse = W::splat(1.0) / total;
    let (mean, shift) = (mean.scale(inverse), s.scale(inverse));
    let own = own.moment().cols;
    // Where there is no group, any rotation will do.
    let mut cols = [
        a[0] - s.scale(mean.x) + own[0],
        a[1] - s.scale(mean.y) + own[1],
        a[2] - s.scale(mean.z) + own[2],
    ];
    cols[0].x += absent;
    cols[1].y += absent;
    cols[2].z += absent;
    let is_enough = |square: W| square.at_most(W::splat(LAST_STEP * LAST_STEP)) == 0xff;
    let (rotation, repaired) = refine_or_repair(M3 { cols }, &guess, is_enough);
    let quaternion = pack(&rotation);
    let turn = M3::from_quaternion(quaternion);
    let center = origin + shift;
    Places {
        rotation,
        center,
        place: center - turn.apply(mean),
        turn,
        quaternion,
        repaired,
    }
}

#[inline(always)]
fn pack<W: Wide>(q: &[Quat; 8]) -> [W; 4] {
    let mut lanes = [F8::ZERO; 4];
    for l in 0..8 {
        let own = q[l].to_array();
        for k in 0..4 {
            lanes[k].0[l] = own[k];
        }
    }
    [
        W::load(&lanes[0]),
        W::load(&lanes[1]),
        W::load(&lanes[2]),
        W::load(&lanes[3]),
    ]
}

/// Turns the leads of eight groups with these.
#[inline(always)]
fn turn_leads<W: Wide>(run: &mut Run, eight: &Abreast, places: &Places<W>) {
    let stiffness = W::load(&eight.stiffness);
    let turned = between(
        W::gather(&run.spun, &eight.leads),
        places.quaternion,
        stiffness,
    );
    let turned = [
        turned[0].store(),
        turned[1].store(),
        turned[2].store(),
        turned[3].store(),
    ];
    for (lane, &lead) in eight.leads.iter().enumerate() {
        let lead = lead as usize;
        if run.turns[lead] {
            let [x, y, z, w] = &turned;
            run.spun[lead] = Quad([x.0[lane], y.0[lane], z.0[lane], w.0[lane]]);
        }
    }
}
