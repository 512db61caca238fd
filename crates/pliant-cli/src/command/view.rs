//! `pliant view SCENE`.

use crate::args::ViewArgs;
use crate::failure::Failure;

#[cfg(not(feature = "viewer"))]
pub(crate) fn run(args: ViewArgs) -> Result<(), Failure> {
    let ViewArgs { scene, .. } = args;
    Err(Failure::Input(format!(
        "this build has no viewer (cargo build --release --features viewer makes one), `pliant run {scene}` writes files instead"
    )))
}

#[cfg(feature = "viewer")]
pub(crate) fn run(args: ViewArgs) -> Result<(), Failure> {
    if let Some(count) = args.threads {
        super::use_threads(count)?;
    }
    let mut set = args.set;
    set.extend(args.seed.map(|seed| format!("simulation.seed={seed}")));
    crate::viewer::view(crate::viewer::Options {
        scene: args.scene,
        set,
        limits: crate::args::limits(&args.limit),
        out: args.out,
        stats: args.stats,
        fps: args.fps,
        paused: args.paused,
        size: args.size,
    })
}
