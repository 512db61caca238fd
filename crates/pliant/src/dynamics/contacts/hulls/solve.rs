//! Contacts of hulls, one after the other \[DCB14\].
//!
//! Each remembers how hard it has pushed in this substep, and takes back what was too much: λ ≥ 0 of the sum, not of each pass. Friction is
//! bounded by that sum in the same way. So what one of several contacts did first does not stay too large, and stacks do not swell.

use super::candidates::Scene;
use super::cast::{Cast, Movers, Who};
use crate::dynamics::contacts::combined_friction;
use crate::dynamics::frame::Frame;
use crate::material::KINETIC_SHARE;
use crate::visual::{Behavior, VisualBody};
use glam::Vec3;

/// Share of old penetration that leaves in a substep.
const LIFT: f32 = 0.2;
/// Old penetration that stays: without any, contacts would come and go with the round-off (in the radius of the movers).
const STAY: f32 = 1e-3;
/// A contact is the same as before if it has moved by less than this, in radii of the smaller primitive.
const NEAR: f32 = 0.2;
/// What shatters gives way to what hits it as if it was in at least so many pieces already.
const LEAST_PIECES: f32 = 8.0;

/// Something that was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// A primitive of a body, by the body's place and the primitive's number.
    Primitive(u32, u32),
    /// Something else.
    Other(Who),
}

/// Who touches, by ids that stay from substep to substep.
pub type Key = [u32; 4];

/// How hard a contact pushed in the last substep.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Who touches.
    pub key: Key,
    /// Where, in the axes of the first (m).
    pub arm: Vec3,
    /// Push along the normal (kg m).
    pub push: f32,
    /// Push across it, world axes (kg m).
    pub slide: Vec3,
}

/// What a contact knows of the two that touch.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Who they are.
    pub who: [Touched; 2],
    key: [[u32; 2]; 2],
    /// Radius of the smaller of the two (m).
    size: f32,
    friction: f32,
    restitution: f32,
    /// How much more each gives way than its mass says, and how much more it would if it broke.
    give: [f32; 2],
    broken: [f32; 2],
    /// Closing speed above which one of them is changed (m/s).
    threshold: [f32; 2],
}

impl Touch {
    /// Two primitives, by body and number.
    pub(super) fn between(scene: &Scene, at: [(u32, u32); 2]) -> Self {
        let body = |k: usize| &scene.bodies[at[k].0 as usize].material;
        let origin = |k: usize| scene.bodies[at[k].0 as usize].origin;
        let (a, b) = (body(0), body(1));
        let who = at.map(|(body, k)| Touched::Primitive(body, k));
        Self {
            who,
            key: who.map(|who| who.key(scene)),
            size: size(scene, at[0]).min(size(scene, at[1])),
            friction: combined_friction(a.friction, b.friction),
            restitution: a.restitution.max(b.restitution),
            give: [1.0; 2],
            broken: at.map(|(body, _)| give(scene, body)),
            // Pieces of one body do not break each other: they begin side by side.
            threshold: if origin(0) == origin(1) {
                [f32::INFINITY; 2]
            } else {
                [
                    threshold(scene, at[0].0, lightness(scene, at[1].0)),
                    threshold(scene, at[1].0, lightness(scene, at[0].0)),
                ]
            },
        }
    }

    /// Radius that a dent by the first or the second has (m); that of a primitive is no larger than what it touches, a collider is flat.
    pub(super) fn radius_of(&self, side: usize, scene: &Scene) -> f32 {
        match self.who[side] {
            Touched::Primitive(..) => self.size,
            Touched::Other(Who::Sphere(i)) => scene.rigids.radius[i as usize],
            Touched::Other(Who::Oriented(i)) => scene.oriented.radii[i as usize].min_element(),
            Touched::Other(_) => 0.0,
        }
    }

    /// How much more each gives way at a closing speed: only where it really breaks.
    fn full_give(&self, closing: f32) -> [f32; 2] {
        [0, 1].map(|k| {
            if closing > self.threshold[k] {
                self.broken[k]
            } else {
                1.0
            }
        })
    }

    /// A primitive and something else.
    pub(super) fn with(scene: &Scene, at: (u32, u32), other: Who, friction: f32) -> Self {
        let own = &scene.bodies[at.0 as usize].material;
        let who = [Touched::Primitive(at.0, at.1), Touched::Other(other)];
        let by = match other {
            Who::Sphere(i) => 1.0 / scene.rigids.mass[i as usize].max(f32::MIN_POSITIVE),
            // Particles have their body behind them.
            _ => 0.0,
        };
        Self {
            who,
            key: who.map(|who| who.key(scene)),
            size: size(scene, at),
            friction: combined_friction(own.friction, friction),
            restitution: own.restitution,
            give: [1.0; 2],
            broken: [give(scene, at.0), 1.0],
            threshold: [threshold(scene, at.0, by), f32::INFINITY],
        }
    }
}

impl Touched {
    /// Two numbers by which it is known.
    fn key(self, scene: &Scene) -> [u32; 2] {
        match self {
            Self::Primitive(body, k) => [scene.bodies[body as usize].id.0, k],
            // Beyond all primitives.
            Self::Other(Who::World | Who::Body(_)) => [0, u32::MAX],
            Self::Other(Who::Collider(i)) => [i, u32::MAX - 1],
            Self::Other(Who::Oriented(i)) => [i, u32::MAX - 2],
            Self::Other(Who::Point(i)) => [i, u32::MAX - 3],
            Self::Other(Who::Sphere(i)) => [i, u32::MAX - 4],
        }
    }
}

/// Radius of a primitive (m).
fn size(scene: &Scene, (body, k): (u32, u32)) -> f32 {
    let visual = scene.visuals[body as usize].as_deref();
    visual.map_or(0.0, |v| v.hulls[k as usize].radius)
}

/// How much more than it weighs a body gives way where it breaks.
fn give(scene: &Scene, body: u32) -> f32 {
    let visual = scene.visuals[body as usize].as_deref();
    let shatters = visual.filter(|v| v.rules.behavior == Behavior::Brittle);
    shatters.map_or(1.0, |v| (v.rules.pattern.cells as f32).max(LEAST_PIECES))
}

/// Closing speed above which a body is changed by something with one over its mass `by` (1/kg).
///
/// Departs from \[MCM16 §3.5\], where only the speed counts: what is hit is a piece of the body, and has to be made as fast as that by the
/// hit. Otherwise the splinters of a pane would bring down a wall.
fn threshold(scene: &Scene, body: u32, by: f32) -> f32 {
    let visual = scene.visuals[body as usize].as_deref();
    visual.map_or(f32::INFINITY, |v| {
        let mass = v.rigid.map_or(0.0, |rigid| rigid.mass);
        let piece = mass / (v.rules.pattern.cells as f32).max(LEAST_PIECES);
        v.hit_speed() * (1.0 + piece * by)
    })
}

/// One over the mass of a rigid body that can move (1/kg); soft ones and fixed ones do not give way.
fn lightness(scene: &Scene, body: u32) -> f32 {
    let visual = scene.visuals[body as usize].as_deref();
    visual
        .and_then(|v| v.rigid)
        .map_or(0.0, |rigid| rigid.inv_mass)
}

/// A contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The frames of the two.
    pub frames: [u32; 2],
    /// Where they touch, in their own axes from their centres (m).
    pub(super) arms: [Vec3; 2],
    /// Where that was when the contact was found (m).
    pub at: Vec3,
    /// Unit vector from the first to the second.
    pub normal: Vec3,
    /// Gap when the contact was found (m).
    pub gap: f32,
    /// Closing speed then (m/s).
    pub closing: f32,
    /// What it knows of the two.
    pub touch: Touch,
    /// Old penetration that is left for later substeps (m).
    left: f32,
    /// How hard it has pushed in this substep (kg m), along the normal and across.
    pub push: f32,
    slide: Vec3,
}

impl Contact {
    pub(super) fn new(
        frames: [u32; 2],
        arms: [Vec3; 2],
        at: Vec3,
        normal: Vec3,
        gap: f32,
        closing: f32,
        mut touch: Touch,
    ) -> Self {
        touch.give = touch.full_give(closing);
        Self {
            frames,
            arms,
            at,
            normal,
            gap,
            closing,
            touch,
            left: 0.0,
            push: 0.0,
            slide: Vec3::ZERO,
        }
    }

    /// A contact of rigid bodies that was found in an earlier substep, as it is now.
    pub(super) fn renew(&mut self, scene: &Scene, cast: &Cast) {
        let frames = self.frames.map(|f| &cast.frames[f as usize]);
        let arms = [0, 1].map(|k| frames[k].arm(self.arms[k]));
        let velocity = |k: usize| match cast.who(self.frames[k]) {
            Who::Body(b) => {
                let rigid = scene.visuals[b as usize].as_ref().and_then(|v| v.rigid);
                rigid.map_or(Vec3::ZERO, |r| r.v + r.spin.cross(arms[k]))
            }
            _ => Vec3::ZERO,
        };
        self.closing = (velocity(0) - velocity(1)).dot(self.normal);
        self.gap = -self.depth_before(frames[0], frames[1]).0;
        self.at = frames[0].start + arms[0];
        (self.push, self.slide, self.left) = (0.0, Vec3::ZERO, 0.0);
        self.touch.give = self.touch.full_give(self.closing);
    }

    /// How deep the two are in each other at the beginning of the substep, and the places on them where they touch, from their centres (m).
    fn depth_before(&self, a: &Frame, b: &Frame) -> (f32, [Vec3; 2]) {
        let arms = [a.arm(self.arms[0]), b.arm(self.arms[1])];
        let [p, q] = [(a, arms[0]), (b, arms[1])].map(|(f, arm)| f.x + arm - f.slip(arm));
        (self.normal.dot(p - q), arms)
    }

    fn key(&self) -> Key {
        let [a, b] = self.touch.key;
        [a[0], a[1], b[0], b[1]]
    }

    /// Whether it has pushed something that such a hit changes: the first, the second.
    pub fn hits(&self) -> [bool; 2] {
        self.touch
            .threshold
            .map(|t| self.push > 0.0 && self.closing > t)
    }
}

/// Remembers how hard contacts have pushed.
pub(super) fn remember(contacts: &[Contact], memory: &mut Vec<Memory>) {
    memory.clear();
    let pushed = contacts.iter().filter(|c| c.push > 0.0);
    memory.extend(pushed.map(|c| Memory {
        key: c.key(),
        arm: c.arms[0],
        push: c.push,
        slide: c.slide,
    }));
    // Stable: contacts of two stay in the order in which they were found.
    memory.sort_by_key(|m| m.key);
}

/// Contacts push as hard as the nearest ones did in the last substep, for a start. Departs from \[DCB14\], which begins at zero: a stack would
/// need as many iterations as it is high, and creep. Not by features: where faces lie on each other exactly, these change with the round-off.
pub(super) fn recall(memory: &mut [Memory], contacts: &mut [Contact], cast: &mut Cast) {
    for c in contacts {
        let key = c.key();
        let first = memory.partition_point(|m| m.key < key);
        let own = memory[first..].iter_mut().take_while(|m| m.key == key);
        let far = |m: &Memory| m.arm.distance_squared(c.arms[0]);
        // What is used is used up.
        let unused = own.filter(|m| m.push > 0.0);
        let Some(known) = unused.min_by(|a, b| far(a).total_cmp(&far(b))) else {
            continue;
        };
        if far(known) > NEAR * NEAR * c.touch.size * c.touch.size {
            continue;
        }
        let Some((a, b)) = two(&mut cast.frames, c.frames) else {
            continue;
        };
        c.push = std::mem::take(&mut known.push);
        c.slide = known.slide - c.normal * c.normal.dot(known.slide);
        let push = c.normal * c.push + c.slide;
        let (ra, rb) = (a.arm(c.arms[0]), b.arm(c.arms[1]));
        a.push(ra, -push);
        b.push(rb, push);
    }
}

/// Two frames at once.
fn two(frames: &mut [Frame], [a, b]: [u32; 2]) -> Option<(&mut Frame, &mut Frame)> {
    let [a, b] = frames.get_disjoint_mut([a as usize, b as usize]).ok()?;
    Some((a, b))
}

/// Moves what overlaps already a little apart, without giving it a velocity.
pub(super) fn stabilize(contacts: &mut [Contact], cast: &mut Cast) {
    for c in contacts.iter().filter(|c| c.gap < 0.0) {
        let Some((a, b)) = two(&mut cast.frames, c.frames) else {
            continue;
        };
        let (depth, [ra, rb]) = c.depth_before(a, b);
        let (depth, w) = (
            depth - STAY * c.touch.size,
            a.give(ra, c.normal) + b.give(rb, c.normal),
        );
        if depth > 0.0 && w > 0.0 {
            let push = c.normal * (LIFT * depth / w);
            a.place(ra, -push);
            b.place(rb, push);
        }
    }
    for c in contacts {
        let Some((a, b)) = two(&mut cast.frames, c.frames) else {
            continue;
        };
        c.left = c.depth_before(a, b).0.max(0.0);
    }
}

/// One pass over all contacts.
pub(super) fn pass(contacts: &mut [Contact], cast: &mut Cast, backwards: bool) {
    let count = contacts.len();
    for k in 0..count {
        // Back and forth: what comes last in every pass would always be right, and what comes first always a little wrong.
        let c = &mut contacts[if backwards { count - 1 - k } else { k }];
        let Some((a, b)) = two(&mut cast.frames, c.frames) else {
            continue;
        };
        let n = c.normal;
        let (ra, rb) = (a.arm(c.arms[0]), b.arm(c.arms[1]));
        let gap = n.dot(b.x + rb - a.x - ra) + c.left;
        if gap >= 0.0 && c.push == 0.0 {
            continue;
        }
        let [give_a, give_b] = c.touch.give;
        let w = a.give(ra, n) * give_a + b.give(rb, n) * give_b;
        if w <= 0.0 {
            continue;
        }
        let before = c.push;
        c.push = (before - gap / w).max(0.0);
        let push = n * (c.push - before);
        a.push(ra, -push);
        b.push(rb, push);
        rub(c, a, b, [ra, rb]);
    }
}

/// Friction: what slid goes back, as far as the push allows.
fn rub(c: &mut Contact, a: &mut Frame, b: &mut Frame, [ra, rb]: [Vec3; 2]) {
    let n = c.normal;
    let slip = b.slip(rb) - a.slip(ra);
    let slip = slip - n * n.dot(slip);
    let length = slip.length();
    let most = c.touch.friction * c.push;
    if c.slide == Vec3::ZERO && (length < 1e-9 || most == 0.0) {
        return;
    }
    let along = if length > 1e-9 {
        slip / length
    } else {
        Vec3::ZERO
    };
    let [give_a, give_b] = c.touch.give;
    let w = a.give(ra, along) * give_a + b.give(rb, along) * give_b;
    let wanted = if w > 0.0 { c.slide - slip / w } else { c.slide };
    let size = wanted.length();
    let slide = if size > most {
        wanted * (KINETIC_SHARE * most / size).min(1.0)
    } else {
        wanted
    };
    let change = slide - c.slide;
    c.slide = slide;
    a.push(ra, -change);
    b.push(rb, change);
}

/// Gives back part of the closing speed of impacts, when velocities are known.
pub(super) fn restitute(
    contacts: &[Contact],
    cast: &Cast,
    visuals: &mut [Option<Box<VisualBody>>],
    movers: &mut Movers,
    least: f32,
) {
    for c in contacts {
        if c.push == 0.0 || c.touch.restitution == 0.0 || c.closing < least {
            continue;
        }
        let frames = c.frames.map(|f| cast.frames[f as usize]);
        let arms = [0, 1].map(|k| frames[k].arm(c.arms[k]));
        let who = c.frames.map(|f| cast.who(f));
        let v = [0, 1].map(|k| velocity(visuals, movers, who[k], arms[k]));
        let closing = (v[0] - v[1]).dot(c.normal);
        let change = closing + c.touch.restitution * c.closing;
        let w = frames[0].give(arms[0], c.normal) + frames[1].give(arms[1], c.normal);
        if change <= 0.0 || w <= 0.0 {
            continue;
        }
        let push = c.normal * (change / w);
        for (k, push) in [(0, -push), (1, push)] {
            let turn = frames[k].inv_inertia * arms[k].cross(push);
            accelerate(visuals, movers, who[k], push * frames[k].inv_mass, turn);
        }
    }
}

fn velocity(visuals: &[Option<Box<VisualBody>>], movers: &Movers, who: Who, arm: Vec3) -> Vec3 {
    match who {
        Who::World | Who::Collider(_) => Vec3::ZERO,
        Who::Body(b) => {
            let rigid = visuals[b as usize].as_ref().and_then(|v| v.rigid);
            rigid.map_or(Vec3::ZERO, |r| r.v + r.spin.cross(arm))
        }
        Who::Oriented(i) => {
            let i = i as usize;
            let point = movers.oriented.point[i] as usize;
            movers.points.v[point] + movers.oriented.spin[i].cross(arm)
        }
        Who::Point(i) => movers.points.v[i as usize],
        Who::Sphere(s) => movers.rigids.v[s as usize] + movers.rigids.spin[s as usize].cross(arm),
    }
}

fn accelerate(
    visuals: &mut [Option<Box<VisualBody>>],
    movers: &mut Movers,
    who: Who,
    v: Vec3,
    spin: Vec3,
) {
    match who {
        Who::World | Who::Collider(_) => {}
        Who::Body(b) => {
            let visual = visuals[b as usize].as_mut();
            if let Some(rigid) = visual.and_then(|visual| visual.rigid.as_mut()) {
                rigid.v += v;
                rigid.spin += spin;
            }
        }
        Who::Oriented(i) => {
            let i = i as usize;
            let point = movers.oriented.point[i] as usize;
            movers.points.v[point] += v;
            movers.oriented.spin[i] += spin;
        }
        Who::Point(i) => movers.points.v[i as usize] += v,
        Who::Sphere(s) => {
            movers.rigids.v[s as usize] += v;
            movers.rigids.spin[s as usize] += spin;
        }
    }
}
