//! Position based dynamics of one substep \[MMCK14\]: predict, contacts, solve, velocities.

pub mod action;
pub mod attachments;
pub mod collider;
pub mod contacts;
pub mod frame;
pub mod grab;
pub mod joints;
pub mod predict;
pub mod turns;
pub mod velocities;

pub use action::{Action, ActionId, ActionKind, PathKey, Squeeze, Tool};
pub use collider::{
    CapsuleKey, CapsuleTrack, Collider, ColliderShape, Ease, MeshField, Motion, MotionKey, Pose,
};
pub use grab::Grip;
