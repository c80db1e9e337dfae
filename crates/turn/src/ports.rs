//! What a turn reaches, and what it may be asked to do differently.

use futures::future::BoxFuture;
use memory_model::{Category, MessageId, Node, Strategy, TurnMode, TurnState};
use ports::{ChatModel, Clock, Conversations, Embedder, MemoryBackend, ReviewQueue, VectorIndex};

/// Everything that the nodes of a turn ask of the world.
#[derive(Clone, Copy)]
pub struct TurnPorts<'a> {
    /// Threads, messages and checkpoints.
    pub conversations: &'a dyn Conversations,
    /// Memories and the keyword list.
    pub memory: &'a dyn MemoryBackend,
    /// The vector list.
    pub vectors: &'a dyn VectorIndex,
    /// The review queue.
    pub reviews: &'a dyn ReviewQueue,
    /// The embedding model; `None` searches by words only.
    pub embedder: Option<&'a dyn Embedder>,
    /// The chat model; `None` answers from memory.
    pub model: Option<&'a dyn ChatModel>,
    /// Who watches.
    pub observer: &'a dyn TurnObserver,
    /// The time.
    pub clock: &'a dyn Clock,
    /// The settings of this turn.
    pub settings: &'a TurnSettings,
}

/// Watches a turn. Every method may be called from any thread.
pub trait TurnObserver: Send + Sync {
    /// A node begins.
    fn node_started(&self, turn: &TurnState, node: Node) {
        let _ = (turn, node);
    }

    /// A node has done its work; the checkpoint is not written yet.
    fn node_ran(&self, turn: &TurnState, node: Node) {
        let _ = (turn, node);
    }

    /// The checkpoint behind a node is written.
    fn checkpointed(&self, turn: &TurnState, node: Node) {
        let _ = (turn, node);
    }

    /// A piece of the answer.
    fn piece(&self, turn: &TurnState, message: &MessageId, piece: &str) {
        let _ = (turn, message, piece);
    }

    /// Ends when the person stops the answer. A watcher that cannot be stopped never ends it.
    fn until_stopped(&self) -> BoxFuture<'_, ()> {
        Box::pin(futures::future::pending())
    }

    /// Whether the person stopped the answer.
    fn stopped(&self) -> bool {
        false
    }
}

/// What to do when the memory cannot be searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnRetrievalError {
    /// Answer without memories and say so.
    #[default]
    Continue,
    /// Do not answer; a person looks first.
    Review,
}

/// The settings of one turn.
#[derive(Clone, Debug)]
pub struct TurnSettings {
    /// What this turn may capture and recall.
    pub mode: TurnMode,
    /// Categories of which nothing is captured.
    pub capture_off: Vec<Category>,
    /// Categories whose memories are not recalled.
    pub recall_off: Vec<Category>,
    /// What the judge may keep.
    pub policy: extraction::Policy,
    /// What to do when the memory cannot be searched.
    pub on_retrieval_error: OnRetrievalError,
    /// Tokens of recalled memories in a prompt.
    pub memory_tokens_max: u32,
    /// Tokens of messages in a prompt; the oldest are summarised above it.
    pub context_tokens_max: u32,
    /// How the search for memories ranks.
    pub strategy: Strategy,
    /// The k of reciprocal rank fusion.
    pub rrf_k: u32,
    /// Memories recalled at most.
    pub recall_limit: usize,
    /// Cosine from which meaning alone makes a memory relevant; belongs to the embedding model.
    pub similarity_min: f32,
    /// Cosine from which a memory is a near neighbour of a candidate; belongs to the embedding model.
    pub neighbour_min: f32,
    /// Cosine from which two statements most likely say the same; belongs to the embedding model.
    pub duplicate_min: f32,
}
