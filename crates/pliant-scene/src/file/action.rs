//! `[[action]]`: what happens to the bodies while the scene runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collider::MotionKey;
use super::shape::Shape;

mod checks;

/// The names of the fields of which an action has exactly one.
const VERBS: [&str; 14] = [
    "cut", "shoot", "pull", "turn", "pin", "impulse", "tool", "change", "gravity", "wind",
    "squeeze", "fracture", "drive", "steer",
];

/// `[[action]]`: something that happens at a time. Exactly one of the verbs is present; see [`Action::verb`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// When it starts (s).
    pub at: f32,
    /// Cuts along a plane.
    pub cut: Option<Cut>,
    /// Shoots a ball.
    pub shoot: Option<Shoot>,
    /// Drags the particles in a ball or a box to another place or along a path.
    pub pull: Option<Pull>,
    /// Turns the particles in a ball or a box about a line.
    pub turn: Option<Turn>,
    /// Holds the particles in a ball or a box.
    pub pin: Option<Pin>,
    /// Gives the particles in a ball a velocity.
    pub impulse: Option<Impulse>,
    /// Puts an obstacle into the scene for a while.
    pub tool: Option<Tool>,
    /// Changes what bodies are made of.
    pub change: Option<Change>,
    /// Changes gravity.
    pub gravity: Option<Gravity>,
    /// Lets the wind blow.
    pub wind: Option<Wind>,
    /// Draws particles towards a plane.
    pub squeeze: Option<Squeeze>,
    /// Breaks what is at a point.
    pub fracture: Option<Fracture>,
    /// Turns hinges and wheels, or moves slides, at a speed.
    pub drive: Option<Drive>,
    /// Turns wheels to an angle.
    pub steer: Option<Steer>,
}

/// What an action does.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Verb<'a> {
    /// Cuts along a plane.
    Cut(&'a Cut),
    /// Shoots a ball.
    Shoot(&'a Shoot),
    /// Drags the particles in a ball or a box to another place or along a path.
    Pull(&'a Pull),
    /// Turns the particles in a ball or a box about a line.
    Turn(&'a Turn),
    /// Holds the particles in a ball or a box.
    Pin(&'a Pin),
    /// Gives the particles in a ball a velocity.
    Impulse(&'a Impulse),
    /// Puts an obstacle into the scene for a while.
    Tool(&'a Tool),
    /// Changes what bodies are made of.
    Change(&'a Change),
    /// Changes gravity.
    Gravity(&'a Gravity),
    /// Lets the wind blow.
    Wind(&'a Wind),
    /// Draws particles towards a plane.
    Squeeze(&'a Squeeze),
    /// Breaks what is at a point.
    Fracture(&'a Fracture),
    /// Turns hinges and wheels, or moves slides, at a speed.
    Drive(&'a Drive),
    /// Turns wheels to an angle.
    Steer(&'a Steer),
}

/// Cuts along a plane.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// A point of the plane, the middle of the blade (m).
    pub point: [f32; 3],
    /// The plane's normal; need not have unit length.
    pub normal: [f32; 3],
    /// The body to cut; all of them if omitted.
    pub body: Option<String>,
    /// Half of the blade's size: nothing further than this from `point` is cut (m); infinite if omitted.
    pub half: Option<f32>,
    /// The direction of a side of the blade; if omitted any in the plane.
    pub along: Option<[f32; 3]>,
    /// Half of the blade's size across that side (m); `half` if omitted.
    pub across: Option<f32>,
}

/// Shoots a ball.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shoot {
    /// Where the ball starts (m).
    pub from: [f32; 3],
    /// Its velocity (m/s).
    pub velocity: [f32; 3],
    /// Its radius (m).
    pub radius: Option<f32>,
    /// Its mass (kg).
    pub mass: Option<f32>,
    /// When it vanishes (s); never if omitted.
    pub until: Option<f32>,
}

/// Drags the particles in a ball or a box to another place, or along a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Centre of the ball or the box (m).
    pub at: [f32; 3],
    /// Radius of the ball (m).
    pub radius: Option<f32>,
    /// Half of the size of the box along each axis (m), in place of `radius`.
    pub half: Option<[f32; 3]>,
    /// Where the centre goes (m).
    pub to: Option<[f32; 3]>,
    /// Where the centre goes, in straight lines from place to place, in place of `to`.
    pub path: Option<Vec<PathKey>>,
    /// When it lets go (s). With `to` that is also when it arrives, at the end of the run if omitted; with `path` it never lets go if
    /// omitted.
    pub until: Option<f32>,
}

/// A place of a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathKey {
    /// When (s); later than the key before.
    pub time: f32,
    /// Where (m).
    pub position: [f32; 3],
}

/// Turns the particles in a ball or a box about a line, evenly, and lets go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Centre of the ball or the box, through which the line goes (m).
    pub at: [f32; 3],
    /// Direction of the line; need not have unit length.
    pub axis: [f32; 3],
    /// Radius of the ball (m).
    pub radius: Option<f32>,
    /// Half of the size of the box along each axis (m), in place of `radius`.
    pub half: Option<[f32; 3]>,
    /// The angle in all (degrees), against the clock for whoever looks against the axis; 720 is two turns.
    pub degrees: f32,
    /// When it has turned so far and lets go (s).
    pub until: f32,
}

/// Holds the particles in a ball or a box.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Centre of the ball or the box (m).
    pub at: [f32; 3],
    /// Radius of the ball (m).
    pub radius: Option<f32>,
    /// Half of the size of the box along each axis (m), in place of `radius`.
    pub half: Option<[f32; 3]>,
    /// When it lets go (s); never if omitted.
    pub until: Option<f32>,
}

/// Gives the particles in a ball a velocity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impulse {
    /// Centre of the ball (m).
    pub at: [f32; 3],
    /// Radius of the ball (m).
    pub radius: f32,
    /// What is added to their velocity (m/s).
    pub velocity: [f32; 3],
}

/// An obstacle that is there for a while.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its shape.
    pub shape: Option<Shape>,
    /// Friction coefficient; 0.5 if omitted.
    pub friction: Option<f32>,
    /// Where it is when.
    pub motion: Vec<MotionKey>,
    /// When it is taken away (s); never if omitted.
    pub until: Option<f32>,
}

/// Changes what bodies are made of; what is omitted stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The body; all of them if omitted.
    pub body: Option<String>,
    /// K.
    pub stiffness: Option<f32>,
    /// ε_Y, log strain.
    pub r#yield: Option<f32>,
    /// ν, per 1/60 s.
    pub flow: Option<f32>,
    /// κ.
    pub hardening: Option<f32>,
}

/// Changes gravity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gravity {
    /// What it becomes (m/s²).
    pub acceleration: [f32; 3],
}

/// Lets the wind blow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air (m/s).
    pub velocity: [f32; 3],
    /// When it stops (s); never if omitted.
    pub until: Option<f32>,
}

/// Draws particles towards a plane, the more the farther they are from it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squeeze {
    /// A point of the plane (m).
    pub point: [f32; 3],
    /// The plane's normal; need not have unit length.
    pub normal: [f32; 3],
    /// Acceleration per distance from the plane (1/s²); below 0 it draws away from it.
    pub strength: f32,
    /// The body to squeeze; all of them if omitted.
    pub body: Option<String>,
    /// When it stops (s); never if omitted.
    pub until: Option<f32>,
}

/// Breaks what is at a point.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fracture {
    /// Centre of the pattern (m).
    pub at: [f32; 3],
    /// A `[pattern.NAME]` or a kind of pattern; the material's own if omitted.
    pub pattern: Option<String>,
    /// The body to break, or what is left of it, where it is nearest to the place; the nearest body if omitted.
    pub body: Option<String>,
}

/// Turns hinges and wheels, or moves slides, at a speed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Name of the joint; a `*` at the end stands for anything.
    pub joint: String,
    /// Speed (degrees/s), of a slide (m/s).
    pub speed: f32,
    /// The most it can exert (N m), of a slide (N); what the joint's own motor can if omitted. Joints of mesh files have no motor.
    pub torque: Option<f32>,
    /// When it stops (s); never if omitted.
    pub until: Option<f32>,
}

/// Turns wheels to an angle.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steer {
    /// Name of the joint; a `*` at the end stands for anything.
    pub joint: String,
    /// Angle (degrees).
    pub angle: f32,
    /// When it stops (s); never if omitted.
    pub until: Option<f32>,
}

impl Action {
    /// What the action does; the first of its verbs, in the order of the fields.
    ///
    /// A scene that came out of [`parse_scene`](super::parse_scene) has exactly one.
    pub fn verb(&self) -> Option<Verb<'_>> {
        let cut = self.cut.as_ref().map(Verb::Cut);
        cut.or_else(|| self.shoot.as_ref().map(Verb::Shoot))
            .or_else(|| self.pull.as_ref().map(Verb::Pull))
            .or_else(|| self.turn.as_ref().map(Verb::Turn))
            .or_else(|| self.pin.as_ref().map(Verb::Pin))
            .or_else(|| self.impulse.as_ref().map(Verb::Impulse))
            .or_else(|| self.tool.as_ref().map(Verb::Tool))
            .or_else(|| self.change.as_ref().map(Verb::Change))
            .or_else(|| self.gravity.as_ref().map(Verb::Gravity))
            .or_else(|| self.wind.as_ref().map(Verb::Wind))
            .or_else(|| self.squeeze.as_ref().map(Verb::Squeeze))
            .or_else(|| self.fracture.as_ref().map(Verb::Fracture))
            .or_else(|| self.drive.as_ref().map(Verb::Drive))
            .or_else(|| self.steer.as_ref().map(Verb::Steer))
    }

    /// Which of [`VERBS`] are present.
    fn verb_names(&self) -> Vec<&'static str> {
        let present = [
            self.cut.is_some(),
            self.shoot.is_some(),
            self.pull.is_some(),
            self.turn.is_some(),
            self.pin.is_some(),
            self.impulse.is_some(),
            self.tool.is_some(),
            self.change.is_some(),
            self.gravity.is_some(),
            self.wind.is_some(),
            self.squeeze.is_some(),
            self.fracture.is_some(),
            self.drive.is_some(),
            self.steer.is_some(),
        ];
        let named = VERBS.into_iter().zip(present);
        named.filter_map(|(name, is)| is.then_some(name)).collect()
    }
}
