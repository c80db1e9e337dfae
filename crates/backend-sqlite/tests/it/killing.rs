//! `kill -9` at any moment loses nothing that was reported as saved.

use crate::place;
use backend_sqlite::SqliteStore;
use memory_model::{MessageId, ThreadId, WriteOp};
use ports::{Conversations, MemoryBackend};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use test_support::sample::{at, batch, message, minji, new_memory};

/// Set for the process that is killed: where its database is.
const CHILD: &str = "REVERIE_TEST_KILLED_CHILD";

#[tokio::test]
async fn what_was_reported_as_saved_survives_a_kill() {
    if let Some(path) = std::env::var_os(CHILD) {
        write_until_killed(Path::new(&path)).await;
        return;
    }
    let (_folder, path) = place();
    let mut saved = Vec::new();
    for round in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "killing::what_was_reported_as_saved_survives_a_kill",
                "--nocapture",
            ])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let reports = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("saved ").map(str::to_owned));
        for report in reports.take(20 + round * 7) {
            saved.push(report);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = SqliteStore::open(&path).await.unwrap();
    let messages = store
        .messages(&minji(), &ThreadId::new("trip"), 10_000)
        .await
        .unwrap();
    assert!(saved.len() >= 60, "{}", saved.len());
    for report in &saved {
        let (key, id) = report.split_once(' ').unwrap();
        assert_eq!(
            store.known(&minji(), &[key.to_owned()], &[]).await.unwrap().len(),
            1,
            "{key} was saved, once"
        );
        assert!(
            messages.iter().any(|message| message.id == MessageId::new(id)),
            "the message of {key} was saved"
        );
    }
}

/// Writes memories and messages one after another and reports each.
async fn write_until_killed(path: &Path) {
    let store = SqliteStore::open(path).await.unwrap();
    let begin = store.counts(&minji()).await.unwrap().memories;
    for index in begin.. {
        let key = format!("profile:{index}");
        let said = message(
            &minji(),
            &ThreadId::new("trip"),
            "저는 부산에 살아요",
            at(i64::from(index)),
        );
        let said = store.append_message(said).await.unwrap();
        let memory = new_memory(&minji(), &key, "부산에 살아요");
        store
            .apply(batch(&minji(), at(0), vec![WriteOp::Create { memory }]))
            .await
            .unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "saved {key} {}", said.id.as_str()).unwrap();
        out.flush().unwrap();
    }
}
