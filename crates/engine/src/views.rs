//! What use cases take and give back.

use memory_model::{
    Category, LeftOut, Memory, MemoryOrder, MemoryVersion, Message, Status, Thread, Timestamp, TurnId, Why,
};
use serde::{Deserialize, Serialize};

/// Answer to a message that was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TurnStarted {
    /// The turn; events carry it.
    pub turn_id: TurnId,
    /// The user's message as it is kept.
    pub user_message: Message,
}

/// Which memories the list shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct MemoryQuery {
    /// Words to search by; empty lists everything. `type:`, `is:pinned` and `is:archived` filter.
    pub text: String,
    /// Only these categories; empty means all.
    pub categories: Vec<Category>,
    /// Only these states; empty means active.
    pub statuses: Vec<Status>,
    /// Only pinned ones.
    pub pinned: bool,
    /// How a list without words is sorted; a search is sorted by relevance.
    pub order: MemoryOrder,
    /// Rows to leave out at the start.
    pub offset: u32,
    /// Rows to return at most; 0 means 100.
    pub limit: u32,
    /// Return also what is below the relevance floor.
    pub with_irrelevant: bool,
    /// Further conditions: trust, source, language, dates.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub narrow: Option<memory_model::Narrow>,
    /// Memories as they were at a time; words are compared then, not their meaning.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub as_of: Option<crate::AsOf>,
}

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryRow {
    /// The memory.
    pub memory: Memory,
    /// Why it was found, for a search.
    pub why: Option<Why>,
}

/// The list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryList {
    /// The rows asked for.
    pub rows: Vec<MemoryRow>,
    /// How many rows match.
    pub total: u32,
    /// How many memories there are under the same filters without the words.
    pub of: u32,
    /// Found and below the relevance floor.
    pub left_out: Vec<LeftOut>,
    /// Whether meaning (vectors) took part in a search.
    pub meaning_searched: bool,
}

/// Everything about one memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryDetail {
    /// The memory.
    pub memory: Memory,
    /// Its versions, oldest first.
    pub history: Vec<MemoryVersion>,
    /// The memory that it replaced.
    pub replaced: Option<Memory>,
    /// The memory that replaced it.
    pub replaced_by: Option<Memory>,
    /// The conversation it was said in, while that exists.
    pub thread: Option<Thread>,
    /// The whole message that the quote is from, while that exists.
    pub message: Option<Message>,
    /// Whether a vector of it is kept.
    pub has_vector: bool,
}

/// A memory and the version that a person saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryRef {
    /// Which.
    pub id: memory_model::MemoryId,
    /// The version that was seen.
    pub version: u32,
}

/// A memory added by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NewMemoryInput {
    /// What to remember.
    pub text: String,
    /// What it is about; found by the rules when `None`.
    pub category: Option<Category>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SettingView {
    /// Its name.
    pub name: String,
    /// Its value now.
    pub value: serde_json::Value,
    /// Its default.
    pub default: serde_json::Value,
    /// The environment variable that sets it for this process.
    pub set_by: Option<String>,
    /// What is allowed, in plain English.
    pub allowed: String,
}

/// The embedding model's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum EmbeddingHealth {
    /// Works.
    Ready {
        /// The model.
        model: String,
    },
    /// Being loaded.
    Loading {
        /// The model.
        model: String,
    },
    /// Switched off in the settings.
    Off,
    /// Does not work; search goes on by words.
    Failed {
        /// The model.
        model: String,
        /// What is wrong and what to do.
        reason: String,
    },
}

/// How the parts of the engine are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Health {
    /// Version of the app.
    pub version: String,
    /// Where the data is.
    pub data_dir: String,
    /// Active memories.
    pub memories: u32,
    /// Review items that wait.
    pub waiting: u32,
    /// Active memories that have no vector yet.
    pub without_vector: u32,
    /// The store answers.
    pub store_ok: bool,
    /// What is wrong with the store.
    pub store_error: Option<ErrorCodeAndMessage>,
    /// Size of the database, bytes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub database_bytes: u64,
    /// The embedding model.
    pub embedding: EmbeddingHealth,
    /// How far embedding with a new model has come; `None` when there is no change of model.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub reembedding: Option<crate::Reembedding>,
    /// The chat model; `None` when none is connected.
    pub chat_model: Option<String>,
    /// Why the language model of the settings cannot be called, in plain English.
    pub chat_problem: Option<String>,
    /// What went wrong since the program was started, newest first.
    pub troubles: Vec<Trouble>,
}

/// The part of the engine that had a trouble; it says what a person can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    /// The database could not be read or written.
    Store,
    /// Vectors could not be kept.
    Index,
    /// The embedding model gave no vectors.
    Embedding,
    /// The chat model gave no answer.
    Chat,
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Trouble {
    /// In which part.
    pub kind: TroubleKind,
    /// What happened, as the part said it.
    pub message: String,
    /// When it last happened.
    pub at: Timestamp,
    /// How often it happened.
    pub times: u32,
}

/// A question to the playground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct SearchProbe {
    /// What is asked.
    pub text: String,
    /// How.
    pub strategy: memory_model::Strategy,
    /// The k of rank fusion, 1 to 1000; the setting's when `None`.
    pub rrf_k: Option<u32>,
    /// Tokens for memories, 0 to 16000; the setting's when `None`.
    pub tokens_max: Option<u32>,
}

/// A hit of the playground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ExplainedHit {
    /// The memory.
    pub memory: Memory,
    /// Relevance as the strategy counts it; comparable inside one answer only.
    pub score: f32,
    /// Its ranks and scores.
    pub why: Why,
    /// Tokens of its line in a prompt, estimated on the safe side.
    pub tokens: u32,
    /// Whether it would stand in the prompt.
    pub in_prompt: bool,
    /// Whether its line would be cut to fit.
    pub cut: bool,
}

/// What the playground found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchExplained {
    /// Relevant ones, best first.
    pub hits: Vec<ExplainedHit>,
    /// Found and below the relevance floor.
    pub left_out: Vec<LeftOut>,
    /// Whether meaning (vectors) took part.
    pub meaning_searched: bool,
    /// The embedding model.
    pub model: String,
    /// How it was searched.
    pub strategy: memory_model::Strategy,
    /// The k that was used.
    pub rrf_k: u32,
    /// Tokens that the prompt's lines take.
    pub tokens: u32,
    /// Tokens that they may take.
    pub tokens_max: u32,
    /// Memories that a prompt takes at most, whatever they cost.
    pub hits_max: u32,
}

/// A failure inside a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ErrorCodeAndMessage {
    /// Which kind.
    pub code: crate::ErrorCode,
    /// What happened.
    pub message: String,
}

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChatModelServer {
    /// What usually listens on its port, such as `Ollama`.
    pub name: String,
    /// Its address, as the setting `chatUrl` takes it.
    pub address: String,
    /// Its models, as the setting `chatModel` takes them.
    pub models: Vec<String>,
}
