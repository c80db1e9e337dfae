//! What every store promises, as tests: one function for each port.
//!
//! A store's own tests call them with a function that makes a fresh, empty store:
//!
//! ```ignore
//! #[tokio::test]
//! async fn keeps_the_contract_of_memories() {
//!     test_support::contract::memory_backend(async || fresh_store().await).await;
//! }
//! ```
//!
//! Each case makes its own store and says in its assertion which promise was broken. Cases check what the
//! documentation of `ports` and `memory-model` says and nothing that it leaves open.

mod filtering;
mod reading;
mod replacing;
mod reviews;
mod searching;
mod settings_and_audit;
mod threads;
mod turns;
mod undoing;
mod vectors;
mod writing;
mod writing_once;

pub use reviews::review_queue;
pub use settings_and_audit::{audit_log, settings_store};
pub use vectors::vector_index;

use crate::sample::{at, batch};
use memory_model::{
    Memory, MemoryFilter, MemoryId, MemoryOrder, MemoryPatch, NewMemory, UserId, WriteOp, WriteResult,
    WriteStatus, Written,
};
use ports::{AuditLog, Conversations, MemoryBackend, ReviewQueue, StoreError, StoreResult};

/// The contract of [`MemoryBackend`]. `Conversations` is asked where a write moves the extraction cursor.
///
/// # Panics
/// When the store breaks a promise.
pub async fn memory_backend<S: MemoryBackend + Conversations>(make: impl AsyncFn() -> S) {
    writing::all(&make).await;
    replacing::all(&make).await;
    writing_once::all(&make).await;
    undoing::all(&make).await;
    reading::all(&make).await;
    searching::all(&make).await;
}

/// The contract of [`Conversations`]. The other ports are asked where a promise reaches into them: the audit
/// record of a finished turn, the count of waiting items, and quotes that outlive their thread.
///
/// # Panics
/// When the store breaks a promise.
pub async fn conversations<S>(make: impl AsyncFn() -> S)
where
    S: Conversations + MemoryBackend + ReviewQueue + AuditLog,
{
    threads::all(&make).await;
    turns::all(&make).await;
}

/// The value of a call that must succeed.
#[track_caller]
fn ok<T>(result: StoreResult<T>, doing: &str) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{doing} must succeed, and failed: {error} ({error:?})"),
    }
}

/// Checks that a call was refused because something is missing.
#[track_caller]
fn not_found<T: std::fmt::Debug>(result: StoreResult<T>, doing: &str) {
    assert!(
        matches!(result, Err(StoreError::NotFound { .. })),
        "{doing} must say NotFound, and said {result:?}"
    );
}

/// Checks that a call was refused because somebody else was faster.
#[track_caller]
fn conflict<T: std::fmt::Debug>(result: StoreResult<T>, doing: &str) {
    assert!(
        matches!(result, Err(StoreError::Conflict { .. })),
        "{doing} must say Conflict, and said {result:?}"
    );
}

/// The only result of a batch of one.
#[track_caller]
fn only(written: &Written) -> &WriteResult {
    assert_eq!(
        written.results.len(),
        1,
        "a batch of one operation has one result: {written:?}"
    );
    &written.results[0]
}

/// The memory in a result that must hold one.
#[track_caller]
fn memory_of(result: &WriteResult) -> Memory {
    result
        .memory
        .clone()
        .unwrap_or_else(|| panic!("the result must hold the memory as it is now: {result:?}"))
}

/// Writes operations by hand, `seconds` after the samples begin.
async fn write<S: MemoryBackend>(store: &S, owner: &UserId, seconds: i64, ops: Vec<WriteOp>) -> Written {
    ok(store.apply(batch(owner, at(seconds), ops)).await, "a batch")
}

/// Creates one memory and returns it with the outcome.
async fn create<S: MemoryBackend>(store: &S, seconds: i64, memory: NewMemory) -> (Memory, Written) {
    let owner = memory.owner.clone();
    let written = write(store, &owner, seconds, vec![WriteOp::Create { memory }]).await;
    let result = only(&written);
    assert_eq!(
        result.status,
        WriteStatus::Created,
        "a free key makes a new memory: {result:?}"
    );
    (memory_of(result), written)
}

/// Changes a memory that is known to be at its newest version.
async fn patch<S: MemoryBackend>(
    store: &S,
    seconds: i64,
    memory: &Memory,
    patch: MemoryPatch,
) -> (Memory, Written) {
    let op = WriteOp::Update {
        id: memory.id.clone(),
        expected_version: memory.version,
        patch,
    };
    let written = write(store, &memory.owner, seconds, vec![op]).await;
    let result = only(&written);
    assert_eq!(
        result.status,
        WriteStatus::Updated,
        "the version that the writer saw may be changed: {result:?}"
    );
    (memory_of(result), written)
}

/// A patch of the text alone.
fn text(text: &str) -> MemoryPatch {
    MemoryPatch {
        text: Some(text.to_owned()),
        ..MemoryPatch::default()
    }
}

/// A patch of the status alone.
fn status(status: memory_model::Status) -> MemoryPatch {
    MemoryPatch {
        status: Some(status),
        ..MemoryPatch::default()
    }
}

/// A memory that must exist.
async fn get<S: MemoryBackend>(store: &S, owner: &UserId, id: &MemoryId) -> Memory {
    ok(store.get(owner, id).await, "get").unwrap_or_else(|| panic!("memory {id} of {owner} must exist"))
}

/// All active memories of an owner, by text.
async fn active<S: MemoryBackend>(store: &S, owner: &UserId) -> Vec<Memory> {
    let filter = MemoryFilter::active(owner.clone());
    ok(store.list(&filter, MemoryOrder::Text, 0, 1000).await, "list").data
}
