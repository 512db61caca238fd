//! Solids given by their signed distance.
//!
//! `distance` is negative inside. It never claims more than the true distance to the surface: the primitives are exact, and
//! minimum, maximum and smooth minimum of such functions keep a slope of at most 1. Marching, culling and Newton steps rely
//! on that.

use super::figures::Figure;
use glam::{DVec3, Vec2, Vec3};

/// Lists may be nested this deep; a bound for the stack of whoever walks the tree.
pub const DEPTH_LIMIT: usize = 32;

/// A solid. Axes of cylinder and torus point along y.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Centre (m).
        center: Vec3,
        /// Radius (m).
        radius: f32,
    },
    /// A box along the axes.
    Box {
        /// Centre (m).
        center: Vec3,
        /// Half of the sides (m).
        half: Vec3,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// One end of the segment (m).
        a: Vec3,
        /// Its other end (m).
        b: Vec3,
        /// The distance (m).
        radius: f32,
    },
    /// An upright cylinder with flat ends.
    Cylinder {
        /// Centre (m).
        center: Vec3,
        /// Radius (m).
        radius: f32,
        /// Full height (m).
        height: f32,
    },
    /// A lying ring.
    Torus {
        /// Centre (m).
        center: Vec3,
        /// Radius of the circle in the ring's middle (m).
        major: f32,
        /// Radius of the tube (m).
        minor: f32,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Centre (m).
        center: Vec3,
        /// Half axes (m).
        radii: Vec3,
    },
    /// One of the built-in figures.
    Figure {
        /// Which one.
        figure: Figure,
        /// Where its origin goes (m); see [`Figure`].
        center: Vec3,
    },
    /// What is in any of the shapes.
    Union(Vec<Shape>),
    /// What is in all of the shapes.
    Intersection(Vec<Shape>),
    /// The first shape without the others.
    Difference(Vec<Shape>),
    /// A union whose seams are filled with a fillet.
    SmoothUnion {
        /// The shapes.
        of: Vec<Shape>,
        /// Shapes that are this near to each other flow together (m).
        radius: f32,
    },
}

/// Most steps to the surface of what is cut by shapes.
const FEET: usize = 8;
/// How far from the surface they may end, in their way.
const SHORT: f32 = 0.05;
/// They lead somewhere if two steps leave less than this share of what was left before them.
const NEARER: f32 = 0.98;

/// What [`Shape::validate`] found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("{shape}: {field} must be a positive number, not {value}")]
    NotPositive {
        /// Kind of the shape.
        shape: &'static str,
        /// Its parameter.
        field: &'static str,
        /// The value found.
        value: f32,
    },
    /// A coordinate is not finite.
    #[error("{shape}: {field} must be finite, not {value}")]
    NotFinite {
        /// Kind of the shape.
        shape: &'static str,
        /// Its parameter.
        field: &'static str,
        /// The value found.
        value: Vec3,
    },
    /// A list of shapes has no member.
    #[error("{shape}: the list of shapes is empty")]
    EmptyList {
        /// Kind of the shape.
        shape: &'static str,
    },
    /// Lists are nested too deep.
    #[error("shapes are nested more than {DEPTH_LIMIT} deep")]
    TooDeep,
}

/// The shape that is nearest to `p`, with `sign` 1, or farthest from it, with −1.
fn nearest_of(of: &[Shape], p: Vec3, sign: f32) -> Option<&Shape> {
    let distance = |s: &&Shape| sign * s.distance(p);
    of.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

impl Shape {
    /// Signed distance from `p` to the surface, negative inside; of combinations a bound with the right sign.
    pub fn distance(&self, p: Vec3) -> f32 {
        match self {
            Self::Sphere { center, radius } => p.distance(*center) - radius,
            Self::Box { center, half } => {
                let q = (p - center).abs() - half;
                q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Capsule { a, b, radius } => p.distance(nearest_of_segment(p, *a, *b)) - radius,
            Self::Cylinder {
                center,
                radius,
                height,
            } => {
                let q = cylinder_profile(p - center, *radius, *height);
                q.max(Vec2::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Torus {
                center,
                major,
                minor,
            } => {
                let p = p - center;
                Vec2::new(Vec2::new(p.x, p.z).length() - major, p.y).length() - minor
            }
            Self::Ellipsoid { center, radii } => {
                let p = p - center;
                let nearest = nearest_of_ellipsoid(p, *radii);
                p.distance(nearest).copysign((p / radii).length() - 1.0)
            }
            Self::Figure { figure, center } => figure.distance(p - center),
            Self::Union(of) => of
                .iter()
                .map(|s| s.distance(p))
                .fold(f32::INFINITY, f32::min),
            Self::Intersection(of) => of
                .iter()
                .map(|s| s.distance(p))
                .fold(f32::NEG_INFINITY, f32::max),
            Self::Difference(of) => of.split_first().map_or(f32::INFINITY, |(first, rest)| {
                rest.iter()
                    .fold(first.distance(p), |d, s| d.max(-s.distance(p)))
            }),
            Self::SmoothUnion { of, radius } => of
                .iter()
                .map(|s| s.distance(p))
                .reduce(|a, b| smooth_min(a, b, *radius))
                .unwrap_or(f32::INFINITY),
        }
    }

    /// Unit vector along which the distance grows fastest: on the surface, the outward normal. Never zero.
    pub fn normal(&self, p: Vec3) -> Vec3 {
        match self {
            Self::Sphere { center, .. } => (p - center).normalize_or(Vec3::Y),
            Self::Box { center, half } => {
                let p = p - center;
                let q = p.abs() - half;
                let sign = p.signum();
                if q.max_element() > 0.0 {
                    (q.max(Vec3::ZERO) * sign).normalize_or(Vec3::Y)
                } else {
                    let axis = Vec3::AXES[q.max_position()];
                    axis * sign
                }
            }
            Self::Capsule { a, b, .. } => {
                let fallback = (b - a).any_orthogonal_vector().normalize_or(Vec3::Y);
                (p - nearest_of_segment(p, *a, *b)).normalize_or(fallback)
            }
            Self::Cylinder {
                center,
                radius,
                height,
            } => {
                let p = p - center;
                let q = cylinder_profile(p, *radius, *height);
                let out = Vec3::new(p.x, 0.0, p.z).normalize_or(Vec3::X);
                let up = Vec3::Y * p.y.signum();
                if q.max_element() > 0.0 {
                    (out * q.x.max(0.0) + up * q.y.max(0.0)).normalize_or(out)
                } else if q.x > q.y {
                    out
                } else {
                    up
                }
            }
            Self::Torus { center, major, .. } => {
                let p = p - center;
                let middle = Vec3::new(p.x, 0.0, p.z).normalize_or(Vec3::X) * major;
                (p - middle).normalize_or(Vec3::Y)
            }
            Self::Ellipsoid { center, radii } => {
                let nearest = nearest_of_ellipsoid(p - center, *radii);
                (nearest / (radii * radii)).normalize_or(Vec3::Y)
            }
            Self::Union(of) => nearest_of(of, p, 1.0).map_or(Vec3::Y, |s| s.normal(p)),
            Self::Intersection(of) => nearest_of(of, p, -1.0).map_or(Vec3::Y, |s| s.normal(p)),
            Self::Difference(of) => {
                of.split_first()
                    .map_or(Vec3::Y, |(first, rest)| match nearest_of(rest, p, 1.0) {
                        Some(hole) if -hole.distance(p) > first.distance(p) => -hole.normal(p),
                        _ => first.normal(p),
                    })
            }
            Self::Figure { .. } | Self::SmoothUnion { .. } => {
                self.gradient(p).normalize_or(Vec3::Y)
            }
        }
    }

    /// The nearest point of the surface: exact for primitives, a few Newton steps for combinations.
    pub fn closest(&self, p: Vec3) -> Vec3 {
        if self.is_exact() {
            return p - self.distance(p) * self.normal(p);
        }
        let mut q = p;
        for _ in 0..8 {
            q = self.newton_step(q);
        }
        q
    }

    /// One step towards the surface along the gradient.
    pub(crate) fn newton_step(&self, p: Vec3) -> Vec3 {
        let gradient = self.gradient(p);
        // Where fields meet the difference quotient may be flat; a slope of at least a quarter bounds the step.
        p - self.distance(p) * gradient / gradient.length_squared().max(0.0625)
    }

    /// Central differences of the distance, over a thousandth of the place's and the shape's size.
    pub(crate) fn gradient(&self, p: Vec3) -> Vec3 {
        let (lo, hi) = self.bounds();
        let h = 2e-4 * (hi - lo).max_element().clamp(1e-3, 1e3);
        let slope = |axis: Vec3| {
            let (a, b) = (p + h * axis, p - h * axis);
            (self.distance(a) - self.distance(b)) / (a - b).dot(axis)
        };
        Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
    }

    /// A box that holds the solid (of combinations not always the smallest).
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let around = |center: Vec3, half: Vec3| (center - half, center + half);
        match self {
            Self::Sphere { center, radius } => around(*center, Vec3::splat(*radius)),
            Self::Box { center, half } => around(*center, *half),
            Self::Capsule { a, b, radius } => (a.min(*b) - *radius, a.max(*b) + *radius),
            Self::Cylinder {
                center,
                radius,
                height,
            } => around(*center, Vec3::new(*radius, 0.5 * height, *radius)),
            Self::Torus {
                center,
                major,
                minor,
            } => around(*center, Vec3::new(major + minor, *minor, major + minor)),
            Self::Ellipsoid { center, radii } => around(*center, *radii),
            Self::Figure { figure, center } => {
                let (lo, hi) = figure.bounds();
                (lo + center, hi + center)
            }
            Self::Union(of) => joint_bounds(of),
            Self::Intersection(of) => of
                .iter()
                .map(Self::bounds)
                .reduce(|a, b| (a.0.max(b.0), a.1.min(b.1)))
                // Shapes apart from each other leave an inside-out box; a point stands for nothing.
                .map_or((Vec3::ZERO, Vec3::ZERO), |(lo, hi)| (lo, hi.max(lo))),
            Self::Difference(of) => of.first().map_or((Vec3::ZERO, Vec3::ZERO), Self::bounds),
            Self::SmoothUnion { of, radius } => {
                // Each smooth minimum adds at most a quarter of the radius.
                let bulge = 0.25 * radius * of.len().saturating_sub(1) as f32;
                let (lo, hi) = joint_bounds(of);
                (lo - bulge, hi + bulge)
            }
        }
    }

    /// Whether `distance` is the distance itself, not only a bound of it.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Sphere { .. }
            | Self::Box { .. }
            | Self::Capsule { .. }
            | Self::Cylinder { .. }
            | Self::Torus { .. }
            | Self::Ellipsoid { .. } => true,
            Self::Figure { figure, .. } => figure.is_exact(),
            Self::Union(of) | Self::Intersection(of) | Self::Difference(of) => {
                of.len() == 1 && of[0].is_exact()
            }
            Self::SmoothUnion { of, .. } => of.len() == 1 && of[0].is_exact(),
        }
    }

    /// Whether the distance outside may be less than that to the surface by so much that there seems to be a wall where none is.
    ///
    /// What is cut by shapes has the larger of their distances: beside a hole that is longer than the solid, the planes of the
    /// solid's faces go on across the hole.
    fn has_false_walls(&self) -> bool {
        match self {
            Self::Intersection(of) | Self::Difference(of) => {
                of.len() > 1 || of.iter().any(Self::has_false_walls)
            }
            Self::Union(of) | Self::SmoothUnion { of, .. } => of.iter().any(Self::has_false_walls),
            _ => false,
        }
    }

    /// Distance from `p` to the surface and, if it is not simply that of the solid, the direction from there; `None` if `p` is outside
    /// and farther than `reach`.
    ///
    /// Where the solid's distance is but a bound, its foot need not be on the surface. Then the place is led to and fro between the
    /// shapes until it is in all of them. At a sharp edge that takes long, but comes nearer with every step; if it does not, the shapes do
    /// not meet near there, and there is nothing to touch.
    pub(crate) fn clearance(&self, p: Vec3, reach: f32) -> Option<(f32, Option<Vec3>)> {
        let distance = self.distance(p);
        if distance > reach {
            return None;
        }
        if distance <= 0.0 || !self.has_false_walls() {
            return Some((distance, None));
        }
        let round_off = 1e-6 * p.length();
        let is_there = |foot: Vec3, left: f32| left <= SHORT * p.distance(foot) + round_off;
        // What was left after the last steps, the last one first: there may be two places between which it goes to and fro.
        let (mut foot, mut left) = (p, [distance, f32::INFINITY, f32::INFINITY]);
        for step in 0..FEET {
            foot -= left[0] * self.normal(foot);
            left = [self.distance(foot), left[0], left[1]];
            if is_there(foot, left[0]) {
                if step == 0 {
                    return Some((distance, None));
                }
                break;
            }
        }
        if !is_there(foot, left[0]) && left[0] > NEARER * left[2] {
            return None;
        }
        let away = p.distance(foot);
        let normal = (p - foot).try_normalize()?;
        (away <= reach).then_some((away, Some(normal)))
    }

    /// Whether [`Shape::validate`] has nothing to say.
    pub fn is_valid(&self) -> bool {
        self.validate().is_ok()
    }

    /// Checks that lengths are positive, coordinates finite, lists not empty and not nested too deep.
    pub fn validate(&self) -> Result<(), ShapeError> {
        self.validate_nested(0)
    }

    fn validate_nested(&self, depth: usize) -> Result<(), ShapeError> {
        let list = |shape, of: &[Self]| {
            if of.is_empty() {
                return Err(ShapeError::EmptyList { shape });
            }
            if depth >= DEPTH_LIMIT {
                return Err(ShapeError::TooDeep);
            }
            of.iter().try_for_each(|s| s.validate_nested(depth + 1))
        };
        match self {
            Self::Sphere { center, radius } => {
                positive("sphere", "radius", *radius)?;
                finite("sphere", "center", *center)
            }
            Self::Box { center, half } => {
                positive("box", "half", half.min_element())?;
                finite("box", "half", *half)?;
                finite("box", "center", *center)
            }
            Self::Capsule { a, b, radius } => {
                positive("capsule", "radius", *radius)?;
                finite("capsule", "a", *a)?;
                finite("capsule", "b", *b)
            }
            Self::Cylinder {
                center,
                radius,
                height,
            } => {
                positive("cylinder", "radius", *radius)?;
                positive("cylinder", "height", *height)?;
                finite("cylinder", "center", *center)
            }
            Self::Torus {
                center,
                major,
                minor,
            } => {
                positive("torus", "major", *major)?;
                positive("torus", "minor", *minor)?;
                finite("torus", "center", *center)
            }
            Self::Ellipsoid { center, radii } => {
                positive("ellipsoid", "radii", radii.min_element())?;
                finite("ellipsoid", "radii", *radii)?;
                finite("ellipsoid", "center", *center)
            }
            Self::Figure { center, .. } => finite("figure", "center", *center),
            Self::Union(of) => list("union", of),
            Self::Intersection(of) => list("intersection", of),
            Self::Difference(of) => list("difference", of),
            Self::SmoothUnion { of, radius } => {
                positive("smooth_union", "radius", *radius)?;
                list("smooth_union", of)
            }
        }
    }
}

fn positive(shape: &'static str, field: &'static str, value: f32) -> Result<(), ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ShapeError::NotPositive {
            shape,
            field,
            value,
        })
    }
}

fn finite(shape: &'static str, field: &'static str, value: Vec3) -> Result<(), ShapeError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(ShapeError::NotFinite {
            shape,
            field,
            value,
        })
    }
}

fn joint_bounds(of: &[Shape]) -> (Vec3, Vec3) {
    of.iter()
        .map(Shape::bounds)
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or((Vec3::ZERO, Vec3::ZERO))
}

/// The smaller of two distances, rounded off with a parabola where they differ by less than `radius`.
pub(crate) fn smooth_min(a: f32, b: f32, radius: f32) -> f32 {
    let overlap = (radius - (a - b).abs()).max(0.0);
    a.min(b) - 0.25 * overlap * overlap / radius
}

/// The point of a segment nearest to `p`.
fn nearest_of_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let ab = b - a;
    let t = (p - a).dot(ab) / ab.length_squared().max(f32::MIN_POSITIVE);
    a + ab * t.clamp(0.0, 1.0)
}

/// How far `p` is beyond the mantle and beyond the ends of a cylinder.
fn cylinder_profile(p: Vec3, radius: f32, height: f32) -> Vec2 {
    Vec2::new(
        Vec2::new(p.x, p.z).length() - radius,
        p.y.abs() - 0.5 * height,
    )
}

/// The point of an ellipsoid about the origin nearest to `p`.
///
/// It is x_i = r_i² p_i / (t + r_i²) for the root t of Σ (r_i p_i / (t + r_i²))² = 1 beyond the last pole −r_min². That
/// sum falls and is convex there, so Newton's method from a point left of the root climbs to it without overshooting.
fn nearest_of_ellipsoid(p: Vec3, radii: Vec3) -> Vec3 {
    let radii = radii.as_dvec3();
    let square = radii * radii;
    // Symmetry planes are avoided by a hair: on one, the nearest point may lie off it, and the formula is 0/0.
    let q = p.as_dvec3().abs().max(1e-7 * radii);
    let scaled = radii * q;
    // Each summand alone reaches 1 at t = r_i p_i − r_i²: the largest of these is left of the root.
    let mut t = (scaled - square).max_element();
    for _ in 0..32 {
        let ratio = scaled / (square + t);
        let excess = ratio.length_squared() - 1.0;
        let slope = 2.0 * (ratio * ratio / (square + t)).element_sum();
        let step = excess / slope;
        t += step;
        if step <= 1e-12 * square.max_element() {
            break;
        }
    }
    let nearest: DVec3 = square * q / (square + t);
    nearest.as_vec3() * p.signum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Beside the hole of a ring that is longer than the ring there is nothing to touch; at its rim and at a sharp edge there is.
    #[test]
    fn holes_have_no_lids() {
        let tube = |radius, height| Shape::Cylinder {
            center: Vec3::ZERO,
            radius,
            height,
        };
        let ring = Shape::Difference(vec![tube(4.5, 1.6), tube(4.2, 2.0)]);
        for x in [0.0, 2.6, 3.9] {
            for y in [0.801, 0.85, 0.9, 0.95, 1.1] {
                assert_eq!(ring.clearance(Vec3::new(x, y, 0.0), 0.2), None, "{x} {y}");
            }
        }
        let rim = ring.clearance(Vec3::new(4.3, 0.9, 0.0), 1.0).unwrap();
        assert!((rim.0 - 0.1).abs() < 1e-5 && rim.1.is_none(), "{rim:?}");
        let (distance, normal) = ring.clearance(Vec3::new(4.1, 0.9, 0.0), 1.0).unwrap();
        assert!((distance - 0.02f32.sqrt()).abs() < 1e-4, "{distance}");
        let expected = Vec3::new(-1.0, 1.0, 0.0).normalize();
        assert!(normal.unwrap().distance(expected) < 1e-3, "{normal:?}");
        // Two balls whose lens has an edge of some 23 degrees.
        let ball = |y: f32| Shape::Sphere {
            center: Vec3::Y * y,
            radius: 1.0,
        };
        let lens = Shape::Intersection(vec![ball(-0.98), ball(0.98)]);
        let edge = (1.0f32 - 0.98 * 0.98).sqrt();
        for out in [1e-3, 0.01, 0.1] {
            let (distance, normal) = lens.clearance(Vec3::X * (edge + out), 1.0).unwrap();
            assert!(
                distance > 0.2 * out && distance < 1.1 * out,
                "{distance} of {out}"
            );
            assert!(normal.unwrap().x > 0.5, "{normal:?}");
        }
    }

    /// Where one part of a combination decides, its normal is the slope of the distance.
    #[test]
    fn normals_of_combinations_are_slopes() {
        let ball = |x: f32| Shape::Sphere {
            center: Vec3::X * x,
            radius: 1.0,
        };
        let of = || vec![ball(-0.4), ball(0.4), ball(0.9)];
        let shapes = [
            Shape::Union(of()),
            Shape::Intersection(of()),
            Shape::Difference(of()),
        ];
        let mut random = Random::new([3, 0, 0, 0]);
        for shape in &shapes {
            let mut smooth = 0;
            for _ in 0..500 {
                let p = (random.next_in_cube() - 0.5) * 4.0;
                let slope = shape.gradient(p);
                // At a seam the slope is a mixture of two, shorter than one.
                if (slope.length() - 1.0).abs() < 1e-3 {
                    smooth += 1;
                    let normal = shape.normal(p);
                    assert!(normal.distance(slope) < 0.02, "{shape:?} at {p}");
                }
            }
            assert!(smooth > 400, "{smooth}");
        }
    }

    fn primitives() -> Vec<Shape> {
        let center = Vec3::new(0.3, -0.2, 0.1);
        vec![
            Shape::Sphere {
                center,
                radius: 0.8,
            },
            Shape::Box {
                center,
                half: Vec3::new(0.5, 0.8, 0.3),
            },
            Shape::Capsule {
                a: center,
                b: Vec3::ONE,
                radius: 0.4,
            },
            Shape::Cylinder {
                center,
                radius: 0.5,
                height: 1.2,
            },
            Shape::Torus {
                center,
                major: 0.9,
                minor: 0.3,
            },
            Shape::Ellipsoid {
                center,
                radii: Vec3::new(1.2, 0.3, 0.7),
            },
        ]
    }

    fn lattice() -> impl Iterator<Item = Vec3> {
        (0..1000).map(|i| {
            Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) * 0.413 - 1.91
        })
    }

    /// The nearest points of primitives lie on the surface, and no lattice point's ball of its distance reaches across it.
    #[test]
    fn primitives_are_exact() {
        for shape in primitives() {
            let surface: Vec<Vec3> = lattice().map(|p| shape.closest(p)).collect();
            for &q in &surface {
                assert!(shape.distance(q).abs() < 2e-5, "{shape:?} {q}");
            }
            for p in lattice() {
                let d = shape.distance(p).abs();
                let nearest = surface
                    .iter()
                    .map(|q| q.distance(p))
                    .fold(f32::INFINITY, f32::min);
                assert!(
                    (nearest - d).abs() < 2e-4 * (1.0 + d) || nearest > d,
                    "{shape:?} at {p}: {d} but {nearest}"
                );
            }
        }
    }

    /// Normals agree with the differences of the distance away from edges and centres.
    #[test]
    fn normals_are_gradients() {
        for shape in primitives() {
            for p in lattice() {
                let gradient = shape.gradient(p);
                if (gradient.length() - 1.0).abs() < 1e-3 {
                    let n = shape.normal(p);
                    assert!((n - gradient).length() < 0.02, "{shape:?} at {p}");
                }
            }
        }
    }

    /// Combinations have the signs of set algebra and bounds that hold what is inside.
    #[test]
    fn combinations_follow_set_algebra() {
        let of = primitives();
        let inside = |s: &Shape, p| s.distance(p) < 0.0;
        let union = Shape::Union(of.clone());
        let smooth = Shape::SmoothUnion {
            of: of.clone(),
            radius: 0.2,
        };
        let common = Shape::Intersection(of[..2].to_vec());
        let rest = Shape::Difference(of.clone());
        for p in lattice() {
            let any = of.iter().any(|s| inside(s, p));
            assert_eq!(inside(&union, p), any);
            assert!(inside(&smooth, p) || !any);
            assert_eq!(inside(&common, p), of[..2].iter().all(|s| inside(s, p)));
            let (first, others) = of.split_first().unwrap();
            assert_eq!(
                inside(&rest, p),
                inside(first, p) && !others.iter().any(|s| inside(s, p))
            );
            for shape in [&union, &smooth, &common, &rest] {
                let (lo, hi) = shape.bounds();
                assert!(!inside(shape, p) || (p.cmpge(lo).all() && p.cmple(hi).all()));
            }
        }
    }

    /// Bad lengths, empty lists and bottomless nesting are refused.
    #[test]
    fn bad_shapes_are_refused() {
        let sphere = |radius| Shape::Sphere {
            center: Vec3::ZERO,
            radius,
        };
        assert!(sphere(1.0).is_valid());
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(
                sphere(bad).validate(),
                Err(ShapeError::NotPositive { .. })
            ));
        }
        assert!(matches!(
            Shape::Union(Vec::new()).validate(),
            Err(ShapeError::EmptyList { .. })
        ));
        let deep = (0..40).fold(sphere(1.0), |s, _| Shape::Union(vec![s]));
        assert_eq!(deep.validate(), Err(ShapeError::TooDeep));
    }
}
