//! What the body of the truck stands on: frame, axles, wheels and tyres.

use glam::{Quat, Vec3};

use super::{AXLE, AXLE_HEIGHT, DARK, SILL, WHOLE};
use crate::models::mold::Mold;

const STEEL: [u8; 4] = [184, 188, 194, 255];
const YELLOW: [u8; 4] = [226, 178, 44, 255];
const RUBBER: [u8; 4] = [40, 40, 44, 255];
/// Where the middle of a wheel is across (m).
const TRACK: f32 = 1.27;
/// Radius of the middle of a tyre, and of the tyre itself (m).
const TYRE: (f32, f32) = (0.56, 0.22);
/// Faces around the wheel, and around the tyre, at the finest.
const FACES: [f32; 2] = [100.0, 25.0];

/// A square bar between two places.
pub(super) fn bar(mold: &mut Mold, a: Vec3, b: Vec3, half: f32) {
    let turn = Quat::from_rotation_arc(Vec3::Y, (b - a).normalize_or(Vec3::Y));
    let size = Vec3::new(half, 0.5 * a.distance(b), half);
    mold.cuboid(a.midpoint(b), size, turn, WHOLE);
}

pub(super) fn frame(mold: &mut Mold) {
    mold.part("frame", DARK);
    let box_at = |mold: &mut Mold, center: [f32; 3], half: [f32; 3]| {
        mold.cuboid(center.into(), half.into(), Quat::IDENTITY, WHOLE);
    };
    for z in [-0.40, 0.40] {
        box_at(mold, [0.0, 1.24, z], [2.15, 0.07, 0.05]);
    }
    for x in [-2.0, -1.0, 0.0, 1.0, 2.0] {
        box_at(mold, [x, 1.235, 0.0], [0.05, 0.05, 0.42]);
    }
    // Mounts of the body, engine and tank.
    box_at(mold, [0.0, 1.36, 0.0], [0.5, 0.09, 0.06]);
    mold.paint(STEEL);
    box_at(mold, [1.35, 1.33, 0.0], [0.42, 0.13, 0.25]);
    box_at(mold, [-1.35, 1.30, 0.0], [0.30, 0.10, 0.28]);
    for axle in AXLE {
        mold.paint(DARK);
        box_at(mold, [axle, AXLE_HEIGHT, 0.0], [0.07, 0.07, 1.06]);
        let out = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let case = [(0.10, -0.12), (0.19, -0.05), (0.19, 0.05), (0.10, 0.12)];
        mold.revolve(Vec3::new(axle, AXLE_HEIGHT, 0.0), out, &case, 16);
        for z in [-1.0, 1.0] {
            let hub = Vec3::new(axle, AXLE_HEIGHT, 0.85 * z);
            mold.paint(STEEL);
            let inward = -0.75 * axle.signum();
            bar(mold, hub, Vec3::new(axle + inward, 1.22, 0.42 * z), 0.03);
            mold.paint(YELLOW);
            for aside in [-0.14, 0.14] {
                let top = Vec3::new(axle + 1.8 * aside, SILL - 0.06, 0.55 * z);
                bar(mold, hub + Vec3::X * 0.5 * aside, top, 0.045);
                bar(mold, top, Vec3::new(top.x, 1.25, 0.42 * z), 0.035);
            }
        }
    }
}

pub(super) fn wheels(mold: &mut Mold, detail: f32) {
    let out = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let [around, across] = FACES.map(|faces| ((faces * detail).round() as u32).max(8));
    let pi = std::f32::consts::PI;
    // A little squarer than a circle, from inside to inside.
    let square = |x: f32, power: f32| libm::powf(x.abs(), power).copysign(x);
    let mut profile: Vec<(f32, f32)> = (0..=across)
        .map(|k| libm::sincosf(pi * (2.0 * k as f32 / across as f32 - 1.0)))
        .map(|(sin, cos)| {
            (
                TYRE.0 + TYRE.1 * square(cos, 0.75),
                TYRE.1 * square(sin, 0.85),
            )
        })
        .collect();
    // It ends with the very numbers that it begins with.
    profile[across as usize] = profile[0];
    for (axle, end) in AXLE.into_iter().zip(["front", "rear"]) {
        for (side, is_left) in [("right", false), ("left", true)] {
            mold.mirror(is_left);
            let middle = Vec3::new(axle, AXLE_HEIGHT, TRACK);
            mold.part(&format!("tyre-{end}-{side}"), RUBBER);
            mold.turned(middle, out, &profile, around);
            mold.part(&format!("wheel-{end}-{side}"), STEEL);
            wheel(mold, middle, out);
        }
    }
    mold.mirror(false);
}

fn wheel(mold: &mut Mold, middle: Vec3, out: Quat) {
    mold.revolve(middle, out, &[(0.42, -0.165), (0.42, 0.165)], 32);
    mold.paint(DARK);
    mold.revolve(middle, out, &[(0.37, 0.15), (0.37, 0.172)], 32);
    mold.paint(STEEL);
    for spoke in 0..6u8 {
        let turn = Quat::from_rotation_z(std::f32::consts::TAU * f32::from(spoke) / 6.0);
        let at = middle + turn * Vec3::new(0.22, 0.0, 0.17);
        mold.cuboid(at, Vec3::new(0.19, 0.035, 0.02), turn, WHOLE);
    }
    mold.paint(YELLOW);
    mold.revolve(middle, out, &[(0.10, 0.16), (0.10, 0.22), (0.06, 0.25)], 16);
}
