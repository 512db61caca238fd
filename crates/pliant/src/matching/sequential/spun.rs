//! Rotations with what they weigh: √(m r²/5) times the unit quaternion. The products of its components are those of the particle's
//! moment m r²/5 R, so the moments of many particles are ten sums.

use crate::math::algebra::{M3, V3};
use crate::math::lanes::{Lane, Quad, Wide};
use glam::{Mat3, Quat};

/// √(m r²/5) times a unit quaternion: x, y, z, w.
pub(super) type Spun = Quad;

/// A rotation with its weight m r²/5.
#[inline(always)]
pub(super) fn spun(rotation: Quat, inertia: f32) -> Spun {
    let root = inertia.sqrt();
    let [x, y, z, w] = rotation.to_array();
    Quad([x * root, y * root, z * root, w * root])
}

/// The rotation alone. It has a weight.
#[inline(always)]
pub(super) fn rotation_of(spun: Spun) -> Quat {
    let [x, y, z, w] = spun.0;
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    Quat::from_xyzw(x * scale, y * scale, z * scale, w * scale)
}

/// The rotation that is the share `k` of the way from that of `a` to the unit quaternion `b`, the shorter way round, along the chord, with the
/// weight of `a`.
#[inline(always)]
pub(super) fn between<T: Lane>(a: [T; 4], b: [T; 4], k: T) -> [T; 4] {
    let dot = |a: &[T; 4], b: &[T; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let (zero, one) = (T::splat(0.0), T::splat(1.0));
    let root = dot(&a, &a).sqrt();
    let toward = k * dot(&a, &b).select_less(zero, -root, root);
    let rest = one - k;
    let c = [
        a[0] * rest + b[0] * toward,
        a[1] * rest + b[1] * toward,
        a[2] * rest + b[2] * toward,
        a[3] * rest + b[3] * toward,
    ];
    let length = dot(&c, &c);
    // What has no weight stays zero.
    let scale = zero.select_less(length, root / length.sqrt(), zero);
    [c[0] * scale, c[1] * scale, c[2] * scale, c[3] * scale]
}

/// Σ of the products of components: xx, yy, zz, ww, xy, xz, yz, xw, yw, zw.
pub(super) struct Products<T>([T; 10]);

impl<T: Lane> Products<T> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self([T::splat(0.0); 10])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, [x, y, z, w]: [T; 4]) {
        let Self(sum) = self;
        sum[0] += x * x;
        sum[1] += y * y;
        sum[2] += z * z;
        sum[3] += w * w;
        sum[4] += x * y;
        sum[5] += x * z;
        sum[6] += y * z;
        sum[7] += x * w;
        sum[8] += y * w;
        sum[9] += z * w;
    }

    /// Σ m r²/5 R.
    #[inline(always)]
    pub(super) fn moment(&self) -> M3<T> {
        let [xx, yy, zz, ww, xy, xz, yz, xw, yw, zw] = self.0;
        let twice = |a: T| a + a;
        M3::from_cols(
            V3::new(ww + xx - yy - zz, twice(xy + zw), twice(xz - yw)),
            V3::new(twice(xy - zw), ww - xx + yy - zz, twice(yz + xw)),
            V3::new(twice(xz + yw), twice(yz - xw), ww - xx - yy + zz),
        )
    }
}

impl<W: Wide> Products<W> {
    /// The sums over all lanes.
    #[inline(always)]
    pub(super) fn totals(&self) -> Products<f32> {
        let mut sums = [0.0; 10];
        for (sum, own) in sums.iter_mut().zip(&self.0) {
            *sum = own.sum();
        }
        Products(sums)
    }
}

/// Σ m r²/5 R as glam's matrix.
#[inline(always)]
pub(super) fn turned_matrix(products: &Products<f32>) -> Mat3 {
    products.moment().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn some(i: u32) -> Quat {
        let axis = Vec3::new(1.0, 0.3 * i as f32, -0.7).normalize();
        Quat::from_axis_angle(axis, 0.9 * i as f32 - 1.0)
    }

    /// The sums of products are those of the moments.
    #[test]
    fn moments() {
        let (mut sum, mut expected) = (Products::zero(), Mat3::ZERO);
        for i in 0..5 {
            let inertia = 0.2 + i as f32;
            sum.add(spun(some(i), inertia).0);
            expected += Mat3::from_quat(some(i)) * inertia;
        }
        assert!(turned_matrix(&sum).abs_diff_eq(expected, 1e-5));
    }

    /// Part of the way is between the two and keeps the weight, all of it is the other rotation, and what has no weight stays.
    #[test]
    fn part_of_the_way() {
        let (a, b) = (some(1), some(2));
        let to = |k: f32, b: Quat| Quad(between(spun(a, 4.0).0, b.to_array(), k));
        for b in [b, -b] {
            assert!(rotation_of(to(1.0, b)).angle_between(b) < 1e-3);
            assert!(rotation_of(to(0.0, b)).angle_between(a) < 1e-3);
            let half = rotation_of(to(0.5, b));
            assert!((half.angle_between(a) - half.angle_between(b)).abs() < 1e-3);
            let norm = to(0.3, b).0.map(|c| c * c).iter().sum::<f32>();
            assert!((norm - 4.0).abs() < 1e-5);
        }
        assert_eq!(between([0.0; 4], b.to_array(), 0.5), [0.0; 4]);
    }
}
