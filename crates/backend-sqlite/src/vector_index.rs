//! [`VectorIndex`]: vectors in the file, and a copy of each space in memory that follows it.

use crate::SqliteStore;
use crate::error::{Doing, other};
use crate::tables::token_vectors;
use crate::tables::vector_log::{self, Since};
use crate::tables::vectors::{self, ChunkRow, LabelRow};
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::{MemoryFilter, MemoryId, UserId};
use ports::{
    EmbeddingSpace, MissingVector, NewTokenVectors, NewVectors, StoreResult, TokenMatrix, VectorHit,
    VectorIndex,
};
use sqlx::{Connection, SqliteConnection};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Mutex;
use vector_index::{Candidate, Index, Labels, Query};

/// The copies in memory, by the name of the space.
pub(crate) type Spaces = Mutex<HashMap<String, Arc<Space>>>;

/// The copy of one space.
pub(crate) struct Space {
    /// The place in the log of changes up to which the copy has come. Held while it is brought up to date.
    place: Mutex<Option<i64>>,
    index: RwLock<Index>,
}

const SEARCHING: &str = "searching by meaning";

#[async_trait]
impl VectorIndex for SqliteStore {
    async fn missing(&self, space: &EmbeddingSpace, limit: u32) -> StoreResult<Vec<MissingVector>> {
        let mut reader = self.reader("looking for memories without a vector").await?;
        let space = vectors::space(&mut reader, space).await?;
        vectors::missing(&mut reader, space, limit).await
    }

    async fn put(&self, space: &EmbeddingSpace, rows: Vec<NewVectors>) -> StoreResult<()> {
        const DOING: &str = "writing vectors";
        for vector in rows.iter().flat_map(|row| &row.chunks) {
            if !vector_index::is_usable(vector, space.dimension) {
                return Err(other(
                    DOING,
                    format!("a vector does not belong to the space {}", space.name()),
                ));
            }
        }
        let mut writer = self.inner.writer.lock().await;
        // Vectors can be made again, so a loss of power may take the last ones.
        let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
        let id = vectors::make_space(&mut transaction, space).await?;
        for row in &rows {
            vectors::put(&mut transaction, id, row).await?;
        }
        vector_log::prune(&mut transaction).await?;
        transaction.commit().await.doing(DOING)
    }

    async fn search(
        &self,
        space: &EmbeddingSpace,
        filter: &MemoryFilter,
        query: &[f32],
        limit: u32,
    ) -> StoreResult<Vec<VectorHit>> {
        let copy = self.up_to_date(space).await?;
        let filter = filter.clone();
        let query = Query::new(query);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // Milliseconds of arithmetic: off the threads that answer everybody else.
        let scan = move || {
            let index = copy.index.read().unwrap_or_else(PoisonError::into_inner);
            let candidates = index.candidates(&filter, &query, limit);
            (candidates, query)
        };
        let (candidates, query) = tokio::task::spawn_blocking(scan)
            .await
            .map_err(|error| other(SEARCHING, error))?;
        self.compared_again(space, candidates, &query, limit).await
    }

    async fn token_vectors(
        &self,
        owner: &UserId,
        space: &EmbeddingSpace,
        ids: &[MemoryId],
    ) -> StoreResult<Vec<(MemoryId, TokenMatrix)>> {
        let mut reader = self.reader(SEARCHING).await?;
        match vectors::space(&mut reader, space).await? {
            Some(id) => token_vectors::of(&mut reader, owner, (id, space.dimension), ids).await,
            None => Ok(Vec::new()),
        }
    }

    async fn without_token_vectors(
        &self,
        space: &EmbeddingSpace,
        limit: u32,
    ) -> StoreResult<Vec<MissingVector>> {
        let mut reader = self
            .reader("looking for memories without vectors of words")
            .await?;
        // Before the first whole vector there is no space, and whole vectors go first anyway.
        match vectors::space(&mut reader, space).await? {
            Some(id) => {
                let of_space = (id, space.dimension);
                token_vectors::missing(&mut reader, of_space, limit, token_vectors::BYTES_MAX).await
            }
            None => Ok(Vec::new()),
        }
    }

    async fn put_token_vectors(&self, space: &EmbeddingSpace, rows: Vec<NewTokenVectors>) -> StoreResult<()> {
        const DOING: &str = "writing vectors of words";
        let mut writer = self.inner.writer.lock().await;
        // They can be made again, so a loss of power may take the last ones.
        let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
        // A space that went while they were made is not asked any more.
        let Some(id) = vectors::space(&mut transaction, space).await? else {
            return Ok(());
        };
        for row in &rows {
            token_vectors::put(&mut transaction, id, row).await?;
        }
        token_vectors::make_room(&mut transaction, token_vectors::BYTES_MAX).await?;
        transaction.commit().await.doing(DOING)
    }
}

impl SqliteStore {
    /// Reads the vectors of a space into memory, so that the first search does not wait for it. Doing it again costs
    /// nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn warm_vectors(&self, space: &EmbeddingSpace) -> StoreResult<()> {
        self.up_to_date(space).await.map(drop)
    }

    /// Bytes in memory that the vectors of a space take; 0 before they are read.
    pub async fn vector_memory(&self, space: &EmbeddingSpace) -> usize {
        let copy = self.inner.spaces.lock().await.get(&space.name()).cloned();
        copy.map_or(0, |copy| {
            let index = copy.index.read().unwrap_or_else(PoisonError::into_inner);
            index.bytes()
        })
    }

    /// Compares the candidates with the numbers of 32 bits, which are read for them alone.
    async fn compared_again(
        &self,
        space: &EmbeddingSpace,
        candidates: Vec<Candidate>,
        query: &Query,
        limit: usize,
    ) -> StoreResult<Vec<VectorHit>> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<i64> = candidates.iter().map(|candidate| candidate.blob).collect();
        let chunks = {
            let mut reader = self.reader(SEARCHING).await?;
            vectors::by_rows(&mut reader, &rows).await?
        };
        let exact: HashMap<(i64, i64), Option<Vec<f32>>> = chunks
            .into_iter()
            .map(|(row, memory, bytes)| ((row, memory), vectors::numbers(&bytes)))
            .collect();
        let (mut best, mut damaged) = (HashMap::<i64, (f32, &Candidate)>::new(), BTreeSet::new());
        for candidate in &candidates {
            // One that went away in between is left out; its row may belong to another memory by now.
            let Some(vector) = exact.get(&(candidate.blob, candidate.memory)) else {
                continue;
            };
            let usable = vector
                .as_ref()
                .filter(|vector| vector_index::is_usable(vector, space.dimension));
            let Some(vector) = usable else {
                damaged.insert(candidate.memory);
                continue;
            };
            let similarity = vector_index::cosine(vector, query.numbers());
            let known = best.entry(candidate.memory).or_insert((similarity, candidate));
            known.0 = known.0.max(similarity);
        }
        let hit = |(similarity, candidate): (f32, &Candidate)| VectorHit {
            id: candidate.id(),
            similarity,
        };
        let mut hits: Vec<VectorHit> = best.into_values().map(hit).collect();
        // Equal ones by id, so that the same question has the same answer.
        hits.sort_unstable_by(|a, b| {
            b.similarity
                .total_cmp(&a.similarity)
                .then_with(|| a.id.cmp(&b.id))
        });
        hits.truncate(limit);
        self.embed_again(space, &damaged).await?;
        Ok(hits)
    }

    /// The copy of a space, with everything in it that was committed before this call.
    async fn up_to_date(&self, space: &EmbeddingSpace) -> StoreResult<Arc<Space>> {
        let copy = {
            let mut spaces = self.inner.spaces.lock().await;
            let empty = || Space {
                place: Mutex::new(None),
                index: RwLock::new(Index::new(space.dimension)),
            };
            Arc::clone(spaces.entry(space.name()).or_insert_with(|| Arc::new(empty())))
        };
        let mut place = copy.place.lock().await;
        let mut reader = self.reader(SEARCHING).await?;
        if place.is_some() && *place == Some(vector_log::end(&mut reader).await?) {
            drop(place);
            return Ok(copy);
        }
        // One transaction, so that the vectors belong to the place in the log.
        let mut transaction = reader.begin().await.doing(SEARCHING)?;
        let since = vector_log::since(&mut transaction, *place).await?;
        let id = vectors::space(&mut transaction, space).await?;
        let mut damaged = BTreeSet::new();
        let new_place = match since {
            Since::Everything { place } => {
                let index = match id {
                    Some(id) => read_all(&mut transaction, id, space.dimension, &mut damaged).await?,
                    None => Index::new(space.dimension),
                };
                *copy.index.write().unwrap_or_else(PoisonError::into_inner) = index;
                place
            }
            Since::Rows { rows, place } => {
                let (labels, chunks) = match id {
                    Some(id) => (
                        vectors::labels_of(&mut transaction, &rows).await?,
                        vectors::of(&mut transaction, id, &rows).await?,
                    ),
                    None => (Vec::new(), Vec::new()),
                };
                let labels = by_row(labels);
                let mut index = copy.index.write().unwrap_or_else(PoisonError::into_inner);
                rows.iter().for_each(|row| index.remove(*row));
                add(&mut index, &labels, &chunks, &mut damaged);
                place
            }
        };
        transaction.rollback().await.doing(SEARCHING)?;
        drop(reader);
        *place = Some(new_place);
        drop(place);
        self.embed_again(space, &damaged).await?;
        Ok(copy)
    }

    /// Takes out what was found damaged, so that these memories count as without a vector and are embedded again.
    async fn embed_again(&self, space: &EmbeddingSpace, memories: &BTreeSet<i64>) -> StoreResult<()> {
        const DOING: &str = "taking out damaged vectors";
        if memories.is_empty() {
            return Ok(());
        }
        tracing::warn!(
            memories = memories.len(),
            "damaged vectors were found; these memories are embedded again"
        );
        let rows: Vec<i64> = memories.iter().copied().collect();
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
        if let Some(id) = vectors::space(&mut transaction, space).await? {
            vectors::remove_of(&mut transaction, id, &rows).await?;
        }
        transaction.commit().await.doing(DOING)
    }
}

/// Chunks that are read at once while an index is filled: 3 MB of numbers.
const CHUNKS_AT_ONCE: u32 = 2_000;

/// The index of everything that is kept in a space.
async fn read_all(
    connection: &mut SqliteConnection,
    space: i64,
    dimension: usize,
    damaged: &mut BTreeSet<i64>,
) -> StoreResult<Index> {
    let labels = by_row(vectors::all_labels(connection).await?);
    let mut index = Index::new(dimension);
    let mut after = i64::MIN;
    loop {
        let chunks = vectors::next_chunks(connection, space, after, CHUNKS_AT_ONCE).await?;
        let Some((last, _, _)) = chunks.last() else {
            return Ok(index);
        };
        after = *last;
        add(&mut index, &labels, &chunks, damaged);
    }
}

/// Adds chunks to an index, and the memories of those that cannot be used to `damaged`.
fn add(index: &mut Index, labels: &HashMap<i64, LabelRow>, chunks: &[ChunkRow], damaged: &mut BTreeSet<i64>) {
    for (blob, memory, bytes) in chunks {
        let Some(labels) = labels.get(memory) else {
            continue;
        };
        let labels = Labels {
            memory: *memory,
            id: &labels.id,
            owner: &labels.owner,
            status: &labels.status,
            category: &labels.category,
            pinned: labels.pinned,
            thread: labels.thread.as_deref(),
        };
        let added = vectors::numbers(bytes).is_some_and(|vector| index.add(labels, *blob, &vector));
        if !added {
            damaged.insert(*memory);
        }
    }
    // Half a memory would be found by half of what it says.
    damaged.iter().for_each(|memory| index.remove(*memory));
}

fn by_row(labels: Vec<LabelRow>) -> HashMap<i64, LabelRow> {
    labels.into_iter().map(|labels| (labels.row, labels)).collect()
}
