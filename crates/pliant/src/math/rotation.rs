//! The rotation of a moment matrix, starting from a good guess.
//!
//! R maximises tr(Rᵀ A). With B = Rᵀ A, S = sym B and a the axial vector of B − Bᵀ, the step R ← R·exp(ω) has the expansion
//! tr + ω·a − ½ ωᵀ(tr(S) I − S) ω, so Newton's step is ω = (tr(S) I − S)⁻¹ a (analytic polar decomposition
//! [Kugelstadt 2018]). It converges quadratically and, where the Hessian is positive definite, to the one global maximum,
//! which is also what says whether the answer may be trusted.

use super::algebra::{M3, V3};
use super::lanes::{F8, Lane, Wide};
use super::svd::polar_rotation_near;
use glam::{Mat3, Quat};

/// Newton steps; from one iteration of the solver to the next R turns by so little that the second is a polish.
const NEWTON_STEPS: usize = 3;

/// Largest last step (rad) whose quadratic remainder is below f32 accuracy.
const LAST_STEP_LIMIT: f32 = 2e-3;

/// A step (rad) after which the next would be about the accuracy of f32.
pub const LAST_STEP: f32 = 1e-3;

/// Warm-started rotations of a lane of matrices: refined quaternions, and in each lane a doubt: a number above zero
/// means that the answer must be repaired by an SVD. `is_enough` tells of the square of a step whether it may be the last.
#[inline(always)]
pub fn refine_rotation<T: Lane>(
    a: M3<T>,
    guess: [T; 4],
    is_enough: impl Fn(T) -> bool,
) -> ([T; 4], T) {
    let (zero, one, half) = (T::splat(0.0), T::splat(1.0), T::splat(0.5));
    let mut q = guess;
    let mut doubt = zero;
    for step in 0..NEWTON_STEPS {
        let b = M3::from_quaternion(q).transpose_mul(a);
        let [c0, c1, c2] = b.cols;
        let axial = V3::new(c1.z - c2.y, c2.x - c0.z, c0.y - c1.x);
        // H = tr(S) I − S
        let (h00, h11, h22) = (c1.y + c2.z, c0.x + c2.z, c0.x + c1.y);
        let h01 = -half * (c1.x + c0.y);
        let h02 = -half * (c2.x + c0.z);
        let h12 = -half * (c2.y + c1.z);
        // Cofactors of the symmetric H, and Sylvester's test that it is positive definite.
        let k00 = h11 * h22 - h12 * h12;
        let k01 = h02 * h12 - h01 * h22;
        let k02 = h01 * h12 - h02 * h11;
        let k11 = h00 * h22 - h02 * h02;
        let k12 = h01 * h02 - h00 * h12;
        let k22 = h00 * h11 - h01 * h01;
        let det = h00 * k00 + h01 * k01 + h02 * k02;
        let trace = h00 + h11 + h22;
        let scale = trace * trace * trace * T::splat(1e-7);
        // Every comparison is written so that a NaN counts as bad.
        let ok = zero.select_less(h00, one, zero)
            * zero.select_less(k22, one, zero)
            * scale.select_less(det, one, zero);
        let ok = zero.select_less(trace, ok, zero);
        let inv = one / zero.select_less(ok, det, one);
        let omega = V3::new(
            k00 * axial.x + k01 * axial.y + k02 * axial.z,
            k01 * axial.x + k11 * axial.y + k12 * axial.z,
            k02 * axial.x + k12 * axial.y + k22 * axial.z,
        )
        .scale(inv);
        // Cayley's map in place of exp: same to third order, no sine.
        let h = omega.scale(half);
        let norm = one / (one + h.dot(h)).sqrt();
        let [x, y, z, w] = q;
        let turned = [
            (w * h.x + x + y * h.z - z * h.y) * norm,
            (w * h.y + y + z * h.x - x * h.z) * norm,
            (w * h.z + z + x * h.y - y * h.x) * norm,
            (w - x * h.x - y * h.y - z * h.z) * norm,
        ];
        for k in 0..4 {
            q[k] = zero.select_less(ok, turned[k], q[k]);
        }
        let square = omega.dot(omega);
        if step + 1 == NEWTON_STEPS || is_enough(square) {
            let limit = T::splat(LAST_STEP_LIMIT * LAST_STEP_LIMIT);
            doubt = one - square.select_less(limit, ok, zero);
            break;
        }
    }
    // Products of unit quaternions drift from length one by round-off; one division keeps them there.
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    let inv = one / length;
    ([q[0] * inv, q[1] * inv, q[2] * inv, q[3] * inv], doubt)
}

/// Refines eight rotations and repairs those in doubt; returns how many were repaired. `is_enough` as of [`refine_rotation`].
#[inline(always)]
pub fn refine_or_repair<W: Wide>(
    a: M3<W>,
    guess: &[Quat; 8],
    is_enough: impl Fn(W) -> bool,
) -> ([Quat; 8], u32) {
    let mut lanes = [F8::ZERO; 4];
    for l in 0..8 {
        let q = guess[l].to_array();
        for k in 0..4 {
            lanes[k].0[l] = q[k];
        }
    }
    let start = [
        W::load(&lanes[0]),
        W::load(&lanes[1]),
        W::load(&lanes[2]),
        W::load(&lanes[3]),
    ];
    let (q, doubt) = refine_rotation(a, start, is_enough);
    let q = [q[0].store(), q[1].store(), q[2].store(), q[3].store()];
    let doubt = doubt.store();
    let mut out = *guess;
    let mut repaired = 0;
    for l in 0..8 {
        out[l] = Quat::from_xyzw(q[0].0[l], q[1].0[l], q[2].0[l], q[3].0[l]);
        if doubt.0[l] > 0.0 {
            out[l] = repair(a.unpack()[l], guess[l]);
            repaired += 1;
        }
    }
    (out, repaired)
}

#[cold]
#[inline(never)]
fn repair(a: Mat3, near: Quat) -> Quat {
    let near = if near.is_finite() && near.length_squared() > 0.5 {
        near.normalize()
    } else {
        Quat::IDENTITY
    };
    Quat::from_mat3(&polar_rotation_near(a, Mat3::from_quat(near))).normalize()
}

/// The rotation of one moment matrix near `guess`, and whether it had to be repaired: what [`refine_or_repair`] does for eight.
#[inline(always)]
pub fn rotation_near(a: Mat3, guess: Quat) -> (Quat, bool) {
    // One alone waits for each step before the next; most need one or two.
    let is_enough = |square: f32| square < LAST_STEP * LAST_STEP;
    let (q, doubt) = refine_rotation(M3::from(a), guess.to_array(), is_enough);
    if doubt > 0.0 {
        (repair(a, guess), true)
    } else {
        (Quat::from_array(q), false)
    }
}
