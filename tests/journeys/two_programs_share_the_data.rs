//! The window and the command line on one data folder: nothing is lost, nothing is there twice, both see changes.

use crate::people::{memories, open, say};
use memory_model::Status;
use std::io::Write;
use std::process::Stdio;

const LIKES: [&str; 4] = ["green tea", "jazz", "dark chocolate", "mountain hikes"];

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_share_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let mut children: Vec<_> = (0..4)
        .map(|program| {
            let mut child = journeys::programs::reverie(folder.path())
                .unwrap()
                .args(["chat", "--thread", &format!("program-{program}")])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut input = child.stdin.take().unwrap();
            writeln!(input, "I like {}.", LIKES[program]).unwrap();
            // All of them say this: it may be there once.
            writeln!(input, "I always commit before pushing.").unwrap();
            child
        })
        .collect();
    say(&engine, "window", "저는 통로 쪽 좌석이 좋아요").await;
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let texts: Vec<String> = memories(&engine, Status::Active)
        .await
        .into_iter()
        .map(|memory| memory.text)
        .collect();
    assert_eq!(texts.len(), 6, "{texts:?}");
    assert_eq!(
        texts.iter().filter(|text| text.contains("commit")).count(),
        1,
        "{texts:?}"
    );

    // A memory that another program wrote is found by words and by meaning at once.
    let found = engine
        .list_memories(&engine::MemoryQuery {
            text: "mountain hikes".to_owned(),
            ..Default::default()
        })
        .await
        .unwrap();
    assert!(
        found.rows[0].memory.text.contains("mountain hikes"),
        "{:?}",
        found.rows[0]
    );
    assert!(found.rows[0].why.as_ref().unwrap().vector_rank.is_some());
    engine.close().await;
}
