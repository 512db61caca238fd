//! Bodies that flow without bound: the built-in scenes of Figures 4 to 8, measured.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::World;
use pliant::dynamics::ColliderShape;
use pliant::geometry::Mesh;
use pliant::report::StepReport;
use pliant::state::Surface;
use pliant::surface::validate::Level;
use pliant_scene::{BuildOptions, Limits, build, load};

/// A scene in progress, with what is seen in every frame.
pub(super) struct Run {
    pub(super) world: World,
    fps: f32,
    pub(super) frames: usize,
    /// Frames that the pictures are spread over, if not all.
    pub(super) pictured: usize,
    /// Volume over that at the start, frame by frame.
    volume: Vec<f64>,
    seeded: u32,
    replaced: u32,
    splits: u32,
    pub(super) non_finite: u32,
    unsound: usize,
    pictures: Vec<(Mesh, String)>,
}

impl Run {
    pub(super) fn new(scene: &str, overrides: &[&str]) -> Result<Self, LabError> {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        let loaded = load(scene, &overrides, &Limits::default())?;
        let built = build(&loaded, &BuildOptions::default())?;
        Ok(Self {
            world: built.world,
            fps: built.fps,
            frames: built.frames as usize,
            pictured: usize::MAX,
            volume: Vec::new(),
            seeded: 0,
            replaced: 0,
            splits: 0,
            non_finite: 0,
            unsound: 0,
            pictures: Vec::new(),
        })
    }

    /// Steps to the end; `look` sees every frame and says whether to go on.
    pub(super) fn finish(&mut self, mut look: impl FnMut(usize, &World, &StepReport) -> bool) {
        let start = self.volume_now();
        for frame in 1..=self.frames {
            let report = self.world.step(1.0 / self.fps);
            self.volume.push(self.volume_now() / start);
            self.seeded += report
                .resampled
                .iter()
                .map(|r| r.particles_added)
                .sum::<u32>();
            self.replaced += report.resampled.iter().map(|r| r.groups_added).sum::<u32>();
            self.splits += report.surfaces.iter().map(|s| s.splits).sum::<u32>();
            self.non_finite += report.non_finite;
            for surface in self.world.surfaces() {
                if let Surface::Tracked(tracked) = surface {
                    let sound = tracked.mesh().validate(Level::Everything).is_ok();
                    self.unsound += usize::from(!sound);
                }
            }
            let pictured = self.frames.min(self.pictured);
            if frame <= pictured && frame % (pictured / 6).max(1) == 0 {
                let caption = format!("frame {frame}");
                let mesh = self.world.surfaces()[0].mesh().into_owned();
                self.pictures.push((mesh, caption));
            }
            if !look(frame, &self.world, &report) {
                break;
            }
        }
    }

    fn volume_now(&self) -> f64 {
        self.world.surfaces().iter().map(Surface::volume).sum()
    }

    /// Checks that hold in every scene, and its pictures.
    pub(super) fn common(&self, bench: &mut Bench, name: &str) -> Result<(), LabError> {
        bench.check(
            Engine,
            "numbers that are not finite, frames with an unsound surface",
            format!("{} and {}", self.non_finite, self.unsound),
            "0 and 0",
            self.non_finite == 0 && self.unsound == 0,
        );
        write_sheet(bench, &format!("{name}.png"), 3, false, &self.pictures)?;
        let points = self.volume.iter().enumerate();
        let line = Series {
            label: "volume".into(),
            points: points
                .map(|(k, v)| (k as f64 / f64::from(self.fps), *v))
                .collect(),
        };
        bench.plot(
            &format!("{name}.svg"),
            "Volume over that at the start",
            ["time (s)", "volume"],
            &[line],
        )
    }

    /// Volume in every frame and on average.
    pub(super) fn volume_is_kept(&self, bench: &mut Bench) {
        let off = |v: &f64| (v - 1.0).abs();
        let worst = self.volume.iter().map(off).fold(0.0, f64::max);
        let mean = self.volume.iter().map(off).sum::<f64>() / self.volume.len().max(1) as f64;
        bench.check(
            Engine,
            "volume against that at the start: worst frame, mean of all",
            format!("{:.2} %, {:.2} %", 100.0 * worst, 100.0 * mean),
            "below 3 % and 1 %",
            worst < 0.03 && mean < 0.01,
        );
    }

    pub(super) fn renewed(&self, bench: &mut Bench) {
        bench.check(
            Engine,
            "particles seeded, clusters made",
            format!("{}, {}", self.seeded, self.replaced),
            "some of both",
            self.seeded > 0 && self.replaced > 0,
        );
    }
}

/// E4: the bunny keeps its volume while it is renewed.
pub(super) fn bunny(bench: &mut Bench) -> Result<(), LabError> {
    let mut run = Run::new("bunny", &[])?;
    run.finish(|_, _, _| true);
    run.volume_is_kept(bench);
    run.renewed(bench);
    run.common(bench, "e4")
}

/// E5: the cow splits, and every piece has particles and clusters of its own.
pub(super) fn cow(bench: &mut Bench) -> Result<(), LabError> {
    let mut run = Run::new("cow", &[])?;
    let (mut strangers, mut spanning, mut most) = (0, 0, 0);
    run.finish(|_, world, _| {
        let (foreign, across) = astray(world);
        strangers += foreign;
        spanning += across;
        most = most.max(world.surfaces()[0].piece_count());
        true
    });
    bench.check(
        Engine,
        "splits, most pieces at a time",
        format!("{}, {most}", run.splits),
        "at least 1 split",
        run.splits >= 1,
    );
    bench.check(
        Engine,
        "pieces whose particles are not just their own, in all frames",
        strangers.to_string(),
        "0",
        strangers == 0,
    );
    bench.check(
        Engine,
        "clusters that span two pieces, in all frames",
        spanning.to_string(),
        "0",
        spanning == 0,
    );
    run.renewed(bench);
    run.common(bench, "e5")
}

/// Pieces of the first surface without a particle and particles without a piece; clusters with particles of several pieces.
fn astray(world: &World) -> (usize, usize) {
    let Surface::Tracked(tracked) = &world.surfaces()[0] else {
        return (0, 0);
    };
    let mut of_surface: Vec<u32> = tracked.components().iter().map(|c| c.id).collect();
    let mut of_particles = world.points().piece[world.bodies()[0].points.clone()].to_vec();
    of_surface.sort_unstable();
    of_particles.sort_unstable();
    of_particles.dedup();
    let foreign = of_surface
        .iter()
        .filter(|id| of_particles.binary_search(id).is_err())
        .count()
        + of_particles
            .iter()
            .filter(|id| of_surface.binary_search(id).is_err())
            .count();
    let groups = world.groups();
    let spans = |k: &usize| {
        let mut pieces = groups
            .members(*k)
            .map(|(i, _)| world.points().piece[i as usize]);
        let first = pieces.next();
        pieces.any(|p| Some(p) != first)
    };
    (foreign, (0..groups.len()).filter(spans).count())
}

/// E7: dough is rolled thin and cut in two.
pub(super) fn dough(bench: &mut Bench) -> Result<(), LabError> {
    // As the scene says: when the pin has gone, how far above the table it went, when the cut comes.
    const ROLLED: usize = 366;
    const GAP: f32 = 0.45;
    const CUT: usize = 540;
    let mut run = Run::new("dough", &[])?;
    let (mut thickness, mut before, mut after, mut volume) = ((0.0, 0.0), 0, 0, 0.0);
    run.finish(|frame, world, _| {
        let surface = &world.surfaces()[0];
        match frame {
            ROLLED => thickness = heights(&surface.mesh()),
            CUT => before = surface.piece_count(),
            _ if frame == CUT + 2 => {
                after = surface.piece_count();
                volume = surface.volume();
            }
            _ => {}
        }
        true
    });
    bench.check(
        Engine,
        "thickness of the sheet after rolling, and of its rim",
        format!(
            "{:.3} m, {:.3} m, under a gap of {GAP} m",
            thickness.0, thickness.1
        ),
        "the sheet at most 1.2 times the gap",
        thickness.0 <= 1.2 * GAP,
    );
    bench.check(
        Engine,
        "pieces before the cut and two frames later",
        format!("{before} and {after}"),
        "1 and 2",
        before == 1 && after == 2,
    );
    let start = run.volume.get(CUT - 1).copied().unwrap_or(0.0);
    let whole = run.volume.get(CUT + 1).copied().unwrap_or(0.0);
    bench.check(
        Engine,
        "volume of the halves against the whole",
        format!(
            "{:.3} % of {volume:.2} m³",
            100.0 * (whole - start).abs() / start
        ),
        "within 2 %",
        (whole - start).abs() <= 0.02 * start,
    );
    run.volume_is_kept(bench);
    run.renewed(bench);
    run.common(bench, "e7")
}

/// The highest place in the middle of a sheet on the table, up to seven tenths of the way to its rim, and the highest of all.
fn heights(mesh: &Mesh) -> (f32, f32) {
    let Some((lo, hi)) = mesh.bounds() else {
        return (0.0, 0.0);
    };
    let (middle, half) = (0.5 * (lo + hi), 0.5 * (hi - lo));
    let inner = |p: &&Vec3| {
        let d = (**p - middle) / half;
        d.x.hypot(d.z) < 0.7
    };
    let height = |m: f32, p: &Vec3| m.max(p.y);
    let sheet = mesh.positions.iter().filter(inner).fold(0.0, height);
    (sheet, hi.y)
}

/// E8: hands knead dough and stay out of it.
pub(super) fn hands(bench: &mut Bench) -> Result<(), LabError> {
    let mut run = Run::new("hands", &[])?;
    let mut worst = 0.0_f64;
    run.finish(|_, world, _| {
        let r = world.bodies()[0].particle_radius;
        let deep = |p: &&Vec3| depth(world, **p) > r;
        let count = world.points().x.iter().filter(deep).count();
        worst = worst.max(count as f64 / world.points().len() as f64);
        true
    });
    bench.check(
        Engine,
        "particles deeper than r in a hand, worst frame",
        format!("{:.3} %", 100.0 * worst),
        "at most 0.5 %",
        worst <= 0.005,
    );
    run.renewed(bench);
    run.common(bench, "e8")
}

/// How deep a place is in the capsules of hands (m); negative outside.
fn depth(world: &World, p: Vec3) -> f32 {
    let capsules = world.colliders().iter().filter_map(|c| match &c.shape {
        ColliderShape::Track(track) => Some(track.at(world.time())),
        _ => None,
    });
    capsules
        .map(|c| {
            let along = c.b - c.a;
            let t = (p - c.a).dot(along) / along.length_squared().max(1e-12);
            c.radius - p.distance(c.a + along * t.clamp(0.0, 1.0))
        })
        .fold(f32::NEG_INFINITY, f32::max)
}
