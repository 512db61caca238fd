//! The built-in scenes of oriented particles, for long.

use crate::reproduce::{Bench, LabError, scenes};

/// The scenes.
const SCENES: [&str; 7] = [
    "octopus",
    "pancreas",
    "tree",
    "toys",
    "chain",
    "cloth-hair",
    "trucks",
];
/// Frames of a run, and of a long one.
const FRAMES: [usize; 2] = [100, 1000];

/// Every scene stays finite, and is the same for one and for two threads.
pub(super) fn same_and_finite(bench: &mut Bench) -> Result<(), LabError> {
    let frames = FRAMES[usize::from(bench.options.long)];
    scenes::same_and_finite(bench, &SCENES, frames)
}
