//! What every store promises, checked by the tests that all stores share.

use backend_sqlite::SqliteStore;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use test_support::contract;

/// Makes fresh stores in one folder.
struct Stores {
    folder: TempDir,
    count: AtomicU32,
}

impl Stores {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            count: AtomicU32::new(0),
        }
    }

    async fn fresh(&self) -> SqliteStore {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        SqliteStore::open(&self.folder.path().join(format!("{number}.db")))
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn memories() {
    let stores = Stores::new();
    contract::memory_backend(async || stores.fresh().await).await;
}

#[tokio::test]
async fn vectors() {
    let stores = Stores::new();
    contract::vector_index(async || stores.fresh().await).await;
}

#[tokio::test]
async fn conversations() {
    let stores = Stores::new();
    contract::conversations(async || stores.fresh().await).await;
}

#[tokio::test]
async fn reviews() {
    let stores = Stores::new();
    contract::review_queue(async || stores.fresh().await).await;
}

#[tokio::test]
async fn settings_and_audit() {
    let stores = Stores::new();
    contract::settings_store(async || stores.fresh().await).await;
    contract::audit_log(async || stores.fresh().await).await;
}
