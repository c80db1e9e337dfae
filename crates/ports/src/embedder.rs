//! Texts become vectors.

use crate::{EmbeddedTokens, EmbeddingSpace};
use async_trait::async_trait;

/// Why a text could not be embedded; the kinds of the settings spec, kept apart because each has its own remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model's files are missing, cut short, changed or unreadable.
    #[error("the embedding model could not be loaded: {reason}")]
    ModelLoadFailed {
        /// What is wrong and what to do about it.
        reason: String,
    },
    /// The source failed while it worked.
    #[error("the embedding failed: {reason}")]
    RequestFailed {
        /// What is wrong.
        reason: String,
    },
    /// There is no key, or the provider refuses it.
    #[error("the embedding provider has no valid key: {reason}")]
    NoKey {
        /// Which key, and what is wrong with it; never the key.
        reason: String,
    },
    /// The provider was asked too often.
    #[error("the embedding provider was asked too often{}", wait(*retry_after_seconds))]
    RateLimited {
        /// Seconds after which the provider wants to be asked again, if it says so.
        retry_after_seconds: Option<u64>,
    },
    /// The provider did not answer in time.
    #[error("the embedding provider did not answer in time")]
    Timeout,
    /// The work was given up because the app is closing.
    #[error("the embedding was cancelled")]
    Cancelled,
}

fn wait(seconds: Option<u64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!("; again in {seconds} s"))
}

/// What a text is embedded for. Some models ask for a different prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmbedPurpose {
    /// A question.
    Query,
    /// A text to be found.
    Passage,
}

/// A source of embeddings.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The space its vectors lie in.
    fn space(&self) -> &EmbeddingSpace;

    /// Cuts a text into the chunks that the model can read whole (at least one, also for an empty text).
    fn chunks(&self, text: &str) -> Vec<String>;

    /// One L2-normalised vector for each text, in order. Texts longer than a chunk are cut.
    ///
    /// # Errors
    /// See [`EmbedError`].
    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The vectors of each text and of its word pieces, in order; `None` from a source that gives whole texts only.
    ///
    /// # Errors
    /// See [`EmbedError`].
    async fn embed_tokens(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Option<Vec<EmbeddedTokens>>, EmbedError> {
        let _ = (texts, purpose);
        Ok(None)
    }
}
