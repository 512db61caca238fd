//! Surfaces for the tests.

use super::closed_mesh::ClosedMesh;
use crate::geometry::Mesh;
use crate::random::Random;
use glam::Vec3;
use std::f32::consts::TAU;

fn closed(mesh: &Mesh) -> ClosedMesh {
    ClosedMesh::new(mesh).expect("the generator closes its meshes")
}

/// Four triangles.
pub(crate) fn tetrahedron() -> ClosedMesh {
    closed(&Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..Mesh::default()
    })
}

/// A sphere of eight octants, each cut into `n`² triangles.
pub(crate) fn sphere(n: u32) -> Mesh {
    let mut mesh = Mesh {
        positions: [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z].to_vec(),
        ..Mesh::default()
    };
    let octants = [
        [0, 1, 2],
        [1, 3, 2],
        [3, 4, 2],
        [4, 0, 2],
        [1, 0, 5],
        [3, 1, 5],
        [4, 3, 5],
        [0, 4, 5],
    ];
    let mut known = std::collections::BTreeMap::new();
    for octant in octants {
        let mut at = |i: u32, j: u32| {
            // Twelve numbers that name the vertex by its weights on the six corners.
            let mut weight = [0; 6];
            weight[octant[0]] = n - i - j;
            weight[octant[1]] = i;
            weight[octant[2]] = j;
            *known.entry(weight).or_insert_with(|| {
                let corner = |k: usize| mesh.positions[k] * weight[k] as f32;
                let p = (0..6).map(corner).fold(Vec3::ZERO, |a, b| a + b);
                if let Some(k) = (0..6).find(|&k| weight[k] == n) {
                    return k as u32;
                }
                mesh.positions.push(p.normalize());
                mesh.positions.len() as u32 - 1
            })
        };
        for i in 0..n {
            for j in 0..n - i {
                let (a, b, c) = (at(i, j), at(i + 1, j), at(i, j + 1));
                mesh.triangles.push([a, b, c]);
                if i + j + 2 <= n {
                    let d = at(i + 1, j + 1);
                    mesh.triangles.push([b, d, c]);
                }
            }
        }
    }
    mesh
}

/// A sphere whose vertices are moved along their direction by waves and by noise of the given height.
pub(crate) fn blob(n: u32, seed: u64, waves: f32, noise: f32) -> Mesh {
    let mut mesh = sphere(n);
    let mut random = Random::new([seed, 3, 0, 0]);
    let axes = [(); 4].map(|()| random.next_direction() * (2.0 + 6.0 * random.next_f32()));
    for p in &mut mesh.positions {
        let height: f32 = axes.iter().map(|a| libm::sinf(a.dot(*p))).sum();
        *p = *p * (1.0 + waves * height) + noise * (random.next_in_cube() - 0.5);
    }
    mesh
}

/// Adds a second surface.
pub(crate) fn append(mesh: &mut Mesh, other: &Mesh, offset: Vec3) {
    let first = mesh.positions.len() as u32;
    mesh.positions
        .extend(other.positions.iter().map(|&p| p + offset));
    mesh.triangles
        .extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
}

/// A wavy ring-shaped sheet of two layers: `n` × `m` quads, the layers `gap` apart.
pub(crate) fn sheet(n: u32, m: u32, gap: f32, waves: f32) -> Mesh {
    Mesh::ring(n, m, |u, v| sheet_at(u, v, gap, waves, 0.0))
}

/// The point of [`sheet`] with the parameters `u` around the ring and `v` around its section; `phase` moves the waves.
pub(crate) fn sheet_at(u: f32, v: f32, gap: f32, waves: f32, phase: f32) -> Vec3 {
    // Once around the section: out along one layer, back along the other.
    let out = 1.0 - (2.0 * v - 1.0).abs();
    let side = if v < 0.5 { 1.0 } else { -1.0 };
    let rim = (out * (1.0 - out) * 4.0).min(0.2) / 0.2;
    let (s, c) = libm::sincosf(TAU * u);
    let r = 1.0 + out;
    let (x, y) = (r * c, r * s);
    let wave = waves * libm::sinf(5.0 * x + phase) * libm::sinf(4.0 * y + 0.3 * phase);
    Vec3::new(x, y, wave + 0.5 * gap * side * rim)
}
