//! A mesh that is carried by particles [MC11 "Skinning Methods"].

use super::particle::Particle;
use super::pose::Pose;
use glam::{DQuat, DVec3};

/// How far the reach of the last particle goes beyond it when there is none after it.
const LAST_REACH: f64 = 1.5;

/// How near a particle is to a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    /// In metres.
    #[default]
    Euclidean,
    /// In radii of its ellipsoid: on thin limbs the particle along the limb is nearer than one across a gap.
    Ellipsoid,
}

/// How several poses become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// Mean of where each would take the vertex: loses volume where limbs are twisted.
    #[default]
    Linear,
    /// Mean of the motions as dual quaternions: keeps volume, bulges where limbs are bent.
    DualQuaternion,
}

/// A vertex of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinVertex {
    /// Rest position ȳ.
    pub rest: DVec3,
    /// Rest normal.
    pub normal: DVec3,
    /// Particles and their weights, which sum to one; the nearest first.
    pub weights: Vec<(usize, f64)>,
}

impl SkinVertex {
    /// Hangs a vertex on its `count` nearest particles, with weights (1 − (d/d')²)² where d' is the distance of the next one.
    pub fn new(
        particles: &[Particle],
        rest: DVec3,
        normal: DVec3,
        count: usize,
        distance: Distance,
    ) -> Self {
        let mut near: Vec<(usize, f64)> = particles
            .iter()
            .map(|p| match distance {
                Distance::Euclidean => p.rest.x.distance(rest),
                Distance::Ellipsoid => (p.rest.local(rest) / p.radii).length(),
            })
            .enumerate()
            .collect();
        near.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let farthest = near.last().map_or(0.0, |p| p.1 * LAST_REACH);
        let reach = near.get(count).map_or(farthest, |p| p.1);
        near.truncate(count);
        for (_, value) in &mut near {
            let part = if reach > 0.0 { *value / reach } else { 1.0 };
            *value = (1.0 - part * part).max(0.0).powi(2);
        }
        let total: f64 = near.iter().map(|p| p.1).sum();
        for (n, (_, weight)) in near.iter_mut().enumerate() {
            *weight = if total > 0.0 {
                *weight / total
            } else {
                // Every particle is as far as the one after the last: the nearest alone carries it.
                f64::from(u8::from(n == 0))
            };
        }
        Self {
            rest,
            normal,
            weights: near,
        }
    }

    /// Where the vertex is now.
    pub fn position(&self, particles: &[Particle], blend: Blend) -> DVec3 {
        match blend {
            Blend::Linear => {
                let carried = |&(i, w): &(usize, f64)| motion(&particles[i]).apply(self.rest) * w;
                self.weights.iter().map(carried).sum()
            }
            Blend::DualQuaternion => self.blended(particles).apply(self.rest),
        }
    }

    /// Where the normal points now.
    pub fn normal(&self, particles: &[Particle], blend: Blend) -> DVec3 {
        let n: DVec3 = match blend {
            Blend::Linear => {
                let turned = |&(i, w): &(usize, f64)| motion(&particles[i]).q * self.normal * w;
                self.weights.iter().map(turned).sum()
            }
            Blend::DualQuaternion => self.blended(particles).q * self.normal,
        };
        n.normalize_or_zero()
    }

    /// The mean motion: Σ w (r, ½ t r) of unit dual quaternions, with signs like that of the heaviest one, and normalised.
    fn blended(&self, particles: &[Particle]) -> Pose {
        let heaviest = self.weights.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let first = heaviest.map_or(DQuat::IDENTITY, |&(i, _)| motion(&particles[i]).q);
        let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let (mut real, mut dual) = (zero, zero);
        for &(i, w) in &self.weights {
            let motion = motion(&particles[i]);
            let sign = if motion.q.dot(first) < 0.0 { -w } else { w };
            let t = motion.x * 0.5;
            real += motion.q * sign;
            dual += DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * motion.q * sign;
        }
        let length = real.length();
        let (real, dual) = (real / length, dual / length);
        Pose {
            x: (dual * real.conjugate()).xyz() * 2.0,
            q: real,
        }
    }
}

/// The motion of a particle from rest: pose · rest⁻¹.
fn motion(p: &Particle) -> Pose {
    p.pose.after(&p.rest.inverse())
}
