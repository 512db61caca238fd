//! How bodies are expected to go until the end of the frame, so that candidates need to be found only once.
//!
//! What moves alike does not come nearer: a tyre turns with its rim, however fast. So a body goes as a whole, a soft one by the mean motion of
//! its particles, and what counts is the motion of two bodies against each other where they are near. What a particle does besides is its own
//! affair: a few that a contact has made fast do not make candidates of the others.

use super::candidates::Scene;
use crate::geometry::bvh::Bvh;
use crate::state::Points;
use crate::visual::VisualBody;
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;

/// How far from where it is expected a body may be before candidates are found anew, in the mean thickness of its primitives.
const SLACK: f32 = 0.25;
/// The same, in the way that it is expected to go, and in what goes besides.
const SWERVE: f32 = 0.02;
const SWAY: f32 = 0.1;
/// Bodies that turn farther than this in the rest of the frame may be turned anyhow (rad).
const TURN: f32 = 1.0;

/// How a body is expected to go.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// A box around all of it on its way (m).
    pub(super) lo: Vec3,
    pub(super) hi: Vec3,
    /// Its centre (m), its velocity (m/s), its spin (rad/s) and what accelerates it (m/s²).
    pub(super) from: Vec3,
    v: Vec3,
    pub(super) spin: Vec3,
    a: Vec3,
    /// Farthest of it from its centre (m).
    pub(super) radius: f32,
    /// How far anything of it may be from where it is expected; of a soft body each primitive has a reach of its own (m).
    pub(super) margin: f32,
    pub(super) is_free: bool,
}

/// Where everything of a body goes in some time: a place p moves by shift + turn (p − from).
#[derive(Clone, Copy, Debug)]
pub(super) struct Going {
    from: Vec3,
    shift: Vec3,
    turn: Mat3,
}

impl Going {
    pub(super) fn of(&self, p: Vec3) -> Vec3 {
        self.shift + self.turn * (p - self.from)
    }

    /// Where a place of then was, if the body carried it.
    fn back(&self, p: Vec3) -> Vec3 {
        let arm = p - self.from - self.shift;
        self.from + arm + self.turn.transpose() * arm
    }
}

/// How a body goes past another, on half of the way and at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    own: [Going; 2],
    other: [Going; 2],
}

impl Passage {
    pub(super) fn new(own: &Way, other: &Way, left: f32) -> Self {
        let [own, other] = [own, other].map(|way| [0.5 * left, left].map(|t| way.going(t)));
        Self { own, other }
    }

    /// How something at `x` goes in the axes that turn with the other body.
    pub(super) fn course(&self, x: Vec3) -> Course {
        let [half, end] = [0, 1].map(|k| self.other[k].back(x + self.own[k].of(x)));
        Course {
            at: [x, half, end],
            bend: (x - 2.0 * half + end).length() / 8.0,
        }
    }
}

/// How something of a body goes as another body sees it: from where it is now, on half of the way and at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// The three places, where the other body is now (m).
    pub(super) at: [Vec3; 3],
    /// How far the way is from straight lines between them (m).
    pub(super) bend: f32,
}

impl Course {
    /// The same, seen from other axes.
    pub(super) fn seen(&self, own: impl Fn(Vec3) -> Vec3) -> Self {
        let at = self.at.map(own);
        Self { at, ..*self }
    }

    /// A box around something at its beginning, drawn along all of it.
    pub(super) fn sweep(&self, (lo, hi): (Vec3, Vec3)) -> (Vec3, Vec3) {
        let [from, half, end] = self.at;
        let (half, end) = (half - from, end - from);
        let (least, most) = (half.min(end).min(Vec3::ZERO), half.max(end).max(Vec3::ZERO));
        (lo + least - self.bend, hi + most + self.bend)
    }

    /// Whether it comes as near to a place as this.
    pub(super) fn passes(&self, p: Vec3, reach: f32) -> bool {
        let [from, half, end] = self.at;
        let reach = reach + self.bend;
        let near = |a: Vec3, b: Vec3| {
            let way = b - a;
            let s = (p - a).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
            p.distance_squared(a + way * s.clamp(0.0, 1.0)) < reach * reach
        };
        near(from, half) || near(half, end)
    }
}

impl Way {
    /// How it goes in `t` seconds.
    pub(super) fn going(&self, t: f32) -> Going {
        Going {
            from: self.from,
            shift: self.v * t + self.a * (0.5 * t * t),
            turn: Mat3::from_quat(Quat::from_scaled_axis(self.spin * t)) - Mat3::IDENTITY,
        }
    }

    /// How far anything of the two in a box goes towards the other, in `left` seconds.
    pub(super) fn nearing(&self, other: &Self, (lo, hi): (Vec3, Vec3), left: f32) -> f32 {
        // Ways are linear in the place, so the longest is that of a corner.
        let relative = |t: f32| {
            let (a, b) = (self.going(t), other.going(t));
            let ways = corners(lo, hi).map(|p| (a.of(p) - b.of(p)).length());
            ways.into_iter().fold(0.0, f32::max)
        };
        relative(0.5 * left).max(relative(left)) + self.margin + other.margin
    }

    /// The same for something small at `x` that is expected to fly on with a velocity of its own (m/s).
    pub(super) fn nearing_at(&self, (x, radius): (Vec3, f32), v: Vec3, left: f32) -> f32 {
        let relative = (self.going(left).of(x) - v * left).length();
        let turn = (self.spin.length() * left) * (radius + relative);
        (1.0 + SWAY) * (relative + turn) + self.margin
    }

    /// How far anything of it goes.
    pub(super) fn reach(&self, left: f32) -> f32 {
        let going = self.going(left);
        let ways = corners(self.lo, self.hi).map(|p| going.of(p).length());
        ways.into_iter()
            .fold(self.margin, |most, way| most.max(way + self.margin))
    }

    /// The way of a body in the `left` seconds that the frame has after `since`; of a soft one, where its primitives may be.
    pub(super) fn find(
        scene: &Scene,
        (at, visual): (usize, &VisualBody),
        (left, since): (f32, f32),
        reach: &mut Reach,
    ) -> Self {
        let mut way = Self::default();
        (way.lo, way.hi) = visual.bounds();
        if let Some(rigid) = &visual.rigid {
            way.radius = visual.radius;
            (way.from, way.v, way.spin) = (rigid.x, rigid.v, rigid.spin);
            way.is_free = rigid.inv_mass > 0.0;
            if !way.is_free {
                return way;
            }
        } else {
            way.radius = 0.5 * (way.hi - way.lo).length();
            way.is_free = true;
            let own = scene.bodies[at].points.clone();
            (way.from, way.v, way.spin) = whole_motion(scene.points, own);
        }
        way.a = scene.gravity;
        let turn = way.spin.length() * left;
        let mut margin = if turn > TURN {
            way.spin = Vec3::ZERO;
            turn.min(2.0) * way.radius
        } else {
            // Between two looks it goes along an arc.
            way.radius * turn * turn / 32.0
        };
        let gone = way.v.length() * left + turn.min(2.0) * way.radius;
        let fall = 0.5 * scene.gravity.length() * left * left;
        margin += SLACK * visual.thickness + SWERVE * gone + SWAY * margin + fall;
        if visual.is_soft() {
            (way.lo, way.hi) = reach.find(scene, (at, visual), (&way, margin), (left, since));
        } else {
            way.margin = margin;
        }
        let (lo, hi) = (way.lo, way.hi);
        for going in [0.5 * left, left].map(|t| way.going(t)) {
            for p in corners(lo, hi) {
                let p = p + going.of(p);
                (way.lo, way.hi) = (way.lo.min(p), way.hi.max(p));
            }
        }
        way.lo -= way.margin;
        way.hi += way.margin;
        way
    }
}

/// Where the primitives of a soft body may be, but for the way of the whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Where each was when candidates were found (m).
    pub(super) from: Vec<Vec3>,
    /// How far from where it is expected each may be (m).
    pub(super) strays: Vec<f32>,
    /// A box around each, with what it may stray.
    pub(super) boxes: Vec<(Vec3, Vec3)>,
    /// A tree of the boxes.
    pub(super) tree: Bvh,
}

impl Reach {
    /// Finds it, and returns a box around all.
    fn find(
        &mut self,
        scene: &Scene,
        (at, visual): (usize, &VisualBody),
        (way, margin): (&Way, f32),
        (left, since): (f32, f32),
    ) -> (Vec3, Vec3) {
        let (points, oriented) = (scene.points, scene.oriented);
        let body = &scene.bodies[at];
        self.from.clear();
        self.from.extend_from_slice(&points.x[body.points.clone()]);
        self.strays.clear();
        self.boxes.clear();
        let particles = body.points.clone().zip(body.oriented.clone());
        for ((i, o), own) in particles.zip(&visual.bounds_of) {
            let (x, spin) = (points.x[i], oriented.spin[o]);
            let aside = points.v[i] - way.v - way.spin.cross(x - way.from);
            let turn = (spin - way.spin).length() * own.radius;
            let stray = (1.0 + SWAY) * (aside.length() + turn) * left + margin;
            self.strays.push(stray);
            // Primitives were placed when the frame began.
            let grow = stray + (spin.length() * since).min(2.0) * own.radius;
            self.boxes.push((x + own.lo - grow, x + own.hi + grow));
        }
        self.tree.clone_from(&visual.tree);
        self.tree.refit(&self.boxes);
        match self.tree.nodes.first() {
            Some(root) => (root.lo, root.hi),
            None => (way.lo, way.hi),
        }
    }
}

/// Centre, velocity and spin of points that are taken for one body.
fn whole_motion(points: &Points, own: Range<usize>) -> (Vec3, Vec3, Vec3) {
    let count = own.len().max(1) as f32;
    let mean = |of: &[Vec3]| of.iter().sum::<Vec3>() / count;
    let (x, v) = (mean(&points.x[own.clone()]), mean(&points.v[own.clone()]));
    let (mut momentum, mut second) = (Vec3::ZERO, Mat3::ZERO);
    for i in own {
        let arm = points.x[i] - x;
        momentum += arm.cross(points.v[i] - v);
        second += Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - second;
    let spin = inertia.inverse() * momentum;
    // A line and a lone point have no spin that could be told.
    let is_told = spin.is_finite() && inertia.determinant() > 1e-9 * trace * trace * trace;
    (x, v, if is_told { spin } else { Vec3::ZERO })
}

fn corners(lo: Vec3, hi: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|k| {
        let upper = [k & 1 == 1, k & 2 == 2, k & 4 == 4];
        Vec3::select(upper.into(), hi, lo)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Past a body that falls and turns as it does, something does not go at all; past one that rests it draws a swath, not a ball.
    #[test]
    fn courses() {
        let left = 1.0 / 60.0;
        let way = |v: Vec3, spin: Vec3| Way {
            v,
            spin,
            a: Vec3::NEG_Y * 9.81,
            from: Vec3::new(0.0, 1.0, 0.0),
            ..Way::default()
        };
        let tumbles = way(Vec3::X * 12.0, Vec3::new(3.0, -7.0, 20.0));
        let x = Vec3::new(0.2, 1.1, -0.3);
        let alike = Passage::new(&tumbles, &tumbles, left).course(x);
        assert!(alike.at.iter().all(|p| p.distance(x) < 1e-6) && alike.bend < 1e-6);
        let flies = way(Vec3::X * 12.0, Vec3::ZERO);
        let course = Passage::new(&flies, &Way::default(), left).course(x);
        let (along, aside) = (x + Vec3::X * 0.1, x + Vec3::Z * 0.1);
        assert!(course.passes(along, 0.01) && !course.passes(aside, 0.05));
        assert!(!course.passes(x - Vec3::X * 0.1, 0.05));
        let (lo, hi) = course.sweep((x - 0.01, x + 0.01));
        assert!(hi.x > x.x + 0.2 && lo.x > x.x - 0.02 && hi.z < x.z + 0.02);
        // Where it is in the other's axes at the end of the way, exactly.
        let (half, end) = (tumbles.going(0.5 * left), tumbles.going(left));
        let seen = Passage::new(&flies, &tumbles, left).course(x);
        for (going, p, t) in [(half, seen.at[1], 0.5 * left), (end, seen.at[2], left)] {
            assert!((p + going.of(p)).distance(x + flies.going(t).of(x)) < 1e-5);
        }
    }

    /// Two that turn together about one axis do not come nearer, though each goes far; one that rests is neared by the rim's way.
    #[test]
    fn what_turns_together_stays_apart() {
        let tyre = Way {
            v: Vec3::X * 5.0,
            spin: Vec3::Z * -10.0,
            from: Vec3::new(0.3, 0.5, 0.0),
            is_free: true,
            ..Way::default()
        };
        let road = Way::default();
        let around = (Vec3::new(-0.2, 0.0, -0.1), Vec3::new(0.8, 1.0, 0.1));
        let left = 1.0 / 60.0;
        assert!(tyre.nearing(&tyre, around, left) < 1e-6);
        // The corner that goes farthest: 5 m/s ahead, and 10 rad/s at the end of √(0.5² + 0.5²).
        let farthest = Vec3::new(5.0 + 5.0, 5.0, 0.0).length() * left;
        let near = tyre.nearing(&road, around, left);
        assert!(
            (near - farthest).abs() < 0.1 * farthest,
            "{near} {farthest}"
        );
        // Rolling: where it touches the road it hardly moves.
        let foot = (Vec3::new(0.29, 0.0, -0.1), Vec3::new(0.31, 0.01, 0.1));
        assert!(tyre.nearing(&road, foot, left) < 0.01);
    }

    /// The mean motion of points of a rigid body is its motion; that of a line or a point has no spin.
    #[test]
    fn mean_motion() {
        let (v, spin) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 4.0, -1.0));
        let mut points = Points::default();
        for p in corners(Vec3::splat(-1.0), Vec3::new(2.0, 1.0, 0.5)) {
            points.push(p, v + spin.cross(p - Vec3::new(0.5, 0.0, -0.25)), 1.0, 0);
        }
        let (x, mean, turn) = whole_motion(&points, 0..8);
        assert!(x.distance(Vec3::new(0.5, 0.0, -0.25)) < 1e-6);
        assert!(
            mean.distance(v) < 1e-5 && turn.distance(spin) < 1e-4,
            "{mean} {turn}"
        );
        assert_eq!(whole_motion(&points, 0..1).2, Vec3::ZERO);
        assert_eq!(whole_motion(&points, 0..2).2, Vec3::ZERO);
    }
}
