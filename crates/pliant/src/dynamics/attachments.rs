//! Particles of soft bodies that are tied to what is rigid \[MCM16 §3.4\]: a rope to its planks, a tyre to its wheel.

use super::contacts::hulls::cast::{Cast, Originals, Who};
use super::contacts::statics::Placed;
use super::frame::Frame;
use crate::state::BodyId;
use glam::{Quat, Vec3};

/// What something is tied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// What never moves.
    World,
    /// An obstacle, by its place among them.
    Collider(u32),
    /// A rigid body.
    Body(BodyId),
}

/// A primitive of a soft body that is tied to something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The soft body.
    pub soft: BodyId,
    /// Its primitive.
    pub primitive: u32,
    /// What it is tied to.
    pub to: Ground,
    /// Where, in the axes of that, from its centre (m).
    pub at: Vec3,
    /// How the primitive is turned against that.
    pub turn: Quat,
}

/// An attachment in a substep, by frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    soft: u32,
    ground: u32,
    at: Vec3,
    turn: Quat,
}

impl Tie {
    /// The tie of an oriented particle to something; none if that is gone.
    pub(crate) fn new(
        cast: &mut Cast,
        movers: &Originals,
        attachment: &Attachment,
        particle: u32,
        body_of: impl Fn(BodyId) -> Option<usize>,
        placed: &[Placed],
    ) -> Option<Self> {
        let ground = match attachment.to {
            Ground::World => 0,
            Ground::Collider(c) if (c as usize) < placed.len() => cast.of_collider(c as usize),
            Ground::Collider(_) => return None,
            Ground::Body(id) => cast.of_body(body_of(id)?)?,
        };
        Some(Self {
            soft: cast.of(movers, Who::Oriented(particle)),
            ground,
            at: attachment.at,
            turn: attachment.turn,
        })
    }

    /// Puts both where the other is, by what they weigh.
    pub(crate) fn solve(&self, frames: &mut [Frame]) {
        let pair = frames.get_disjoint_mut([self.soft as usize, self.ground as usize]);
        let Ok([soft, ground]) = pair else { return };
        let arm = ground.arm(self.at);
        let apart = ground.x + arm - soft.x;
        let length = apart.length();
        if length > 0.0 && soft.inv_mass + ground.inv_mass > 0.0 {
            let n = apart / length;
            let push = n * (length / (soft.inv_mass + ground.give(arm, n)));
            soft.push(Vec3::ZERO, push);
            ground.push(arm, -push);
        }
        // A primitive is too small to turn what it is tied to.
        if soft.inv_mass > 0.0 {
            soft.rotation = (ground.rotation * self.turn).normalize();
        }
    }
}
