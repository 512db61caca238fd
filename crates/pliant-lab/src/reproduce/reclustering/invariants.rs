//! What must hold for any body, on a small beam.

#![allow(
    clippy::unnecessary_wraps,
    reason = "every experiment has the same signature"
)]

use super::engine;
use crate::reference::Fit;
use crate::reference::reclustering::beam::{Beam, FIRM, FLOWING};
use crate::reference::reclustering::clustering::Growth;
use crate::reference::reclustering::{Body, Drive, Params, Plastic, Recluster, StepReport};
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::{Bench, LabError};
use glam::{DMat3, DVec3};
use pliant::random::{Random, name_key};

/// d of the small beam, in m.
const REACH: f64 = 0.3;
/// Clusters of the small beam.
const CLUSTERS: usize = 30;
/// Clusters that must come for a run to have tried anything.
const RENEWED: usize = 5;

fn small_beam() -> Body {
    Beam::new(400).body(CLUSTERS, REACH, Growth::Count)
}

fn params(plastic: Plastic) -> Params {
    Params {
        max_stretch: 0.5,
        relax: 0.3,
        plastic: Some(plastic),
        reach: REACH,
        fade_out: 16,
        fade_in: 8,
        ..Params::default()
    }
}

/// A turn and a shift of everything.
fn motion() -> (DMat3, DVec3) {
    let axis = DVec3::new(2.0, -1.0, 0.5).normalize();
    (
        DMat3::from_axis_angle(axis, 1.1),
        DVec3::new(3.0, -2.0, 1.0),
    )
}

/// A beam that is drawn out, shaken and thrown.
fn shaken_beam() -> Body {
    let mut body = small_beam();
    let mut random = Random::new([1, name_key("shaken"), 0, 0]);
    let mut shake = |size: f64| random.next_in_cube().as_dvec3() * size;
    for x in &mut body.x {
        *x = *x * DVec3::new(1.5, 0.8, 0.8) + shake(0.008);
    }
    for v in &mut body.v {
        *v = DVec3::new(0.5, -0.3, 0.2) + shake(0.5);
    }
    body
}

/// Largest change of momentum of the shaken beam in two seconds, and clusters made in them.
fn drift(fit: Fit, sweeps: usize) -> (f64, usize) {
    let mut body = shaken_beam();
    let before = body.momentum();
    let params = Params {
        sweeps,
        damping: 0.1,
        fit,
        ..params(FLOWING)
    };
    let (mut worst, mut created) = (0.0_f64, 0);
    for _ in 0..120 {
        created += body.step(&params, &Drive::none()).created;
        worst = worst.max((body.momentum() - before).length());
    }
    (worst, created)
}

/// B5.
pub(super) fn momentum(bench: &mut Bench) -> Result<(), LabError> {
    for (fit, name) in [(Fit::Affine, "affine"), (Fit::Procrustes, "least-squares")] {
        let (worst, created) = drift(fit, 0);
        let limited = drift(fit, Params::default().sweeps).0;
        bench.check(
            Reference,
            format!(
                "change of momentum of a free beam of 1 kg, {name} rotations, kg m/s; clusters made"
            ),
            format!("{worst:.1e} (with strain limiting {limited:.1e}); {created}"),
            format!("at most 1e-10; at least {RENEWED}"),
            worst <= 1e-10 && created >= RENEWED,
        );
    }
    engine::momentum(bench)
}

/// B6.
pub(super) fn rigid_motion(bench: &mut Bench) -> Result<(), LabError> {
    let (turn, shift) = motion();
    let params = Params {
        damping: 0.1,
        ..params(FLOWING)
    };
    let mut body = small_beam();
    let mut moved = body.clone();
    for x in &mut moved.x {
        *x = turn * *x + shift;
    }
    let press = |x: DVec3, _| DVec3::X * (-20.0 * x.x);
    let press_moved = |x: DVec3, _| turn * press(turn.transpose() * (x - shift), 0.0);
    let drive = |acceleration| Drive {
        acceleration,
        ..Drive::none()
    };
    let (mut worst, mut created) = (0.0_f64, 0);
    for _ in 0..50 {
        created += body.step(&params, &drive(&press)).created;
        moved.step(&params, &drive(&press_moved));
        for (x, y) in body.x.iter().zip(&moved.x) {
            worst = worst.max((turn * *x + shift).distance(*y));
        }
    }
    bench.check(
        Reference,
        "largest distance after 50 steps of a pressed beam and a moved one, m; clusters made",
        format!("{worst:.1e}; {created}"),
        format!("at most 1e-6; at least {RENEWED}"),
        worst <= 1e-6 && created >= RENEWED,
    );
    Ok(())
}

/// Presses the small beam for a second and lets it go for another.
fn pressed(params: &Params) -> Body {
    let mut body = small_beam();
    let drive = Drive {
        acceleration: &|x, time| DVec3::X * if time < 1.0 { -3.0 * x.x } else { 0.0 },
        ..Drive::none()
    };
    for _ in 0..120 {
        body.step(params, &drive);
    }
    body
}

/// B9.
pub(super) fn infinite_yield(bench: &mut Bench) -> Result<(), LabError> {
    let infinite = Plastic {
        plastic_yield: f64::INFINITY,
        ..FLOWING
    };
    let plastic = Params {
        recluster: Recluster::Off,
        ..params(infinite)
    };
    let elastic = Params {
        plastic: None,
        ..plastic
    };
    let flowing = Params {
        plastic: Some(FLOWING),
        ..plastic
    };
    let (a, b, c) = (pressed(&plastic), pressed(&elastic), pressed(&flowing));
    let differing = |a: &Body, b: &Body| {
        let states = a.x.iter().zip(&a.v).zip(b.x.iter().zip(&b.v));
        states.filter(|(a, b)| a != b).count()
    };
    bench.check(
        Reference,
        "particles of a body that never yields that differ from those of an elastic one; that differ from those of a flowing one",
        format!("{}; {}", differing(&a, &b), differing(&a, &c)),
        "0; some",
        differing(&a, &b) == 0 && differing(&a, &c) > 0,
    );
    Ok(())
}

/// B10.
pub(super) fn new_clusters_at_rest(bench: &mut Bench) -> Result<(), LabError> {
    let (turn, shift) = motion();
    for (recluster, name) in [
        (Recluster::Embedded, "embedded"),
        (Recluster::World, "in world space"),
    ] {
        let params = Params {
            recluster,
            ..params(FIRM)
        };
        let mut body = small_beam();
        for x in &mut body.x {
            *x = turn * *x + shift;
        }
        let before = body.x.clone();
        let made = renew_all(&mut body, &params);
        let moved = body.x.iter().zip(&before);
        let worst = moved.fold(0.0_f64, |m, (x, y)| m.max(x.distance(*y))) / REACH;
        bench.check(
            Reference,
            format!("largest move of a particle at rest while every cluster is made anew, {name}, d; clusters made"),
            format!("{worst:.1e}; {made}"),
            format!("at most 1e-9; {CLUSTERS}"),
            worst <= 1e-9 && made == CLUSTERS,
        );
    }
    Ok(())
}

/// Makes every cluster anew, one a step, and waits until the old ones are gone. Returns how many were made.
fn renew_all(body: &mut Body, params: &Params) -> usize {
    let mut report = StepReport::default();
    let first = body.next_id;
    for id in 0..first {
        if let Some(index) = body.clusters.iter().position(|c| c.id == id) {
            body.recreate(index, params, &mut report);
        }
        body.step(params, &Drive::none());
    }
    for _ in 0..=params.fade_out_steps() {
        body.step(params, &Drive::none());
    }
    let left = body.clusters.iter().filter(|c| c.id < first).count();
    report.created - left.min(report.created)
}
