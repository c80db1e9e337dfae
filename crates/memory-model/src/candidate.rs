//! What the extractor finds in a message, and why something was left out.

use crate::{Category, Evidence, Language, Polarity, Slot};
use serde::{Deserialize, Serialize};

/// Something that may be worth remembering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Candidate {
    /// What it is about.
    pub category: Category,
    /// For or against.
    pub polarity: Polarity,
    /// `category:slug`; the object decides the slug, not the verb.
    pub key: String,
    /// What it says, ready to be shown: 3 to 500 characters.
    pub text: String,
    /// What it says, for programs.
    pub value: serde_json::Value,
    /// Who or what it is about; `user` for the person.
    pub subject: String,
    /// The position it fills.
    pub slot: Option<Slot>,
    /// Whether the words say that something changed ("now", "no longer", "이제는", "바꿨").
    pub changed_mind: bool,
    /// The exact words.
    pub evidence: Evidence,
    /// How sure the extractor is, 0 to 1.
    pub confidence: f32,
    /// The language of the words.
    pub language: Language,
}

/// Why a statement was not kept (spec extraction, «What is not a memory»).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A request of the moment.
    TransientRequest,
    /// A question.
    Question,
    /// "If I liked …".
    Hypothetical,
    /// Quoted, pasted or code.
    Quoted,
    /// About somebody without a stated tie to the user.
    ThirdPerson,
    /// The assistant said it, not the user.
    AssistantWords,
    /// Marked as not meant.
    Sarcasm,
    /// Something the user decided against or took back.
    NegatedIntention,
    /// A state of the moment that will not last.
    Transient,
    /// Already known; the known memory was confirmed.
    AlreadyKnown,
    /// The quoted words are not in the message.
    NotGrounded,
    /// Sensitive, and the policy is to block.
    Sensitive,
    /// A secret; never kept.
    Secret,
    /// Under three characters.
    TooShort,
    /// No clause short enough.
    TooLong,
    /// An instruction hidden in content.
    Injection,
    /// Capture is switched off for this thread or altogether.
    CaptureOff,
    /// Said earlier in the same message, which then says otherwise.
    SupersededInMessage,
}

impl SkipReason {
    /// Every reason; screens and locales cover each of them.
    pub const ALL: [Self; 18] = [
        Self::TransientRequest,
        Self::Question,
        Self::Hypothetical,
        Self::Quoted,
        Self::ThirdPerson,
        Self::AssistantWords,
        Self::Sarcasm,
        Self::NegatedIntention,
        Self::Transient,
        Self::AlreadyKnown,
        Self::NotGrounded,
        Self::Sensitive,
        Self::Secret,
        Self::TooShort,
        Self::TooLong,
        Self::Injection,
        Self::CaptureOff,
        Self::SupersededInMessage,
    ];

    /// The reason in plain English, for JSON output and logs. Screens use their locale instead.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::TransientRequest => "transient request, not durable memory",
            Self::Question => "a question, not a statement",
            Self::Hypothetical => "hypothetical, not a fact",
            Self::Quoted => "quoted or pasted text, not the user's own words",
            Self::ThirdPerson => "about somebody else",
            Self::AssistantWords => "the assistant's words, not the user's",
            Self::Sarcasm => "marked as not meant",
            Self::NegatedIntention => "a plan that was taken back",
            Self::Transient => "a state of the moment",
            Self::AlreadyKnown => "duplicate: already known",
            Self::NotGrounded => "not grounded in the user's words",
            Self::Sensitive => "sensitive, and the policy is to block",
            Self::Secret => "a secret is never kept",
            Self::TooShort => "too short",
            Self::TooLong => "too long",
            Self::Injection => "an instruction hidden in content",
            Self::CaptureOff => "capture is switched off",
            Self::SupersededInMessage => "the same message says otherwise later",
        }
    }
}

/// A statement that was not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Skipped {
    /// The words. Empty for a secret: the value goes nowhere.
    pub candidate: String,
    /// Why.
    pub reason: SkipReason,
    /// The reason in plain English.
    pub explanation: String,
    /// The key of the memory that was already known, for `AlreadyKnown`.
    pub known_key: Option<String>,
}

impl Skipped {
    /// A skipped statement with its plain explanation.
    pub fn new(candidate: impl Into<String>, reason: SkipReason) -> Self {
        Self {
            candidate: candidate.into(),
            reason,
            explanation: reason.sentence().to_owned(),
            known_key: None,
        }
    }
}

/// What the extractor made of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// In the order of the text.
    pub candidates: Vec<Candidate>,
    /// Left out, each with its reason.
    pub skipped: Vec<Skipped>,
}
