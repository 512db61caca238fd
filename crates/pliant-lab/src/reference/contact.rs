//! Contacts of particles with a floor and with each other, with friction.

use glam::DVec3;

/// The half-space n·x < offset is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal n, out of the solid.
    pub normal: DVec3,
    /// n·x on the plane, in m.
    pub offset: f64,
}

impl Plane {
    /// A floor at height `y`.
    pub fn floor(y: f64) -> Self {
        Self {
            normal: DVec3::Y,
            offset: y,
        }
    }

    /// How deep a sphere at `x` is in the solid; negative outside, in m.
    pub fn depth(&self, x: DVec3, radius: f64) -> f64 {
        self.offset + radius - self.normal.dot(x)
    }
}

/// Coulomb friction on displacements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// μ_s.
    pub fixed: f64,
    /// μ_k.
    pub sliding: f64,
}

impl Friction {
    /// The part of the tangential displacement `u` that friction takes back at penetration `depth` \[MMCK14\].
    pub fn hold(&self, u: DVec3, depth: f64) -> DVec3 {
        let slip = u.length();
        if slip < self.fixed * depth || slip == 0.0 {
            u
        } else {
            u * (self.sliding * depth / slip).min(1.0)
        }
    }
}

/// u without its part along the unit vector `n`.
fn tangential(u: DVec3, n: DVec3) -> DVec3 {
    u - n * n.dot(u)
}

/// Correction of one particle against a plane: out of it fully, and back by friction. `start` is x at the start of the substep;
/// without it (pre-stabilisation) there is no friction.
pub fn plane_correction(
    plane: &Plane,
    radius: f64,
    x: DVec3,
    friction: Option<(Friction, DVec3)>,
) -> DVec3 {
    let depth = plane.depth(x, radius);
    if depth <= 0.0 {
        return DVec3::ZERO;
    }
    let held = friction.map_or(DVec3::ZERO, |(friction, start)| {
        friction.hold(tangential(x - start, plane.normal), depth)
    });
    plane.normal * depth - held
}

/// Corrections of all particles from contacts between them: one Jacobi pass with mass splitting.
///
/// A particle with n contacts enters each pair with inverse mass n·w and takes the mean of its corrections. Of a pair that
/// shares the impulse p, i gets (n_i w_i p)/n_i = w_i p, so Σ m Δx of each pair is zero whatever n is.
/// `distance` is where two particles touch, `may_touch` says which pairs can.
pub fn pair_corrections(
    x: &[DVec3],
    inv_mass: &[f64],
    distance: f64,
    may_touch: impl Fn(usize, usize) -> bool,
    friction: Option<(Friction, &[DVec3])>,
) -> Vec<DVec3> {
    let mut pairs = Vec::new();
    let mut count = vec![0.0; x.len()];
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            let near = x[i].distance_squared(x[j]) < distance * distance;
            if near && inv_mass[i] + inv_mass[j] > 0.0 && may_touch(i, j) {
                pairs.push((i, j));
                count[i] += 1.0;
                count[j] += 1.0;
            }
        }
    }
    let mut corrections = vec![DVec3::ZERO; x.len()];
    for (i, j) in pairs {
        let away = x[i] - x[j];
        let depth = distance - away.length();
        // Coincident particles part along any axis, as long as both take the same one.
        let n = away.try_normalize().unwrap_or(DVec3::X);
        let mut change = n * depth;
        if let Some((friction, start)) = friction {
            let u = (x[i] - start[i]) - (x[j] - start[j]);
            change -= friction.hold(tangential(u, n), depth);
        }
        let impulse = change / (inv_mass[i] * count[i] + inv_mass[j] * count[j]);
        corrections[i] += impulse * inv_mass[i];
        corrections[j] -= impulse * inv_mass[j];
    }
    corrections
}
