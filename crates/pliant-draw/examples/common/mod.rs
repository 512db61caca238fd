//! Scenes that the examples share.

use glam::Vec3;
use pliant_draw::{Ball, Camera, Ground, Light, Object, Paint, Scene};
use std::f32::consts::TAU;

/// A closed grid of `rows` by `columns` quads through `at(u, v)`, both in [0, 1).
pub(crate) fn wrapped(rows: u32, columns: u32, at: impl Fn(f32, f32) -> Vec3) -> Object {
    let mut object = Object::default();
    for i in 0..rows {
        for j in 0..columns {
            object
                .positions
                .push(at(i as f32 / rows as f32, j as f32 / columns as f32));
            let vertex = |i: u32, j: u32| i % rows * columns + j % columns;
            let [a, b, c, d] = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(k, l)| vertex(i + k, j + l));
            object.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    object
}

/// A tube around a trefoil knot.
pub(crate) fn knot(rows: u32, columns: u32) -> Object {
    let center = |u: f32| {
        let a = u * TAU;
        let r = 1.0 + 0.42 * (3.0 * a).cos();
        Vec3::new(
            r * (2.0 * a).cos(),
            0.75 + 0.42 * (3.0 * a).sin(),
            r * (2.0 * a).sin(),
        )
    };
    wrapped(rows, columns, |u, v| {
        let along = (center(u + 1e-3) - center(u - 1e-3)).normalize();
        let side = along.cross(Vec3::Y).normalize();
        let up = side.cross(along);
        let radius = 0.27 + 0.01 * (v * TAU * 6.0 + u * TAU * 30.0).sin();
        center(u) + radius * ((v * TAU).cos() * side + (v * TAU).sin() * up)
    })
}

pub(crate) fn cuboid(center: Vec3, half: Vec3) -> Object {
    let positions: Vec<Vec3> = (0..8)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + half * Vec3::new(sign(0), sign(1), sign(2))
        })
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = quads
        .into_iter()
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Object {
        positions,
        triangles,
        ..Object::default()
    }
}

/// Two knots of 60,000 triangles each, a block, and ten thousand balls on a floor.
pub(crate) fn studio() -> Scene {
    let clay = knot(750, 40);
    let mut checkered = knot(750, 40);
    checkered.paint = Paint::Checker {
        rest: checkered.positions.clone(),
        cell: 0.2,
        colors: [[236, 226, 208], [62, 104, 148]],
    };
    checkered.gloss = 0.5;
    for p in &mut checkered.positions {
        p.x += 3.2;
    }
    let mut block = cuboid(Vec3::new(1.6, 0.35, -1.4), Vec3::new(0.5, 0.35, 0.5));
    block.paint = Paint::Plain([126, 152, 120]);
    let balls = (0..10_000).map(|i| {
        let golden = i as f32 * 2.399_963;
        let height = 1.0 - 2.0 * (i as f32 + 0.5) / 10_000.0;
        let ring = (1.0 - height * height).sqrt();
        let out = Vec3::new(ring * golden.cos(), height, ring * golden.sin());
        Ball {
            center: Vec3::new(1.6, 0.5, 1.6) + 0.5 * out,
            radius: 0.012,
            color: [220, 180, 90],
            gloss: 0.4,
        }
    });
    let camera = Camera::framing(
        Vec3::new(-1.7, 0.0, -1.7),
        Vec3::new(4.9, 1.5, 2.0),
        Vec3::new(0.25, 0.45, 1.0),
        4.0 / 3.0,
    );
    Scene {
        balls: balls.collect(),
        objects: vec![clay, checkered, block],
        ground: Some(Ground::default()),
        camera,
        light: Light::over_shoulder(&camera),
        ..Scene::default()
    }
}
