//! Built-in scenes, for long: they stay finite, and are the same for any number of threads.

use super::check::Solver::Engine;
use super::{Bench, LabError};
use pliant::World;
use pliant_scene::{BuildOptions, Limits, build, load};

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
pub(super) fn same_and_finite(
    bench: &mut Bench,
    scenes: &[&str],
    frames: usize,
) -> Result<(), LabError> {
    for scene in scenes {
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

/// How many particles, rigid bodies and vertices have a number that is not finite.
fn not_finite(world: &World) -> usize {
    let (points, oriented) = (world.points(), world.oriented());
    let vectors = points.x.iter().chain(&points.v).chain(&oriented.spin);
    let bad = vectors.filter(|v| !v.is_finite()).count();
    let turned = points.rotation.iter().filter(|q| !q.is_finite()).count();
    let visuals = (0..world.bodies().len()).filter_map(|k| world.visual(k)?.rigid);
    let lost = visuals
        .filter(|r| {
            let vectors = [r.x, r.v, r.spin];
            !(vectors.iter().all(|v| v.is_finite()) && r.rotation.is_finite())
        })
        .count();
    let meshes = world.surfaces().iter().map(|surface| {
        let mesh = surface.mesh();
        mesh.positions.iter().filter(|y| !y.is_finite()).count()
    });
    bad + turned + lost + meshes.sum::<usize>()
}
