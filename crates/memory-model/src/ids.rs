//! Identifiers. Each kind is its own type, so that two of them cannot be swapped by mistake.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a text that came from outside. An empty text is allowed here; the border that
            /// receives it decides what to do about it.
            pub fn new(value: impl Into<String>) -> Self {
                Self(value.into())
            }

            /// The text of the id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! generated_id {
    ($name:ident) => {
        impl $name {
            /// A new id: UUIDv7 (RFC 9562), so that ids sort by the time they were made.
            pub fn generate() -> Self {
                Self(uuid::Uuid::now_v7().to_string())
            }
        }
    };
}

string_id!(
    /// The owner of long-term memories.
    UserId
);
string_id!(
    /// A conversation.
    ThreadId
);
string_id!(
    /// One message of a thread.
    MessageId
);
string_id!(
    /// One memory; stays the same over all its versions.
    MemoryId
);
string_id!(
    /// One item of the review queue.
    ReviewId
);
string_id!(
    /// One turn: a user message and everything that follows from it.
    TurnId
);
string_id!(
    /// One change set: everything that a single action wrote, and that one Undo takes back.
    ChangeId
);

generated_id!(ThreadId);
generated_id!(MessageId);
generated_id!(MemoryId);
generated_id!(ReviewId);
generated_id!(TurnId);
generated_id!(ChangeId);

impl ReviewId {
    /// The id of the item for one candidate: the same words of the same message always give the same id, so
    /// neither a resumed turn nor two programs that read one message can park it twice. `key` is empty for a turn
    /// that waits as a whole.
    pub fn of_candidate(message: &MessageId, start: u32, key: &str) -> Self {
        let name = format!("{message}/{start}/{key}");
        Self(uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, name.as_bytes()).to_string())
    }
}
