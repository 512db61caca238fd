//! `[camera]`: where pictures are taken from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::At;
use super::error::SceneError;

/// `[camera]`: the view of pictures. What is omitted is chosen to frame the action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Where the camera is (m).
    pub eye: Option<[f32; 3]>,
    /// What it looks at (m).
    pub target: Option<[f32; 3]>,
}

impl Camera {
    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        match (self.eye, self.target) {
            (Some(eye), Some(target)) if eye == target => Err(at.field("target").error(
                "`target` is the same point as `eye`, expected a point in front of the camera",
            )),
            _ => Ok(()),
        }
    }
}
