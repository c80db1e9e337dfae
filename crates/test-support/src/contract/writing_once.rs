//! Batches that come twice, and writers that come at the same time.

use super::{active, create, get, memory_of, ok, only, patch, text, write};
use crate::sample::{self, at, minji, new_memory, turn_batch};
use memory_model::{ChangeReason, TurnId, TurnMark, WriteBatch, WriteOp, WriteStatus};
use ports::{Conversations, MemoryBackend};

pub(super) async fn all<S: MemoryBackend + Conversations>(make: &impl AsyncFn() -> S) {
    a_turn_writes_once(make().await).await;
    a_turn_moves_the_cursor(make().await).await;
    writers_at_the_same_time_make_one_memory(make().await).await;
}

async fn a_turn_writes_once<S: MemoryBackend + Conversations>(store: S) {
    let thread = sample::thread("trip", "Trip", at(0));
    ok(store.create_thread(&minji(), &thread).await, "create_thread");
    let mark = TurnMark {
        turn_id: TurnId::new("turn-1"),
        thread_id: thread.id.clone(),
        cursor: 3,
    };
    let (known, _) = create(&store, 0, new_memory(&minji(), "profile:city", "서울에 살아요")).await;
    let ops = vec![
        WriteOp::Create {
            memory: sample::seat_ko(),
        },
        WriteOp::Confirm {
            id: known.id.clone(),
            evidence: None,
        },
    ];
    let turn = turn_batch(&minji(), at(1), mark.clone(), ops.clone());
    let first = ok(store.apply(turn.clone()).await, "the first time");
    let second = ok(
        store
            .apply(WriteBatch {
                at: at(2),
                ..turn.clone()
            })
            .await,
        "the second time",
    );
    assert_eq!(
        second, first,
        "a batch of the same mark and reason returns its first outcome"
    );
    assert_eq!(
        active(&store, &minji()).await.len(),
        2,
        "a batch of the same mark and reason is applied once"
    );
    assert_eq!(
        get(&store, &minji(), &known.id).await.confirmations,
        2,
        "a resumed turn confirms once"
    );

    let seat = memory_of(&first.results[0]);
    patch(&store, 3, &seat, text("창가도 괜찮아요")).await;
    let third = ok(store.apply(turn).await, "the third time");
    assert_eq!(
        third, first,
        "the first outcome is returned also when the memory was changed since"
    );

    let food = WriteOp::Create {
        memory: new_memory(&minji(), "preference:food", sample::FOOD_KO),
    };
    let other = WriteBatch {
        reason: ChangeReason::Review,
        ..turn_batch(&minji(), at(4), mark, vec![food])
    };
    let other = ok(store.apply(other).await, "another reason");
    assert_eq!(
        only(&other).status,
        WriteStatus::Created,
        "another reason is another step of the turn"
    );
}

async fn a_turn_moves_the_cursor<S: MemoryBackend + Conversations>(store: S) {
    let thread = sample::thread("trip", "여행", at(0));
    ok(store.create_thread(&minji(), &thread).await, "create_thread");
    let mark = |turn: &str, cursor| TurnMark {
        turn_id: TurnId::new(turn),
        thread_id: thread.id.clone(),
        cursor,
    };
    let ops = vec![WriteOp::Create {
        memory: sample::seat_ko(),
    }];
    ok(
        store
            .apply(turn_batch(&minji(), at(1), mark("turn-1", 4), ops))
            .await,
        "a turn's batch",
    );
    let cursor = ok(
        store.extraction_cursor(&minji(), &thread.id).await,
        "extraction_cursor",
    );
    assert_eq!(cursor, 4, "the cursor moves with the writes");
    ok(
        store
            .apply(turn_batch(&minji(), at(2), mark("turn-2", 8), Vec::new()))
            .await,
        "a turn's empty batch",
    );
    let cursor = ok(
        store.extraction_cursor(&minji(), &thread.id).await,
        "extraction_cursor",
    );
    assert_eq!(cursor, 8, "the cursor moves also when there is nothing to write");
}

async fn writers_at_the_same_time_make_one_memory<S: MemoryBackend>(store: S) {
    let owner = minji();
    let op = || {
        vec![WriteOp::Create {
            memory: sample::seat_en(),
        }]
    };
    let (a, b) = (write(&store, &owner, 0, op()), write(&store, &owner, 0, op()));
    let (a, b) = futures::join!(a, b);
    let created = [&a, &b]
        .into_iter()
        .filter(|written| only(written).status == WriteStatus::Created)
        .count();
    assert_eq!(
        created, 1,
        "of two writers of one key, one makes the memory: {a:?} {b:?}"
    );
    assert_eq!(
        active(&store, &owner).await.len(),
        1,
        "one active memory for each owner and key"
    );
}
