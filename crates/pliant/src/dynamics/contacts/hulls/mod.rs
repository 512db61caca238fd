//! Contacts of convex primitives: with each other, with obstacles, with particles and projectiles \[MCM16 §3.2\].
//!
//! | stage | what | when |
//! |---|---|---|
//! | [`candidates`] | bodies by their boxes, their primitives by trees | once a frame, again if a body strays |
//! | `touch`, `obstacles` | separating axes, manifolds, few contacts for many | each substep |
//! | [`solve`] | pushes and friction, one after the other | each iteration |
//!
//! Movers are [`cast`]: whatever touches has a frame, which joints and attachments share.

pub mod candidates;
pub mod cast;
mod obstacles;
mod reduce;
pub mod solve;
mod touch;
mod ways;

use super::statics::Placed;
use crate::dynamics::attachments::{Attachment, Ground, Tie};
use crate::state::BodyId;
use crate::visual::VisualBody;
use crate::visual::breaking::Impact;
use crate::visual::joining::WorldJoint;
use crate::world::Body;
use candidates::{Apart, Candidates, Scene};
use cast::{Cast, Movers};
use glam::Vec3;
use solve::{Contact, Memory, Touched};

/// Contacts slower than what gravity does in so many substeps do not bounce.
const REST: f32 = 2.0;

/// The contacts of hulls, and who takes part in them.
#[derive(Clone, Debug, Default)]
pub struct HullContacts {
    /// The movers.
    pub cast: Cast,
    candidates: Candidates,
    stage: touch::Stage,
    /// The contacts of the substep.
    pub contacts: Vec<Contact>,
    /// How hard those of the last substep pushed. This is state.
    pub memory: Vec<Memory>,
    backwards: bool,
    /// Hard contacts of the frame.
    pub impacts: Vec<Impact>,
    /// What is tied, in the substep.
    pub(crate) ties: Vec<Tie>,
    /// Frames of the joints' sides.
    sides: Vec<Option<[u32; 2]>>,
}

/// Where bodies are among the others, by their ids.
#[derive(Clone, Debug, Default)]
pub struct BodyPlaces {
    sorted: Vec<(BodyId, u32)>,
}

impl BodyPlaces {
    /// The places of bodies.
    pub fn new(bodies: &[Body]) -> Self {
        let mut sorted: Vec<(BodyId, u32)> = bodies.iter().map(|b| b.id).zip(0u32..).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The place of a body.
    pub fn of(&self, id: BodyId) -> Option<usize> {
        let at = self.sorted.binary_search_by_key(&id, |s| s.0).ok()?;
        Some(self.sorted[at].1 as usize)
    }
}

impl HullContacts {
    /// Begins a frame: what may touch is to be found anew.
    pub fn begin_frame(&mut self) {
        self.candidates.clear();
        self.impacts.clear();
    }

    /// Finds what touches in the substep; `left` seconds of the frame remain after it.
    pub fn find(&mut self, scene: &Scene, placed: &[Placed], apart: &Apart, left: f32) {
        let cast = &mut self.cast;
        cast.add_colliders(placed, &scene.movers());
        let frame = |body: usize| cast.of_body(body).map(|f| &cast.frames[f as usize]);
        let turned = |body: usize| frame(body).map(|f| f.turned);
        let predicted = |body: usize| frame(body).map(|f| (f.x, f.turned));
        let is_stale = self.candidates.are_stale(scene, predicted);
        let fresh = is_stale.then_some(left + scene.h);
        if let Some(left) = fresh {
            self.candidates.find(scene, placed, apart, left);
        }
        self.candidates.advance(scene.h, turned);
        let contacts = &mut self.contacts;
        self.stage
            .find(&mut self.candidates, scene, cast, (placed, fresh), contacts);
    }

    /// Moves what overlaps already apart, a little.
    pub fn stabilize(&mut self, movers: &mut Movers) {
        self.cast.load(movers);
        solve::stabilize(&mut self.contacts, &mut self.cast);
        self.cast.store(movers);
    }

    /// Contacts push as they did in the last substep.
    pub fn recall(&mut self, movers: &mut Movers) {
        self.cast.load(movers);
        solve::recall(&mut self.memory, &mut self.contacts, &mut self.cast);
        self.cast.store(movers);
        self.backwards = false;
    }

    /// Finds the frames of joints and ties, and begins a substep of `h` seconds with them.
    pub(crate) fn bind(
        &mut self,
        scene: &Scene,
        placed: &[Placed],
        (joints, attachments): (&mut [WorldJoint], &[Attachment]),
        places: &BodyPlaces,
    ) {
        self.sides.clear();
        for own in joints {
            let a = places.of(own.a).and_then(|at| self.cast.of_body(at));
            let b = match own.b {
                Ground::World => Some(0),
                Ground::Collider(c) => {
                    ((c as usize) < placed.len()).then(|| self.cast.of_collider(c as usize))
                }
                Ground::Body(id) => places.of(id).and_then(|at| self.cast.of_body(at)),
            };
            self.sides.push(a.zip(b).map(|(a, b)| [a, b]));
            own.joint.begin(scene.h);
        }
        self.ties.clear();
        for own in attachments {
            let Some(at) = places.of(own.soft) else {
                continue;
            };
            let particle = (scene.bodies[at].oriented.start + own.primitive as usize) as u32;
            let tie = Tie::new(
                &mut self.cast,
                &scene.movers(),
                own,
                particle,
                |id| places.of(id),
                placed,
            );
            self.ties.extend(tie);
        }
    }

    /// One pass over joints and ties, between loading and storing the cast.
    pub fn pass_joints(&mut self, joints: &mut [WorldJoint], h: f32, last: bool) {
        for (own, sides) in joints.iter_mut().zip(&self.sides) {
            let Some([a, b]) = *sides else { continue };
            let pair = self.cast.frames.get_disjoint_mut([a as usize, b as usize]);
            if let Ok([a, b]) = pair {
                own.joint.solve(a, b, h, last);
            }
        }
        for tie in &self.ties {
            tie.solve(&mut self.cast.frames);
        }
    }

    /// One pass over all contacts, between loading and storing the cast.
    pub fn pass(&mut self) {
        solve::pass(&mut self.contacts, &mut self.cast, self.backwards);
        self.backwards = !self.backwards;
    }

    /// Remembers how hard contacts have pushed, and which were hard enough to change what they met.
    pub fn remember(&mut self, scene: &Scene) {
        for c in &self.contacts {
            for (side, _) in c.hits().into_iter().enumerate().filter(|(_, hit)| *hit) {
                let Touched::Primitive(body, primitive) = c.touch.who[side] else {
                    continue;
                };
                let frame = &self.cast.frames[c.frames[side] as usize];
                // The normal leads out of the first and into the second.
                let into = if side == 0 { -c.normal } else { c.normal };
                self.impacts.push(Impact {
                    body: scene.bodies[body as usize].id,
                    primitive,
                    at: c.arms[side],
                    normal: frame.rotation.conjugate() * into,
                    speed: c.closing,
                    radius: c.touch.radius_of(1 - side, scene),
                });
            }
        }
        solve::remember(&self.contacts, &mut self.memory);
    }

    /// Gives back part of the closing speed of impacts; a substep takes `h` seconds.
    pub fn restitute(
        &mut self,
        visuals: &mut [Option<Box<VisualBody>>],
        movers: &mut Movers,
        gravity: Vec3,
        h: f32,
    ) {
        let least = REST * gravity.length() * h;
        solve::restitute(&self.contacts, &self.cast, visuals, movers, least);
    }
}
