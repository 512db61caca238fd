//! Ellipsoids: support points, and how deep they are in planes, triangles and each other.

use super::pose::Pose;
use glam::{DMat3, DVec3};

/// Steps of ascent from each start: enough for f64, where a few would do for a picture.
pub const ASCENT_STEPS: usize = 400;

/// Step lengths below this, over that of the first step, end an ascent.
const SHORTEST_STEP: f64 = 1e-9;

/// Tangential gradients below this, over the distance of the centres, end an ascent.
const FLAT: f64 = 1e-12;

/// An ellipsoid in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Centre.
    pub x: DVec3,
    /// Axes, as columns.
    pub axes: DMat3,
    /// Half axes, in m.
    pub radii: DVec3,
    /// Σ = R diag(a², b², c²) Rᵀ.
    pub shape: DMat3,
}

/// Where two shapes touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Direction in which the first one leaves the other.
    pub normal: DVec3,
    /// How far it has to go, in m; negative for shapes that are apart.
    pub depth: f64,
    /// Deepest point of the first one.
    pub point: DVec3,
    /// Deepest point of the other one.
    pub other: DVec3,
}

impl Ellipsoid {
    /// An ellipsoid at a pose.
    pub fn new(pose: &Pose, radii: DVec3) -> Self {
        let axes = DMat3::from_quat(pose.q);
        Self {
            x: pose.x,
            axes,
            radii,
            shape: axes * DMat3::from_diagonal(radii * radii) * axes.transpose(),
        }
    }

    /// h(n) = √(nᵀ Σ n): how far it reaches along the unit vector n, in m.
    pub fn reach(&self, n: DVec3) -> f64 {
        n.dot(self.shape * n).max(0.0).sqrt()
    }

    /// p(n) = x + Σ n / h(n): its farthest point along n.
    pub fn support(&self, n: DVec3) -> DVec3 {
        self.x + self.shape * n / self.reach(n)
    }

    /// The axis of the smallest radius.
    pub fn shortest_axis(&self) -> DVec3 {
        self.axes.col(self.radii.min_position())
    }

    /// Against the half-space n·x < offset.
    pub fn touch_plane(&self, n: DVec3, offset: f64) -> Touch {
        let depth = self.reach(n) - (n.dot(self.x) - offset);
        let point = self.support(-n);
        Touch {
            normal: n,
            depth,
            point,
            other: point + n * depth,
        }
    }

    /// Against a triangle, from the side on which the centre is; `None` if they do not overlap.
    ///
    /// In the space where the ellipsoid is the unit sphere the nearest point y of the triangle tells whether it is hit, and the
    /// tangent plane there is a plane in the world: M⁻ᵀ takes its normal back.
    pub fn touch_triangle(&self, corners: [DVec3; 3]) -> Option<Touch> {
        let to_world = self.axes * DMat3::from_diagonal(self.radii);
        let to_ball = DMat3::from_diagonal(self.radii.recip()) * self.axes.transpose();
        let [a, b, c] = corners.map(|p| to_ball * (p - self.x));
        let y = nearest_on_triangle(a, b, c);
        if y.length() >= 1.0 {
            return None;
        }
        let nearest = self.x + to_world * y;
        let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        // A centre on the triangle has no side: the triangle's own normal decides.
        let away = if y.length() > 1e-9 {
            to_ball.transpose() * -y
        } else {
            flat
        };
        let n = away.try_normalize()?;
        Some(self.touch_plane(n, n.dot(nearest)))
    }

    /// s(n) = n·(x₂ − x₁) − h₁(n) − h₂(n): the gap between the two along n.
    pub fn gap(&self, other: &Ellipsoid, n: DVec3) -> f64 {
        n.dot(other.x - self.x) - self.reach(n) - other.reach(n)
    }

    /// Climbs s(n) from the unit vector `n` in at most `steps` steps along its gradient p₂(−n) − p₁(n).
    pub fn ascend(&self, other: &Ellipsoid, mut n: DVec3, steps: usize) -> DVec3 {
        let distance = self.x.distance(other.x);
        let scale = distance.max(self.radii.min_element() + other.radii.min_element());
        let mut gap = self.gap(other, n);
        let mut length = scale.recip();
        for _ in 0..steps {
            let gradient = other.support(-n) - self.support(n);
            let along = gradient - n * n.dot(gradient);
            if along.length() < FLAT * scale {
                break;
            }
            let step = |length: f64| (n + along * length).normalize();
            while self.gap(other, step(length)) < gap && length * scale > SHORTEST_STEP {
                length *= 0.5;
            }
            let next = step(length);
            let next_gap = self.gap(other, next);
            if next_gap < gap {
                break;
            }
            (n, gap) = (next, next_gap);
        }
        n
    }

    /// Against another ellipsoid: the largest s(n), where −s is the depth.
    ///
    /// Deep in each other there are several maxima, so it looks from the line of the centres and from the shortest axes of both.
    pub fn touch(&self, other: &Ellipsoid) -> Touch {
        let between = other.x - self.x;
        let mut best: Option<(f64, DVec3)> = None;
        let short = [self.shortest_axis(), other.shortest_axis()];
        let starts = [between, short[0], -short[0], short[1], -short[1]];
        for start in starts.into_iter().filter_map(DVec3::try_normalize) {
            let n = self.ascend(other, start, ASCENT_STEPS);
            let gap = self.gap(other, n);
            if best.is_none_or(|(most, _)| gap > most) {
                best = Some((gap, n));
            }
        }
        let (gap, n) = best.unwrap_or((self.gap(other, DVec3::X), DVec3::X));
        Touch {
            normal: -n,
            depth: -gap,
            point: self.support(n),
            other: other.support(-n),
        }
    }

    /// Whether the spheres around both overlap.
    pub fn may_touch(&self, other: &Ellipsoid) -> bool {
        let reach = self.radii.max_element() + other.radii.max_element();
        self.x.distance_squared(other.x) < reach * reach
    }
}

/// The point of a triangle that is nearest to the origin: on its face if the origin lies above it, else on an edge.
pub fn nearest_on_triangle(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let inside = |p: DVec3, q: DVec3| (q - p).cross(-p).dot(normal) >= 0.0;
    if normal.length_squared() > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return normal * (normal.dot(a) / normal.length_squared());
    }
    let edges = [(a, b), (b, c), (c, a)].map(|(p, q)| nearest_on_segment(p, q));
    let nearer = |m: DVec3, p: DVec3| {
        if p.length_squared() < m.length_squared() {
            p
        } else {
            m
        }
    };
    nearer(nearer(edges[0], edges[1]), edges[2])
}

/// The point of a segment that is nearest to the origin.
fn nearest_on_segment(p: DVec3, q: DVec3) -> DVec3 {
    let along = q - p;
    let square = along.length_squared();
    if square == 0.0 {
        return p;
    }
    p + along * (-p.dot(along) / square).clamp(0.0, 1.0)
}
