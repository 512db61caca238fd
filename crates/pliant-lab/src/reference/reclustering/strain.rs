//! Strain limiting (Bargteil & Jones 2014): particles too far from their goals are brought nearer, without becoming rigid.

use super::super::cluster::Fit;
use super::body::Body;
use glam::DVec3;

/// Where a particle at `x` may stay: at most `max_stretch` widths from its goal.
pub fn limited(x: DVec3, goal: DVec3, width: f64, max_stretch: f64) -> DVec3 {
    let stretch = (goal - x).length() / width;
    if stretch <= max_stretch {
        return x;
    }
    goal + (x - goal) * (max_stretch / stretch)
}

impl Body {
    /// One sweep: x ← (1 − ω) x + ω Σ w t, all clusters from the same x. Fixed particles stay.
    pub fn limit_strain(&mut self, fit: Fit, max_stretch: f64, relax: f64) {
        let mut shift = vec![DVec3::ZERO; self.x.len()];
        for cluster in self.clusters.iter().filter(|c| c.width > 0.0) {
            let Some(place) = cluster.place(&self.mass, &self.x, fit) else {
                continue;
            };
            let map = place.rotation * cluster.f_p;
            for k in &cluster.members {
                let x = self.x[k.particle];
                let goal = map * k.p + place.center;
                shift[k.particle] += (limited(x, goal, cluster.width, max_stretch) - x) * k.w;
            }
        }
        for i in 0..self.x.len() {
            if !self.fixed[i] {
                self.x[i] += shift[i] * relax;
            }
        }
    }
}
