//! Streams answers from a model behind a URL.

use crate::connection::Connection;
use crate::{failure, request, retry};
use async_trait::async_trait;
use futures::StreamExt as _;
use genai::Client;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent};
use memory_model::{PromptContext, TokenUsage};
use ports::{AnswerSink, ChatError, ChatModel};
use std::time::Duration;

/// How long a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server may take to begin an answer. A local model reads a long prompt for minutes on a small machine.
const HEADER_TIMEOUT: Duration = Duration::from_secs(180);

/// How long a stream may be silent. Models that think send heartbeats or their thoughts meanwhile.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(90);

/// A [`ChatModel`] behind a URL.
pub struct HostedModel {
    connection: Connection,
    name: String,
    client: Client,
    answer_tokens_max: u32,
}

impl HostedModel {
    /// A model that is called when it is first asked, and whose answers have at most `answer_tokens_max` tokens.
    ///
    /// # Errors
    /// When the HTTP client cannot be made, for example without certificates of the system.
    pub fn new(connection: Connection, answer_tokens_max: u32) -> Result<Self, ChatError> {
        let name = connection.name();
        // One provider of cryptography for the process; a second installation changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            // A redirect could carry the key and the conversation to another host.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| ChatError::Failed {
                model: name.clone(),
                reason: format!("the HTTP client could not be made: {error}"),
            })?;
        Ok(Self {
            client: Client::builder()
                .with_reqwest(http)
                .build()
                .map_err(|_| ChatError::Failed {
                    model: name.clone(),
                    reason: "the client could not be made".to_owned(),
                })?,
            connection,
            name,
            answer_tokens_max,
        })
    }

    /// One attempt. Returns the error together with whether anything was already shown.
    async fn attempt(
        &self,
        request: ChatRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<TokenUsage, (ChatError, bool)> {
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_max_tokens(self.answer_tokens_max)
            .with_stream_header_timeout(HEADER_TIMEOUT)
            .with_stream_read_timeout(SILENCE_TIMEOUT);
        let mut stream = self
            .client
            .exec_chat_stream(self.connection.target(), request, Some(&options))
            .await
            .map_err(|error| (failure::chat_error(&self.name, &error), false))?
            .stream;
        let mut shown = false;
        while let Some(event) = stream.next().await {
            match event {
                Ok(ChatStreamEvent::Chunk(chunk)) if !chunk.content.is_empty() => {
                    shown = true;
                    if !sink.push(&chunk.content).await {
                        return Err((ChatError::Stopped, true));
                    }
                }
                Ok(ChatStreamEvent::End(end)) => {
                    return if shown {
                        Ok(end
                            .captured_usage
                            .map(|usage| usage_of(&usage))
                            .unwrap_or_default())
                    } else {
                        Err((self.empty(), false))
                    };
                }
                Ok(_) => {}
                Err(error) => return Err((failure::chat_error(&self.name, &error), shown)),
            }
        }
        // The connection was closed before the protocol's own end.
        let model = self.name.clone();
        Err((ChatError::BrokeOff { model }, shown))
    }

    fn empty(&self) -> ChatError {
        ChatError::Empty {
            model: self.name.clone(),
        }
    }

    /// Attempts with pauses, until one succeeds, cannot succeed, or has shown something.
    async fn stream(&self, request: ChatRequest, sink: &mut dyn AnswerSink) -> Result<TokenUsage, ChatError> {
        if !self.connection.has_key() {
            return Err(ChatError::KeyMissing {
                model: self.name.clone(),
            });
        }
        let mut attempt = 1;
        loop {
            let error = match self.attempt(request.clone(), sink).await {
                Ok(usage) => return Ok(usage),
                // What is on the screen stays; a second answer below it would confuse.
                Err((error, true)) => return Err(error),
                Err((error, false)) => error,
            };
            let Some(pause) = retry::pause(&error, attempt) else {
                return Err(error);
            };
            tracing::info!(model = %self.name, attempt, pause_ms = pause.as_millis(), "the model is asked again");
            sink.waiting(pause).await;
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }
}

#[async_trait]
impl ChatModel for HostedModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn answer(
        &self,
        prompt: &PromptContext,
        sink: &mut dyn AnswerSink,
    ) -> Result<TokenUsage, ChatError> {
        self.stream(request::for_answer(prompt), sink).await
    }

    async fn summarise(&self, text: &str, words_max: usize) -> Result<String, ChatError> {
        let mut collected = Collected::default();
        self.stream(request::for_summary(text, words_max), &mut collected)
            .await?;
        Ok(collected.0)
    }
}

fn usage_of(usage: &genai::chat::Usage) -> TokenUsage {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u32::try_from(tokens).ok());
    let details = usage.prompt_tokens_details.as_ref();
    TokenUsage {
        prompt_tokens: count(usage.prompt_tokens),
        cached_tokens: count(details.and_then(|details| details.cached_tokens)),
        answer_tokens: count(usage.completion_tokens),
    }
}

/// An answer that nobody watches.
#[derive(Default)]
struct Collected(String);

#[async_trait]
impl AnswerSink for Collected {
    async fn push(&mut self, piece: &str) -> bool {
        self.0.push_str(piece);
        true
    }
}
