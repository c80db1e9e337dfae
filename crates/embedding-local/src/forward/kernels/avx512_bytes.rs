//! Bytes on AVX-512 VNNI: one instruction multiplies 64 of them and adds each four up, exactly.
#![expect(unsafe_code, reason = "a register is read and written through a pointer")]

use super::avx512::{finish, larger, largest_of, load, multiply, multiply_add, smaller, splat, subtract};
use super::byte_body::byte_kernels;
use std::arch::x86_64::*;

type Code = u8;

const LANES: usize = 16;
const ROWS: usize = 8;
/// Weights of a column that stay together: what one instruction adds up.
pub(super) const GROUP: usize = 4;

byte_kernels!(
    target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni"),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [2, 3],
    bytes
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_weights(weights: &[i8], at: usize) -> __m512i {
    let weights = &weights[at..at + LANES * GROUP];
    // SAFETY: the slice has the 64 bytes that are read, and no alignment is asked for.
    unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_whole(numbers: &[i32], at: usize) -> __m512i {
    let numbers = &numbers[at..at + LANES];
    // SAFETY: the slice has the 64 bytes that are read, and no alignment is asked for.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn splat_codes(codes: &[u8], at: usize) -> __m512i {
    let four = &codes[at..at + GROUP];
    // SAFETY: the slice has the four bytes that are read; `read_unaligned` asks for no alignment, and any bytes are an
    // i32.
    _mm512_set1_epi32(unsafe { four.as_ptr().cast::<i32>().read_unaligned() })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add_products(sum: __m512i, codes: __m512i, weights: __m512i) -> __m512i {
    _mm512_dpbusd_epi32(sum, codes, weights)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn whole_splat(value: i32) -> __m512i {
    _mm512_set1_epi32(value)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn whole_multiply(a: __m512i, b: __m512i) -> __m512i {
    _mm512_mullo_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn whole_subtract(a: __m512i, b: __m512i) -> __m512i {
    _mm512_sub_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn to_floats(a: __m512i) -> __m512 {
    _mm512_cvtepi32_ps(a)
}

/// Writes numbers between 0 and 255, rounded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn store_codes(codes: &mut [u8], at: usize, numbers: __m512) {
    let codes = &mut codes[at..at + LANES];
    let packed = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(numbers));
    // SAFETY: the slice has the 16 bytes that are written, and no alignment is asked for.
    unsafe { _mm_storeu_si128(codes.as_mut_ptr().cast(), packed) }
}
