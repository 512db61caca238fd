//! What a script or a hand does to the world.

use super::collider::{Collider, MotionKey};
use crate::state::{BodyId, Points};
use crate::surface::cut::Blade;
use glam::Vec3;

/// An action that was added to a world, in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub(crate) u64);

/// A place at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathKey {
    /// When (s).
    pub time: f64,
    /// Where (m).
    pub position: Vec3,
}

/// Something that happens at a time.
#[derive(Clone, Debug)]
pub struct Action {
    /// When it begins (s).
    pub at: f64,
    /// What it is.
    pub kind: ActionKind,
}

/// The kinds of actions.
#[derive(Clone, Debug)]
pub enum ActionKind {
    /// Throws a rigid sphere into the world.
    Shoot {
        /// Where it starts (m).
        from: Vec3,
        /// Its velocity (m/s).
        velocity: Vec3,
        /// Its radius (m).
        radius: f32,
        /// Its mass (kg).
        mass: f32,
        /// When it is taken out again (s).
        until: f64,
    },
    /// Grabs the particles in a ball and carries them along a path.
    Pull {
        /// Centre of the ball (m).
        at: Vec3,
        /// Its radius (m).
        radius: f32,
        /// Where the centre goes, in straight lines from `at`; times ascend. It stays at the last place.
        path: Vec<PathKey>,
        /// When it lets go (s).
        until: f64,
    },
    /// Holds the particles in a ball where they are.
    Pin {
        /// Centre of the ball (m).
        at: Vec3,
        /// Its radius (m).
        radius: f32,
        /// When it lets go (s).
        until: f64,
    },
    /// Adds a velocity to the particles in a ball, once.
    Impulse {
        /// Centre of the ball (m).
        at: Vec3,
        /// Its radius (m).
        radius: f32,
        /// The velocity that is added (m/s).
        velocity: Vec3,
    },
    /// Cuts tracked surfaces along a plane. Particles and groups stay as they are, so the parts still hold together.
    Cut {
        /// A point of the plane, the middle of the blade (m).
        point: Vec3,
        /// The plane's normal, of any length.
        normal: Vec3,
        /// The blade, or the whole plane.
        blade: Option<Blade>,
        /// The body that is cut, or all.
        body: Option<BodyId>,
    },
    /// An obstacle that is there for a while: a roller, a hand.
    Tool {
        /// The obstacle.
        collider: Collider,
        /// When it is taken away (s).
        until: f64,
    },
    /// Changes what bodies are made of, in the groups that they have now and in those they will get.
    Change {
        /// The body, or all.
        body: Option<BodyId>,
        /// K, if it changes.
        stiffness: Option<f32>,
        /// ε_Y, if it changes.
        plastic_yield: Option<f32>,
        /// ν, if it changes.
        plastic_flow: Option<f32>,
        /// κ, if it changes.
        hardening: Option<f32>,
    },
    /// Changes gravity.
    Gravity {
        /// The new one (m/s²).
        acceleration: Vec3,
    },
    /// Blows: particles take on the velocity of the air.
    Wind {
        /// Velocity of the air (m/s).
        velocity: Vec3,
        /// When it ends (s).
        until: f64,
    },
}

impl ActionKind {
    /// Grabs the particles in a ball and carries them along a straight line; it arrives and lets go at `until`.
    pub fn pull(at: Vec3, radius: f32, to: Vec3, until: f64) -> Self {
        let key = PathKey {
            time: until,
            position: to,
        };
        Self::Pull {
            at,
            radius,
            path: vec![key],
            until,
        }
    }

    /// What makes the action meaningless, if anything does.
    pub fn complaint(&self) -> Option<&'static str> {
        let positive = |x: f32| x > 0.0 && x.is_finite();
        match self {
            &Self::Shoot {
                from,
                velocity,
                radius,
                mass,
                until,
            } => {
                if !(from.is_finite() && velocity.is_finite()) {
                    Some("a shot needs a finite start and velocity")
                } else if !(positive(radius) && positive(mass)) {
                    Some("a shot needs a radius and a mass above 0")
                } else if until.is_nan() {
                    Some("a shot needs a time at which it ends")
                } else {
                    None
                }
            }
            Self::Pull {
                at,
                radius,
                path,
                until,
            } => {
                let sound = path.iter().all(|key| key.position.is_finite())
                    && path.is_sorted_by(|a, b| a.time <= b.time);
                let ok = at.is_finite() && sound && positive(*radius) && !until.is_nan();
                (!ok).then_some(
                    "a pull needs finite places with ascending times and a radius above 0",
                )
            }
            &Self::Pin { at, radius, until } => {
                let ok = at.is_finite() && positive(radius) && !until.is_nan();
                (!ok).then_some("a pin needs a finite place and a radius above 0")
            }
            &Self::Impulse {
                at,
                radius,
                velocity,
            } => {
                let ok = at.is_finite() && positive(radius) && velocity.is_finite();
                (!ok).then_some("an impulse needs a finite place and velocity and a radius above 0")
            }
            &Self::Cut { point, normal, .. } => {
                let ok = point.is_finite() && normal.is_finite() && normal != Vec3::ZERO;
                (!ok).then_some("a cut needs a finite plane with a direction")
            }
            Self::Tool { collider, until } => {
                let sound = |key: &MotionKey| {
                    key.position.is_finite() && key.rotation.is_finite() && !key.time.is_nan()
                };
                let keys = &collider.motion.keys;
                let ok = !keys.is_empty() && keys.iter().all(sound) && !until.is_nan();
                (!ok).then_some("a tool needs a motion of finite places")
            }
            &Self::Change {
                stiffness,
                plastic_yield,
                plastic_flow,
                hardening,
                ..
            } => {
                let within = |value: Option<f32>, most: f32| {
                    value.is_none_or(|value| (0.0..=most).contains(&value))
                };
                let ok = within(stiffness, 1.0)
                    && within(plastic_yield, f32::INFINITY)
                    && within(plastic_flow, 1.0)
                    && hardening.is_none_or(f32::is_finite);
                (!ok).then_some(
                    "a change needs a stiffness and a flow from 0 to 1 and a yield from 0",
                )
            }
            Self::Gravity { acceleration } => {
                (!acceleration.is_finite()).then_some("gravity needs to be finite")
            }
            &Self::Wind { velocity, until } => {
                let ok = velocity.is_finite() && !until.is_nan();
                (!ok).then_some("a wind needs a finite velocity")
            }
        }
    }
}

/// How fast a body takes on the velocity of the air (1/s).
pub const WIND_RATE: f32 = 1.0;

/// An obstacle that is there for a while.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The action that it came from.
    pub action: ActionId,
    /// The obstacle.
    pub collider: Collider,
    /// When it is taken away (s).
    pub until: f64,
}

/// Particles that follow a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grab {
    /// The action that it came from.
    pub action: ActionId,
    /// The particles and where they were when it began.
    pub held: Vec<(u32, Vec3)>,
    /// Where the hand began (m).
    pub from: Vec3,
    /// When it began (s).
    pub start: f64,
    /// Where the hand goes.
    pub path: Vec<PathKey>,
    /// When it lets go (s).
    pub until: f64,
}

impl Grab {
    /// Grabs the points within `radius` of `at`; they become kinematic.
    pub fn new(
        points: &mut Points,
        action: ActionId,
        at: Vec3,
        radius: f32,
        path: Vec<PathKey>,
        [start, until]: [f64; 2],
    ) -> Self {
        let inside =
            (0..points.len()).filter(|&i| points.x[i].distance_squared(at) <= radius * radius);
        let held: Vec<(u32, Vec3)> = inside.map(|i| (i as u32, points.x[i])).collect();
        for &(i, _) in &held {
            points.inv_mass[i as usize] = 0.0;
        }
        Self {
            action,
            held,
            from: at,
            start,
            path,
            until,
        }
    }

    /// How far the hand has gone at `time` (m).
    fn travel(&self, time: f64) -> Vec3 {
        let next = self.path.partition_point(|key| key.time < time);
        let Some(b) = self.path.get(next) else {
            let last = self.path.last();
            return last.map_or(Vec3::ZERO, |key| key.position - self.from);
        };
        let (since, gone) = match next.checked_sub(1) {
            Some(before) => (
                self.path[before].time,
                self.path[before].position - self.from,
            ),
            None => (self.start, Vec3::ZERO),
        };
        let span = b.time - since;
        let t = if span > 0.0 && span.is_finite() {
            ((time - since) / span).clamp(0.0, 1.0) as f32
        } else {
            0.0
        };
        gone + (b.position - self.from - gone) * t
    }

    /// Puts the predicted positions where the hand is at `time`.
    pub fn carry(&self, points: &mut Points, time: f64) {
        let travel = self.travel(time);
        for &(i, from) in &self.held {
            points.pred[i as usize].set_position(from + travel);
        }
    }

    /// Lets go.
    pub fn release(&self, points: &mut Points) {
        for &(i, _) in &self.held {
            points.inv_mass[i as usize] = 1.0 / points.mass[i as usize];
        }
    }
}
