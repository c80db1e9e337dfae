//! [`Conversations`]: threads, messages and checkpoints.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::{audit_log, messages, threads, turns};
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::{
    AnsweredBy, CaptureMode, FinalOutput, Message, MessageId, MessageState, Node, Role, Thread, ThreadId,
    Timestamp, TurnId, TurnState, TurnView, UserId,
};
use ports::{AuditEntry, Conversations, NewMessage, StoreError, StoreResult, UnfinishedTurn};
use std::collections::HashMap;

/// One statement in a transaction of its own that survives the loss of power.
macro_rules! write_once {
    ($store:expr, $doing:expr, |$transaction:ident| $work:expr) => {{
        let mut writer = $store.inner.writer.lock().await;
        let mut $transaction = writer.begin(Durability::PowerLoss, $doing).await?;
        let value = $work.await?;
        $transaction.commit().await.doing($doing)?;
        Ok(value)
    }};
}

#[async_trait]
impl Conversations for SqliteStore {
    async fn create_thread(&self, owner: &UserId, thread: &Thread) -> StoreResult<()> {
        write_once!(self, "making a conversation", |transaction| threads::create(
            &mut transaction,
            owner,
            thread
        ))
    }

    async fn thread(&self, owner: &UserId, id: &ThreadId) -> StoreResult<Option<Thread>> {
        threads::one(&mut *self.reader("reading a conversation").await?, owner, id).await
    }

    async fn threads(
        &self,
        owner: &UserId,
        archived: bool,
        search: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<Thread>> {
        threads::list(
            &mut *self.reader("listing conversations").await?,
            owner,
            archived,
            search,
            limit,
        )
        .await
    }

    async fn rename_thread(&self, owner: &UserId, id: &ThreadId, title: &str) -> StoreResult<()> {
        write_once!(self, "renaming a conversation", |transaction| threads::rename(
            &mut transaction,
            owner,
            id,
            title
        ))
    }

    async fn set_thread_mode(
        &self,
        owner: &UserId,
        id: &ThreadId,
        capture: Option<CaptureMode>,
        recall: Option<bool>,
    ) -> StoreResult<()> {
        write_once!(self, "changing a conversation", |transaction| {
            threads::set_mode(&mut transaction, owner, id, capture, recall)
        })
    }

    async fn archive_thread(&self, owner: &UserId, id: &ThreadId, archived: bool) -> StoreResult<()> {
        write_once!(self, "putting a conversation away", |transaction| {
            threads::archive(&mut transaction, owner, id, archived)
        })
    }

    async fn delete_thread(
        &self,
        owner: &UserId,
        id: &ThreadId,
        deleted: bool,
        at: Timestamp,
    ) -> StoreResult<()> {
        let deleted_at = deleted.then_some(at);
        write_once!(self, "deleting a conversation", |transaction| {
            threads::delete(&mut transaction, owner, id, deleted_at)
        })
    }

    async fn purge_threads(&self, before: Timestamp) -> StoreResult<u32> {
        const DOING: &str = "erasing deleted conversations";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let erased = threads::purge(&mut transaction, before).await?;
        transaction.commit().await.doing(DOING)?;
        if erased > 0 {
            writer.empty_log(DOING).await?;
        }
        Ok(erased)
    }

    async fn append_message(&self, message: NewMessage) -> StoreResult<Message> {
        write_once!(self, "keeping a message", |transaction| async {
            threads::ensure(&mut transaction, &message.owner, &message.thread_id, message.at).await?;
            if let Some(known) = messages::by_id(&mut transaction, &message.id).await? {
                // An id that is taken in another thread is somebody else's message.
                let same = known.thread_id == message.thread_id;
                return if same {
                    Ok(known)
                } else {
                    Err(StoreError::Conflict { what: "message" })
                };
            }
            let title = (message.role == Role::User).then_some(message.text.as_str());
            threads::said(&mut transaction, &message.thread_id, message.at, title).await?;
            messages::append(&mut transaction, message).await
        })
    }

    async fn update_message(
        &self,
        id: &MessageId,
        text: &str,
        state: MessageState,
        answered_by: Option<&AnsweredBy>,
    ) -> StoreResult<()> {
        const DOING: &str = "keeping an answer";
        // A piece in between is soon followed by the next; the end of an answer is kept for good.
        let durability = match state {
            MessageState::Streaming => Durability::ProcessEnd,
            MessageState::Complete | MessageState::Stopped | MessageState::Interrupted => {
                Durability::PowerLoss
            }
        };
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(durability, DOING).await?;
        messages::update(&mut transaction, id, text, state, answered_by).await?;
        transaction.commit().await.doing(DOING)
    }

    async fn messages(&self, owner: &UserId, thread: &ThreadId, limit: u32) -> StoreResult<Vec<Message>> {
        messages::last(&mut *self.reader("reading messages").await?, owner, thread, limit).await
    }

    async fn memory_blocks(
        &self,
        owner: &UserId,
        thread: &ThreadId,
    ) -> StoreResult<HashMap<MessageId, String>> {
        turns::memory_blocks(&mut *self.reader("reading earlier prompts").await?, owner, thread).await
    }

    async fn messages_after(&self, owner: &UserId, thread: &ThreadId, seq: i64) -> StoreResult<Vec<Message>> {
        messages::after(&mut *self.reader("reading messages").await?, owner, thread, seq).await
    }

    async fn extraction_cursor(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<i64> {
        threads::cursor(&mut *self.reader("reading a conversation").await?, owner, thread).await
    }

    async fn written_ranges(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<(i64, i64)>> {
        threads::written_ranges(&mut *self.reader("reading a conversation").await?, owner, thread).await
    }

    async fn summary(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Option<(String, i64)>> {
        threads::summary(&mut *self.reader("reading a conversation").await?, owner, thread).await
    }

    async fn save_summary(
        &self,
        owner: &UserId,
        thread: &ThreadId,
        summary: &str,
        up_to: i64,
    ) -> StoreResult<()> {
        write_once!(self, "keeping a summary", |transaction| {
            threads::save_summary(&mut transaction, owner, thread, summary, up_to)
        })
    }

    async fn checkpoint(&self, state: &TurnState, next: Node) -> StoreResult<()> {
        const DOING: &str = "writing a checkpoint";
        let (Some(owner), Some(thread)) = (&state.user_id, &state.thread_id) else {
            // A turn without user or thread fails before anything of it is worth keeping.
            return Ok(());
        };
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
        threads::ensure(&mut transaction, owner, thread, state.started_at).await?;
        turns::save(&mut transaction, owner, thread, state, Ok(next)).await?;
        transaction.commit().await.doing(DOING)
    }

    async fn finish_turn(&self, state: &TurnState, output: &FinalOutput) -> StoreResult<()> {
        let Some(owner) = &state.user_id else {
            return Ok(());
        };
        write_once!(self, "ending a turn", |transaction| async {
            let ended_before = match &state.thread_id {
                Some(thread) => {
                    threads::ensure(&mut transaction, owner, thread, state.started_at).await?;
                    threads::move_cursor(&mut transaction, owner, thread, state.cursor).await?;
                    turns::save(&mut transaction, owner, thread, state, Err(output)).await?
                }
                None => false,
            };
            if !ended_before {
                audit_log::add(&mut transaction, &finished(owner, state, output)).await?;
            }
            Ok::<_, StoreError>(())
        })
    }

    async fn unfinished_turns(&self, owner: &UserId) -> StoreResult<Vec<UnfinishedTurn>> {
        turns::unfinished(&mut *self.reader("reading turns").await?, owner).await
    }

    async fn turn(&self, owner: &UserId, id: &TurnId) -> StoreResult<Option<(TurnState, Option<Node>)>> {
        turns::one(&mut *self.reader("reading a turn").await?, owner, id).await
    }

    async fn turns(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<TurnView>> {
        turns::of_thread(&mut *self.reader("reading turns").await?, owner, thread).await
    }
}

/// The audit record of a turn: counts and codes, no words.
fn finished(owner: &UserId, state: &TurnState, output: &FinalOutput) -> AuditEntry {
    let problems: Vec<_> = output
        .problems
        .iter()
        .map(|problem| (problem.code, problem.node))
        .collect();
    // The store reads no clock: the turn ended when its last node did.
    let millis: f32 = output.trace.iter().map(|step| step.millis).sum();
    AuditEntry {
        at: state.started_at.plus_millis(millis.round() as i64),
        owner: owner.clone(),
        action: "turn.finished".to_owned(),
        target: state.turn_id.to_string(),
        details: serde_json::json!({
            "status": output.status,
            "retrieved": output.retrieved_memories.len(),
            "stored": output.stored_updates.len(),
            "skipped": output.skipped_updates.len(),
            "waiting": output.review_updates.len(),
            "problems": problems,
            "change_id": output.change_id,
        }),
    }
}
