//! A dummy with hair and a cape: a rigid head, ropes and a sheet in one body.

use glam::{Mat3, Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};

use super::workshop::{Workshop, along, egg, smooth, tube};

const MARBLE: [u8; 4] = [226, 216, 202, 255];
const RED: [u8; 4] = [158, 38, 44, 255];
const STRANDS: u32 = 59;
const JOINTS: u32 = 12;
/// Tubes of a strand.
const HAIRS: u32 = 5;
/// Particles along each side of the cape.
const CAPE: u32 = 16;
const SKULL: (Vec3, Vec3) = (Vec3::new(0.0, 3.0, 0.0), Vec3::new(0.40, 0.50, 0.46));

pub(super) fn make(mut shop: Workshop) -> OrientedDesc {
    let bones = [
        (SKULL.0, SKULL.1),
        (Vec3::new(0.0, 2.66, 0.16), Vec3::new(0.27, 0.28, 0.28)),
        (Vec3::new(0.0, 2.22, -0.03), Vec3::new(0.21, 0.34, 0.21)),
        (Vec3::new(0.0, 1.62, -0.04), Vec3::new(0.62, 0.40, 0.36)),
        (Vec3::new(0.58, 1.58, -0.06), Vec3::new(0.44, 0.28, 0.28)),
        (Vec3::new(-0.58, 1.58, -0.06), Vec3::new(0.44, 0.28, 0.28)),
        (Vec3::new(0.0, 1.20, 0.0), Vec3::new(0.50, 0.30, 0.32)),
    ];
    let mut rigid: Vec<u32> = bones
        .iter()
        .map(|(x, radii)| shop.particle(egg(*x, Quat::IDENTITY, *radii, 20.0)))
        .collect();
    let home = shop.nearest_of(rigid.clone());
    // The form is known to be sound.
    let bust = mesh_shape(&bust(), shop.edge(0.056)).unwrap_or_default();
    shop.show(&bust, MARBLE, home);
    for strand in 0..STRANDS {
        rigid.push(hair(&mut shop, strand));
    }
    rigid.extend(cape(&mut shop));
    shop.rigid(&rigid, &[]);
    shop.finish()
}

/// Head, neck and shoulders of a milliner's dummy.
fn bust() -> Shape {
    let egg = |center: [f32; 3], radii: [f32; 3]| Shape::Ellipsoid {
        center: center.into(),
        radii: radii.into(),
    };
    let rod = |a: [f32; 3], b: [f32; 3], radius: f32| Shape::Capsule {
        a: a.into(),
        b: b.into(),
        radius,
    };
    let flow = |of: Vec<Shape>, radius: f32| Shape::SmoothUnion { of, radius };
    let skull = vec![
        egg(SKULL.0.to_array(), SKULL.1.to_array()),
        egg([0.0, 2.74, 0.12], [0.295, 0.34, 0.31]),
        egg([0.0, 2.48, 0.25], [0.14, 0.10, 0.13]),
    ];
    // Nose, mouth and ears are hints.
    let head = vec![
        flow(skull, 0.16),
        rod([0.0, 2.97, 0.41], [0.0, 2.80, 0.455], 0.035),
        egg([0.0, 2.62, 0.37], [0.08, 0.05, 0.05]),
        egg([0.395, 2.90, -0.02], [0.05, 0.12, 0.08]),
        egg([-0.395, 2.90, -0.02], [0.05, 0.12, 0.08]),
    ];
    let torso = vec![
        egg([0.0, 1.55, -0.05], [0.80, 0.30, 0.33]),
        egg([0.60, 1.56, -0.06], [0.36, 0.25, 0.27]),
        egg([-0.60, 1.56, -0.06], [0.36, 0.25, 0.27]),
        egg([0.0, 1.28, 0.02], [0.58, 0.34, 0.34]),
        rod([0.0, 2.62, -0.06], [0.0, 1.75, -0.07], 0.185),
    ];
    flow(vec![flow(head, 0.10), flow(torso, 0.24)], 0.12)
}

/// A strand of hair, combed back and down; returns its root, which is part of the head.
fn hair(shop: &mut Workshop, strand: u32) -> u32 {
    // Evenly over the scalp, which ends at the forehead.
    let t = (strand as f32 + 0.5) / STRANDS as f32;
    let turn = 2.399_963 * strand as f32;
    let height = 1.0 - 1.02 * t;
    let (sin, cos) = libm::sincosf(turn);
    let flat = (1.0 - height * height).max(0.0).sqrt();
    let back = |v: Vec3| Quat::from_rotation_x(-0.62) * v;
    let out = back(Vec3::new(flat * sin, height, flat * cos));
    let root = SKULL.0 + SKULL.1 * out;
    let normal = (out / SKULL.1).normalize_or(Vec3::Y);
    let step = 0.155;
    let mut way = vec![(root - 0.06 * normal, 0.02)];
    let mut at = root;
    for joint in 0..JOINTS {
        let t = joint as f32 / JOINTS as f32;
        way.push((at, 0.024 * (1.0 - 0.8 * t * t)));
        // What grows above the forehead is parted and combed back.
        let front = (out.z + 0.1).max(0.0);
        let side = if out.x < 0.0 { -1.0 } else { 1.0 };
        let away = Vec3::new(1.3 * side, 0.0, -1.6) * front * (1.0 - t);
        let down = away + Vec3::new(0.12 * out.x, -1.0, -0.22);
        let ahead = normal
            .lerp(down, (0.25 + 2.2 * t).min(1.0))
            .normalize_or(down);
        at += step * ahead;
        at = outside(at);
    }
    let mut own = Vec::new();
    for joint in 1..way.len() {
        let (before, x) = (way[joint - 1].0, way[joint].0);
        let radii = Vec3::new(0.55 * step, 0.035, 0.035);
        let particle = shop.particle(egg(x, along(x - before), radii, 0.01));
        if let Some(last) = own.last() {
            shop.connect(*last, particle);
        }
        own.push(particle);
    }
    let home = shop.nearest_of(own.clone());
    for lock in 0..HAIRS {
        let (sin, cos) = libm::sincosf(1.2566 * lock as f32 + turn);
        let side = normal.any_orthonormal_vector();
        let aside = 0.045 * (cos * side + sin * normal.cross(side));
        let path: Vec<(Vec3, f32)> = way.iter().map(|(x, r)| (*x + aside, *r)).collect();
        let shade = 12 * (lock as u8 % 3);
        let brown = [74 + shade, 48 + shade, 30 + shade / 2, 255];
        shop.show(
            &tube(&smooth(&path, shop.parts(2, 1) as usize), shop.parts(4, 3)),
            brown,
            &home,
        );
    }
    own[0]
}

/// The nearest place that is well outside of head and shoulders.
fn outside(x: Vec3) -> Vec3 {
    let out = |x: Vec3, center: Vec3, radii: Vec3| {
        let local = (x - center) / radii;
        let length = local.length();
        if length < 1.0 {
            center + radii * local / length.max(1e-3)
        } else {
            x
        }
    };
    let x = out(x, SKULL.0, SKULL.1 + 0.06);
    let x = out(x, Vec3::new(0.0, 2.30, -0.03), Vec3::new(0.27, 0.60, 0.28));
    out(x, Vec3::new(0.0, 1.60, -0.04), Vec3::new(1.08, 0.38, 0.42))
}

/// A cape from the shoulders down; returns its upper edge, which is part of the bust.
fn cape(shop: &mut Workshop) -> Vec<u32> {
    let last = (CAPE - 1) as f32;
    // Across the back from shoulder to shoulder, then down and outwards.
    let at = |u: f32, v: f32| {
        let (sin, cos) = libm::sincosf(std::f32::consts::PI * (0.92 * u + 0.04));
        let wide = 1.0 + 0.35 * v;
        let folds = 0.05 * v * libm::sinf(22.0 * u);
        Vec3::new(
            -1.02 * wide * cos,
            1.72 - 2.0 * v,
            -(0.14 + 0.36 * wide) * sin - folds + 0.02,
        )
    };
    let frame = |u: f32, v: f32| {
        let h = 0.01;
        let across = at(u + h, v) - at(u - h, v);
        let down = at(u, v + h) - at(u, v - h);
        let x = across.normalize_or(Vec3::X);
        let z = across.cross(down).normalize_or(Vec3::Z);
        Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z))
    };
    let mut grid = Vec::new();
    for j in 0..CAPE {
        for i in 0..CAPE {
            let (u, v) = (i as f32 / last, j as f32 / last);
            let radii = Vec3::new(0.10, 0.075, 0.02);
            grid.push(shop.particle(egg(at(u, v), frame(u, v).normalize(), radii, 0.02)));
            let here = (j * CAPE + i) as usize;
            if i > 0 {
                shop.connect(grid[here - 1], grid[here]);
            }
            if j > 0 {
                let above = here - CAPE as usize;
                shop.connect(grid[above], grid[here]);
                if i > 0 {
                    shop.connect(grid[above - 1], grid[here]);
                }
                if i + 1 < CAPE {
                    shop.connect(grid[above + 1], grid[here]);
                }
            }
        }
    }
    let home = shop.nearest_of(grid.clone());
    shop.show(&sheet(&at, shop.parts(5, 1) * (CAPE - 1)), RED, home);
    grid[..CAPE as usize].to_vec()
}

/// A sheet of `n` × `n` squares with a little thickness, closed at its borders.
fn sheet(at: &impl Fn(f32, f32) -> Vec3, n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let row = n + 1;
    for side in 0..2u32 {
        for (i, j) in (0..row * row).map(|k| (k % row, k / row)) {
            let (u, v) = (i as f32 / n as f32, j as f32 / n as f32);
            let h = 0.004;
            let across = at(u + h, v) - at(u - h, v);
            let down = at(u, v + h) - at(u, v - h);
            let normal = across.cross(down).normalize_or(Vec3::Z);
            let lift = if side == 0 { 0.008 } else { -0.008 };
            mesh.positions.push(at(u, v) + lift * normal);
        }
    }
    let corner = |side: u32, i: u32, j: u32| side * row * row + j * row + i;
    for (i, j) in (0..n * n).map(|k| (k % n, k / n)) {
        for side in 0..2 {
            let [a, b] = [corner(side, i, j), corner(side, i + 1, j)];
            let [c, d] = [corner(side, i, j + 1), corner(side, i + 1, j + 1)];
            let quad = if side == 0 {
                [[a, b, c], [c, b, d]]
            } else {
                [[a, c, b], [c, d, b]]
            };
            mesh.triangles.extend(quad);
        }
    }
    for k in 0..n {
        let rims = [
            [(k, 0), (k + 1, 0)],
            [(n, k), (n, k + 1)],
            [(k + 1, n), (k, n)],
            [(0, k + 1), (0, k)],
        ];
        for [(i, j), (p, q)] in rims {
            let [a, b] = [corner(0, i, j), corner(0, p, q)];
            let [c, d] = [corner(1, i, j), corner(1, p, q)];
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    mesh
}
