//! Finds durable candidates in the new part of the thread: what follows the extraction cursor, up to this turn.

use super::store_problem;
use crate::ports::TurnPorts;
use extraction::SourceMessage;
use memory_model::{Message, Node, ProblemCode, Role, TurnState};
use ports::StoreResult;

/// Fills `memory_candidates`, `skipped_memory_updates` and `cursor`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    turn.memory_candidates.clear();
    turn.skipped_memory_updates.clear();
    turn.cursor = 0;
    if !ports.settings.memory_enabled || ports.settings.temporary {
        return;
    }
    let messages = match new_messages(turn, ports).await {
        Ok(messages) => messages,
        Err(error) => {
            turn.problems.push(store_problem(
                Node::ExtractMemoryCandidates,
                ProblemCode::ExtractionFailed,
                &error,
            ));
            return;
        }
    };
    for message in &messages {
        turn.cursor = turn.cursor.max(message.seq);
        if message.role != Role::User {
            continue;
        }
        let extracted = extraction::extract(&SourceMessage {
            thread_id: Some(&message.thread_id),
            message_id: Some(&message.id),
            role: message.role,
            text: &message.text,
            said_at: message.created_at,
        });
        turn.memory_candidates.extend(extracted.candidates);
        turn.skipped_memory_updates.extend(extracted.skipped);
    }
}

/// Messages after the cursor, up to the answer of this turn. What was said later belongs to a later turn.
pub(crate) async fn new_messages(turn: &TurnState, ports: &TurnPorts<'_>) -> StoreResult<Vec<Message>> {
    let (Some(owner), Some(thread)) = (&turn.user_id, &turn.thread_id) else {
        return Ok(Vec::new());
    };
    let cursor = ports.conversations.extraction_cursor(owner, thread).await?;
    let mut messages = ports.conversations.messages_after(owner, thread, cursor).await?;
    let own_last = messages
        .iter()
        .filter(|message| message.turn_id.as_ref() == Some(&turn.turn_id))
        .map(|message| message.seq)
        .max()
        .unwrap_or(0);
    messages.retain(|message| message.seq <= own_last);
    Ok(messages)
}
