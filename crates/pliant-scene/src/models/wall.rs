//! A brick wall with a window of four panes. It looks along z.

use glam::{Quat, Vec3};

use super::PolygonModel;
use super::mold::Mold;

const BRICKS: [[u8; 4]; 4] = [
    [166, 82, 62, 255],
    [152, 72, 56, 255],
    [178, 94, 70, 255],
    [140, 66, 54, 255],
];
const MORTAR: [u8; 4] = [190, 184, 172, 255];
const TIMBER: [u8; 4] = [232, 228, 218, 255];
const GLASS: [u8; 4] = [172, 204, 220, 255];
/// Bricks along the wall, and rows of them.
const COUNT: [i32; 2] = [14, 24];
/// From brick to brick: along, up (m); and half of the depth of the wall.
const PITCH: [f32; 2] = [0.26, 0.10];
const DEEP: f32 = 0.12;
/// Width of the joints of mortar (m).
const JOINT: f32 = 0.012;
/// The window: half of its width, its lower and its upper edge (m). Its edges lie where bricks end.
const WINDOW: [f32; 3] = [0.78, 0.70, 1.90];
/// Half of the width of the bars of its frame (m).
const BAR: f32 = 0.03;

pub(super) fn make(detail: f32) -> PolygonModel {
    let mut mold = Mold::default();
    masonry(&mut mold, detail);
    window(&mut mold);
    PolygonModel {
        mesh: mold.finish(),
        materials: &[("pane", "glass"), ("frame", "wood")],
        is_split: true,
        ..PolygonModel::default()
    }
}

/// Bricks, and the mortar that holds them; coarse walls have longer bricks.
fn masonry(mold: &mut Mold, detail: f32) {
    let [count, rows] = COUNT;
    let [long, tall] = PITCH;
    let half = 0.5 * count as f32 * long;
    mold.part("masonry", MORTAR);
    let [side, low, high] = WINDOW;
    let top = rows as f32 * tall;
    let block = |mold: &mut Mold, lo: [f32; 2], hi: [f32; 2]| {
        let center = Vec3::new(0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.0);
        let half = Vec3::new(0.5 * (hi[0] - lo[0]), 0.5 * (hi[1] - lo[1]), DEEP - JOINT);
        mold.cuboid(center, half, Quat::IDENTITY, f32::INFINITY);
    };
    // Four slabs around the window; they reach a little into each other, so that they hold.
    let lap = 0.002;
    block(mold, [-half, 0.0], [half, low]);
    block(mold, [-half + lap, low - lap], [-side, high + lap]);
    block(mold, [side, low - lap], [half - lap, high + lap]);
    block(mold, [-half, high], [half, top]);
    // Bricks are whole or half, every other row begins with a half one.
    let coarse = if detail < 0.3 { 2 } else { 1 };
    for row in (0..rows).step_by(coarse) {
        let y = [
            row as f32 * tall,
            (row + coarse as i32).min(rows) as f32 * tall,
        ];
        let shift = if row / coarse as i32 % 2 == 0 {
            0.0
        } else {
            0.5
        };
        let mut from = -half;
        let mut k = 0;
        while from < half - 1e-3 {
            let to = (from + if k == 0 && shift > 0.0 { shift } else { 1.0 } * long).min(half);
            brick(mold, [from, to], y, (row * 7 + k * 3) as usize);
            from = to;
            k += 1;
        }
    }
}

/// A brick, as far as it is not in the window.
fn brick(mold: &mut Mold, [from, to]: [f32; 2], [low, high]: [f32; 2], number: usize) {
    let [side, sill, lintel] = WINDOW;
    let inside = high > sill + 1e-3 && low < lintel - 1e-3;
    let pieces = if inside {
        [[from, to.min(-side)], [from.max(side), to]]
    } else {
        [[from, to], [0.0, 0.0]]
    };
    for [a, b] in pieces {
        if b - a < 2.0 * JOINT {
            continue;
        }
        mold.paint(BRICKS[number % BRICKS.len()]);
        let gap = 0.5 * JOINT;
        // Faces stand out from the mortar, by a little more or less.
        let out = DEEP + 0.002 * (number % 3) as f32;
        let center = Vec3::new(0.5 * (a + b), 0.5 * (low + high), 0.0);
        let half = Vec3::new(0.5 * (b - a) - gap, 0.5 * (high - low) - gap, out);
        mold.cuboid(center, half, Quat::IDENTITY, f32::INFINITY);
    }
}

/// The frame and four panes of glass, and what holds them.
fn window(mold: &mut Mold) {
    let [side, low, high] = WINDOW;
    let middle = 0.5 * (low + high);
    let [half_wide, half_tall] = [side - 0.004, 0.5 * (high - low) - 0.004];
    mold.part("frame", TIMBER);
    let bar = |mold: &mut Mold, center: [f32; 2], half: [f32; 2], deep: f32| {
        let center = Vec3::new(center[0], center[1], 0.0);
        mold.cuboid(
            center,
            Vec3::new(half[0], half[1], deep),
            Quat::IDENTITY,
            f32::INFINITY,
        );
    };
    for sign in [-1.0, 1.0] {
        bar(
            mold,
            [sign * (half_wide - BAR), middle],
            [BAR, half_tall],
            0.045,
        );
        bar(
            mold,
            [0.0, middle + sign * (half_tall - BAR)],
            [half_wide - 0.001, BAR],
            0.044,
        );
    }
    bar(mold, [0.0, middle], [BAR, half_tall - 0.001], 0.040);
    bar(mold, [0.0, middle], [half_wide - 0.002, BAR], 0.039);
    let fixed = |mold: &mut Mold, name: &str, at: Vec3, half: f32| {
        mold.joint(&format!("fixed.{name}"), at, Vec3::X, half, 0.03);
    };
    for (k, (u, v)) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
        .into_iter()
        .enumerate()
    {
        let name = format!("pane-{}", k + 1);
        mold.part(&name, GLASS);
        // Half of what is open between the bars.
        let open = [0.5 * (half_wide - 3.0 * BAR), 0.5 * (half_tall - 3.0 * BAR)];
        let center = Vec3::new(u * (BAR + open[0]), middle + v * (BAR + open[1]), 0.0);
        let half = Vec3::new(open[0] - 0.002, open[1] - 0.002, 0.004);
        mold.cuboid(center, half, Quat::IDENTITY, f32::INFINITY);
        let edge = center - Vec3::Y * open[1];
        fixed(mold, &format!("{name}.frame"), edge, 0.12);
    }
    for (k, x) in [(1, -0.5), (2, 0.5)] {
        let at = Vec3::new(x, low, 0.0);
        fixed(mold, &format!("frame.masonry.{k}"), at, 0.08);
        let foot = Vec3::new(2.6 * x, 0.04, 0.0);
        fixed(mold, &format!("masonry.world.{k}"), foot, 0.3);
    }
}
