//! Erasing memories for good: rows, versions, both indexes, and the words of a memory wherever a turn kept them.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::{memories, memories_fts, messages, review_items, turns};
use crate::writer::Durability;
use memory_model::{Memory, MemoryId, UserId};
use ports::{StoreError, StoreResult};
use sqlx::SqliteConnection;

const DOING: &str = "erasing a memory";

/// Characters of a text that is looked for in checkpoints; shorter ones stand in too many other words.
const WORDS_CHARS_MIN: usize = 3;

/// How many copies of a memory each place held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Versions in the history.
    pub versions: u32,
    /// Rows of the keyword index.
    pub keyword_index: u32,
    /// Vectors, in every space; those of its word pieces count as one.
    pub vectors: u32,
    /// Turns whose checkpoint or result held it.
    pub checkpoints: u32,
    /// Items of the review queue.
    pub review_items: u32,
    /// Messages that hold its words.
    pub messages: u32,
}

impl SqliteStore {
    /// Erases one memory of an owner, in any state. With `words` the messages that hold its words are blackened,
    /// otherwise they are counted. Without `done` everything is counted and nothing happens.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory.
    pub async fn erase(&self, owner: &UserId, id: &MemoryId, words: bool, done: bool) -> StoreResult<Erased> {
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        let found = memories::by_id(&mut transaction, owner, id).await?;
        let found = found.ok_or(StoreError::NotFound { what: "memory" })?;
        let secret = words_of(&found.memory);
        let said = match words && done {
            true => messages::blacken(&mut transaction, owner, &secret).await?,
            false => messages::count_holding(&mut transaction, owner, &secret).await?,
        };
        let mut erased = erase_rows(&mut transaction, &[(found.row, found.memory)]).await?;
        erased.messages = said;
        if !done {
            transaction.rollback().await.doing(DOING)?;
            return Ok(erased);
        }
        memories_fts::forget_removed(&mut transaction).await?;
        transaction.commit().await.doing(DOING)?;
        writer.empty_log(DOING).await?;
        Ok(erased)
    }
}

/// Erases memories inside a transaction that holds the write lock. The keyword index still has to be rewritten
/// (`memories_fts::forget_removed`) and the log to be emptied.
pub(crate) async fn erase_rows(
    connection: &mut SqliteConnection,
    rows: &[(i64, Memory)],
) -> StoreResult<Erased> {
    let ids: Vec<MemoryId> = rows.iter().map(|(_, memory)| memory.id.clone()).collect();
    let secrets: Vec<String> = rows.iter().flat_map(|(_, memory)| words_of(memory)).collect();
    let mut erased = Erased {
        checkpoints: turns::forget(connection, &ids, &secrets).await?,
        ..Erased::default()
    };
    for (row, memory) in rows {
        erased.versions += count(
            connection,
            "SELECT count(*) FROM memory_versions WHERE memory = ?",
            *row,
        )
        .await?;
        for of_memory in [
            "SELECT count(*) FROM vectors WHERE memory = ?",
            "SELECT count(*) FROM token_vectors WHERE memory = ?",
        ] {
            erased.vectors += count(connection, of_memory, *row).await?;
        }
        erased.review_items += review_items::forget(connection, *row, &memory.id).await?;
        memories_fts::remove(connection, *row).await?;
        erased.keyword_index += 1;
        memories::erase(connection, *row).await?;
    }
    Ok(erased)
}

async fn count(connection: &mut SqliteConnection, sql: &'static str, row: i64) -> StoreResult<u32> {
    sqlx::query_scalar(sql)
        .bind(row)
        .fetch_one(connection)
        .await
        .doing(DOING)
}

/// The words that must not stay behind: what the memory says and what was said, longest first.
fn words_of(memory: &Memory) -> Vec<String> {
    let quote = memory.evidence.as_ref().map(|evidence| evidence.quote.clone());
    let mut words: Vec<String> = quote.into_iter().chain([memory.text.clone()]).collect();
    words.retain(|words| words.chars().count() >= WORDS_CHARS_MIN);
    words.sort_by_key(|words| std::cmp::Reverse(words.len()));
    words.dedup();
    words
}
