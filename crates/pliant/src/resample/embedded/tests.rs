//! Worked numbers of embeddings and fades.

use super::*;
use crate::material::Material;
use crate::state::Groups;

/// A bar of 9 × 3 × 3 particles in three overlapping groups, bent to a radius of 8 and stretched by 1.15.
fn bent_bar(f_p: Mat3) -> (Groups, Vec<Record>) {
    let grid: Vec<Vec3> = (0..81)
        .map(|i| Vec3::new((i / 9) as f32, (i / 3 % 3) as f32, (i % 3) as f32))
        .collect();
    let material = GroupMaterial::new(&Material::default());
    let mut groups = Groups::default();
    for first in [0.0, 2.0, 4.0] {
        let inside = |p: &Vec3| p.x >= first && p.x <= first + 4.0;
        let members: Vec<Member> = (0..81)
            .filter(|&i| inside(&grid[i as usize]))
            .map(|i| Member::plain(i, grid[i as usize]))
            .collect();
        groups.push(&members, 4.0, material);
    }
    groups.rebuild_rows(81);
    let holds = groups.holds(0..3, 0..81);
    let places = grid.iter().zip(&holds).map(|(p, hold)| {
        let (sin, cos) = (1.15 * p.x / 8.0).sin_cos();
        let radius = 8.0 - (p.y - 1.0);
        Record::new(Vec3::new(radius * sin, 8.0 - radius * cos, p.z), 1.0 / hold)
    });
    let places = places.collect();
    groups.refresh(0..3, |i| 1.0 / holds[i as usize]);
    groups.f_p.fill(f_p);
    (groups, places)
}

/// Energies of sweeps from a bent bar, and the length from end to end.
fn embed(f_p: Mat3, fit: Fit, sweeps: usize) -> (Vec<f32>, f32) {
    let (groups, mut places) = bent_bar(f_p);
    let right: Vec<Mat3> = (0..3).map(|k| right_factor(&groups, k, fit)).collect();
    let (mut center, mut rotation) = ([Vec3::ZERO; 3], [Quat::IDENTITY; 3]);
    let mut energies = Vec::new();
    for _ in 0..sweeps {
        let mut sums = vec![Record::default(); 81];
        let mut list = Listed {
            groups: &[0, 1, 2],
            right: &right,
            gain: &[1.0; 3],
            center: &mut center,
            rotation: &mut rotation,
        };
        energies.push(sweep(&groups, &places, &mut list, &mut sums));
        for (place, sum) in places.iter_mut().zip(&sums) {
            place.set_position(place.position() + sum.position() * place.0[3]);
        }
    }
    let ends = [0, 72].map(|i| places[i].position());
    (energies, ends[0].distance(ends[1]))
}

fn assert_energies(energies: &[f32], expected: &[(usize, f64)]) {
    for &(sweep, expected) in expected {
        let energy = f64::from(energies[sweep - 1]);
        assert!(
            (energy / expected - 1.0).abs() < 2e-3,
            "sweep {sweep}: {energy} against {expected}"
        );
    }
}

/// Energy of each sweep before the move, for both rotations, and the length that the bar comes to.
#[test]
fn embedding_worked_numbers() {
    let (energies, length) = embed(Mat3::IDENTITY, Fit::Affine, 60);
    assert_energies(
        &energies,
        &[
            (1, 6.332478),
            (2, 2.948754),
            (5, 0.760749),
            (10, 0.148707),
            (20, 0.008613),
        ],
    );
    assert!((length - 8.0).abs() < 2e-3, "{length}");
    let (energies, _) = embed(Mat3::IDENTITY, Fit::Procrustes, 20);
    assert_energies(&energies, &[(1, 6.310983), (10, 0.259980), (20, 0.0387058)]);
    let side = 1.25f32.sqrt().recip();
    let stretched = Mat3::from_diagonal(Vec3::new(1.25, side, side));
    let (energies, length) = embed(stretched, Fit::Affine, 60);
    assert_energies(&energies, &[(1, 6.468787), (20, 0.015566)]);
    assert!((length - 10.0).abs() < 2e-3, "{length}");
    let (energies, _) = embed(stretched, Fit::Procrustes, 20);
    assert_energies(&energies, &[(1, 6.400643), (20, 0.159266)]);
}

/// Least-squares rotations never raise the energy.
#[test]
fn embedding_never_gets_worse() {
    let (energies, _) = embed(Mat3::IDENTITY, Fit::Procrustes, 60);
    // Below 1e-4 it is round-off.
    assert!(energies.windows(2).all(|e| e[1] <= e[0] || e[1] < 1e-4));
}

/// A group of raw weight 3 fades in four steps beside one of weight 1.
#[test]
fn fade_worked_numbers() {
    let material = GroupMaterial::new(&Material::default());
    let mut groups = Groups::default();
    for weight in [3.0, 1.0] {
        let member = Member {
            weight,
            ..Member::plain(0, Vec3::ZERO)
        };
        groups.push(&[member], 1.0, material);
    }
    for (step, expected) in [0.75, 0.6923076923, 0.6, 0.4285714286, 0.0]
        .iter()
        .enumerate()
    {
        groups.fade[0] = 1.0 - step as f32 / 4.0;
        let share = 3.0 * groups.fade[0] / groups.holds(0..2, 0..1)[0];
        assert!((f64::from(share) - expected).abs() < 1e-7);
    }
}

/// Groups that hardly strain come and go in the frames that were asked for; one that strains on is gone sooner, and one that strains while
/// it comes does not stay.
#[test]
fn fades_follow_strain() {
    let s = Embedded::default();
    assert!(!s.is_worn(Fading::Live, 1.49) && s.is_worn(Fading::Live, 1.51));
    assert!(!s.is_worn(Fading::In, 2.2) && s.is_worn(Fading::In, 2.3));
    let frames = |fading: Fading, fade: f32, growth: f32| {
        let (mut state, mut condition, mut frames) = ((fading, fade), s.cond_max, 0);
        while state.0 == fading && state.1 > 1e-4 {
            condition *= growth;
            state = s.next_fade(state.0, state.1, condition);
            frames += 1;
        }
        frames
    };
    assert_eq!(frames(Fading::In, 1e-3, 1.0), 15);
    assert_eq!(frames(Fading::Out, 1.0, 1.0), 30);
    // 1.1⁸ is the first power above 2.
    assert_eq!(frames(Fading::Out, 1.0, 1.1), 8);
    assert_eq!(frames(Fading::Out, 1.0, f32::INFINITY), 1);
}
