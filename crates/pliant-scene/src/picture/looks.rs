//! What a picture needs to know and the engine does not.

use std::sync::Arc;

use glam::Vec3;
use pliant::World;
use pliant::dynamics::{CapsuleTrack, Collider, ColliderShape};
use pliant::geometry::Mesh;
use pliant::state::BodyId;
use pliant_draw::Texture;

use super::primitive::mesh_of;

/// How the things of a world look.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// The bodies, by the numbers of their ids. What breaks off a body looks like that one.
    pub bodies: Vec<BodyLook>,
    /// The colliders, in the order of the world's colliders.
    pub obstacles: Vec<Obstacle>,
    /// Where the camera is (m); by default it frames the action.
    pub eye: Option<Vec3>,
    /// What the camera looks at (m); by default the middle of the action.
    pub target: Option<Vec3>,
}

impl Looks {
    /// Plain looks for a world that was not made from a scene file.
    pub fn of_world(world: &World) -> Self {
        Self {
            obstacles: world.colliders().iter().map(Obstacle::of).collect(),
            ..Self::default()
        }
    }

    /// Says how a body looks.
    pub fn set(&mut self, id: BodyId, look: BodyLook) {
        let at = id.0 as usize;
        if self.bodies.len() <= at {
            self.bodies.resize_with(at + 1, BodyLook::default);
        }
        self.bodies[at] = look;
    }

    /// How a body looks, if anybody has said so.
    pub fn of(&self, id: BodyId) -> Option<&BodyLook> {
        self.bodies.get(id.0 as usize)
    }
}

/// How a body looks.
#[derive(Clone, Debug, Default)]
pub struct BodyLook {
    /// Whether it shows a solid checker, cut through its rest shape.
    pub checker: bool,
    /// A picture that is laid on by its texture coordinates.
    pub texture: Option<Arc<Texture>>,
    /// Its colour in sRGB; by default the one of its place among the bodies.
    pub color: Option<[u8; 3]>,
    /// Whether it was made of bodies that merge, whose colours its vertices have: what was inside shows them too.
    pub blend: bool,
}

/// The form of a collider, in its own coordinates.
#[derive(Clone, Debug)]
pub enum Obstacle {
    /// The half-space below a plane, n·p ≤ offset.
    Plane {
        /// Unit normal.
        normal: Vec3,
        /// Distance of the plane from the origin (m).
        offset: f32,
    },
    /// A solid.
    Solid(Arc<Mesh>),
    /// A capsule whose ends move.
    Track(Arc<CapsuleTrack>),
}

impl Obstacle {
    /// The look of a collider; one made of a mesh stays invisible, because the engine keeps only its distance field.
    pub fn of(collider: &Collider) -> Self {
        match &collider.shape {
            ColliderShape::Plane { normal, offset } => Self::Plane {
                normal: *normal,
                offset: *offset,
            },
            ColliderShape::Solid(shape) => Self::Solid(Arc::new(mesh_of(shape))),
            ColliderShape::Mesh(_) => Self::Solid(Arc::default()),
            ColliderShape::Track(track) => Self::Track(track.clone()),
        }
    }
}
