//! Rare cases that must do no harm.

use super::super::beam::{Beam, FLOWING};
use super::super::body::{Body, Drive, Params, Recluster, StepReport};
use super::super::cluster::Phase;
use super::super::clustering::Growth;
use super::boxed_body;
use crate::reference::cluster::Fit;
use crate::reference::tests::{Random, assert_close, grid};
use glam::{DMat3, DVec3};

fn params() -> Params {
    Params {
        plastic: Some(FLOWING),
        reach: 0.3,
        fade_out: 8,
        fade_in: 4,
        ..Params::default()
    }
}

fn small_beam() -> Body {
    Beam::new(400).body(30, 0.3, Growth::Count)
}

/// An inverted cluster is placed by a rotation, not by a reflection, and does not flow.
#[test]
fn inverted_cluster() {
    let rest = grid([3, 3, 4], 0.1);
    let mut body = boxed_body(&rest, &[(0..rest.len()).collect()]);
    for x in &mut body.x {
        x.z *= -0.6;
    }
    for fit in [Fit::Affine, Fit::Procrustes] {
        let place = body.clusters[0].place(&body.mass, &body.x, fit);
        let place = place.expect("it has mass");
        assert_close(place.rotation.determinant(), 1.0, 1e-12);
        assert!(place.svd.sigma.z < 0.0);
    }
    body.step(&params(), &Drive::none());
    assert_eq!(body.clusters[0].f_p, DMat3::IDENTITY);
    assert!(body.x.iter().all(|x| x.is_finite()));
}

/// A cluster squashed flat in the world has no meaningful stretch to flow by.
#[test]
fn collapsed_cluster() {
    let rest = grid([3, 3, 4], 0.1);
    let mut body = boxed_body(&rest, &[(0..rest.len()).collect()]);
    for x in &mut body.x {
        x.z = 0.0;
    }
    let still = Params {
        goal: 0.0,
        sweeps: 0,
        ..params()
    };
    body.step(&still, &Drive::none());
    assert_eq!(body.clusters[0].f_p, DMat3::IDENTITY);
    body.step(&params(), &Drive::none());
    assert!(body.x.iter().all(|x| x.is_finite()));
}

/// A particle without cluster is free: it flies on and nothing divides by its weight.
#[test]
fn clusterless_particle_flies_on() {
    let mut rest = grid([3, 3, 3], 0.1);
    rest.push(DVec3::X * 5.0);
    let mut body = boxed_body(&rest, &[(0..27).collect()]);
    body.v[27] = DVec3::new(1.0, 2.0, 3.0);
    let params = Params {
        recluster: Recluster::Off,
        damping: 0.2,
        ..params()
    };
    for _ in 0..60 {
        body.step(&params, &Drive::none());
    }
    assert!(body.x[27].distance(DVec3::new(6.0, 2.0, 3.0)) < 1e-12);
    assert!(
        body.x[..27]
            .iter()
            .zip(&rest)
            .all(|(x, y)| x.distance(*y) < 1e-12)
    );
}

/// A cluster of one point, or of points in one place, has no width: it is skipped and retires.
#[test]
fn point_clusters() {
    let mut rest = grid([3, 3, 3], 0.1);
    rest.extend([DVec3::X; 5]);
    let mut body = boxed_body(&rest, &[(0..27).collect(), vec![26], (27..32).collect()]);
    assert!(body.clusters[1].degenerate && body.clusters[2].degenerate);
    for _ in 0..20 {
        body.step(&params(), &Drive::none());
        assert!(body.x.iter().all(|x| x.is_finite()));
    }
    // The five points have gone to the cluster that is left.
    assert_eq!(body.clusters.len(), 1);
    assert_eq!(body.clusters[0].members.len(), 32);
}

/// The last cluster of a particle keeps a trace of its weight as long as nothing else can hold it.
#[test]
fn last_cluster_stays() {
    let rest = grid([4, 4, 1], 0.1);
    let mut body = boxed_body(&rest, &[(0..16).collect()]);
    for _ in 0..20 {
        body.step(&params(), &Drive::none());
    }
    let left = Phase::FadingOut { left: 0, total: 8 };
    assert_eq!((body.clusters.len(), body.clusters[0].phase), (1, left));
    let member = body.clusters[0].members[0];
    assert_close(member.a, 1e-3, 1e-15);
    assert_eq!(member.w, 1.0);
    assert!(
        body.x
            .iter()
            .zip(&rest)
            .all(|(x, y)| x.distance(*y) < 1e-12)
    );
}

/// A rest shape beyond hope goes within one step, one that is no shape at all is reset and goes.
#[test]
fn hopeless_rest_shapes() {
    let mut body = small_beam();
    let broken = DMat3::from_diagonal(DVec3::new(50.0, 50.0, 1.0 / 2500.0));
    body.clusters[3].f_p = broken;
    body.clusters[3].f_p_next = broken;
    let id = body.clusters[3].id;
    body.clusters[5].f_p_next = DMat3::NAN;
    let elastic = Params {
        plastic: None,
        goal: 0.0,
        sweeps: 0,
        ..params()
    };
    let report = body.step(&elastic, &Drive::none());
    assert_eq!((report.retired, report.resets), (1, 1));
    assert!(body.clusters.iter().all(|c| c.id != id));
    let reset = body.clusters.iter().find(|c| c.id == 5).expect("it fades");
    assert!(!reset.survives() && reset.f_p == DMat3::IDENTITY);
}

/// No more than sixteen clusters are made in a step, and one for every five particles that need one.
#[test]
fn new_clusters_are_rationed() {
    let mut body = small_beam();
    let mut report = StepReport::default();
    let all = body.clusters.len();
    for cluster in &mut body.clusters {
        cluster.retire(8);
    }
    let tiny = Params {
        reach: 0.12,
        ..params()
    };
    body.create_clusters(&tiny, &mut report);
    assert_eq!(report.created + report.rejected, 16);
    assert_eq!(body.clusters.len(), all + report.created);

    // Three particles of one cluster alone: one new cluster may come.
    let beam = Beam::new(400);
    let last = beam.x.len() - 3;
    let mut body = boxed_body(&beam.x, &[(0..last).collect(), (last..last + 3).collect()]);
    let mut report = StepReport::default();
    body.clusters[1].retire(8);
    body.create_clusters(&params(), &mut report);
    assert_eq!(report.created + report.rejected, 1);
}

/// A particle around which no cluster can form is hung on the nearest one after half of a fade out, where it is.
#[test]
fn lonely_particle_is_attached() {
    let mut rest = grid([4, 4, 4], 0.1);
    rest.push(DVec3::X * 0.6);
    let mut body = boxed_body(&rest, &[(0..64).collect(), vec![64]]);
    let params = Params {
        reach: 0.3,
        plastic: None,
        ..params()
    };
    let mut attached = 0;
    for _ in 0..12 {
        attached += body.step(&params, &Drive::none()).attached;
    }
    assert_eq!(attached, 1);
    assert_eq!(body.clusters.len(), 1);
    let member = body.clusters[0].members.last().expect("it has members");
    assert_eq!((member.particle, member.w), (64, 1.0));
    assert!(body.x[64].distance(DVec3::X * 0.6) < 1e-9);
}

/// Clusters that go last at least as long as those that come take.
#[test]
fn fades_overlap() {
    let params = Params {
        fade_out: 3,
        fade_in: 9,
        ..Params::default()
    };
    assert_eq!(params.fade_out_steps(), 9);
}

/// A new cluster takes over the hardening of those it replaces, and fades in step by step.
#[test]
fn new_cluster_fades_in() {
    let mut body = small_beam();
    for cluster in &mut body.clusters {
        cluster.alpha = 0.7;
    }
    let params = Params {
        plastic: None,
        ..params()
    };
    let mut report = StepReport::default();
    assert!(body.recreate(4, &params, &mut report));
    let new = body.clusters.last().expect("it was made");
    assert_close(new.alpha, 0.7, 1e-12);
    assert_eq!((new.phase, new.mass), (Phase::FadingIn(0), 0.0));
    let (id, full) = (new.id, new.members[0].a0);
    for step in 1..=4 {
        body.step(&params, &Drive::none());
        let new = body.clusters.iter().find(|c| c.id == id).expect("it stays");
        assert_close(new.members[0].a, full * f64::from(step) / 4.0, 1e-12 * full);
        assert_eq!(new.phase == Phase::Alive, step == 4);
    }
}

/// Strain limiting keeps the momentum if nothing may be off its goal, and not otherwise.
#[test]
fn momentum_under_strain_limits() {
    let drift = |max_stretch: f64| {
        let mut body = small_beam();
        let mut random = Random(6);
        for x in &mut body.x {
            *x += random.normal(0.02);
        }
        for _ in 0..8 {
            body.limit_strain(Fit::Affine, max_stretch, 0.3);
        }
        let before: DVec3 = small_beam()
            .x
            .iter()
            .zip(&body.mass)
            .map(|(x, m)| *x * *m)
            .sum();
        let mut random = Random(6);
        let noise: DVec3 = body.mass.iter().map(|m| random.normal(0.02) * *m).sum();
        let after: DVec3 = body.x.iter().zip(&body.mass).map(|(x, m)| *x * *m).sum();
        (after - before - noise).length()
    };
    assert!(drift(0.0) < 1e-14);
    assert!(drift(0.02) > 1e-7);
}
