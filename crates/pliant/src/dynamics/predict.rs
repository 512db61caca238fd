//! Where everything would go without constraints.

use super::action::Squeeze;
use crate::parallel::{self, PerRange};
use crate::state::{Points, Rigids};
use glam::Vec3;
use std::ops::Range;

/// What moves the free points of one substep.
#[derive(Clone, Copy, Debug)]
pub struct Forces<'a> {
    /// Acceleration (m/s²).
    pub gravity: Vec3,
    /// Velocity of the air and how fast bodies take it on (m/s, 1/s); (0, 0) without wind.
    pub wind: (Vec3, f32),
    /// What squeezes which points; blocks lie in or outside of a range as a whole.
    pub squeezes: &'a [(Range<usize>, Squeeze)],
    /// Length of the substep (s).
    pub dt: f32,
}

impl Forces<'_> {
    /// Acceleration of what has velocity `v` (m/s²).
    #[inline]
    pub fn acceleration(&self, v: Vec3) -> Vec3 {
        self.gravity + (self.wind.0 - v) * self.wind.1
    }

    #[inline]
    fn accelerate(&self, v: Vec3) -> Vec3 {
        v + self.acceleration(v) * self.dt
    }

    /// What squeezes the points of a block.
    fn squeezes_of(&self, block: &Range<usize>) -> Vec<Squeeze> {
        let own = self.squeezes.iter();
        let own = own.filter(|(points, _)| points.contains(&block.start));
        own.map(|(_, squeeze)| *squeeze).collect()
    }
}

impl Squeeze {
    /// Acceleration of what is at a place (m/s²).
    #[inline]
    fn acceleration(&self, x: Vec3) -> Vec3 {
        self.normal * (-self.strength * (x - self.point).dot(self.normal))
    }
}

/// v ← v + Δt a, x* ← x + Δt v for free points; kinematic points stay where their script has put `pred`.
///
/// What the rounding of x* adds to Σ m Δx is added to `residue`, one entry a block.
pub fn predict_points(
    forces: &Forces<'_>,
    blocks: &[Range<usize>],
    points: &mut Points,
    residue: &mut [Vec3],
) {
    let (x, mass, inv_mass) = (&points.x, &points.mass, &points.inv_mass);
    let columns = (&mut points.v[..], &mut points.pred[..], PerRange(residue));
    parallel::for_each_range(blocks, columns, &|_, range, (v, pred, residue)| {
        let squeezes = forces.squeezes_of(&range);
        for (l, i) in range.enumerate() {
            if inv_mass[i] > 0.0 {
                v[l] = forces.accelerate(v[l]);
                for squeeze in &squeezes {
                    v[l] += squeeze.acceleration(x[i]) * forces.dt;
                }
                let step = v[l] * forces.dt;
                let p = x[i] + step;
                pred[l].set_position(p);
                residue.0[0] += ((p - x[i]) - step) * mass[i];
            }
        }
    });
}

/// The same for rigid movers, with spin.
pub fn predict_rigids(forces: &Forces<'_>, rigids: &mut Rigids) {
    for i in 0..rigids.len() {
        rigids.v[i] += forces.gravity * forces.dt;
        rigids.pred[i] = rigids.x[i] + rigids.v[i] * forces.dt;
        rigids.shift[i] = Vec3::ZERO;
        rigids.turn[i] = rigids.spin[i] * forces.dt;
    }
}
