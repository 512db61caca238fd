//! Signed singular value decomposition by one-sided Jacobi rotations.
//!
//! Symbols: A = U diag(σ) Vᵀ with U and V *rotations* (determinant +1, always), σ₁ ≥ σ₂ ≥ |σ₃|; σ₃ carries the sign of
//! det A. One-sided rotations [Hestenes 1958] work on the columns of A themselves; the eigenvalues of AᵀA would lose half
//! of the digits of a small singular value, which is what a squeezed cluster has.

use super::algebra::{M3, V3};
use super::lanes::Lane;
use glam::{Mat3, Vec3};

/// The factors of A = U diag(σ) Vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct Svd<T> {
    /// Left rotation.
    pub u: M3<T>,
    /// σ₁ ≥ σ₂ ≥ |σ₃|; only the last may be negative.
    pub sigma: V3<T>,
    /// Right rotation.
    pub v: M3<T>,
}

/// Sweeps of Jacobi rotations: four reach f32 accuracy from any start, the fifth is for safety.
const SWEEPS: usize = 5;

/// Below this fraction of the largest singular value a column has no direction of its own in f32.
const RANK_TOLERANCE: f32 = 1e-6;

/// Rotates columns `p` and `q` of `b` and `v` so that the two columns of `b` become orthogonal.
#[inline(always)]
fn rotate_pair<T: Lane>(b: &mut M3<T>, v: &mut M3<T>, p: usize, q: usize) {
    let (bp, bq) = (b.cols[p], b.cols[q]);
    let (alpha, beta, gamma) = (bp.dot(bp), bq.dot(bq), bp.dot(bq));
    let (zero, one) = (T::splat(0.0), T::splat(1.0));
    // tan of the smaller of the two angles that work; |γ| at round-off of its factors means orthogonal already.
    let floor = T::splat(1e-7) * (alpha * beta).sqrt() + T::splat(1e-36);
    let size = gamma.abs();
    let zeta = (beta - alpha) / floor.select_less(size, gamma + gamma, one);
    let t = zeta.select_less(zero, -one, one) / (zeta.abs() + (one + zeta * zeta).sqrt());
    let t = floor.select_less(size, t, zero);
    let c = one / (one + t * t).sqrt();
    let s = c * t;
    b.cols[p] = bp.scale(c) - bq.scale(s);
    b.cols[q] = bp.scale(s) + bq.scale(c);
    let (vp, vq) = (v.cols[p], v.cols[q]);
    v.cols[p] = vp.scale(c) - vq.scale(s);
    v.cols[q] = vp.scale(s) + vq.scale(c);
}

/// Swaps columns `p` and `q` where the first is shorter; one is negated, so that V stays a rotation.
#[inline(always)]
fn order_pair<T: Lane>(b: &mut M3<T>, v: &mut M3<T>, p: usize, q: usize) {
    let (bp, bq, vp, vq) = (b.cols[p], b.cols[q], v.cols[p], v.cols[q]);
    let (np, nq) = (bp.dot(bp), bq.dot(bq));
    b.cols[p] = V3::select_less(np, nq, bq, bp);
    b.cols[q] = V3::select_less(np, nq, bp.negate(), bq);
    v.cols[p] = V3::select_less(np, nq, vq, vp);
    v.cols[q] = V3::select_less(np, nq, vp.negate(), vq);
}

/// Signed singular value decomposition of finite input.
///
/// Where A has rank 1, the free directions of U are those of V turned by the smallest rotation that takes v₁ to u₁; where
/// A is zero, U = V. So U Vᵀ is the rotation nearest to the identity among all that fit.
#[inline(always)]
pub fn signed_svd<T: Lane>(a: M3<T>) -> Svd<T> {
    let (one, tiny) = (T::splat(1.0), T::splat(1e-36));
    // Scaled to entries of order one: squares of f32 below 1e-19 or above 1e19 leave the range.
    let [p, q, r] = a.cols;
    let largest = p.largest().max(q.largest()).max(r.largest());
    let scale = tiny.select_less(largest, largest, one);
    let shrink = one / scale;
    let mut b = M3::from_cols(p.scale(shrink), q.scale(shrink), r.scale(shrink));
    let mut v = M3::identity();
    for _ in 0..SWEEPS {
        rotate_pair(&mut b, &mut v, 0, 1);
        rotate_pair(&mut b, &mut v, 0, 2);
        rotate_pair(&mut b, &mut v, 1, 2);
    }
    order_pair(&mut b, &mut v, 0, 1);
    order_pair(&mut b, &mut v, 0, 2);
    order_pair(&mut b, &mut v, 1, 2);

    let s1 = b.cols[0].dot(b.cols[0]).sqrt();
    let u1 = V3::select_less(tiny, s1, b.cols[0].scale(one / s1.max(tiny)), v.cols[0]);
    // What is left of b₂ across u₁; b₂ ⟂ b₁ holds to round-off only.
    let b2 = b.cols[1] - u1.scale(u1.dot(b.cols[1]));
    let s2 = b2.dot(b2).sqrt();
    let fallback = smallest_turn(v.cols[0], u1, v.cols[1]);
    let fallback = fallback - u1.scale(u1.dot(fallback));
    let fallback = fallback.scale(one / fallback.dot(fallback).sqrt());
    let floor = T::splat(RANK_TOLERANCE) * s1 + tiny;
    let u2 = V3::select_less(floor, s2, b2.scale(one / s2.max(tiny)), fallback);
    let u3 = u1.cross(u2);
    // u₃ follows from u₁ and u₂, so U is a rotation and the sign of det A lands in σ₃.
    let sigma = V3::new(s1, s2, u3.dot(b.cols[2])).scale(scale);
    Svd {
        u: M3::from_cols(u1, u2, u3),
        sigma,
        v,
    }
}

/// The smallest rotation that takes unit vector `from` to unit vector `to`, applied to `p`, a vector orthogonal to `from`.
#[inline(always)]
fn smallest_turn<T: Lane>(from: V3<T>, to: V3<T>, p: V3<T>) -> V3<T> {
    // R p = p − (from + to) (to·p) / (1 + from·to) for p ⟂ from; half a turn about p leaves p as it is.
    let one = T::splat(1.0);
    let cosine = one + from.dot(to);
    let turned = p - (from + to).scale(to.dot(p) / cosine.max(T::splat(1e-12)));
    V3::select_less(T::splat(1e-4), cosine, turned, p)
}

impl<T: Lane> Svd<T> {
    /// The rotation U Vᵀ of the polar decomposition A = R S.
    #[inline(always)]
    pub fn rotation(&self) -> M3<T> {
        self.u.mul_transpose(self.v)
    }
}

/// The rotation of the polar decomposition A = R S, never a reflection; the identity for non-finite input.
///
/// With a negative determinant S has one negative eigenvalue, the smallest in size.
pub fn polar_rotation(a: Mat3) -> Mat3 {
    if !a.is_finite() {
        return Mat3::IDENTITY;
    }
    signed_svd(M3::from(a)).rotation().into()
}

/// The rotation of A nearest to `near` where A leaves a choice (rank 0 and 1); `near` itself for non-finite input.
pub fn polar_rotation_near(a: Mat3, near: Mat3) -> Mat3 {
    if !a.is_finite() {
        return near;
    }
    near * Mat3::from(signed_svd(M3::from(near.transpose() * a)).rotation())
}

/// Eigenvalues (descending by size) and eigenvectors (a rotation) of a symmetric matrix; zeros and I for non-finite input.
///
/// From the SVD of the matrix shifted to be positive definite: singular vectors of a positive definite matrix are its
/// eigenvectors, with no sign to sort out.
pub fn symmetric_eigen(s: Mat3) -> (Vec3, Mat3) {
    if !s.is_finite() {
        return (Vec3::ZERO, Mat3::IDENTITY);
    }
    let bound = s
        .to_cols_array()
        .iter()
        .fold(0.0_f32, |m, e| m.max(e.abs()))
        * 3.0;
    let svd = signed_svd(M3::from(s + Mat3::from_diagonal(Vec3::splat(bound))));
    let v = Mat3::from(svd.v);
    // Rayleigh quotients: more accurate than σ − shift, which loses digits of the small eigenvalues.
    let values = Vec3::new(
        v.x_axis.dot(s * v.x_axis),
        v.y_axis.dot(s * v.y_axis),
        v.z_axis.dot(s * v.z_axis),
    );
    (values, v)
}

/// The inverse of a symmetric positive semi-definite matrix on its range: directions with an eigenvalue below
/// `tolerance` times the largest are left out. The flag says whether any was.
pub fn pseudo_inverse(s: Mat3, tolerance: f32) -> (Mat3, bool) {
    let (values, v) = symmetric_eigen(s);
    let floor = values.max_element() * tolerance;
    let degenerate = values.min_element() <= floor.max(f32::MIN_POSITIVE);
    let inverse = Vec3::from_array(values.to_array().map(|e| {
        if e > floor.max(f32::MIN_POSITIVE) {
            1.0 / e
        } else {
            0.0
        }
    }));
    (v * Mat3::from_diagonal(inverse) * v.transpose(), degenerate)
}
