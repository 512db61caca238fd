//! What a picture is made of: plain data, filled in by whoever has something to show.
//!
//! Lengths are metres, `y` is up, colours are sRGB bytes unless a comment says linear.

use crate::error::DrawError;
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// Everything that is in the picture.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Triangle meshes.
    pub objects: Vec<Object>,
    /// Analytic balls: projectiles, particles. Tens of thousands are fine.
    pub balls: Vec<Ball>,
    /// The floor, or `None` for objects that float before the background.
    pub ground: Option<Ground>,
    /// Where the picture is taken from.
    pub camera: Camera,
    /// What is seen where nothing is.
    pub background: Background,
    /// The key light and the sky.
    pub light: Light,
    /// The box that the floor's automatic values and the reach of ambient occlusion follow (m); `None` takes all that is
    /// drawn. The frames of an animation share one, so that their floor stays as it is while things move.
    pub stage: Option<(Vec3, Vec3)>,
    /// How far ambient occlusion looks (m); `None` takes a quarter of the diagonal of the stage.
    pub ambient_reach: Option<f32>,
}

/// A triangle mesh and its surface.
///
/// Columns that are not empty but have the wrong length are treated as empty, and triangles that are degenerate, out of
/// range or not finite are left out: a picture of a broken state is worth more than none.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle. Both sides are drawn.
    pub triangles: Vec<[u32; 3]>,
    /// Unit normals per vertex. If empty they are computed, smooth within a face angle of 50° and sharp across larger ones.
    pub normals: Vec<Vec3>,
    /// Texture coordinates per triangle corner, or empty. (0, 0) is the lower left of a texture.
    pub corner_uvs: Vec<[Vec2; 3]>,
    /// Vertex colours, RGBA in sRGB, or empty. They multiply the paint; alpha is ignored.
    pub colors: Vec<[u8; 4]>,
    /// The colour of the surface.
    pub paint: Paint,
    /// Triangles that have [`Object::inner_color`] in place of the paint and of vertex colours, or empty: what was inside and
    /// nobody has painted.
    pub inner: Vec<bool>,
    /// The colour of those triangles.
    pub inner_color: [u8; 3],
    /// Whether vertex colours multiply it.
    pub inner_has_colors: bool,
    /// From 0, dry clay, to 1, wet lacquer.
    pub gloss: f32,
    /// Whether its triangles bound a solid, counter-clockwise as seen from outside: then those that face away are hidden by others and need
    /// not be drawn. From inside of it nothing of it is seen.
    pub closed: bool,
}

/// Where a mesh's colour comes from.
#[derive(Clone, Debug)]
pub enum Paint {
    /// One colour.
    Plain([u8; 3]),
    /// A solid checker that is cut through the rest shape, so that it shows how the material has moved.
    Checker {
        /// Rest position of each vertex (m).
        rest: Vec<Vec3>,
        /// Side of a cell (m).
        cell: f32,
        /// The two colours.
        colors: [[u8; 3]; 2],
    },
    /// A picture laid on by the corners' texture coordinates, repeated outside of [0, 1].
    Picture {
        /// The picture.
        texture: Arc<Texture>,
        /// The colour under transparent texels, and of an object without texture coordinates.
        base: [u8; 3],
    },
}

impl Default for Paint {
    fn default() -> Self {
        Self::Plain([214, 138, 104])
    }
}

/// An RGBA picture in sRGB, rows from top to bottom.
#[derive(Clone, Debug)]
pub struct Texture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 4]>,
}

impl Texture {
    /// Wraps `width · height` pixels.
    pub fn new(width: usize, height: usize, pixels: Vec<[u8; 4]>) -> Result<Self, DrawError> {
        let expected = width.saturating_mul(height);
        if expected == 0 || pixels.len() != expected {
            return Err(DrawError::TextureSize {
                width,
                height,
                found: pixels.len(),
                expected,
            });
        }
        Ok(Self {
            width,
            height,
            pixels,
        })
    }
}

/// An analytic ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: f32,
    /// Colour.
    pub color: [u8; 3],
    /// From 0, dry clay, to 1, wet lacquer.
    pub gloss: f32,
}

/// A level floor that fades into the background with distance from what stands on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height of the floor (m).
    pub height: f32,
    /// Its colour.
    pub color: [u8; 3],
    /// Colour of the grid lines.
    pub line_color: [u8; 3],
    /// Side of a grid cell (m); 0 chooses a round number that suits the scene, a negative number draws no grid.
    pub cell: f32,
    /// Distance from the middle of the scene at which the floor is half gone (m); 0 chooses.
    pub fade: f32,
}

impl Default for Ground {
    fn default() -> Self {
        Self {
            height: 0.0,
            color: [206, 204, 200],
            line_color: [148, 152, 160],
            cell: 0.0,
            fade: 0.0,
        }
    }
}

/// The colours behind everything, from the top to the bottom of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Colour of the uppermost row.
    pub top: [u8; 3],
    /// Colour of the lowest row.
    pub bottom: [u8; 3],
}

impl Default for Background {
    fn default() -> Self {
        Self {
            top: [204, 213, 224],
            bottom: [238, 237, 233],
        }
    }
}

/// A soft key light from afar and a sky that is cool above and warm below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction towards the key light; need not have unit length.
    pub direction: Vec3,
    /// Half of the angle the key light fills, in degrees: the softness of the shadow's edge.
    pub radius_degrees: f32,
    /// Light of the key on a surface that faces it, linear.
    pub key: Vec3,
    /// Light of the sky on a surface that faces up, linear.
    pub sky: Vec3,
    /// Light from below on a surface that faces down, linear.
    pub bounce: Vec3,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            direction: Vec3::new(-0.55, 1.0, 0.6),
            radius_degrees: 6.0,
            key: Vec3::new(1.50, 1.36, 1.18),
            sky: Vec3::new(0.42, 0.48, 0.58),
            bounce: Vec3::new(0.28, 0.24, 0.21),
        }
    }
}

impl Light {
    /// The default light, with the key over the photographer's left shoulder wherever the camera stands.
    pub fn over_shoulder(camera: &Camera) -> Self {
        let back = camera.eye - camera.target;
        let level = Vec3::new(back.x, 0.0, back.z).normalize_or(Vec3::Z);
        let left = level.cross(Vec3::Y);
        Self {
            direction: level * 0.6 + left * 0.6 + Vec3::Y,
            ..Self::default()
        }
    }
}

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands (m).
    pub eye: Vec3,
    /// What is in the middle of the picture (m).
    pub target: Vec3,
    /// What is up in the picture; need not be perpendicular to the view.
    pub up: Vec3,
    /// The angle between the upper and the lower edge of the picture, in degrees.
    pub fov_degrees: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            eye: Vec3::new(3.0, 2.5, 6.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            fov_degrees: 28.0,
        }
    }
}

impl Camera {
    /// Looks at the box from `lo` to `hi` from `direction` (which points from the box to the camera), near enough to fill
    /// the picture with a margin. `aspect` is width over height.
    pub fn framing(lo: Vec3, hi: Vec3, direction: Vec3, aspect: f32) -> Self {
        let corners: [Vec3; 8] = std::array::from_fn(|i| {
            let pick = |bit: usize| if i >> bit & 1 == 1 { hi[bit] } else { lo[bit] };
            Vec3::new(pick(0), pick(1), pick(2))
        });
        Self::framing_points(&corners, direction, aspect)
    }

    /// Looks at points like [`Camera::framing`] at a box. The points of a surface fill the picture better than its box,
    /// whose corners are empty. Points that are not finite are left out.
    pub fn framing_points(points: &[Vec3], direction: Vec3, aspect: f32) -> Self {
        const MARGIN: f32 = 1.12;
        let finite = || points.iter().copied().filter(|p| p.is_finite());
        let (lo, hi) = finite()
            .map(|p| (p, p))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((-Vec3::ONE, Vec3::ONE));
        let center = 0.5 * lo + 0.5 * hi;
        let direction = direction.normalize_or(Vec3::Z);
        let mut camera = Self {
            eye: center + direction,
            target: center,
            ..Self::default()
        };
        if direction.cross(Vec3::Y).length() < 1e-3 {
            camera.up = Vec3::NEG_Z;
        }
        let (right, up, forward) = camera.axes();
        let tan_y = camera.tangent() / MARGIN;
        let tan_x = tan_y * if aspect > 0.0 { aspect } else { 1.0 };
        // Something without size still gets a picture: of a metre's thousandth.
        let least = 5e-4 / tan_x.min(tan_y);

        // Near points look larger, so the middle of all is not the picture's; a few rounds of moving aside settle it.
        let mut aside = Vec3::ZERO;
        let mut distance = least;
        for _ in 0..8 {
            let seen = || {
                finite().map(|p| {
                    let p = p - center - aside;
                    (p.dot(right), p.dot(up), p.dot(forward))
                })
            };
            distance = seen().fold(least, |d, (x, y, z)| {
                d.max(x.abs() / tan_x - z).max(y.abs() / tan_y - z)
            });
            // Where the outermost points are in the picture, as tangents.
            let (lo, hi) = seen().fold((Vec2::MAX, Vec2::MIN), |(lo, hi), (x, y, z)| {
                let at = Vec2::new(x, y) / (distance + z).max(1e-3 * distance);
                (lo.min(at), hi.max(at))
            });
            let middle = 0.5 * (lo + hi);
            if middle.is_finite() {
                aside += distance * (middle.x * right + middle.y * up);
            }
        }
        camera.target = center + aside;
        camera.eye = camera.target + direction * distance;
        camera
    }

    /// Tangent of half of the vertical angle of view.
    pub(crate) fn tangent(&self) -> f32 {
        let degrees = if self.fov_degrees.is_finite() {
            self.fov_degrees.clamp(0.1, 170.0)
        } else {
            28.0
        };
        (degrees.to_radians() * 0.5).tan()
    }

    /// Unit vectors to the right, up and forward of the picture; sound for any input.
    pub(crate) fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let forward = (self.target - self.eye).normalize_or(Vec3::NEG_Z);
        let right = forward
            .cross(self.up)
            .try_normalize()
            .unwrap_or_else(|| forward.any_orthonormal_vector());
        (right, right.cross(forward), forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of a ball fill more of the picture than its box does; nothing and nonsense are framed too.
    #[test]
    fn points_fill_more_than_their_box() {
        let ball: Vec<Vec3> = (0..1000)
            .map(|i| {
                let (a, y) = (i as f32 * 2.399_963, i as f32 / 500.0 - 1.0);
                let ring = (1.0 - y * y).max(0.0).sqrt();
                Vec3::new(ring * a.cos(), y, ring * a.sin())
            })
            .collect();
        let view = Vec3::new(1.0, 0.6, 1.0);
        let near = Camera::framing_points(&ball, view, 1.3);
        let far = Camera::framing(-Vec3::ONE, Vec3::ONE, view, 1.3);
        assert!(near.eye.length() < 0.8 * far.eye.length());
        for points in [&[][..], &[Vec3::NAN], &[Vec3::X]] {
            let camera = Camera::framing_points(points, view, 1.3);
            assert!(camera.eye.is_finite() && camera.eye != camera.target);
        }
    }

    /// All corners of a framed box are inside of the picture, and one is near its edge.
    #[test]
    fn framing_fills_the_picture() {
        let (lo, hi) = (Vec3::new(-1.0, 0.0, -3.0), Vec3::new(2.0, 1.0, 4.0));
        for (direction, aspect) in [
            (Vec3::new(1.0, 0.5, 1.0), 1.5),
            (Vec3::Y, 0.7),
            (Vec3::X, 1.0),
        ] {
            let camera = Camera::framing(lo, hi, direction, aspect);
            let (right, up, forward) = camera.axes();
            let mut widest: f32 = 0.0;
            for i in 0..8 {
                let pick = |bit: usize, axis: usize| {
                    if i >> bit & 1 == 1 {
                        hi[axis]
                    } else {
                        lo[axis]
                    }
                };
                let p = Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2)) - camera.eye;
                let depth = p.dot(forward) * camera.tangent();
                assert!(depth > 0.0);
                widest = widest
                    .max((p.dot(right) / depth / aspect).abs())
                    .max((p.dot(up) / depth).abs());
            }
            assert!(widest < 1.0 && widest > 0.8, "{direction}: {widest}");
        }
    }
}
