//! The sides of contacts: copies of the movers that touch something, sorted into slabs that can be solved at the same time.
//!
//! Contacts are solved one after the other. Those within a slab of space and those within another share no mover, so slabs go in
//! parallel; contacts across a border come after them. The slabs depend on the places of the movers alone, not on the threads.

use super::ellipsoid::Posed;
use super::ellipsoids::Movers;
use super::nearby::Other;
use crate::dynamics::turns::turn_of;
use crate::state::{Oriented, Points, Rigids};
use glam::{Mat3, Quat, Vec3};
use std::ops::Range;

/// Sides in a slab, and most slabs.
const SLAB: (usize, usize) = (96, 8);

/// No place.
const NONE: u32 = u32::MAX;

/// A mover, and its radius if it is a ball (m).
pub type Mover = (Other, f32);

/// One side of contacts.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its ellipsoid, where it is now.
    pub shape: Posed,
    /// Where its centre was when the substep began (m).
    start: Vec3,
    /// How it has turned since then (rad).
    turned: Vec3,
    /// Inverse of its mass (1/kg).
    pub inv_mass: f32,
    /// Directions of its axes, and inverses of its moments of inertia about them.
    axes: Mat3,
    inv_inertia: Vec3,
    radii: Vec3,
    /// Its rotation since rest, and its axes then.
    rotation: Quat,
    rest_axes: Quat,
    is_pushed: bool,
}

impl Side {
    /// A mover as it is predicted; `turns` tells whether pushes turn it.
    fn new(movers: &Movers, (who, radius): Mover, turns: bool) -> Self {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        match who {
            Other::Oriented(i) => Self::oriented(points, oriented, i as usize, turns),
            Other::Point(i) => Self::point(movers, i as usize, radius),
            Other::Sphere(s) => Self::sphere(movers.rigids, s as usize),
        }
    }

    /// An oriented particle.
    pub fn oriented(points: &Points, oriented: &Oriented, i: usize, turns: bool) -> Self {
        let point = oriented.point[i] as usize;
        let x = points.pred[point].position();
        let (rotation, rest_axes) = (oriented.turned[i], oriented.axes[i]);
        let axes = Mat3::from_quat(rotation * rest_axes);
        let radii = oriented.radii[i];
        Self {
            shape: Posed::along(x, axes, radii),
            start: points.x[point],
            turned: turn_of(rotation * points.rotation[point].conjugate()),
            inv_mass: points.inv_mass[point],
            axes,
            inv_inertia: if turns {
                oriented.inv_inertia(i, points.mass[point])
            } else {
                Vec3::ZERO
            },
            radii,
            rotation,
            rest_axes,
            is_pushed: false,
        }
    }

    fn point(movers: &Movers, i: usize, radius: f32) -> Self {
        let (points, inset) = (&*movers.points, movers.layer.ball(i).inset);
        let [x, start] = [points.pred[i].position(), points.x[i]].map(|x| x + inset);
        Self::ball(x, start, radius, points.inv_mass[i])
    }

    fn sphere(rigids: &Rigids, s: usize) -> Self {
        let (pred, x) = (rigids.pred[s], rigids.x[s]);
        Self {
            turned: rigids.turn[s],
            inv_inertia: Vec3::splat(rigids.inv_inertia(s)),
            ..Self::ball(pred, x, rigids.radius[s], 1.0 / rigids.mass[s])
        }
    }

    /// A ball that does not turn.
    fn ball(x: Vec3, start: Vec3, radius: f32, inv_mass: f32) -> Self {
        Self {
            shape: Posed::ball(x, radius),
            start,
            turned: Vec3::ZERO,
            inv_mass,
            axes: Mat3::IDENTITY,
            inv_inertia: Vec3::ZERO,
            radii: Vec3::splat(radius),
            rotation: Quat::IDENTITY,
            rest_axes: Quat::IDENTITY,
            is_pushed: false,
        }
    }

    /// I⁻¹ v.
    pub fn turn_by(&self, v: Vec3) -> Vec3 {
        self.axes * (self.inv_inertia * (self.axes.transpose() * v))
    }

    /// How much the end of `arm` gives way along `n` to a unit push.
    pub fn give(&self, arm: Vec3, n: Vec3) -> f32 {
        let lever = self.axes.transpose() * arm.cross(n);
        self.inv_mass + (lever * lever).dot(self.inv_inertia)
    }

    /// How far the end of `arm` has gone in this substep (m).
    pub fn slip(&self, arm: Vec3) -> Vec3 {
        self.shape.x - self.start + self.turned.cross(arm)
    }

    /// Pushes it at the end of `arm`.
    pub fn push(&mut self, arm: Vec3, push: Vec3) {
        self.is_pushed = true;
        self.shape.x += push * self.inv_mass;
        if self.inv_inertia == Vec3::ZERO {
            return;
        }
        let turn = self.turn_by(arm.cross(push));
        self.turned += turn;
        let by = Quat::from_xyzw(0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 0.0) * self.rotation;
        self.rotation = (self.rotation + by).normalize();
        self.axes = Mat3::from_quat(self.rotation * self.rest_axes);
        self.shape = Posed::along(self.shape.x, self.axes, self.radii);
    }

    /// Writes back what pushes did.
    fn store(&self, movers: &mut Movers, who: Other) {
        if !self.is_pushed {
            return;
        }
        match who {
            Other::Oriented(i) => {
                let i = i as usize;
                let point = movers.oriented.point[i] as usize;
                movers.points.pred[point].set_position(self.shape.x);
                movers.oriented.turned[i] = self.rotation;
                movers.oriented.past[i].unsettle();
            }
            Other::Point(i) => {
                let x = self.shape.x - movers.layer.ball(i as usize).inset;
                movers.points.pred[i as usize].set_position(x);
            }
            Other::Sphere(s) => {
                let s = s as usize;
                movers
                    .rigids
                    .push_by(s, self.shape.x - movers.rigids.pred[s]);
                movers.rigids.turn[s] = self.turned;
            }
        }
    }
}

/// Where a side is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a slab, counted from the first side of all.
    Slab(u32),
    /// Among those that nothing moves.
    Fixed(u32),
}

/// All sides of a substep.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Whose they are: of those that move, slab after slab, and of those that do not.
    pub movers: Vec<Mover>,
    fixed_movers: Vec<Mover>,
    /// The sides of one slab after the other.
    pub slabs: Vec<Range<usize>>,
    /// The copies.
    pub sides: Vec<Side>,
    /// The copies of those that do not move.
    pub fixed: Vec<Side>,
    /// Place of each oriented particle, point and projectile, as a number; only entries of the movers here count.
    place: [Vec<u32>; 3],
}

impl Sides {
    /// Plans the sides of movers, which may be named more than once.
    pub fn plan(&mut self, movers: &Movers, named: impl Iterator<Item = Mover>) {
        let lengths = [
            movers.oriented.len(),
            movers.points.len(),
            movers.rigids.len(),
        ];
        for (place, length) in self.place.iter_mut().zip(lengths) {
            place.clear();
            place.resize(length, NONE);
        }
        self.movers.clear();
        self.fixed_movers.clear();
        for mover in named {
            let (kind, i) = index(mover.0);
            if self.place[kind][i] == NONE {
                let list = if is_fixed(movers, mover.0) {
                    &mut self.fixed_movers
                } else {
                    &mut self.movers
                };
                self.place[kind][i] = list.len() as u32;
                list.push(mover);
            }
        }
        self.cut(movers);
        for (at, &(who, _)) in self.movers.iter().enumerate() {
            let (kind, i) = index(who);
            self.place[kind][i] = at as u32;
        }
        let fixed = self.fixed_movers.iter();
        self.fixed.clear();
        self.fixed
            .extend(fixed.map(|&mover| Side::new(movers, mover, false)));
        // Loaded anew before each use.
        self.sides.clear();
        let blank = Side::ball(Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
        self.sides.resize(self.movers.len(), blank);
    }

    /// Cuts the movers into slabs of equal numbers across the longest side of their box.
    fn cut(&mut self, movers: &Movers) {
        let x = |who: Other| match who {
            Other::Oriented(i) => movers.points.x[movers.oriented.point[i as usize] as usize],
            Other::Point(i) => movers.points.x[i as usize],
            Other::Sphere(s) => movers.rigids.x[s as usize],
        };
        let places = self.movers.iter().map(|&(who, _)| x(who));
        let (lo, hi) = places.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), x| (lo.min(x), hi.max(x)));
        let axis = (hi - lo).max_position();
        let along = self.movers.iter().map(|&mover| (x(mover.0)[axis], mover));
        let mut along: Vec<(f32, Mover)> = along.collect();
        let slabs = (along.len() / SLAB.0).clamp(1, SLAB.1).next_power_of_two();
        self.slabs.clear();
        halve(&mut along, 0, slabs, &mut self.slabs);
        self.movers.clear();
        self.movers.extend(along.iter().map(|(_, mover)| mover));
    }

    /// Where the side of a mover is.
    pub fn place(&self, movers: &Movers, who: Other) -> Place {
        let (kind, i) = index(who);
        if is_fixed(movers, who) {
            Place::Fixed(self.place[kind][i])
        } else {
            Place::Slab(self.place[kind][i])
        }
    }

    /// The slab of a side.
    pub fn slab(&self, at: u32) -> usize {
        self.slabs.partition_point(|slab| slab.end <= at as usize)
    }

    /// Writes back what pushes did.
    pub fn store(&self, movers: &mut Movers) {
        for (side, &(who, _)) in self.sides.iter().zip(&self.movers) {
            side.store(movers, who);
        }
    }
}

/// Cuts movers, which come with their places along an axis, into `parts` ranges that begin at `first`, a power of two.
fn halve(movers: &mut [(f32, Mover)], first: usize, parts: usize, ranges: &mut Vec<Range<usize>>) {
    if parts == 1 {
        ranges.push(first..first + movers.len());
        return;
    }
    let middle = movers.len() / 2;
    movers.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.0.cmp(&b.1.0)));
    let (low, high) = movers.split_at_mut(middle);
    halve(low, first, parts / 2, ranges);
    halve(high, first + middle, parts / 2, ranges);
}

/// Copies movers as they are predicted; `turns` tells of an oriented particle whether pushes turn it.
pub fn load(
    sides: &mut [Side],
    whose: &[Mover],
    movers: &Movers,
    turns: &(impl Fn(u32) -> bool + Sync),
) {
    for (side, &mover) in sides.iter_mut().zip(whose) {
        let turns = match mover.0 {
            Other::Oriented(i) => turns(i),
            Other::Point(_) | Other::Sphere(_) => true,
        };
        *side = Side::new(movers, mover, turns);
    }
}

/// Kind and number of a mover.
fn index(who: Other) -> (usize, usize) {
    match who {
        Other::Oriented(i) => (0, i as usize),
        Other::Point(i) => (1, i as usize),
        Other::Sphere(s) => (2, s as usize),
    }
}

/// Whether no contact moves or turns a mover.
fn is_fixed(movers: &Movers, who: Other) -> bool {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    match who {
        Other::Oriented(i) => {
            let point = oriented.point[i as usize] as usize;
            let mass = points.mass[point];
            points.inv_mass[point] == 0.0 && oriented.inv_inertia(i as usize, mass) == Vec3::ZERO
        }
        Other::Point(i) => points.inv_mass[i as usize] == 0.0,
        Other::Sphere(_) => false,
    }
}
