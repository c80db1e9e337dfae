//! What a provider's answer says, and whether it can be true.

use crate::place::Provider;
use ports::EmbedError;
use serde_json::Value;

/// Numbers that a vector may have; the largest model we know has 4,096.
const DIMENSION_MAX: usize = 16_384;

/// The vectors of an answer, each of length 1, in the order of the texts.
///
/// # Errors
/// `RequestFailed` with what is wrong with the answer; its text is not repeated, because it may hold anything.
pub(crate) fn read(
    provider: Provider,
    body: &[u8],
    texts: usize,
    dimension: Option<usize>,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let answer: Value =
        serde_json::from_slice(body).map_err(|_| failed("the server did not answer with JSON"))?;
    let rows = match provider {
        Provider::Cohere => answer
            .pointer("/embeddings/float")
            .and_then(Value::as_array)
            .map(|rows| rows.iter().enumerate().collect::<Vec<_>>()),
        _ => answer.get("data").and_then(Value::as_array).map(|rows| {
            let place = |(at, row): (usize, &Value)| {
                let said = row.get("index").and_then(Value::as_u64);
                said.map_or(at, |said| usize::try_from(said).unwrap_or(usize::MAX))
            };
            let vector = |row| Value::get(row, "embedding").unwrap_or(&Value::Null);
            rows.iter()
                .enumerate()
                .map(|(at, row)| (place((at, row)), vector(row)))
                .collect()
        }),
    };
    let rows = rows.ok_or_else(|| failed("the server's answer holds no vectors"))?;
    if rows.len() != texts {
        return Err(failed(format!(
            "the server sent {} vectors for {texts} texts",
            rows.len()
        )));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    let mut dimension = dimension;
    for (place, row) in rows {
        let vector = vector(row)?;
        let expected = *dimension.get_or_insert(vector.len());
        if vector.len() != expected {
            return Err(failed(format!(
                "the server sent a vector of {} numbers instead of {expected}",
                vector.len()
            )));
        }
        match vectors.get_mut(place) {
            Some(free @ None) => *free = Some(vector),
            _ => return Err(failed("the server sent two vectors for one text")),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

fn vector(row: &Value) -> Result<Vec<f32>, EmbedError> {
    let numbers = row
        .as_array()
        .ok_or_else(|| failed("the server sent something else than a vector"))?;
    if numbers.is_empty() || numbers.len() > DIMENSION_MAX {
        return Err(failed(format!(
            "the server sent a vector of {} numbers",
            numbers.len()
        )));
    }
    let vector: Option<Vec<f32>> = numbers
        .iter()
        .map(|number| {
            number
                .as_f64()
                .map(|number| number as f32)
                .filter(|x| x.is_finite())
        })
        .collect();
    let mut vector =
        vector.ok_or_else(|| failed("the server sent a vector with something that is no number"))?;
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_normal() {
        return Err(failed("the server sent a vector without a direction"));
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Ok(vector)
}

pub(crate) fn failed(reason: impl Into<String>) -> EmbedError {
    EmbedError::RequestFailed {
        reason: reason.into(),
    }
}
