//! 3-vectors and 3×3 matrices over a [`Lane`]. Matrices hold columns, as glam's do.

use super::lanes::{F8, Lane, Wide};
use glam::{Mat3, Vec3};
use std::ops::{Add, Mul, Sub};

/// A vector of three lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// A 3×3 matrix of lanes, by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct M3<T> {
    /// The three columns.
    pub cols: [V3<T>; 3],
}

impl<T: Lane> V3<T> {
    /// The vector (x, y, z).
    #[inline(always)]
    pub fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// Inner product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }

    /// Every component times `s`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }

    /// The largest absolute component.
    #[inline(always)]
    pub fn largest(self) -> T {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// The opposite vector.
    #[inline(always)]
    pub fn negate(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }

    /// `yes` in the lanes where `a < b`, else `no`.
    #[inline(always)]
    pub fn select_less(a: T, b: T, yes: Self, no: Self) -> Self {
        Self::new(
            a.select_less(b, yes.x, no.x),
            a.select_less(b, yes.y, no.y),
            a.select_less(b, yes.z, no.z),
        )
    }
}

impl<T: Lane> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<T: Lane> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<T: Lane> M3<T> {
    /// The matrix with these columns.
    #[inline(always)]
    pub fn from_cols(a: V3<T>, b: V3<T>, c: V3<T>) -> Self {
        Self { cols: [a, b, c] }
    }

    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, i) = (T::splat(0.0), T::splat(1.0));
        Self::from_cols(V3::new(i, o, o), V3::new(o, i, o), V3::new(o, o, i))
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.cols;
        Self::from_cols(
            V3::new(a.x, b.x, c.x),
            V3::new(a.y, b.y, c.y),
            V3::new(a.z, b.z, c.z),
        )
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn apply(self, v: V3<T>) -> V3<T> {
        let [a, b, c] = self.cols;
        V3::new(
            a.x * v.x + b.x * v.y + c.x * v.z,
            a.y * v.x + b.y * v.y + c.y * v.z,
            a.z * v.x + b.z * v.y + c.z * v.z,
        )
    }

    /// `selfᵀ · o`.
    #[inline(always)]
    pub fn transpose_mul(self, o: Self) -> Self {
        let [a, b, c] = self.cols;
        let [p, q, r] = o.cols;
        Self::from_cols(
            V3::new(a.dot(p), b.dot(p), c.dot(p)),
            V3::new(a.dot(q), b.dot(q), c.dot(q)),
            V3::new(a.dot(r), b.dot(r), c.dot(r)),
        )
    }

    /// `self · oᵀ`.
    #[inline(always)]
    pub fn mul_transpose(self, o: Self) -> Self {
        self * o.transpose()
    }

    /// The rotation matrix of a unit quaternion (x, y, z, w).
    #[inline(always)]
    pub fn from_quaternion(q: [T; 4]) -> Self {
        let [x, y, z, w] = q;
        let one = T::splat(1.0);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Self::from_cols(
            V3::new(one - (yy + zz), xy + wz, xz - wy),
            V3::new(xy - wz, one - (xx + zz), yz + wx),
            V3::new(xz + wy, yz - wx, one - (xx + yy)),
        )
    }
}

impl<T: Lane> Mul for M3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let [a, b, c] = o.cols;
        Self::from_cols(self.apply(a), self.apply(b), self.apply(c))
    }
}

impl From<Vec3> for V3<f32> {
    fn from(v: Vec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<V3<f32>> for Vec3 {
    fn from(v: V3<f32>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<Mat3> for M3<f32> {
    fn from(m: Mat3) -> Self {
        Self::from_cols(m.x_axis.into(), m.y_axis.into(), m.z_axis.into())
    }
}

impl From<M3<f32>> for Mat3 {
    fn from(m: M3<f32>) -> Self {
        let [a, b, c] = m.cols;
        Self::from_cols(a.into(), b.into(), c.into())
    }
}

impl<W: Wide> V3<W> {
    /// Eight vectors, one a lane.
    #[inline(always)]
    pub fn pack(v: &[Vec3; 8]) -> Self {
        let mut lanes = [F8::ZERO; 3];
        for l in 0..8 {
            for k in 0..3 {
                lanes[k].0[l] = v[l][k];
            }
        }
        Self::new(W::load(&lanes[0]), W::load(&lanes[1]), W::load(&lanes[2]))
    }

    /// The eight vectors.
    #[inline(always)]
    pub fn unpack(self) -> [Vec3; 8] {
        let (x, y, z) = (self.x.store(), self.y.store(), self.z.store());
        let mut out = [Vec3::ZERO; 8];
        for l in 0..8 {
            out[l] = Vec3::new(x.0[l], y.0[l], z.0[l]);
        }
        out
    }
}

impl<W: Wide> M3<W> {
    /// Eight matrices, one a lane.
    #[inline(always)]
    pub fn pack(m: &[Mat3; 8]) -> Self {
        let mut cols = [[Vec3::ZERO; 8]; 3];
        for l in 0..8 {
            cols[0][l] = m[l].x_axis;
            cols[1][l] = m[l].y_axis;
            cols[2][l] = m[l].z_axis;
        }
        Self::from_cols(V3::pack(&cols[0]), V3::pack(&cols[1]), V3::pack(&cols[2]))
    }

    /// The eight matrices.
    #[inline(always)]
    pub fn unpack(self) -> [Mat3; 8] {
        let (a, b, c) = (
            self.cols[0].unpack(),
            self.cols[1].unpack(),
            self.cols[2].unpack(),
        );
        let mut out = [Mat3::ZERO; 8];
        for l in 0..8 {
            out[l] = Mat3::from_cols(a[l], b[l], c[l]);
        }
        out
    }
}
