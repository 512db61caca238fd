//! What a script or a hand does to the world.

use super::collider::{Collider, MotionKey};
use super::grab::Grip;
use crate::state::BodyId;
use crate::surface::cut::Blade;
use crate::visual::PatternDesc;
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
    /// Grabs particles and carries them along a path.
    Pull {
        /// Which particles.
        grip: Grip,
        /// Where the middle of the grip goes, in straight lines from where it is; times ascend. It stays at the last place.
        path: Vec<PathKey>,
        /// When it lets go (s).
        until: f64,
    },
    /// Grabs particles and turns them about a line, evenly.
    Turn {
        /// Which particles; the line goes through its middle.
        grip: Grip,
        /// Direction of the line, of any length.
        axis: Vec3,
        /// The angle in all (degrees), against the clock for whoever looks against the axis.
        degrees: f32,
        /// When it has turned so far and lets go (s); not for ever.
        until: f64,
    },
    /// Holds particles where they are.
    Pin {
        /// Which particles.
        grip: Grip,
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
    /// Breaks the body of visual geometry whose surface is nearest to a place by a pattern.
    Fracture {
        /// Where (m).
        at: Vec3,
        /// By which pattern; none: by the body's own.
        pattern: Option<PatternDesc>,
        /// Only this body or what is left of it, where it is nearest to the place.
        body: Option<BodyId>,
    },
    /// Drives joints: hinges and wheels turn, slides move.
    Drive {
        /// Name of the joints; a `*` at its end stands for anything.
        joint: String,
        /// Speed (rad/s; of slides m/s).
        speed: f32,
        /// The most that is done for it in place of what the joint's motor can, which a joint of a mesh has none of (N m; of slides N).
        strength: Option<f32>,
        /// When the drive ends (s).
        until: f64,
    },
    /// Steers wheels.
    Steer {
        /// Name of the joints; a `*` at its end stands for anything.
        joint: String,
        /// Angle about the joint's y axis (rad).
        angle: f32,
        /// When wheels go back to straight ahead (s).
        until: f64,
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
    /// Draws particles towards a plane, or away from it, the more the farther they are.
    Squeeze {
        /// A point of the plane (m).
        point: Vec3,
        /// The plane's normal, of any length.
        normal: Vec3,
        /// Acceleration per distance from the plane (1/s²); below 0 away from it.
        strength: f32,
        /// The body that is squeezed, or all.
        body: Option<BodyId>,
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
            grip: Grip::Ball { at, radius },
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
            } => shot_complaint(from, velocity, [radius, mass], until),
            Self::Pull { grip, path, until } => {
                let sound = path.iter().all(|key| key.position.is_finite())
                    && path.is_sorted_by(|a, b| a.time <= b.time);
                let ok = grip.is_sound() && sound && !until.is_nan();
                (!ok)
                    .then_some("a pull needs finite places with ascending times and a size above 0")
            }
            &Self::Turn {
                grip,
                axis,
                degrees,
                until,
            } => {
                let ok = grip.is_sound() && is_direction(axis) && degrees.is_finite();
                (!(ok && until.is_finite())).then_some(
                    "a turn needs a finite place, a size above 0, an axis, an angle and an end",
                )
            }
            Self::Pin { grip, until } => {
                let ok = grip.is_sound() && !until.is_nan();
                (!ok).then_some("a pin needs a finite place and a size above 0")
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
                let ok = point.is_finite() && is_direction(normal);
                (!ok).then_some("a cut needs a finite plane with a direction")
            }
            Self::Fracture { at, .. } => {
                (!at.is_finite()).then_some("a fracture needs a finite place")
            }
            &Self::Drive {
                strength: Some(x), ..
            } if x.is_nan() || x < 0.0 => Some("a drive needs a strength of 0 or more"),
            &Self::Drive {
                speed: x, until, ..
            }
            | &Self::Steer {
                angle: x, until, ..
            } => (!x.is_finite() || until.is_nan())
                .then_some("leading a joint needs a finite number and a time at which it ends"),
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
                let ok = is_within(stiffness, 1.0)
                    && is_within(plastic_yield, f32::INFINITY)
                    && is_within(plastic_flow, 1.0)
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
            &Self::Squeeze {
                point,
                normal,
                strength,
                until,
                ..
            } => {
                let ok = point.is_finite() && is_direction(normal) && strength.is_finite();
                (!ok || until.is_nan())
                    .then_some("a squeeze needs a finite plane with a direction and a strength")
            }
        }
    }
}

/// What makes a shot meaningless, if anything does.
fn shot_complaint(from: Vec3, velocity: Vec3, sizes: [f32; 2], until: f64) -> Option<&'static str> {
    let positive = |x: f32| x > 0.0 && x.is_finite();
    if !(from.is_finite() && velocity.is_finite()) {
        Some("a shot needs a finite start and velocity")
    } else if !sizes.into_iter().all(positive) {
        Some("a shot needs a radius and a mass above 0")
    } else if until.is_nan() {
        Some("a shot needs a time at which it ends")
    } else {
        None
    }
}

/// Whether a value that may be given is from 0 to `most`.
fn is_within(value: Option<f32>, most: f32) -> bool {
    value.is_none_or(|value| (0.0..=most).contains(&value))
}

/// Whether a vector points somewhere.
fn is_direction(v: Vec3) -> bool {
    v.is_finite() && v != Vec3::ZERO
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

/// A plane that particles are drawn to for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Squeeze {
    /// A point of the plane (m).
    pub point: Vec3,
    /// The plane's normal, of unit length.
    pub normal: Vec3,
    /// Acceleration per distance from the plane (1/s²).
    pub strength: f32,
    /// The body that is squeezed, or all.
    pub body: Option<BodyId>,
    /// When it ends (s).
    pub until: f64,
}
