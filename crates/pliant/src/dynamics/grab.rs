//! Hands: they close around particles, carry them along and let go.

use super::action::{ActionId, PathKey};
use crate::state::{Oriented, Points};
use glam::{Quat, Vec3};

/// Where a hand closes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// Around what is in a ball.
    Ball {
        /// Its centre (m).
        at: Vec3,
        /// Its radius (m).
        radius: f32,
    },
    /// Around what is in a box whose sides are parallel to the axes.
    Box {
        /// Its centre (m).
        at: Vec3,
        /// Half of its size along each axis (m).
        half: Vec3,
    },
}

impl Grip {
    /// Its middle (m).
    pub fn at(&self) -> Vec3 {
        match *self {
            Self::Ball { at, .. } | Self::Box { at, .. } => at,
        }
    }

    /// Whether a place is in its reach; the border is.
    pub fn contains(&self, x: Vec3) -> bool {
        match *self {
            Self::Ball { at, radius } => x.distance_squared(at) <= radius * radius,
            Self::Box { at, half } => (x - at).abs().cmple(half).all(),
        }
    }

    /// Whether it has a place and a size.
    pub(super) fn is_sound(&self) -> bool {
        let size = match *self {
            Self::Ball { radius, .. } => Vec3::splat(radius),
            Self::Box { half, .. } => half,
        };
        self.at().is_finite() && size.is_finite() && size.min_element() > 0.0
    }
}

/// How a hand moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// In straight lines from place to place; times ascend, and it stays at the last place. Without any it stays where it began.
    Path(Vec<PathKey>),
    /// About the line through where it began, evenly from then on.
    Turn {
        /// Direction of the line, of unit length.
        axis: Vec3,
        /// The angle in all (degrees), against the clock for whoever looks against the axis.
        degrees: f32,
        /// When it has turned so far (s).
        until: f64,
    },
}

/// Particles that follow a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grab {
    /// The action that it came from.
    pub action: ActionId,
    /// The particles and where they were when it began.
    pub held: Vec<(u32, Vec3)>,
    /// Those that have a rotation, by their entries among these, and how they were turned.
    pub turned: Vec<(u32, Quat)>,
    /// Where the hand began (m).
    pub from: Vec3,
    /// When it began (s).
    pub start: f64,
    /// How the hand moves.
    pub way: Way,
    /// When it lets go (s).
    pub until: f64,
}

impl Grab {
    /// Grabs the points in a grip; they become kinematic.
    pub fn new(
        points: &mut Points,
        oriented: &mut Oriented,
        action: ActionId,
        grip: &Grip,
        way: Way,
        [start, until]: [f64; 2],
    ) -> Self {
        let inside = (0..points.len()).filter(|&i| grip.contains(points.x[i]));
        let held: Vec<(u32, Vec3)> = inside.map(|i| (i as u32, points.x[i])).collect();
        for &(i, _) in &held {
            points.inv_mass[i as usize] = 0.0;
        }
        let turned: Vec<(u32, Quat)> = held
            .iter()
            .filter_map(|&(point, _)| {
                let i = oriented.of_point(point)?;
                Some((i as u32, points.rotation[point as usize]))
            })
            .collect();
        for &(i, _) in &turned {
            oriented.held[i as usize] = true;
        }
        Self {
            action,
            held,
            turned,
            from: grip.at(),
            start,
            way,
            until,
        }
    }

    /// Puts the predicted positions where the hand is at `time`, and turns what has a rotation.
    pub fn carry(&self, points: &mut Points, oriented: &mut Oriented, time: f64) {
        match &self.way {
            Way::Path(path) => {
                let travel = self.travel(path, time);
                for &(i, from) in &self.held {
                    points.pred[i as usize].set_position(from + travel);
                }
            }
            Way::Turn {
                axis,
                degrees,
                until,
            } => {
                let angle = f64::from(*degrees).to_radians() * share(self.start, *until, time);
                let turn = rotation(*axis, angle);
                for &(i, from) in &self.held {
                    let to = self.from + turn * (from - self.from);
                    points.pred[i as usize].set_position(to);
                }
                for &(i, from) in &self.turned {
                    oriented.turned[i as usize] = turn * from;
                }
            }
        }
    }

    /// How far along a path the hand has gone at `time` (m).
    fn travel(&self, path: &[PathKey], time: f64) -> Vec3 {
        let next = path.partition_point(|key| key.time < time);
        let Some(b) = path.get(next) else {
            let last = path.last();
            return last.map_or(Vec3::ZERO, |key| key.position - self.from);
        };
        let (since, gone) = match next.checked_sub(1) {
            Some(before) => (path[before].time, path[before].position - self.from),
            None => (self.start, Vec3::ZERO),
        };
        gone + (b.position - self.from - gone) * share(since, b.time, time) as f32
    }

    /// Lets go.
    pub fn release(&self, points: &mut Points, oriented: &mut Oriented) {
        for &(i, _) in &self.held {
            points.inv_mass[i as usize] = 1.0 / points.mass[i as usize];
        }
        for &(i, _) in &self.turned {
            oriented.held[i as usize] = false;
        }
    }
}

/// Which share of the time from `since` to `until` is over at `time`; of no time, or of all time, none ever is.
fn share(since: f64, until: f64, time: f64) -> f64 {
    let span = until - since;
    if span > 0.0 && span.is_finite() {
        ((time - since) / span).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The rotation about a unit vector by an angle (rad), the same on every machine.
fn rotation(axis: Vec3, angle: f64) -> Quat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let v = axis * sin as f32;
    Quat::from_xyzw(v.x, v.y, v.z, cos as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A box reaches into its corners, a ball does not; both hold their border.
    #[test]
    fn grips_reach_as_far_as_they_say() {
        let at = Vec3::new(1.0, 2.0, 3.0);
        let ball = Grip::Ball { at, radius: 0.5 };
        let half = Vec3::new(0.5, 0.25, 1.0);
        let cuboid = Grip::Box { at, half };
        assert!(ball.contains(at + Vec3::X * 0.5) && !ball.contains(at + Vec3::splat(0.3)));
        for corner in [half, -half, Vec3::new(0.5, -0.25, 1.0)] {
            assert!(cuboid.contains(at + corner));
            assert!(!cuboid.contains(at + corner * 1.001));
        }
        let outside = [Vec3::X * 0.51, Vec3::Y * -0.26, Vec3::Z * 1.01];
        assert!(outside.iter().all(|&d| !cuboid.contains(at + d)));
    }

    /// A hand that turns by 90° about z from time 1 to 3 has turned (1, 0, 0) by 45° at time 2, and by no more than 90° later.
    #[test]
    fn a_turn_is_even_and_ends() {
        let mut points = Points::default();
        points.push(Vec3::new(3.0, 1.0, 5.0), Vec3::ZERO, 1.0, 0);
        let at = Vec3::new(2.0, 1.0, 5.0);
        let grip = Grip::Ball { at, radius: 2.0 };
        let way = Way::Turn {
            axis: Vec3::Z,
            degrees: 90.0,
            until: 3.0,
        };
        let grab = Grab::new(
            &mut points,
            &mut Oriented::default(),
            ActionId(0),
            &grip,
            way,
            [1.0, 3.0],
        );
        let half = std::f32::consts::FRAC_1_SQRT_2;
        for (time, offset) in [
            (1.0, Vec3::X),
            (2.0, Vec3::new(half, half, 0.0)),
            (3.0, Vec3::Y),
            (9.0, Vec3::Y),
        ] {
            grab.carry(&mut points, &mut Oriented::default(), time);
            let off = points.pred[0].position().distance(at + offset);
            assert!(off < 1e-6, "{off} m off at {time}");
        }
    }

    proptest! {
        /// Whatever a hand turns keeps its distances: to each other, to the line and along it.
        #[test]
        fn a_turn_is_rigid(
            places in prop::array::uniform2(prop::array::uniform3(-1.0_f32..1.0)),
            axis in prop::array::uniform3(-1.0_f32..1.0),
            degrees in -2000.0_f32..2000.0,
            time in 0.0_f64..2.0,
        ) {
            let axis = Vec3::from(axis).normalize_or(Vec3::Y);
            let at = Vec3::new(0.3, -0.2, 0.1);
            let [a, b] = places.map(Vec3::from);
            let mut points = Points::default();
            points.push(a, Vec3::ZERO, 1.0, 0);
            points.push(b, Vec3::ZERO, 1.0, 1);
            let grip = Grip::Ball { at, radius: 9.0 };
            let way = Way::Turn { axis, degrees, until: 2.0 };
            let grab = Grab::new(&mut points, &mut Oriented::default(), ActionId(0), &grip, way, [0.0, 2.0]);
            grab.carry(&mut points, &mut Oriented::default(), time);
            let [p, q] = [0, 1].map(|i| points.pred[i].position());
            prop_assert!((p.distance(q) - a.distance(b)).abs() < 1e-5);
            prop_assert!((p.distance(at) - a.distance(at)).abs() < 1e-5);
            prop_assert!(((p - a).dot(axis)).abs() < 1e-5);
        }
    }
}
