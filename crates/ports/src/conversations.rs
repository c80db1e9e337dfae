//! Threads, messages and checkpoints: what a turn needs to go on after a restart.

use crate::StoreResult;
use async_trait::async_trait;
use memory_model::{
    AnsweredBy, CaptureMode, FinalOutput, Message, MessageId, MessageState, Node, Role, Thread, ThreadId,
    Timestamp, TurnId, TurnState, TurnView, UserId,
};
use std::collections::HashMap;

/// A message to be appended.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// Its id, made by the caller so that appending twice is the same as once.
    pub id: MessageId,
    /// Its thread; it is made when it does not exist yet.
    pub thread_id: ThreadId,
    /// Whose thread.
    pub owner: UserId,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// How far it has come.
    pub state: MessageState,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
}

/// A turn that has not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedTurn {
    /// The state after the last finished node; `messages` is empty and is read again.
    pub state: TurnState,
    /// The node that runs next.
    pub next: Node,
}

/// The checkpointer: conversations and the state of running turns.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// Makes a thread.
    async fn create_thread(&self, owner: &UserId, thread: &Thread) -> StoreResult<()>;

    /// A thread, or `None`.
    async fn thread(&self, owner: &UserId, id: &ThreadId) -> StoreResult<Option<Thread>>;

    /// Threads, last used first. `search` limits them to titles and messages that hold the text.
    async fn threads(
        &self,
        owner: &UserId,
        archived: bool,
        search: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<Thread>>;

    /// Renames a thread.
    async fn rename_thread(&self, owner: &UserId, id: &ThreadId, title: &str) -> StoreResult<()>;

    /// Sets what a thread captures and recalls; `None` follows the settings.
    async fn set_thread_mode(
        &self,
        owner: &UserId,
        id: &ThreadId,
        capture: Option<CaptureMode>,
        recall: Option<bool>,
    ) -> StoreResult<()>;

    /// Puts a thread away or takes it out again.
    async fn archive_thread(&self, owner: &UserId, id: &ThreadId, archived: bool) -> StoreResult<()>;

    /// Hides a thread until it is erased (`purge_threads`) or brought back.
    async fn delete_thread(
        &self,
        owner: &UserId,
        id: &ThreadId,
        deleted: bool,
        at: Timestamp,
    ) -> StoreResult<()>;

    /// Erases threads for good that were deleted before `before`.
    async fn purge_threads(&self, before: Timestamp) -> StoreResult<u32>;

    /// Appends a message and returns it with its sequence number. A message with the same id is returned as it is.
    async fn append_message(&self, message: NewMessage) -> StoreResult<Message>;

    /// Replaces the text and state of an answer while it streams and when it ends.
    async fn update_message(
        &self,
        id: &MessageId,
        text: &str,
        state: MessageState,
        answered_by: Option<&AnsweredBy>,
    ) -> StoreResult<()>;

    /// The last `limit` messages of a thread, oldest first.
    async fn messages(&self, owner: &UserId, thread: &ThreadId, limit: u32) -> StoreResult<Vec<Message>>;

    /// The block of memories that each message of the user was asked with, for those that had one.
    async fn memory_blocks(
        &self,
        owner: &UserId,
        thread: &ThreadId,
    ) -> StoreResult<HashMap<MessageId, String>>;

    /// Messages of a thread after a sequence number, oldest first.
    async fn messages_after(&self, owner: &UserId, thread: &ThreadId, seq: i64) -> StoreResult<Vec<Message>>;

    /// The sequence number of the last message that extraction has processed; 0 in a new thread.
    async fn extraction_cursor(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<i64>;

    /// Ranges of sequence numbers (first and last, both in it) from which another program has written memories
    /// itself: extraction leaves them alone.
    async fn written_ranges(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<(i64, i64)>>;

    /// The summary of the older part of a thread and the sequence number up to which it reaches.
    async fn summary(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Option<(String, i64)>>;

    /// Keeps a summary.
    async fn save_summary(
        &self,
        owner: &UserId,
        thread: &ThreadId,
        summary: &str,
        up_to: i64,
    ) -> StoreResult<()>;

    /// Keeps the state of a turn; `next` is the node that runs next.
    async fn checkpoint(&self, state: &TurnState, next: Node) -> StoreResult<()>;

    /// Ends a turn: keeps its result, moves the extraction cursor to `state.cursor` if it is behind, and writes
    /// the audit record, in one transaction.
    async fn finish_turn(&self, state: &TurnState, output: &FinalOutput) -> StoreResult<()>;

    /// Turns that have not ended, oldest first.
    async fn unfinished_turns(&self, owner: &UserId) -> StoreResult<Vec<UnfinishedTurn>>;

    /// One turn: its state and the node that runs next, `None` for the node when it has ended.
    async fn turn(&self, owner: &UserId, id: &TurnId) -> StoreResult<Option<(TurnState, Option<Node>)>>;

    /// The turns of a thread as the chat shows them, oldest first.
    async fn turns(&self, owner: &UserId, thread: &ThreadId) -> StoreResult<Vec<TurnView>>;
}
