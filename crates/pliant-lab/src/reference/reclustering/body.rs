//! State and step.

use super::super::cluster::Fit;
use super::cluster::{Cluster, Placement};
use super::clustering::Found;
use super::kernel::Kernel;
use glam::{DMat3, DVec3};

/// How a rest shape flows [FJLSB17 Eqs. 10–14].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic {
    /// λ, compared with ‖F* − I‖.
    pub plastic_yield: f64,
    /// ν per 1/60 s.
    pub plastic_flow: f64,
    /// K, in 1/s.
    pub hardening: f64,
}

/// How new clusters are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recluster {
    /// Clusters neither come nor go.
    Off,
    /// In the embedded space, with an optimised centre [FJLSB17 §3.2].
    #[default]
    Embedded,
    /// In world space, around the candidate itself: what [FJLSB17 §4] compares with.
    World,
}

/// How a body is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Δt, in s.
    pub dt: f64,
    /// Rotation of the goals.
    pub fit: Fit,
    /// k: the part of the way to its goal that a particle is sped up to in a step.
    pub goal: f64,
    /// b: the part of its difference to the clusters' mean velocity that a particle loses in a step.
    pub damping: f64,
    /// γ of the strain limit, in cluster widths.
    pub max_stretch: f64,
    /// ω of the strain limit.
    pub relax: f64,
    /// Sweeps of the strain limit.
    pub sweeps: usize,
    /// Flow; `None` for an elastic body.
    pub plastic: Option<Plastic>,
    /// How new clusters are made.
    pub recluster: Recluster,
    /// Weights of new clusters.
    pub kernel: Kernel,
    /// d, radius of new clusters.
    pub reach: f64,
    /// Condition number of F_p at which a cluster begins to go.
    pub cond_max: f64,
    /// Steps in which a cluster goes; at least `fade_in`, else particles would be left alone.
    pub fade_out: usize,
    /// Steps in which a cluster comes.
    pub fade_in: usize,
    /// A particle with fewer clusters that stay seeds a new one.
    pub min_clusters: usize,
    /// Most sweeps of the embedding.
    pub embed_sweeps: usize,
    /// Whether those sweeps are accelerated.
    pub embed_accelerated: bool,
    /// Σ|Δe|² over that of the first sweep at which the embedding ends.
    pub embed_tolerance: f64,
    /// Of the order in which candidates are looked at.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            dt: 1.0 / 60.0,
            fit: Fit::Affine,
            goal: 1.0,
            damping: 0.0,
            max_stretch: 0.1,
            relax: 1.0,
            sweeps: 8,
            plastic: None,
            recluster: Recluster::Embedded,
            kernel: Kernel::default(),
            reach: 0.25,
            cond_max: 1.5,
            fade_out: 30,
            fade_in: 15,
            min_clusters: 1,
            embed_sweeps: 20,
            embed_accelerated: false,
            embed_tolerance: 1e-8,
            seed: 0,
        }
    }
}

impl Params {
    /// Steps of a fade out: never fewer than those of a fade in.
    pub fn fade_out_steps(&self) -> usize {
        self.fade_out.max(self.fade_in).max(1)
    }
}

/// What acts on a body from outside.
#[derive(Clone, Copy)]
pub struct Drive<'a> {
    /// Acceleration at a position and a time, in m/s².
    pub acceleration: &'a dyn Fn(DVec3, f64) -> DVec3,
    /// Where a fixed particle is at a time.
    pub hold: &'a dyn Fn(usize, f64) -> DVec3,
}

impl Drive<'_> {
    /// Nothing acts; fixed particles would be held at the origin.
    pub fn none() -> Drive<'static> {
        Drive {
            acceleration: &|_, _| DVec3::ZERO,
            hold: &|_, _| DVec3::ZERO,
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Clusters that began to go.
    pub retired: usize,
    /// Clusters that were made.
    pub created: usize,
    /// Clusters that could not be made: too few members, or flat.
    pub rejected: usize,
    /// Particles that were hung on a cluster because none formed around them.
    pub attached: usize,
    /// Rest shapes that were beyond repair and were reset.
    pub resets: usize,
    /// Sweeps of embeddings.
    pub embed_sweeps: usize,
}

/// Particles and the clusters that hold them together.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Positions, in m.
    pub x: Vec<DVec3>,
    /// Velocities, in m/s.
    pub v: Vec<DVec3>,
    /// Masses, in kg.
    pub mass: Vec<f64>,
    /// Whether a particle goes where it is led.
    pub fixed: Vec<bool>,
    /// Clusters, by id.
    pub clusters: Vec<Cluster>,
    /// Clusters of each particle, by index.
    pub memberships: Vec<Vec<usize>>,
    /// For how many steps a particle has had no cluster that stays.
    pub alone: Vec<usize>,
    /// Id of the next cluster.
    pub next_id: u64,
    /// Steps so far.
    pub steps: u64,
    /// Seconds so far.
    pub time: f64,
}

impl Body {
    /// A body at rest at `x`.
    pub fn new(x: &[DVec3], mass: &[f64], found: &Found) -> Self {
        let cluster = |(id, members): (usize, &Vec<(usize, f64)>)| {
            Cluster::new(id as u64, members.iter().map(|&(i, a)| (i, a, x[i])))
        };
        let mut body = Self {
            x: x.to_vec(),
            v: vec![DVec3::ZERO; x.len()],
            mass: mass.to_vec(),
            fixed: vec![false; x.len()],
            clusters: found.clusters.iter().enumerate().map(cluster).collect(),
            memberships: vec![Vec::new(); x.len()],
            alone: vec![0; x.len()],
            next_id: found.clusters.len() as u64,
            steps: 0,
            time: 0.0,
        };
        body.refresh();
        body
    }

    /// Moves on by one step.
    pub fn step(&mut self, params: &Params, drive: &Drive) -> StepReport {
        let mut report = StepReport::default();
        let time = self.time + params.dt;

        // Where the clusters lie, and how they flow; the flow takes effect at the end.
        let places = self.places(params.fit);
        if let Some(plastic) = &params.plastic {
            for (cluster, place) in self.clusters.iter_mut().zip(&places) {
                if let Some(place) = place {
                    cluster.flow(place, plastic, params.dt);
                }
            }
        }

        // Springs pull particles to their goals; what is held goes where it is led.
        let old = self.x.clone();
        self.integrate(params, drive, &places);
        for i in 0..self.x.len() {
            if self.fixed[i] {
                self.x[i] = (drive.hold)(i, time);
            }
        }

        // Particles too far from their goals are brought nearer; what moved has a velocity.
        for _ in 0..params.sweeps {
            self.limit_strain(params.fit, params.max_stretch, params.relax);
        }
        for i in 0..self.x.len() {
            self.v[i] = (self.x[i] - old[i]) / params.dt;
        }

        // Clusters go, come and fade.
        if params.recluster != Recluster::Off {
            self.retire_distorted(params, &mut report);
            self.create_clusters(params, &mut report);
            self.attach_lonely(params, &mut report);
            self.fade(params);
        }
        self.activate_flow(params, &mut report);
        self.steps += 1;
        self.time = time;
        report
    }

    /// Where each cluster lies now.
    pub fn places(&self, fit: Fit) -> Vec<Option<Placement>> {
        let place = |c: &Cluster| c.place(&self.mass, &self.x, fit);
        self.clusters.iter().map(place).collect()
    }

    /// g_i = Σ w (R F_p p + x̄) [FJLSB17 Eqs. 8, 16]; a particle without cluster has its own position as goal.
    pub fn goals(&self, places: &[Option<Placement>]) -> Vec<DVec3> {
        let mut pull = vec![DVec3::ZERO; self.x.len()];
        for (cluster, place) in self.clusters.iter().zip(places) {
            let Some(place) = place else { continue };
            let map = place.rotation * cluster.f_p;
            for k in &cluster.members {
                pull[k.particle] += (map * k.p + place.center - self.x[k.particle]) * k.w;
            }
        }
        self.x.iter().zip(pull).map(|(x, d)| x + d).collect()
    }

    /// u_i − v_i: how much faster the clusters of a particle are than itself.
    fn velocity_pulls(&self) -> Vec<DVec3> {
        let mut pull = vec![DVec3::ZERO; self.x.len()];
        for cluster in self.clusters.iter().filter(|c| c.mass > 0.0) {
            let velocity = cluster.mean(&self.mass, &self.v);
            for k in &cluster.members {
                pull[k.particle] += (velocity - self.v[k.particle]) * k.w;
            }
        }
        pull
    }

    /// v ← v + Δt a + k (g − x)/Δt + b (u − v), x ← x + Δt v.
    fn integrate(&mut self, params: &Params, drive: &Drive, places: &[Option<Placement>]) {
        let goals = self.goals(places);
        let pulls = self.velocity_pulls();
        for i in 0..self.x.len() {
            let a = (drive.acceleration)(self.x[i], self.time);
            let spring = (goals[i] - self.x[i]) * (params.goal / params.dt);
            self.v[i] += a * params.dt + spring + pulls[i] * params.damping;
            self.x[i] += self.v[i] * params.dt;
        }
    }

    /// F_p ← F_p_new. A rest shape that is none any more starts again, and its cluster goes.
    fn activate_flow(&mut self, params: &Params, report: &mut StepReport) {
        for cluster in &mut self.clusters {
            cluster.f_p = cluster.f_p_next;
            if cluster.f_p.is_finite() && cluster.f_p.determinant() > 0.0 {
                continue;
            }
            report.resets += 1;
            cluster.f_p = DMat3::IDENTITY;
            cluster.f_p_next = DMat3::IDENTITY;
            if params.recluster != Recluster::Off && cluster.survives() {
                cluster.retire(params.fade_out_steps());
            }
        }
    }

    /// Renews all that follows from raw weights: shares, memberships and the clusters' moments.
    pub fn refresh(&mut self) {
        let mut total = vec![0.0; self.x.len()];
        self.memberships.iter_mut().for_each(Vec::clear);
        for (c, cluster) in self.clusters.iter().enumerate() {
            for k in &cluster.members {
                total[k.particle] += k.a;
                self.memberships[k.particle].push(c);
            }
        }
        for cluster in &mut self.clusters {
            for k in &mut cluster.members {
                let total = total[k.particle];
                k.w = if total > 0.0 { k.a / total } else { 0.0 };
            }
            cluster.rebuild(&self.mass);
        }
    }

    /// Σ m v.
    pub fn momentum(&self) -> DVec3 {
        self.mass_sum(|i| self.v[i])
    }

    /// Σ m x×v about the origin.
    pub fn angular_momentum(&self) -> DVec3 {
        self.mass_sum(|i| self.x[i].cross(self.v[i]))
    }

    /// Σ ½ m v².
    pub fn kinetic_energy(&self) -> f64 {
        let energy = |(m, v): (&f64, &DVec3)| 0.5 * m * v.length_squared();
        self.mass.iter().zip(&self.v).map(energy).sum()
    }

    /// Speed of the fastest particle; NaN if one has no speed.
    pub fn max_speed(&self) -> f64 {
        let faster = |most: f64, v: &DVec3| {
            let speed = v.length();
            if speed.is_nan() {
                speed
            } else {
                most.max(speed)
            }
        };
        self.v.iter().fold(0.0, faster)
    }

    /// Largest condition number of F_p among the clusters that `counts`.
    pub fn max_condition(&self, counts: impl Fn(&Cluster) -> bool) -> f64 {
        let chosen = self.clusters.iter().filter(|c| counts(c));
        chosen.map(Cluster::condition).fold(1.0, f64::max)
    }

    fn mass_sum(&self, value: impl Fn(usize) -> DVec3) -> DVec3 {
        (0..self.x.len()).map(|i| value(i) * self.mass[i]).sum()
    }
}
