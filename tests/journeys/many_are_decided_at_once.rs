//! A long queue: read page by page, decided many at a time, each decision with its own outcome, taken back, recorded.

use crate::people::{memories, open, say};
use engine::ReviewOutcomeStatus;
use memory_model::{Decision, MemoryPatch, ReviewDecision, ReviewId, ReviewQuery, ReviewStatus, Status};
use serde_json::json;

fn decide(id: &ReviewId, decision: Decision) -> ReviewDecision {
    ReviewDecision {
        id: id.clone(),
        decision,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_are_decided_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, other) = (open(folder.path()).await, open(folder.path()).await);
    engine
        .save_setting("memoryCaptureMode", &json!("confirm"))
        .await
        .unwrap();
    for text in [
        "I like chess.",
        "저는 등산을 좋아해요",
        "I love jazz.",
        "저는 부산에 살아요",
        "I prefer dark roast coffee.",
    ] {
        say(&engine, "t", text).await;
    }
    let mut query = ReviewQuery {
        limit: 2,
        ..ReviewQuery::of(ReviewStatus::Pending)
    };
    let mut ids = Vec::new();
    loop {
        let page = engine.review_page(&query).await.unwrap();
        assert_eq!(page.total, 5, "{page:?}");
        ids.extend(page.items.into_iter().map(|item| item.id));
        // An item that is decided in between moves no page.
        if ids.len() == 2 {
            other
                .decide_reviews(&[decide(&ids[0], Decision::Approve)])
                .await
                .unwrap();
            other.undo_reviews(&ids[..1]).await.unwrap();
        }
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(ids.len(), 5);

    let first = other
        .decide_reviews(&[decide(&ids[0], Decision::Approve)])
        .await
        .unwrap();
    let mut wanted: Vec<ReviewDecision> = ids.iter().map(|id| decide(id, Decision::Approve)).collect();
    wanted[4].decision = Decision::Reject;
    wanted.push(decide(&ReviewId::new("nobody"), Decision::Approve));
    wanted[3].decision = Decision::Edit { text: "x".to_owned() };
    let outcomes = engine.decide_reviews(&wanted).await.unwrap();
    let statuses: Vec<ReviewOutcomeStatus> = outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(
        statuses,
        [
            ReviewOutcomeStatus::DecidedBefore,
            ReviewOutcomeStatus::Decided,
            ReviewOutcomeStatus::Decided,
            ReviewOutcomeStatus::Refused,
            ReviewOutcomeStatus::Decided,
            ReviewOutcomeStatus::NotFound,
        ]
    );
    assert_eq!(
        outcomes[0].memory_ids, first[0].memory_ids,
        "whoever comes second gets what the first one wrote"
    );
    assert_eq!(
        outcomes[0].item.as_ref().unwrap().decision,
        Some(Decision::Approve)
    );
    assert_eq!(memories(&engine, Status::Active).await.len(), 3);
    let waiting = engine
        .review_page(&ReviewQuery::of(ReviewStatus::Pending))
        .await
        .unwrap();
    assert_eq!(waiting.items.len(), 1, "what was refused waits on");

    engine.undo_reviews(&ids[1..3]).await.unwrap();
    assert_eq!(memories(&engine, Status::Active).await.len(), 1);
    let audit = engine.list_audit(0).await.unwrap();
    let count = |action: &str| audit.iter().filter(|record| record.action == action).count();
    assert_eq!(
        (count("review.decided"), count("review.undone")),
        (5, 3),
        "{audit:?}"
    );
    engine.close().await;
    other.close().await;
}

/// Two reviewers at the very same moment, over two programs: one memory, and both know which.
#[tokio::test(flavor = "multi_thread")]
async fn two_reviewers_of_one_item_get_one_result() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()).await, open(folder.path()).await);
    say(&first, "t", "앞으로는 존댓말로만 대답해 줘").await;
    let page = first
        .review_page(&ReviewQuery::of(ReviewStatus::Pending))
        .await
        .unwrap();
    let decisions = [decide(&page.items[0].id, Decision::Approve)];
    let (one, other) = tokio::join!(
        first.decide_reviews(&decisions),
        second.decide_reviews(&decisions)
    );
    let (one, other) = (one.unwrap().remove(0), other.unwrap().remove(0));
    assert_eq!(one.memory_ids, other.memory_ids, "{one:?} {other:?}");
    assert!((one.status == ReviewOutcomeStatus::Decided) ^ (other.status == ReviewOutcomeStatus::Decided));
    assert_eq!(memories(&first, Status::Active).await.len(), 1);
    first.close().await;
    second.close().await;
}

/// The same statement in two threads of two programs at once is there once.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_at_the_same_moment_are_there_once() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()).await, open(folder.path()).await);
    let text = "I prefer standing desks.";
    tokio::join!(
        say(&first, "a", text),
        say(&second, "b", text),
        say(&first, "c", text)
    );
    let active = memories(&first, Status::Active).await;
    assert_eq!(active.len(), 1, "{active:?}");
    first.close().await;
    second.close().await;
}

/// A write between reading and deciding is not lost: the decision is refused and the item waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_in_between_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I like Python.").await;
    let seen = memories(&engine, Status::Active).await.remove(0);
    let patch = |text: &str| MemoryPatch {
        text: Some(text.to_owned()),
        ..MemoryPatch::default()
    };
    engine
        .edit_memory(&seen.id, seen.version, patch("Likes Python for data work"))
        .await
        .unwrap();
    let late = engine
        .edit_memory(&seen.id, seen.version, patch("Likes Ruby"))
        .await
        .unwrap_err();
    assert_eq!(late.code, engine::ErrorCode::Conflict);
    let now = engine.open_memory(&seen.id).await.unwrap().memory;
    assert!(now.text.contains("data work"), "{now:?}");
    engine.close().await;
}
