//! The twisted beam [FJLSB17 §4].

use super::super::beam::{Beam, CLUSTERS, HARDENING, plastic_params};
use super::super::body::{Body, Drive, Params, Recluster, StepReport};
use super::super::clustering::Growth;
use super::add;
use super::moment::Moment;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// Particles farther than this from the middle are turned, in m.
pub const HELD_BEYOND: f64 = 0.7;
/// Turn of each end, in rad/s.
pub const RATE: f64 = 0.3;
/// Seconds of twisting.
pub const TWISTED: f64 = 10.0;
/// Seconds after it.
pub const FREE: f64 = 4.0;

/// A beam whose ends are turned against each other, then let go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Clusters at the start.
    pub clusters: usize,
    /// How the beam is stepped.
    pub params: Params,
}

/// What a twisted beam has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Twisted {
    /// Whether all positions stayed finite.
    pub finite: bool,
    /// Angle of the ends against each other at release, in rad.
    pub at_release: f64,
    /// Angle of the ends against each other at the end, in rad.
    pub at_end: f64,
    /// Highest speed in the last second, in m/s.
    pub late_speed: f64,
    /// Largest condition number of F_p in a cluster of full weight.
    pub alive_condition: f64,
    /// Largest condition number of F_p in any cluster.
    pub condition: f64,
    /// Sums over all steps.
    pub total: StepReport,
    /// Fewest particles of a step.
    pub fewest: usize,
    /// Most particles of a step.
    pub most: usize,
    /// Number of clusters at the end.
    pub clusters: usize,
}

/// Condition number at which clusters must go for the beam to keep four fifths of its twist.
///
/// A twist is bilinear: y moves by −θ' x z. Within a cluster much of that is not affine, so it does not flow and springs back when
/// the ends are let go: at release it is 10 mm RMS, against 4 mm of affine elastic strain. New clusters lose it only as far as their
/// embedding is not converged; better embeddings keep it, and the beam keeps less of its twist.
pub const KEEPING_COND_MAX: f64 = 1.1;

/// Radius of clusters that keep four fifths of the twist, in m: what is not affine falls with its square.
pub const FINE_REACH: f64 = 0.1;
/// Number of clusters of that radius.
pub const FINE_CLUSTERS: usize = 600;

/// The twist with the usual numbers.
pub fn twist(recluster: Recluster) -> Twist {
    Twist {
        clusters: CLUSTERS,
        params: plastic_params(HARDENING, recluster),
    }
}

impl Twist {
    /// Twists, lets go and measures; `watch` sees the body after every step.
    pub fn run(&self, beam: &Beam, mut watch: impl FnMut(&Body, &Moment)) -> Twisted {
        let mut body = beam.body(self.clusters, self.params.reach, Growth::Count);
        let rest = &beam.x;
        for (fixed, x) in body.fixed.iter_mut().zip(rest) {
            *fixed = x.x.abs() > HELD_BEYOND;
        }
        let hold = |i: usize, time: f64| {
            let angle = RATE * time * rest[i].x.signum();
            DMat3::from_rotation_x(angle) * rest[i]
        };
        let drive = Drive {
            hold: &hold,
            ..Drive::none()
        };
        let mut meter = Meter::new(rest);
        let twisting = (TWISTED / self.params.dt).round() as usize;
        let steps = ((TWISTED + FREE) / self.params.dt).round() as usize;
        for step in 1..=steps {
            let report = body.step(&self.params, &drive);
            let now = Moment::of(&body, &report);
            watch(&body, &now);
            meter.look(&now);
            if !now.finite {
                break;
            }
            if step == twisting {
                body.fixed.fill(false);
            }
        }
        Twisted {
            clusters: body.clusters.len(),
            ..meter.result
        }
    }
}

/// Measures a twisted beam from step to step.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    rest: Vec<DVec3>,
    /// What was measured so far.
    pub result: Twisted,
}

impl Meter {
    /// A meter for a beam of these rest positions.
    pub fn new(rest: &[DVec3]) -> Self {
        Self {
            rest: rest.to_vec(),
            result: Twisted {
                finite: true,
                fewest: usize::MAX,
                ..Twisted::default()
            },
        }
    }

    /// Takes a step into account; nothing counts after one that is not finite.
    pub fn look(&mut self, now: &Moment) {
        let result = &mut self.result;
        if !result.finite {
            return;
        }
        add(&mut result.total, &now.report);
        result.fewest = result.fewest.min(now.x.len());
        result.most = result.most.max(now.x.len());
        result.finite = now.finite;
        if !now.finite {
            return;
        }
        result.at_end = nearest_turn(twist_angle(&self.rest, &now.x), result.at_end);
        if now.time <= TWISTED + 1e-6 {
            result.at_release = result.at_end;
        }
        if now.time >= TWISTED + FREE - 1.0 {
            result.late_speed = result.late_speed.max(now.max_speed());
        }
        result.alive_condition = result.alive_condition.max(now.alive_condition);
        result.condition = result.condition.max(now.condition);
    }
}

/// Angle about x of the end at x > 0 against the other, up to whole turns.
pub fn twist_angle(rest: &[DVec3], x: &[DVec3]) -> f64 {
    let end = |side: f64| {
        let held: Vec<usize> = (0..rest.len())
            .filter(|&i| rest[i].x * side > HELD_BEYOND)
            .collect();
        let count = held.len().max(1) as f64;
        let middle = held.iter().map(|&i| x[i]).sum::<DVec3>() / count;
        let middle0 = held.iter().map(|&i| rest[i]).sum::<DVec3>() / count;
        let (mut sine, mut cosine) = (0.0, 0.0);
        for &i in &held {
            let (a, b) = (rest[i] - middle0, x[i] - middle);
            sine += a.y * b.z - a.z * b.y;
            cosine += a.y * b.y + a.z * b.z;
        }
        sine.atan2(cosine)
    };
    end(1.0) - end(-1.0)
}

/// The angle that differs from `angle` by whole turns and is nearest to `last`.
fn nearest_turn(angle: f64, last: f64) -> f64 {
    angle + TAU * ((last - angle) / TAU).round()
}
