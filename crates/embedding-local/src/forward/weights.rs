//! What a model of the BERT family is made of, as plain numbers: any file format can be read into it.

use super::kernels::{ByteLevel, Level};

/// The measures of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Numbers of a hidden state.
    pub(crate) hidden: usize,
    /// Numbers between the two products of the feed-forward part.
    pub(crate) intermediate: usize,
    /// Attention heads; each has `hidden / heads` numbers.
    pub(crate) heads: usize,
    /// Added to the variance by each layer normalisation.
    pub(crate) norm_epsilon: f32,
}

/// How exact the products of a forward are. Vectors of different precisions do not belong into one index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// As the model was trained.
    #[default]
    F32,
    /// Weights and rows as whole numbers of 8 bits: quicker and a quarter of the memory, a little less exact. Needs AVX2,
    /// or AVX-512 with VNNI.
    Int8,
}

impl Precision {
    /// Whether this processor has kernels for it.
    pub fn is_quick_here(self) -> bool {
        let level = Level::best();
        match self {
            Self::F32 => level.is_fast(),
            Self::Int8 => ByteLevel::beside(level).is_some(),
        }
    }
}

/// The table of word pieces. It may stay on disk or in fewer bits: a row is asked for when a text has its word.
pub(crate) trait WordRows: Send + Sync {
    /// Word pieces in the table.
    fn rows(&self) -> usize;

    /// Writes the row of a word piece, `hidden` numbers; `id` is below [`Self::rows`].
    fn read(&self, id: usize, row: &mut [f32]);
}

/// What is added to a word's row, and the normalisation of the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbeddingWeights<'a> {
    /// `[positions, hidden]`, one row after the other.
    pub(crate) position: &'a [f32],
    /// `[hidden]`: the row of the first token type; sentence encoders use no other.
    pub(crate) token_type: &'a [f32],
    pub(crate) norm: NormWeights<'a>,
}

/// A layer normalisation, `[hidden]` each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormWeights<'a> {
    pub(crate) weight: &'a [f32],
    pub(crate) bias: &'a [f32],
}

/// A dense layer: `weight` is `[out, in]`, one row after the other (as PyTorch keeps it), `bias` is `[out]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseWeights<'a> {
    pub(crate) weight: &'a [f32],
    pub(crate) bias: &'a [f32],
}

/// One layer of the encoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerWeights<'a> {
    pub(crate) query: DenseWeights<'a>,
    pub(crate) key: DenseWeights<'a>,
    pub(crate) value: DenseWeights<'a>,
    /// `attention.output.dense`.
    pub(crate) attention_output: DenseWeights<'a>,
    /// `attention.output.LayerNorm`.
    pub(crate) attention_norm: NormWeights<'a>,
    /// `intermediate.dense`.
    pub(crate) intermediate: DenseWeights<'a>,
    /// `output.dense`.
    pub(crate) output: DenseWeights<'a>,
    /// `output.LayerNorm`.
    pub(crate) output_norm: NormWeights<'a>,
}

/// Why weights cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShapeError {
    /// A tensor has another size than the model's measures say.
    #[error("`{tensor}` has {found} numbers instead of {expected}")]
    WrongSize {
        tensor: &'static str,
        found: usize,
        expected: usize,
    },
    /// This processor has no kernels for bytes.
    #[error("this processor cannot multiply bytes quickly")]
    NoBytes,
    /// The measures do not go into the kernels' registers.
    #[error("a model with {0} columns does not go into the registers of this processor")]
    Unsupported(usize),
}

pub(crate) fn check_size(tensor: &'static str, numbers: &[f32], expected: usize) -> Result<(), ShapeError> {
    if numbers.len() == expected {
        return Ok(());
    }
    Err(ShapeError::WrongSize {
        tensor,
        found: numbers.len(),
        expected,
    })
}
