//! Table `vector_log`: which memories the vector indexes in memory must look at again. Triggers write it.

use crate::error::Doing;
use ports::StoreResult;
use sqlx::SqliteConnection;

const READING: &str = "reading the log of vector changes";

/// Entries that stay. An index that is further behind reads everything, which costs about as much.
const ENTRIES_KEPT: i64 = 20_000;

/// What changed since a place in the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// These memories (rows), up to the new place.
    Rows { rows: Vec<i64>, place: i64 },
    /// The log no longer reaches back so far: read everything; `place` is where the log ends.
    Everything { place: i64 },
}

/// The number of the last entry; 0 in an empty log.
pub(crate) async fn end(connection: &mut SqliteConnection) -> StoreResult<i64> {
    let end: Option<i64> = sqlx::query_scalar("SELECT max(seq) FROM vector_log")
        .fetch_one(connection)
        .await
        .doing(READING)?;
    Ok(end.unwrap_or_default())
}

/// What changed since a place; `None` as place means that nothing was read yet.
pub(crate) async fn since(connection: &mut SqliteConnection, place: Option<i64>) -> StoreResult<Since> {
    let (first, last): (Option<i64>, Option<i64>) =
        sqlx::query_as("SELECT (SELECT min(seq) FROM vector_log), max(seq) FROM vector_log")
            .fetch_one(&mut *connection)
            .await
            .doing(READING)?;
    let end = last.unwrap_or_default();
    // `end < place` happens when a backup was put in the place of the file.
    let Some(place) = place.filter(|place| end >= *place && first.unwrap_or(1) <= place + 1) else {
        return Ok(Since::Everything { place: end });
    };
    let rows = sqlx::query_scalar("SELECT DISTINCT memory FROM vector_log WHERE seq > ?")
        .bind(place)
        .fetch_all(connection)
        .await
        .doing(READING)?;
    Ok(Since::Rows { rows, place: end })
}

/// Shortens the log to its newest entries. The last one always stays, so that its number is not lost.
pub(crate) async fn prune(connection: &mut SqliteConnection) -> StoreResult<()> {
    sqlx::query("DELETE FROM vector_log WHERE seq <= (SELECT max(seq) FROM vector_log) - ?")
        .bind(ENTRIES_KEPT)
        .execute(connection)
        .await
        .doing("shortening the log of vector changes")?;
    Ok(())
}
