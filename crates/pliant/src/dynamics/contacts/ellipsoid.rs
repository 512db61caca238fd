//! Ellipsoids: how far they reach, and how far two of them are apart.

use crate::math::algebra::{M3, V3};
use crate::math::lanes::{F8, Lane, Wide, dispatch};
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
    // A direction that was known is one of those below, or better.
    if let Some(guess) = guess {
        return climb(a, b, guess, STEPS.1, enough);
    }
    let best = climb(a, b, toward(b.x - a.x), STEPS.0, enough);
    highest((a, b, None, enough), best)
}

/// The best of the way out that was found and those across the thin sides, if two are deep in each other.
pub fn highest((a, b, guess, enough): Question, best: (Vec3, f32)) -> (Vec3, f32) {
    let is_deep = || best.1 <= -0.25 * a.reach(best.0).min(b.reach(best.0));
    if guess.is_some() || best.1 > enough.min(0.0) || !is_deep() {
        return best;
    }
    let way = b.x - a.x;
    let side = |n: Vec3| if n.dot(way) < 0.0 { -n } else { n };
    [side(a.shortest()), side(b.shortest())]
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
    let pair = Climb {
        a: M3::from(a.m),
        b: M3::from(b.m),
        way: V3::from(b.x - a.x),
        start: V3::from(start),
        steps: steps as f32,
        enough,
    };
    let (n, height) = pair.run(steps, |going| going == 0.0);
    (n.into(), height)
}

/// Two ellipsoids, or two in each lane, and what is known of the direction in which they are farthest apart.
struct Climb<T> {
    /// Semi-axes.
    a: M3<T>,
    b: M3<T>,
    /// From centre to centre.
    way: V3<T>,
    start: V3<T>,
    /// Most steps.
    steps: T,
    /// Height at which it ends.
    enough: T,
}

impl<T: Lane> Climb<T> {
    /// The direction that is reached and its height after at most `most` steps; `nobody` tells whether all lanes are zero.
    #[inline(always)]
    fn run(&self, most: usize, nobody: impl Fn(T) -> bool) -> (V3<T>, T) {
        let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(f32::MIN_POSITIVE));
        let way = self.way;
        let mut n = self.start;
        let (mut u, mut lu) = reach(&self.a, n);
        let (mut v, mut lv) = reach(&self.b, n);
        let mut height = n.dot(way) - lu - lv;
        let least = T::splat(1e-3) * (lu + lv);
        let mut step = one / way.dot(way).sqrt().max(least).max(tiny);
        let mut going = one;
        for count in 0..most {
            going = self.enough.select_less(height, zero, going);
            going = T::splat(count as f32).select_less(self.steps, going, zero);
            if nobody(going) {
                break;
            }
            let support = self.a.apply(u.scale(one / lu.max(tiny)))
                + self.b.apply(v.scale(one / lv.max(tiny)));
            let gradient = way - support;
            let slope = gradient - n.scale(n.dot(gradient));
            // At the top there is nothing to gain.
            let gain = slope.dot(slope) * step * step;
            going = gain.select_less(T::splat(CLOSE * CLOSE), zero, going);
            let next = n + slope.scale(step);
            let next = next.scale(one / next.dot(next).sqrt().max(tiny));
            let (nu, nlu) = reach(&self.a, next);
            let (nv, nlv) = reach(&self.b, next);
            let high = next.dot(way) - nlu - nlv;
            let better = height.select_less(high, going, zero);
            n = V3::select_less(zero, better, next, n);
            u = V3::select_less(zero, better, nu, u);
            v = V3::select_less(zero, better, nv, v);
            lu = zero.select_less(better, nlu, lu);
            lv = zero.select_less(better, nlv, lv);
            height = zero.select_less(better, high, height);
            step = step * zero.select_less(better, T::splat(1.5), T::splat(0.5));
        }
        (n, height)
    }
}

/// Mᵀ n and its length: how far an ellipsoid with the semi-axes M reaches along n, and what the place follows from where it does.
#[inline(always)]
fn reach<T: Lane>(m: &M3<T>, n: V3<T>) -> (V3<T>, T) {
    let [x, y, z] = m.cols;
    let u = V3::new(x.dot(n), y.dot(n), z.dot(n));
    (u, u.dot(u).sqrt())
}

/// A question that [`climb_eight`] answers: two ellipsoids, the last known direction between them, if any, and how far apart is enough.
pub type Question<'a> = (&'a Posed, &'a Posed, Option<Vec3>, f32);

dispatch! {
    /// What [`separation`] finds for eight pairs, but for those that may be so deep in each other that there are several peaks.
    pub fn climb_eight(questions: &[Question; 8]) -> [(Vec3, f32); 8] = climb_eight_kernel
}

#[inline(always)]
fn climb_eight_kernel<W: Wide>(questions: &[Question; 8]) -> [(Vec3, f32); 8] {
    let (mut a, mut b) = ([Mat3::IDENTITY; 8], [Mat3::IDENTITY; 8]);
    let (mut way, mut start) = ([Vec3::ZERO; 8], [Vec3::ZERO; 8]);
    let (mut steps, mut enough) = (F8::ZERO, F8::ZERO);
    for (l, &(p, q, guess, most)) in questions.iter().enumerate() {
        (a[l], b[l], way[l]) = (p.m, q.m, q.x - p.x);
        start[l] = guess.unwrap_or_else(|| toward(way[l]));
        let count = if guess.is_some() { STEPS.1 } else { STEPS.0 };
        (steps.0[l], enough.0[l]) = (count as f32, most);
    }
    let climb = Climb::<W> {
        a: M3::pack(&a),
        b: M3::pack(&b),
        way: V3::pack(&way),
        start: V3::pack(&start),
        steps: W::load(&steps),
        enough: W::load(&enough),
    };
    let nobody = |going: W| going.at_most(W::splat(0.0)) == 0xff;
    let (n, height) = climb.run(STEPS.0, nobody);
    let (n, height) = (n.unpack(), height.store());
    let mut out = [(Vec3::ZERO, 0.0); 8];
    for l in 0..8 {
        out[l] = (n[l], height.0[l]);
    }
    out
}

/// The direction of a way; up if it has none. By hand: a square root of glam's is an instruction of SSE, which stalls among those of AVX.
#[inline(always)]
fn toward(way: Vec3) -> Vec3 {
    let inverse = 1.0 / way.dot(way).sqrt();
    if inverse.is_finite() {
        way * inverse
    } else {
        Vec3::Y
    }
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

    /// Eight at once find what one alone does.
    #[test]
    fn eight_are_as_one() {
        let (a, mut b) = pair();
        for k in 0..40 {
            let k = k as f32;
            b.x = Vec3::new(2.5, 1.5, 0.3) * (0.4 + 0.05 * k);
            let near = (&a, &b, None, f32::INFINITY);
            let guess = Vec3::new(1.0, 0.1 * k, 0.3).normalize();
            let known = (&a, &b, Some(guess), 0.1);
            let found = climb_eight(&[near, known, near, known, near, known, near, known]);
            for (pair, question) in found.chunks(2).zip([[near, known]; 4]) {
                for (&(n, s), question) in pair.iter().zip(question) {
                    let (n, s) = highest(question, (n, s));
                    let alone = separation(question.0, question.1, question.2, question.3);
                    assert_eq!((n, s), alone);
                }
            }
        }
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
