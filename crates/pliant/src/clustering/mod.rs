//! Which particles make a group, and how much each weighs in it.

mod cover;
mod fuzzy;
mod kernel;
#[cfg(test)]
mod tests;

pub use kernel::Kernel;

use crate::body::BodyDesc;
use crate::geometry::poisson::morton_key;
use crate::matching::Dynamics;
use crate::random::name_key;
use fuzzy::Fuzzy;
use glam::Vec3;

/// How the particles of a body are put into groups at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Clustering {
    /// Balls around particles until each is in enough of them; all members weigh the same [CMM16 §3.3.5].
    #[default]
    Cover,
    /// Balls around centres that are optimised together with the weights of their members \[JMLSB15\].
    Fuzzy {
        /// How many; `None` = so many that a particle is in about [`MEMBERSHIPS`].
        count: Option<u32>,
        /// Weights.
        kernel: Kernel,
    },
    /// Balls around the means of a partition, to compare with.
    Means {
        /// How many; `None` as above.
        count: Option<u32>,
        /// Weights.
        kernel: Kernel,
    },
    /// Balls around random particles that are in none yet, to compare with.
    Random {
        /// Weights.
        kernel: Kernel,
    },
}

/// Groups of a particle if their number is not given.
pub const MEMBERSHIPS: f64 = 6.0;

impl Clustering {
    /// What is wrong with the numbers, if anything.
    pub fn complaint(&self) -> Option<&'static str> {
        let (count, kernel) = match *self {
            Self::Cover => return None,
            Self::Fuzzy { count, kernel } | Self::Means { count, kernel } => (count, kernel),
            Self::Random { kernel } => (None, kernel),
        };
        if count == Some(0) {
            return Some("clusters must be at least 1");
        }
        kernel.complaint()
    }

    /// Weights of a group's members, if they differ.
    pub fn kernel(&self) -> Kernel {
        match *self {
            Self::Cover => Kernel::Box,
            Self::Fuzzy { kernel, .. } | Self::Means { kernel, .. } | Self::Random { kernel } => {
                kernel
            }
        }
    }

    /// Whether members of a group differ in weight.
    pub(crate) fn is_weighted(&self, dynamics: &Dynamics) -> bool {
        self.kernel() != Kernel::Box || *dynamics != Dynamics::Positions
    }
}

/// Groups of particles.
pub(crate) struct Clusters {
    /// Members of each group, ascending.
    pub(crate) members: Vec<Vec<u32>>,
    /// Their raw weights; empty if all weigh the same.
    pub(crate) weights: Vec<Vec<f32>>,
    /// Radius of the groups (m), if it is another one than was asked for.
    pub(crate) radius: Option<f32>,
}

/// Puts the particles of a body into groups; `origin` is a corner of the body's box.
pub(crate) fn cluster(desc: &BodyDesc, seed: u64, points: &[Vec3], origin: Vec3) -> Clusters {
    let r = desc.particle_radius;
    let radius = desc.cluster_radius * r;
    let key = seed ^ name_key(&desc.name);
    let expected = || {
        // As many balls as have the volume of the body so many times.
        let particles = points.len() as f64 / 0.66;
        let ball = 4.0 / 3.0 * std::f64::consts::PI * f64::from(desc.cluster_radius).powi(3);
        (MEMBERSHIPS * particles / ball).ceil().max(1.0) as u32
    };
    let found = match desc.clustering {
        Clustering::Cover => {
            return Clusters {
                members: cover::cover(desc, seed, points, origin),
                weights: Vec::new(),
                radius: None,
            };
        }
        Clustering::Fuzzy { count, kernel } => {
            let count = count.unwrap_or_else(expected);
            Fuzzy::optimised(points, count, radius, kernel, key)
        }
        Clustering::Means { count, kernel } => {
            let count = count.unwrap_or_else(expected);
            Fuzzy::around_means(points, count, radius, kernel, key)
        }
        Clustering::Random { kernel } => Fuzzy::random(points, radius, kernel, key),
    };
    let mut groups: Vec<_> = found.centers.into_iter().zip(found.members).collect();
    // Groups along a space-filling curve touch memory in the order of the particles.
    groups.sort_by_key(|(center, _)| morton_key((*center - origin) / r));
    let (mut members, mut weights) = (Vec::new(), Vec::new());
    for (_, group) in groups {
        // Fewer than four cannot hold a shape.
        if group.len() >= 4 {
            let (of, weight): (Vec<u32>, Vec<f32>) = group.into_iter().unzip();
            members.push(of);
            weights.push(weight);
        }
    }
    Clusters {
        members,
        weights,
        radius: (found.radius != radius).then_some(found.radius),
    }
}
