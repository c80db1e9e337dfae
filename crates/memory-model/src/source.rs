//! Where knowledge comes from, and how far it is trusted.

use crate::{Language, Memory, Origin, Timestamp};
use serde::{Deserialize, Serialize};

impl Origin {
    /// Every origin, least trusted first.
    pub const ALL: [Self; 6] = [
        Self::Tool,
        Self::Assistant,
        Self::File,
        Self::Agent,
        Self::Peer,
        Self::User,
    ];

    /// The name in JSON, in the database and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Assistant => "assistant",
            Self::File => "file",
            Self::Agent => "agent",
            Self::Peer => "peer",
            Self::User => "user",
        }
    }

    /// The origin with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.name() == name)
    }
}

/// Who wrote something: the kind, and which one of that kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Source {
    /// The kind.
    pub kind: Origin,
    /// Which one: the name of a program or tool, the path of a file, the device of a peer, the conversation of the
    /// user. `None` means every one of the kind where something is looked for, and that no name is known where
    /// something is kept.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub id: Option<String>,
}

impl Source {
    /// The user, in no particular conversation.
    pub const USER: Self = Self {
        kind: Origin::User,
        id: None,
    };

    /// A source with a name.
    pub fn new(kind: Origin, id: impl Into<String>) -> Self {
        Self {
            kind,
            id: Some(id.into()),
        }
    }

    /// Whether a memory comes from here. What the user said in a conversation comes from that conversation.
    pub fn wrote(&self, memory: &Memory) -> bool {
        let thread = memory
            .evidence
            .as_ref()
            .and_then(|evidence| evidence.thread_id.as_ref())
            .map(crate::ThreadId::as_str);
        memory.source == self.kind
            && self
                .id
                .as_deref()
                .is_none_or(|id| memory.source_id.as_deref() == Some(id) || thread == Some(id))
    }
}

/// Reads `kind` or `kind:id`, such as `agent:claude-code`.
impl std::str::FromStr for Source {
    type Err = UnknownSource;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, id) = match text.split_once(':') {
            Some((kind, id)) => (kind, Some(id)),
            None => (text, None),
        };
        let kind = Origin::named(kind).ok_or(UnknownSource)?;
        Ok(Self {
            kind,
            id: id.filter(|id| !id.is_empty()).map(crate::nfc),
        })
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.id {
            Some(id) => write!(f, "{}:{id}", self.kind.name()),
            None => f.write_str(self.kind.name()),
        }
    }
}

/// A text that names no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSource;

impl std::fmt::Display for UnknownSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "a source is user, assistant, tool, file, peer or agent, with `:` and a name where one is meant",
        )
    }
}

impl std::error::Error for UnknownSource {}

/// Conditions on a memory beside owner, category, state and pin. Empty lists and `None` ask for nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Narrow {
    /// Only memories of one of these levels of trust.
    pub trusts: Vec<Origin>,
    /// Only memories from this source.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub source: Option<Source>,
    /// Only these languages.
    pub languages: Vec<Language>,
    /// First kept at this time or later.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub since: Option<Timestamp>,
    /// First kept before this time.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub until: Option<Timestamp>,
}

impl Narrow {
    /// Whether a memory meets every condition.
    pub fn holds(&self, memory: &Memory) -> bool {
        (self.trusts.is_empty() || self.trusts.contains(&memory.trust))
            && self.source.as_ref().is_none_or(|source| source.wrote(memory))
            && (self.languages.is_empty() || self.languages.contains(&memory.language))
            && self.since.is_none_or(|since| memory.created_at >= since)
            && self.until.is_none_or(|until| memory.created_at < until)
    }
}
