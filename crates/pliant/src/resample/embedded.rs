//! Reclustering in an embedded rest space [FJLSB17 §3.2]: groups that have strained too much go; a particle that would be left without
//! any seeds a new one, whose rest shape is taken from a place where the groups around it are as little strained as they can be.

use super::Context;
use super::cloud::Cloud;
use super::groups::{New, Old};
use crate::clustering::Kernel;
use crate::matching::{Fit, Listed, right_factor, sweep};
use crate::math::quaternion::mean_rotation;
use crate::math::svd::{pseudo_inverse, signed_svd};
use crate::random::Random;
use crate::report::ResampleStage;
use crate::state::{Fading, GroupMaterial, Member, Record};
use glam::{Mat3, Quat, Vec3};

/// How groups are replaced in an embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedded {
    /// Groups go whose F_P has a larger condition number.
    pub cond_max: f32,
    /// Frames in which a group goes.
    pub fade_out: u32,
    /// Frames in which a group comes; at most as many.
    pub fade_in: u32,
    /// A particle in fewer groups that stay seeds a new one.
    pub min_clusters: u32,
    /// Most sweeps of the embedding; with 0 rest shapes are taken from the world as it is, and centres are not optimised.
    pub sweeps: u32,
}

impl Default for Embedded {
    fn default() -> Self {
        Self {
            cond_max: 1.5,
            fade_out: 30,
            fade_in: 15,
            min_clusters: 1,
            sweeps: 20,
        }
    }
}

/// An embedding has settled if a sweep moves places by this part of what the first one did, squared.
const SETTLED: f32 = 1e-8;
/// Least weight of a group in an embedding: one that is almost gone still knows its rest shape.
const LEAST_GAIN: f32 = 0.05;
/// Most moves of a centre, and the move below which it rests, in radii.
const CENTER: (u32, f32) = (50, 0.03);
/// A group that comes in is put out again above this multiple of the condition number at which groups go.
const BREAK_IN: f32 = 1.5;
/// A group that goes has nothing to say any more at this multiple.
const BREAK_OUT: f32 = 2.0;
/// New groups of a frame: at most this many, and one for so many particles in need.
const MOST_NEW: (usize, usize) = (16, 5);
/// Fewest members of a group.
const LEAST: usize = 4;
/// What is left of a group that some particle has nothing but.
const LAST_HOLD: f32 = 1e-3;

impl Embedded {
    /// Whether a group whose F_P has this condition number is to go.
    ///
    /// Departs from [FJLSB17 §3.2.1], where groups that come in are not tested: what flows by a few hundred per cent a second would make
    /// flakes of them before they have come.
    fn is_worn(&self, fading: Fading, condition: f32) -> bool {
        let most = match fading {
            Fading::In => BREAK_IN * self.cond_max,
            Fading::Live | Fading::Out => self.cond_max,
        };
        condition > most
    }

    /// Which way a group fades from now on, and how much of it there is, one frame later.
    ///
    /// One that strains while it goes is gone the sooner, or what flows fast would be held in the shapes of long ago.
    fn next_fade(&self, fading: Fading, fade: f32, condition: f32) -> (Fading, f32) {
        match fading {
            Fading::Live => (Fading::Live, fade),
            Fading::In => {
                let fade = fade + 1.0 / self.fade_in as f32;
                if fade >= 1.0 - 1e-4 {
                    (Fading::Live, 1.0)
                } else {
                    (Fading::In, fade)
                }
            }
            Fading::Out => {
                let left = (BREAK_OUT - condition / self.cond_max) / (BREAK_OUT - 1.0);
                (Fading::Out, left.min(fade - 1.0 / self.fade_out as f32))
            }
        }
    }
}

/// Buffers of embeddings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    /// Places in the embedding of all points, then of those that are new, with their weights.
    places: Vec<Record>,
    /// Sums of a sweep.
    sums: Vec<Record>,
    /// Σ of raw weights times gains of each point.
    total: Vec<f32>,
}

/// Marks, adds and fades; returns what is new.
pub(super) fn replace(
    cloud: &Cloud,
    context: &Context,
    old: &mut [Old],
    space: &mut Space,
    lap: &mut impl FnMut(ResampleStage),
) -> Vec<New> {
    let conditions = mark(cloud, context, old);
    let new = add(cloud, context, old, space, lap);
    fade(cloud, context, old, &conditions, &new);
    new
}

/// Groups that have strained too much begin to go [FJLSB17 §3.2.1]; returns the condition number of F_P of each.
fn mark(cloud: &Cloud, context: &Context, old: &mut [Old]) -> Vec<f32> {
    let (groups, first) = (context.groups, cloud.body.groups.start);
    let s = cloud.settings.embedded;
    let look = |(k, g): (usize, &mut Old)| {
        let sound = g.count >= LEAST && !groups.degenerate[first + k];
        let condition = condition(groups.f_p[first + k]);
        if !sound || s.is_worn(g.fading, condition) {
            g.fading = Fading::Out;
        }
        condition
    };
    old.iter_mut().enumerate().map(look).collect()
}

/// σ_max / σ_min; infinite for what is not finite.
pub(super) fn condition(f: Mat3) -> f32 {
    let sigma = signed_svd(crate::math::algebra::M3::from(f)).sigma;
    let ratio = sigma.x / sigma.z.abs();
    if ratio.is_finite() {
        ratio
    } else {
        f32::INFINITY
    }
}

/// What is known of the groups of each particle.
struct Holds {
    /// Groups that stay, for each particle of the cloud.
    survivors: Vec<u32>,
    /// Σ of their raw weights.
    eventual: Vec<f32>,
    /// Groups of each particle, old ones as numbers within the body; only [`Holds::list`] fills it.
    groups: Vec<Vec<u32>>,
}

impl Holds {
    fn new(cloud: &Cloud, context: &Context, old: &[Old]) -> Self {
        let mut holds = Self {
            survivors: vec![0; cloud.len()],
            eventual: vec![0.0; cloud.len()],
            groups: Vec::new(),
        };
        let lasting = |g: &Old| g.stays && g.fading != Fading::Out;
        for (k, g) in old.iter().enumerate().filter(|(_, g)| lasting(g)) {
            for member in members(cloud, context, g, k) {
                holds.survivors[member.mover as usize] += 1;
                holds.eventual[member.mover as usize] += member.weight;
            }
        }
        holds
    }

    /// Lists the groups of each particle; most frames have no use for it. One that was torn or cut is among them: it is gone from now on,
    /// but what is left on either side has its rest shape from nowhere else.
    fn list(&mut self, cloud: &Cloud, context: &Context, old: &[Old]) {
        self.groups = vec![Vec::new(); cloud.len()];
        let knows = |g: &Old| g.stays || (g.mixed && g.w.is_some());
        for (k, g) in old.iter().enumerate().filter(|(_, g)| knows(g)) {
            for member in members(cloud, context, g, k) {
                self.groups[member.mover as usize].push(k as u32);
            }
        }
    }
}

/// Members of an old group, by their numbers in the cloud: those it had that are still there, then those that have joined.
fn members<'a>(
    cloud: &'a Cloud,
    context: &'a Context,
    g: &'a Old,
    k: usize,
) -> impl Iterator<Item = Member> + 'a {
    let first = cloud.body.points.start as u32;
    let kept = context
        .groups
        .weighted_members(cloud.body.groups.start + k)
        .map(move |m| Member {
            mover: m.mover - first,
            ..m
        });
    kept.filter(|m| cloud.alive[m.mover as usize])
        .chain(g.joined.iter().copied())
}

/// Particles in too few groups that stay seed new ones, in random order [FJLSB17 §3.2.2], and so do those where parts have merged: else the
/// parts would share a surface but no group.
fn add(
    cloud: &Cloud,
    context: &Context,
    old: &mut [Old],
    space: &mut Space,
    lap: &mut impl FnMut(ResampleStage),
) -> Vec<New> {
    let mut holds = Holds::new(cloud, context, old);
    let least = cloud.settings.embedded.min_clusters;
    let in_seam = |i: u32| cloud.seam.binary_search(&i).is_ok();
    let mut candidates: Vec<(u64, u32)> = (0..cloud.len() as u32)
        .filter(|&i| cloud.alive[i as usize])
        .filter(|&i| holds.survivors[i as usize] < least || in_seam(i))
        .map(|i| {
            let key = [context.seed, cloud.key, context.frame, u64::from(i)];
            (Random::with_attempt(key, 1).next_u64(), i)
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    holds.list(cloud, context, old);
    candidates.sort_unstable();
    let most = candidates.len().div_ceil(MOST_NEW.1).min(MOST_NEW.0);
    let mut sewn = vec![false; cloud.len()];
    let mut new: Vec<New> = Vec::new();
    for (_, seed) in candidates {
        // A seam is seen in one frame only, so it is sewn at once.
        let sews = in_seam(seed) && !sewn[seed as usize];
        let needs = holds.survivors[seed as usize] < least && new.len() < most;
        if !(sews || needs) {
            continue;
        }
        let alone = holds.groups[seed as usize].is_empty();
        let seeds = if sews || alone {
            near(cloud, seed)
        } else {
            vec![seed]
        };
        let local = Local::around(cloud, context, old, &holds, &seeds);
        let made = local.make(cloud, context, old, &holds, seed, space, lap);
        match made {
            Some(group) => {
                for member in &group.members {
                    let i = member.mover as usize;
                    holds.survivors[i] += 1;
                    holds.eventual[i] += member.weight;
                    let way = cloud.x[i].distance(cloud.x[seed as usize]);
                    sewn[i] |= way <= cloud.settings.spacing * cloud.r;
                }
                new.push(group);
            }
            None => attach(cloud, context, old, seed),
        }
    }
    new
}

/// The particles of the same piece within the reach of a group.
fn near(cloud: &Cloud, seed: u32) -> Vec<u32> {
    let (x, piece) = (cloud.x[seed as usize], cloud.piece[seed as usize]);
    let reach = cloud.body.cluster_radius * cloud.r;
    (0..cloud.len() as u32)
        .filter(|&i| cloud.alive[i as usize] && cloud.piece[i as usize] == piece)
        .filter(|&i| cloud.x[i as usize].distance_squared(x) <= reach * reach)
        .collect()
}

/// A particle for which no group can be made, and whose groups are half gone, joins the nearest one of its piece that stays.
fn attach(cloud: &Cloud, context: &Context, old: &mut [Old], i: u32) {
    let (groups, first) = (context.groups, cloud.body.groups.start);
    let x = cloud.x[i as usize];
    let holds_on = |g: &Old, k: usize| {
        g.stays && g.fade > 0.5 && members(cloud, context, g, k).any(|m| m.mover == i)
    };
    if old.iter().enumerate().any(|(k, g)| holds_on(g, k)) {
        return;
    }
    let piece = cloud.piece[i as usize];
    let nearest = old
        .iter()
        .enumerate()
        .filter(|(_, g)| g.stays && g.fading != Fading::Out && g.w.is_some())
        .filter(|(_, g)| g.piece == piece)
        .map(|(k, _)| (groups.center[first + k].distance_squared(x), k))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let Some((_, k)) = nearest else { return };
    let reach = cloud.body.cluster_radius * cloud.r;
    let g = &mut old[k];
    if let Some(w) = g.w {
        let q = (w * (x - groups.center[first + k])).clamp_length_max(2.0 * reach);
        let at = g.joined.partition_point(|m| m.mover < i);
        g.joined.insert(
            at,
            Member {
                mover: i,
                q,
                weight: cloud.body.kernel.weight(0.5 * reach, reach),
            },
        );
        g.count += 1;
    }
}

/// Groups that come and go do so a bit more; one that some particle has nothing but stays a little longer.
fn fade(cloud: &Cloud, context: &Context, old: &mut [Old], conditions: &[f32], new: &[New]) {
    let s = cloud.settings.embedded;
    for (g, condition) in old.iter_mut().zip(conditions) {
        (g.fading, g.fade) = s.next_fade(g.fading, g.fade, *condition);
    }
    // Which particles have something else to hold them.
    let mut held = vec![false; cloud.len()];
    for (k, g) in old.iter().enumerate().filter(|(_, g)| g.fade > 1e-4) {
        for member in members(cloud, context, g, k) {
            held[member.mover as usize] = true;
        }
    }
    for member in new.iter().flat_map(|group| &group.members) {
        held[member.mover as usize] = true;
    }
    for (k, g) in old.iter_mut().enumerate().filter(|(_, g)| g.fade <= 1e-4) {
        let mine: Vec<usize> = members(cloud, context, g, k)
            .map(|m| m.mover as usize)
            .collect();
        let needed = mine.len() >= LEAST && g.w.is_some() && mine.iter().any(|&i| !held[i]);
        if needed {
            g.fade = LAST_HOLD;
            for &i in &mine {
                held[i] = true;
            }
        } else {
            g.stays = false;
        }
    }
}

/// The groups around a particle, and their members.
struct Local {
    /// Groups by their numbers in the body, ascending.
    groups: Vec<u32>,
    /// Particles of the cloud, ascending.
    particles: Vec<u32>,
}

impl Local {
    /// The groups of some particles, those that share a particle with one of them, and all their members [FJLSB17 Eqs. 22, 23]; the
    /// particles alone if they have no group.
    fn around(cloud: &Cloud, context: &Context, old: &[Old], holds: &Holds, seeds: &[u32]) -> Self {
        let mut is_first = vec![false; old.len()];
        for &seed in seeds {
            for &k in &holds.groups[seed as usize] {
                is_first[k as usize] = true;
            }
        }
        let mut is_in = vec![false; old.len()];
        for k in (0..old.len()).filter(|&k| is_first[k]) {
            for member in members(cloud, context, &old[k], k) {
                for &other in &holds.groups[member.mover as usize] {
                    is_in[other as usize] = true;
                }
            }
        }
        let groups: Vec<u32> = (0..old.len() as u32)
            .filter(|&k| is_in[k as usize])
            .collect();
        let mut is_near = vec![false; cloud.len()];
        for &seed in seeds {
            is_near[seed as usize] = true;
        }
        for &k in &groups {
            for member in members(cloud, context, &old[k as usize], k as usize) {
                is_near[member.mover as usize] = true;
            }
        }
        let particles = (0..cloud.len() as u32)
            .filter(|&i| is_near[i as usize])
            .collect();
        Self { groups, particles }
    }

    /// Makes the group that `seed` asks for, unless too few particles are around or they lie in a plane.
    fn make(
        &self,
        cloud: &Cloud,
        context: &Context,
        old: &[Old],
        holds: &Holds,
        seed: u32,
        space: &mut Space,
        lap: &mut impl FnMut(ResampleStage),
    ) -> Option<New> {
        let slots = Slots::new(cloud, context);
        lap(ResampleStage::Clusters);
        space.enter(cloud, context, &slots, &self.particles);
        if cloud.settings.embedded.sweeps > 0 {
            self.embed(cloud, context, old, &slots, space);
        }
        lap(ResampleStage::Embedding);
        let (center, members) = self.settle(cloud, holds, &slots, space, seed);
        if members.len() < LEAST {
            return None;
        }
        let mut spread = Mat3::ZERO;
        let place = |m: &(u32, f32)| space.places[slots.of(m.0)].position() - center;
        for member in &members {
            let d = place(member);
            spread += Mat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
        if pseudo_inverse(spread, 1e-6).1 {
            return None;
        }
        let source = Source::new(cloud, context, old, &members, holds);
        // Rest positions are in the frame in which the groups around have theirs, so that rotations stay comparable.
        let back = Mat3::from_quat(source.rotation).transpose();
        let mass: f32 = members.iter().map(|m| m.1 * cloud.mass[m.0 as usize]).sum();
        let middle = members
            .iter()
            .map(|m| cloud.x[m.0 as usize] * (m.1 * cloud.mass[m.0 as usize]))
            .sum::<Vec3>()
            / mass;
        Some(New {
            center: middle,
            rotation: source.rotation,
            members: members
                .iter()
                .map(|m| Member {
                    mover: m.0,
                    q: back * place(m),
                    weight: m.1,
                })
                .collect(),
            material: source.material,
            alpha: source.alpha,
        })
    }

    /// Moves the places to where the groups of the set are as little strained as they can be [FJLSB17 Eq. 21].
    fn embed(
        &self,
        cloud: &Cloud,
        context: &Context,
        old: &[Old],
        slots: &Slots,
        space: &mut Space,
    ) {
        let (groups, first) = (context.groups, cloud.body.groups.start);
        let numbers: Vec<u32> = self.groups.iter().map(|k| first as u32 + k).collect();
        let of = |fit: Fit| {
            numbers
                .iter()
                .map(|&k| right_factor(groups, k as usize, fit))
                .collect()
        };
        let mut right: Vec<Mat3> = of(Fit::Affine);
        let gain: Vec<f32> = self
            .groups
            .iter()
            .map(|&k| old[k as usize].fade.max(LEAST_GAIN))
            .collect();
        let mut center: Vec<Vec3> = numbers.iter().map(|&k| groups.center[k as usize]).collect();
        let mut rotation: Vec<Quat> = numbers
            .iter()
            .map(|&k| groups.rotation[k as usize])
            .collect();
        self.weigh(cloud, context, old, &gain, slots, space);
        let (mut first_move, mut last_energy) = (0.0, f32::INFINITY);
        for round in 0..cloud.settings.embedded.sweeps {
            for &i in &self.particles {
                space.sums[slots.of(i)] = Record::default();
            }
            let mut list = Listed {
                groups: &numbers,
                right: &right,
                gain: &gain,
                center: &mut center,
                rotation: &mut rotation,
            };
            let energy = sweep(groups, &space.places, &mut list, &mut space.sums);
            self.add_joined(
                context,
                old,
                &numbers,
                &gain,
                (&center, &rotation),
                slots,
                space,
            );
            if energy > last_energy * (1.0 + 1e-5) {
                // The rotation of the best affine fit need not lessen the energy, the least-squares one does.
                right = of(Fit::Procrustes);
            }
            last_energy = energy;
            let moved = self.follow(slots, space);
            if round == 0 {
                first_move = moved;
            }
            if moved <= SETTLED * first_move {
                break;
            }
        }
    }

    /// Σ of raw weights times gains of each particle.
    fn weigh(
        &self,
        cloud: &Cloud,
        context: &Context,
        old: &[Old],
        gain: &[f32],
        slots: &Slots,
        space: &mut Space,
    ) {
        for &i in &self.particles {
            space.total[slots.of(i)] = 0.0;
        }
        for (&k, gain) in self.groups.iter().zip(gain) {
            for member in members(cloud, context, &old[k as usize], k as usize) {
                space.total[slots.of(member.mover)] += gain * member.weight;
            }
        }
    }

    /// Particles that have just joined follow the groups, which do not count them yet.
    fn add_joined(
        &self,
        context: &Context,
        old: &[Old],
        numbers: &[u32],
        gain: &[f32],
        (center, rotation): (&[Vec3], &[Quat]),
        slots: &Slots,
        space: &mut Space,
    ) {
        for (l, &k) in self.groups.iter().enumerate() {
            for member in &old[k as usize].joined {
                let t = Mat3::from_quat(rotation[l]) * context.groups.f_p[numbers[l] as usize];
                let slot = slots.of(member.mover);
                let way = t * member.q + center[l] - space.places[slot].position();
                let sum = space.sums[slot].position() + way * (gain[l] * member.weight);
                space.sums[slot].set_position(sum);
            }
        }
    }

    /// Moves every place to the mean of its goals; returns the sum of the squared moves.
    fn follow(&self, slots: &Slots, space: &mut Space) -> f32 {
        let mut moved = 0.0;
        for &i in &self.particles {
            let slot = slots.of(i);
            let way = space.sums[slot].position() / space.total[slot].max(f32::MIN_POSITIVE);
            if way.is_finite() {
                moved += way.length_squared();
                let place = space.places[slot].position() + way;
                space.places[slot].set_position(place);
            }
        }
        moved
    }

    /// Where the centre of a new group settles, and its members with their raw weights: each counts as much as the group will have of it
    /// once everything that comes or goes has done so.
    fn settle(
        &self,
        cloud: &Cloud,
        holds: &Holds,
        slots: &Slots,
        space: &Space,
        seed: u32,
    ) -> (Vec3, Vec<(u32, f32)>) {
        let reach = cloud.body.cluster_radius * cloud.r;
        let kernel: Kernel = cloud.body.kernel;
        let ball = |center: Vec3| -> Vec<(u32, f32)> {
            let piece = cloud.piece[seed as usize];
            self.particles
                .iter()
                .filter(|&&i| cloud.alive[i as usize] && cloud.piece[i as usize] == piece)
                .filter_map(|&i| {
                    let s = space.places[slots.of(i)].position().distance(center);
                    (s <= reach).then(|| (i, kernel.weight(s, reach)))
                })
                .collect()
        };
        let mut center = space.places[slots.of(seed)].position();
        let mut members = ball(center);
        if cloud.settings.embedded.sweeps == 0 {
            return (center, members);
        }
        for _ in 0..CENTER.0 {
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for &(i, a) in &members {
                let w = a / (a + holds.eventual[i as usize]) * cloud.mass[i as usize];
                sum += (space.places[slots.of(i)].position() - center) * w;
                total += w;
            }
            let way = sum / f32::max(total, f32::MIN_POSITIVE);
            center += way;
            members = ball(center);
            // A way that is no number ends it, too.
            let goes_on = way.length() >= CENTER.1 * reach;
            if !goes_on {
                break;
            }
        }
        (center, members)
    }
}

/// Where the particles of a cloud are in buffers over all points.
struct Slots {
    /// First point of the body.
    first: usize,
    /// Particles that were there before.
    old: usize,
    /// All points of the world.
    all: usize,
}

impl Slots {
    fn new(cloud: &Cloud, context: &Context) -> Self {
        Self {
            first: cloud.body.points.start,
            old: cloud.old,
            all: context.points.len(),
        }
    }

    fn of(&self, i: u32) -> usize {
        let i = i as usize;
        if i < self.old {
            self.first + i
        } else {
            self.all + i - self.old
        }
    }
}

impl Space {
    /// Puts particles where they are in the world.
    fn enter(&mut self, cloud: &Cloud, context: &Context, slots: &Slots, particles: &[u32]) {
        let size = slots.all + cloud.len() - cloud.old;
        self.places.resize(size, Record::default());
        self.sums.resize(size, Record::default());
        self.total.resize(size, 0.0);
        // Those that are gone, but still members of groups, stay where they are.
        for i in cloud.body.points.clone() {
            self.places[i] = Record::new(context.points.x[i], context.points.pred[i].0[3]);
        }
        for &i in particles {
            let slot = slots.of(i);
            let weight = self.places[slot].0[3];
            self.places[slot] = Record::new(cloud.x[i as usize], weight);
        }
    }
}

/// What a new group takes over from those of its members.
struct Source {
    rotation: Quat,
    material: GroupMaterial,
    alpha: f32,
}

impl Source {
    fn new(
        cloud: &Cloud,
        context: &Context,
        old: &[Old],
        members: &[(u32, f32)],
        holds: &Holds,
    ) -> Self {
        let (groups, first) = (context.groups, cloud.body.groups.start);
        // How much of the new group each old one has.
        let mut share = vec![0.0f32; old.len()];
        for (i, a) in members {
            for &k in &holds.groups[*i as usize] {
                share[k as usize] += a;
            }
        }
        let total: f32 = share.iter().sum();
        if total <= 0.0 {
            return Self {
                rotation: Quat::IDENTITY,
                material: GroupMaterial::new(&cloud.body.material),
                alpha: 0.0,
            };
        }
        let shares = || {
            let shares = share.iter().enumerate().filter(|(_, share)| **share > 0.0);
            shares.map(|(k, share)| (first + k, *share))
        };
        let material =
            GroupMaterial::mix(shares().map(|(k, share)| (groups.material[k], share / total)));
        let alpha = shares()
            .map(|(k, share)| groups.alpha[k] * share / total)
            .sum();
        let rotations = shares().map(|(k, share)| (groups.rotation[k], share));
        Self {
            rotation: mean_rotation(rotations).unwrap_or(Quat::IDENTITY),
            material,
            alpha,
        }
    }
}

#[cfg(test)]
mod tests;
