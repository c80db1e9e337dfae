//! What the engine tells whoever listens.

use memory_model::{FinalOutput, MessageId, Node, ThreadId, TurnId};
use serde::{Deserialize, Serialize};

/// A kind of data that changed. Stores of the window refresh by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// The list of threads.
    Threads,
    /// Messages of a thread.
    Messages,
    /// Memories.
    Memories,
    /// The review queue.
    Review,
    /// Settings.
    Settings,
    /// The state of the engine: model, index, store.
    Health,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A turn reached a node.
    NodeStarted {
        /// The conversation.
        thread_id: ThreadId,
        /// The turn.
        turn_id: TurnId,
        /// The node that runs now.
        node: Node,
    },
    /// A piece of an answer.
    AnswerPiece {
        /// The conversation.
        thread_id: ThreadId,
        /// The turn.
        turn_id: TurnId,
        /// The answer's message.
        message_id: MessageId,
        /// The words that follow what came before.
        piece: String,
    },
    /// The answer is final; what to keep is found out behind it.
    Answered {
        /// The conversation.
        thread_id: ThreadId,
        /// The turn.
        turn_id: TurnId,
        /// The result so far.
        output: FinalOutput,
    },
    /// The turn has ended.
    TurnEnded {
        /// The conversation.
        thread_id: ThreadId,
        /// The turn.
        turn_id: TurnId,
        /// The result.
        output: FinalOutput,
    },
    /// How many items wait in the review queue, whenever that may have changed.
    ReviewCount {
        /// Items that wait.
        waiting: u32,
    },
    /// Data changed, here or in another program on the same data folder.
    Changed {
        /// Which kinds.
        tags: Vec<Tag>,
    },
}
