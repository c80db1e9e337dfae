//! Takes a change back: every memory it touched returns to the state before, as a new version.

use crate::apply;
use crate::tables::memories::MemoryRow;
use crate::tables::memory_versions::{Cause, Touched};
use crate::tables::{changes, memories, memory_versions};
use memory_model::{
    ChangeId, ChangeReason, Memory, Status, Timestamp, UserId, WriteResult, WriteStatus, Written,
};
use ports::{StoreError, StoreResult};
use sqlx::SqliteConnection;

/// Takes a change of an owner back, inside a transaction that holds the write lock. The change that does
/// so can be taken back in turn.
pub(crate) async fn undo(
    connection: &mut SqliteConnection,
    owner: &UserId,
    change: &ChangeId,
    at: Timestamp,
) -> StoreResult<Written> {
    let expected = changes::touched(connection, owner, change).await?;
    let expected = expected.ok_or(StoreError::NotFound { what: "change" })?;
    let touched = memory_versions::touched(connection, change).await?;
    if touched.len() != expected {
        // The rest was erased for good.
        return Err(conflict());
    }
    let mut steps = Vec::with_capacity(touched.len());
    for touched in touched {
        steps.push(step(connection, touched, at).await?);
    }
    // What ends goes first, so that the key of a memory that returns is free.
    steps.sort_by_key(|(_, after)| after.status == Status::Active);
    let cause = Cause {
        change: ChangeId::generate(),
        reason: ChangeReason::Undo,
        at,
    };
    changes::add(connection, owner, &cause, expected, Some(change)).await?;
    let mut results = Vec::with_capacity(steps.len());
    for (before, after) in steps {
        if after.status == Status::Active
            && let Some(taken) = memories::active_by_key(connection, owner, &after.key).await?
            && taken.row != before.row
        {
            return Err(conflict());
        }
        apply::save(connection, Some(&before), &after, &cause).await?;
        results.push(WriteResult {
            namespace: after.namespace.clone(),
            key: after.key.clone(),
            status: WriteStatus::Updated,
            memory: Some(after),
            replaced: Some(before.memory),
            error: None,
        });
    }
    Ok(Written {
        change_id: Some(cause.change),
        results,
    })
}

/// The state of a memory now and the one to which it returns.
async fn step(
    connection: &mut SqliteConnection,
    touched: Touched,
    at: Timestamp,
) -> StoreResult<(MemoryRow, Memory)> {
    let now = memories::by_row(connection, touched.memory)
        .await?
        .ok_or_else(conflict)?;
    if now.memory.version != touched.last {
        return Err(conflict());
    }
    let before = match touched.first.checked_sub(1).filter(|version| *version > 0) {
        Some(version) => memory_versions::one(connection, touched.memory, version)
            .await?
            .ok_or_else(conflict)?,
        // There was nothing before a creation; a deleted memory can be brought back.
        None => Memory {
            status: Status::Deleted,
            ..now.memory.clone()
        },
    };
    let after = Memory {
        version: now.memory.version + 1,
        updated_at: at,
        // A recall is no change, so it is not taken back.
        recall_count: now.memory.recall_count,
        last_recalled_at: now.memory.last_recalled_at,
        ..before
    };
    Ok((now, after))
}

fn conflict() -> StoreError {
    StoreError::Conflict { what: "memory" }
}
