//! Primitives against obstacles.
//!
//! Flat ones are met by the lowest vertices, boxes as the convex shapes they are, all others by their distance: vertices that are inside, and
//! the place of the primitive that is nearest, which is searched for.

use super::candidates::Scene;
use super::cast::Cast;
use super::reduce::reduce;
use super::solve::{Contact, Touch};
use super::touch::{MARGIN, Side, contact, lowest};
use crate::dynamics::collider::ColliderShape;
use crate::dynamics::contacts::statics::Placed as PlacedCollider;
use crate::geometry::Shape;
use crate::visual::hull::{Hull, Placed};
use crate::visual::manifold::{ManifoldScratch, manifold};
use crate::visual::polyhedron::Polyhedron;
use crate::visual::primitive::{FaceTag, Primitive};
use crate::visual::round::nearest;
use crate::visual::sat::{Feature, Solid, separation};
use glam::{Mat3, Vec3};

/// Steps of the search for the place that is nearest to a collider.
const SEARCH: usize = 4;

/// An obstacle as a side of contacts.
pub(super) fn side(cast: &Cast, collider: usize, placed: &PlacedCollider, h: f32) -> Side {
    let frame = cast.of_collider(collider);
    let f = &cast.frames[frame as usize];
    let (v, spin) = ((f.x - f.start) / h, f.turned / h);
    let size = placed.collider.shape.bounds();
    let size = size.map_or(0.0, |(lo, hi)| lo.abs().max(hi.abs()).length());
    let way = (f.x - f.start, f.turned.length() * size);
    Side::whole(frame, (f.start, placed.start.rotation), (v, spin), way)
}

/// Contacts of a body with an obstacle; `near` are its primitives that are near, with their sides.
pub(super) fn touch<'a>(
    scene: &Scene,
    cast: &mut Cast,
    (collider, fixed): (&PlacedCollider, &Side),
    body: usize,
    near: impl Iterator<Item = ((u32, u32), Side, &'a Placed)>,
    contacts: &mut Vec<Contact>,
) {
    let Some(visual) = scene.visuals[body].as_deref() else {
        return;
    };
    let friction = collider.collider.friction;
    let who = cast.who(fixed.frame);
    if let Some(flat) = collider.flat {
        let plane = (flat.normal, flat.offset_start, fixed.reach());
        lowest(scene, cast, (body, visual), plane, |k, own, p, gap| {
            let touch = Touch::with(scene, (body as u32, k), who, friction);
            let n = -flat.normal;
            contacts.push(contact((own, p), (fixed, p + n * gap), n, gap, touch));
        });
        return;
    }
    let first = contacts.len();
    let boxed = box_hull(&collider.collider.shape, collider);
    let mut scratch = ManifoldScratch::default();
    for (at, own, placed) in near {
        let solid = Solid {
            hull: &visual.hulls[at.1 as usize],
            placed,
        };
        let touch = Touch::with(scene, at, who, friction);
        let margin = own.nearing(fixed) + MARGIN * placed.radius;
        if let Some((hull, other, center)) = &boxed {
            let offset = *center - own.center;
            let other = Solid {
                hull,
                placed: other,
            };
            let found = separation(solid, other, offset, margin, &mut Feature::None);
            let Some(found) = found else { continue };
            let found = manifold(solid, other, offset, &found, margin, &mut scratch);
            for point in found.points() {
                let (p, q) = (own.center + point.a, *center + point.b);
                contacts.push(contact(
                    (&own, p),
                    (fixed, q),
                    found.normal,
                    point.gap,
                    touch,
                ));
            }
        } else {
            on_field(solid, &own, (collider, fixed), margin, touch, contacts);
        }
    }
    if !visual.is_soft() {
        reduce(contacts, first);
    }
}

/// Contacts with a shape of which the distance is known.
fn on_field(
    solid: Solid,
    own: &Side,
    (collider, fixed): (&PlacedCollider, &Side),
    margin: f32,
    touch: Touch,
    contacts: &mut Vec<Contact>,
) {
    let pose = &collider.start;
    let distance = |p: Vec3, reach: f32| {
        let (gap, n) = collider.distance_normal(pose.invert(p), reach)?;
        Some((gap, pose.rotation * n))
    };
    let first = contacts.len();
    let at = |p: Vec3, gap: f32, n: Vec3| contact((own, p), (fixed, p - n * gap), -n, gap, touch);
    for &v in &solid.placed.verts {
        if let Some((gap, n)) = distance(own.center + v, margin) {
            contacts.push(at(own.center + v, gap, n));
        }
    }
    // Where no vertex is near, a face or an edge may be: from the centre down the slope, within the hull.
    let mut p = own.center;
    for _ in 0..SEARCH {
        let Some((gap, n)) = distance(p, 2.0 * solid.placed.radius + margin) else {
            return;
        };
        let goal = p - n * gap - own.center;
        let Some(near) = nearest(solid, goal, f32::INFINITY) else {
            return;
        };
        let to = own.center
            + if near.distance > 0.0 {
                near.point
            } else {
                goal
            };
        if to.distance_squared(p) < 1e-8 * solid.placed.radius * solid.placed.radius {
            break;
        }
        p = to;
    }
    let Some((gap, n)) = distance(p, margin) else {
        return;
    };
    let known = |c: &Contact| c.at.distance_squared(p) < 0.01 * solid.placed.radius.powi(2);
    if !contacts[first..].iter().any(known) {
        contacts.push(at(p, gap, n));
    }
}

/// The hull of an obstacle that is a box, and its centre in the world.
fn box_hull(shape: &ColliderShape, placed: &PlacedCollider) -> Option<(Hull, Placed, Vec3)> {
    let ColliderShape::Solid(Shape::Box { center, half }) = shape else {
        return None;
    };
    let half = half.as_dvec3();
    let shape = Polyhedron::cuboid(-half, half, FaceTag::Outer);
    let hull = Hull::new(&Primitive::new(&shape, (0..8).collect(), 0.0));
    let mut out = Placed::default();
    hull.place(Mat3::from_quat(placed.start.rotation), &mut out);
    Some((hull, out, placed.start.apply(*center)))
}
