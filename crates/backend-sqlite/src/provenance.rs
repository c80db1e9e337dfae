//! Where memories come from, when they were looked at, and how they were at another time: reads of the inspector
//! that are no part of a port.

use crate::error::Doing;
use crate::tables::{changes, last_seen, memories, memory_versions, threads};
use crate::writer::Durability;
use crate::{SqliteStore, apply};
use memory_model::{
    ChangeId, ChangeReason, Memory, MemoryFilter, MessageId, Source, ThreadId, Timestamp, UserId, WriteBatch,
    Written,
};
use ports::StoreResult;

/// A source and how much of it there is.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceCount {
    /// Who wrote.
    pub source: Source,
    /// Memories that hold or held.
    pub memories: u32,
    /// When the last of them was kept.
    pub last_at: Timestamp,
}

/// One change set.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRow {
    /// What Undo takes.
    pub id: ChangeId,
    /// What made it.
    pub reason: ChangeReason,
    /// When.
    pub at: Timestamp,
    /// How many memories it touched.
    pub touched: u32,
    /// The change that it took back.
    pub undoes: Option<ChangeId>,
    /// The change that took it back.
    pub undone_by: Option<ChangeId>,
}

/// The messages from which another program wrote a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageRange {
    /// The conversation.
    pub thread_id: ThreadId,
    /// The first message.
    pub first: MessageId,
    /// The last message; may be the first.
    pub last: MessageId,
}

/// Which clock a look into the past goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// What held at the time, as far as it is known today.
    Valid,
    /// What was known at the time.
    Known,
}

impl SqliteStore {
    /// Every source that wrote memories of an owner which are not deleted, most first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn sources(&self, owner: &UserId) -> StoreResult<Vec<SourceCount>> {
        memories::sources(&mut *self.reader("reading sources").await?, owner).await
    }

    /// When the owner last looked at what is new; `None` when they never did.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn last_seen(&self, owner: &UserId) -> StoreResult<Option<Timestamp>> {
        last_seen::get(
            &mut *self.reader("reading when somebody last looked").await?,
            owner,
        )
        .await
    }

    /// Keeps when the owner looked; an earlier time than the one that is kept changes nothing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn mark_seen(&self, owner: &UserId, at: Timestamp) -> StoreResult<()> {
        const DOING: &str = "keeping when somebody last looked";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        last_seen::put(&mut transaction, owner, at).await?;
        transaction.commit().await.doing(DOING)
    }

    /// The changes of an owner, newest first, `limit` of them after leaving out `offset`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn changes(&self, owner: &UserId, offset: u32, limit: u32) -> StoreResult<Vec<ChangeRow>> {
        changes::list(&mut *self.reader("reading changes").await?, owner, offset, limit).await
    }

    /// Memories as they were at a time, newest first: a page of them and how many there are in all. A memory that
    /// was erased for good is not among them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn as_of(
        &self,
        filter: &MemoryFilter,
        axis: Axis,
        at: Timestamp,
        (offset, limit): (u32, u32),
    ) -> StoreResult<(Vec<Memory>, u32)> {
        let mut reader = self.reader("reading memories as they were").await?;
        match axis {
            Axis::Valid => memories::valid_at(&mut reader, filter, at, (offset, limit)).await,
            Axis::Known => memory_versions::known_at(&mut reader, filter, at, (offset, limit)).await,
        }
    }

    /// Writes a batch and marks the messages it was made from, in one transaction: extraction leaves them alone.
    ///
    /// # Errors
    /// `NotFound` when the messages are not in the owner's thread; otherwise as [`ports::MemoryBackend::apply`].
    pub async fn apply_covering(&self, batch: WriteBatch, range: &MessageRange) -> StoreResult<Written> {
        const DOING: &str = "writing memories";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let messages = (&range.first, &range.last);
        threads::add_written_range(&mut transaction, &batch.owner, &range.thread_id, messages).await?;
        let written = apply::apply(&mut transaction, batch).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(written)
    }

    /// Active memories of an owner that are not pinned and were neither kept, changed, said again nor recalled since
    /// `before`, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn expired(&self, owner: &UserId, before: Timestamp, limit: u32) -> StoreResult<Vec<Memory>> {
        memories::expired(
            &mut *self.reader("reading old memories").await?,
            owner,
            before,
            limit,
        )
        .await
    }
}
