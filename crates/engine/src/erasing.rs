//! Erasing one memory at once and for good, with a receipt of what was removed where.

use crate::open::not_found;
use crate::{Engine, EngineResult, Tag};
use memory_model::{MemoryId, Timestamp};
use ports::{AuditEntry, AuditLog, MemoryBackend};
use serde::{Deserialize, Serialize};

/// A place that holds copies of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ErasedPlace {
    /// The memory itself.
    Memory,
    /// Its earlier versions.
    Versions,
    /// The keyword index.
    KeywordIndex,
    /// The vectors, in every space.
    Vectors,
    /// Checkpoints and results of turns that recalled, wrote or quoted it.
    Checkpoints,
    /// Items of the review queue that led to it or name it.
    ReviewItems,
    /// Messages of conversations that hold its words.
    Messages,
    /// Automatic backups.
    Backups,
}

/// How many copies a place held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ErasedCount {
    /// Where.
    pub place: ErasedPlace,
    /// How many.
    pub count: u32,
}

/// What was removed where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EraseReceipt {
    /// Which memory.
    pub memory_id: MemoryId,
    /// When.
    pub at: Timestamp,
    /// Whether it was done; `false` for a preview.
    pub done: bool,
    /// What was removed, place by place, empty places among them.
    pub removed: Vec<ErasedCount>,
    /// What stays because nobody asked for it to go: the messages themselves.
    pub remains: Vec<ErasedCount>,
}

impl Engine {
    /// Erases a memory at once: rows, versions, indexes, vectors, its words in checkpoints, automatic backups. It
    /// cannot be taken back. `words` blackens its words in the conversations too. Without `done` nothing happens
    /// and the receipt says what would.
    ///
    /// # Errors
    /// `NotFound` for an unknown or erased memory.
    pub async fn erase_memory(&self, id: &MemoryId, words: bool, done: bool) -> EngineResult<EraseReceipt> {
        let owner = self.user();
        let store = &self.inner.store;
        if store.get(&owner, id).await?.is_none() {
            return Err(not_found("memory"));
        }
        let at = self.inner.clock.now();
        let counts = store.erase(&owner, id, words, done).await?;
        let backups = match done {
            true => store.remove_backups().await?,
            false => u32::try_from(store.backups().await?.len()).unwrap_or(u32::MAX),
        };
        let place = |place, count| ErasedCount { place, count };
        let messages = place(ErasedPlace::Messages, counts.messages);
        let mut removed = vec![
            place(ErasedPlace::Memory, 1),
            place(ErasedPlace::Versions, counts.versions),
            place(ErasedPlace::KeywordIndex, counts.keyword_index),
            place(ErasedPlace::Vectors, counts.vectors),
            place(ErasedPlace::Checkpoints, counts.checkpoints),
            place(ErasedPlace::ReviewItems, counts.review_items),
            place(ErasedPlace::Backups, backups),
        ];
        let mut remains = Vec::new();
        match words {
            true => removed.push(messages),
            false => remains.push(messages),
        }
        let receipt = EraseReceipt {
            memory_id: id.clone(),
            at,
            done,
            removed,
            remains,
        };
        if done {
            let entry = AuditEntry {
                at,
                owner,
                action: "memory.erased".to_owned(),
                target: id.to_string(),
                details: serde_json::json!({ "removed": receipt.removed, "remains": receipt.remains }),
            };
            store.record(entry).await?;
            self.changed(&[
                Tag::Memories,
                Tag::Messages,
                Tag::Threads,
                Tag::Review,
                Tag::Health,
            ]);
        }
        Ok(receipt)
    }
}
