//! Checkpoints and finished turns.

use super::ok;
use crate::sample::{self, at, daniel, message, minji};
use memory_model::{
    AnsweredBy, FinalOutput, Node, Problem, ProblemCode, Thread, ThreadId, Timestamp, TraceStep, TurnId,
    TurnState, TurnStatus,
};
use ports::{AuditLog, Conversations};

pub(super) async fn all<S: Conversations + AuditLog>(make: &impl AsyncFn() -> S) {
    a_state_comes_back_as_it_was(make().await).await;
    a_checkpoint_replaces_the_one_before(make().await).await;
    unfinished_turns_come_oldest_first(make().await).await;
    a_finished_turn_is_kept(make().await).await;
    finishing_moves_the_cursor_forward_only(make().await).await;
    finishing_writes_one_audit_record(make().await).await;
    turns_of_a_thread_come_oldest_first(make().await).await;
    unknown_turns_are_none(make().await).await;
}

/// A turn whose thread and message are stored, as `prepare_turn` leaves it.
async fn begin<S: Conversations>(store: &S, thread: &str, input: &str, when: Timestamp) -> TurnState {
    let thread = ThreadId::new(thread);
    let mut state = sample::turn_state(&minji(), &thread, input, when);
    let mut new = message(&minji(), &thread, input, when);
    new.turn_id = Some(state.turn_id.clone());
    let message = ok(store.append_message(new).await, "append_message");
    state.user_message = Some(message.id.clone());
    state.messages = vec![message];
    state
}

/// The state with something in every part of it.
fn filled(state: &TurnState) -> TurnState {
    let memory = sample::memory(&minji(), "preference:seat", sample::SEAT_KO);
    TurnState {
        short_term_summary: "통로 쪽을 좋아한다.".to_owned(),
        retrieval_query: "비행기 좌석 \"aisle\"".to_owned(),
        retrieved_memories: vec![memory_model::RetrievedMemory {
            namespace: memory.namespace.clone(),
            key: memory.key.clone(),
            value: memory.value.clone(),
            score: 0.5,
            hit: memory_model::Hit {
                memory: memory.clone(),
                score: 0.5,
                why: memory_model::Why::default(),
            },
            in_prompt: true,
            number: Some(1),
            cited: Some(1),
        }],
        response: "통로 쪽으로 예약할게요. 🛫".to_owned(),
        answered_by: Some(AnsweredBy::Model {
            name: "small model".to_owned(),
        }),
        memory_candidates: vec![sample::candidate("preference:seat", sample::SEAT_EN)],
        cursor: 7,
        waiting: vec![memory_model::Waiting {
            reason: memory_model::ReviewReason::Conflict,
            candidate: Some(sample::candidate("preference:seat", sample::SEAT_KO)),
            existing: Some(memory),
            likeness: Some(0.25),
        }],
        skipped_memory_updates: vec![memory_model::Skipped::new(
            "예약해 줘",
            memory_model::SkipReason::TransientRequest,
        )],
        problems: vec![Problem {
            code: ProblemCode::MeaningSearchOff,
            node: Node::RetrieveLongTermMemory,
            message: "words only".to_owned(),
        }],
        status: TurnStatus::NeedsReview,
        trace: vec![TraceStep {
            node: Node::PrepareTurn,
            millis: 0.5,
            count: Some(1),
            failed: false,
        }],
        ..state.clone()
    }
}

/// The state as a checkpoint gives it back: the messages are read again.
fn stored(state: &TurnState) -> TurnState {
    TurnState {
        messages: Vec::new(),
        ..state.clone()
    }
}

fn output(response: &str) -> FinalOutput {
    FinalOutput {
        status: TurnStatus::Ok,
        response: response.to_owned(),
        errors: vec!["검색하지 못했어요".to_owned()],
        answered_by: Some(AnsweredBy::Memory),
        ..FinalOutput::default()
    }
}

async fn a_state_comes_back_as_it_was<S: Conversations>(store: S) {
    for input in [sample::SEAT_EN, sample::SEAT_KO, "it's \"C++\" \u{1F6EB}"] {
        let state = filled(&begin(&store, "trip", input, at(1)).await);
        ok(
            store.checkpoint(&state, Node::ExtractMemoryCandidates).await,
            "checkpoint",
        );
        let read = ok(store.turn(&minji(), &state.turn_id).await, "turn");
        let expected = Some((stored(&state), Some(Node::ExtractMemoryCandidates)));
        assert_eq!(
            read, expected,
            "a turn resumes with the state after its last node, without the messages"
        );
    }
}

async fn a_checkpoint_replaces_the_one_before<S: Conversations>(store: S) {
    let mut state = begin(&store, "trip", sample::SEAT_KO, at(1)).await;
    for next in Node::ALL {
        state.retrieval_query = format!("{} 다음", next.name());
        ok(store.checkpoint(&state, next).await, "checkpoint");
    }
    let unfinished = ok(store.unfinished_turns(&minji()).await, "unfinished_turns");
    assert_eq!(unfinished.len(), 1, "a turn has one state: {unfinished:?}");
    assert_eq!(
        unfinished[0].next,
        Node::Finalize,
        "the newest checkpoint says which node runs next"
    );
    assert_eq!(
        unfinished[0].state,
        stored(&state),
        "the newest checkpoint is the state"
    );
}

async fn unfinished_turns_come_oldest_first<S: Conversations>(store: S) {
    let late = begin(&store, "b", "second", at(20)).await;
    let early = begin(&store, "a", "첫 번째", at(10)).await;
    ok(
        store.checkpoint(&late, Node::GenerateResponse).await,
        "checkpoint",
    );
    ok(
        store.checkpoint(&early, Node::ValidateMemoryUpdates).await,
        "checkpoint",
    );
    let inputs: Vec<_> = ok(store.unfinished_turns(&minji()).await, "unfinished_turns")
        .into_iter()
        .map(|turn| (turn.state.input, turn.next))
        .collect();
    let expected = [
        ("첫 번째".to_owned(), Node::ValidateMemoryUpdates),
        ("second".to_owned(), Node::GenerateResponse),
    ];
    assert_eq!(
        inputs, expected,
        "turns that have not ended, oldest first, over all threads"
    );
    let foreign = ok(store.unfinished_turns(&daniel()).await, "unfinished_turns");
    assert!(foreign.is_empty(), "turns are read by their owner only");
}

async fn a_finished_turn_is_kept<S: Conversations>(store: S) {
    let state = begin(&store, "trip", sample::SEAT_KO, at(1)).await;
    ok(store.checkpoint(&state, Node::Finalize).await, "checkpoint");
    let before = ok(store.turns(&minji(), &ThreadId::new("trip")).await, "turns");
    assert_eq!(before.len(), 1, "a running turn is shown: {before:?}");
    assert_eq!(
        before[0].next,
        Some(Node::Finalize),
        "a running turn says which node runs next"
    );

    let done = TurnState {
        response: "통로 쪽이요.".to_owned(),
        ..state.clone()
    };
    ok(
        store.finish_turn(&done, &output("통로 쪽이요.")).await,
        "finish_turn",
    );
    assert!(
        ok(store.unfinished_turns(&minji()).await, "unfinished_turns").is_empty(),
        "a finished turn has ended"
    );
    let read = ok(store.turn(&minji(), &state.turn_id).await, "turn");
    let Some((read, None)) = read else {
        panic!("an ended turn has no next node: {read:?}")
    };
    assert_eq!(
        (read.turn_id, read.response),
        (done.turn_id, done.response),
        "an ended turn keeps its state"
    );
    let turns = ok(store.turns(&minji(), &ThreadId::new("trip")).await, "turns");
    assert_eq!(turns.len(), 1, "finishing makes no second turn: {turns:?}");
    assert_eq!(
        turns[0].output,
        output("통로 쪽이요."),
        "the result is kept as it was"
    );
    assert_eq!(turns[0].next, None, "an ended turn has no next node");
    assert_eq!(
        Some(&turns[0].user_message),
        state.user_message.as_ref(),
        "a turn knows its message"
    );
}

async fn finishing_moves_the_cursor_forward_only<S: Conversations>(store: S) {
    let trip = ThreadId::new("trip");
    let cursor = async || {
        ok(
            store.extraction_cursor(&minji(), &trip).await,
            "extraction_cursor",
        )
    };
    for (given, before, expected) in [(5, 0, 5), (3, 5, 5), (9, 5, 9)] {
        let state = TurnState {
            cursor: given,
            ..begin(&store, "trip", sample::FOOD_KO, at(given)).await
        };
        ok(store.checkpoint(&state, Node::Finalize).await, "checkpoint");
        assert_eq!(cursor().await, before, "a checkpoint does not move the cursor");
        ok(store.finish_turn(&state, &output("네")).await, "finish_turn");
        assert_eq!(
            cursor().await,
            expected,
            "the cursor moves to {given} if it is behind"
        );
    }
    begin(&store, "other", "hello", at(50)).await;
    let other = ok(
        store.extraction_cursor(&minji(), &ThreadId::new("other")).await,
        "extraction_cursor",
    );
    assert_eq!(other, 0, "every thread has its own cursor");
}

async fn finishing_writes_one_audit_record<S: Conversations + AuditLog>(store: S) {
    let state = begin(&store, "trip", sample::SEAT_KO, at(1)).await;
    ok(
        store.finish_turn(&state, &output("비밀스러운 답변")).await,
        "finish_turn",
    );
    let records = ok(store.recent(&minji(), 50).await, "recent");
    let about: Vec<_> = records
        .iter()
        .filter(|entry| entry.target == state.turn_id.as_str())
        .collect();
    assert_eq!(
        about.len(),
        1,
        "a finished turn leaves one audit record: {records:?}"
    );
    let written = format!("{} {}", about[0].action, about[0].details);
    assert!(
        !written.contains("통로") && !written.contains("비밀"),
        "the log never holds what people wrote: {written}"
    );
    assert_eq!(
        ok(store.recent(&daniel(), 50).await, "recent").len(),
        0,
        "the record belongs to the turn's owner"
    );
}

async fn turns_of_a_thread_come_oldest_first<S: Conversations>(store: S) {
    let mut expected = Vec::new();
    for seconds in 1..4 {
        let state = begin(&store, "trip", &format!("{seconds}번째"), at(seconds)).await;
        ok(store.checkpoint(&state, Node::Finalize).await, "checkpoint");
        ok(store.finish_turn(&state, &output("네")).await, "finish_turn");
        expected.push(state.turn_id);
    }
    let other = begin(&store, "other", "elsewhere", at(9)).await;
    ok(
        store.checkpoint(&other, Node::GenerateResponse).await,
        "checkpoint",
    );
    let trip = ThreadId::new("trip");
    let turns: Vec<_> = ok(store.turns(&minji(), &trip).await, "turns")
        .into_iter()
        .map(|turn| turn.turn_id)
        .collect();
    assert_eq!(turns, expected, "the turns of one thread, oldest first");
    assert!(
        ok(store.turns(&daniel(), &trip).await, "turns").is_empty(),
        "turns are read by their owner only"
    );

    ok(
        store.delete_thread(&minji(), &trip, true, at(10)).await,
        "delete_thread",
    );
    ok(store.purge_threads(at(11)).await, "purge_threads");
    assert!(
        ok(store.turns(&minji(), &trip).await, "turns").is_empty(),
        "the turns of an erased thread are gone"
    );
    assert_eq!(
        ok(store.turn(&minji(), &expected[0]).await, "turn"),
        None,
        "the turns of an erased thread are gone"
    );
    let threads: Vec<Thread> = ok(store.threads(&minji(), false, None, 9).await, "threads");
    assert_eq!(threads.len(), 1, "the other thread stays");
}

async fn unknown_turns_are_none<S: Conversations>(store: S) {
    let unknown = ok(store.turn(&minji(), &TurnId::new("no-such-turn")).await, "turn");
    assert_eq!(unknown, None, "an unknown turn is None");
    let state = begin(&store, "trip", sample::SEAT_EN, at(1)).await;
    ok(
        store.checkpoint(&state, Node::BuildRetrievalQuery).await,
        "checkpoint",
    );
    let foreign = ok(store.turn(&daniel(), &state.turn_id).await, "turn");
    assert_eq!(foreign, None, "a turn is read by its owner only");
    let none = ok(
        store.turns(&minji(), &ThreadId::new("no-such-thread")).await,
        "turns",
    );
    assert!(none.is_empty(), "an unknown thread has no turns");
}
