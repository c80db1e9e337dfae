//! The vectors of word pieces, as every local model gives them.

use crate::model::ModelError;
use ports::{EmbeddedTokens, TokenVector};
use std::ops::Range;

/// Makes the answer for a text of its last hidden states, a row a word piece with the marks of beginning and end
/// among them. `places` says for each row where its piece stands in the text, `None` for a mark or a prefix.
pub(crate) fn embedded(
    rows: Vec<Vec<f32>>,
    places: impl Iterator<Item = Option<Range<usize>>>,
) -> Result<EmbeddedTokens, ModelError> {
    let mut whole = vec![0.0; rows.first().map_or(0, Vec::len)];
    for row in &rows {
        whole.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    let mut tokens = Vec::with_capacity(rows.len());
    for (row, bytes) in rows.into_iter().zip(places) {
        if let Some(bytes) = bytes {
            tokens.push(TokenVector {
                bytes,
                numbers: normalised(row)?,
            });
        }
    }
    Ok(EmbeddedTokens {
        whole: normalised(whole)?,
        tokens,
    })
}

/// A vector of length 1 in the same direction.
pub(crate) fn normalised(mut vector: Vec<f32>) -> Result<Vec<f32>, ModelError> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !length.is_normal() {
        return Err(ModelError::NotANumber);
    }
    vector.iter_mut().for_each(|number| *number /= length);
    Ok(vector)
}
