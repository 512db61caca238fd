//! What the experiments must show.

use super::super::body::Params;
use super::super::experiments::{
    ByReference, bend, drop, invariance, joint, momentum, rod, rotation, sheet, skinning, small,
    torsion,
};
use super::super::group::Turning;
use super::super::integrate::Order;
use super::super::plastic::Plastic;
use super::super::skin::{Blend, Distance};
use crate::reference::cluster::Fit;
use crate::reference::tests::assert_close;

/// E1: a free body keeps its momentum, whatever its groups are.
#[test]
fn e1_momentum() {
    for turning in [Turning::Centre, Turning::AllMembers] {
        for order in [Order::First, Order::Second] {
            let drift = momentum::drift::<ByReference>(turning, order);
            assert!(drift <= 1e-9, "{turning:?} {order:?} {drift:e}");
        }
    }
}

/// E2: a rigid motion of everything changes nothing.
#[test]
fn e2_rigid_invariance() {
    for turning in [Turning::Centre, Turning::AllMembers] {
        for order in [Order::First, Order::Second] {
            for fit in [Fit::Procrustes, Fit::Affine] {
                let params = Params {
                    turning,
                    order,
                    fit,
                    plastic: Some(Plastic::default()),
                    ..Params::default()
                };
                let apart = invariance::difference::<ByReference>(params, true);
                assert!(apart <= 1e-10, "{turning:?} {order:?} {fit:?} {apart:e}");
            }
        }
    }
}

/// E3: a clamped rod holds itself up, the better the more it is solved.
#[test]
fn e3_rod() {
    let drops = [
        (2, 1, 0.516),
        (10, 1, 0.319),
        (50, 1, 0.065),
        (10, 4, 0.0207),
        (10, 10, 0.0033),
    ];
    for (iterations, substeps, settled) in drops {
        let hung = rod::run::<ByReference>(iterations, substeps, true);
        assert_close(hung.settled / settled, 1.0, 0.02);
    }
    let hung = rod::run::<ByReference>(10, 4, true);
    assert!(
        hung.largest_early <= 0.05 && hung.length_error <= 0.02,
        "{hung:?}"
    );
    assert_close(hung.largest_early, 0.0385, 0.2 * 0.0385);
}

/// E3, control: without turns the rod has no clamp moment and swings down.
#[test]
fn e3_plain_rod_swings() {
    let hung = rod::run::<ByReference>(10, 4, false);
    assert!(hung.largest_early >= 0.8 && hung.finite, "{hung:?}");
    assert_close(hung.largest, 0.9, 0.01);
    assert!(hung.length_error <= 0.02, "{hung:?}");
}

/// E4: the loss of a rigid group follows its formula; second order loses far less.
#[test]
fn e4_rigid_group() {
    let first = rotation::rigid::<ByReference>(1, Order::First);
    for (ours, formula) in first.iter().zip(rotation::rigid_formula(1)) {
        assert_close(*ours, formula, 1e-10);
    }
    assert_close(first[0], 0.995037, 1e-6);
    assert_close(first[59], 0.675436, 1e-6);
    let second = rotation::rigid::<ByReference>(1, Order::Second)[59];
    assert!(1.0 - second < (1.0 - first[59]) / 20.0, "{second}");
}

/// E4: the loss of a rod shrinks with the substep, and with the order.
#[test]
fn e4_rod() {
    let mut last = f64::INFINITY;
    for (substeps, kept) in [(1, 0.684), (2, 0.796), (4, 0.880), (8, 0.934)] {
        let first = rotation::rod::<ByReference>(substeps, Order::First)[59];
        assert_close(first, kept, 1e-3);
        let loss = 1.0 - first;
        assert!(loss <= last / 1.5, "{substeps} {loss}");
        last = loss;
        let second = (1.0 - rotation::rod::<ByReference>(substeps, Order::Second)[59]).abs();
        assert!(second < loss / 4.0, "{substeps} {second} {loss}");
    }
}

/// E5: a turn about the axis of a rod goes all along it; plain particles know nothing of it.
#[test]
fn e5_torsion() {
    let turned = torsion::run::<ByReference>(true);
    for degrees in &turned.degrees {
        assert_close(*degrees, 90.0, 0.1);
    }
    assert!(turned.moved < 1e-9);
    let plain = torsion::run::<ByReference>(false);
    assert!(plain.degrees.iter().all(|d| d.abs() < 1e-9), "{plain:?}");
}

/// E6: a crumpled sheet becomes flat, and nothing flips over.
#[test]
fn e6_sheet() {
    let sheet = sheet::run::<ByReference>();
    assert!(sheet.crumpled > 5e-4 && sheet.left <= 1e-4, "{sheet:?}");
    assert!(sheet.finite && sheet.least_cosine > 0.9, "{sheet:?}");
    assert_eq!(sheet.total.inverted, 0);
}

/// E7: one particle keeps its spin, two stay together.
#[test]
fn e7_small_bodies() {
    for substeps in [1, 4] {
        let one = small::run::<ByReference>(1, substeps);
        assert!(one.finite);
        assert_close(one.spin, small::SPIN, 1e-9);
        let two = small::run::<ByReference>(2, substeps);
        assert!(two.finite && two.spin < small::SPIN, "{two:?}");
        assert_close(two.distance, 0.1, 1e-6);
    }
}

/// E8: an ellipsoid comes to lie on its broad side; without damping it rocks, but does not sink either.
#[test]
fn e8_drop() {
    for order in [Order::First, Order::Second] {
        let starts = [20.0, 50.0, 80.0].map(drop::Start::tilted);
        for dropped in drop::run::<ByReference>(&starts, drop::DAMPING, order).0 {
            assert!(dropped.tilt <= 2.0 && dropped.sunk <= 0.01, "{dropped:?}");
            assert!(
                dropped.deepest <= 0.01 && dropped.speed < 0.01,
                "{dropped:?}"
            );
        }
    }
    let starts = [drop::Start::tilted(20.0)];
    let rocking = drop::run::<ByReference>(&starts, 0.0, Order::First).0[0];
    assert!(
        rocking.deepest <= 0.01 && rocking.tilt < 10.0,
        "{rocking:?}"
    );
}

/// E9: a wheel turns on its hub if that has no moment; with it, chassis and wheel are locked.
#[test]
fn e9_joint() {
    for turning in [Turning::Centre, Turning::AllMembers] {
        let free = joint::run::<ByReference>(false, turning, |_, _| ());
        assert_close(free.ten_frames, 9.38, 0.05);
        assert_close(free.second, 7.41, 0.1);
        assert!(free.chassis.abs() < 1e-9, "{free:?}");
        let locked = joint::run::<ByReference>(true, turning, |_, _| ());
        assert!(locked.ten_frames < 4.0, "{locked:?}");
    }
}

/// E10: at rest the mesh is itself, moved rigidly it is moved; only dual quaternions keep their radius when twisted.
#[test]
fn e10_skinning() {
    for distance in [Distance::Euclidean, Distance::Ellipsoid] {
        let blends = [Blend::Linear, Blend::DualQuaternion];
        let [linear, dual] = blends.map(|blend| skinning::run(blend, distance));
        for carried in [linear, dual] {
            assert!(carried.rest < 1e-14 && carried.rigid < 1e-13, "{carried:?}");
            assert!(carried.rigid_normal < 1e-13, "{carried:?}");
        }
        assert!(linear.twisted_radius < 0.3 && dual.twisted_radius > 0.999);
    }
}

/// E11: bent beyond its yield a rod keeps a part of the angle, below it nothing.
#[test]
fn e11_plasticity() {
    for angle in [1.0, 2.0] {
        let bent = bend::run::<ByReference>(angle, Some(Plastic::default()), |_, _| ());
        assert!(bent.left > 0.1 && bent.left < bent.imposed, "{bent:?}");
        assert!(bend::run::<ByReference>(angle, None, |_, _| ()).left <= 1e-3);
    }
    let bent = bend::run::<ByReference>(0.2, Some(Plastic::default()), |_, _| ());
    assert!(bent.left <= 1e-3 && bent.imposed > 0.1, "{bent:?}");
    assert_eq!(bent.flowed, 0);
}
