//! Animations: frames are kept while the world runs and drawn when it is known where the action went.

use std::fs;
use std::path::Path;

use glam::Vec3;
use pliant::World;
use pliant_draw::{DrawError, GifWriter, Image, Quality, render};

use super::clusters::Coloring;
use super::looks::Looks;
use super::mp4;
use super::snapshot::Snapshot;
use super::view::{Frame, scene};
use crate::error::Error;

/// Size of a film in pixels if nobody says.
const SIZE: [usize; 2] = [480, 360];
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
    /// Width and height in pixels.
    size: [usize; 2],
    coloring: Coloring,
    snapshots: Vec<Snapshot>,
    /// Eye and target for each snapshot (m); the scene's own where there is none.
    cameras: Vec<Option<[Vec3; 2]>>,
}

impl Film {
    /// A film of a world that makes `fps` frames a second.
    pub fn new(fps: f32) -> Self {
        Self {
            fps,
            stride: (fps / PICTURES_A_SECOND).round().clamp(1.0, 1e6) as u32,
            frames: 0,
            size: SIZE,
            coloring: Coloring::default(),
            snapshots: Vec::new(),
            cameras: Vec::new(),
        }
    }

    /// The same film in another size (pixels).
    #[must_use]
    pub fn with_size(self, size: [usize; 2]) -> Self {
        Self { size, ..self }
    }

    /// The same film in other colours.
    #[must_use]
    pub fn with_coloring(self, coloring: Coloring) -> Self {
        Self { coloring, ..self }
    }

    /// Keeps the next frame of the world, if its turn has come, as seen by a camera (eye and target) or by the scene's own.
    pub fn record(&mut self, world: &World, camera: Option<[Vec3; 2]>) {
        if self.frames.is_multiple_of(self.stride) {
            let snapshot = Snapshot::of(world, self.snapshots.last());
            self.snapshots.push(snapshot.colored(world, self.coloring));
            self.cameras.push(camera);
            let bytes: usize = self.snapshots.iter().map(Snapshot::size).sum();
            if bytes > BYTES && self.snapshots.len() > 2 {
                drop_every_second(&mut self.snapshots);
                drop_every_second(&mut self.cameras);
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
        let [width, height] = self.size;
        let mut writer = GifWriter::new(Vec::new(), width, height, fps)?;
        writer.push_all(&images)?;
        fs::write(path, writer.finish()?).map_err(|source| Error::io(path, source))
    }

    fn draw(
        &self,
        looks: &Looks,
        on_picture: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Image>, DrawError> {
        let [width, height] = self.size;
        let frame = Frame::around(&self.snapshots, looks, width, height);
        let count = self.snapshots.len();
        let mut images: Vec<Image> = Vec::with_capacity(count);
        let mut looks = looks.clone();
        for (snapshot, camera) in self.snapshots.iter().zip(&self.cameras) {
            if let Some(camera) = camera {
                [looks.eye, looks.target] = camera.map(Some);
            }
            let scene = scene(snapshot, &looks, &frame);
            images.push(render(&scene, width, height, &Quality::fast())?);
            on_picture(images.len(), count);
        }
        Ok(images)
    }
}

fn drop_every_second<T>(all: &mut Vec<T>) {
    let mut keep = false;
    all.retain(|_| {
        keep = !keep;
        keep
    });
}

/// Whether a film's name asks for an MP4.
pub(crate) fn is_mp4(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("mp4"))
}
