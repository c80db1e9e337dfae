//! Memories, conversations, the review queue, settings and the audit log in one SQLite file.
//!
//! One connection writes, a few read, and any number of programs may use the same file: writes take the
//! write lock of the file at their start (`BEGIN IMMEDIATE`) and wait for one another. What a search by
//! meaning needs is kept in memory and follows the file through a log of changes, so that a vector written
//! by another program is found by the next search.
//!
//! Text is kept byte for byte, NUL characters included. Times come in as arguments; nothing here reads a clock
//! except to measure how long an answer takes.

mod apply;
mod backend;
mod backups;
mod conversations;
mod erase;
mod error;
mod looks;
mod open;
mod provenance;
mod records;
mod review_queue;
mod runner;
mod spaces;
mod tables;
mod undo;
mod vector_index;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use backups::{Backup, backups, restore};
pub use erase::Erased;
pub use provenance::{Axis, ChangeRow, MessageRange, SourceCount};
pub use runner::{Lease, Runner};
pub use spaces::KeptSpace;

use crate::error::{Doing, other};
use crate::tables::{memories, review_items, vectors};
use crate::vector_index::Spaces;
use crate::writer::Writer;
use memory_model::UserId;
use ports::{EmbeddingSpace, StoreResult};
use sqlx::pool::PoolConnection;
use sqlx::{Connection, Sqlite, SqliteConnection, SqlitePool};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;

/// An open store. Clones share its connections.
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    writer: Mutex<Writer>,
    readers: SqlitePool,
    watcher: Mutex<Option<SqliteConnection>>,
    spaces: Spaces,
}

/// How much there is of what a status line shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Active memories.
    pub memories: u32,
    /// Review items that wait.
    pub waiting: u32,
    /// Active memories that have no vector in any space; see [`SqliteStore::without_vector`] for one space.
    pub without_vector: u32,
}

impl SqliteStore {
    /// Opens the database at `path`, making the folder and the file where they are missing, and brings it up
    /// to date.
    ///
    /// # Errors
    /// `Newer` for data of a newer app and `Damaged` for a file that is not a sound database; both are left
    /// exactly as they are. `ReadOnly` and `DiskFull` when the folder cannot be written.
    pub async fn open(path: &Path) -> StoreResult<Self> {
        let opened = open::open(path).await?;
        let inner = Inner {
            path: path.to_owned(),
            writer: Mutex::new(Writer::new(opened.writer, opened.options)),
            readers: opened.readers,
            watcher: Mutex::new(Some(opened.watcher)),
            spaces: Spaces::default(),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Closes every connection. The last program to do so also empties the log beside the file. Calls on
    /// this store and its clones fail afterwards.
    pub async fn close(&self) {
        if let Some(watcher) = self.inner.watcher.lock().await.take() {
            // Nothing is lost when this fails: a reader has nothing to keep.
            let _ = watcher.close().await;
        }
        self.inner.readers.close().await;
        self.inner.writer.lock().await.close().await;
    }

    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// A number that changes when something was committed, by this store or by another program. Two
    /// numbers are compared for equality only.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn data_version(&self) -> StoreResult<i64> {
        const DOING: &str = "looking for changes";
        let mut watcher = self.inner.watcher.lock().await;
        let connection = watcher
            .as_mut()
            .ok_or_else(|| other(DOING, "the store is closed"))?;
        sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(connection)
            .await
            .doing(DOING)
    }

    /// Counts for one owner.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn counts(&self, owner: &UserId) -> StoreResult<Counts> {
        let mut reader = self.reader("counting").await?;
        Ok(Counts {
            memories: memories::count_active(&mut reader, owner).await?,
            waiting: review_items::pending(&mut reader, owner).await?,
            without_vector: vectors::count_without_any(&mut reader, owner).await?,
        })
    }

    /// How many active memories of an owner have no vector in a space.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn without_vector(&self, owner: &UserId, space: &EmbeddingSpace) -> StoreResult<u32> {
        let mut reader = self.reader("counting").await?;
        let space = vectors::space(&mut reader, space).await?;
        vectors::count_missing(&mut reader, owner, space).await
    }

    /// The size of the database, bytes, without its log.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn size_bytes(&self) -> StoreResult<u64> {
        const DOING: &str = "measuring the file";
        let mut reader = self.reader(DOING).await?;
        let size: i64 =
            sqlx::query_scalar("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
                .fetch_one(&mut *reader)
                .await
                .doing(DOING)?;
        Ok(u64::try_from(size).unwrap_or_default())
    }

    /// A connection to read with.
    async fn reader(&self, doing: &'static str) -> StoreResult<PoolConnection<Sqlite>> {
        self.inner.readers.acquire().await.doing(doing)
    }
}
