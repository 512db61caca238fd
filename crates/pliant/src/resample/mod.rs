//! Re-sampling [CMM16 §3.3]: where a body has flowed, particles and groups are replaced, so that plastic strain is unbounded.
//!
//! ```text
//!  the surface's pieces ─► particles get their piece; one that carries several is copied   pieces.rs
//!  particles that nearly coincide, or are outside, go                                      thin.rs
//!  where rest shapes have been stretched, particles are added                              seed.rs
//!  groups take in new particles; strained groups fade out, new ones fade in                groups.rs
//!  narrow gaps in what flows are closed                                                    press.rs
//!  points, groups and skins are renumbered in one place                                    apply.rs
//! ```
//! But for the walls of gaps, nothing of this moves a vertex: skins are hung anew where the surface is.

mod apply;
mod cloud;
mod embedded;
mod groups;
mod pieces;
mod press;
mod reach;
mod seed;
#[cfg(test)]
mod tests;
mod thin;

pub(crate) use apply::{Edit, apply, follow_skins, turn_anew};
pub use embedded::Embedded;
pub(crate) use groups::norm;
pub(crate) use pieces::label;
pub use reach::Membership;
pub(crate) use reach::reach;

use crate::dynamics::contacts::statics::Placed;
use crate::geometry::grid::PointGrid;
use crate::report::ResampleStage;
use crate::state::{Groups, Points};
use crate::surface::Tracked;
use crate::surface::columns::{Columns, Inflation};
use crate::world::Body;
use cloud::Cloud;
use glam::Mat3;

/// How the groups of a body are replaced when it flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recluster {
    /// Never; particles stay too.
    Off,
    /// By where particles are in the world [CMM16 §3.3].
    #[default]
    World,
    /// By where particles would be if they were strained as little as possible [FJLSB17 §3.2].
    Embedded,
}

/// What becomes of the mass when particles come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassRule {
    /// Every piece keeps its mass: particles share it.
    #[default]
    Rescale,
    /// A new particle has the mass of the one it was seeded by [CMM16 §3.3.2].
    Paper,
}

/// How a body is re-sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Whether and how.
    pub recluster: Recluster,
    /// How in an embedding.
    pub embedded: Embedded,
    /// Mass.
    pub mass: MassRule,
    /// Which particles a group takes in.
    pub membership: Membership,
    /// Particles nearer than this to another go, in r.
    pub merge_distance: f32,
    /// How far the surface is blown up before inside is told from outside, in r.
    pub inflation: f32,
    /// Places tried around each particle that may seed.
    pub attempts: u64,
    /// ‖F_P‖ of groups whose particles seed.
    pub seed_strain: f32,
    /// ‖F_P‖ of groups that go.
    pub remove_strain: f32,
    /// A group seeds only while its ‖F_P‖ changes by more than this a frame.
    pub least_flow: f32,
    /// Memberships below which a particle gets a new group.
    pub min_memberships: u32,
    /// A group whose members all have more other memberships than this goes.
    pub max_memberships: u32,
    /// Frames over which groups come and go; 0 = at once, as in the paper.
    pub fade_frames: u32,
    /// Spacing of new groups' centres, in r.
    pub spacing: f32,
    /// Most particles.
    pub max_particles: usize,
}

impl Default for Resampling {
    fn default() -> Self {
        Self {
            recluster: Recluster::default(),
            embedded: Embedded::default(),
            mass: MassRule::default(),
            membership: Membership::default(),
            merge_distance: 0.1,
            inflation: 0.25,
            attempts: 5,
            seed_strain: 1.8,
            remove_strain: 2.0,
            least_flow: 2e-4,
            min_memberships: 3,
            max_memberships: 10,
            fade_frames: 8,
            spacing: 3.0,
            max_particles: usize::MAX,
        }
    }
}

/// What re-sampling did to a body in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResampleReport {
    /// Particles that were added.
    pub particles_added: u32,
    /// Particles that went.
    pub particles_removed: u32,
    /// Groups that were made.
    pub groups_added: u32,
    /// Groups that are gone.
    pub groups_removed: u32,
    /// Whether the limit of particles kept seeds out.
    pub full: bool,
}

impl std::ops::Add for ResampleReport {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            particles_added: self.particles_added + o.particles_added,
            particles_removed: self.particles_removed + o.particles_removed,
            groups_added: self.groups_added + o.groups_added,
            groups_removed: self.groups_removed + o.groups_removed,
            full: self.full || o.full,
        }
    }
}

/// What re-sampling reads of the frame.
pub(crate) struct Context<'a> {
    pub(crate) points: &'a Points,
    pub(crate) groups: &'a Groups,
    /// A of every group at the end of the last substep.
    pub(crate) a: &'a [Mat3],
    /// Plastic strain of this frame at every point.
    pub(crate) flow: &'a [f32],
    pub(crate) placed: &'a [Placed<'a>],
    pub(crate) seed: u64,
    pub(crate) frame: u64,
}

/// Buffers of re-sampling.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    near: PointGrid,
    wide: PointGrid,
    centers: PointGrid,
    columns: Columns,
    inflation: Inflation,
    labels: Vec<u32>,
    space: embedded::Space,
}

impl Scratch {
    pub(crate) fn grid(&mut self) -> &mut PointGrid {
        &mut self.wide
    }
}

/// Looks at one body without a tracked surface, whose particles stay, and says which of its groups are to change; `None` if none is.
pub(crate) fn look_at_groups(
    context: &Context,
    body: &Body,
    scratch: &mut Scratch,
    lap: &mut impl FnMut(ResampleStage),
) -> Option<Edit> {
    let mut cloud = Cloud::new(context, body);
    let plan = groups::replace(&mut cloud, context, scratch, lap);
    lap(ResampleStage::Clusters);
    Edit::new(cloud, plan, Vec::new(), Vec::new(), false)
}

/// Looks at one body whose surface is tracked and says what is to change; `None` if nothing is.
pub(crate) fn look_at(
    context: &Context,
    body: &Body,
    tracked: &Tracked,
    scratch: &mut Scratch,
    lap: &mut impl FnMut(ResampleStage),
) -> Option<Edit> {
    let own = body.groups.clone();
    let flows = own.clone().any(|k| {
        let g = context.groups;
        g.yielding[k] || g.fading[k] != crate::state::Fading::Live
    });
    let mut cloud = Cloud::new(context, body);
    let parted = pieces::follow(&mut cloud, tracked, &mut scratch.wide);
    if !flows && !parted {
        return None;
    }
    let before = cloud.ledger(tracked);

    // Which particles there are.
    cloud.build_columns(tracked, scratch);
    lap(ResampleStage::Columns);
    thin::thin(&mut cloud, context, tracked, scratch);
    lap(ResampleStage::Delete);
    let full = seed::seed(&mut cloud, context, scratch);
    cloud.share_masses(tracked, &before);
    lap(ResampleStage::Seed);

    // Which groups hold them.
    let mut plan = groups::replace(&mut cloud, context, scratch, lap);
    let pressed = press::press(&cloud, context, tracked, scratch);
    plan.changed |= parted || !pressed.is_empty();
    lap(ResampleStage::Clusters);
    let bare = if parted {
        pieces::bare(&cloud, tracked)
    } else {
        Vec::new()
    };
    Edit::new(cloud, plan, bare, pressed, full)
}
