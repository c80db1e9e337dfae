//! The twelve layers of the model: the fast forward, and candle on a processor without instructions for it.

use super::file::{E5File, FormatError, Shape};
use super::words::WordRows;
use crate::forward::encoder::ForwardBuilder;
use crate::forward::weights::{DenseWeights, EmbeddingWeights, LayerWeights, NormWeights, ShapeError};
use crate::forward::{Forward, Level, Precision};
use crate::model::{ModelError, Runner};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertEncoder, Config, PositionEmbeddingType};
use std::collections::HashMap;

/// Why the layers could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EncoderError {
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("its tensors do not fit together: {0}")]
    Tensors(#[from] candle_core::Error),
    #[error("its tensors do not fit together: {0}")]
    Shape(#[from] ShapeError),
}

/// The parts of a layer: its name in the file, its name in the Hugging Face layout that candle knows, whether
/// its first side is the wide one, and its second side (none for a layer norm).
const PARTS: [(&str, &str, Side, Option<Side>); 8] = [
    ("q", "attention.self.query", Side::Hidden, Some(Side::Hidden)),
    ("k", "attention.self.key", Side::Hidden, Some(Side::Hidden)),
    ("v", "attention.self.value", Side::Hidden, Some(Side::Hidden)),
    ("ao", "attention.output.dense", Side::Hidden, Some(Side::Hidden)),
    ("aln", "attention.output.LayerNorm", Side::Hidden, None),
    ("fi", "intermediate.dense", Side::FeedForward, Some(Side::Hidden)),
    ("fo", "output.dense", Side::Hidden, Some(Side::FeedForward)),
    ("oln", "output.LayerNorm", Side::Hidden, None),
];

#[derive(Clone, Copy)]
enum Side {
    Hidden,
    FeedForward,
}

impl Side {
    fn length(self, shape: &Shape) -> usize {
        match self {
            Self::Hidden => shape.hidden,
            Self::FeedForward => shape.feed_forward,
        }
    }
}

/// What runs the model.
pub(super) enum Encoder {
    /// The fast forward.
    Fast(Box<Forward>),
    /// candle.
    Candle(Box<CandleLayers>),
}

impl Encoder {
    /// Reads the layers and takes the file over for the word table.
    pub(super) fn load(file: E5File, runner: Runner) -> Result<Self, EncoderError> {
        match runner {
            Runner::Fast(level, precision) => Ok(Self::Fast(Box::new(fast(file, (level, precision))?))),
            Runner::Candle => Ok(Self::Candle(Box::new(CandleLayers::load(file)?))),
        }
    }

    /// The mean of the hidden states of each sequence, with or without length 1. No sequence is longer than the
    /// model's positions.
    pub(super) fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        match self {
            Self::Fast(forward) => Ok(forward.vectors(batch)?),
            Self::Candle(layers) => Ok(layers.means(batch)?),
        }
    }

    /// The last hidden state of each word piece of one text, which is no longer than the model's positions.
    pub(super) fn rows(&self, ids: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        match self {
            Self::Fast(forward) => Ok(forward.rows(ids)?),
            Self::Candle(layers) => Ok(layers.rows(ids)?),
        }
    }
}

/// Reads the layers into the fast forward, one after the other.
fn fast(mut file: E5File, level: (Level, Precision)) -> Result<Forward, EncoderError> {
    let shape = file.shape;
    let position = file.tensor("emb.pos", shape.positions * shape.hidden)?;
    let types = file.tensor("emb.type", 2 * shape.hidden)?;
    let norm = (
        file.tensor("emb.ln.w", shape.hidden)?,
        file.tensor("emb.ln.b", shape.hidden)?,
    );
    let place = WordRows::place(&file)?;
    let words = WordRows::new(file.file()?, place, shape.word_rows);
    let of_forward = crate::forward::Shape {
        hidden: shape.hidden,
        intermediate: shape.feed_forward,
        heads: shape.heads,
        norm_epsilon: shape.layer_norm_eps,
    };
    let embeddings = EmbeddingWeights {
        position: &position,
        token_type: types.get(..shape.hidden).unwrap_or(&types),
        norm: as_norm(&norm),
    };
    let mut builder = ForwardBuilder::new(level, of_forward, Box::new(words), &embeddings)?;
    for layer in 0..shape.layers {
        let mut pairs = Vec::with_capacity(PARTS.len());
        for (short, _, rows, columns) in PARTS {
            let rows = rows.length(&shape);
            let columns = columns.map_or(1, |side| side.length(&shape));
            let weight = file.tensor(&format!("l{layer}.{short}.w"), rows * columns)?;
            pairs.push((weight, file.tensor(&format!("l{layer}.{short}.b"), rows)?));
        }
        // In the order of `PARTS`.
        let [
            query,
            key,
            value,
            attention_output,
            attention_norm,
            intermediate,
            output,
            output_norm,
        ] = pairs.as_slice()
        else {
            continue;
        };
        builder = builder.layer(&LayerWeights {
            query: as_dense(query),
            key: as_dense(key),
            value: as_dense(value),
            attention_output: as_dense(attention_output),
            attention_norm: as_norm(attention_norm),
            intermediate: as_dense(intermediate),
            output: as_dense(output),
            output_norm: as_norm(output_norm),
        })?;
    }
    Ok(builder.finish())
}

fn as_dense((weight, bias): &(Vec<f32>, Vec<f32>)) -> DenseWeights<'_> {
    DenseWeights { weight, bias }
}

fn as_norm((weight, bias): &(Vec<f32>, Vec<f32>)) -> NormWeights<'_> {
    NormWeights { weight, bias }
}

/// The model from word pieces to hidden states, by candle.
pub(super) struct CandleLayers {
    words: WordRows,
    /// One row a position, the row of the only token type added to each.
    positions: Vec<f32>,
    norm_weight: Vec<f32>,
    norm_bias: Vec<f32>,
    norm_eps: f32,
    hidden: usize,
    layers: BertEncoder,
    device: Device,
}

impl CandleLayers {
    /// Reads the layers and takes the file over for the word table.
    fn load(mut file: E5File) -> Result<Self, EncoderError> {
        let shape = file.shape;
        let device = Device::Cpu;
        let tensors = layer_tensors(&mut file, &shape, &device)?;
        let layers = BertEncoder::load(
            VarBuilder::from_tensors(tensors, DType::F32, &device),
            &config(&shape),
        )?;
        let mut positions = file.tensor("emb.pos", shape.positions * shape.hidden)?;
        let types = file.tensor("emb.type", 2 * shape.hidden)?;
        for row in positions.chunks_exact_mut(shape.hidden) {
            row.iter_mut()
                .zip(&types)
                .for_each(|(sum, of_type)| *sum += of_type);
        }
        let norm_weight = file.tensor("emb.ln.w", shape.hidden)?;
        let norm_bias = file.tensor("emb.ln.b", shape.hidden)?;
        let place = WordRows::place(&file)?;
        Ok(Self {
            words: WordRows::new(file.file()?, place, shape.word_rows),
            positions,
            norm_weight,
            norm_bias,
            norm_eps: shape.layer_norm_eps,
            hidden: shape.hidden,
            layers,
            device,
        })
    }

    /// The mean of the hidden states of each sequence, not normalised. No sequence is longer than the model's
    /// positions.
    fn means(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, candle_core::Error> {
        let longest = batch.iter().map(|ids| ids.len()).max().unwrap_or_default();
        let mut embedded = Vec::with_capacity(batch.len() * longest * self.hidden);
        let mut mask = Vec::with_capacity(batch.len() * longest);
        for ids in batch {
            self.embed(ids, &mut embedded)?;
            let padding = longest - ids.len();
            embedded.resize(embedded.len() + padding * self.hidden, 0.0);
            mask.extend(std::iter::repeat_n(1_f32, ids.len()));
            mask.extend(std::iter::repeat_n(0_f32, padding));
        }
        let embedded = Tensor::from_vec(embedded, (batch.len(), longest, self.hidden), &self.device)?;
        let mask = Tensor::from_vec(mask, (batch.len(), longest), &self.device)?;
        // Added to the attention scores: nothing where there is a word piece, a very low number where not.
        let attention = mask.affine(-f64::from(f32::MIN), f64::from(f32::MIN))?;
        let attention = attention.unsqueeze(1)?.unsqueeze(1)?;
        let hidden = self.layers.forward(&embedded, &attention)?;
        let weights = mask.unsqueeze(2)?;
        hidden
            .broadcast_mul(&weights)?
            .sum(1)?
            .broadcast_div(&weights.sum(1)?)?
            .to_vec2::<f32>()
    }

    /// The last hidden state of each word piece of one sequence.
    fn rows(&self, ids: &[u32]) -> Result<Vec<Vec<f32>>, candle_core::Error> {
        let mut embedded = Vec::with_capacity(ids.len() * self.hidden);
        self.embed(ids, &mut embedded)?;
        let embedded = Tensor::from_vec(embedded, (1, ids.len(), self.hidden), &self.device)?;
        let attention = Tensor::zeros((1, 1, 1, ids.len()), DType::F32, &self.device)?;
        self.layers
            .forward(&embedded, &attention)?
            .squeeze(0)?
            .to_vec2::<f32>()
    }

    /// What goes into the first layer: word, position and token type, normalised, appended to `out`.
    fn embed(&self, ids: &[u32], out: &mut Vec<f32>) -> std::io::Result<()> {
        for (&id, position) in ids.iter().zip(self.positions.chunks_exact(self.hidden)) {
            let start = out.len();
            self.words.append(id, out)?;
            let row = out.get_mut(start..).unwrap_or_default();
            row.iter_mut()
                .zip(position)
                .for_each(|(sum, of_position)| *sum += of_position);
            let count = row.len() as f32;
            let mean = row.iter().sum::<f32>() / count;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
            let scale = (variance + self.norm_eps).sqrt().recip();
            for (x, (weight, bias)) in row.iter_mut().zip(self.norm_weight.iter().zip(&self.norm_bias)) {
                *x = (*x - mean) * scale * weight + bias;
            }
        }
        Ok(())
    }
}

fn layer_tensors(
    file: &mut E5File,
    shape: &Shape,
    device: &Device,
) -> Result<HashMap<String, Tensor>, EncoderError> {
    let mut tensors = HashMap::new();
    for layer in 0..shape.layers {
        for (short, long, rows, columns) in PARTS {
            let rows = rows.length(shape);
            let columns = columns.map(|side| side.length(shape));
            let weight = file.tensor(&format!("l{layer}.{short}.w"), rows * columns.unwrap_or(1))?;
            let weight = match columns {
                Some(columns) => Tensor::from_vec(weight, (rows, columns), device)?,
                None => Tensor::from_vec(weight, rows, device)?,
            };
            let bias = Tensor::from_vec(file.tensor(&format!("l{layer}.{short}.b"), rows)?, rows, device)?;
            tensors.insert(format!("layer.{layer}.{long}.weight"), weight);
            tensors.insert(format!("layer.{layer}.{long}.bias"), bias);
        }
    }
    Ok(tensors)
}

fn config(shape: &Shape) -> Config {
    Config {
        vocab_size: shape.word_rows,
        hidden_size: shape.hidden,
        num_hidden_layers: shape.layers,
        num_attention_heads: shape.heads,
        intermediate_size: shape.feed_forward,
        // The exact one with the error function, not its approximation by tanh.
        hidden_act: candle_transformers::models::bert::HiddenAct::Gelu,
        hidden_dropout_prob: 0.0,
        max_position_embeddings: shape.positions,
        type_vocab_size: 2,
        initializer_range: 0.02,
        layer_norm_eps: f64::from(shape.layer_norm_eps),
        pad_token_id: 0,
        position_embedding_type: PositionEmbeddingType::Absolute,
        use_cache: false,
        classifier_dropout: None,
        model_type: Some("bert".to_owned()),
    }
}
