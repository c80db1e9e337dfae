//! The review queue.

use super::InMemoryStore;
use super::{undoing, writing};
use async_trait::async_trait;
use memory_model::{
    ChangeId, ChangeReason, Decision, ReviewId, ReviewItem, ReviewPage, ReviewQuery, ReviewStatus, Timestamp,
    TurnMark, UserId, WriteBatch, Written,
};
use ports::{Decided, Deciding, ReviewQueue, StoreError, StoreResult};
use std::collections::BTreeMap;

/// What a missing item is called in errors.
const ITEM: &str = "review item";

#[async_trait]
impl ReviewQueue for InMemoryStore {
    async fn park(&self, items: Vec<ReviewItem>, mark: Option<&TurnMark>) -> StoreResult<()> {
        let mut state = self.to_write("parking review items")?;
        let owner = items.first().map(|item| item.owner.clone());
        for item in items {
            if state.reviews.iter().all(|parked| parked.id != item.id) {
                state.reviews.push(item);
            }
        }
        if let Some(mark) = mark {
            let owner = owner.or_else(|| state.threads.get(&mark.thread_id).map(|row| row.owner.clone()));
            if let Some(owner) = owner {
                state.move_cursor(&owner, &mark.thread_id, mark.cursor);
            }
        }
        Ok(())
    }

    async fn items(&self, owner: &UserId, status: ReviewStatus, limit: u32) -> StoreResult<Vec<ReviewItem>> {
        let state = self.to_read("listing review items")?;
        let mut items: Vec<ReviewItem> = state
            .reviews
            .iter()
            .filter(|item| &item.owner == owner && item.status == status)
            .cloned()
            .collect();
        items.sort_by_key(|item| (std::cmp::Reverse(item.decided_at), item.created_at));
        items.truncate(limit as usize);
        Ok(items)
    }

    async fn page(&self, owner: &UserId, query: &ReviewQuery) -> StoreResult<ReviewPage> {
        let all = self.items(owner, query.status, u32::MAX).await?;
        let mut by_reason = BTreeMap::new();
        for item in &all {
            *by_reason.entry(item.waiting.reason).or_insert(0) += 1;
        }
        let wanted = |item: &ReviewItem| query.reason.is_none_or(|reason| item.waiting.reason == reason);
        let mut items: Vec<ReviewItem> = all.into_iter().filter(wanted).collect();
        // The order of a page is the same for items of one moment: by id, forwards or backwards.
        match query.status {
            ReviewStatus::Pending => items.sort_by_key(|item| (item.created_at, item.id.clone())),
            ReviewStatus::Decided => {
                items.sort_by_key(|item| std::cmp::Reverse((item.decided_at, item.id.clone())));
            }
        }
        if let Some(cursor) = &query.cursor {
            let last = items.iter().position(|item| item.id.as_str() == cursor);
            items.drain(..=last.ok_or(StoreError::NotFound { what: "page" })?);
        }
        let limit = if query.limit == 0 {
            100
        } else {
            query.limit as usize
        };
        let more = items.len() > limit;
        items.truncate(limit);
        Ok(ReviewPage {
            next: items.last().filter(|_| more).map(|item| item.id.to_string()),
            items,
            total: by_reason.values().sum(),
            by_reason,
        })
    }

    async fn decide_all(
        &self,
        owner: &UserId,
        at: Timestamp,
        decisions: Vec<Deciding>,
    ) -> StoreResult<Vec<Decided>> {
        let mut outcomes = Vec::new();
        for deciding in decisions {
            let before = self.item(owner, &deciding.id).await?;
            let Some(item) = before else {
                outcomes.push(Decided::Unknown);
                continue;
            };
            if item.status == ReviewStatus::Decided {
                let memories = self
                    .to_read("reading a decision")?
                    .touched_by(item.change_id.as_ref());
                outcomes.push(Decided::Before {
                    item: Box::new(item),
                    memories,
                });
                continue;
            }
            let writes = WriteBatch {
                owner: owner.clone(),
                reason: ChangeReason::Review,
                at,
                turn: None,
                ops: deciding.ops,
            };
            match self.decide(&deciding.id, &deciding.decision, writes).await {
                Ok(written) => outcomes.push(Decided::Written(written)),
                Err(StoreError::Conflict { .. }) => outcomes.push(Decided::Refused(Vec::new())),
                Err(error) => return Err(error),
            }
        }
        Ok(outcomes)
    }

    async fn item(&self, owner: &UserId, id: &ReviewId) -> StoreResult<Option<ReviewItem>> {
        let state = self.to_read("reading a review item")?;
        Ok(state
            .reviews
            .iter()
            .find(|item| &item.owner == owner && &item.id == id)
            .cloned())
    }

    async fn pending(&self, owner: &UserId) -> StoreResult<u32> {
        let state = self.to_read("counting review items")?;
        let waits = |item: &&ReviewItem| &item.owner == owner && item.status == ReviewStatus::Pending;
        Ok(u32::try_from(state.reviews.iter().filter(waits).count()).unwrap_or(u32::MAX))
    }

    async fn decide(&self, id: &ReviewId, decision: &Decision, writes: WriteBatch) -> StoreResult<Written> {
        let (owner, at) = (writes.owner.clone(), writes.at);
        let mut state = self.to_write_memories("deciding a review item")?;
        let place = state
            .reviews
            .iter()
            .position(|item| item.owner == owner && &item.id == id);
        let place = place.ok_or(StoreError::NotFound { what: ITEM })?;
        if state.reviews[place].status == ReviewStatus::Decided {
            return Err(StoreError::Conflict { what: ITEM });
        }
        let written = writing::apply(&mut state, writes);
        let item = &mut state.reviews[place];
        item.status = ReviewStatus::Decided;
        item.decision = Some(decision.clone());
        item.decided_at = Some(at);
        item.change_id = written.change_id.clone();
        Ok(written)
    }

    async fn undo_decision(
        &self,
        owner: &UserId,
        id: &ReviewId,
        at: Timestamp,
    ) -> StoreResult<Option<ChangeId>> {
        let mut state = self.to_write_memories("taking a decision back")?;
        let place = state
            .reviews
            .iter()
            .position(|item| &item.owner == owner && &item.id == id && item.status == ReviewStatus::Decided);
        let place = place.ok_or(StoreError::NotFound { what: ITEM })?;
        let change = state.reviews[place].change_id.clone();
        let undone = match change {
            Some(change) => undoing::undo(&mut state, owner, &change, at)?.change_id,
            None => None,
        };
        let item = &mut state.reviews[place];
        item.status = ReviewStatus::Pending;
        item.decision = None;
        item.decided_at = None;
        item.change_id = None;
        Ok(undone)
    }
}
