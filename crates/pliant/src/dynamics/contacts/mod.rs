//! Contacts of points with colliders, with each other and with rigid spheres.
//!
//! | set | who | how it is solved |
//! |---|---|---|
//! | [`statics`] | a point against the tangent plane of a collider | projected fully, last |
//! | [`pairs`] | two points: different bodies, or far parts of one | Jacobi with mass splitting |
//! | [`ellipsoids`] | an oriented particle against colliders, points, spheres and its like | one after the other, with lever arms |
//! | [`hulls`] | a convex primitive against everything | one after the other, with lever arms |
//! | [`spheres`] | a rigid sphere against points, colliders and spheres | with the pairs; colliders last |
//!
//! Mass splitting: a mover with n active contacts enters each of them with inverse mass n·w and takes the mean of its
//! corrections, so every contact exchanges equal and opposite momentum, however many there are.

pub(crate) mod depths;
mod edges;
pub mod ellipsoid;
pub mod ellipsoids;
pub mod hulls;
mod kin;
pub mod kinship;
pub mod layer;
pub mod nearby;
pub mod pairs;
mod rolling;
pub mod sides;
pub mod spheres;
pub mod statics;

use crate::material::KINETIC_SHARE;
use glam::Vec3;

/// How far a substep moves a point out of old penetration, in contact radii.
///
/// Departs from [MMCK14 §4], which moves it out at once. Particles reach up to the mesh, so a body that is put down with its
/// mesh on the floor, or on another body, begins up to half a particle radius too deep; lifted all at once it would jump (a
/// cube 6 r tall by 4 r).
const LIFT: f32 = 0.04;

/// The part of the tangential slip `u` that friction takes back at penetration `depth` \[MMCK14\].
#[inline]
pub fn friction(u: Vec3, depth: f32, coefficient: f32) -> Vec3 {
    let slip = u.length();
    if slip <= coefficient * depth {
        u
    } else {
        u * (KINETIC_SHARE * coefficient * depth / slip).min(1.0)
    }
}

/// Friction coefficient of a contact between two surfaces.
#[inline]
pub fn combined_friction(a: f32, b: f32) -> f32 {
    0.5 * (a + b)
}
