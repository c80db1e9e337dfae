//! A store in memory that keeps every promise of the ports and can be told to fail.

mod conversations;
mod reading;
mod reviews;
mod searching;
mod settings_and_audit;
mod state;
mod undoing;
mod writing;

use ports::{StoreError, StoreResult};
use state::State;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stands in for the stores in unit tests only: everything is gone when it is dropped.
///
/// It implements `MemoryBackend`, `VectorIndex`, `Conversations`, `ReviewQueue`, `AuditLog` and
/// `SettingsStore`. Put it into an `Arc` where several owners need it.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    state: Mutex<State>,
    searches_fail: AtomicBool,
    reads_fail: AtomicBool,
    writes_fail: AtomicBool,
    memory_writes_fail: AtomicBool,
}

impl InMemoryStore {
    /// An empty store that works.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes keyword and vector searches fail (`StoreError::Other`) until switched off.
    pub fn fail_searches(&self, failing: bool) {
        self.searches_fail.store(failing, Ordering::SeqCst);
    }

    /// Makes every read but the searches fail (`StoreError::Other`) until switched off.
    pub fn fail_reads(&self, failing: bool) {
        self.reads_fail.store(failing, Ordering::SeqCst);
    }

    /// Makes every write fail (`StoreError::DiskFull`) until switched off. Nothing is written then.
    pub fn fail_writes(&self, failing: bool) {
        self.writes_fail.store(failing, Ordering::SeqCst);
    }

    /// Makes writes of memories and their vectors fail (`StoreError::DiskFull`) until switched off, while
    /// messages, checkpoints, review items and the rest are still written.
    pub fn fail_memory_writes(&self, failing: bool) {
        self.memory_writes_fail.store(failing, Ordering::SeqCst);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_search(&self, doing: &'static str) -> StoreResult<MutexGuard<'_, State>> {
        match self.searches_fail.load(Ordering::SeqCst) {
            true => Err(StoreError::Other {
                doing,
                source: "the test switched searches off".into(),
            }),
            false => Ok(self.lock()),
        }
    }

    fn to_read(&self, doing: &'static str) -> StoreResult<MutexGuard<'_, State>> {
        match self.reads_fail.load(Ordering::SeqCst) {
            true => Err(StoreError::Other {
                doing,
                source: "the test switched reads off".into(),
            }),
            false => Ok(self.lock()),
        }
    }

    fn to_write(&self, doing: &'static str) -> StoreResult<MutexGuard<'_, State>> {
        match self.writes_fail.load(Ordering::SeqCst) {
            true => Err(StoreError::DiskFull {
                doing,
                source: "the test filled the disk".into(),
            }),
            false => Ok(self.lock()),
        }
    }

    fn to_write_memories(&self, doing: &'static str) -> StoreResult<MutexGuard<'_, State>> {
        match self.memory_writes_fail.load(Ordering::SeqCst) {
            true => Err(StoreError::DiskFull {
                doing,
                source: "the test filled the disk".into(),
            }),
            false => self.to_write(doing),
        }
    }
}
