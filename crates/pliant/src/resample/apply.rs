//! The one place where re-sampling renumbers points, groups and skins.

use super::cloud::Cloud;
use super::groups::{New, Old, Plan};
use super::{Recluster, ResampleReport};
use crate::geometry::grid::PointGrid;
use crate::matching::Jacobi;
use crate::state::remap::GONE;
use crate::state::{Fading, Groups, Member, Points, Remap, SKIN_INFLUENCES, Surface};
use crate::surface::skin::{self, SkinFrame};
use crate::world::World;
use glam::{Mat3, Vec3};
use rayon::prelude::*;

/// What is to change in a body.
pub(crate) struct Edit {
    old: usize,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    mass: Vec<f32>,
    piece: Vec<u32>,
    /// Index in the body of each of its particles, old and new, or [`GONE`].
    to: Vec<u32>,
    parent: Vec<u32>,
    copies: Vec<(u32, u32, u32)>,
    /// Pieces of the surface that have no particle.
    bare: Vec<u32>,
    /// Vertices that are to move, ascending, and where to.
    pressed: Vec<(u32, Vec3)>,
    groups: Vec<Old>,
    new_groups: Vec<New>,
    fade_frames: u32,
    pub(crate) report: ResampleReport,
}

impl Edit {
    /// `None` if there is nothing to do.
    pub(super) fn new(
        cloud: Cloud,
        plan: Plan,
        bare: Vec<u32>,
        pressed: Vec<(u32, Vec3)>,
        full: bool,
    ) -> Option<Self> {
        if !plan.changed && bare.is_empty() {
            return None;
        }
        let mut count = 0;
        let to = cloud
            .alive
            .iter()
            .map(|&alive| {
                count += u32::from(alive);
                if alive { count - 1 } else { GONE }
            })
            .collect();
        let gone = |alive: &[bool]| alive.iter().filter(|a| !**a).count() as u32;
        let report = ResampleReport {
            particles_added: (cloud.len() - cloud.old) as u32 - gone(&cloud.alive[cloud.old..]),
            particles_removed: gone(&cloud.alive[..cloud.old]),
            groups_added: plan.new.len() as u32,
            groups_removed: plan.old.iter().filter(|g| !g.stays).count() as u32,
            full,
        };
        Some(Self {
            old: cloud.old,
            to,
            fade_frames: match cloud.settings.recluster {
                Recluster::Embedded => cloud.settings.embedded.fade_in,
                _ => cloud.settings.fade_frames,
            },
            x: cloud.x,
            v: cloud.v,
            mass: cloud.mass,
            piece: cloud.piece,
            parent: cloud.parent,
            copies: cloud.copies,
            bare,
            pressed,
            groups: plan.old,
            new_groups: plan.new,
            report,
        })
    }

    /// Whether any index of a particle changes.
    fn moves_points(&self) -> bool {
        self.x.len() > self.old || self.to.contains(&GONE)
    }
}

/// Changes points and groups as the edits of the bodies say (one entry a body), and everything that refers to them, except for the
/// skins of the edited bodies: those follow by [`follow_skins`].
pub(crate) fn apply(world: &mut World, edits: &[Option<Edit>]) {
    let old_points = std::mem::take(&mut world.points);
    let old_groups = std::mem::take(&mut world.groups);
    let (mut points, mut groups) = (Points::default(), Groups::default());
    let mut new_of_old = vec![GONE; old_points.len()];
    for (at, edit) in edits.iter().enumerate() {
        let body = &mut world.bodies[at];
        let (first, first_group) = (points.len(), groups.len());
        let (was, was_groups) = (body.points.clone(), body.groups.clone());
        if let Some(edit) = edit {
            push_points(
                edit,
                &old_points,
                was.start,
                &mut points,
                &mut body.next_particle,
            );
            for (l, &to) in edit.to[..edit.old].iter().enumerate() {
                if to != GONE {
                    new_of_old[was.start + l] = first as u32 + to;
                }
            }
            push_groups(
                edit,
                &old_groups,
                &was,
                was_groups.start,
                first,
                &mut groups,
                &mut body.next_group,
                body.cluster_radius * body.particle_radius,
            );
        } else {
            for i in was.clone() {
                new_of_old[i] = points.len() as u32;
                points.push_copy(&old_points, i);
            }
            for k in was_groups {
                let moved = |m: Member| Member {
                    mover: new_of_old[m.mover as usize],
                    ..m
                };
                let members: Vec<Member> = old_groups.weighted_members(k).map(moved).collect();
                groups.push_copy(&old_groups, k, &members);
            }
        }
        body.points = first..points.len();
        body.groups = first_group..groups.len();
        if edit.is_none() {
            for i in world.surfaces[at].carrying_points_mut().flatten() {
                *i = new_of_old[*i as usize];
            }
        }
    }
    groups.rebuild_rows(points.len());
    for grab in &mut world.grabs {
        grab.held.retain_mut(|(i, _)| {
            *i = new_of_old[*i as usize];
            *i != GONE
        });
    }
    let remap = Remap {
        new_of_old,
        count: points.len(),
    };
    // Particles that have rotations stay; those of other bodies before them may not.
    world.rings.renumber(&remap);
    for point in &mut world.oriented.point {
        *point = remap.new_of_old[*point as usize];
    }
    let matched = world.matched_bodies();
    for (body, _) in matched.iter().zip(edits).filter(|(_, edit)| edit.is_some()) {
        Jacobi::refresh_weights(std::slice::from_ref(body), &mut points, &mut groups);
    }
    (world.points, world.groups) = (points, groups);
    // What was fitted belongs to groups that have other numbers now.
    world.scratch.a.clear();
    world.plan.stale = true;
}

fn push_points(edit: &Edit, from: &Points, first: usize, to: &mut Points, next_id: &mut u64) {
    for l in (0..edit.x.len()).filter(|&l| edit.to[l] != GONE) {
        let is_new = l >= edit.old;
        let mut source = l;
        while source >= edit.old {
            source = edit.parent[source - edit.old] as usize;
        }
        to.push_copy(from, first + source);
        let i = to.len() - 1;
        to.v[i] = edit.v[l];
        to.mass[i] = edit.mass[l];
        to.piece[i] = edit.piece[l];
        if is_new {
            to.x[i] = edit.x[l];
            to.pred[i].set_position(edit.x[l]);
            to.id[i] = *next_id;
            *next_id += 1;
        }
        if is_new || to.inv_mass[i] != 0.0 {
            to.inv_mass[i] = 1.0 / to.mass[i];
        }
    }
}

fn push_groups(
    edit: &Edit,
    from: &Groups,
    was: &std::ops::Range<usize>,
    was_group: usize,
    first: usize,
    to: &mut Groups,
    next_id: &mut u64,
    radius: f32,
) {
    let mut members: Vec<Member> = Vec::new();
    for (k, g) in edit.groups.iter().enumerate().filter(|(_, g)| g.stays) {
        members.clear();
        let kept = from.weighted_members(was_group + k).map(|m| Member {
            mover: edit.to[m.mover as usize - was.start],
            ..m
        });
        let joined = g.joined.iter().map(|m| Member {
            mover: edit.to[m.mover as usize],
            ..*m
        });
        members.extend(kept.chain(joined).filter(|m| m.mover != GONE));
        for m in &mut members {
            m.mover += first as u32;
        }
        // A particle that found no group of its own may have joined out of order.
        members.sort_unstable_by_key(|m| m.mover);
        to.push_copy(from, was_group + k, &members);
        let new = to.len() - 1;
        (to.fade[new], to.fading[new], to.last_norm[new]) = (g.fade, g.fading, g.norm);
    }
    for g in &edit.new_groups {
        members.clear();
        members.extend(g.members.iter().map(|m| Member {
            mover: first as u32 + edit.to[m.mover as usize],
            ..*m
        }));
        to.push(&members, radius, g.material);
        let new = to.len() - 1;
        to.id[new] = *next_id;
        *next_id += 1;
        to.center[new] = g.center;
        to.rotation[new] = g.rotation;
        to.alpha[new] = g.alpha;
        if edit.fade_frames > 0 {
            to.fade[new] = 1.0 / edit.fade_frames as f32;
            to.fading[new] = Fading::In;
        }
    }
}

/// Hangs the surface of an edited body where it is: vertices whose particles are gone get near ones of their piece, and those of
/// particles whose rotation now comes from other groups keep their place.
pub(crate) fn follow_skins(
    edit: &Edit,
    frame: &SkinFrame,
    turned: &[bool],
    surface: &mut Surface,
    was: usize,
    grid: &mut PointGrid,
) {
    let Surface::Tracked(tracked) = surface else {
        return;
    };
    tracked.drop_pieces(&edit.bare);
    let (first, r) = (frame.own.start, frame.particle_radius);
    let points = frame.points;
    grid.rebuild(frame.own.len(), 2.0 * r, |i| points.x[first + i]);
    let grid = &*grid;
    let (mesh, skins) = tracked.mesh_and_skins();
    let moves = edit.moves_points();
    skins
        .par_iter_mut()
        .zip(&mesh.x)
        .zip(&mesh.out)
        .zip(&mesh.component)
        .with_min_len(512)
        .for_each(|(((skin, &y), &out), &piece)| {
            if out == crate::surface::closed_mesh::NONE {
                return;
            }
            let mut lost = false;
            let mut shifted = false;
            for a in 0..SKIN_INFLUENCES {
                let local = skin.point[a] - was as u32;
                let copy = edit
                    .copies
                    .binary_search_by_key(&(local, piece), |c| (c.0, c.1));
                let local = copy.map_or(local, |at| edit.copies[at].2);
                shifted |= copy.is_ok();
                let to = if moves {
                    edit.to[local as usize]
                } else {
                    local
                };
                if to == GONE {
                    lost = true;
                    break;
                }
                skin.point[a] = first as u32 + to;
                shifted |= turned[to as usize];
            }
            if lost {
                *skin = skin::hang_on_piece(frame, grid, y, piece, r);
            } else if shifted {
                skin::hold(frame, skin, y);
            }
        });
    // The surface itself follows at the next step, with what comes of it.
    for &(v, to) in &edit.pressed {
        skin::hold(frame, &mut skins[v as usize], to);
    }
}

/// Rotation matrix of every point, and per point of `own` whether its rotation has changed.
pub(crate) fn turn_anew(points: &mut Points, groups: &Groups, turn: &mut Vec<Mat3>) -> Vec<bool> {
    let before = points.rotation.clone();
    skin::interpolate_rotations(points, groups);
    skin::turns(points, turn);
    points
        .rotation
        .iter()
        .zip(&before)
        .map(|(a, b)| a.to_array().map(f32::to_bits) != b.to_array().map(f32::to_bits))
        .collect()
}
