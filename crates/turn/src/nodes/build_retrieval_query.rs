//! Input and a little recent context become a bounded query.

use memory_model::{Message, Role};

/// The query for this message. `messages` is the thread, oldest first, with the message itself last.
pub fn run(input: &str, messages: &[Message]) -> String {
    let mut turns: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.text.as_str())
        .collect();
    turns.pop();
    recall::query::build(input, &turns)
}
