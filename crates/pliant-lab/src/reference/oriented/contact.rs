//! What contacts do to particles: a push at the deepest point, which also turns, and friction there.

use super::super::contact::{Friction, Plane};
use super::body::Body;
use super::ellipsoid::Touch;
use super::particle::Particle;
use glam::{DQuat, DVec3};

/// What particles can touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// Half-spaces.
    pub planes: Vec<Plane>,
    /// Triangles, with two sides.
    pub triangles: Vec<[DVec3; 3]>,
    /// Whether particles that share no group touch each other.
    pub pairs: bool,
    /// Friction of everything with everything.
    pub friction: Friction,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            planes: Vec::new(),
            triangles: Vec::new(),
            pairs: false,
            friction: Friction {
                fixed: 0.5,
                sliding: 0.4,
            },
        }
    }
}

impl Surroundings {
    /// Empty space.
    pub fn none() -> Self {
        Self::default()
    }

    /// A floor at height 0.
    pub fn floor() -> Self {
        Self {
            planes: vec![Plane::floor(0.0)],
            ..Self::default()
        }
    }
}

impl Particle {
    /// w + (ρ×n)ᵀ I⁻¹ (ρ×n): how far the point at the lever arm ρ goes along n for a unit of impulse there.
    pub(super) fn answer(&self, lever: DVec3, n: DVec3) -> f64 {
        let turn = lever.cross(n);
        self.inverse_mass() + turn.dot(self.inverse_inertia() * turn)
    }

    /// x += w p, q ← normalise(q + ½ \[I⁻¹(ρ×p), 0\] q).
    pub(super) fn push(&mut self, lever: DVec3, impulse: DVec3) {
        self.pred.x += impulse * self.inverse_mass();
        let turn = self.inverse_inertia() * lever.cross(impulse) * 0.5;
        let spin = DQuat::from_xyzw(turn.x, turn.y, turn.z, 0.0) * self.pred.q;
        self.pred.q = (self.pred.q + spin).normalize();
        self.touched = true;
    }

    /// How far the point that is now at the lever arm ρ has come in this substep.
    fn travel(&self, lever: DVec3) -> DVec3 {
        self.pred.x + lever - self.pose.apply(self.pred.q.inverse() * lever)
    }

    /// ρ of a point of the world.
    fn lever(&self, point: DVec3) -> DVec3 {
        point - self.pred.x
    }
}

/// The impulse of friction, for one along the normal of size `normal_impulse` \[MMCK14\].
///
/// Departs from MMCK14 in that Coulomb's law holds for impulses, not for displacements: for points these are the same, but a point at a
/// lever arm gives way more easily along the surface than across it.
fn friction_impulse(friction: &Friction, slip: DVec3, answer: f64, normal_impulse: f64) -> DVec3 {
    if answer == 0.0 {
        return DVec3::ZERO;
    }
    -friction.hold(slip / answer, normal_impulse)
}

/// u without its part along the unit vector `n`.
fn tangential(u: DVec3, n: DVec3) -> DVec3 {
    u - n * n.dot(u)
}

/// Pushes a particle out of something that does not move.
fn push_out(p: &mut Particle, touch: &Touch, friction: &Friction) -> bool {
    let lever = p.lever(touch.point);
    let answer = p.answer(lever, touch.normal);
    if touch.depth <= 0.0 || answer == 0.0 {
        return false;
    }
    let size = touch.depth / answer;
    p.push(lever, touch.normal * size);
    let slip = tangential(p.travel(lever), touch.normal);
    if let Some(direction) = slip.try_normalize() {
        let answer = p.answer(lever, direction);
        p.push(lever, friction_impulse(friction, slip, answer, size));
    }
    true
}

/// Pushes two particles apart; `beyond` is the depth that they may have.
fn push_apart(
    a: &mut Particle,
    b: &mut Particle,
    touch: &Touch,
    beyond: f64,
    friction: &Friction,
) -> bool {
    let (lever_a, lever_b) = (a.lever(touch.point), b.lever(touch.other));
    let answer = |a: &Particle, b: &Particle, n| a.answer(lever_a, n) + b.answer(lever_b, n);
    let along = answer(a, b, touch.normal);
    let depth = touch.depth - beyond;
    if depth <= 0.0 || along == 0.0 {
        return false;
    }
    let size = depth / along;
    a.push(lever_a, touch.normal * size);
    b.push(lever_b, touch.normal * -size);
    let slip = tangential(a.travel(lever_a) - b.travel(lever_b), touch.normal);
    if let Some(direction) = slip.try_normalize() {
        let hold = friction_impulse(friction, slip, answer(a, b, direction), size);
        a.push(lever_a, hold);
        b.push(lever_b, -hold);
    }
    true
}

impl Body {
    /// One pass over all contacts; returns how many pushed.
    pub fn push_contacts(&mut self, around: &Surroundings) -> usize {
        let mut count = 0;
        if around.pairs {
            count += self.push_pairs(&around.friction);
        }
        for p in &mut self.particles {
            for triangle in &around.triangles {
                if let Some(touch) = p.ellipsoid().touch_triangle(*triangle) {
                    count += usize::from(push_out(p, &touch, &around.friction));
                }
            }
            for plane in &around.planes {
                let touch = p.ellipsoid().touch_plane(plane.normal, plane.offset);
                count += usize::from(push_out(p, &touch, &around.friction));
            }
        }
        count
    }

    /// All pairs that share no group, in order of their indices.
    fn push_pairs(&mut self, friction: &Friction) -> usize {
        let mut count = 0;
        for i in 0..self.particles.len() {
            for j in i + 1..self.particles.len() {
                let (low, high) = self.particles.split_at_mut(j);
                let (a, b) = (&mut low[i], &mut high[0]);
                if !a.ellipsoid().may_touch(&b.ellipsoid())
                    || self.groups.iter().any(|g| g.has(i) && g.has(j))
                {
                    continue;
                }
                let touch = a.ellipsoid().touch(&b.ellipsoid());
                if touch.depth > 0.0 {
                    let beyond = rest_depth(a, b);
                    count += usize::from(push_apart(a, b, &touch, beyond, friction));
                }
            }
        }
        count
    }
}

/// How deep two particles are in each other at rest; they touch only beyond it.
fn rest_depth(a: &Particle, b: &Particle) -> f64 {
    let (a, b) = (a.rest_ellipsoid(), b.rest_ellipsoid());
    if a.may_touch(&b) {
        a.touch(&b).depth.max(0.0)
    } else {
        0.0
    }
}
