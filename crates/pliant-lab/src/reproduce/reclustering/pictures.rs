//! The paper's figures: beams in the colours of their clusters, by the engine.

use super::scene::Scene;
use crate::reproduce::pictures::write_images;
use crate::reproduce::{Bench, LabError};
use pliant_draw as draw;
use pliant_scene::picture::{Coloring, Frame, Snapshot, scene as drawing};

const WIDTH: usize = 480;
const HEIGHT: usize = 360;

/// Runs a built-in scene on the engine and writes a sheet of pictures of it at the given times, in the colours of its clusters: grey those
/// of the start, as in [FJLSB17 Figs. 2–4]. One camera frames them all.
pub(super) fn record_engine_pictures(
    bench: &Bench,
    scene: &Scene,
    file: &str,
    times: &[f64],
) -> Result<(), LabError> {
    let mut run = scene.start_with_surface()?;
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for time in times {
        run.until(*time, |_, _| ());
        let snapshot = Snapshot::of(&run.world, snapshots.last());
        snapshots.push(snapshot.colored(&run.world, Coloring::Clusters));
    }
    let frame = Frame::around(&snapshots, &run.looks, WIDTH, HEIGHT);
    let images: Vec<draw::Image> = snapshots
        .iter()
        .map(|s| {
            draw::render(
                &drawing(s, &run.looks, &frame),
                WIDTH,
                HEIGHT,
                &draw::Quality::default(),
            )
        })
        .collect::<Result<_, _>>()?;
    let captions: Vec<String> = times.iter().map(|t| format!("{t} s")).collect();
    write_images(bench, file, 3, &images, &captions)
}
