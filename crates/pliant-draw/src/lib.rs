//! Pictures of simulated solids: a small CPU ray caster over plain triangles and balls.
//!
//! The look is a studio photograph of clay: one soft key light with a shadow, a cool sky and a warm bounce from below,
//! both dimmed by ambient occlusion, a ground plane with a grid that fades into the background.
//!
//! Nothing here knows the engine; a [`Scene`] is made of positions and indices. The same scene gives the same bytes for
//! any number of threads: every ray's direction follows from its pixel, and no sum depends on the order of tiles.
//!
//! With the feature `live`, the module of that name draws the same scenes on a graphics card, for windows.
//!
//! ```
//! use glam::Vec3;
//! use pliant_draw::{Ball, Camera, Ground, Quality, Scene, render};
//!
//! let ball = Ball { center: Vec3::Y, radius: 1.0, color: [200, 90, 60], gloss: 0.3 };
//! let camera = Camera::framing(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0), Vec3::new(0.4, 0.3, 1.0), 4.0 / 3.0);
//! let scene = Scene { balls: vec![ball], ground: Some(Ground::default()), camera, ..Scene::default() };
//! let picture = render(&scene, 64, 48, &Quality::fast())?;
//! assert_eq!((picture.width, picture.height), (64, 48));
//! # Ok::<(), pliant_draw::DrawError>(())
//! ```

mod animation;
mod bvh;
mod color;
mod error;
mod font;
mod image;
#[cfg(feature = "live")]
pub mod live;
mod render;
mod scene;
mod sheet;
mod trace;

pub use animation::GifWriter;
pub use error::DrawError;
pub use image::Image;
pub use render::{Quality, render};
pub use scene::{Background, Ball, Camera, Ground, Light, Object, Paint, Scene, Texture};
pub use sheet::contact_sheet;
