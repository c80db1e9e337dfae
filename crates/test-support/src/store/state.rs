//! Everything the store holds, and the small questions that several ports ask.

use memory_model::{
    ChangeId, ChangeReason, FinalOutput, Memory, MemoryFilter, MemoryId, MemoryVersion, Message, Node,
    ReviewItem, ReviewStatus, Status, Thread, ThreadId, Timestamp, TurnMark, TurnState, UserId, Written,
};
use ports::{AuditEntry, NewVectors};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tables.
#[derive(Debug, Default)]
pub(super) struct State {
    pub memories: BTreeMap<MemoryId, Memory>,
    /// When a memory became deleted; only deleted ones have an entry.
    pub deleted_at: BTreeMap<MemoryId, Timestamp>,
    pub versions: BTreeMap<MemoryId, Vec<MemoryVersion>>,
    pub changes: BTreeMap<ChangeId, Change>,
    /// Batches of turns that were applied, with their outcome.
    pub applied: Vec<(UserId, TurnMark, ChangeReason, Written)>,
    /// By space and memory.
    pub vectors: BTreeMap<(String, MemoryId), NewVectors>,
    pub threads: BTreeMap<ThreadId, ThreadRow>,
    /// In the order of their sequence numbers.
    pub messages: Vec<Message>,
    /// Never used twice, also when the last messages were erased.
    pub last_seq: i64,
    pub turns: Vec<TurnRow>,
    pub reviews: Vec<ReviewItem>,
    pub audit: Vec<AuditEntry>,
    pub settings: BTreeMap<String, Value>,
}

/// A change set: what Undo needs to know.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub owner: UserId,
    /// In the order of the first touch.
    pub touched: Vec<Touched>,
}

/// One memory of a change set.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    pub id: MemoryId,
    /// Before the change set; `None` when the change set made it.
    pub before: Option<Memory>,
    /// The version that the change set left.
    pub version_after: u32,
}

/// A thread and what only the store knows about it.
#[derive(Clone, Debug)]
pub(super) struct ThreadRow {
    pub thread: Thread,
    pub owner: UserId,
    pub deleted_at: Option<Timestamp>,
    pub cursor: i64,
    pub summary: Option<(String, i64)>,
    /// First and last sequence number of messages from which another program wrote memories itself.
    pub written_ranges: Vec<(i64, i64)>,
}

/// A turn.
#[derive(Clone, Debug)]
pub(super) struct TurnRow {
    /// Without messages.
    pub state: TurnState,
    /// `None` when it has ended.
    pub next: Option<Node>,
    pub output: FinalOutput,
}

impl State {
    /// A memory of an owner.
    pub fn memory(&self, owner: &UserId, id: &MemoryId) -> Option<&Memory> {
        self.memories.get(id).filter(|memory| &memory.owner == owner)
    }

    /// The active memory that has a key, other than `except`.
    pub fn holder(&self, owner: &UserId, key: &str, except: Option<&MemoryId>) -> Option<&Memory> {
        self.memories.values().find(|memory| {
            &memory.owner == owner
                && memory.key == key
                && memory.status == Status::Active
                && Some(&memory.id) != except
        })
    }

    /// Memories that fit a filter.
    pub fn fitting(&self, filter: &MemoryFilter) -> Vec<&Memory> {
        self.memories
            .values()
            .filter(|memory| fits(memory, filter))
            .collect()
    }

    /// Keeps a new state of a memory, with its version.
    pub fn keep(&mut self, memory: Memory, at: Timestamp, reason: ChangeReason, change_id: &ChangeId) {
        if memory.status == Status::Deleted {
            self.deleted_at.entry(memory.id.clone()).or_insert(at);
        } else {
            self.deleted_at.remove(&memory.id);
        }
        let version = MemoryVersion {
            memory: memory.clone(),
            changed_at: at,
            reason,
            change_id: change_id.clone(),
        };
        self.versions.entry(memory.id.clone()).or_default().push(version);
        self.memories.insert(memory.id.clone(), memory);
    }

    /// The memories that a change touched and that were not replaced by it.
    pub fn touched_by(&self, change: Option<&ChangeId>) -> Vec<MemoryId> {
        let touched = change.and_then(|change| self.changes.get(change));
        let ids = touched.into_iter().flat_map(|change| &change.touched);
        ids.map(|touched| touched.id.clone())
            .filter(|id| {
                self.memories
                    .get(id)
                    .is_some_and(|memory| memory.status != Status::Superseded)
            })
            .collect()
    }

    /// Moves the extraction cursor of a thread forward.
    pub fn move_cursor(&mut self, owner: &UserId, thread: &ThreadId, cursor: i64) {
        if let Some(row) = self.threads.get_mut(thread).filter(|row| &row.owner == owner) {
            row.cursor = row.cursor.max(cursor);
        }
    }

    /// A thread with its count of waiting items.
    pub fn shown(&self, row: &ThreadRow) -> Thread {
        let waits = |item: &&ReviewItem| {
            item.status == ReviewStatus::Pending && item.thread_id.as_ref() == Some(&row.thread.id)
        };
        let waiting = u32::try_from(self.reviews.iter().filter(waits).count()).unwrap_or(u32::MAX);
        Thread {
            waiting,
            ..row.thread.clone()
        }
    }
}

/// Whether a memory fits a filter.
fn fits(memory: &Memory, filter: &MemoryFilter) -> bool {
    let status = match filter.statuses.as_slice() {
        [] => memory.status == Status::Active,
        statuses => statuses.contains(&memory.status),
    };
    let thread = memory
        .evidence
        .as_ref()
        .and_then(|evidence| evidence.thread_id.as_ref());
    memory.owner == filter.owner
        && status
        && (filter.categories.is_empty() || filter.categories.contains(&memory.category))
        && (!filter.pinned || memory.pinned)
        && (filter.thread.is_none() || filter.thread.as_ref() == thread)
        && filter.narrow.holds(memory)
}
