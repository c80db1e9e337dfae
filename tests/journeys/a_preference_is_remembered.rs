//! Somebody says what they like, and another thread knows it after a restart, in English and Korean, with the reason.

use crate::people::{memories, open, open_window, say};
use engine::{EmbeddingHealth, MemoryQuery};
use memory_model::{AnsweredBy, SkipReason, Status};

#[tokio::test(flavor = "multi_thread")]
async fn a_preference_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let health = engine.health().await;
    assert!(
        matches!(health.embedding, EmbeddingHealth::Ready { .. }),
        "these tests run on the real model: {:?}; run `cargo xtask models`",
        health.embedding
    );
    let english = say(&engine, "trip", "I prefer aisle seats and morning flights").await;
    let korean = say(&engine, "trip", "저는 통로 쪽 좌석이 좋아요").await;
    assert!(!english.stored_updates.is_empty(), "{english:?}");
    assert!(!korean.stored_updates.is_empty(), "{korean:?}");
    engine.close().await;

    let engine = open(folder.path()).await;
    let asked = say(&engine, "another", "Find me a flight to Denver next month").await;
    let used: Vec<&str> = asked
        .retrieved_memories
        .iter()
        .filter(|recalled| recalled.in_prompt)
        .map(|recalled| recalled.hit.memory.text.as_str())
        .collect();
    assert!(
        used.iter().any(|text| text.contains("morning flights")),
        "{used:?}"
    );
    let why = &asked.retrieved_memories[0].hit.why;
    assert!(
        why.vector_rank.is_some() && why.similarity.is_some_and(|similarity| similarity > 0.2),
        "{why:?}"
    );
    assert_eq!(asked.answered_by, Some(AnsweredBy::Memory));
    assert!(
        asked
            .skipped_updates
            .iter()
            .any(|skipped| skipped.reason == SkipReason::TransientRequest),
        "{asked:?}"
    );

    let asked = say(&engine, "또 다른 대화", "통로 좌석으로 예약해 줘").await;
    assert!(asked.response.contains("통로 쪽 좌석"), "{}", asked.response);
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn meaning_finds_what_no_word_says() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I never eat meat.").await;
    say(&engine, "t", "I always commit before pushing.").await;
    let found = engine
        .list_memories(&MemoryQuery {
            text: "vegetarian food".to_owned(),
            ..MemoryQuery::default()
        })
        .await
        .unwrap();
    assert!(found.meaning_searched);
    assert!(found.rows[0].memory.text.contains("meat"), "{:?}", found.rows);
    assert!(found.rows[0].why.as_ref().unwrap().keyword_rank.is_none());
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_thread_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let thread = engine.create_thread(true).await.unwrap();
    let output = say(&engine, thread.id.as_str(), "I prefer aisle seats").await;
    assert!(
        output.stored_updates.is_empty() && output.review_updates.is_empty(),
        "{output:?}"
    );
    assert!(memories(&engine, Status::Active).await.is_empty());
    engine.close().await;

    // The next window erases it; a command does not, because the window may be open.
    let engine = open(folder.path()).await;
    assert_eq!(engine.list_threads(None, false).await.unwrap().len(), 1);
    engine.close().await;
    let engine = open_window(folder.path()).await;
    for _ in 0..100 {
        if engine.list_threads(None, false).await.unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(engine.list_threads(None, false).await.unwrap().is_empty());
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_and_odd_messages_are_kept_whole() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let pasted = "로그 한 줄 line of a log\n".repeat(40_000);
    let odd = "NUL \u{0} inside, right to left \u{202e}abc, and 👩‍👩‍👧 family";
    for text in [pasted.as_str(), odd] {
        let output = say(&engine, "odd", text).await;
        assert!(!output.response.is_empty(), "{:?}", output.errors);
    }
    let view = engine
        .open_thread(&memory_model::ThreadId::new("odd"))
        .await
        .unwrap();
    assert_eq!(view.messages[0].text, pasted);
    assert_eq!(view.messages[2].text, odd);
    engine.close().await;
}
