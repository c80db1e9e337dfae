//! The verbs of `reverie`, as a person and as a program use them.

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = journeys::programs::reverie(folder)
        .unwrap()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends without reading leaves a closed pipe, which is no fault of the test.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn json(folder: &Path, arguments: &[&str], input: &str) -> Value {
    let output = run(folder, &[arguments, &["--json"]].concat(), input);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_turn_by_pipe_gives_its_final_output() {
    let folder = tempfile::tempdir().unwrap();
    let output = json(
        folder.path(),
        &["chat", "--thread", "t1", "--once"],
        "I prefer aisle seats.\n",
    );
    for field in [
        "status",
        "response",
        "retrieved_memories",
        "stored_updates",
        "skipped_updates",
        "errors",
    ] {
        assert!(output.get(field).is_some(), "{field}: {output}");
    }
    assert_eq!(output["status"], "ok");
    assert_eq!(
        output["stored_updates"][0]["namespace"],
        serde_json::json!(["local", "preference"])
    );

    let asked = json(
        folder.path(),
        &["chat", "--thread", "t2", "--once"],
        "Which seats do I like?",
    );
    assert!(
        asked["response"].as_str().unwrap().contains("aisle seats"),
        "{asked}"
    );

    let empty = run(
        folder.path(),
        &["chat", "--thread", "t3", "--once", "--json"],
        "  \n",
    );
    assert_eq!(empty.status.code(), Some(4));
    let empty: Value = serde_json::from_slice(&empty.stdout).unwrap();
    assert_eq!(empty["status"], "failed");
    assert!(
        empty["errors"][0].as_str().unwrap().starts_with("input"),
        "{empty}"
    );
}

#[test]
fn remember_recall_list_show_forget_and_take_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = json(folder, &["remember", "보통", "아침에", "회의해요"], "");
    let id = kept["results"][0]["memory"]["id"].as_str().unwrap().to_owned();
    json(
        folder,
        &[
            "remember",
            "The staging database is in Seoul",
            "--category",
            "project",
        ],
        "",
    );

    let found = json(folder, &["recall", "회의"], "");
    assert_eq!(found["rows"][0]["memory"]["id"], id.as_str());
    assert_eq!(json(folder, &["list"], "")["total"], 2);
    assert_eq!(json(folder, &["list", "--category", "project"], "")["total"], 1);
    assert_eq!(json(folder, &["show", &id], "")["memory"]["language"], "ko");

    let gone = json(folder, &["forget", &id], "");
    assert_eq!(
        run(folder, &["recall", "회의", "--json"], "").status.code(),
        Some(3),
        "found no more"
    );
    json(
        folder,
        &["forget", "--undo", gone["change_id"].as_str().unwrap()],
        "",
    );
    assert_eq!(
        json(folder, &["recall", "회의"], "")["rows"][0]["memory"]["id"],
        id.as_str()
    );

    let unknown = run(folder, &["show", "no-such-id"], "");
    assert_eq!(unknown.status.code(), Some(3));
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("reverie list"), "the next step is named: {said}");
    let dance = run(folder, &["dance", "--json"], "");
    assert_eq!(dance.status.code(), Some(2));
    let refused: Value = serde_json::from_slice(&dance.stdout).unwrap();
    assert_eq!(refused["error"]["code"], "invalid_input");
    assert_eq!(
        run(folder, &["recall", ""], "").status.code(),
        Some(1),
        "an empty question is no list"
    );
}

#[test]
fn a_piped_talk_reads_every_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let talk = "I like jazz.\n\n저는 아침 기차가 좋아요.\nI prefer window tables.\n";
    assert!(run(folder, &["chat"], talk).status.success());
    assert_eq!(json(folder, &["list"], "")["total"], 3);
    assert_eq!(
        run(folder, &["chat", "--thread", ""], "Hello\n").status.code(),
        Some(4),
        "a failed turn is said"
    );
}

#[test]
fn what_waits_is_decided_by_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let turn = json(
        folder,
        &["chat", "--thread", "t", "--once"],
        "Always answer me in Korean.",
    );
    assert_eq!(turn["status"], "needs_review", "{turn}");
    let items = json(folder, &["review"], "");
    let id = items[0]["id"].as_str().unwrap();
    assert_eq!(items[0]["waiting"]["reason"], "procedural");
    json(folder, &["review", id, "--approve"], "");
    assert_eq!(json(folder, &["list"], "")["total"], 1);
    let again = run(folder, &["review", id, "--reject"], "");
    assert_eq!(again.status.code(), Some(4), "decided before");
    json(folder, &["review", id, "--undo"], "");
    assert_eq!(json(folder, &["list"], "")["total"], 0);
    assert_eq!(json(folder, &["review"], "").as_array().unwrap().len(), 1);
}

#[test]
fn errors_speak_the_language_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let output = journeys::programs::reverie(folder.path())
        .unwrap()
        .args(["show", "없는-것"])
        .env("LC_ALL", "ko_KR.UTF-8")
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("볼 수 있어요"));
}
