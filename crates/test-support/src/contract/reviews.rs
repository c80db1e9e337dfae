//! The contract of [`ReviewQueue`].

use super::{active, conflict, create, get, memory_of, not_found, ok, only, patch, text};
use crate::sample::{self, at, batch, candidate, daniel, minji, new_memory, review_item};
use memory_model::{
    Decision, ReviewId, ReviewItem, ReviewStatus, ThreadId, TurnId, TurnMark, WriteBatch, WriteOp,
    WriteStatus, Written,
};
use ports::{Conversations, MemoryBackend, ReviewQueue};

/// The contract of [`ReviewQueue`]. `MemoryBackend` shows what a decision wrote, `Conversations` the cursor.
///
/// # Panics
/// When the store breaks a promise.
pub async fn review_queue<S: ReviewQueue + MemoryBackend + Conversations>(make: impl AsyncFn() -> S) {
    an_item_comes_back_as_it_was_parked(make().await).await;
    an_item_is_parked_once(make().await).await;
    parking_moves_the_cursor(make().await).await;
    items_come_oldest_first(make().await).await;
    a_decision_writes_and_is_kept(make().await).await;
    every_decision_comes_back_as_it_was(make().await).await;
    an_item_is_decided_once(make().await).await;
    a_decision_is_taken_back(make().await).await;
    a_decision_over_a_later_change_stays(make().await).await;
    what_is_missing_is_not_found(make().await).await;
    a_thread_counts_what_waits(make().await).await;
}

fn seat_item(id: &str, seconds: i64) -> ReviewItem {
    review_item(
        id,
        &minji(),
        candidate("preference:seat", sample::SEAT_KO),
        None,
        at(seconds),
    )
}

fn seat_writes(seconds: i64) -> WriteBatch {
    let ops = vec![WriteOp::Create {
        memory: sample::seat_ko(),
    }];
    WriteBatch {
        reason: memory_model::ChangeReason::Review,
        ..batch(&minji(), at(seconds), ops)
    }
}

async fn park<S: ReviewQueue>(store: &S, item: &ReviewItem) {
    ok(store.park(vec![item.clone()], None).await, "park");
}

async fn item<S: ReviewQueue>(store: &S, id: &ReviewId) -> ReviewItem {
    ok(store.item(&minji(), id).await, "item").unwrap_or_else(|| panic!("review item {id} must exist"))
}

async fn approve<S: ReviewQueue>(store: &S, id: &ReviewId, seconds: i64) -> Written {
    let decided = store.decide(id, &Decision::Approve, seat_writes(seconds)).await;
    ok(decided, "decide")
}

async fn an_item_comes_back_as_it_was_parked<S: ReviewQueue>(store: S) {
    let existing = sample::memory(&minji(), "preference:seat", sample::SEAT_EN);
    let conflict = ReviewItem {
        turn_id: Some(TurnId::new("turn-1")),
        thread_id: Some(ThreadId::new("trip")),
        message_id: Some(memory_model::MessageId::new("message-1")),
        ..review_item(
            "a",
            &minji(),
            candidate("preference:seat", "이제는 창가요"),
            Some(existing),
            at(1),
        )
    };
    let whole_turn = ReviewItem {
        waiting: memory_model::Waiting {
            reason: memory_model::ReviewReason::RetrievalFailed,
            candidate: None,
            existing: None,
            likeness: None,
        },
        ..seat_item("b", 2)
    };
    for given in [conflict, whole_turn] {
        park(&store, &given).await;
        assert_eq!(
            item(&store, &given.id).await,
            given,
            "an item comes back with both sides and its origin"
        );
        assert_eq!(
            ok(store.item(&daniel(), &given.id).await, "item"),
            None,
            "an item is read by its owner only"
        );
    }
    let unknown = ok(store.item(&minji(), &ReviewId::new("no-such-item")).await, "item");
    assert_eq!(unknown, None, "an unknown item is None");
}

async fn an_item_is_parked_once<S: ReviewQueue + MemoryBackend>(store: S) {
    let first = seat_item("a", 1);
    park(&store, &first).await;
    let other = ReviewItem {
        waiting: seat_item("x", 0).waiting,
        created_at: at(9),
        ..first.clone()
    };
    ok(
        store.park(vec![other, seat_item("b", 2)], None).await,
        "parking again",
    );
    assert_eq!(
        item(&store, &first.id).await,
        first,
        "an item that is there already stays as it is"
    );
    assert_eq!(
        ok(store.pending(&minji()).await, "pending"),
        2,
        "the new item beside it is parked"
    );
    approve(&store, &first.id, 3).await;
    park(&store, &first).await;
    assert_eq!(
        item(&store, &first.id).await.status,
        ReviewStatus::Decided,
        "a decided item does not wait again"
    );
}

async fn parking_moves_the_cursor<S: ReviewQueue + Conversations>(store: S) {
    let thread = sample::thread("trip", "여행", at(0));
    ok(store.create_thread(&minji(), &thread).await, "create_thread");
    let mark = TurnMark {
        turn_id: TurnId::new("turn-1"),
        thread_id: thread.id.clone(),
        cursor: 6,
    };
    ok(store.park(vec![seat_item("a", 1)], None).await, "park");
    let cursor = ok(
        store.extraction_cursor(&minji(), &thread.id).await,
        "extraction_cursor",
    );
    assert_eq!(cursor, 0, "without a mark the cursor stays");
    ok(store.park(vec![seat_item("b", 1)], Some(&mark)).await, "park");
    let cursor = ok(
        store.extraction_cursor(&minji(), &thread.id).await,
        "extraction_cursor",
    );
    assert_eq!(cursor, 6, "with a mark the cursor moves in the same call");
}

async fn items_come_oldest_first<S: ReviewQueue + MemoryBackend>(store: S) {
    for (id, seconds) in [("c", 30), ("a", 10), ("b", 20)] {
        park(&store, &seat_item(id, seconds)).await;
    }
    park(
        &store,
        &ReviewItem {
            owner: daniel(),
            ..seat_item("theirs", 5)
        },
    )
    .await;
    let ids = async |status, limit| {
        let items = ok(store.items(&minji(), status, limit).await, "items");
        items
            .into_iter()
            .map(|item| item.id.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids(ReviewStatus::Pending, 9).await,
        ["a", "b", "c"],
        "what waits, oldest first, of one owner"
    );
    assert_eq!(
        ids(ReviewStatus::Pending, 2).await,
        ["a", "b"],
        "at most `limit` items"
    );
    assert_eq!(ok(store.pending(&minji()).await, "pending"), 3, "how many wait");
    approve(&store, &ReviewId::new("b"), 40).await;
    assert_eq!(
        ids(ReviewStatus::Pending, 9).await,
        ["a", "c"],
        "a decided item waits no longer"
    );
    assert_eq!(
        ids(ReviewStatus::Decided, 9).await,
        ["b"],
        "a decided item is kept"
    );
    assert_eq!(ok(store.pending(&minji()).await, "pending"), 2, "how many wait");
    assert_eq!(
        ok(store.pending(&daniel()).await, "pending"),
        1,
        "another owner's queue is another queue"
    );
}

async fn a_decision_writes_and_is_kept<S: ReviewQueue + MemoryBackend>(store: S) {
    let parked = seat_item("a", 1);
    park(&store, &parked).await;
    let written = approve(&store, &parked.id, 5).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::Created,
        "a decision writes what it leads to"
    );
    let memory = memory_of(only(&written));
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        memory,
        "what a decision wrote is there"
    );
    let expected = ReviewItem {
        status: ReviewStatus::Decided,
        decision: Some(Decision::Approve),
        decided_at: Some(at(5)),
        change_id: written.change_id.clone(),
        ..parked
    };
    assert!(written.change_id.is_some(), "a decision that wrote can be undone");
    assert_eq!(
        item(&store, &expected.id).await,
        expected,
        "the decision, its time and its change set are kept"
    );
}

async fn every_decision_comes_back_as_it_was<S: ReviewQueue>(store: S) {
    let decisions = [
        Decision::Approve,
        Decision::Edit {
            text: "통로 쪽 \"앞자리\"가 좋아요".to_owned(),
        },
        Decision::Reject,
        Decision::KeepBoth,
        Decision::NewerWins,
    ];
    for (index, decision) in decisions.into_iter().enumerate() {
        let parked = seat_item(&format!("item-{index}"), 1);
        park(&store, &parked).await;
        let nothing = batch(&minji(), at(2), Vec::new());
        let written = ok(store.decide(&parked.id, &decision, nothing).await, "decide");
        assert_eq!(
            written.change_id, None,
            "a decision that wrote nothing has nothing to undo"
        );
        let decided = item(&store, &parked.id).await;
        assert_eq!(
            decided.decision,
            Some(decision),
            "a decision comes back as it was"
        );
        assert_eq!(
            decided.change_id, None,
            "a decision that wrote nothing has nothing to undo"
        );
    }
}

async fn an_item_is_decided_once<S: ReviewQueue + MemoryBackend>(store: S) {
    let parked = seat_item("a", 1);
    park(&store, &parked).await;
    let nothing = batch(&minji(), at(2), Vec::new());
    ok(
        store.decide(&parked.id, &Decision::Reject, nothing).await,
        "decide",
    );
    let before = item(&store, &parked.id).await;
    let second = store.decide(&parked.id, &Decision::Approve, seat_writes(3)).await;
    conflict(second, "a second decision");
    assert!(
        active(&store, &minji()).await.is_empty(),
        "a second decision writes nothing"
    );
    assert_eq!(item(&store, &parked.id).await, before, "the first decision stays");
}

async fn a_decision_is_taken_back<S: ReviewQueue + MemoryBackend>(store: S) {
    let parked = seat_item("a", 1);
    park(&store, &parked).await;
    approve(&store, &parked.id, 2).await;
    let change = ok(
        store.undo_decision(&minji(), &parked.id, at(3)).await,
        "undo_decision",
    );
    assert!(
        change.is_some(),
        "taking back what was written is a change set of its own"
    );
    assert!(
        active(&store, &minji()).await.is_empty(),
        "what the decision wrote is undone"
    );
    assert_eq!(
        item(&store, &parked.id).await,
        parked,
        "the item waits again, as if nothing had been decided"
    );
    assert_eq!(
        ok(store.pending(&minji()).await, "pending"),
        1,
        "the item waits again"
    );

    approve(&store, &parked.id, 4).await;
    assert_eq!(
        active(&store, &minji()).await.len(),
        1,
        "the item can be decided again"
    );
    ok(
        store.undo_decision(&minji(), &parked.id, at(5)).await,
        "undo_decision",
    );
    let nothing = batch(&minji(), at(6), Vec::new());
    ok(
        store.decide(&parked.id, &Decision::Reject, nothing).await,
        "decide",
    );
    let change = ok(
        store.undo_decision(&minji(), &parked.id, at(7)).await,
        "undo_decision",
    );
    assert_eq!(change, None, "a decision that wrote nothing leaves no change set");
    assert_eq!(item(&store, &parked.id).await, parked, "the item waits again");
}

async fn a_decision_over_a_later_change_stays<S: ReviewQueue + MemoryBackend>(store: S) {
    let parked = seat_item("a", 1);
    park(&store, &parked).await;
    let memory = memory_of(only(&approve(&store, &parked.id, 2).await));
    let (changed, _) = patch(&store, 3, &memory, text("앞쪽 통로가 좋아요")).await;
    let before = item(&store, &parked.id).await;
    conflict(
        store.undo_decision(&minji(), &parked.id, at(4)).await,
        "taking back over a later change",
    );
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        changed,
        "the later change stays"
    );
    assert_eq!(item(&store, &parked.id).await, before, "the item stays decided");
}

async fn what_is_missing_is_not_found<S: ReviewQueue + MemoryBackend>(store: S) {
    let parked = seat_item("a", 1);
    park(&store, &parked).await;
    not_found(
        store.undo_decision(&minji(), &parked.id, at(2)).await,
        "taking back what is not decided",
    );
    let unknown = ReviewId::new("no-such-item");
    not_found(
        store.undo_decision(&minji(), &unknown, at(2)).await,
        "taking back an unknown item",
    );
    let decided = store.decide(&unknown, &Decision::Approve, seat_writes(2)).await;
    not_found(decided, "deciding an unknown item");
    let theirs = batch(
        &daniel(),
        at(2),
        vec![WriteOp::Create {
            memory: new_memory(&daniel(), "profile:a", "mine now"),
        }],
    );
    let decided = store.decide(&parked.id, &Decision::Approve, theirs).await;
    not_found(decided, "deciding another owner's item");
    assert!(
        active(&store, &minji()).await.is_empty(),
        "a refused decision writes nothing"
    );
    assert!(
        active(&store, &daniel()).await.is_empty(),
        "a refused decision writes nothing"
    );
    assert_eq!(item(&store, &parked.id).await, parked, "the item still waits");
    approve(&store, &parked.id, 3).await;
    not_found(
        store.undo_decision(&daniel(), &parked.id, at(4)).await,
        "taking back another owner's decision",
    );
    let (_, written) = create(&store, 5, new_memory(&minji(), "profile:city", "부산")).await;
    assert!(written.change_id.is_some(), "the store goes on after refusals");
}

async fn a_thread_counts_what_waits<S: ReviewQueue + MemoryBackend + Conversations>(store: S) {
    let thread = sample::thread("trip", "여행", at(0));
    ok(store.create_thread(&minji(), &thread).await, "create_thread");
    let waiting = async || {
        let one = ok(store.thread(&minji(), &thread.id).await, "thread").map(|thread| thread.waiting);
        let listed = ok(store.threads(&minji(), false, None, 9).await, "threads");
        assert_eq!(
            listed.first().map(|thread| thread.waiting),
            one,
            "list and single thread count alike"
        );
        one
    };
    assert_eq!(waiting().await, Some(0), "nothing waits in a new thread");
    for id in ["a", "b"] {
        park(
            &store,
            &ReviewItem {
                thread_id: Some(thread.id.clone()),
                ..seat_item(id, 1)
            },
        )
        .await;
    }
    park(&store, &seat_item("elsewhere", 1)).await;
    assert_eq!(
        waiting().await,
        Some(2),
        "a thread counts the items of its own that wait"
    );
    approve(&store, &ReviewId::new("a"), 2).await;
    assert_eq!(waiting().await, Some(1), "a decided item is no longer counted");
}
