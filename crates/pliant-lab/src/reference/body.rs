//! The step: prediction, shape matching, contacts, velocities, plasticity.

use super::cluster::{Cluster, Fit};
use super::contact::{Friction, Plane, pair_corrections, plane_correction};
use super::plastic::Material;
use glam::DVec3;

/// Which mass a particle has in the sums of its clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// m_i/n_i: linear momentum is exact.
    #[default]
    MassWeighted,
    /// m_i, as in [CMM16 §3.1]: momentum is exact per cluster, not after averaging.
    Count,
}

/// How a body is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Substeps of a step.
    pub substeps: usize,
    /// Solver iterations of a substep.
    pub iterations: usize,
    /// Pre-stabilisation passes of a substep.
    pub stabilize_iterations: usize,
    /// Acceleration, in m/s².
    pub gravity: DVec3,
    /// Rotation of the goals.
    pub fit: Fit,
    /// ω of the shape-matching group.
    pub over_relaxation: f64,
    /// A particle slower than this stays where it is, in r/s.
    pub sleep_speed: f64,
    /// Longest way of a particle in a substep, in r.
    pub max_travel: f64,
    /// A solid half-space.
    pub floor: Option<Plane>,
    /// μ_s.
    pub friction: f64,
    /// μ_k.
    pub friction_sliding: f64,
    /// Whether particles that share no cluster push each other apart.
    pub particle_contacts: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            substeps: 4,
            iterations: 4,
            stabilize_iterations: 1,
            gravity: DVec3::ZERO,
            fit: Fit::Procrustes,
            over_relaxation: 1.0,
            sleep_speed: 0.12,
            max_travel: 5.0,
            floor: None,
            friction: 0.5,
            friction_sliding: 0.4,
            particle_contacts: true,
        }
    }
}

impl Params {
    fn friction(&self) -> Friction {
        Friction {
            fixed: self.friction,
            sliding: self.friction_sliding,
        }
    }
}

/// K of one iteration: K is given for substeps of 1/240 s and 4 iterations. A pull of K per iteration acts like a spring of
/// stiffness ∝ K·iterations/Δt², so K_eff = K·(4/iterations)·(Δt/Δt_ref)².
pub fn effective_stiffness(stiffness: f64, iterations: usize, dt: f64) -> f64 {
    let ratio = dt * 240.0;
    (stiffness * (4.0 / iterations as f64) * ratio * ratio).min(1.0)
}

/// Particles and the clusters that hold them together. Several separate pieces may live in one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Positions, in m.
    pub x: Vec<DVec3>,
    /// Velocities, in m/s; a kinematic particle keeps the one it is given.
    pub v: Vec<DVec3>,
    /// Masses in the cluster sums, also of kinematic particles, in kg.
    pub mass: Vec<f64>,
    /// 1/mass; 0 makes a particle kinematic.
    pub inv_mass: Vec<f64>,
    /// Clusters; their members do not change.
    pub clusters: Vec<Cluster>,
    /// What the body is made of.
    pub material: Material,
    /// r; particles touch at distance r, in m.
    pub radius: f64,
    /// Corrections that were not finite and were dropped.
    pub non_finite: usize,
    /// Rest shapes that were beyond repair and were reset.
    pub resets: usize,
    memberships: Vec<Vec<usize>>,
}

impl Body {
    /// A body at rest in `points`, with one cluster for each entry of `groups` (particle indices).
    pub fn new(
        points: &[DVec3],
        masses: &[f64],
        groups: &[Vec<usize>],
        material: Material,
        radius: f64,
        averaging: Averaging,
    ) -> Self {
        let mut memberships = vec![Vec::new(); points.len()];
        for (k, group) in groups.iter().enumerate() {
            for &i in group {
                memberships[i].push(k);
            }
        }
        let weight = |i: &usize| match averaging {
            Averaging::MassWeighted => masses[*i] / memberships[*i].len() as f64,
            Averaging::Count => masses[*i],
        };
        let clusters = groups
            .iter()
            .map(|group| {
                let positions: Vec<DVec3> = group.iter().map(|&i| points[i]).collect();
                let weights = group.iter().map(weight).collect();
                Cluster::new(group.clone(), weights, &positions, material.plastic_yield)
            })
            .collect();
        Self {
            x: points.to_vec(),
            v: vec![DVec3::ZERO; points.len()],
            mass: masses.to_vec(),
            inv_mass: masses.iter().map(|m| 1.0 / m).collect(),
            clusters,
            material,
            radius,
            non_finite: 0,
            resets: 0,
            memberships,
        }
    }

    /// Moves on by `dt` seconds in `params.substeps` substeps.
    pub fn step(&mut self, params: &Params, dt: f64) {
        let h = dt / params.substeps as f64;
        for _ in 0..params.substeps {
            self.substep(params, h);
        }
    }

    fn substep(&mut self, params: &Params, h: f64) {
        // Where everything would go on its own.
        let mut pred = self.predict(params, h);

        // Old penetration leaves without becoming velocity.
        for _ in 0..params.stabilize_iterations {
            self.stabilize(params, &mut pred);
        }

        // Clusters pull their members to their rest shapes, then contacts push them apart; the floor has the last word.
        let stiffness = effective_stiffness(self.material.stiffness, params.iterations, h);
        for _ in 0..params.iterations {
            self.match_shapes(params, stiffness, &mut pred);
            self.push_apart(params, &mut pred);
            self.project_on_floor(params, &mut pred);
        }

        // What moved has a velocity.
        self.update_velocities(params, &pred, h);

        // Once per substep, on the final positions: strain above the yield moves into the rest shapes.
        for cluster in &mut self.clusters {
            let reset = cluster.update_state(&self.x, params.fit, &self.material, h);
            self.resets += usize::from(reset);
        }
    }

    fn is_free(&self, i: usize) -> bool {
        self.inv_mass[i] > 0.0
    }

    /// v ← v + Δt a, x* ← x + Δt v.
    fn predict(&mut self, params: &Params, h: f64) -> Vec<DVec3> {
        for i in 0..self.x.len() {
            if self.is_free(i) {
                self.v[i] += params.gravity * h;
            }
        }
        self.x.iter().zip(&self.v).map(|(x, v)| x + v * h).collect()
    }

    /// Solves contacts on x and moves x* along [MMCK14 §4].
    fn stabilize(&mut self, params: &Params, pred: &mut [DVec3]) {
        let mut shift = vec![DVec3::ZERO; self.x.len()];
        if params.particle_contacts {
            shift = self.pair_corrections(&self.x, None);
        }
        for i in 0..self.x.len() {
            self.x[i] += shift[i];
            pred[i] += shift[i];
            if let Some(plane) = params.floor
                && self.is_free(i)
            {
                let out = plane_correction(&plane, 0.5 * self.radius, self.x[i], None);
                self.x[i] += out;
                pred[i] += out;
            }
        }
    }

    /// x*_i ← x*_i + ω Σ_k K (g_ik − x*_i)/n_i, all clusters from the same x*.
    fn match_shapes(&mut self, params: &Params, stiffness: f64, pred: &mut [DVec3]) {
        let delta = self.shape_corrections(pred, params.fit, stiffness);
        for i in 0..pred.len() {
            let change = delta[i] * params.over_relaxation;
            if !change.is_finite() {
                self.non_finite += 1;
            } else if self.is_free(i) {
                pred[i] += change;
            }
        }
    }

    /// Mean over its clusters of K (g − x) for each particle; zero for particles without cluster.
    pub fn shape_corrections(&self, x: &[DVec3], fit: Fit, stiffness: f64) -> Vec<DVec3> {
        let mut delta = vec![DVec3::ZERO; x.len()];
        for cluster in &self.clusters {
            let goals = cluster.goals(&cluster.place(x, fit));
            for (&i, g) in cluster.members.iter().zip(goals) {
                delta[i] += (g - x[i]) * stiffness;
            }
        }
        for (d, clusters) in delta.iter_mut().zip(&self.memberships) {
            *d /= clusters.len().max(1) as f64;
        }
        delta
    }

    /// Contacts between particles.
    fn push_apart(&self, params: &Params, pred: &mut [DVec3]) {
        if !params.particle_contacts {
            return;
        }
        let corrections = self.pair_corrections(pred, Some((params.friction(), &self.x)));
        for (x, d) in pred.iter_mut().zip(corrections) {
            *x += d;
        }
    }

    fn pair_corrections(&self, x: &[DVec3], friction: Option<(Friction, &[DVec3])>) -> Vec<DVec3> {
        // Contact radius r/2 each. Members of one cluster are kept apart by it.
        let may_touch = |i: usize, j: usize| !self.share_cluster(i, j);
        pair_corrections(x, &self.inv_mass, self.radius, may_touch, friction)
    }

    fn share_cluster(&self, i: usize, j: usize) -> bool {
        let others = &self.memberships[j];
        self.memberships[i].iter().any(|k| others.contains(k))
    }

    fn project_on_floor(&self, params: &Params, pred: &mut [DVec3]) {
        let Some(plane) = params.floor else { return };
        for i in (0..pred.len()).filter(|&i| self.is_free(i)) {
            let friction = Some((params.friction(), self.x[i]));
            pred[i] += plane_correction(&plane, 0.5 * self.radius, pred[i], friction);
        }
    }

    /// v ← (x* − x)/Δt; x ← x* unless the particle sleeps, which keeps its velocity [MMCK14 §4].
    fn update_velocities(&mut self, params: &Params, pred: &[DVec3], h: f64) {
        let max_speed = params.max_travel * self.radius / h;
        let sleep = params.sleep_speed * self.radius * h;
        for i in 0..pred.len() {
            let moved = pred[i] - self.x[i];
            if !self.is_free(i) {
                self.x[i] = pred[i];
                continue;
            }
            self.v[i] = (moved / h).clamp_length_max(max_speed);
            if moved.length() >= sleep {
                self.x[i] = pred[i];
            }
        }
    }

    /// Mean goal of each particle over its clusters at the present positions; its own position without cluster.
    pub fn goals(&self, fit: Fit) -> Vec<DVec3> {
        let delta = self.shape_corrections(&self.x, fit, 1.0);
        self.x.iter().zip(delta).map(|(x, d)| x + d).collect()
    }

    /// Number of clusters of particle `i`.
    pub fn cluster_count(&self, i: usize) -> usize {
        self.memberships[i].len()
    }

    /// Σ m x / Σ m.
    pub fn center_of_mass(&self) -> DVec3 {
        let total: f64 = self.mass.iter().sum();
        self.mass_sum(|i| self.x[i]) / total
    }

    /// Σ m v.
    pub fn momentum(&self) -> DVec3 {
        self.mass_sum(|i| self.v[i])
    }

    /// Σ m x×v about the origin.
    pub fn angular_momentum(&self) -> DVec3 {
        self.mass_sum(|i| self.x[i].cross(self.v[i]))
    }

    fn mass_sum(&self, value: impl Fn(usize) -> DVec3) -> DVec3 {
        (0..self.x.len()).map(|i| value(i) * self.mass[i]).sum()
    }
}

/// Overlapping balls of radius `reach` around centres about `spacing` apart, until every point is in `min_count` of them (or
/// no centre is left): the plain sequential form of the cluster construction [CMM16 §3.3.5], in index order.
pub fn overlapping_groups(
    points: &[DVec3],
    reach: f64,
    spacing: f64,
    min_count: usize,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut count = vec![0; points.len()];
    let mut is_center = vec![false; points.len()];
    for _ in 0..min_count + 2 {
        let candidate: Vec<bool> = count.iter().map(|&n| n < min_count).collect();
        let mut marked = vec![false; points.len()];
        for i in 0..points.len() {
            if !candidate[i] || marked[i] || is_center[i] {
                continue;
            }
            is_center[i] = true;
            let mut group = Vec::new();
            for j in 0..points.len() {
                let distance = points[i].distance(points[j]);
                marked[j] |= distance <= spacing;
                if distance <= reach {
                    group.push(j);
                    count[j] += 1;
                }
            }
            groups.push(group);
        }
    }
    groups
}
