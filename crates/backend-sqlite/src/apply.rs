//! Carries out a batch of writes inside a transaction that holds the write lock.

use crate::tables::memories::MemoryRow;
use crate::tables::memory_versions::Cause;
use crate::tables::{applied_batches, changes, memories, memories_fts, memory_versions, threads, vectors};
use memory_model::{
    ChangeId, Evidence, Memory, MemoryId, MemoryPatch, Namespace, NewMemory, Status, UserId, WriteBatch,
    WriteOp, WriteResult, WriteStatus, Written, content_hash,
};
use ports::StoreResult;
use sqlx::SqliteConnection;
use std::collections::HashSet;

/// Applies a batch: each operation on its own, all of them as one change. A batch of a turn that was
/// applied before is answered with its first outcome.
pub(crate) async fn apply(connection: &mut SqliteConnection, batch: WriteBatch) -> StoreResult<Written> {
    let WriteBatch {
        owner,
        reason,
        at,
        turn,
        ops,
    } = batch;
    if let Some(mark) = &turn {
        let places: Vec<_> = ops.iter().map(place).collect();
        let before = applied_batches::find(connection, &owner, &mark.turn_id, reason, &places).await?;
        if let Some(written) = before {
            return Ok(written);
        }
    }
    let mut work = Work {
        connection,
        owner,
        cause: Cause {
            change: ChangeId::generate(),
            reason,
            at,
        },
        touched: HashSet::new(),
    };
    let mut results = Vec::with_capacity(ops.len());
    for op in ops {
        results.push(work.run(op).await?);
    }
    let Work {
        connection,
        owner,
        cause,
        touched,
    } = work;
    let change_id = if touched.is_empty() {
        None
    } else {
        Some(cause.change.clone())
    };
    if change_id.is_some() {
        changes::add(connection, &owner, &cause, touched.len(), None).await?;
    }
    let written = Written { change_id, results };
    if let Some(mark) = &turn {
        applied_batches::add(connection, &mark.turn_id, reason, &written).await?;
        threads::move_cursor(connection, &owner, &mark.thread_id, mark.cursor).await?;
    }
    Ok(written)
}

/// Brings a memory to a new state: its row, a version, its tokens, and its vectors when it says something
/// else. `before` is the row as it was; `None` makes a new one.
pub(crate) async fn save(
    connection: &mut SqliteConnection,
    before: Option<&MemoryRow>,
    memory: &Memory,
    cause: &Cause,
) -> StoreResult<i64> {
    let row = memories::save(connection, memory).await?;
    memory_versions::add(connection, row, memory, cause).await?;
    let same =
        |get: fn(&Memory) -> (&str, Option<&str>)| before.is_some_and(|old| get(&old.memory) == get(memory));
    if !same(|memory| {
        (
            &memory.text,
            memory.evidence.as_ref().map(|evidence| evidence.quote.as_str()),
        )
    }) {
        memories_fts::put(connection, row, memory).await?;
    }
    if before.is_some() && !same(|memory| (&memory.content_hash, None)) {
        vectors::remove(connection, row).await?;
    }
    Ok(row)
}

/// A batch that is being carried out.
struct Work<'a> {
    connection: &'a mut SqliteConnection,
    owner: UserId,
    cause: Cause,
    touched: HashSet<i64>,
}

impl Work<'_> {
    async fn run(&mut self, op: WriteOp) -> StoreResult<WriteResult> {
        match op {
            WriteOp::Create { memory } => self.create(memory).await,
            WriteOp::Update {
                id,
                expected_version,
                patch,
            } => self.update(&id, expected_version, patch).await,
            WriteOp::Supersede {
                old,
                expected_version,
                memory,
            } => self.supersede(&old, expected_version, memory).await,
            WriteOp::Confirm { id, evidence } => self.confirm(&id, evidence).await,
        }
    }

    async fn create(&mut self, new: NewMemory) -> StoreResult<WriteResult> {
        if new.owner != self.owner {
            return Ok(foreign(new));
        }
        if let Some(taken) = memories::active_by_key(self.connection, &self.owner, &new.key).await? {
            return Ok(result(WriteStatus::AlreadyExists, taken.memory));
        }
        let memory = new.into_memory(MemoryId::generate(), self.cause.at);
        self.save(None, &memory).await?;
        Ok(result(WriteStatus::Created, memory))
    }

    async fn update(&mut self, id: &MemoryId, expected: u32, patch: MemoryPatch) -> StoreResult<WriteResult> {
        let before = match self.find(id, Some(expected)).await? {
            Ok(before) => before,
            Err(refused) => return Ok(*refused),
        };
        let after = patched(&before.memory, patch);
        if after == before.memory {
            return Ok(result(WriteStatus::Updated, after));
        }
        if after.status == Status::Active
            && let Some(taken) = memories::active_by_key(self.connection, &self.owner, &after.key).await?
            && taken.row != before.row
        {
            return Ok(result(WriteStatus::AlreadyExists, taken.memory));
        }
        let after = Memory {
            version: after.version + 1,
            updated_at: self.cause.at,
            ..after
        };
        self.save(Some(&before), &after).await?;
        Ok(result(WriteStatus::Updated, after))
    }

    async fn supersede(&mut self, old: &MemoryId, expected: u32, new: NewMemory) -> StoreResult<WriteResult> {
        if new.owner != self.owner {
            return Ok(foreign(new));
        }
        let before = match self.find(old, Some(expected)).await? {
            Ok(before) => before,
            Err(refused) => return Ok(*refused),
        };
        if before.memory.status != Status::Active {
            return Ok(result(WriteStatus::VersionConflict, before.memory));
        }
        if let Some(taken) = memories::active_by_key(self.connection, &self.owner, &new.key).await?
            && taken.row != before.row
        {
            return Ok(result(WriteStatus::AlreadyExists, taken.memory));
        }
        let memory = new.into_memory(MemoryId::generate(), self.cause.at);
        let memory = Memory {
            supersedes: Some(before.memory.id.clone()),
            trust: memory.trust_after(&before.memory),
            ..memory
        };
        let ended = Memory {
            status: Status::Superseded,
            // It held until the new one began, and never for less than no time.
            valid_to: Some(memory.valid_from.max(before.memory.valid_from)),
            superseded_by: Some(memory.id.clone()),
            version: before.memory.version + 1,
            updated_at: self.cause.at,
            ..before.memory.clone()
        };
        // The old one first: both may have the same key.
        self.save(Some(&before), &ended).await?;
        self.save(None, &memory).await?;
        Ok(WriteResult {
            replaced: Some(before.memory),
            ..result(WriteStatus::Superseded, memory)
        })
    }

    async fn confirm(&mut self, id: &MemoryId, evidence: Option<Evidence>) -> StoreResult<WriteResult> {
        let before = match self.find(id, None).await? {
            Ok(before) => before,
            Err(refused) => return Ok(*refused),
        };
        if before.memory.status != Status::Active {
            return Ok(result(WriteStatus::VersionConflict, before.memory));
        }
        let old = before.memory.clone();
        let after = Memory {
            // The words of this time; those of the first time stay in the history.
            evidence: evidence.or(old.evidence),
            last_confirmed_at: self.cause.at.max(old.last_confirmed_at),
            confirmations: old.confirmations.saturating_add(1),
            version: old.version + 1,
            ..old
        };
        self.save(Some(&before), &after).await?;
        Ok(result(WriteStatus::Confirmed, after))
    }

    /// The memory an operation is about, or the result that refuses it.
    async fn find(
        &mut self,
        id: &MemoryId,
        version: Option<u32>,
    ) -> StoreResult<Result<MemoryRow, Box<WriteResult>>> {
        Ok(match memories::by_id(self.connection, &self.owner, id).await? {
            None => Err(Box::new(not_found())),
            Some(found) if version.is_some_and(|version| version != found.memory.version) => {
                Err(Box::new(result(WriteStatus::VersionConflict, found.memory)))
            }
            Some(found) => Ok(found),
        })
    }

    async fn save(&mut self, before: Option<&MemoryRow>, memory: &Memory) -> StoreResult<()> {
        let row = save(self.connection, before, memory, &self.cause).await?;
        self.touched.insert(row);
        Ok(())
    }
}

/// A memory with the fields of a patch; version and time stay for the caller.
fn patched(memory: &Memory, patch: MemoryPatch) -> Memory {
    let MemoryPatch {
        text,
        value,
        key,
        meaning,
        pinned,
        status,
        tags,
        topic,
        trust,
    } = patch;
    let mut after = memory.clone();
    if let Some(text) = text {
        after.language = memory_model::Language::of(&text);
        after.text = text;
    }
    after.value = value.unwrap_or(after.value);
    after.key = key.unwrap_or(after.key);
    if let Some(meaning) = meaning {
        after.polarity = meaning.polarity;
        after.slot = meaning.slot;
    }
    after.pinned = pinned.unwrap_or(after.pinned);
    after.topic = topic.unwrap_or(after.topic);
    after.trust = trust.unwrap_or(after.trust);
    if let Some(mut tags) = tags {
        tags.sort();
        tags.dedup();
        after.tags = tags;
    }
    if let Some(status) = status {
        if status == Status::Active && after.status == Status::Superseded {
            // It holds again, so it neither ended nor was replaced.
            after.valid_to = None;
            after.superseded_by = None;
        }
        after.status = status;
    }
    after.content_hash = content_hash(&after.text, after.category.name(), &after.topic, &after.tags);
    after
}

/// Namespace and key of an operation, where it names them.
fn place(op: &WriteOp) -> Option<(Namespace, String)> {
    match op {
        WriteOp::Create { memory } | WriteOp::Supersede { memory, .. } => {
            Some((memory.namespace.clone(), memory.key.clone()))
        }
        WriteOp::Update { .. } | WriteOp::Confirm { .. } => None,
    }
}

fn result(status: WriteStatus, memory: Memory) -> WriteResult {
    WriteResult {
        namespace: memory.namespace.clone(),
        key: memory.key.clone(),
        status,
        memory: Some(memory),
        replaced: None,
        error: None,
    }
}

fn not_found() -> WriteResult {
    let (namespace, key) = applied_batches::nowhere();
    WriteResult {
        namespace,
        key,
        status: WriteStatus::NotFound,
        memory: None,
        replaced: None,
        error: None,
    }
}

fn foreign(new: NewMemory) -> WriteResult {
    WriteResult {
        namespace: new.namespace,
        key: new.key,
        status: WriteStatus::Failed,
        memory: None,
        replaced: None,
        error: Some("the memory belongs to another owner than its batch".to_owned()),
    }
}
