//! The one loop that limits a search: the dot products of a query with rows of eight-bit numbers.
//!
//! Which instructions the processor has is asked once, when an index is made. Every way gives the same whole
//! numbers, so an answer never depends on the machine.

use crate::rows::{LINE, Line};

/// Numbers of a query lie between minus this and this: thirteen bits with their sign. So fine that the query's
/// rounding does not matter beside the rows', and so small that the largest sum, 127 x 4 095 for each of
/// [`crate::query::DIMENSION_MAX`] numbers, stays below 2^31.
pub(crate) const QUERY_MAX: f32 = 4_095.0;

/// As many numbers of a query as a [`Line`] has.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct QueryLine(pub(crate) [i16; LINE]);

/// The instructions that compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// AVX-512 with VNNI: sixty-four numbers in two steps.
    Avx512Vnni,
    /// AVX2: sixteen numbers a step.
    Avx2,
    /// Whatever the compiler makes of plain Rust, on every processor.
    Scalar,
}

impl Kernel {
    /// Every kernel, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512Vnni, Self::Avx2, Self::Scalar];

    /// The fastest one that this processor has.
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .find(|kernel| kernel.is_available())
            .unwrap_or(Self::Scalar)
    }

    /// Whether this processor has its instructions.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx512Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Scalar => true,
        }
        #[cfg(not(target_arch = "x86_64"))]
        matches!(self, Self::Scalar)
    }

    /// The dot product of the query with each row; `rows` holds `out.len()` rows of `query.len()` lines each.
    pub(crate) fn dots(self, rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx512Vnni => return x86::dots_avx512(rows, query, out),
            Self::Avx2 => return x86::dots_avx2(rows, query, out),
            Self::Scalar => {}
        }
        scalar(rows, query, out);
    }
}

/// The dot products in plain Rust: what the other kernels are compared with.
pub(crate) fn scalar(rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let lines = row.iter().zip(query);
        *out = lines
            .map(|(line, query)| {
                let numbers = line.0.iter().zip(&query.0);
                numbers.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
            })
            .sum();
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vector instructions of one kind of processor; each block says why it is sound"
)]
mod x86 {
    use super::{Kernel, QueryLine, scalar};
    use crate::rows::Line;
    use std::arch::x86_64::*;

    pub(super) fn dots_avx2(rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
        if Kernel::Avx2.is_available() {
            // SAFETY: the processor has AVX2, as was just asked.
            unsafe { avx2(rows, query, out) }
        } else {
            scalar(rows, query, out);
        }
    }

    pub(super) fn dots_avx512(rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
        if Kernel::Avx512Vnni.is_available() {
            // SAFETY: the processor has AVX-512 F, BW and VNNI, as was just asked.
            unsafe { avx512(rows, query, out) }
        } else {
            scalar(rows, query, out);
        }
    }

    #[target_feature(enable = "avx2")]
    fn avx2(rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
        for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
            let mut sums = [_mm256_setzero_si256(); 2];
            for (line, query) in row.iter().zip(query) {
                for part in 0..4 {
                    // SAFETY: a line is 64 bytes and 64-byte aligned; sixteen of them are read at 0, 16, 32 or 48.
                    let bytes = unsafe { _mm_load_si128(line.0.as_ptr().add(part * 16).cast()) };
                    // SAFETY: a query line is 64 numbers of two bytes, 64-byte aligned; sixteen numbers are read at
                    // 0, 16, 32 or 48.
                    let wide = unsafe { _mm256_load_si256(query.0.as_ptr().add(part * 16).cast()) };
                    let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), wide);
                    sums[part % 2] = _mm256_add_epi32(sums[part % 2], products);
                }
            }
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b0100_1110>(half));
            let last = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b1011_0001>(quarter));
            *out = _mm_cvtsi128_si32(last);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn avx512(rows: &[Line], query: &[QueryLine], out: &mut [i32]) {
        for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
            let mut sums = [_mm512_setzero_si512(); 2];
            for (line, query) in row.iter().zip(query) {
                for (part, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: a line is 64 bytes and 64-byte aligned; 32 of them are read at 0 or 32.
                    let bytes = unsafe { _mm256_load_si256(line.0.as_ptr().add(part * 32).cast()) };
                    // SAFETY: a query line is 64 numbers of two bytes, 64-byte aligned; 32 numbers are read at 0
                    // or 32.
                    let wide = unsafe { _mm512_load_si512(query.0.as_ptr().add(part * 32).cast()) };
                    *sum = _mm512_dpwssd_epi32(*sum, _mm512_cvtepi8_epi16(bytes), wide);
                }
            }
            *out = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]));
        }
    }
}
