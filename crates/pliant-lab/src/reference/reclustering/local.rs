//! The clusters around a candidate, with all their particles [FJLSB17 Eqs. 22–23].

use super::super::linear::outer;
use super::body::Body;
use super::cluster::{Cluster, Phase, Range};
use glam::{DMat3, DVec3};

/// A particle in a cluster of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalMember {
    /// Place of the particle in [`LocalSet::particles`].
    pub slot: usize,
    /// Share of the particle in this cluster, among the clusters of the set.
    pub share: f64,
    /// Share times mass.
    pub weight: f64,
    /// F_p p, relative to the centre under these weights.
    pub q: DVec3,
}

/// A cluster of the set.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalCluster {
    /// Its index in the body.
    pub index: usize,
    /// Its members.
    pub members: Vec<LocalMember>,
    /// Σ weight.
    pub mass: f64,
    /// (Σ weight q qᵀ)⁻¹, on its range.
    pub inverse: DMat3,
    /// Whether it has no extent along some axis: only a Procrustes rotation has a meaning then.
    pub degenerate: bool,
}

/// Clusters of a particle and those that share particles with them.
///
/// All sums of the embedding use one set of weights: raw weights normalised over the clusters of the set. So each sweep
/// minimises the same energy, over rotations and centres first and over positions then. A cluster that goes enters with the
/// weight it had: it still knows its rest shape. One that was made in this step has no weight yet and is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalSet {
    /// Indices in the body, ascending.
    pub particles: Vec<usize>,
    /// Clusters, by index.
    pub clusters: Vec<LocalCluster>,
}

/// Raw weight of a cluster's member in the embedding.
fn raw(cluster: &Cluster, a: f64, a0: f64) -> f64 {
    if cluster.survives() { a } else { a0 }
}

impl LocalSet {
    /// The set around particle `seed`.
    pub fn around(body: &Body, seed: usize) -> Self {
        let usable = |c: usize| body.clusters[c].phase != Phase::FadingIn(0);
        let own = body.memberships[seed].iter().filter(|&&c| usable(c));
        let mut near = vec![false; body.clusters.len()];
        for k in own.flat_map(|&c| &body.clusters[c].members) {
            for &c in &body.memberships[k.particle] {
                near[c] = usable(c);
            }
        }
        let clusters: Vec<usize> = (0..near.len()).filter(|&c| near[c]).collect();
        Self::of(body, &clusters)
    }

    /// The set of the clusters with these indices, ascending.
    pub fn of(body: &Body, clusters: &[usize]) -> Self {
        let mut total = vec![0.0; body.x.len()];
        for &c in clusters {
            let cluster = &body.clusters[c];
            for k in &cluster.members {
                total[k.particle] += raw(cluster, k.a, k.a0);
            }
        }
        let mut particles = Vec::new();
        let mut slots = vec![usize::MAX; body.x.len()];
        for i in (0..body.x.len()).filter(|&i| total[i] > 0.0) {
            slots[i] = particles.len();
            particles.push(i);
        }
        let member = |cluster: &Cluster, k: &super::Member| {
            let share = raw(cluster, k.a, k.a0) / total[k.particle];
            LocalMember {
                slot: slots[k.particle],
                share,
                weight: share * body.mass[k.particle],
                q: cluster.f_p * k.p,
            }
        };
        let local = |&c: &usize| {
            let cluster = &body.clusters[c];
            let held = cluster.members.iter().filter(|k| total[k.particle] > 0.0);
            LocalCluster::new(c, held.map(|k| member(cluster, k)).collect())
        };
        Self {
            particles,
            clusters: clusters.iter().filter_map(local).collect(),
        }
    }
}

impl LocalCluster {
    /// Centres the rest positions under the weights of the set; `None` without weight.
    fn new(index: usize, mut members: Vec<LocalMember>) -> Option<Self> {
        let mass: f64 = members.iter().map(|k| k.weight).sum();
        if mass <= 0.0 {
            return None;
        }
        let shift = members.iter().map(|k| k.q * k.weight).sum::<DVec3>() / mass;
        let mut a_qq = DMat3::ZERO;
        for k in &mut members {
            k.q -= shift;
            a_qq += outer(k.q * k.weight, k.q);
        }
        let range = Range::of(a_qq);
        Some(Self {
            index,
            mass,
            inverse: range.inverse,
            degenerate: members.len() < 4 || range.missing != DMat3::ZERO,
            members,
        })
    }

    /// ē under the weights of the set.
    pub fn center(&self, e: &[DVec3]) -> DVec3 {
        let origin = self.members.first().map_or(DVec3::ZERO, |k| e[k.slot]);
        let offset = |k: &LocalMember| (e[k.slot] - origin) * k.weight;
        origin + self.members.iter().map(offset).sum::<DVec3>() / self.mass
    }
}
