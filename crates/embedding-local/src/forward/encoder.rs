//! The encoder: from word pieces to one vector a text.

use super::attention::{self, AttentionRoom};
use super::kernels::{ByteLevel, Codes, Level, Norm};
use super::packed::{After, Dense};
use super::weights::{
    self, EmbeddingWeights, LayerWeights, NormWeights, Precision, Shape, ShapeError, WordRows,
};
use std::sync::{Mutex, PoisonError};

/// Rows that go through the feed-forward part together: their intermediate numbers stay in a 512 KiB L2 cache.
const FEED_FORWARD_ROWS: usize = 60;

/// Why a text has no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ForwardError {
    /// No word pieces at all: not even beginning and end.
    #[error("a text without word pieces has no vector")]
    Empty,
    /// More word pieces than the model has positions.
    #[error("{found} word pieces are more than the {positions} that the model can tell apart")]
    TooLong { found: usize, positions: usize },
    /// A word piece that the model's table does not have.
    #[error("word piece {0} is not in the model's table")]
    UnknownWord(u32),
}

/// A model that is ready to run.
pub(crate) struct Forward {
    level: Level,
    /// With it, the dense layers have 8 bits.
    bytes: Option<ByteLevel>,
    shape: Shape,
    words: Box<dyn WordRows>,
    /// Position and token type, added up.
    position: Vec<f32>,
    norm: OwnedNorm,
    layers: Vec<Layer>,
    room: Mutex<Room>,
}

struct Layer {
    qkv: Dense,
    attention_output: Dense,
    attention_norm: OwnedNorm,
    intermediate: Dense,
    output: Dense,
    output_norm: OwnedNorm,
}

struct OwnedNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

/// Where the numbers are while a batch runs; kept, because fresh memory costs more than a short text.
#[derive(Default)]
struct Room {
    hidden: Vec<f32>,
    qkv: Vec<f32>,
    attended: Vec<f32>,
    summed: Vec<f32>,
    attention: AttentionRoom,
    parts: Vec<PartRoom>,
}

/// What a thread needs for its rows.
#[derive(Default)]
struct PartRoom {
    intermediate: Vec<f32>,
    codes: Codes,
}

/// Rows that a thread takes at least: for fewer, reading the weights takes longer than multiplying them.
const PART_ROWS_MIN: usize = 8;

/// Rows of a part, so that every thread has one.
fn part_rows(tokens: usize) -> usize {
    tokens.div_ceil(rayon::current_num_threads()).max(PART_ROWS_MIN)
}

/// Works on all parts at once; a single one stays on this thread.
fn side_by_side<T: Send>(mut parts: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    if parts.len() == 1 {
        parts.by_ref().for_each(work);
        return;
    }
    let work = &work;
    rayon::scope(|scope| parts.for_each(|part| scope.spawn(move |_| work(part))));
}

/// Takes a model's weights layer by layer, so that a layer's plain numbers can go before the next ones come.
pub(crate) struct ForwardBuilder(Forward);

impl ForwardBuilder {
    /// Begins with everything before the first layer.
    pub(crate) fn new(
        (level, precision): (Level, Precision),
        shape: Shape,
        words: Box<dyn WordRows>,
        embeddings: &EmbeddingWeights<'_>,
    ) -> Result<Self, ShapeError> {
        let width = shape.hidden / shape.heads.max(1);
        if shape.hidden == 0
            || width * shape.heads != shape.hidden
            || !width.is_multiple_of(level.narrow_columns())
        {
            return Err(ShapeError::Unsupported(width));
        }
        let bytes = match precision {
            Precision::F32 => None,
            Precision::Int8 => Some(ByteLevel::beside(level).ok_or(ShapeError::NoBytes)?),
        };
        weights::check_size("token type", embeddings.token_type, shape.hidden)?;
        let positions = embeddings.position.len() / shape.hidden;
        weights::check_size("position", embeddings.position, positions * shape.hidden)?;
        let token_types = embeddings.token_type.iter().cycle();
        let position = embeddings
            .position
            .iter()
            .zip(token_types)
            .map(|(a, b)| a + b)
            .collect();
        Ok(Self(Forward {
            level,
            bytes,
            shape,
            words,
            position,
            norm: OwnedNorm::new(&shape, &embeddings.norm)?,
            layers: Vec::new(),
            room: Mutex::default(),
        }))
    }

    /// Adds a layer.
    pub(crate) fn layer(mut self, weights: &LayerWeights<'_>) -> Result<Self, ShapeError> {
        let Shape {
            hidden,
            intermediate,
            heads,
            ..
        } = self.0.shape;
        let levels = (self.0.level, self.0.bytes);
        // Scores are divided by the root of a head's width; dividing the queries once costs nothing.
        #[expect(clippy::cast_precision_loss, reason = "a width is far below 2^23")]
        let query_factor = 1.0 / ((hidden / heads) as f32).sqrt();
        for (tensor, part, expected) in [
            ("query", weights.query, hidden),
            ("key", weights.key, hidden),
            ("value", weights.value, hidden),
            ("attention output", weights.attention_output, hidden),
            ("intermediate", weights.intermediate, intermediate),
            ("output", weights.output, hidden),
        ] {
            weights::check_size(tensor, part.bias, expected)?;
        }
        let qkv = [
            (weights.query, query_factor),
            (weights.key, 1.0),
            (weights.value, 1.0),
        ];
        self.0.layers.push(Layer {
            qkv: Dense::new(levels, hidden, &qkv)?,
            attention_output: Dense::new(levels, hidden, &[(weights.attention_output, 1.0)])?,
            attention_norm: OwnedNorm::new(&self.0.shape, &weights.attention_norm)?,
            intermediate: Dense::new(levels, hidden, &[(weights.intermediate, 1.0)])?,
            output: Dense::new(levels, intermediate, &[(weights.output, 1.0)])?,
            output_norm: OwnedNorm::new(&self.0.shape, &weights.output_norm)?,
        });
        Ok(self)
    }

    /// The model, ready to run.
    pub(crate) fn finish(self) -> Forward {
        self.0
    }
}

impl Forward {
    /// The mean of the last hidden states of each text, with length 1. Texts lie one after the other and may have any
    /// lengths; one that is not a number comes out as it is.
    ///
    /// # Errors
    /// See [`ForwardError`]; then no text has a vector.
    pub(crate) fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ForwardError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let room = &mut *room;
        self.embed_words(batch, &mut room.hidden)?;
        for layer in &self.layers {
            self.run_layer(layer, batch, room);
        }
        Ok(self.means(batch, &room.hidden))
    }

    /// The last hidden state of each word piece of one text.
    ///
    /// # Errors
    /// See [`ForwardError`].
    pub(crate) fn rows(&self, ids: &[u32]) -> Result<Vec<Vec<f32>>, ForwardError> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let room = &mut *room;
        self.embed_words(&[ids], &mut room.hidden)?;
        for layer in &self.layers {
            self.run_layer(layer, &[ids], room);
        }
        Ok(room
            .hidden
            .chunks_exact(self.shape.hidden)
            .map(<[f32]>::to_vec)
            .collect())
    }

    /// The model's first hidden states.
    fn embed_words(&self, batch: &[&[u32]], hidden: &mut Vec<f32>) -> Result<(), ForwardError> {
        let width = self.shape.hidden;
        let positions = self.position.len() / width;
        hidden.clear();
        hidden.resize(batch.iter().map(|ids| ids.len()).sum::<usize>() * width, 0.0);
        let mut rows = hidden.chunks_exact_mut(width);
        for ids in batch {
            if ids.is_empty() {
                return Err(ForwardError::Empty);
            }
            if ids.len() > positions {
                return Err(ForwardError::TooLong {
                    found: ids.len(),
                    positions,
                });
            }
            for ((id, position), row) in ids.iter().zip(self.position.chunks_exact(width)).zip(&mut rows) {
                let place = usize::try_from(*id).unwrap_or(usize::MAX);
                if place >= self.words.rows() {
                    return Err(ForwardError::UnknownWord(*id));
                }
                self.words.read(place, row);
                row.iter_mut()
                    .zip(position)
                    .for_each(|(number, more)| *number += more);
            }
        }
        self.level.normalise(hidden, &self.norm.borrowed());
        Ok(())
    }

    fn run_layer(&self, layer: &Layer, batch: &[&[u32]], room: &mut Room) {
        let level = self.level;
        let width = self.shape.hidden;
        let tokens = room.hidden.len() / width;
        room.qkv.resize(tokens * 3 * width, 0.0);
        room.attended.resize(tokens * width, 0.0);
        room.summed.resize(tokens * width, 0.0);
        let rows = part_rows(tokens);
        room.parts.resize_with(tokens.div_ceil(rows), PartRoom::default);

        let parts = (room.hidden.chunks(rows * width))
            .zip(room.qkv.chunks_mut(rows * 3 * width))
            .zip(&mut room.parts);
        side_by_side(parts, |((hidden, qkv), part)| {
            layer
                .qkv
                .apply((level, &mut part.codes), hidden, qkv, After::Bias);
        });
        let mut begin = 0;
        for ids in batch {
            let end = begin + ids.len();
            attention::attend(
                level,
                &self.shape,
                &room.qkv[begin * 3 * width..end * 3 * width],
                &mut room.attended[begin * width..end * width],
                &mut room.attention,
            );
            begin = end;
        }
        let parts = (room.attended.chunks(rows * width))
            .zip(room.summed.chunks_mut(rows * width))
            .zip(room.hidden.chunks_mut(rows * width))
            .zip(&mut room.parts);
        side_by_side(parts, |(((attended, summed), hidden), part)| {
            self.after_attention(layer, attended, (summed, hidden), part);
        });
    }

    /// What follows attention; no row of it needs another.
    fn after_attention(
        &self,
        layer: &Layer,
        attended: &[f32],
        (summed, hidden): (&mut [f32], &mut [f32]),
        part: &mut PartRoom,
    ) {
        let level = self.level;
        let PartRoom { intermediate, codes } = part;
        let residual = After::Residual(hidden);
        layer
            .attention_output
            .apply((level, &mut *codes), attended, summed, residual);
        level.normalise(summed, &layer.attention_norm.borrowed());

        let width = self.shape.hidden;
        let rows = FEED_FORWARD_ROWS * width;
        intermediate.resize(FEED_FORWARD_ROWS * self.shape.intermediate, 0.0);
        for (summed, hidden) in summed.chunks(rows).zip(hidden.chunks_mut(rows)) {
            let intermediate = &mut intermediate[..summed.len() / width * self.shape.intermediate];
            layer
                .intermediate
                .apply((level, &mut *codes), summed, intermediate, After::Gelu);
            layer.output.apply(
                (level, &mut *codes),
                intermediate,
                hidden,
                After::Residual(summed),
            );
            level.normalise(hidden, &layer.output_norm.borrowed());
        }
    }

    fn means(&self, batch: &[&[u32]], hidden: &[f32]) -> Vec<Vec<f32>> {
        let width = self.shape.hidden;
        let mut rows = hidden.chunks_exact(width);
        let mut vectors = Vec::with_capacity(batch.len());
        for ids in batch {
            let mut sum = vec![0.0; width];
            for row in rows.by_ref().take(ids.len()) {
                sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
            // Dividing by the number of word pieces would change the length, which becomes 1 anyway.
            let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
            sum.iter_mut().for_each(|x| *x /= length);
            vectors.push(sum);
        }
        vectors
    }
}

impl OwnedNorm {
    fn new(shape: &Shape, weights: &NormWeights<'_>) -> Result<Self, ShapeError> {
        weights::check_size("layer normalisation weight", weights.weight, shape.hidden)?;
        weights::check_size("layer normalisation bias", weights.bias, shape.hidden)?;
        Ok(Self {
            weight: weights.weight.to_vec(),
            bias: weights.bias.to_vec(),
            epsilon: shape.norm_epsilon,
        })
    }

    fn borrowed(&self) -> Norm<'_> {
        Norm {
            weight: &self.weight,
            bias: &self.bias,
            epsilon: self.epsilon,
        }
    }
}
