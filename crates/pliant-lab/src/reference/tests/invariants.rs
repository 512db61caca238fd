//! What whole runs must keep.

use super::super::body::{Averaging, Body, Params};
use super::super::cluster::Fit;
use super::super::contact::Plane;
use super::super::linear::{frobenius_norm, signed_svd};
use super::super::plastic::{Material, PlasticClamp, PlasticModel, StrainMeasure};
use super::{Random, assert_close, block, grid, max_difference, shape_error};
use glam::{DMat3, DVec3};

const FRAME: f64 = 1.0 / 60.0;
const R: f64 = 0.1;

fn elastic(stiffness: f64) -> Material {
    Material {
        stiffness,
        plastic_yield: f64::INFINITY,
        ..Material::default()
    }
}

/// One rigid cluster of random points, spinning at `omega`, drifting, with sleeping off.
fn spinning_cluster(omega: DVec3) -> (Body, Params) {
    let mut random = Random(1);
    // Eight images of each point: the coordinate axes are principal axes.
    let mut points = Vec::new();
    for _ in 0..3 {
        let p = random.vector() * 0.2;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
            points.push(p * DVec3::new(sign(0), sign(1), sign(2)));
        }
    }
    let masses = vec![1.0; points.len()];
    let groups = [(0..points.len()).collect()];
    let mut body = Body::new(
        &points,
        &masses,
        &groups,
        elastic(1.0),
        R,
        Averaging::MassWeighted,
    );
    for (v, x) in body.v.iter_mut().zip(&points) {
        *v = omega.cross(*x) + DVec3::new(0.3, -0.2, 0.1);
    }
    let params = Params {
        substeps: 1,
        iterations: 1,
        sleep_speed: 0.0,
        ..Params::default()
    };
    (body, params)
}

/// A spinning rigid cluster keeps shape and linear momentum, and turns by the angles that position-based dynamics implies.
///
/// The closed form needs a spin about a principal axis of A_qq: elsewhere the least-squares rotation of x + Δt ω×x is not
/// a turn by atan(ωΔt) about ω.
#[test]
fn spin_of_one_rigid_cluster() {
    let (mut body, params) = spinning_cluster(DVec3::Z * 6.0);
    let rest = body.x.clone();
    let momentum = body.momentum();
    let mut before = DMat3::IDENTITY;
    let mut theta: f64 = 0.0;
    for (step, printed) in [0.0996686525, 0.0986906756, 0.0977409793, 0.0968182250]
        .into_iter()
        .chain(std::iter::repeat_n(f64::NAN, 196))
        .enumerate()
    {
        body.step(&params, FRAME);
        let turn = body.clusters[0].rotation * before.transpose();
        before = body.clusters[0].rotation;
        let angle = turn.x_axis.y.atan2(turn.x_axis.x);
        theta = if step == 0 {
            (6.0 * FRAME).atan()
        } else {
            (theta.sin() / (2.0 - theta.cos())).atan()
        };
        assert_close(angle, theta, 1e-12);
        if printed.is_finite() {
            assert_close(angle, printed, 0.51e-10);
        }
        assert!(shape_error(&body.x, &rest) < 1e-13 * R);
        let drift = (body.momentum() - momentum).length();
        assert!(drift < 1e-12 * momentum.length(), "{drift}");
    }
}

/// About any axis a rigid cluster keeps its shape and momentum, and no correction has a torque.
#[test]
fn corrections_have_no_torque() {
    let (mut body, params) = spinning_cluster(DVec3::new(3.0, -4.0, 5.0));
    let rest = body.x.clone();
    let momentum = body.momentum();
    for _ in 0..100 {
        body.step(&params, FRAME);
        assert!(shape_error(&body.x, &rest) < 1e-6 * R);
        let drift = (body.momentum() - momentum).length();
        assert!(drift < 1e-12 * momentum.length());
    }
    let mut random = Random(9);
    for _ in 0..100 {
        let f = DMat3::from_cols(random.vector(), random.vector(), random.vector());
        let x: Vec<DVec3> = rest.iter().map(|q| f * *q + random.normal(0.02)).collect();
        let correction = body.shape_corrections(&x, Fit::Procrustes, 1.0);
        let torque: DVec3 = x.iter().zip(&correction).map(|(x, d)| x.cross(*d)).sum();
        assert!(torque.length() < 1e-12, "{torque}");
        let affine = body.shape_corrections(&x, Fit::Affine, 1.0);
        let sum: DVec3 = affine.iter().sum();
        assert!(sum.length() < 1e-12, "{sum}");
    }
}

/// The same run after a rigid motion of everything gives the moved result: plastic flow, floor, friction, self-contact and all.
#[test]
fn rigid_motion_invariance() {
    let material = Material {
        stiffness: 0.05,
        plastic_yield: 0.01,
        plastic_flow: 0.5,
        hardening: 0.5,
        ..Material::default()
    };
    let turn = DMat3::from_axis_angle(DVec3::new(2.0, -1.0, 0.5).normalize(), 1.1);
    let shift = DVec3::new(3.0, -2.0, 1.0);
    let mut body = block([10, 4, 4], material);
    for (i, v) in body.v.iter_mut().enumerate() {
        *v = DVec3::new(1.0, -3.0, 0.2 * (i % 3) as f64);
    }
    let params = Params {
        gravity: DVec3::new(0.0, -9.81, 0.0),
        floor: Some(Plane::floor(-0.3)),
        ..Params::default()
    };
    let normal = turn * DVec3::Y;
    let moved_params = Params {
        gravity: turn * params.gravity,
        floor: Some(Plane {
            normal,
            offset: -0.3 + normal.dot(shift),
        }),
        ..params
    };
    let mut moved = body.clone();
    for x in &mut moved.x {
        *x = turn * *x + shift;
    }
    for v in &mut moved.v {
        *v = turn * *v;
    }
    let mut worst: f64 = 0.0;
    for _ in 0..50 {
        body.step(&params, FRAME);
        moved.step(&moved_params, FRAME);
        for (x, y) in body.x.iter().zip(&moved.x) {
            worst = worst.max((turn * *x + shift).distance(*y));
        }
    }
    assert!(worst < 1e-6 * R, "{worst}");
    // The run must have used what it claims to cover.
    let flowed = |c: &super::super::Cluster| max_difference(c.f_p, DMat3::IDENTITY) > 0.05;
    assert!(body.clusters.iter().any(flowed));
    let low = body.x.iter().fold(f64::MAX, |m, x| m.min(x.y));
    assert_close(low, -0.3 + 0.5 * R, 0.02 * R);
}

/// F_P keeps a unit determinant in every model, and does not change to the last bit below the yield.
#[test]
fn plastic_determinant() {
    let thrown = |material: Material, speed: f64| {
        let mut body = block([6, 4, 4], material);
        for v in &mut body.v {
            v.y = -speed;
        }
        let params = Params {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            floor: Some(Plane::floor(-0.3)),
            ..Params::default()
        };
        let mut most: f64 = 0.0;
        for _ in 0..60 {
            body.step(&params, FRAME);
            for cluster in &body.clusters {
                assert_close(cluster.f_p.determinant(), 1.0, 1e-12);
                most = most.max(frobenius_norm(cluster.f_p - DMat3::IDENTITY));
                assert!(signed_svd(cluster.f_p).condition() <= material.plastic_limit + 1e-9);
            }
            assert_eq!((body.non_finite, body.resets), (0, 0));
        }
        most
    };
    for plastic_model in [PlasticModel::Log, PlasticModel::Frobenius] {
        for (clamp, strain) in [
            (PlasticClamp::Exponent, StrainMeasure::Polar),
            (PlasticClamp::Paper, StrainMeasure::Choi),
        ] {
            let material = Material {
                stiffness: 0.05,
                plastic_model,
                clamp,
                strain,
                ..Material::default()
            };
            let most = thrown(material, 5.0);
            assert!(most > 0.1, "{most}");
            let firm = Material {
                plastic_yield: 3.0,
                ..material
            };
            assert_eq!(thrown(firm, 5.0), 0.0);
        }
    }
}

/// Without flow a stretched, sheared and noisy body goes back to its rest shape.
#[test]
fn elastic_body_returns() {
    let material = Material {
        plastic_flow: 0.0,
        plastic_yield: 0.0,
        ..Material::default()
    };
    let shear = DMat3::from_cols_array(&[1.3, 0.1, 0.0, 0.2, 0.9, 0.0, 0.0, 0.0, 0.95]);
    let stretch = DMat3::from_diagonal(DVec3::new(1.3, 0.9, 0.9));
    // A rigid spin may stay behind: corrections after each other are free of torque only to first order.
    for (f, noise) in [(shear, 0.1 * R), (stretch, 0.0)] {
        let mut body = block([6, 4, 4], material);
        let rest = body.x.clone();
        let mut random = Random(4);
        for x in &mut body.x {
            *x = f * *x + random.normal(noise);
        }
        assert!(shape_error(&body.x, &rest) > 0.2 * R);
        for _ in 0..600 {
            body.step(&Params::default(), FRAME);
        }
        let error = shape_error(&body.x, &rest);
        assert!(error < 1e-3 * R, "{error}");
        assert!(body.clusters.iter().all(|c| c.f_p == DMat3::IDENTITY));
    }
}

/// How a bar is brought to 1.5 of its length.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pull {
    /// The last layer of each end is moved within so many frames; the rest follows by itself.
    Ends(usize),
    /// Every particle is moved within a second, with this stretch across.
    Whole(f64),
}

/// Stretches a bar of 12 × 3 × 3 r to 1.5 of its length with kinematic particles, holds them there for a second, lets go, waits
/// for two seconds. Returns the length that is left over the length that was held.
fn retained_length(pull: Pull, material: Material) -> f64 {
    let mut body = block([13, 4, 4], material);
    let rest = body.x.clone();
    let half = 6.0 * R;
    let held: Vec<usize> = (0..rest.len())
        .filter(|&i| matches!(pull, Pull::Whole(_)) || rest[i].x.abs() > half - 0.1 * R)
        .collect();
    let (frames, across) = match pull {
        Pull::Ends(frames) => (frames, 1.0),
        Pull::Whole(across) => (60, across),
    };
    let growth = DVec3::new(1.5, across, across) - DVec3::ONE;
    let params = Params::default();
    for &i in &held {
        body.inv_mass[i] = 0.0;
        body.v[i] = rest[i] * growth / (frames as f64 * FRAME);
    }
    (0..frames).for_each(|_| body.step(&params, FRAME));
    for &i in &held {
        body.v[i] = DVec3::ZERO;
    }
    (0..60).for_each(|_| body.step(&params, FRAME));
    let length = |body: &Body| {
        let end = |side: f64| {
            let at_end = |i: &usize| rest[*i].x * side > half - 0.1 * R;
            (0..rest.len())
                .filter(at_end)
                .map(|i| body.x[i])
                .sum::<DVec3>()
                / 16.0
        };
        end(1.0).distance(end(-1.0))
    };
    assert_close(length(&body), 1.5 * 2.0 * half, 1e-12);
    for &i in &held {
        body.inv_mass[i] = 1.0 / body.mass[i];
    }
    (0..120).for_each(|_| body.step(&params, FRAME));
    length(&body) / (1.5 * 2.0 * half)
}

/// A bar that flows fully keeps the length to which it was pulled, however fast it was pulled; an elastic one gives it back.
///
/// Only the volume-free part of a stretch can flow. A bar held by its ends contracts across by itself and keeps its length;
/// one that is held at every particle does so only if those contract too, else it keeps 1.5^⅔ of 1.5.
#[test]
fn stretched_bar_keeps_its_length() {
    let flowing = Material {
        plastic_yield: 0.0,
        plastic_flow: 1.0,
        ..Material::default()
    };
    for frames in [6, 60, 240] {
        let retained = retained_length(Pull::Ends(frames), flowing);
        assert!(retained >= 0.95, "{retained}");
    }
    let keeping_volume = retained_length(Pull::Whole(1.5_f64.powf(-0.5)), flowing);
    assert_close(keeping_volume, 1.0, 1e-6);
    let growing = retained_length(Pull::Whole(1.0), flowing);
    assert_close(growing, 1.5_f64.powf(-1.0 / 3.0), 1e-3);
    let recovered = retained_length(Pull::Ends(60), elastic(0.9));
    assert_close(recovered, 1.0 / 1.5, 1e-4);
}

/// An elastic block 14 r tall rests on the floor for ten seconds without sinking in, creeping or blowing up.
#[test]
fn block_rests_on_the_floor() {
    let mut body = block([4, 15, 4], elastic(0.9));
    let bottom = -7.0 * R;
    let params = Params {
        gravity: DVec3::new(0.0, -9.81, 0.0),
        floor: Some(Plane::floor(bottom - 0.5 * R)),
        ..Params::default()
    };
    let mut deepest: f64 = 0.0;
    for frame in 0..600 {
        body.step(&params, FRAME);
        if frame >= 300 {
            let low = body.x.iter().fold(f64::MAX, |m, x| m.min(x.y));
            deepest = deepest.max(bottom - low);
        }
    }
    let speed = body.v.iter().fold(0.0_f64, |m, v| m.max(v.length()));
    let top = body.x.iter().fold(f64::MIN, |m, x| m.max(x.y));
    assert!(deepest <= 0.02 * R, "{deepest}");
    assert!(speed < 0.12 * R, "{speed}");
    assert_close(top - bottom, 14.0 * R, 0.05 * R);
    assert!(body.center_of_mass().with_y(0.0).length() < 1e-6 * R);
}

/// Friction stops a sliding block after v²/(2μg); without it the block keeps its speed.
#[test]
fn friction_stops_a_sliding_block() {
    let slide = |friction: f64| {
        let mut body = block([6, 3, 6], elastic(0.9));
        body.v.fill(DVec3::X * 2.0);
        let params = Params {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            floor: Some(Plane::floor(-1.5 * R)),
            friction,
            friction_sliding: 0.8 * friction,
            sleep_speed: 0.0,
            ..Params::default()
        };
        for _ in 0..90 {
            body.step(&params, FRAME);
        }
        (body.center_of_mass().x, body.momentum().x / 108.0)
    };
    let (way, speed) = slide(0.5);
    assert_close(way, 2.0 * 2.0 / (2.0 * 0.4 * 9.81), 0.05);
    assert!(speed.abs() < 1e-2);
    assert_close(slide(0.0).1, 2.0, 1e-10);
}

/// Two pieces that share no cluster collide, keep their momentum and do not pass through each other.
#[test]
fn colliding_pieces_keep_momentum() {
    let half = grid([4, 4, 4], R);
    let apart = DVec3::X * 5.0 * R;
    let points: Vec<DVec3> = half
        .iter()
        .map(|x| x - apart)
        .chain(half.iter().map(|x| x + apart))
        .collect();
    let groups = [(0..64).collect(), (64..128).collect()];
    let masses: Vec<f64> = (0..128).map(|i| if i < 64 { 1.0 } else { 3.0 }).collect();
    let mut body = Body::new(
        &points,
        &masses,
        &groups,
        elastic(0.9),
        R,
        Averaging::MassWeighted,
    );
    for i in 0..128 {
        body.v[i].x = if i < 64 { 3.0 } else { -1.0 };
        body.v[i].y = if i < 64 { 0.5 } else { 0.0 };
    }
    let momentum = body.momentum();
    let scale: f64 = (0..128).map(|i| body.mass[i] * body.v[i].length()).sum();
    let mut closest = f64::MAX;
    let params = Params {
        sleep_speed: 0.0,
        ..Params::default()
    };
    for _ in 0..60 {
        body.step(&params, FRAME);
        for i in 0..64 {
            for j in 64..128 {
                closest = closest.min(body.x[i].distance(body.x[j]));
            }
        }
        let drift = (body.momentum() - momentum).length();
        // Rounding of positions, over Δt, walks: 1e-16 m · 240/s for each of many substeps.
        assert!(drift < 1e-11 * scale, "{drift}");
    }
    assert!((0.95 * R..1.1 * R).contains(&closest), "{closest}");
    let left = body.x[..64].iter().map(|x| x.x).sum::<f64>() / 64.0;
    let right = body.x[64..].iter().map(|x| x.x).sum::<f64>() / 64.0;
    assert!(right - left > 3.0 * R);
}

/// What starts inside the floor or inside another particle is moved out without getting a velocity.
#[test]
fn old_penetration_leaves_without_velocity() {
    let points = [
        DVec3::Y * 0.2 * R,
        DVec3::Y * 2.0 * R,
        DVec3::new(0.4, 2.0, 0.0) * R,
    ];
    let material = Material::default();
    let mut body = Body::new(&points, &[1.0; 3], &[], material, R, Averaging::default());
    let params = Params {
        substeps: 1,
        floor: Some(Plane::floor(0.0)),
        ..Params::default()
    };
    body.step(&params, FRAME);
    assert_close(body.x[0].y, 0.5 * R, 1e-15);
    assert_close(body.x[1].distance(body.x[2]), R, 1e-15);
    assert!(body.v.iter().all(|v| v.length() < 1e-13));
}

/// A slow particle stays where it is but keeps its velocity, so that it wakes when enough builds up.
#[test]
fn sleeping() {
    let mut body = block([4, 4, 4], elastic(0.9));
    let rest = body.x.clone();
    body.v.fill(DVec3::X * 0.11 * R);
    let params = Params::default();
    body.step(&params, FRAME);
    assert_eq!(body.x, rest);
    assert_close(body.v[0].x, 0.11 * R, 1e-12);
    body.v.fill(DVec3::X * 0.13 * R);
    body.step(&params, FRAME);
    assert_close(body.x[0].x - rest[0].x, 0.13 * R * FRAME, 1e-12);
}

/// Flat, straight and single-point clusters move rigidly and never flow.
#[test]
fn degenerate_clusters() {
    for size in [[4, 4, 1], [5, 1, 1], [1, 1, 1]] {
        let points = grid(size, R);
        let masses = vec![1.0; points.len()];
        let groups = [(0..points.len()).collect()];
        let material = Material {
            plastic_yield: 0.0,
            ..Material::default()
        };
        for fit in [Fit::Procrustes, Fit::Affine] {
            let mut body = Body::new(&points, &masses, &groups, material, R, Averaging::default());
            assert!(body.clusters[0].degenerate);
            let turn = DMat3::from_axis_angle(DVec3::new(1.0, 1.0, 0.3).normalize(), 0.8);
            for x in &mut body.x {
                *x = turn * *x;
            }
            for (g, x) in body.goals(fit).iter().zip(&body.x) {
                assert!(g.distance(*x) < 1e-14);
            }
            let params = Params {
                fit,
                ..Params::default()
            };
            for x in &mut body.x {
                x.x *= 1.2;
            }
            for _ in 0..120 {
                body.step(&params, FRAME);
            }
            assert_eq!(body.clusters[0].f_p, DMat3::IDENTITY);
            assert_eq!((body.non_finite, body.resets), (0, 0));
            assert!(shape_error(&body.x, &points) < 1e-2 * R);
        }
    }
}
