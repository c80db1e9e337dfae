//! Table `settings`: raw values under their names.

use crate::error::Doing;
use crate::words::to_json;
use ports::StoreResult;
use serde_json::Value;
use sqlx::SqliteConnection;

/// Everything that is stored, by name; a value that is not JSON comes as a JSON string.
pub(crate) async fn all(connection: &mut SqliteConnection) -> StoreResult<Vec<(String, Value)>> {
    let rows: Vec<(String, String)> = sqlx::query_as("SELECT name, value FROM settings ORDER BY name")
        .fetch_all(connection)
        .await
        .doing("reading settings")?;
    let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(rows.into_iter().map(|(name, text)| (name, value(text))).collect())
}

/// Stores one value; `None` removes it.
pub(crate) async fn save(
    connection: &mut SqliteConnection,
    name: &str,
    value: Option<&Value>,
) -> StoreResult<()> {
    let query = match value {
        Some(value) => sqlx::query(
            "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name)
        .bind(to_json(value)?),
        None => sqlx::query("DELETE FROM settings WHERE name = ?").bind(name),
    };
    query.execute(connection).await.doing("writing a setting")?;
    Ok(())
}
