//! `[[collider]]`: rigid obstacles that stand still or follow a script.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;
use super::shape::{Carrier, Shape};

/// `[[collider]]`: a rigid obstacle, made of a `shape` or of `hands`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// A name that joints and attachments can refer to.
    pub name: Option<String>,
    /// The obstacle's shape.
    pub shape: Option<Shape>,
    /// A file of moving capsules, relative to the scene file.
    pub hands: Option<String>,
    /// Where the shape's origin goes (m).
    pub position: Option<[f32; 3]>,
    /// Angles about the fixed x, then y, then z axis (degrees).
    pub rotation: Option<[f32; 3]>,
    /// Friction coefficient; 0.5 if omitted.
    pub friction: Option<f32>,
    /// A script that takes the place of `position` and `rotation`.
    pub motion: Option<Vec<MotionKey>>,
    /// The point about which the motion's rotation turns the collider, its position included (m).
    pub pivot: Option<[f32; 3]>,
    /// How the motion goes from key to key; linear if omitted.
    pub ease: Option<Ease>,
    /// Whether the motion starts again after its last key; otherwise the collider rests.
    #[serde(rename = "loop")]
    pub looped: Option<bool>,
}

/// A moment of a motion. Position and the three angles are interpolated separately.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionKey {
    /// When (s); later than the key before.
    pub time: f32,
    /// Position (m); if omitted that of the key before.
    pub position: Option<[f32; 3]>,
    /// Angles about the fixed x, then y, then z axis (degrees), not reduced to one turn; if omitted those of the key before.
    pub rotation: Option<[f32; 3]>,
}

/// How a motion goes from key to key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ease {
    /// With constant speed between keys.
    #[default]
    Linear,
    /// With zero speed at keys.
    Smooth,
}

impl Collider {
    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("friction", self.friction, Range::NOT_NEGATIVE)?;
        match (&self.shape, &self.hands) {
            (Some(shape), None) => shape.check(at.field("shape"), Carrier::Collider)?,
            (None, Some(file)) => at.path("hands", Some(file))?,
            (Some(_), Some(_)) => {
                return Err(at
                    .field("hands")
                    .key_error("the collider has both `shape` and `hands`, expected one of them"));
            }
            (None, None) => {
                return Err(
                    at.error("the collider has neither `shape` nor `hands`, expected one of them")
                );
            }
        }
        let at_motion = at.field("motion");
        if let Some(keys) = &self.motion {
            check_motion(keys, at_motion)?;
        }
        if self.looped == Some(true) && self.motion.as_ref().is_some_and(|keys| keys.len() < 2) {
            return Err(at_motion.error("`motion` has 1 key, expected at least 2 for a loop"));
        }
        Ok(())
    }
}

pub(super) fn check_motion(keys: &[MotionKey], at: At<'_>) -> Result<(), SceneError> {
    if keys.is_empty() {
        return Err(at.error("`motion` is empty, expected at least one key"));
    }
    let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
    check_times(&times, at)
}

/// Refuses keys whose times do not ascend.
pub(super) fn check_times(times: &[f32], at: At<'_>) -> Result<(), SceneError> {
    for (index, &time) in times.iter().enumerate() {
        let at = at.element(index);
        at.number("time", time, Range::NOT_NEGATIVE)?;
        if let Some(before) = index.checked_sub(1).map(|before| times[before])
            && time <= before
        {
            return Err(at.field("time").error(format_args!(
                "`time` is {time}, expected a time after the key before, which is at {before}"
            )));
        }
    }
    Ok(())
}
