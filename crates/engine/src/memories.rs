//! The memory as people look at it: list, search, open, add, edit, delete, undo.

use crate::open::not_found;
use crate::query_text;
use crate::{
    Engine, EngineError, EngineResult, ErrorCode, MemoryDetail, MemoryList, MemoryQuery, MemoryRef,
    MemoryRow, NewMemoryInput, Tag,
};
use extraction::{candidate_by_hand, find_secret};
use memory_model::{
    ApprovedUpdate, Candidate, Category, ChangeId, ChangeReason, Meaning, Memory, MemoryFilter, MemoryId,
    MemoryPatch, Status, Timestamp, WriteBatch, WriteOp, WriteStatus, Written, nfc,
};
use ports::{Conversations, MemoryBackend};
use recall::search::Places;
use turn::nodes::store_memory_updates::new_memory;

/// Rows of a page when the caller does not say.
const PAGE_ROWS: u32 = 100;

/// Rows that one call may ask for.
const PAGE_ROWS_MAX: u32 = 1_000;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Characters of a memory (spec extraction).
const TEXT_CHARS: std::ops::RangeInclusive<usize> = 3..=500;

impl Engine {
    /// A page of memories, or what a search finds, best first.
    ///
    /// # Errors
    /// `InvalidInput` for a filter that does not exist.
    pub async fn list_memories(&self, query: &MemoryQuery) -> EngineResult<MemoryList> {
        let parsed = query_text::parse(query)?;
        let filter = MemoryFilter {
            owner: self.user(),
            categories: parsed.categories,
            statuses: if parsed.statuses.is_empty() {
                vec![Status::Active]
            } else {
                parsed.statuses
            },
            pinned: parsed.pinned,
            thread: None,
            narrow: parsed.narrow,
        };
        let limit = if query.limit == 0 {
            PAGE_ROWS
        } else {
            query.limit.min(PAGE_ROWS_MAX)
        };
        if let Some(as_of) = query.as_of {
            return self
                .memories_as_of(&filter, as_of, &parsed.words, (query.offset, limit))
                .await;
        }
        if parsed.words.is_empty() {
            let page = self
                .inner
                .store
                .list(&filter, query.order, query.offset, limit)
                .await?;
            let rows = page
                .data
                .into_iter()
                .map(|memory| MemoryRow { memory, why: None })
                .collect();
            return Ok(MemoryList {
                rows,
                total: page.total,
                of: page.total,
                left_out: Vec::new(),
                meaning_searched: false,
            });
        }
        self.search_memories(&parsed.words, &filter, query, limit).await
    }

    async fn search_memories(
        &self,
        words: &str,
        filter: &MemoryFilter,
        query: &MemoryQuery,
        limit: u32,
    ) -> EngineResult<MemoryList> {
        let embedder = self.embedder();
        let store = &self.inner.store;
        let places = Places {
            memory: store,
            vectors: store,
            embedder: embedder.as_deref(),
        };
        let params = recall::Params {
            strategy: self.settings().strategy(),
            rrf_k: self.settings().rrf_k,
            limit: usize::try_from(query.offset.saturating_add(limit)).unwrap_or(usize::MAX),
            similarity_min: self.thresholds_for(words).relevance_floor,
            with_irrelevant: query.with_irrelevant,
            now: self.inner.clock.now(),
        };
        // The box asks with every letter; a space says that the last word is whole.
        let asked = match query.text.ends_with(char::is_whitespace) {
            true => recall::Query::of(words),
            false => recall::Query::typed(words),
        };
        let recalled = recall::search(&asked, filter, places, params).await?;
        let of = store.list(filter, query.order, 0, 0).await?.total;
        let found = recalled.found;
        let total = u32::try_from(found.hits.len()).unwrap_or(u32::MAX);
        let skip = usize::try_from(query.offset).unwrap_or(usize::MAX);
        let rows = found
            .hits
            .into_iter()
            .skip(skip)
            .map(|hit| MemoryRow {
                memory: hit.memory,
                why: Some(hit.why),
            })
            .collect();
        Ok(MemoryList {
            rows,
            total,
            of,
            left_out: found.left_out,
            meaning_searched: found.meaning_searched,
        })
    }

    /// Everything about one memory.
    ///
    /// # Errors
    /// `NotFound` for an unknown or erased memory.
    pub async fn open_memory(&self, id: &MemoryId) -> EngineResult<MemoryDetail> {
        let owner = self.user();
        let store = &self.inner.store;
        let memory = store.get(&owner, id).await?.ok_or_else(|| not_found("memory"))?;
        let history = store.history(&owner, id).await?;
        let replaced = self.linked(memory.supersedes.as_ref()).await?;
        let replaced_by = self.linked(memory.superseded_by.as_ref()).await?;
        let evidence = memory.evidence.as_ref();
        let thread = match evidence.and_then(|evidence| evidence.thread_id.as_ref()) {
            Some(thread) => store.thread(&owner, thread).await?,
            None => None,
        };
        let message = match (
            &thread,
            evidence.and_then(|evidence| evidence.message_id.as_ref()),
        ) {
            (Some(_), Some(id)) => store.message(&owner, id).await?,
            _ => None,
        };
        let has_vector = store.has_vector(&self.inner.models.space(), id).await?;
        Ok(MemoryDetail {
            memory,
            history,
            replaced,
            replaced_by,
            thread,
            message,
            has_vector,
        })
    }

    async fn linked(&self, id: Option<&MemoryId>) -> EngineResult<Option<Memory>> {
        match id {
            Some(id) => Ok(self.inner.store.get(&self.user(), id).await?),
            None => Ok(None),
        }
    }

    /// Adds a memory by hand.
    ///
    /// # Errors
    /// `InvalidInput` for a secret or a text of the wrong length; `Conflict` when another active memory says
    /// something else under the same key.
    pub async fn add_memory(&self, input: &NewMemoryInput) -> EngineResult<Written> {
        let text = checked_text(&input.text)?;
        let now = self.inner.clock.now();
        let candidate = by_hand(&text, input.category, now)?;
        let owner = self.user();
        let memory = new_memory(
            &owner,
            &ApprovedUpdate {
                candidate,
                replaces: None,
            },
        );
        let op = WriteOp::Create { memory };
        let written = self.write(ChangeReason::Manual, vec![op]).await?;
        self.changed(&[Tag::Memories, Tag::Health]);
        Ok(written)
    }

    /// Changes a memory; the old version is kept.
    ///
    /// # Errors
    /// `Conflict` when it was changed since `version`, `InvalidInput` for a text that cannot be kept.
    pub async fn edit_memory(
        &self,
        id: &MemoryId,
        version: u32,
        mut patch: MemoryPatch,
    ) -> EngineResult<Written> {
        (patch.key, patch.value, patch.meaning, patch.trust) = (None, None, None, None);
        if let Some(text) = patch.text.take() {
            let text = checked_text(&text)?;
            let memory = self
                .inner
                .store
                .get(&self.user(), id)
                .await?
                .ok_or_else(|| not_found("memory"))?;
            let read = by_hand(&text, Some(memory.category), self.inner.clock.now())?;
            patch.key = (read.key != memory.key).then_some(read.key);
            patch.value = Some(read.value);
            patch.meaning = Some(Meaning {
                polarity: read.polarity,
                slot: read.slot,
            });
            patch.text = Some(text);
        }
        let op = WriteOp::Update {
            id: id.clone(),
            expected_version: version,
            patch,
        };
        let written = self.write(ChangeReason::Manual, vec![op]).await?;
        self.changed(&[Tag::Memories, Tag::Health]);
        Ok(written)
    }

    /// Changes state, pin, tags or topic of several memories as one change. Texts are changed one at a time.
    ///
    /// # Errors
    /// `Conflict` when one of them was changed since the version that was seen; the others are changed.
    pub async fn change_memories(&self, memories: &[MemoryRef], patch: MemoryPatch) -> EngineResult<Written> {
        let patch = MemoryPatch {
            pinned: patch.pinned,
            status: patch.status,
            tags: patch.tags,
            topic: patch.topic,
            ..MemoryPatch::default()
        };
        let ops = memories
            .iter()
            .map(|memory| WriteOp::Update {
                id: memory.id.clone(),
                expected_version: memory.version,
                patch: patch.clone(),
            })
            .collect();
        let written = self.write(ChangeReason::Manual, ops).await;
        self.changed(&[Tag::Memories, Tag::Health]);
        written
    }

    /// Deletes a memory. It is found no more at once, and erased for good when the undo window ends.
    ///
    /// # Errors
    /// `Conflict` when it was changed since `version`.
    pub async fn delete_memory(&self, id: &MemoryId, version: u32) -> EngineResult<Written> {
        let patch = MemoryPatch {
            status: Some(Status::Deleted),
            ..MemoryPatch::default()
        };
        let op = WriteOp::Update {
            id: id.clone(),
            expected_version: version,
            patch,
        };
        let written = self.write(ChangeReason::Manual, vec![op]).await?;
        self.changed(&[Tag::Memories, Tag::Health]);
        Ok(written)
    }

    /// Archives what nobody pinned, changed, said again or recalled for as many days as the retention setting says,
    /// as one change that Undo takes back. Returns how many.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn archive_expired(&self) -> EngineResult<u32> {
        let days = self.settings().memory_retention_days;
        if days == 0 {
            return Ok(0);
        }
        let before = self
            .inner
            .clock
            .now()
            .plus_millis(-i64::from(days) * MILLIS_PER_DAY);
        let expired = self
            .inner
            .store
            .expired(&self.user(), before, PAGE_ROWS_MAX)
            .await?;
        if expired.is_empty() {
            return Ok(0);
        }
        let ops = expired.iter().map(|memory| WriteOp::Update {
            id: memory.id.clone(),
            expected_version: memory.version,
            patch: MemoryPatch {
                status: Some(Status::Archived),
                ..MemoryPatch::default()
            },
        });
        // One that was changed in the meantime is not old any more and stays.
        let batch = WriteBatch {
            owner: self.user(),
            reason: ChangeReason::Retention,
            at: self.inner.clock.now(),
            turn: None,
            ops: ops.collect(),
        };
        let written = self.inner.store.apply(batch).await?;
        self.changed(&[Tag::Memories, Tag::Health]);
        let archived = written
            .results
            .iter()
            .filter(|result| result.status == WriteStatus::Updated);
        Ok(u32::try_from(archived.count()).unwrap_or(u32::MAX))
    }

    /// Takes a change back.
    ///
    /// # Errors
    /// `Conflict` when what it wrote was changed since; `NotFound` when it was erased.
    pub async fn undo_change(&self, change: &ChangeId) -> EngineResult<Written> {
        let written = self
            .inner
            .store
            .undo(&self.user(), change, self.inner.clock.now())
            .await?;
        self.changed(&[Tag::Memories, Tag::Health, Tag::Messages]);
        Ok(written)
    }

    /// Writes by hand: anything that was not done is an error, because a person waits for it.
    pub(crate) async fn write(&self, reason: ChangeReason, ops: Vec<WriteOp>) -> EngineResult<Written> {
        let batch = WriteBatch {
            owner: self.user(),
            reason,
            at: self.inner.clock.now(),
            turn: None,
            ops,
        };
        let written = self.inner.store.apply(batch).await?;
        match written.results.iter().find_map(refused) {
            Some(error) => Err(error),
            None => Ok(written),
        }
    }
}

pub(crate) fn refused(result: &memory_model::WriteResult) -> Option<EngineError> {
    match result.status {
        WriteStatus::Created | WriteStatus::Updated | WriteStatus::Superseded | WriteStatus::Confirmed => {
            None
        }
        WriteStatus::AlreadyExists => Some(EngineError {
            code: ErrorCode::Conflict,
            field: Some("key".to_owned()),
            message: format!("Another memory already has the key {}.", result.key),
        }),
        WriteStatus::VersionConflict => Some(EngineError::new(
            ErrorCode::Conflict,
            "The memory was changed in between; it was left as it is.",
        )),
        WriteStatus::NotFound => Some(not_found("memory")),
        WriteStatus::Failed => Some(EngineError::new(
            ErrorCode::Internal,
            result
                .error
                .clone()
                .unwrap_or_else(|| "The memory could not be written.".to_owned()),
        )),
    }
}

/// What the rules read in a text that a person wrote.
pub(crate) fn by_hand(text: &str, category: Option<Category>, now: Timestamp) -> EngineResult<Candidate> {
    candidate_by_hand(text, category, now)
        .map_err(|reason| EngineError::invalid("text", format!("text: {}.", reason.sentence())))
}

/// A text that a memory may have: NFC, trimmed, of the right length, and no secret.
pub(crate) fn checked_text(text: &str) -> EngineResult<String> {
    let text = nfc(text.trim());
    if !TEXT_CHARS.contains(&text.chars().count()) {
        return Err(EngineError::invalid(
            "text",
            format!("text: {} to {} characters.", TEXT_CHARS.start(), TEXT_CHARS.end()),
        ));
    }
    if let Some(found) = find_secret(&text) {
        let message = format!("text: a secret ({}) is never kept.", found.rule);
        return Err(EngineError {
            code: ErrorCode::SecretRefused,
            field: Some("text".to_owned()),
            message,
        });
    }
    Ok(text)
}
