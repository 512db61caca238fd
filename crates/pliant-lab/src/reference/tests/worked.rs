//! Worked examples with published digits.

use super::super::body::{Averaging, Body, effective_stiffness};
use super::super::cluster::{Cluster, Fit};
use super::super::contact::{Friction, pair_corrections};
use super::super::linear::{frobenius_norm, from_principal, signed_svd, symmetric_part};
use super::super::plastic::{
    Flow, Material, PlasticState, StrainMeasure, flow, flow_per_substep, frobenius_flow,
    least_squares_stretch, log_flow, stretched, stretched_within,
};
use super::super::resample::{lens_volume, mean_rotation, rest_map, volume_offset};
use super::{Random, assert_close, assert_rows, assert_vector, grid, max_difference};
use glam::{DMat3, DQuat, DVec3};

/// Half a unit of the tenth digit.
const PRINTED: f64 = 0.51e-10;

const F_P: DMat3 = DMat3::from_cols_array(&[1.25, 0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]);
const S0: DMat3 = DMat3::from_cols_array(&[1.3, 0.1, 0.05, 0.1, 0.9, -0.08, 0.05, -0.08, 0.95]);

fn r0() -> DMat3 {
    DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7)
}

/// Eight weighted points with a plastic rest shape, stretched by S0 and turned by R0.
fn stretched_points() -> (Cluster, Vec<DVec3>) {
    let weights = vec![1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0];
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
    .map(DVec3::from_array);
    let mut cluster = Cluster::new((0..8).collect(), weights, &q, 0.01);
    cluster.f_p = F_P;
    let shift = DVec3::new(0.5, -0.25, 2.0);
    let x = q.iter().map(|q| r0() * S0 * F_P * *q + shift).collect();
    (cluster, x)
}

/// A known stretch and rotation come back from eight weighted points.
#[test]
fn stretch_extraction() {
    let (cluster, x) = stretched_points();
    let place = cluster.place(&x, Fit::Affine);
    let a_qq = [
        [4.8453125, -1.129, 2.255],
        [-1.129, 2.33024, 0.1712],
        [2.255, 0.1712, 5.356],
    ];
    assert_rows(place.a_qq, a_qq, 1e-14);
    let svd = signed_svd(place.f_e);
    assert!(max_difference(svd.rotation(), r0()) < 2e-15);
    assert!(max_difference(svd.stretch(), S0) < 2e-15);
    let sigma = [1.3261653099, 1.0078315838, 0.8160031063];
    assert_vector(svd.sigma, sigma, PRINTED);
}

/// The literal reading of the stretch (polar factor of A_pq) misses it by the printed amounts.
#[test]
fn literal_stretch_is_off() {
    let (cluster, x) = stretched_points();
    let place = cluster.place(&x, Fit::Procrustes);
    let (stretch, axes) = Cluster::principal_stretches(&place, StrainMeasure::Choi);
    let printed = [1.2602812157, 1.0545876085, 0.8255146300];
    assert_vector(stretch, printed, PRINTED);
    let error = max_difference(from_principal(stretch, axes), S0);
    assert_close(error, 0.0595, 0.51e-4);
    let off = r0().transpose() * place.rotation;
    let trace = off.x_axis.x + off.y_axis.y + off.z_axis.z;
    assert_close(((trace - 1.0) / 2.0).acos().to_degrees(), 5.2827, 0.51e-4);
}

/// Least squares for the rotation of F_e is the polar stretch, also where x is no exact deformation of q.
#[test]
fn least_squares_stretch_is_the_polar_stretch() {
    let (cluster, exact) = stretched_points();
    let mut random = Random(3);
    let noisy: Vec<DVec3> = exact.iter().map(|x| x + random.normal(0.05)).collect();
    for x in [exact, noisy] {
        let place = cluster.place(&x, Fit::Affine);
        let svd = signed_svd(place.f_e);
        let s = least_squares_stretch(place.rotation, place.a_pq, place.a_qq);
        assert!(max_difference(s, svd.stretch()) < 3e-15);
        // The same with the symmetric part given explicitly.
        let s_pq = symmetric_part(place.rotation.transpose() * place.a_pq);
        let s = least_squares_stretch(DMat3::IDENTITY, s_pq, place.a_qq);
        assert!(max_difference(s, svd.stretch()) < 3e-15);
    }
}

/// One plastic update with ν = .9 and ε_Y = .01, unlimited.
#[test]
fn plastic_update() {
    let svd = signed_svd(r0() * S0);
    let flow = log_flow(svd.sigma, 0.01, 0.9).expect("above the yield");
    assert_close(flow.strain, 0.2822915521, PRINTED);
    assert_close(flow.gamma, 0.8681180682, PRINTED);
    let d = [1.2883638094, 0.9791039840, 0.7927434556];
    assert_vector(flow.deviator.exp(), d, PRINTED);
    let factors = [1.2460240493, 0.9818345963, 0.8174011500];
    assert_vector(flow.factors(), factors, PRINTED);
    assert_close(flow.factors().element_product(), 1.0, 1e-15);

    let f_p = stretched(F_P, svd.v, flow.factors());
    let rows = [
        [1.530061887, 0.0671373165, 0.0421479548],
        [0.104902057, 0.7112078954, -0.0687306118],
        [0.0526849435, -0.0549844895, 0.9322004167],
    ];
    assert_rows(f_p, rows, PRINTED);
    assert_close(f_p.determinant(), 1.0, 1e-15);
    assert_close(frobenius_norm(f_p), 1.9348681791, PRINTED);
    assert_close(signed_svd(f_p).condition(), 2.2525234686, PRINTED);

    // The points have not moved: F = R0 S0 F_P stays, F_e = F F_P'⁻¹ is what is left.
    let left = signed_svd(r0() * S0 * F_P * f_p.inverse());
    let sigma = [1.0643175873, 1.0264779705, 0.9982896480];
    assert_vector(left.sigma, sigma, PRINTED);
    assert!(max_difference(left.rotation(), r0()) < 2e-15);
}

/// Clamping each factor changes the determinant; limiting the exponent does not.
#[test]
fn plastic_clamps() {
    let flow = log_flow(signed_svd(S0).sigma, 0.01, 0.9).expect("above the yield");
    let clamped = flow.clamped_factors().element_product();
    assert_close(clamped, 0.9630632737, PRINTED);
    let limited = flow.limited();
    assert_close(limited.gamma, 0.7195775474, PRINTED);
    let factors = [1.2, 0.9849192442, 0.8460930561];
    assert_vector(limited.factors(), factors, PRINTED);
    assert_close(limited.factors().element_product(), 1.0, 1e-15);
}

/// A deviatoric log strain of .3 relaxes towards the yield by half of the excess each step.
#[test]
fn relaxation() {
    let shape = DVec3::new(1.0, -0.5, -0.5);
    let mut e = 0.3;
    for theirs in [0.155, 0.0825, 0.04625, 0.028125, 0.0190625, 0.01453125] {
        let Flow {
            gamma, deviator, ..
        } = log_flow((shape * e).exp(), 0.01, 0.5).expect("above the yield");
        e -= (deviator * gamma).x;
        assert_close(e, theirs, 1e-14);
    }
    for _ in 0..60 {
        e -= log_flow((shape * e).exp(), 0.01, 0.5).map_or(0.0, |f| f.deviator.x * f.gamma);
    }
    assert_close(e, 0.01, 1e-12);
    assert_eq!(log_flow((shape * 0.0099).exp(), 0.01, 0.5), None);
    // A change of volume alone is strain, but has nothing to flow along.
    assert_eq!(log_flow(DVec3::splat(1.5), 0.01, 0.5), None);
    assert_eq!(log_flow(DVec3::new(1.0, 1.0, -0.5), 0.01, 0.5), None);
}

/// The yield grows by κ e Δt while the cluster flows, and only then.
#[test]
fn hardening() {
    let svd = signed_svd(S0);
    let material = Material {
        hardening: 5.0,
        ..Material::default()
    };
    for (plastic_yield, grown) in [(0.01, 5.0 * 0.2822915521 / 240.0), (0.3, 0.0)] {
        let mut state = PlasticState {
            f_p: F_P,
            plastic_yield,
            alpha: 0.0,
        };
        let flowed = flow(&mut state, svd.sigma, svd.v, &material, 1.0 / 240.0);
        assert_eq!(flowed, grown > 0.0);
        assert_eq!(state.f_p != F_P, flowed);
        assert_close(state.plastic_yield, plastic_yield + grown, 1e-11);
    }
}

/// The Frobenius model: exponent, condition and the stretch that is left.
#[test]
fn frobenius_update() {
    let svd = signed_svd(r0() * S0);
    let material = Material {
        plastic_yield: 0.1,
        plastic_flow: 0.9,
        hardening: 0.5,
        plastic_model: super::super::PlasticModel::Frobenius,
        ..Material::default()
    };
    let flowing = frobenius_flow(svd.sigma, 0.1 + 0.5 * 0.2, 0.9).expect("above the yield");
    assert_close(flowing.strain, 0.3557324911, PRINTED);
    assert_close(flowing.gamma, 0.3940018005, PRINTED);
    let mut state = PlasticState {
        f_p: F_P,
        plastic_yield: 0.1,
        alpha: 0.2,
    };
    assert!(flow(&mut state, svd.sigma, svd.v, &material, 1.0 / 60.0));
    assert_close(state.f_p.determinant(), 1.0, 1e-15);
    assert_close(signed_svd(state.f_p).condition(), 1.8291715189, PRINTED);
    let left = signed_svd(r0() * S0 * F_P * state.f_p.inverse());
    let sigma = [1.2001686815, 1.0162520312, 0.8941980602];
    assert_vector(left.sigma, sigma, PRINTED);
    let row = [1.0567964572, -0.3527000512, 0.4130660862];
    assert_vector((r0() * state.f_p).row(0), row, PRINTED);
    let grown = (svd.sigma - DVec3::ONE).length() / 60.0;
    assert_close(state.alpha, 0.2 + grown, 1e-15);
    assert_eq!(state.plastic_yield, 0.1);
}

/// Flow stops where the condition number of F_P meets the limit; relief from beyond the limit is not held back.
#[test]
fn plastic_limit() {
    let axes = r0();
    let factors = DVec3::new(1.2, 1.0, 1.0 / 1.2);
    let limited = stretched_within(F_P, axes, factors, 1.6);
    assert_close(signed_svd(limited).condition(), 1.6, 1e-12);
    assert_close(limited.determinant(), 1.0, 1e-14);
    let free = stretched_within(F_P, axes, factors, f64::INFINITY);
    assert!(signed_svd(free).condition() > 1.69);
    let relief = DVec3::new(1.0 / 1.2, 1.2, 1.0);
    let relieved = stretched_within(F_P, DMat3::IDENTITY, relief, 1.1);
    assert_eq!(relieved, stretched(F_P, DMat3::IDENTITY, relief));
    let further = stretched_within(F_P, DMat3::IDENTITY, DVec3::new(1.2, 1.0 / 1.2, 1.0), 1.1);
    assert_eq!(further, F_P);
}

/// K and ν mean the same at any substep; a coarse step stops at K = 1.
#[test]
fn rates_refer_to_the_reference_step() {
    assert_close(effective_stiffness(0.9, 4, 1.0 / 240.0), 0.9, 1e-15);
    assert_close(effective_stiffness(0.9, 8, 1.0 / 480.0), 0.1125, 1e-15);
    assert_eq!(effective_stiffness(0.9, 1, 1.0 / 60.0), 1.0);
    assert_close(flow_per_substep(0.9, 1.0 / 60.0), 0.9, 1e-15);
    let quarter = flow_per_substep(0.9, 1.0 / 240.0);
    assert_close(1.0 - (1.0 - quarter).powi(4), 0.9, 1e-15);
}

/// A new cluster keeps the goal of the old one; each rejected reading of the text gives its printed, different goal.
#[test]
fn rest_map_of_one_old_cluster() {
    let uniaxial = |s: f64| DMat3::from_diagonal(DVec3::new(s, s.powf(-0.5), s.powf(-0.5)));
    let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let (f_e, f_p) = (turn * uniaxial(1.2), uniaxial(1.5));
    let x = f_e * f_p * DVec3::X;
    assert_vector(x, [0.0, 1.8, 0.0], 1e-15);
    assert_vector(turn * f_p * DVec3::X, [0.0, 1.5, 0.0], 1e-15);
    // The new cluster alone: its goal is its rest position q = W x, placed by the rotation nearest to W⁻¹, the identity.
    let goal = |u: DMat3| rest_map(&[(1.0, u)]) * x;
    assert_vector(goal(f_e), [0.0, 1.5, 0.0], 1e-15);
    // UᵀU instead of U Uᵀ is the same map for the transpose.
    assert_vector(goal(f_e.transpose()), [0.0, 1.97180, 0.0], 0.51e-5);
    assert_vector(goal(f_e * f_p), [0.0, 1.0, 0.0], 1e-15);
    let literal = f_e * f_p.inverse();
    assert_vector(goal(literal), [0.0, 2.25, 0.0], 1e-15);
    assert_vector(goal(literal.transpose()), [0.0, 1.60997, 0.0], 0.51e-5);
}

/// Two old clusters are blended by their common volume with the new one.
#[test]
fn rest_map_blends() {
    let f = |angle: f64, d: [f64; 3]| {
        DMat3::from_rotation_z(angle) * DMat3::from_diagonal(DVec3::from_array(d))
    };
    let (near, far) = (lens_volume(0.1, 0.4), lens_volume(0.3, 0.4));
    assert_close(near, 0.2180788900, PRINTED);
    assert_close(far, 0.1243547092, PRINTED);
    assert_close(near / (near + far), 0.6368501529, PRINTED);
    assert_close(far / (near + far), 0.3631498471, PRINTED);
    let old = [
        (near, f(0.3, [1.2, 0.9, 0.95])),
        (far, f(0.5, [1.1, 0.95, 1.0])),
    ];
    let w = rest_map(&old);
    let rows = [
        [0.8853664107, -0.0718455475, 0.0],
        [-0.0718455475, 1.0608717595, 0.0],
        [0.0, 0.0, 1.0325713859],
    ];
    assert_rows(w, rows, PRINTED);
    // b = W⁻² where nothing was clamped.
    let b = signed_svd((w * w).inverse()).sigma;
    let eigenvalues = [1.3530041677, 0.9379071101, 0.8470627283];
    assert_vector(b, eigenvalues, PRINTED);

    assert_eq!(lens_volume(0.8, 0.4), 0.0);
    assert_eq!(rest_map(&[(0.0, S0)]), DMat3::IDENTITY);
    let crushed = rest_map(&[(1.0, DMat3::from_diagonal(DVec3::new(9.0, 1.0, 0.1)))]);
    let clamped = DMat3::from_diagonal(DVec3::new(0.5, 1.0, 2.0));
    assert!(max_difference(crushed, clamped) < 1e-15);
}

/// Each cluster's corrections cancel. Their means over a particle's clusters cancel only with split masses.
#[test]
fn conservation_of_averaging() {
    let points = grid([9, 3, 3], 1.0);
    let within = |low: f64| {
        let inside = |i: &usize| (low..=low + 4.0).contains(&(points[*i].x + 4.0));
        (0..points.len()).filter(inside).collect::<Vec<usize>>()
    };
    let groups = [within(0.0), within(2.0), within(4.0)];
    let mut random = Random(11);
    let noisy: Vec<DVec3> = points.iter().map(|x| x + random.normal(0.2)).collect();
    for fit in [Fit::Procrustes, Fit::Affine] {
        for averaging in [Averaging::MassWeighted, Averaging::Count] {
            let masses = vec![1.0; points.len()];
            let material = Material::default();
            let body = Body::new(&points, &masses, &groups, material, 1.0, averaging);
            for cluster in &body.clusters {
                let goals = cluster.goals(&cluster.place(&noisy, fit));
                let mut sum = DVec3::ZERO;
                for ((&i, g), m) in cluster.members.iter().zip(goals).zip(&cluster.weights) {
                    sum += (g - noisy[i]) * *m;
                }
                assert!(sum.length() < 1e-12, "{sum}");
            }
            let sum: DVec3 = body.shape_corrections(&noisy, fit, 1.0).iter().sum();
            match averaging {
                Averaging::MassWeighted => assert!(sum.length() < 1e-12, "{sum}"),
                Averaging::Count => assert!(sum.length() > 0.05, "{sum}"),
            }
        }
    }
}

/// Norms of uniaxial rest shapes at the seeding and removal thresholds.
#[test]
fn frobenius_thresholds() {
    let norm = |s: f64| {
        frobenius_norm(DMat3::from_diagonal(DVec3::new(
            s,
            s.powf(-0.5),
            s.powf(-0.5),
        )))
    };
    for (s, theirs) in [
        (1.3080581, 1.8),
        (0.7448055, 1.8),
        (1.6751309, 2.0),
        (0.5391889, 2.0),
    ] {
        // The printed stretch has seven digits: the norm crosses the threshold within half a unit of the last one.
        let (below, above) = (norm(s - 0.51e-7), norm(s + 0.51e-7));
        assert!((below - theirs) * (above - theirs) < 0.0, "{s}");
    }
    let cond = |s: f64| s.powf(1.5).max(s.powf(-1.5));
    assert_close(cond(1.6751309), 2.17, 0.5e-2);
    assert_close(cond(0.5391889), 2.53, 0.5e-2);
}

/// Opposite quaternions of one rotation do not cancel.
#[test]
fn quaternion_average() {
    let q = |angle: f64| DQuat::from_xyzw(0.0, 0.0, angle.sin(), angle.cos());
    let mean = mean_rotation(&[q(0.0), -q(0.1)]).expect("not opposite");
    assert_close(mean.w, 0.05_f64.cos(), 1e-15);
    assert_close(mean.z, 0.05_f64.sin(), 1e-15);
    // The plain sum, which the sign rule avoids.
    let plain = (q(0.0) + -q(0.1)).normalize();
    assert_close(plain.w, 0.05, 0.5e-3);
    assert_close(plain.z, -0.9988, 0.51e-4);
    assert_eq!(mean_rotation(&[]), None);
}

/// One Newton step to the target volume of a sphere overshoots by the printed amount.
#[test]
fn volume_step() {
    use std::f64::consts::PI;
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    let offset = volume_offset(ball(0.9), 4.0 * PI * 0.81, ball(1.0));
    assert_close(offset, 0.1115226, 0.51e-7);
    assert_close(0.9 + offset, 1.0115226, 0.51e-7);
    assert_close(ball(0.9 + offset) / ball(1.0) - 1.0, 0.035, 0.51e-3);
}

/// Pair contacts keep momentum and open a lone pair fully, whatever the masses and the number of contacts.
#[test]
fn pair_contacts_keep_momentum() {
    let mut random = Random(5);
    let start: Vec<DVec3> = (0..12).map(|_| random.vector() * 0.8).collect();
    let x: Vec<DVec3> = start.iter().map(|x| x + random.vector() * 0.1).collect();
    let mass: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i)).collect();
    let inv_mass: Vec<f64> = mass.iter().map(|m| 1.0 / m).collect();
    let friction = Friction {
        fixed: 0.5,
        sliding: 0.4,
    };
    let all = |_, _| true;
    let moved = pair_corrections(&x, &inv_mass, 1.0, all, Some((friction, &start)));
    assert!(moved.iter().filter(|d| d.length() > 1e-3).count() > 8);
    let sum: DVec3 = moved.iter().zip(&mass).map(|(d, m)| *d * *m).sum();
    assert!(sum.length() < 1e-14, "{sum}");

    let pair = [DVec3::ZERO, DVec3::X * 0.5];
    let moved = pair_corrections(&pair, &[1.0, 3.0], 1.0, all, None);
    assert_vector(moved[0], [-0.125, 0.0, 0.0], 1e-15);
    assert_vector(moved[1], [0.375, 0.0, 0.0], 1e-15);
    // The middle one of three is split between its two contacts: 1/(1 + 2) of the depth for each outer one.
    let row = [-DVec3::X * 0.7, DVec3::ZERO, DVec3::X * 0.7];
    let moved = pair_corrections(&row, &[1.0; 3], 1.0, all, None);
    assert_vector(moved[0], [-0.1, 0.0, 0.0], 1e-15);
    assert_vector(moved[1], [0.0; 3], 1e-15);
    assert_eq!(
        pair_corrections(&pair, &[0.0, 0.0], 1.0, all, None),
        [DVec3::ZERO; 2]
    );
}
