//! The paper's figures: beams in the colours of their clusters, by the engine.

use crate::reproduce::{Bench, LabError};
use pliant_draw as draw;
use pliant_scene::picture::{Coloring, Frame, Snapshot, scene as drawing};
use pliant_scene::{BuildOptions, Limits, build, builtin, load};

const WIDTH: usize = 480;
const HEIGHT: usize = 360;

/// Runs a built-in scene on the engine and writes a sheet of pictures of it at the given times, in the colours of its clusters: grey those
/// of the start, as in [FJLSB17 Figs. 2–4]. One camera frames them all. A scene that does not come with this build has no pictures.
pub(super) fn record_engine_pictures(
    bench: &Bench,
    scene: &str,
    overrides: &[&str],
    file: &str,
    times: &[f64],
) -> Result<(), LabError> {
    if !builtin::SCENES.iter().any(|s| s.name == scene) {
        return Ok(());
    }
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let loaded = load(scene, &overrides, &Limits::default())?;
    let built = build(&loaded, &BuildOptions::default())?;
    let (mut world, looks) = (built.world, built.looks);
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for time in times {
        // Half a frame of slack: time is a sum of frames.
        while world.time() < time - 0.5 / f64::from(built.fps) {
            world.step(1.0 / built.fps);
        }
        let snapshot = Snapshot::of(&world, snapshots.last());
        snapshots.push(snapshot.colored(&world, Coloring::Clusters));
    }
    let frame = Frame::around(&snapshots, &looks, WIDTH, HEIGHT);
    let images: Vec<draw::Image> = snapshots
        .iter()
        .map(|s| {
            draw::render(
                &drawing(s, &looks, &frame),
                WIDTH,
                HEIGHT,
                &draw::Quality::default(),
            )
        })
        .collect::<Result<_, _>>()?;
    let captions: Vec<String> = times.iter().map(|t| format!("{t} s")).collect();
    let captions: Vec<&str> = captions.iter().map(String::as_str).collect();
    draw::contact_sheet(&images, 3, &captions).write_png(bench.path(file))?;
    Ok(())
}
