//! Eight `f32` side by side, and the trait that lets one source serve one lane and eight.
//!
//! The operators are plain loops over arrays. Inside a function that is compiled for AVX2 they become one
//! instruction each; elsewhere two or eight. No fused multiply-add and no approximate reciprocals are used, so every
//! compilation gives the same bits.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number, or several that are computed side by side.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The same value in every lane.
    fn splat(value: f32) -> Self;
    /// Square root of each lane.
    fn sqrt(self) -> Self;
    /// Absolute value of each lane.
    fn abs(self) -> Self;
    /// The larger of the two in each lane; `other` where `self` is not a number.
    fn max(self, other: Self) -> Self;
    /// `yes` in the lanes where `self < bound`, else `no` (also where either side is not a number).
    fn select_less(self, bound: Self, yes: Self, no: Self) -> Self;
}

macro_rules! scalar_lane {
    ($t:ty) => {
        impl Lane for $t {
            #[inline(always)]
            fn splat(value: f32) -> Self {
                value.into()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
                if self < bound { yes } else { no }
            }
        }
    };
}
scalar_lane!(f32);
scalar_lane!(f64);

/// Eight `f32`, aligned for 256-bit loads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct F8(pub [f32; 8]);

impl F8 {
    /// Zero in every lane.
    pub const ZERO: Self = Self([0.0; 8]);

    /// The sum of the lanes, always in the same tree order.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let a = self.0;
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let mut out = [0.0; 8];
        for l in 0..8 {
            out[l] = f(self.0[l]);
        }
        Self(out)
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = [0.0; 8];
        for l in 0..8 {
            out[l] = f(self.0[l], other.0[l]);
        }
        Self(out)
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for F8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $op b)
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);
lane_operator!(Div, div, /);

impl Neg for F8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl AddAssign for F8 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for F8 {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Lane for F8 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 8])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
        let mut out = [0.0; 8];
        for l in 0..8 {
            out[l] = if self.0[l] < bound.0[l] {
                yes.0[l]
            } else {
                no.0[l]
            };
        }
        Self(out)
    }
}
