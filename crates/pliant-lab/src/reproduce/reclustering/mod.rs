//! Experiments of \[FJLSB17\]: reclustering for large plasticity in clustered shape matching.
//!
//! | file | experiments |
//! |---|---|
//! | `compression.rs` | R1–R4: a beam is pressed together and let go |
//! | `twist.rs` | R5: a beam is twisted and let go |
//! | `sag.rs` | R6, R7: a clamped beam sags |
//! | `quality.rs` | R8: the embedding against its linearised form |
//! | `spin.rs` | R9: the two rotations and angular momentum |
//! | `books.rs` | B1–B4, B7, B8, B11: what must hold in every step of every run |
//! | `invariants.rs` | B5, B6, B9, B10: what must hold for any body |
//! | `engine.rs` | B5, B12 and R9 on a small body of the engine |
//! | `scene.rs` | built-in scenes, run by the engine and seen as the reference is |
//! | `pictures.rs` | the paper's figures, by the engine |

mod books;
mod compression;
mod engine;
mod invariants;
mod pictures;
mod quality;
mod sag;
mod scene;
mod spin;
mod twist;

use super::Experiment;

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "reclustering/B1",
        title: "shares of a particle in its clusters sum to one",
        run: books::shares,
    },
    Experiment {
        id: "reclustering/B2",
        title: "masses of clusters sum to that of the body",
        run: books::masses,
    },
    Experiment {
        id: "reclustering/B3",
        title: "rest shapes are centred",
        run: books::centers,
    },
    Experiment {
        id: "reclustering/B4",
        title: "plastic flow keeps volume",
        run: books::volumes,
    },
    Experiment {
        id: "reclustering/B5",
        title: "fades keep momentum",
        run: invariants::momentum,
    },
    Experiment {
        id: "reclustering/B6",
        title: "a rigid motion of everything moves the result",
        run: invariants::rigid_motion,
    },
    Experiment {
        id: "reclustering/B7",
        title: "particles and their masses stay",
        run: books::particles,
    },
    Experiment {
        id: "reclustering/B8",
        title: "no particle is without a cluster",
        run: books::lonely,
    },
    Experiment {
        id: "reclustering/B9",
        title: "with a yield that is never met a plastic body is elastic",
        run: invariants::infinite_yield,
    },
    Experiment {
        id: "reclustering/B10",
        title: "new clusters in a body at rest move nothing",
        run: invariants::new_clusters_at_rest,
    },
    Experiment {
        id: "reclustering/B11",
        title: "goals do not jump while clusters fade",
        run: books::goals,
    },
    Experiment {
        id: "reclustering/B12",
        title: "the number of threads does not show",
        run: engine::threads,
    },
    Experiment {
        id: "reclustering/R1",
        title: "a flowing beam is pressed together (Figure 2)",
        run: compression::flowing,
    },
    Experiment {
        id: "reclustering/R2",
        title: "the flowing beam without reclustering",
        run: compression::without_reclustering,
    },
    Experiment {
        id: "reclustering/R3",
        title: "a firmer beam is pressed together",
        run: compression::firm,
    },
    Experiment {
        id: "reclustering/R4",
        title: "the firmer beam, reclustered in world space",
        run: compression::in_world_space,
    },
    Experiment {
        id: "reclustering/R5",
        title: "a beam is twisted and let go (Figure 4)",
        run: twist::kept,
    },
    Experiment {
        id: "reclustering/R6",
        title: "a beam sags, with few to many clusters (Figure 3)",
        run: sag::convergence,
    },
    Experiment {
        id: "reclustering/R7",
        title: "a beam sags while every cluster is made anew",
        run: sag::renewal,
    },
    Experiment {
        id: "reclustering/R8",
        title: "the embedding against its linearised form",
        run: quality::against_linear,
    },
    Experiment {
        id: "reclustering/R9",
        title: "a stretched box springs back by either rotation",
        run: spin::rotations,
    },
];
