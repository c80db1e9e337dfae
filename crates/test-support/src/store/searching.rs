//! The keyword list and the vector list.

use super::InMemoryStore;
use super::reading::is_active;
use super::state::State;
use async_trait::async_trait;
use memory_model::{Memory, MemoryFilter, MemoryId, UserId};
use ports::{
    Beside, EmbeddingSpace, KeywordHit, MissingVector, NewVectors, StoreResult, TermCounts, VectorHit,
    VectorIndex,
};

/// How soon a word that occurs again stops to count; the value of SQLite's FTS5.
const K1: f32 = 1.2;
/// How much a long text is held back; the value of SQLite's FTS5.
const B: f32 = 0.75;
/// The weight of a word that most texts hold, as in FTS5, where weights never become negative.
const IDF_MIN: f32 = 1e-6;

/// Ranks memories by BM25. Every token counts once for each memory, because `index_terms` names it once.
pub(super) fn keywords(memories: &[&Memory], terms: &[String], limit: u32) -> Vec<KeywordHit> {
    let documents: Vec<(&Memory, Vec<String>)> = memories
        .iter()
        .map(|memory| (*memory, recall::terms::index_terms(&memory.text)))
        .collect();
    let mut terms: Vec<&String> = terms.iter().collect();
    terms.sort();
    terms.dedup();
    let count = documents.len() as f32;
    let average = documents
        .iter()
        .map(|(_, tokens)| tokens.len() as f32)
        .sum::<f32>()
        / count.max(1.0);
    let mut hits: Vec<KeywordHit> = Vec::new();
    for (memory, tokens) in &documents {
        let shared: Vec<&&String> = terms.iter().filter(|term| tokens.contains(term)).collect();
        if shared.is_empty() {
            continue;
        }
        let length = K1 * (1.0 - B + B * tokens.len() as f32 / average.max(1.0));
        let bm25 = shared
            .into_iter()
            .map(|term| {
                let holding = documents
                    .iter()
                    .filter(|(_, tokens)| tokens.contains(term))
                    .count() as f32;
                let idf = ((count - holding + 0.5) / (holding + 0.5)).ln().max(IDF_MIN);
                idf * (K1 + 1.0) / (1.0 + length)
            })
            .sum();
        hits.push(KeywordHit {
            id: memory.id.clone(),
            bm25,
        });
    }
    hits.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then_with(|| a.id.cmp(&b.id)));
    hits.truncate(limit as usize);
    hits
}

/// How many memories hold each term.
pub(super) fn counts<'a>(memories: impl Iterator<Item = &'a Memory>, terms: &[String]) -> TermCounts {
    let texts: Vec<Vec<String>> = memories
        .map(|memory| recall::terms::index_terms(&memory.text))
        .collect();
    let holding = |term: &String| texts.iter().filter(|tokens| tokens.contains(term)).count() as u32;
    TermCounts {
        texts: texts.len() as u32,
        holding: terms.iter().map(holding).collect(),
    }
}

/// Each memory, and the active memories of its thread beside it; ids grow in the order of their making.
pub(super) fn surroundings(state: &State, owner: &UserId, ids: &[MemoryId], each_side: usize) -> Vec<Beside> {
    let thread = |memory: &Memory| {
        let evidence = memory.evidence.as_ref();
        evidence.and_then(|evidence| evidence.thread_id.clone())
    };
    let mut found = Vec::new();
    for here in ids.iter().filter_map(|id| state.memory(owner, id)) {
        let place = |(distance, memory): (i32, &Memory)| Beside {
            of: here.id.clone(),
            id: memory.id.clone(),
            distance,
            text: recall::search::searchable_text(memory),
            subject: memory.subject.clone(),
            thread: thread(memory),
        };
        found.push(place((0, here)));
        let together = |memory: &&Memory| {
            &memory.owner == owner
                && is_active(memory)
                && thread(memory).is_some()
                && thread(memory) == thread(here)
        };
        let before = state.memories.values().rev().filter(|memory| memory.id < here.id);
        let before = (1..).map(|distance: i32| -distance).zip(before.filter(together));
        let after = state.memories.values().filter(|memory| memory.id > here.id);
        let after = (1..).zip(after.filter(together));
        found.extend(before.take(each_side).chain(after.take(each_side)).map(place));
    }
    found
}

#[async_trait]
impl VectorIndex for InMemoryStore {
    async fn missing(&self, space: &EmbeddingSpace, limit: u32) -> StoreResult<Vec<MissingVector>> {
        let state = self.to_read("looking for texts without a vector")?;
        let name = space.name();
        let without = |memory: &&Memory| {
            let row = state.vectors.get(&(name.clone(), memory.id.clone()));
            is_active(memory) && row.is_none_or(|row| row.content_hash != memory.content_hash)
        };
        let missing = state
            .memories
            .values()
            .filter(without)
            .take(limit as usize)
            .map(|memory| MissingVector {
                id: memory.id.clone(),
                content_hash: memory.content_hash.clone(),
                text: memory.text.clone(),
            });
        Ok(missing.collect())
    }

    async fn put(&self, space: &EmbeddingSpace, rows: Vec<NewVectors>) -> StoreResult<()> {
        let mut state = self.to_write_memories("writing vectors")?;
        for row in rows {
            let same = state
                .memories
                .get(&row.id)
                .is_some_and(|memory| memory.content_hash == row.content_hash);
            if same {
                state.vectors.insert((space.name(), row.id.clone()), row);
            }
        }
        Ok(())
    }

    async fn search(
        &self,
        space: &EmbeddingSpace,
        filter: &MemoryFilter,
        query: &[f32],
        limit: u32,
    ) -> StoreResult<Vec<VectorHit>> {
        let state = self.to_search("searching memories by meaning")?;
        let name = space.name();
        let mut hits: Vec<VectorHit> = Vec::new();
        for memory in state.fitting(filter) {
            let row = state.vectors.get(&(name.clone(), memory.id.clone()));
            let Some(row) = row.filter(|row| row.content_hash == memory.content_hash) else {
                continue;
            };
            let best = row
                .chunks
                .iter()
                .map(|chunk| cosine(chunk, query))
                .max_by(f32::total_cmp);
            hits.extend(best.map(|similarity| VectorHit {
                id: memory.id.clone(),
                similarity,
            }));
        }
        hits.sort_by(|a, b| {
            b.similarity
                .total_cmp(&a.similarity)
                .then_with(|| a.id.cmp(&b.id))
        });
        hits.truncate(limit as usize);
        Ok(hits)
    }
}

/// The cosine of two vectors of length 1.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
