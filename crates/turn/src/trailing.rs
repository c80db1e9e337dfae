//! One run of extraction for several turns of a thread: what it found goes back to the turn whose words it was found
//! in, and each turn then writes its own part under its own mark.

use memory_model::{MessageId, Node, TraceStep, TurnState};

/// The node behind the judgement: what is approved is stored, what waits is parked, and a turn without either ends.
pub fn after_validation(turn: &TurnState) -> Node {
    match (turn.approved_memory_updates.is_empty(), turn.waiting.is_empty()) {
        (false, _) => Node::StoreMemoryUpdates,
        (true, false) => Node::MarkNeedsReview,
        (true, true) => Node::Finalize,
    }
}

/// Gives each earlier turn what the newest turn of their thread found in its message. The newest one has read and
/// judged everything behind the cursor, and nothing is written yet. Returns whether the newest one read the messages
/// of all of them; where it did not, nothing is handed out and each turn reads its own.
pub fn hand_out(newest: &mut TurnState, earlier: &mut [TurnState]) -> bool {
    let last_seq = |turn: &TurnState, of: &TurnState| {
        let own = of
            .messages
            .iter()
            .filter(|message| message.turn_id.as_ref() == Some(&turn.turn_id));
        own.map(|message| message.seq).max()
    };
    let cursors: Option<Vec<i64>> = earlier.iter().map(|turn| last_seq(turn, newest)).collect();
    let Some(cursors) = cursors.filter(|cursors| cursors.iter().all(|cursor| *cursor <= newest.cursor))
    else {
        return false;
    };
    for (turn, cursor) in earlier.iter_mut().zip(cursors) {
        turn.cursor = cursor;
        turn.mode = newest.mode;
        let Some(message) = turn.user_message.clone() else {
            continue;
        };
        let said_in = |own: &Option<MessageId>| own.as_ref() == Some(&message);
        turn.memory_candidates = taken(&mut newest.memory_candidates, |candidate| {
            said_in(&candidate.evidence.message_id)
        });
        turn.approved_memory_updates = taken(&mut newest.approved_memory_updates, |update| {
            said_in(&update.candidate.evidence.message_id)
        });
        turn.waiting = taken(&mut newest.waiting, |waiting| {
            let candidate = waiting.candidate.as_ref();
            candidate.is_some_and(|candidate| said_in(&candidate.evidence.message_id))
        });
        // A statement that was left out names no message: it belongs to the one that holds its words.
        let (own, others) = (turn.input.as_str(), newest.input.as_str());
        turn.skipped_memory_updates = taken(&mut newest.skipped_memory_updates, |skipped| {
            !skipped.candidate.is_empty()
                && own.contains(&skipped.candidate)
                && !others.contains(&skipped.candidate)
        });
        for node in [Node::ExtractMemoryCandidates, Node::ValidateMemoryUpdates] {
            turn.trace.push(TraceStep {
                node,
                millis: 0.0,
                count: None,
                failed: false,
            });
        }
    }
    true
}

/// Moves out of a list what belongs to somebody else.
fn taken<T>(list: &mut Vec<T>, belongs: impl Fn(&T) -> bool) -> Vec<T> {
    let (taken, rest) = std::mem::take(list).into_iter().partition(belongs);
    *list = rest;
    taken
}
