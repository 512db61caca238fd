//! What a jolt has turned inside out is laid flat again.
//!
//! Every vertex keeps its distance to the particles that carry it. Where they are pushed together at once, by a blow or because something
//! stretched lets go, neighbouring vertices that hang on different particles pass each other, and the triangles between them turn over.
//! Such a fold is finer than the distance of the particles; it would stay as a pit, or become a knot that grows.

use super::closed_mesh::{ClosedMesh, MOVED};
use glam::Vec3;
use rayon::prelude::*;

/// Passes over the vertices of folds.
const PASSES: usize = 8;
/// Part of the way to the middle of its neighbours that a vertex goes in a pass.
const SHARE: f32 = 0.5;
/// Cosine of the angle by which a triangle of a fold has turned at least in this frame.
const TURN: f32 = 0.5;
/// How much the cosine at the edge of a fold falls at least in this frame, if the edge was sharp before.
const SHARPER: f32 = 0.2;

/// Moves the vertices in and around folds that are new in this frame towards the middle of their neighbours. Returns the number of triangles
/// that have turned over.
pub(crate) fn unfold(mesh: &mut ClosedMesh) -> usize {
    let folded: Vec<u32> = (0..(mesh.corner.len() / 3) as u32)
        .into_par_iter()
        .with_min_len(1024)
        .filter(|&t| mesh.alive(t) && has_turned(mesh, t) && is_creased(mesh, t))
        .collect();
    if folded.is_empty() {
        return 0;
    }
    let corners = folded.iter().flat_map(|&t| mesh.triangle(t));
    let mut loose: Vec<u32> = corners
        .flat_map(|v| mesh.ring(v).map(|h| mesh.target(h)))
        .collect();
    loose.sort_unstable();
    loose.dedup();
    for _ in 0..PASSES {
        let places: Vec<Vec3> = loose
            .par_iter()
            .with_min_len(64)
            .map(|&v| step(mesh, v))
            .collect();
        for (&v, to) in loose.iter().zip(places) {
            mesh.x[v as usize] = to;
        }
    }
    for &v in &loose {
        mesh.vertex_flags[v as usize] |= MOVED;
    }
    folded.len()
}

/// The normal of triangle `t`, as long as twice its area, with its vertices at `x`.
fn normal(mesh: &ClosedMesh, t: u32, x: &[Vec3]) -> Vec3 {
    let [a, b, c] = mesh.triangle(t).map(|v| x[v as usize]);
    (b - a).cross(c - a)
}

/// Whether a triangle looks to another side than at the end of the last frame.
fn has_turned(mesh: &ClosedMesh, t: u32) -> bool {
    let (now, was) = (normal(mesh, t, &mesh.x), normal(mesh, t, &mesh.was));
    let dot = now.dot(was);
    dot < 0.0 || dot * dot < TURN * TURN * now.length_squared() * was.length_squared()
}

/// Whether a sharp edge has come into being at triangle `t` or at one beside it; what turns as a whole gets none.
fn is_creased(mesh: &ClosedMesh, t: u32) -> bool {
    let cosine = |h: u32, x: &[Vec3]| {
        let [a, b] = [h, mesh.twin(h)].map(|h| normal(mesh, h / 3, x).normalize_or_zero());
        a.dot(b)
    };
    let crease = |h: u32| {
        let (now, was) = (cosine(h, &mesh.x), cosine(h, &mesh.was));
        now < 0.0 && (was >= 0.0 || now < was - SHARPER)
    };
    let edges = |t: u32| 3 * t..3 * t + 3;
    edges(t).any(crease) || edges(t).any(|h| edges(mesh.twin(h) / 3).any(crease))
}

/// Where vertex `v` goes in a pass.
fn step(mesh: &ClosedMesh, v: u32) -> Vec3 {
    let x = mesh.x[v as usize];
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for h in mesh.ring(v) {
        sum += mesh.x[mesh.target(h) as usize];
        count += 1.0;
    }
    let to = x.lerp(sum / count, SHARE);
    if to.is_finite() { to } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::testing;
    use glam::Quat;

    /// A vertex that has passed its neighbours goes back among them; what is farther away stays.
    #[test]
    fn a_fold_is_laid_flat() {
        let mut mesh = ClosedMesh::new(&testing::sphere(12)).unwrap();
        let (v, before) = (40, mesh.x.clone());
        let neighbour = mesh.target(mesh.ring(v).next().unwrap());
        let edge = mesh.x[neighbour as usize] - mesh.x[v as usize];
        mesh.x[v as usize] += 3.0 * edge;
        let turned = |mesh: &ClosedMesh| mesh.triangles().filter(|&t| has_turned(mesh, t)).count();
        assert!(turned(&mesh) > 0);
        assert!(unfold(&mut mesh) > 0);
        assert_eq!(turned(&mesh), 0);
        assert_eq!(mesh.vertex_flags[v as usize], MOVED);
        let far = |a: &&Vec3| a.distance(before[v as usize]) > 6.0 * edge.length();
        assert!(mesh.x.iter().filter(far).eq(before.iter().filter(far)));
        assert_eq!(unfold(&mut mesh), 0);
    }

    /// What turns as a whole stays as it is, however fast, and so do its sharp edges.
    #[test]
    fn what_turns_is_no_fold() {
        let mut mesh = ClosedMesh::new(&testing::sphere(12)).unwrap();
        mesh.x.iter_mut().for_each(|x| x.y *= 0.01);
        mesh.was.clone_from(&mesh.x);
        for angle in [0.5, 2.0, 3.0] {
            let turn = Quat::from_rotation_x(angle);
            mesh.x = mesh.was.iter().map(|x| turn * *x).collect();
            assert_eq!(unfold(&mut mesh), 0);
        }
    }
}
