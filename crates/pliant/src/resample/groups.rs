//! Groups take in new particles; strained ones fade out, new ones fade in [CMM16 §3.3.3–5].

use super::cloud::Cloud;
use super::{Context, Membership, Recluster, Scratch, embedded};
use crate::geometry::grid::PointGrid;
use crate::math::quaternion::mean_rotation;
use crate::math::svd::{pseudo_inverse, symmetric_eigen};
use crate::random::Random;
use crate::report::ResampleStage;
use crate::state::{Fading, GroupMaterial, Member, NO_PIECE};
use glam::{Mat3, Quat, Vec3};

/// A group that comes in is put out again above this multiple of the strain at which groups go.
const BREAK_IN: f32 = 1.25;
/// A group that goes out is dropped at once above this multiple.
const BREAK_OUT: f32 = 1.5;
/// Deformations with a larger condition number place no new members.
const WORST_CONDITION: f32 = 1e3;
/// Bounds of the squared stretch that a new group starts with [CMM16 §3.3.5].
const STRETCH2: (f32, f32) = (0.25, 4.0);
/// Fewest members of a group.
const LEAST: usize = 4;

/// ‖M‖ of Frobenius.
pub(crate) fn norm(m: Mat3) -> f32 {
    m.to_cols_array().iter().map(|e| e * e).sum::<f32>().sqrt()
}

/// An old group, and what is to become of it.
#[derive(Clone, Debug)]
pub(super) struct Old {
    /// Whether it stays.
    pub(super) stays: bool,
    pub(super) fading: Fading,
    pub(super) fade: f32,
    pub(super) norm: f32,
    /// New members with their rest positions, ascending.
    pub(super) joined: Vec<Member>,
    /// Members that are still there, the new ones included.
    pub(super) count: usize,
    /// Piece of its members; [`NO_PIECE`] if they are of several.
    pub(super) piece: u32,
    /// Whether they are of several.
    pub(super) mixed: bool,
    /// F_e now.
    f_e: Mat3,
    /// F⁻¹, if it may be trusted.
    pub(super) w: Option<Mat3>,
}

/// A group that is to be made.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub(super) center: Vec3,
    pub(super) rotation: Quat,
    pub(super) members: Vec<Member>,
    pub(super) material: GroupMaterial,
    pub(super) alpha: f32,
}

/// What becomes of the groups of a body.
pub(super) struct Plan {
    pub(super) old: Vec<Old>,
    pub(super) new: Vec<New>,
    /// Whether anything is to change at all.
    pub(super) changed: bool,
}

pub(super) fn replace(
    cloud: &mut Cloud,
    context: &Context,
    scratch: &mut Scratch,
    lap: &mut impl FnMut(ResampleStage),
) -> Plan {
    let mut old = look(cloud, context);
    let own = cloud.body.groups.clone();
    let reach = cloud.body.cluster_radius * cloud.r;
    scratch
        .centers
        .rebuild(own.len(), reach, |k| context.groups.center[own.start + k]);
    take_in(cloud, context, &mut old, scratch, reach);
    let new = if cloud.settings.recluster == Recluster::Embedded {
        part(&mut old);
        embedded::replace(cloud, context, &mut old, &mut scratch.space, lap)
    } else {
        fade(cloud, context, &mut old);
        add(cloud, context, &mut old, scratch, reach)
    };
    let fading = old.iter().any(|g| g.fading != Fading::Live);
    let parted = old.iter().any(|g| !g.stays || !g.joined.is_empty());
    let lost = cloud.alive[..cloud.old].iter().any(|a| !a);
    let changed = fading
        || parted
        || lost
        || !new.is_empty()
        || cloud.len() > cloud.old
        || !cloud.copies.is_empty();
    Plan { old, new, changed }
}

/// The state of the groups as they are.
fn look(cloud: &Cloud, context: &Context) -> Vec<Old> {
    let (groups, first) = (context.groups, cloud.body.points.start);
    let see = |k: usize| {
        let f = context.a[k] * groups.a_qq_inv[k];
        let mut piece = None;
        let (mut count, mut mixed) = (0, false);
        for (i, _) in groups.members(k) {
            let i = i as usize - first;
            if cloud.alive[i] {
                count += 1;
                mixed |= *piece.get_or_insert(cloud.piece[i]) != cloud.piece[i];
            }
        }
        let inverse = f.inverse();
        let sound = f.is_finite()
            && inverse.is_finite()
            && !groups.degenerate[k]
            && norm(f) * norm(inverse) < WORST_CONDITION;
        Old {
            stays: true,
            fading: groups.fading[k],
            fade: groups.fade[k],
            norm: norm(groups.f_p[k]),
            joined: Vec::new(),
            count,
            piece: if mixed {
                NO_PIECE
            } else {
                piece.unwrap_or(NO_PIECE)
            },
            mixed,
            f_e: f * groups.f_p[k].inverse(),
            w: sound.then_some(inverse),
        }
    };
    cloud.body.groups.clone().map(see).collect()
}

/// New particles join the groups that they lie in.
fn take_in(cloud: &Cloud, context: &Context, old: &mut [Old], scratch: &Scratch, reach: f32) {
    let first = cloud.body.groups.start;
    let centers = &scratch.centers;
    for i in cloud.added().filter(|&i| cloud.alive[i]) {
        let x = cloud.x[i];
        centers.for_each_within(x, reach, |k, center, _| {
            let g = &mut old[k as usize];
            debug_assert_eq!(center, context.groups.center[first + k as usize]);
            if g.fading == Fading::Out || g.piece != cloud.piece[i] {
                return;
            }
            if cloud.settings.membership == Membership::Geodesic
                && !beside(cloud, context, scratch, first + k as usize, i)
            {
                return;
            }
            if let Some(w) = g.w {
                let q = (w * (x - center)).clamp_length_max(2.0 * reach);
                let weight = cloud.body.kernel.weight(q.length(), reach);
                g.joined.push(Member {
                    mover: i as u32,
                    q,
                    weight,
                });
                g.count += 1;
            }
        });
    }
}

/// Whether a member of group `k` is near particle `i`, with material between them.
fn beside(cloud: &Cloud, context: &Context, scratch: &Scratch, k: usize, i: usize) -> bool {
    let first = cloud.body.points.start;
    let reach = 2.0 * cloud.r;
    let (x, piece) = (cloud.x[i], cloud.piece[i]);
    context.groups.members(k).any(|(j, _)| {
        let y = cloud.x[j as usize - first];
        y.distance_squared(x) < reach * reach && cloud.inside(scratch, 0.5 * (x + y), piece)
    })
}

/// Groups that have strained too much, or lost or won too many members, begin to go; those that come or go do so a bit more.
fn fade(cloud: &Cloud, context: &Context, old: &mut [Old]) {
    let s = &cloud.settings;
    let (groups, first) = (context.groups, cloud.body.groups.start);
    let step = if s.fade_frames == 0 {
        1.0
    } else {
        1.0 / s.fade_frames as f32
    };
    for (k, g) in old.iter_mut().enumerate() {
        match g.fading {
            Fading::Live => {}
            Fading::In => {
                g.fade += step;
                if g.fade >= 1.0 - 1e-4 {
                    (g.fade, g.fading) = (1.0, Fading::Live);
                }
            }
            Fading::Out => g.fade -= step,
        }
        let strain = g.norm / s.remove_strain;
        let born_with = groups.born_with[first + k] as usize;
        let worn = match g.fading {
            Fading::Live => strain > 1.0 || 2 * g.count < born_with || g.count > 2 * born_with,
            Fading::In => strain > BREAK_IN,
            Fading::Out => false,
        };
        if worn {
            g.fading = Fading::Out;
            if s.fade_frames == 0 {
                g.fade = 0.0;
            }
        }
        let broken = g.count < LEAST || g.piece == NO_PIECE || g.w.is_none();
        let gone = g.fading == Fading::Out && (g.fade <= 1e-4 || strain > BREAK_OUT);
        g.stays = !(broken || gone);
    }
    crowded(cloud, context, old);
}

/// Groups that hold parts of several pieces, or hardly anything, are gone.
fn part(old: &mut [Old]) {
    for g in old {
        g.stays = g.count >= LEAST && !g.mixed;
    }
}

/// Groups whose members all have more than enough other groups begin to go, one after the other from the youngest.
fn crowded(cloud: &Cloud, context: &Context, old: &mut [Old]) {
    let most = cloud.settings.max_memberships;
    let mut memberships = memberships(cloud, context, old);
    if memberships.iter().all(|&n| n <= most) {
        return;
    }
    let (groups, first) = (context.groups, cloud.body.points.start);
    for k in (0..old.len()).rev() {
        if !(old[k].stays && old[k].fading == Fading::Live) {
            continue;
        }
        let kept = groups.members(cloud.body.groups.start + k);
        let mut members: Vec<usize> = kept.map(|(i, _)| i as usize - first).collect();
        members.extend(old[k].joined.iter().map(|j| j.mover as usize));
        members.retain(|&i| cloud.alive[i]);
        if members.iter().all(|&i| memberships[i] > most + 1) {
            old[k].fading = Fading::Out;
            for &i in &members {
                memberships[i] -= 1;
            }
        }
    }
}

/// How many groups that do not go each particle is in.
fn memberships(cloud: &Cloud, context: &Context, old: &[Old]) -> Vec<u32> {
    let (groups, first) = (context.groups, cloud.body.points.start);
    let mut count = vec![0; cloud.len()];
    for (k, g) in old.iter().enumerate() {
        if g.stays && g.fading != Fading::Out {
            for (i, _) in groups.members(cloud.body.groups.start + k) {
                count[i as usize - first] += 1;
            }
            for member in &g.joined {
                count[member.mover as usize] += 1;
            }
        }
    }
    count
}

/// Makes groups for the particles that are in too few, and for those where parts have merged.
///
/// Departs from [CMM16 §3.3.5], where only few groups make a candidate: two parts that merge without flowing much would share a
/// surface but no group, and nothing would hold them together.
fn add(
    cloud: &Cloud,
    context: &Context,
    old: &mut [Old],
    scratch: &mut Scratch,
    reach: f32,
) -> Vec<New> {
    let memberships = memberships(cloud, context, old);
    let mut candidates: Vec<(u64, u32)> = (0..cloud.len())
        .filter(|&i| {
            let few = memberships[i] < cloud.settings.min_memberships;
            cloud.alive[i] && (few || cloud.seam.binary_search(&(i as u32)).is_ok())
        })
        .map(|i| {
            let key = [context.seed, cloud.key, context.frame, i as u64];
            (Random::with_attempt(key, 0).next_u64(), i as u32)
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    candidates.sort_unstable();
    let x = &cloud.x;
    scratch.wide.rebuild(x.len(), 0.5 * reach, |i| x[i]);
    let grid = &scratch.wide;
    let spacing = cloud.settings.spacing * cloud.r;
    let mut marked = vec![false; cloud.len()];
    let mut new = Vec::new();
    for (_, i) in candidates {
        if marked[i as usize] {
            continue;
        }
        let piece = cloud.piece[i as usize];
        let mine = |j: u32| cloud.alive[j as usize] && cloud.piece[j as usize] == piece;
        let how = (cloud.settings.membership, cloud.r);
        let solid = |p: Vec3| cloud.inside(scratch, p, piece);
        let members = super::reach(grid, &cloud.x, i, reach, how, mine, solid);
        for &j in &members {
            let near = cloud.x[i as usize].distance(cloud.x[j as usize]) <= spacing;
            marked[j as usize] |= near;
        }
        match make(
            cloud,
            context,
            old,
            &scratch.centers,
            piece,
            &members,
            reach,
        ) {
            Some(group) => new.push(group),
            None => join_nearest(cloud, context, old, &scratch.centers, i, reach),
        }
    }
    new
}

/// A particle for which no group can be made joins the nearest one.
fn join_nearest(
    cloud: &Cloud,
    context: &Context,
    old: &mut [Old],
    centers: &PointGrid,
    i: u32,
    reach: f32,
) {
    let (x, piece) = (cloud.x[i as usize], cloud.piece[i as usize]);
    let mut best: Option<(f32, u32)> = None;
    centers.for_each_within(x, reach, |k, _, d2| {
        let g = &old[k as usize];
        let fits = g.stays && g.fading != Fading::Out && g.piece == piece && g.w.is_some();
        if fits && best.is_none_or(|b| (d2, k) < b) {
            best = Some((d2, k));
        }
    });
    let Some((_, k)) = best else { return };
    let global = cloud.body.groups.start + k as usize;
    let first = cloud.body.points.start;
    let is_member = context
        .groups
        .members(global)
        .any(|m| m.0 as usize == first + i as usize);
    let g = &mut old[k as usize];
    if is_member || g.joined.iter().any(|j| j.mover == i) {
        return;
    }
    if let Some(w) = g.w {
        let q = w * (x - context.groups.center[global]);
        let at = g.joined.partition_point(|j| j.mover < i);
        let q = q.clamp_length_max(2.0 * reach);
        let weight = cloud.body.kernel.weight(q.length(), reach);
        g.joined.insert(
            at,
            Member {
                mover: i,
                q,
                weight,
            },
        );
        g.count += 1;
    }
}

/// A new group over `members` whose rest shape remembers the elastic strain of the groups around it, so that it pulls just as they do.
fn make(
    cloud: &Cloud,
    context: &Context,
    old: &[Old],
    centers: &PointGrid,
    piece: u32,
    members: &[u32],
    reach: f32,
) -> Option<New> {
    if members.len() < LEAST {
        return None;
    }
    let mass: f32 = members.iter().map(|&i| cloud.mass[i as usize]).sum();
    let weighted = |&i: &u32| cloud.mass[i as usize] * cloud.x[i as usize];
    let center = members.iter().map(weighted).sum::<Vec3>() / mass;
    let mut spread = Mat3::ZERO;
    for &i in members {
        let d = cloud.x[i as usize] - center;
        spread += Mat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    if pseudo_inverse(spread, 1e-6).1 {
        return None;
    }
    let around = Around::new(cloud, context, old, centers, piece, center, reach);
    // Departs from [CMM16 §3.3.5]: rest positions are in the frame in which the groups around have theirs, not in world axes.
    // Goals are the same, and the rotations of neighbouring groups stay comparable, as skinning needs.
    let turn = Mat3::from_quat(around.rotation);
    let w = turn.transpose() * around.w;
    let member = |&i: &u32| {
        let q = w * (cloud.x[i as usize] - center);
        Member {
            mover: i,
            q,
            weight: cloud.body.kernel.weight(q.length(), reach),
        }
    };
    let members = members.iter().map(member).collect();
    Some(New {
        center,
        rotation: around.rotation,
        members,
        material: around.material,
        alpha: around.alpha,
    })
}

/// What a new group takes over from the groups around it.
struct Around {
    /// W_new, in world axes.
    w: Mat3,
    rotation: Quat,
    material: GroupMaterial,
    alpha: f32,
}

impl Around {
    fn new(
        cloud: &Cloud,
        context: &Context,
        old: &[Old],
        centers: &PointGrid,
        piece: u32,
        center: Vec3,
        reach: f32,
    ) -> Self {
        let (groups, first) = (context.groups, cloud.body.groups.start);
        let mut near: Vec<(u32, f32)> = Vec::new();
        centers.for_each_within(center, 2.0 * reach, |k, _, d2| {
            let g = &old[k as usize];
            let same = g.piece == piece || g.piece == NO_PIECE;
            let weight = lens(d2.sqrt(), reach);
            if same && weight > 0.0 && g.w.is_some() {
                near.push((k, weight));
            }
        });
        near.sort_unstable_by_key(|n| n.0);
        let total: f32 = near.iter().map(|n| n.1).sum();
        if total.is_nan() || total <= 0.0 {
            return Self {
                w: Mat3::IDENTITY,
                rotation: Quat::IDENTITY,
                material: GroupMaterial::new(&cloud.body.material),
                alpha: 0.0,
            };
        }
        let mut b = Mat3::ZERO;
        let mut alpha = 0.0;
        for &(k, weight) in &near {
            let part = weight / total;
            let f_e = old[k as usize].f_e;
            b += (f_e * f_e.transpose()) * part;
            alpha += part * groups.alpha[first + k as usize];
        }
        let shares = near.iter().map(|&(k, weight)| (first + k as usize, weight));
        let material =
            GroupMaterial::mix(shares.map(|(k, weight)| (groups.material[k], weight / total)));
        let rotations = near
            .iter()
            .map(|&(k, weight)| (groups.rotation[first + k as usize], weight));
        Self {
            w: inverse_root(b),
            rotation: mean_rotation(rotations).unwrap_or(Quat::IDENTITY),
            material,
            alpha,
        }
    }
}

/// Volume that two balls of radius `reach` have in common whose centres are `d` apart [CMM16 §3.3.5].
pub(super) fn lens(d: f32, reach: f32) -> f32 {
    let gap = (2.0 * reach - d).max(0.0);
    std::f32::consts::PI * (4.0 * reach + d) * gap * gap / 12.0
}

/// V D^(−1/2) Vᵀ of a symmetric matrix, with D kept in bounds.
pub(super) fn inverse_root(b: Mat3) -> Mat3 {
    let (values, v) = symmetric_eigen(b);
    let d = values
        .clamp(Vec3::splat(STRETCH2.0), Vec3::splat(STRETCH2.1))
        .map(|e| 1.0 / e.sqrt());
    v * Mat3::from_diagonal(d) * v.transpose()
}
