//! Geometry of bodies that are simulated as they are seen \[MCM16\].
//!
//! Every face of an artist's mesh becomes a convex polyhedron, a *primitive*; closed convex shapes become one primitive each. Primitives
//! that touch at rest are linked. The same primitives collide, are cut by patterns, tear along links and carry the mesh that is drawn. This
//! module is geometry alone: it knows no world and no time.
//!
//! ```text
//!  PolygonMesh ─► intake ─► Primitive ─► links ─► Link graph
//!                              │            │
//!                              ├─► hull, sat, manifold, round    who touches whom, and where
//!                              ├─► pattern, clip, fracture       cells, pieces, islands
//!                              ├─► tear                          shared vertices part where links break
//!                              └─► welded                        the mesh that is drawn
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | t | thickness of an extruded face (m) |
//! | gid | number of a vertex that primitives of a body share; what has the same one is drawn in one place |
//! | J | second moment ∫ s sᵀ dV about the centroid, for density 1 (m⁵) |
//! | r | radius of the ball that has the trace of J, times mass (m) |
//! | D | affine deformation of a primitive: a vertex is at x + D(v̄ − x̄) |
//!
//! Positions of a primitive are those of its undeformed shape and are never overwritten by motion.

pub mod body;
pub mod breaking;
mod clean;
pub mod clip;
mod coarse;
mod convex_parts;
pub mod dent;
pub mod desc;
pub mod extrude;
pub mod fracture;
pub mod hull;
pub mod intake;
pub mod joining;
mod junctions;
pub mod links;
pub mod manifold;
#[doc(hidden)]
pub mod nasty;
mod overlapping;
pub mod pattern;
pub mod patterns;
pub mod polygons;
pub mod polyhedron;
pub mod primitive;
mod rekey;
pub mod round;
pub mod sat;
mod shatter;
mod soft;
pub mod tear;
pub mod welded;
mod world;

pub use body::VisualBody;
pub use dent::{DentOptions, dent};
pub use desc::{
    Behavior, JointDesc, JointId, JointKind, Motor, PatternDesc, PatternKind, TearRule, VisualDesc,
    VisualError,
};
pub use fracture::{Fracture, FractureOptions, fracture};
pub use intake::{Intake, IntakeError, IntakeOptions, IntakeReport, intake};
pub use links::{Link, LinkGraph, LinkKind, find_links};
pub use pattern::Pattern;
pub use polygons::PolygonMesh;
pub use polyhedron::Polyhedron;
pub use primitive::{FaceTag, Primitive};
pub use welded::{Pose, Welded};
