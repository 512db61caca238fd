//! Which piece of the surface each particle belongs to [CMM16 §3.3.7].
//!
//! Every vertex votes its piece to the particles that carry it. A particle with votes of several pieces is copied, one for each.
//! Particles inside get their piece from their neighbours.

use super::cloud::Cloud;
use crate::geometry::Mesh;
use crate::geometry::grid::PointGrid;
use crate::geometry::winding::WindingField;
use crate::state::NO_PIECE;
use crate::surface::Tracked;
use glam::Vec3;

/// How far a copy is moved towards the vertices that it is for, in r.
const COPY_OFFSET: f32 = 0.05;
/// Distance over which neighbours tell each other their piece, in r.
const REACH: f32 = 2.0;
/// Particles of parts that merge are beside each other within this distance, in r.
const BESIDE: f32 = 1.5;

/// The pieces of the particles `x` of a new body: each is of the piece that it lies in.
///
/// Vertices cannot vote yet, because they hang on nothing; and where pieces touch, the nearest vertex may be another's.
pub(crate) fn label(tracked: &Tracked, x: &[Vec3], r: f32) -> Vec<u32> {
    if let [only] = tracked.components() {
        return vec![only.id; x.len()];
    }
    let mesh = tracked.mesh();
    let of_triangle = |t: u32| mesh.component[mesh.triangle(t)[0] as usize];
    let mut triangles: Vec<(u32, u32)> = mesh.triangles().map(|t| (of_triangle(t), t)).collect();
    triangles.sort_unstable();
    let mut piece = vec![NO_PIECE; x.len()];
    for own in triangles.chunk_by(|a, b| a.0 == b.0) {
        let count = 3 * own.len() as u32;
        let part = Mesh {
            positions: own.iter().flat_map(|&(_, t)| mesh.points(t)).collect(),
            triangles: (0..count).step_by(3).map(|i| [i, i + 1, i + 2]).collect(),
            ..Mesh::default()
        };
        let Some((lo, hi)) = part.bounds() else {
            continue;
        };
        let near = |p: Vec3| p.cmpge(lo).all() && p.cmple(hi).all();
        let asked: Vec<usize> = (0..x.len()).filter(|&i| near(x[i])).collect();
        let places: Vec<Vec3> = asked.iter().map(|&i| x[i]).collect();
        let inside = WindingField::new(&part).contains_all(&places);
        for (&i, _) in asked.iter().zip(inside).filter(|(_, inside)| *inside) {
            piece[i] = piece[i].min(own[0].0);
        }
    }
    // What lies in none was in a crumb, or where the surface had to be untangled.
    let grid = PointGrid::new(x, REACH * r);
    spread(&mut piece, x, &grid, REACH * r);
    let any = tracked.components().first().map_or(NO_PIECE, |c| c.id);
    for p in piece.iter_mut().filter(|p| **p == NO_PIECE) {
        *p = any;
    }
    piece
}

/// A particle, the piece of a vertex that it carries, and the vertex.
type Vote = (u32, u32, u32);

/// A vote for every vertex and every particle that carries it, ascending.
fn votes(tracked: &Tracked, first: usize) -> Vec<Vote> {
    let mesh = tracked.mesh();
    let mut votes: Vec<Vote> = mesh
        .vertices()
        .flat_map(|v| {
            let skin = &tracked.skin()[v as usize];
            let piece = mesh.component[v as usize];
            (0..4)
                .filter(|&a| skin.weight[a] > 0.0)
                .map(move |a| (skin.point[a] - first as u32, piece, v))
        })
        .collect();
    votes.sort_unstable();
    votes
}

/// Unknown pieces are taken from neighbours, level by level; ties go to the lowest.
fn spread(piece: &mut [u32], x: &[Vec3], grid: &PointGrid, reach: f32) {
    let mut unknown: Vec<usize> = (0..piece.len()).filter(|&i| piece[i] == NO_PIECE).collect();
    while !unknown.is_empty() {
        let told: Vec<(usize, u32)> = unknown
            .iter()
            .map(|&i| {
                let mut lowest = NO_PIECE;
                grid.for_each_within(x[i], reach, |j, _, _| {
                    lowest = lowest.min(piece[j as usize]);
                });
                (i, lowest)
            })
            .filter(|t| t.1 != NO_PIECE)
            .collect();
        if told.is_empty() {
            return;
        }
        for &(i, p) in &told {
            piece[i] = p;
        }
        unknown.retain(|&i| piece[i] == NO_PIECE);
    }
}

/// Lets the particles follow the pieces of the surface. Returns whether any has changed its piece.
///
/// A particle of a piece that is gone, with no neighbour in another, goes; so does a piece without a particle.
pub(super) fn follow(cloud: &mut Cloud, tracked: &Tracked, grid: &mut PointGrid) -> bool {
    let pieces = tracked.components();
    if as_before(cloud, tracked) {
        return false;
    }
    let before = cloud.piece.clone();
    let votes = votes(tracked, cloud.body.points.start);
    let mut voted = vec![NO_PIECE; cloud.old];
    for of_particle in votes.chunk_by(|a, b| a.0 == b.0) {
        let i = of_particle[0].0;
        let ballots: Vec<&[Vote]> = of_particle.chunk_by(|a, b| a.1 == b.1).collect();
        // It stays with its own piece if that still votes for it.
        let own = ballots
            .iter()
            .find(|b| b[0].1 == before[i as usize])
            .unwrap_or(&ballots[0])[0]
            .1;
        voted[i as usize] = own;
        cloud.mass[i as usize] /= ballots.len() as f32;
        for ballot in ballots.iter().filter(|b| b[0].1 != own) {
            let places = ballot.iter().map(|b| tracked.mesh().x[b.2 as usize]);
            let middle = places.sum::<Vec3>() / ballot.len() as f32;
            let x = cloud.x[i as usize];
            let step = (middle - x).normalize_or_zero() * (COPY_OFFSET * cloud.r);
            let copy = cloud.add(i, x + step, ballot[0].1);
            cloud.copies.push((i, ballot[0].1, copy));
        }
    }
    let reach = REACH * cloud.r;
    let (x, old) = (&cloud.x, cloud.old);
    grid.rebuild(old, reach, |i| x[i]);
    spread(&mut voted, &cloud.x[..old], grid, reach);
    let known = |p: u32| pieces.binary_search_by_key(&p, |c| c.id).is_ok();
    for (i, &p) in voted.iter().enumerate() {
        if p != NO_PIECE {
            cloud.piece[i] = p;
        } else if !known(cloud.piece[i]) {
            cloud.alive[i] = false;
        }
    }
    cloud.seam = seam(cloud, &before, grid);
    true
}

/// Particles beside others that were of another piece `before` and are of the same one now.
fn seam(cloud: &Cloud, before: &[u32], grid: &PointGrid) -> Vec<u32> {
    let met = |&i: &u32| {
        let (own, now) = (before[i as usize], cloud.piece[i as usize]);
        grid.any_within(cloud.x[i as usize], BESIDE * cloud.r, |j| {
            before[j as usize] != own && cloud.piece[j as usize] == now
        })
    };
    (0..cloud.old as u32).filter(met).collect()
}

/// Whether the particles belong to just those pieces that there are.
fn as_before(cloud: &Cloud, tracked: &Tracked) -> bool {
    let pieces = tracked.components();
    let mut met = vec![false; pieces.len()];
    let mut last = NO_PIECE;
    for &p in &cloud.piece {
        // Neighbours in memory are mostly of one piece.
        if p != last {
            match pieces.binary_search_by_key(&p, |c| c.id) {
                Ok(k) => met[k] = true,
                Err(_) => return false,
            }
            last = p;
        }
    }
    met.iter().all(|m| *m)
}

/// Pieces without a particle.
pub(super) fn bare(cloud: &Cloud, tracked: &Tracked) -> Vec<u32> {
    let pieces = tracked.components();
    let mut met = vec![false; pieces.len()];
    for i in (0..cloud.len()).filter(|&i| cloud.alive[i]) {
        if let Ok(k) = pieces.binary_search_by_key(&cloud.piece[i], |c| c.id) {
            met[k] = true;
        }
    }
    let bare = pieces.iter().zip(&met).filter(|(_, m)| !**m);
    bare.map(|(c, _)| c.id).collect()
}
