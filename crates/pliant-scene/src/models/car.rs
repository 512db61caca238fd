//! A saloon car in parts that are hinged, sprung and screwed together \[MCM16 Fig. 1\]. It looks along x and stands on the ground.

use glam::{Quat, Vec3};

use super::mold::{Mold, steps};
use super::{BODY_COLOR, JointRule, PolygonModel};

mod ends;
mod gear;

/// Edges of panels at the finest (m).
const EDGE: f32 = 0.028;
/// Gaps between panels (m).
const GAP: f32 = 0.006;
const DARK: [u8; 4] = [44, 46, 50, 255];
const GLASS: [u8; 4] = [172, 204, 220, 255];

/// Where the middles of the axles are, and how large the arches are (m).
const AXLE: [f32; 2] = [1.30, -1.30];
const AXLE_HEIGHT: f32 = 0.33;
const ARCH: f32 = 0.41;
/// Heights of the sill, of the crease along the side, of the belt (m).
const SILL: f32 = 0.20;
const CREASE: f32 = 0.56;
/// Height above which bumpers end (m).
const BUMPER: f32 = 0.57;
/// Ends of the bonnet and of the boot along x (m).
const NOSE: f32 = 1.98;
const COWL: f32 = 0.66;
const TAIL: f32 = -2.00;
const SHELF: f32 = -1.36;
/// Between the doors, and behind them (m).
const POST: f32 = -0.27;
const HIND: f32 = -1.02;
/// Height of the lower edges of the windows, and of the upper ones (m).
const BELT: f32 = 0.935;
const EAVES: f32 = 1.35;

/// What joints may do: doors, bonnet and boot are held by friction, wheels are driven.
const JOINTS: &[JointRule] = &[
    rule("hinge.door-fl", [-65.0, 0.0], 40.0),
    rule("hinge.door-rl", [-65.0, 0.0], 40.0),
    rule("hinge.door-fr", [0.0, 65.0], 40.0),
    rule("hinge.door-rr", [0.0, 65.0], 40.0),
    rule("hinge.hood", [0.0, 60.0], 150.0),
    rule("hinge.trunk", [-70.0, 0.0], 120.0),
    JointRule {
        start: "wheel",
        limits: None,
        torque: Some(700.0),
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
    lids(&mut mold, edge);
    for (is_left, names) in [
        (false, ["door-fr", "door-rr", "window-fr", "window-rr"]),
        (true, ["door-fl", "door-rl", "window-fl", "window-rl"]),
    ] {
        mold.mirror(is_left);
        side(&mut mold, edge, names);
    }
    mold.mirror(false);
    top(&mut mold, edge);
    ends::add(&mut mold, edge);
    gear::add(&mut mold, edge, detail);
    gear::joints(&mut mold);
    PolygonModel {
        mesh: mold.finish(),
        materials: &[("window", "glass")],
        joints: JOINTS,
        is_split: true,
        ..PolygonModel::default()
    }
}

/// Half of the width of the body along x (m).
fn wide(x: f32) -> f32 {
    let ahead = ((x - 1.35) / 0.65).max(0.0);
    let behind = ((-1.45 - x) / 0.6).max(0.0);
    0.86 - 0.13 * ahead * ahead - 0.09 * behind * behind
}

/// Height of the bonnet and the boot along x (m).
fn ridge(x: f32) -> f32 {
    if x > 0.0 {
        let t = (x - COWL) / (NOSE - COWL);
        0.945 - 0.04 * t - 0.10 * t * t
    } else {
        let t = (SHELF - x) / (SHELF - TAIL);
        0.955 - 0.015 * t - 0.02 * t * t
    }
}

/// Height of the upper edge of the side, below a bevel whose edges are all parallel (m).
fn shoulder(x: f32) -> f32 {
    if (SHELF..=COWL).contains(&x) {
        // Along the doors, from one end to the other.
        let (ahead, behind) = (ridge(COWL), ridge(SHELF));
        let t = (COWL - x) / (COWL - SHELF);
        ahead + (behind - ahead) * t - 0.09 * wide(x)
    } else {
        ridge(x) - 0.09 * wide(x)
    }
}

/// Where the bevel meets the bonnet, and where that of the doors meets the windows, as a share of the width.
const INNER: f32 = 0.80;
const WAIST: f32 = 0.90;

/// Height of the arch of a wheel, if there is one at this place (m).
fn arch(x: f32) -> Option<f32> {
    AXLE.iter().find_map(|axle| {
        let square = ARCH * ARCH - (x - axle) * (x - axle);
        (square >= -1e-6).then(|| AXLE_HEIGHT + square.max(0.0).sqrt())
    })
}

/// A place on the side: upright above the crease, leaning in below it.
fn on_side(x: f32, y: f32) -> Vec3 {
    Vec3::new(x, y, wide(x) - 0.16 * (CREASE - y).max(0.0))
}

/// The side from one place to another: what is above the bumpers and the arches, and the bevel.
fn wall(mold: &mut Mold, edge: f32, [from, to]: [f32; 2], bumper: bool) {
    let mut stations = vec![from, to];
    // Where the arch begins, where it crosses the crease, and some angles between.
    for axle in AXLE {
        let crossing = (ARCH * ARCH - (CREASE - AXLE_HEIGHT).powi(2)).sqrt();
        let round = (1..8).map(|k| ARCH * libm::cosf(0.196_35 * k as f32));
        let ways = round.filter(|way| (way - crossing).abs() > 0.02);
        for way in ways.chain([ARCH, crossing, 0.0]) {
            stations.extend([axle - way, axle + way]);
        }
    }
    stations.retain(|x| (from..=to).contains(x));
    stations.sort_by(f32::total_cmp);
    stations.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
    let xs = steps(&stations, edge);
    let low = |x: f32, toward: f32| {
        // At the beginning of an arch it matters on which side of it one looks.
        let base = if bumper && x.abs() > AXLE[0] {
            BUMPER
        } else {
            SILL
        };
        arch(0.5 * (x + toward)).map_or(base, |_| arch(x).unwrap_or(base))
    };
    let rows = |height: f32| ((height / edge).round() as u16).max(1);
    let (below, above) = (rows(CREASE - SILL), rows(0.32));
    for pair in xs.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let bottoms = [low(a, b), low(b, a)];
        let mut block = |lows: [f32; 2], highs: [f32; 2], count: u16| {
            let at = |side: usize, k: u16| {
                let share = f32::from(k) / f32::from(count);
                let y = lows[side] + (highs[side] - lows[side]) * share;
                on_side([a, b][side], y)
            };
            for k in 0..count {
                mold.face(&[at(0, k), at(1, k), at(1, k + 1), at(0, k + 1)]);
            }
        };
        if bottoms.iter().any(|y| *y < CREASE - 1e-4) {
            block(bottoms.map(|y| y.min(CREASE)), [CREASE; 2], below);
        }
        let over = bottoms.map(|y| y.max(CREASE));
        block(over, [shoulder(a), shoulder(b)], above);
        let inner = |x: f32| {
            let z = wide(x);
            if from >= HIND && to <= COWL {
                Vec3::new(x, shoulder(x) + 0.05, WAIST * z)
            } else {
                Vec3::new(x, shoulder(x) + 0.09 * z, INNER * z)
            }
        };
        let outer = |x: f32| on_side(x, shoulder(x));
        mold.face(&[outer(a), outer(b), inner(b), inner(a)]);
    }
}

/// Bonnet and boot.
fn lids(mold: &mut Mold, edge: f32) {
    for (name, from, to) in [
        ("hood", COWL + GAP, NOSE - GAP),
        ("trunk", TAIL + GAP, SHELF - GAP),
    ] {
        mold.part(name, BODY_COLOR);
        let across = steps(&[-1.0, -0.62, 0.62, 1.0], edge / (INNER * 0.86));
        let along = steps(&[from, to], edge);
        mold.sheet(&across, &along, |u, x| {
            // A fold on either side, which all stations have in the same proportion.
            let half = INNER * wide(x) - GAP;
            let fold = 0.018 * ((u.abs() - 0.62) / 0.38).max(0.0) * half / 0.68;
            Vec3::new(x, ridge(x) + 0.012 * half / 0.68 - fold, u * half)
        });
    }
}

/// The doors, wings and windows of the right side.
fn side(mold: &mut Mold, edge: f32, names: [&str; 4]) {
    let [front, rear, pane, hind_pane] = names;
    mold.part(front, BODY_COLOR);
    wall(mold, edge, [POST + GAP, COWL - GAP], false);
    mold.part(rear, BODY_COLOR);
    wall(mold, edge, [HIND + GAP, POST - GAP], false);
    for (name, x) in [(front, POST + 0.12), (rear, HIND + 0.14)] {
        mold.part(name, DARK);
        let at = Vec3::new(x, 0.79, 0.868);
        mold.cuboid(
            at,
            Vec3::new(0.07, 0.012, 0.012),
            Quat::IDENTITY,
            f32::INFINITY,
        );
    }
    mold.part("chassis", BODY_COLOR);
    wall(mold, edge, [COWL + GAP, NOSE], true);
    wall(mold, edge, [TAIL, HIND - GAP], true);

    // The windows lie in one plane, which leans in.
    let panes = [
        (pane, [COWL - 0.20, POST + 0.035], [-0.10, POST + 0.035]),
        (
            hind_pane,
            [POST - 0.035, HIND + 0.03],
            [POST - 0.035, -0.87],
        ),
    ];
    let [sill, head] = [BELT + 0.012, EAVES - 0.036];
    for (name, low, high) in panes {
        mold.part(name, GLASS);
        mold.patch(
            [
                leaning(low[1], sill),
                leaning(low[0], sill),
                leaning(high[0], head),
                leaning(high[1], head),
            ],
            0.5,
        );
    }
    // Behind them, to the rear window.
    mold.part("chassis", BODY_COLOR);
    mold.patch(
        [
            leaning(SHELF - 0.06, BELT),
            leaning(HIND, BELT),
            leaning(-0.90, EAVES),
            leaning(-0.98, EAVES),
        ],
        edge,
    );
    // The ledge under the windows, and what frames them.
    let bevel = |x: f32| Vec3::new(x, shoulder(x) + 0.03, WAIST * wide(x) - 0.012);
    let ledge = |x: f32| leaning(x, BELT + 0.004);
    let xs = steps(&[SHELF, COWL - 0.08], edge.max(0.1));
    for pair in xs.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        mold.face(&[bevel(a), bevel(b), ledge(b), ledge(a)]);
    }
    let frame = |from: [f32; 2], to: [f32; 2]| (leaning(from[0], from[1]), leaning(to[0], to[1]));
    let bars = [
        frame([COWL - 0.09, BELT + 0.01], [-0.03, EAVES + 0.01]),
        frame([POST, BELT - 0.01], [POST, EAVES]),
        frame([HIND - 0.02, BELT + 0.005], [-0.92, EAVES]),
        frame([-0.03, EAVES + 0.005], [-0.98, EAVES + 0.005]),
    ];
    for (a, b) in bars {
        gear::bar(mold, a, b, 0.022);
    }
    for x in [-0.03, -0.975] {
        gear::bar(
            mold,
            Vec3::new(x, EAVES + 0.012, 0.0),
            leaning(x, EAVES + 0.006),
            0.018,
        );
    }
}

/// A place in the plane of the side windows.
fn leaning(x: f32, y: f32) -> Vec3 {
    Vec3::new(x, y, 0.765 - 0.42 * (y - BELT))
}

/// The roof, the front and the rear window, and what lies before them.
fn top(mold: &mut Mold, edge: f32) {
    mold.part("chassis", BODY_COLOR);
    let along = steps(&[-0.985, -0.02], edge);
    let across = steps(&[-0.585, 0.585], edge);
    mold.sheet(&across, &along, |z, x| {
        // One curve carried along another: all faces are flat.
        let long = (x + 0.45) / 0.5;
        Vec3::new(x, 1.402 - 0.016 * long * long - 0.07 * z * z, z)
    });
    let pane = |mold: &mut Mold, name: &str, low: [f32; 3], high: [f32; 3]| {
        // Along x, upwards, half of the width.
        let at = |[x, y, half]: [f32; 3], t: f32| Vec3::new(x, y, half * t);
        let turned = if low[0] > high[0] { 1.0 } else { -1.0 };
        mold.part(name, GLASS);
        let across = steps(&[turned, -turned], 0.5);
        mold.sheet(&across, &[0.0, 1.0], |t, v| at(low, t).lerp(at(high, t), v));
    };
    pane(
        mold,
        "window-front",
        [COWL - 0.05, BELT + 0.025, 0.725],
        [0.005, 1.343, 0.57],
    );
    pane(
        mold,
        "window-rear",
        [SHELF + 0.03, BELT + 0.035, 0.70],
        [-1.01, 1.345, 0.567],
    );
    mold.part("chassis", BODY_COLOR);
    // The cowl and the shelf behind the rear window, a little below bonnet and boot.
    for (from, to) in [(COWL - 0.13, COWL), (SHELF, SHELF + 0.12)] {
        let xs = steps(&[from, to], edge);
        let zs = steps(&[-0.752, 0.752], edge.max(0.12));
        mold.sheet(&zs, &xs, |z, x| Vec3::new(x, BELT - 0.004, z));
    }
}

/// A rotation that takes y to a direction.
fn upright(direction: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::Y, direction.normalize_or(Vec3::Y))
}
