//! Ellipsoids: how far they reach, and how far two of them are apart.

use glam::{Mat3, Quat, Vec3};

/// An ellipsoid in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posed {
    /// Its centre (m).
    pub x: Vec3,
    /// Its semi-axes as columns (m): what makes it of the unit ball.
    pub m: Mat3,
}

impl Posed {
    /// An ellipsoid with its axes and semi-axes.
    pub fn new(x: Vec3, axes: Quat, radii: Vec3) -> Self {
        Self::along(x, Mat3::from_quat(axes), radii)
    }

    /// An ellipsoid with the directions of its axes and semi-axes.
    pub fn along(x: Vec3, axes: Mat3, radii: Vec3) -> Self {
        let m = Mat3::from_cols(
            axes.x_axis * radii.x,
            axes.y_axis * radii.y,
            axes.z_axis * radii.z,
        );
        Self { x, m }
    }

    /// A ball.
    pub fn ball(x: Vec3, radius: f32) -> Self {
        let m = Mat3::from_diagonal(Vec3::splat(radius));
        Self { x, m }
    }

    /// How far it reaches from its centre in direction `n`, of unit length (m).
    #[inline]
    pub fn reach(&self, n: Vec3) -> f32 {
        (self.m.transpose() * n).length()
    }

    /// From the centre to the place that is farthest in direction `n`.
    #[inline]
    pub fn arm(&self, n: Vec3) -> Vec3 {
        let local = self.m.transpose() * n;
        self.m * (local / local.length().max(f32::MIN_POSITIVE))
    }

    /// Half of the box around it.
    pub fn half_box(&self) -> Vec3 {
        let square = |v: Vec3| v * v;
        let [x, y, z] = [self.m.x_axis, self.m.y_axis, self.m.z_axis].map(square);
        let sum = x + y + z;
        Vec3::new(sum.x.sqrt(), sum.y.sqrt(), sum.z.sqrt())
    }

    /// How far anything of it moves on the way to `other`, at most (m): its reach changes in no direction by more than its axes do.
    pub fn most_between(&self, other: &Self) -> f32 {
        let change = other.m - self.m;
        let axes = [change.x_axis, change.y_axis, change.z_axis];
        let square: f32 = axes.map(Vec3::length_squared).iter().sum();
        self.x.distance(other.x) + square.sqrt()
    }

    /// Direction of its shortest axis.
    fn shortest(&self) -> Vec3 {
        let axes = [self.m.x_axis, self.m.y_axis, self.m.z_axis];
        let shorter = |a: Vec3, b: Vec3| {
            if b.length_squared() < a.length_squared() {
                b
            } else {
                a
            }
        };
        axes.into_iter()
            .fold(axes[0], shorter)
            .normalize_or(Vec3::Y)
    }
}

/// Steps of the search for the direction in which two ellipsoids are farthest apart, from afar and from the last one.
const STEPS: (usize, usize) = (12, 3);

/// Steps shorter than this are none (rad).
const CLOSE: f32 = 2e-3;

/// The direction from `a` to `b`, of unit length, along which the two are farthest apart, and how far (m): below 0 they overlap, by as
/// much as they have to be moved along it. The search starts at `guess`, or at the direction from centre to centre, and ends as soon as they
/// are known to be farther apart than `enough`.
///
/// s(n) = n·(x_b − x_a) − h_a(n) − h_b(n) is to be largest on the sphere; its gradient joins the two supporting places. Where the two are
/// deep in each other s has several peaks, and the way out may be across the thin side of one: those are tried, too.
pub fn separation(a: &Posed, b: &Posed, guess: Option<Vec3>, enough: f32) -> (Vec3, f32) {
    let way = b.x - a.x;
    let toward = way.normalize_or(Vec3::Y);
    // A direction that was known is one of those below, or better.
    if let Some(guess) = guess {
        return climb(a, b, guess, STEPS.1, enough);
    }
    let best = climb(a, b, toward, STEPS.0, enough);
    let is_deep = best.1 <= -0.25 * a.reach(best.0).min(b.reach(best.0));
    if best.1 > enough || !is_deep {
        return best;
    }
    let side = |n: Vec3| if n.dot(way) < 0.0 { -n } else { n };
    [toward, side(a.shortest()), side(b.shortest())]
        .into_iter()
        .map(|n| climb(a, b, n, STEPS.0, enough))
        .fold(
            best,
            |best, other| if other.1 > best.1 { other } else { best },
        )
}

/// The same for two that have moved a little since `n` was found.
pub fn refine(a: &Posed, b: &Posed, n: Vec3) -> (Vec3, f32) {
    climb(a, b, n, STEPS.1, 0.0)
}

/// Climbs from a direction to the nearest peak of s, until it is higher than `enough`.
fn climb(a: &Posed, b: &Posed, start: Vec3, steps: usize, enough: f32) -> (Vec3, f32) {
    let way = b.x - a.x;
    // How far the two reach: what s and the supporting places follow from.
    let reaches = |n: Vec3| {
        let (u, v) = (a.m.transpose() * n, b.m.transpose() * n);
        (u, v, u.length(), v.length())
    };
    let mut n = start;
    let (mut u, mut v, mut lu, mut lv) = reaches(n);
    let mut height = n.dot(way) - lu - lv;
    let mut step = 1.0 / way.length().max(1e-3 * (lu + lv));
    for _ in 0..steps {
        if height > enough {
            break;
        }
        let [per_u, per_v] = [lu, lv].map(|l| 1.0 / l.max(f32::MIN_POSITIVE));
        let gradient = way - a.m * (u * per_u) - b.m * (v * per_v);
        let slope = gradient - n * n.dot(gradient);
        // At the top there is nothing to gain.
        if slope.length_squared() * step * step < CLOSE * CLOSE {
            break;
        }
        let next = (n + slope * step).normalize_or(n);
        let reached = reaches(next);
        let high = next.dot(way) - reached.2 - reached.3;
        if high > height {
            (n, height) = (next, high);
            (u, v, lu, lv) = reached;
            step *= 1.5;
        } else {
            step *= 0.5;
        }
    }
    (n, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Posed, Posed) {
        let turn = Quat::from_rotation_z(30f32.to_radians());
        let a = Posed::new(Vec3::ZERO, turn, Vec3::new(2.0, 1.0, 0.5));
        let b = Posed::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 1.5, 0.5));
        (a, b)
    }

    /// How far a turned ellipsoid reaches upwards, and where.
    #[test]
    fn reach_worked_numbers() {
        let (a, _) = pair();
        assert!((a.reach(Vec3::Y) - 1.322876).abs() < 1e-6);
        let arm = a.arm(Vec3::Y);
        assert!(arm.distance(Vec3::new(0.981981, 1.322876, 0.0)) < 1e-6);
    }

    /// Two pairs that overlap, a little and deeply.
    #[test]
    fn separation_worked_numbers() {
        let (a, mut b) = pair();
        b.x = Vec3::new(2.5, 1.5, 0.3);
        let (n, s) = separation(&a, &b, None, f32::INFINITY);
        // The search ends a little before the peak of −0.0413.
        assert!((-0.0428..=-0.0412).contains(&s), "{s} along {n}");
        let again = separation(&a, &b, Some(n), f32::INFINITY);
        assert!(again.1 >= s && again.1 < -0.0412);
        b.x = Vec3::new(1.5, 0.9, 0.1);
        let (n, s) = separation(&a, &b, None, f32::INFINITY);
        assert!((s + 0.71869).abs() < 2e-3, "{s} along {n}");
        assert!(n.distance(Vec3::new(0.230, 0.077, 0.970)) < 0.05, "{n}");
    }

    /// Balls are as far apart as their centres less their radii, in any place.
    #[test]
    fn balls_are_simple() {
        let a = Posed::ball(Vec3::new(1.0, 2.0, 3.0), 0.5);
        for way in [Vec3::X * 2.0, Vec3::new(0.1, -0.2, 0.3), Vec3::ZERO] {
            let b = Posed::ball(a.x + way, 0.25);
            let (n, s) = separation(&a, &b, None, f32::INFINITY);
            assert!((s - (way.length() - 0.75)).abs() < 1e-5, "{way}: {s}");
            assert!((n.length() - 1.0).abs() < 1e-5);
        }
    }
}
