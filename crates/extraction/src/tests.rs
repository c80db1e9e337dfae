//! Tests. Each row of a table brings its own sentence; here every row is read, and whole messages are checked.

mod blind;
mod dates;
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
        utc_offset_minutes: 0,
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

#[test]
fn words_that_are_passwords_and_codes_of_locks_are_secrets() {
    for text in [
        "Remember that my password is correcthorsebattery.",
        "Remember that my password to the NAS is swordfish",
        "I always use the password hunter2 for my films",
        "Remember that the door code is 4821#",
    ] {
        assert!(crate::find_secret(text).is_some(), "{text}");
    }
    for text in [
        "My password is long",
        "I prefer a door that opens inwards",
        "비밀번호를 자주 바꿔요",
    ] {
        assert!(crate::find_secret(text).is_none(), "{text}");
    }
}
