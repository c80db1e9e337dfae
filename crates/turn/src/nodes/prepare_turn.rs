//! Checks the input and appends the user's message to the thread.

use super::store_problem;
use memory_model::{
    Language, MessageId, MessageState, Node, Problem, ProblemCode, Role, ThreadId, Timestamp, TurnState,
    UserId, nfc,
};
use ports::{Conversations, NewMessage};

/// Bytes of one message. A pasted book fits; what is larger belongs into a file.
pub const INPUT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Messages of a thread that a turn looks at. Older ones live on in the summary.
const MESSAGES_MAX: u32 = 200;

/// Checks the input, brings it to NFC, and appends it to the thread.
///
/// # Errors
/// A problem that names the field at fault, or says why the message could not be kept.
pub async fn run(
    turn: &mut TurnState,
    conversations: &dyn Conversations,
    now: Timestamp,
) -> Result<(), Problem> {
    let (owner, thread_id) = check(turn)?;
    turn.input = nfc(&turn.input);
    turn.language = Language::of(&turn.input);
    let id = turn.user_message.get_or_insert_with(MessageId::generate).clone();
    turn.answer_message.get_or_insert_with(MessageId::generate);
    let message = NewMessage {
        id,
        thread_id: thread_id.clone(),
        owner: owner.clone(),
        role: Role::User,
        text: turn.input.clone(),
        at: now,
        state: MessageState::Complete,
        turn_id: Some(turn.turn_id.clone()),
    };
    let not_kept = |error| store_problem(Node::PrepareTurn, ProblemCode::StoreFailed, &error);
    // First the turn, then its message: a message without a turn could not be tried again after a crash.
    conversations
        .checkpoint(turn, Node::PrepareTurn)
        .await
        .map_err(not_kept)?;
    conversations.append_message(message).await.map_err(not_kept)?;
    turn.messages = conversations
        .messages(&owner, &thread_id, MESSAGES_MAX)
        .await
        .map_err(not_kept)?;
    Ok(())
}

/// Reads the thread again for a turn that goes on after a restart.
pub async fn reload_messages(turn: &mut TurnState, conversations: &dyn Conversations) {
    let (Some(owner), Some(thread)) = (&turn.user_id, &turn.thread_id) else {
        return;
    };
    match conversations.messages(owner, thread, MESSAGES_MAX).await {
        Ok(messages) => turn.messages = messages,
        Err(error) => turn
            .problems
            .push(store_problem(Node::PrepareTurn, ProblemCode::StoreFailed, &error)),
    }
}

fn check(turn: &TurnState) -> Result<(UserId, ThreadId), Problem> {
    let rejected = |code, message: &str| Problem {
        code,
        node: Node::PrepareTurn,
        message: message.to_owned(),
    };
    if turn.input.trim().is_empty() {
        return Err(rejected(ProblemCode::InputEmpty, "input: the message is empty."));
    }
    if turn.input.len() > INPUT_BYTES_MAX {
        return Err(rejected(
            ProblemCode::InputTooLong,
            "input: the message is longer than 4 MiB.",
        ));
    }
    let named = |id: &str| !id.trim().is_empty();
    let Some(owner) = turn.user_id.clone().filter(|id| named(id.as_str())) else {
        return Err(rejected(
            ProblemCode::UserIdMissing,
            "user_id: no user was named.",
        ));
    };
    let Some(thread) = turn.thread_id.clone().filter(|id| named(id.as_str())) else {
        return Err(rejected(
            ProblemCode::ThreadIdMissing,
            "thread_id: no thread was named.",
        ));
    };
    Ok((owner, thread))
}
