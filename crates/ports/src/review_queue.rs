//! What waits for a person.

use crate::StoreResult;
use async_trait::async_trait;
use memory_model::{
    ChangeId, Decision, MemoryId, ReviewId, ReviewItem, ReviewPage, ReviewQuery, ReviewStatus, Timestamp,
    TurnMark, UserId, WriteBatch, WriteOp, WriteResult, Written,
};

/// A decision with the writes that it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Deciding {
    /// The item.
    pub id: ReviewId,
    /// What is decided.
    pub decision: Decision,
    /// What the decision writes.
    pub ops: Vec<WriteOp>,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// It stands, and this was written.
    Written(Written),
    /// Somebody was faster: the item as they left it, and the memories that they wrote.
    Before {
        /// The item with their decision.
        item: Box<ReviewItem>,
        /// What they wrote.
        memories: Vec<MemoryId>,
    },
    /// A write was refused, so the item waits on.
    Refused(Vec<WriteResult>),
    /// There is no such item.
    Unknown,
}

/// The review queue.
#[async_trait]
pub trait ReviewQueue: Send + Sync {
    /// Parks items; one that is there already (same id) stays as it is. With a mark, the thread's extraction
    /// cursor moves in the same transaction.
    async fn park(&self, items: Vec<ReviewItem>, mark: Option<&TurnMark>) -> StoreResult<()>;

    /// Items in one state: those that wait oldest first, those that are decided last decided first.
    async fn items(&self, owner: &UserId, status: ReviewStatus, limit: u32) -> StoreResult<Vec<ReviewItem>>;

    /// A page of the queue.
    ///
    /// # Errors
    /// `NotFound` for a cursor that no page gave.
    async fn page(&self, owner: &UserId, query: &ReviewQuery) -> StoreResult<ReviewPage>;

    /// One item.
    async fn item(&self, owner: &UserId, id: &ReviewId) -> StoreResult<Option<ReviewItem>>;

    /// How many wait.
    async fn pending(&self, owner: &UserId) -> StoreResult<u32>;

    /// Decides an item of `writes.owner` at `writes.at` and writes what the decision leads to, in one transaction.
    ///
    /// # Errors
    /// `Conflict` when it was decided before (by another window or program); nothing is written then.
    async fn decide(&self, id: &ReviewId, decision: &Decision, writes: WriteBatch) -> StoreResult<Written>;

    /// Decides several items in one transaction, each on its own: an item whose write is refused waits on, and the
    /// others are decided. `Decided` says what became of each, in the order given.
    ///
    /// # Errors
    /// When nothing at all could be written.
    async fn decide_all(
        &self,
        owner: &UserId,
        at: Timestamp,
        decisions: Vec<Deciding>,
    ) -> StoreResult<Vec<Decided>>;

    /// Takes a decision back: what it wrote is undone and the item waits again, in one transaction.
    ///
    /// # Errors
    /// `NotFound` when it is not decided; `Conflict` when a memory it wrote was changed since.
    async fn undo_decision(
        &self,
        owner: &UserId,
        id: &ReviewId,
        at: Timestamp,
    ) -> StoreResult<Option<ChangeId>>;
}
