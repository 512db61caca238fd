//! Rotations of oriented particles: where they would turn on their own, and the spin that they have turned with \[MC11\].

use crate::state::{Oriented, Points};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Largest turn of a substep (rad): a faster spin could not be told from a slow one the other way round.
const LARGEST_TURN: f32 = 0.9 * std::f32::consts::PI;

/// The rotation by a vector, without a division by its length.
pub fn turn_by(v: Vec3) -> Quat {
    let half = 0.5 * v.length();
    let (sin, cos) = (libm::sinf(half), libm::cosf(half));
    let sinc = if half > 1e-4 {
        sin / half
    } else {
        1.0 - half * half / 6.0
    };
    let v = v * (0.5 * sinc);
    Quat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The vector of a rotation, the shorter way round.
pub fn turn_of(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = Vec3::new(q.x, q.y, q.z);
    let square = v.length_squared();
    // Below a tenth of a radian the series of the arcsine is exact in f32.
    let scale = if square < 2.5e-3 {
        2.0 + square * (1.0 / 3.0 + square * 0.15)
    } else {
        let length = square.sqrt();
        2.0 * libm::atan2f(length, q.w) / length
    };
    v * scale
}

/// Particles that a thread takes at a time.
const SHARE: usize = 256;

/// q* ← exp(Δt ω) q; what is held stays as it is.
pub fn predict_turns(dt: f32, points: &Points, oriented: &mut Oriented) {
    let Oriented {
        point,
        turned,
        spin,
        moment,
        held,
        ..
    } = oriented;
    let columns = (turned, &*point, &*spin, &*moment, &*held);
    let all = columns.into_par_iter().with_min_len(SHARE);
    all.for_each(|(turned, &point, &spin, &moment, &held)| {
        let now = points.rotation[point as usize];
        *turned = if moment > 0.0 && !held {
            let turn = (spin * dt).clamp_length_max(LARGEST_TURN);
            (turn_by(turn) * now).normalize()
        } else {
            now
        };
    });
}

/// ω ← the turn from q to q* over Δt, and q ← q*. Returns how many were not finite: those stay as they were and stop.
pub fn update_turns(dt: f32, points: &mut Points, oriented: &mut Oriented) -> u32 {
    let Oriented {
        point,
        turned,
        spin,
        ..
    } = oriented;
    let columns = (&mut *turned, &mut *spin, &*point);
    let all = columns.into_par_iter().with_min_len(SHARE);
    let bad = all.map(|(turned, spin, &point)| {
        let rotation = points.rotation[point as usize];
        let now = turned.normalize();
        *spin = turn_of(now * rotation.conjugate()) / dt;
        let is_bad = !(now.is_finite() && spin.is_finite());
        if is_bad {
            (*turned, *spin) = (rotation, Vec3::ZERO);
        } else {
            // The same rotation has two signs; which one shows in nothing but the bits.
            *turned = if now.dot(rotation) < 0.0 { -now } else { now };
        }
        u32::from(is_bad)
    });
    let bad = bad.sum();
    for (&point, turned) in point.iter().zip(turned) {
        points.rotation[point as usize] = *turned;
    }
    bad
}

/// What the second-order method remembers of a particle: by it, what turns freely loses an order less than by the last two places alone,
/// which are known to brake it.
///
/// It is BDF2 for positions and velocities, and for turns and spins alike. Taking only velocities from three places would be wrong: bodies
/// would fall twice as fast. Where something was touched the motion has a kink, and the first-order method takes over for two substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// Velocity (m/s) and spin (rad/s) now, before anything has acted on them in the substep in hand.
    now: [Vec3; 2],
    /// Those of the substep before.
    last: [Vec3; 2],
    /// Differences of the last two places over the substep (m/s, rad/s).
    rates: [Vec3; 2],
    /// Substeps since the last contact, as far as it matters.
    settled: u8,
}

impl Past {
    /// A contact: the motion has a kink.
    pub(crate) fn unsettle(&mut self) {
        self.settled = 0;
    }

    /// All that the next step depends on.
    pub(crate) fn state(&self) -> ([Vec3; 4], u8) {
        let ([v, spin], [rate, turning]) = (self.last, self.rates);
        ([v, spin, rate, turning], self.settled)
    }
}

/// Remembers the velocities of a body's particles before they are predicted.
pub fn begin_second_order(points: &Points, oriented: &mut Oriented, own: Range<usize>) {
    for i in own {
        oriented.past[i].now = [points.v[oriented.point[i] as usize], oriented.spin[i]];
    }
}

/// Predicts the places and turns of a body's particles anew: v* = (4 v − v′ + 2 Δt a)/3 and x* = (4 x − x′ + 2 Δt v*)/3, where a prime stands for
/// the substep before.
///
/// Returns what rounding adds to Σ m Δx here and no longer adds in the first-order prediction, which is dropped (kg m).
pub fn predict_second_order(
    dt: f32,
    points: &mut Points,
    oriented: &mut Oriented,
    own: Range<usize>,
) -> Vec3 {
    let mut residue = Vec3::ZERO;
    for i in own {
        let past = oriented.past[i];
        let point = oriented.point[i] as usize;
        if past.settled < SETTLED {
            continue;
        }
        if points.inv_mass[point] > 0.0 {
            let gain = points.v[point] - past.now[0];
            let v = (4.0 * past.now[0] - past.last[0] + 2.0 * gain) / 3.0;
            // Not times Δt/3: its rounding would be the same in every substep, and brake or drive for ever.
            let way = (past.rates[0] + 2.0 * v) / 3.0 * dt;
            let (x, dropped) = (points.x[point], points.pred[point].position());
            let pred = x + way;
            let dropped_error = (dropped - x) - points.v[point] * dt;
            let error = (pred - x) - way;
            residue += (error - dropped_error) * points.mass[point];
            points.pred[point].set_position(pred);
        }
        if oriented.moment[i] > 0.0 && !oriented.held[i] {
            let spin = (4.0 * past.now[1] - past.last[1]) / 3.0;
            let turn = (past.rates[1] + 2.0 * spin) / 3.0 * dt;
            let turn = turn.clamp_length_max(LARGEST_TURN);
            oriented.turned[i] = (turn_by(turn) * points.rotation[point]).normalize();
        }
    }
    residue
}

/// Makes the velocities of a body's particles second-order ones: v = (3 x* − 4 x + x′)/(2 Δt), which is one and a half times the new rate less
/// half the last one. To be called when velocities and spins by the last two places are up to date.
pub fn end_second_order(points: &mut Points, oriented: &mut Oriented, own: Range<usize>) {
    for i in own {
        let point = oriented.point[i] as usize;
        let past = &mut oriented.past[i];
        let rates = [points.v[point], oriented.spin[i]];
        if past.settled >= SETTLED && points.inv_mass[point] > 0.0 {
            points.v[point] = 1.5 * rates[0] - 0.5 * past.rates[0];
            oriented.spin[i] = 1.5 * rates[1] - 0.5 * past.rates[1];
        }
        past.last = past.now;
        past.rates = rates;
        past.settled = (past.settled + 1).min(SETTLED);
    }
}

/// Substeps without a contact after which motion counts as smooth.
const SETTLED: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    /// A substep of a spin, and back, by either sign of the rotation.
    #[test]
    fn spins_survive_a_substep() {
        let q = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
        let spin = Vec3::new(1.0, -2.0, 3.0);
        let dt = 1.0 / 60.0;
        let turned = turn_by(spin * dt) * q;
        let expected = [0.099983, 0.189709, 0.334144, 0.917803];
        for (a, b) in turned.to_array().iter().zip(expected) {
            assert!((a - b).abs() < 1e-6);
        }
        for turned in [turned, -turned] {
            let back = turn_of(turned * q.conjugate()) / dt;
            assert!(back.distance(spin) < 1e-4, "{back}");
        }
    }

    /// Turns of no size, and of the largest, are finite and come back.
    #[test]
    fn small_and_large_turns_come_back() {
        for size in [0.0, 1e-30, 1e-12, 1e-8, 1e-5, 1e-3, 0.099, 0.101, 1.0, 2.8] {
            let v = Vec3::new(0.6, -0.48, 0.64) * size;
            let back = turn_of(turn_by(v));
            assert!(back.distance(v) <= 1e-6 * size.max(1e-3), "{size}: {back}");
        }
    }
}
