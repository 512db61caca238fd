//! Which piece of the surface each particle belongs to [CMM16 §3.3.7].
//!
//! Every vertex votes its piece to the particles that carry it. A particle with votes of several pieces is copied, one for each.
//! Particles inside get their piece from their neighbours.

use super::cloud::Cloud;
use crate::geometry::grid::PointGrid;
use crate::state::NO_PIECE;
use crate::surface::Tracked;
use glam::Vec3;

/// How far a copy is moved towards the vertices that it is for, in r.
const COPY_OFFSET: f32 = 0.05;
/// Distance over which neighbours tell each other their piece, in r.
const REACH: f32 = 2.0;

/// The pieces of the particles of a new body.
pub(crate) fn label(tracked: &Tracked, x: &[Vec3], first: usize, r: f32) -> Vec<u32> {
    if let [only] = tracked.components() {
        return vec![only.id; x.len()];
    }
    let votes = votes(tracked, first);
    let mut piece = vec![NO_PIECE; x.len()];
    for v in votes.chunk_by(|a, b| a.0 == b.0) {
        // The piece with the most votes.
        let best = v
            .chunk_by(|a, b| a.1 == b.1)
            .map(|same| (same.len(), std::cmp::Reverse(same[0].1)))
            .max();
        piece[v[0].0 as usize] = best.map_or(NO_PIECE, |b| b.1.0);
    }
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
                    lowest = lowest.min(piece[j as usize])
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
    true
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
