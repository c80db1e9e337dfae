//! Tests. Each row of a table brings its own sentence; here every row is read, and whole messages are checked.

mod judgement;
mod limits;
mod messages;
mod rows;

use crate::{SourceMessage, extract};
use memory_model::{Candidate, Extracted, MessageId, Role, Timestamp};

const AT: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn read_as(role: Role, text: &str) -> Extracted {
    let message = MessageId::new("m1");
    extract(&SourceMessage {
        thread_id: None,
        message_id: Some(&message),
        role,
        text,
        said_at: AT,
    })
}

fn read(text: &str) -> Extracted {
    read_as(Role::User, text)
}

/// One line for each candidate: sign of the polarity, key, text.
fn lines(candidates: &[Candidate]) -> Vec<String> {
    candidates
        .iter()
        .map(|candidate| {
            let sign = match candidate.polarity {
                memory_model::Polarity::Positive => '+',
                memory_model::Polarity::Negative => '-',
            };
            format!("{sign} {} | {}", candidate.key, candidate.text)
        })
        .collect()
}
