//! Tables `spaces` and `vectors`: embeddings of memories, one set for each space.

use crate::error::Doing;
use crate::tables::{BINDS_MAX, memories};
use memory_model::{MemoryId, UserId};
use ports::{EmbeddingSpace, MissingVector, NewVectors, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading vectors";
const WRITING: &str = "writing vectors";

/// A chunk with the fields of its memory by which a search is filtered.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct ChunkRow {
    pub(crate) row: i64,
    pub(crate) id: String,
    pub(crate) owner: String,
    pub(crate) status: String,
    pub(crate) category: String,
    pub(crate) pinned: bool,
    pub(crate) thread: Option<String>,
    pub(crate) vector: Vec<u8>,
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

/// Every chunk of a space, those of one memory after one another.
pub(crate) async fn all(connection: &mut SqliteConnection, space: i64) -> StoreResult<Vec<ChunkRow>> {
    let mut query = select(space);
    query.push(" ORDER BY vectors.memory, vectors.chunk");
    query.build_query_as().fetch_all(connection).await.doing(READING)
}

/// The chunks of some memories in a space.
pub(crate) async fn of(
    connection: &mut SqliteConnection,
    space: i64,
    rows: &[i64],
) -> StoreResult<Vec<ChunkRow>> {
    let mut found = Vec::new();
    for part in rows.chunks(BINDS_MAX) {
        let mut query = select(space);
        query.push(" AND vectors.memory IN ");
        memories::push_list(&mut query, part.iter().copied());
        query.push(" ORDER BY vectors.memory, vectors.chunk");
        found.extend(
            query
                .build_query_as::<ChunkRow>()
                .fetch_all(&mut *connection)
                .await
                .doing(READING)?,
        );
    }
    Ok(found)
}

fn select(space: i64) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "SELECT memories.row, memories.id, memories.owner, memories.status, memories.category, memories.pinned, \
         memories.evidence_thread AS thread, vectors.vector FROM vectors \
         JOIN memories ON memories.row = vectors.memory WHERE vectors.space = ",
    );
    query.push_bind(space);
    query
}
