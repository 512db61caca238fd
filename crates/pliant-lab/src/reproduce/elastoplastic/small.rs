//! Small bodies on lattices, for the engine and for the reference.

use crate::reference::linear::{outer, signed_svd};
use glam::{DMat3, DVec3, Vec3};
use pliant::body::Sampling;
use pliant::geometry::{Mesh, Shape, surface_nets::mesh_shape};
use pliant::{BodyDesc, Material, Settings, World};

/// Particle radius of all small bodies.
pub(super) const R: f64 = 0.1;
/// One frame.
pub(super) const FRAME: f64 = 1.0 / 60.0;

/// A lattice of nx × ny × nz points at spacing r, centred at the origin.
pub(super) fn lattice(nx: usize, ny: usize, nz: usize) -> Vec<DVec3> {
    let middle = DVec3::new(nx as f64 - 1.0, ny as f64 - 1.0, nz as f64 - 1.0) * 0.5;
    let mut points = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                points.push((DVec3::new(x as f64, y as f64, z as f64) - middle) * R);
            }
        }
    }
    points
}

/// A body of the given points and groups; its surface is a small box that nobody looks at.
pub(super) fn engine_body(
    points: &[DVec3],
    groups: &[Vec<usize>],
    material: Material,
) -> (BodyDesc, Sampling) {
    let points: Vec<Vec3> = points.iter().map(|p| p.as_vec3()).collect();
    let center = points.iter().sum::<Vec3>() / points.len() as f32;
    let shape = Shape::Box {
        center,
        half: Vec3::splat(R as f32),
    };
    let mesh = mesh_shape(&shape, 0.2).unwrap_or_else(|_| Mesh::default());
    let mut desc = BodyDesc::new("small", mesh, R as f32);
    desc.material = material;
    let groups = groups
        .iter()
        .map(|g| g.iter().map(|&i| i as u32).collect())
        .collect();
    let volume = points.len() as f64 * R.powi(3) / 0.66;
    (
        desc,
        Sampling {
            points,
            groups,
            volume,
            ..Sampling::default()
        },
    )
}

/// A world without gravity.
pub(super) fn weightless() -> Settings {
    Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    }
}

/// A world that holds one small body.
pub(super) fn world_of(
    settings: Settings,
    points: &[DVec3],
    groups: &[Vec<usize>],
    material: Material,
) -> World {
    let (desc, sampling) = engine_body(points, groups, material);
    let mut world = World::new(settings);
    let added = world.add_sampled(desc, &sampling);
    debug_assert!(added.is_ok(), "a surface of fixed topology takes any mesh");
    world
}

/// The best rigid placement of `rest` on `x`: rotation and the two centres.
fn placement(rest: &[DVec3], x: &[DVec3]) -> (DMat3, DVec3, DVec3) {
    let n = x.len() as f64;
    let (c_rest, c) = (rest.iter().sum::<DVec3>() / n, x.iter().sum::<DVec3>() / n);
    let a = rest
        .iter()
        .zip(x)
        .fold(DMat3::ZERO, |a, (q, x)| a + outer(*x - c, *q - c_rest));
    (signed_svd(a).rotation(), c_rest, c)
}

/// `x` moved back rigidly onto `rest` as well as it goes.
pub(super) fn aligned(rest: &[DVec3], x: &[DVec3]) -> Vec<DVec3> {
    let (r, c_rest, c) = placement(rest, x);
    x.iter()
        .map(|x| r.transpose() * (*x - c) + c_rest)
        .collect()
}

/// RMS distance of `x` from the best rigid placement of `rest`.
pub(super) fn shape_error(rest: &[DVec3], x: &[DVec3]) -> f64 {
    let sum: f64 = rest
        .iter()
        .zip(aligned(rest, x))
        .map(|(q, x)| (x - *q).length_squared())
        .sum();
    (sum / x.len() as f64).sqrt()
}

/// Positions of a world's particles in f64.
pub(super) fn positions(world: &World) -> Vec<DVec3> {
    world.points().x.iter().map(|x| x.as_dvec3()).collect()
}
