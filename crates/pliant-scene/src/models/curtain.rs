//! A curtain on six rings \[MCM16 Fig. 5\]: 40 by 40 faces, as thick as half a hundredth of its width. It hangs before the origin and looks along
//! z.

use glam::{Quat, Vec3};

use super::PolygonModel;
use super::mold::Mold;

const RED: [u8; 4] = [156, 40, 48, 255];
const BRASS: [u8; 4] = [196, 162, 84, 255];
/// Width and height, and how high the lower edge hangs (m).
const SIZE: [f32; 2] = [2.4, 2.2];
const LOW: f32 = 0.15;
const FACES: f32 = 40.0;
const RINGS: u16 = 6;
/// Radii of the rings and of the rod (m).
const RING: (f32, f32) = (0.055, 0.009);
const ROD: f32 = 0.025;

pub(super) fn make(detail: f32) -> PolygonModel {
    let mut mold = Mold::default();
    let [width, height] = SIZE;
    let n = ((FACES * detail).round() as u32).max(4);
    mold.part("cloth", RED);
    // Folds are the same all the way down, so that all faces are flat.
    let fold = |u: f32| 0.05 * libm::sinf(std::f32::consts::TAU * f32::from(RINGS - 1) * u);
    let place = |u: f32, v: f32| Vec3::new((u - 0.5) * width, LOW + v * height, fold(u));
    mold.grid(n, n, place);
    let top = LOW + height;
    for ring in 0..RINGS {
        mold.part(&format!("ring-{}", ring + 1), BRASS);
        let share = f32::from(ring) / f32::from(RINGS - 1);
        let x = (share - 0.5) * (width - 0.1);
        // The ring hangs on the rod and goes through the cloth below its edge.
        let center = Vec3::new(x, top + RING.0 - 0.02, fold(0.5 + x / width));
        let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let profile: Vec<(f32, f32)> = (0..=8u8)
            .map(|k| libm::sincosf(std::f32::consts::TAU * f32::from(k % 8) / 8.0))
            .map(|(sin, cos)| (RING.0 + RING.1 * cos, RING.1 * sin))
            .collect();
        mold.turned(center, turn, &profile, 16);
    }
    mold.part("rod", BRASS);
    let out = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let y = top + 2.0 * RING.0 - 0.02 - RING.1 - ROD;
    let half = 0.5 * width + 0.12;
    let ends = [(ROD, -half), (ROD, half)];
    mold.revolve(Vec3::new(0.0, y, 0.0), out, &ends, 16);
    PolygonModel {
        mesh: mold.finish(),
        materials: &[("cloth", "rubber")],
        fixed: &["ring", "rod"],
        is_split: true,
        ..PolygonModel::default()
    }
}
