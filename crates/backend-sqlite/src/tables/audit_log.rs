//! Table `audit_log`: what was done.

use crate::error::Doing;
use crate::words::{from_json, to_json};
use memory_model::{Timestamp, UserId};
use ports::{AuditEntry, StoreResult};
use sqlx::SqliteConnection;

/// Adds a record.
pub(crate) async fn add(connection: &mut SqliteConnection, entry: &AuditEntry) -> StoreResult<()> {
    sqlx::query("INSERT INTO audit_log (at, owner, action, target, details) VALUES (?, ?, ?, ?, ?)")
        .bind(entry.at.as_millis())
        .bind(entry.owner.as_str())
        .bind(&entry.action)
        .bind(&entry.target)
        .bind(to_json(&entry.details)?)
        .execute(connection)
        .await
        .doing("writing the audit log")?;
    Ok(())
}

/// The last records of an owner, newest first.
pub(crate) async fn recent(
    connection: &mut SqliteConnection,
    owner: &UserId,
    limit: u32,
) -> StoreResult<Vec<AuditEntry>> {
    let rows: Vec<(i64, String, String, String)> = sqlx::query_as(
        "SELECT at, action, target, details FROM audit_log WHERE owner = ? ORDER BY seq DESC LIMIT ?",
    )
    .bind(owner.as_str())
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing("reading the audit log")?;
    rows.into_iter()
        .map(|(at, action, target, details)| {
            Ok(AuditEntry {
                at: Timestamp::from_millis(at),
                owner: owner.clone(),
                action,
                target,
                details: from_json(&details)?,
            })
        })
        .collect()
}
