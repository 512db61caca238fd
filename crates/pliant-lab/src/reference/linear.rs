//! Decompositions of 3×3 matrices by Jacobi rotations: slow, short and accurate to the last digits.

use glam::{DMat3, DVec3};

/// Jacobi converges quadratically: five sweeps reach machine precision, the rest cost nothing that matters here.
const SWEEPS: usize = 12;

const PLANES: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// Singular value decomposition A = U diag(σ) Vᵀ with two rotations U and V.
///
/// σ₁ ≥ σ₂ ≥ |σ₃|; the smallest one carries the sign of det A, so that U Vᵀ is a rotation even when A is inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd {
    /// Left singular vectors, a rotation.
    pub u: DMat3,
    /// Singular values, descending; the last one may be negative.
    pub sigma: DVec3,
    /// Right singular vectors, a rotation.
    pub v: DMat3,
}

impl Svd {
    /// The polar rotation U Vᵀ.
    pub fn rotation(&self) -> DMat3 {
        self.u * self.v.transpose()
    }

    /// The polar stretch V diag(σ) Vᵀ.
    pub fn stretch(&self) -> DMat3 {
        from_principal(self.sigma, self.v)
    }

    /// σ₁/|σ₃|, infinite for a singular matrix.
    pub fn condition(&self) -> f64 {
        self.sigma.x / self.sigma.z.abs()
    }
}

/// a bᵀ.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// V diag(d) Vᵀ.
pub fn from_principal(d: DVec3, v: DMat3) -> DMat3 {
    v * DMat3::from_diagonal(d) * v.transpose()
}

/// (A + Aᵀ)/2.
pub fn symmetric_part(a: DMat3) -> DMat3 {
    (a + a.transpose()) * 0.5
}

/// ‖A‖_F.
pub fn frobenius_norm(a: DMat3) -> f64 {
    a.to_cols_array().iter().map(|e| e * e).sum::<f64>().sqrt()
}

/// Cosine and sine of the Jacobi rotation that makes the off-diagonal entry `pq` of a symmetric 2×2 matrix zero.
fn jacobi_rotation(pp: f64, pq: f64, qq: f64) -> (f64, f64) {
    if pq == 0.0 {
        return (1.0, 0.0);
    }
    // The smaller root of t² + 2θt − 1 = 0: at most 45°, which convergence needs.
    let theta = (qq - pp) / (2.0 * pq);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, t * c)
}

/// Turns the columns p and q of `m` into each other.
fn rotate_columns(m: &mut DMat3, (p, q): (usize, usize), (c, s): (f64, f64)) {
    let (a, b) = (m.col(p), m.col(q));
    *m.col_mut(p) = a * c - b * s;
    *m.col_mut(q) = a * s + b * c;
}

/// Orders the columns of `v` and of `with` by `key`, largest first.
fn sort_columns(key: DVec3, v: &mut DMat3, with: &mut DMat3) {
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| key[b].total_cmp(&key[a]));
    let pick = |m: &DMat3| DMat3::from_cols(m.col(order[0]), m.col(order[1]), m.col(order[2]));
    (*v, *with) = (pick(v), pick(with));
}

/// Eigenvalues, descending, and eigenvectors (columns of a rotation) of a symmetric matrix.
pub fn symmetric_eigen(a: DMat3) -> (DVec3, DMat3) {
    let (mut d, mut v) = (symmetric_part(a), DMat3::IDENTITY);
    for _ in 0..SWEEPS {
        for (p, q) in PLANES {
            let turn = jacobi_rotation(d.col(p)[p], d.col(q)[p], d.col(q)[q]);
            // D ← Jᵀ D J: columns, then by symmetry the columns of the transpose.
            rotate_columns(&mut d, (p, q), turn);
            d = d.transpose();
            rotate_columns(&mut d, (p, q), turn);
            rotate_columns(&mut v, (p, q), turn);
        }
    }
    let key = DVec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z);
    let mut values = DMat3::from_cols(DVec3::X * key.x, DVec3::X * key.y, DVec3::X * key.z);
    sort_columns(key, &mut v, &mut values);
    if v.determinant() < 0.0 {
        v.z_axis = -v.z_axis;
    }
    (values.row(0), v)
}

/// Singular values and vectors by one-sided Jacobi: columns of A V are made orthogonal, then their lengths are σ.
///
/// This keeps small singular values that an eigenvalue problem of AᵀA would lose.
pub fn signed_svd(a: DMat3) -> Svd {
    let (mut b, mut v) = (a, DMat3::IDENTITY);
    for _ in 0..SWEEPS {
        for (p, q) in PLANES {
            let (bp, bq) = (b.col(p), b.col(q));
            let turn = jacobi_rotation(bp.length_squared(), bp.dot(bq), bq.length_squared());
            rotate_columns(&mut b, (p, q), turn);
            rotate_columns(&mut v, (p, q), turn);
        }
    }
    let lengths = DVec3::new(b.x_axis.length(), b.y_axis.length(), b.z_axis.length());
    sort_columns(lengths, &mut v, &mut b);
    if v.determinant() < 0.0 {
        v.z_axis = -v.z_axis;
        b.z_axis = -b.z_axis;
    }
    // Where A has no direction of its own (rank below 2), U takes those of V: no turn that the data does not ask for.
    let u0 = b.x_axis.try_normalize().unwrap_or(v.x_axis);
    let rank_two = b.y_axis.length() > 1e-14 * b.x_axis.length();
    let second = if rank_two { b.y_axis } else { v.y_axis };
    let u1 = (second - u0 * u0.dot(second))
        .try_normalize()
        .unwrap_or_else(|| u0.any_orthonormal_vector());
    let u2 = u0.cross(u1);
    Svd {
        u: DMat3::from_cols(u0, u1, u2),
        sigma: DVec3::new(u0.dot(b.x_axis), u1.dot(b.y_axis), u2.dot(b.z_axis)),
        v,
    }
}
