//! Scene files, mesh files and the run loop of Pliant.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use pliant_scene::{BuildOptions, RunOptions, build, load, load_any, run};
//!
//! let scene = load("drop", &[], &Default::default())?;
//! let built = build(&scene, &BuildOptions::default())?;
//! let options = RunOptions { frames: Some(10), ..RunOptions::default() };
//! let summary = run(built, &options, &AtomicBool::new(false), &mut |_| {})?;
//! println!("{} frames", summary.frames);
//! # Ok::<(), pliant_scene::Error>(())
//! ```

mod build;
pub mod builtin;
mod error;
pub mod file;
pub mod live;
mod load;
pub mod mesh_files;
pub mod models;
pub mod picture;
mod run;

pub use build::{BuildOptions, Built, build};
pub use error::{Error, ErrorKind};
pub use load::{Limits, Loaded, is_mesh_name, load, load_any, load_file};
pub use run::{Event, FrameDone, MeshOutput, RunOptions, Spent, Summary, run};
