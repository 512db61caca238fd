//! Rolling friction of bodies of oriented particles.
//!
//! What is covered with many particles rolls over them as a wheel does, and goes on for ever: at a place that touches it is at rest, so friction
//! finds nothing to hold. A soft body that rolls is pressed flat ahead of the place that it rests on and springs back behind it with less force,
//! so that what bears it acts a little ahead. The torque of that is the push times a lever.
//!
//! Departs from [MC11], which has none. A particle alone, which is a rigid ball, has none either.

use super::ellipsoids::{EllipsoidBody, Movers};
use crate::math::svd::pseudo_inverse;
use glam::{Mat3, Vec3};

/// The lever, in the mean semi-axis of the particle that is pushed.
const LEVER: f32 = 0.25;

/// Slows the rotation of bodies that colliders push, in a substep of `h` seconds. `pushes` tells of particles how far they were pushed times
/// their mass (kg m).
pub(super) fn slow_down(
    bodies: &[EllipsoidBody],
    movers: &mut Movers,
    pushes: impl Iterator<Item = (u32, f32)>,
    h: f32,
) {
    let mut torques = vec![0.0; bodies.len()];
    for (particle, push) in pushes {
        let at = bodies.partition_point(|body| body.oriented.end <= particle as usize);
        let radii = movers.oriented.radii[particle as usize];
        torques[at] += LEVER * radii.element_sum() / 3.0 * push / h;
    }
    for (body, &torque) in bodies.iter().zip(&torques) {
        if torque > 0.0 && body.oriented.len() > 1 {
            slow_body(body, movers, torque);
        }
    }
}

/// Takes from a body's rotation as much as an impulse of torque can (kg m²/s).
fn slow_body(body: &EllipsoidBody, movers: &mut Movers, torque: f32) {
    let (points, oriented) = (&mut *movers.points, &mut *movers.oriented);
    let own = || body.oriented.clone();
    let point = |i: usize| oriented.point[i] as usize;
    if own().any(|i| points.inv_mass[point(i)] == 0.0) {
        return;
    }
    let mass: f32 = own().map(|i| points.mass[point(i)]).sum();
    let mean = |column: &[Vec3]| {
        let sum = own().map(|i| column[point(i)] * points.mass[point(i)]);
        sum.sum::<Vec3>() / mass
    };
    let (c, v) = (mean(&points.x), mean(&points.v));
    let (mut momentum, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
    for i in own() {
        let (m, d) = (points.mass[point(i)], points.x[point(i)] - c);
        momentum += m * d.cross(points.v[point(i)] - v);
        let across = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia += (Mat3::from_diagonal(Vec3::splat(d.length_squared())) - across) * m;
        // Of the ball whose moment it has; turned as they are, the axes of ellipsoids do not matter.
        inertia += Mat3::from_diagonal(Vec3::splat(2.0 * oriented.moment[i]));
        momentum += 2.0 * oriented.moment[i] * oriented.spin[i];
    }
    let omega = pseudo_inverse(inertia, 1e-6).0 * momentum;
    let axis = omega.normalize_or_zero();
    let most = torque / axis.dot(inertia * axis).max(f32::MIN_POSITIVE);
    let change = -axis * most.min(omega.length());
    if !change.is_finite() {
        return;
    }
    for i in own() {
        let point = oriented.point[i] as usize;
        points.v[point] += change.cross(points.x[point] - c);
        if oriented.moment[i] > 0.0 {
            oriented.spin[i] += change;
        }
    }
}
