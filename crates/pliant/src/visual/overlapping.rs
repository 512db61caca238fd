//! Which primitives overlap now, by the three stages of a step.

use super::hull::Placed;
use super::sat::{Feature, Solid, separation};
use crate::dynamics::contacts::hulls::candidates::{Apart, Candidates, Scene};
use crate::world::World;
use glam::Vec3;

impl World {
    /// Pairs of primitives that overlap where they are now, of different bodies, or of far parts of one: bodies by their boxes, primitives by
    /// trees, separating axes. Each is named by the place of its body and its number; pairs ascend.
    #[doc(hidden)]
    pub fn overlapping_primitives(&self) -> Vec<[(u32, u32); 2]> {
        let scene = Scene {
            bodies: &self.bodies,
            visuals: &self.visuals,
            points: &self.points,
            oriented: &self.oriented,
            rigids: &self.rigids,
            gravity: Vec3::ZERO,
            h: 0.0,
        };
        let mut candidates = Candidates::default();
        candidates.find(&scene, &[], &Apart::default(), 0.0);
        let [mut one, mut two] = [Placed::default(), Placed::default()];
        let mut found = Vec::new();
        for pair in &candidates.pairs {
            let [p, q] = [pair.a, pair.b].map(|slot| candidates.used[slot as usize]);
            let of = |body: u32| self.visuals[body as usize].as_deref();
            let (Some(a), Some(b)) = (of(p.0), of(q.0)) else {
                continue;
            };
            let (k, l) = (p.1 as usize, q.1 as usize);
            let (at, to) = (a.pose(k), b.pose(l));
            a.hulls[k].place(at.d, &mut one);
            b.hulls[l].place(to.d, &mut two);
            let first = Solid {
                hull: &a.hulls[k],
                placed: &one,
            };
            let second = Solid {
                hull: &b.hulls[l],
                placed: &two,
            };
            if separation(first, second, to.x - at.x, 0.0, &mut Feature::None).is_some() {
                found.push([p, q]);
            }
        }
        // Candidates ascend by pairs of bodies.
        found.sort_unstable();
        found
    }
}
