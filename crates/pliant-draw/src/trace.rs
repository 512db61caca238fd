//! The scene flattened for rays: triangles and balls in the order of their hierarchies.

use crate::bvh::{Aabb, Bvh, Ray};
use crate::color::to_linear;
use crate::scene::{Object, Paint, Scene, Texture};
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// A triangle as the intersection test wants it.
#[derive(Clone, Copy)]
pub(crate) struct Triangle {
    pub(crate) a: Vec3,
    pub(crate) ab: Vec3,
    pub(crate) ac: Vec3,
}

impl Triangle {
    /// Distance and barycentric coordinates of `b` and `c`, by Möller and Trumbore.
    #[inline(always)]
    fn meet(&self, ray: &Ray, t_max: f32) -> Option<(f32, f32, f32)> {
        // Rays through a shared edge must not slip between both triangles.
        const SLACK: f32 = 1e-5;
        let p = ray.direction.cross(self.ac);
        let inverse = 1.0 / self.ab.dot(p);
        let s = ray.origin - self.a;
        let u = s.dot(p) * inverse;
        let q = s.cross(self.ab);
        let v = ray.direction.dot(q) * inverse;
        let t = self.ac.dot(q) * inverse;
        // Written so that a NaN, from a ray within the plane, is a miss.
        let hit = u >= -SLACK && v >= -SLACK && u + v <= 1.0 + SLACK && t > 0.0 && t < t_max;
        hit.then_some((t, u, v))
    }
}

/// What a ray met.
#[derive(Clone, Copy)]
enum What {
    Triangle { place: usize, u: f32, v: f32 },
    Ball(usize),
}

/// A point of a surface, ready for light.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    /// Distance along the ray.
    pub(crate) t: f32,
    /// A little above the facets, where the smooth surface they stand for would be: rays to the light start here.
    pub(crate) position: Vec3,
    /// Unit normal towards the viewer.
    pub(crate) normal: Vec3,
    /// Linear.
    pub(crate) albedo: Vec3,
    pub(crate) gloss: f32,
    /// Tells apart what must not be blurred into one another; never below `FIRST_KIND`.
    pub(crate) kind: u32,
}

/// Kinds below this belong to the floor and the background.
pub(crate) const FIRST_KIND: u32 = 2;

/// The flattened scene.
pub(crate) struct Tracer<'a> {
    scene: &'a Scene,
    triangles: Vec<Triangle>,
    /// Object and triangle in it, per triangle.
    sources: Vec<(u32, u32)>,
    corner_normals: Vec<[Vec3; 3]>,
    triangle_tree: Bvh,
    /// Centre and radius.
    balls: Vec<(Vec3, f32)>,
    ball_sources: Vec<u32>,
    ball_tree: Bvh,
    /// Box around everything, or `None` if there is nothing.
    pub(crate) bounds: Option<Aabb>,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let mut triangles = Vec::new();
        let mut sources = Vec::new();
        let mut normals = Vec::new();
        for (o, object) in scene.objects.iter().enumerate() {
            let smooth = corner_normals(object);
            for (t, corners) in object.triangles.iter().enumerate() {
                if let Some(triangle) = sound_triangle(object, *corners) {
                    triangles.push(triangle);
                    sources.push((o as u32, t as u32));
                    normals.push(smooth[t]);
                }
            }
        }
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|t| {
                let (b, c) = (t.a + t.ab, t.a + t.ac);
                Aabb {
                    lo: t.a.min(b).min(c),
                    hi: t.a.max(b).max(c),
                }
            })
            .collect();
        let (balls, ball_sources): (Vec<_>, Vec<_>) = scene
            .balls
            .iter()
            .zip(0u32..)
            .filter(|(b, _)| b.center.is_finite() && b.radius.is_finite() && b.radius > 0.0)
            .map(|(b, i)| ((b.center, b.radius), i))
            .unzip();
        let ball_boxes: Vec<Aabb> = balls
            .iter()
            .map(|&(center, radius)| Aabb {
                lo: center - radius,
                hi: center + radius,
            })
            .collect();

        let (triangle_tree, ball_tree) =
            rayon::join(|| Bvh::build(&boxes), || Bvh::build(&ball_boxes));
        let bounds = boxes.iter().chain(&ball_boxes).copied().reduce(Aabb::join);
        Self {
            scene,
            triangles: sorted(&triangles, &triangle_tree.order),
            sources: sorted(&sources, &triangle_tree.order),
            corner_normals: sorted(&normals, &triangle_tree.order),
            balls: sorted(&balls, &ball_tree.order),
            ball_sources: sorted(&ball_sources, &ball_tree.order),
            triangle_tree,
            ball_tree,
            bounds,
        }
    }

    /// The first surface along a ray. `spread` is the width of a pixel at distance 1, which patterns are smoothed over.
    pub(crate) fn nearest(&self, ray: &Ray, spread: f32) -> Option<Point> {
        let mut found: Option<(f32, What)> = None;
        self.triangle_tree
            .nearest(ray, f32::INFINITY, |range, mut t_max| {
                for place in range {
                    if let Some((t, u, v)) = self.triangles[place].meet(ray, t_max) {
                        t_max = t;
                        found = Some((t, What::Triangle { place, u, v }));
                    }
                }
                t_max
            });
        let t_max = found.map_or(f32::INFINITY, |f| f.0);
        self.ball_tree.nearest(ray, t_max, |range, mut t_max| {
            for place in range {
                if let Some(t) = meet_ball(self.balls[place], ray, t_max) {
                    t_max = t;
                    found = Some((t, What::Ball(place)));
                }
            }
            t_max
        });
        let (t, what) = found?;
        Some(match what {
            What::Triangle { place, u, v } => self.triangle_point(ray, t, place, u, v, spread),
            What::Ball(place) => self.ball_point(ray, t, place),
        })
    }

    /// Whether anything lies on the ray before `t_max`.
    pub(crate) fn blocked(&self, ray: &Ray, t_max: f32) -> bool {
        self.triangle_tree.any(ray, t_max, |range| {
            self.triangles[range]
                .iter()
                .any(|t| t.meet(ray, t_max).is_some())
        }) || self.ball_tree.any(ray, t_max, |range| {
            self.balls[range]
                .iter()
                .any(|&b| meet_ball(b, ray, t_max).is_some())
        })
    }

    fn ball_point(&self, ray: &Ray, t: f32, place: usize) -> Point {
        let (center, radius) = self.balls[place];
        let ball = &self.scene.balls[self.ball_sources[place] as usize];
        let outward = (ray.origin + t * ray.direction - center).normalize_or(-ray.direction);
        let position = center + radius * outward;
        // Seen from within, the inner side is what faces the viewer.
        let normal = if outward.dot(ray.direction) > 0.0 {
            -outward
        } else {
            outward
        };
        Point {
            t,
            position,
            normal,
            albedo: to_linear(ball.color),
            gloss: ball.gloss,
            kind: FIRST_KIND + (self.scene.objects.len() + place) as u32,
        }
    }

    fn triangle_point(
        &self,
        ray: &Ray,
        t: f32,
        place: usize,
        u: f32,
        v: f32,
        spread: f32,
    ) -> Point {
        let Triangle { a, ab, ac } = self.triangles[place];
        let (source, number) = self.sources[place];
        let object = &self.scene.objects[source as usize];
        let weights = [1.0 - u - v, u, v];
        let position = a + u * ab + v * ac;

        let flat = ab.cross(ac).normalize_or(-ray.direction);
        let side = if flat.dot(ray.direction) > 0.0 {
            -1.0
        } else {
            1.0
        };
        let corners = self.corner_normals[place].map(|n| n * side);
        let mut normal = mix(corners, weights).normalize_or(flat * side);
        // An interpolated normal that faces away from the viewer is bent back into view.
        let away = normal.dot(ray.direction);
        if away > 0.0 {
            normal = (normal - 1.001 * away * ray.direction).normalize_or(flat * side);
        }

        // Facets of a convex surface shadow themselves where the light grazes. Rays therefore start from the curved
        // surface: the mean of the point's projections onto the corners' tangent planes, if those lie above the facet.
        let lifts: [Vec3; 3] = std::array::from_fn(|i| {
            let corner = [a, a + ab, a + ac][i];
            -(position - corner).dot(corners[i]).min(0.0) * corners[i]
        });
        Point {
            t,
            position: position + mix(lifts, weights),
            normal,
            albedo: albedo(object, number as usize, weights, t * spread),
            gloss: object.gloss,
            kind: FIRST_KIND + source,
        }
    }
}

/// The items in the order given.
fn sorted<T: Copy>(items: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| items[i as usize]).collect()
}

fn mix(corners: [Vec3; 3], weights: [f32; 3]) -> Vec3 {
    corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2]
}

/// The triangle, unless it is out of range, not finite or has no area.
pub(crate) fn sound_triangle(object: &Object, corners: [u32; 3]) -> Option<Triangle> {
    let at = |v: u32| {
        object
            .positions
            .get(v as usize)
            .copied()
            .filter(|p| p.is_finite())
    };
    let a = at(corners[0])?;
    let (ab, ac) = (at(corners[1])? - a, at(corners[2])? - a);
    let area = ab.cross(ac).length_squared();
    (area > 0.0 && area.is_finite()).then_some(Triangle { a, ab, ac })
}

/// Distance at which a ray meets a ball, from outside or from within.
fn meet_ball((center, radius): (Vec3, f32), ray: &Ray, t_max: f32) -> Option<f32> {
    let to_center = center - ray.origin;
    let along = to_center.dot(ray.direction);
    // The distance of the ray's line from the centre: no cancellation of large squares.
    let aside = (to_center - along * ray.direction).length_squared();
    let half_chord = radius * radius - aside;
    if half_chord < 0.0 {
        return None;
    }
    let half_chord = half_chord.sqrt();
    [along - half_chord, along + half_chord]
        .into_iter()
        .find(|&t| t > 0.0)
        .filter(|&t| t < t_max)
}

/// Normals per corner: the object's own, or the mean of the faces around the vertex that lie within 50° of this face.
pub(crate) fn corner_normals(object: &Object) -> Vec<[Vec3; 3]> {
    const COS_CREASE: f32 = 0.643;
    let faces: Vec<Vec3> = object
        .triangles
        .iter()
        .map(|&corners| sound_triangle(object, corners).map_or(Vec3::ZERO, |t| t.ab.cross(t.ac)))
        .collect();
    if object.normals.len() == object.positions.len() && !object.normals.is_empty() {
        return object
            .triangles
            .iter()
            .zip(&faces)
            .map(|(corners, &face)| {
                corners.map(|v| {
                    object
                        .normals
                        .get(v as usize)
                        .filter(|n| n.is_finite())
                        .map_or(face, |&n| n)
                        .normalize_or(face.normalize_or_zero())
                })
            })
            .collect();
    }

    // Rows of the triangles around each vertex.
    let mut offsets = vec![0u32; object.positions.len() + 1];
    let in_range = |v: u32| (v as usize) < object.positions.len();
    for &v in object.triangles.iter().flatten().filter(|&&v| in_range(v)) {
        offsets[v as usize + 1] += 1;
    }
    for v in 1..offsets.len() {
        offsets[v] += offsets[v - 1];
    }
    let mut next = offsets.clone();
    let mut around = vec![0u32; offsets.last().map_or(0, |&n| n as usize)];
    for (t, corners) in object.triangles.iter().enumerate() {
        for &v in corners.iter().filter(|&&v| in_range(v)) {
            around[next[v as usize] as usize] = t as u32;
            next[v as usize] += 1;
        }
    }

    let units: Vec<Vec3> = faces.iter().map(|f| f.normalize_or_zero()).collect();
    object
        .triangles
        .par_iter()
        .enumerate()
        .map(|(t, corners)| {
            corners.map(|v| {
                if !in_range(v) {
                    return units[t];
                }
                let row = offsets[v as usize] as usize..offsets[v as usize + 1] as usize;
                around[row]
                    .iter()
                    .filter(|&&n| units[n as usize].dot(units[t]) >= COS_CREASE)
                    .map(|&n| faces[n as usize])
                    .sum::<Vec3>()
                    .normalize_or(units[t])
            })
        })
        .collect()
}

/// The linear colour of a triangle's point; `width` is that of a pixel there (m).
fn albedo(object: &Object, number: usize, weights: [f32; 3], width: f32) -> Vec3 {
    let is_inner = object.inner.len() == object.triangles.len() && object.inner[number];
    if is_inner && !object.inner_has_colors {
        return to_linear(object.inner_color);
    }
    let corners = object.triangles[number].map(|v| v as usize);
    let painted = match &object.paint {
        _ if is_inner => to_linear(object.inner_color),
        Paint::Plain(color) => to_linear(*color),
        Paint::Checker { rest, cell, colors } => {
            if rest.len() == object.positions.len() && *cell > 0.0 {
                let rest = corners.map(|v| rest[v]);
                let now = corners.map(|v| object.positions[v]);
                // How much longer the rest shape is than the present one bounds the pixel's width in it.
                let stretch = (0..3)
                    .map(|i| {
                        let j = (i + 1) % 3;
                        rest[i].distance(rest[j]) / now[i].distance(now[j]).max(1e-20)
                    })
                    .fold(0.0, f32::max);
                let p = mix(rest, weights) / *cell;
                let share = checker(p, 1.5 * width * stretch / *cell);
                to_linear(colors[0]).lerp(to_linear(colors[1]), share)
            } else {
                to_linear(colors[0])
            }
        }
        Paint::Picture { texture, base } => match object.corner_uvs.get(number) {
            Some(uvs) if object.corner_uvs.len() == object.triangles.len() => {
                let uv = uvs[0] * weights[0] + uvs[1] * weights[1] + uvs[2] * weights[2];
                texel(texture, uv, to_linear(*base))
            }
            _ => to_linear(*base),
        },
    };
    if object.colors.len() == object.positions.len() && !object.colors.is_empty() {
        let colors = corners.map(|v| {
            let [r, g, b, _] = object.colors[v];
            to_linear([r, g, b])
        });
        painted * mix(colors, weights)
    } else {
        painted
    }
}

/// Share of the second colour in a checker of unit cells around `p`, averaged over a cube of side `width`.
fn checker(p: Vec3, width: f32) -> f32 {
    // The square wave's integral is a triangle wave, so its mean over an interval is a difference.
    let triangle = |x: f32| 0.5 - ((x * 0.5).rem_euclid(1.0) - 0.5).abs();
    let width = width.clamp(1e-3, 1e3);
    let wave = |x: f32| {
        let mean = 2.0 * (triangle(x + 0.5 * width) - triangle(x - 0.5 * width)) / width;
        mean.clamp(-1.0, 1.0)
    };
    let sign = wave(p.x) * wave(p.y) * wave(p.z);
    if sign.is_finite() {
        0.5 - 0.5 * sign
    } else {
        0.5
    }
}

/// The texture's colour at `uv` over `base`, between the four nearest texels.
fn texel(texture: &Texture, uv: Vec2, base: Vec3) -> Vec3 {
    if !uv.is_finite() {
        return base;
    }
    let (w, h) = (texture.width, texture.height);
    let x = uv.x.rem_euclid(1.0) * w as f32 - 0.5;
    let y = (1.0 - uv.y.rem_euclid(1.0)) * h as f32 - 0.5;
    let fetch = |i: f32, j: f32| {
        let i = (i as i64).rem_euclid(w as i64) as usize;
        let j = (j as i64).rem_euclid(h as i64) as usize;
        let [r, g, b, a] = texture.pixels[j * w + i];
        base.lerp(to_linear([r, g, b]), f32::from(a) / 255.0)
    };
    let (i, j) = (x.floor(), y.floor());
    let upper = fetch(i, j).lerp(fetch(i + 1.0, j), x - i);
    let lower = fetch(i, j + 1.0).lerp(fetch(i + 1.0, j + 1.0), x - i);
    upper.lerp(lower, y - j)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was inside has its own colour, which vertex colours multiply only where they are to.
    #[test]
    fn the_inside_has_its_own_colour() {
        let mut object = Object {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            colors: vec![[255, 0, 0, 255]; 3],
            paint: Paint::Plain([255; 3]),
            inner_color: [128; 3],
            ..Object::default()
        };
        let seen = |object: &Object| albedo(object, 0, [1.0, 0.0, 0.0], 0.01);
        let (gray, red) = (to_linear([128; 3]), to_linear([255, 0, 0]));
        assert_eq!(seen(&object), red);
        object.inner = vec![true];
        assert_eq!(seen(&object), gray);
        object.inner_has_colors = true;
        assert_eq!(seen(&object), gray * red);
    }
}
