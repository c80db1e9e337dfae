//! [`VectorIndex`]: vectors in the file, and a copy of each space in memory that follows it.

use crate::SqliteStore;
use crate::error::{Doing, other};
use crate::index::Index;
use crate::tables::vector_log::{self, Since};
use crate::tables::vectors;
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::MemoryFilter;
use ports::{EmbeddingSpace, MissingVector, NewVectors, StoreResult, VectorHit, VectorIndex};
use sqlx::Connection;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Mutex;

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
            if vector.len() != space.dimension || vector.iter().any(|number| !number.is_finite()) {
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
        let query = normalised(query);
        // Milliseconds of arithmetic: off the threads that answer everybody else.
        let search = move || {
            let index = copy.index.read().unwrap_or_else(PoisonError::into_inner);
            index.search(&filter, &query, usize::try_from(limit).unwrap_or(usize::MAX))
        };
        tokio::task::spawn_blocking(search)
            .await
            .map_err(|error| other(SEARCHING, error))
    }
}

impl SqliteStore {
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
        let (removed, added, new_place) = match (since, id) {
            (Since::Rows { place, .. } | Since::Everything { place }, None) => (None, Vec::new(), place),
            (Since::Everything { place }, Some(id)) => {
                (None, vectors::all(&mut transaction, id).await?, place)
            }
            (Since::Rows { rows, place }, Some(id)) => {
                let added = vectors::of(&mut transaction, id, &rows).await?;
                (Some(rows), added, place)
            }
        };
        transaction.rollback().await.doing(SEARCHING)?;
        {
            let mut index = copy.index.write().unwrap_or_else(PoisonError::into_inner);
            match removed {
                Some(rows) => rows.into_iter().for_each(|row| index.remove(row)),
                None => *index = Index::new(space.dimension),
            }
            added.into_iter().for_each(|chunk| index.add(chunk));
        }
        *place = Some(new_place);
        drop(place);
        Ok(copy)
    }
}

/// A vector of length one in the same direction. Kept vectors are that long already.
fn normalised(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter().map(|number| number / length).collect()
    } else {
        vector.to_vec()
    }
}
