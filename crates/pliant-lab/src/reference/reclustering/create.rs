//! New clusters around particles that are about to lose their last one [FJLSB17 §3.2.2].

use super::super::linear::outer;
use super::body::{Body, Params, Recluster, StepReport};
use super::cluster::{Cluster, Phase, Range};
use super::clustering::shuffled;
use super::local::LocalSet;
use glam::{DMat3, DVec3};
use pliant::random::name_key;

/// Most clusters that are made in a step; the others follow in the next ones.
const MOST_A_STEP: usize = 16;
/// Candidates for each cluster that may be made.
const CANDIDATES_A_CLUSTER: usize = 5;
/// Most rounds of the search for a centre.
const CENTER_ROUNDS: usize = 50;
/// Move of the centre at which the search ends, in d.
const CENTER_REST: f64 = 0.03;

/// Where a new cluster may be made: particles with positions, and the centres of the clusters around.
struct Site {
    particles: Vec<usize>,
    e: Vec<DVec3>,
    /// Index in the body and embedded centre of each cluster, for the fuzzy kernel.
    centers: Vec<(usize, DVec3)>,
}

/// A member of the new cluster: particle, raw weight, share among what will stay, position.
struct Chosen {
    particle: usize,
    a: f64,
    w: f64,
    e: DVec3,
}

impl Body {
    /// Makes clusters around particles with too few that stay, in a random order.
    pub(super) fn create_clusters(&mut self, params: &Params, report: &mut StepReport) {
        let wanting = |body: &Self, i: usize| body.survivor_count(i) < params.min_clusters;
        let candidates = (0..self.x.len()).filter(|&i| wanting(self, i)).count();
        let most = candidates.div_ceil(CANDIDATES_A_CLUSTER).min(MOST_A_STEP);
        if most == 0 {
            return;
        }
        let key = [params.seed, name_key("candidates"), self.steps, 0];
        for i in shuffled(self.x.len(), key) {
            if report.created + report.rejected >= most {
                break;
            }
            // A cluster made a moment ago may have taken this one in.
            if wanting(self, i) {
                self.create_cluster(i, params, report);
            }
        }
    }

    /// Makes one cluster around particle `seed`; says whether it could.
    pub fn create_cluster(
        &mut self,
        seed: usize,
        params: &Params,
        report: &mut StepReport,
    ) -> bool {
        let set = LocalSet::around(self, seed);
        let chosen = match params.recluster {
            Recluster::World => self.world_site().members(self, self.x[seed], params),
            Recluster::Off | Recluster::Embedded => self
                .embedded_site(&set, params, report)
                .optimized(self, seed, params),
        };
        let Some((center, chosen)) = chosen.filter(|(_, chosen)| self.is_sound(chosen)) else {
            report.rejected += 1;
            return false;
        };
        let members = chosen.iter().map(|k| (k.particle, k.a, k.e - center));
        let mut cluster = Cluster::new(self.next_id, members);
        for k in &mut cluster.members {
            k.a = 0.0;
        }
        cluster.phase = Phase::FadingIn(0);
        cluster.alpha = self.mean_alpha(&set, &chosen);
        // Registered at once, so that later candidates see it.
        for k in &chosen {
            self.memberships[k.particle].push(self.clusters.len());
        }
        self.clusters.push(cluster);
        self.next_id += 1;
        report.created += 1;
        true
    }

    /// Starts cluster `index` anew: it goes, and one made around its middle comes. Says whether that could be made.
    pub fn recreate(&mut self, index: usize, params: &Params, report: &mut StepReport) -> bool {
        let nearest =
            |a: &&super::Member, b: &&super::Member| a.p.length().total_cmp(&b.p.length());
        let Some(seed) = self.clusters[index].members.iter().min_by(nearest) else {
            return false;
        };
        let seed = seed.particle;
        self.clusters[index].retire(params.fade_out_steps());
        report.retired += 1;
        self.create_cluster(seed, params, report)
    }

    /// All particles where they are.
    fn world_site(&self) -> Site {
        Site {
            particles: (0..self.x.len()).collect(),
            e: self.x.clone(),
            centers: self.world_centers(),
        }
    }

    fn world_centers(&self) -> Vec<(usize, DVec3)> {
        let clusters = self.clusters.iter().enumerate();
        clusters
            .filter(|(_, c)| c.mass > 0.0)
            .map(|(index, c)| (index, c.mean(&self.mass, &self.x)))
            .collect()
    }

    /// The particles of the set where the clusters of the set are free of stress.
    fn embedded_site(&self, set: &LocalSet, params: &Params, report: &mut StepReport) -> Site {
        let (sweeps, tolerance) = (params.embed_sweeps, params.embed_tolerance);
        let embedding = if params.embed_accelerated {
            set.embed_accelerated(&self.x, params.fit, sweeps, tolerance)
        } else {
            set.embed(&self.x, params.fit, sweeps, tolerance)
        };
        report.embed_sweeps += embedding.energies.len();
        let centers = set
            .clusters
            .iter()
            .map(|c| (c.index, c.center(&embedding.e)));
        Site {
            particles: set.particles.clone(),
            centers: centers.collect(),
            e: embedding.e,
        }
    }

    /// Whether these members can be a cluster: four or more, and not in a plane.
    fn is_sound(&self, chosen: &[Chosen]) -> bool {
        let weight = |k: &Chosen| k.w * self.mass[k.particle];
        let mass: f64 = chosen.iter().map(weight).sum();
        if chosen.len() < 4 || mass <= 0.0 {
            return false;
        }
        let center = chosen.iter().map(|k| k.e * weight(k)).sum::<DVec3>() / mass;
        let mut a_rr = DMat3::ZERO;
        for k in chosen {
            a_rr += outer((k.e - center) * weight(k), k.e - center);
        }
        a_rr.is_finite() && Range::of(a_rr).missing == DMat3::ZERO
    }

    /// The mean hardening of the clusters that a new one takes over from; the paper does not say.
    fn mean_alpha(&self, set: &LocalSet, chosen: &[Chosen]) -> f64 {
        let taken = |i: &usize| chosen.binary_search_by_key(i, |k| k.particle).is_ok();
        let taken: Vec<bool> = set.particles.iter().map(taken).collect();
        let (mut sum, mut total) = (0.0, 0.0);
        for cluster in &set.clusters {
            for k in cluster.members.iter().filter(|k| taken[k.slot]) {
                sum += k.weight * self.clusters[cluster.index].alpha;
                total += k.weight;
            }
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

impl Site {
    /// Starts at the candidate and goes to the weighted mean of what is in reach, until that stays [FJLSB17 §3.2.2].
    fn optimized(&self, body: &Body, seed: usize, params: &Params) -> Option<(DVec3, Vec<Chosen>)> {
        let slot = self.particles.binary_search(&seed).ok()?;
        let mut center = self.e[slot];
        for _ in 0..CENTER_ROUNDS {
            let (_, chosen) = self.members(body, center, params)?;
            let weight = |k: &Chosen| k.w * body.mass[k.particle];
            let mass: f64 = chosen.iter().map(weight).sum();
            if mass <= 0.0 {
                return None;
            }
            let mean = chosen.iter().map(|k| k.e * weight(k)).sum::<DVec3>() / mass;
            let moved = mean.distance(center);
            center = mean;
            if moved < CENTER_REST * params.reach {
                break;
            }
        }
        self.members(body, center, params)
    }

    /// What is in reach of `center`, with shares among the clusters that will stay, at their eventual weights.
    fn members(&self, body: &Body, center: DVec3, params: &Params) -> Option<(DVec3, Vec<Chosen>)> {
        let mut chosen = Vec::new();
        for (&particle, &e) in self.particles.iter().zip(&self.e) {
            let s = e.distance(center);
            if s.is_nan() || s > params.reach {
                continue;
            }
            let mut staying = 0.0;
            let mut others = Vec::new();
            for &c in &body.memberships[particle] {
                let cluster = &body.clusters[c];
                if !cluster.survives() {
                    continue;
                }
                if let Ok(k) = cluster
                    .members
                    .binary_search_by_key(&particle, |k| k.particle)
                {
                    staying += cluster.members[k].a0;
                }
                let known = self.centers.binary_search_by_key(&c, |&(index, _)| index);
                others.extend(known.map(|at| self.centers[at].1.distance(e)));
            }
            let a = params.kernel.weight(s, params.reach, others);
            chosen.push(Chosen {
                particle,
                a,
                w: a / (a + staying),
                e,
            });
        }
        (!chosen.is_empty()).then_some((center, chosen))
    }
}
