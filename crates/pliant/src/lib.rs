//! Pliant simulates solids that bend, flow, tear and shatter in real time.

pub mod body;
pub mod dynamics;
pub mod geometry;
mod hash;
pub mod matching;
pub mod material;
pub mod math;
mod parallel;
pub mod plasticity;
pub mod random;
pub mod report;
pub mod state;
mod step;
pub mod surface;
pub mod world;

pub use body::{BodyDesc, BuildError};
pub use material::Material;
pub use report::StepReport;
pub use world::{Settings, World};
