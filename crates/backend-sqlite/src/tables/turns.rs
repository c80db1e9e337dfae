//! Table `turns`: the checkpoints of turns that run and the results of turns that ended.

use crate::error::Doing;
use crate::words::{from_json, from_name, to_json};
use memory_model::{FinalOutput, MemoryId, MessageId, Node, ThreadId, TurnId, TurnState, TurnView, UserId};
use ports::{StoreResult, UnfinishedTurn};
use sqlx::SqliteConnection;
use std::collections::{HashMap, HashSet};

const READING: &str = "reading turns";
const WRITING: &str = "writing a checkpoint";

/// A turn for the chat: id, the user's message, the next node, the result, and the state where there is no
/// result yet.
type ViewRow = (String, String, Option<String>, Option<String>, Option<String>);

/// Keeps the state of a turn: the node that runs next, or the result of a turn that ended. Returns whether
/// the turn had ended before.
pub(crate) async fn save(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &ThreadId,
    state: &TurnState,
    step: Result<Node, &FinalOutput>,
) -> StoreResult<bool> {
    let ended: Option<bool> = sqlx::query_scalar("SELECT next IS NULL FROM turns WHERE id = ?")
        .bind(state.turn_id.as_str())
        .fetch_optional(&mut *connection)
        .await
        .doing(READING)?;
    let (json, output) = match step {
        Ok(_) => (to_json(state)?, None),
        // The result has its own column; the state does not hold it a second time.
        Err(output) => {
            let state = TurnState {
                final_output: FinalOutput::default(),
                ..state.clone()
            };
            (to_json(&state)?, Some(to_json(output)?))
        }
    };
    sqlx::query(
        "INSERT INTO turns (id, owner, thread_id, user_message, started_at, state, next, output) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET \
         user_message = excluded.user_message, state = excluded.state, next = excluded.next, \
         output = excluded.output WHERE owner = excluded.owner",
    )
    .bind(state.turn_id.as_str())
    .bind(owner.as_str())
    .bind(thread.as_str())
    .bind(state.user_message.as_ref().map(MessageId::as_str))
    .bind(state.started_at.as_millis())
    .bind(json)
    .bind(step.ok().map(Node::name))
    .bind(output)
    .execute(connection)
    .await
    .doing(WRITING)?;
    Ok(ended.unwrap_or_default())
}

/// Turns of an owner that have not ended, oldest first.
pub(crate) async fn unfinished(
    connection: &mut SqliteConnection,
    owner: &UserId,
) -> StoreResult<Vec<UnfinishedTurn>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT state, next FROM turns WHERE owner = ? AND next IS NOT NULL ORDER BY started_at, id",
    )
    .bind(owner.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    let read = |(state, next): (String, String)| -> StoreResult<UnfinishedTurn> {
        Ok(UnfinishedTurn {
            state: from_json(&state)?,
            next: from_name(&next)?,
        })
    };
    // One row that cannot be read is named in the log and keeps nobody from the others.
    let readable = |row| {
        read(row)
            .inspect_err(
                |error| tracing::warn!(%error, "an unfinished turn cannot be read; it stays as it is"),
            )
            .ok()
    };
    Ok(rows.into_iter().filter_map(readable).collect())
}

/// One turn; no node when it has ended.
pub(crate) async fn one(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: &TurnId,
) -> StoreResult<Option<(TurnState, Option<Node>)>> {
    let row: Option<(String, Option<String>, Option<String>)> =
        sqlx::query_as("SELECT state, next, output FROM turns WHERE id = ? AND owner = ?")
            .bind(id.as_str())
            .bind(owner.as_str())
            .fetch_optional(connection)
            .await
            .doing(READING)?;
    let Some((state, next, output)) = row else {
        return Ok(None);
    };
    let mut state: TurnState = from_json(&state)?;
    if let Some(output) = output {
        state.final_output = from_json(&output)?;
    }
    Ok(Some((state, next.as_deref().map(from_name).transpose()?)))
}

/// The turns of a thread as the chat shows them, oldest first. A turn without a message is not shown.
pub(crate) async fn of_thread(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &ThreadId,
) -> StoreResult<Vec<TurnView>> {
    // The state of an ended turn is not read: its result is all that is shown.
    let rows: Vec<ViewRow> = sqlx::query_as(
        "SELECT id, user_message, next, output, CASE WHEN output IS NULL THEN state END FROM turns \
         WHERE thread_id = ? AND owner = ? AND user_message IS NOT NULL ORDER BY started_at, id",
    )
    .bind(thread.as_str())
    .bind(owner.as_str())
    .fetch_all(connection)
    .await
    .doing(READING)?;
    rows.into_iter()
        .map(|(id, user_message, next, output, state)| {
            let output = match (output, state) {
                (Some(output), _) => from_json(&output)?,
                (None, Some(state)) => from_json::<TurnState>(&state)?.final_output,
                (None, None) => FinalOutput::default(),
            };
            Ok(TurnView {
                turn_id: TurnId::new(id),
                user_message: MessageId::new(user_message),
                next: next.as_deref().map(from_name).transpose()?,
                output,
            })
        })
        .collect()
}

/// Turns whose block of memories is read for a prompt; more than any context window holds.
const BLOCKS_MAX: i64 = 200;

/// The block of memories of each turn of a thread that had one, by the user's message.
pub(crate) async fn memory_blocks(
    connection: &mut SqliteConnection,
    owner: &UserId,
    thread: &ThreadId,
) -> StoreResult<HashMap<MessageId, String>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT user_message, block FROM (SELECT user_message, \
         coalesce(state ->> '$.prompt_context.memory_block', '') AS block FROM turns \
         WHERE thread_id = ? AND owner = ? AND user_message IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT ?) \
         WHERE block <> ''",
    )
    .bind(thread.as_str())
    .bind(owner.as_str())
    .bind(BLOCKS_MAX)
    .fetch_all(connection)
    .await
    .doing(READING)?;
    Ok(rows
        .into_iter()
        .map(|(message, block)| (MessageId::new(message), block))
        .collect())
}

/// Takes erased memories out of the turns that hold them: as recalled, as written, as the other side of a
/// conflict, and their words wherever else a state or a result repeats them. The messages themselves stay with the
/// conversation. Returns how many turns held something.
pub(crate) async fn forget(
    connection: &mut SqliteConnection,
    ids: &[MemoryId],
    words: &[String],
) -> StoreResult<u32> {
    let erased: HashSet<&MemoryId> = ids.iter().collect();
    // As they stand in JSON, where quotes and line ends are escaped.
    let escaped = words
        .iter()
        .map(|words| Ok(to_json(words)?.trim_matches('"').to_owned()))
        .collect::<StoreResult<Vec<String>>>()?;
    let mut after = String::new();
    let mut changed = 0;
    // In parts, because states are large.
    loop {
        let rows: Vec<(String, String, Option<String>)> =
            sqlx::query_as("SELECT id, state, output FROM turns WHERE id > ? ORDER BY id LIMIT 200")
                .bind(&after)
                .fetch_all(&mut *connection)
                .await
                .doing(READING)?;
        let Some((last, _, _)) = rows.last() else {
            return Ok(changed);
        };
        after.clone_from(last);
        for (id, state, output) in rows {
            let named = |json: &str| {
                ids.iter().any(|id| json.contains(id.as_str()))
                    || escaped.iter().any(|words| json.contains(words.as_str()))
            };
            if !named(&state) && !output.as_deref().is_some_and(named) {
                continue;
            }
            let state = without(from_json(&state)?, &erased);
            let output = output
                .as_deref()
                .map(from_json)
                .transpose()?
                .map(|output| output_without(output, &erased));
            sqlx::query("UPDATE turns SET state = ?, output = ? WHERE id = ?")
                .bind(blackened(&state, words)?)
                .bind(
                    output
                        .as_ref()
                        .map(|output| blackened(output, words))
                        .transpose()?,
                )
                .bind(&id)
                .execute(&mut *connection)
                .await
                .doing(WRITING)?;
            changed += 1;
        }
    }
}

/// A structure as JSON in which every text that holds one of the words has them blackened.
fn blackened<T: serde::Serialize>(value: &T, words: &[String]) -> StoreResult<String> {
    let mut value =
        serde_json::to_value(value).map_err(|error| crate::error::other("writing JSON", error))?;
    blacken(&mut value, words);
    to_json(&value)
}

fn blacken(value: &mut serde_json::Value, words: &[String]) {
    match value {
        serde_json::Value::String(text) => {
            for words in words.iter().filter(|words| !words.is_empty()) {
                if text.contains(words.as_str()) {
                    *text = text.replace(words.as_str(), &black(words));
                }
            }
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(|value| blacken(value, words)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| blacken(value, words)),
        _ => {}
    }
}

/// As many black squares as the words have characters, so that spans of other evidence stay right.
pub(crate) fn black(words: &str) -> String {
    words.chars().map(|_| '█').collect()
}

fn without(mut state: TurnState, erased: &HashSet<&MemoryId>) -> TurnState {
    state
        .retrieved_memories
        .retain(|recalled| !erased.contains(&recalled.hit.memory.id));
    state.left_out.retain(|left| !erased.contains(&left.memory_id));
    if state
        .prompt_context
        .memory_ids
        .iter()
        .any(|id| erased.contains(id))
    {
        state.prompt_context.memory_block.clear();
        state.prompt_context.memory_ids.retain(|id| !erased.contains(id));
    }
    let is_erased = |memory: &Option<memory_model::Memory>| {
        memory.as_ref().is_some_and(|memory| erased.contains(&memory.id))
    };
    let wrote = state.memory_write_results.len();
    state
        .memory_write_results
        .retain(|result| !is_erased(&result.memory) && !is_erased(&result.replaced));
    if state.memory_write_results.len() < wrote {
        // Candidates carry no memory id; those of a turn that wrote the memory are over and done with.
        state.memory_candidates.clear();
        state.approved_memory_updates.clear();
    }
    for approved in &mut state.approved_memory_updates {
        if is_erased(&approved.replaces) {
            approved.replaces = None;
        }
    }
    for waiting in &mut state.waiting {
        if is_erased(&waiting.existing) {
            waiting.existing = None;
        }
    }
    state.final_output = output_without(state.final_output, erased);
    state
}

fn output_without(mut output: FinalOutput, erased: &HashSet<&MemoryId>) -> FinalOutput {
    output
        .retrieved_memories
        .retain(|recalled| !erased.contains(&recalled.hit.memory.id));
    output
        .stored_updates
        .retain(|stored| !erased.contains(&stored.memory_id));
    output.left_out.retain(|left| !erased.contains(&left.memory_id));
    output
}
