//! Reads that one screen or one task needs and that are no part of a port.

use crate::error::Doing;
use crate::tables::messages;
use crate::{SqliteStore, writer};
use memory_model::{MemoryId, Message, MessageId, UserId};
use ports::{Conversations, EmbeddingSpace, StoreResult};

impl SqliteStore {
    /// One message of an owner's thread, or `None`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn message(&self, owner: &UserId, id: &MessageId) -> StoreResult<Option<Message>> {
        let message = {
            let mut reader = self.reader("reading a message").await?;
            messages::by_id(&mut reader, id).await?
        };
        let Some(message) = message else { return Ok(None) };
        Ok(self.thread(owner, &message.thread_id).await?.map(|_| message))
    }

    /// Whether a memory has a vector in a space.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn has_vector(&self, space: &EmbeddingSpace, id: &MemoryId) -> StoreResult<bool> {
        const DOING: &str = "looking for a vector";
        let mut reader = self.reader(DOING).await?;
        let Some(space) = crate::tables::vectors::space(&mut reader, space).await? else {
            return Ok(false);
        };
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM vectors JOIN memories ON memories.row = vectors.memory \
             WHERE memories.id = ? AND vectors.space = ?)",
        )
        .bind(id.as_str())
        .bind(space)
        .fetch_one(&mut *reader)
        .await
        .doing(DOING)
    }

    /// A number that changes when another program has committed. Asked on the connection that writes, which does
    /// not count what it commits itself.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn others_version(&self) -> StoreResult<i64> {
        let mut writer: tokio::sync::MutexGuard<'_, writer::Writer> = self.inner.writer.lock().await;
        writer.data_version().await
    }

    /// Empties the log of erased bytes when another program was in the way before. Returns whether it is empty of
    /// them by now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn empty_log_if_due(&self) -> StoreResult<bool> {
        let mut writer = self.inner.writer.lock().await;
        writer.empty_log_if_due("emptying the log").await
    }
}
