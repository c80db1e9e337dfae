//! Answers from a language model.

use async_trait::async_trait;
use memory_model::{PromptContext, TokenUsage};
use std::time::Duration;

/// Why a model did not answer. One variant for each thing a person can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The provider wants a key and there is none.
    #[error(
        "{model} needs a key; set the variable of its provider, such as ANTHROPIC_API_KEY, and start again"
    )]
    KeyMissing {
        /// The model's name.
        model: String,
    },
    /// The key is wrong, has expired, or may not use this model.
    #[error("{model} refused the key; renew the variable that holds it, and start again")]
    KeyRefused {
        /// The model's name.
        model: String,
    },
    /// The server does not have this model.
    #[error("the server does not know {model}; choose another model in Settings")]
    ModelUnknown {
        /// The model's name.
        model: String,
    },
    /// Too many requests.
    #[error("{model} has received too many requests{}; try again then", after(.wait))]
    RateLimited {
        /// The model's name.
        model: String,
        /// How long to wait, where the server says so.
        wait: Option<Duration>,
    },
    /// The server is there and cannot answer now.
    #[error("{model} is overloaded{}; try again then", after(.wait))]
    Overloaded {
        /// The model's name.
        model: String,
        /// How long to wait, where the server says so.
        wait: Option<Duration>,
    },
    /// Nothing answers at the address.
    #[error("{model} cannot be reached; check that its server runs and that this machine is online")]
    Unreachable {
        /// The model's name.
        model: String,
    },
    /// The server was silent for too long.
    #[error("{model} did not answer in time; try again, or choose a faster model")]
    TimedOut {
        /// The model's name.
        model: String,
    },
    /// The stream ended in the middle; what came before stays.
    #[error("the answer of {model} broke off; try again")]
    BrokeOff {
        /// The model's name.
        model: String,
    },
    /// The prompt is longer than the model can read.
    #[error("the conversation is too long for {model}")]
    ContextFull {
        /// The model's name.
        model: String,
    },
    /// The answer has no words.
    #[error("{model} gave an empty answer; try again")]
    Empty {
        /// The model's name.
        model: String,
    },
    /// What came back is not an answer in the protocol.
    #[error("the answer of {model} could not be read; check the address of its server")]
    BadAnswer {
        /// The model's name.
        model: String,
    },
    /// Anything else.
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

fn after(wait: &Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| {
        format!(" and asks to wait {} seconds", wait.as_secs_f64().ceil())
    })
}

/// Receives an answer piece by piece.
#[async_trait]
pub trait AnswerSink: Send {
    /// The next piece. Returns `false` when the person stopped the answer: the model must end at once.
    async fn push(&mut self, piece: &str) -> bool;

    /// The model is asked again after this time.
    async fn waiting(&mut self, pause: Duration) {
        let _ = pause;
    }
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
    async fn answer(
        &self,
        prompt: &PromptContext,
        sink: &mut dyn AnswerSink,
    ) -> Result<TokenUsage, ChatError>;

    /// Shortens a text to about `words_max` words, for the summary of a long thread.
    ///
    /// # Errors
    /// See [`ChatError`].
    async fn summarise(&self, text: &str, words_max: usize) -> Result<String, ChatError>;
}
