//! Eight numbers at once: every processor of a personal computer since about 2015.
#![expect(unsafe_code, reason = "a register is read and written through a pointer")]

use super::body::kernels;
use std::arch::x86_64::*;

type Register = __m256;

/// Numbers in a register.
const LANES: usize = 8;
/// Columns of a narrow panel. Two registers and six rows: 12 sums, 2 columns and a factor fill the 16 registers.
pub(super) const NARROW: usize = 2 * LANES;
/// Columns of a wide panel; here the same.
pub(super) const WIDE: usize = 2 * LANES;
/// Rows of a tile.
const ROWS: usize = 6;

kernels!(target_feature(enable = "avx2,fma"), [1, 2, 3, 4, 5, 6], [2]);

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn load(numbers: &[f32], at: usize) -> Register {
    let numbers = &numbers[at..at + LANES];
    // SAFETY: the slice has as many numbers as the register, and no alignment is asked for.
    unsafe { _mm256_loadu_ps(numbers.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(numbers: &mut [f32], at: usize, value: Register) {
    let numbers = &mut numbers[at..at + LANES];
    // SAFETY: the slice has as many numbers as the register, and no alignment is asked for.
    unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), value) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn splat(value: f32) -> Register {
    _mm256_set1_ps(value)
}

/// a * b + c, rounded once.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply_add(a: Register, b: Register, c: Register) -> Register {
    _mm256_fmadd_ps(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn add(a: Register, b: Register) -> Register {
    _mm256_add_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn subtract(a: Register, b: Register) -> Register {
    _mm256_sub_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(a: Register, b: Register) -> Register {
    _mm256_mul_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn divide(a: Register, b: Register) -> Register {
    _mm256_div_ps(a, b)
}

/// The larger of two; `b` where `a` is not a number.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn larger(a: Register, b: Register) -> Register {
    _mm256_max_ps(a, b)
}

/// The smaller of two; `b` where `a` is not a number.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn smaller(a: Register, b: Register) -> Register {
    _mm256_min_ps(a, b)
}

/// To the nearest whole number.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn round(a: Register) -> Register {
    _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a)
}

/// 2^n for whole n between -126 and 127: n goes where a float keeps its exponent.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn power_of_two(n: Register) -> Register {
    let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
}
