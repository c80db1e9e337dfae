//! Vectors of single word pieces, small enough to be kept for every text.

use std::ops::Range;

/// A text with the vector of each of its word pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedTokens {
    /// The vector of the whole text, as [`crate::Embedder::embed`] makes it.
    pub whole: Vec<f32>,
    /// Its word pieces in order, without marks of beginning and end and without a prefix of the model.
    pub tokens: Vec<TokenVector>,
}

/// A word piece.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenVector {
    /// Where it stands in the text, in bytes of its NFC form.
    pub bytes: Range<usize>,
    /// Its vector of length 1.
    pub numbers: Vec<f32>,
}

/// The vectors of the word pieces of one text, a byte a number: each row is its scale and its numbers from -127 to
/// 127, so that a number is off by at most 1/254 of the largest of its row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenMatrix {
    dimension: usize,
    scales: Vec<f32>,
    numbers: Vec<i8>,
}

/// Bytes of a scale in the stored form.
const SCALE_BYTES: usize = 4;

impl TokenMatrix {
    /// Rounds vectors of one length. Rows of another length than `dimension` are left out.
    pub fn of<'a>(dimension: usize, vectors: impl Iterator<Item = &'a [f32]>) -> Self {
        let mut matrix = Self {
            dimension,
            ..Self::default()
        };
        for vector in vectors.filter(|vector| vector.len() == dimension) {
            let largest = vector
                .iter()
                .fold(0.0_f32, |largest, number| largest.max(number.abs()));
            let scale = largest.max(f32::MIN_POSITIVE) / 127.0;
            matrix.scales.push(scale);
            #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
            let rounded = vector.iter().map(|number| (number / scale).round() as i8);
            matrix.numbers.extend(rounded);
        }
        matrix
    }

    /// How many word pieces there are.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The cosine of a vector of length 1 with the nearest word piece; `None` when there is none.
    pub fn nearest(&self, vector: &[f32]) -> Option<f32> {
        let rows = self.numbers.chunks_exact(self.dimension.max(1));
        (rows.zip(&self.scales))
            .map(|(row, scale)| scale * dot(vector, row))
            .reduce(f32::max)
    }

    /// Bytes of a word piece in the stored form.
    pub fn row_bytes(dimension: usize) -> usize {
        dimension + SCALE_BYTES
    }

    /// The form in which it is stored: for each row the scale (little-endian) and the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.scales.len() * (self.dimension + SCALE_BYTES));
        for (row, scale) in self.numbers.chunks_exact(self.dimension.max(1)).zip(&self.scales) {
            bytes.extend(scale.to_le_bytes());
            bytes.extend(row.iter().map(|number| number.cast_unsigned()));
        }
        bytes
    }

    /// Reads the stored form; `None` when it is not whole.
    pub fn from_bytes(dimension: usize, bytes: &[u8]) -> Option<Self> {
        let row_bytes = Self::row_bytes(dimension);
        if dimension == 0 || !bytes.len().is_multiple_of(row_bytes) {
            return None;
        }
        let mut matrix = Self {
            dimension,
            ..Self::default()
        };
        for row in bytes.chunks_exact(row_bytes) {
            let (scale, numbers) = row.split_first_chunk::<SCALE_BYTES>()?;
            let scale = f32::from_le_bytes(*scale);
            if !scale.is_finite() {
                return None;
            }
            matrix.scales.push(scale);
            matrix
                .numbers
                .extend(numbers.iter().map(|byte| byte.cast_signed()));
        }
        Some(matrix)
    }
}

/// Sixteen sums side by side, so that the compiler uses the vector unit.
fn dot(vector: &[f32], row: &[i8]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let ((vectors, vector_rest), (rows, row_rest)) = (vector.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    for (vector, row) in vectors.iter().zip(rows) {
        for lane in 0..LANES {
            sums[lane] += vector[lane] * f32::from(row[lane]);
        }
    }
    let rest: f32 = vector_rest
        .iter()
        .zip(row_rest)
        .map(|(a, b)| a * f32::from(*b))
        .sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(angle: f32) -> [f32; 4] {
        [angle.cos(), angle.sin(), 0.0, 0.0]
    }

    #[test]
    fn the_nearest_piece_is_found_and_rounding_hardly_matters() {
        let rows = [unit(0.0), unit(1.0), unit(2.5)];
        let matrix = TokenMatrix::of(4, rows.iter().map(|row| row.as_slice()));
        let near = matrix.nearest(&unit(1.2)).unwrap();
        assert!((near - 0.2_f32.cos()).abs() < 0.01, "{near}");
        let read = TokenMatrix::from_bytes(4, &matrix.to_bytes()).unwrap();
        assert_eq!(read, matrix);
        assert_eq!(matrix.to_bytes().len(), 3 * TokenMatrix::row_bytes(4));
    }

    #[test]
    fn what_is_not_whole_is_no_matrix() {
        let matrix = TokenMatrix::of(4, std::iter::once(unit(0.3).as_slice()));
        let bytes = matrix.to_bytes();
        assert_eq!(TokenMatrix::from_bytes(4, &bytes[1..]), None);
        assert_eq!(TokenMatrix::from_bytes(0, &bytes), None);
        let mut endless = bytes;
        endless[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
        assert_eq!(TokenMatrix::from_bytes(4, &endless), None);
        let empty = TokenMatrix::from_bytes(4, &[]).unwrap();
        assert!(empty.is_empty() && empty.nearest(&unit(0.0)).is_none());
        let other_length = TokenMatrix::of(4, [[1.0_f32; 3].as_slice()].into_iter());
        assert!(other_length.is_empty());
    }
}
