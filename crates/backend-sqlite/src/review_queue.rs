//! [`ReviewQueue`]: what waits for a person.

use crate::SqliteStore;
use crate::apply;
use crate::error::Doing;
use crate::tables::{review_items, threads};
use crate::undo;
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::{
    ChangeId, Decision, ReviewId, ReviewItem, ReviewStatus, Timestamp, TurnMark, UserId, WriteBatch,
    WriteStatus, Written,
};
use ports::{ReviewQueue, StoreError, StoreResult};

#[async_trait]
impl ReviewQueue for SqliteStore {
    async fn park(&self, items: Vec<ReviewItem>, mark: Option<&TurnMark>) -> StoreResult<()> {
        const DOING: &str = "parking what waits for a person";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        for item in &items {
            review_items::add(&mut transaction, item).await?;
        }
        if let Some(mark) = mark {
            threads::move_cursor_of(&mut transaction, &mark.thread_id, mark.cursor).await?;
        }
        transaction.commit().await.doing(DOING)
    }

    async fn items(&self, owner: &UserId, status: ReviewStatus, limit: u32) -> StoreResult<Vec<ReviewItem>> {
        review_items::list(
            &mut *self.reader("reading the review queue").await?,
            owner,
            status,
            limit,
        )
        .await
    }

    async fn item(&self, owner: &UserId, id: &ReviewId) -> StoreResult<Option<ReviewItem>> {
        review_items::one(&mut *self.reader("reading the review queue").await?, owner, id).await
    }

    async fn pending(&self, owner: &UserId) -> StoreResult<u32> {
        review_items::pending(&mut *self.reader("reading the review queue").await?, owner).await
    }

    async fn decide(&self, id: &ReviewId, decision: &Decision, writes: WriteBatch) -> StoreResult<Written> {
        const DOING: &str = "deciding a review item";
        let (owner, at) = (writes.owner.clone(), writes.at);
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let item = review_items::one(&mut transaction, &owner, id)
            .await?
            .ok_or(UNKNOWN)?;
        if item.status != ReviewStatus::Pending {
            return Err(StoreError::Conflict { what: "review item" });
        }
        let written = apply::apply(&mut transaction, writes).await?;
        // A decision whose write was refused would take the item away and keep nothing. Leaving the
        // transaction here undoes all of it: the item waits, and the person decides on what is there now.
        let refused = |status| {
            matches!(
                status,
                WriteStatus::AlreadyExists
                    | WriteStatus::VersionConflict
                    | WriteStatus::NotFound
                    | WriteStatus::Failed
            )
        };
        if written.results.iter().any(|result| refused(result.status)) {
            return Err(StoreError::Conflict { what: "memory" });
        }
        review_items::set_decision(
            &mut transaction,
            id,
            Some((decision, at)),
            written.change_id.as_ref(),
        )
        .await?;
        transaction.commit().await.doing(DOING)?;
        Ok(written)
    }

    async fn undo_decision(
        &self,
        owner: &UserId,
        id: &ReviewId,
        at: Timestamp,
    ) -> StoreResult<Option<ChangeId>> {
        const DOING: &str = "taking a decision back";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let item = review_items::one(&mut transaction, owner, id)
            .await?
            .ok_or(UNKNOWN)?;
        if item.status != ReviewStatus::Decided {
            return Err(StoreError::NotFound {
                what: "decision to take back",
            });
        }
        let change = match &item.change_id {
            Some(change) => undo::undo(&mut transaction, owner, change, at).await?.change_id,
            None => None,
        };
        review_items::set_decision(&mut transaction, id, None, None).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(change)
    }
}

const UNKNOWN: StoreError = StoreError::NotFound { what: "review item" };
