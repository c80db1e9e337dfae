//! Table `threads`: conversations.

use crate::error::Doing;
use crate::words::{from_name, name_of};
use memory_model::{CaptureMode, MessageId, Thread, ThreadId, Timestamp, UserId, cut_chars};
use ports::{StoreError, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading conversations";
const WRITING: &str = "writing conversations";

/// Characters of the last message that a list shows: two lines of it.
const SNIPPET_CHARS_MAX: usize = 160;

/// Characters of a title made of the first message: one line of the list.
const TITLE_CHARS_MAX: usize = 60;

/// The list of columns; the last message and the count of waiting items are read with them.
const SELECT: &str = "SELECT id, title, created_at, updated_at, archived, temporary, capture, recall, \
    (SELECT substr(text, 1, 400) FROM messages WHERE thread_id = threads.id ORDER BY seq DESC LIMIT 1) AS last, \
    (SELECT count(*) FROM review_items WHERE thread_id = threads.id AND status = 'pending') AS waiting \
    FROM threads WHERE deleted_at IS NULL AND owner = ";

#[derive(sqlx::FromRow)]
struct ThreadRow {
    id: String,
    title: String,
    created_at: i64,
    updated_at: i64,
    archived: bool,
    temporary: bool,
    capture: Option<String>,
    recall: Option<bool>,
    last: Option<String>,
    waiting: u32,
}

impl From<ThreadRow> for Thread {
    fn from(row: ThreadRow) -> Self {
        Self {
            id: ThreadId::new(row.id),
            title: row.title,
            snippet: one_line(&row.last.unwrap_or_default(), SNIPPET_CHARS_MAX),
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
            archived: row.archived,
            temporary: row.temporary,
            // A word of a newer app keeps nobody from the conversation; the settings apply.
            capture: row.capture.as_deref().and_then(|word| from_name(word).ok()),
            recall: row.recall,
            waiting: row.waiting,
        }
    }
}

/// Makes a thread. `Conflict` when the id is taken.
pub(crate) async fn create(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &Thread,
) -> StoreResult<()> {
    let done = sqlx::query(
        "INSERT INTO threads (id, owner, title, created_at, updated_at, archived, temporary, capture, recall) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    )
    .bind(thread.id.as_str())
    .bind(owner.as_str())
    .bind(&thread.title)
    .bind(thread.created_at.as_millis())
    .bind(thread.updated_at.as_millis())
    .bind(thread.archived)
    .bind(thread.temporary)
    .bind(thread.capture.map(name_of))
    .bind(thread.recall)
    .execute(connection)
    .await
    .doing(WRITING)?;
    if done.rows_affected() == 0 {
        Err(StoreError::Conflict { what: "thread" })
    } else {
        Ok(())
    }
}

/// Makes a thread where there is none, and refuses one of another owner.
pub(crate) async fn ensure(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    at: Timestamp,
) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO threads (id, owner, title, created_at, updated_at) VALUES (?, ?, '', ?, ?) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(id.as_str())
    .bind(owner.as_str())
    .bind(at.as_millis())
    .bind(at.as_millis())
    .execute(&mut *connection)
    .await
    .doing(WRITING)?;
    let mine: Option<i64> = sqlx::query_scalar("SELECT 1 FROM threads WHERE id = ? AND owner = ?")
        .bind(id.as_str())
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    mine.map(|_| ()).ok_or(StoreError::NotFound { what: "thread" })
}

/// Something was said: the thread moves to the top, and gets a title from the user's first words.
pub(crate) async fn said(
    connection: &mut SqliteConnection,
    id: &ThreadId,
    at: Timestamp,
    title: Option<&str>,
) -> StoreResult<()> {
    sqlx::query(
        "UPDATE threads SET updated_at = max(updated_at, ?), title = CASE WHEN title = '' THEN ? ELSE title END \
         WHERE id = ?",
    )
    .bind(at.as_millis())
    .bind(title.map(|text| one_line(text, TITLE_CHARS_MAX)).unwrap_or_default())
    .bind(id.as_str())
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// One thread that is not deleted.
pub(crate) async fn one(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
) -> StoreResult<Option<Thread>> {
    let mut query = QueryBuilder::<Sqlite>::new(SELECT);
    query
        .push_bind(owner.as_str())
        .push(" AND id = ")
        .push_bind(id.as_str());
    let row: Option<ThreadRow> = query
        .build_query_as()
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    Ok(row.map(Thread::from))
}

/// Threads that are not deleted, last used first.
pub(crate) async fn list(
    connection: &mut SqliteConnection,
    owner: &UserId,
    archived: bool,
    search: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<Thread>> {
    let mut query = QueryBuilder::<Sqlite>::new(SELECT);
    query
        .push_bind(owner.as_str())
        .push(" AND archived = ")
        .push_bind(archived);
    if let Some(words) = search.map(str::trim).filter(|words| !words.is_empty()) {
        let pattern = like_pattern(words);
        query
            .push(" AND temporary = 0 AND (title LIKE ")
            .push_bind(pattern.clone())
            .push(" ESCAPE '\\'");
        query.push(" OR EXISTS (SELECT 1 FROM messages WHERE thread_id = threads.id AND text LIKE ");
        query.push_bind(pattern).push(" ESCAPE '\\'))");
    }
    query
        .push(" ORDER BY updated_at DESC, id DESC LIMIT ")
        .push_bind(limit);
    let rows: Vec<ThreadRow> = query
        .build_query_as()
        .fetch_all(connection)
        .await
        .doing(READING)?;
    Ok(rows.into_iter().map(Thread::from).collect())
}

/// Gives a thread a title.
pub(crate) async fn rename(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    title: &str,
) -> StoreResult<()> {
    let query = sqlx::query("UPDATE threads SET title = ? WHERE id = ? AND owner = ?").bind(title);
    one_thread(
        query
            .bind(id.as_str())
            .bind(owner.as_str())
            .execute(connection)
            .await
            .doing(WRITING)?,
    )
}

/// Sets what a thread captures and recalls; `None` follows the settings.
pub(crate) async fn set_mode(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    capture: Option<CaptureMode>,
    recall: Option<bool>,
) -> StoreResult<()> {
    let query = sqlx::query("UPDATE threads SET capture = ?, recall = ? WHERE id = ? AND owner = ?")
        .bind(capture.map(name_of))
        .bind(recall);
    one_thread(
        query
            .bind(id.as_str())
            .bind(owner.as_str())
            .execute(connection)
            .await
            .doing(WRITING)?,
    )
}

/// Ranges of sequence numbers of a thread from which another program has written memories itself.
pub(crate) async fn written_ranges(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
) -> StoreResult<Vec<(i64, i64)>> {
    sqlx::query_as(
        "SELECT first_seq, last_seq FROM written_ranges JOIN threads ON threads.id = written_ranges.thread_id \
         WHERE threads.id = ? AND threads.owner = ? ORDER BY first_seq, last_seq",
    )
    .bind(id.as_str())
    .bind(owner.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)
}

/// Keeps a range of messages from which another program has written; it spans from the first to the last of the
/// named messages.
pub(crate) async fn add_written_range(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    (first, last): (&MessageId, &MessageId),
) -> StoreResult<()> {
    let done = sqlx::query(
        "INSERT INTO written_ranges (thread_id, first_seq, last_seq) \
         SELECT threads.id, min(messages.seq), max(messages.seq) FROM threads \
         JOIN messages ON messages.thread_id = threads.id \
         WHERE threads.id = ? AND threads.owner = ? AND messages.id IN (?, ?) GROUP BY threads.id \
         ON CONFLICT DO NOTHING",
    )
    .bind(id.as_str())
    .bind(owner.as_str())
    .bind(first.as_str())
    .bind(last.as_str())
    .execute(&mut *connection)
    .await
    .doing(WRITING)?;
    if done.rows_affected() == 0 && written_ranges(connection, owner, id).await?.is_empty() {
        return Err(StoreError::NotFound { what: "message" });
    }
    Ok(())
}

/// Puts a thread away or takes it out again.
pub(crate) async fn archive(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    archived: bool,
) -> StoreResult<()> {
    let query = sqlx::query("UPDATE threads SET archived = ? WHERE id = ? AND owner = ?").bind(archived);
    one_thread(
        query
            .bind(id.as_str())
            .bind(owner.as_str())
            .execute(connection)
            .await
            .doing(WRITING)?,
    )
}

/// Hides a thread (`deleted_at` is a time) or brings it back.
pub(crate) async fn delete(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    deleted_at: Option<Timestamp>,
) -> StoreResult<()> {
    let query = sqlx::query("UPDATE threads SET deleted_at = ? WHERE id = ? AND owner = ?")
        .bind(deleted_at.map(Timestamp::as_millis));
    one_thread(
        query
            .bind(id.as_str())
            .bind(owner.as_str())
            .execute(connection)
            .await
            .doing(WRITING)?,
    )
}

/// Erases threads that were deleted before a time, with messages, turns and the review items that were
/// decided. Items that wait stay: they are a person's to decide.
pub(crate) async fn purge(connection: &mut SqliteConnection, before: Timestamp) -> StoreResult<u32> {
    sqlx::query(
        "DELETE FROM review_items WHERE status = 'decided' \
         AND thread_id IN (SELECT id FROM threads WHERE deleted_at < ?)",
    )
    .bind(before.as_millis())
    .execute(&mut *connection)
    .await
    .doing(WRITING)?;
    let done = sqlx::query("DELETE FROM threads WHERE deleted_at < ?")
        .bind(before.as_millis())
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(u32::try_from(done.rows_affected()).unwrap_or(u32::MAX))
}

/// The sequence number of the last message that extraction has processed; 0 for an unknown thread.
pub(crate) async fn cursor(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
) -> StoreResult<i64> {
    let cursor = sqlx::query_scalar("SELECT extraction_cursor FROM threads WHERE id = ? AND owner = ?")
        .bind(id.as_str())
        .bind(owner.as_str())
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    Ok(cursor.unwrap_or_default())
}

/// Moves the extraction cursor forward; it never goes back.
pub(crate) async fn move_cursor(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    cursor: i64,
) -> StoreResult<()> {
    sqlx::query(
        "UPDATE threads SET extraction_cursor = ? WHERE id = ? AND owner = ? AND extraction_cursor < ?",
    )
    .bind(cursor)
    .bind(id.as_str())
    .bind(owner.as_str())
    .bind(cursor)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(())
}

/// [`move_cursor`] for a caller that knows the thread and not its owner.
pub(crate) async fn move_cursor_of(
    connection: &mut SqliteConnection,
    id: &ThreadId,
    cursor: i64,
) -> StoreResult<()> {
    sqlx::query("UPDATE threads SET extraction_cursor = ? WHERE id = ? AND extraction_cursor < ?")
        .bind(cursor)
        .bind(id.as_str())
        .bind(cursor)
        .execute(connection)
        .await
        .doing(WRITING)?;
    Ok(())
}

/// The summary of a thread and the message up to which it reaches.
pub(crate) async fn summary(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
) -> StoreResult<Option<(String, i64)>> {
    sqlx::query_as(
        "SELECT summary, summary_up_to FROM threads WHERE id = ? AND owner = ? AND summary IS NOT NULL",
    )
    .bind(id.as_str())
    .bind(owner.as_str())
    .fetch_optional(connection)
    .await
    .doing(READING)
}

/// Keeps a summary.
pub(crate) async fn save_summary(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &ThreadId,
    summary: &str,
    up_to: i64,
) -> StoreResult<()> {
    let query = sqlx::query("UPDATE threads SET summary = ?, summary_up_to = ? WHERE id = ? AND owner = ?")
        .bind(summary)
        .bind(up_to);
    one_thread(
        query
            .bind(id.as_str())
            .bind(owner.as_str())
            .execute(connection)
            .await
            .doing(WRITING)?,
    )
}

fn one_thread(done: sqlx::sqlite::SqliteQueryResult) -> StoreResult<()> {
    if done.rows_affected() == 0 {
        Err(StoreError::NotFound { what: "thread" })
    } else {
        Ok(())
    }
}

/// `%words%` with the signs of LIKE taken as they are. NUL would end the pattern, so it is left out.
fn like_pattern(words: &str) -> String {
    let mut pattern = String::from("%");
    for sign in words.chars().filter(|sign| *sign != '\0') {
        if matches!(sign, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(sign);
    }
    pattern.push('%');
    pattern
}

/// A text on one line, cut to a number of characters with a sign that it was cut.
fn one_line(text: &str, chars_max: usize) -> String {
    // Four bytes are the longest character; more of the text than this cannot be shown.
    let words: Vec<&str> = cut_chars(text, chars_max * 4)
        .split(|sign: char| sign.is_whitespace() || sign.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    let cut = cut_chars(&line, chars_max);
    if cut.len() == line.len() {
        line
    } else {
        format!("{}…", cut.trim_end())
    }
}
