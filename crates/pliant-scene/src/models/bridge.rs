//! A bridge of thirty planks on two ropes between blocks \[MCM16 Fig. 11\]. It goes along x.

use glam::{Quat, Vec3};

use super::PolygonModel;
use super::mold::{Mold, steps};

const STONE: [u8; 4] = [168, 164, 156, 255];
const HEMP: [u8; 4] = [176, 146, 98, 255];
const BOARDS: [[u8; 4]; 3] = [[150, 106, 66, 255], [136, 94, 58, 255], [164, 120, 78, 255]];
const PLANKS: u16 = 30;
/// From plank to plank (m).
const PITCH: f32 = 0.42;
/// Half of a plank (m).
const PLANK: Vec3 = Vec3::new(0.185, 0.035, 1.75);
/// Half of the length between the blocks (m).
const SPAN: f32 = 0.5 * PITCH * PLANKS as f32 + 0.1;
/// Height of the blocks, how far the ropes sag, where they are across, and how thick they are (m).
const HEIGHT: f32 = 3.0;
const SAG: f32 = 0.55;
const APART: f32 = 1.25;
const ROPE: f32 = 0.05;
/// How far the ropes reach into the blocks, and half of a block (m).
const HOLD: f32 = 0.35;
const BLOCK: Vec3 = Vec3::new(4.0, 0.5 * HEIGHT, 2.4);

pub(super) fn make(detail: f32) -> PolygonModel {
    let mut mold = Mold::default();
    for (side, name) in [(-1.0, "block-left"), (1.0, "block-right")] {
        mold.part(name, STONE);
        let center = Vec3::new(side * (SPAN + BLOCK.x), BLOCK.y, 0.0);
        mold.cuboid(center, BLOCK, Quat::IDENTITY, f32::INFINITY);
    }
    for (z, name) in [(-APART, "rope-left"), (APART, "rope-right")] {
        mold.part(name, HEMP);
        rope(&mut mold, z, detail);
    }
    for k in 0..PLANKS {
        mold.part(&format!("plank-{}", k + 1), BOARDS[usize::from(k) % 3]);
        let x = (f32::from(k) - 0.5 * f32::from(PLANKS - 1)) * PITCH;
        let turn = Quat::from_rotation_z(libm::atanf(slope(x)));
        // The ropes go through the planks near their undersides.
        let center = Vec3::new(x, height(x), 0.0) + turn * Vec3::Y * 0.02;
        mold.cuboid(center, PLANK, turn, f32::INFINITY);
    }
    PolygonModel {
        mesh: mold.finish(),
        materials: &[("rope", "rubber"), ("plank", "wood")],
        fixed: &["block"],
        is_split: true,
        ..PolygonModel::default()
    }
}

/// Height of the middle of a rope: a parabola, level inside of the blocks (m).
fn height(x: f32) -> f32 {
    let share = (x / SPAN).clamp(-1.0, 1.0);
    HEIGHT - 0.12 - SAG * (1.0 - share * share)
}

fn slope(x: f32) -> f32 {
    if x.abs() < SPAN {
        2.0 * SAG * x / (SPAN * SPAN)
    } else {
        0.0
    }
}

/// A tube of six sides whose rings stand upright.
fn rope(mold: &mut Mold, z: f32, detail: f32) {
    let long = 0.28 / detail.sqrt();
    let end = SPAN + HOLD;
    let xs = steps(&[-end, -SPAN, SPAN, end], long);
    let around = |x: f32, k: u16| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * f32::from(k % 6) / 6.0);
        Vec3::new(x, height(x) + ROPE * cos, z + ROPE * sin)
    };
    for pair in xs.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        for k in 0..6 {
            mold.face(&[
                around(a, k),
                around(a, k + 1),
                around(b, k + 1),
                around(b, k),
            ]);
        }
    }
    for x in [-end, end] {
        let ring = (0..6).map(|k| around(x, k));
        let lid: Vec<Vec3> = if x > 0.0 {
            ring.collect()
        } else {
            ring.rev().collect()
        };
        mold.face(&lid);
    }
}
