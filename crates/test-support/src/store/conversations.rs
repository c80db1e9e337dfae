//! Threads, messages and checkpoints.

use super::InMemoryStore;
use super::state::{State, ThreadRow, TurnRow};
use async_trait::async_trait;
use memory_model::{
    AnsweredBy, CaptureMode, FinalOutput, Message, MessageId, MessageState, Node, Thread, ThreadId,
    Timestamp, TurnId, TurnState, TurnView, UserId, cut_chars,
};
use ports::{AuditEntry, Conversations, NewMessage, StoreError, StoreResult, UnfinishedTurn};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Characters of the first message that name a thread.
const TITLE_CHARS_MAX: usize = 60;
/// Characters of the last message that a list of threads shows.
const SNIPPET_CHARS_MAX: usize = 120;

#[async_trait]
impl Conversations for InMemoryStore {
    async fn create_thread(&self, owner: &UserId, thread: &Thread) -> StoreResult<()> {
        let mut state = self.to_write("making a thread")?;
        if state.threads.contains_key(&thread.id) {
            return Err(StoreError::Conflict { what: "thread" });
        }
        state
            .threads
            .insert(thread.id.clone(), row(owner, thread.clone()));
        Ok(())
    }

    async fn thread(&self, owner: &UserId, id: &ThreadId) -> StoreResult<Option<Thread>> {
        let state = self.to_read("reading a thread")?;
        let row = state
            .threads
            .get(id)
            .filter(|row| &row.owner == owner && row.deleted_at.is_none());
        Ok(row.map(|row| state.shown(row)))
    }

    async fn threads(
        &self,
        owner: &UserId,
        archived: bool,
        search: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<Thread>> {
        let state = self.to_read("listing threads")?;
        let mut threads: Vec<Thread> = state
            .threads
            .values()
            .filter(|row| &row.owner == owner && row.deleted_at.is_none() && row.thread.archived == archived)
            .filter(|row| {
                search.is_none_or(|search| !row.thread.temporary && holds(&state, &row.thread, search))
            })
            .map(|row| state.shown(row))
            .collect();
        threads.sort_by_key(|thread| Reverse((thread.updated_at, thread.id.clone())));
        threads.truncate(limit as usize);
        Ok(threads)
    }

    async fn rename_thread(&self, owner: &UserId, id: &ThreadId, title: &str) -> StoreResult<()> {
        own(&mut *self.to_write("renaming a thread")?, owner, id)?
            .thread
            .title = title.to_owned();
        Ok(())
    }

    async fn set_thread_mode(
        &self,
        owner: &UserId,
        id: &ThreadId,
        capture: Option<CaptureMode>,
        recall: Option<bool>,
    ) -> StoreResult<()> {
        let mut state = self.to_write("changing a thread")?;
        let thread = &mut own(&mut state, owner, id)?.thread;
        (thread.capture, thread.recall) = (capture, recall);
        Ok(())
    }

    async fn archive_thread(&self, owner: &UserId, id: &ThreadId, archived: bool) -> StoreResult<()> {
        own(&mut *self.to_write("putting a thread away")?, owner, id)?
            .thread
            .archived = archived;
        Ok(())
    }

    async fn delete_thread(
        &self,
        owner: &UserId,
        id: &ThreadId,
        deleted: bool,
        at: Timestamp,
    ) -> StoreResult<()> {
        own(&mut *self.to_write("deleting a thread")?, owner, id)?.deleted_at = deleted.then_some(at);
        Ok(())
    }

    async fn purge_threads(&self, before: Timestamp) -> StoreResult<u32> {
        let mut state = self.to_write("erasing threads")?;
        let count = state.threads.len();
        state
            .threads
            .retain(|_, row| row.deleted_at.is_none_or(|deleted| deleted >= before));
        let State {
            threads,
            messages,
            turns,
            ..
        } = &mut *state;
        messages.retain(|message| threads.contains_key(&message.thread_id));
        turns.retain(|turn| {
            turn.state
                .thread_id
                .as_ref()
                .is_some_and(|id| threads.contains_key(id))
        });
        Ok(u32::try_from(count - threads.len()).unwrap_or(u32::MAX))
    }

    async fn append_message(&self, message: NewMessage) -> StoreResult<Message> {
        let mut state = self.to_write("appending a message")?;
        append(&mut state, message)
    }

    async fn update_message(
        &self,
        id: &MessageId,
        text: &str,
        message_state: MessageState,
        answered_by: Option<&AnsweredBy>,
    ) -> StoreResult<()> {
        let mut state = self.to_write("changing a message")?;
        let State {
            messages, threads, ..
        } = &mut *state;
        let Some(place) = messages.iter().position(|message| &message.id == id) else {
            return Err(StoreError::NotFound { what: "message" });
        };
        let message = &mut messages[place];
        message.text = text.to_owned();
        message.state = message_state;
        message.answered_by = answered_by.cloned().or(message.answered_by.take());
        let thread_id = message.thread_id.clone();
        let last = messages
            .iter()
            .skip(place + 1)
            .all(|later| later.thread_id != thread_id);
        if last && let Some(row) = threads.get_mut(&thread_id) {
            row.thread.snippet = cut_chars(text, SNIPPET_CHARS_MAX).to_owned();
        }
        Ok(())
    }

    async fn messages(&self, owner: &UserId, thread: &ThreadId, limit: u32) -> StoreResult<Vec<Message>> {
        let mut messages = spoken(&*self.to_read("reading messages")?, owner, thread, i64::MIN);
        let earlier = messages.len().saturating_sub(limit as usize);
        Ok(messages.split_off(earlier))
    }

    async fn memory_blocks(
        &self,
        owner: &UserId,
        thread: &ThreadId,
    ) -> StoreResult<HashMap<MessageId, String>> {
        let state = self.to_read("reading earlier prompts")?;
        Ok(state
            .turns
            .iter()
            .filter(|row| {
                row.state.user_id.as_ref() == Some(owner) && row.state.thread_id.as_ref() == Some(thread)
            })
            .filter_map(|row| {
                let block = &row.state.prompt_context.memory_block;
                let message = row.state.user_message.clone()?;
                (!block.is_empty()).then(|| (message, block.clone()))
            })
            .collect())
    }

    async fn messages_after(&self, owner: &UserId, thread: &ThreadId, seq: i64) -> StoreResult<Vec<Message>> {
        Ok(spoken(&*self.to_read("reading messages")?, owner, thread, seq))
    }

    async fn extraction_cursor(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<i64> {
        let state = self.to_read("reading the extraction cursor")?;
        Ok(state
            .threads
            .get(thread)
            .filter(|row| &row.owner == owner)
            .map_or(0, |row| row.cursor))
    }

    async fn written_ranges(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<(i64, i64)>> {
        let state = self.to_read("reading a thread")?;
        let row = state.threads.get(thread).filter(|row| &row.owner == owner);
        Ok(row.map(|row| row.written_ranges.clone()).unwrap_or_default())
    }

    async fn summary(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Option<(String, i64)>> {
        let state = self.to_read("reading a summary")?;
        Ok(state
            .threads
            .get(thread)
            .filter(|row| &row.owner == owner)
            .and_then(|row| row.summary.clone()))
    }

    async fn save_summary(
        &self,
        owner: &UserId,
        thread: &ThreadId,
        summary: &str,
        up_to: i64,
    ) -> StoreResult<()> {
        let mut state = self.to_write("keeping a summary")?;
        own(&mut state, owner, thread)?.summary = Some((summary.to_owned(), up_to));
        Ok(())
    }

    async fn checkpoint(&self, turn: &TurnState, next: Node) -> StoreResult<()> {
        let mut state = self.to_write("keeping the state of a turn")?;
        keep_turn(&mut state, turn, Some(next), FinalOutput::default());
        Ok(())
    }

    async fn finish_turn(&self, turn: &TurnState, output: &FinalOutput) -> StoreResult<()> {
        let mut state = self.to_write("finishing a turn")?;
        keep_turn(&mut state, turn, None, output.clone());
        let Some(owner) = &turn.user_id else { return Ok(()) };
        if let Some(thread) = &turn.thread_id {
            state.move_cursor(owner, thread, turn.cursor);
        }
        state.audit.push(AuditEntry {
            at: turn.started_at,
            owner: owner.clone(),
            action: "turn.finished".to_owned(),
            target: turn.turn_id.as_str().to_owned(),
            details: serde_json::json!({
                "status": output.status,
                "stored": output.stored_updates.len(),
                "skipped": output.skipped_updates.len(),
                "waiting": output.review_updates.len(),
                "problems": output.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(),
            }),
        });
        Ok(())
    }

    async fn unfinished_turns(&self, owner: &UserId) -> StoreResult<Vec<UnfinishedTurn>> {
        let state = self.to_read("reading unfinished turns")?;
        let mut turns: Vec<UnfinishedTurn> = state
            .turns
            .iter()
            .filter(|row| row.state.user_id.as_ref() == Some(owner))
            .filter_map(|row| {
                row.next.map(|next| UnfinishedTurn {
                    state: row.state.clone(),
                    next,
                })
            })
            .collect();
        turns.sort_by_key(|turn| turn.state.started_at);
        Ok(turns)
    }

    async fn turn(&self, owner: &UserId, id: &TurnId) -> StoreResult<Option<(TurnState, Option<Node>)>> {
        let state = self.to_read("reading a turn")?;
        let mut own = state
            .turns
            .iter()
            .filter(|row| row.state.user_id.as_ref() == Some(owner));
        Ok(own
            .find(|row| &row.state.turn_id == id)
            .map(|row| (row.state.clone(), row.next)))
    }

    async fn turns(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<TurnView>> {
        let state = self.to_read("reading the turns of a thread")?;
        let mut rows: Vec<&TurnRow> = state
            .turns
            .iter()
            .filter(|row| {
                row.state.user_id.as_ref() == Some(owner) && row.state.thread_id.as_ref() == Some(thread)
            })
            .collect();
        rows.sort_by_key(|row| row.state.started_at);
        // A turn without a message was refused before it reached the thread, so the chat has no place for it.
        let view = |row: &TurnRow| {
            let user_message = row.state.user_message.clone()?;
            let turn_id = row.state.turn_id.clone();
            Some(TurnView {
                turn_id,
                user_message,
                next: row.next,
                output: row.output.clone(),
            })
        };
        Ok(rows.into_iter().filter_map(view).collect())
    }
}

fn row(owner: &UserId, thread: Thread) -> ThreadRow {
    ThreadRow {
        thread,
        owner: owner.clone(),
        deleted_at: None,
        cursor: 0,
        summary: None,
        written_ranges: Vec::new(),
    }
}

/// A thread of an owner, also a deleted one.
fn own<'a>(state: &'a mut State, owner: &UserId, id: &ThreadId) -> StoreResult<&'a mut ThreadRow> {
    let row = state.threads.get_mut(id).filter(|row| &row.owner == owner);
    row.ok_or(StoreError::NotFound { what: "thread" })
}

/// Whether the title or a message of a thread holds a text; capital letters make no difference.
fn holds(state: &State, thread: &Thread, search: &str) -> bool {
    let search = search.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&search);
    let mut said = state
        .messages
        .iter()
        .filter(|message| message.thread_id == thread.id);
    holds(&thread.title) || said.any(|message| holds(&message.text))
}

fn append(state: &mut State, new: NewMessage) -> StoreResult<Message> {
    if let Some(message) = state.messages.iter().find(|message| message.id == new.id) {
        return Ok(message.clone());
    }
    let title = cut_chars(new.text.trim(), TITLE_CHARS_MAX).to_owned();
    let made = state.threads.entry(new.thread_id.clone()).or_insert_with(|| {
        let thread = Thread {
            id: new.thread_id.clone(),
            title: String::new(),
            snippet: String::new(),
            created_at: new.at,
            updated_at: new.at,
            archived: false,
            temporary: false,
            capture: None,
            recall: None,
            waiting: 0,
        };
        row(&new.owner, thread)
    });
    if made.owner != new.owner {
        return Err(StoreError::NotFound { what: "thread" });
    }
    if made.thread.title.is_empty() {
        made.thread.title = title;
    }
    made.thread.updated_at = new.at;
    made.thread.snippet = cut_chars(&new.text, SNIPPET_CHARS_MAX).to_owned();
    let message = Message {
        id: new.id,
        thread_id: new.thread_id,
        seq: state.last_seq + 1,
        role: new.role,
        text: new.text,
        created_at: new.at,
        state: new.state,
        answered_by: None,
        turn_id: new.turn_id,
    };
    state.last_seq = message.seq;
    state.messages.push(message.clone());
    Ok(message)
}

/// What was said in a thread of an owner after a sequence number, oldest first.
fn spoken(state: &State, owner: &UserId, thread: &ThreadId, after: i64) -> Vec<Message> {
    let own = state.threads.get(thread).is_some_and(|row| &row.owner == owner);
    let said = state
        .messages
        .iter()
        .filter(|message| own && &message.thread_id == thread && message.seq > after);
    said.cloned().collect()
}

fn keep_turn(state: &mut State, turn: &TurnState, next: Option<Node>, output: FinalOutput) {
    let kept = TurnRow {
        state: TurnState {
            messages: Vec::new(),
            ..turn.clone()
        },
        next,
        output,
    };
    match state
        .turns
        .iter_mut()
        .find(|row| row.state.turn_id == turn.turn_id)
    {
        Some(row) => *row = kept,
        None => state.turns.push(kept),
    }
}
