//! A clamped beam that sags: with more clusters it seems softer, and converges [FJLSB17 Fig. 3].

use super::super::beam::{Beam, FIRM};
use super::super::body::{Body, Drive, Params, Plastic, Recluster, StepReport};
use super::super::clustering::Growth;
use glam::DVec3;

/// Particles of the sagging beam.
pub const PARTICLES: usize = 1000;
/// Numbers of clusters that are compared.
pub const COUNTS: [usize; 10] = [1, 3, 7, 15, 31, 62, 125, 250, 500, 1000];
/// d, in m; it grows where so few clusters do not cover the beam.
pub const REACH: f64 = 0.25;
/// Particles at x below this are held, in m.
pub const CLAMPED_BELOW: f64 = -0.4;
/// Acceleration along y, in m/s².
pub const GRAVITY: f64 = -10.0;
/// Seconds until the sag is measured.
pub const DURATION: f64 = 3.0;
/// Seconds until the beam hangs still; after three it still swings by a tenth of its sag.
pub const SETTLED: f64 = 8.0;
/// Particles at x above this are the tip, in m.
pub const TIP: f64 = 0.9;

/// Sweeps of the embedding of renewed clusters.
///
/// Departs from [FJLSB17 §3.2.2]: twenty sweeps do not reach across a bent beam of long clusters. What they leave of the bend becomes
/// part of the new rest shapes, and the beam sags by half as much again.
pub const EMBED_SWEEPS: usize = 500;

/// Seconds in which every cluster is made anew, one after the other.
pub const RENEWAL: [f64; 2] = [0.25, 2.0];

/// A sagging beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sag {
    /// Clusters at the start.
    pub clusters: usize,
    /// Whether every cluster is made anew during the run.
    pub renewed: bool,
    /// Seconds until the sag is measured.
    pub duration: f64,
    /// How the beam is stepped.
    pub params: Params,
}

/// What a sagging beam has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sagged {
    /// How far the middle of the tip is below its rest position at the end, in m.
    pub sag: f64,
    /// The same, as a mean over the last second: what is left of the first swing is out of it.
    pub mean_sag: f64,
    /// Highest speed at the end, in m/s.
    pub speed: f64,
    /// Clusters of the start that are left at the end.
    pub old_clusters: usize,
    /// Clusters at the end.
    pub clusters: usize,
    /// Radius of the clusters, in m.
    pub reach: f64,
    /// Largest condition number of F_p at the end.
    pub condition: f64,
}

/// The elastic beam.
pub fn elastic(clusters: usize) -> Sag {
    let params = Params {
        dt: 1.0 / 180.0,
        damping: 0.2,
        max_stretch: 0.05,
        relax: 0.1,
        sweeps: 20,
        recluster: Recluster::Off,
        reach: REACH,
        ..Params::default()
    };
    Sag {
        clusters,
        renewed: false,
        duration: DURATION,
        params,
    }
}

/// The plastic beam; with `renewed` every cluster is made anew once, by the usual embedding.
pub fn plastic(clusters: usize, plastic: Plastic, renewed: bool) -> Sag {
    let mut sag = elastic(clusters);
    sag.params.plastic = Some(plastic);
    sag.renewed = renewed;
    if renewed {
        // Clusters go because they are told to, not because they are distorted.
        sag.params.recluster = Recluster::Embedded;
        sag.params.cond_max = f64::INFINITY;
        sag.params.embed_sweeps = EMBED_SWEEPS;
    }
    sag
}

/// The plastic beam of the comparison.
pub fn firm(clusters: usize, renewed: bool) -> Sag {
    plastic(clusters, FIRM, renewed)
}

impl Sag {
    /// Lets the beam sag and measures; `watch` sees the body after every step.
    pub fn run(&self, beam: &Beam, mut watch: impl FnMut(&Body)) -> Sagged {
        let (mut body, reach) = beam.clustered(self.clusters, REACH, Growth::Reach);
        let originals = body.clusters.len() as u64;
        for (fixed, x) in body.fixed.iter_mut().zip(&beam.x) {
            *fixed = x.x < CLAMPED_BELOW;
        }
        let params = Params {
            reach,
            ..self.params
        };
        let drive = Drive {
            acceleration: &|_, _| DVec3::Y * GRAVITY,
            hold: &|i, _| beam.x[i],
        };
        let steps = (self.duration / params.dt).round() as usize;
        let last_second = (1.0 / params.dt).round() as usize;
        let mut renewed = 0;
        let (mut sag, mut sum) = (0.0, 0.0);
        for step in 0..steps {
            if self.renewed {
                let [begin, end] = RENEWAL;
                let share = ((body.time - begin) / (end - begin)).clamp(0.0, 1.0);
                while renewed < (share * originals as f64).ceil() as u64 {
                    renew(&mut body, renewed, &params);
                    renewed += 1;
                }
            }
            body.step(&params, &drive);
            watch(&body);
            sag = tip_sag(&beam.x, &body.x);
            if step + last_second >= steps {
                sum += sag;
            }
        }
        Sagged {
            sag,
            mean_sag: sum / last_second as f64,
            speed: body.max_speed(),
            old_clusters: body.clusters.iter().filter(|c| c.id < originals).count(),
            clusters: body.clusters.len(),
            reach,
            condition: body.max_condition(|_| true),
        }
    }
}

/// How far the middle of the tip is below its rest position.
pub fn tip_sag(rest: &[DVec3], x: &[DVec3]) -> f64 {
    let tip = (0..rest.len()).filter(|&i| rest[i].x > TIP);
    let count = tip.clone().count().max(1) as f64;
    tip.map(|i| rest[i].y - x[i].y).sum::<f64>() / count
}

/// Makes the cluster of this id anew.
fn renew(body: &mut Body, id: u64, params: &Params) {
    if let Some(index) = body
        .clusters
        .iter()
        .position(|c| c.id == id && c.survives())
    {
        body.recreate(index, params, &mut StepReport::default());
    }
}
