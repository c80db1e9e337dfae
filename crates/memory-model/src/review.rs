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
    /// It reads like an instruction and does not come from the user's own words.
    Quarantined,
    /// Two devices or members changed it at once.
    SyncConflict,
    /// It holds a secret, so it was not shared.
    SecretBlocked,
    /// Tidying up could not tell what to do with it.
    DreamUndecided,
}

impl ReviewReason {
    /// Every reason; screens and locales cover each of them.
    pub const ALL: [Self; 12] = [
        Self::Conflict,
        Self::Sensitive,
        Self::Procedural,
        Self::InjectionSuspected,
        Self::NormalisationFailed,
        Self::RetrievalFailed,
        Self::WriteFailed,
        Self::Confirm,
        Self::Quarantined,
        Self::SyncConflict,
        Self::SecretBlocked,
        Self::DreamUndecided,
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
    /// Who said it; `None` is the user.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub source: Option<crate::Source>,
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

/// Which items of the queue a page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewQuery {
    /// Items in this state: those that wait oldest first, those that are decided last decided first.
    pub status: ReviewStatus,
    /// Only items with this reason.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub reason: Option<ReviewReason>,
    /// Where the page before ended, as its `next` says; the first page without it.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub cursor: Option<String>,
    /// Items at most; 0 means 100.
    #[serde(default)]
    pub limit: u32,
}

impl ReviewQuery {
    /// The first page of what waits, or of what is decided.
    pub fn of(status: ReviewStatus) -> Self {
        Self {
            status,
            reason: None,
            cursor: None,
            limit: 0,
        }
    }
}

/// A page of the queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewPage {
    /// The items.
    pub items: Vec<ReviewItem>,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<String>,
    /// How many items there are in this state, whatever their reason.
    pub total: u32,
    /// How many of them have each reason that occurs.
    pub by_reason: std::collections::BTreeMap<ReviewReason, u32>,
}

/// One decision among several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewDecision {
    /// The item.
    pub id: ReviewId,
    /// What is decided.
    pub decision: Decision,
}
