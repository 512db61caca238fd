//! How figures are moved, and what a beam would do.

use glam::{Quat, Vec3};
use pliant::geometry::Mesh;

/// The ends of a figure along its longest side that are held, as shares of it.
const ENDS: [f32; 2] = [0.35, 0.65];
/// The same across, when a limb is drawn.
const LIMB: [f32; 2] = [0.5, 0.88];
/// How far a limb is drawn, in the extent of the figure.
const DRAWN: f32 = 0.12;
/// By how much ends are bent or twisted (degrees).
const ANGLE: f32 = 90.0;

/// What is done to a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bend,
    Twist,
    Draw,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Bend, Self::Twist, Self::Draw];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bend => "bent by 90",
            Self::Twist => "twisted by 90",
            Self::Draw => "drawn at a limb",
        }
    }
}

/// The beam that a figure is taken for.
pub(super) struct Pose {
    kind: Kind,
    /// Its direction, and that to which it is bent.
    along: Vec3,
    aside: Vec3,
    /// Where its middle line ends (m), and how long it is.
    root: Vec3,
    length: f32,
    /// How far it is drawn (m).
    drawn: f32,
    /// How far its skin is from the middle line at most: towards the bend, and in any direction (m).
    half: [f32; 2],
}

impl Pose {
    pub(super) fn new(kind: Kind, mesh: &Mesh) -> Self {
        let (lo, hi) = mesh.bounds().unwrap_or_default();
        let size = hi - lo;
        let longest = size.max_position();
        let mut others = [(longest + 1) % 3, (longest + 2) % 3];
        others.sort_by(|a, b| size[*a].total_cmp(&size[*b]));
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let (along, aside, ends) = match kind {
            Kind::Bend | Kind::Twist => (longest, others[0], ENDS),
            Kind::Draw => (others[1], others[0], LIMB),
        };
        let at = |share: f32| lo[along] + share * size[along];
        let between = || {
            let inside = |y: &&Vec3| y[along] > at(ends[0]) && y[along] < at(ends[1]);
            mesh.positions.iter().filter(inside)
        };
        // The middle line goes through the middle of what is between the ends.
        let (low, high) =
            between().fold((Vec3::MAX, Vec3::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
        let middle = if low.x <= high.x {
            0.5 * (low + high)
        } else {
            0.5 * (lo + hi)
        };
        let mut root = middle;
        root[along] = at(ends[0]);
        let off = |y: &Vec3| (*y - root).reject_from(axes[along]);
        let bent = between().map(|y| off(y)[aside].abs()).fold(0.0, f32::max);
        let any = between().map(|y| off(y).length()).fold(0.0, f32::max);
        Self {
            kind,
            along: axes[along],
            aside: axes[aside],
            root,
            length: at(ends[1]) - at(ends[0]),
            drawn: DRAWN * size[along],
            half: [bent, any],
        }
    }

    /// Where a hand has taken a particle at a share of its way, and how it has turned it; nothing if none holds it.
    pub(super) fn held(&self, rest: Vec3, share: f32) -> Option<(Vec3, Quat)> {
        let s = (rest - self.root).dot(self.along);
        if s <= 0.0 {
            return Some((rest, Quat::IDENTITY));
        }
        if s < self.length {
            return None;
        }
        let angle = share * ANGLE.to_radians();
        let top = self.root + self.length * self.along;
        Some(match self.kind {
            Kind::Draw => (rest + share * self.drawn * self.along, Quat::IDENTITY),
            Kind::Twist => {
                let turn = Quat::from_axis_angle(self.along, angle);
                (top + turn * (rest - top), turn)
            }
            Kind::Bend => {
                // The end of an arc as long as the beam.
                let radius = self.length / angle.max(1e-6);
                let end = self.along * (radius * angle.sin())
                    + self.aside * (radius * (1.0 - angle.cos()));
                let turn = Quat::from_axis_angle(self.along.cross(self.aside), angle);
                (self.root + end + turn * (rest - top), turn)
            }
        })
    }

    /// Whether a place is between the ends.
    pub(super) fn is_between(&self, rest: Vec3) -> bool {
        (0.0..self.length).contains(&(rest - self.root).dot(self.along))
    }

    /// Largest growth of a beam's skin.
    pub(super) fn growth(&self) -> f32 {
        let angle = ANGLE.to_radians();
        match self.kind {
            Kind::Bend => 1.0 + self.half[0] * angle / self.length,
            // Of a simple shear.
            Kind::Twist => {
                let shear = self.half[1] * angle / self.length;
                0.5 * (shear + (shear * shear + 4.0).sqrt())
            }
            Kind::Draw => 1.0 + self.drawn / self.length,
        }
    }

    /// What is left of the volume at a place of a beam.
    pub(super) fn volume(&self, rest: Vec3) -> f32 {
        match self.kind {
            Kind::Bend if self.is_between(rest) => {
                let inward = (rest - self.root).dot(self.aside);
                1.0 - inward * ANGLE.to_radians() / self.length
            }
            _ => 1.0,
        }
    }
}
