//! Table `token_vectors`: the word pieces of memories, for the finest ranking. They can be made again at any time, so
//! there is a limit to what they take, and the memory that was recalled longest ago makes room first.

use crate::error::Doing;
use crate::tables::{BINDS_MAX, memories};
use memory_model::{MemoryId, UserId};
use ports::{MissingVector, NewTokenVectors, StoreResult, TokenMatrix};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading vectors of words";
const WRITING: &str = "writing vectors of words";

/// Bytes that they take in all spaces: about 6 000 memories of 30 word pieces.
pub(crate) const BYTES_MAX: i64 = 64 * 1024 * 1024;

/// The word pieces of those memories that have them and still say the same.
pub(crate) async fn of(
    connection: &mut SqliteConnection,
    owner: &UserId,
    (space, dimension): (i64, usize),
    ids: &[MemoryId],
) -> StoreResult<Vec<(MemoryId, TokenMatrix)>> {
    let mut found = Vec::new();
    for part in ids.chunks(BINDS_MAX) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT memories.id, token_vectors.vectors FROM memories CROSS JOIN token_vectors \
             ON token_vectors.memory = memories.row AND token_vectors.content_hash = memories.content_hash \
             WHERE token_vectors.space = ",
        );
        query
            .push_bind(space)
            .push(" AND memories.owner = ")
            .push_bind(owner.as_str());
        query.push(" AND memories.id IN ");
        memories::push_list(&mut query, part.iter().map(MemoryId::as_str));
        let rows: Vec<(String, Vec<u8>)> = query
            .build_query_as()
            .fetch_all(&mut *connection)
            .await
            .doing(READING)?;
        // A row that is not whole is as good as none.
        let whole = |(id, bytes): (String, Vec<u8>)| {
            Some((MemoryId::new(id), TokenMatrix::from_bytes(dimension, &bytes)?))
        };
        found.extend(rows.into_iter().filter_map(whole));
    }
    Ok(found)
}

/// Active memories without word pieces, or with damaged ones, the newest first. When the space is full only those count that are newer
/// than everything in it: making room for an older one would push another out that is asked for next.
pub(crate) async fn missing(
    connection: &mut SqliteConnection,
    (space, dimension): (i64, usize),
    limit: u32,
    bytes_max: i64,
) -> StoreResult<Vec<MissingVector>> {
    let newest = if bytes(connection).await? < bytes_max {
        0
    } else {
        sqlx::query_scalar("SELECT coalesce(max(memory), 0) FROM token_vectors WHERE space = ?")
            .bind(space)
            .fetch_one(&mut *connection)
            .await
            .doing(READING)?
    };
    let newest: i64 = newest;
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT id, content_hash, text FROM memories WHERE status = 'active' AND row > ? AND NOT EXISTS \
         (SELECT 1 FROM token_vectors WHERE token_vectors.space = ? AND token_vectors.memory = memories.row \
         AND token_vectors.content_hash = memories.content_hash AND length(vectors) % ? = 0) \
         ORDER BY row DESC LIMIT ?",
    )
    .bind(newest)
    .bind(space)
    .bind(i64::try_from(TokenMatrix::row_bytes(dimension)).unwrap_or(i64::MAX))
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

/// Keeps the word pieces of a memory, unless it says something else by now or is gone.
pub(crate) async fn put(
    connection: &mut SqliteConnection,
    space: i64,
    new: &NewTokenVectors,
) -> StoreResult<()> {
    sqlx::query(
        "INSERT OR REPLACE INTO token_vectors (space, memory, content_hash, used, vectors) \
         SELECT ?, row, content_hash, (SELECT coalesce(max(used), 0) + 1 FROM token_vectors), ? \
         FROM memories WHERE id = ? AND content_hash = ?",
    )
    .bind(space)
    .bind(new.tokens.to_bytes())
    .bind(new.id.as_str())
    .bind(&new.content_hash)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// Memories were recalled, so their word pieces stay longer.
pub(crate) async fn used(connection: &mut SqliteConnection, ids: &[MemoryId]) -> StoreResult<()> {
    for part in ids.chunks(BINDS_MAX) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "UPDATE token_vectors SET used = (SELECT coalesce(max(used), 0) + 1 FROM token_vectors) \
             WHERE memory IN (SELECT row FROM memories WHERE id IN ",
        );
        memories::push_list(&mut query, part.iter().map(MemoryId::as_str));
        query.push(")");
        query.build().execute(&mut *connection).await.doing(WRITING)?;
    }
    Ok(())
}

/// Takes out what was used longest ago until the rest is small enough.
pub(crate) async fn make_room(connection: &mut SqliteConnection, bytes_max: i64) -> StoreResult<()> {
    let mut over = bytes(connection).await? - bytes_max;
    while over > 0 {
        let oldest: Option<(i64, i64, i64)> = sqlx::query_as(
            "SELECT space, memory, length(vectors) FROM token_vectors ORDER BY used, memory LIMIT 1",
        )
        .fetch_optional(&mut *connection)
        .await
        .doing(WRITING)?;
        let Some((space, memory, length)) = oldest else {
            break;
        };
        sqlx::query("DELETE FROM token_vectors WHERE space = ? AND memory = ?")
            .bind(space)
            .bind(memory)
            .execute(&mut *connection)
            .await
            .doing(WRITING)?;
        over -= length;
    }
    Ok(())
}

async fn bytes(connection: &mut SqliteConnection) -> StoreResult<i64> {
    sqlx::query_scalar("SELECT coalesce(sum(length(vectors)), 0) FROM token_vectors")
        .fetch_one(connection)
        .await
        .doing(READING)
}
