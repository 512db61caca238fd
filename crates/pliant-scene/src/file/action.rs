//! `[[action]]`: what happens to the bodies while the scene runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::collider::{MotionKey, check_motion, check_times};
use super::error::{SceneError, alternatives};
use super::names::Names;
use super::shape::{Carrier, Shape};

/// The names of the fields of which an action has exactly one.
const VERBS: [&str; 12] = [
    "cut", "shoot", "pull", "pin", "impulse", "tool", "change", "gravity", "wind", "fracture",
    "drive", "steer",
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
    /// Drags the particles in a ball to another place or along a path.
    pub pull: Option<Pull>,
    /// Holds the particles in a ball.
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
    /// Breaks what is at a point.
    pub fracture: Option<Fracture>,
    /// Turns joints at a speed.
    pub drive: Option<Drive>,
    /// Turns joints to an angle.
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
    /// Drags the particles in a ball to another place or along a path.
    Pull(&'a Pull),
    /// Holds the particles in a ball.
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
    /// Breaks what is at a point.
    Fracture(&'a Fracture),
    /// Turns joints at a speed.
    Drive(&'a Drive),
    /// Turns joints to an angle.
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

/// Drags the particles in a ball to another place, or along a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Centre of the ball (m).
    pub at: [f32; 3],
    /// Radius of the ball (m).
    pub radius: f32,
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

/// Holds the particles in a ball.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Centre of the ball (m).
    pub at: [f32; 3],
    /// Radius of the ball (m).
    pub radius: f32,
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

/// Breaks what is at a point.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fracture {
    /// Centre of the pattern (m).
    pub at: [f32; 3],
    /// A `[pattern.NAME]` or a kind of pattern; the material's own if omitted.
    pub pattern: Option<String>,
}

/// Turns joints at a speed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Name of the joint; a `*` at the end stands for anything.
    pub joint: String,
    /// Speed (degrees/s), of a slide (m/s).
    pub speed: f32,
    /// When it stops (s); never if omitted.
    pub until: Option<f32>,
}

/// Turns joints to an angle.
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
            .or_else(|| self.pin.as_ref().map(Verb::Pin))
            .or_else(|| self.impulse.as_ref().map(Verb::Impulse))
            .or_else(|| self.tool.as_ref().map(Verb::Tool))
            .or_else(|| self.change.as_ref().map(Verb::Change))
            .or_else(|| self.gravity.as_ref().map(Verb::Gravity))
            .or_else(|| self.wind.as_ref().map(Verb::Wind))
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
            self.pin.is_some(),
            self.impulse.is_some(),
            self.tool.is_some(),
            self.change.is_some(),
            self.gravity.is_some(),
            self.wind.is_some(),
            self.fracture.is_some(),
            self.drive.is_some(),
            self.steer.is_some(),
        ];
        let named = VERBS.into_iter().zip(present);
        named.filter_map(|(name, is)| is.then_some(name)).collect()
    }

    pub(super) fn check(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        at.number("at", self.at, Range::NOT_NEGATIVE)?;
        match self.verb_names().as_slice() {
            [] => Err(at.error(format_args!(
                "the action does nothing, expected one of {}",
                alternatives(&VERBS)
            ))),
            [verb] => self.check_verb(at.field(verb), names),
            [first, second, ..] => Err(at.field(second).key_error(format_args!(
                "the action has both `{first}` and `{second}`, expected an [[action]] for each"
            ))),
        }
    }

    fn check_verb(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        match self.verb() {
            Some(Verb::Cut(cut)) => {
                at.direction("normal", cut.normal)?;
                at.number("half", cut.half, Range::POSITIVE)?;
                at.number("across", cut.across, Range::POSITIVE)?;
                if cut.half.is_none() && (cut.along.is_some() || cut.across.is_some()) {
                    return Err(at.error(
                        "the blade has a direction but no size, expected `half` beside `along` and `across`",
                    ));
                }
                if let Some(along) = cut.along {
                    at.direction("along", along)?;
                }
                names.check_body(at.field("body"), cut.body.as_deref())
            }
            Some(Verb::Shoot(shoot)) => {
                at.number("radius", shoot.radius, Range::POSITIVE)?;
                at.number("mass", shoot.mass, Range::POSITIVE)?;
                at.until(self.at, shoot.until)
            }
            Some(Verb::Pull(pull)) => {
                at.number("radius", pull.radius, Range::POSITIVE)?;
                check_way(pull, at)?;
                at.until(self.at, pull.until)
            }
            Some(Verb::Pin(pin)) => {
                at.number("radius", pin.radius, Range::POSITIVE)?;
                at.until(self.at, pin.until)
            }
            Some(Verb::Impulse(impulse)) => at.number("radius", impulse.radius, Range::POSITIVE),
            Some(Verb::Tool(tool)) => {
                let Some(shape) = &tool.shape else {
                    return Err(at.error("the tool has no `shape`, expected one"));
                };
                shape.check(at.field("shape"), Carrier::Collider)?;
                at.number("friction", tool.friction, Range::NOT_NEGATIVE)?;
                check_motion(&tool.motion, at.field("motion"))?;
                at.until(self.at, tool.until)
            }
            Some(Verb::Change(change)) => {
                at.number("stiffness", change.stiffness, Range::UNIT)?;
                at.number("yield", change.r#yield, Range::NOT_NEGATIVE)?;
                at.number("flow", change.flow, Range::UNIT)?;
                names.check_body(at.field("body"), change.body.as_deref())
            }
            Some(Verb::Gravity(_)) | None => Ok(()),
            Some(Verb::Wind(wind)) => at.until(self.at, wind.until),
            Some(Verb::Fracture(fracture)) => {
                names.check_pattern(at.field("pattern"), fracture.pattern.as_deref())
            }
            Some(Verb::Drive(drive)) => {
                names.check_joint(at.field("joint"), &drive.joint)?;
                at.until(self.at, drive.until)
            }
            Some(Verb::Steer(steer)) => {
                names.check_joint(at.field("joint"), &steer.joint)?;
                at.until(self.at, steer.until)
            }
        }
    }
}

/// Refuses a pull that knows no way or two, and a path that goes back in time.
fn check_way(pull: &Pull, at: At<'_>) -> Result<(), SceneError> {
    match (&pull.to, &pull.path) {
        (None, None) => Err(at.error("the pull has neither `to` nor `path`, expected one of them")),
        (Some(_), Some(_)) => Err(at
            .field("path")
            .key_error("the pull has both `to` and `path`, expected one of them")),
        (Some(_), None) => Ok(()),
        (None, Some(keys)) => {
            let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
            check_times(&times, at.field("path"))
        }
    }
}
