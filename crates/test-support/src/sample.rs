//! Sample memories, messages, review items and turn states, in English and Korean.
//!
//! The texts are ordinary sentences, so that a failing test can be read without knowing the sample.

use memory_model::{
    Candidate, Category, ChangeReason, Evidence, Language, Memory, MemoryId, MessageId, MessageState,
    Namespace, NewMemory, Origin, Polarity, ReviewId, ReviewItem, ReviewReason, ReviewStatus, Role, Slot,
    Thread, ThreadId, Timestamp, TurnInput, TurnMark, TurnState, UserId, Waiting, WriteBatch, WriteOp,
};
use ports::NewMessage;

/// What Minji says about seats, in English.
pub const SEAT_EN: &str = "I prefer aisle seats and morning flights";
/// What Minji says about seats, in Korean.
pub const SEAT_KO: &str = "저는 통로 쪽 좌석이 좋아요";
/// What Minji says about food, in English.
pub const FOOD_EN: &str = "I never eat shellfish";
/// What Minji says about food, in Korean.
pub const FOOD_KO: &str = "조개류는 절대 먹지 않아요";

/// The running program that works on the sample turns.
pub const RUNNER: &str = "runner-of-samples";

/// The user most samples belong to.
pub fn minji() -> UserId {
    UserId::new("minji")
}

/// Another user of the same store, whose data the first one must never see.
pub fn daniel() -> UserId {
    UserId::new("daniel")
}

/// A point in time: so many seconds after 2026-03-02 09:00:00 UTC.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_772_442_000_000).plus_millis(seconds * 1000)
}

/// The category that a key such as `preference:seat` begins with; a preference when it names none.
fn category_of(key: &str) -> Category {
    let name = key.split(':').next().unwrap_or_default();
    Category::ALL
        .into_iter()
        .find(|category| category.name() == name)
        .unwrap_or(Category::Preference)
}

/// The number of characters of a text, as evidence counts them.
fn chars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// A memory to be created, said by the user; the key's first part names the category.
pub fn new_memory(owner: &UserId, key: &str, text: &str) -> NewMemory {
    let category = category_of(key);
    NewMemory {
        owner: owner.clone(),
        namespace: Namespace::personal(owner, category),
        key: key.to_owned(),
        category,
        text: text.to_owned(),
        value: serde_json::json!({ "text": text }),
        polarity: Polarity::Positive,
        subject: "user".to_owned(),
        slot: None,
        language: Language::of(text),
        evidence: None,
        source: Origin::User,
        source_id: None,
        trust: Origin::User,
        confidence: 0.9,
        valid_from: None,
    }
}

/// [`new_memory`] that fills a slot, such as `seat = aisle`.
pub fn new_memory_in_slot(owner: &UserId, key: &str, text: &str, slot: &str, value: &str) -> NewMemory {
    let slot = Some(Slot {
        name: slot.to_owned(),
        value: value.to_owned(),
    });
    NewMemory {
        slot,
        ..new_memory(owner, key, text)
    }
}

/// [`new_memory`] with the words it rests on: the whole text, said in `thread` at [`at`]`(0)`.
pub fn new_memory_said_in(owner: &UserId, key: &str, text: &str, thread: &ThreadId) -> NewMemory {
    NewMemory {
        evidence: Some(evidence(text, Some(thread))),
        ..new_memory(owner, key, text)
    }
}

/// A memory as a store keeps it, version 1, made at [`at`]`(0)`.
pub fn memory(owner: &UserId, key: &str, text: &str) -> Memory {
    new_memory(owner, key, text).into_memory(MemoryId::generate(), at(0))
}

/// Minji's seat preference, in English.
pub fn seat_en() -> NewMemory {
    new_memory_in_slot(&minji(), "preference:seat", SEAT_EN, "seat", "aisle")
}

/// Minji's seat preference, in Korean, under the same key and slot.
pub fn seat_ko() -> NewMemory {
    new_memory_in_slot(&minji(), "preference:seat", SEAT_KO, "seat", "aisle")
}

/// Evidence whose span is the whole text.
pub fn evidence(text: &str, thread: Option<&ThreadId>) -> Evidence {
    Evidence {
        thread_id: thread.cloned(),
        message_id: thread.map(|thread| MessageId::new(format!("message-in-{thread}"))),
        start: 0,
        end: chars(text),
        quote: text.to_owned(),
        said_at: at(0),
    }
}

/// A candidate as the extractor finds it.
pub fn candidate(key: &str, text: &str) -> Candidate {
    Candidate {
        category: category_of(key),
        polarity: Polarity::Positive,
        key: key.to_owned(),
        text: text.to_owned(),
        value: serde_json::json!({ "text": text }),
        subject: "user".to_owned(),
        slot: None,
        changed_mind: false,
        evidence: evidence(text, None),
        confidence: 0.75,
        language: Language::of(text),
    }
}

/// A batch done by hand, without a turn.
pub fn batch(owner: &UserId, at: Timestamp, ops: Vec<WriteOp>) -> WriteBatch {
    WriteBatch {
        owner: owner.clone(),
        reason: ChangeReason::Manual,
        at,
        turn: None,
        ops,
    }
}

/// A batch that one step of a turn writes.
pub fn turn_batch(owner: &UserId, at: Timestamp, mark: TurnMark, ops: Vec<WriteOp>) -> WriteBatch {
    WriteBatch {
        owner: owner.clone(),
        reason: ChangeReason::Turn,
        at,
        turn: Some(mark),
        ops,
    }
}

/// A thread that was just begun.
pub fn thread(id: &str, title: &str, at: Timestamp) -> Thread {
    Thread {
        id: ThreadId::new(id),
        title: title.to_owned(),
        snippet: String::new(),
        created_at: at,
        updated_at: at,
        archived: false,
        temporary: false,
        capture: None,
        recall: None,
        waiting: 0,
    }
}

/// A complete message of the user.
pub fn message(owner: &UserId, thread: &ThreadId, text: &str, at: Timestamp) -> NewMessage {
    NewMessage {
        id: MessageId::generate(),
        thread_id: thread.clone(),
        owner: owner.clone(),
        role: Role::User,
        text: text.to_owned(),
        at,
        state: MessageState::Complete,
        turn_id: None,
    }
}

/// A conflict that waits: a new statement against a known memory.
pub fn review_item(
    id: &str,
    owner: &UserId,
    candidate: Candidate,
    existing: Option<Memory>,
    at: Timestamp,
) -> ReviewItem {
    ReviewItem {
        id: ReviewId::new(id),
        owner: owner.clone(),
        waiting: Waiting {
            reason: if existing.is_some() {
                ReviewReason::Conflict
            } else {
                ReviewReason::Confirm
            },
            candidate: Some(candidate),
            existing,
            likeness: Some(0.5),
        },
        source: None,
        turn_id: None,
        thread_id: None,
        message_id: None,
        created_at: at,
        status: ReviewStatus::Pending,
        decision: None,
        decided_at: None,
        change_id: None,
    }
}

/// The state of a turn at its beginning: the message was typed and nothing has run yet.
pub fn turn_state(owner: &UserId, thread: &ThreadId, input: &str, at: Timestamp) -> TurnState {
    let input = TurnInput {
        input: input.to_owned(),
        user_id: Some(owner.clone()),
        thread_id: Some(thread.clone()),
    };
    TurnState::new(input, RUNNER, at)
}

/// [`turn_state`] of Minji's English message about seats.
pub fn turn_state_en(thread: &ThreadId) -> TurnState {
    turn_state(&minji(), thread, SEAT_EN, at(0))
}

/// [`turn_state`] of Minji's Korean message about seats.
pub fn turn_state_ko(thread: &ThreadId) -> TurnState {
    turn_state(&minji(), thread, SEAT_KO, at(0))
}
