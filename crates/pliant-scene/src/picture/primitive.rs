//! Meshes of solids with edges, exact where a grid would round them off.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};

/// Edges along the longest side of a solid that is meshed by a grid.
const GRID_EDGES: f32 = 90.0;
/// Sides of a capsule, and rings of each of its ends.
const CAPSULE_SIDES: u32 = 32;
const CAP_RINGS: u32 = 8;
/// Sides of a cylinder.
const SIDES: u32 = 128;

/// A mesh of a solid that is good enough to look at; empty for one that is too thin to be seen.
pub(super) fn mesh_of(shape: &Shape) -> Mesh {
    match shape {
        Shape::Box { center, half } => cuboid(*center, *half),
        Shape::Cylinder {
            center,
            radius,
            height,
        } => cylinder(*center, *radius, *height),
        _ => {
            let (lo, hi) = shape.bounds();
            mesh_shape(shape, (hi - lo).max_element() / GRID_EDGES).unwrap_or_default()
        }
    }
}

fn cuboid(center: Vec3, half: Vec3) -> Mesh {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        center + half * Vec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    Mesh {
        positions: (0..8).map(corner).collect(),
        triangles: quads
            .into_iter()
            .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
        ..Mesh::default()
    }
}

/// A capsule: rings from one end to the other.
pub(super) fn capsule(a: Vec3, b: Vec3, radius: f32) -> Mesh {
    let up = (b - a).normalize_or(Vec3::Y);
    let (side, front) = up.any_orthonormal_pair();
    let mut mesh = Mesh::default();
    for ring in 0..=2 * CAP_RINGS + 1 {
        // Each end has its half of the rings.
        let (middle, step) = if ring <= CAP_RINGS {
            (a, ring)
        } else {
            (b, ring - 1)
        };
        let angle = PI * (step as f32 / (2 * CAP_RINGS) as f32 - 0.5);
        for k in 0..CAPSULE_SIDES {
            let (sin, cos) = (TAU * k as f32 / CAPSULE_SIDES as f32).sin_cos();
            let out = angle.cos() * (cos * side + sin * front) + angle.sin() * up;
            mesh.positions.push(middle + radius * out);
        }
    }
    for ring in 0..=2 * CAP_RINGS {
        for k in 0..CAPSULE_SIDES {
            let next = (k + 1) % CAPSULE_SIDES;
            let [p, q] = [k, next].map(|k| ring * CAPSULE_SIDES + k);
            let [s, t] = [p, q].map(|v| v + CAPSULE_SIDES);
            mesh.triangles.extend([[p, q, s], [q, t, s]]);
        }
    }
    mesh
}

/// An upright cylinder: the middles of its ends, then its sides from below to above.
fn cylinder(center: Vec3, radius: f32, height: f32) -> Mesh {
    let half = Vec3::Y * (0.5 * height);
    let mut mesh = Mesh {
        positions: vec![center - half, center + half],
        ..Mesh::default()
    };
    for side in 0..SIDES {
        let (sin, cos) = (TAU * side as f32 / SIDES as f32).sin_cos();
        let out = radius * Vec3::new(cos, 0.0, sin);
        mesh.positions
            .extend([center - half + out, center + half + out]);
        let [a, b] = [side, (side + 1) % SIDES].map(|s| 2 + 2 * s);
        mesh.triangles.extend([
            [a, a + 1, b],
            [b, a + 1, b + 1],
            [0, a, b],
            [1, b + 1, a + 1],
        ]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meshes are closed, face outwards and have the volume of their solids.
    #[test]
    fn volumes_are_right() {
        let center = Vec3::new(1.0, 2.0, 3.0);
        let cuboid = mesh_of(&Shape::Box {
            center,
            half: Vec3::new(0.5, 1.0, 2.0),
        });
        assert!((cuboid.volume() - 8.0).abs() < 1e-5);
        let cylinder = mesh_of(&Shape::Cylinder {
            center,
            radius: 1.0,
            height: 2.0,
        });
        assert!((cylinder.volume() - f64::from(TAU)).abs() < 0.01);
        let capsule = capsule(center, center + Vec3::new(0.6, 0.0, 0.8), 0.5);
        let exact = f64::from(PI) * (0.25 + 0.5 / 3.0);
        assert!(
            (capsule.volume() / exact - 1.0).abs() < 0.02,
            "{}",
            capsule.volume()
        );
    }
}
