//! Flat caps get triangles like those of the rest of the surface.
//!
//! Corners that were cut off a long rim leave needles, which re-meshing can only improve step by step. A cap is flat, so it can be
//! done at once, as Botsch and Kobbelt (2004) re-mesh: long edges are split in the middle, short ones are collapsed, edges are flipped
//! until the triangles are Delaunay, and what lies inside moves to the middle of its neighbours. The rim stays as it is.

use super::super::closed_mesh::{ClosedMesh, NONE, next, prev};
use glam::{DVec3, Vec3};

/// Rounds, enough to come down from any rim.
const ROUNDS: usize = 16;
/// Flips at a time, for each triangle.
const FLIPS: usize = 16;
/// Edges shorter than this share of the longest are collapsed.
const SHORT: f32 = 0.6;

/// Refines the cap `triangles`, which bear one scar and lie across `normal`, until its inner edges are no longer than `longest`. The mesh
/// gets no more than `limit` triangles.
pub(super) fn refine(
    mesh: &mut ClosedMesh,
    mut triangles: Vec<u32>,
    normal: DVec3,
    longest: f32,
    limit: usize,
) {
    flip_all(mesh, &triangles, normal);
    let mut left = if longest > 0.0 { ROUNDS } else { 0 };
    while left > 0 {
        left -= 1;
        let long = split_long(mesh, &mut triangles, longest, limit);
        flip_all(mesh, &triangles, normal);
        collapse_short(mesh, &mut triangles, normal, longest);
        flip_all(mesh, &triangles, normal);
        smooth(mesh, &triangles, normal, longest);
        flip_all(mesh, &triangles, normal);
        if !long {
            // What is in range settles within a few rounds.
            left = left.min(2);
        }
    }
}

/// The edges inside of the cap, each once. What bears another scar is not the cap.
fn inner_edges<'a>(mesh: &'a ClosedMesh, triangles: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    triangles
        .iter()
        .flat_map(|&t| 3 * t..3 * t + 3)
        .filter(|&h| h < mesh.twin(h) && !mesh.is_border(h))
}

/// Splits the edges that are too long, longest first. Returns whether there were any.
fn split_long(mesh: &mut ClosedMesh, triangles: &mut Vec<u32>, longest: f32, limit: usize) -> bool {
    let max2 = longest * longest;
    let mut long: Vec<(f32, u32, u32)> = inner_edges(mesh, triangles)
        .map(|h| (mesh.length2(h), mesh.origin(h), mesh.target(h)))
        .filter(|e| e.0 > max2 && e.0.is_finite())
        .collect();
    long.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    for &(_, a, b) in &long {
        if mesh.triangle_count() + 2 > limit {
            return false;
        }
        let h = mesh.half_edge(a, b);
        if h == NONE {
            continue;
        }
        mesh.split(h, 0.5 * (mesh.x[a as usize] + mesh.x[b as usize]));
        // The new triangles are beyond the new edge and beyond what is left of the old one.
        triangles.extend([mesh.twin(next(h)) / 3, mesh.twin(h) / 3]);
    }
    !long.is_empty()
}

/// Collapses edges that are too short, shortest first.
fn collapse_short(mesh: &mut ClosedMesh, triangles: &mut Vec<u32>, normal: DVec3, longest: f32) {
    let min2 = (SHORT * longest).powi(2);
    let mut short: Vec<(f32, u32, u32)> = inner_edges(mesh, triangles)
        .map(|h| (mesh.length2(h), mesh.origin(h), mesh.target(h)))
        .filter(|e| e.0 < min2)
        .collect();
    short.sort_unstable_by(|a, b| {
        a.0.total_cmp(&b.0)
            .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    for (_, a, b) in short {
        if mesh.out[a as usize] == NONE || mesh.out[b as usize] == NONE {
            continue;
        }
        let h = mesh.half_edge(a, b);
        if h == NONE || mesh.length2(h) >= min2 || !mesh.can_collapse(h) {
            continue;
        }
        let s = match [a, b].map(|v| mesh.ring(v).any(|k| mesh.is_border(k))) {
            [false, false] => 0.5,
            [true, false] => 0.0,
            [false, true] => 1.0,
            [true, true] => continue,
        };
        let at = mesh.x[a as usize].lerp(mesh.x[b as usize], s);
        let beside = [h / 3, mesh.twin(h) / 3];
        let fits =
            |v: u32, s_at: f32| s_at == 0.0 || star_fits(mesh, v, at, normal, &beside, longest);
        if fits(a, s) && fits(b, 1.0 - s) {
            mesh.collapse(h, at, s);
        }
    }
    triangles.retain(|&t| mesh.alive(t));
}

/// Whether the triangles around `v`, but for those `beside`, still face outwards when it goes to `at`, and no edge is too long.
fn star_fits(
    mesh: &ClosedMesh,
    v: u32,
    at: Vec3,
    normal: DVec3,
    beside: &[u32],
    longest: f32,
) -> bool {
    mesh.ring(v)
        .filter(|h| !beside.contains(&(h / 3)))
        .all(|h| {
            let (b, c) = (mesh.at(next(h)) - at, mesh.at(prev(h)) - at);
            let area = b.cross(c).as_dvec3().dot(normal);
            // No needles: the altitude on the longer side stays above a tenth of it.
            let long2 = b.length_squared().max(c.length_squared());
            area > 0.1 * f64::from(long2) && b.length_squared() <= longest * longest
        })
}

/// Flips edges until no circle around a triangle holds the corner beyond one of its sides.
fn flip_all(mesh: &mut ClosedMesh, triangles: &[u32], normal: DVec3) {
    let mut stack: Vec<u32> = inner_edges(mesh, triangles).collect();
    let mut left = FLIPS * triangles.len();
    while let Some(h) = stack.pop() {
        if left == 0 {
            return;
        }
        if mesh.is_border(h) || !wants_flip(mesh, h, normal) || !mesh.can_flip(h) {
            continue;
        }
        let g = mesh.twin(h);
        mesh.flip(h);
        left -= 1;
        stack.extend([next(h), prev(h), next(g), prev(g)]);
    }
}

/// Whether the other diagonal is better: the angles at its ends sum up to more than 180°, and both new triangles face outwards.
fn wants_flip(mesh: &ClosedMesh, h: u32, normal: DVec3) -> bool {
    let g = mesh.twin(h);
    let at = |k: u32| mesh.at(k).as_dvec3();
    let (a, b, c, d) = (at(h), at(g), at(prev(h)), at(prev(g)));
    let turn = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).dot(normal);
    let (at_c, at_d) = ((a - c).dot(b - c), (a - d).dot(b - d));
    let (area_c, area_d) = (turn(a, b, c), turn(b, a, d));
    let sizes = (a - c).length() * (b - c).length() * (a - d).length() * (b - d).length();
    // sin(γ + δ) < 0, with γ and δ the angles at c and d.
    let worse = at_c * area_d + at_d * area_c < -1e-6 * sizes;
    let (new_c, new_d) = (turn(c, d, b), turn(d, c, a));
    worse && new_c.min(new_d) > 1e-3 * area_c.min(area_d).max(0.0) && new_c.min(new_d) > 0.0
}

/// Moves every vertex inside of the cap to the middle of its neighbours if that is good for the triangles around it.
fn smooth(mesh: &mut ClosedMesh, triangles: &[u32], normal: DVec3, longest: f32) {
    let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.triangle(t)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    for v in vertices {
        if mesh.ring(v).any(|h| mesh.is_border(h)) {
            continue;
        }
        let (mut at, mut rest, mut count) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for h in mesh.ring(v) {
            let w = mesh.target(h) as usize;
            at += mesh.x[w];
            rest += mesh.rest[w];
            count += 1.0;
        }
        let at = at / count;
        if star_fits(mesh, v, at, normal, &[], longest) {
            mesh.move_vertex(v, at);
            mesh.rest[v as usize] = rest / count;
        }
    }
}
