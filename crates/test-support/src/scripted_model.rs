//! A language model that says what the test wrote.

use async_trait::async_trait;
use memory_model::{PromptContext, TokenUsage};
use ports::{AnswerSink, ChatError, ChatModel};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stands in for [`ChatModel`]: answers from a queue or by a closure on the prompt, word by word.
pub struct ScriptedModel {
    name: String,
    script: Script,
    seen: Mutex<Seen>,
}

/// Where the answers come from.
enum Script {
    /// In this order; an empty queue is a failure.
    Queue(Mutex<VecDeque<String>>),
    /// Made from the prompt.
    Closure(Box<dyn Fn(&PromptContext) -> String + Send + Sync>),
}

/// What was asked, and how the next answers go wrong.
#[derive(Default)]
struct Seen {
    prompts: Vec<PromptContext>,
    summarised: Vec<String>,
    fail_after: Option<usize>,
    fail_summaries: bool,
}

impl ScriptedModel {
    /// Gives these answers, one for each prompt; after the last one it fails.
    pub fn new<Answer: Into<String>>(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with_script(Script::Queue(Mutex::new(
            answers.into_iter().map(Into::into).collect(),
        )))
    }

    /// Gives the answer that `answer` makes from the prompt, as often as it is asked.
    pub fn answering(answer: impl Fn(&PromptContext) -> String + Send + Sync + 'static) -> Self {
        Self::with_script(Script::Closure(Box::new(answer)))
    }

    fn with_script(script: Script) -> Self {
        Self {
            name: "scripted model".to_owned(),
            script,
            seen: Mutex::default(),
        }
    }

    /// Adds an answer to the end of the queue; a closure stays as it is.
    pub fn push(&self, answer: impl Into<String>) {
        if let Script::Queue(queue) = &self.script {
            lock(queue).push_back(answer.into());
        }
    }

    /// From now on every answer breaks off after so many pieces; 0 fails before the first, `None` heals.
    pub fn fail_after(&self, pieces: Option<usize>) {
        lock(&self.seen).fail_after = pieces;
    }

    /// From now on every summary fails, or succeeds again.
    pub fn fail_summaries(&self, failing: bool) {
        lock(&self.seen).fail_summaries = failing;
    }

    /// The prompts that were answered or failed, oldest first.
    pub fn prompts(&self) -> Vec<PromptContext> {
        lock(&self.seen).prompts.clone()
    }

    /// The texts that were to be summarised, oldest first.
    pub fn summarised(&self) -> Vec<String> {
        lock(&self.seen).summarised.clone()
    }

    fn failed(&self, reason: &str) -> ChatError {
        ChatError::Failed {
            model: self.name.clone(),
            reason: reason.to_owned(),
        }
    }

    fn next_answer(&self, prompt: &PromptContext) -> Result<String, ChatError> {
        match &self.script {
            Script::Queue(queue) => lock(queue)
                .pop_front()
                .ok_or_else(|| self.failed("the script has no more answers")),
            Script::Closure(answer) => Ok(answer(prompt)),
        }
    }
}

/// Takes a lock; what a panicking test left behind is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ChatModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn answer(
        &self,
        prompt: &PromptContext,
        sink: &mut dyn AnswerSink,
    ) -> Result<TokenUsage, ChatError> {
        let fail_after = {
            let mut seen = lock(&self.seen);
            seen.prompts.push(prompt.clone());
            seen.fail_after
        };
        let answer = self.next_answer(prompt)?;
        for (index, piece) in answer.split_inclusive(' ').enumerate() {
            if fail_after.is_some_and(|pieces| index >= pieces) {
                return Err(self.failed("the script says that the stream breaks off"));
            }
            if !sink.push(piece).await {
                return Err(ChatError::Stopped);
            }
        }
        match fail_after {
            Some(_) => Err(self.failed("the script says that the stream breaks off")),
            None => Ok(TokenUsage::default()),
        }
    }

    async fn summarise(&self, text: &str, words_max: usize) -> Result<String, ChatError> {
        let mut seen = lock(&self.seen);
        seen.summarised.push(text.to_owned());
        if seen.fail_summaries {
            return Err(self.failed("the script says that summaries fail"));
        }
        Ok(text
            .split_whitespace()
            .take(words_max)
            .collect::<Vec<_>>()
            .join(" "))
    }
}

/// Collects an answer; stops the model after `stop_after` pieces where one is set.
#[derive(Debug, Default)]
pub struct PlainSink {
    /// The pieces, in order.
    pub pieces: Vec<String>,
    /// How many pieces the person reads before stopping; `None` reads all.
    pub stop_after: Option<usize>,
}

#[async_trait]
impl AnswerSink for PlainSink {
    async fn push(&mut self, piece: &str) -> bool {
        self.pieces.push(piece.to_owned());
        self.stop_after.is_none_or(|pieces| self.pieces.len() < pieces)
    }
}
