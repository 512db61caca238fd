//! Moments, placement and pull of one group: generalised shape matching.

use super::super::cluster::Fit;
use super::super::linear::{Svd, outer, signed_svd};
use super::body::Params;
use super::particle::Particle;
use glam::{DMat3, DQuat, DVec3};

/// σ₂ + σ₃ of A over σ₁ below which the rotation about the first axis is not determined.
const UNDETERMINED: f64 = 1e-9;

/// −σ₃ over σ₁ above which A counts as inverted: flat groups have round-off of either sign there.
const INVERTED: f64 = 1e-9;

/// Condition number of Ā above which it is taken for singular.
const SINGULAR: f64 = 1e10;

/// Who is turned by a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turning {
    /// The particle in the centre: each turn is set by one group only.
    ///
    /// A particle around which no group was formed is turned by all groups that have its moment. If nobody turned it, it would go on as a
    /// flywheel that drives its groups: a wheel made of such particles spins ever faster.
    #[default]
    Centre,
    /// Every member whose moment the group has: what the positions gain in angular momentum the spins lose, up to the third power
    /// of the angles.
    AllMembers,
}

/// A particle's part in a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Index of the particle.
    pub particle: usize,
    /// Rest position, this group's own copy: what has flowed need not fit together any more.
    pub rest: DVec3,
    /// Rest position before any flow.
    pub original: DVec3,
    /// Whether A_i is left out, so that the particle is a joint between groups [MC11 "Arbitrary Shape Match Groups"].
    pub moment_omitted: bool,
}

/// Particles that are pulled to a rigid placement of their rest shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The particle around which it was formed.
    pub centre: Option<usize>,
    /// Members, by index.
    pub members: Vec<Member>,
    /// k: the part of the way to their goals that members go.
    pub stiffness: f64,
    /// The last rotation; it stands in for what A does not determine.
    pub rotation: DMat3,
}

/// Sums over a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// c.
    pub center: DVec3,
    /// c̄.
    pub rest_center: DVec3,
    /// A = Σ (A_i + m_i (x_i − c)(x̄_i − c̄)ᵀ) [MC11 "Generalized Shape Matching"].
    pub a: DMat3,
    /// Ā, the same of the rest shape with itself.
    pub a_rest: DMat3,
}

/// Where a group's rest shape lies best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// c.
    pub center: DVec3,
    /// c̄.
    pub rest_center: DVec3,
    /// R.
    pub rotation: DMat3,
    /// Whether det A < 0, so that the smallest singular value was taken as negative.
    pub inverted: bool,
}

impl Placement {
    /// g = R (x̄ − c̄) + c [MC11 "Shape Matching"].
    pub fn goal(&self, rest: DVec3) -> DVec3 {
        self.rotation * (rest - self.rest_center) + self.center
    }
}

impl Group {
    /// A group at rest.
    pub fn new(
        particles: &[Particle],
        centre: Option<usize>,
        members: &[usize],
        stiffness: f64,
    ) -> Self {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let member = |&i: &usize| Member {
            particle: i,
            rest: particles[i].rest.x,
            original: particles[i].rest.x,
            moment_omitted: false,
        };
        Self {
            centre,
            members: sorted.iter().map(member).collect(),
            stiffness,
            rotation: DMat3::IDENTITY,
        }
    }

    /// The same with A_i left out for the particles `shared`.
    pub fn with_joints(mut self, shared: &[usize]) -> Self {
        for k in &mut self.members {
            k.moment_omitted |= shared.contains(&k.particle);
        }
        self
    }

    /// Whether the particle is a member.
    pub fn has(&self, particle: usize) -> bool {
        self.members
            .binary_search_by_key(&particle, |k| k.particle)
            .is_ok()
    }

    /// c, c̄, A and Ā. What is held counts `pin_weight` times: its place in the sums of places, its turn in its own moment.
    pub fn moments(&self, particles: &[Particle], pin_weight: f64) -> Moments {
        let weight = |held: bool| if held { pin_weight } else { 1.0 };
        let mass = |k: &Member| particles[k.particle].mass * weight(particles[k.particle].fixed);
        let (mut total, mut center, mut rest_center) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for k in &self.members {
            total += mass(k);
            center += particles[k.particle].pred.x * mass(k);
            rest_center += k.rest * mass(k);
        }
        center /= total;
        rest_center /= total;
        let (mut a, mut a_rest) = (DMat3::ZERO, DMat3::ZERO);
        for k in &self.members {
            let p = &particles[k.particle];
            a += outer(p.pred.x - center, k.rest - rest_center) * mass(k);
            a_rest += outer(k.rest - rest_center, k.rest - rest_center) * mass(k);
            if !k.moment_omitted {
                a += p.moment(&p.pred) * weight(p.fixed_turn);
                a_rest += p.moment(&p.rest) * weight(p.fixed_turn);
            }
        }
        Moments {
            center,
            rest_center,
            a,
            a_rest,
        }
    }

    /// Where the rest shape lies best: R of A = R S [MC11 "Shape Matching"], or of A Ā⁻¹.
    pub fn place(&self, particles: &[Particle], fit: Fit, pin_weight: f64) -> Placement {
        let m = self.moments(particles, pin_weight);
        let affine = fit == Fit::Affine && signed_svd(m.a_rest).condition() < SINGULAR;
        let a = if affine {
            m.a * m.a_rest.inverse()
        } else {
            m.a
        };
        let svd = signed_svd(a);
        Placement {
            center: m.center,
            rest_center: m.rest_center,
            rotation: determined_rotation(&svd, self.rotation),
            inverted: svd.sigma.z < -INVERTED * svd.sigma.x,
        }
    }

    /// Moves the members towards their goals and turns those that it may; returns whether A was inverted.
    ///
    /// `has_group` tells around which particles groups were formed.
    pub fn pull(
        &mut self,
        particles: &mut [Particle],
        has_group: &[bool],
        params: &Params,
    ) -> bool {
        let place = self.place(particles, params.fit, params.pin_weight);
        self.rotation = place.rotation;
        let turn = DQuat::from_mat3(&place.rotation);
        for k in &self.members {
            let p = &mut particles[k.particle];
            if !p.fixed {
                p.pred.x += (place.goal(k.rest) - p.pred.x) * self.stiffness;
            }
            let is_centre = self.centre == Some(k.particle);
            let may_turn = match params.turning {
                Turning::Centre if has_group[k.particle] => is_centre,
                _ => !k.moment_omitted,
            };
            if may_turn && p.oriented && !p.fixed_turn {
                // The shorter way, so the sign goes on without a jump.
                p.pred.q = p.pred.q.slerp(turn * p.rest.q, self.stiffness).normalize();
            }
        }
        place.inverted
    }
}

/// U Vᵀ where A determines it; else the rotation that takes v₁ to u₁ and is nearest to the last one.
///
/// tr(RᵀA) has one maximum among rotations only if σ₂ + σ₃ > 0. Below that, R may turn about u₁; the shortest arc from where the last
/// rotation takes v₁ turns least.
pub fn determined_rotation(svd: &Svd, last: DMat3) -> DMat3 {
    if svd.sigma.x <= 0.0 {
        return last;
    }
    if svd.sigma.y + svd.sigma.z > UNDETERMINED * svd.sigma.x {
        return svd.rotation();
    }
    let arc = DQuat::from_rotation_arc(last * svd.v.x_axis, svd.u.x_axis);
    DMat3::from_quat((arc * DQuat::from_mat3(&last)).normalize())
}
