//! What waits for a person.

use crate::{Candidate, ChangeId, Memory, MessageId, ReviewId, ThreadId, Timestamp, TurnId, UserId};
use serde::{Deserialize, Serialize};

/// Why a person must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReviewReason {
    /// It contradicts what is known, and it is not clear which holds.
    Conflict,
    /// Sensitive, and the policy is to ask.
    Sensitive,
    /// A standing instruction.
    Procedural,
    /// Content that looks like an instruction to the assistant.
    InjectionSuspected,
    /// It could not be brought into the form a memory has.
    NormalisationFailed,
    /// The memory could not be searched, and an answer without it would mislead.
    RetrievalFailed,
    /// It was approved and could not be written.
    WriteFailed,
    /// The capture mode is to ask about everything.
    Confirm,
}

impl ReviewReason {
    /// Every reason; screens and locales cover each of them.
    pub const ALL: [Self; 8] = [
        Self::Conflict,
        Self::Sensitive,
        Self::Procedural,
        Self::InjectionSuspected,
        Self::NormalisationFailed,
        Self::RetrievalFailed,
        Self::WriteFailed,
        Self::Confirm,
    ];
}

/// A candidate that a rule sent to a person, before it has a place in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Waiting {
    /// Why.
    pub reason: ReviewReason,
    /// What was found; `None` when the turn as a whole waits.
    pub candidate: Option<Candidate>,
    /// The other side of a conflict.
    pub existing: Option<Memory>,
    /// How alike the two sides are (cosine), where it was measured.
    pub likeness: Option<f32>,
}

/// What a person decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Decision {
    /// Keep the candidate; in a conflict it replaces the old memory.
    Approve,
    /// Keep the candidate with other words.
    Edit {
        /// The words.
        text: String,
    },
    /// Do not keep it; in a conflict the old memory stays.
    Reject,
    /// Keep both sides of a conflict.
    KeepBoth,
    /// The candidate replaces the old memory.
    NewerWins,
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// Waits.
    Pending,
    /// Decided.
    Decided,
}

/// One item of the review queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewItem {
    /// Its id.
    pub id: ReviewId,
    /// Whose queue.
    pub owner: UserId,
    /// What waits, and why.
    pub waiting: Waiting,
    /// The turn it comes from.
    pub turn_id: Option<TurnId>,
    /// The conversation it comes from.
    pub thread_id: Option<ThreadId>,
    /// The message it comes from.
    pub message_id: Option<MessageId>,
    /// Since when it waits.
    pub created_at: Timestamp,
    /// Where it stands.
    pub status: ReviewStatus,
    /// What was decided.
    pub decision: Option<Decision>,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
    /// What the decision wrote; Undo takes it back.
    pub change_id: Option<ChangeId>,
}
