//! Vectors made from the words of a text alone.

use async_trait::async_trait;
use ports::{EmbedError, EmbedPurpose, EmbeddedTokens, Embedder, EmbeddingSpace, TokenVector};
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers in a vector: enough that a few words rarely meet, few enough to be read in a failing test.
const DIMENSION: usize = 64;

/// Stands in for an embedding model: a bag of hashed words (English word stems, Korean syllable pairs).
///
/// Texts that share words are near, texts that share none are far, and nothing is understood: "sofa" and
/// "couch" have nothing in common here. The same text gives the same vector on every machine.
#[derive(Debug)]
pub struct HashEmbedder {
    space: EmbeddingSpace,
    failing: AtomicBool,
}

impl HashEmbedder {
    /// An embedder that works.
    pub fn new() -> Self {
        let space = EmbeddingSpace {
            source: "test".to_owned(),
            model: "hashed-words".to_owned(),
            dimension: DIMENSION,
        };
        Self {
            space,
            failing: AtomicBool::new(false),
        }
    }

    /// Makes every embedding fail until it is switched off again.
    pub fn fail(&self, failing: bool) {
        self.failing.store(failing, Ordering::SeqCst);
    }

    fn works(&self) -> Result<(), EmbedError> {
        match self.failing.load(Ordering::SeqCst) {
            true => Err(EmbedError::RequestFailed {
                reason: "the test switched the embedder off".to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// The vector of one text; an empty text gets the first axis, so that every vector has length 1.
    pub fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; DIMENSION];
        for term in recall::terms::index_terms(text) {
            let hash = fnv1a(&term);
            // The place comes from the low bits and the sign from a high one, so that words that meet by
            // chance take away as often as they add.
            let place = usize::try_from(hash % DIMENSION as u64).unwrap_or(0);
            vector[place] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length == 0.0 {
            vector[0] = 1.0;
            return vector;
        }
        vector.iter_mut().for_each(|number| *number /= length);
        vector
    }
}

impl Default for HashEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

/// The 64-bit FNV-1a hash: unlike the hasher of the standard library it is the same in every version.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[async_trait]
impl Embedder for HashEmbedder {
    fn space(&self) -> &EmbeddingSpace {
        &self.space
    }

    fn chunks(&self, text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    async fn embed(&self, texts: &[String], _purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.works()?;
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }

    /// A word between spaces is a piece.
    async fn embed_tokens(
        &self,
        texts: &[String],
        _purpose: EmbedPurpose,
    ) -> Result<Option<Vec<EmbeddedTokens>>, EmbedError> {
        self.works()?;
        let pieces = |text: &String| {
            let mut tokens = Vec::new();
            let mut start = 0;
            for word in text.split_inclusive(char::is_whitespace) {
                let bare = word.trim_end();
                if !bare.is_empty() {
                    tokens.push(TokenVector {
                        bytes: start..start + bare.len(),
                        numbers: Self::vector(bare),
                    });
                }
                start += word.len();
            }
            EmbeddedTokens {
                whole: Self::vector(text),
                tokens,
            }
        };
        Ok(Some(texts.iter().map(pieces).collect()))
    }
}
