//! What closes the car in front and behind: nose, tail and bumpers.

use glam::Vec3;

use super::{ARCH, AXLE, BODY_COLOR, BUMPER, DARK, GAP, INNER, NOSE, TAIL, ridge, shoulder, wide};
use crate::models::mold::{Mold, pieces, steps};

/// Half of the outline of an end of the car from above, from the side to the middle: how far out along x, and half of the width (m).
const OUTLINE: [[f32; 2]; 6] = [
    [0.0, 1.0],
    [0.065, 0.94],
    [0.105, 0.83],
    [0.13, 0.62],
    [0.145, 0.32],
    [0.15, 0.0],
];

/// What closes the body in front and behind, and the bumpers.
pub(super) fn add(mold: &mut Mold, edge: f32) {
    for (at, name, direction) in [(NOSE, "bumper-front", 1.0), (TAIL, "bumper-rear", -1.0)] {
        let half = wide(at);
        let right = OUTLINE.map(|[out, share]| Vec3::new(at + direction * out, 0.0, half * share));
        let left = right.iter().rev().skip(1);
        let left = left.map(|p| Vec3::new(p.x, 0.0, -p.z));
        let mut path: Vec<Vec3> = right.iter().copied().chain(left).collect();
        if direction > 0.0 {
            path.reverse();
        }
        // From left to right as seen from outside.
        path.reverse();
        let ring = |y: f32, shrink: f32| {
            let at = |p: &Vec3| Vec3::new(at + (p.x - at) * shrink, y, p.z * shrink);
            path.iter().map(at).collect::<Vec<Vec3>>()
        };
        mold.part("chassis", BODY_COLOR);
        let top = shoulder(at);
        let rows = steps(&[BUMPER + 0.002, top], edge);
        for pair in rows.windows(2) {
            band(mold, &ring(pair[0], 1.0), &ring(pair[1], 1.0), edge);
        }
        // The bevel goes on around the corner, up to the edge of the lid.
        let lid: Vec<Vec3> = ring(ridge(at), 1.0)
            .iter()
            .map(|p| Vec3::new(at + direction * GAP, p.y, p.z * INNER))
            .collect();
        band(mold, &ring(top, 1.0), &lid, edge);
        mold.part(name, DARK);
        bumper(mold, edge, (at, direction), &path);
    }
}

/// A bumper around an end, from arch to arch.
fn bumper(mold: &mut Mold, edge: f32, (at, direction): (f32, f32), path: &[Vec3]) {
    // From below: how far it stands out from the body, and how high (m).
    let profile = [
        (-0.03, 0.22),
        (0.03, 0.26),
        (0.045, 0.47),
        (-0.005, BUMPER - 0.006),
    ];
    let start = AXLE[0].copysign(direction) + direction * (ARCH + 0.012);
    let side = |sign: f32| Vec3::new(start, 0.0, sign * wide(start));
    let sign = path[0].z.signum();
    let mut all = vec![side(sign)];
    all.extend(path);
    all.push(side(-sign));
    let ring = |(out, y): (f32, f32)| {
        let grow = |p: &Vec3| {
            let long = (p.x - at) * direction;
            let x = if long > 0.0 {
                p.x + direction * out
            } else {
                p.x
            };
            let share = (p.z.abs() + out) / p.z.abs().max(1e-6);
            let z = if p.z == 0.0 {
                0.0
            } else {
                p.z * share.max(0.0)
            };
            Vec3::new(x, y, z)
        };
        all.iter().map(grow).collect::<Vec<Vec3>>()
    };
    for pair in profile.windows(2) {
        let n = ((pair[1].1 - pair[0].1).hypot(pair[1].0 - pair[0].0) / edge).round();
        let n = (n as u16).max(1);
        let between = |k: u16| {
            let t = f32::from(k) / f32::from(n);
            let [a, b] = [pair[0], pair[1]];
            ring((a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t))
        };
        for k in 0..n {
            band(mold, &between(k), &between(k + 1), edge);
        }
    }
}

/// Faces between two lines of as many places, the lower and the upper, from left to right as seen from outside.
fn band(mold: &mut Mold, low: &[Vec3], high: &[Vec3], edge: f32) {
    for k in 0..low.len() - 1 {
        let n = pieces(low[k].distance(low[k + 1]), edge);
        let at = |line: &[Vec3], i: u32| line[k].lerp(line[k + 1], i as f32 / n as f32);
        for i in 0..n {
            mold.face(&[at(low, i), at(low, i + 1), at(high, i + 1), at(high, i)]);
        }
    }
}
