//! The model from text to vector: pieces, windows, the mean over them, and length 1.

use super::encoder::{Encoder, EncoderError};
use super::file::{E5File, FormatError};
use super::tokenizer::Unigram;
use crate::chunks::{self, Word};
use crate::local::Chunker;
use crate::model::{ModelError, Runner};
use crate::tokens::{self, normalised};
use crate::worker::TextModel;
use embedding::ModelProfile;
use ports::{EmbedPurpose, EmbeddedTokens};
use std::ops::Range;
use std::path::Path;

/// Word pieces that mark beginning and end.
const SPECIAL_TOKENS: usize = 2;

/// Windows of a text that go through the model when somebody asks for one vector of a long text: 4,080 word
/// pieces, about six pages. What is stored is cut into chunks before and never comes near.
const WINDOWS_MAX: usize = 8;

/// The model with its tokenizer.
pub(crate) struct E5Model {
    profile: &'static ModelProfile,
    tokenizer: Unigram,
    encoder: Encoder,
}

impl E5Model {
    /// Reads the file, a fifth of a second. Whether it is the right one was checked before.
    pub(crate) fn load(
        profile: &'static ModelProfile,
        path: &Path,
        runner: Runner,
    ) -> Result<Self, EncoderError> {
        let mut file = E5File::open(path)?;
        if file.shape.hidden != profile.dimension || file.shape.positions < profile.tokens_max {
            let shape = format!(
                "{} numbers, {} positions",
                file.shape.hidden, file.shape.positions
            );
            return Err(FormatError::Inconsistent(shape).into());
        }
        let tokenizer = Unigram::new(
            std::mem::take(&mut file.vocabulary),
            std::mem::take(&mut file.replacements),
        )?;
        Ok(Self {
            profile,
            tokenizer,
            encoder: Encoder::load(file, runner)?,
        })
    }

    /// Word pieces that a chunk may have beside the longer prefix and the marks.
    fn content_tokens_max(&self) -> usize {
        let prefix = [self.profile.query_prefix, self.profile.passage_prefix]
            .iter()
            .map(|prefix| self.tokenizer.encode(prefix).len())
            .max();
        self.profile.tokens_max - SPECIAL_TOKENS - prefix.unwrap_or_default()
    }

    /// The words of a text with the word pieces that each has on its own.
    fn words(&self, text: &str) -> Vec<Word> {
        let word = |bytes: Range<usize>| {
            let tokens = self
                .tokenizer
                .encode(text.get(bytes.clone()).unwrap_or_default())
                .len();
            Word { bytes, tokens }
        };
        chunks::split_words(text).into_iter().map(word).collect()
    }
}

impl Chunker for E5Model {
    fn chunks(&self, text: &str) -> Vec<String> {
        let tokens_max = self.content_tokens_max();
        // A word piece stands for at least one character, and a space is one.
        if text.chars().count() < tokens_max {
            return vec![text.to_owned()];
        }
        chunks::cut(text, &self.words(text), tokens_max, self.profile.overlap_tokens)
    }
}

impl TextModel for std::sync::Arc<E5Model> {
    /// Windows of at most the model's length, one behind the other, each with its marks.
    fn tokens(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<u32>, ModelError> {
        let text = format!("{}{}", self.profile.prefix(purpose), text.trim());
        let content = self.tokenizer.encode(&text);
        let window = self.profile.tokens_max - SPECIAL_TOKENS;
        let mut ids = Vec::with_capacity(content.len() + SPECIAL_TOKENS);
        for content in content.chunks(window).take(WINDOWS_MAX) {
            ids.push(self.tokenizer.bos());
            ids.extend_from_slice(content);
            ids.push(self.tokenizer.eos());
        }
        Ok(ids)
    }

    fn vectors(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>, ModelError> {
        if batch.iter().all(|ids| ids.len() <= self.profile.tokens_max) {
            return self.encoder.vectors(batch)?.into_iter().map(normalised).collect();
        }
        batch.iter().map(|ids| self.long_vector(ids)).collect()
    }

    /// Of the first window.
    fn token_vectors(&self, text: &str, purpose: EmbedPurpose) -> Result<EmbeddedTokens, ModelError> {
        let prefix = self.profile.prefix(purpose);
        let bare = text.trim();
        let before = text.len() - text.trim_start().len();
        let mut pieces = self.tokenizer.encode_with_places(&format!("{prefix}{bare}"));
        pieces.truncate(self.profile.tokens_max - SPECIAL_TOKENS);
        let mut ids = Vec::with_capacity(pieces.len() + SPECIAL_TOKENS);
        ids.push(self.tokenizer.bos());
        ids.extend(pieces.iter().map(|(id, _)| *id));
        ids.push(self.tokenizer.eos());
        // A space may be a piece of its own; it stands for no word.
        let place_of = |(_, bytes): (u32, Range<usize>)| {
            if bytes.is_empty() {
                return None;
            }
            let start = bytes.start.checked_sub(prefix.len())?;
            Some(before + start..before + bytes.end.saturating_sub(prefix.len()))
        };
        // The rows of the marks stand before the pieces and behind them.
        let places = std::iter::once(None).chain(pieces.into_iter().map(place_of));
        tokens::embedded(self.encoder.rows(&ids)?, places)
    }
}

impl E5Model {
    /// The vector of a text of several windows: their mean, each weighing as much as it has content.
    fn long_vector(&self, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        let mut sum = vec![0_f32; self.profile.dimension];
        for window in ids.chunks(self.profile.tokens_max) {
            let weight = window.len().saturating_sub(SPECIAL_TOKENS) as f32;
            for mean in self.encoder.vectors(&[window])? {
                sum.iter_mut().zip(mean).for_each(|(sum, x)| *sum += x * weight);
            }
        }
        normalised(sum)
    }
}
