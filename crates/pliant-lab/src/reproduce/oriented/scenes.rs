//! The built-in scenes of oriented particles, for long.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use pliant::World;
use pliant_scene::{BuildOptions, Limits, build, load};

/// The scenes.
const SCENES: [&str; 7] = [
    "octopus",
    "pancreas",
    "tree",
    "toys",
    "chain",
    "cloth-hair",
    "trucks",
];
/// Frames of a run, and of a long one.
const FRAMES: [usize; 2] = [100, 1000];
/// Frames from one look at the state to the next.
const EVERY: usize = 50;

/// What a run has come to.
#[derive(Default)]
struct Ran {
    /// Hashes of the state whenever it was looked at.
    hashes: Vec<u64>,
    /// Numbers that were not finite: those that the engine has stopped, and those that were found in the state.
    bad: usize,
}

/// Every scene stays finite, and is the same for one and for two threads.
pub(super) fn same_and_finite(bench: &mut Bench) -> Result<(), LabError> {
    let frames = FRAMES[usize::from(bench.options.long)];
    for scene in SCENES {
        let [one, two] = [run(scene, frames, 1)?, run(scene, frames, 2)?];
        let pairs = one.hashes.iter().zip(&two.hashes);
        let same = pairs.filter(|(a, b)| a == b).count();
        let looks = frames / EVERY;
        bench.check(
            Engine,
            format!("{scene}, {frames} frames with 1 and 2 threads: looks at every {EVERY}th with the same hash; numbers that are not finite"),
            format!("{same} of {looks}; {}, {}", one.bad, two.bad),
            "all; none",
            same == looks && one.hashes.len() == looks && one.bad + two.bad == 0,
        );
    }
    Ok(())
}

fn run(scene: &str, frames: usize, threads: usize) -> Result<Ran, LabError> {
    let loaded = load(scene, &[], &Limits::default())?;
    let mut world = build(&loaded, &BuildOptions::default())?.world;
    let mut ran = Ran::default();
    let go = || {
        for frame in 1..=frames {
            ran.bad += world.step(1.0 / 60.0).non_finite as usize;
            if frame % EVERY == 0 {
                ran.hashes.push(world.hash());
                ran.bad += not_finite(&world);
            }
        }
    };
    // A pool that cannot be made leaves nothing to compare.
    if let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        pool.install(go);
    }
    Ok(ran)
}

/// How many particles and vertices have a number that is not finite.
fn not_finite(world: &World) -> usize {
    let (points, oriented) = (world.points(), world.oriented());
    let vectors = points.x.iter().chain(&points.v).chain(&oriented.spin);
    let bad = vectors.filter(|v| !v.is_finite()).count();
    let turned = points.rotation.iter().filter(|q| !q.is_finite()).count();
    let meshes = world.surfaces().iter().map(|surface| {
        let mesh = surface.mesh();
        mesh.positions.iter().filter(|y| !y.is_finite()).count()
    });
    bad + turned + meshes.sum::<usize>()
}
