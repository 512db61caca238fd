//! `[simulation]`: time, gravity and random numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;

/// More substeps or iterations than this are a slip of the finger.
const MOST_STEPS: u32 = 10_000;

/// `[simulation]`: how time runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// Output frames a second; 60 if omitted.
    pub fps: Option<f32>,
    /// Substeps a frame, for the whole world; if omitted the largest default among the methods present.
    pub substeps: Option<u32>,
    /// Solver iterations a substep; if omitted the default of the methods present.
    pub iterations: Option<u32>,
    /// Acceleration of gravity (m/s²); (0, -9.81, 0) if omitted.
    pub gravity: Option<[f32; 3]>,
    /// Seed of all random numbers; 1 if omitted.
    pub seed: Option<u64>,
    /// Frames to simulate; 240 if omitted.
    pub frames: Option<u32>,
}

impl Simulation {
    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("fps", self.fps, Range::POSITIVE)?;
        at.count("substeps", self.substeps, 1, MOST_STEPS)?;
        at.count("iterations", self.iterations, 1, MOST_STEPS)
    }
}
