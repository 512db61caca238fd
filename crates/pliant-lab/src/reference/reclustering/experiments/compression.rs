//! The compressed beam: flowing or firm, with and without reclustering [FJLSB17 §4].

use super::super::super::linear::outer;
use super::super::beam::{Beam, CLUSTERS, REACH, plastic_params};
use super::super::body::{Body, Drive, Params, Plastic, Recluster, StepReport};
use super::super::cluster::Phase;
use super::super::clustering::Growth;
use super::add;
use glam::{DMat3, DVec3};

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
pub fn length(beam: &Beam, x: &[DVec3]) -> f64 {
    let mut axis = DVec3::ZERO;
    for (x, rest) in x.iter().zip(&beam.x) {
        axis += *x * rest.x.signum();
    }
    let axis = axis.normalize_or(DVec3::X);
    let along = |x: &DVec3| x.dot(axis);
    let low = x.iter().map(along).fold(f64::INFINITY, f64::min);
    let high = x.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    high - low
}

/// Mean square of the velocities without the body's translation and spin, in m²/s².
pub fn mean_square_oscillation(body: &Body) -> f64 {
    let mass: f64 = body.mass.iter().sum();
    let mean = |value: &[DVec3]| {
        let sum: DVec3 = value.iter().zip(&body.mass).map(|(v, m)| *v * *m).sum();
        sum / mass
    };
    let (center, drift) = (mean(&body.x), mean(&body.v));
    let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for i in 0..body.x.len() {
        let r = body.x[i] - center;
        momentum += r.cross(body.v[i] - drift) * body.mass[i];
        inertia += (DMat3::IDENTITY * r.length_squared() - outer(r, r)) * body.mass[i];
    }
    let spin = inertia.inverse() * momentum;
    let square = |i: usize| {
        let rigid = drift + spin.cross(body.x[i] - center);
        body.mass[i] * (body.v[i] - rigid).length_squared()
    };
    (0..body.x.len()).map(square).sum::<f64>() / mass
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
        let rest = length(beam, &body.x);
        let mut result = Compressed {
            finite: true,
            ..Compressed::default()
        };
        let (mut squares, mut oscillations, mut count) = (0.0, 0.0, 0_usize);
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
            result.observe(beam, &body, rest);
            if (1.0..=3.0).contains(&(body.time - PRESSED)) {
                let mass: f64 = body.mass.iter().sum();
                squares += 2.0 * body.kinetic_energy() / mass;
                oscillations += mean_square_oscillation(&body);
                count += 1;
            }
        }
        result.late_rms = (squares / count.max(1) as f64).sqrt();
        result.late_oscillation = (oscillations / count.max(1) as f64).sqrt();
        result.final_length = length(beam, &body.x) / rest;
        result.clusters = body.clusters.len();
        result
    }
}

impl Compressed {
    fn observe(&mut self, beam: &Beam, body: &Body, rest: f64) {
        self.peak_speed = self.peak_speed.max(body.max_speed());
        if body.time <= PRESSED + 1e-6 {
            self.length_at_release = length(beam, &body.x) / rest;
        }
        if body.time >= PRESSED + 2.0 {
            self.late_speed = self.late_speed.max(body.max_speed());
            self.late_energy = self.late_energy.max(body.kinetic_energy());
        }
        let alive = body.max_condition(|c| c.phase == Phase::Alive);
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
