//! What hits do to bodies at the end of a frame: dents, fracture, tearing \[MCM16 §3.5, §3.6\].
//!
//! Hits are noted in the substeps, in the axes of what was hit, and answered once a frame, body by body in their order: so a frame with
//! many contacts changes each body once, and the same for any number of threads.

use super::body::VisualBody;
use super::dent::{Blow, DentOptions, dent, imprint};
use super::desc::{Behavior, PatternDesc};
use super::joining::Heir;
use super::links::LinkGraph;
use super::shatter::{Fragment, Hit, pattern_at};
use super::world::{Identity, Motion};
use crate::dynamics::attachments::Ground;
use crate::dynamics::frame::Rigid;
use crate::random::name_key;
use crate::report::{StepReport, SurfaceReport};
use crate::resample::ResampleReport;
use crate::state::{BodyId, Surface};
use crate::world::World;
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// So often one hit may drive a crack on.
const CRACK_RUNS: usize = 24;

/// A hard contact of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    /// The body that was hit.
    pub body: BodyId,
    /// Its primitive.
    pub primitive: u32,
    /// Where, in the axes of the body from its centre; of a soft one from the centre of the primitive, in its axes (m).
    pub at: Vec3,
    /// The direction into the body, in the same axes.
    pub normal: Vec3,
    /// Closing speed (m/s).
    pub speed: f32,
    /// Radius of what hit it (m); zero of a flat thing.
    pub radius: f32,
}

impl World {
    /// Breaks, dents and tears what was hit hard or stretched too much in this frame of `dt` seconds.
    pub(crate) fn break_bodies(&mut self, dt: f32, report: &mut StepReport) {
        if !self.visuals.iter().any(Option::is_some) {
            self.breaks.clear();
            return;
        }
        let mut impacts = std::mem::take(&mut self.scratch.hulls.impacts);
        // The hardest hit of each primitive counts.
        impacts.sort_by(|a, b| {
            let key = |i: &Impact| (i.body, i.primitive);
            key(a).cmp(&key(b)).then(b.speed.total_cmp(&a.speed))
        });
        impacts.dedup_by_key(|i| (i.body, i.primitive));
        for of_body in impacts.chunk_by(|a, b| a.body == b.body) {
            self.answer(of_body[0].body, of_body, dt, report);
        }
        impacts.clear();
        self.scratch.hulls.impacts = impacts;
        for (at, pattern, only) in std::mem::take(&mut self.breaks) {
            self.break_at((at, only), pattern.as_ref(), report);
        }
        self.tear_bodies(report);
        report
            .surfaces
            .resize(self.bodies.len(), SurfaceReport::default());
        report
            .resampled
            .resize(self.bodies.len(), ResampleReport::default());
    }

    /// What a body does about the hits of a frame.
    fn answer(&mut self, id: BodyId, impacts: &[Impact], dt: f32, report: &mut StepReport) {
        let Some(at) = self.bodies.iter().position(|b| b.id == id) else {
            return;
        };
        let Some(visual) = self.visuals[at].as_deref() else {
            return;
        };
        match visual.rules.behavior {
            Behavior::Rigid | Behavior::Soft => {}
            Behavior::Brittle => {
                let hardest = impacts.iter().max_by(|a, b| a.speed.total_cmp(&b.speed));
                if let Some(hit) = hardest {
                    let pattern = visual.pattern_now();
                    let hit = visual.hit_at(hit.primitive as usize, hit.at, hit.normal);
                    self.shatter(at, &pattern, hit, report);
                }
            }
            Behavior::Plastic => self.dent(at, impacts, dt),
            Behavior::Ductile => {
                let mut impacts = impacts.to_vec();
                for k in 0..impacts.len() {
                    self.divide(at, k, &mut impacts);
                }
                self.dent(at, &impacts, dt);
            }
        }
    }

    /// Breaks the body that is nearest to a place, or `only` what is or was this body.
    fn break_at(
        &mut self,
        (mut p, only): (Vec3, Option<BodyId>),
        pattern: Option<&PatternDesc>,
        report: &mut StepReport,
    ) {
        let mut nearest: Option<(f32, usize, usize)> = None;
        for (at, visual) in self.visuals.iter().enumerate() {
            let Some(visual) = visual else { continue };
            if only.is_some_and(|id| self.bodies[at].origin != id) {
                continue;
            }
            let own = visual.to_own(p);
            for k in 0..visual.primitives.len() {
                // By boxes: a ball around a long bar would reach far aside of it.
                let (around, way) = (&visual.bounds_of[k], own - visual.rest[k].x);
                let far = way.distance(way.clamp(around.lo, around.hi)) + 1e-3 * way.length();
                if nearest.is_none_or(|n| far < n.0) {
                    nearest = Some((far, at, k));
                }
            }
        }
        let Some((_, at, k)) = nearest else {
            let warning =
                "a fracture was left out: its body, or any of visual geometry, is not there";
            report.warnings.push(warning.to_owned());
            return;
        };
        let Some(visual) = self.visuals[at].as_deref() else {
            return;
        };
        let pattern = pattern.unwrap_or(&visual.rules.pattern).clone();
        if only.is_some() {
            // However far that has gone, the pattern is to meet it.
            let (around, pose) = (&visual.bounds_of[k], visual.rest[k]);
            let near = pose.x + (visual.to_own(p) - pose.x).clamp(around.lo, around.hi);
            p = visual.out_of_own(near);
        }
        let at_undeformed = visual.undeformed(k, p);
        // Nothing tells a direction: across the thinnest side of the primitive.
        let (_, axes) = crate::math::svd::symmetric_eigen(visual.primitives[k].moment);
        let hit = Hit {
            at: at_undeformed,
            normal: axes.z_axis,
        };
        self.shatter(at, &pattern, hit, report);
    }

    /// Breaks a body by a pattern into bodies of their own.
    fn shatter(&mut self, at: usize, pattern: &PatternDesc, hit: Hit, report: &mut StepReport) {
        let key = self.event_key(at);
        let Some(visual) = self.visuals[at].as_deref_mut() else {
            return;
        };
        visual.events += 1;
        let placed = pattern_at(pattern, visual, hit, key);
        match visual.shatter(&placed) {
            Some(fragments) => self.replace(at, fragments),
            // A piece that is too small to be cut is no news.
            None if visual.generation == 0 => report.warnings.push(format!(
                "{}: it was hit but did not break: its pattern does not divide it, or it would have too many primitives",
                self.bodies[at].name
            )),
            None => {}
        }
    }

    /// Divides a ductile body around one of its hits, all of which are then of pieces.
    fn divide(&mut self, at: usize, k: usize, impacts: &mut [Impact]) {
        let key = self.event_key(at);
        let Some(visual) = self.visuals[at].as_deref_mut() else {
            return;
        };
        let hit = visual.hit_at(
            impacts[k].primitive as usize,
            impacts[k].at,
            impacts[k].normal,
        );
        let pattern = visual.rules.pattern.clone();
        let (lo, hi) = visual.undeformed_bounds();
        let radius = if pattern.radius > 0.0 {
            pattern.radius
        } else {
            (hi - lo).length()
        };
        let placed = pattern_at(&pattern, visual, hit, key);
        let Some(divided) = visual.divide(&placed, hit, radius) else {
            return;
        };
        visual.events += 1;
        let mut body = divided.body;
        body.events = visual.events;
        body.rigid = visual.rigid;
        // A hit is of the piece that is nearest.
        for impact in impacts.iter_mut() {
            let pieces = (0u32..).zip(&divided.parents);
            let own = pieces.filter(|(_, parent)| **parent == impact.primitive);
            let far = |k: u32| body.rest[k as usize].x.distance_squared(impact.at);
            let nearest = own.min_by(|a, b| far(a.0).total_cmp(&far(b.0)));
            impact.primitive = nearest.map_or(0, |(k, _)| k);
        }
        self.renew(at, body);
    }

    /// Dents a rigid body where it was hit, for `dt` seconds of the closing speed \[MCM16 §3.5\].
    fn dent(&mut self, at: usize, impacts: &[Impact], dt: f32) {
        let id = self.bodies[at].id;
        let boxes = self.joints.iter().flat_map(|own| {
            let sides = [own.a == id, own.b == Ground::Body(id)];
            sides
                .into_iter()
                .zip(own.boxes)
                .filter_map(|(own, held)| own.then_some(held))
        });
        let boxes: Vec<_> = boxes.collect();
        let Some(visual) = self.visuals[at].as_deref_mut() else {
            return;
        };
        let mut held = vec![false; visual.primitives.len()];
        for joint in &boxes {
            for k in joint.holds(visual) {
                held[k] = true;
            }
        }
        let mut pushes = Vec::new();
        for i in impacts {
            let blow = Blow {
                primitive: i.primitive,
                at: i.at,
                normal: i.normal,
                depth: i.speed * dt,
                radius: i.radius,
            };
            let (primitives, graph) = (&visual.primitives, &visual.graph);
            imprint(&blow, primitives, graph, &visual.rest, &mut pushes);
        }
        if !visual.dent_and_tear(&pushes, &held) {
            return;
        }
        visual.events += 1;
        let shift = visual.recenter();
        visual.place_all();
        let anchors = self.joints.iter_mut().flat_map(|own| {
            let sides = [own.a == id, own.b == Ground::Body(id)];
            let anchors = [&mut own.joint.a, &mut own.joint.b];
            sides
                .into_iter()
                .zip(anchors)
                .filter_map(|(own, anchor)| own.then_some(anchor))
        });
        anchors.for_each(|anchor| anchor.at -= shift);
        let ties = self.attachments.iter_mut();
        ties.filter(|tie| tie.to == Ground::Body(id))
            .for_each(|tie| tie.at -= shift);
        if let (Some(visual), Surface::Welded(welded)) =
            (self.visuals[at].as_deref_mut(), &mut self.surfaces[at])
        {
            visual.draw(welded, true);
        }
    }

    /// A body in the place of another one of the same mass.
    fn renew(&mut self, at: usize, mut body: VisualBody) {
        body.place_all();
        self.surfaces[at] = body.surface();
        self.visuals[at] = Some(Box::new(body));
    }

    /// Links that are stretched too much break; what they held together parts.
    fn tear_bodies(&mut self, report: &mut StepReport) {
        let mut at = 0;
        while at < self.bodies.len() {
            // Also what a dent has torn.
            let torn = self.visuals[at].as_deref_mut().is_some_and(|visual| {
                visual.tear();
                std::mem::take(&mut visual.is_torn)
            });
            if !torn {
                at += 1;
                continue;
            }
            let Some(visual) = self.visuals[at].as_deref_mut() else {
                continue;
            };
            let (of, count) = visual.graph.components();
            if count > 1 {
                let fragment = |(body, parents): (VisualBody, Vec<u32>)| Fragment {
                    body,
                    parents,
                    stays: true,
                };
                let parts = visual.take().into_parts(&of, count);
                // The pieces come last, and are not torn again.
                self.replace(at, parts.into_iter().map(fragment).collect());
                continue;
            }
            if visual.is_soft() {
                self.renew_rings(at);
            }
            if let Some(body) = self.visuals[at].take() {
                self.renew(at, *body);
            }
            at += 1;
        }
        let _ = report;
    }

    /// Puts fragments in the place of a body: they are where its primitives are, and move as they did.
    fn replace(&mut self, at: usize, fragments: Vec<Fragment>) {
        let Some(visual) = self.visuals[at].take() else {
            return;
        };
        let body = &self.bodies[at];
        let (id, first, first_oriented) = (body.id, body.points.start, body.oriented.start);
        let identity = |world: &Self, k: usize| {
            let body = &world.bodies[at];
            Identity::of_piece(body, format!("{}.{k}", body.name))
        };
        let mut heirs: Vec<Heir> = Vec::with_capacity(fragments.len());
        if let Some(old) = &visual.rigid {
            let made = fragments.into_par_iter().map(|mut fragment| {
                fragment.body.break_off(old, fragment.stays);
                let surface = fragment.body.surface();
                (fragment, surface)
            });
            let made: Vec<(Fragment, Surface)> = made.collect();
            for (k, (fragment, surface)) in made.into_iter().enumerate() {
                let identity = identity(self, k);
                heirs.push(Heir {
                    id: self.push_rigid_drawn(fragment.body, surface, identity),
                    at: self.bodies.len() - 1,
                    parents: fragment.parents,
                });
            }
        } else {
            for (k, fragment) in fragments.into_iter().enumerate() {
                let motion = |(&parent, pose): (&u32, &super::Pose)| {
                    let (i, o) = (first + parent as usize, first_oriented + parent as usize);
                    let spin = self.oriented.spin[o];
                    Motion {
                        v: self.points.v[i] + spin.cross(pose.x - self.points.x[i]),
                        rotation: self.points.rotation[i],
                        spin,
                    }
                };
                let motions = fragment.parents.iter().zip(&fragment.body.rest).map(motion);
                let motions: Vec<Motion> = motions.collect();
                let identity = identity(self, k);
                if let Ok(id) = self.push_soft(fragment.body, identity, &motions) {
                    heirs.push(Heir {
                        id,
                        at: self.bodies.len() - 1,
                        parents: fragment.parents,
                    });
                }
            }
        }
        self.hand_on(id, visual.rigid, &heirs);
        self.remove_body(id);
    }

    /// By what the random numbers of a body's next event are known.
    fn event_key(&self, at: usize) -> [u64; 4] {
        let events = self.visuals[at].as_ref().map_or(0, |v| v.events);
        let name = name_key(&self.bodies[at].name);
        [self.settings.seed, name, u64::from(events), 0x4252_4541]
    }
}

impl VisualBody {
    /// The pattern by which it shatters now: pieces break into fewer.
    fn pattern_now(&self) -> PatternDesc {
        let mut pattern = self.rules.pattern.clone();
        pattern.cells = (pattern.cells >> (2 * u32::from(self.generation))).max(3);
        pattern
    }

    /// Dents it by pushes, and lets it tear meanwhile. Returns whether anything has moved.
    ///
    /// Departs from \[MCM16 §3.6\], where the links that a dent has stretched break and no more: what a crack sets free is pushed on, so
    /// the same push goes again into what the crack has left, until no link breaks. So a crack runs as far as the push can drive it, not
    /// as far as the sheet was stretched when it was whole.
    fn dent_and_tear(&mut self, pushes: &[(u32, Vec3)], held: &[bool]) -> bool {
        let before = (self.rest.clone(), self.dented.clone());
        let options = DentOptions::default();
        for run in 1..=CRACK_RUNS {
            let (primitives, graph) = (&self.primitives, &self.graph);
            let (rest, dented) = (&mut self.rest, &mut self.dented);
            let moved = dent(primitives, graph, rest, pushes, held, dented, &options);
            if moved.is_empty() {
                return false;
            }
            if !self.tear() || run == CRACK_RUNS {
                break;
            }
            self.rest.clone_from(&before.0);
            self.dented.clone_from(&before.1);
        }
        true
    }

    /// Finds its centre of mass and its inertia anew; angular momentum stays, and what moves with it goes on as it did. Returns how far the
    /// centre has moved, in its axes.
    fn recenter(&mut self) -> Vec3 {
        let Some(old) = self.rigid else {
            return Vec3::ZERO;
        };
        let (mass, shift, inertia) =
            super::body::mass_properties(&self.primitives, &self.rest, self.rules.density);
        for pose in &mut self.rest {
            pose.x -= shift;
        }
        let x = old.x + old.rotation * shift;
        let mut rigid = Rigid::new(x, mass, inertia, old.inv_mass == 0.0);
        rigid.rotation = old.rotation;
        rigid.v = old.velocity_at(x);
        rigid.spin = rigid.spin_of(old.angular_momentum());
        self.rigid = Some(rigid);
        shift
    }

    /// Makes it a rigid body of its own that was part of another one; what could not move goes on so if it `stays`.
    fn break_off(&mut self, old: &Rigid, stays: bool) {
        let (mass, center, inertia) =
            super::body::mass_properties(&self.primitives, &self.rest, self.rules.density);
        for pose in &mut self.rest {
            pose.x -= center;
        }
        let is_fixed = old.inv_mass == 0.0 && stays;
        let x = old.x + old.rotation * center;
        let mut rigid = Rigid::new(x, mass, inertia, is_fixed);
        rigid.rotation = old.rotation;
        if old.inv_mass > 0.0 {
            rigid.v = old.velocity_at(x);
            rigid.spin = old.spin;
        }
        self.rigid = Some(rigid);
        self.place_all();
    }

    /// All of it; what is left is empty, but where it was.
    fn take(&mut self) -> Self {
        let mut left = Self::new(
            self.rules.clone(),
            Vec::new(),
            LinkGraph::default(),
            Vec::new(),
            (Arc::clone(&self.source), 0),
        );
        left.rigid = self.rigid;
        std::mem::replace(self, left)
    }
}
