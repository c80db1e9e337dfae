//! `turns`: whole conversations through the real pipeline, a fresh store for each.

use super::world::engine;
use super::{Arguments, Measured, cases};
use anyhow::Result;
use async_trait::async_trait;
use memory_model::{PromptContext, ReviewStatus, Status, ThreadId, TokenUsage, TurnInput};
use ports::{AnswerSink, ChatError, ChatModel};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Deserialize)]
struct File {
    conversations: Vec<Conversation>,
}

#[derive(Deserialize)]
struct Conversation {
    id: String,
    messages: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    role: String,
    text: String,
}

/// A model that answers what the conversation's assistant says next.
#[derive(Default)]
struct Script(Mutex<VecDeque<String>>);

#[async_trait]
impl ChatModel for Script {
    fn name(&self) -> &str {
        "script"
    }

    async fn answer(
        &self,
        _prompt: &PromptContext,
        sink: &mut dyn AnswerSink,
    ) -> Result<TokenUsage, ChatError> {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        sink.push(&next.unwrap_or_else(|| "OK.".to_owned())).await;
        Ok(TokenUsage::default())
    }

    async fn summarise(&self, text: &str, words_max: usize) -> Result<String, ChatError> {
        Ok(text
            .split_whitespace()
            .take(words_max)
            .collect::<Vec<_>>()
            .join(" "))
    }
}

pub fn measure(arguments: &Arguments) -> Result<Measured> {
    let text = std::fs::read_to_string(cases::file(arguments, "turns.json")?)?;
    let file: File = serde_json::from_str(&text)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let lines: Vec<Value> = file
        .conversations
        .iter()
        .map(|conversation| runtime.block_on(play(conversation)))
        .collect::<Result<_>>()?;
    let figures = json!({ "conversations": lines.len() });
    Ok(Measured { lines, figures })
}

async fn play(conversation: &Conversation) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let script = Arc::new(Script::default());
    let engine = engine(folder.path(), Some(Arc::clone(&script) as Arc<dyn ChatModel>)).await?;
    let thread_id = ThreadId::generate();
    let mut turns = Vec::new();
    for (index, said) in conversation.messages.iter().enumerate() {
        if said.role != "user" {
            turns.push(json!({ "stored": [], "skipped": [], "review": [] }));
            continue;
        }
        if let Some(answer) = conversation
            .messages
            .get(index + 1)
            .filter(|next| next.role == "assistant")
        {
            script
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_back(answer.text.clone());
        }
        let output = engine
            .run_turn(TurnInput {
                input: said.text.clone(),
                user_id: Some(engine.user()),
                thread_id: Some(thread_id.clone()),
            })
            .await;
        engine.catch_up().await?;
        turns.push(json!({
            "stored": output.stored_updates.iter().map(|stored| &stored.text).collect::<Vec<_>>(),
            "skipped": output
                .skipped_updates
                .iter()
                .map(|skipped| json!({ "text": skipped.candidate, "reason": skipped.reason }))
                .collect::<Vec<_>>(),
            "review": output.review_updates.iter().map(|review| &review.text).collect::<Vec<_>>(),
        }));
    }
    let end = json!({
        "active": texts(&engine, Status::Active).await?,
        "superseded": texts(&engine, Status::Superseded).await?,
        "review": engine
            .list_review(ReviewStatus::Pending)
            .await?
            .iter()
            .filter_map(|item| item.waiting.candidate.as_ref())
            .map(|candidate| candidate.text.clone())
            .collect::<Vec<_>>(),
    });
    engine.close().await;
    Ok(json!({ "id": conversation.id, "turns": turns, "end": end }))
}

async fn texts(engine: &engine::Engine, status: Status) -> Result<Vec<String>> {
    let query = engine::MemoryQuery {
        statuses: vec![status],
        limit: 1_000,
        ..Default::default()
    };
    Ok(engine
        .list_memories(&query)
        .await?
        .rows
        .into_iter()
        .map(|row| row.memory.text)
        .collect())
}
