//! Where the frames of a run go: meshes, statistics and a picture.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant::{StepReport, World};

use super::output::Frames;
use super::stats::Statistics;
use super::{RunOptions, Spent};
use crate::error::Error;
use crate::picture::film::is_mp4;
use crate::picture::{Film, Looks, Snapshot, mp4, still};

/// Width of a still in pixels.
const STILL_WIDTH: usize = 960;

/// The open files of a run.
pub(super) struct Sinks<'a> {
    options: &'a RunOptions,
    frames: Option<Frames<'a>>,
    statistics: Option<Statistics>,
    film: Option<Film>,
}

impl<'a> Sinks<'a> {
    /// Opens everything: whoever cannot write finds out before the work, not after it.
    pub(super) fn open(options: &'a RunOptions, last_frame: u32, fps: f32) -> Result<Self, Error> {
        let frames = match &options.out {
            Some(folder) => Some(Frames::create(folder, &options.formats, last_frame)?),
            None => None,
        };
        for file in [&options.stats, &options.preview].into_iter().flatten() {
            create_folder_of(file)?;
        }
        let statistics = match &options.stats {
            Some(path) => Some(Statistics::create(path)?),
            None => None,
        };
        let film = || Film::new(fps).with_coloring(options.coloring);
        let film = match &options.preview {
            Some(path) if is_mp4(path) => {
                mp4::check()?;
                Some(film())
            }
            Some(path) if is_animation(path) => Some(film()),
            Some(path) if path.is_dir() => {
                return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into()));
            }
            _ => None,
        };
        Ok(Self {
            options,
            frames,
            statistics,
            film,
        })
    }

    /// A file of an earlier, longer run that would pass for a frame of this one.
    pub(super) fn leftover(&self, last_frame: u32) -> Option<PathBuf> {
        self.frames.as_ref()?.leftover(last_frame)
    }

    /// Writes a frame; gives its hash if anybody wants it.
    pub(super) fn record(
        &mut self,
        frame: u32,
        world: &World,
        report: &StepReport,
        spent: &mut Spent,
    ) -> Result<Option<u64>, Error> {
        let (frames, statistics) = (&self.frames, &mut self.statistics);
        let wants_hash = self.options.hash || statistics.is_some();
        // Both only read the world, and a mesh file keeps one thread waiting for the system.
        let (meshes, counted) = rayon::join(
            || timed(|| frames.as_ref().map_or(Ok(()), |f| f.write(frame, world))),
            || {
                timed(|| {
                    let hash = wants_hash.then(|| world.hash());
                    if let (Some(statistics), Some(hash)) = (statistics, hash) {
                        statistics.write(frame, world, report, hash)?;
                    }
                    Ok(hash)
                })
            },
        );
        spent.meshes += meshes.1;
        spent.statistics += counted.1;
        let from = Instant::now();
        if let Some(film) = &mut self.film {
            film.record(world, None);
        }
        spent.pictures += from.elapsed();
        meshes.0?;
        counted.0
    }

    /// Draws the picture and writes it; gives the file's name. An animation of a run that was interrupted is left out,
    /// because it takes a while and somebody is waiting.
    pub(super) fn finish(
        self,
        world: &World,
        looks: &Looks,
        interrupted: bool,
        on_picture: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<PathBuf>, Error> {
        let Some(path) = &self.options.preview else {
            return Ok(None);
        };
        match self.film {
            Some(_) if interrupted => return Ok(None),
            Some(film) => film.write(path, looks, on_picture)?,
            None => {
                let snapshot = Snapshot::of(world, None).colored(world, self.options.coloring);
                let image = still(&snapshot, looks, STILL_WIDTH)?;
                fs::write(path, image.encode_png()?).map_err(|source| Error::io(path, source))?;
            }
        }
        Ok(Some(path.clone()))
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let from = Instant::now();
    let result = work();
    (result, from.elapsed())
}

/// Whether a picture's name asks for an animation.
fn is_animation(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gif"))
}

fn create_folder_of(file: &Path) -> Result<(), Error> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))
        }
        _ => Ok(()),
    }
}
