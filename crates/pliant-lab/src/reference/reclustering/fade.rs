//! Clusters that come and go [FJLSB17 §3.2.1].

use super::body::{Body, Params, StepReport};
use super::cluster::{Cluster, Member, Phase};
use glam::DVec3;

/// Condition number at which a cluster goes within one step.
const HOPELESS: f64 = 1e3;

/// Share of its full weight that a cluster keeps while it is the last one of a particle: 0/0 must not happen.
const LAST_SHARE: f64 = 1e-3;

impl Cluster {
    /// Begins to go within `steps` steps.
    pub fn retire(&mut self, steps: usize) {
        for k in &mut self.members {
            k.a0 = k.a;
        }
        self.phase = Phase::FadingOut {
            left: steps,
            total: steps,
        };
    }

    /// Fades by one step. A cluster that should be gone but is `needed` keeps a trace of its weight.
    fn fade(&mut self, fade_in: usize, needed: bool) {
        let share = match &mut self.phase {
            Phase::Alive => return,
            Phase::FadingIn(done) => {
                *done += 1;
                (*done as f64 / fade_in as f64).min(1.0)
            }
            Phase::FadingOut { left, total } => {
                *left = left.saturating_sub(1);
                let floor = if needed { LAST_SHARE } else { 0.0 };
                (*left as f64 / *total as f64).max(floor)
            }
        };
        for k in &mut self.members {
            k.a = k.a0 * share;
        }
        if matches!(self.phase, Phase::FadingIn(done) if done >= fade_in) {
            self.phase = Phase::Alive;
        }
    }

    /// Whether nothing of the cluster is left.
    fn is_gone(&self) -> bool {
        matches!(self.phase, Phase::FadingOut { left: 0, .. })
            && self.members.iter().all(|k| k.a == 0.0)
    }
}

impl Body {
    /// Marks clusters that are too distorted, or no good for another reason.
    pub(super) fn retire_distorted(&mut self, params: &Params, report: &mut StepReport) {
        for cluster in &mut self.clusters {
            let condition = cluster.condition();
            let hopeless = condition.is_nan() || condition > HOPELESS;
            let steps = if hopeless { 1 } else { params.fade_out_steps() };
            let distorted = hopeless || condition > params.cond_max || cluster.degenerate;
            if cluster.phase == Phase::Alive && distorted {
                cluster.retire(steps);
                report.retired += 1;
            } else if let Phase::FadingOut { left, .. } = &mut cluster.phase
                && hopeless
            {
                *left = (*left).min(1);
            }
        }
    }

    /// Whether particle `i` is in a cluster that will stay.
    pub fn has_survivor(&self, i: usize) -> bool {
        self.survivor_count(i) > 0
    }

    /// Number of clusters of particle `i` that will stay.
    pub fn survivor_count(&self, i: usize) -> usize {
        let survives = |c: &&usize| self.clusters[**c].survives();
        self.memberships[i].iter().filter(survives).count()
    }

    /// Fades all clusters by one step, lets go of those that are gone, and renews the shares.
    pub(super) fn fade(&mut self, params: &Params) {
        let needed: Vec<bool> = self.clusters.iter().map(|c| self.is_needed(c)).collect();
        for (cluster, needed) in self.clusters.iter_mut().zip(needed) {
            cluster.fade(params.fade_in, needed);
        }
        self.clusters.retain(|c| !c.is_gone());
        self.refresh();
    }

    /// Whether a cluster that goes holds a particle that nothing else will hold.
    fn is_needed(&self, cluster: &Cluster) -> bool {
        !cluster.survives()
            && cluster
                .members
                .iter()
                .any(|k| !self.has_survivor(k.particle))
    }

    /// Hangs particles on the nearest cluster that stays, if none has formed around them in half of a fade out.
    pub(super) fn attach_lonely(&mut self, params: &Params, report: &mut StepReport) {
        for i in 0..self.x.len() {
            if self.has_survivor(i) {
                self.alone[i] = 0;
                continue;
            }
            self.alone[i] += 1;
            if self.alone[i] > params.fade_out_steps() / 2 && self.attach(i, params) {
                report.attached += 1;
                self.alone[i] = 0;
            }
        }
    }

    /// Hangs particle `i` where it is now on the nearest cluster that stays: p = (F_e F_p)⁻¹ (x − x̄).
    fn attach(&mut self, i: usize, params: &Params) -> bool {
        let mut best: Option<(f64, usize, DVec3)> = None;
        for (c, cluster) in self.clusters.iter().enumerate() {
            if !cluster.survives() || cluster.degenerate || cluster.mass <= 0.0 {
                continue;
            }
            let distance = cluster.mean(&self.mass, &self.x).distance(self.x[i]);
            if best.is_some_and(|(nearest, ..)| nearest <= distance) {
                continue;
            }
            let Some(place) = cluster.place(&self.mass, &self.x, params.fit) else {
                continue;
            };
            let p = (place.f_e * cluster.f_p).inverse() * (self.x[i] - place.center);
            if p.is_finite() {
                best = Some((distance, c, p));
            }
        }
        let Some((_, c, p)) = best else { return false };
        let a0 = params.kernel.weight(0.5 * params.reach, params.reach, []);
        let cluster = &mut self.clusters[c];
        let share = match cluster.phase {
            Phase::FadingIn(done) => done as f64 / params.fade_in as f64,
            _ => 1.0,
        };
        let at = cluster.members.partition_point(|k| k.particle < i);
        let member = Member {
            particle: i,
            a: a0 * share,
            a0,
            w: 0.0,
            p,
        };
        cluster.members.insert(at, member);
        self.memberships[i].push(c);
        self.memberships[i].sort_unstable();
        true
    }
}
