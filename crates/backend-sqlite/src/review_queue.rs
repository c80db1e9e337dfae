//! [`ReviewQueue`]: what waits for a person.

use crate::SqliteStore;
use crate::apply;
use crate::error::Doing;
use crate::tables::{audit_log, review_items, threads};
use crate::undo;
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::{
    ChangeId, ChangeReason, Decision, ReviewId, ReviewItem, ReviewPage, ReviewQuery, ReviewStatus, Timestamp,
    TurnMark, UserId, WriteBatch, WriteStatus, Written,
};
use ports::{AuditEntry, Decided, Deciding, ReviewQueue, StoreError, StoreResult};
use sqlx::{Connection, SqliteConnection};

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

    async fn page(&self, owner: &UserId, query: &ReviewQuery) -> StoreResult<ReviewPage> {
        review_items::page(&mut *self.reader("reading the review queue").await?, owner, query).await
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
        if written.results.iter().any(|result| refused(result.status)) {
            return Err(StoreError::Conflict { what: "memory" });
        }
        settle(&mut transaction, &item, decision, at, &written).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(written)
    }

    async fn decide_all(
        &self,
        owner: &UserId,
        at: Timestamp,
        decisions: Vec<Deciding>,
    ) -> StoreResult<Vec<Decided>> {
        const DOING: &str = "deciding review items";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let mut outcomes = Vec::with_capacity(decisions.len());
        for deciding in decisions {
            // A savepoint for each: what one of them refuses is undone and the others stand.
            let mut own = transaction.begin().await.doing(DOING)?;
            let outcome = decide_one(&mut own, owner, at, deciding).await?;
            match outcome {
                Decided::Written(_) => own.commit().await.doing(DOING)?,
                Decided::Before { .. } | Decided::Refused(_) | Decided::Unknown => {
                    own.rollback().await.doing(DOING)?;
                }
            }
            outcomes.push(outcome);
        }
        transaction.commit().await.doing(DOING)?;
        Ok(outcomes)
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
        let details = serde_json::json!({ "change_id": change });
        record(&mut transaction, &item, "review.undone", at, details).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(change)
    }
}

const UNKNOWN: StoreError = StoreError::NotFound { what: "review item" };

/// Decides one item inside a transaction of its own.
async fn decide_one(
    connection: &mut SqliteConnection,
    owner: &UserId,
    at: Timestamp,
    deciding: Deciding,
) -> StoreResult<Decided> {
    let Some(item) = review_items::one(connection, owner, &deciding.id).await? else {
        return Ok(Decided::Unknown);
    };
    if item.status == ReviewStatus::Decided {
        let memories = match &item.change_id {
            Some(change) => review_items::written_by(connection, change).await?,
            None => Vec::new(),
        };
        return Ok(Decided::Before {
            item: Box::new(item),
            memories,
        });
    }
    let batch = WriteBatch {
        owner: owner.clone(),
        reason: ChangeReason::Review,
        at,
        turn: None,
        ops: deciding.ops,
    };
    let written = apply::apply(connection, batch).await?;
    if written.results.iter().any(|result| refused(result.status)) {
        return Ok(Decided::Refused(written.results));
    }
    settle(connection, &item, &deciding.decision, at, &written).await?;
    Ok(Decided::Written(written))
}

/// Keeps a decision and its record.
async fn settle(
    connection: &mut SqliteConnection,
    item: &ReviewItem,
    decision: &Decision,
    at: Timestamp,
    written: &Written,
) -> StoreResult<()> {
    let change = written.change_id.as_ref();
    review_items::set_decision(connection, &item.id, Some((decision, at)), change).await?;
    let details = serde_json::json!({
        "verb": verb(decision),
        "reason": item.waiting.reason,
        "change_id": change,
    });
    record(connection, item, "review.decided", at, details).await
}

async fn record(
    connection: &mut SqliteConnection,
    item: &ReviewItem,
    action: &str,
    at: Timestamp,
    details: serde_json::Value,
) -> StoreResult<()> {
    let entry = AuditEntry {
        at,
        owner: item.owner.clone(),
        action: action.to_owned(),
        target: item.id.to_string(),
        details,
    };
    audit_log::add(connection, &entry).await
}

/// The verb alone: what a person wrote while editing is no part of the record.
fn verb(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Edit { .. } => "edit",
        Decision::Reject => "reject",
        Decision::KeepBoth => "keep_both",
        Decision::NewerWins => "newer_wins",
    }
}

fn refused(status: WriteStatus) -> bool {
    matches!(
        status,
        WriteStatus::AlreadyExists
            | WriteStatus::VersionConflict
            | WriteStatus::NotFound
            | WriteStatus::Failed
    )
}
