//! [`MemoryBackend`]: memories and their keyword index.

use crate::SqliteStore;
use crate::apply;
use crate::erase;
use crate::error::Doing;
use crate::tables::{memories, memories_fts, memory_versions, surroundings, token_vectors};
use crate::undo;
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::{
    ChangeId, Memory, MemoryFilter, MemoryId, MemoryOrder, MemoryPage, MemoryVersion, Timestamp, UserId,
    WriteBatch, Written,
};
use ports::{BackendHealth, Beside, KeywordHit, MemoryBackend, StoreResult, TermCounts, TermRange};
use sqlx::Connection;
use std::time::Instant;

#[async_trait]
impl MemoryBackend for SqliteStore {
    fn id(&self) -> &str {
        "sqlite"
    }

    fn display_name(&self) -> &str {
        "SQLite"
    }

    async fn apply(&self, batch: WriteBatch) -> StoreResult<Written> {
        const DOING: &str = "writing memories";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let written = apply::apply(&mut transaction, batch).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(written)
    }

    async fn undo(&self, owner: &UserId, change: &ChangeId, at: Timestamp) -> StoreResult<Written> {
        const DOING: &str = "taking a change back";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let written = undo::undo(&mut transaction, owner, change, at).await?;
        transaction.commit().await.doing(DOING)?;
        Ok(written)
    }

    async fn get(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Option<Memory>> {
        let mut reader = self.reader("reading a memory").await?;
        Ok(memories::by_id(&mut reader, owner, id)
            .await?
            .map(|found| found.memory))
    }

    async fn list(
        &self,
        filter: &MemoryFilter,
        order: MemoryOrder,
        offset: u32,
        limit: u32,
    ) -> StoreResult<MemoryPage> {
        const DOING: &str = "listing memories";
        let mut reader = self.reader(DOING).await?;
        // One transaction, so that the rows and their count belong to one state.
        let mut transaction = reader.begin().await.doing(DOING)?;
        let data = memories::page(&mut transaction, filter, order, offset, limit).await?;
        let by_type = memories::count_by_category(&mut transaction, filter).await?;
        transaction.rollback().await.doing(DOING)?;
        Ok(MemoryPage {
            data,
            total: by_type.values().sum(),
            by_type,
        })
    }

    async fn history(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Vec<MemoryVersion>> {
        let mut reader = self.reader("reading the history of a memory").await?;
        memory_versions::all(&mut reader, owner, id).await
    }

    async fn search_keywords(
        &self,
        filter: &MemoryFilter,
        terms: &[String],
        limit: u32,
    ) -> StoreResult<Vec<KeywordHit>> {
        let mut reader = self.reader("searching by words").await?;
        memories_fts::search(&mut reader, filter, terms, limit).await
    }

    async fn term_counts(&self, terms: &[String]) -> StoreResult<TermCounts> {
        let mut reader = self.reader("counting words").await?;
        memories_fts::counts(&mut reader, terms).await
    }

    async fn terms_between(&self, range: &TermRange, limit: u32) -> StoreResult<Vec<String>> {
        let mut reader = self.reader("completing a word").await?;
        memories_fts::terms_between(&mut reader, range, limit).await
    }

    async fn surroundings(
        &self,
        owner: &UserId,
        ids: &[MemoryId],
        each_side: u32,
    ) -> StoreResult<Vec<Beside>> {
        let mut reader = self.reader("reading what stands beside memories").await?;
        surroundings::of_memories(&mut reader, owner, ids, each_side).await
    }

    async fn get_many(&self, owner: &UserId, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        let mut reader = self.reader("reading memories").await?;
        memories::many(&mut reader, owner, ids).await
    }

    async fn known(&self, owner: &UserId, keys: &[String], slots: &[String]) -> StoreResult<Vec<Memory>> {
        let mut reader = self.reader("reading what is known").await?;
        memories::known(&mut reader, owner, keys, slots).await
    }

    async fn count_recalls(&self, owner: &UserId, ids: &[MemoryId], at: Timestamp) -> StoreResult<()> {
        const DOING: &str = "counting recalls";
        if ids.is_empty() {
            return Ok(());
        }
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
        memories::count_recalls(&mut transaction, owner, ids, at).await?;
        token_vectors::used(&mut transaction, ids).await?;
        transaction.commit().await.doing(DOING)
    }

    async fn purge_deleted(&self, before: Timestamp) -> StoreResult<u32> {
        const DOING: &str = "erasing deleted memories";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let erased = memories::deleted_before(&mut transaction, before).await?;
        if erased.is_empty() {
            return Ok(0);
        }
        erase::erase_rows(&mut transaction, &erased).await?;
        memories_fts::forget_removed(&mut transaction).await?;
        transaction.commit().await.doing(DOING)?;
        // `secure_delete` overwrote the bytes in the file; the log still holds pages from before.
        writer.empty_log(DOING).await?;
        Ok(u32::try_from(erased.len()).unwrap_or(u32::MAX))
    }

    async fn health(&self) -> BackendHealth {
        let started = Instant::now();
        let answer = async {
            let mut reader = self.reader("asking for its health").await?;
            sqlx::query_scalar::<_, i64>("SELECT count(*) FROM settings")
                .fetch_one(&mut *reader)
                .await
                .doing("asking for its health")
        };
        let error = answer.await.err().map(|error| error.to_string());
        BackendHealth {
            ok: error.is_none(),
            latency_ms: started.elapsed().as_secs_f32() * 1000.0,
            error,
        }
    }
}
