//! A query as the index compares it, and the exact comparison with numbers of 32 bits.

use crate::compare::{QUERY_MAX, QueryLine};
use crate::rows::LINE;

/// Numbers of a vector at most: as many as the largest known embedding models make, and as many products of 127 and
/// 4 095 as a sum of 32 bits holds.
pub(crate) const DIMENSION_MAX: usize = 4_096;

/// The squared length that a kept vector may have at most. Kept vectors have length one; a number that was damaged
/// on the disk is often huge.
const SQUARED_LENGTH_MAX: f32 = 4.0;

/// A query, brought to length one.
#[derive(Clone, Debug)]
pub struct Query {
    exact: Vec<f32>,
    pub(crate) lines: Vec<QueryLine>,
    /// What a whole number of `lines` stands for.
    pub(crate) scale: f32,
}

impl Query {
    /// Gets a vector ready for comparison.
    pub fn new(vector: &[f32]) -> Self {
        let exact = normalised(vector);
        let largest = exact
            .iter()
            .fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = if largest > 0.0 { largest / QUERY_MAX } else { 1.0 };
        let line = |part: &[f32]| {
            let mut line = [0_i16; LINE];
            for (place, number) in line.iter_mut().zip(part) {
                #[expect(clippy::cast_possible_truncation, reason = "between -4095 and 4095")]
                let whole = (number / scale).round() as i16;
                *place = whole;
            }
            QueryLine(line)
        };
        let lines = exact.chunks(LINE).map(line).collect();
        Self { exact, lines, scale }
    }

    /// The numbers of 32 bits, of length one.
    pub fn numbers(&self) -> &[f32] {
        &self.exact
    }
}

/// The cosine of two vectors of length one: their dot product, between -1 and 1. Sixteen sums side by side, because
/// the compiler may not reorder one sum of floats and would add the numbers one by one.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let ((a_parts, a_rest), (b_parts, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_parts.iter().zip(b_parts) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums.iter().sum::<f32>() + rest).clamp(-1.0, 1.0)
}

/// A vector of length one in the same direction; a vector without a direction stays as it is.
pub fn normalised(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter().map(|number| number / length).collect()
    } else {
        vector.to_vec()
    }
}

/// Whether a vector can be kept and compared: of the space's length, every number finite, and not far longer than
/// one. What fails this was damaged or never was a vector of this space.
pub fn is_usable(vector: &[f32], dimension: usize) -> bool {
    let squared: f32 = vector.iter().map(|number| number * number).sum();
    // A number that is not finite makes the sum so, too.
    vector.len() == dimension && dimension <= DIMENSION_MAX && squared <= SQUARED_LENGTH_MAX
}
