//! Who takes part in contacts of hulls, joints and attachments of a substep, each as a [`Frame`].
//!
//! Rigid bodies and colliders have their frames for the whole substep. Those of particles and projectiles are copies, which are loaded before
//! each pass and stored after it, because groups move the originals in between.

use crate::dynamics::contacts::statics::Placed;
use crate::dynamics::frame::Frame;
use crate::dynamics::turns::turn_of;
use crate::state::{Oriented, Points, Rigids};
use crate::visual::VisualBody;
use glam::{Mat3, Quat, Vec3};

/// No frame.
pub const NONE: u32 = u32::MAX;

/// Whose frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// What never moves.
    World,
    /// An obstacle.
    Collider(u32),
    /// A rigid body, by its place among the bodies.
    Body(u32),
    /// A particle with a rotation, by its entry among those.
    Oriented(u32),
    /// A plain particle.
    Point(u32),
    /// A projectile.
    Sphere(u32),
}

/// The movers that frames are copies of.
pub struct Movers<'a> {
    /// Plain particles.
    pub points: &'a mut Points,
    /// What some have besides.
    pub oriented: &'a mut Oriented,
    /// Projectiles.
    pub rigids: &'a mut Rigids,
}

/// The same, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Originals<'a> {
    /// Plain particles.
    pub points: &'a Points,
    /// What some have besides.
    pub oriented: &'a Oriented,
    /// Projectiles.
    pub rigids: &'a Rigids,
}

impl Movers<'_> {
    fn originals(&self) -> Originals<'_> {
        Originals {
            points: self.points,
            oriented: self.oriented,
            rigids: self.rigids,
        }
    }
}

/// The frames of a substep.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    /// The frames. The first is that of the world.
    pub frames: Vec<Frame>,
    who: Vec<Who>,
    /// The frame of each body; none of those that are not rigid.
    of_body: Vec<u32>,
    first_collider: u32,
    /// Where copies begin.
    first_copy: usize,
    /// Frames of oriented particles, points and projectiles.
    of_copy: [Vec<u32>; 3],
}

impl Cast {
    /// Begins a substep of `h` seconds: predicts rigid bodies under the acceleration `a`, which may depend on the velocity.
    pub fn begin(
        &mut self,
        visuals: &mut [Option<Box<VisualBody>>],
        a: impl Fn(Vec3) -> Vec3,
        h: f32,
    ) {
        self.frames.clear();
        self.who.clear();
        self.frames.push(Frame::default());
        self.who.push(Who::World);
        self.of_body.clear();
        for (at, visual) in visuals.iter_mut().enumerate() {
            let rigid = visual.as_mut().and_then(|v| v.rigid.as_mut());
            let Some(rigid) = rigid else {
                self.of_body.push(NONE);
                continue;
            };
            self.of_body.push(self.frames.len() as u32);
            self.frames.push(rigid.predict(a(rigid.v), h));
            self.who.push(Who::Body(at as u32));
        }
        self.first_copy = self.frames.len();
    }

    /// Adds frames of obstacles, and forgets copies of movers.
    pub fn add_colliders(&mut self, placed: &[Placed], movers: &Originals) {
        self.first_collider = self.frames.len() as u32;
        for (at, p) in placed.iter().enumerate() {
            self.frames.push(Frame {
                x: p.end.position,
                start: p.start.position,
                rotation: p.end.rotation,
                turned: turn_of(p.end.rotation * p.start.rotation.conjugate()),
                ..Frame::default()
            });
            self.who.push(Who::Collider(at as u32));
        }
        self.first_copy = self.frames.len();
        let lengths = [
            movers.oriented.len(),
            movers.points.len(),
            movers.rigids.len(),
        ];
        for (of, length) in self.of_copy.iter_mut().zip(lengths) {
            of.clear();
            of.resize(length, NONE);
        }
    }

    /// The frame of a rigid body; none if it is not rigid.
    pub fn of_body(&self, body: usize) -> Option<u32> {
        self.of_body.get(body).copied().filter(|&f| f != NONE)
    }

    /// The frame of an obstacle.
    pub fn of_collider(&self, collider: usize) -> u32 {
        self.first_collider + collider as u32
    }

    /// Whose frame it is.
    pub fn who(&self, frame: u32) -> Who {
        self.who[frame as usize]
    }

    /// The frame of a mover; a copy is made when it is named first.
    pub fn of(&mut self, movers: &Originals, who: Who) -> u32 {
        let (kind, i) = match who {
            Who::World => return 0,
            Who::Collider(c) => return self.of_collider(c as usize),
            Who::Body(b) => return self.of_body[b as usize],
            Who::Oriented(i) => (0, i as usize),
            Who::Point(i) => (1, i as usize),
            Who::Sphere(i) => (2, i as usize),
        };
        let known = self.of_copy[kind][i];
        if known != NONE {
            return known;
        }
        let new = self.frames.len() as u32;
        self.of_copy[kind][i] = new;
        self.frames.push(copy(movers, who));
        self.who.push(who);
        new
    }

    /// Loads the copies anew.
    pub fn load(&mut self, movers: &Movers) {
        let copies = self.frames[self.first_copy..].iter_mut();
        for (frame, &who) in copies.zip(&self.who[self.first_copy..]) {
            *frame = copy(&movers.originals(), who);
        }
    }

    /// Writes back what pushes did to the copies.
    pub fn store(&self, movers: &mut Movers) {
        let copies = self.frames[self.first_copy..].iter();
        for (frame, &who) in copies.zip(&self.who[self.first_copy..]) {
            if frame.inv_mass == 0.0 {
                continue;
            }
            match who {
                Who::World | Who::Collider(_) | Who::Body(_) => {}
                Who::Oriented(i) => {
                    let i = i as usize;
                    let point = movers.oriented.point[i] as usize;
                    movers.points.pred[point].set_position(frame.x);
                    movers.points.x[point] = frame.start;
                    movers.oriented.turned[i] = frame.rotation;
                    movers.oriented.past[i].unsettle();
                }
                Who::Point(i) => {
                    movers.points.pred[i as usize].set_position(frame.x);
                    movers.points.x[i as usize] = frame.start;
                }
                Who::Sphere(s) => {
                    let s = s as usize;
                    movers.rigids.x[s] = frame.start;
                    movers.rigids.pred[s] = frame.x;
                    movers.rigids.shift[s] += frame.shift;
                    movers.rigids.turn[s] = frame.turned;
                }
            }
        }
    }

    /// Rigid bodies take over where they have been put after `h` seconds; returns how many had no place.
    pub fn settle(&self, visuals: &mut [Option<Box<VisualBody>>], h: f32) -> u32 {
        let mut bad = 0;
        for (visual, &frame) in visuals.iter_mut().zip(&self.of_body) {
            let rigid = visual.as_mut().and_then(|v| v.rigid.as_mut());
            if let Some(rigid) = rigid
                && frame != NONE
            {
                bad += u32::from(!rigid.settle(&self.frames[frame as usize], h));
            }
        }
        bad
    }
}

/// A mover as it is predicted.
fn copy(movers: &Originals, who: Who) -> Frame {
    let (points, oriented, rigids) = (movers.points, movers.oriented, movers.rigids);
    match who {
        Who::World | Who::Collider(_) | Who::Body(_) => Frame::default(),
        Who::Oriented(i) => {
            let i = i as usize;
            let point = oriented.point[i] as usize;
            let rotation = oriented.turned[i];
            // Primitives of soft bodies turn with those around them: turned by contacts they would roll under the body and keep it moving.
            let inv_inertia = if oriented.collides[i] {
                let axes = Mat3::from_quat(rotation * oriented.axes[i]);
                let about = oriented.inv_inertia(i, points.mass[point]);
                axes * Mat3::from_diagonal(about) * axes.transpose()
            } else {
                Mat3::ZERO
            };
            Frame {
                x: points.pred[point].position(),
                start: points.x[point],
                rotation,
                turned: turn_of(rotation * points.rotation[point].conjugate()),
                shift: Vec3::ZERO,
                inv_mass: points.inv_mass[point],
                inv_inertia,
            }
        }
        Who::Point(i) => {
            let i = i as usize;
            Frame {
                x: points.pred[i].position(),
                start: points.x[i],
                inv_mass: points.inv_mass[i],
                ..Frame::default()
            }
        }
        Who::Sphere(s) => {
            let s = s as usize;
            Frame {
                x: rigids.pred[s],
                start: rigids.x[s],
                rotation: Quat::IDENTITY,
                turned: rigids.turn[s],
                shift: Vec3::ZERO,
                inv_mass: 1.0 / rigids.mass[s],
                inv_inertia: Mat3::from_diagonal(Vec3::splat(rigids.inv_inertia(s))),
            }
        }
    }
}
