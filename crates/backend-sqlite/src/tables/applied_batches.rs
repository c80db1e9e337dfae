//! Table `applied_batches`: the outcome of each batch that a turn wrote, so that it is written once.
//!
//! An outcome names memories by id and version. The words come from `memory_versions` when it is asked
//! for, so that an erased memory leaves nothing here.

use crate::error::Doing;
use crate::tables::memory_versions;
use crate::words::{from_json, name_of, to_json};
use memory_model::{
    ChangeId, ChangeReason, Memory, MemoryId, Namespace, TurnId, UserId, WriteResult, WriteStatus, Written,
};
use ports::StoreResult;
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

/// One result without words.
#[derive(Serialize, Deserialize)]
struct Outcome {
    status: WriteStatus,
    memory: Option<(MemoryId, u32)>,
    replaced: Option<(MemoryId, u32)>,
    error: Option<String>,
}

/// Keeps the outcome of a batch.
pub(crate) async fn add(
    connection: &mut SqliteConnection,
    turn: &TurnId,
    reason: ChangeReason,
    written: &Written,
) -> StoreResult<()> {
    let name = |memory: &Option<Memory>| memory.as_ref().map(|memory| (memory.id.clone(), memory.version));
    let outcomes: Vec<Outcome> = written
        .results
        .iter()
        .map(|result| Outcome {
            status: result.status,
            memory: name(&result.memory),
            replaced: name(&result.replaced),
            error: result.error.clone(),
        })
        .collect();
    sqlx::query("INSERT INTO applied_batches (turn_id, reason, change_id, results) VALUES (?, ?, ?, ?)")
        .bind(turn.as_str())
        .bind(name_of(reason))
        .bind(written.change_id.as_ref().map(ChangeId::as_str))
        .bind(to_json(&outcomes)?)
        .execute(connection)
        .await
        .doing("writing the outcome of a turn")?;
    Ok(())
}

/// The outcome of a batch that was applied before. `places` are namespace and key of each operation, as far
/// as the operation names them.
pub(crate) async fn find(
    connection: &mut SqliteConnection,
    owner: &UserId,
    turn: &TurnId,
    reason: ChangeReason,
    places: &[Option<(Namespace, String)>],
) -> StoreResult<Option<Written>> {
    let row: Option<(Option<String>, String)> =
        sqlx::query_as("SELECT change_id, results FROM applied_batches WHERE turn_id = ? AND reason = ?")
            .bind(turn.as_str())
            .bind(name_of(reason))
            .fetch_optional(&mut *connection)
            .await
            .doing("reading the outcome of a turn")?;
    let Some((change_id, outcomes)) = row else {
        return Ok(None);
    };
    let outcomes: Vec<Outcome> = from_json(&outcomes)?;
    let mut results = Vec::with_capacity(outcomes.len());
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let memory = recorded(connection, owner, outcome.memory).await?;
        let replaced = recorded(connection, owner, outcome.replaced).await?;
        let place = memory
            .as_ref()
            .map(|memory| (memory.namespace.clone(), memory.key.clone()));
        let (namespace, key) = place
            .or_else(|| places.get(index).cloned().flatten())
            .unwrap_or_else(nowhere);
        results.push(WriteResult {
            namespace,
            key,
            status: outcome.status,
            memory,
            replaced,
            error: outcome.error,
        });
    }
    Ok(Some(Written {
        change_id: change_id.map(ChangeId::new),
        results,
    }))
}

/// The place of an operation that names a memory which does not exist.
pub(crate) fn nowhere() -> (Namespace, String) {
    (Namespace(Vec::new()), String::new())
}

async fn recorded(
    connection: &mut SqliteConnection,
    owner: &UserId,
    name: Option<(MemoryId, u32)>,
) -> StoreResult<Option<Memory>> {
    match name {
        Some((id, version)) => memory_versions::one_by_id(connection, owner, &id, version).await,
        None => Ok(None),
    }
}
