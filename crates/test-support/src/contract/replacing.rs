//! Replacements and confirmations.

use super::{active, create, get, memory_of, only, patch, text, write};
use crate::sample::{self, at, minji, new_memory, new_memory_in_slot};
use memory_model::{Status, WriteOp, WriteStatus};
use ports::MemoryBackend;

pub(super) async fn all<S: MemoryBackend>(make: &impl AsyncFn() -> S) {
    a_replacement_links_both_sides(make().await).await;
    a_replacement_of_another_version_is_refused(make().await).await;
    a_replacement_cannot_take_a_third_key(make().await).await;
    a_confirmation_counts(make().await).await;
}

async fn a_replacement_links_both_sides<S: MemoryBackend>(store: S) {
    let (old, _) = create(&store, 0, sample::seat_en()).await;
    let window = new_memory_in_slot(
        &minji(),
        "preference:seat",
        "이제는 창가 쪽이 좋아요",
        "seat",
        "window",
    );
    let op = WriteOp::Supersede {
        old: old.id.clone(),
        expected_version: 1,
        memory: window,
    };
    let written = write(&store, &minji(), 60, vec![op]).await;
    let result = only(&written);
    assert_eq!(
        result.status,
        WriteStatus::Superseded,
        "the new memory may take the key of the one it replaces"
    );
    let new = memory_of(result);
    assert_eq!(
        result.replaced.as_ref(),
        Some(&old),
        "`replaced` holds the old memory as it was"
    );
    assert_eq!(
        new.supersedes,
        Some(old.id.clone()),
        "the new memory links to the old one"
    );
    assert_eq!(
        (new.status, new.valid_from, new.valid_to),
        (Status::Active, at(60), None),
        "the new memory holds"
    );
    let ended = get(&store, &minji(), &old.id).await;
    assert_eq!(
        ended.superseded_by,
        Some(new.id.clone()),
        "the old memory links to the new one"
    );
    assert_eq!(
        ended.status,
        Status::Superseded,
        "the old memory is kept as history"
    );
    assert_eq!(
        ended.valid_to,
        Some(at(60)),
        "the old memory held until the new one began"
    );
    assert_eq!(
        (ended.version, ended.updated_at),
        (2, at(60)),
        "ending is a change"
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![new],
        "only the new memory is active"
    );
}

async fn a_replacement_of_another_version_is_refused<S: MemoryBackend>(store: S) {
    let (first, _) = create(&store, 0, sample::seat_en()).await;
    let (second, _) = patch(&store, 1, &first, text("I like the aisle best")).await;
    let memory = new_memory(&minji(), "preference:window", "I now prefer the window");
    let op = WriteOp::Supersede {
        old: first.id.clone(),
        expected_version: 1,
        memory,
    };
    let written = write(&store, &minji(), 2, vec![op]).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::VersionConflict,
        "the writer saw another version"
    );
    assert_eq!(
        memory_of(only(&written)),
        second,
        "VersionConflict holds the current state"
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![second],
        "a refused replacement writes nothing"
    );
}

async fn a_replacement_cannot_take_a_third_key<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_EN),
    )
    .await;
    let memory = new_memory(&minji(), "preference:food", "조개류도 먹어요");
    let op = WriteOp::Supersede {
        old: seat.id.clone(),
        expected_version: 1,
        memory,
    };
    let written = write(&store, &minji(), 1, vec![op]).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::AlreadyExists,
        "a third memory has the key"
    );
    assert_eq!(
        memory_of(only(&written)).id,
        food.id,
        "AlreadyExists holds the memory that has the key"
    );
    assert_eq!(
        get(&store, &minji(), &seat.id).await,
        seat,
        "the old memory goes on when nothing replaces it"
    );
}

async fn a_confirmation_counts<S: MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_ko()).await;
    let again = Some(sample::evidence("통로 쪽이 좋다니까요", None));
    let op = WriteOp::Confirm {
        id: memory.id.clone(),
        evidence: again,
    };
    let written = write(&store, &minji(), 30, vec![op]).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::Confirmed,
        "a known memory was said again"
    );
    let after = memory_of(only(&written));
    assert_eq!(after.confirmations, 2, "a confirmation is counted");
    assert_eq!(after.last_confirmed_at, at(30), "a confirmation has its time");
    assert_eq!(after.text, memory.text, "a confirmation changes no words");
    assert_eq!(
        after.content_hash, memory.content_hash,
        "a confirmation changes no content"
    );
    assert_eq!(
        after.created_at, memory.created_at,
        "a confirmation does not make the memory newer"
    );
    assert!(written.change_id.is_some(), "a confirmation can be undone");
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        after,
        "get returns what the write returned"
    );
    write(
        &store,
        &minji(),
        40,
        vec![WriteOp::Confirm {
            id: memory.id.clone(),
            evidence: None,
        }],
    )
    .await;
    assert_eq!(
        get(&store, &minji(), &memory.id).await.confirmations,
        3,
        "every confirmation is counted"
    );
}
