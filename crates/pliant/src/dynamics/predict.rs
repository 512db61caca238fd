//! Where everything would go without constraints.

use crate::parallel;
use crate::state::{Points, Rigids};
use glam::Vec3;
use std::ops::Range;

/// What moves the free points of one substep.
#[derive(Clone, Copy, Debug)]
pub struct Forces {
    /// Acceleration [m/s²].
    pub gravity: Vec3,
    /// Velocity of the air and how fast bodies take it on [m/s, 1/s]; (0, 0) without wind.
    pub wind: (Vec3, f32),
    /// Length of the substep [s].
    pub dt: f32,
}

impl Forces {
    #[inline]
    fn accelerate(&self, v: Vec3) -> Vec3 {
        v + (self.gravity + (self.wind.0 - v) * self.wind.1) * self.dt
    }
}

/// v ← v + Δt a, x* ← x + Δt v for free points; kinematic points stay where their script has put `pred`.
pub fn predict_points(forces: &Forces, blocks: &[Range<usize>], points: &mut Points) {
    let (x, inv_mass) = (&points.x, &points.inv_mass);
    parallel::for_each_range(blocks, (&mut points.v[..], &mut points.pred[..]), &|_,
                                                                                  range,
                                                                                  (
        v,
        pred,
    )| {
        for (l, i) in range.enumerate() {
            if inv_mass[i] > 0.0 {
                v[l] = forces.accelerate(v[l]);
                pred[l].set_position(x[i] + v[l] * forces.dt);
            }
        }
    });
}

/// The same for rigid movers, with spin.
pub fn predict_rigids(forces: &Forces, rigids: &mut Rigids) {
    for i in 0..rigids.len() {
        rigids.v[i] += forces.gravity * forces.dt;
        rigids.pred[i] = rigids.x[i] + rigids.v[i] * forces.dt;
        rigids.shift[i] = Vec3::ZERO;
        rigids.turn[i] = rigids.spin[i] * forces.dt;
    }
}
