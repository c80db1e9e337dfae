//! Bytes on AVX2. `vpmaddubsw` would round sums off at 16 bits, so weights are widened when they are read and
//! multiplied as 16 bits: exact, and twice as quick as f32.
#![expect(unsafe_code, reason = "a register is read and written through a pointer")]

use super::avx2::{finish, larger, largest_of, load, multiply, multiply_add, smaller, splat, subtract};
use super::byte_body::byte_kernels;
use std::arch::x86_64::*;

type Code = i16;

const LANES: usize = 8;
const ROWS: usize = 6;
/// Weights of a column that stay together: what one instruction adds up.
pub(super) const GROUP: usize = 2;

byte_kernels!(
    target_feature(enable = "avx2,fma"),
    [1, 2, 3, 4, 5, 6],
    [2],
    words
);

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load_weights(weights: &[i8], at: usize) -> __m256i {
    let weights = &weights[at..at + LANES * GROUP];
    // SAFETY: the slice has the 16 bytes that are read, and no alignment is asked for.
    let bytes = unsafe { _mm_loadu_si128(weights.as_ptr().cast()) };
    _mm256_cvtepi8_epi16(bytes)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load_whole(numbers: &[i32], at: usize) -> __m256i {
    let numbers = &numbers[at..at + LANES];
    // SAFETY: the slice has the 32 bytes that are read, and no alignment is asked for.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat_codes(codes: &[i16], at: usize) -> __m256i {
    let pair = &codes[at..at + GROUP];
    // SAFETY: the slice has the four bytes that are read; `read_unaligned` asks for no alignment, and any bytes are an
    // i32.
    _mm256_set1_epi32(unsafe { pair.as_ptr().cast::<i32>().read_unaligned() })
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_products(sum: __m256i, codes: __m256i, weights: __m256i) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(codes, weights))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn whole_splat(value: i32) -> __m256i {
    _mm256_set1_epi32(value)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn whole_multiply(a: __m256i, b: __m256i) -> __m256i {
    _mm256_mullo_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn whole_subtract(a: __m256i, b: __m256i) -> __m256i {
    _mm256_sub_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn to_floats(a: __m256i) -> __m256 {
    _mm256_cvtepi32_ps(a)
}

/// Writes numbers between 0 and 255, rounded.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn store_codes(codes: &mut [i16], at: usize, numbers: __m256) {
    let codes = &mut codes[at..at + LANES];
    let whole = _mm256_cvtps_epi32(numbers);
    let packed = _mm_packs_epi32(
        _mm256_castsi256_si128(whole),
        _mm256_extracti128_si256::<1>(whole),
    );
    // SAFETY: the slice has the 16 bytes that are written, and no alignment is asked for.
    unsafe { _mm_storeu_si128(codes.as_mut_ptr().cast(), packed) }
}
