//! Worked numbers of the plastic update, and what must hold for any input.

use super::*;
use crate::math::svd::polar_rotation;
use crate::state::{GroupMaterial, Member};
use glam::Quat;
use proptest::prelude::*;

const F_P: Mat3 = Mat3::from_cols_array(&[1.25, 0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]);
const S0: Mat3 = Mat3::from_cols_array(&[1.3, 0.1, 0.05, 0.1, 0.9, -0.08, 0.05, -0.08, 0.95]);

fn close(a: f32, b: f64, tolerance: f64) {
    assert!((f64::from(a) - b).abs() < tolerance, "{a} against {b}");
}

fn assert_matrix(m: Mat3, rows: [[f64; 3]; 3], tolerance: f64) {
    for (r, row) in rows.iter().enumerate() {
        for (c, &value) in row.iter().enumerate() {
            close(m.col(c)[r], value, tolerance);
        }
    }
}

/// Eight weighted points stretched by a known S0 and turned by R0: stretch, A_qq, eigenvalues and the literal variant.
#[test]
fn stretch_extraction_worked_numbers() {
    let masses = [1.0f32, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0];
    let q = [
        [0.97, -0.03, -0.02],
        [-1.03, 0.47, -0.02],
        [-0.03, 0.97, 0.18],
        [-0.03, -1.03, 0.38],
        [0.27, 0.17, 0.98],
        [-0.23, -0.43, -1.12],
        [0.67, -0.63, 0.48],
        [-0.63, 0.77, -0.72],
    ]
    .map(Vec3::from_array);
    let r0 = Mat3::from_quat(Quat::from_axis_angle(
        Vec3::new(1.0, 2.0, 3.0).normalize(),
        0.7,
    ));
    let x = q.map(|q| r0 * S0 * F_P * q + Vec3::new(0.5, -0.25, 2.0));
    let total: f32 = masses.iter().sum();
    let c = masses.iter().zip(x).map(|(m, x)| x * *m).sum::<Vec3>() / total;
    let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
    let mut a = Mat3::ZERO;
    let mut a_qq0 = Mat3::ZERO;
    for i in 0..8 {
        a += outer((x[i] - c) * masses[i], q[i]);
        a_qq0 += outer(q[i] * masses[i], q[i]);
    }
    let a_qq = F_P * a_qq0 * F_P.transpose();
    assert_matrix(
        a_qq,
        [
            [4.8453125, -1.129, 2.255],
            [-1.129, 2.33024, 0.1712],
            [2.255, 0.1712, 5.356],
        ],
        1e-5,
    );
    let f_e = a * a_qq0.inverse() * F_P.inverse();
    let r = polar_rotation(f_e);
    assert_matrix(
        r.transpose() * f_e,
        [[1.3, 0.1, 0.05], [0.1, 0.9, -0.08], [0.05, -0.08, 0.95]],
        3e-6,
    );
    assert!((r - r0).to_cols_array().iter().all(|e| e.abs() < 3e-6));
    let (sigma, _) = principal_stretches(&[f_e])[0];
    for (ours, theirs) in sigma
        .to_array()
        .iter()
        .zip([1.3261653099, 1.0078315838, 0.8160031063])
    {
        close(*ours, theirs, 2e-6);
    }
    // The literal variant does not recover the stretch.
    let (choi, _) = choi_principal(a, a_qq0.inverse(), F_P);
    for (ours, theirs) in choi
        .to_array()
        .iter()
        .zip([1.2602812157, 1.0545876085, 0.8255146300])
    {
        close(*ours, theirs, 5e-6);
    }
    let off = (r0.transpose() * polar_rotation(a * F_P.transpose())).to_cols_array();
    let angle = (((off[0] + off[4] + off[8]) - 1.0) / 2.0)
        .acos()
        .to_degrees();
    close(angle, 5.2827, 2e-3);
}

/// Flow of S0 with ν = .9, ε_Y = .01: exponent, factors, F_P, norm, condition, and the stretch that is left.
#[test]
fn plastic_update_worked_numbers() {
    let (stretch, axes) = principal_stretches(&[S0])[0];
    let flow = log_flow(stretch, 0.01, 0.9).unwrap();
    close(flow.strain, 0.2822915521, 1e-6);
    let d = exp_strain(flow.log_factor / 0.8681180682);
    for (ours, theirs) in d
        .to_array()
        .iter()
        .zip([1.2883638094, 0.9791039840, 0.7927434556])
    {
        close(*ours, theirs, 2e-6);
    }
    for (ours, theirs) in exp_strain(flow.log_factor).to_array().iter().zip([
        1.2460240493,
        0.9818345963,
        0.8174011500,
    ]) {
        close(*ours, theirs, 2e-6);
    }
    let f = stretched(F_P, axes, flow.log_factor);
    assert_matrix(
        f,
        [
            [1.530061887, 0.0671373165, 0.0421479548],
            [0.104902057, 0.7112078954, -0.0687306118],
            [0.0526849435, -0.0549844895, 0.9322004167],
        ],
        5e-6,
    );
    close(f.determinant(), 1.0, 1e-6);
    close(frobenius_squared(f).sqrt(), 1.9348681791, 5e-6);
    close(log_condition(f).exp(), 2.2525234686, 2e-5);
    // F = S0 F_P is fixed, so F_e = S0 F_P F_P'⁻¹ afterwards.
    let (left, _) = principal_stretches(&[S0 * F_P * f.inverse()])[0];
    for (ours, theirs) in left
        .to_array()
        .iter()
        .zip([1.0643175873, 1.0264779705, 0.9982896480])
    {
        close(*ours, theirs, 5e-6);
    }
}

/// The exponent limit keeps the determinant; the paper's clamp does not.
#[test]
fn clamp_worked_numbers() {
    let (stretch, _) = principal_stretches(&[S0])[0];
    let flow = log_flow(stretch, 0.01, 0.9).unwrap();
    let limited = exp_strain(bounded_factor(
        flow,
        PlasticClamp::Exponent,
        PlasticModel::Log,
    ));
    for (ours, theirs) in limited
        .to_array()
        .iter()
        .zip([1.2, 0.9849192442, 0.8460930561])
    {
        close(*ours, theirs, 2e-6);
    }
    let gamma = bounded_factor(flow, PlasticClamp::Exponent, PlasticModel::Log).x
        / (flow.log_factor.x / 0.8681180682);
    close(gamma, 0.7195775474, 2e-6);
    let literal = exp_strain(bounded_factor(flow, PlasticClamp::Paper, PlasticModel::Log));
    close(literal.x * literal.y * literal.z, 0.9630632737, 2e-6);
}

/// A deviatoric log strain of .3 relaxes by half of its excess each step (ν = .5, ε_Y = .01).
#[test]
fn relaxation_worked_numbers() {
    let mut strain = 0.3f32;
    for expected in [0.155, 0.0825, 0.04625, 0.028125, 0.0190625, 0.01453125] {
        let stretch = exp_strain(Vec3::new(strain, 0.0, -strain));
        let flow = log_flow(stretch, 0.01, 0.5).unwrap();
        strain -= flow.log_factor.x;
        close(strain, expected, 1e-6);
    }
}

/// Norms of uniaxial plastic stretches at which re-sampling will act.
#[test]
fn threshold_worked_numbers() {
    for (s, norm) in [
        (1.3080581, 1.8),
        (0.7448055, 1.8),
        (1.6751309, 2.0),
        (0.5391889, 2.0),
    ] {
        let side = 1.0 / f32::sqrt(s);
        close(
            frobenius_squared(Mat3::from_diagonal(Vec3::new(s, side, side))).sqrt(),
            norm,
            1e-5,
        );
    }
}

/// The Frobenius model subtracts the yield before the flow rate: n = .15, λ = .1, ν = .5 gives γ = .167.
#[test]
fn frobenius_gamma_is_never_negative() {
    // A volume-free stretch whose distance from I is .15.
    let (mut low, mut high) = (0.0f32, 0.2f32);
    for _ in 0..60 {
        let mid = 0.5 * (low + high);
        if (exp_strain(Vec3::new(mid, 0.0, -mid)) - Vec3::ONE).length() < 0.15 {
            low = mid;
        } else {
            high = mid;
        }
    }
    let stretch = exp_strain(Vec3::new(low, 0.0, -low));
    let flow = frobenius_flow(stretch, 0.1, 0.5).unwrap();
    close(flow.log_factor.x / low, 0.1666667, 1e-4);
    assert!(frobenius_flow(stretch, 0.16, 0.5).is_none());
}

fn one_group(f_e: Mat3, material: &Material) -> Groups {
    let mut groups = Groups::default();
    let members: Vec<_> = (0..5)
        .map(|i| {
            Member::plain(
                i,
                Vec3::new((i % 2) as f32, (i / 2) as f32, (i * i % 3) as f32),
            )
        })
        .collect();
    groups.push(
        &members,
        1.0,
        GroupMaterial {
            stiffness: material.stiffness,
            plastic_yield: material.plastic_yield,
            plastic_flow: material.plastic_flow,
            hardening: material.hardening,
        },
    );
    groups.f_e[0] = f_e;
    groups
}

proptest! {
    /// For any deformation F_P keeps its unit determinant, stays finite, and respects the limit.
    #[test]
    fn determinant_and_limit_hold(e in prop::array::uniform9(-2.0f32..2.0), limit in 1.5f32..6.0, frobenius in prop::bool::ANY, paper in prop::bool::ANY) {
        let material = Material {
            plastic_limit: Some(limit),
            plastic_model: if frobenius { PlasticModel::Frobenius } else { PlasticModel::Log },
            clamp: if paper { PlasticClamp::Paper } else { PlasticClamp::Exponent },
            ..Material::default()
        };
        let mut groups = one_group(Mat3::from_cols_array(&e), &material);
        for _ in 0..20 {
            plastic_update(&PlasticStep { material: &material, dt: 1.0 / 240.0 }, 0..1, &mut groups, &[Mat3::IDENTITY]);
            prop_assert!((groups.f_p[0].determinant() - 1.0).abs() < 1e-4);
            prop_assert!(log_condition(groups.f_p[0]).exp() < limit * 1.001);
        }
    }

    /// Below the yield nothing changes, bit for bit.
    #[test]
    fn below_yield_is_elastic(e in prop::array::uniform3(-0.09f32..0.09)) {
        let material = Material { plastic_yield: 0.1, ..Material::default() };
        let mut groups = one_group(Mat3::from_diagonal(exp_strain(Vec3::from(e))), &material);
        let before = groups.f_p[0];
        plastic_update(&PlasticStep { material: &material, dt: 1.0 / 240.0 }, 0..1, &mut groups, &[Mat3::IDENTITY]);
        prop_assert_eq!(groups.f_p[0], before);
        prop_assert!(!groups.yielding[0]);
    }
}

/// Where flow would pass the limit, it ends at the limit.
#[test]
fn limit_is_met_from_below() {
    let f = limit_condition(
        Mat3::IDENTITY,
        Mat3::IDENTITY,
        Vec3::new(1.0, 0.0, -1.0),
        4.0,
    );
    close(log_condition(f).exp(), 4.0, 4e-3);
}

/// Non-finite or inverted deformations do not flow, and a broken F_P is reset and counted.
#[test]
fn bad_deformations_do_not_flow() {
    let material = Material::default();
    for bad in [
        Mat3::from_cols_array(&[f32::NAN; 9]),
        Mat3::from_diagonal(Vec3::new(1.0, 1.0, -0.5)),
        Mat3::ZERO,
    ] {
        let mut groups = one_group(bad, &material);
        let report = plastic_update(
            &PlasticStep {
                material: &material,
                dt: 1.0 / 240.0,
            },
            0..1,
            &mut groups,
            &[Mat3::IDENTITY],
        );
        assert_eq!(report, PlasticReport::default());
        assert_eq!(groups.f_p[0], Mat3::IDENTITY);
    }
    let mut groups = one_group(Mat3::IDENTITY, &material);
    groups.f_p[0] = Mat3::from_cols_array(&[f32::NAN; 9]);
    let report = plastic_update(
        &PlasticStep {
            material: &material,
            dt: 1.0 / 240.0,
        },
        0..1,
        &mut groups,
        &[Mat3::IDENTITY],
    );
    assert_eq!(report.reset, 1);
    assert_eq!(groups.f_p[0], Mat3::IDENTITY);
}

/// The same flow in one step of 1/60 s and in four of 1/240 s.
#[test]
fn flow_rate_refers_to_a_sixtieth() {
    close(flow_per_substep(0.9, 1.0 / 60.0), 0.9, 1e-6);
    close(
        (1.0 - flow_per_substep(0.9, 1.0 / 240.0)).powi(4),
        0.1,
        1e-5,
    );
}
