//! Points against colliders.
//!
//! Once per substep every point near a collider gets a plane: the tangent plane where its path from x to x* first touches
//! the collider, seen from the collider, moved along with it. So a fast point cannot pass through a thin plate, and the
//! solver projects on planes only.

use super::{LIFT, combined_friction, friction};
use crate::dynamics::collider::{Collider, ColliderShape, Pose};
use crate::parallel;
use crate::state::{Points, Record};
use glam::{Mat3, Vec3};
use std::ops::Range;

/// Steps of conservative advancement along the path of a point.
const SWEEP_STEPS: usize = 12;

/// A collider in this substep: where it was at the start and where it is at the end.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The collider.
    pub collider: &'a Collider,
    /// Pose at the start of the substep.
    pub start: Pose,
    /// Pose at the end.
    pub end: Pose,
    /// Half of the length and radius of an upright capsule that takes the place of the collider's shape.
    capsule: Option<(f32, f32)>,
    /// The plane of one that is flat and does not turn: the same for all that touch it.
    pub flat: Option<TangentPlane>,
}

/// The tangent plane of a collider at the place where a mover touches it or comes nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentPlane {
    /// Outward normal at the end of the substep.
    pub normal: Vec3,
    /// n·p of the surface at the end of the substep.
    pub offset: f32,
    /// n·p of the surface at its start.
    pub offset_start: f32,
    /// How far the surface moves in the substep (m).
    pub drift: Vec3,
}

impl<'a> Placed<'a> {
    /// Where a collider is during a substep.
    pub fn during(collider: &'a Collider, start: f64, end: f64) -> Self {
        if let ColliderShape::Track(track) = &collider.shape {
            let last = track.at(end);
            let (start, end, half) = track.at(start).poses(&last);
            return Self {
                collider,
                start,
                end,
                capsule: Some((half, last.radius)),
                flat: None,
            };
        }
        let mut placed = Self {
            collider,
            start: collider.motion.pose(start),
            end: collider.motion.pose(end),
            capsule: None,
            flat: None,
        };
        if let ColliderShape::Plane { normal, offset } = collider.shape
            && placed.start.rotation == placed.end.rotation
        {
            placed.flat = Some(placed.plane_at(normal * offset, normal));
        }
        placed
    }

    /// Signed distance at local `p` and the outward normal; `None` if it is certainly farther than `reach`.
    #[inline]
    pub fn distance_normal(&self, p: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        let (distance, normal) = self.distance(p, reach)?;
        Some((
            distance,
            normal.unwrap_or_else(|| self.collider.shape.normal(p)),
        ))
    }

    /// Signed distance at local `p`, and the outward normal if it comes with it at no cost; `None` if it is certainly farther than `reach`.
    #[inline]
    pub fn distance(&self, p: Vec3, reach: f32) -> Option<(f32, Option<Vec3>)> {
        let Some((half, radius)) = self.capsule else {
            return self.collider.shape.distance(p, reach);
        };
        let away = p - Vec3::Y * p.y.clamp(-half, half);
        let length = away.length();
        (length - radius <= reach).then(|| (length - radius, Some(away.normalize_or(Vec3::X))))
    }

    /// A local box around the shape; `None` for a plane, which has none.
    fn bounds(&self) -> Option<(Vec3, Vec3)> {
        match self.capsule {
            Some((half, radius)) => {
                let corner = Vec3::new(radius, half + radius, radius);
                Some((-corner, corner))
            }
            None => self.collider.shape.bounds(),
        }
    }

    /// A box around the shape where it is at the end, in the world's axes.
    pub fn world_bounds(&self) -> (Vec3, Vec3) {
        let Some((a, b)) = self.bounds() else {
            return (Vec3::NEG_INFINITY, Vec3::INFINITY);
        };
        let (center, half) = (self.end.apply((a + b) * 0.5), (b - a) * 0.5);
        let turn = Mat3::from_quat(self.end.rotation);
        let reach =
            turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
        // A little more, for round-off.
        let reach = reach * (1.0 + 1e-4);
        (center - reach, center + reach)
    }

    /// The tangent plane for a ball of `radius` that goes from `x` to `pred`; `None` if it stays farther away than `margin`.
    pub fn tangent_plane(
        &self,
        x: Vec3,
        pred: Vec3,
        radius: f32,
        margin: f32,
    ) -> Option<TangentPlane> {
        if let Some(flat) = self.flat {
            let (n, most) = (flat.normal, radius + margin);
            let is_near = n.dot(x) - flat.offset_start <= most || n.dot(pred) - flat.offset <= most;
            return is_near.then_some(flat);
        }
        let (from, to) = (self.start.invert(x), self.end.invert(pred));
        let path = to - from;
        let length = path.length();
        let reach = radius + length + margin;
        let mut at = from;
        let (mut distance, mut normal) = self.distance(from, reach)?;
        let mut gone = 0.0;
        // Walk as far as the free distance allows until the ball touches or the path ends.
        for _ in 0..SWEEP_STEPS {
            let free = distance - radius;
            if free <= 1e-3 * radius || gone >= length {
                break;
            }
            gone = (gone + free).min(length);
            at = from + path * (gone / length.max(f32::MIN_POSITIVE));
            (distance, normal) = self.distance(at, f32::INFINITY)?;
        }
        if distance > radius + margin {
            return None;
        }
        let normal = normal.unwrap_or_else(|| self.collider.shape.normal(at));
        Some(self.plane_at(at - normal * distance, normal))
    }

    /// The plane through a place of the surface, which moves along with the collider; both are local.
    pub fn plane_at(&self, surface: Vec3, normal: Vec3) -> TangentPlane {
        let (start, end) = (self.start.apply(surface), self.end.apply(surface));
        let n = self.end.rotation * normal;
        TangentPlane {
            normal: n,
            offset: n.dot(end),
            offset_start: n.dot(start),
            drift: end - start,
        }
    }

    /// Whether the box might come within `margin` of the collider during the substep.
    pub fn may_touch(&self, lo: Vec3, hi: Vec3, margin: f32) -> bool {
        let (center, half) = ((lo + hi) * 0.5, (hi - lo) * 0.5 + Vec3::splat(margin));
        if let ColliderShape::Plane { normal, offset } = self.collider.shape {
            return [self.start, self.end].iter().any(|pose| {
                let n = pose.rotation * normal;
                n.dot(center - pose.position) - offset <= half.dot(n.abs())
            });
        }
        let Some((a, b)) = self.bounds() else {
            return true;
        };
        // A ball around the shape, wherever it turns, and the path of its centre.
        let (middle, radius) = ((a + b) * 0.5, (b - a).length() * 0.5);
        let (p, q) = (self.start.apply(middle), self.end.apply(middle));
        let (low, high) = (
            p.min(q) - Vec3::splat(radius),
            p.max(q) + Vec3::splat(radius),
        );
        (low - (center + half)).max_element() <= 0.0
            && ((center - half) - high).max_element() <= 0.0
    }
}

/// One point against one plane.
#[derive(Clone, Copy, Debug)]
pub struct StaticContact {
    /// The point, counted from the start of its block.
    pub local: u32,
    /// The plane.
    pub plane: TangentPlane,
    /// Friction coefficient.
    pub friction: f32,
    /// Old penetration that is left for later substeps (m).
    pub left: f32,
    /// Whether the solver had to push the point out in this substep.
    pub pushed: bool,
}

/// Properties of the points of one block that contacts need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSkin {
    /// Whether points of the block are balls of this radius; others have contacts of their own.
    pub is_plain: bool,
    /// Contact radius of a point: half of the particle radius (m).
    pub radius: f32,
    /// Friction coefficient of the body.
    pub friction: f32,
    /// Restitution of the body.
    pub restitution: f32,
}

/// The static contacts of a substep, by block of points.
#[derive(Clone, Debug, Default)]
pub struct StaticContacts {
    by_block: Vec<Vec<StaticContact>>,
}

impl StaticContacts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_block.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points that had to be pushed out of a collider in this substep, with the direction in which.
    pub(crate) fn pushed(&self, blocks: &[Range<usize>]) -> impl Iterator<Item = (usize, Vec3)> {
        let blocks = blocks.iter().zip(&self.by_block);
        blocks.flat_map(|(block, contacts)| {
            let pushed = contacts.iter().filter(|contact| contact.pushed);
            pushed.map(|contact| (block.start + contact.local as usize, contact.plane.normal))
        })
    }

    /// Finds the contacts of this substep. `skins` has one entry a block.
    pub fn find(
        &mut self,
        blocks: &[Range<usize>],
        skins: &[ContactSkin],
        points: &Points,
        placed: &[Placed],
    ) {
        use rayon::prelude::*;
        self.by_block.resize_with(blocks.len(), Vec::new);
        self.by_block
            .par_iter_mut()
            .zip(blocks)
            .zip(skins)
            .for_each(|((contacts, range), skin)| {
                contacts.clear();
                if !skin.is_plain {
                    return;
                }
                let (x, pred) = (&points.x[range.clone()], &points.pred[range.clone()]);
                let Some(first) = x.first() else { return };
                let (lo, hi) = x
                    .iter()
                    .copied()
                    .chain(pred.iter().map(|p| p.position()))
                    .fold((*first, *first), |(lo, hi), p| (lo.min(p), hi.max(p)));
                // Room for what the solver may add to the prediction: a particle radius.
                let margin = 2.0 * skin.radius;
                for collider in placed
                    .iter()
                    .filter(|c| c.may_touch(lo, hi, skin.radius + margin))
                {
                    for (l, (&x, pred)) in x.iter().zip(pred).enumerate() {
                        if let Some(plane) =
                            collider.tangent_plane(x, pred.position(), skin.radius, margin)
                        {
                            let friction =
                                combined_friction(skin.friction, collider.collider.friction);
                            let depth = plane.offset_start + skin.radius - plane.normal.dot(x);
                            contacts.push(StaticContact {
                                local: l as u32,
                                plane,
                                friction,
                                left: (depth - LIFT * skin.radius).max(0.0),
                                pushed: false,
                            });
                        }
                    }
                }
            });
    }

    /// Moves points that are already inside a collider a little out of it, with x and x* together, so that old penetration does
    /// not turn into velocity.
    pub fn stabilize(&self, blocks: &[Range<usize>], skins: &[ContactSkin], points: &mut Points) {
        let inv_mass = &points.inv_mass;
        parallel::for_each_range(
            blocks,
            (&mut points.x[..], &mut points.pred[..]),
            &|b, range, (x, pred): (&mut [Vec3], &mut [Record])| {
                for contact in &self.by_block[b] {
                    let l = contact.local as usize;
                    let depth = contact.plane.offset_start + skins[b].radius
                        - contact.left
                        - contact.plane.normal.dot(x[l]);
                    if depth > 0.0 && inv_mass[range.start + l] > 0.0 {
                        let push = contact.plane.normal * depth;
                        x[l] += push;
                        let moved = pred[l].position() + push;
                        pred[l].set_position(moved);
                    }
                }
            },
        );
    }

    /// Projects x* out of all colliders, with friction against their moving surfaces.
    pub fn project(&mut self, blocks: &[Range<usize>], skins: &[ContactSkin], points: &mut Points) {
        let (x, inv_mass) = (&points.x, &points.inv_mass);
        let by_block = parallel::PerRange(&mut self.by_block[..]);
        parallel::for_each_range(blocks, (&mut points.pred[..], by_block), &|b,
                                                                             range,
                                                                             (
            pred,
            contacts,
        )| {
            for contact in &mut contacts.0[0] {
                let l = contact.local as usize;
                let i = range.start + l;
                let p = pred[l].position();
                let depth = contact.plane.offset + skins[b].radius
                    - contact.left
                    - contact.plane.normal.dot(p);
                if depth > 0.0 && inv_mass[i] > 0.0 {
                    let n = contact.plane.normal;
                    let slip = (p - x[i]) - contact.plane.drift;
                    let tangential = slip - n * n.dot(slip);
                    pred[l].set_position(
                        p + n * depth - friction(tangential, depth, contact.friction),
                    );
                    contact.pushed = true;
                }
            }
        });
    }

    /// Gives back part of the normal speed at impacts. `v_before` are the velocities before the solve.
    pub fn restitute(
        &self,
        blocks: &[Range<usize>],
        skins: &[ContactSkin],
        before: &[Vec3],
        v: &mut [Vec3],
        dt: f32,
    ) {
        parallel::for_each_range(blocks, v, &|b, range, v: &mut [Vec3]| {
            let bounce = skins[b].restitution;
            if bounce == 0.0 {
                return;
            }
            for contact in self.by_block[b].iter().filter(|c| c.pushed) {
                let l = contact.local as usize;
                let n = contact.plane.normal;
                let surface = contact.plane.drift.dot(n) / dt;
                let approach = before[range.start + l].dot(n) - surface;
                let wanted = surface - bounce * approach;
                let now = v[l].dot(n);
                if approach < 0.0 && now < wanted {
                    v[l] += n * (wanted - now);
                }
            }
        });
    }
}
