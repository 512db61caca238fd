//! Pliant simulates solids that bend, flow, tear and shatter, in real time, on the CPU.
//!
//! A [`World`] holds bodies, obstacles and what happens to them; [`World::step`] moves it on by one frame and tells what it did in
//! a [`StepReport`]. A body is made from any mesh: it is filled with particles, the particles are covered with overlapping
//! groups, and the mesh is carried by the particles: as it is, or as a surface that merges and splits ([`SurfaceKind`]).
//!
//! ```
//! use pliant::dynamics::{Action, ActionKind, Collider};
//! use pliant::geometry::{Shape, surface_nets::mesh_shape};
//! use pliant::{BodyDesc, Material, Settings, World};
//! use glam::Vec3;
//!
//! let mut world = World::new(Settings::default());
//! world.add_collider(Collider::floor(0.0));
//!
//! // A block of clay, and a ball that dents it.
//! let block = Shape::Box { center: Vec3::new(0.0, 0.35, 0.0), half: Vec3::splat(0.3) };
//! let mut clay = BodyDesc::new("clay", mesh_shape(&block, 0.1)?, 0.1);
//! clay.material = Material { plastic_yield: 0.01, plastic_flow: 0.9, ..Material::default() };
//! world.add_body(clay)?;
//! let shot = ActionKind::Shoot { from: Vec3::new(-1.5, 0.4, 0.0), velocity: Vec3::X * 8.0, radius: 0.15, mass: 40.0, until: 1.0 };
//! world.add_action(Action { at: 0.0, kind: shot });
//!
//! for _ in 0..60 {
//!     let report = world.step(1.0 / 60.0);
//!     assert_eq!(report.non_finite, 0);
//! }
//! let flowed = world.groups().f_p.iter().any(|f| *f != glam::Mat3::IDENTITY);
//! assert!(flowed, "the clay keeps its dent");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | module | what |
//! |---|---|
//! | [`world`], `step`, `script` | bodies and settings; the step, one call a stage; what happens when |
//! | [`body`], [`oriented`] | from a mesh to particles and groups |
//! | [`matching`] | shape matching: moments, rotations, goals |
//! | [`plasticity`], [`material`] | how bodies flow, and what they are made of |
//! | [`dynamics`] | prediction, contacts, actions, velocities |
//! | [`surface`] | the mesh that follows the particles |
//! | [`visual`] | meshes as artists make them: faces become convex primitives that touch, break and tear |
//! | [`state`] | movers, groups and surfaces as structures of arrays |
//! | [`geometry`], [`math`], [`random`] | shapes, meshes, decompositions, random numbers |
//! | [`report`] | timings, conserved quantities, warnings |
//!
//! # Promises
//!
//! The same input gives the same bits for any number of threads and with and without AVX2 ([`World::hash`] tells). A step never
//! fails and never returns a number that is not finite: bad input is refused at the door, bad numbers are stopped and counted.
//! The engine reads no files and no clock; give [`Settings`] a clock to get timings. Work runs in the current rayon pool.

pub mod body;
pub mod clustering;
pub mod dynamics;
pub mod geometry;
mod hash;
pub mod matching;
pub mod material;
pub mod math;
pub mod oriented;
mod parallel;
pub mod plasticity;
pub mod random;
pub mod report;
pub mod resample;
mod script;
pub mod state;
mod step;
pub mod surface;
pub mod visual;
pub mod world;

pub use body::{BodyDesc, BuildError, SurfaceKind};
pub use material::Material;
pub use oriented::OrientedDesc;
pub use report::StepReport;
pub use world::{Body, Settings, World};
