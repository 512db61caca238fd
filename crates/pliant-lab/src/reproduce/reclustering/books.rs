//! What must hold in every step of every run: shares, masses, centres, volumes, particles and goals.

#![allow(
    clippy::unnecessary_wraps,
    reason = "every experiment has the same signature"
)]

use crate::reference::reclustering::beam::{Beam, FLOWING, PARTICLES, SCALE};
use crate::reference::reclustering::experiments::compression::compression;
use crate::reference::reclustering::{Body, Params, Phase, Recluster};
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::{Bench, LabError};
use glam::DVec3;

/// Bounds, in the order of the spec.
const SHARES: f64 = 1e-12;
const MASSES: f64 = 1e-12;
const CENTERS: f64 = 1e-9;
const VOLUMES: f64 = 1e-6;
const JUMP: f64 = 0.05;

/// The worst that was seen of a run.
#[derive(Default)]
pub(super) struct Books {
    params: Params,
    masses_at_start: Vec<f64>,
    goals: Vec<DVec3>,
    steps: usize,
    /// B1: largest |Σ w − 1|.
    shares: f64,
    /// B2: largest |Σ M − Σ m| / Σ m.
    masses: f64,
    /// B3: largest |Σ w m p| / (M d).
    centers: f64,
    /// B4: largest |det F_p − 1|.
    volumes: f64,
    /// B7: steps in which a particle or a mass was not what it was.
    particles: usize,
    /// B8: most steps for which a particle had no cluster that stays.
    lonely: usize,
    /// B8: steps in which a particle was in no cluster at all.
    clusterless: usize,
    /// B11: largest |g' − g − Δt v| of a particle in a cluster that fades, in d.
    jump: f64,
    /// The same of the other particles: what violent motion alone does.
    jump_elsewhere: f64,
}

/// The larger one; NaN if either is, so that what is no number cannot hide.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    a.max(b)
}

impl Books {
    /// Books of runs with these numbers.
    pub(super) fn new(params: &Params) -> Self {
        Self {
            params: *params,
            ..Self::default()
        }
    }

    /// Takes a step into account.
    pub(super) fn look(&mut self, body: &Body) {
        self.steps += 1;
        let mut sums = vec![0.0; body.x.len()];
        for cluster in &body.clusters {
            let mut moment = DVec3::ZERO;
            for k in &cluster.members {
                sums[k.particle] += k.w;
                moment += k.p * (k.w * body.mass[k.particle]);
            }
            if cluster.mass > 0.0 {
                let off = moment.length() / (cluster.mass * self.params.reach);
                self.centers = worse(self.centers, off);
            }
            self.volumes = worse(self.volumes, (cluster.f_p.determinant() - 1.0).abs());
        }
        for sum in sums {
            self.shares = worse(self.shares, (sum - 1.0).abs());
        }
        let mass: f64 = body.mass.iter().sum();
        let shared: f64 = body.clusters.iter().map(|c| c.mass).sum();
        self.masses = worse(self.masses, (shared / mass - 1.0).abs());
        if self.masses_at_start.is_empty() {
            self.masses_at_start.clone_from(&body.mass);
        }
        let same = body.mass == self.masses_at_start && body.x.len() == body.mass.len();
        self.particles += usize::from(!same);
        self.lonely = body.alone.iter().copied().fold(self.lonely, usize::max);
        let clusterless = body.memberships.iter().any(Vec::is_empty);
        self.clusterless += usize::from(clusterless);
        self.look_at_goals(body);
    }

    fn look_at_goals(&mut self, body: &Body) {
        let goals = body.goals(&body.places(self.params.fit));
        let fades = |c: &usize| body.clusters[*c].phase != Phase::Alive;
        for (i, last) in self.goals.iter().enumerate() {
            let jump = (goals[i] - last - body.v[i] * self.params.dt).length() / self.params.reach;
            if body.memberships[i].iter().any(fades) {
                self.jump = worse(self.jump, jump);
            } else {
                self.jump_elsewhere = worse(self.jump_elsewhere, jump);
            }
        }
        self.goals = goals;
    }

    /// Records in one line which of the invariants did not hold.
    pub(super) fn record(&self, bench: &mut Bench) {
        let held = [
            ("B1", self.shares <= SHARES),
            ("B2", self.masses <= MASSES),
            ("B3", self.centers <= CENTERS),
            ("B4", self.volumes <= VOLUMES),
            ("B7", self.particles == 0),
            (
                "B8",
                self.lonely <= self.params.fade_in && self.clusterless == 0,
            ),
            ("B11", self.jump < JUMP),
        ];
        let broken = held.iter().filter(|(_, held)| !held).map(|(id, _)| *id);
        let broken: Vec<&str> = broken.collect();
        let verdict = if broken.is_empty() {
            format!("all in {} steps", self.steps)
        } else {
            format!("not {}", broken.join(", "))
        };
        let measured = format!(
            "{verdict}; goals jump by {:.4} d where clusters fade, {:.4} d elsewhere",
            self.jump, self.jump_elsewhere
        );
        bench.check(
            Reference,
            "B1–B4, B7, B8, B11 in every step",
            measured,
            "all hold",
            broken.is_empty(),
        );
    }
}

/// The books of the flowing beam under pressure, which loses all its clusters more than once.
fn pressed() -> Books {
    let run = compression(SCALE, FLOWING, Recluster::Embedded);
    let mut books = Books::new(&run.params);
    run.run(&Beam::new(PARTICLES), |body, _| books.look(body));
    books
}

/// B1.
pub(super) fn shares(bench: &mut Bench) -> Result<(), LabError> {
    let worst = pressed().shares;
    bench.at_most(Reference, "|Σ w - 1| of a particle", worst, SHARES);
    Ok(())
}

/// B2.
pub(super) fn masses(bench: &mut Bench) -> Result<(), LabError> {
    let what = "|Σ M - Σ m| of clusters and particles, relative";
    bench.at_most(Reference, what, pressed().masses, MASSES);
    Ok(())
}

/// B3.
pub(super) fn centers(bench: &mut Bench) -> Result<(), LabError> {
    let what = "|Σ w m p| of a cluster, M d";
    bench.at_most(Reference, what, pressed().centers, CENTERS);
    Ok(())
}

/// B4.
pub(super) fn volumes(bench: &mut Bench) -> Result<(), LabError> {
    let worst = pressed().volumes;
    bench.at_most(Reference, "|det F_p - 1| of a cluster", worst, VOLUMES);
    Ok(())
}

/// B7.
pub(super) fn particles(bench: &mut Bench) -> Result<(), LabError> {
    let books = pressed();
    bench.check(
        Reference,
        "steps that changed a mass or the number of particles",
        format!("{} of {}", books.particles, books.steps),
        "0",
        books.particles == 0,
    );
    Ok(())
}

/// B8.
pub(super) fn lonely(bench: &mut Bench) -> Result<(), LabError> {
    let books = pressed();
    bench.check(
        Reference,
        "most steps of a particle without a cluster that stays; steps with one that has none at all",
        format!("{}; {}", books.lonely, books.clusterless),
        format!("at most {}; 0", books.params.fade_in),
        books.lonely <= books.params.fade_in && books.clusterless == 0,
    );
    Ok(())
}

/// B11.
pub(super) fn goals(bench: &mut Bench) -> Result<(), LabError> {
    let jump = pressed().jump;
    bench.check(
        Reference,
        "largest |g' - g - Δt v| of a particle in a cluster that fades",
        format!("{jump:.4} d"),
        format!("below {JUMP} d"),
        jump < JUMP,
    );
    Ok(())
}
