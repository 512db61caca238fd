//! Contacts of convex primitives: with each other, with obstacles, with particles and projectiles \[MCM16 §3.2\].
//!
//! | stage | what | when |
//! |---|---|---|
//! | [`candidates`] | bodies by their boxes, their primitives by trees | once a frame, again if a body strays |
//! | [`touch`], [`obstacles`] | separating axes, manifolds, few contacts for many | each substep |
//! | [`solve`] | pushes and friction, one after the other | each iteration |
//!
//! Movers are [`cast`]: whatever touches has a frame, which joints and attachments share.

pub mod candidates;
pub mod cast;
mod obstacles;
mod reduce;
pub mod solve;
mod touch;

use super::statics::Placed;
use crate::visual::VisualBody;
use candidates::{Candidates, Scene};
use cast::{Cast, Movers};
use glam::Vec3;
use solve::{Contact, Memory};

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
}

impl HullContacts {
    /// Begins a frame: what may touch is to be found anew.
    pub fn begin_frame(&mut self) {
        self.candidates.clear();
    }

    /// Finds what touches in the substep; `left` seconds of the frame remain after it. `apart` are pairs of bodies, ascending, that do not touch.
    pub fn find(
        &mut self,
        scene: &Scene,
        placed: &[Placed],
        apart: &[(u32, u32)],
        gravity: Vec3,
        left: f32,
    ) {
        let cast = &mut self.cast;
        cast.add_colliders(placed, &scene.movers());
        let frame = |body: usize| cast.of_body(body).map(|f| &cast.frames[f as usize]);
        let turned = |body: usize| frame(body).map(|f| f.turned.length());
        let predicted = |body: usize| frame(body).map(|f| (f.x, f.turned.length()));
        if self.candidates.are_stale(scene, predicted) {
            self.candidates
                .find(scene, placed, apart, gravity, left + scene.h);
        }
        self.candidates.note_turns(turned);
        let contacts = &mut self.contacts;
        self.stage
            .find(&mut self.candidates, scene, cast, placed, contacts);
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

    /// One pass over all contacts, between loading and storing the cast.
    pub fn pass(&mut self) {
        solve::pass(&mut self.contacts, &mut self.cast, self.backwards);
        self.backwards = !self.backwards;
    }

    /// Remembers how hard contacts have pushed.
    pub fn remember(&mut self) {
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
