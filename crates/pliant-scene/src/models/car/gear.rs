//! What is under the skin of the car and on it: frame, seats, lights, wheels, mirrors; and its joints.

use glam::{Quat, Vec3};

use super::{
    ARCH, AXLE, AXLE_HEIGHT, BELT, BODY_COLOR, COWL, CREASE, DARK, GAP, HIND, NOSE, POST, SHELF,
    SILL, TAIL, on_side, ridge, upright,
};
use crate::models::mold::{Mold, steps};

const SEAT: [u8; 4] = [92, 78, 66, 255];
const STEEL: [u8; 4] = [176, 180, 186, 255];
const RUBBER: [u8; 4] = [38, 38, 42, 255];
const LIGHT: [u8; 4] = [246, 240, 214, 255];
const RED: [u8; 4] = [178, 30, 34, 255];
/// A face of its own.
const WHOLE: f32 = f32::INFINITY;

pub(super) fn add(mold: &mut Mold, edge: f32, detail: f32) {
    mold.part("chassis", DARK);
    frame(mold, edge);
    interior(mold);
    lights(mold);
    wells(mold, edge);
    wheels(mold, detail);
    for (name, is_left) in [("mirror-right", false), ("mirror-left", true)] {
        mold.mirror(is_left);
        mold.part(name, BODY_COLOR);
        mirror(mold);
    }
    mold.mirror(false);
}

/// A square bar between two places.
pub(super) fn bar(mold: &mut Mold, a: Vec3, b: Vec3, half: f32) {
    let half = Vec3::new(half, 0.5 * a.distance(b), half);
    mold.cuboid(a.midpoint(b), half, upright(b - a), WHOLE);
}

fn cuboid(mold: &mut Mold, center: [f32; 3], half: [f32; 3]) {
    mold.cuboid(center.into(), half.into(), Quat::IDENTITY, WHOLE);
}

/// Floor, sills, engine and bulkheads.
fn frame(mold: &mut Mold, edge: f32) {
    let floor = steps(&[TAIL, NOSE], edge.max(0.15));
    let across = steps(&[-0.52, 0.52], edge.max(0.15));
    mold.sheet(&across, &floor, |z, x| Vec3::new(x, 0.215, z));
    let (back, front) = (AXLE[1] + ARCH + 0.02, AXLE[0] - ARCH - 0.02);
    for z in [-0.65, 0.65] {
        let long = 0.5 * (front - back);
        cuboid(mold, [0.5 * (back + front), 0.205, z], [long, 0.045, 0.14]);
    }
    cuboid(mold, [1.36, 0.47, 0.0], [0.36, 0.22, 0.34]);
    cuboid(mold, [COWL - 0.03, 0.575, 0.0], [0.015, 0.36, 0.62]);
    cuboid(mold, [SHELF + 0.10, 0.55, 0.0], [0.015, 0.33, 0.56]);
    for (x, half) in [(1.85, 0.66), (-1.88, 0.66)] {
        cuboid(mold, [x, 0.35, 0.0], [0.05, 0.145, half]);
    }
    // What joins sides, bumpers and lids to the floor.
    for z in [-0.60, 0.60] {
        cuboid(mold, [1.82, 0.50, z * 1.14], [0.05, 0.20, 0.065]);
        cuboid(mold, [-1.86, 0.50, z * 1.16], [0.05, 0.20, 0.065]);
        cuboid(mold, [COWL - 0.02, 0.56, z * 1.2], [0.03, 0.36, 0.035]);
        cuboid(mold, [POST, 0.53, z * 1.24], [0.03, 0.34, 0.036]);
        cuboid(mold, [POST, 0.88, z * 1.22], [0.03, 0.05, 0.022]);
        cuboid(mold, [HIND - 0.06, 0.79, z * 1.22], [0.03, 0.13, 0.04]);
    }
    // What the lids close on.
    for (x, y) in [(NOSE - 0.03, ridge(NOSE)), (TAIL + 0.03, ridge(TAIL))] {
        cuboid(mold, [x, y - 0.045, 0.0], [0.05, 0.02, 0.57]);
        cuboid(mold, [x * 0.97, 0.52, 0.0], [0.03, y - 0.54, 0.06]);
    }
    for axle in AXLE {
        cuboid(mold, [axle, AXLE_HEIGHT, 0.0], [0.04, 0.04, 0.60]);
        cuboid(mold, [axle, 0.26, 0.0], [0.06, 0.05, 0.30]);
    }
}

/// Seats, the panel before them and the wheel to steer with.
fn interior(mold: &mut Mold) {
    mold.part("chassis", SEAT);
    let lean = Quat::from_rotation_z(0.22);
    let mut seat = |x: f32, z: f32, half: f32| {
        mold.cuboid(
            Vec3::new(x, 0.355, z),
            Vec3::new(0.25, 0.145, half),
            Quat::IDENTITY,
            WHOLE,
        );
        let back = Vec3::new(x - 0.27, 0.70, z);
        mold.cuboid(back, Vec3::new(0.06, 0.30, half), lean, WHOLE);
        let heads: &[f32] = if half > 0.3 { &[-0.31, 0.31] } else { &[0.0] };
        for aside in heads {
            let head = Vec3::new(x - 0.34, 1.03, z + aside);
            mold.cuboid(head, Vec3::new(0.035, 0.06, 0.12), lean, WHOLE);
        }
    };
    seat(0.02, 0.34, 0.25);
    seat(0.02, -0.34, 0.25);
    seat(-0.74, 0.0, 0.56);
    mold.paint(DARK);
    cuboid(mold, [COWL - 0.14, 0.80, 0.0], [0.10, 0.10, 0.62]);
    let lean = Quat::from_rotation_z(1.2);
    let rim: Vec<(f32, f32)> = vec![(0.14, 0.0), (0.17, -0.012), (0.20, 0.0), (0.17, 0.012)];
    let rim: Vec<(f32, f32)> = rim.iter().chain(rim.first()).copied().collect();
    let column = Vec3::new(COWL - 0.32, 0.84, -0.34);
    mold.turned(column, lean, &rim, 12);
    bar(mold, column, Vec3::new(COWL - 0.18, 0.79, -0.34), 0.02);
    for turn in [0.0, 1.57] {
        let spoke = lean * Quat::from_rotation_y(turn);
        mold.cuboid(column, Vec3::new(0.17, 0.008, 0.012), spoke, WHOLE);
    }
}

/// Lamps, grille and plates: boxes that stand out a little.
fn lights(mold: &mut Mold) {
    for side in [-1.0, 1.0] {
        mold.part("chassis", LIGHT);
        cuboid(
            mold,
            [NOSE + 0.125, 0.675, 0.47 * side],
            [0.02, 0.055, 0.105],
        );
        mold.paint(RED);
        cuboid(mold, [TAIL - 0.125, 0.745, 0.52 * side], [0.02, 0.05, 0.10]);
    }
    mold.paint(DARK);
    for y in [0.63, 0.675, 0.72] {
        cuboid(mold, [NOSE + 0.142, y, 0.0], [0.012, 0.014, 0.30]);
    }
    mold.paint(LIGHT);
    cuboid(mold, [TAIL - 0.148, 0.73, 0.0], [0.006, 0.05, 0.20]);
}

/// Linings of the arches.
fn wells(mold: &mut Mold, edge: f32) {
    mold.part("chassis", DARK);
    for (axle, is_left) in AXLE.iter().flat_map(|a| [(a, false), (a, true)]) {
        mold.mirror(is_left);
        let angles = steps(&[0.0, std::f32::consts::PI], edge.max(0.09) / ARCH);
        let depth = steps(&[0.55, 0.80], edge.max(0.12));
        // Seen from the wheel.
        mold.sheet(&depth, &angles, |z, angle| {
            let (sin, cos) = libm::sincosf(angle);
            let radius = ARCH + 0.004;
            Vec3::new(axle - radius * cos, AXLE_HEIGHT + radius * sin, z)
        });
    }
    mold.mirror(false);
}

/// Where the middle of a wheel is across (m).
const TRACK: f32 = 0.735;

fn wheels(mold: &mut Mold, detail: f32) {
    let around = 4 * ((10.0 * detail.sqrt()).round() as u32).max(4);
    let out = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    for (axle, end) in AXLE.into_iter().zip(["f", "r"]) {
        for (side, is_left) in [("r", false), ("l", true)] {
            mold.mirror(is_left);
            mold.part(&format!("wheel-{end}{side}"), RUBBER);
            let middle = Vec3::new(axle, AXLE_HEIGHT, TRACK);
            let tyre = [
                (0.24, -0.10),
                (0.305, -0.10),
                (0.33, -0.07),
                (0.33, 0.07),
                (0.305, 0.10),
                (0.24, 0.10),
            ];
            mold.revolve(middle, out, &tyre, around);
            mold.paint(STEEL);
            let hub = [(0.225, 0.06), (0.225, 0.103), (0.20, 0.108)];
            mold.revolve(middle, out, &hub, around / 2);
            mold.paint(DARK);
            let dish = [(0.185, 0.09), (0.185, 0.110)];
            mold.revolve(middle, out, &dish, around / 2);
            mold.paint(STEEL);
            for spoke in 0..5u8 {
                let turn = std::f32::consts::TAU * f32::from(spoke) / 5.0;
                let turn = Quat::from_rotation_z(turn);
                let at = middle + turn * Vec3::new(0.10, 0.0, 0.105);
                mold.cuboid(at, Vec3::new(0.10, 0.022, 0.014), turn, WHOLE);
            }
            mold.revolve(middle, out, &[(0.05, 0.10), (0.05, 0.125)], 12);
        }
    }
    mold.mirror(false);
}

fn mirror(mold: &mut Mold) {
    let head = Vec3::new(COWL - 0.15, BELT + 0.03, 0.93);
    let lean = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let shell = [(0.045, -0.05), (0.075, -0.02), (0.075, 0.02), (0.05, 0.045)];
    let long = |p: Vec3| head + Vec3::new(p.x, p.y, p.z * 1.25);
    for pair in shell.windows(2) {
        ring(mold, &long, lean, [pair[0], pair[1]]);
    }
    lid(mold, &long, lean, shell[0], false);
    lid(mold, &long, lean, shell[3], true);
    let foot = Vec3::new(head.x - 0.01, BELT - 0.035, 0.79);
    bar(mold, foot, head + Vec3::new(0.0, -0.02, -0.05), 0.016);
}

const MIRROR_SIDES: u32 = 12;

fn lathe(lean: Quat, (r, h): (f32, f32), k: u32) -> Vec3 {
    let angle = std::f32::consts::TAU * (k % MIRROR_SIDES) as f32 / MIRROR_SIDES as f32;
    let (sin, cos) = libm::sincosf(angle);
    lean * Vec3::new(r * cos, h, r * sin)
}

fn ring(mold: &mut Mold, place: &impl Fn(Vec3) -> Vec3, lean: Quat, [low, high]: [(f32, f32); 2]) {
    for k in 0..MIRROR_SIDES {
        let at = |p: (f32, f32), k: u32| place(lathe(lean, p, k));
        mold.face(&[at(low, k), at(high, k), at(high, k + 1), at(low, k + 1)]);
    }
}

fn lid(mold: &mut Mold, place: &impl Fn(Vec3) -> Vec3, lean: Quat, end: (f32, f32), is_top: bool) {
    let mut all: Vec<Vec3> = (0..MIRROR_SIDES)
        .map(|k| place(lathe(lean, end, k)))
        .collect();
    if is_top {
        all.reverse();
    }
    mold.face(&all);
}

/// The boxes of the 28 joints.
pub(super) fn joints(mold: &mut Mold) {
    mold.part("chassis", DARK);
    let up = Vec3::Y;
    let across = Vec3::Z;
    for (k, z) in [(1, 0.45), (2, -0.45)] {
        let hood = Vec3::new(COWL, ridge(COWL) - 0.01, z);
        mold.joint(
            &format!("hinge.hood.chassis.{k}"),
            hood,
            across,
            0.06,
            0.035,
        );
        let boot = Vec3::new(SHELF, ridge(SHELF) - 0.01, z);
        mold.joint(
            &format!("hinge.trunk.chassis.{k}"),
            boot,
            across,
            0.06,
            0.035,
        );
        let front = Vec3::new(NOSE + 0.06, 0.5, z);
        mold.joint(
            &format!("fixed.bumper-front.chassis.{k}"),
            front,
            across,
            0.10,
            0.09,
        );
        let rear = Vec3::new(TAIL - 0.06, 0.5, z);
        mold.joint(
            &format!("fixed.bumper-rear.chassis.{k}"),
            rear,
            across,
            0.10,
            0.09,
        );
    }
    for (side, is_left) in [("r", false), ("l", true)] {
        mold.mirror(is_left);
        for (end, x) in [("f", COWL), ("r", POST)] {
            for (k, y) in [(1, SILL + 0.16), (2, 0.78)] {
                // One line for both, at the outermost of the side: what lies inside of it turns away from what is before the door.
                let at = Vec3::new(x - GAP, y, on_side(x, CREASE).z - 0.006);
                let name = format!("hinge.door-{end}{side}.chassis.{k}");
                mold.joint(&name, at, up, 0.10, 0.085);
            }
        }
        for (end, x) in [("f", 0.08), ("r", -0.62)] {
            let at = Vec3::new(x, BELT - 0.005, INNER_EDGE);
            let name = format!("fixed.window-{end}{side}.door-{end}{side}");
            mold.joint(&name, at, Vec3::X, 0.12, 0.045);
        }
        for (axle, end) in AXLE.into_iter().zip(["f", "r"]) {
            let at = Vec3::new(axle, AXLE_HEIGHT, 0.60);
            let name = format!("wheel.wheel-{end}{side}.chassis");
            mold.joint(&name, at, across, 0.09, 0.05);
        }
        let name = if is_left { "left" } else { "right" };
        let door = if is_left { "door-fl" } else { "door-fr" };
        let at = Vec3::new(COWL - 0.16, BELT - 0.035, 0.78);
        mold.joint(
            &format!("fixed.mirror-{name}.{door}"),
            at,
            Vec3::X,
            0.06,
            0.035,
        );
    }
    mold.mirror(false);
    let wide_box = 0.045;
    let front = Vec3::new(COWL - 0.06, BELT + 0.015, 0.0);
    mold.joint("fixed.window-front.chassis", front, across, 0.25, wide_box);
    let rear = Vec3::new(SHELF + 0.04, BELT + 0.02, 0.0);
    mold.joint("fixed.window-rear.chassis", rear, across, 0.25, wide_box);
}

/// Where windows meet doors across (m).
const INNER_EDGE: f32 = 0.765;
