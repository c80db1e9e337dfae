//! Writes as data: what is to change, and what became of it.

use crate::{
    ChangeId, Evidence, Memory, MemoryId, Namespace, NewMemory, Polarity, Slot, Status, ThreadId, Timestamp,
    TurnId, UserId,
};
use serde::{Deserialize, Serialize};

/// What made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChangeReason {
    /// Found in what the user said.
    Turn,
    /// Decided in the review queue.
    Review,
    /// Done by hand in the window or on the command line.
    Manual,
    /// Taken back.
    Undo,
    /// Put away because it was older than the retention setting.
    Retention,
    /// Put away because its source is no longer trusted.
    Rollback,
}

/// Marks a batch as belonging to one step of one turn. A backend applies a batch with the same mark at
/// most once and moves the thread's extraction cursor in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMark {
    /// The turn.
    pub turn_id: TurnId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// The sequence number of the last message that extraction has processed.
    pub cursor: i64,
}

/// Everything that one action writes. All of it is one transaction and one Undo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WriteBatch {
    /// Whose memories; every operation is limited to them.
    pub owner: UserId,
    /// What makes the change.
    pub reason: ChangeReason,
    /// When.
    pub at: Timestamp,
    /// Set when a turn writes.
    pub turn: Option<TurnMark>,
    /// In order.
    pub ops: Vec<WriteOp>,
}

/// One write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum WriteOp {
    /// Makes a new memory. An active memory under the same key is left as it is and reported as
    /// [`WriteStatus::AlreadyExists`].
    Create {
        /// What to keep.
        memory: NewMemory,
    },
    /// Changes fields of a memory.
    Update {
        /// Which.
        id: MemoryId,
        /// The version that the writer saw; another one is a conflict.
        expected_version: u32,
        /// What changes.
        patch: MemoryPatch,
    },
    /// Ends an active memory and makes the one that replaces it.
    Supersede {
        /// The memory that no longer holds.
        old: MemoryId,
        /// The version that the writer saw.
        expected_version: u32,
        /// What holds now.
        memory: NewMemory,
    },
    /// Says that a known memory was said again.
    Confirm {
        /// Which.
        id: MemoryId,
        /// The words of this time.
        evidence: Option<Evidence>,
    },
}

/// What a text says, apart from its words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meaning {
    /// For or against.
    pub polarity: Polarity,
    /// The position it fills.
    pub slot: Option<Slot>,
}

/// Fields to change; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct MemoryPatch {
    /// New text.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub text: Option<String>,
    /// New value.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub value: Option<serde_json::Value>,
    /// New key, computed by the engine when a text changes what the memory is about.
    #[cfg_attr(feature = "ts", ts(skip))]
    pub key: Option<String>,
    /// What the new text means, computed by the engine: the old polarity and slot end with the old words.
    #[cfg_attr(feature = "ts", ts(skip))]
    pub meaning: Option<Meaning>,
    /// Pinned or not.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub pinned: Option<bool>,
    /// New status: archived, deleted, or active again.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub status: Option<Status>,
    /// New tags.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub tags: Option<Vec<String>>,
    /// New topic.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub topic: Option<String>,
    /// New trust, set by the engine when a person confirms a memory.
    #[cfg_attr(feature = "ts", ts(skip))]
    pub trust: Option<crate::Origin>,
}

/// What became of one write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WriteResult {
    /// Where.
    pub namespace: Namespace,
    /// Under which key.
    pub key: String,
    /// What happened.
    pub status: WriteStatus,
    /// The memory as it is now; `None` when nothing was written.
    pub memory: Option<Memory>,
    /// The memory that was replaced, as it was.
    pub replaced: Option<Memory>,
    /// What went wrong, in plain English.
    pub error: Option<String>,
}

/// The kinds of outcome of one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WriteStatus {
    /// A new memory.
    Created,
    /// A changed memory.
    Updated,
    /// A new memory that replaced an old one.
    Superseded,
    /// A known memory, said again.
    Confirmed,
    /// An active memory already has this key; `memory` is that one.
    AlreadyExists,
    /// Somebody else changed it in between; `memory` is the current state.
    VersionConflict,
    /// There is no such memory.
    NotFound,
    /// The store refused or failed; see `error`.
    Failed,
}

/// The outcome of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Written {
    /// What Undo takes; `None` when nothing changed.
    pub change_id: Option<ChangeId>,
    /// One result an operation, in order.
    pub results: Vec<WriteResult>,
}
