//! What is done to the beam, and what is measured.

use super::beam::{Beam, CLUSTERS, REACH, plastic_params};
use super::body::{Body, Drive, Params, Plastic, Recluster, StepReport};
use super::clustering::Growth;
use glam::DVec3;

/// A beam that is pressed together along its axis by s·(−x, 0, 0) per unit mass for four seconds, then let go for four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compression {
    /// s, in 1/s².
    pub scale: f64,
    /// How the beam is stepped.
    pub params: Params,
}

/// Seconds of pressing.
pub const PRESSED: f64 = 4.0;
/// Seconds after it.
pub const RELEASED: f64 = 4.0;

/// What a compressed beam has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compressed {
    /// Whether all positions stayed finite.
    pub finite: bool,
    /// Highest speed of a particle in the whole run, in m/s.
    pub peak_speed: f64,
    /// Highest speed later than two seconds after release, in m/s.
    pub late_speed: f64,
    /// Highest kinetic energy later than two seconds after release, in J for a beam of 1 kg.
    pub late_energy: f64,
    /// RMS speed from one to three seconds after release, in m/s.
    pub late_rms: f64,
    /// Length over that at rest, at release.
    pub length_at_release: f64,
    /// Length over that at rest, at the end.
    pub final_length: f64,
    /// Largest condition number of F_p in a cluster of full weight.
    pub alive_condition: f64,
    /// Largest condition number of F_p in any cluster.
    pub condition: f64,
    /// Sums over all steps.
    pub total: StepReport,
    /// Number of clusters at the end.
    pub clusters: usize,
    /// Steps taken; fewer than asked when a position was not finite.
    pub steps: usize,
}

/// Extent along x.
pub fn length(x: &[DVec3]) -> f64 {
    let low = x.iter().fold(f64::INFINITY, |m, x| m.min(x.x));
    let high = x.iter().fold(f64::NEG_INFINITY, |m, x| m.max(x.x));
    high - low
}

/// Adds the counts of a step to a sum.
pub fn add(total: &mut StepReport, step: &StepReport) {
    total.retired += step.retired;
    total.created += step.created;
    total.rejected += step.rejected;
    total.attached += step.attached;
    total.resets += step.resets;
    total.embed_sweeps += step.embed_sweeps;
}

impl Compression {
    /// The beam at rest.
    pub fn body(beam: &Beam) -> Body {
        beam.body(CLUSTERS, REACH, Growth::Count)
    }

    /// One step, pressed or not as the time says.
    pub fn step(&self, body: &mut Body) -> StepReport {
        let scale = self.scale;
        let drive = Drive {
            acceleration: &|x, time| {
                // Half a step of slack: time is a sum of steps.
                let pressed = time < PRESSED - 1e-6;
                DVec3::X * if pressed { -scale * x.x } else { 0.0 }
            },
            ..Drive::none()
        };
        body.step(&self.params, &drive)
    }

    /// Presses, lets go and measures; `watch` sees the body after every step.
    pub fn run(&self, beam: &Beam, mut watch: impl FnMut(&Body, &StepReport)) -> Compressed {
        let mut body = Self::body(beam);
        let rest = length(&body.x);
        let mut result = Compressed {
            finite: true,
            ..Compressed::default()
        };
        let (mut square_sum, mut square_count) = (0.0, 0_usize);
        let steps = ((PRESSED + RELEASED) / self.params.dt).round() as usize;
        for _ in 0..steps {
            let report = self.step(&mut body);
            watch(&body, &report);
            add(&mut result.total, &report);
            result.steps += 1;
            if body.x.iter().any(|x| !x.is_finite()) {
                result.finite = false;
                break;
            }
            result.observe(&body, rest);
            if (1.0..=3.0).contains(&(body.time - PRESSED)) {
                let mass: f64 = body.mass.iter().sum();
                square_sum += 2.0 * body.kinetic_energy() / mass;
                square_count += 1;
            }
        }
        result.late_rms = (square_sum / square_count.max(1) as f64).sqrt();
        result.final_length = length(&body.x) / rest;
        result.clusters = body.clusters.len();
        result
    }
}

impl Compressed {
    fn observe(&mut self, body: &Body, rest: f64) {
        self.peak_speed = self.peak_speed.max(body.max_speed());
        if body.time <= PRESSED + 1e-6 {
            self.length_at_release = length(&body.x) / rest;
        }
        if body.time >= PRESSED + 2.0 {
            self.late_speed = self.late_speed.max(body.max_speed());
            self.late_energy = self.late_energy.max(body.kinetic_energy());
        }
        let alive = body.max_condition(|c| c.phase == super::Phase::Alive);
        self.alive_condition = self.alive_condition.max(alive);
        self.condition = self.condition.max(body.max_condition(|_| true));
    }
}

/// The compression with these numbers.
pub fn compression(scale: f64, plastic: Plastic, recluster: Recluster) -> Compression {
    Compression {
        scale,
        params: plastic_params(plastic, recluster),
    }
}
