//! The model itself: word pieces, and the encoder that makes a vector of them.

use crate::candle::CandleEncoder;
use crate::chunks::{self, Word};
use crate::files::{self, FilesError};
use crate::forward::{Forward, ForwardError, Level, Precision, Shape, safetensors};
use crate::local::LocalModel;
use crate::tokens;
use crate::worker::TextModel;
use candle_transformers::models::bert::{Config, HiddenAct};
use embedding::ModelProfile;
use ports::{EmbedPurpose, EmbeddedTokens};
use std::path::Path;
use tokenizers::Tokenizer;

/// Word pieces that mark beginning and end, in each model we know.
const SPECIAL_TOKENS: usize = 2;

/// Why a model could not be made from its files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The files are not the right ones.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The files are the right ones and still no model; a fault of ours.
    #[error("`{file}` could not be understood: {reason}")]
    NotUnderstood { file: &'static str, reason: String },
}

/// Why the model failed on a text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    #[error("the text could not be cut into word pieces: {0}")]
    Tokenizer(String),
    #[error("the model could not be run: {0}")]
    Candle(#[from] candle_core::Error),
    #[error("the model could not be run: {0}")]
    Forward(#[from] ForwardError),
    #[error("the model made a vector that is not a number")]
    NotANumber,
}

/// A BERT model with its tokenizer.
pub(crate) struct BertEncoderModel {
    profile: &'static ModelProfile,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

/// What may run a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// The fast forward, and candle for a model that it does not know.
    Fast(Level, Precision),
    /// candle.
    Candle,
}

impl Runner {
    /// The quickest on this processor. candle is quicker than the fast forward without instructions of its own.
    /// Bytes are never replaced: their vectors belong into an index of their own.
    pub(crate) fn best(precision: Precision) -> Self {
        match Level::best() {
            level if level.is_fast() || precision != Precision::F32 => Self::Fast(level, precision),
            _ => Self::Candle,
        }
    }
}

/// What runs the model.
enum Encoder {
    /// The fast forward.
    Fast(Box<Forward>),
    /// candle, on a processor or for a model that the fast forward does not know.
    Candle(Box<CandleEncoder>),
}

impl BertEncoderModel {
    /// Checks and reads the files. Takes a fraction of a second; never call it on the async runtime.
    pub(crate) fn load(model: &LocalModel, dir: &Path) -> Result<Self, LoadError> {
        Self::load_with(model, dir, Runner::best(model.precision))
    }

    /// As [`Self::load`], with the choice of what runs it.
    pub(crate) fn load_with(model: &LocalModel, dir: &Path, runner: Runner) -> Result<Self, LoadError> {
        files::verify(dir, &model.files())?;
        let config: Config = serde_json::from_slice(&files::read(dir, "config.json")?)
            .map_err(|error| not_understood("config.json", &error))?;
        let tokenizer = load_tokenizer(&files::read(dir, "tokenizer.json")?)?;
        Ok(Self {
            profile: model.profile,
            tokenizer,
            encoder: Encoder::load(dir, &config, runner)?,
        })
    }

    /// See [`ports::Embedder::chunks`].
    pub(crate) fn chunks(&self, text: &str) -> Vec<String> {
        let tokens_max = self.content_tokens_max();
        // A word piece is at least one byte long, so a short text needs no counting.
        if text.len() <= tokens_max {
            return vec![text.to_owned()];
        }
        chunks::cut(text, &self.words(text), tokens_max, self.profile.overlap_tokens)
    }

    /// Word pieces that a chunk may have: without beginning and end, and room for the longer prefix (a byte
    /// of a prefix is at most one word piece).
    fn content_tokens_max(&self) -> usize {
        let prefix = self
            .profile
            .query_prefix
            .len()
            .max(self.profile.passage_prefix.len());
        self.profile.tokens_max - SPECIAL_TOKENS - prefix
    }

    /// The words of a text. A text that the tokenizer refuses has none.
    fn words(&self, text: &str) -> Vec<Word> {
        let Ok(encoding) = self.tokenizer.encode(text, false) else {
            return Vec::new();
        };
        let mut words: Vec<Word> = Vec::new();
        let mut previous = None;
        for (&(start, end), &word) in encoding.get_offsets().iter().zip(encoding.get_word_ids()) {
            match words.last_mut() {
                Some(last) if word.is_some() && word == previous => {
                    last.bytes.end = last.bytes.end.max(end);
                    last.tokens += 1;
                }
                _ => words.push(Word {
                    bytes: start..end,
                    tokens: 1,
                }),
            }
            previous = word;
        }
        words
    }
}

impl TextModel for BertEncoderModel {
    fn tokens(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError> {
        let prefix = self.profile.prefix(purpose);
        let encoding = if prefix.is_empty() {
            self.tokenizer.encode(text, true)
        } else {
            self.tokenizer.encode(format!("{prefix}{text}"), true)
        };
        let encoding = encoding.map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let mut ids = encoding.get_ids().to_vec();
        if ids.len() > self.profile.tokens_max {
            // The mark of the end stays the last.
            let end = ids.last().copied();
            ids.truncate(self.profile.tokens_max - 1);
            ids.extend(end);
        }
        Ok(ids)
    }

    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        let vectors = match &self.encoder {
            Encoder::Fast(forward) => forward.vectors(batch)?,
            Encoder::Candle(candle) => candle.vectors(batch)?,
        };
        if vectors.iter().flatten().all(|number| number.is_finite()) {
            Ok(vectors)
        } else {
            Err(ModelError::NotANumber)
        }
    }
    fn token_vectors(&self, text: &str, purpose: EmbedPurpose) -> Result<EmbeddedTokens, ModelError> {
        let prefix = self.profile.prefix(purpose);
        let encoding = (self.tokenizer.encode(format!("{prefix}{text}"), true))
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let ids = TextModel::tokens(self, text, purpose)?;
        let rows = match &self.encoder {
            Encoder::Fast(forward) => forward.rows(&ids)?,
            Encoder::Candle(candle) => candle.rows(&ids)?,
        };
        let special = encoding.get_special_tokens_mask();
        // A text that was cut keeps the mark of the end as its last row, which stands for no piece.
        let last = ids.len().saturating_sub(1);
        let place_of = |(place, &(start, end)): (usize, &(usize, usize))| {
            let is_piece = place < last && special.get(place) == Some(&0);
            let (start, end) = (start.checked_sub(prefix.len())?, end.checked_sub(prefix.len())?);
            is_piece.then_some(start..end)
        };
        let places = encoding.get_offsets().iter().enumerate().map(place_of);
        tokens::embedded(rows, places)
    }
}

impl Encoder {
    fn load(dir: &Path, config: &Config, runner: Runner) -> Result<Self, LoadError> {
        if let Runner::Fast(level, precision) = runner
            && config.hidden_act == HiddenAct::Gelu
        {
            let shape = Shape {
                hidden: config.hidden_size,
                intermediate: config.intermediate_size,
                heads: config.num_attention_heads,
                #[expect(clippy::cast_possible_truncation, reason = "a small number, such as 1e-12")]
                norm_epsilon: config.layer_norm_eps as f32,
            };
            let file = files::open(dir, "model.safetensors")?;
            match safetensors::read(&file, (level, precision), shape, config.num_hidden_layers) {
                Ok(forward) => {
                    tracing::debug!(level = level.name(), "the fast forward runs the model");
                    return Ok(Self::Fast(Box::new(forward)));
                }
                Err(error) if precision != Precision::F32 => {
                    return Err(not_understood("model.safetensors", &error));
                }
                Err(error) => tracing::warn!(%error, "the fast forward cannot run this model; candle does"),
            }
        }
        let weights = files::read(dir, "model.safetensors")?;
        let candle = CandleEncoder::new(weights, config)
            .map_err(|error| not_understood("model.safetensors", &error))?;
        Ok(Self::Candle(Box::new(candle)))
    }
}

/// The tokenizer without the limits in its file: this model's file cuts at 128 word pieces and fills up to
/// 128. We cut at the model's own limit and fill up to the longest text of a batch.
fn load_tokenizer(json: &[u8]) -> Result<Tokenizer, LoadError> {
    let mut tokenizer =
        Tokenizer::from_bytes(json).map_err(|error| not_understood("tokenizer.json", &error))?;
    tokenizer
        .with_truncation(None)
        .map_err(|error| not_understood("tokenizer.json", &error))?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

fn not_understood(file: &'static str, error: &dyn std::fmt::Display) -> LoadError {
    LoadError::NotUnderstood {
        file,
        reason: error.to_string(),
    }
}
