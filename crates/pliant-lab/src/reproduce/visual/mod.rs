//! Experiments of \[MCM16\]: visual geometry.
//!
//! | file | experiments |
//! |---|---|
//! | `shapes.rs` | V1, V2: from a mesh to primitives |
//! | `watertight.rs` | V3: what is drawn stays closed |
//! | `soup.rs` | V4: meshes that are none |
//! | `curtain.rs` | V5: primitives that deform gape less |
//! | `clipping.rs` | V6: pieces add up to the whole |
//! | `brittle.rs` | V7: shattering |
//! | `tearing.rs` | V8: tearing along lines |
//! | `joining.rs` | V9, V10: joints and attachments follow the pieces |
//! | `dents.rs` | V11: dents |
//! | `pairs.rs` | V12: who touches whom |
//! | `rigid.rs` | V13: rigid bodies |
//! | `threads.rs` | V14: the number of threads does not show |
//! | `intake.rs` | intake: meshes of all kinds are hit |
//! | `scenes.rs` | scenes: all built-in ones stay finite, for any number of threads |
//! | `worlds.rs` | what their worlds have in common |

mod brittle;
mod clipping;
mod curtain;
mod dents;
mod intake;
mod joining;
mod pairs;
mod rigid;
mod scenes;
mod shapes;
mod soup;
mod tearing;
mod threads;
mod watertight;
mod worlds;

use super::Experiment;

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "visual/V1",
        title: "faces are extruded to closed convex prisms of the right volume",
        run: shapes::extrusion,
    },
    Experiment {
        id: "visual/V2",
        title: "closed convex shapes become one primitive each",
        run: shapes::convex_shapes,
    },
    Experiment {
        id: "visual/V3",
        title: "the drawn mesh is watertight, bent, cut and torn",
        run: watertight::always,
    },
    Experiment {
        id: "visual/V4",
        title: "soups and broken meshes fall without harm",
        run: soup::falls,
    },
    Experiment {
        id: "visual/V5",
        title: "primitives of a curtain deform, and gape less for it",
        run: curtain::affine,
    },
    Experiment {
        id: "visual/V6",
        title: "pieces of clipped primitives add up to the whole",
        run: clipping::volumes,
    },
    Experiment {
        id: "visual/V7",
        title: "what shatters keeps its momentum; fragments are connected",
        run: brittle::shatters,
    },
    Experiment {
        id: "visual/V8",
        title: "a sheet tears along its line and nowhere else",
        run: tearing::along_a_line,
    },
    Experiment {
        id: "visual/V9",
        title: "hinges stay with the fragments that have them",
        run: joining::hinges,
    },
    Experiment {
        id: "visual/V10",
        title: "a torn tyre stays attached piece by piece",
        run: joining::tyre,
    },
    Experiment {
        id: "visual/V11",
        title: "hard hits dent, soft ones do not, old dents stay",
        run: dents::plate,
    },
    Experiment {
        id: "visual/V12",
        title: "three stages find the pairs that looking at all finds",
        run: pairs::equivalence,
    },
    Experiment {
        id: "visual/V13",
        title: "rigid bodies fly, tumble and stack",
        run: rigid::bodies,
    },
    Experiment {
        id: "visual/V14",
        title: "the number of threads does not show in a crash",
        run: threads::same_bits,
    },
    Experiment {
        id: "visual/intake",
        title: "a ball hits broken meshes, or one's own, of every kind of material (--mesh; long: 300 frames)",
        run: intake::hits,
    },
    Experiment {
        id: "visual/scenes",
        title: "all scenes stay finite, for any number of threads (long: 2000 frames)",
        run: scenes::same_and_finite,
    },
];
