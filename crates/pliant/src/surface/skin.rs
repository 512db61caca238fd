//! Skinning [CMM16 §3.2]: y = Σ wₐ (Qₐ zₐ + xₐ) over the four nearest particles.
//!
//! Particles carry no rotation of their own; Q is the mean rotation of their groups.

use super::closed_mesh::in_world;
use super::motions;
use crate::dynamics::contacts::statics::Placed;
use crate::geometry::Mesh;
use crate::geometry::grid::PointGrid;
use crate::math::quaternion::mean_rotation;
use crate::state::{Groups, Hanging, Oriented, Points, SKIN_INFLUENCES, Skin, Skinned};
use glam::{Mat3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Skins every vertex of `mesh` to the nearest of `points`, a body at rest whose first point has the index `first`.
pub fn bind(mesh: Mesh, points: &[Vec3], first: usize, particle_radius: f32) -> Skinned {
    let grid = PointGrid::new(points, 2.0 * particle_radius);
    let at_rest = |i: usize| (points[i], Mat3::IDENTITY);
    let hang = |&y: &Vec3| {
        let skin = hang(&grid, first, y, particle_radius, at_rest);
        (skin.carriers(), skin.local)
    };
    let (carriers, offsets) = mesh.positions.par_iter().map(hang).unzip();
    Skinned {
        rest: mesh.positions.clone(),
        mesh,
        carriers,
        more: Vec::new(),
        hanging: Hanging::Offsets(offsets),
    }
}

/// Hangs the place `y` on the four nearest points of `grid`, which holds a body's points; `first` is the index of the first, and
/// `pose` tells where each is and how it is turned.
///
/// Weights fall with the inverse distance; a vertex on a particle hangs on it alone.
pub(crate) fn hang(
    grid: &PointGrid,
    first: usize,
    y: Vec3,
    particle_radius: f32,
    pose: impl Fn(usize) -> (Vec3, Mat3),
) -> Skin {
    let near = grid.nearest(y, SKIN_INFLUENCES);
    weigh(&near, first, y, particle_radius, pose)
}

/// Hangs the place `y` on the nearest of `neighbours`, the points that carry the surface around it, or on the nearest of all if they
/// are farther away than `reach`.
///
/// Another point may be nearer only because another part of the body is pressed against this one; it would pull a spike out of the
/// surface when the two come apart.
pub(crate) fn hang_beside(
    frame: &SkinFrame,
    grid: &PointGrid,
    y: Vec3,
    neighbours: &[u32],
    reach: f32,
) -> Skin {
    let first = frame.own.start;
    let mut near: Vec<(u32, f32)> = neighbours
        .iter()
        .map(|&i| {
            let d2 = frame.points.x[i as usize].distance_squared(y);
            (i - first as u32, d2)
        })
        .collect();
    near.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    if near.first().is_none_or(|&(_, d2)| d2 > reach * reach) {
        near = grid.nearest(y, SKIN_INFLUENCES);
    }
    near.truncate(SKIN_INFLUENCES);
    let pose = |i: usize| (frame.points.x[first + i], frame.turn[first + i]);
    weigh(&near, first, y, frame.particle_radius, pose)
}

/// Hangs the place `y` on the nearest points of its piece, or on the nearest of all if none is near.
pub(crate) fn hang_on_piece(
    frame: &SkinFrame,
    grid: &PointGrid,
    y: Vec3,
    piece: u32,
    particle_radius: f32,
) -> Skin {
    let first = frame.own.start;
    let mut near: Vec<(u32, f32)> = Vec::new();
    for reach in [2.0, 4.0] {
        near.clear();
        grid.for_each_within(y, reach * particle_radius, |i, _, d2| {
            if frame.points.piece[first + i as usize] == piece {
                near.push((i, d2));
            }
        });
        if near.len() >= SKIN_INFLUENCES {
            break;
        }
    }
    near.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    near.truncate(SKIN_INFLUENCES);
    if near.is_empty() {
        near = grid.nearest(y, SKIN_INFLUENCES);
    }
    let pose = |i: usize| (frame.points.x[first + i], frame.turn[first + i]);
    weigh(&near, first, y, particle_radius, pose)
}

/// Hangs the place `y` on the points in `near`, which come with their squared distances.
fn weigh(
    near: &[(u32, f32)],
    first: usize,
    y: Vec3,
    particle_radius: f32,
    pose: impl Fn(usize) -> (Vec3, Mat3),
) -> Skin {
    let inverse = |d2: f32| 1.0 / d2.sqrt().max(1e-3 * particle_radius);
    let total: f32 = near.iter().map(|&(_, d2)| inverse(d2)).sum();
    let mut skin = Skin {
        point: [first as u32 + near[0].0; SKIN_INFLUENCES],
        ..Skin::default()
    };
    for (a, &(i, d2)) in near.iter().enumerate() {
        let (x, turn) = pose(i as usize);
        skin.point[a] = first as u32 + i;
        skin.weight[a] = inverse(d2) / total;
        skin.local[a] = turn.transpose() * (y - x);
    }
    skin
}

/// Lets a vertex hang at `y` on the particles that it has.
pub(crate) fn hold(frame: &SkinFrame, skin: &mut Skin, y: Vec3) {
    for a in 0..SKIN_INFLUENCES {
        let l = skin.point[a] as usize;
        skin.local[a] = frame.turn[l].transpose() * (y - frame.points.x[l]);
    }
}

/// Whether a particle of a vertex at `y` is farther away than `distance`.
pub(crate) fn strays(frame: &SkinFrame, skin: &Skin, y: Vec3, distance: f32) -> bool {
    let far = |&i: &u32| frame.points.x[i as usize].distance_squared(y) > distance * distance;
    skin.point.iter().any(far)
}

/// Q of every point: the mean rotation of its groups; a point without a group, or with groups that disagree
/// completely, keeps its last one.
pub fn interpolate_rotations(points: &mut Points, groups: &Groups) {
    points
        .rotation
        .par_iter_mut()
        .with_min_len(1024)
        .enumerate()
        .for_each(|(i, q)| {
            let row = groups.of_mover.row(i);
            let rotations = row
                .iter()
                .map(|&k| (groups.rotation[k as usize], groups.fade[k as usize]));
            if let Some(mean) = mean_rotation(rotations) {
                *q = mean;
            }
        });
}

/// Rotation matrix of every point.
pub(crate) fn turns(points: &Points, turn: &mut Vec<Mat3>) {
    points
        .rotation
        .par_iter()
        .with_min_len(1024)
        .map(|q| Mat3::from_quat(*q))
        .collect_into_vec(turn);
}

/// Plastic strain of this frame at every point: the mean of its groups.
pub(crate) fn flow_of_points(groups: &Groups, points: usize, flow: &mut Vec<f32>) {
    let of = |i: usize| {
        let row = groups.of_mover.row(i);
        let sum: f32 = row.iter().map(|&k| groups.flowed[k as usize]).sum();
        sum / row.len().max(1) as f32
    };
    (0..points)
        .into_par_iter()
        .with_min_len(1024)
        .map(of)
        .collect_into_vec(flow);
}

/// A collider at the end of the frame, in a box: most vertices are far from most colliders.
#[derive(Clone, Copy, Debug)]
pub struct Obstacle<'a> {
    placed: Placed<'a>,
    lo: Vec3,
    hi: Vec3,
}

impl<'a> Obstacle<'a> {
    /// Puts a collider into its box.
    pub fn new(placed: Placed<'a>) -> Self {
        let (lo, hi) = placed.world_bounds();
        Self { placed, lo, hi }
    }

    /// Whether all of a box is outside.
    pub(super) fn is_clear_of(&self, (lo, hi): (Vec3, Vec3)) -> bool {
        if let Some(plane) = self.placed.flat {
            let lowest = Vec3::select(plane.normal.cmpgt(Vec3::ZERO), lo, hi);
            return plane.normal.dot(lowest) > plane.offset;
        }
        lo.cmpgt(self.hi).any() || hi.cmplt(self.lo).any()
    }

    /// How far it is to the surface from a place and the way out, if that is less than `reach`.
    #[inline]
    fn distance_normal(&self, p: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        if let Some(plane) = self.placed.flat {
            let distance = plane.normal.dot(p) - plane.offset;
            return (distance <= reach).then_some((distance, plane.normal));
        }
        let end = &self.placed.end;
        let (distance, n) = self.placed.distance_normal(end.invert(p), reach)?;
        Some((distance, end.rotation * n))
    }
}

/// What deforming a surface needs of the frame.
pub struct SkinFrame<'a> {
    /// Particles of the world.
    pub points: &'a Points,
    /// Groups of the world.
    pub groups: &'a Groups,
    /// The points that are the body's own.
    pub own: Range<usize>,
    /// Colliders at the end of the frame.
    pub obstacles: &'a [Obstacle<'a>],
    /// Rotation matrix of every point.
    pub turn: &'a [Mat3],
    /// Particle radius of the body (m).
    pub particle_radius: f32,
}

/// Moves every vertex with its particles. One that ends up inside a collider by less than a particle radius is put on its surface; while
/// the body flows there, it also stays there. `oriented` are the columns of particles with a rotation, and the body's own entries there.
pub fn deform(frame: &SkinFrame, oriented: (&Oriented, &Range<usize>), surface: &mut Skinned) {
    let offsets = match &mut surface.hanging {
        Hanging::Offsets(offsets) => offsets,
        Hanging::Motions(blend) => {
            let blend = *blend;
            return motions::deform(frame, oriented, surface, blend);
        }
    };
    let clear = clearances(frame);
    let nearest = nearest_of(&clear, frame.own.len());
    let first = frame.own.start;
    let vertices = surface.mesh.positions.par_iter_mut();
    vertices
        .zip(&surface.carriers)
        .zip(offsets)
        .with_min_len(1024)
        .for_each(|((y, carriers), offsets)| {
            let mut skin = Skin {
                point: carriers.point,
                weight: carriers.weight,
                local: *offsets,
            };
            let moved = blend_places(frame, &skin);
            // One choke point: a vertex never becomes a bad number.
            if !in_world(moved) {
                return;
            }
            *y = moved;
            // A place is clear of a collider if it is nearer to one of its particles than that.
            let is_clear = |clear: &[f32]| {
                carriers.point.iter().any(|&i| {
                    let clear = clear[i as usize - first];
                    frame.points.x[i as usize].distance_squared(moved) < clear * clear
                })
            };
            if !is_clear(&nearest)
                && let Some(outside) = push_out(frame, moved, |collider| is_clear(&clear[collider]))
            {
                *y = outside;
                stay(frame, &mut skin, outside);
                *offsets = skin.local;
            }
        });
}

/// How far each point of a body is from each collider, at least, and 0 inside.
pub(super) fn clearances(frame: &SkinFrame) -> Vec<Vec<f32>> {
    let reach = 4.0 * frame.particle_radius;
    let of = |obstacle: &Obstacle| {
        let placed = &obstacle.placed;
        let points = frame.points.x[frame.own.clone()].par_iter();
        let clear = |x: &Vec3| {
            let away = (obstacle.lo - *x).max(*x - obstacle.hi).max_element();
            if away > reach {
                return reach;
            }
            let distance = placed.distance(placed.end.invert(*x), reach);
            distance.map_or(reach, |(d, _)| d.max(0.0))
        };
        points.with_min_len(64).map(clear).collect()
    };
    frame.obstacles.iter().map(of).collect()
}

/// How far each of `points` points is from all colliders, at least.
pub(super) fn nearest_of(clear: &[Vec<f32>], points: usize) -> Vec<f32> {
    let mut nearest = vec![f32::INFINITY; points];
    for clear in clear {
        for (nearest, clear) in nearest.iter_mut().zip(clear) {
            *nearest = nearest.min(*clear);
        }
    }
    nearest
}

/// The mean of the places that a vertex has with each of its particles.
#[inline]
fn blend_places(frame: &SkinFrame, skin: &Skin) -> Vec3 {
    let mut moved = Vec3::ZERO;
    for a in 0..SKIN_INFLUENCES {
        let l = skin.point[a] as usize;
        moved += skin.weight[a] * (frame.turn[l] * skin.local[a] + frame.points.x[l]);
    }
    moved
}

/// Where a vertex is carried by its particles, or `None` if that is not finite or out of the world.
pub(crate) fn carried(frame: &SkinFrame, skin: &mut Skin) -> Option<Vec3> {
    let y = blend_places(frame, skin);
    in_world(y).then(|| {
        let Some(outside) = push_out(frame, y, |_| false) else {
            return y;
        };
        stay(frame, skin, outside);
        outside
    })
}

/// Lets a vertex that was put on a collider at `y` stay there if the body flows.
fn stay(frame: &SkinFrame, skin: &mut Skin, y: Vec3) {
    if skin.point.iter().any(|&i| frame.groups.flows(i as usize)) {
        hold(frame, skin, y);
    }
}

/// The nearest place outside of all colliders, if `p` is inside one by less than a particle radius; `is_clear` may tell that it is not
/// in a collider.
pub(crate) fn push_out(
    frame: &SkinFrame,
    p: Vec3,
    is_clear: impl Fn(usize) -> bool,
) -> Option<Vec3> {
    let mut out = None;
    for (number, obstacle) in frame.obstacles.iter().enumerate() {
        let at = out.unwrap_or(p);
        let is_away = at.cmplt(obstacle.lo).any() || at.cmpgt(obstacle.hi).any();
        // What is told of `p` does not hold where another collider has put it.
        if is_away || (out.is_none() && is_clear(number)) {
            continue;
        }
        if let Some((d, n)) = obstacle.distance_normal(at, 0.0)
            && d < 0.0
            && d > -frame.particle_radius
        {
            out = Some(at - n * d);
        }
    }
    out
}
