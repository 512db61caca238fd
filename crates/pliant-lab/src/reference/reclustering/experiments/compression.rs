//! The compressed beam: flowing or firm, with and without reclustering [FJLSB17 §4].

use super::super::beam::{Beam, CLUSTERS, REACH, plastic_params};
use super::super::body::{Body, Drive, Params, Plastic, Recluster, StepReport};
use super::super::clustering::Growth;
use super::add;
use super::moment::Moment;
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
    /// The same without translation and spin of the whole.
    pub late_oscillation: f64,
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

/// Extent along the beam's own axis, from the middle of the half that was at x < 0 to that of the other.
///
/// Along x it would not do: the load turns a beam that is not quite along x, as any column under pressure.
pub fn length(rest: &[DVec3], x: &[DVec3]) -> f64 {
    let mut axis = DVec3::ZERO;
    for (x, rest) in x.iter().zip(rest) {
        axis += *x * rest.x.signum();
    }
    let axis = axis.normalize_or(DVec3::X);
    let along = |x: &DVec3| x.dot(axis);
    let low = x.iter().map(along).fold(f64::INFINITY, f64::min);
    let high = x.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    high - low
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
    pub fn run(&self, beam: &Beam, mut watch: impl FnMut(&Body, &Moment)) -> Compressed {
        let mut body = Self::body(beam);
        let mut meter = Meter::new(&beam.x);
        let steps = ((PRESSED + RELEASED) / self.params.dt).round() as usize;
        for _ in 0..steps {
            let report = self.step(&mut body);
            let now = Moment::of(&body, &report);
            watch(&body, &now);
            meter.look(&now);
            if !now.finite {
                break;
            }
        }
        Compressed {
            clusters: body.clusters.len(),
            ..meter.result()
        }
    }
}

/// Measures a compressed beam from step to step.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    rest: Vec<DVec3>,
    /// Sums over the steps from one to three seconds after release.
    squares: f64,
    oscillations: f64,
    count: usize,
    result: Compressed,
}

impl Meter {
    /// A meter for a beam of these rest positions.
    pub fn new(rest: &[DVec3]) -> Self {
        Self {
            rest: rest.to_vec(),
            result: Compressed {
                finite: true,
                ..Compressed::default()
            },
            ..Self::default()
        }
    }

    /// Takes a step into account; nothing counts after one that is not finite.
    pub fn look(&mut self, now: &Moment) {
        let result = &mut self.result;
        if !result.finite {
            return;
        }
        add(&mut result.total, &now.report);
        result.steps += 1;
        result.finite = now.finite;
        if !now.finite {
            return;
        }
        result.final_length = length(&self.rest, &now.x) / length(&self.rest, &self.rest);
        result.peak_speed = result.peak_speed.max(now.max_speed());
        if now.time <= PRESSED + 1e-6 {
            result.length_at_release = result.final_length;
        }
        if now.time >= PRESSED + 2.0 {
            result.late_speed = result.late_speed.max(now.max_speed());
            result.late_energy = result.late_energy.max(now.kinetic_energy());
        }
        result.alive_condition = result.alive_condition.max(now.alive_condition);
        result.condition = result.condition.max(now.condition);
        if (1.0..=3.0).contains(&(now.time - PRESSED)) {
            self.squares += now.mean_square_speed();
            self.oscillations += now.mean_square_oscillation();
            self.count += 1;
        }
    }

    /// What was measured.
    pub fn result(self) -> Compressed {
        let mean = |sum: f64| (sum / self.count.max(1) as f64).sqrt();
        Compressed {
            late_rms: mean(self.squares),
            late_oscillation: mean(self.oscillations),
            ..self.result
        }
    }
}

/// The compression with these numbers.
pub fn compression(scale: f64, plastic: Plastic, recluster: Recluster) -> Compression {
    Compression {
        scale,
        params: plastic_params(plastic, recluster),
    }
}
