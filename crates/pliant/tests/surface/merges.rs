//! Bodies that meet become one.

use crate::motions::{ball, between, cases, together, unit};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};
use rayon::prelude::*;
use std::f64::consts::PI;

fn update(tracker: &mut Tracker, frame: usize) -> pliant::surface::TrackerReport {
    let report = tracker.update();
    if let Err(violation) = tracker.mesh().validate(Level::Everything) {
        panic!("frame {frame}: {violation}");
    }
    report
}

/// Volume of two balls of radius 1 whose middles are `d` apart.
fn union_of_two(d: f64) -> f64 {
    let lens = PI * (4.0 + d) * (2.0 - d).powi(2) / 12.0;
    8.0 / 3.0 * PI - lens
}

/// A ball of few triangles with the volume of a round one.
fn round(center: Vec3) -> Mesh {
    let facets = ball(Vec3::ZERO, 1.0, 11).volume() / (4.0 / 3.0 * PI);
    ball(center, (1.0 / facets).cbrt() as f32, 11)
}

/// Two balls approach, overlap and stand still. Returns the Euler number of every frame and the final volume.
fn approach(seed: u64, swap: bool) -> (Vec<i64>, f64, f64) {
    let edge = between(seed, 0, 0.22, 0.3);
    let direction = pliant::random::Random::new([seed, 1, 0, 0]).next_direction();
    let speed = edge * between(seed, 2, 0.1, 0.6);
    let last = between(seed, 3, 1.2, 1.7);
    let mut gap = 2.1;
    let (a, b) = (
        round(direction * (-0.5 * gap)),
        round(direction * (0.5 * gap)),
    );
    let parts = if swap { [b, a] } else { [a, b] };
    let mut tracker = Tracker::new(&together(&parts), TrackerSettings::new(edge)).unwrap();
    let mut euler = Vec::new();
    let mut frame = 0;
    let mut still = 0;
    while still < 6 {
        let step = speed.min(gap - last).max(0.0);
        gap -= step;
        still += usize::from(step == 0.0);
        tracker.advect(|p| p - direction * (0.5 * step * p.dot(direction).signum()));
        update(&mut tracker, frame);
        euler.push(tracker.mesh().validate(Level::Everything).unwrap().euler);
        frame += 1;
    }
    (euler, tracker.mesh().volume(), f64::from(gap))
}

#[test]
fn two_balls_become_one() {
    cases(10).into_par_iter().for_each(|seed| {
        let (euler, volume, gap) = approach(seed, false);
        let first = euler.iter().position(|&e| e == 2).unwrap_or(euler.len());
        assert!(
            euler[..first].iter().all(|&e| e == 4),
            "seed {seed}: {euler:?}"
        );
        assert!(
            first < euler.len() && euler[first..].iter().all(|&e| e == 2),
            "seed {seed}: {euler:?}"
        );
        let exact = union_of_two(gap);
        assert!(
            (volume / exact - 1.0).abs() < 0.01,
            "seed {seed}: {volume} {exact}"
        );
    });
}

/// The same motion with the balls named the other way round gives the same body.
#[test]
#[ignore = "about one case in twenty differs by more than 0.1 %: a first contact that needs several passes leaves a thicker neck"]
fn the_order_of_the_balls_does_not_matter() {
    let failed: Vec<(u64, f64)> = cases(10)
        .into_par_iter()
        .filter_map(|seed| {
            let (euler, volume, _) = approach(seed, false);
            let (swapped, other, _) = approach(seed, true);
            let change = other / volume - 1.0;
            (euler.last() != swapped.last() || change.abs() > 0.001).then_some((seed, change))
        })
        .collect();
    assert_eq!(failed, []);
}

/// Six balls around a circle grow together into a ring.
#[test]
fn a_ring_of_six_becomes_a_torus() {
    cases(4).into_par_iter().for_each(|seed| {
        let edge = between(seed, 0, 0.24, 0.3);
        let reach = between(seed, 1, 1.75, 1.85);
        let balls: Vec<_> = (0..6)
            .map(|k| {
                let angle = std::f32::consts::TAU * (k as f32 + unit(seed, 2)) / 6.0;
                ball(Vec3::new(angle.cos(), 0.0, angle.sin()) * 2.2, 1.0, 8)
            })
            .collect();
        let mut tracker = Tracker::new(&together(&balls), TrackerSettings::new(edge)).unwrap();
        let mut radius = 2.2f32;
        for frame in 0..24 {
            let to = (radius - 0.05).max(reach);
            let step = radius - to;
            radius = to;
            let phase = unit(seed, 2);
            tracker.advect(|p| {
                let turn = std::f32::consts::TAU / 6.0;
                let k = (p.z.atan2(p.x) / turn - phase).round() + phase;
                p - Vec3::new((k * turn).cos(), 0.0, (k * turn).sin()) * step
            });
            update(&mut tracker, frame);
        }
        let census = tracker.mesh().validate(Level::Everything).unwrap();
        assert_eq!((census.sheets, census.euler), (1, 0), "seed {seed}");
    });
}

/// A ball that jumps into another without any crossing goes; a cavity stays.
#[test]
fn the_engulfed_go_and_cavities_stay() {
    let outer = ball(Vec3::ZERO, 1.0, 8);
    let inner = ball(Vec3::X * 0.2, 0.4, 4);
    let mut hole = inner.clone();
    for t in &mut hole.triangles {
        t.swap(1, 2);
    }
    let settings = TrackerSettings::new(0.3);
    let mut outside = inner;
    for p in &mut outside.positions {
        *p += Vec3::X * 3.0;
    }
    let mut tracker = Tracker::new(&together(&[outer.clone(), outside]), settings).unwrap();
    update(&mut tracker, 0);
    assert_eq!(tracker.components().len(), 2);
    tracker.advect(|p| if p.x > 1.5 { p - Vec3::X * 3.0 } else { p });
    assert_eq!(update(&mut tracker, 1).components.engulfed, 1);
    assert_eq!(tracker.components().len(), 1);

    let mut tracker = Tracker::new(&together(&[outer, hole]), settings).unwrap();
    for frame in 0..5 {
        tracker.advect(|p| p + Vec3::Y * 0.1);
        update(&mut tracker, frame);
    }
    assert_eq!(tracker.components().len(), 1);
    assert_eq!(tracker.components()[0].cavities, 1);
    assert_eq!(
        tracker.mesh().validate(Level::Everything).unwrap().sheets,
        2
    );
}
