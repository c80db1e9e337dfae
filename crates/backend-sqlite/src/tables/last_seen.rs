//! Table `last_seen`: when each owner last looked at what is new.

use crate::error::Doing;
use memory_model::{Timestamp, UserId};
use ports::StoreResult;
use sqlx::SqliteConnection;

/// When an owner last looked.
pub(crate) async fn get(connection: &mut SqliteConnection, owner: &UserId) -> StoreResult<Option<Timestamp>> {
    let at: Option<i64> = sqlx::query_scalar("SELECT at FROM last_seen WHERE owner = ?")
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing("reading when somebody last looked")?;
    Ok(at.map(Timestamp::from_millis))
}

/// Keeps when an owner looked; the mark never goes back.
pub(crate) async fn put(connection: &mut SqliteConnection, owner: &UserId, at: Timestamp) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO last_seen (owner, at) VALUES (?, ?) \
         ON CONFLICT (owner) DO UPDATE SET at = max(at, excluded.at)",
    )
    .bind(owner.as_str())
    .bind(at.as_millis())
    .execute(connection)
    .await
    .doing("keeping when somebody last looked")?;
    Ok(())
}
