//! The model itself: word pieces, the BERT encoder, the mean over them, and length 1.

use crate::chunks::{self, Word};
use crate::files::{self, FilesError};
use crate::local::LocalModel;
use crate::worker::TextModel;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use embedding::ModelProfile;
use ports::EmbedPurpose;
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
    Forward(#[from] candle_core::Error),
    #[error("the model made a vector that is not a number")]
    NotANumber,
}

/// A BERT model with its tokenizer.
pub(crate) struct BertEncoderModel {
    profile: &'static ModelProfile,
    tokenizer: Tokenizer,
    bert: BertModel,
    device: Device,
}

impl BertEncoderModel {
    /// Checks and reads the files. Takes a fraction of a second; never call it on the async runtime.
    pub(crate) fn load(model: &LocalModel, dir: &Path) -> Result<Self, LoadError> {
        files::verify(dir, &model.files())?;
        let device = Device::Cpu;
        let config: Config = serde_json::from_slice(&files::read(dir, "config.json")?)
            .map_err(|error| not_understood("config.json", &error))?;
        let tokenizer = load_tokenizer(&files::read(dir, "tokenizer.json")?)?;
        // Read, not mapped: mapping is `unsafe`, because another program could change the file under us.
        let weights = files::read(dir, "model.safetensors")?;
        let bert = VarBuilder::from_buffered_safetensors(weights, DType::F32, &device)
            .and_then(|tensors| BertModel::load(tensors, &config))
            .map_err(|error| not_understood("model.safetensors", &error))?;
        Ok(Self {
            profile: model.profile,
            tokenizer,
            bert,
            device,
        })
    }

    /// See [`ports::Embedder::chunks`].
    pub(crate) fn chunks(&self, text: &str) -> Vec<String> {
        let tokens_max = self.content_tokens_max();
        // A word piece is at least one byte long, so a short text needs no counting.
        if text.len() <= tokens_max {
            return vec![text.to_owned()];
        }
        let words = self.words(text);
        if words.iter().map(|word| word.tokens).sum::<usize>() <= tokens_max {
            return vec![text.to_owned()];
        }
        chunks::windows(&words, tokens_max, self.profile.overlap_tokens)
            .into_iter()
            .filter_map(|window| {
                let words = words.get(window)?;
                let bytes = words.first()?.bytes.start..words.last()?.bytes.end;
                Some(text.get(bytes)?.to_owned())
            })
            .collect()
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
        let longest = batch.iter().map(|ids| ids.len()).max().unwrap_or_default();
        let mut ids = Vec::with_capacity(batch.len() * longest);
        let mut mask = Vec::with_capacity(batch.len() * longest);
        for text in batch {
            let padding = longest - text.len();
            ids.extend_from_slice(text);
            ids.extend(std::iter::repeat_n(0, padding));
            mask.extend(std::iter::repeat_n(1_f32, text.len()));
            mask.extend(std::iter::repeat_n(0_f32, padding));
        }
        let shape = (batch.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &self.device)?;
        let mask = Tensor::from_vec(mask, shape, &self.device)?;
        let hidden = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        // The mean over the real word pieces, beginning and end among them, as the model was trained.
        let weights = mask.unsqueeze(2)?;
        let mean = hidden
            .broadcast_mul(&weights)?
            .sum(1)?
            .broadcast_div(&weights.sum(1)?)?;
        mean.to_vec2::<f32>()?.into_iter().map(normalised).collect()
    }
}

fn normalised(mut vector: Vec<f32>) -> Result<Vec<f32>, ModelError> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_normal() {
        return Err(ModelError::NotANumber);
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Ok(vector)
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
