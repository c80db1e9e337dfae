//! Table `changes`: what one Undo takes back.

use crate::ChangeRow;
use crate::error::Doing;
use crate::tables::memory_versions::Cause;
use crate::words::{from_name, name_of};
use memory_model::{ChangeId, Timestamp, UserId};
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

/// A change as it is read: id, reason, time, count, what it undid and what undid it.
type Row = (String, String, i64, u32, Option<String>, Option<String>);

/// Changes of an owner, newest first.
pub(crate) async fn list(
    connection: &mut SqliteConnection,
    owner: &UserId,
    offset: u32,
    limit: u32,
) -> StoreResult<Vec<ChangeRow>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, reason, at, touched, undoes, \
         (SELECT id FROM changes AS later WHERE later.undoes = changes.id ORDER BY at DESC LIMIT 1) \
         FROM changes WHERE owner = ? ORDER BY at DESC, id DESC LIMIT ? OFFSET ?",
    )
    .bind(owner.as_str())
    .bind(limit)
    .bind(offset)
    .fetch_all(connection)
    .await
    .doing("reading changes")?;
    rows.into_iter()
        .map(|(id, reason, at, touched, undoes, undone_by)| {
            Ok(ChangeRow {
                id: ChangeId::new(id),
                reason: from_name(&reason)?,
                at: Timestamp::from_millis(at),
                touched,
                undoes: undoes.map(ChangeId::new),
                undone_by: undone_by.map(ChangeId::new),
            })
        })
        .collect()
}
