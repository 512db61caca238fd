//! Velocities from positions, and the one place where a bad number stops.

use crate::parallel::{self, PerRange};
use crate::state::{Points, Record, Rigids};
use glam::{DVec3, Quat, Vec3};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Limits of one body's points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimits {
    /// Speed above which velocities are cut (m/s).
    pub max_speed: f32,
    /// A point that would move less than this in a substep stays where it is (m).
    pub sleep_distance: f32,
}

/// Stops what came in from outside: a position that is not finite goes back to where the last step left it, a velocity that
/// is not finite becomes zero, and one above the limit is cut before anything moves with it. Returns how many points were
/// not finite.
pub fn admit_points(blocks: &[Range<usize>], limits: &[MotionLimits], points: &mut Points) -> u32 {
    let bad = AtomicU32::new(0);
    let pred = &points.pred;
    let columns = (&mut points.x[..], &mut points.v[..]);
    parallel::for_each_range(blocks, columns, &|b, range, (x, v)| {
        let mut count = 0;
        for ((x, v), pred) in x.iter_mut().zip(v).zip(&pred[range]) {
            if !(x.is_finite() && v.is_finite()) {
                if !x.is_finite() {
                    *x = pred.position();
                }
                if !v.is_finite() {
                    *v = Vec3::ZERO;
                }
                count += 1;
            }
            *v = v.clamp_length_max(limits[b].max_speed);
        }
        if count > 0 {
            bad.fetch_add(count, Ordering::Relaxed);
        }
    });
    bad.into_inner()
}

/// Places and velocities of a block, its predicted places, and what rounding has added in it.
type Columns<'a> = (
    (&'a mut [Vec3], &'a mut [Vec3]),
    &'a mut [Record],
    PerRange<'a, Vec3>,
);

/// v ← (x* − x)/Δt and x ← x*; `limits` has one entry a block. Returns how many points were not finite: those stay where
/// they were and stop.
///
/// What the rounding of v adds to Σ m Δt v is added to `residue`, one entry a block. Far from the origin places are multiples of a number so
/// large that their differences over Δt are rounded the same way again and again.
pub fn update_points(
    dt: f32,
    blocks: &[Range<usize>],
    limits: &[MotionLimits],
    points: &mut Points,
    residue: &mut [Vec3],
) -> u32 {
    let bad = AtomicU32::new(0);
    let mass = &points.mass;
    let columns = (
        (&mut points.x[..], &mut points.v[..]),
        &mut points.pred[..],
        PerRange(residue),
    );
    parallel::for_each_range(
        blocks,
        columns,
        &|b, range, ((x, v), pred, residue): Columns| {
            let limit = limits[b];
            let mut count = 0;
            let mut rounded = DVec3::ZERO;
            for (((x, v), pred), &mass) in x.iter_mut().zip(v).zip(pred).zip(&mass[range]) {
                let moved = pred.position() - *x;
                if moved.is_finite() {
                    let rate = moved / dt;
                    *v = rate.clamp_length_max(limit.max_speed);
                    if *v == rate {
                        // Exact: f64 holds the product of two numbers of f32.
                        let error = rate.as_dvec3() * f64::from(dt) - moved.as_dvec3();
                        rounded += error * f64::from(mass);
                    }
                    // A sleeping point keeps its velocity [MMCK14 §4]: it wakes as soon as enough builds up.
                    if moved.length_squared() >= limit.sleep_distance * limit.sleep_distance {
                        *x = pred.position();
                    }
                } else {
                    *v = Vec3::ZERO;
                    count += 1;
                }
                pred.set_position(*x);
            }
            residue.0[0] += rounded.as_vec3();
            if count > 0 {
                bad.fetch_add(count, Ordering::Relaxed);
            }
        },
    );
    bad.into_inner()
}

/// The same for rigid movers; returns how many were not finite.
pub fn update_rigids(dt: f32, rigids: &mut Rigids) -> u32 {
    let mut bad = 0;
    for s in 0..rigids.len() {
        if rigids.pred[s].is_finite() && rigids.turn[s].is_finite() {
            let change = rigids.shift[s] / dt;
            rigids.v[s] += change;
            rigids.spin[s] = rigids.turn[s] / dt;
            rigids.x[s] = rigids.pred[s];
            rigids.rotation[s] =
                (Quat::from_scaled_axis(rigids.turn[s]) * rigids.rotation[s]).normalize();
        } else {
            rigids.pred[s] = rigids.x[s];
            rigids.v[s] = Vec3::ZERO;
            rigids.spin[s] = Vec3::ZERO;
            bad += 1;
        }
    }
    bad
}

/// Takes the momentum that round-off has given to a body (`residue` in kg m per substep) out of its velocities.
///
/// A body that is held somewhere exchanges momentum with what holds it, so nothing can be said of its sum.
pub fn return_residue(residue: Vec3, range: Range<usize>, points: &mut Points, dt: f32) {
    if points.inv_mass[range.clone()].contains(&0.0) {
        return;
    }
    let mass = points.mass[range.clone()].iter().sum::<f32>();
    let error = residue / (mass * dt);
    if error.is_finite() {
        points.v[range].iter_mut().for_each(|v| *v -= error);
    }
}
