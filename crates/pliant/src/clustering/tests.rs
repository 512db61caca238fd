//! Worked numbers of the kernels, and what must hold for any cloud.

use super::fuzzy::Fuzzy;
use super::*;
use proptest::prelude::*;

fn shares(kernel: Kernel, distances: [f32; 2], h: f32) -> [f32; 2] {
    let [a, b] = distances.map(|s| kernel.weight(s, h));
    [a / (a + b), b / (a + b)]
}

fn assert_close(a: [f32; 2], b: [f64; 2], tolerance: f64) {
    for (a, b) in a.into_iter().zip(b) {
        assert!((f64::from(a) - b).abs() < tolerance, "{a} against {b}");
    }
}

/// Shares of two groups at distances .1 and .2, radius .25.
#[test]
fn kernels_worked_numbers() {
    let d = [0.1, 0.2];
    assert_close(
        shares(Kernel::InverseSquare, d, 0.25),
        [0.7988047809, 0.2011952191],
        1e-6,
    );
    let poly = d.map(|s| Kernel::Poly6.weight(s, 0.25));
    assert_close(poly, [59.4290159759, 4.6780858057], 2e-5);
    assert_close(
        shares(Kernel::Poly6, d, 0.25),
        [0.9270270270, 0.0729729730],
        1e-6,
    );
    assert_eq!(shares(Kernel::Box, d, 0.25), [0.5, 0.5]);
    // m = 2: inverse squares of .1 and .2 are as 4 to 1.
    assert_close(shares(Kernel::Fuzzy(2.0), d, 0.25), [0.8, 0.2], 1e-6);
    let blend = d.map(|s| Kernel::Blend(10.0).weight(s, 0.25));
    assert_close(blend, [69.4290159759, 14.6780858057], 2e-5);
}

/// At the rim and at the centre weights are finite and above zero.
#[test]
fn kernels_are_positive_everywhere() {
    for kernel in [
        Kernel::Box,
        Kernel::Poly6,
        Kernel::Blend(0.1),
        Kernel::InverseSquare,
        Kernel::Fuzzy(1.05),
        Kernel::Fuzzy(3.0),
    ] {
        for s in [0.0, 0.125, 0.25, 0.3] {
            let weight = kernel.weight(s, 0.25);
            assert!(weight > 0.0 && weight.is_finite(), "{kernel:?} at {s}");
        }
    }
}

fn box_of(n: usize) -> Vec<Vec3> {
    let mut random = Random::new([7, 0, 0, 0]);
    (0..n)
        .map(|_| random.next_in_cube() * Vec3::new(2.0, 0.4, 0.4))
        .collect()
}

use crate::random::Random;

proptest! {
    /// Every particle is in a group, members ascend, and the number of groups is the one asked for.
    #[test]
    fn everything_is_held(count in 1u32..40, radius in 0.1f32..0.6, kernel in 0usize..4) {
        let points = box_of(500);
        let kernel = [Kernel::Box, Kernel::Poly6, Kernel::InverseSquare, Kernel::Fuzzy(2.0)][kernel];
        for found in [Fuzzy::optimised(&points, count, radius, kernel, 3), Fuzzy::around_means(&points, count, radius, kernel, 3), Fuzzy::random(&points, radius, kernel, 3)] {
            let mut held = vec![false; points.len()];
            for members in &found.members {
                prop_assert!(members.windows(2).all(|w| w[0].0 < w[1].0));
                for (i, a) in members {
                    held[*i as usize] = true;
                    prop_assert!(*a > 0.0 && a.is_finite());
                }
            }
            prop_assert!(held.iter().all(|h| *h));
        }
        prop_assert_eq!(Fuzzy::optimised(&points, count, radius, kernel, 3).centers.len(), count as usize);
    }
}

/// Centres of a box that is settled are where the weighted means of their balls are.
#[test]
fn centers_settle() {
    let points = box_of(2000);
    let found = Fuzzy::optimised(&points, 30, 0.3, Kernel::InverseSquare, 1);
    let mut total = vec![0.0; points.len()];
    for (i, a) in found.members.iter().flatten() {
        total[*i as usize] += a;
    }
    for (center, members) in found.centers.iter().zip(&found.members) {
        let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
        for (i, a) in members {
            sum += points[*i as usize] * (a / total[*i as usize]);
            weight += a / total[*i as usize];
        }
        assert!((sum / weight).distance(*center) < 0.01 * found.radius);
    }
}
