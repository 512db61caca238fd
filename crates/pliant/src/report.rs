//! What a step tells about itself.

use crate::resample::ResampleReport;
use crate::surface::TrackerReport;
use glam::DVec3;

/// The stages of a step, in the order in which statistics list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Forces and predicted positions.
    Predict,
    /// Finding contacts.
    Contacts,
    /// Shape matching and contact iterations, velocities.
    Solve,
    /// Group state and plastic flow.
    Plasticity,
    /// Moving the surface.
    Skin,
    /// Keeping the surface's triangles in shape.
    Remesh,
    /// Merging, splitting and cutting the surface.
    Topology,
    /// Adding and removing particles.
    ResampleParticles,
    /// Adding and removing groups.
    ResampleClusters,
    /// Breaking.
    Fracture,
    /// Everything else.
    Other,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 11] = [
        Self::Predict,
        Self::Contacts,
        Self::Solve,
        Self::Plasticity,
        Self::Skin,
        Self::Remesh,
        Self::Topology,
        Self::ResampleParticles,
        Self::ResampleClusters,
        Self::Fracture,
        Self::Other,
    ];

    /// The name that statistics use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Contacts => "contacts",
            Self::Solve => "solve",
            Self::Plasticity => "plasticity",
            Self::Skin => "skin",
            Self::Remesh => "remesh",
            Self::Topology => "topology",
            Self::ResampleParticles => "resample_particles",
            Self::ResampleClusters => "resample_clusters",
            Self::Fracture => "fracture",
            Self::Other => "other",
        }
    }
}

/// The parts of re-sampling, as the papers' tables list them [CMM16 Table 1, FJLSB17 Table 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResampleStage {
    /// Preparing inside tests, and which piece a particle belongs to.
    Columns,
    /// Taking out particles.
    Delete,
    /// Adding particles.
    Seed,
    /// Replacing groups.
    Clusters,
    /// Hanging the surface anew.
    Reskin,
    /// Embedding the particles of new groups.
    Embedding,
}

impl ResampleStage {
    /// All parts in order.
    pub const ALL: [Self; 6] = [
        Self::Columns,
        Self::Delete,
        Self::Seed,
        Self::Clusters,
        Self::Reskin,
        Self::Embedding,
    ];

    /// The name that benchmarks use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Delete => "delete",
            Self::Seed => "seed",
            Self::Clusters => "clusters",
            Self::Reskin => "reskin",
            Self::Embedding => "embedding",
        }
    }

    /// The stage that it is part of.
    fn stage(self) -> Stage {
        match self {
            Self::Columns | Self::Delete | Self::Seed => Stage::ResampleParticles,
            Self::Clusters | Self::Reskin | Self::Embedding => Stage::ResampleClusters,
        }
    }
}

/// A clock: seconds since some moment. The engine has none of its own; without one all timings are zero.
pub type Clock = fn() -> f64;

/// Time spent in each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Milliseconds per stage, indexed by `Stage as usize`.
    pub ms: [f64; 11],
    /// Milliseconds per part of re-sampling, indexed by `ResampleStage as usize`; they are in `ms` too.
    pub resample: [f64; 6],
}

impl Timings {
    /// Milliseconds of one stage.
    pub fn of(&self, stage: Stage) -> f64 {
        self.ms[stage as usize]
    }

    /// Milliseconds of the whole step.
    pub fn total(&self) -> f64 {
        self.ms.iter().sum()
    }
}

/// Charges the time since the last lap to a stage.
pub(crate) struct Stopwatch {
    clock: Option<Clock>,
    last: f64,
    pub(crate) timings: Timings,
}

impl Stopwatch {
    pub(crate) fn start(clock: Option<Clock>) -> Self {
        Self {
            clock,
            last: clock.map_or(0.0, |now| now()),
            timings: Timings::default(),
        }
    }

    /// Charges it to a part of re-sampling.
    pub(crate) fn lap_resample(&mut self, part: ResampleStage) {
        let before = self.timings.of(part.stage());
        self.lap(part.stage());
        self.timings.resample[part as usize] += self.timings.of(part.stage()) - before;
    }

    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(now) = self.clock {
            let now = now();
            self.timings.ms[stage as usize] += (now - self.last) * 1e3;
            self.last = now;
        }
    }
}

/// Conserved quantities of everything that moves freely, in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Σ m (kg).
    pub mass: f64,
    /// Σ m v (kg m/s).
    pub momentum: DVec3,
    /// Σ m x × v, and the spin of rigid bodies, about the origin (kg m²/s).
    pub angular_momentum: DVec3,
    /// Σ ½ m v², and the spin of rigid bodies (J).
    pub kinetic_energy: f64,
    /// Largest speed (m/s).
    pub max_speed: f64,
}

impl std::ops::Add for Ledger {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            mass: self.mass + o.mass,
            momentum: self.momentum + o.momentum,
            angular_momentum: self.angular_momentum + o.angular_momentum,
            kinetic_energy: self.kinetic_energy + o.kinetic_energy,
            max_speed: self.max_speed.max(o.max_speed),
        }
    }
}

/// What became of a surface in one step; all zero for one that is not tracked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceReport {
    /// Pieces that became part of another.
    pub merges: u32,
    /// Pieces that came off another.
    pub splits: u32,
    /// What the tracker did, in detail.
    pub tracker: TrackerReport,
}

/// What happened in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of the frame that this step has made; the first is 1.
    pub frame: u64,
    /// Simulated time at its end (s).
    pub time: f64,
    /// Time per stage, if the world has a clock.
    pub timings: Timings,
    /// Momentum, energy and mass of all bodies and projectiles.
    pub ledger: Ledger,
    /// Numbers that were not finite and were stopped: corrections, particles, projectiles.
    pub non_finite: u32,
    /// Groups whose plastic deformation had to be reset.
    pub groups_reset: u32,
    /// Rotations that the warm start did not find and an SVD did.
    pub rotations_repaired: u32,
    /// Groups that flowed in the last substep.
    pub groups_yielding: u32,
    /// Points in contact range of a collider in the last substep.
    pub static_contacts: usize,
    /// Pairs of points near enough to touch in the last substep.
    pub contact_pairs: usize,
    /// How often the list of candidate pairs was made anew in this step.
    pub pair_searches: u64,
    /// What became of each body's surface, in the order of the bodies.
    pub surfaces: Vec<SurfaceReport>,
    /// How each body was re-sampled, in the order of the bodies.
    pub resampled: Vec<ResampleReport>,
    /// Things the user should know.
    pub warnings: Vec<String>,
}
