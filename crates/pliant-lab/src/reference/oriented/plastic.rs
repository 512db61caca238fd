//! Rest shapes that flow.

use super::group::{Group, Member, Placement};
use super::particle::Particle;
use glam::DVec3;

/// How rest shapes flow: the talk shows a plastic body [MC11 "Monster Truck"] without saying how; this is the group's own shape that creeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic {
    /// c_yield: distance from the goal, over the size of the group, above which the shape flows.
    pub plastic_yield: f64,
    /// c_creep: part of that distance that flows in a second, in 1/s.
    pub creep: f64,
    /// c_max: largest flow, over the size of the group.
    pub max_flow: f64,
}

impl Default for Plastic {
    fn default() -> Self {
        Self {
            plastic_yield: 0.05,
            creep: 10.0,
            max_flow: 0.5,
        }
    }
}

impl Group {
    /// ℓ: largest distance of an original rest position from their mean, in m.
    pub fn size(&self) -> f64 {
        let sum: DVec3 = self.members.iter().map(|k| k.original).sum();
        let mean = sum / self.members.len().max(1) as f64;
        let distance = |most: f64, k: &Member| most.max(k.original.distance(mean));
        self.members.iter().fold(0.0, distance)
    }

    /// Moves rest positions by what is left of the way to the goals, d = Rᵀ(x − g), if that is too long; says whether it was.
    pub fn flow(
        &mut self,
        particles: &[Particle],
        place: &Placement,
        plastic: &Plastic,
        dt: f64,
    ) -> bool {
        let size = self.size();
        let back = place.rotation.transpose();
        let left = |k: &Member| back * (particles[k.particle].pred.x - place.goal(k.rest));
        let most = self.members.iter().map(|k| left(k).length());
        if most.fold(0.0, f64::max) <= plastic.plastic_yield * size {
            return false;
        }
        let flows: Vec<DVec3> = self.members.iter().map(left).collect();
        // More than the whole way in a substep would overshoot.
        let part = (plastic.creep * dt).min(1.0);
        for (k, d) in self.members.iter_mut().zip(flows) {
            let flowed = k.rest + d * part - k.original;
            k.rest = k.original + flowed.clamp_length_max(plastic.max_flow * size);
        }
        true
    }
}
