//! From a scene to pixels.
//!
//! The picture is cut into tiles. For each subsample of a tile's pixels:
//!
//! 1. one ray finds the surface;
//! 2. a few rays from there find how much of the key light and of the sky is seen;
//! 3. both are averaged over the neighbouring pixels that show the same piece of surface;
//! 4. light, film curve, and on to the pixel's mean.
//!
//! Step 3 makes few rays do. Which rays a pixel casts repeats every 4 × 4 pixels, each of the 16 taking its own share of one
//! evenly spread sequence. The filter's weights 1 2 3 4 3 2 1 are a box of 4 applied twice, which cancels any pattern of
//! period 4 exactly: what remains is smooth, where random rays would leave grain. Tiles overlap by the filter's radius, so
//! they need nothing from each other, and the picture does not depend on who draws them.

use crate::bvh::{Aabb, Ray};
use crate::color::{film, to_linear, to_srgb};
use crate::error::DrawError;
use crate::image::Image;
use crate::scene::{Ground, Scene};
use crate::trace::{FIRST_KIND, Tracer};
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Side of a tile in pixels.
const TILE: usize = 64;
/// Radius of the visibility filter in pixels.
const APRON: usize = 3;
/// Side of a tile's buffer.
const SIDE: usize = TILE + 2 * APRON;
/// Largest side of a picture in pixels.
const LARGEST_SIDE: usize = 16384;
/// How dark the floor makes what faces it: below 1, because a lit floor also gives light back.
const FLOOR_OCCLUSION: f32 = 0.75;

const SKY: u32 = 0;
const FLOOR: u32 = 1;

/// The order in which a 4 × 4 block of pixels takes its turns; neighbours lie far apart in it.
pub(crate) const TURNS: [[u32; 4]; 4] =
    [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// How much work goes into a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Subsamples a pixel, for smooth edges.
    pub samples: u32,
    /// Rays to the key light from each subsample; 0 leaves out the shadow.
    pub shadow_rays: u32,
    /// Rays to the sky from each subsample; 0 leaves out ambient occlusion.
    pub ambient_rays: u32,
}

impl Default for Quality {
    /// For stills: four subsamples with two shadow and three ambient rays each.
    fn default() -> Self {
        Self {
            samples: 4,
            shadow_rays: 2,
            ambient_rays: 3,
        }
    }
}

impl Quality {
    /// For frames of an animation: edges still smooth, one ray of each kind.
    pub fn fast() -> Self {
        Self {
            samples: 3,
            shadow_rays: 1,
            ambient_rays: 1,
        }
    }
}

/// Draws a scene. The result is the same for any number of threads.
pub fn render(
    scene: &Scene,
    width: usize,
    height: usize,
    quality: &Quality,
) -> Result<Image, DrawError> {
    let sides = 1..=LARGEST_SIDE;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(DrawError::PictureSize { width, height });
    }
    let tracer = Tracer::new(scene);
    let studio = Studio::new(scene, &tracer, width, height, *quality);
    let corners: Vec<(usize, usize)> = (0..height)
        .step_by(TILE)
        .flat_map(|y| (0..width).step_by(TILE).map(move |x| (x, y)))
        .collect();
    let tiles: Vec<Vec<[u8; 3]>> = corners
        .par_iter()
        .map(|&(x, y)| studio.draw_tile(x, y))
        .collect();

    let mut image = Image::new(width, height, [0; 3]);
    for (&(x, y), tile) in corners.iter().zip(&tiles) {
        let columns = TILE.min(width - x);
        for (row, pixels) in tile.chunks_exact(columns).enumerate() {
            let start = (y + row) * width + x;
            image.pixels[start..start + columns].copy_from_slice(pixels);
        }
    }
    Ok(image)
}

/// What one subsample sees.
#[derive(Clone, Copy)]
struct Sight {
    kind: u32,
    /// Width of a pixel there (m).
    footprint: f32,
    position: Vec3,
    normal: Vec3,
    albedo: Vec3,
    gloss: f32,
    /// Share of the background that covers it.
    haze: f32,
    /// Seen shares of the key light and of the sky.
    visible: Vec2,
}

/// The scene with all that follows from it before the first ray.
struct Studio<'a> {
    scene: &'a Scene,
    tracer: &'a Tracer<'a>,
    quality: Quality,
    width: usize,
    height: usize,
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Width of a pixel at distance 1.
    spread: f32,
    to_light: Vec3,
    light_tangents: (Vec3, Vec3),
    ambient_reach: f32,
    /// How far from a surface its secondary rays start, against hitting it again (m).
    clearance: f32,
    floor: Option<Floor>,
    background: [Vec3; 2],
}

/// The box that the automatic values of a scene follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) bounds: Aabb,
}

impl Stage {
    /// The scene's own, or the box around all that is drawn.
    pub(crate) fn new(scene: &Scene, drawn: Aabb) -> Self {
        let bounds = scene
            .stage
            .filter(|(lo, hi)| lo.is_finite() && hi.is_finite())
            .map_or(drawn, |(lo, hi)| Aabb { lo, hi });
        Self { bounds }
    }

    pub(crate) fn middle(&self) -> Vec3 {
        0.5 * (self.bounds.lo + self.bounds.hi)
    }

    /// Length of its diagonal (m).
    pub(crate) fn size(&self) -> f32 {
        diagonal(self.bounds)
    }

    /// How far ambient occlusion looks (m).
    pub(crate) fn ambient_reach(&self, scene: &Scene) -> f32 {
        scene
            .ambient_reach
            .filter(|r| r.is_finite() && *r > 0.0)
            .unwrap_or(0.25 * self.size())
    }
}

/// Length of a box's diagonal, never zero.
fn diagonal(bounds: Aabb) -> f32 {
    (bounds.hi - bounds.lo).length().max(1e-6)
}

/// The box around all that is drawn, or one to look at if nothing is.
pub(crate) fn drawn_or_unit(bounds: Option<Aabb>) -> Aabb {
    bounds.unwrap_or(Aabb {
        lo: -Vec3::ONE,
        hi: Vec3::ONE,
    })
}

/// The ground with its automatic values filled in.
pub(crate) struct Floor {
    pub(crate) height: f32,
    pub(crate) color: Vec3,
    pub(crate) line_color: Vec3,
    /// Zero without a grid.
    pub(crate) cell: f32,
    pub(crate) fade: f32,
    pub(crate) middle: Vec3,
}

impl Floor {
    /// The scene's floor, unless it has none or the camera stands below it.
    pub(crate) fn of(scene: &Scene, stage: &Stage) -> Option<Self> {
        scene
            .ground
            .filter(|g| g.height.is_finite() && scene.camera.eye.y > g.height)
            .map(|g| Self::new(&g, stage.middle(), stage.size()))
    }

    fn new(ground: &Ground, middle: Vec3, size: f32) -> Self {
        // A round number of metres, about an eighth of the scene.
        let automatic = {
            let wish = size / 8.0;
            let decade = 10f32.powf(wish.log10().floor());
            let step = [5.0, 2.0].into_iter().find(|s| s * decade <= wish);
            step.unwrap_or(1.0) * decade
        };
        Self {
            height: ground.height,
            color: to_linear(ground.color),
            line_color: to_linear(ground.line_color),
            cell: if ground.cell > 0.0 {
                ground.cell
            } else if ground.cell < 0.0 {
                0.0
            } else {
                automatic
            },
            fade: if ground.fade > 0.0 {
                ground.fade
            } else {
                1.6 * size
            },
            middle,
        }
    }

    /// Colour around a point, averaged over `width` along x and z, with a line every cell and a stronger one every fifth.
    fn color_at(&self, p: Vec3, width: Vec2) -> Vec3 {
        if self.cell <= 0.0 {
            return self.color;
        }
        let lines = |cell: f32, half: f32, strength: f32| {
            let x = line_share(p.x / cell, width.x / cell, half);
            let z = line_share(p.z / cell, width.y / cell, half);
            strength * (x + z - x * z)
        };
        let share = lines(self.cell, 0.010, 0.55).max(lines(5.0 * self.cell, 0.004, 1.0));
        self.color.lerp(self.line_color, share)
    }
}

/// Share of an interval of `width` around `x` that is covered by lines of half-width `half` at the whole numbers.
fn line_share(x: f32, width: f32, half: f32) -> f32 {
    let width = width.clamp(1e-4, 1e4);
    // Length of line on the left of `x`.
    let covered = |x: f32| {
        let nearest = (x + 0.5).floor();
        2.0 * half * nearest + (x - nearest).clamp(-half, half)
    };
    ((covered(x + 0.5 * width) - covered(x - 0.5 * width)) / width).clamp(0.0, 1.0)
}

impl<'a> Studio<'a> {
    fn new(
        scene: &'a Scene,
        tracer: &'a Tracer<'a>,
        width: usize,
        height: usize,
        quality: Quality,
    ) -> Self {
        let drawn = drawn_or_unit(tracer.bounds);
        let reach = diagonal(drawn).max(drawn.lo.abs().max(drawn.hi.abs()).max_element());
        let stage = Stage::new(scene, drawn);
        let (right, up, forward) = scene.camera.axes();
        let to_light = scene.light.direction.normalize_or(Vec3::Y);
        Self {
            scene,
            tracer,
            quality,
            width,
            height,
            eye: scene.camera.eye,
            right,
            up,
            forward,
            spread: 2.0 * scene.camera.tangent() / height as f32,
            to_light,
            light_tangents: to_light.any_orthonormal_pair(),
            ambient_reach: stage.ambient_reach(scene),
            clearance: 1e-5 * reach,
            floor: Floor::of(scene, &stage),
            background: [
                to_linear(scene.background.top),
                to_linear(scene.background.bottom),
            ],
        }
    }

    /// The tile's pixels whose upper left one is (`x0`, `y0`), clipped to the picture.
    fn draw_tile(&self, x0: usize, y0: usize) -> Vec<[u8; 3]> {
        let columns = TILE.min(self.width - x0);
        let rows = TILE.min(self.height - y0);
        let samples = self.quality.samples.clamp(1, 256);
        let mut light = vec![Vec3::ZERO; columns * rows];
        let mut sights = Vec::with_capacity(SIDE * SIDE);
        for sample in 0..samples {
            let within = Vec2::new(
                (sample as f32 + 0.5) / samples as f32,
                f32::from((sample as u8).reverse_bits()) / 256.0 + 0.5 / samples as f32,
            );
            sights.clear();
            for row in 0..rows + 2 * APRON {
                for column in 0..columns + 2 * APRON {
                    let x = (x0 + column) as i32 - APRON as i32;
                    let y = (y0 + row) as i32 - APRON as i32;
                    let mut sight = self.look(Vec2::new(x as f32, y as f32) + within);
                    if sight.kind != SKY {
                        let turn = TURNS[(y & 3) as usize][(x & 3) as usize];
                        sight.visible = self.visible(&sight, sample * 16 + turn, samples * 16);
                    }
                    sights.push(sight);
                }
            }
            for row in 0..rows {
                let y = (y0 + row) as f32 + within.y;
                let behind = self.behind(y);
                for column in 0..columns {
                    let visible = filter(&sights, columns + 2 * APRON, column, row);
                    let sight = &sights[(row + APRON) * (columns + 2 * APRON) + column + APRON];
                    let color = if sight.kind == SKY {
                        behind
                    } else {
                        film(self.shade(sight, visible)).lerp(behind, sight.haze)
                    };
                    light[row * columns + column] += color;
                }
            }
        }
        let share = 1.0 / samples as f32;
        light
            .iter()
            .enumerate()
            .map(|(i, &l)| {
                // Rounding by turns instead of at the half hides the steps of slow gradients.
                let (x, y) = (x0 + i % columns, y0 + i / columns);
                let dither = (TURNS[y & 3][x & 3] as f32 + 0.5) / 16.0;
                to_srgb(l * share, dither)
            })
            .collect()
    }

    /// Direction, not of unit length, through a point of the picture in pixels.
    fn through(&self, pixel: Vec2) -> Vec3 {
        let x = (pixel.x - 0.5 * self.width as f32) * self.spread;
        let y = (0.5 * self.height as f32 - pixel.y) * self.spread;
        self.forward + x * self.right + y * self.up
    }

    /// The first surface behind a point of the picture.
    fn look(&self, pixel: Vec2) -> Sight {
        let direction = self.through(pixel).normalize_or(self.forward);
        let ray = Ray::new(self.eye, direction);
        let mut sight = Sight {
            kind: SKY,
            footprint: 0.0,
            position: Vec3::ZERO,
            normal: Vec3::ZERO,
            albedo: Vec3::ZERO,
            gloss: 0.0,
            haze: 0.0,
            visible: Vec2::ONE,
        };
        let mut t_max = f32::INFINITY;
        if let Some(point) = self.tracer.nearest(&ray, self.spread) {
            t_max = point.t;
            sight = Sight {
                kind: point.kind,
                footprint: point.t * self.spread,
                position: point.position,
                normal: point.normal,
                albedo: point.albedo,
                gloss: point.gloss.clamp(0.0, 1.0),
                ..sight
            };
        }
        if let Some(floor) = &self.floor {
            let t = (floor.height - self.eye.y) / direction.y;
            if t > 0.0 && t < t_max {
                self.look_at_floor(floor, pixel, t * direction, &mut sight);
            }
        }
        sight
    }

    /// Puts the floor at `offset` from the eye into the sight.
    fn look_at_floor(&self, floor: &Floor, pixel: Vec2, offset: Vec3, sight: &mut Sight) {
        let mut position = self.eye + offset;
        position.y = floor.height;
        let distance = position.distance(floor.middle.with_y(floor.height));
        let haze = 1.0 - (-(distance / floor.fade).powi(2) * std::f32::consts::LN_2).exp();
        if haze > 0.999 || !position.is_finite() {
            // The scene may lie beyond a floor that is gone; then nothing hides it.
            return;
        }
        // Where the neighbouring pixels meet the floor bounds this one's patch.
        let meet = |shift: Vec2| {
            let d = self.through(pixel + shift);
            let t = (floor.height - self.eye.y) / d.y;
            if t > 0.0 {
                self.eye + t * d - position
            } else {
                Vec3::splat(1e4)
            }
        };
        let (dx, dy) = (meet(Vec2::X).abs(), meet(Vec2::Y).abs());
        let width = Vec2::new(dx.x.max(dy.x), dx.z.max(dy.z));
        *sight = Sight {
            kind: FLOOR,
            footprint: offset.length() * self.spread,
            position,
            normal: Vec3::Y,
            albedo: floor.color_at(position, width),
            gloss: 0.0,
            haze,
            visible: Vec2::ONE,
        };
    }

    /// Seen shares of the key light and of the sky, by the rays that are this pixel's turn (`turn` of `turns`).
    fn visible(&self, sight: &Sight, turn: u32, turns: u32) -> Vec2 {
        let origin = sight.position + sight.normal * (self.clearance + 0.02 * sight.footprint);
        let Quality {
            shadow_rays,
            ambient_rays,
            ..
        } = self.quality;
        let mut visible = Vec2::ONE;
        if shadow_rays > 0 && sight.normal.dot(self.to_light) > 0.0 {
            let open = (0..shadow_rays).filter(|ray| {
                let towards = self.light_direction(spread_sequence(ray * turns + turn));
                !self
                    .tracer
                    .blocked(&Ray::new(origin, towards), f32::INFINITY)
            });
            visible.x = open.count() as f32 / shadow_rays as f32;
        }
        if ambient_rays > 0 {
            let (tangent, other) = sight.normal.any_orthonormal_pair();
            let open: f32 = (0..ambient_rays)
                .map(|ray| {
                    let [u, v, w] = spread_sequence(ray * turns + turn);
                    // The disc lifted to the hemisphere: directions as they matter to a matt surface.
                    let d = disc(u, v);
                    let lift = (1.0 - d.length_squared()).max(0.0).sqrt();
                    let towards = d.x * tangent + d.y * other + lift * sight.normal;
                    // Rays of all lengths up to the reach make near things darken more than far ones.
                    self.open(origin, towards, self.ambient_reach * w)
                })
                .sum();
            visible.y = open / ambient_rays as f32;
        }
        visible
    }

    /// 0 for an ambient ray that meets something before `reach`, 1 for a free one, and between for one to the floor.
    fn open(&self, origin: Vec3, towards: Vec3, reach: f32) -> f32 {
        if self.tracer.blocked(&Ray::new(origin, towards), reach) {
            return 0.0;
        }
        let floor = self.floor.as_ref().is_some_and(|floor| {
            let t = (floor.height - origin.y) / towards.y;
            t > 0.0 && t < reach
        });
        if floor { 1.0 - FLOOR_OCCLUSION } else { 1.0 }
    }

    /// A direction to a point of the key light.
    fn light_direction(&self, [u, v, _]: [f32; 3]) -> Vec3 {
        let radius = self.scene.light.radius_degrees.clamp(0.0, 80.0);
        let d = disc(u, v) * radius.to_radians().tan();
        (self.to_light + d.x * self.light_tangents.0 + d.y * self.light_tangents.1).normalize()
    }

    /// Light from a surface to the eye, before the film curve.
    fn shade(&self, sight: &Sight, visible: Vec2) -> Vec3 {
        let light = &self.scene.light;
        let Sight {
            normal: n, albedo, ..
        } = *sight;
        let to_eye = (self.eye - sight.position).normalize_or(-self.forward);
        let key = light.key * n.dot(self.to_light).max(0.0) * visible.x;
        let around = |d: Vec3| light.bounce.lerp(light.sky, 0.5 + 0.5 * d.y);
        // What is hidden from the sky sees its neighbours instead, which give back their own albedo's share: the
        // geometric series of light between them keeps bright hollows bright and tints them.
        let open = Vec3::splat(visible.y);
        let ambient = around(n) * open / (Vec3::ONE - 0.9 * albedo * (Vec3::ONE - open));
        let matt = albedo * (key + ambient);
        if sight.kind < FIRST_KIND {
            return matt;
        }

        let half = (self.to_light + to_eye).normalize_or(n);
        let fresnel = |cos: f32| 0.04 + 0.96 * (1.0 - cos.clamp(0.0, 1.0)).powi(5);
        let power = (3.0 + 7.0 * sight.gloss).exp2();
        let lobe = (power + 8.0) / 8.0 * n.dot(half).max(0.0).powf(power);
        let highlight = key * lobe * fresnel(half.dot(to_eye));
        let mirrored = 2.0 * n.dot(to_eye) * n - to_eye;
        let sheen =
            around(mirrored) * visible.y * fresnel(n.dot(to_eye)) * (0.35 + 0.65 * sight.gloss);
        matt + highlight + sheen
    }

    /// The background in a row of the picture.
    fn behind(&self, y: f32) -> Vec3 {
        self.background[0].lerp(self.background[1], (y / self.height as f32).clamp(0.0, 1.0))
    }
}

/// Mean visibility around a pixel of the tile, over the pixels that show the same piece of surface.
fn filter(sights: &[Sight], stride: usize, column: usize, row: usize) -> Vec2 {
    let center = &sights[(row + APRON) * stride + column + APRON];
    if center.kind == SKY {
        return center.visible;
    }
    let weight = |k: usize| (APRON + 1 - k.abs_diff(APRON)) as f32;
    let mut sum = Vec2::ZERO;
    let mut total = 0.0;
    for dy in 0..=2 * APRON {
        let line = (row + dy) * stride + column;
        for (dx, other) in sights[line..=line + 2 * APRON].iter().enumerate() {
            let facing = center.normal.dot(other.normal);
            let off = center.normal.dot(other.position - center.position);
            if other.kind != center.kind || facing < 0.8 || off.abs() > 3.0 * center.footprint {
                continue;
            }
            let w = weight(dx) * weight(dy);
            sum += w * other.visible;
            total += w;
        }
    }
    // The pixel itself always counts, unless a number is not finite.
    if total > 0.0 {
        sum / total
    } else {
        center.visible
    }
}

/// The i-th point of a sequence that fills the unit cube evenly (an additive recurrence with the powers of the root of
/// x⁴ = x + 1), in fixed point so that it stays exact for any `i`.
fn spread_sequence(i: u32) -> [f32; 3] {
    const STEPS: [u32; 3] = [3518319154, 2882110345, 2360945575];
    STEPS.map(|step| (i.wrapping_mul(step).wrapping_add(1 << 31) >> 8) as f32 / (1 << 24) as f32)
}

/// Maps the unit square to the unit disc, keeping areas and neighbours (the concentric map).
fn disc(u: f32, v: f32) -> Vec2 {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
    let (a, b) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    if a == 0.0 && b == 0.0 {
        return Vec2::ZERO;
    }
    let (radius, angle) = if a.abs() > b.abs() {
        (a, FRAC_PI_4 * b / a)
    } else {
        (b, FRAC_PI_2 - FRAC_PI_4 * a / b)
    };
    radius * Vec2::new(angle.cos(), angle.sin())
}

#[cfg(test)]
mod tests;
