//! SIGKILL at every node, before and after its checkpoint: what was shown as saved is there, nothing is there twice,
//! and the message is never lost.

use crate::people::{memories, open};
use memory_model::{MessageState, Node, Role, Status, ThreadId};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const SAID: &str = "I prefer aisle seats. Always answer me in Korean.";

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_turn_goes_on() {
    for node in Node::ALL {
        for place in ["", ":checkpoint"] {
            killed_at(node, place).await;
        }
    }
}

async fn killed_at(node: Node, place: &str) {
    let at = format!("{}{place}", node.name());
    let folder = tempfile::tempdir().unwrap();
    if !stands_still(folder.path(), &at) {
        // The sentence takes the road over the review, which does not pass `finalize`.
        assert_eq!(node, Node::Finalize, "{at}: the fault point was not reached");
        return;
    }
    let engine = open(folder.path()).await;
    engine.catch_up().await.unwrap();
    let view = engine.open_thread(&ThreadId::new("killed")).await.unwrap();
    let said: Vec<&str> = view
        .messages
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(said, [SAID], "{at}: the message is there, once");
    let kept = memories(&engine, Status::Active).await;
    let waiting = engine
        .list_review(memory_model::ReviewStatus::Pending)
        .await
        .unwrap();
    if node < Node::GenerateResponse || node == Node::GenerateResponse && place.is_empty() {
        // The answer was cut off: it waits for a person, and trying again finishes the turn.
        assert!(kept.is_empty() && waiting.is_empty(), "{at}: {kept:?}");
        let turn = view.turns.last().unwrap();
        assert!(turn.next.is_some(), "{at}: the turn is shown as interrupted");
        assert!(
            view.messages
                .iter()
                .all(|message| message.state != MessageState::Streaming),
            "{at}: {view:?}"
        );
        finish(&engine, turn.turn_id.clone()).await;
    }
    let kept = memories(&engine, Status::Active).await;
    let waiting = engine
        .list_review(memory_model::ReviewStatus::Pending)
        .await
        .unwrap();
    assert_eq!(kept.len(), 1, "{at}: one memory, once: {kept:?}");
    assert_eq!(kept[0].version, 1, "{at}");
    assert_eq!(waiting.len(), 1, "{at}: one item waits, once: {waiting:?}");
    let view = engine.open_thread(&ThreadId::new("killed")).await.unwrap();
    assert_eq!(view.messages.len(), 2, "{at}: one question, one answer");
    assert_eq!(view.turns.last().unwrap().next, None, "{at}: the turn has ended");
    engine.close().await;
}

async fn finish(engine: &engine::Engine, turn: memory_model::TurnId) {
    let mut events = engine.subscribe();
    engine.retry_turn(&turn).await.unwrap();
    loop {
        if let engine::Event::TurnEnded { turn_id, .. } = events.recv().await.unwrap()
            && turn_id == turn
        {
            return;
        }
    }
}

/// Runs a turn in a process of its own until it stands at the fault point, and kills it there with SIGKILL.
/// `false` when the turn ended without reaching the point.
fn stands_still(folder: &std::path::Path, at: &str) -> bool {
    let mut child = journeys::programs::reverie(folder)
        .unwrap()
        .args(["chat", "--thread", "killed", "--once", "--json"])
        .env("REVERIE_FAULT", at)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(SAID.as_bytes()).unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let reached = lines
        .map_while(Result::ok)
        .any(|line| line.starts_with("fault: "));
    // `kill` is SIGKILL on Unix.
    child.kill().unwrap();
    child.wait().unwrap();
    reached
}
