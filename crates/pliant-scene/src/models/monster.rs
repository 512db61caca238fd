//! A monster truck on soft tyres \[MCM16 Fig. 11\]. It looks along x and stands on the ground.

use glam::{Quat, Vec3};

use super::mold::{Mold, steps};
use super::{BODY_COLOR, JointRule, PolygonModel};

mod running;

/// Edges of panels at the finest (m).
const EDGE: f32 = 0.022;
const DARK: [u8; 4] = [46, 48, 54, 255];
const GLASS: [u8; 4] = [96, 122, 140, 255];
const LIGHT: [u8; 4] = [246, 240, 214, 255];
const RED: [u8; 4] = [178, 30, 34, 255];
/// A face of its own.
const WHOLE: f32 = f32::INFINITY;

/// Where the axles are along x, how high, and how large the arches above them are (m).
const AXLE: [f32; 2] = [1.55, -1.55];
const AXLE_HEIGHT: f32 = 0.78;
const ARCH: (f32, f32) = (1.10, 0.80);
/// Heights of the lower edge of the body, of the upper edge of its sides, of the bevel above, of the windows (m).
const SILL: f32 = 1.45;
const SIDE: f32 = 2.02;
const BELT: f32 = 2.10;
const EAVES: f32 = 2.62;
/// Half of the width of the body, and of what lies between the bevels (m).
const WIDE: f32 = 0.95;
const INNER: f32 = 0.86;
/// From the nose to the tail: ends of body, bonnet, doors and bed (m).
const NOSE: f32 = 2.28;
const COWL: f32 = 0.72;
const BACK: f32 = -0.78;
const TAIL: f32 = -2.32;
const BED: f32 = 1.62;
const GAP: f32 = 0.006;

const JOINTS: &[JointRule] = &[
    rule("hinge.hood", [0.0, 60.0], 300.0),
    rule("hinge.door-left", [-65.0, 0.0], 80.0),
    rule("hinge.door-right", [0.0, 65.0], 80.0),
    rule("hinge.tailgate", [0.0, 90.0], 200.0),
    JointRule {
        start: "wheel",
        limits: None,
        torque: Some(4000.0),
    },
];

const fn rule(start: &'static str, limits: [f32; 2], torque: f32) -> JointRule {
    JointRule {
        start,
        limits: Some(limits),
        torque: Some(torque),
    }
}

pub(super) fn make(detail: f32) -> PolygonModel {
    let mut mold = Mold::default();
    let edge = EDGE / detail;
    for (is_left, door) in [(false, "door-right"), (true, "door-left")] {
        mold.mirror(is_left);
        side(&mut mold, edge, door);
        cab_side(&mut mold);
    }
    mold.mirror(false);
    deck(&mut mold, edge);
    bed(&mut mold, edge);
    ends(&mut mold, edge);
    running::frame(&mut mold);
    running::wheels(&mut mold, detail);
    joints(&mut mold);
    PolygonModel {
        mesh: mold.finish(),
        materials: &[("tyre", "rubber")],
        joints: JOINTS,
        is_split: true,
        ..PolygonModel::default()
    }
}

/// Height of the bonnet, and of the bevel beside it (m).
fn ridge(x: f32) -> f32 {
    let t = ((x - COWL) / (NOSE - COWL)).max(0.0);
    BELT - 0.05 * t - 0.06 * t * t
}

/// Height of the arch at a place, if there is one (m).
fn arch(x: f32) -> Option<f32> {
    AXLE.iter().find_map(|axle| {
        let square = ARCH.1 * ARCH.1 - (x - axle) * (x - axle);
        let height = ARCH.0 + square.max(0.0).sqrt();
        (square > 0.0 && height > SILL).then_some(height)
    })
}

/// The side from one place to another, and the bevel above it.
fn wall(mold: &mut Mold, edge: f32, from: f32, to: f32) {
    let mut stations = vec![from, to];
    // Where the arches meet the lower edge, and some angles between.
    let foot = libm::asinf((SILL - ARCH.0) / ARCH.1);
    for axle in AXLE {
        for k in 0..=12u8 {
            let angle = foot + (std::f32::consts::PI - 2.0 * foot) * f32::from(k) / 12.0;
            stations.push(axle + ARCH.1 * libm::cosf(angle));
        }
    }
    stations.retain(|x| (from..=to).contains(x));
    stations.sort_by(f32::total_cmp);
    stations.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
    let rows = super::pieces(SIDE - SILL, edge) as u16;
    let low = |x: f32| arch(x).unwrap_or(SILL);
    let high = |x: f32| SIDE + ridge(x) - BELT;
    for pair in steps(&stations, edge).windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let at = |x: f32, k: u16| {
            let share = f32::from(k) / f32::from(rows);
            Vec3::new(x, low(x) + (high(x) - low(x)) * share, WIDE)
        };
        for k in 0..rows {
            mold.face(&[at(a, k), at(b, k), at(b, k + 1), at(a, k + 1)]);
        }
        let inner = |x: f32| Vec3::new(x, ridge(x), INNER);
        mold.face(&[at(a, rows), at(b, rows), inner(b), inner(a)]);
    }
}

/// The sheets of the right side.
fn side(mold: &mut Mold, edge: f32, door: &str) {
    mold.part("body", BODY_COLOR);
    wall(mold, edge, COWL + GAP, NOSE);
    wall(mold, edge, TAIL, BACK - GAP);
    mold.part(door, BODY_COLOR);
    wall(mold, edge, BACK + GAP, COWL - GAP);
    mold.paint(DARK);
    let handle = Vec3::new(BACK + 0.16, SIDE - 0.10, WIDE + 0.012);
    mold.cuboid(handle, Vec3::new(0.08, 0.014, 0.014), Quat::IDENTITY, WHOLE);
}

/// A place in the plane of the side windows.
fn leaning(x: f32, y: f32) -> Vec3 {
    Vec3::new(x, y, 0.83 - 0.24 * (y - BELT))
}

/// Posts, side window and what they stand on.
fn cab_side(mold: &mut Mold) {
    mold.part("body", BODY_COLOR);
    let posts = [
        ([COWL - 0.06, BELT - 0.03], [0.30, EAVES]),
        ([BACK + 0.05, BELT - 0.03], [BACK + 0.12, EAVES]),
        ([0.33, EAVES], [BACK + 0.09, EAVES]),
    ];
    for (a, b) in posts {
        running::bar(mold, leaning(a[0], a[1]), leaning(b[0], b[1]), 0.035);
    }
    // A rail under the window, and posts at both ends of the door.
    let rail = |x: f32| Vec3::new(x, BELT - 0.03, 0.80);
    running::bar(mold, rail(BACK + 0.02), rail(COWL - 0.03), 0.025);
    for x in [COWL - 0.03, BACK + 0.04] {
        let foot = Vec3::new(x, SILL + 0.01, 0.84);
        running::bar(mold, foot, Vec3::new(x, BELT - 0.05, 0.81), 0.03);
    }
    mold.paint(GLASS);
    let pane = [
        leaning(BACK + 0.06, BELT - 0.02),
        leaning(COWL - 0.08, BELT - 0.02),
        leaning(0.30, EAVES - 0.02),
        leaning(BACK + 0.11, EAVES - 0.02),
    ];
    mold.face(&pane.map(|p| p - Vec3::Z * 0.01));
}

/// Bonnet, windows, roof and floor.
fn deck(mold: &mut Mold, edge: f32) {
    mold.part("hood", BODY_COLOR);
    let zs = steps(&[-INNER + GAP, -0.4, 0.4, INNER - GAP], edge);
    let xs = steps(&[COWL + GAP, NOSE - GAP], edge);
    mold.sheet(&zs, &xs, |z, x| {
        let ahead = ((NOSE - x) / 0.5).min(1.0);
        let bulge = 0.03 * ahead * (1.0 - ((z.abs() - 0.4) / 0.2).clamp(0.0, 1.0));
        Vec3::new(x, ridge(x) + bulge, z)
    });
    mold.paint(DARK);
    let scoop = Vec3::new(1.25, ridge(1.25) + 0.07, 0.0);
    mold.cuboid(
        scoop,
        Vec3::new(0.30, 0.06, 0.22),
        Quat::from_rotation_z(-0.05),
        WHOLE,
    );
    mold.part("body", BODY_COLOR);
    let zs = steps(&[-0.715, 0.715], edge);
    let xs = steps(&[BACK + 0.06, 0.34], edge);
    mold.sheet(&zs, &xs, |z, x| {
        let long = (x + 0.2) / 0.5;
        Vec3::new(x, EAVES + 0.065 - 0.02 * long * long - 0.06 * z * z, z)
    });
    // Before and behind the windows.
    let zs = steps(&[-0.84, 0.84], edge.max(0.1));
    for (from, to) in [(COWL - 0.14, COWL), (BACK, BACK + 0.12)] {
        let xs = steps(&[from, to], edge.max(0.1));
        mold.sheet(&zs, &xs, |z, x| Vec3::new(x, BELT - 0.012, z));
    }
    for x in [0.33, BACK + 0.10] {
        running::bar(
            mold,
            leaning(x, EAVES),
            leaning(x, EAVES) * Vec3::new(1.0, 1.0, -1.0),
            0.03,
        );
    }
    mold.paint(GLASS);
    let pane = |mold: &mut Mold, low: [f32; 3], high: [f32; 3]| {
        let side = if low[0] > high[0] { 1.0 } else { -1.0 };
        let at = |[x, y, half]: [f32; 3], sign: f32| Vec3::new(x, y, half * sign * side);
        mold.face(&[at(low, 1.0), at(low, -1.0), at(high, -1.0), at(high, 1.0)]);
    };
    pane(mold, [COWL - 0.05, BELT - 0.015, 0.80], [0.33, EAVES, 0.69]);
    pane(
        mold,
        [BACK + 0.03, BELT - 0.015, 0.80],
        [BACK + 0.10, EAVES, 0.69],
    );
    mold.paint(DARK);
    let zs = steps(&[-0.90, 0.90], edge.max(0.1));
    let xs = steps(&[BACK - 0.02, COWL + 0.05], edge.max(0.1));
    mold.sheet(&zs, &xs, |z, x| Vec3::new(x, SILL + 0.02, z));
    for z in [-0.4, 0.4] {
        mold.cuboid(
            Vec3::new(-0.15, 1.60, z),
            Vec3::new(0.28, 0.15, 0.28),
            Quat::IDENTITY,
            WHOLE,
        );
        let lean = Quat::from_rotation_z(0.18);
        mold.cuboid(
            Vec3::new(-0.48, 1.98, z),
            Vec3::new(0.07, 0.36, 0.28),
            lean,
            WHOLE,
        );
    }
    mold.cuboid(
        Vec3::new(COWL - 0.12, 1.92, 0.0),
        Vec3::new(0.12, 0.12, 0.80),
        Quat::IDENTITY,
        WHOLE,
    );
    mold.cuboid(
        Vec3::new(COWL + 0.02, 1.76, 0.0),
        Vec3::new(0.02, 0.31, 0.90),
        Quat::IDENTITY,
        WHOLE,
    );
    mold.cuboid(
        Vec3::new(BACK + 0.02, 1.76, 0.0),
        Vec3::new(0.02, 0.31, 0.78),
        Quat::IDENTITY,
        WHOLE,
    );
}

/// The bed with its bar and the gate.
fn bed(mold: &mut Mold, edge: f32) {
    mold.part("body", BODY_COLOR);
    let xs = steps(&[TAIL + 0.02, BACK], edge);
    let high = BELT - 0.004;
    for is_left in [false, true] {
        mold.mirror(is_left);
        // The inside of the wall, and the rail above it.
        let ys = steps(&[BED - 0.02, high], edge);
        mold.sheet(&ys, &xs, |y, x| Vec3::new(x, y, 0.80));
        let zs = steps(&[0.79, INNER + 0.005], edge);
        let rail = steps(&[TAIL, BACK], edge);
        mold.sheet(&zs, &rail, |z, x| Vec3::new(x, high, z));
    }
    mold.mirror(false);
    mold.paint(DARK);
    let zs = steps(&[-0.81, 0.81], edge);
    mold.sheet(&zs, &xs, |z, x| Vec3::new(x, BED, z));
    let ys = steps(&[BED, BELT - 0.01], edge);
    let across = steps(&[0.81, -0.81], edge);
    mold.sheet(&ys, &across, |y, z| Vec3::new(BACK - 0.04, y, z));
    let hoop = [
        [0.72, BED],
        [0.72, 2.50],
        [0.60, 2.60],
        [-0.60, 2.60],
        [-0.72, 2.50],
        [-0.72, BED],
    ];
    for pair in hoop.windows(2) {
        let at = |p: [f32; 2]| Vec3::new(BACK - 0.22, p[1], p[0]);
        running::bar(mold, at(pair[0]), at(pair[1]), 0.035);
    }
    for z in [-0.6, 0.6] {
        running::bar(
            mold,
            Vec3::new(BACK - 0.22, 2.58, z),
            Vec3::new(-1.95, BED, z),
            0.03,
        );
    }
    mold.paint(LIGHT);
    for z in [-0.45, -0.15, 0.15, 0.45] {
        let out = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        let at = Vec3::new(BACK - 0.20, 2.69, z);
        mold.revolve(at, out, &[(0.05, -0.05), (0.085, 0.0), (0.085, 0.04)], 12);
    }
    mold.part("tailgate", BODY_COLOR);
    let zs = steps(&[-0.79, 0.79], edge);
    let ys = steps(&[BED + GAP, BELT - 0.01], edge);
    mold.sheet(&zs, &ys, |z, y| Vec3::new(TAIL - 0.004, y, z));
}

/// Nose and tail.
fn ends(mold: &mut Mold, edge: f32) {
    mold.part("body", BODY_COLOR);
    let low = SILL + 0.02;
    let zs = steps(&[WIDE - 0.002, INNER, -INNER, -WIDE + 0.002], edge);
    let rows = super::pieces(ridge(NOSE) - low, edge) as u16;
    let shares: Vec<f32> = (0..=rows).map(|k| f32::from(k) / f32::from(rows)).collect();
    mold.sheet(&zs, &shares, |z, v| {
        let over = (z.abs() - INNER).max(0.0) / (WIDE - INNER);
        let high = ridge(NOSE) - over * (BELT - SIDE);
        Vec3::new(NOSE, low + v * (high - low), z)
    });
    let zs = steps(&[-WIDE + 0.002, WIDE - 0.002], edge);
    let ys = steps(&[low, BED - 0.002], edge);
    mold.sheet(&zs, &ys, |z, y| Vec3::new(TAIL, y, z));
    for side in [-1.0, 1.0] {
        mold.paint(LIGHT);
        let lamp = Vec3::new(NOSE, 1.80, 0.66 * side);
        mold.cuboid(lamp, Vec3::new(0.03, 0.09, 0.17), Quat::IDENTITY, WHOLE);
        mold.paint(RED);
        let lamp = Vec3::new(TAIL, 1.76, 0.875 * side);
        mold.cuboid(lamp, Vec3::new(0.02, 0.12, 0.055), Quat::IDENTITY, WHOLE);
        // What carries the gate.
        mold.paint(BODY_COLOR);
        let post = Vec3::new(TAIL + 0.02, 1.86, 0.875 * side);
        mold.cuboid(post, Vec3::new(0.02, 0.23, 0.07), Quat::IDENTITY, WHOLE);
    }
    mold.paint(DARK);
    for y in [1.70, 1.765, 1.83, 1.895] {
        mold.cuboid(
            Vec3::new(NOSE, y, 0.0),
            Vec3::new(0.02, 0.018, 0.42),
            Quat::IDENTITY,
            WHOLE,
        );
    }
    for (x, half) in [(NOSE + 0.04, 0.92), (TAIL - 0.06, 0.92)] {
        let bumper = Vec3::new(x, 1.53, 0.0);
        mold.cuboid(bumper, Vec3::new(0.06, 0.055, half), Quat::IDENTITY, WHOLE);
    }
}

/// The boxes of the nine joints.
fn joints(mold: &mut Mold) {
    mold.part("body", DARK);
    let across = Vec3::Z;
    for (k, (axle, end)) in AXLE.into_iter().zip(["front", "rear"]).enumerate() {
        for (side, sign) in [("right", 1.0), ("left", -1.0)] {
            let at = Vec3::new(axle, AXLE_HEIGHT, sign * 1.04);
            let name = format!("wheel.wheel-{end}-{side}.frame");
            mold.joint(&name, at, across, 0.10, 0.06);
            if k == 0 {
                let at = Vec3::new(COWL - 0.01, 1.75, sign * (WIDE - 0.07));
                let name = format!("hinge.door-{side}.body");
                mold.joint(&name, at, Vec3::Y, 0.16, 0.08);
            }
        }
    }
    let floor = Vec3::new(0.0, SILL, 0.0);
    mold.joint("fixed.body.frame", floor, Vec3::X, 0.45, 0.05);
    let hood = Vec3::new(COWL, BELT - 0.01, 0.0);
    mold.joint("hinge.hood.body", hood, across, 0.5, 0.05);
    let gate = Vec3::new(TAIL, BED, 0.0);
    mold.joint("hinge.tailgate.body", gate, across, 0.5, 0.04);
}
