//! Weights of particles in groups, by their distance from the centre.

use std::f32::consts::PI;

/// How much a particle weighs in a group, against its other groups.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Kernel {
    /// As much as any other.
    #[default]
    Box,
    /// A smooth bump \[MCG03\].
    Poly6,
    /// The bump and this much more everywhere.
    Blend(f32),
    /// One over the squared distance.
    InverseSquare,
    /// Memberships of fuzzy c-means with this exponent, above 1 \[Bez81\].
    Fuzzy(f32),
}

/// Share of its largest value below which a bump does not fall: a particle at the rim still belongs somewhere.
const FLOOR: f32 = 1e-6;
/// Distance below which one over the squared distance grows no more, in radii: 0.01 at a radius of 0.25.
const SOFTENING: f32 = 0.04;
/// Distance below which a particle is at the centre, in radii.
const CENTER: f32 = 1e-4;

impl Kernel {
    /// The raw weight at a distance `s` from the centre of a group of radius `h`; above 0.
    ///
    /// The membership of fuzzy c-means, 1/Σ_e (s/s_e)^p with p = 2/(m − 1), is a share of the raw weights s^−p, so it needs no kernel that
    /// knows the other groups.
    pub fn weight(self, s: f32, h: f32) -> f32 {
        match self {
            Self::Box => 1.0,
            Self::Poly6 => poly6(s, h),
            Self::Blend(more) => more + poly6(s, h),
            Self::InverseSquare => 1.0 / (s * s + (SOFTENING * h) * (SOFTENING * h)),
            // In radii, so that large exponents stay in range.
            Self::Fuzzy(m) => libm::powf((s / h).max(CENTER), -2.0 / (m - 1.0)).min(1e20),
        }
    }

    /// What is wrong with the numbers, if anything.
    pub(super) fn complaint(self) -> Option<&'static str> {
        match self {
            Self::Blend(more) if !(more >= 0.0 && more.is_finite()) => {
                Some("the kernel's blend must not be negative")
            }
            Self::Fuzzy(m) if !(m > 1.0 && m.is_finite()) => {
                Some("the exponent of fuzzy c-means must be above 1")
            }
            _ => None,
        }
    }
}

fn poly6(s: f32, h: f32) -> f32 {
    let h2 = h * h;
    let bump = |d: f32| 315.0 / (64.0 * PI * h2 * h2 * h2 * h2 * h) * d * d * d;
    bump((h2 - s * s).max(0.0)).max(FLOOR * bump(h2))
}
