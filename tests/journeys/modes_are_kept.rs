//! Capture modes, temporary threads and switches of namespaces hold on every path, and the turn says so.

use crate::people::{memories, open, say};
use engine::{Brought, Engine, ThreadMode};
use memory_model::{
    CaptureBlock, CaptureMode, NamespaceSwitch, Origin, ReviewReason, SkipReason, Source, Status, ThreadId,
};
use serde_json::json;

async fn mode(engine: &Engine, mode: &str) {
    engine
        .save_setting("memoryCaptureMode", &json!(mode))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_capture_mode_keeps_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    mode(&engine, "confirm").await;
    let asked = say(&engine, "t", "저는 창가 자리를 좋아해요").await;
    assert_eq!(asked.review_updates[0].reason, ReviewReason::Confirm, "{asked:?}");

    mode(&engine, "manual").await;
    let plain = say(&engine, "t", "I like rainy days.").await;
    assert!(plain.stored_updates.is_empty(), "{plain:?}");
    assert_eq!(plain.skipped_updates[0].reason, SkipReason::CaptureOff);
    let wanted = say(
        &engine,
        "t",
        "Remember that I am allergic to penicillin dust in old books.",
    )
    .await;
    let kept = wanted.stored_updates.len() + wanted.review_updates.len();
    assert_eq!(kept, 1, "what was asked for is kept or waits: {wanted:?}");
    let korean = say(&engine, "t", "우리 팀 회의는 수요일이라고 기억해 줘").await;
    assert_eq!(
        korean.stored_updates.len() + korean.review_updates.len(),
        1,
        "{korean:?}"
    );

    mode(&engine, "recall-only").await;
    let before = memories(&engine, Status::Active).await.len();
    let recalled = say(&engine, "t", "I love long train rides.").await;
    assert_eq!(recalled.mode.unwrap().blocked, Some(CaptureBlock::RecallOnly));
    assert!(
        recalled
            .skipped_updates
            .iter()
            .any(|skipped| skipped.explanation.starts_with("mode:"))
    );
    mode(&engine, "auto").await;
    say(&engine, "t", "Hello again.").await;
    assert_eq!(
        memories(&engine, Status::Active).await.len(),
        before,
        "what was said while nothing was captured is not captured later"
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_thread_recalls_only_when_asked_and_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I prefer aisle seats on flights.").await;
    let temporary = engine.create_thread(true).await.unwrap().id;
    let question = "Which seats do I prefer on flights?";
    let silent = say(&engine, temporary.as_str(), question).await;
    assert!(silent.retrieved_memories.is_empty(), "{silent:?}");
    assert!(!silent.mode.unwrap().recall);
    let kept = say(&engine, temporary.as_str(), "I enjoy quiet harbors.").await;
    assert!(kept.stored_updates.is_empty());
    assert_eq!(kept.mode.unwrap().blocked, Some(CaptureBlock::TemporaryThread));
    let found = engine.list_threads(Some("harbors"), false).await.unwrap();
    assert!(found.is_empty(), "a search finds no temporary thread: {found:?}");

    let recalls = ThreadMode {
        capture: None,
        recall: Some(true),
    };
    engine.set_thread_mode(&temporary, recalls).await.unwrap();
    let asked = say(&engine, temporary.as_str(), question).await;
    assert_eq!(asked.retrieved_memories.len(), 1, "{asked:?}");
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_and_a_namespace_have_switches_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "quiet", "Hello.").await;
    let quiet = ThreadMode {
        capture: Some(CaptureMode::RecallOnly),
        recall: None,
    };
    engine
        .set_thread_mode(&ThreadId::new("quiet"), quiet)
        .await
        .unwrap();
    let said = say(&engine, "quiet", "I like black tea.").await;
    assert!(said.stored_updates.is_empty(), "{said:?}");

    let preference = |capture, recall| NamespaceSwitch {
        namespace: "preference".to_owned(),
        capture,
        recall,
    };
    engine.set_namespace(&preference(false, true)).await.unwrap();
    let off = say(&engine, "t", "I like green tea.").await;
    assert!(off.stored_updates.is_empty(), "{off:?}");
    assert!(
        off.skipped_updates[0].explanation.contains("kind of memory"),
        "{off:?}"
    );
    engine.set_namespace(&preference(true, false)).await.unwrap();
    let on = say(&engine, "t", "I like jasmine tea.").await;
    assert_eq!(on.stored_updates.len(), 1, "{on:?}");
    let asked = say(&engine, "t", "Do I like jasmine tea?").await;
    assert!(
        asked.retrieved_memories.is_empty(),
        "a namespace that is not recalled: {asked:?}"
    );
    let listed = engine.list_namespaces().await.unwrap();
    assert!(
        listed
            .iter()
            .any(|view| view.switch == preference(true, false) && view.memories == 1)
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_obey_the_mode_too() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    mode(&engine, "recall-only").await;
    let brought = Brought {
        text: "The warehouse closes at six".to_owned(),
        category: None,
        source: Source::new(Origin::Agent, "planner"),
        replaces: None,
    };
    assert!(engine.remember_from(brought.clone(), None).await.is_err());
    mode(&engine, "confirm").await;
    let kept = engine.remember_from(brought, None).await.unwrap();
    assert!(
        matches!(
            kept,
            engine::Kept::Waiting {
                reason: ReviewReason::Confirm,
                ..
            }
        ),
        "{kept:?}"
    );
    assert!(memories(&engine, Status::Active).await.is_empty());
    engine.close().await;
}
