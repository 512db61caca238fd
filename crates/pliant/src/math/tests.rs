//! The decompositions against nalgebra in f64, and against themselves across lanes.

use super::algebra::{M3, V3};
use super::lanes::{F8, Quad, Wide, dispatch};
use super::quaternion::mean_rotation;
use super::rotation::{refine_or_repair, rotation_near};
use super::svd::{
    polar_rotation, polar_rotation_near, pseudo_inverse, signed_svd, symmetric_eigen,
};
use glam::{Mat3, Quat, Vec3};
use nalgebra::Matrix3;
use proptest::prelude::*;

fn to_f64(a: Mat3) -> Matrix3<f64> {
    Matrix3::from_iterator(a.to_cols_array().iter().map(|&e| f64::from(e)))
}

/// Largest entry of the difference.
fn distance(a: Mat3, b: &Matrix3<f64>) -> f64 {
    (to_f64(a) - b).abs().max()
}

/// The rotation of the polar decomposition in f64: U diag(1, 1, ±1) Vᵀ of nalgebra's SVD.
fn reference_rotation(a: Mat3) -> (Matrix3<f64>, [f64; 3]) {
    let svd = nalgebra::SVD::new(to_f64(a), true, true);
    let (u, vt) = (svd.u.unwrap(), svd.v_t.unwrap());
    let sign = (u * vt).determinant().signum();
    let d = Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, 1.0, sign));
    let s = svd.singular_values;
    (u * d * vt, [s[0], s[1], s[2] * sign])
}

fn is_rotation(r: Mat3, tolerance: f32) -> bool {
    let e = r.transpose() * r - Mat3::IDENTITY;
    e.to_cols_array().iter().all(|x| x.abs() < tolerance) && r.determinant() > 0.9
}

fn any_matrix() -> impl Strategy<Value = Mat3> {
    (prop::array::uniform9(-1.0f32..1.0), -6i32..6)
        .prop_map(|(e, exponent)| Mat3::from_cols_array(&e) * libm::powf(10.0, exponent as f32))
}

fn any_rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0f32..1.0)
        .prop_filter("a direction", |a| {
            a.iter().map(|x| x * x).sum::<f32>() > 0.01
        })
        .prop_map(|a| Quat::from_array(a).normalize())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A = U Σ Vᵀ, U and V are rotations, the values are ordered and match the f64 reference.
    #[test]
    fn svd_matches_the_reference(a in any_matrix()) {
        let svd = signed_svd(M3::from(a));
        let (u, v) = (Mat3::from(svd.u), Mat3::from(svd.v));
        let sigma = Vec3::from(svd.sigma);
        let size = a.to_cols_array().iter().fold(0.0f32, |m, e| m.max(e.abs()));
        prop_assert!(is_rotation(u, 1e-5) && is_rotation(v, 1e-5));
        prop_assert!(sigma.x >= sigma.y * (1.0 - 1e-5) && sigma.y >= sigma.z.abs() - 1e-6 * size);
        let back = u * Mat3::from_diagonal(sigma) * v.transpose();
        prop_assert!(distance(back, &to_f64(a)) < 4e-6 * f64::from(size));
        let (_, reference) = reference_rotation(a);
        for (ours, theirs) in sigma.to_array().iter().zip(reference) {
            prop_assert!((f64::from(*ours) - theirs).abs() < 4e-6 * f64::from(size));
        }
    }

    /// The polar rotation equals the reference wherever it is well determined.
    #[test]
    fn polar_matches_the_reference(a in any_matrix()) {
        let (reference, s) = reference_rotation(a);
        // R is determined by the smallest pair sum of signed singular values.
        prop_assume!(s[1] + s[2] > 0.02 * s[0]);
        let tolerance = 4e-6 * s[0] / (s[1] + s[2]);
        prop_assert!(distance(polar_rotation(a), &reference) < tolerance);
    }

    /// From a guess within half a radian the warm start finds the same rotation, in every lane.
    #[test]
    fn warm_start_matches_the_svd(a in any_matrix(), tilt in prop::array::uniform3(-0.3f32..0.3)) {
        let (reference, s) = reference_rotation(a);
        prop_assume!(s[1] + s[2] > 0.02 * s[0]);
        let tolerance = 1e-5 * s[0] / (s[1] + s[2]);
        let guess = Quat::from_mat3(&polar_rotation(a)) * Quat::from_scaled_axis(Vec3::from(tilt));
        let scalar = rotation_near(a, guess).0;
        prop_assert!(distance(Mat3::from_quat(scalar), &reference) < tolerance);
        let wide = refine_or_repair(M3::<F8>::pack(&[a; 8]), &[guess; 8], |_| false).0;
        for l in 0..8 {
            prop_assert_eq!(wide[l], wide[0]);
            prop_assert!(distance(Mat3::from_quat(wide[l]), &reference) < tolerance);
        }
    }

    /// A guess that is anywhere, even opposite, still ends at the global optimum.
    #[test]
    fn any_guess_is_repaired(a in any_matrix(), guess in any_rotation()) {
        let (reference, s) = reference_rotation(a);
        prop_assume!(s[1] + s[2] > 0.02 * s[0]);
        let tolerance = 1e-5 * s[0] / (s[1] + s[2]);
        prop_assert!(distance(Mat3::from_quat(rotation_near(a, guess).0), &reference) < tolerance);
    }

    /// Eight lanes of the SVD have the bits of the scalar one.
    #[test]
    fn lanes_equal_scalar(m in prop::array::uniform8(any_matrix())) {
        let wide = signed_svd(M3::<F8>::pack(&m));
        let (u, v, sigma) = (wide.u.unpack(), wide.v.unpack(), wide.sigma.unpack());
        for l in 0..8 {
            let one = signed_svd(M3::from(m[l]));
            prop_assert_eq!(u[l], Mat3::from(one.u));
            prop_assert_eq!(v[l], Mat3::from(one.v));
            prop_assert_eq!(sigma[l], Vec3::from(one.sigma));
        }
    }

    /// The kernels compiled for AVX2 give the bits of the portable ones.
    #[test]
    fn registers_equal_arrays(m in prop::array::uniform8(any_matrix()), guess in prop::array::uniform8(any_rotation())) {
        let arrays = decompose_kernel::<F8>(&m, &guess);
        prop_assert_eq!(decompose(&m, &guess), arrays);
    }

    /// Rank 2, rank 1 and nearly singular matrices still give rotations that reproduce the matrix.
    #[test]
    fn low_rank_survives(a in prop::array::uniform3(-1.0f32..1.0), b in prop::array::uniform3(-1.0f32..1.0),
                         c in prop::array::uniform3(-1.0f32..1.0), d in prop::array::uniform3(-1.0f32..1.0), second in prop::bool::ANY) {
        let outer = |p: [f32; 3], q: [f32; 3]| {
            let p = Vec3::from(p);
            Mat3::from_cols(p * q[0], p * q[1], p * q[2])
        };
        let m = outer(a, b) + if second { outer(c, d) } else { Mat3::ZERO };
        let svd = signed_svd(M3::from(m));
        let (u, v) = (Mat3::from(svd.u), Mat3::from(svd.v));
        prop_assert!(is_rotation(u, 1e-5) && is_rotation(v, 1e-5));
        prop_assert!(is_rotation(polar_rotation(m), 1e-5));
        let back = u * Mat3::from_diagonal(Vec3::from(svd.sigma)) * v.transpose();
        prop_assert!(distance(back, &to_f64(m)) < 1e-5);
    }

    /// Symmetric eigenpairs satisfy S v = λ v, with indefinite and degenerate S too.
    #[test]
    fn eigenpairs_hold(e in prop::array::uniform6(-1.0f32..1.0)) {
        let s = Mat3::from_cols_array(&[e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]]);
        let (values, v) = symmetric_eigen(s);
        prop_assert!(is_rotation(v, 1e-5));
        for k in 0..3 {
            prop_assert!((s * v.col(k) - v.col(k) * values[k]).length() < 2e-5);
        }
    }

    /// The quaternion mean of rotations near each other lies between them, whatever their signs.
    #[test]
    fn mean_ignores_signs(q in any_rotation(), tilt in prop::array::uniform3(-0.1f32..0.1)) {
        let other = q * Quat::from_scaled_axis(Vec3::from(tilt));
        let mean = mean_rotation([(q, 1.0), (-other, 1.0)].into_iter()).unwrap();
        let same = mean_rotation([(q, 1.0), (other, 1.0)].into_iter()).unwrap();
        prop_assert!(mean.dot(same).abs() > 1.0 - 1e-6);
        prop_assert!(mean.dot(q).abs() > 0.99);
    }
}

/// All wide operations in one kernel: SVD, warm start, sums, gather and scatter.
#[inline(always)]
fn decompose_kernel<W: Wide>(m: &[Mat3; 8], guess: &[Quat; 8]) -> Vec<u32> {
    let a = M3::<W>::pack(m);
    let svd = signed_svd(a);
    let (rotations, repaired) = refine_or_repair(a, guess, |_| false);
    let mut out = vec![repaired];
    for l in 0..8 {
        let parts = [svd.u.unpack()[l], svd.v.unpack()[l]].map(|m| m.to_cols_array());
        out.extend(parts.iter().flatten().map(|e| e.to_bits()));
        out.extend(svd.sigma.unpack()[l].to_array().map(f32::to_bits));
        out.extend(rotations[l].to_array().map(f32::to_bits));
    }
    let records: Vec<Quad> = m
        .iter()
        .map(|m| Quad([m.x_axis.x, m.y_axis.x, m.z_axis.z, m.x_axis.y]))
        .collect();
    let index = [3, 1, 4, 1, 5, 2, 6, 0];
    let [x, y, z, w] = W::gather(&records, &index);
    out.push((x * w).sum().to_bits());
    let mut target = records;
    W::scatter_add(&mut target, &index, 0, [x, y, z]);
    out.extend(target.iter().flat_map(|q| q.0).map(f32::to_bits));
    out
}

dispatch! {
    fn decompose(m: &[Mat3; 8], guess: &[Quat; 8]) -> Vec<u32> = decompose_kernel
}

/// Zero, NaN and infinite matrices give rotations, not garbage.
#[test]
fn hopeless_input_gives_rotations() {
    let spin = Mat3::from_quat(Quat::from_rotation_y(0.7));
    for bad in [
        Mat3::ZERO,
        Mat3::from_cols_array(&[f32::NAN; 9]),
        Mat3::from_diagonal(Vec3::new(f32::INFINITY, 1.0, 1.0)),
    ] {
        assert!(is_rotation(polar_rotation(bad), 1e-5));
        let near = polar_rotation_near(bad, spin);
        assert!(
            (near - spin).to_cols_array().iter().all(|e| e.abs() < 1e-6),
            "keeps the last rotation"
        );
        let q = rotation_near(bad, Quat::from_rotation_y(0.7)).0;
        assert!((q.length() - 1.0).abs() < 1e-5);
        assert!(symmetric_eigen(bad).0.is_finite() || !bad.is_finite());
    }
    let q = rotation_near(Mat3::IDENTITY, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 0.0)).0;
    assert!(q.is_finite());
}

/// A reflection decomposes into a rotation and a stretch whose smallest value is negative.
#[test]
fn reflections_are_moved_into_the_stretch() {
    let a = Mat3::from_diagonal(Vec3::new(1.0, -0.5, 2.0));
    let svd = signed_svd(M3::from(a));
    assert!((Vec3::from(svd.sigma) - Vec3::new(2.0, 1.0, -0.5)).length() < 1e-6);
    assert!(
        (polar_rotation(a) - Mat3::IDENTITY)
            .to_cols_array()
            .iter()
            .all(|e| e.abs() < 1e-6)
    );
}

/// A flat cloud's moment matrix is inverted on its plane and called degenerate.
#[test]
fn pseudo_inverse_of_a_plane() {
    let (inverse, degenerate) = pseudo_inverse(Mat3::from_diagonal(Vec3::new(4.0, 0.0, 0.5)), 1e-6);
    assert!(degenerate);
    assert!(
        (inverse - Mat3::from_diagonal(Vec3::new(0.25, 0.0, 2.0)))
            .to_cols_array()
            .iter()
            .all(|e| e.abs() < 1e-6)
    );
    let (_, degenerate) = pseudo_inverse(Mat3::IDENTITY, 1e-6);
    assert!(!degenerate);
}

/// Quaternion mean of spec numbers: (1, 0, 0, 0) with −(cos .1, 0, 0, sin .1) is (cos .05, 0, 0, sin .05) [w first].
#[test]
fn mean_of_opposite_signs() {
    let second = -Quat::from_rotation_z(0.2);
    let mean = mean_rotation([(Quat::IDENTITY, 1.0), (second, 1.0)].into_iter()).unwrap();
    assert!((mean.w - 0.05f32.cos()).abs() < 1e-6 && (mean.z - 0.05f32.sin()).abs() < 1e-6);
    assert!(
        mean_rotation(
            [
                (Quat::IDENTITY, 1.0),
                (Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), 1.0)
            ]
            .into_iter()
        )
        .is_some()
    );
    assert!(mean_rotation(std::iter::empty()).is_none());
}

/// Lanes and vectors convert both ways.
#[test]
fn packing_round_trips() {
    let v = std::array::from_fn(|l| Vec3::new(l as f32, 1.0, -2.0));
    assert_eq!(V3::<F8>::pack(&v).unpack(), v);
}
