//! Where memories come from: what each source wrote, taking all of it back, what is new since somebody last looked,
//! and memories that another program, a tool or a file brings.

use crate::memories::{by_hand, checked_text, refused};
use crate::open::not_found;
use crate::{Engine, EngineError, EngineResult, ErrorCode, Tag};
pub use backend_sqlite::MessageRange;
use memory_model::{
    CaptureMode, Category, ChangeId, ChangeReason, Decision, Memory, MemoryFilter, MemoryId, MemoryOrder,
    MemoryPatch, Narrow, Origin, ReviewId, ReviewItem, ReviewQuery, ReviewReason, ReviewStatus, Source,
    Status, Timestamp, Waiting, WriteBatch, WriteOp, Written,
};
use ports::{Deciding, MemoryBackend, ReviewQueue};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use turn::nodes::store_memory_updates::new_memory;

/// Memories that a preview shows.
const EXAMPLES_MAX: u32 = 20;

/// Rows read in one go where all of them are needed.
const PART_ROWS: u32 = 1_000;

/// What is new is counted from this far back for somebody who never looked, in milliseconds: a week.
const FIRST_LOOK_MILLIS: i64 = 7 * 86_400_000;

/// A source and how much of it there is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SourceView {
    /// Who wrote; for the user the id is a conversation.
    pub source: Source,
    /// Memories of it that hold or held.
    pub memories: u32,
    /// When the last of them was kept.
    pub last_at: Timestamp,
}

/// What taking back a source would do. Nothing has happened yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RollbackPreview {
    /// Memories that would be put away.
    pub count: u32,
    /// Memories of others that they replaced and that would hold again.
    pub restored: u32,
    /// Items of the review queue that would be rejected.
    pub waiting: u32,
    /// The newest of the memories, 20 at most.
    pub examples: Vec<Memory>,
}

/// A source that was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RolledBack {
    /// Memories that were put away.
    pub count: u32,
    /// Memories of others that hold again.
    pub restored: u32,
    /// Items of the review queue that were rejected.
    pub rejected: u32,
    /// What Undo takes; `None` when there was nothing to put away.
    pub change_id: Option<ChangeId>,
}

/// What appeared since somebody last looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct News {
    /// When they last looked; a week ago for somebody who never did.
    pub since: Timestamp,
    /// When this was read: what `mark_seen` takes.
    pub until: Timestamp,
    /// How many memories are new.
    pub count: u32,
    /// How many wait in the review queue.
    pub waiting: u32,
    /// The new memories, newest first.
    pub memories: Vec<Memory>,
}

/// Something to remember that a program, a tool, a file or the command line brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brought {
    /// What to remember.
    pub text: String,
    /// What it is about; found by the rules when `None`.
    pub category: Option<Category>,
    /// Who brings it.
    pub source: Source,
    /// The memory that it replaces, and the version that was seen.
    pub replaces: Option<(MemoryId, u32)>,
}

/// What became of something that was brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Kept {
    /// It is remembered.
    Written {
        /// The outcome of the write.
        written: Written,
    },
    /// It waits for a person.
    Waiting {
        /// The item in the queue.
        review_id: ReviewId,
        /// Why.
        reason: ReviewReason,
    },
}

impl Engine {
    /// Everybody who wrote memories that are still there, most first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_sources(&self) -> EngineResult<Vec<SourceView>> {
        let sources = self.inner.store.sources(&self.user()).await?;
        let view = |row: backend_sqlite::SourceCount| SourceView {
            source: row.source,
            memories: row.memories,
            last_at: row.last_at,
        };
        Ok(sources.into_iter().map(view).collect())
    }

    /// What taking back everything that a source wrote would do.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn preview_rollback(
        &self,
        source: &Source,
        since: Option<Timestamp>,
    ) -> EngineResult<RollbackPreview> {
        let written = self.written_by(source, since).await?;
        let restored = self.replaced_by(&written).await?;
        Ok(RollbackPreview {
            count: count(written.len()),
            restored: count(restored.len()),
            waiting: count(self.waiting_from(source, since).await?.len()),
            examples: written.into_iter().take(EXAMPLES_MAX as usize).collect(),
        })
    }

    /// Puts away everything that a source wrote, as one change that Undo takes back. What it replaced holds again,
    /// and what of it waits in the review queue is rejected. `expected` is the count that the person saw.
    ///
    /// # Errors
    /// `Conflict` when there are more or fewer memories than the person saw: nothing was changed then.
    pub async fn rollback_source(
        &self,
        source: &Source,
        since: Option<Timestamp>,
        expected: u32,
    ) -> EngineResult<RolledBack> {
        let written = self.written_by(source, since).await?;
        if count(written.len()) != expected {
            let message = format!(
                "The source has {} memories by now, not {expected}. Nothing was changed.",
                written.len()
            );
            return Err(EngineError::new(ErrorCode::Conflict, message));
        }
        let restored = self.replaced_by(&written).await?;
        let status = |memory: &Memory, status| WriteOp::Update {
            id: memory.id.clone(),
            expected_version: memory.version,
            patch: MemoryPatch {
                status: Some(status),
                ..MemoryPatch::default()
            },
        };
        // What ends goes first, so that the key of a memory that returns is free.
        let ops: Vec<WriteOp> = written
            .iter()
            .map(|memory| status(memory, Status::Archived))
            .chain(restored.iter().map(|memory| status(memory, Status::Active)))
            .collect();
        let done = self.write(ChangeReason::Rollback, ops).await?;
        let rejected = self.reject_from(source, since).await?;
        self.changed(&[Tag::Memories, Tag::Review, Tag::Threads, Tag::Health]);
        Ok(RolledBack {
            count: expected,
            restored: count(restored.len()),
            rejected,
            change_id: done.change_id,
        })
    }

    /// What appeared since somebody last looked, `limit` memories of it (0 means 100).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn news(&self, limit: u32) -> EngineResult<News> {
        let owner = self.user();
        let until = self.inner.clock.now();
        let since = self.inner.store.last_seen(&owner).await?;
        let since = since.unwrap_or_else(|| until.plus_millis(-FIRST_LOOK_MILLIS));
        let filter = MemoryFilter {
            narrow: Narrow {
                // The moment of the last look was seen itself.
                since: Some(since.plus_millis(1)),
                ..Narrow::default()
            },
            ..MemoryFilter::active(owner.clone())
        };
        let limit = if limit == 0 { 100 } else { limit.min(PART_ROWS) };
        let store = &self.inner.store;
        let page = store.list(&filter, MemoryOrder::Created, 0, limit).await?;
        Ok(News {
            since,
            until,
            count: page.total,
            waiting: store.pending(&owner).await?,
            memories: page.data,
        })
    }

    /// Keeps that somebody looked at what is new up to a time, as [`News::until`] says.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn mark_seen(&self, at: Timestamp) -> EngineResult<()> {
        // A mark in the future would hide what appears until then.
        let at = at.min(self.inner.clock.now());
        self.inner.store.mark_seen(&self.user(), at).await?;
        self.changed(&[Tag::Health]);
        Ok(())
    }

    /// A person says that a memory is right: it is trusted like the user's own words from then on.
    ///
    /// # Errors
    /// `Conflict` when it was changed since `version`.
    pub async fn confirm_memory(&self, id: &MemoryId, version: u32) -> EngineResult<Written> {
        let op = WriteOp::Update {
            id: id.clone(),
            expected_version: version,
            patch: MemoryPatch {
                trust: Some(Origin::User),
                ..MemoryPatch::default()
            },
        };
        let written = self.write(ChangeReason::Manual, vec![op]).await?;
        self.changed(&[Tag::Memories]);
        Ok(written)
    }

    /// Remembers what somebody other than the user brings. It carries their trust, obeys the capture mode, and
    /// what has the shape of an instruction is set aside for a person. `range` names the messages it was made from:
    /// extraction leaves those alone.
    ///
    /// # Errors
    /// `InvalidInput` for a text that cannot be kept or while capture is off, `SecretRefused` for a secret,
    /// `Conflict` when another memory has the key or was changed.
    pub async fn remember_from(&self, brought: Brought, range: Option<&MessageRange>) -> EngineResult<Kept> {
        let settings = self.settings();
        let mode = settings.policy().capture;
        if !settings.memory_enabled || mode == CaptureMode::RecallOnly {
            return Err(EngineError::invalid(
                "memoryCaptureMode",
                "Nothing is kept at the moment: the memory is off or set to recall only.",
            ));
        }
        let text = checked_text(&brought.text)?;
        let owner = self.user();
        let now = self.inner.clock.now();
        let candidate = by_hand(&text, brought.category, now)?;
        let orders = candidate.category == Category::Instruction || extraction::directive_shaped(&text);
        let reason = match (brought.source.kind, mode) {
            (kind, _) if kind != Origin::User && orders => Some(ReviewReason::Quarantined),
            (Origin::User, _) | (_, CaptureMode::Auto) => None,
            _ => Some(ReviewReason::Confirm),
        };
        if let Some(reason) = reason {
            let existing = self.replaced(&brought).await?;
            let waiting = Waiting {
                reason,
                candidate: Some(candidate),
                existing,
                likeness: None,
            };
            let review_id = self.park(waiting, brought.source).await?;
            return Ok(Kept::Waiting { review_id, reason });
        }
        let approved = memory_model::ApprovedUpdate {
            candidate,
            replaces: None,
        };
        let mut memory = new_memory(&owner, &approved);
        memory.source = brought.source.kind;
        memory.source_id = brought.source.id;
        memory.trust = brought.source.kind;
        let op = match brought.replaces {
            Some((old, expected_version)) => WriteOp::Supersede {
                old,
                expected_version,
                memory,
            },
            None => WriteOp::Create { memory },
        };
        let batch = WriteBatch {
            owner,
            reason: ChangeReason::Manual,
            at: now,
            turn: None,
            ops: vec![op],
        };
        let written = match range {
            Some(range) => self.inner.store.apply_covering(batch, range).await?,
            None => self.inner.store.apply(batch).await?,
        };
        if let Some(error) = written.results.iter().find_map(refused) {
            return Err(error);
        }
        self.changed(&[Tag::Memories, Tag::Health]);
        Ok(Kept::Written { written })
    }

    async fn replaced(&self, brought: &Brought) -> EngineResult<Option<Memory>> {
        match &brought.replaces {
            Some((id, _)) => {
                let found = self.inner.store.get(&self.user(), id).await?;
                found.ok_or_else(|| not_found("memory")).map(Some)
            }
            None => Ok(None),
        }
    }

    async fn park(&self, waiting: Waiting, source: Source) -> EngineResult<ReviewId> {
        let id = ReviewId::generate();
        let item = ReviewItem {
            id: id.clone(),
            owner: self.user(),
            waiting,
            source: Some(source),
            turn_id: None,
            thread_id: None,
            message_id: None,
            created_at: self.inner.clock.now(),
            status: ReviewStatus::Pending,
            decision: None,
            decided_at: None,
            change_id: None,
        };
        self.inner.store.park(vec![item], None).await?;
        self.changed(&[Tag::Review, Tag::Health]);
        Ok(id)
    }

    /// What a source wrote and what is neither deleted nor put away, newest first.
    async fn written_by(&self, source: &Source, since: Option<Timestamp>) -> EngineResult<Vec<Memory>> {
        let filter = MemoryFilter {
            statuses: vec![Status::Active, Status::Superseded],
            narrow: Narrow {
                source: Some(source.clone()),
                since,
                ..Narrow::default()
            },
            ..MemoryFilter::active(self.user())
        };
        let mut written = Vec::new();
        loop {
            let page = self
                .inner
                .store
                .list(&filter, MemoryOrder::Created, count(written.len()), PART_ROWS)
                .await?;
            let rows = page.data.len();
            written.extend(page.data);
            if rows < PART_ROWS as usize {
                return Ok(written);
            }
        }
    }

    /// The memories of others that would hold again without these: what the active ones replaced, behind any that
    /// belong to the same source.
    async fn replaced_by(&self, written: &[Memory]) -> EngineResult<Vec<Memory>> {
        let owner = self.user();
        let own: HashSet<&MemoryId> = written.iter().map(|memory| &memory.id).collect();
        let mut restored = Vec::new();
        for memory in written.iter().filter(|memory| memory.status == Status::Active) {
            let mut earlier = memory.supersedes.clone();
            while let Some(id) = earlier.take() {
                let Some(found) = self.inner.store.get(&owner, &id).await? else {
                    break;
                };
                if own.contains(&found.id) {
                    earlier = found.supersedes;
                } else if found.status == Status::Superseded {
                    restored.push(found);
                }
            }
        }
        Ok(restored)
    }

    async fn waiting_from(&self, source: &Source, since: Option<Timestamp>) -> EngineResult<Vec<ReviewItem>> {
        let mut query = ReviewQuery {
            limit: PART_ROWS,
            ..ReviewQuery::of(ReviewStatus::Pending)
        };
        let mut waiting = Vec::new();
        loop {
            let page = self.inner.store.page(&self.user(), &query).await?;
            waiting.extend(
                page.items.into_iter().filter(|item| {
                    since.is_none_or(|since| item.created_at >= since) && is_from(item, source)
                }),
            );
            if page.next.is_none() {
                return Ok(waiting);
            }
            query.cursor = page.next;
        }
    }

    async fn reject_from(&self, source: &Source, since: Option<Timestamp>) -> EngineResult<u32> {
        let rejections: Vec<Deciding> = self
            .waiting_from(source, since)
            .await?
            .into_iter()
            .map(|item| Deciding {
                id: item.id,
                decision: Decision::Reject,
                ops: Vec::new(),
            })
            .collect();
        let rejected = count(rejections.len());
        if rejected > 0 {
            let now = self.inner.clock.now();
            self.inner.store.decide_all(&self.user(), now, rejections).await?;
        }
        Ok(rejected)
    }
}

/// Whether an item comes from a source; what the user said comes from its conversation.
fn is_from(item: &ReviewItem, source: &Source) -> bool {
    let from = item.source.as_ref().unwrap_or(&Source::USER);
    let thread = item.thread_id.as_ref().map(memory_model::ThreadId::as_str);
    from.kind == source.kind
        && source
            .id
            .as_deref()
            .is_none_or(|id| from.id.as_deref() == Some(id) || thread == Some(id))
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
