//! What waits for a person.

use crate::StoreResult;
use async_trait::async_trait;
use memory_model::{
    ChangeId, Decision, ReviewId, ReviewItem, ReviewStatus, Timestamp, TurnMark, UserId, WriteBatch, Written,
};

/// The review queue.
#[async_trait]
pub trait ReviewQueue: Send + Sync {
    /// Parks items; one that is there already (same id) stays as it is. With a mark, the thread's extraction
    /// cursor moves in the same transaction.
    async fn park(&self, items: Vec<ReviewItem>, mark: Option<&TurnMark>) -> StoreResult<()>;

    /// Items in one state: those that wait oldest first, those that are decided last decided first.
    async fn items(&self, owner: &UserId, status: ReviewStatus, limit: u32) -> StoreResult<Vec<ReviewItem>>;

    /// One item.
    async fn item(&self, owner: &UserId, id: &ReviewId) -> StoreResult<Option<ReviewItem>>;

    /// How many wait.
    async fn pending(&self, owner: &UserId) -> StoreResult<u32>;

    /// Decides an item of `writes.owner` at `writes.at` and writes what the decision leads to, in one transaction.
    ///
    /// # Errors
    /// `Conflict` when it was decided before (by another window or program); nothing is written then.
    async fn decide(&self, id: &ReviewId, decision: &Decision, writes: WriteBatch) -> StoreResult<Written>;

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
