//! The embedding of a bent bar, with published digits, and its linearised form.

use super::super::embed::Embedding;
use super::super::local::LocalSet;
use super::boxed_body;
use crate::reference::cluster::Fit;
use crate::reference::linear::{from_principal, outer, signed_svd};
use crate::reference::tests::{Random, assert_close};
use glam::{DMat3, DVec3};

/// A bar of 9 × 3 × 3 particles with clusters [0, 4], [2, 6], [4, 8] along x, and its places when bent to a radius of 8 and stretched by 1.15.
fn bent_bar(f_p: DMat3) -> (LocalSet, Vec<DVec3>) {
    bent_bar_of([f_p; 3])
}

/// The same with a plastic deformation for each cluster.
fn bent_bar_of(f_p: [DMat3; 3]) -> (LocalSet, Vec<DVec3>) {
    let mut rest = Vec::new();
    for x in 0..9 {
        for y in 0..3 {
            for z in 0..3 {
                rest.push(DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
            }
        }
    }
    let span = |low: f64| {
        let inside = |i: &usize| (low..=low + 4.0).contains(&rest[*i].x);
        (0..rest.len()).filter(inside).collect::<Vec<usize>>()
    };
    let mut body = boxed_body(&rest, &[span(0.0), span(2.0), span(4.0)]);
    for (cluster, f_p) in body.clusters.iter_mut().zip(f_p) {
        cluster.f_p = f_p;
    }
    let bend = |x: &DVec3| {
        let (angle, radius) = (1.15 * x.x / 8.0, 8.0 - (x.y - 1.0));
        DVec3::new(radius * angle.sin(), 8.0 - radius * angle.cos(), x.z)
    };
    body.x = rest.iter().map(bend).collect();
    (LocalSet::of(&body, &[0, 1, 2]), body.x)
}

/// Distance of the middles of the two ends.
fn end_to_end(e: &[DVec3]) -> f64 {
    let middle = |e: &[DVec3]| e.iter().sum::<DVec3>() / e.len() as f64;
    middle(&e[..9]).distance(middle(&e[72..]))
}

fn stretched() -> DMat3 {
    let across = 1.25_f64.powf(-0.5);
    DMat3::from_diagonal(DVec3::new(1.25, across, across))
}

/// Compares the energy before each numbered sweep, to half a unit of its last printed digit.
fn assert_energies(embedding: &Embedding, printed: &[(usize, f64, f64)]) {
    for &(sweep, energy, unit) in printed {
        assert_close(embedding.energies[sweep - 1], energy, 0.51 * unit);
    }
    let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-12);
    assert!(embedding.energies.windows(2).all(falls));
}

/// With the affine rotation the energy falls as printed and the bar gets its length back.
#[test]
fn bent_bar_affine() {
    let (set, x) = bent_bar(DMat3::IDENTITY);
    let embedding = set.embed(&x, Fit::Affine, 300, 1e-8);
    let printed = [
        (1, 6.332478, 1e-6),
        (2, 2.948754, 1e-6),
        (5, 0.760749, 1e-6),
        (10, 0.148707, 1e-6),
        (20, 0.008613, 1e-6),
        (40, 2.9668e-5, 1e-9),
        (60, 1.0217e-7, 1e-11),
    ];
    assert_energies(&embedding, &printed);
    assert_close(embedding.ratios[19], 6.462e-4, 0.51e-7);
    assert_close(embedding.ratios[59], 7.671e-9, 0.51e-12);
    assert_eq!((embedding.ratios.len(), embedding.fallbacks), (60, 0));
    let embedding = set.embed(&x, Fit::Affine, 300, 0.0);
    assert_close(end_to_end(&embedding.e), 8.0, 0.51e-6);
}

/// Equal plastic stretch in all clusters can be embedded: the bar is longer, and nothing is left.
#[test]
fn stretched_bar_affine() {
    let (set, x) = bent_bar(stretched());
    let embedding = set.embed(&x, Fit::Affine, 300, 1e-8);
    let printed = [
        (1, 6.468787, 1e-6),
        (20, 0.015566, 1e-6),
        (60, 1.806e-7, 1e-10),
    ];
    assert_energies(&embedding, &printed);
    assert_eq!(embedding.ratios.len(), 61);
    let embedding = set.embed(&x, Fit::Affine, 300, 0.0);
    assert_close(end_to_end(&embedding.e), 10.0, 0.51e-6);
}

/// The least-squares rotation starts lower and falls more slowly.
#[test]
fn bent_bar_procrustes() {
    let (set, x) = bent_bar(DMat3::IDENTITY);
    let embedding = set.embed(&x, Fit::Procrustes, 60, 0.0);
    let printed = [
        (1, 6.310983, 1e-6),
        (10, 0.259980, 1e-6),
        (20, 0.0387058, 1e-7),
        (60, 1.9656e-5, 1e-9),
    ];
    assert_energies(&embedding, &printed);
    let (set, x) = bent_bar(stretched());
    let embedding = set.embed(&x, Fit::Procrustes, 60, 0.0);
    let printed = [
        (1, 6.400643, 1e-6),
        (20, 0.159266, 1e-6),
        (60, 4.4191e-4, 1e-8),
    ];
    assert_energies(&embedding, &printed);
}

/// Without rotations in the rest shapes the linearised embedding finds the rest shape exactly; where one cluster's rest shape is
/// turned it cannot, and the nonlinear one can.
#[test]
fn linearised_embedding() {
    let (set, x) = bent_bar(DMat3::IDENTITY);
    let linear = set.embed_linear(0, x[0]);
    assert!(linear[0].distance(x[0]) < 1e-12);
    assert!(set.unrotated_energy(&linear) < 1e-18);
    assert_close(end_to_end(&linear), 8.0, 1e-8);

    let turn = DMat3::from_rotation_z(0.8);
    let (set, x) = bent_bar_of([DMat3::IDENTITY, turn, DMat3::IDENTITY]);
    let linear = set.embed_linear(0, x[0]);
    let nonlinear = set.embed(&x, Fit::Procrustes, 200, 0.0);
    assert!(set.energy(&nonlinear.e) < 1e-9 * set.energy(&linear));
    // It does minimise what it should: no small move of a particle makes it better.
    let least = set.unrotated_energy(&linear);
    for i in 1..linear.len() {
        for step in [DVec3::X, DVec3::Y, -DVec3::Z] {
            let mut moved = linear.clone();
            moved[i] += step * 1e-3;
            assert!(set.unrotated_energy(&moved) > least);
        }
    }
}

/// Three overlapping clusters of random particles with wild rest shapes, and where the particles are.
fn random_set(random: &mut Random) -> (LocalSet, Vec<DVec3>) {
    let rest: Vec<DVec3> = (0..40).map(|_| random.vector()).collect();
    let spans = [0..20, 10..30, 20..40].map(Iterator::collect::<Vec<usize>>);
    let mut body = boxed_body(&rest, &spans);
    for cluster in &mut body.clusters {
        let turn = signed_svd(outer(random.vector(), random.vector())).rotation();
        cluster.f_p = from_principal((random.vector() * 1.5).exp(), turn);
    }
    for x in &mut body.x {
        *x += random.normal(0.5);
    }
    (LocalSet::of(&body, &[0, 1, 2]), body.x)
}

/// Where the affine rotation would let the energy rise, least squares takes over, and it falls in every sweep.
#[test]
fn energy_never_rises() {
    let mut random = Random(11);
    let mut fallbacks = 0;
    for _ in 0..60 {
        let (set, x) = random_set(&mut random);
        let embedding = set.embed(&x, Fit::Affine, 60, 0.0);
        let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-12);
        assert!(embedding.energies.windows(2).all(falls));
        fallbacks += embedding.fallbacks;
    }
    assert!(fallbacks > 0);
}

/// Twenty accelerated sweeps of the bent bar leave less than sixty plain ones, and end where those end.
#[test]
fn accelerated_bent_bar() {
    for (f_p, length) in [(DMat3::IDENTITY, 8.0), (stretched(), 10.0)] {
        for fit in [Fit::Affine, Fit::Procrustes] {
            let (set, x) = bent_bar(f_p);
            let plain = set.embed(&x, fit, 60, 0.0);
            let accelerated = set.embed_accelerated(&x, fit, 20, 0.0);
            assert!(set.energy(&accelerated.e) < set.energy(&plain.e));
            let accelerated = set.embed_accelerated(&x, fit, 100, 1e-24);
            assert!(accelerated.energies.len() < 60);
            assert_close(end_to_end(&accelerated.e), length, 1e-6);
        }
    }
}

/// In random sets the energy of accelerated sweeps never rises. With least squares, where a plain sweep goes down E, it mostly ends
/// below that of as many plain ones; the affine rotation has no such aim in sets that no embedding frees of strain.
#[test]
fn accelerated_energy_never_rises() {
    let mut random = Random(12);
    let (mut better, mut fallbacks) = (0, 0);
    for _ in 0..60 {
        let (set, x) = random_set(&mut random);
        for fit in [Fit::Affine, Fit::Procrustes] {
            let accelerated = set.embed_accelerated(&x, fit, 20, 0.0);
            let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-12);
            assert!(accelerated.energies.windows(2).all(falls));
            fallbacks += accelerated.fallbacks;
        }
        let plain = set.embed(&x, Fit::Procrustes, 20, 0.0);
        let accelerated = set.embed_accelerated(&x, Fit::Procrustes, 20, 0.0);
        better += usize::from(set.energy(&accelerated.e) <= set.energy(&plain.e));
    }
    assert!(better >= 45, "{better}");
    assert!(fallbacks > 0);
}
