//! Reads a model of the BERT family from a `.safetensors` file, layer by layer.

use super::encoder::{Forward, ForwardBuilder};
use super::kernels::Level;
use super::weights::{
    DenseWeights, EmbeddingWeights, LayerWeights, NormWeights, Precision, Shape, ShapeError,
};
use super::words::{self, MappedWords};
use safetensors::{Dtype, SafeTensors};
use std::fs::File;

/// Why a file is no model for the fast forward.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("the file could not be mapped")]
    Map(#[source] std::io::Error),
    #[error("the file could not be understood")]
    Format(#[source] safetensors::SafeTensorError),
    #[error("`{0}` is not made of f32 numbers")]
    NotF32(String),
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Reads the model and rearranges it. The table of word pieces stays in the file.
pub(crate) fn read(
    file: &File,
    level: (Level, Precision),
    shape: Shape,
    layers: usize,
) -> Result<Forward, ReadError> {
    let map = words::map(file).map_err(ReadError::Map)?;
    let tensors = Tensors(SafeTensors::deserialize(&map).map_err(ReadError::Format)?);
    let table = tensors.bytes("embeddings.word_embeddings.weight")?;
    // Where the table lies in the file: a slice of the map, so this is the distance from its beginning.
    let offset = (table.as_ptr().addr() - map.as_ptr().addr()) as u64;
    let rows = table.len() / (shape.hidden * size_of::<f32>());
    let table = MappedWords::new(file, offset, rows, shape.hidden).map_err(ReadError::Map)?;

    let token_types = tensors.numbers("embeddings.token_type_embeddings.weight")?;
    let position = tensors.numbers("embeddings.position_embeddings.weight")?;
    let norm = tensors.pair("embeddings.LayerNorm")?;
    let embeddings = EmbeddingWeights {
        position: &position,
        token_type: token_types.get(..shape.hidden).unwrap_or(&token_types),
        norm: norm.as_norm(),
    };
    let mut builder = ForwardBuilder::new(level, shape, Box::new(table), &embeddings)?;
    for number in 0..layers {
        let pair = |name: &str| tensors.pair(&format!("encoder.layer.{number}.{name}"));
        builder = builder.layer(&LayerWeights {
            query: pair("attention.self.query")?.as_dense(),
            key: pair("attention.self.key")?.as_dense(),
            value: pair("attention.self.value")?.as_dense(),
            attention_output: pair("attention.output.dense")?.as_dense(),
            attention_norm: pair("attention.output.LayerNorm")?.as_norm(),
            intermediate: pair("intermediate.dense")?.as_dense(),
            output: pair("output.dense")?.as_dense(),
            output_norm: pair("output.LayerNorm")?.as_norm(),
        })?;
    }
    Ok(builder.finish())
}

struct Tensors<'a>(SafeTensors<'a>);

/// A weight and its bias.
struct Pair {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Tensors<'_> {
    fn bytes(&self, name: &str) -> Result<&[u8], ReadError> {
        let tensor = self.0.tensor(name).map_err(ReadError::Format)?;
        if tensor.dtype() != Dtype::F32 {
            return Err(ReadError::NotF32(name.to_owned()));
        }
        Ok(tensor.data())
    }

    fn numbers(&self, name: &str) -> Result<Vec<f32>, ReadError> {
        let (numbers, _) = self.bytes(name)?.as_chunks();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    fn pair(&self, name: &str) -> Result<Pair, ReadError> {
        Ok(Pair {
            weight: self.numbers(&format!("{name}.weight"))?,
            bias: self.numbers(&format!("{name}.bias"))?,
        })
    }
}

impl Pair {
    fn as_dense(&self) -> DenseWeights<'_> {
        DenseWeights {
            weight: &self.weight,
            bias: &self.bias,
        }
    }

    fn as_norm(&self) -> NormWeights<'_> {
        NormWeights {
            weight: &self.weight,
            bias: &self.bias,
        }
    }
}
