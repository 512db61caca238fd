//! The tracked surface at full size: motions whose result is known.

mod distance;
mod enright;
mod remesh;

use super::Experiment;

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "surface/T4",
        title: "a ball is drawn out to a thin sheet and back (Enright's test)",
        run: enright::there_and_back,
    },
    Experiment {
        id: "surface/T8",
        title: "re-meshing keeps the shape and what is in range",
        run: remesh::in_range,
    },
];
