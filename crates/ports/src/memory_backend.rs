//! Where memories are kept.

use crate::StoreResult;
use async_trait::async_trait;
use memory_model::{
    ChangeId, Memory, MemoryFilter, MemoryId, MemoryOrder, MemoryPage, MemoryVersion, ThreadId, Timestamp,
    UserId, WriteBatch, Written,
};

/// A store of memories. Every read and write is limited to one owner.
#[async_trait]
pub trait MemoryBackend: Send + Sync {
    /// The id in settings, such as `sqlite`.
    fn id(&self) -> &str;

    /// The name on screens.
    fn display_name(&self) -> &str;

    /// Writes a batch in one transaction. An operation that cannot be done (a taken key, another version)
    /// is reported in its own result and the others are written. A batch whose [`memory_model::TurnMark`] and
    /// reason were applied before is not applied again; its first outcome is returned.
    ///
    /// # Errors
    /// When nothing at all could be written.
    async fn apply(&self, batch: WriteBatch) -> StoreResult<Written>;

    /// Takes back a change set: every memory it touched returns to the state before, as a new version.
    /// Taking back an undo brings the change back.
    ///
    /// # Errors
    /// `NotFound` for an unknown change; `Conflict` when a memory was changed since, or erased.
    async fn undo(&self, owner: &UserId, change: &ChangeId, at: Timestamp) -> StoreResult<Written>;

    /// One memory in any state, or `None`.
    async fn get(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Option<Memory>>;

    /// A page of memories.
    async fn list(
        &self,
        filter: &MemoryFilter,
        order: MemoryOrder,
        offset: u32,
        limit: u32,
    ) -> StoreResult<MemoryPage>;

    /// Every version of a memory, oldest first.
    async fn history(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Vec<MemoryVersion>>;

    /// The keyword list: at most `limit` memories that hold at least one of `terms`, best first, filtered
    /// before they are ranked. `terms` come from `recall::terms` and are plain tokens, never query syntax.
    async fn search_keywords(
        &self,
        filter: &MemoryFilter,
        terms: &[String],
        limit: u32,
    ) -> StoreResult<Vec<KeywordHit>>;

    /// How many texts hold each of `terms`, in their order, and how many texts there are. The counts weigh words,
    /// so they may include texts of other owners and of every state; they never name a text.
    async fn term_counts(&self, terms: &[String]) -> StoreResult<TermCounts>;

    /// Terms of the keyword index that lie in a range, those that most texts hold first, at most `limit`. A store that
    /// cannot tell answers with none, and then only whole words are found.
    async fn terms_between(&self, range: &TermRange, limit: u32) -> StoreResult<Vec<String>> {
        let _ = (range, limit);
        Ok(Vec::new())
    }

    /// Each of `ids` itself (`distance` 0), and the active memories of the same conversation that lie nearest
    /// before (-1, -2) and after it (1, 2), at most `each_side` on a side, in the order in which they were kept.
    /// A memory without a conversation stands alone; unknown ids are left out.
    async fn surroundings(
        &self,
        owner: &UserId,
        ids: &[MemoryId],
        each_side: u32,
    ) -> StoreResult<Vec<Beside>>;

    /// Several memories by id, in any state, in one read; unknown ids are left out.
    async fn get_many(&self, owner: &UserId, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// Active memories under one of these keys or filling one of these slots, in one read.
    async fn known(&self, owner: &UserId, keys: &[String], slots: &[String]) -> StoreResult<Vec<Memory>>;

    /// Counts a recall of each memory in one write. Never moves `updated_at`.
    async fn count_recalls(&self, owner: &UserId, ids: &[MemoryId], at: Timestamp) -> StoreResult<()>;

    /// Erases memories for good that were deleted before `before`: rows, versions, keyword index and vectors.
    /// Returns how many.
    async fn purge_deleted(&self, before: Timestamp) -> StoreResult<u32>;

    /// Asks the store whether it can answer.
    async fn health(&self) -> BackendHealth;
}

/// A row of the keyword list.
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordHit {
    /// Which memory.
    pub id: MemoryId,
    /// BM25, larger is better.
    pub bm25: f32,
}

/// Terms from one on and before another, in code point order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermRange {
    /// The first term.
    pub from: String,
    /// The first one behind the range.
    pub to: String,
}

/// How common words are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// Texts in the keyword index.
    pub texts: u32,
    /// Texts that hold each term, in the order of the question.
    pub holding: Vec<u32>,
}

/// A memory that stands beside another one in the same conversation, or the memory itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The memory that was asked about.
    pub of: MemoryId,
    /// Who stands here.
    pub id: MemoryId,
    /// How many places away: 0 is the memory itself, negative ones were said before it.
    pub distance: i32,
    /// What is said here: the text, and the exact words it rests on where they differ.
    pub text: String,
    /// Who or what it is about.
    pub subject: String,
    /// The conversation.
    pub thread: Option<ThreadId>,
}

/// Whether a store answers.
#[derive(Clone, Debug, PartialEq)]
pub struct BackendHealth {
    /// It does.
    pub ok: bool,
    /// How long the question took, in milliseconds.
    pub latency_ms: f32,
    /// What is wrong.
    pub error: Option<String>,
}
