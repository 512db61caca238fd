//! Statistics: one JSON object a frame.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use pliant::report::{Ledger, Stage, SurfaceReport, Timings};
use pliant::resample::ResampleReport;
use pliant::state::Surface;
use pliant::{StepReport, World};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// A line of statistics.
#[derive(Serialize)]
struct Line<'a> {
    frame: u32,
    time: f64,
    #[serde(flatten)]
    quantities: Quantities,
    non_finite: u32,
    warnings: &'a [String],
    ms: Map<String, Value>,
    hash: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bodies: Vec<BodyLine<'a>>,
}

/// The part of a line that is about one body.
#[derive(Serialize)]
struct BodyLine<'a> {
    name: &'a str,
    #[serde(flatten)]
    quantities: Quantities,
    hash: String,
}

/// What a world has and a body has too.
#[derive(Serialize)]
struct Quantities {
    particles: usize,
    clusters: usize,
    vertices: usize,
    triangles: usize,
    components: usize,
    volume: f64,
    surface_area: f64,
    mass: f64,
    momentum: [f64; 3],
    angular_momentum: [f64; 3],
    kinetic_energy: f64,
    max_speed: f64,
    min: [f32; 3],
    max: [f32; 3],
    particles_added: u32,
    particles_removed: u32,
    clusters_added: u32,
    clusters_removed: u32,
    /// Pieces of the surface that became part of another.
    merges: u32,
    /// Pieces of the surface that came off another.
    splits: u32,
    /// Pairs of triangles in which the surface still passes through itself.
    crossings: usize,
}

/// Size of a surface.
#[derive(Clone, Copy, Default)]
struct Extent {
    vertices: usize,
    triangles: usize,
    components: usize,
    volume: f64,
    area: f64,
    bounds: Option<(Vec3, Vec3)>,
    merges: u32,
    splits: u32,
    crossings: usize,
    resampled: ResampleReport,
}

impl Extent {
    fn of(surface: &Surface, report: Option<&SurfaceReport>, resampled: ResampleReport) -> Self {
        Self {
            vertices: surface.vertex_count(),
            triangles: surface.triangle_count(),
            components: surface.piece_count(),
            volume: surface.volume(),
            area: surface.area(),
            bounds: surface.bounds(),
            merges: report.map_or(0, |r| r.merges),
            splits: report.map_or(0, |r| r.splits),
            crossings: report.map_or(0, |r| r.tracker.events.left),
            resampled,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            vertices: self.vertices + other.vertices,
            triangles: self.triangles + other.triangles,
            components: self.components + other.components,
            volume: self.volume + other.volume,
            area: self.area + other.area,
            bounds: match (self.bounds, other.bounds) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            },
            merges: self.merges + other.merges,
            splits: self.splits + other.splits,
            crossings: self.crossings + other.crossings,
            resampled: self.resampled + other.resampled,
        }
    }

    fn quantities(self, particles: usize, clusters: usize, ledger: &Ledger) -> Quantities {
        let array = |v: DVec3| v.to_array();
        let (lo, hi) = self.bounds.unwrap_or_default();
        Quantities {
            particles,
            clusters,
            vertices: self.vertices,
            triangles: self.triangles,
            components: self.components,
            volume: self.volume,
            surface_area: self.area,
            mass: ledger.mass,
            momentum: array(ledger.momentum),
            angular_momentum: array(ledger.angular_momentum),
            kinetic_energy: ledger.kinetic_energy,
            max_speed: ledger.max_speed,
            min: lo.to_array(),
            max: hi.to_array(),
            particles_added: self.resampled.particles_added,
            particles_removed: self.resampled.particles_removed,
            clusters_added: self.resampled.groups_added,
            clusters_removed: self.resampled.groups_removed,
            merges: self.merges,
            splits: self.splits,
            crossings: self.crossings,
        }
    }
}

/// The file into which statistics go.
pub(crate) struct Statistics {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl Statistics {
    /// Starts a new file.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|source| Error::io(path, source))?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
        })
    }

    /// Appends a frame.
    pub(crate) fn write(
        &mut self,
        frame: u32,
        world: &World,
        report: &StepReport,
        hash: u64,
    ) -> Result<(), Error> {
        let line = line(frame, world, report, hash);
        serde_json::to_writer(&mut self.writer, &line)
            .map_err(std::io::Error::from)
            .and_then(|()| self.writer.write_all(b"\n"))
            // A reader of a run in progress sees whole lines.
            .and_then(|()| self.writer.flush())
            .map_err(|source| Error::io(&self.path, source))
    }
}

fn bounds(points: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let first = *points.first()?;
    let wider = |(lo, hi): (Vec3, Vec3), p: &Vec3| (lo.min(*p), hi.max(*p));
    Some(points.iter().fold((first, first), wider))
}

fn line<'a>(frame: u32, world: &'a World, report: &'a StepReport, hash: u64) -> Line<'a> {
    let extents: Vec<Extent> = world
        .surfaces()
        .iter()
        .enumerate()
        .map(|(index, surface)| {
            let resampled = report.resampled.get(index).copied().unwrap_or_default();
            let extent = Extent::of(surface, report.surfaces.get(index), resampled);
            // Without a surface the particles tell where a body is.
            let points = world.bodies().get(index).map(|body| body.points.clone());
            let bounds = || bounds(&world.points().x[points?]);
            Extent {
                bounds: extent.bounds.or_else(bounds),
                ..extent
            }
        })
        .collect();
    let whole = extents.iter().copied().fold(Extent::default(), Extent::and);
    let body_line = |(index, extent): (usize, &Extent)| {
        let body = &world.bodies()[index];
        BodyLine {
            name: &body.name,
            quantities: extent.quantities(
                body.points.len(),
                body.groups.len() + body.rings.len(),
                &world.body_ledger(body),
            ),
            hash: hex(world.body_hash(index).unwrap_or(0)),
        }
    };
    Line {
        frame,
        time: world.time(),
        quantities: whole.quantities(
            world.points().len(),
            world.groups().len() + world.rings().len(),
            &world.ledger(),
        ),
        non_finite: report.non_finite,
        warnings: &report.warnings,
        ms: milliseconds(&report.timings),
        hash: hex(hash),
        bodies: if extents.len() > 1 {
            extents.iter().enumerate().map(body_line).collect()
        } else {
            Vec::new()
        },
    }
}

/// A hash as statistics show it.
fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

fn milliseconds(timings: &Timings) -> Map<String, Value> {
    let stages = Stage::ALL
        .iter()
        .map(|&stage| (stage.name(), timings.of(stage)));
    stages
        .chain([("total", timings.total())])
        // A thousandth of a millisecond is finer than any clock is true.
        .map(|(name, ms)| (name.to_owned(), ((ms * 1e3).round() / 1e3).into()))
        .collect()
}
