//! Worked numbers and invariants at the tolerances of f64.

mod invariants;
mod worked;

use super::body::{Averaging, Body, overlapping_groups};
use super::linear::{frobenius_norm, outer, signed_svd};
use super::plastic::Material;
use glam::{DMat3, DVec3};

pub(super) fn assert_close(ours: f64, theirs: f64, tolerance: f64) {
    assert!(
        (ours - theirs).abs() <= tolerance,
        "{ours:.17} against {theirs:.17}, off by {:.3e}",
        (ours - theirs).abs()
    );
}

pub(super) fn assert_vector(ours: DVec3, theirs: [f64; 3], tolerance: f64) {
    for axis in 0..3 {
        assert_close(ours[axis], theirs[axis], tolerance);
    }
}

pub(super) fn assert_rows(ours: DMat3, rows: [[f64; 3]; 3], tolerance: f64) {
    for (r, row) in rows.into_iter().enumerate() {
        assert_vector(ours.row(r), row, tolerance);
    }
}

pub(super) fn max_difference(a: DMat3, b: DMat3) -> f64 {
    let d = (a - b).to_cols_array();
    d.iter().fold(0.0, |m, e| m.max(e.abs()))
}

/// A small generator of uniform numbers: tests need the same ones every time, not good ones.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector with components in [−1, 1).
    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    /// Approximately normal with the given deviation: the sum of twelve uniform numbers.
    pub(super) fn normal(&mut self, deviation: f64) -> DVec3 {
        (0..4).map(|_| self.vector()).sum::<DVec3>() * (deviation * 0.75_f64.sqrt())
    }
}

/// Points of a grid of `size` points, `spacing` apart, centred on the origin.
pub(super) fn grid(size: [usize; 3], spacing: f64) -> Vec<DVec3> {
    let middle = DVec3::from_array(size.map(|n| (n - 1) as f64 * 0.5));
    let mut points = Vec::new();
    for x in 0..size[0] {
        for y in 0..size[1] {
            for z in 0..size[2] {
                points.push((DVec3::new(x as f64, y as f64, z as f64) - middle) * spacing);
            }
        }
    }
    points
}

/// A block of `size` particles at spacing r = 0.1 with the usual clusters: radius 4r, centres 3r apart, three for each particle.
fn block(size: [usize; 3], material: Material) -> Body {
    let points = grid(size, 0.1);
    let groups = overlapping_groups(&points, 0.4, 0.3, 3);
    let masses = vec![1.0; points.len()];
    Body::new(
        &points,
        &masses,
        &groups,
        material,
        0.1,
        Averaging::MassWeighted,
    )
}

/// RMS distance of `x` from `rest` after the best rigid motion.
pub(super) fn shape_error(x: &[DVec3], rest: &[DVec3]) -> f64 {
    let mean = |x: &[DVec3]| x.iter().sum::<DVec3>() / x.len() as f64;
    let (c, c0) = (mean(x), mean(rest));
    let mut a = DMat3::ZERO;
    for (x, q) in x.iter().zip(rest) {
        a += outer(x - c, q - c0);
    }
    let r = signed_svd(a).rotation();
    let square = |(x, q): (&DVec3, &DVec3)| (r * (q - c0) + c - x).length_squared();
    (x.iter().zip(rest).map(square).sum::<f64>() / x.len() as f64).sqrt()
}

/// Signed singular value decompositions give the matrix back, with two rotations, for all kinds of matrices.
#[test]
fn svd_gives_the_matrix_back() {
    let mut random = Random(7);
    for case in 0..400 {
        let m = DMat3::from_cols(random.vector(), random.vector(), random.vector());
        let m = match case % 4 {
            0 => m,
            1 => DMat3::from_cols(m.x_axis, m.y_axis, m.x_axis - m.y_axis),
            2 => outer(m.x_axis, m.y_axis),
            _ => m * DMat3::from_diagonal(DVec3::new(1.0, 1e-3, 1e-9)),
        };
        let svd = signed_svd(m);
        let back = svd.u * DMat3::from_diagonal(svd.sigma) * svd.v.transpose();
        assert!(max_difference(back, m) < 1e-14, "{m}");
        for q in [svd.u, svd.v] {
            assert!(max_difference(q * q.transpose(), DMat3::IDENTITY) < 1e-13);
            assert_close(q.determinant(), 1.0, 1e-13);
        }
        assert!(svd.sigma.x >= svd.sigma.y && svd.sigma.y >= svd.sigma.z.abs() - 1e-15);
    }
    assert_eq!(signed_svd(DMat3::ZERO).rotation(), DMat3::IDENTITY);
    assert_close(frobenius_norm(DMat3::IDENTITY), 3.0_f64.sqrt(), 1e-15);
}
