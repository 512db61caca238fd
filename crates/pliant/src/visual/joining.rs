//! Joints and attachments of bodies of visual geometry: made, and made anew for what is left when a body breaks \[MCM16 §3.4, §3.6\].
//!
//! A joint has a box, which says whom it holds: a body with a primitive in it, in the undeformed configuration. It follows the fragments that
//! are in the box, and each gets a joint of its own; if none is, the joint is gone.

use super::body::VisualBody;
use super::desc::{JointDesc, JointId, JointKind, VisualError};
use super::hull::{Hull, Placed};
use super::polyhedron::Polyhedron;
use super::primitive::{FaceTag, Primitive};
use super::sat::{Feature, Solid, separation};
use crate::dynamics::attachments::{Attachment, Ground};
use crate::dynamics::collider::ColliderShape;
use crate::dynamics::frame::Rigid;
use crate::dynamics::joints::{Anchor, Joint, Suspension};
use crate::geometry::Shape;
use crate::state::BodyId;
use crate::world::World;
use glam::{Mat3, Quat, Vec3};

/// How far a wheel's spring goes either way, in the height of its box.
const TRAVEL: f32 = 0.5;

/// A box, in the undeformed coordinates of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointBox {
    /// Its centre (m).
    pub center: Vec3,
    /// Half of its size along its axes (m).
    pub half: Vec3,
    /// Its axes.
    pub axes: Mat3,
}

/// A joint of the world.
#[derive(Clone, Debug)]
pub struct WorldJoint {
    /// The number that it got, or that the joint got that it follows.
    pub id: JointId,
    /// How it holds.
    pub joint: Joint,
    /// What is carried.
    pub a: BodyId,
    /// What carries.
    pub b: Ground,
    /// Its box for either side.
    pub boxes: [JointBox; 2],
}

/// What is left of a body that has broken.
pub(crate) struct Heir {
    /// Its id.
    pub(crate) id: BodyId,
    /// Its place among the bodies.
    pub(crate) at: usize,
    /// For each of its primitives, the one of the other body that it is, or is a piece of.
    pub(crate) parents: Vec<u32>,
}

impl JointBox {
    /// Which primitives of a body, of some of them, are in the box in the undeformed configuration.
    pub(crate) fn holds<'a>(&self, body: &'a VisualBody) -> impl Iterator<Item = usize> + 'a {
        let half = self.half.max(Vec3::splat(1e-6)).as_dvec3();
        let shape = Polyhedron::cuboid(-half, half, FaceTag::Outer);
        let hull = Hull::new(&Primitive::new(&shape, (0..8).collect(), 0.0));
        let mut placed = Placed::default();
        hull.place(self.axes, &mut placed);
        let center = self.center;
        let mut own = Placed::default();
        (0..body.primitives.len()).filter(move |&k| {
            let p = &body.primitives[k];
            let near = placed.radius + body.hulls[k].radius;
            if p.centroid.distance_squared(center) > near * near {
                return false;
            }
            body.hulls[k].place(Mat3::IDENTITY, &mut own);
            let solid = Solid {
                hull: &body.hulls[k],
                placed: &own,
            };
            let other = Solid {
                hull: &hull,
                placed: &placed,
            };
            let offset = center - p.centroid;
            separation(solid, other, offset, 0.0, &mut Feature::None).is_some()
        })
    }

    /// A box of the world as a body has it undeformed.
    fn of_body(desc: &JointDesc, body: &VisualBody) -> Self {
        let axes = Mat3::from_quat(desc.rotation);
        let near = |k: &usize| body.pose(*k).x.distance_squared(desc.center);
        let count = body.primitives.len();
        let nearest = (0..count).min_by(|a, b| near(a).total_cmp(&near(b)));
        let Some(k) = nearest else {
            return Self {
                center: desc.center,
                half: desc.half,
                axes,
            };
        };
        let back = Mat3::from_quat(Quat::from_mat3(&body.pose(k).d).normalize()).transpose();
        Self {
            center: body.undeformed(k, desc.center),
            half: desc.half,
            axes: back * axes,
        }
    }
}

impl VisualBody {
    /// Whether a primitive of it is in a box.
    fn is_in(&self, joint: &JointBox) -> bool {
        joint.holds(self).next().is_some()
    }
}

/// Where a body is, or what never moves.
const GROUND: Rigid = Rigid::UNMOVED;

impl World {
    /// Adds a joint between bodies of visual geometry, or between one and the world: one for each body in the box on either side.
    ///
    /// A soft body is held by attachments of its primitives in the box instead.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what is added is handed over, as with bodies"
    )]
    pub fn add_joint(&mut self, desc: JointDesc) -> Result<Vec<JointId>, VisualError> {
        let in_box = |world: &Self, ids: &[BodyId], side: &str| {
            let mut found = Vec::new();
            for &id in ids {
                let Some(visual) = world.visual_of(id) else {
                    let name = world.name_of(id);
                    return Err(VisualError::WrongBody(name, "a joint can hold"));
                };
                let own = JointBox::of_body(&desc, visual);
                if visual.is_in(&own) {
                    found.push((id, own));
                }
            }
            if found.is_empty() && !ids.is_empty() {
                return Err(VisualError::JointBox {
                    joint: desc.name.clone(),
                    side: side.to_owned(),
                });
            }
            Ok(found)
        };
        desc.check()?;
        let names = |world: &Self, ids: &[BodyId]| {
            let names: Vec<String> = ids
                .iter()
                .map(|&id| format!("`{}`", world.name_of(id)))
                .collect();
            names.join(", ")
        };
        let carried = in_box(self, &desc.a, &names(self, &desc.a))?;
        let mut carriers: Vec<(Ground, Option<JointBox>)> =
            in_box(self, &desc.b, &names(self, &desc.b))?
                .into_iter()
                .map(|(id, own)| (Ground::Body(id), Some(own)))
                .collect();
        if desc.b.is_empty() {
            carriers.push((Ground::World, None));
        }
        let mut ids = Vec::new();
        for &(a, box_a) in &carried {
            for &(b, box_b) in &carriers {
                if self.visual_of(a).is_some_and(VisualBody::is_soft) {
                    self.attach_in_box(a, &box_a, b);
                    continue;
                }
                if let (Ground::Body(id), Some(own)) = (b, &box_b)
                    && self.visual_of(id).is_some_and(VisualBody::is_soft)
                {
                    self.attach_in_box(id, own, Ground::Body(a));
                    continue;
                }
                ids.push(self.push_joint(&desc, (a, box_a), (b, box_b.unwrap_or(box_a))));
            }
        }
        self.plan.stale = true;
        Ok(ids)
    }

    fn push_joint(
        &mut self,
        desc: &JointDesc,
        (a, box_a): (BodyId, JointBox),
        (b, box_b): (Ground, JointBox),
    ) -> JointId {
        let anchor = |rigid: Rigid| Anchor::on(&rigid, desc.center, desc.rotation);
        let mut joint = Joint::new(
            &desc.name,
            desc.kind,
            anchor(self.rigid_of(Ground::Body(a))),
            anchor(self.rigid_of(b)),
        );
        joint.limits = desc.limits;
        joint.motor = desc.motor;
        if desc.kind == JointKind::Wheel {
            joint.suspension = Suspension::new(TRAVEL * desc.half.y);
        }
        let id = JointId(self.next_joint);
        self.next_joint += 1;
        self.joints.push(WorldJoint {
            id,
            joint,
            a,
            b,
            boxes: [box_a, box_b],
        });
        id
    }

    /// Where something that is rigid is.
    fn rigid_of(&self, ground: Ground) -> Rigid {
        match ground {
            Ground::Body(id) => self.visual_of(id).and_then(|v| v.rigid).unwrap_or(GROUND),
            Ground::World => GROUND,
            Ground::Collider(c) => {
                let pose = self.colliders[c as usize].motion.pose(self.time);
                Rigid {
                    x: pose.position,
                    rotation: pose.rotation,
                    ..GROUND
                }
            }
        }
    }

    /// The joints, in the order in which they were made.
    pub fn joints(&self) -> &[WorldJoint] {
        &self.joints
    }

    /// What of soft bodies is tied to what is rigid.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// Ties every primitive of a soft body that overlaps a rigid one to it; returns how many.
    pub fn attach(&mut self, soft: BodyId, rigid: BodyId) -> Result<usize, VisualError> {
        let wrong = |world: &Self, id, what| Err(VisualError::WrongBody(world.name_of(id), what));
        let Some(own) = self.visual_of(soft).filter(|v| v.is_soft()) else {
            return wrong(self, soft, "is soft");
        };
        let Some(other) = self.visual_of(rigid).filter(|v| !v.is_soft()) else {
            return wrong(self, rigid, "is rigid");
        };
        let touching = overlaps(own, other, 0..own.primitives.len());
        Ok(self.tie(soft, touching, Ground::Body(rigid)))
    }

    /// Ties every primitive of a soft body that overlaps a collider to it; returns how many.
    pub fn attach_to_collider(
        &mut self,
        soft: BodyId,
        collider: usize,
    ) -> Result<usize, VisualError> {
        let Some(own) = self.visual_of(soft).filter(|v| v.is_soft()) else {
            return Err(VisualError::WrongBody(self.name_of(soft), "is soft"));
        };
        let Some(obstacle) = self.colliders.get(collider) else {
            return Err(VisualError::Parameter(format!(
                "there is no collider {collider}"
            )));
        };
        let pose = obstacle.motion.pose(self.time);
        let is_in = |p: Vec3| {
            let p = pose.invert(p);
            match &obstacle.shape {
                ColliderShape::Solid(Shape::Box { center, half }) => {
                    (p - *center).abs().cmple(*half).all()
                }
                shape => shape.distance(p, 0.0).is_some(),
            }
        };
        let touches = |k: &usize| {
            let pose = own.rest[*k];
            let mut places = own.hulls[*k].verts.iter().map(|&v| pose.x + pose.d * v);
            is_in(pose.x) || places.any(is_in)
        };
        let touching = (0..own.primitives.len()).filter(touches).collect();
        Ok(self.tie(soft, touching, Ground::Collider(collider as u32)))
    }

    fn attach_in_box(&mut self, soft: BodyId, own: &JointBox, to: Ground) {
        let inside = self.visual_of(soft).map(|v| own.holds(v).collect());
        self.tie(soft, inside.unwrap_or_default(), to);
    }

    /// Ties primitives of a soft body to something; returns how many were not tied to it before.
    fn tie(&mut self, soft: BodyId, primitives: Vec<usize>, to: Ground) -> usize {
        let ground = self.rigid_of(to);
        let back = ground.rotation.conjugate();
        let Some(at) = self.bodies.iter().position(|b| b.id == soft) else {
            return 0;
        };
        let first = self.bodies[at].points.start;
        let before = self.attachments.len();
        for k in primitives {
            let known = |t: &Attachment| t.soft == soft && t.primitive == k as u32 && t.to == to;
            if !self.attachments[..before].iter().any(known) {
                self.attachments.push(Attachment {
                    soft,
                    primitive: k as u32,
                    to,
                    at: back * (self.points.x[first + k] - ground.x),
                    turn: (back * self.points.rotation[first + k]).normalize(),
                });
            }
        }
        self.plan.stale = true;
        self.attachments.len() - before
    }

    /// What a body of visual geometry has besides, by its id.
    pub(crate) fn visual_of(&self, id: BodyId) -> Option<&VisualBody> {
        let at = self.bodies.iter().position(|b| b.id == id)?;
        self.visual(at)
    }

    fn name_of(&self, id: BodyId) -> String {
        let body = self.bodies.iter().find(|b| b.id == id);
        body.map_or_else(|| format!("body {}", id.0), |b| b.name.clone())
    }

    /// Joints and attachments of a body that is gone are handed on to what is left of it. `old` is where it was, `heirs` are the fragments.
    pub(crate) fn hand_on(&mut self, id: BodyId, old: Option<Rigid>, heirs: &[Heir]) {
        let body_of = |heir: &Heir| self.visuals[heir.at].as_deref();
        let new = heirs.iter().filter_map(|heir| Some((heir, body_of(heir)?)));
        let new: Vec<(&Heir, &VisualBody)> = new.collect();
        let moved = |anchor: &Anchor, body: &VisualBody| match (old, body.rigid) {
            (Some(old), Some(rigid)) => {
                let p = old.x + old.rotation * anchor.at;
                Anchor::on(&rigid, p, old.rotation * anchor.axes)
            }
            _ => *anchor,
        };
        let mut kept = Vec::with_capacity(self.joints.len());
        for own in std::mem::take(&mut self.joints) {
            let is_side = [own.a == id, own.b == Ground::Body(id)];
            if is_side == [false, false] {
                kept.push(own);
                continue;
            }
            let side = usize::from(!is_side[0]);
            for (heir, body) in &new {
                if !body.is_in(&own.boxes[side]) {
                    continue;
                }
                let mut next = own.clone();
                if side == 0 {
                    next.a = heir.id;
                    next.joint.a = moved(&own.joint.a, body);
                } else {
                    next.b = Ground::Body(heir.id);
                    next.joint.b = moved(&own.joint.b, body);
                }
                kept.push(next);
            }
        }
        self.joints = kept;
        let mut kept = Vec::with_capacity(self.attachments.len());
        for own in std::mem::take(&mut self.attachments) {
            if own.soft == id {
                for (heir, body) in &new {
                    let pieces = (0u32..).zip(&heir.parents);
                    let pieces = pieces.filter(|(_, parent)| **parent == own.primitive);
                    let pieces: Vec<usize> = pieces.map(|(k, _)| k as usize).collect();
                    kept.extend(self.follow_tie(&own, heir.id, body, &pieces));
                }
            } else if own.to == Ground::Body(id) {
                let Some(old) = old else { continue };
                let p = old.x + old.rotation * own.at;
                let near = |body: &VisualBody| {
                    let all = 0..body.primitives.len();
                    let far = all.map(|k| body.pose(k).x.distance_squared(p));
                    far.fold(f32::MAX, f32::min)
                };
                let nearest = new.iter().min_by(|a, b| near(a.1).total_cmp(&near(b.1)));
                if let Some((heir, body)) = nearest
                    && let Some(rigid) = body.rigid
                {
                    let back = rigid.rotation.conjugate();
                    kept.push(Attachment {
                        to: Ground::Body(heir.id),
                        at: back * (p - rigid.x),
                        turn: (back * old.rotation * own.turn).normalize(),
                        ..own
                    });
                }
            } else {
                kept.push(own);
            }
        }
        self.attachments = kept;
        self.plan.stale = true;
    }

    /// The ties of the pieces of a primitive that was tied: of those that overlap what it was tied to, or of the nearest.
    fn follow_tie(
        &self,
        own: &Attachment,
        id: BodyId,
        body: &VisualBody,
        pieces: &[usize],
    ) -> Vec<Attachment> {
        let ground = self.rigid_of(own.to);
        let place = ground.x + ground.rotation * own.at;
        let touching: Vec<usize> = match own.to {
            Ground::Body(rigid) => {
                let other = self.visual_of(rigid);
                let own = pieces.iter().copied();
                other.map_or_else(Vec::new, |other| overlaps(body, other, own))
            }
            Ground::World | Ground::Collider(_) => Vec::new(),
        };
        let far = |k: &usize| body.rest[*k].x.distance_squared(place);
        let nearest = pieces
            .iter()
            .copied()
            .min_by(|a, b| far(a).total_cmp(&far(b)));
        let chosen = if touching.is_empty() {
            nearest.into_iter().collect()
        } else {
            touching
        };
        let back = ground.rotation.conjugate();
        let tie = |k: usize| Attachment {
            soft: id,
            primitive: k as u32,
            at: back * (body.rest[k].x - ground.x),
            ..*own
        };
        chosen.into_iter().map(tie).collect()
    }
}

/// Which of some primitives of a soft body overlap a rigid one where they are now.
fn overlaps(
    soft: &VisualBody,
    rigid: &VisualBody,
    some: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let Some(body) = &rigid.rigid else {
        return Vec::new();
    };
    let back = body.rotation.conjugate();
    let turn = Mat3::from_quat(back);
    let (mut own, mut other) = (Placed::default(), Placed::default());
    let touches = |k: &usize| {
        let center = back * (soft.rest[*k].x - body.x);
        let (hull, d) = (&soft.hulls[*k], turn * soft.rest[*k].d);
        hull.place(d, &mut own);
        let mut found = false;
        rigid
            .tree
            .for_each_in_box(center + own.lo, center + own.hi, |l| {
                let l = l as usize;
                rigid.hulls[l].place(rigid.rest[l].d, &mut other);
                let a = Solid { hull, placed: &own };
                let b = Solid {
                    hull: &rigid.hulls[l],
                    placed: &other,
                };
                let offset = rigid.rest[l].x - center;
                found |= separation(a, b, offset, 0.0, &mut Feature::None).is_some();
            });
        found
    };
    some.filter(touches).collect()
}

impl JointDesc {
    /// The first thing that has no meaning.
    fn check(&self) -> Result<(), VisualError> {
        let refuse = |text: &str| {
            let text = format!("joint `{}`: {text}", self.name);
            Err(VisualError::Parameter(text))
        };
        if !(self.center.is_finite() && self.half.is_finite() && self.half.min_element() >= 0.0) {
            return refuse("its box needs a finite centre and a size of 0 or more");
        }
        if !self.rotation.is_finite() || (self.rotation.length() - 1.0).abs() > 1e-3 {
            return refuse("its axes must be a rotation");
        }
        if self
            .limits
            .is_some_and(|[lo, hi]| !(lo <= hi && lo.is_finite() && hi.is_finite()))
        {
            return refuse("its limits must ascend");
        }
        let sound = |m: crate::visual::Motor| m.speed.is_finite() && m.strength >= 0.0;
        if self.motor.is_some_and(|m| !sound(m)) {
            return refuse("its motor needs a finite speed and a strength of 0 or more");
        }
        if self.a.is_empty() {
            return refuse("it holds nothing");
        }
        Ok(())
    }
}
