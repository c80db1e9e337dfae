//! Answers from a language model.

use async_trait::async_trait;
use memory_model::PromptContext;

/// Why a model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// It could not be reached, or it broke off.
    #[error("{model} did not answer: {reason}")]
    Failed {
        /// The model's name.
        model: String,
        /// What is wrong.
        reason: String,
    },
    /// The person stopped it.
    #[error("stopped")]
    Stopped,
}

/// Receives an answer piece by piece.
#[async_trait]
pub trait AnswerSink: Send {
    /// The next piece. Returns `false` when the person stopped the answer: the model must end at once.
    async fn push(&mut self, piece: &str) -> bool;
}

/// A language model.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The name on screens.
    fn name(&self) -> &str;

    /// Streams the answer to a prompt into `sink`.
    ///
    /// # Errors
    /// See [`ChatError`]; what was pushed before stays.
    async fn answer(&self, prompt: &PromptContext, sink: &mut dyn AnswerSink) -> Result<(), ChatError>;

    /// Shortens a text to about `words_max` words, for the summary of a long thread.
    ///
    /// # Errors
    /// See [`ChatError`].
    async fn summarise(&self, text: &str, words_max: usize) -> Result<String, ChatError>;
}
