//! Eight `f32` side by side, and the traits that let one source serve one lane and eight.
//!
//! A kernel is written once over [`Wide`] and compiled twice: for [`F8`], plain arrays that work everywhere, and for
//! `A8`, one AVX register, inside a function that is compiled for AVX2 and called only where [`has_avx2`] says so.
//! Arrays alone do not do: the compiler cuts and mixes lanes as it likes (measured: 2.3 times slower). No fused
//! multiply-add and no approximate reciprocals are used, so both give the same bits.

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

/// Eight lanes: what kernels over members and groups need besides arithmetic.
pub trait Wide: Lane {
    /// From memory.
    fn load(value: &F8) -> Self;
    /// To memory.
    fn store(self) -> F8;
    /// The sum of the lanes, always in the same tree order.
    fn sum(self) -> f32;
    /// Bit `l` is set where lane `l` is at most `bound` (never where either is not a number).
    fn at_most(self, bound: Self) -> u32;
    /// `source[index[l]]` in lane `l`, number by number: four registers from eight records.
    fn gather(source: &[Quad], index: &[u32; 8]) -> [Self; 4];
    /// Adds lane `l` of `values` to the first three numbers of `target[index[l] - first]`, lane after lane.
    fn scatter_add(target: &mut [Quad], index: &[u32; 8], first: u32, values: [Self; 3]);
}

/// Four `f32` in one aligned record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Quad(pub [f32; 4]);

impl Quad {
    /// The same value four times.
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self([value; 4])
    }
}

macro_rules! quad_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Quad {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $op b[0], a[1] $op b[1], a[2] $op b[2], a[3] $op b[3]])
            }
        }
    };
}
quad_operator!(Add, add, +);
quad_operator!(Sub, sub, -);
quad_operator!(Mul, mul, *);

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

impl Wide for F8 {
    #[inline(always)]
    fn load(value: &F8) -> Self {
        *value
    }
    #[inline(always)]
    fn store(self) -> F8 {
        self
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        let a = self.0;
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }
    #[inline(always)]
    fn at_most(self, bound: Self) -> u32 {
        (0..8).fold(0, |mask, l| mask | u32::from(self.0[l] <= bound.0[l]) << l)
    }
    #[inline(always)]
    fn gather(source: &[Quad], index: &[u32; 8]) -> [Self; 4] {
        let mut out = [F8::ZERO; 4];
        for l in 0..8 {
            let quad = source[index[l] as usize].0;
            for k in 0..4 {
                out[k].0[l] = quad[k];
            }
        }
        out
    }
    #[inline(always)]
    fn scatter_add(target: &mut [Quad], index: &[u32; 8], first: u32, values: [Self; 3]) {
        for l in 0..8 {
            let quad = &mut target[(index[l] - first) as usize].0;
            for k in 0..3 {
                quad[k] += values[k].0[l];
            }
        }
    }
}

/// Whether this machine runs the AVX2 kernels.
#[inline]
pub fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Defines `fn name(args) -> out`, which calls `kernel::<A8>` compiled for AVX2 where the machine has it, else
/// `kernel::<F8>`. The kernel and all that it calls must be `#[inline(always)]`.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty = $kernel:ident) => {
        $(#[$doc])*
        $vis fn $name($($arg: $ty),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn for_avx2($($arg: $ty),*) -> $out {
                    $kernel::<$crate::math::lanes::A8>($($arg),*)
                }
                if $crate::math::lanes::has_avx2() {
                    #[allow(unsafe_code, reason = "the call of a function compiled for AVX2")]
                    // SAFETY: the machine has AVX2.
                    return unsafe { for_avx2($($arg),*) };
                }
            }
            $kernel::<$crate::math::lanes::F8>($($arg),*)
        }
    };
}
pub(crate) use dispatch;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx::A8;

#[cfg(target_arch = "x86_64")]
mod avx {
    //! Eight `f32` in one AVX register. Values exist only inside functions that `dispatch` compiles for AVX2 and calls
    //! where the machine has it; that is what every SAFETY note here leans on.
    #![expect(unsafe_code, reason = "vector instructions")]

    use super::{F8, Lane, Quad, Wide};
    use std::arch::x86_64::{
        __m128, __m256, _CMP_LE_OQ, _CMP_LT_OQ, _mm_add_ps, _mm_load_ps, _mm_store_ps,
        _mm256_add_ps, _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps256_ps128, _mm256_cmp_ps,
        _mm256_div_ps, _mm256_extractf128_ps, _mm256_load_ps, _mm256_max_ps, _mm256_movemask_ps,
        _mm256_mul_ps, _mm256_set_m128, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
        _mm256_sqrt_ps, _mm256_store_ps, _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
        _mm256_xor_ps,
    };
    use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

    /// Eight lanes in a register.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct A8(__m256);

    macro_rules! operator {
        ($trait:ident, $method:ident, $intrinsic:ident) => {
            impl $trait for A8 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: AVX is there, see the module.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        };
    }
    operator!(Add, add, _mm256_add_ps);
    operator!(Sub, sub, _mm256_sub_ps);
    operator!(Mul, mul, _mm256_mul_ps);
    operator!(Div, div, _mm256_div_ps);

    impl Neg for A8 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: AVX is there, see the module.
            Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
        }
    }

    impl AddAssign for A8 {
        #[inline(always)]
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    impl SubAssign for A8 {
        #[inline(always)]
        fn sub_assign(&mut self, other: Self) {
            *self = *self - other;
        }
    }

    impl Lane for A8 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: AVX is there, see the module.
            Self(unsafe { _mm256_set1_ps(value) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: AVX is there, see the module.
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: AVX is there, see the module.
            Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // The instruction returns its second operand for NaN and for equal values, as the trait says.
            // SAFETY: AVX is there, see the module.
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
            // SAFETY: AVX is there, see the module.
            Self(unsafe {
                _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, bound.0))
            })
        }
    }

    /// Two 4×4 transposes side by side: rows of the lower halves and rows of the upper halves.
    #[inline(always)]
    fn transpose(r: [__m256; 4]) -> [__m256; 4] {
        // SAFETY: AVX is there, see the module.
        unsafe {
            let (a, b) = (
                _mm256_unpacklo_ps(r[0], r[1]),
                _mm256_unpacklo_ps(r[2], r[3]),
            );
            let (c, d) = (
                _mm256_unpackhi_ps(r[0], r[1]),
                _mm256_unpackhi_ps(r[2], r[3]),
            );
            [
                _mm256_shuffle_ps::<0b01_00_01_00>(a, b),
                _mm256_shuffle_ps::<0b11_10_11_10>(a, b),
                _mm256_shuffle_ps::<0b01_00_01_00>(c, d),
                _mm256_shuffle_ps::<0b11_10_11_10>(c, d),
            ]
        }
    }

    #[inline(always)]
    fn load_quad(quad: &Quad) -> __m128 {
        // SAFETY: `Quad` is four `f32` aligned to 16 bytes.
        unsafe { _mm_load_ps(quad.0.as_ptr()) }
    }

    #[inline(always)]
    fn add_to_quad(quad: &mut Quad, value: __m128) {
        // SAFETY: `Quad` is four `f32` aligned to 16 bytes.
        unsafe { _mm_store_ps(quad.0.as_mut_ptr(), _mm_add_ps(load_quad(quad), value)) }
    }

    impl Wide for A8 {
        #[inline(always)]
        fn load(value: &F8) -> Self {
            // SAFETY: `F8` is eight `f32` aligned to 32 bytes; AVX is there, see the module.
            Self(unsafe { _mm256_load_ps(value.0.as_ptr()) })
        }
        #[inline(always)]
        fn store(self) -> F8 {
            let mut out = F8::ZERO;
            // SAFETY: `F8` is eight `f32` aligned to 32 bytes; AVX is there, see the module.
            unsafe { _mm256_store_ps(out.0.as_mut_ptr(), self.0) };
            out
        }
        #[inline(always)]
        fn sum(self) -> f32 {
            // SAFETY: AVX is there, see the module.
            let half = unsafe {
                _mm_add_ps(
                    _mm256_castps256_ps128(self.0),
                    _mm256_extractf128_ps::<1>(self.0),
                )
            };
            // SAFETY: a register of four `f32` has the bits of an array of four.
            let a = unsafe { std::mem::transmute::<__m128, [f32; 4]>(half) };
            (a[0] + a[2]) + (a[1] + a[3])
        }
        #[inline(always)]
        fn at_most(self, bound: Self) -> u32 {
            // SAFETY: AVX is there, see the module.
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, bound.0)) as u32 }
        }
        #[inline(always)]
        fn gather(source: &[Quad], index: &[u32; 8]) -> [Self; 4] {
            let mut rows = [Self::splat(0.0).0; 4];
            for l in 0..4 {
                let (low, high) = (&source[index[l] as usize], &source[index[l + 4] as usize]);
                // SAFETY: AVX is there, see the module.
                rows[l] = unsafe { _mm256_set_m128(load_quad(high), load_quad(low)) };
            }
            let [x, y, z, w] = transpose(rows);
            [Self(x), Self(y), Self(z), Self(w)]
        }
        #[inline(always)]
        fn scatter_add(target: &mut [Quad], index: &[u32; 8], first: u32, values: [Self; 3]) {
            // SAFETY: AVX is there, see the module.
            let zero = unsafe { _mm256_setzero_ps() };
            let rows = transpose([values[0].0, values[1].0, values[2].0, zero]);
            for l in 0..4 {
                // SAFETY: AVX is there, see the module.
                let low = unsafe { _mm256_castps256_ps128(rows[l]) };
                add_to_quad(&mut target[(index[l] - first) as usize], low);
            }
            for l in 0..4 {
                // SAFETY: AVX is there, see the module.
                let high = unsafe { _mm256_extractf128_ps::<1>(rows[l]) };
                add_to_quad(&mut target[(index[l + 4] - first) as usize], high);
            }
        }
    }
}
