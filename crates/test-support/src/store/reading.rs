//! The port of memories.

use super::state::State;
use super::{InMemoryStore, searching, undoing, writing};
use async_trait::async_trait;
use memory_model::{
    ChangeId, Memory, MemoryFilter, MemoryId, MemoryOrder, MemoryPage, MemoryVersion, Status, Timestamp,
    UserId, WriteBatch, Written,
};
use ports::{BackendHealth, Beside, KeywordHit, MemoryBackend, StoreResult, TermCounts};
use std::cmp::Reverse;

#[async_trait]
impl MemoryBackend for InMemoryStore {
    fn id(&self) -> &str {
        "in_memory"
    }

    fn display_name(&self) -> &str {
        "In memory (tests)"
    }

    async fn apply(&self, batch: WriteBatch) -> StoreResult<Written> {
        Ok(writing::apply(
            &mut *self.to_write_memories("writing memories")?,
            batch,
        ))
    }

    async fn undo(&self, owner: &UserId, change: &ChangeId, at: Timestamp) -> StoreResult<Written> {
        undoing::undo(
            &mut *self.to_write_memories("undoing a change")?,
            owner,
            change,
            at,
        )
    }

    async fn get(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Option<Memory>> {
        Ok(self.to_read("reading a memory")?.memory(owner, id).cloned())
    }

    async fn list(
        &self,
        filter: &MemoryFilter,
        order: MemoryOrder,
        offset: u32,
        limit: u32,
    ) -> StoreResult<MemoryPage> {
        Ok(page(
            &*self.to_read("listing memories")?,
            filter,
            order,
            offset,
            limit,
        ))
    }

    async fn history(&self, owner: &UserId, id: &MemoryId) -> StoreResult<Vec<MemoryVersion>> {
        let state = self.to_read("reading a history")?;
        let known = state.memory(owner, id).is_some();
        Ok(if known {
            state.versions.get(id).cloned().unwrap_or_default()
        } else {
            Vec::new()
        })
    }

    async fn search_keywords(
        &self,
        filter: &MemoryFilter,
        terms: &[String],
        limit: u32,
    ) -> StoreResult<Vec<KeywordHit>> {
        let state = self.to_search("searching memories by words")?;
        Ok(searching::keywords(&state.fitting(filter), terms, limit))
    }

    async fn term_counts(&self, terms: &[String]) -> StoreResult<TermCounts> {
        let state = self.to_search("counting words")?;
        Ok(searching::counts(state.memories.values(), terms))
    }

    async fn surroundings(
        &self,
        owner: &UserId,
        ids: &[MemoryId],
        each_side: u32,
    ) -> StoreResult<Vec<Beside>> {
        let state = self.to_read("reading what stands beside memories")?;
        Ok(searching::surroundings(&state, owner, ids, each_side as usize))
    }

    async fn get_many(&self, owner: &UserId, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        let state = self.to_read("reading memories")?;
        Ok(ids
            .iter()
            .filter_map(|id| state.memory(owner, id).cloned())
            .collect())
    }

    async fn known(&self, owner: &UserId, keys: &[String], slots: &[String]) -> StoreResult<Vec<Memory>> {
        let state = self.to_read("reading what is known")?;
        let known = |memory: &&&Memory| {
            keys.contains(&memory.key)
                || memory
                    .slot
                    .as_ref()
                    .is_some_and(|slot| slots.contains(&slot.name))
        };
        let active = state.fitting(&MemoryFilter::active(owner.clone()));
        Ok(active
            .iter()
            .filter(known)
            .map(|memory| (*memory).clone())
            .collect())
    }

    async fn count_recalls(&self, owner: &UserId, ids: &[MemoryId], at: Timestamp) -> StoreResult<()> {
        let mut state = self.to_write_memories("counting recalls")?;
        for memory in state
            .memories
            .values_mut()
            .filter(|memory| &memory.owner == owner && ids.contains(&memory.id))
        {
            memory.recall_count += 1;
            memory.last_recalled_at = Some(at);
        }
        Ok(())
    }

    async fn purge_deleted(&self, before: Timestamp) -> StoreResult<u32> {
        let mut state = self.to_write_memories("erasing memories")?;
        let erased: Vec<MemoryId> = state
            .deleted_at
            .iter()
            .filter(|(_, deleted)| **deleted < before)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &erased {
            state.memories.remove(id);
            state.versions.remove(id);
            state.deleted_at.remove(id);
        }
        state.vectors.retain(|(_, id), _| !erased.contains(id));
        // The words of an erased memory must not live on in what Undo or a repeated batch would give back.
        for change in state.changes.values_mut() {
            for touched in change
                .touched
                .iter_mut()
                .filter(|touched| erased.contains(&touched.id))
            {
                touched.before = None;
            }
        }
        Ok(u32::try_from(erased.len()).unwrap_or(u32::MAX))
    }

    async fn health(&self) -> BackendHealth {
        match self.to_read("asking for health") {
            Ok(_) => BackendHealth {
                ok: true,
                latency_ms: 0.0,
                error: None,
            },
            Err(error) => BackendHealth {
                ok: false,
                latency_ms: 0.0,
                error: Some(error.to_string()),
            },
        }
    }
}

fn page(state: &State, filter: &MemoryFilter, order: MemoryOrder, offset: u32, limit: u32) -> MemoryPage {
    let mut fitting = state.fitting(filter);
    // Ids break ties, the newest first, so that pages never overlap.
    fitting.sort_by_key(|memory| Reverse(memory.id.clone()));
    match order {
        MemoryOrder::Updated => fitting.sort_by_key(|memory| Reverse(memory.updated_at)),
        MemoryOrder::Created => fitting.sort_by_key(|memory| Reverse(memory.created_at)),
        MemoryOrder::Recalled => fitting.sort_by_key(|memory| Reverse(memory.last_recalled_at)),
        MemoryOrder::Text => fitting.sort_by(|a, b| a.text.cmp(&b.text)),
    }
    let mut by_type = std::collections::BTreeMap::new();
    for memory in &fitting {
        *by_type.entry(memory.category).or_insert(0) += 1;
    }
    MemoryPage {
        total: u32::try_from(fitting.len()).unwrap_or(u32::MAX),
        data: fitting
            .into_iter()
            .skip(offset as usize)
            .take(limit as usize)
            .cloned()
            .collect(),
        by_type,
    }
}

/// Whether a memory asks for a vector.
pub(super) fn is_active(memory: &Memory) -> bool {
    memory.status == Status::Active
}
