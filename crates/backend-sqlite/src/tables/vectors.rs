//! Tables `spaces` and `vectors`: embeddings of memories, one set for each space.

use crate::error::Doing;
use crate::tables::{BINDS_MAX, memories};
use memory_model::{MemoryId, UserId};
use ports::{EmbeddingSpace, MissingVector, NewVectors, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading vectors";
const WRITING: &str = "writing vectors";

/// The fields of a memory by which a search is filtered.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct LabelRow {
    pub(crate) row: i64,
    pub(crate) id: String,
    pub(crate) owner: String,
    pub(crate) status: String,
    pub(crate) category: String,
    pub(crate) pinned: bool,
    pub(crate) thread: Option<String>,
}

/// A chunk of a memory: its own row, the row of its memory, its numbers.
pub(crate) type ChunkRow = (i64, i64, Vec<u8>);

/// The numbers of a kept vector; `None` when its bytes are not a whole number of them.
pub(crate) fn numbers(bytes: &[u8]) -> Option<Vec<f32>> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty()
        .then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// The number of a space; `None` when nothing was ever kept in it.
pub(crate) async fn space(
    connection: &mut SqliteConnection,
    space: &EmbeddingSpace,
) -> StoreResult<Option<i64>> {
    sqlx::query_scalar("SELECT id FROM spaces WHERE name = ?")
        .bind(space.name())
        .fetch_optional(connection)
        .await
        .doing(READING)
}

/// The number of a space, which is made when there is none.
pub(crate) async fn make_space(connection: &mut SqliteConnection, new: &EmbeddingSpace) -> StoreResult<i64> {
    if let Some(id) = space(connection, new).await? {
        return Ok(id);
    }
    sqlx::query_scalar("INSERT INTO spaces (name, dimension) VALUES (?, ?) RETURNING id")
        .bind(new.name())
        .bind(new.dimension as i64)
        .fetch_one(connection)
        .await
        .doing(WRITING)
}

/// Active memories of every owner without a vector in a space, oldest first.
pub(crate) async fn missing(
    connection: &mut SqliteConnection,
    space: Option<i64>,
    limit: u32,
) -> StoreResult<Vec<MissingVector>> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT id, content_hash, text FROM memories WHERE status = 'active' AND NOT EXISTS \
         (SELECT 1 FROM vectors WHERE vectors.space = ? AND vectors.memory = memories.row) ORDER BY row LIMIT ?",
    )
    .bind(space)
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    let missing = |(id, content_hash, text)| MissingVector {
        id: MemoryId::new(id),
        content_hash,
        text,
    };
    Ok(rows.into_iter().map(missing).collect())
}

/// How many active memories of an owner have no vector in a space.
pub(crate) async fn count_missing(
    connection: &mut SqliteConnection,
    owner: &UserId,
    space: Option<i64>,
) -> StoreResult<u32> {
    sqlx::query_scalar(
        "SELECT count(*) FROM memories WHERE owner = ? AND status = 'active' AND NOT EXISTS \
         (SELECT 1 FROM vectors WHERE vectors.space = ? AND vectors.memory = memories.row)",
    )
    .bind(owner.as_str())
    .bind(space)
    .fetch_one(connection)
    .await
    .doing(READING)
}

/// How many active memories of an owner have no vector in any space.
pub(crate) async fn count_without_any(connection: &mut SqliteConnection, owner: &UserId) -> StoreResult<u32> {
    sqlx::query_scalar(
        "SELECT count(*) FROM memories WHERE owner = ? AND status = 'active' AND NOT EXISTS \
         (SELECT 1 FROM vectors WHERE vectors.memory = memories.row)",
    )
    .bind(owner.as_str())
    .fetch_one(connection)
    .await
    .doing(READING)
}

/// Keeps the chunks of a memory in place of those it had, unless it says something else by now or is gone.
pub(crate) async fn put(connection: &mut SqliteConnection, space: i64, new: &NewVectors) -> StoreResult<()> {
    let row: Option<i64> = sqlx::query_scalar("SELECT row FROM memories WHERE id = ? AND content_hash = ?")
        .bind(new.id.as_str())
        .bind(&new.content_hash)
        .fetch_optional(&mut *connection)
        .await
        .doing(READING)?;
    let Some(row) = row else {
        return Ok(());
    };
    sqlx::query("DELETE FROM vectors WHERE space = ? AND memory = ?")
        .bind(space)
        .bind(row)
        .execute(&mut *connection)
        .await
        .doing(WRITING)?;
    for (chunk, vector) in new.chunks.iter().enumerate() {
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        sqlx::query(
            "INSERT INTO vectors (space, memory, chunk, content_hash, vector) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(space)
        .bind(row)
        .bind(chunk as i64)
        .bind(&new.content_hash)
        .bind(bytes)
        .execute(&mut *connection)
        .await
        .doing(WRITING)?;
    }
    Ok(())
}

/// Takes the vectors of a memory out of every space.
pub(crate) async fn remove(connection: &mut SqliteConnection, row: i64) -> StoreResult<()> {
    sqlx::query("DELETE FROM vectors WHERE memory = ?")
        .bind(row)
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// What a search may ask of each memory, read from the index that holds just these fields.
const LABELS: &str = "SELECT row, id, owner, status, category, pinned, evidence_thread AS thread FROM memories \
    INDEXED BY memories_for_search";

/// The labels of every memory.
pub(crate) async fn all_labels(connection: &mut SqliteConnection) -> StoreResult<Vec<LabelRow>> {
    sqlx::query_as(LABELS).fetch_all(connection).await.doing(READING)
}

/// The labels of some memories.
pub(crate) async fn labels_of(connection: &mut SqliteConnection, rows: &[i64]) -> StoreResult<Vec<LabelRow>> {
    let mut found = Vec::new();
    for part in rows.chunks(BINDS_MAX) {
        let mut query = QueryBuilder::<Sqlite>::new(LABELS);
        query.push(" WHERE row IN ");
        memories::push_list(&mut query, part.iter().copied());
        let part: Vec<LabelRow> = query
            .build_query_as()
            .fetch_all(&mut *connection)
            .await
            .doing(READING)?;
        found.extend(part);
    }
    Ok(found)
}

/// The next chunks of a space after a row, in the order in which they lie in the file: reading them in any other
/// order fetches each page anew.
pub(crate) async fn next_chunks(
    connection: &mut SqliteConnection,
    space: i64,
    after: i64,
    limit: u32,
) -> StoreResult<Vec<ChunkRow>> {
    // `+` keeps SQLite from going through the index of spaces, which has another order.
    sqlx::query_as(
        "SELECT rowid, memory, vector FROM vectors WHERE +space = ? AND rowid > ? ORDER BY rowid LIMIT ?",
    )
    .bind(space)
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing(READING)
}

/// The chunks of some memories in a space.
pub(crate) async fn of(
    connection: &mut SqliteConnection,
    space: i64,
    rows: &[i64],
) -> StoreResult<Vec<ChunkRow>> {
    let mut found = Vec::new();
    for part in rows.chunks(BINDS_MAX) {
        let mut query =
            QueryBuilder::<Sqlite>::new("SELECT rowid, memory, vector FROM vectors WHERE space = ");
        query.push_bind(space).push(" AND memory IN ");
        memories::push_list(&mut query, part.iter().copied());
        let part: Vec<ChunkRow> = query
            .build_query_as()
            .fetch_all(&mut *connection)
            .await
            .doing(READING)?;
        found.extend(part);
    }
    Ok(found)
}

/// Chunks by their own rows; those that are gone are left out. One statement however many they are, so that it is
/// prepared once.
pub(crate) async fn by_rows(connection: &mut SqliteConnection, rows: &[i64]) -> StoreResult<Vec<ChunkRow>> {
    let list = serde_json::to_string(rows).doing(READING)?;
    sqlx::query_as(
        "SELECT vectors.rowid, vectors.memory, vectors.vector FROM json_each(?) AS wanted \
         CROSS JOIN vectors ON vectors.rowid = wanted.value",
    )
    .bind(list)
    .fetch_all(connection)
    .await
    .doing(READING)
}

/// Takes out every chunk of some memories in a space, so that they are embedded again.
pub(crate) async fn remove_of(
    connection: &mut SqliteConnection,
    space: i64,
    memories: &[i64],
) -> StoreResult<()> {
    for memory in memories {
        sqlx::query("DELETE FROM vectors WHERE space = ? AND memory = ?")
            .bind(space)
            .bind(memory)
            .execute(&mut *connection)
            .await
            .doing(WRITING)?;
    }
    Ok(())
}

/// The names of all spaces, each with the number of active memories that have a vector in it; the most first.
pub(crate) async fn spaces(connection: &mut SqliteConnection) -> StoreResult<Vec<(String, u32)>> {
    sqlx::query_as(
        "SELECT spaces.name, (SELECT count(DISTINCT vectors.memory) FROM vectors JOIN memories \
         ON memories.row = vectors.memory WHERE vectors.space = spaces.id AND memories.status = 'active') AS kept \
         FROM spaces ORDER BY kept DESC, spaces.id",
    )
    .fetch_all(connection)
    .await
    .doing(READING)
}

/// How many memories should have a vector.
pub(crate) async fn count_embeddable(connection: &mut SqliteConnection) -> StoreResult<u32> {
    sqlx::query_scalar("SELECT count(*) FROM memories WHERE status = 'active'")
        .fetch_one(connection)
        .await
        .doing(READING)
}

/// Takes out at most `limit` chunks of every space but one, and returns how many these were.
pub(crate) async fn remove_others(
    connection: &mut SqliteConnection,
    kept: &str,
    limit: u32,
) -> StoreResult<u64> {
    let done = sqlx::query(
        "DELETE FROM vectors WHERE rowid IN (SELECT vectors.rowid FROM spaces \
         JOIN vectors ON vectors.space = spaces.id WHERE spaces.name <> ? LIMIT ?)",
    )
    .bind(kept)
    .bind(limit)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(done.rows_affected())
}

/// Forgets the names of spaces without a vector, but one.
pub(crate) async fn forget_empty_spaces(connection: &mut SqliteConnection, kept: &str) -> StoreResult<()> {
    sqlx::query(
        "DELETE FROM spaces WHERE name <> ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.space = spaces.id)",
    )
    .bind(kept)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}
