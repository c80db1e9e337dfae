//! A memory and its parts.

use crate::{ChangeId, Language, MemoryId, MessageId, ThreadId, Timestamp, UserId, content_hash};
use serde::{Deserialize, Serialize};

/// What sort of knowledge a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryType {
    /// A fact that holds: a preference, a habit, a trait.
    Factual,
    /// Something that happened or was decided at a time.
    Episodic,
    /// Knowledge about the world or shared work.
    Semantic,
    /// How the assistant must behave.
    Procedural,
}

/// What a memory is about (spec extraction, «Candidates»).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Likes, prefers, dislikes, avoids.
    Preference,
    /// Will use, decided, chose.
    Decision,
    /// Usually, always, never.
    Pattern,
    /// Who, where and what the person is.
    Profile,
    /// How the assistant must behave.
    Instruction,
    /// Facts about shared work.
    Project,
    /// Where something is to be found.
    Reference,
}

impl Category {
    /// Every category, in the order screens list them.
    pub const ALL: [Self; 7] = [
        Self::Preference,
        Self::Decision,
        Self::Pattern,
        Self::Profile,
        Self::Instruction,
        Self::Project,
        Self::Reference,
    ];

    /// The name in keys, queries and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Pattern => "pattern",
            Self::Profile => "profile",
            Self::Instruction => "instruction",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// The memory type that belongs to the category.
    pub fn memory_type(self) -> MemoryType {
        match self {
            Self::Preference | Self::Pattern | Self::Profile => MemoryType::Factual,
            Self::Decision => MemoryType::Episodic,
            Self::Instruction => MemoryType::Procedural,
            Self::Project | Self::Reference => MemoryType::Semantic,
        }
    }
}

/// Whether a statement is for or against its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// For it, or simply so.
    #[default]
    Positive,
    /// Against it, or not so.
    Negative,
}

/// Whether a memory holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Holds and is recalled.
    #[default]
    Active,
    /// Replaced by a newer memory; kept as history.
    Superseded,
    /// Put away by a person or by retention; kept, not recalled.
    Archived,
    /// Deleted; erased for good when its undo window ends.
    Deleted,
}

/// Who a piece of knowledge comes from. The order is the order of trust, least trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The output of a tool.
    Tool,
    /// The assistant's own words.
    Assistant,
    /// A file.
    File,
    /// Another program that talks to us, such as a coding agent.
    Agent,
    /// Another member of a team.
    Peer,
    /// The user.
    User,
}

/// Where a memory lives: the owner first, then the room. Deterministic, so that the same statement from
/// two machines lands in the same place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Namespace(pub Vec<String>);

impl Namespace {
    /// The namespace of a user's memories of one category, such as `["user-123", "preference"]`.
    pub fn personal(owner: &UserId, category: Category) -> Self {
        Self(vec![owner.as_str().to_owned(), category.name().to_owned()])
    }
}

/// The position that a statement fills, such as seat = aisle: two statements about one slot cannot both hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Slot {
    /// What is filled, such as `seat`.
    pub name: String,
    /// What fills it, such as `aisle`.
    pub value: String,
}

/// The exact words a memory rests on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Evidence {
    /// The conversation, where there was one.
    pub thread_id: Option<ThreadId>,
    /// The message, where there was one.
    pub message_id: Option<MessageId>,
    /// First character of the span in the message (Unicode scalar values).
    pub start: u32,
    /// The character after the span.
    pub end: u32,
    /// The words themselves; they stay when the message is deleted.
    pub quote: String,
    /// When they were said.
    pub said_at: Timestamp,
}

/// A memory as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Memory {
    /// Stays the same over all versions.
    pub id: MemoryId,
    /// Whose memory it is; every read is limited to one owner.
    pub owner: UserId,
    /// Where it lives.
    pub namespace: Namespace,
    /// `category:slug`; unique among an owner's active memories.
    pub key: String,
    /// What sort of knowledge it is.
    pub memory_type: MemoryType,
    /// What it is about.
    pub category: Category,
    /// What it says, for people and prompts.
    pub text: String,
    /// What it says, for programs.
    pub value: serde_json::Value,
    /// For or against.
    pub polarity: Polarity,
    /// Who or what the statement is about; `user` for the person.
    pub subject: String,
    /// The position it fills, where it fills one.
    pub slot: Option<Slot>,
    /// The topic it is filed under; empty when none was chosen.
    pub topic: String,
    /// Free labels, sorted.
    pub tags: Vec<String>,
    /// The language of `text`.
    pub language: Language,
    /// The exact words; `None` for a memory added by hand.
    pub evidence: Option<Evidence>,
    /// Who said it.
    pub source: Origin,
    /// Which one of that kind said it: the name of a program or tool, the path of a file, the device of a peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub source_id: Option<String>,
    /// The lowest trust in its lineage: what replaces or changes a memory is trusted no more than the least trusted
    /// of both, until a person confirms it. What a person says or writes stands on its own.
    pub trust: Origin,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f32,
    /// Holds from here.
    pub valid_from: Timestamp,
    /// Holds until here (exclusive); open when `None`.
    pub valid_to: Option<Timestamp>,
    /// Whether it holds now.
    pub status: Status,
    /// Pinned memories are shown first and are left alone by background work.
    pub pinned: bool,
    /// SHA-256 of what it says; see [`content_hash`].
    pub content_hash: String,
    /// Counts up with every change, from 1.
    pub version: u32,
    /// The memory that this one replaced.
    pub supersedes: Option<MemoryId>,
    /// The memory that replaced this one.
    pub superseded_by: Option<MemoryId>,
    /// When it was first kept.
    pub created_at: Timestamp,
    /// When its content or state last changed; a recall never moves it.
    pub updated_at: Timestamp,
    /// When it was last said again.
    pub last_confirmed_at: Timestamp,
    /// How often it was said, from 1.
    pub confirmations: u32,
    /// How often it was recalled into a prompt.
    pub recall_count: u32,
    /// When it was last recalled into a prompt.
    pub last_recalled_at: Option<Timestamp>,
}

/// A memory to be created. The backend gives it its id, version, counters and times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewMemory {
    /// Whose memory it is.
    pub owner: UserId,
    /// Where it lives.
    pub namespace: Namespace,
    /// `category:slug`.
    pub key: String,
    /// What it is about.
    pub category: Category,
    /// What it says.
    pub text: String,
    /// What it says, for programs.
    pub value: serde_json::Value,
    /// For or against.
    pub polarity: Polarity,
    /// Who or what it is about.
    pub subject: String,
    /// The position it fills.
    pub slot: Option<Slot>,
    /// The language of `text`.
    pub language: Language,
    /// The exact words.
    pub evidence: Option<Evidence>,
    /// Who said it.
    pub source: Origin,
    /// Which one of that kind.
    #[serde(default)]
    pub source_id: Option<String>,
    /// The lowest trust in its lineage.
    pub trust: Origin,
    /// How sure the extractor was, 0 to 1.
    pub confidence: f32,
    /// Holds from here; the time of writing when `None`.
    pub valid_from: Option<Timestamp>,
}

impl Memory {
    /// The trust of this memory where it replaces another: no more than the least trusted of both, except where the
    /// user said it: the words of a person stand on their own.
    pub fn trust_after(&self, replaced: &Self) -> Origin {
        if self.trust == Origin::User {
            self.trust
        } else {
            self.trust.min(replaced.trust)
        }
    }
}

impl NewMemory {
    /// The memory as it is first kept.
    pub fn into_memory(self, id: MemoryId, now: Timestamp) -> Memory {
        let hash = content_hash(&self.text, self.category.name(), "", &[]);
        Memory {
            id,
            owner: self.owner,
            namespace: self.namespace,
            key: self.key,
            memory_type: self.category.memory_type(),
            category: self.category,
            text: self.text,
            value: self.value,
            polarity: self.polarity,
            subject: self.subject,
            slot: self.slot,
            topic: String::new(),
            tags: Vec::new(),
            language: self.language,
            evidence: self.evidence,
            source: self.source,
            source_id: self.source_id,
            trust: self.trust,
            confidence: self.confidence,
            valid_from: self.valid_from.unwrap_or(now),
            valid_to: None,
            status: Status::Active,
            pinned: false,
            content_hash: hash,
            version: 1,
            supersedes: None,
            superseded_by: None,
            created_at: now,
            updated_at: now,
            last_confirmed_at: now,
            confirmations: 1,
            recall_count: 0,
            last_recalled_at: None,
        }
    }
}

/// One state a memory was in, oldest first in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryVersion {
    /// The memory as it was from `changed_at` on.
    pub memory: Memory,
    /// When it became so.
    pub changed_at: Timestamp,
    /// What made it so.
    pub reason: crate::ChangeReason,
    /// The change set it belongs to; Undo takes this.
    pub change_id: ChangeId,
}
