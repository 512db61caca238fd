//! Relaxing what was touched, along the surface only.

use super::super::closed_mesh::{ClosedMesh, NONE};
use super::Remesher;
use glam::{Vec2, Vec3};

/// Share of the way to the middle of the neighbours.
const SHARE: f32 = 0.3;
/// Cosine of the largest angle between a face and the vertex normal at a vertex that may move (45°): creases stay.
const SMOOTH: f32 = 0.707;

/// A vertex with where it goes.
struct Move {
    vertex: u32,
    at: Vec3,
    rest: Vec3,
    color: [u8; 4],
    uv: Vec2,
}

impl Remesher {
    /// Moves touched vertices towards the middle of their neighbours, within the tangent plane. Attributes move by the same
    /// weights, or a texture would crawl. Vertices on seams, borders and creases stay.
    pub(super) fn relax_touched(&mut self, mesh: &mut ClosedMesh) {
        let moves: Vec<Move> = self
            .touched
            .list
            .iter()
            .filter(|&&v| mesh.out[v as usize] != NONE)
            .filter_map(|&v| plan(mesh, v))
            .collect();
        for m in moves {
            let i = m.vertex as usize;
            mesh.move_vertex(m.vertex, m.at);
            mesh.rest[i] = m.rest;
            if !mesh.color.is_empty() {
                mesh.color[i] = m.color;
            }
            if !mesh.uv.is_empty() {
                let corners: Vec<u32> = mesh.ring(m.vertex).collect();
                for h in corners {
                    mesh.uv[h as usize] = m.uv;
                }
            }
        }
    }
}

fn plan(mesh: &ClosedMesh, v: u32) -> Option<Move> {
    let i = v as usize;
    let normal = mesh.vertex_normal(v).normalize_or_zero();
    let (mut count, mut middle, mut rest, mut uv) = (0.0, Vec3::ZERO, Vec3::ZERO, Vec2::ZERO);
    let mut color = [0.0f32; 4];
    for h in mesh.ring(v) {
        let n = mesh.area_vector(h / 3);
        if mesh.is_seam(h) || n.dot(normal) < SMOOTH * n.length() {
            return None;
        }
        let w = mesh.target(h);
        count += 1.0;
        middle += mesh.x[w as usize];
        rest += mesh.rest[w as usize];
        if !mesh.uv.is_empty() {
            uv += mesh.uv[super::next(h) as usize];
        }
        if let Some(c) = mesh.color.get(w as usize) {
            for k in 0..4 {
                color[k] += f32::from(c[k]);
            }
        }
    }
    let x = mesh.x[i];
    let step = SHARE * (middle / count - x);
    let at = x + step - normal * step.dot(normal);
    if !at.is_finite() {
        return None;
    }
    let old = mesh.color.get(i).copied().unwrap_or_default();
    Some(Move {
        vertex: v,
        at,
        rest: mesh.rest[i].lerp(rest / count, SHARE),
        color: std::array::from_fn(|k| {
            (f32::from(old[k]) * (1.0 - SHARE) + SHARE * color[k] / count + 0.5) as u8
        }),
        uv: mesh
            .uv
            .get(mesh.out[i] as usize)
            .map_or(Vec2::ZERO, |own| own.lerp(uv / count, SHARE)),
    })
}
