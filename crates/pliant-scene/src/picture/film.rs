//! Animations: frames are kept while the world runs and drawn when it is known where the action went.

use std::fs;
use std::path::Path;

use pliant::World;
use pliant_draw::{DrawError, GifWriter, Image, Quality, render};

use super::looks::Looks;
use super::mp4;
use super::snapshot::Snapshot;
use super::view::{Frame, scene};
use crate::error::Error;

/// Size of the animation in pixels.
const WIDTH: usize = 480;
const HEIGHT: usize = 360;
/// Pictures a second that an animation aims for.
const PICTURES_A_SECOND: f32 = 25.0;
/// Bytes of snapshots above which every second one is dropped.
const BYTES: usize = 1 << 29;

/// An animation in the making.
#[derive(Debug)]
pub struct Film {
    fps: f32,
    /// Frames from one picture to the next.
    stride: u32,
    frames: u32,
    snapshots: Vec<Snapshot>,
}

impl Film {
    /// A film of a world that makes `fps` frames a second.
    pub fn new(fps: f32) -> Self {
        Self {
            fps,
            stride: (fps / PICTURES_A_SECOND).round().clamp(1.0, 1e6) as u32,
            frames: 0,
            snapshots: Vec::new(),
        }
    }

    /// Keeps the next frame of the world, if its turn has come.
    pub fn record(&mut self, world: &World) {
        if self.frames.is_multiple_of(self.stride) {
            let snapshot = Snapshot::of(world, self.snapshots.last());
            self.snapshots.push(snapshot);
            let bytes: usize = self.snapshots.iter().map(Snapshot::size).sum();
            if bytes > BYTES && self.snapshots.len() > 2 {
                let mut keep = false;
                self.snapshots.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride = self.stride.saturating_mul(2);
            }
        }
        self.frames += 1;
    }

    /// Draws the film and writes it, as a GIF, or by the program `ffmpeg` as an MP4; the file's ending says which. `on_picture` hears how
    /// many of how many pictures are drawn.
    pub fn write(
        &self,
        path: &Path,
        looks: &Looks,
        on_picture: &mut dyn FnMut(usize, usize),
    ) -> Result<(), Error> {
        let images = self.draw(looks, on_picture)?;
        let fps = f64::from(self.fps) / f64::from(self.stride);
        if is_mp4(path) {
            return mp4::write(path, &images, fps);
        }
        let mut writer = GifWriter::new(Vec::new(), WIDTH, HEIGHT, fps)?;
        writer.push_all(&images)?;
        fs::write(path, writer.finish()?).map_err(|source| Error::io(path, source))
    }

    fn draw(
        &self,
        looks: &Looks,
        on_picture: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Image>, DrawError> {
        let frame = Frame::around(&self.snapshots, looks, WIDTH, HEIGHT);
        let count = self.snapshots.len();
        let mut images: Vec<Image> = Vec::with_capacity(count);
        for snapshot in &self.snapshots {
            let scene = scene(snapshot, looks, &frame);
            images.push(render(&scene, WIDTH, HEIGHT, &Quality::fast())?);
            on_picture(images.len(), count);
        }
        Ok(images)
    }
}

/// Whether a film's name asks for an MP4.
pub(crate) fn is_mp4(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("mp4"))
}
