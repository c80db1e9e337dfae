//! The embedding spaces that vectors are kept in: which there are, and taking out those of a model that is no longer
//! used.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::{vector_log, vectors};
use crate::writer::Durability;
use ports::{EmbeddingSpace, StoreResult};

/// Vectors taken out in one transaction: others wait for the write lock no longer than that takes.
const REMOVED_AT_ONCE: u32 = 1_000;

/// A space that vectors are kept in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSpace {
    /// Which.
    pub space: EmbeddingSpace,
    /// Active memories that have a vector in it.
    pub memories: u32,
}

impl SqliteStore {
    /// The spaces that vectors are kept in, the one with the most memories first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn vector_spaces(&self) -> StoreResult<Vec<KeptSpace>> {
        let mut reader = self.reader("looking for embedding spaces").await?;
        let rows = vectors::spaces(&mut reader).await?;
        let kept = rows.into_iter().filter_map(|(name, memories)| {
            let space = EmbeddingSpace::named(&name)?;
            Some(KeptSpace { space, memories })
        });
        Ok(kept.collect())
    }

    /// How many memories should have a vector: the active ones of every owner.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn embeddable_memories(&self) -> StoreResult<u32> {
        let mut reader = self.reader("counting memories").await?;
        vectors::count_embeddable(&mut reader).await
    }

    /// Takes out the vectors of every other space, and returns how many there were. A kill in the middle leaves the
    /// rest for the next call.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn drop_other_spaces(&self, kept: &EmbeddingSpace) -> StoreResult<u64> {
        const DOING: &str = "taking out vectors of another model";
        let mut dropped = 0;
        loop {
            let mut writer = self.inner.writer.lock().await;
            let mut transaction = writer.begin(Durability::ProcessEnd, DOING).await?;
            let some = vectors::remove_others(&mut transaction, &kept.name(), REMOVED_AT_ONCE).await?;
            if some == 0 {
                vectors::forget_empty_spaces(&mut transaction, &kept.name()).await?;
            }
            vector_log::prune(&mut transaction).await?;
            transaction.commit().await.doing(DOING)?;
            drop(writer);
            if some == 0 {
                break;
            }
            dropped += some;
        }
        let mut copies = self.inner.spaces.lock().await;
        copies.retain(|name, _| *name == kept.name());
        Ok(dropped)
    }
}
