//! Taffy on three rods: it is pulled and folded for ever.

use super::flows::Run;
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use pliant::World;
use pliant::geometry::grid::PointGrid;
use pliant_scene::mesh_files::write_ply;

/// Particles nearer than this to another are taken out, in r: those that are left may not be nearer for long.
const MERGE_DISTANCE: f32 = 0.1;

/// Length of a strand of the same area and volume.
fn strand_length(world: &World) -> f64 {
    let surface = &world.surfaces()[0];
    surface.area().powi(2) / (4.0 * std::f64::consts::PI * surface.volume())
}

/// Smallest distance of two particles of a piece, mean and largest distance of particles to the nearest other, in r.
///
/// Where a piece splits, both parts get a copy of the particles between them, a twentieth of r apart: these are no neighbours.
type Spacing = (f32, f32, f32);

fn spacing(world: &World) -> Spacing {
    let (points, r) = (&world.points().x, world.bodies()[0].particle_radius);
    let piece = &world.points().piece;
    let grid = PointGrid::new(points, r);
    let (mut least, mut sum, mut most) = (f32::INFINITY, 0.0, 0.0_f32);
    for (i, &p) in points.iter().enumerate() {
        // The nearest is the particle itself.
        let near = grid.nearest(p, 2);
        let d = near.get(1).map_or(0.0, |n| n.1.sqrt()) / r;
        if d < MERGE_DISTANCE {
            grid.for_each_within(p, MERGE_DISTANCE * r, |j, _, d2| {
                if j as usize != i && piece[j as usize] == piece[i] {
                    least = least.min(d2.sqrt() / r);
                }
            });
        } else {
            least = least.min(d);
        }
        most = most.max(d);
        sum += d;
    }
    (least, sum / points.len().max(1) as f32, most)
}

/// What is seen of the taffy while it is pulled.
#[derive(Default)]
struct Pull {
    /// The strand's length over that at the start, frame by frame.
    growth: Vec<f64>,
    /// Spacing of the particles, every tenth frame.
    spacings: Vec<Spacing>,
    /// Triangles, frame by frame.
    triangles: Vec<f64>,
    /// Memory of the process, every tenth frame, where the system tells (MB).
    memory: Vec<f64>,
}

impl Pull {
    fn look(&mut self, frame: usize, world: &World, start: f64) {
        self.growth.push(strand_length(world) / start);
        self.triangles
            .push(world.surfaces()[0].triangle_count() as f64);
        if frame.is_multiple_of(10) {
            self.spacings.push(spacing(world));
            self.memory.extend(resident_megabytes());
        }
    }

    fn most_growth(&self) -> f64 {
        self.growth.iter().copied().fold(1.0, f64::max)
    }

    fn largest_gap(&self) -> f32 {
        self.spacings.iter().map(|s| s.2).fold(0.0, f32::max)
    }
}

/// Memory that the process holds now (MB), if the system tells.
fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// E6: the taffy is drawn out at least four times, renewed all the while, and goes on for ever.
pub(super) fn pulled(bench: &mut Bench) -> Result<(), LabError> {
    /// Frames between the meshes that a long run leaves for other software to judge.
    const EVERY: usize = 20;
    let mut run = Run::new("taffy", &[])?;
    run.frames = if bench.options.long { 20_000 } else { 3000 };
    // What is kept for pictures would look like memory that grows.
    run.pictured = 900;
    let folder = bench.path("e6");
    let mut write = Ok(());
    if bench.options.long {
        write = std::fs::create_dir_all(&folder).map_err(|e| LabError::io(&folder, e));
    }
    let start = strand_length(&run.world);
    let mut pull = Pull::default();
    let long = bench.options.long;
    run.finish(|frame, world, _| {
        pull.look(frame, world, start);
        if long && frame.is_multiple_of(EVERY) && write.is_ok() {
            let path = folder.join(format!("frame_{frame:05}.ply"));
            let mesh = world.surfaces()[0].mesh();
            write = write_ply(&path, &mesh).map_err(LabError::from);
        }
        true
    });
    write?;
    check_pull(bench, &run, &pull);
    run.volume_is_kept(bench);
    run.renewed(bench);
    run.common(bench, "e6")
}

fn check_pull(bench: &mut Bench, run: &Run, pull: &Pull) {
    let growth = pull.most_growth();
    bench.check(
        Engine,
        "length of the strand, area²/(4π volume), over that at the start: most",
        format!("{growth:.2}"),
        "at least 4",
        growth >= 4.0,
    );
    let spacings = &pull.spacings;
    let least = spacings.iter().map(|s| s.0).fold(f32::INFINITY, f32::min);
    let means = spacings.iter().map(|s| s.1);
    let (low, high) = means.fold((f32::INFINITY, 0.0_f32), |(l, h), m| (l.min(m), h.max(m)));
    bench.check(
        Engine,
        "smallest distance of two particles of a piece",
        format!("{least:.3} r"),
        format!("at least {MERGE_DISTANCE} r"),
        least >= MERGE_DISTANCE,
    );
    bench.check(
        Engine,
        "mean distance to the nearest particle, in all frames",
        format!("{low:.3} r to {high:.3} r"),
        "0.7 r to 1.6 r",
        low >= 0.7 && high <= 1.6,
    );
    check_steady(bench, run.frames, "triangles", &pull.triangles);
    if !pull.memory.is_empty() {
        check_steady(bench, run.frames, "memory in MB", &pull.memory);
    }
}

/// Checks that something has stopped growing: the mean of the last third of the frames against that of the third before.
fn check_steady(bench: &mut Bench, frames: usize, what: &str, series: &[f64]) {
    let third = series.len() / 3;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let ratio = mean(&series[2 * third..]) / mean(&series[third..2 * third]);
    let end = series.last().copied().unwrap_or(0.0);
    bench.check(
        Engine,
        format!("{what}, mean of the last third of {frames} frames over that of the third before"),
        format!("{ratio:.3}; {end:.0} at the end"),
        "at most 1.1",
        ratio <= 1.1,
    );
}

/// E9: without re-sampling the taffy cannot be pulled: with a limit of the plastic deformation it stays short, without one its
/// clusters become useless.
pub(super) fn without_resampling(bench: &mut Bench) -> Result<(), LabError> {
    const FRAMES: usize = 360;
    let off = "body.0.recluster=off";
    let pull = |overrides: &[&str], look: &mut dyn FnMut(&World, &Pull) -> bool| {
        let mut run = Run::new("taffy", overrides)?;
        run.frames = FRAMES;
        let start = strand_length(&run.world);
        let mut pull = Pull::default();
        run.finish(|frame, world, _| {
            pull.look(frame, world, start);
            look(world, &pull)
        });
        Ok::<_, LabError>((run, pull))
    };
    let renewed = pull(&[], &mut |_, _| true)?.1.most_growth();
    let limited = pull(&[off], &mut |_, _| true)?.1.most_growth();
    let ratio = (limited - 1.0) / (renewed - 1.0);
    bench.check(
        Engine,
        "extension without re-sampling over that with it, F_P limited",
        format!("{ratio:.2}: {limited:.2} and {renewed:.2} times the length"),
        "below 0.5",
        ratio < 0.5,
    );
    // What has failed need not be pulled on.
    let mut sound =
        |world: &World, pull: &Pull| worst_condition(world) <= 30.0 && pull.largest_gap() <= 2.0;
    let (run, pull) = pull(&[off, "material.taffy.plastic_limit=1e9"], &mut sound)?;
    let (worst, gap) = (worst_condition(&run.world), pull.largest_gap());
    bench.check(
        Engine,
        "without a limit: numbers that are not finite, condition of F_P, largest gap",
        format!(
            "{}, {worst:.0}, {gap:.1} r, after {} frames",
            run.non_finite,
            pull.growth.len()
        ),
        "some, or above 30, or above 2 r",
        run.non_finite > 0 || worst > 30.0 || gap > 2.0,
    );
    Ok(())
}

/// The largest condition number of a plastic deformation.
fn worst_condition(world: &World) -> f32 {
    let condition = |f: &glam::Mat3| {
        let stretch = pliant::math::svd::symmetric_eigen(f.transpose() * *f).0;
        (stretch.max_element() / stretch.min_element().max(1e-12)).sqrt()
    };
    world.groups().f_p.iter().map(condition).fold(0.0, f32::max)
}
