//! Table `messages`: what was said.

use crate::error::Doing;
use crate::tables::turns::black;
use crate::words::{from_json, from_name, name_of, to_json};
use memory_model::{AnsweredBy, Message, MessageId, MessageState, ThreadId, Timestamp, TurnId, UserId};
use ports::{NewMessage, StoreError, StoreResult};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

const READING: &str = "reading messages";
const WRITING: &str = "writing messages";

#[derive(sqlx::FromRow)]
struct MessageRow {
    seq: i64,
    id: String,
    thread_id: String,
    role: String,
    text: String,
    created_at: i64,
    state: String,
    answered_by: Option<String>,
    turn_id: Option<String>,
}

impl MessageRow {
    fn parse(self) -> StoreResult<Message> {
        Ok(Message {
            id: MessageId::new(self.id),
            thread_id: ThreadId::new(self.thread_id),
            seq: self.seq,
            role: from_name(&self.role)?,
            text: self.text,
            created_at: Timestamp::from_millis(self.created_at),
            state: from_name(&self.state)?,
            answered_by: self.answered_by.as_deref().map(from_json).transpose()?,
            turn_id: self.turn_id.map(TurnId::new),
        })
    }
}

/// A message by its id, of any owner.
pub(crate) async fn by_id(connection: &mut SqliteConnection, id: &MessageId) -> StoreResult<Option<Message>> {
    let row: Option<MessageRow> = sqlx::query_as("SELECT * FROM messages WHERE id = ?")
        .bind(id.as_str())
        .fetch_optional(connection)
        .await
        .doing(READING)?;
    row.map(MessageRow::parse).transpose()
}

/// Adds a message to a thread that exists.
pub(crate) async fn append(connection: &mut SqliteConnection, new: NewMessage) -> StoreResult<Message> {
    let seq = sqlx::query_scalar(
        "INSERT INTO messages (id, thread_id, role, text, created_at, state, turn_id) \
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING seq",
    )
    .bind(new.id.as_str())
    .bind(new.thread_id.as_str())
    .bind(name_of(new.role))
    .bind(&new.text)
    .bind(new.at.as_millis())
    .bind(name_of(new.state))
    .bind(new.turn_id.as_ref().map(TurnId::as_str))
    .fetch_one(connection)
    .await
    .doing(WRITING)?;
    Ok(Message {
        id: new.id,
        thread_id: new.thread_id,
        seq,
        role: new.role,
        text: new.text,
        created_at: new.at,
        state: new.state,
        answered_by: None,
        turn_id: new.turn_id,
    })
}

/// Replaces text, state and author of a message; an author that is not named stays.
pub(crate) async fn update(
    connection: &mut SqliteConnection,
    id: &MessageId,
    text: &str,
    state: MessageState,
    answered_by: Option<&AnsweredBy>,
) -> StoreResult<()> {
    let done = sqlx::query(
        "UPDATE messages SET text = ?, state = ?, answered_by = coalesce(?, answered_by) WHERE id = ?",
    )
    .bind(text)
    .bind(name_of(state))
    .bind(answered_by.map(to_json).transpose()?)
    .bind(id.as_str())
    .execute(connection)
    .await
    .doing(WRITING)?;
    if done.rows_affected() == 0 {
        Err(StoreError::NotFound { what: "message" })
    } else {
        Ok(())
    }
}

/// The last messages of a thread, oldest first.
pub(crate) async fn last(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &ThreadId,
    limit: u32,
) -> StoreResult<Vec<Message>> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT messages.* FROM messages JOIN threads ON threads.id = messages.thread_id \
         WHERE threads.id = ? AND threads.owner = ? ORDER BY seq DESC LIMIT ?",
    )
    .bind(thread.as_str())
    .bind(owner.as_str())
    .bind(limit)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter().rev().map(MessageRow::parse).collect()
}

/// The messages of a thread after a sequence number, oldest first.
pub(crate) async fn after(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &ThreadId,
    seq: i64,
) -> StoreResult<Vec<Message>> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT messages.* FROM messages JOIN threads ON threads.id = messages.thread_id \
         WHERE threads.id = ? AND threads.owner = ? AND seq > ? ORDER BY seq",
    )
    .bind(thread.as_str())
    .bind(owner.as_str())
    .bind(seq)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter().map(MessageRow::parse).collect()
}

/// How many messages of an owner hold one of the words.
pub(crate) async fn count_holding(
    connection: &mut SqliteConnection,
    owner: &UserId,
    words: &[String],
) -> StoreResult<u32> {
    if words.is_empty() {
        return Ok(0);
    }
    let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM messages WHERE ");
    push_holding(&mut query, owner, words);
    query
        .build_query_scalar()
        .fetch_one(connection)
        .await
        .doing(READING)
}

/// Blackens the words in every message, title and summary of an owner. Returns how many messages held them.
pub(crate) async fn blacken(
    connection: &mut SqliteConnection,
    owner: &UserId,
    words: &[String],
) -> StoreResult<u32> {
    let held = count_holding(connection, owner, words).await?;
    for words in words {
        let black = black(words);
        sqlx::query(
            "UPDATE messages SET text = replace(text, ?1, ?2) WHERE instr(text, ?1) > 0 \
             AND thread_id IN (SELECT id FROM threads WHERE owner = ?3)",
        )
        .bind(words)
        .bind(&black)
        .bind(owner.as_str())
        .execute(&mut *connection)
        .await
        .doing(WRITING)?;
        sqlx::query(
            "UPDATE threads SET title = replace(title, ?1, ?2), summary = replace(summary, ?1, ?2) WHERE owner = ?3 \
             AND (instr(title, ?1) > 0 OR instr(coalesce(summary, ''), ?1) > 0)",
        )
        .bind(words)
        .bind(&black)
        .bind(owner.as_str())
        .execute(&mut *connection)
        .await
        .doing(WRITING)?;
    }
    Ok(held)
}

fn push_holding(query: &mut QueryBuilder<Sqlite>, owner: &UserId, words: &[String]) {
    query.push("thread_id IN (SELECT id FROM threads WHERE owner = ");
    query.push_bind(owner.as_str().to_owned()).push(") AND (");
    for (index, words) in words.iter().enumerate() {
        if index > 0 {
            query.push(" OR ");
        }
        query.push("instr(text, ").push_bind(words.clone()).push(") > 0");
    }
    query.push(")");
}
