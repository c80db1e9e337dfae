//! Finds durable candidates in the new part of the thread: what follows the extraction cursor, up to this turn.

use super::store_problem;
use crate::ports::{TurnPorts, TurnSettings};
use extraction::SourceMessage;
use memory_model::{CaptureBlock, Message, Node, ProblemCode, Role, SkipReason, Skipped, TurnState};
use ports::StoreResult;

/// Fills `memory_candidates`, `skipped_memory_updates` and `cursor`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) {
    turn.memory_candidates.clear();
    turn.skipped_memory_updates.clear();
    turn.cursor = 0;
    turn.mode = Some(ports.settings.mode);
    let new = async {
        let messages = new_messages(turn, ports).await?;
        Ok((messages, written_ranges(turn, ports).await?))
    };
    let (messages, taken) = match new.await {
        Ok(new) => new,
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
        // What another program wrote a memory from is taken care of.
        let is_taken = taken
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&message.seq));
        if message.role != Role::User || is_taken {
            continue;
        }
        let extracted = extraction::extract(&SourceMessage {
            thread_id: Some(&message.thread_id),
            message_id: Some(&message.id),
            role: message.role,
            text: &message.text,
            said_at: message.created_at,
            utc_offset_minutes: ports.clock.utc_offset_minutes(message.created_at),
        });
        turn.memory_candidates.extend(extracted.candidates);
        turn.skipped_memory_updates.extend(extracted.skipped);
    }
    turn_away(turn, ports.settings);
}

/// What the mode keeps out is named with the mode, so that nobody wonders why it was not kept. The cursor has moved
/// all the same: what was said while nothing was captured is not captured later.
fn turn_away(turn: &mut TurnState, settings: &TurnSettings) {
    let candidates = std::mem::take(&mut turn.memory_candidates);
    for candidate in candidates {
        let blocked = settings.mode.blocked.or_else(|| {
            let off = settings.capture_off.contains(&candidate.category);
            off.then_some(CaptureBlock::NamespaceOff)
        });
        match blocked {
            Some(blocked) => turn.skipped_memory_updates.push(Skipped {
                explanation: blocked.sentence().to_owned(),
                ..Skipped::new(candidate.text, SkipReason::CaptureOff)
            }),
            None => turn.memory_candidates.push(candidate),
        }
    }
}

async fn written_ranges(turn: &TurnState, ports: &TurnPorts<'_>) -> StoreResult<Vec<(i64, i64)>> {
    match (&turn.user_id, &turn.thread_id) {
        (Some(owner), Some(thread)) => ports.conversations.written_ranges(owner, thread).await,
        _ => Ok(Vec::new()),
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
