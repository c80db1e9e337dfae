//! Threads and messages.

use crate::{FinalOutput, MessageId, Node, ThreadId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// A conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Thread {
    /// Its id.
    pub id: ThreadId,
    /// What it is called; the first words of its first message until somebody renames it.
    pub title: String,
    /// The last message, cut short.
    pub snippet: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When something was last said.
    pub updated_at: Timestamp,
    /// Put away by the user.
    pub archived: bool,
    /// Nothing of it is captured, nothing is recalled in it unless `recall` says so, and no search finds it.
    pub temporary: bool,
    /// How much is captured in this thread; `None` follows the settings.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub capture: Option<crate::CaptureMode>,
    /// Whether memories are recalled in this thread; `None` recalls, except in a temporary thread.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub recall: Option<bool>,
    /// How many review items of this thread wait for a decision.
    pub waiting: u32,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The assistant.
    Assistant,
}

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// All of it is there.
    Complete,
    /// Being written.
    Streaming,
    /// Stopped by the user; what was written is kept.
    Stopped,
    /// Cut off by a crash or a broken stream; what was written is kept.
    Interrupted,
}

/// Who made an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum AnsweredBy {
    /// No model was connected: the memory alone answered.
    Memory,
    /// A language model.
    Model {
        /// Its name.
        name: String,
    },
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its place in the thread, counted up over all threads; the extraction cursor is one of these.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub seq: i64,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// When.
    pub created_at: Timestamp,
    /// How far it has come.
    pub state: MessageState,
    /// Who made it, for an answer.
    pub answered_by: Option<AnsweredBy>,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
}

/// One turn of a thread, as the chat shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TurnView {
    /// The turn.
    pub turn_id: TurnId,
    /// The user's message.
    pub user_message: MessageId,
    /// The node that runs next; `None` when the turn has ended.
    pub next: Option<Node>,
    /// The result; complete only when the turn has ended.
    pub output: FinalOutput,
}

/// A thread with what was said in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ThreadView {
    /// The thread.
    pub thread: Thread,
    /// Its messages, oldest first.
    pub messages: Vec<Message>,
    /// Its turns, oldest first.
    pub turns: Vec<TurnView>,
}
