//! Pictures of a world.
//!
//! A [`Snapshot`] keeps what is seen of a frame; [`still`] draws one, a [`Film`] keeps many and draws them when it is known
//! where the action went.

pub(crate) mod clusters;
pub(crate) mod film;
mod looks;
pub(crate) mod mp4;
mod primitive;
mod snapshot;
mod texture;
mod view;

pub use clusters::Coloring;
pub use film::Film;
pub use looks::{BodyLook, Looks, Obstacle};
pub use snapshot::{Hit, Snapshot};
pub use texture::read_texture;
pub use view::{Frame, body_color, scene, still};
