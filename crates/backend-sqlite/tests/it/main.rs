//! The store on real files: the contract of the ports, and what is particular to a file.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests are about files, and about processes that are killed"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says enough by panicking, also in the functions that its cases share"
)]

mod any_query;
mod contract;
mod erasing;
mod files;
mod killing;
mod sharing;
mod speed;
mod token_vectors;

use backend_sqlite::SqliteStore;
use memory_model::{Memory, NewMemory, UserId, WriteOp, WriteStatus};
use ports::MemoryBackend;
use std::path::PathBuf;
use tempfile::TempDir;
use test_support::sample::{at, batch};

/// A folder of its own and the place of a database in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("reverie.db");
    (folder, path)
}

/// Creates one memory that must not exist yet.
async fn create(store: &SqliteStore, memory: NewMemory) -> Memory {
    let owner: UserId = memory.owner.clone();
    let written = store
        .apply(batch(&owner, at(0), vec![WriteOp::Create { memory }]))
        .await
        .unwrap();
    assert_eq!(written.results[0].status, WriteStatus::Created);
    written.results[0].memory.clone().unwrap()
}
