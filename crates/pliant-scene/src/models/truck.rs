//! A monster truck: a rigid frame on two rigid axles with springs, wheels on joints, soft tyres, and a body of sheet metal that dents.
//!
//! It looks along x.

use glam::{Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::oriented::cover::cover;

use super::BODY_COLOR;
use super::workshop::{Bond, Workshop, egg, joint, moved, rounded_box, tube};

const RUBBER: [u8; 4] = [38, 38, 40, 255];
const STEEL: [u8; 4] = [150, 154, 160, 255];
const GLASS: [u8; 4] = [34, 44, 58, 255];
const LIGHT: [u8; 4] = [250, 236, 180, 255];
const BLACK: [u8; 4] = [28, 28, 30, 255];

/// Distance of the axles and of the wheels from the middle, and height of the axles (m).
const AXLE: (f32, f32, f32) = (1.55, 1.15, 0.86);
/// Radius of the middle line of a tyre and of its tube (m).
const TYRE: (f32, f32) = (0.56, 0.29);
/// Particles around a tyre, in each of two rows.
const AROUND: u32 = 14;
/// Particles of the body.
const SHELL: usize = 160;

pub(super) fn make(mut shop: Workshop) -> OrientedDesc {
    let frame = frame(&mut shop);
    for ahead in [1.0, -1.0] {
        axle(&mut shop, &frame, ahead);
    }
    let mut rigid = frame;
    rigid.extend(shell(&mut shop));
    shop.rigid(&rigid, &[]);
    shop.finish()
}

/// Two beams along the truck.
fn frame(shop: &mut Workshop) -> Vec<u32> {
    let mut frame = Vec::new();
    for side in [-0.42, 0.42] {
        let mut beam = Vec::new();
        for i in 0..6u8 {
            let x = Vec3::new(-1.9 + 0.76 * f32::from(i), 1.36, side);
            let radii = Vec3::new(0.38, 0.12, 0.10);
            beam.push(shop.particle(egg(x, Quat::IDENTITY, radii, 40.0)));
        }
        let home = shop.nearest_of(beam.clone());
        let mesh = rounded_box(Vec3::new(2.25, 0.11, 0.09), 0.04, shop.parts(12, 2));
        let mesh = moved(mesh, Quat::IDENTITY, Vec3::new(0.0, 1.36, side));
        shop.show(&mesh, BLACK, home);
        frame.extend(beam);
    }
    frame
}

/// An axle with its wheels, and the springs that carry the frame.
fn axle(shop: &mut Workshop, frame: &[u32], ahead: f32) {
    let (x, z, height) = AXLE;
    let middle = Vec3::new(ahead * x, height, 0.0);
    let beam = shop.particle(egg(
        middle,
        Quat::IDENTITY,
        Vec3::new(0.15, 0.15, 0.8),
        60.0,
    ));
    let path = [-0.98f32, 0.98].map(|s| (middle + Vec3::Z * s, 0.10));
    shop.show(&tube(&path, shop.parts(16, 6)), STEEL, |_| beam);
    let lump = moved(
        rounded_box(Vec3::splat(0.2), 0.14, shop.parts(8, 3)),
        Quat::IDENTITY,
        middle,
    );
    shop.show(&lump, STEEL, |_| beam);
    let mut hubs = Vec::new();
    for side in [-1.0, 1.0] {
        hubs.extend(wheel(shop, middle + Vec3::Z * (side * z), side));
    }
    shop.rigid(&[beam], &hubs);
    // The frame above it, with which it makes a soft group.
    let near = |i: &&u32| (shop.place_of(**i).x - middle.x).abs() < 0.8;
    let mut spring: Vec<u32> = frame.iter().filter(near).copied().collect();
    spring.extend(&hubs);
    let joints = spring.clone();
    let bond = Bond {
        joints: &joints,
        lead: None,
        stiffness: 0.22,
    };
    shop.group(&spring, bond);
    for side in [-0.42, 0.42] {
        let foot = middle + Vec3::new(0.0, 0.08, side);
        let strut = [(foot, 0.07), (foot + Vec3::Y * 0.46, 0.07)];
        shop.show(&tube(&strut, shop.parts(12, 5)), STEEL, |_| beam);
    }
}

/// A wheel; returns the two joints of its hub.
fn wheel(shop: &mut Workshop, middle: Vec3, side: f32) -> [u32; 2] {
    let rim = shop.particle(egg(
        middle,
        Quat::IDENTITY,
        Vec3::new(0.36, 0.36, 0.16),
        30.0,
    ));
    let hub = [-0.16, 0.16].map(|z| shop.particle(joint(middle + Vec3::Z * z, 0.05, 12.0)));
    shop.rigid(&[rim], &hub);
    let place = |row: u32, k: u32| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * k as f32 / AROUND as f32);
        let z = if row == 0 { -0.13 } else { 0.13 };
        middle + Vec3::new(TYRE.0 * cos, TYRE.0 * sin, z)
    };
    let mut tyre = Vec::new();
    for (row, k) in (0..2 * AROUND).map(|i| (i / AROUND, i % AROUND)) {
        let turn = Quat::from_rotation_z(std::f32::consts::TAU * k as f32 / AROUND as f32);
        let radii = Vec3::new(TYRE.1, 0.16, 0.17);
        tyre.push(shop.particle(egg(place(row, k), turn, radii, 2.0)));
    }
    let at = |row: u32, k: u32| tyre[(row % 2 * AROUND + k % AROUND) as usize];
    for (row, k) in (0..2 * AROUND).map(|i| (i / AROUND, i % AROUND)) {
        let (before, after) = (k + AROUND - 1, k + 1);
        let own = at(row, k);
        let members = [
            own,
            at(row, before),
            at(row, after),
            at(row + 1, before),
            at(row + 1, k),
            at(row + 1, after),
            rim,
        ];
        let bond = Bond {
            lead: Some(own),
            stiffness: 0.7,
            joints: &[],
        };
        shop.group(&members, bond);
    }
    let home = shop.nearest_of(tyre);
    let mesh = tyre_mesh(shop);
    shop.show(&moved(mesh, Quat::IDENTITY, middle), RUBBER, home);
    show_rim(shop, rim, middle, side);
    hub
}

/// A tyre around z with a coarse tread.
fn tyre_mesh(shop: &Workshop) -> Mesh {
    Mesh::ring(shop.parts(112, 56), shop.parts(28, 8), |u, v| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * u);
        let (up, out) = libm::sincosf(std::f32::consts::TAU * v);
        // Blocks on the outside, in two rows that do not face each other.
        let shift = if up > 0.0 { 0.0 } else { 0.5 };
        let block = (28.0 * u + shift).fract() < 0.5;
        let tread = if out > 0.35 && up.abs() > 0.12 && block {
            0.045
        } else {
            0.0
        };
        let away = TYRE.0 + (TYRE.1 - 0.04 + tread) * out;
        Vec3::new(away * cos, away * sin, 0.94 * TYRE.1 * up)
    })
}

/// A rim with five spokes.
fn show_rim(shop: &mut Workshop, rim: u32, middle: Vec3, side: f32) {
    let drum = Mesh::ring(shop.parts(40, 12), shop.parts(10, 4), |u, v| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * u);
        let (up, out) = libm::sincosf(std::f32::consts::TAU * v);
        let away = 0.33 + 0.035 * out;
        Vec3::new(away * cos, away * sin, 0.22 * up)
    });
    shop.show(&moved(drum, Quat::IDENTITY, middle), STEEL, |_| rim);
    let face = middle + Vec3::Z * (0.12 * side);
    for spoke in 0..5u8 {
        let turn = Quat::from_rotation_z(std::f32::consts::TAU * f32::from(spoke) / 5.0);
        let mesh = rounded_box(Vec3::new(0.17, 0.05, 0.03), 0.025, shop.parts(4, 1));
        let mesh = moved(mesh, turn, face + turn * (Vec3::X * 0.16));
        shop.show(&mesh, BODY_COLOR, |_| rim);
    }
    let cap = moved(
        rounded_box(Vec3::new(0.09, 0.09, 0.07), 0.05, shop.parts(6, 2)),
        Quat::IDENTITY,
        face,
    );
    shop.show(&cap, STEEL, |_| rim);
}

/// The body of a pickup; returns the particles at its underside, which the frame holds.
fn shell(shop: &mut Workshop) -> Vec<u32> {
    let form = pickup();
    // The forms are known to be sound; a coarse mesh is enough to place the particles.
    let coarse = mesh_shape(&form, 0.12).unwrap_or_default();
    let fine = mesh_shape(&form, shop.edge(0.072)).unwrap_or_default();
    let cover = cover(&coarse, SHELL, 60.0, 2011).unwrap_or_default();
    let count = cover.particles.len() as u32;
    let first = shop.take(cover.particles, &cover.edges);
    let home = shop.nearest_of((first..first + count).collect());
    shop.show_colored(&fine, paint, home);
    (first..first + count)
        .filter(|&i| shop.place_of(i).y < 1.68)
        .collect()
}

/// The solid of a pickup with wheel arches and an open bed.
fn pickup() -> Shape {
    let cuboid = |center: [f32; 3], half: [f32; 3]| Shape::Box {
        center: center.into(),
        half: half.into(),
    };
    let rounded = |center: [f32; 3], half: [f32; 3]| Shape::SmoothUnion {
        of: vec![cuboid(center, half), cuboid(center, half)],
        radius: 0.10,
    };
    let arch = |x: f32| Shape::Capsule {
        a: Vec3::new(x, 1.28, -1.4),
        b: Vec3::new(x, 1.28, 1.4),
        radius: 0.58,
    };
    let cab = Shape::Intersection(vec![
        cuboid([-0.10, 2.55, 0.0], [1.15, 0.55, 0.88]),
        Shape::Ellipsoid {
            center: Vec3::new(-0.10, 1.95, 0.0),
            radii: Vec3::new(1.45, 1.15, 1.30),
        },
    ]);
    Shape::Difference(vec![
        Shape::Union(vec![
            rounded([0.0, 1.80, 0.0], [2.35, 0.30, 0.95]),
            rounded([1.45, 2.05, 0.0], [0.80, 0.10, 0.80]),
            cab,
            cuboid([2.38, 1.66, 0.0], [0.10, 0.12, 0.98]),
            cuboid([-2.38, 1.66, 0.0], [0.10, 0.12, 0.98]),
        ]),
        cuboid([-1.68, 2.20, 0.0], [0.58, 0.32, 0.78]),
        arch(AXLE.0),
        arch(-AXLE.0),
    ])
}

/// Windows, lights and bumpers; the rest has the colour of the body.
fn paint(p: Vec3) -> [u8; 4] {
    let window = (2.28..2.78).contains(&p.y) && (-1.2..1.1).contains(&p.x);
    let pillar = (p.x + 0.15).abs() < 0.05 && p.z.abs() > 0.7;
    if window && !pillar {
        GLASS
    } else if p.x > 2.3 && (p.z.abs() - 0.68).abs() < 0.15 && (1.86..2.02).contains(&p.y) {
        LIGHT
    } else if p.x.abs() > 2.27 && p.y < 1.79 {
        BLACK
    } else {
        BODY_COLOR
    }
}
