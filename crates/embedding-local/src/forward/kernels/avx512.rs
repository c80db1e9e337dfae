//! Sixteen numbers at once: servers, and personal computers with AVX-512.
#![expect(unsafe_code, reason = "a register is read and written through a pointer")]

use super::body::kernels;
use std::arch::x86_64::*;

type Register = __m512;

/// Numbers in a register.
const LANES: usize = 16;
/// Columns of a narrow panel.
pub(super) const NARROW: usize = 2 * LANES;
/// Columns of a wide panel. Three registers and eight rows: 24 sums, 3 columns and a factor of 32 registers, and the
/// eight rows still have an address register each.
pub(super) const WIDE: usize = 3 * LANES;
/// Rows of a tile.
const ROWS: usize = 8;

kernels!(
    target_feature(enable = "avx512f,avx512bw,avx512vl"),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [2, 3]
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn load(numbers: &[f32], at: usize) -> Register {
    let numbers = &numbers[at..at + LANES];
    // SAFETY: the slice has as many numbers as the register, and no alignment is asked for.
    unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn store(numbers: &mut [f32], at: usize, value: Register) {
    let numbers = &mut numbers[at..at + LANES];
    // SAFETY: the slice has as many numbers as the register, and no alignment is asked for.
    unsafe { _mm512_storeu_ps(numbers.as_mut_ptr(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn splat(value: f32) -> Register {
    _mm512_set1_ps(value)
}

/// a * b + c, rounded once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn multiply_add(a: Register, b: Register, c: Register) -> Register {
    _mm512_fmadd_ps(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn add(a: Register, b: Register) -> Register {
    _mm512_add_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn subtract(a: Register, b: Register) -> Register {
    _mm512_sub_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn multiply(a: Register, b: Register) -> Register {
    _mm512_mul_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn divide(a: Register, b: Register) -> Register {
    _mm512_div_ps(a, b)
}

/// The larger of two; `b` where `a` is not a number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn larger(a: Register, b: Register) -> Register {
    _mm512_max_ps(a, b)
}

/// The smaller of two; `b` where `a` is not a number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn smaller(a: Register, b: Register) -> Register {
    _mm512_min_ps(a, b)
}

/// To the nearest whole number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn round(a: Register) -> Register {
    _mm512_roundscale_ps::<0>(a)
}

/// 2^n for whole n between -126 and 127: n goes where a float keeps its exponent.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn power_of_two(n: Register) -> Register {
    let exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponent))
}
