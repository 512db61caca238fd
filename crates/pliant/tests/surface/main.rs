//! The tracked surface: what must hold after every frame, whatever moves it.
//!
//! The properties are run on two hundred cases in all; how to run more, and how to run one again, is told in `motions.rs`.

mod blobs;
mod columns;
mod contacts;
mod culls;
mod cuts;
mod engulfed;
mod merges;
mod motions;
mod necks;
mod remesh;
mod same;
mod tears;
