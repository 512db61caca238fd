//! The ellipsoid that fits into what a particle covers.

use crate::math::svd::symmetric_eigen;
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::TAU;

/// Directions in which an ellipsoid is held against what it is to fit into.
const DIRECTIONS: usize = 96;
/// Rounds in which it grows, and by how much in the first of them.
const ROUNDS: usize = 80;
const GROWTH: f32 = 0.06;

/// An ellipsoid: its centre, its axes and its semi-axes (m).
pub(super) struct Fit {
    pub(super) x: Vec3,
    pub(super) axes: Quat,
    pub(super) radii: Vec3,
}

/// About the largest ellipsoid in the convex hull of `places`, no thinner than `thinnest` (m), with the axes along which the places are
/// spread.
///
/// It grows by a little in each round, and wherever it has come to stick out, it is moved and made smaller by half of that each. Half extents of
/// the box around the places [MC11] would do for a box that lies along the axes, but corners of others make them much too large.
pub(super) fn fit(places: &[Vec3], thinnest: f32, directions: &[Vec3]) -> Fit {
    let middle = places.iter().sum::<Vec3>() / places.len().max(1) as f32;
    let mut spread = Mat3::ZERO;
    for p in places {
        let d = *p - middle;
        spread += Mat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let (squares, axes) = symmetric_eigen(spread * (1.0 / places.len().max(1) as f32));
    let widths = Vec3::from_array(squares.to_array().map(|s| s.max(0.0).sqrt()));
    let widths = widths.max(Vec3::splat(thinnest));
    // As wide in all directions, so that directions need not be close together where it is flat.
    let turn = axes.transpose();
    let local: Vec<Vec3> = places
        .iter()
        .map(|p| turn * (*p - middle) / widths)
        .collect();
    let reach: Vec<f32> = directions
        .iter()
        .map(|n| local.iter().fold(0.0, |most: f32, p| most.max(n.dot(*p))))
        .collect();
    let (mut x, mut radii) = (Vec3::ZERO, Vec3::splat(0.5));
    for round in 0..ROUNDS {
        radii *= 1.0 + GROWTH * (1.0 - round as f32 / ROUNDS as f32);
        for (n, reach) in directions.iter().zip(&reach) {
            let own = *n * radii;
            let own_reach = own.length().max(f32::MIN_POSITIVE);
            let over = n.dot(x) + own_reach - reach;
            if over > 0.0 {
                x -= 0.5 * over * *n;
                radii -= radii * *n * *n * (0.5 * over / own_reach);
                radii = radii.max(Vec3::ZERO);
            }
        }
    }
    Fit {
        x: middle + axes * (x * widths),
        axes: Quat::from_mat3(&axes).normalize(),
        radii: (radii * widths).max(Vec3::splat(thinnest)),
    }
}

/// Directions all around, evenly, in a spiral from pole to pole, and those of the axes, in which flat things are held.
pub(super) fn directions() -> Vec<Vec3> {
    let golden = TAU * 0.618_034;
    let direction = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f32 / DIRECTIONS as f32;
        let flat = (1.0 - z * z).sqrt();
        let (sin, cos) = libm::sincosf(golden * k as f32);
        Vec3::new(flat * cos, flat * sin, z)
    };
    let axes = Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    (0..DIRECTIONS).map(direction).chain(axes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a turned box the half extents, to a twentieth.
    #[test]
    fn it_fits() {
        let directions = directions();
        let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.4);
        let half = Vec3::new(0.9, 0.5, 0.2);
        let mut places = Vec::new();
        for k in 0..1000 {
            let share =
                Vec3::new((k % 10) as f32, (k / 10 % 10) as f32, (k / 100) as f32) / 4.5 - 1.0;
            places.push(Vec3::ONE + turn * (share * half));
        }
        let found = fit(&places, 0.01, &directions);
        assert!(found.x.distance(Vec3::ONE) < 0.03, "{}", found.x);
        let mut radii = found.radii.to_array();
        radii.sort_by(f32::total_cmp);
        for (radius, half) in radii.iter().zip([0.2, 0.5, 0.9]) {
            assert!((radius / half - 1.0).abs() < 0.05, "{radii:?}");
        }
    }
}
