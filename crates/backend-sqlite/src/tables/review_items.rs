//! Table `review_items`: what waits for a person, and what was decided.

use crate::error::Doing;
use crate::words::{from_json, from_name, name_of, to_json};
use memory_model::{
    ChangeId, Decision, MemoryId, MessageId, ReviewId, ReviewItem, ReviewPage, ReviewQuery, ReviewReason,
    ReviewStatus, ThreadId, Timestamp, TurnId, UserId, Waiting,
};
use ports::{StoreError, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use std::collections::BTreeMap;

const READING: &str = "reading the review queue";
const WRITING: &str = "writing the review queue";

#[derive(sqlx::FromRow)]
struct ReviewRow {
    id: String,
    owner: String,
    waiting: String,
    source: Option<String>,
    turn_id: Option<String>,
    thread_id: Option<String>,
    message_id: Option<String>,
    created_at: i64,
    status: String,
    decision: Option<String>,
    decided_at: Option<i64>,
    change_id: Option<String>,
}

impl ReviewRow {
    fn parse(self) -> StoreResult<ReviewItem> {
        Ok(ReviewItem {
            id: ReviewId::new(self.id),
            owner: UserId::new(self.owner),
            waiting: from_json(&self.waiting)?,
            source: self.source.as_deref().map(from_json).transpose()?,
            turn_id: self.turn_id.map(TurnId::new),
            thread_id: self.thread_id.map(ThreadId::new),
            message_id: self.message_id.map(MessageId::new),
            created_at: Timestamp::from_millis(self.created_at),
            status: from_name(&self.status)?,
            decision: self.decision.as_deref().map(from_json).transpose()?,
            decided_at: self.decided_at.map(Timestamp::from_millis),
            change_id: self.change_id.map(ChangeId::new),
        })
    }
}

/// Adds an item; one with the same id stays as it is.
pub(crate) async fn add(connection: &mut SqliteConnection, item: &ReviewItem) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO review_items (id, owner, waiting, existing_id, turn_id, thread_id, message_id, created_at, \
         status, decision, decided_at, change_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(item.id.as_str())
    .bind(item.owner.as_str())
    .bind(to_json(&item.waiting)?)
    .bind(item.waiting.existing.as_ref().map(|memory| memory.id.as_str()))
    .bind(item.turn_id.as_ref().map(TurnId::as_str))
    .bind(item.thread_id.as_ref().map(ThreadId::as_str))
    .bind(item.message_id.as_ref().map(MessageId::as_str))
    .bind(item.created_at.as_millis())
    .bind(name_of(item.status))
    .bind(item.decision.as_ref().map(to_json).transpose()?)
    .bind(item.decided_at.map(Timestamp::as_millis))
    .bind(item.change_id.as_ref().map(ChangeId::as_str))
    .bind(item.source.as_ref().map(to_json).transpose()?)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// Items in one state: those that wait oldest first, those that are decided last decided first.
pub(crate) async fn list(
    connection: &mut SqliteConnection,
    owner: &UserId,
    status: ReviewStatus,
    limit: u32,
) -> StoreResult<Vec<ReviewItem>> {
    let rows: Vec<ReviewRow> = sqlx::query_as(
        "SELECT * FROM review_items WHERE owner = ? AND status = ? \
         ORDER BY decided_at DESC, created_at, rowid LIMIT ?",
    )
    .bind(owner.as_str())
    .bind(name_of(status))
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter().map(ReviewRow::parse).collect()
}

/// Items of a page when the caller does not say.
const PAGE_ITEMS: u32 = 100;

/// Items that one page may have.
const PAGE_ITEMS_MAX: u32 = 1_000;

/// The reason of an item, as SQL reads it from the JSON.
const REASON: &str = "json_extract(waiting, '$.reason')";

/// A page of the queue. The cursor is the time and the id of the last item of the page before, so that a page
/// begins at the same place also when items before it were decided in between.
pub(crate) async fn page(
    connection: &mut SqliteConnection,
    owner: &UserId,
    query: &ReviewQuery,
) -> StoreResult<ReviewPage> {
    let limit = match query.limit {
        0 => PAGE_ITEMS,
        limit => limit.min(PAGE_ITEMS_MAX),
    };
    let waits = query.status == ReviewStatus::Pending;
    let (column, order, after) = if waits {
        ("created_at", "created_at, id", " > ")
    } else {
        ("decided_at", "decided_at DESC, id DESC", " < ")
    };
    let mut sql = QueryBuilder::<Sqlite>::new("SELECT * FROM review_items WHERE owner = ");
    sql.push_bind(owner.as_str())
        .push(" AND status = ")
        .push_bind(name_of(query.status));
    if let Some(reason) = query.reason {
        sql.push(format_args!(" AND {REASON} = "))
            .push_bind(name_of(reason));
    }
    if let Some((at, id)) = query.cursor.as_deref().map(place).transpose()? {
        sql.push(format_args!(" AND ({column}, id){after}("))
            .push_bind(at)
            .push(", ")
            .push_bind(id.to_owned())
            .push(")");
    }
    sql.push(format_args!(" ORDER BY {order} LIMIT "))
        .push_bind(i64::from(limit) + 1);
    let rows: Vec<ReviewRow> = sql
        .build_query_as()
        .fetch_all(&mut *connection)
        .await
        .doing(READING)?;
    let mut items = rows
        .into_iter()
        .map(ReviewRow::parse)
        .collect::<StoreResult<Vec<_>>>()?;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|item| {
        let at = if waits {
            Some(item.created_at)
        } else {
            item.decided_at
        };
        format!("{}/{}", at.unwrap_or_default().as_millis(), item.id)
    });
    let by_reason = count_by_reason(connection, owner, query.status).await?;
    Ok(ReviewPage {
        items,
        next,
        total: by_reason.values().sum(),
        by_reason,
    })
}

async fn count_by_reason(
    connection: &mut SqliteConnection,
    owner: &UserId,
    status: ReviewStatus,
) -> StoreResult<BTreeMap<ReviewReason, u32>> {
    let sql = format!(
        "SELECT {REASON} AS reason, count(*) FROM review_items WHERE owner = ? AND status = ? GROUP BY reason"
    );
    let rows: Vec<(String, u32)> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(owner.as_str())
        .bind(name_of(status))
        .fetch_all(connection)
        .await
        .doing(READING)?;
    rows.into_iter()
        .map(|(reason, count)| Ok((from_name(&reason)?, count)))
        .collect()
}

fn place(cursor: &str) -> StoreResult<(i64, &str)> {
    cursor
        .split_once('/')
        .and_then(|(at, id)| Some((at.parse().ok()?, id)))
        .ok_or(StoreError::NotFound { what: "page" })
}

/// The memories that a change wrote, in the order in which they were made.
pub(crate) async fn written_by(
    connection: &mut SqliteConnection,
    change: &ChangeId,
) -> StoreResult<Vec<MemoryId>> {
    let ids: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT memories.id FROM memory_versions JOIN memories ON memories.row = memory_versions.memory \
         WHERE change_id = ? AND memories.status <> 'superseded' ORDER BY memories.row",
    )
    .bind(change.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    Ok(ids.into_iter().map(MemoryId::new).collect())
}

/// One item.
pub(crate) async fn one(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ReviewId,
) -> StoreResult<Option<ReviewItem>> {
    let row: Option<ReviewRow> = sqlx::query_as("SELECT * FROM review_items WHERE id = ? AND owner = ?")
        .bind(id.as_str())
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    row.map(ReviewRow::parse).transpose()
}

/// How many items wait.
pub(crate) async fn pending(connection: &mut SqliteConnection, owner: &UserId) -> StoreResult<u32> {
    sqlx::query_scalar("SELECT count(*) FROM review_items WHERE owner = ? AND status = 'pending'")
        .bind(owner.as_str())
        .fetch_one(connection)
        .await
        .doing(READING)
}

/// Decides an item (`decision` is set) or lets it wait again.
pub(crate) async fn set_decision(
    connection: &mut SqliteConnection,
    id: &ReviewId,
    decision: Option<(&Decision, Timestamp)>,
    change: Option<&ChangeId>,
) -> StoreResult<()> {
    let status = if decision.is_some() {
        ReviewStatus::Decided
    } else {
        ReviewStatus::Pending
    };
    sqlx::query(
        "UPDATE review_items SET status = ?, decision = ?, decided_at = ?, change_id = ? WHERE id = ?",
    )
    .bind(name_of(status))
    .bind(decision.map(|(decision, _)| to_json(decision)).transpose()?)
    .bind(decision.map(|(_, at)| at.as_millis()))
    .bind(change.map(ChangeId::as_str))
    .bind(id.as_str())
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// Takes a memory that is about to be erased out of the queue: decided items that led to it or that it was
/// the other side of are erased, and an item that still waits loses that side. Called while the versions
/// of the memory are still there. Returns how many items held it.
pub(crate) async fn forget(connection: &mut SqliteConnection, row: i64, id: &MemoryId) -> StoreResult<u32> {
    let decided = sqlx::query(
        "DELETE FROM review_items WHERE status = 'decided' AND (existing_id = ? OR change_id IN \
         (SELECT change_id FROM memory_versions WHERE memory = ?))",
    )
    .bind(id.as_str())
    .bind(row)
    .execute(&mut *connection)
    .await
    .doing(WRITING)?;
    let decided = u32::try_from(decided.rows_affected()).unwrap_or(u32::MAX);
    let waiting: Vec<(String, String)> =
        sqlx::query_as("SELECT id, waiting FROM review_items WHERE existing_id = ?")
            .bind(id.as_str())
            .fetch_all(&mut *connection)
            .await
            .doing(READING)?;
    let held = decided.saturating_add(u32::try_from(waiting.len()).unwrap_or(u32::MAX));
    for (item, waiting) in waiting {
        let waiting = Waiting {
            existing: None,
            ..from_json(&waiting)?
        };
        sqlx::query("UPDATE review_items SET waiting = ?, existing_id = NULL WHERE id = ?")
            .bind(to_json(&waiting)?)
            .bind(item)
            .execute(&mut *connection)
            .await
            .doing(WRITING)?;
    }
    Ok(held)
}
