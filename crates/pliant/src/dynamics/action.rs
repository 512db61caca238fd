//! What a script or a hand does to the world.

use crate::state::{BodyId, Points};
use glam::Vec3;

/// Something that happens at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// When it begins (s).
    pub at: f64,
    /// What it is.
    pub kind: ActionKind,
}

/// The kinds of actions.
#[derive(Clone, Debug, PartialEq)]
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
    /// Grabs the particles in a ball and carries them along a straight line.
    Pull {
        /// Centre of the ball (m).
        at: Vec3,
        /// Its radius (m).
        radius: f32,
        /// Where the centre goes (m).
        to: Vec3,
        /// When it arrives and lets go (s).
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
        /// Half the side of a square blade (m); infinite cuts by the whole plane.
        half: f32,
        /// The body that is cut, or all.
        body: Option<BodyId>,
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
    /// What makes the action meaningless, if anything does.
    pub fn complaint(&self) -> Option<&'static str> {
        let positive = |x: f32| x > 0.0 && x.is_finite();
        match *self {
            Self::Shoot {
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
                to,
                until,
            } => {
                let ok = at.is_finite() && to.is_finite() && positive(radius) && !until.is_nan();
                (!ok).then_some("a pull needs finite places and a radius above 0")
            }
            Self::Pin { at, radius, until } => {
                let ok = at.is_finite() && positive(radius) && !until.is_nan();
                (!ok).then_some("a pin needs a finite place and a radius above 0")
            }
            Self::Impulse {
                at,
                radius,
                velocity,
            } => {
                let ok = at.is_finite() && positive(radius) && velocity.is_finite();
                (!ok).then_some("an impulse needs a finite place and velocity and a radius above 0")
            }
            Self::Cut {
                point,
                normal,
                half,
                ..
            } => {
                let ok =
                    point.is_finite() && normal.is_finite() && normal != Vec3::ZERO && half > 0.0;
                (!ok).then_some("a cut needs a finite plane with a direction and a blade above 0")
            }
            Self::Wind { velocity, until } => {
                let ok = velocity.is_finite() && !until.is_nan();
                (!ok).then_some("a wind needs a finite velocity")
            }
        }
    }
}

/// How fast a body takes on the velocity of the air (1/s).
pub const WIND_RATE: f32 = 1.0;

/// Particles that follow a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grab {
    /// The particles and where they were when it began.
    pub held: Vec<(u32, Vec3)>,
    /// How far the hand goes (m).
    pub travel: Vec3,
    /// When it began (s).
    pub start: f64,
    /// When it lets go (s).
    pub until: f64,
}

impl Grab {
    /// Grabs the points within `radius` of `at`; they become kinematic.
    pub fn new(
        points: &mut Points,
        at: Vec3,
        radius: f32,
        travel: Vec3,
        start: f64,
        until: f64,
    ) -> Self {
        let inside =
            (0..points.len()).filter(|&i| points.x[i].distance_squared(at) <= radius * radius);
        let held: Vec<(u32, Vec3)> = inside.map(|i| (i as u32, points.x[i])).collect();
        for &(i, _) in &held {
            points.inv_mass[i as usize] = 0.0;
        }
        Self {
            held,
            travel,
            start,
            until,
        }
    }

    /// Puts the predicted positions where the hand is at `time`.
    pub fn carry(&self, points: &mut Points, time: f64) {
        let span = self.until - self.start;
        let t = if span > 0.0 && span.is_finite() {
            ((time - self.start) / span).clamp(0.0, 1.0) as f32
        } else {
            0.0
        };
        for &(i, from) in &self.held {
            points.pred[i as usize].set_position(from + self.travel * t);
        }
    }

    /// Lets go.
    pub fn release(&self, points: &mut Points) {
        for &(i, _) in &self.held {
            points.inv_mass[i as usize] = 1.0 / points.mass[i as usize];
        }
    }
}
