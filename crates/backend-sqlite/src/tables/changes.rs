//! Table `changes`: what one Undo takes back.

use crate::error::Doing;
use crate::tables::memory_versions::Cause;
use crate::words::name_of;
use memory_model::{ChangeId, UserId};
use ports::StoreResult;
use sqlx::SqliteConnection;

/// Keeps a change that touched some memories; `undoes` is the change that it takes back.
pub(crate) async fn add(
    connection: &mut SqliteConnection,
    owner: &UserId,
    cause: &Cause,
    touched: usize,
    undoes: Option<&ChangeId>,
) -> StoreResult<()> {
    sqlx::query("INSERT INTO changes (id, owner, reason, at, touched, undoes) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(cause.change.as_str())
        .bind(owner.as_str())
        .bind(name_of(cause.reason))
        .bind(cause.at.as_millis())
        .bind(touched as i64)
        .bind(undoes.map(ChangeId::as_str))
        .execute(connection)
        .await
        .doing("writing a change")?;
    Ok(())
}

/// How many memories a change of an owner touched; `None` for an unknown change.
pub(crate) async fn touched(
    connection: &mut SqliteConnection,
    owner: &UserId,
    change: &ChangeId,
) -> StoreResult<Option<usize>> {
    let touched: Option<i64> = sqlx::query_scalar("SELECT touched FROM changes WHERE id = ? AND owner = ?")
        .bind(change.as_str())
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing("reading a change")?;
    Ok(touched.map(|touched| usize::try_from(touched).unwrap_or_default()))
}
