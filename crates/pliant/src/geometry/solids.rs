//! Small closed meshes with known topology.

use super::Mesh;
use glam::Vec3;

/// A regular tetrahedron whose corners lie at distance `radius` from the origin.
pub fn tetrahedron(radius: f32) -> Mesh {
    let s = radius / 3f32.sqrt();
    Mesh {
        positions: vec![
            Vec3::new(s, s, s),
            Vec3::new(s, -s, -s),
            Vec3::new(-s, s, -s),
            Vec3::new(-s, -s, s),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
        ..Mesh::default()
    }
}

/// A regular octahedron of the given radius.
pub fn octahedron(radius: f32) -> Mesh {
    Mesh {
        positions: vec![
            Vec3::X * radius,
            Vec3::NEG_X * radius,
            Vec3::Y * radius,
            Vec3::NEG_Y * radius,
            Vec3::Z * radius,
            Vec3::NEG_Z * radius,
        ],
        triangles: vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ],
        ..Mesh::default()
    }
}

/// A sphere about the origin: an octahedron whose faces are cut into `segments`² triangles each (8n² in all).
pub fn sphere(radius: f32, segments: u32) -> Mesh {
    let n = segments.max(1);
    let coarse = octahedron(1.0);
    let mut mesh = Mesh::default();
    // A vertex is named by its barycentric coordinates in the coarse mesh, so that faces share those on their edges.
    let mut known = std::collections::BTreeMap::new();
    for face in &coarse.triangles {
        let mut vertex = |weights: [u32; 3]| {
            let mut name: Vec<(u32, u32)> = face
                .iter()
                .copied()
                .zip(weights)
                .filter(|&(_, w)| w > 0)
                .collect();
            name.sort_unstable();
            *known.entry(name).or_insert_with_key(|name| {
                let p: Vec3 = name
                    .iter()
                    .map(|&(v, w)| coarse.positions[v as usize] * w as f32)
                    .sum();
                mesh.positions.push(p.normalize() * radius);
                mesh.positions.len() as u32 - 1
            })
        };
        let mut triangles = Vec::new();
        for i in 0..n {
            for j in 0..n - i {
                let mut at = |i: u32, j: u32| vertex([n - i - j, i, j]);
                let (a, b, c) = (at(i, j), at(i + 1, j), at(i, j + 1));
                triangles.push([a, b, c]);
                if i + j + 1 < n {
                    triangles.push([b, at(i + 1, j + 1), c]);
                }
            }
        }
        mesh.triangles.extend(triangles);
    }
    mesh
}

/// A torus around the y axis: `major` from the axis to the tube's middle, `minor` the tube's radius, `around` and `across`
/// segments (at least three each).
pub fn torus(major: f32, minor: f32, around: u32, across: u32) -> Mesh {
    let (n, m) = (around.max(3), across.max(3));
    let turn = |i: u32, n: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        (libm::sin(angle) as f32, libm::cos(angle) as f32)
    };
    let mut mesh = Mesh::default();
    for i in 0..n {
        let (sin_u, cos_u) = turn(i, n);
        for j in 0..m {
            let (sin_v, cos_v) = turn(j, m);
            let ring = major + minor * cos_v;
            mesh.positions
                .push(Vec3::new(ring * cos_u, minor * sin_v, ring * sin_u));
        }
    }
    for i in 0..n {
        for j in 0..m {
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            let (a, b) = (at(i, j), at(i + 1, j));
            let (c, d) = (at(i + 1, j + 1), at(i, j + 1));
            mesh.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_point_outwards_and_have_their_volume() {
        assert!((tetrahedron(3f32.sqrt()).volume() - 8.0 / 3.0).abs() < 1e-6);
        assert!((octahedron(1.0).volume() - 4.0 / 3.0).abs() < 1e-6);
        let ball = sphere(1.0, 16);
        assert_eq!(ball.triangles.len(), 2048);
        assert!((ball.volume() / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
        let ring = torus(1.0, 0.25, 64, 32);
        let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.0625;
        assert!((ring.volume() / exact - 1.0).abs() < 0.02);
    }
}
