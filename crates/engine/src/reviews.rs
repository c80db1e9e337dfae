//! The review queue: list, decide, take back.

use crate::memories::{by_hand, checked_text, refused};
use crate::open::not_found;
use crate::{Engine, EngineError, EngineResult, Tag};
use extraction::key_of;
use memory_model::{
    ApprovedUpdate, Candidate, ChangeReason, Decision, Memory, ReviewId, ReviewItem, ReviewStatus, Status,
    Timestamp, WriteBatch, WriteOp, Written,
};
use ports::{MemoryBackend, ReviewQueue};
use turn::nodes::store_memory_updates::new_memory;

/// Items in a list.
const ITEMS_MAX: u32 = 1_000;

/// Tries to find a free key when both sides of a conflict are kept.
const KEY_TRIES: u32 = 50;

impl Engine {
    /// Items that wait, oldest first, or that were decided, last decided first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_review(&self, status: ReviewStatus) -> EngineResult<Vec<ReviewItem>> {
        Ok(self.inner.store.items(&self.user(), status, ITEMS_MAX).await?)
    }

    /// Decides an item; what the decision leads to is written in the same transaction.
    ///
    /// # Errors
    /// `Conflict` when somebody decided it first; `InvalidInput` for an edited text that cannot be kept.
    pub async fn decide_review(&self, id: &ReviewId, decision: &Decision) -> EngineResult<Written> {
        let owner = self.user();
        let item = self
            .inner
            .store
            .item(&owner, id)
            .await?
            .ok_or_else(|| not_found("review item"))?;
        let ops = self.writes_of(&item, decision).await?;
        let at = self.inner.clock.now();
        let batch = WriteBatch {
            owner,
            reason: ChangeReason::Review,
            at,
            turn: None,
            ops,
        };
        let written = self.inner.store.decide(id, decision, batch).await?;
        self.changed(&[Tag::Review, Tag::Memories, Tag::Threads, Tag::Health]);
        if let Some(error) = written.results.iter().find_map(refused) {
            return Err(error);
        }
        if item.waiting.candidate.is_none()
            && *decision == Decision::Approve
            && let Some(turn_id) = &item.turn_id
        {
            self.retry_turn(turn_id).await?;
        }
        Ok(written)
    }

    /// Takes a decision back; the item waits again.
    ///
    /// # Errors
    /// `Conflict` when what it wrote was changed since.
    pub async fn undo_review(&self, id: &ReviewId) -> EngineResult<()> {
        self.inner
            .store
            .undo_decision(&self.user(), id, self.inner.clock.now())
            .await?;
        self.changed(&[Tag::Review, Tag::Memories, Tag::Threads, Tag::Health]);
        Ok(())
    }

    async fn writes_of(&self, item: &ReviewItem, decision: &Decision) -> EngineResult<Vec<WriteOp>> {
        let Some(candidate) = item.waiting.candidate.clone() else {
            return Ok(Vec::new());
        };
        let existing = self.still_active(item.waiting.existing.as_ref()).await?;
        match decision {
            Decision::Reject => Ok(Vec::new()),
            Decision::Approve | Decision::NewerWins => Ok(vec![self.replacing(candidate, existing).await?]),
            Decision::Edit { text } => {
                let edited = edited(candidate, text, self.inner.clock.now())?;
                Ok(vec![self.replacing(edited, existing).await?])
            }
            Decision::KeepBoth => {
                let candidate = self.with_free_key(candidate).await?;
                Ok(vec![WriteOp::Create {
                    memory: new_memory(&self.user(), &approved(candidate)),
                }])
            }
        }
    }

    /// The other side as it is now; a memory that no longer holds is nothing to replace.
    async fn still_active(&self, existing: Option<&Memory>) -> EngineResult<Option<Memory>> {
        let Some(existing) = existing else { return Ok(None) };
        let current = self.inner.store.get(&self.user(), &existing.id).await?;
        Ok(current.filter(|memory| memory.status == Status::Active))
    }

    /// Replaces the other side; without one, whatever active memory has the key by now.
    async fn replacing(&self, candidate: Candidate, existing: Option<Memory>) -> EngineResult<WriteOp> {
        let owner = self.user();
        let existing = match existing {
            Some(existing) => Some(existing),
            None => {
                let keys = std::slice::from_ref(&candidate.key);
                self.inner
                    .store
                    .known(&owner, keys, &[])
                    .await?
                    .into_iter()
                    .next()
            }
        };
        let memory = new_memory(&owner, &approved(candidate));
        Ok(match existing {
            Some(old) => WriteOp::Supersede {
                old: old.id,
                expected_version: old.version,
                memory,
            },
            None => WriteOp::Create { memory },
        })
    }

    async fn with_free_key(&self, mut candidate: Candidate) -> EngineResult<Candidate> {
        let base = candidate.key.clone();
        let whole = key_of(&candidate.text, candidate.category);
        let numbered = (2..KEY_TRIES).map(|number| format!("{base}_{number}"));
        for key in std::iter::once(base.clone())
            .chain(std::iter::once(whole))
            .chain(numbered)
        {
            if self
                .inner
                .store
                .known(&self.user(), std::slice::from_ref(&key), &[])
                .await?
                .is_empty()
            {
                candidate.key = key;
                return Ok(candidate);
            }
        }
        Err(EngineError::invalid(
            "key",
            "Too many memories say something about this; edit one of them instead.",
        ))
    }
}

fn approved(candidate: Candidate) -> ApprovedUpdate {
    ApprovedUpdate {
        candidate,
        replaces: None,
    }
}

/// The candidate with the person's words and what they mean; what the old words said is not taken over.
fn edited(mut candidate: Candidate, text: &str, now: Timestamp) -> EngineResult<Candidate> {
    let text = checked_text(text)?;
    let read = by_hand(&text, Some(candidate.category), now)?;
    candidate.text = text;
    candidate.key = read.key;
    candidate.value = read.value;
    candidate.polarity = read.polarity;
    candidate.slot = read.slot;
    candidate.language = read.language;
    candidate.confidence = 1.0;
    Ok(candidate)
}
