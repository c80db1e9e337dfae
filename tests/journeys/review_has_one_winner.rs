//! Two people decide one item at the same moment: one wins, the other is told, and one memory is there.

use crate::people::{memories, open, say};
use engine::ErrorCode;
use memory_model::{Decision, ReviewReason, ReviewStatus, Status};

#[tokio::test(flavor = "multi_thread")]
async fn review_has_one_winner() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()).await, open(folder.path()).await);
    say(&first, "t", "앞으로 항상 한국어로 대답해 줘").await;
    let items = first.list_review(ReviewStatus::Pending).await.unwrap();
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0].waiting.reason, ReviewReason::Procedural);
    let id = &items[0].id;
    let (one, other) = tokio::join!(
        first.decide_review(id, &Decision::Approve),
        second.decide_review(id, &Decision::Approve)
    );
    assert!(one.is_ok() ^ other.is_ok(), "{one:?} {other:?}");
    let lost = one.err().or(other.err()).unwrap();
    assert_eq!(lost.code, ErrorCode::Conflict);
    assert_eq!(memories(&first, Status::Active).await.len(), 1);
    first.close().await;
    second.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_decided_each_way() {
    for (decision, expected) in [
        (Decision::NewerWins, 1),
        (Decision::Reject, 1),
        (Decision::KeepBoth, 2),
        (
            Decision::Edit {
                text: "Likes Python for scripts only".to_owned(),
            },
            1,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = open(folder.path()).await;
        say(&engine, "t", "I like Python.").await;
        say(&engine, "t", "I don't like Python.").await;
        let items = engine.list_review(ReviewStatus::Pending).await.unwrap();
        assert_eq!(items.len(), 1, "{items:?}");
        assert!(items[0].waiting.existing.is_some(), "both sides are shown");
        engine.decide_review(&items[0].id, &decision).await.unwrap();
        let active = memories(&engine, Status::Active).await;
        assert_eq!(active.len(), expected, "{decision:?}: {active:?}");
        engine.undo_review(&items[0].id).await.unwrap();
        let back = memories(&engine, Status::Active).await;
        assert_eq!(back.len(), 1);
        assert_eq!(
            back[0].polarity,
            memory_model::Polarity::Positive,
            "{decision:?} was taken back"
        );
        assert_eq!(engine.list_review(ReviewStatus::Pending).await.unwrap().len(), 1);
        engine.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_things_said_in_one_breath_do_not_both_stand() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I prefer aisle seats. I prefer window seats.").await;
    let active = memories(&engine, Status::Active).await;
    assert_eq!(active.len(), 1, "{active:?}");
    assert_eq!(engine.list_review(ReviewStatus::Pending).await.unwrap().len(), 1);
    engine.close().await;
}
