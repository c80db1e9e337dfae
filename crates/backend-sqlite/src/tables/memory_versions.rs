//! Table `memory_versions`: every state that a memory was in.

use crate::error::Doing;
use crate::words::{from_json, from_name, name_of, to_json};
use memory_model::{
    ChangeId, ChangeReason, Memory, MemoryFilter, MemoryId, MemoryVersion, Status, Timestamp, UserId,
};
use ports::StoreResult;
use sqlx::SqliteConnection;

const READING: &str = "reading the history of a memory";
const WRITING: &str = "writing the history of a memory";

/// What a change is called, why it is made and when.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) change: ChangeId,
    pub(crate) reason: ChangeReason,
    pub(crate) at: Timestamp,
}

/// A memory that a change touched: its row and the first and last version that the change made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct Touched {
    pub(crate) memory: i64,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Keeps the state a memory has come to.
pub(crate) async fn add(
    connection: &mut SqliteConnection,
    row: i64,
    memory: &Memory,
    cause: &Cause,
) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO memory_versions (memory, version, snapshot, changed_at, reason, change_id) \
         VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(row)
    .bind(memory.version)
    .bind(to_json(memory)?)
    .bind(cause.at.as_millis())
    .bind(name_of(cause.reason))
    .bind(cause.change.as_str())
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// Every version of a memory, oldest first.
pub(crate) async fn all(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &MemoryId,
) -> StoreResult<Vec<MemoryVersion>> {
    let rows: Vec<(String, i64, String, String)> = sqlx::query_as(
        "SELECT snapshot, changed_at, reason, change_id FROM memory_versions \
         JOIN memories ON memories.row = memory_versions.memory \
         WHERE memories.id = ? AND memories.owner = ? ORDER BY memory_versions.version",
    )
    .bind(id.as_str())
    .bind(owner.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter()
        .map(|(snapshot, changed_at, reason, change_id)| {
            Ok(MemoryVersion {
                memory: from_json(&snapshot)?,
                changed_at: Timestamp::from_millis(changed_at),
                reason: from_name(&reason)?,
                change_id: ChangeId::new(change_id),
            })
        })
        .collect()
}

/// One version of a memory.
pub(crate) async fn one(
    connection: &mut SqliteConnection,
    row: i64,
    version: u32,
) -> StoreResult<Option<Memory>> {
    let snapshot: Option<String> =
        sqlx::query_scalar("SELECT snapshot FROM memory_versions WHERE memory = ? AND version = ?")
            .bind(row)
            .bind(version)
            .fetch_optional(connection)
            .await
            .doing(READING)?;
    snapshot.as_deref().map(from_json).transpose()
}

/// One version of a memory that is known by its id.
pub(crate) async fn one_by_id(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &MemoryId,
    version: u32,
) -> StoreResult<Option<Memory>> {
    let row: Option<i64> = sqlx::query_scalar("SELECT row FROM memories WHERE id = ? AND owner = ?")
        .bind(id.as_str())
        .bind(owner.as_str())
        .fetch_optional(&mut *connection)
        .await
        .doing(READING)?;
    match row {
        Some(row) => one(connection, row, version).await,
        None => Ok(None),
    }
}

/// The memories that a change touched, in the order of their rows.
pub(crate) async fn touched(
    connection: &mut SqliteConnection,
    change: &ChangeId,
) -> StoreResult<Vec<Touched>> {
    sqlx::query_as(
        "SELECT memory, min(version) AS first, max(version) AS last FROM memory_versions \
         WHERE change_id = ? GROUP BY memory ORDER BY memory",
    )
    .bind(change.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)
}

/// Memories that were active at a time, in the words of that time, newest first: a page and how many there are.
pub(crate) async fn known_at(
    connection: &mut SqliteConnection,
    filter: &MemoryFilter,
    at: Timestamp,
    (offset, limit): (u32, u32),
) -> StoreResult<(Vec<Memory>, u32)> {
    // The last version of each memory that is not younger than the time.
    let snapshots: Vec<String> = sqlx::query_scalar(
        "SELECT snapshot FROM memory_versions JOIN memories ON memories.row = memory_versions.memory \
         WHERE memories.owner = ?1 AND memory_versions.version = (SELECT max(version) FROM memory_versions AS own \
         WHERE own.memory = memory_versions.memory AND own.changed_at <= ?2)",
    )
    .bind(filter.owner.as_str())
    .bind(at.as_millis())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    let mut memories = Vec::new();
    for snapshot in snapshots {
        let memory: Memory = from_json(&snapshot)?;
        let wanted = memory.status == Status::Active
            && (filter.categories.is_empty() || filter.categories.contains(&memory.category))
            && (!filter.pinned || memory.pinned)
            && filter.narrow.holds(&memory);
        if wanted {
            memories.push(memory);
        }
    }
    memories.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
    let total = u32::try_from(memories.len()).unwrap_or(u32::MAX);
    let page = memories.into_iter().skip(offset as usize).take(limit as usize);
    Ok((page.collect(), total))
}
