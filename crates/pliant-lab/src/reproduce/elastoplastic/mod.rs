//! Experiments of \[CMM16\]: large elasto-plastic deformation with clustered shape matching.

mod drops;
mod figure;
mod flows;
mod invariants;
mod renewal;
mod resampling;
mod shots;
mod small;
mod taffy;

use super::Experiment;

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "elastoplastic/I1",
        title: "a spinning cluster keeps its shape",
        run: invariants::spinning_cluster,
    },
    Experiment {
        id: "elastoplastic/I2",
        title: "a rigid motion of the scene moves the result",
        run: invariants::rigid_motion,
    },
    Experiment {
        id: "elastoplastic/I3",
        title: "plastic flow keeps volume, strain below the yield does not flow",
        run: invariants::plastic_volume,
    },
    Experiment {
        id: "elastoplastic/I4",
        title: "an elastic body returns to its shape",
        run: invariants::elastic_return,
    },
    Experiment {
        id: "elastoplastic/I5",
        title: "a plastic bar stays stretched",
        run: invariants::plastic_bar,
    },
    Experiment {
        id: "elastoplastic/I6",
        title: "re-sampling keeps its books; every particle finds a cluster (I7)",
        run: resampling::bookkeeping,
    },
    Experiment {
        id: "elastoplastic/I8",
        title: "re-sampling leaves alone what only bends",
        run: resampling::elastic_is_left_alone,
    },
    Experiment {
        id: "elastoplastic/I9",
        title: "the number of threads does not show",
        run: drops::threads,
    },
    Experiment {
        id: "elastoplastic/I10",
        title: "replacing all clusters at once does not show",
        run: resampling::replaced_at_once,
    },
    Experiment {
        id: "elastoplastic/I11",
        title: "finer particles do not show",
        run: resampling::refined,
    },
    Experiment {
        id: "elastoplastic/I12",
        title: "the step does not show",
        run: drops::steps,
    },
    Experiment {
        id: "elastoplastic/I13",
        title: "shots and collisions keep momentum",
        run: invariants::momentum,
    },
    Experiment {
        id: "elastoplastic/I14",
        title: "a block at rest does not sink",
        run: invariants::block_at_rest,
    },
    Experiment {
        id: "elastoplastic/E1",
        title: "drop at four flow rates and two yields (Figure 2)",
        run: drops::flow_and_yield,
    },
    Experiment {
        id: "elastoplastic/E2",
        title: "drop with hardening (Figure 3)",
        run: drops::hardening,
    },
    Experiment {
        id: "elastoplastic/E3",
        title: "a figure shot by twenty spheres (Figure 1)",
        run: shots::dents,
    },
    Experiment {
        id: "elastoplastic/E4",
        title: "a bunny is pulled by its ears and shot at (Figure 4)",
        run: flows::bunny,
    },
    Experiment {
        id: "elastoplastic/E5",
        title: "a cow is crushed until it splits (Figure 5)",
        run: flows::cow,
    },
    Experiment {
        id: "elastoplastic/E6",
        title: "taffy is pulled (Figure 6)",
        run: taffy::pulled,
    },
    Experiment {
        id: "elastoplastic/E7",
        title: "dough is squeezed, rolled and cut (Figure 7)",
        run: flows::dough,
    },
    Experiment {
        id: "elastoplastic/E8",
        title: "hands knead dough (Figure 8)",
        run: flows::hands,
    },
    Experiment {
        id: "elastoplastic/E9",
        title: "taffy without re-sampling",
        run: taffy::without_resampling,
    },
    Experiment {
        id: "elastoplastic/R1",
        title: "dough is cut and pushed together again",
        run: renewal::cut_and_rejoined,
    },
    Experiment {
        id: "elastoplastic/R2",
        title: "re-sampling does not move the surface",
        run: renewal::popping,
    },
    Experiment {
        id: "elastoplastic/R3",
        title: "nothing sinks into a collider, no mass is lost",
        run: renewal::sinking,
    },
    Experiment {
        id: "elastoplastic/R4",
        title: "the number of threads does not show in any scene",
        run: renewal::threads,
    },
];
