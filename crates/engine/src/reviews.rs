//! The review queue: list, decide, take back.

use crate::memories::{by_hand, checked_text, refused};
use crate::open::not_found;
use crate::{Engine, EngineError, EngineResult, ErrorCode, Event, Tag};
use extraction::key_of;
use memory_model::{
    ApprovedUpdate, Candidate, ChangeId, ChangeReason, Decision, Memory, MemoryId, NewMemory, ReviewDecision,
    ReviewId, ReviewItem, ReviewPage, ReviewQuery, ReviewStatus, Status, Timestamp, TurnId, WriteBatch,
    WriteOp, Written,
};
use ports::{Decided, Deciding, MemoryBackend, ReviewQueue};
use serde::{Deserialize, Serialize};
use turn::nodes::store_memory_updates::new_memory;

/// What became of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReviewOutcomeStatus {
    /// It stands.
    Decided,
    /// Somebody was faster: their decision stands, and this one changed nothing.
    DecidedBefore,
    /// It could not be carried out; the item waits on. See `error`.
    Refused,
    /// There is no such item.
    NotFound,
}

/// What became of one decision, or of taking one back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ReviewOutcome {
    /// The item.
    pub id: ReviewId,
    /// What happened.
    pub status: ReviewOutcomeStatus,
    /// The memories that the standing decision wrote: this one's, or the one of whoever was faster.
    pub memory_ids: Vec<MemoryId>,
    /// The change of the standing decision.
    pub change_id: Option<ChangeId>,
    /// The item as whoever was faster left it.
    pub item: Option<ReviewItem>,
    /// Why it was refused.
    pub error: Option<EngineError>,
}

/// Decisions of one call; far more than a person marks at once.
const DECISIONS_MAX: usize = 5_000;

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

    /// A page of the queue; `next` of one page is the cursor of the next.
    ///
    /// # Errors
    /// `NotFound` for a cursor that no page gave.
    pub async fn review_page(&self, query: &ReviewQuery) -> EngineResult<ReviewPage> {
        Ok(self.inner.store.page(&self.user(), query).await?)
    }

    /// One item of the queue.
    ///
    /// # Errors
    /// `NotFound` for an unknown item.
    pub async fn review_item(&self, id: &ReviewId) -> EngineResult<ReviewItem> {
        let item = self.inner.store.item(&self.user(), id).await?;
        item.ok_or_else(|| not_found("review item"))
    }

    /// Decides several items in one transaction, each on its own. An item that somebody decided before comes back
    /// with their decision and what it wrote; one that cannot be carried out waits on.
    ///
    /// # Errors
    /// `InvalidInput` for more than 5,000 decisions; otherwise when nothing could be written.
    pub async fn decide_reviews(&self, decisions: &[ReviewDecision]) -> EngineResult<Vec<ReviewOutcome>> {
        if decisions.len() > DECISIONS_MAX {
            let message = format!("decisions: {DECISIONS_MAX} at most.");
            return Err(EngineError::invalid("decisions", message));
        }
        let owner = self.user();
        let mut outcomes: Vec<Option<ReviewOutcome>> = Vec::with_capacity(decisions.len());
        let mut deciding = Vec::new();
        let mut whole_turns = Vec::new();
        for wanted in decisions {
            let item = self.inner.store.item(&owner, &wanted.id).await?;
            // An item that is unknown or decided is answered by the store.
            let ops = match &item {
                Some(item) if item.status == ReviewStatus::Pending => {
                    self.writes_of(item, &wanted.decision).await
                }
                _ => Ok(Vec::new()),
            };
            match ops {
                Ok(ops) => {
                    deciding.push(Deciding {
                        id: wanted.id.clone(),
                        decision: wanted.decision.clone(),
                        ops,
                    });
                    outcomes.push(None);
                    whole_turns.push(
                        item.filter(|_| wanted.decision == Decision::Approve)
                            .and_then(waiting_turn),
                    );
                }
                Err(error) => outcomes.push(Some(refusal(&wanted.id, error))),
            }
        }
        let ids: Vec<ReviewId> = deciding.iter().map(|deciding| deciding.id.clone()).collect();
        let decided = self
            .inner
            .store
            .decide_all(&owner, self.inner.clock.now(), deciding)
            .await?;
        let mut decided = ids.iter().zip(decided).zip(whole_turns);
        let mut result = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            if let Some(refused) = outcome {
                result.push(refused);
            } else if let Some(((id, decided), turn)) = decided.next() {
                let outcome = outcome_of(id, decided);
                if let Some(turn) = turn.filter(|_| outcome.status == ReviewOutcomeStatus::Decided) {
                    self.retry_turn(&turn).await?;
                }
                result.push(outcome);
            }
        }
        self.changed(&[Tag::Review, Tag::Memories, Tag::Threads, Tag::Health]);
        Ok(result)
    }

    /// Takes several decisions back, each on its own.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn undo_reviews(&self, ids: &[ReviewId]) -> EngineResult<Vec<ReviewOutcome>> {
        let mut outcomes = Vec::with_capacity(ids.len());
        for id in ids {
            outcomes.push(match self.undo_review(id).await {
                Ok(()) => outcome(id, ReviewOutcomeStatus::Decided),
                Err(error) if error.code == ErrorCode::NotFound => outcome(id, ReviewOutcomeStatus::NotFound),
                Err(error) => refusal(id, error),
            });
        }
        Ok(outcomes)
    }

    /// Tells listeners how many items wait.
    pub(crate) async fn count_reviews(&self) {
        if let Ok(waiting) = self.inner.store.pending(&self.user()).await {
            self.publish(Event::ReviewCount { waiting });
        }
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
            Decision::Approve | Decision::NewerWins => {
                Ok(vec![self.replacing(item, candidate, existing).await?])
            }
            Decision::Edit { text } => {
                let edited = edited(candidate, text, self.inner.clock.now())?;
                Ok(vec![self.replacing(item, edited, existing).await?])
            }
            Decision::KeepBoth => {
                let candidate = self.with_free_key(candidate).await?;
                Ok(vec![WriteOp::Create {
                    memory: self.decided_memory(item, candidate),
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
    async fn replacing(
        &self,
        item: &ReviewItem,
        candidate: Candidate,
        existing: Option<Memory>,
    ) -> EngineResult<WriteOp> {
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
        let memory = self.decided_memory(item, candidate);
        Ok(match existing {
            Some(old) => WriteOp::Supersede {
                old: old.id,
                expected_version: old.version,
                memory,
            },
            None => WriteOp::Create { memory },
        })
    }

    /// The memory that a person approved: it keeps its source, and the person's word is what it is trusted by.
    fn decided_memory(&self, item: &ReviewItem, candidate: Candidate) -> NewMemory {
        let mut memory = new_memory(&self.user(), &approved(candidate));
        if let Some(source) = &item.source {
            memory.source = source.kind;
            memory.source_id = source.id.clone();
        }
        memory
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

fn outcome(id: &ReviewId, status: ReviewOutcomeStatus) -> ReviewOutcome {
    ReviewOutcome {
        id: id.clone(),
        status,
        memory_ids: Vec::new(),
        change_id: None,
        item: None,
        error: None,
    }
}

fn refusal(id: &ReviewId, error: EngineError) -> ReviewOutcome {
    ReviewOutcome {
        error: Some(error),
        ..outcome(id, ReviewOutcomeStatus::Refused)
    }
}

fn outcome_of(id: &ReviewId, decided: Decided) -> ReviewOutcome {
    match decided {
        Decided::Written(written) => ReviewOutcome {
            memory_ids: written
                .results
                .iter()
                .filter_map(|result| result.memory.as_ref())
                .map(|memory| memory.id.clone())
                .collect(),
            change_id: written.change_id,
            ..outcome(id, ReviewOutcomeStatus::Decided)
        },
        Decided::Before { item, memories } => ReviewOutcome {
            memory_ids: memories,
            change_id: item.change_id.clone(),
            item: Some(*item),
            ..outcome(id, ReviewOutcomeStatus::DecidedBefore)
        },
        Decided::Refused(results) => {
            let error = results.iter().find_map(refused);
            let changed = || EngineError::new(ErrorCode::Conflict, "A memory was changed in between.");
            refusal(id, error.unwrap_or_else(changed))
        }
        Decided::Unknown => outcome(id, ReviewOutcomeStatus::NotFound),
    }
}

/// The turn that goes on when its item is approved.
fn waiting_turn(item: ReviewItem) -> Option<TurnId> {
    let whole = item.waiting.candidate.is_none();
    item.turn_id.filter(|_| whole)
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
