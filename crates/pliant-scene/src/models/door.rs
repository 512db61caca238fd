//! A double door of metal in its frame \[MCM16 Fig. 10\]: wings of eight faces each, which get finer where they are hit, and a line along which
//! they may tear. It looks along z.

use glam::{Quat, Vec3};

use super::mold::{Mold, steps};
use super::{JointRule, PolygonModel};

const GREEN: [u8; 4] = [92, 122, 116, 255];
const IRON: [u8; 4] = [74, 76, 82, 255];
/// Width and height of a wing, and the gap around it (m).
const WING: [f32; 2] = [0.95, 2.2];
const GAP: f32 = 0.012;
/// Depth of the frame, and width of its faces (m).
const FRAME: [f32; 2] = [0.12, 0.11];
/// Faces along an edge of the frame at the finest (m).
const EDGE: f32 = 0.074;

/// The wings swing both ways, with little friction, as far as the stops let them: what hits them there bends them.
const JOINTS: &[JointRule] = &[JointRule {
    start: "hinge",
    limits: Some([-40.0, 40.0]),
    torque: Some(6.0),
}];

pub(super) fn make(detail: f32) -> PolygonModel {
    let mut mold = Mold::default();
    for (side, name) in [(-1.0, "left"), (1.0, "right")] {
        frame(&mut mold, side, name, EDGE / detail);
        wing(&mut mold, side, name);
    }
    PolygonModel {
        mesh: mold.finish(),
        joints: JOINTS,
        fixed: &["frame"],
        markers: &["seam"],
        is_split: true,
        ..PolygonModel::default()
    }
}

/// Half of the frame: a post, half of the lintel, and half of the threshold.
fn frame(mold: &mut Mold, side: f32, name: &str, edge: f32) {
    let [deep, wide] = FRAME.map(|x| 0.5 * x);
    let [width, height] = WING;
    let outer = width + 2.0 * GAP + wide;
    mold.part(&format!("frame-{name}"), IRON);
    let top = height + 3.0 * GAP + wide;
    let tall = 0.5 * (top + wide);
    // Sheets, open at the ends that nobody sees.
    let post = Vec3::new(side * outer, tall, 0.0);
    mold.hull(
        post,
        Vec3::new(wide, tall, deep),
        Quat::IDENTITY,
        edge,
        &[2],
    );
    // The lintel reaches into the post, to which that makes it belong, and ends just before the other half.
    let (from, to) = (0.001, outer - 0.5 * wide);
    let beam = |mold: &mut Mold, y: f32, half: f32, deep: f32| {
        let center = Vec3::new(side * 0.5 * (from + to), y, 0.0);
        let half = Vec3::new(0.5 * (to - from), half, deep);
        mold.hull(center, half, Quat::IDENTITY, edge, &[0, 1]);
    };
    beam(mold, top, 0.9 * wide, 0.94 * deep);
    beam(mold, 0.004, 0.004, 0.94 * deep);
    // Bolts.
    let heads = steps(&[0.2, top - 0.1], 3.0 * edge);
    for y in heads {
        let at = Vec3::new(side * outer, y, deep + 0.004);
        let out = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        mold.revolve(
            at,
            out,
            &[(0.018, -0.008), (0.018, 0.004), (0.009, 0.012)],
            8,
        );
    }
}

/// A wing of two by four faces, the line along which it may tear, and its hinges.
fn wing(mold: &mut Mold, side: f32, name: &str) {
    let [width, height] = WING;
    let part = format!("wing-{name}");
    mold.part(&part, GREEN);
    let inner = GAP * 0.5;
    let at = |u: f32, v: f32| Vec3::new(side * (inner + u * width), 2.0 * GAP + v * height, 0.02);
    mold.mirror(false);
    let us = if side > 0.0 {
        [0.0, 0.5, 1.0]
    } else {
        [1.0, 0.5, 0.0]
    };
    mold.sheet(&us, &[0.0, 0.25, 0.5, 0.75, 1.0], at);
    // A jagged line from the upper edge to the lower one, not along the edges of the faces.
    mold.part("seam", IRON);
    let line = [
        [0.30, 1.0],
        [0.42, 0.86],
        [0.34, 0.72],
        [0.55, 0.60],
        [0.47, 0.47],
        [0.63, 0.36],
        [0.52, 0.21],
        [0.60, 0.11],
        [0.50, 0.0],
    ];
    for pair in line.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|[u, v]| at(u, v));
        let thin = Vec3::Z * 0.001;
        mold.face(&[a, b, b + thin, a + thin]);
    }
    for (k, y) in [(1, 0.15), (2, 0.85)] {
        let at = Vec3::new(
            side * (inner + width + 0.5 * GAP),
            2.0 * GAP + y * height,
            0.01,
        );
        let name = format!("hinge.{part}.frame-{name}.{k}");
        mold.joint(&name, at, Vec3::Y, 0.10, 0.035);
    }
}
