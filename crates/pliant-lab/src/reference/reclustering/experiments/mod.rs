//! What is done to the beam, and what is measured.
//!
//! | file | experiment |
//! |---|---|
//! | [`compression`] | pressed together and let go: flowing, firm, without reclustering, reclustered in world space |
//! | [`twist`] | twisted by its ends and let go |
//! | [`sag`] | hanging from a clamp, with few to many clusters, and with every cluster made anew |
//! | [`quality`] | the embedding against its linearised form |
//! | [`spin`] | a stretched box let go: what the two rotations do to angular momentum |
//!
//! [`moment`] is what they see of a run, so that another solver can be measured by the same code.

pub mod compression;
pub mod moment;
pub mod quality;
pub mod sag;
pub mod spin;
pub mod twist;

use super::body::StepReport;

/// Adds the counts of a step to a sum.
pub fn add(total: &mut StepReport, step: &StepReport) {
    total.retired += step.retired;
    total.created += step.created;
    total.rejected += step.rejected;
    total.attached += step.attached;
    total.resets += step.resets;
    total.embed_sweeps += step.embed_sweeps;
}
