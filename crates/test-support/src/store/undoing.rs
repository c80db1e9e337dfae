//! Undo of change sets.

use super::state::{Change, State, Touched};
use memory_model::{
    ChangeId, ChangeReason, Memory, Status, Timestamp, UserId, WriteResult, WriteStatus, Written,
};
use ports::{StoreError, StoreResult};

/// Takes a change set back, or changes nothing at all.
pub(super) fn undo(
    state: &mut State,
    owner: &UserId,
    change: &ChangeId,
    at: Timestamp,
) -> StoreResult<Written> {
    let touched = match state.changes.get(change) {
        Some(change) if &change.owner == owner => change.touched.clone(),
        _ => return Err(StoreError::NotFound { what: "change" }),
    };
    let mut steps = Vec::new();
    for touched in touched {
        let now = state.memories.get(&touched.id).cloned();
        match now {
            Some(now) if now.version == touched.version_after => {
                let restored = restored(&now, touched.before, at);
                steps.push((now, restored));
            }
            _ => return Err(StoreError::Conflict { what: "memory" }),
        }
    }
    check_keys(state, owner, &steps)?;

    let change_id = ChangeId::generate();
    let mut undone = Vec::new();
    let mut results = Vec::new();
    for (now, restored) in steps {
        undone.push(Touched {
            id: now.id.clone(),
            before: Some(now),
            version_after: restored.version,
        });
        results.push(WriteResult {
            namespace: restored.namespace.clone(),
            key: restored.key.clone(),
            status: WriteStatus::Updated,
            memory: Some(restored.clone()),
            replaced: None,
            error: None,
        });
        state.keep(restored, at, ChangeReason::Undo, &change_id);
    }
    state.changes.insert(
        change_id.clone(),
        Change {
            owner: owner.clone(),
            touched: undone,
        },
    );
    Ok(Written {
        change_id: Some(change_id),
        results,
    })
}

/// The state before, as a new version. A memory that did not exist becomes deleted, so that the undo can be
/// undone. Recalls are no changes: their counters go on.
fn restored(now: &Memory, before: Option<Memory>, at: Timestamp) -> Memory {
    let before = before.unwrap_or_else(|| Memory {
        status: Status::Deleted,
        ..now.clone()
    });
    Memory {
        version: now.version + 1,
        updated_at: at,
        recall_count: now.recall_count,
        last_recalled_at: now.last_recalled_at,
        ..before
    }
}

/// Refuses an undo that would give one key to two active memories.
fn check_keys(state: &State, owner: &UserId, steps: &[(Memory, Memory)]) -> StoreResult<()> {
    let taken = steps.iter().map(|(_, restored)| restored).any(|restored| {
        restored.status == Status::Active
            && state.memories.values().any(|other| {
                &other.owner == owner
                    && other.key == restored.key
                    && other.status == Status::Active
                    && steps.iter().all(|(now, _)| now.id != other.id)
            })
    });
    if taken {
        Err(StoreError::Conflict { what: "key" })
    } else {
        Ok(())
    }
}
