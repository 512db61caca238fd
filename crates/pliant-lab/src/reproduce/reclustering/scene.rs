//! Built-in scenes, run by the engine and seen as the experiments see the reference.

use crate::reference::linear::signed_svd;
use crate::reference::reclustering::StepReport;
use crate::reference::reclustering::experiments::moment::Moment;
use crate::reproduce::LabError;
use glam::DVec3;
use pliant::World;
use pliant::state::Fading;
use pliant_scene::picture::Looks;
use pliant_scene::{BuildOptions, Limits, build, load};
use std::ops::Range;

/// A built-in scene and what is changed in it, as `path=value`.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) name: &'a str,
    pub(super) overrides: &'a [&'a str],
}

/// The beam that keeps every dent.
pub(super) const BEAM: Scene = Scene::new("beam");
/// The beam that gives back part of its change of shape.
pub(super) const BEAM_ELASTIC: Scene = Scene::new("beam-elastic");
/// The beam whose ends are turned.
pub(super) const TWIST: Scene = Scene::new("twist");
/// The bars that sag.
pub(super) const BARS: Scene = Scene::new("bars");

impl<'a> Scene<'a> {
    const fn new(name: &'a str) -> Self {
        Self {
            name,
            overrides: &[],
        }
    }

    /// The scene with these changes.
    pub(super) const fn with(self, overrides: &'a [&'a str]) -> Self {
        Self { overrides, ..self }
    }

    /// Builds its particles alone: as in the paper, none comes or goes.
    pub(super) fn start(&self) -> Result<Run, LabError> {
        self.build(&["body.0.surface=none"])
    }

    /// Builds it with a surface to look at.
    pub(super) fn start_with_surface(&self) -> Result<Run, LabError> {
        self.build(&[])
    }

    fn build(&self, more: &[&str]) -> Result<Run, LabError> {
        let overrides = self.overrides.iter().chain(more);
        let overrides: Vec<String> = overrides.map(|o| (*o).to_owned()).collect();
        let loaded = load(self.name, &overrides, &Limits::default())?;
        let built = build(&loaded, &BuildOptions::default())?;
        Ok(Run {
            world: built.world,
            looks: built.looks,
            fps: built.fps,
        })
    }
}

/// A scene that runs.
pub(super) struct Run {
    pub(super) world: World,
    pub(super) looks: Looks,
    fps: f32,
}

impl Run {
    /// Steps until a time, in s; `watch` sees the world after every frame.
    pub(super) fn until(&mut self, time: f64, mut watch: impl FnMut(&World, &pliant::StepReport)) {
        // Half a frame of slack: time is a sum of frames.
        while self.world.time() < time - 0.5 / f64::from(self.fps) {
            let report = self.world.step(1.0 / self.fps);
            watch(&self.world, &report);
        }
    }

    /// Where all particles are.
    pub(super) fn positions(&self) -> Vec<DVec3> {
        positions(&self.world, 0..self.world.points().len())
    }
}

/// Where these particles are.
pub(super) fn positions(world: &World, particles: Range<usize>) -> Vec<DVec3> {
    let x = &world.points().x[particles];
    x.iter().map(|x| x.as_dvec3()).collect()
}

/// What the experiments see of a world. Numbers that the engine has stopped because they were not finite count as not finite.
pub(super) fn moment(world: &World, report: &pliant::StepReport) -> Moment {
    let (points, groups) = (world.points(), world.groups());
    let worst = |counts: &dyn Fn(usize) -> bool| {
        let chosen = (0..groups.len()).filter(|&k| counts(k));
        let condition = |k: usize| signed_svd(groups.f_p[k].as_dmat3()).condition();
        chosen.map(condition).fold(1.0, f64::max)
    };
    let all_finite = points.x.iter().chain(&points.v).all(|x| x.is_finite());
    let made = report.resampled.iter().map(|r| r.groups_added as usize);
    Moment {
        time: world.time(),
        x: positions(world, 0..points.len()),
        v: points.v.iter().map(|v| v.as_dvec3()).collect(),
        mass: points.mass.iter().map(|&m| f64::from(m)).collect(),
        finite: report.non_finite == 0 && all_finite,
        alive_condition: worst(&|k| groups.fading[k] == Fading::Live),
        condition: worst(&|_| true),
        report: StepReport {
            created: made.sum(),
            ..StepReport::default()
        },
    }
}
