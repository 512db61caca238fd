//! Prediction and velocities.
//!
//! Second order is the backward differentiation formula, which needs the substep before: with d = x_p − x and d' = x − x_prev,
//! v = (3 d − d')/(2Δt), and to begin with x_p = x + d'/3 + (2/3)Δt (4v − v_prev + 2Δt a)/3. The prediction has to go along with the
//! velocity: from x_p = x + Δt (v + Δt a), that velocity would make a body fall with twice the acceleration.
//!
//! Turns are treated alike in the tangent space at q, with rotation vectors in place of differences: d is that of q_p q⁻¹, d' that of
//! q q_prev⁻¹. A constant spin is kept exactly.

use super::particle::{Before, Particle};
use super::pose::{clamp_spin, same_sign, turn_by, turn_vector};
use glam::DVec3;

/// Order of the velocities in Δt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Backward differences, as in [MC11 "Integration"]: bodies lose angular momentum.
    #[default]
    First,
    /// Of second order, where there is a substep before and no contact.
    Second,
}

/// x + Δt v, the plain prediction of a difference, or that of second order.
fn predicted_move(rate: DVec3, gain: DVec3, before: Option<(DVec3, DVec3)>, dt: f64) -> DVec3 {
    match before {
        None => (rate + gain) * dt,
        Some((moved, rate_before)) => {
            let rate = (rate * 4.0 - rate_before + gain * 2.0) / 3.0;
            moved / 3.0 + rate * (dt * 2.0 / 3.0)
        }
    }
}

/// (x_p − x)/Δt, or the rate of second order.
fn rate(moved: DVec3, before: Option<DVec3>, dt: f64) -> DVec3 {
    match before {
        None => moved / dt,
        Some(before) => (moved * 3.0 - before) / (2.0 * dt),
    }
}

impl Particle {
    /// x_p and q_p [MC11 "Prediction"]; `damping` is the part of velocity and spin that is lost in a second.
    pub fn predict(&mut self, acceleration: DVec3, damping: f64, dt: f64) {
        let kept = 1.0 - damping * dt;
        self.pred = self.pose;
        self.touched = false;
        self.v *= kept;
        self.w = clamp_spin(self.w * kept, dt);
        if !self.fixed {
            let before = self.before.map(|b| (b.moved, b.v));
            self.pred.x += predicted_move(self.v, acceleration * dt, before, dt);
        }
        if self.oriented && !self.fixed_turn {
            let before = self.before.map(|b| (b.turned, b.w));
            let turn = predicted_move(self.w, DVec3::ZERO, before, dt);
            self.pred.q = (turn_by(turn) * self.pose.q).normalize();
        }
    }

    /// v and ω from what has become of the prediction [MC11 "Integration"], which becomes the pose.
    pub fn finish(&mut self, order: Order, dt: f64) {
        let moved = self.pred.x - self.pose.x;
        let turned = turn_vector(self.pred.q * self.pose.q.inverse());
        let before = self.before.filter(|_| !self.touched);
        let now = Before {
            moved,
            turned,
            v: self.v,
            w: self.w,
        };
        self.v = rate(moved, before.map(|b| b.moved), dt);
        self.w = rate(turned, before.map(|b| b.turned), dt);
        self.pose.x = self.pred.x;
        self.pose.q = same_sign(self.pred.q, self.pose.q);
        self.before = (order == Order::Second && !self.touched).then_some(now);
    }
}
