//! Experiments of \[MC11\]: solids of oriented particles.
//!
//! Most experiments are those of the reference, which does not care who steps a body: the engine steps the very same ones.
//!
//! | file | experiments |
//! |---|---|
//! | `invariants.rs` | E1, E2: momentum, rigid motions |
//! | `rod.rs` | E3: a clamped rod |
//! | `rotation.rs` | E4: what free bodies lose of their angular momentum |
//! | `small.rs` | E5, E6, E7: torsion, a sheet, one and two particles |
//! | `rest.rs` | E8: ellipsoids fall and come to rest |
//! | `wheel.rs` | E9: joints |
//! | `skinning.rs` | E10: a mesh that is carried |
//! | `skins/` | E10: the same particles with and without their turns, in a picture |
//! | `bend.rs` | E11: plastic bends |
//! | `bends/` | bends: whole figures, bent and twisted by 90° |
//! | `threads.rs` | E12: the number of threads does not show |
//! | `scenes.rs` | scenes: all built-in ones stay finite, for any number of threads |
//! | `stepper.rs` | the engine as something that steps bodies of the reference |
//! | `pictures.rs` | plots and pictures |

mod bend;
mod bends;
mod invariants;
mod pictures;
mod rest;
mod rod;
mod rotation;
mod scenes;
mod skinning;
mod skins;
mod small;
mod stepper;
mod threads;
mod wheel;

use super::Experiment;

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "oriented/E1",
        title: "a free body keeps its momentum",
        run: invariants::momentum,
    },
    Experiment {
        id: "oriented/E2",
        title: "a rigid motion of everything moves the result",
        run: invariants::rigid_motion,
    },
    Experiment {
        id: "oriented/E3",
        title: "a clamped rod stands out, one of plain particles swings down",
        run: rod::clamped,
    },
    Experiment {
        id: "oriented/E4",
        title: "free rotation loses angular momentum at the known rate",
        run: rotation::free,
    },
    Experiment {
        id: "oriented/E5",
        title: "a turn about its axis goes all along a rod",
        run: small::torsion,
    },
    Experiment {
        id: "oriented/E6",
        title: "a crumpled sheet becomes flat",
        run: small::sheet,
    },
    Experiment {
        id: "oriented/E7",
        title: "one and two particles in a fast spin",
        run: small::few,
    },
    Experiment {
        id: "oriented/E8",
        title: "ellipsoids come to rest on their flat side",
        run: rest::ellipsoids,
    },
    Experiment {
        id: "oriented/E9",
        title: "a wheel turns on shared hub particles, unless their moments count",
        run: wheel::joint,
    },
    Experiment {
        id: "oriented/E10",
        title: "a mesh is carried by particles",
        run: skinning::carried,
    },
    Experiment {
        id: "oriented/E11",
        title: "a rod that is bent past its yield stays bent",
        run: bend::past_yield,
    },
    Experiment {
        id: "oriented/E12",
        title: "the number of threads does not show",
        run: threads::same_bits,
    },
    Experiment {
        id: "oriented/bends",
        title: "covered figures are bent and twisted by 90°, and drawn at a limb",
        run: bends::figures,
    },
    Experiment {
        id: "oriented/scenes",
        title: "all scenes stay finite, for any number of threads (long: 1000 frames)",
        run: scenes::same_and_finite,
    },
];
