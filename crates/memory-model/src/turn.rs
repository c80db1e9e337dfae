//! One turn as data: its nodes, its state and its result (spec turn).

use crate::{
    AnsweredBy, Candidate, Category, ChangeId, Hit, Language, LeftOut, Memory, MemoryId, Message, MessageId,
    Namespace, Polarity, ReviewId, ReviewReason, Skipped, Slot, ThreadId, Timestamp, TurnId, UserId, Waiting,
    WriteResult,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The nodes of the turn graph. The name of a node is also its trace span and its label key in `ui/src/locales`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Checks the input and appends the user's message to the thread.
    PrepareTurn,
    /// Input and a little recent context become a bounded query.
    BuildRetrievalQuery,
    /// Searches the user's memories.
    RetrieveLongTermMemory,
    /// Summarises the oldest messages when the context is over budget.
    CompactShortTermMemory,
    /// Assembles the bounded prompt.
    BuildPromptContext,
    /// Streams the answer.
    GenerateResponse,
    /// Finds durable candidates in the new part of the thread.
    ExtractMemoryCandidates,
    /// Judges the candidates.
    ValidateMemoryUpdates,
    /// Writes what was approved.
    StoreMemoryUpdates,
    /// Parks what a person must decide.
    MarkNeedsReview,
    /// Writes the result and the audit record.
    Finalize,
}

impl Node {
    /// All nodes, in the order of the graph.
    pub const ALL: [Self; 11] = [
        Self::PrepareTurn,
        Self::BuildRetrievalQuery,
        Self::RetrieveLongTermMemory,
        Self::CompactShortTermMemory,
        Self::BuildPromptContext,
        Self::GenerateResponse,
        Self::ExtractMemoryCandidates,
        Self::ValidateMemoryUpdates,
        Self::StoreMemoryUpdates,
        Self::MarkNeedsReview,
        Self::Finalize,
    ];

    /// The name of the node: the same word in code, traces, checkpoints and screens.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrepareTurn => "prepare_turn",
            Self::BuildRetrievalQuery => "build_retrieval_query",
            Self::RetrieveLongTermMemory => "retrieve_long_term_memory",
            Self::CompactShortTermMemory => "compact_short_term_memory",
            Self::BuildPromptContext => "build_prompt_context",
            Self::GenerateResponse => "generate_response",
            Self::ExtractMemoryCandidates => "extract_memory_candidates",
            Self::ValidateMemoryUpdates => "validate_memory_updates",
            Self::StoreMemoryUpdates => "store_memory_updates",
            Self::MarkNeedsReview => "mark_needs_review",
            Self::Finalize => "finalize",
        }
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Nothing waits and nothing failed that the person must know first.
    #[default]
    Ok,
    /// Something waits for a person.
    NeedsReview,
    /// The turn could not run.
    Failed,
}

/// What went wrong, in a form that a screen can say in any language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// The message is empty.
    InputEmpty,
    /// The message is longer than the limit.
    InputTooLong,
    /// No user was named.
    UserIdMissing,
    /// No thread was named.
    ThreadIdMissing,
    /// The memory could not be searched.
    RetrievalFailed,
    /// The memory could be searched by words only.
    MeaningSearchOff,
    /// The model did not answer.
    ModelFailed,
    /// The model needs a key, or refused the one it was given.
    ModelKey,
    /// The model's server takes no more requests for now.
    ModelBusy,
    /// The model's server cannot be reached, or was silent for too long.
    ModelUnreachable,
    /// The conversation is too long for the model.
    ModelContextFull,
    /// The answer was stopped by the user.
    Stopped,
    /// Extraction failed.
    ExtractionFailed,
    /// What is known could not be read, so nothing was judged.
    ValidationFailed,
    /// Something that was approved could not be written.
    StoreFailed,
    /// The disk is full.
    DiskFull,
    /// The data folder cannot be written.
    ReadOnly,
    /// A checkpoint could not be written.
    CheckpointFailed,
}

impl ProblemCode {
    /// Whether it says that the model gave no whole answer.
    pub fn is_of_the_model(self) -> bool {
        matches!(
            self,
            Self::ModelFailed
                | Self::ModelKey
                | Self::ModelBusy
                | Self::ModelUnreachable
                | Self::ModelContextFull
        )
    }
}

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Problem {
    /// What.
    pub code: ProblemCode,
    /// At which node.
    pub node: Node,
    /// In plain English, with the field's name where a field is at fault; never the user's words.
    pub message: String,
}

/// What a caller gives to a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnInput {
    /// The user's raw message.
    pub input: String,
    /// Whose memory.
    pub user_id: Option<UserId>,
    /// Which conversation.
    pub thread_id: Option<ThreadId>,
}

/// What the model sees, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PromptContext {
    /// The stable part: who the assistant is.
    pub system: String,
    /// Summary of the older part of the thread; empty when nothing was shortened.
    pub summary: String,
    /// The fenced block of recalled memories; empty when there are none.
    pub memory_block: String,
    /// Recent messages, oldest first, the new one last.
    pub messages: Vec<PromptMessage>,
    /// The memories in `memory_block`, in its order.
    pub memory_ids: Vec<MemoryId>,
    /// Size of everything, in tokens (estimated).
    pub tokens: u32,
}

/// A message in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PromptMessage {
    /// Who speaks.
    pub role: crate::Role,
    /// What is said.
    pub text: String,
    /// The block of memories that went out with this message in an earlier prompt; empty for the newest message
    /// and for answers. It stays where it was, so that a provider recognises the prompt it has seen. It is kept
    /// once, with the turn that it was made for, so that erasing a memory takes it out of there alone.
    #[serde(skip)]
    pub memory_block: String,
}

/// What a model call took, as far as its server says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TokenUsage {
    /// Tokens of the prompt, the cached ones included.
    pub prompt_tokens: Option<u32>,
    /// Tokens of the prompt that the server had kept from an earlier call.
    pub cached_tokens: Option<u32>,
    /// Tokens of the answer.
    pub answer_tokens: Option<u32>,
}

/// An approved candidate and the write it leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApprovedUpdate {
    /// What was found.
    pub candidate: Candidate,
    /// The memory it replaces.
    pub replaces: Option<Memory>,
}

/// A memory that this turn recalled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RetrievedMemory {
    /// Where it lives.
    pub namespace: Namespace,
    /// Its key.
    pub key: String,
    /// What it says, for programs.
    pub value: serde_json::Value,
    /// Relevance.
    pub score: f32,
    /// The memory and why it was recalled.
    pub hit: Hit,
    /// Whether it is in the prompt.
    pub in_prompt: bool,
    /// Its number in the prompt: the same for all of a thread that the model sees.
    #[serde(default)]
    pub number: Option<u32>,
    /// Its number in the answer, where the answer cites it.
    pub cited: Option<u32>,
}

/// A memory that this turn wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StoredUpdate {
    /// Where it lives.
    pub namespace: Namespace,
    /// Its key.
    pub key: String,
    /// What it says, for programs.
    pub value: serde_json::Value,
    /// The memory.
    pub memory_id: MemoryId,
    /// What it says.
    pub text: String,
    /// What it is about.
    pub category: Category,
    /// For or against.
    pub polarity: Polarity,
    /// The position it fills.
    pub slot: Option<Slot>,
    /// The first character of the saved words in the message (Unicode scalar values).
    pub start: u32,
    /// The character after them.
    pub end: u32,
    /// What the replaced memory said.
    pub replaces: Option<String>,
}

/// A candidate of this turn that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewUpdate {
    /// The item in the queue.
    pub review_id: ReviewId,
    /// Why it waits.
    pub reason: ReviewReason,
    /// What it says; empty when the turn as a whole waits.
    pub text: String,
}

/// What one node did, for the person who wants to see the steps. Holds no words of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TraceStep {
    /// Which node.
    pub node: Node,
    /// How long it took, in milliseconds.
    pub millis: f32,
    /// A count that says what it did: memories found, tokens built, candidates found, memories stored.
    pub count: Option<u32>,
    /// Whether something went wrong in it.
    pub failed: bool,
}

/// The result of a turn. Complete on every road through the graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FinalOutput {
    /// How it ended.
    pub status: TurnStatus,
    /// The answer.
    pub response: String,
    /// What was recalled.
    pub retrieved_memories: Vec<RetrievedMemory>,
    /// What was written.
    pub stored_updates: Vec<StoredUpdate>,
    /// What was left out, each with its reason.
    pub skipped_updates: Vec<Skipped>,
    /// Everything that went wrong, in plain English.
    pub errors: Vec<String>,
    /// The same, for screens.
    pub problems: Vec<Problem>,
    /// What waits for a person.
    pub review_updates: Vec<ReviewUpdate>,
    /// Found and not used.
    pub left_out: Vec<LeftOut>,
    /// Who answered; `None` when there is no answer.
    pub answered_by: Option<AnsweredBy>,
    /// What the model call took.
    #[serde(default)]
    pub usage: TokenUsage,
    /// What Undo of this turn's writes takes.
    pub change_id: Option<ChangeId>,
    /// What each node did.
    pub trace: Vec<TraceStep>,
    /// What this turn could capture and recall; `None` in turns of an older version.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub mode: Option<crate::TurnMode>,
}

/// Everything a turn knows while it runs. Checkpointed after each node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnState {
    /// The turn.
    pub turn_id: TurnId,
    /// The user's message as it came in.
    pub input: String,
    /// Whose memory.
    pub user_id: Option<UserId>,
    /// Which conversation.
    pub thread_id: Option<ThreadId>,
    /// The running program that works on it; another one may take it over only when this one is gone.
    pub runner: String,
    /// When the turn began.
    pub started_at: Timestamp,
    /// The language of the input.
    pub language: Language,
    /// Messages of this thread that are not summarised, oldest first.
    #[serde(skip)]
    pub messages: Vec<Message>,
    /// The block of memories that earlier messages of this thread were asked with.
    #[serde(skip)]
    pub memory_blocks: HashMap<MessageId, String>,
    /// The user's message in the thread.
    pub user_message: Option<MessageId>,
    /// The answer in the thread.
    pub answer_message: Option<MessageId>,
    /// Summary of the older part of the thread.
    pub short_term_summary: String,
    /// The bounded query.
    pub retrieval_query: String,
    /// What was found.
    pub retrieved_memories: Vec<RetrievedMemory>,
    /// What was found and not used.
    pub left_out: Vec<LeftOut>,
    /// What the model sees.
    pub prompt_context: PromptContext,
    /// The answer.
    pub response: String,
    /// Who answered.
    pub answered_by: Option<AnsweredBy>,
    /// What the model call took.
    #[serde(default)]
    pub usage: TokenUsage,
    /// What the extractor found.
    pub memory_candidates: Vec<Candidate>,
    /// The sequence number of the last message that extraction read.
    pub cursor: i64,
    /// What passed.
    pub approved_memory_updates: Vec<ApprovedUpdate>,
    /// What waits.
    pub waiting: Vec<Waiting>,
    /// The items that were parked, in the order of `waiting`.
    pub review_ids: Vec<ReviewId>,
    /// Known memories that were only said again.
    pub confirmed: Vec<MemoryId>,
    /// What was dropped.
    pub skipped_memory_updates: Vec<Skipped>,
    /// What became of each write.
    pub memory_write_results: Vec<WriteResult>,
    /// What Undo takes.
    pub change_id: Option<ChangeId>,
    /// Everything that went wrong.
    pub problems: Vec<Problem>,
    /// How the turn stands.
    pub status: TurnStatus,
    /// What each node did.
    pub trace: Vec<TraceStep>,
    /// What this turn may capture and recall.
    #[serde(default)]
    pub mode: Option<crate::TurnMode>,
    /// The result.
    pub final_output: FinalOutput,
}

impl TurnState {
    /// A turn that has not begun.
    pub fn new(input: TurnInput, runner: &str, now: Timestamp) -> Self {
        Self {
            turn_id: TurnId::generate(),
            language: Language::of(&input.input),
            input: input.input,
            user_id: input.user_id,
            thread_id: input.thread_id,
            runner: runner.to_owned(),
            started_at: now,
            messages: Vec::new(),
            memory_blocks: HashMap::new(),
            user_message: None,
            answer_message: None,
            short_term_summary: String::new(),
            retrieval_query: String::new(),
            retrieved_memories: Vec::new(),
            left_out: Vec::new(),
            prompt_context: PromptContext::default(),
            response: String::new(),
            answered_by: None,
            usage: TokenUsage::default(),
            memory_candidates: Vec::new(),
            cursor: 0,
            approved_memory_updates: Vec::new(),
            waiting: Vec::new(),
            review_ids: Vec::new(),
            confirmed: Vec::new(),
            skipped_memory_updates: Vec::new(),
            memory_write_results: Vec::new(),
            change_id: None,
            problems: Vec::new(),
            status: TurnStatus::Ok,
            trace: Vec::new(),
            mode: None,
            final_output: FinalOutput::default(),
        }
    }
}
