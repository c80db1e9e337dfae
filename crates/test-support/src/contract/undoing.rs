//! Undo: every change set can be taken back, and the taking back too.

use super::{active, conflict, create, get, memory_of, not_found, ok, only, patch, status, text, write};
use crate::sample::{self, at, daniel, minji, new_memory};
use memory_model::{ChangeId, ChangeReason, Status, WriteOp, Written};
use ports::MemoryBackend;

pub(super) async fn all<S: MemoryBackend>(make: &impl AsyncFn() -> S) {
    undoing_a_creation_deletes_and_undoing_that_brings_it_back(make().await).await;
    undoing_an_update_restores_the_words(make().await).await;
    undoing_a_replacement_restores_the_old_memory(make().await).await;
    undoing_a_confirmation_restores_the_counters(make().await).await;
    undoing_a_deletion_brings_the_memory_back(make().await).await;
    a_change_set_is_undone_as_a_whole(make().await).await;
    an_undo_is_refused_when_a_memory_was_changed_since(make().await).await;
    an_undo_is_refused_when_its_key_was_taken(make().await).await;
    an_undo_is_refused_when_a_memory_was_erased(make().await).await;
    a_recall_does_not_hinder_an_undo(make().await).await;
    unknown_changes_are_not_found(make().await).await;
}

#[track_caller]
fn change(written: &Written) -> ChangeId {
    written
        .change_id
        .clone()
        .unwrap_or_else(|| panic!("a batch that wrote can be undone: {written:?}"))
}

async fn undo<S: MemoryBackend>(store: &S, written: &Written, seconds: i64) -> Written {
    ok(store.undo(&minji(), &change(written), at(seconds)).await, "undo")
}

async fn undoing_a_creation_deletes_and_undoing_that_brings_it_back<S: MemoryBackend>(store: S) {
    let (memory, written) = create(&store, 0, sample::seat_ko()).await;
    let undone = undo(&store, &written, 10).await;
    assert!(
        active(&store, &minji()).await.is_empty(),
        "an undone creation is no longer active"
    );
    let gone = get(&store, &minji(), &memory.id).await;
    assert_eq!(
        gone.status,
        Status::Deleted,
        "an undone creation is deleted, so that it can be brought back"
    );
    assert_eq!(
        (gone.version, gone.updated_at),
        (2, at(10)),
        "an undo makes a new version"
    );
    let redone = undo(&store, &undone, 20).await;
    let back = get(&store, &minji(), &memory.id).await;
    assert_eq!(
        (back.status, back.version),
        (Status::Active, 3),
        "taking back an undo brings the change back"
    );
    assert_eq!(
        back.text, memory.text,
        "taking back an undo brings the words back"
    );
    undo(&store, &redone, 30).await;
    assert!(
        active(&store, &minji()).await.is_empty(),
        "an undo of an undo can be undone as well"
    );
    let reasons: Vec<_> = ok(store.history(&minji(), &memory.id).await, "history")
        .into_iter()
        .map(|version| version.reason)
        .collect();
    let expected = [
        ChangeReason::Manual,
        ChangeReason::Undo,
        ChangeReason::Undo,
        ChangeReason::Undo,
    ];
    assert_eq!(reasons, expected, "every undo is in the history");
}

async fn undoing_an_update_restores_the_words<S: MemoryBackend>(store: S) {
    let (before, _) = create(&store, 0, sample::seat_en()).await;
    let (_, written) = patch(&store, 1, &before, text("창가 쪽이 좋아요")).await;
    undo(&store, &written, 2).await;
    let after = get(&store, &minji(), &before.id).await;
    assert_eq!(after.text, before.text, "undo restores the words");
    assert_eq!(
        after.content_hash, before.content_hash,
        "undo restores the content hash"
    );
    assert_eq!(after.version, 3, "undo makes a new version and erases none");
    let terms = recall::terms::index_terms("aisle");
    let filter = memory_model::MemoryFilter::active(minji());
    let hits = ok(store.search_keywords(&filter, &terms, 5).await, "search_keywords");
    assert_eq!(hits.len(), 1, "undo restores the keyword index");
}

async fn undoing_a_replacement_restores_the_old_memory<S: MemoryBackend>(store: S) {
    let (old, _) = create(&store, 0, sample::seat_en()).await;
    let memory = new_memory(&minji(), "preference:seat", "이제는 창가 쪽이 좋아요");
    let op = WriteOp::Supersede {
        old: old.id.clone(),
        expected_version: 1,
        memory,
    };
    let written = write(&store, &minji(), 1, vec![op]).await;
    let new = memory_of(only(&written));
    let undone = undo(&store, &written, 2).await;
    let back = get(&store, &minji(), &old.id).await;
    assert_eq!(back.status, Status::Active, "the replaced memory holds again");
    assert_eq!(
        (back.valid_to, back.superseded_by.clone()),
        (None, None),
        "the replaced memory is open again"
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![back],
        "only the old memory is active after the undo"
    );
    undo(&store, &undone, 3).await;
    let again: Vec<_> = active(&store, &minji())
        .await
        .into_iter()
        .map(|memory| memory.id)
        .collect();
    assert_eq!(
        again,
        std::slice::from_ref(&new.id),
        "taking back the undo replaces again"
    );
    let ended = get(&store, &minji(), &old.id).await;
    assert_eq!(
        ended.superseded_by,
        Some(new.id),
        "taking back the undo links again"
    );
}

async fn undoing_a_confirmation_restores_the_counters<S: MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_ko()).await;
    let op = WriteOp::Confirm {
        id: memory.id.clone(),
        evidence: None,
    };
    let written = write(&store, &minji(), 5, vec![op]).await;
    undo(&store, &written, 6).await;
    let after = get(&store, &minji(), &memory.id).await;
    assert_eq!(after.confirmations, 1, "undo takes the confirmation back");
    assert_eq!(
        after.last_confirmed_at,
        at(0),
        "undo takes the time of the confirmation back"
    );
    assert_eq!(after.status, Status::Active, "the memory itself stays");
}

async fn undoing_a_deletion_brings_the_memory_back<S: MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_ko()).await;
    let (_, written) = patch(&store, 1, &memory, status(Status::Deleted)).await;
    undo(&store, &written, 2).await;
    assert_eq!(
        get(&store, &minji(), &memory.id).await.status,
        Status::Active,
        "a deletion can be taken back"
    );
    assert_eq!(
        ok(store.purge_deleted(at(1000)).await, "purge_deleted"),
        0,
        "what came back is not erased"
    );
}

async fn a_change_set_is_undone_as_a_whole<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let ops = vec![
        WriteOp::Create {
            memory: new_memory(&minji(), "preference:food", sample::FOOD_KO),
        },
        WriteOp::Update {
            id: seat.id.clone(),
            expected_version: 1,
            patch: text("I prefer the window"),
        },
        WriteOp::Update {
            id: seat.id.clone(),
            expected_version: 2,
            patch: text("I prefer the exit row"),
        },
    ];
    let written = write(&store, &minji(), 1, ops).await;
    undo(&store, &written, 2).await;
    let texts: Vec<_> = active(&store, &minji())
        .await
        .into_iter()
        .map(|memory| memory.text)
        .collect();
    assert_eq!(
        texts,
        [sample::SEAT_EN],
        "everything that one action wrote is one undo"
    );
}

async fn an_undo_is_refused_when_a_memory_was_changed_since<S: MemoryBackend>(store: S) {
    let ops = vec![
        WriteOp::Create {
            memory: sample::seat_en(),
        },
        WriteOp::Create {
            memory: new_memory(&minji(), "preference:food", sample::FOOD_EN),
        },
    ];
    let written = write(&store, &minji(), 0, ops).await;
    let seat = memory_of(&written.results[0]);
    let (seat, _) = patch(&store, 1, &seat, text("I prefer the window")).await;
    conflict(
        store.undo(&minji(), &change(&written), at(2)).await,
        "an undo over a later change",
    );
    let mut now: Vec<_> = active(&store, &minji())
        .await
        .into_iter()
        .map(|memory| memory.text)
        .collect();
    now.sort();
    assert_eq!(
        now,
        [sample::FOOD_EN, "I prefer the window"],
        "a refused undo changes nothing at all"
    );
    assert_eq!(
        get(&store, &minji(), &seat.id).await,
        seat,
        "a refused undo makes no version"
    );

    let (food, written) = create(&store, 3, new_memory(&minji(), "profile:city", "서울에 살아요")).await;
    undo(&store, &written, 4).await;
    conflict(
        store.undo(&minji(), &change(&written), at(5)).await,
        "a second undo of one change",
    );
    assert_eq!(
        get(&store, &minji(), &food.id).await.version,
        2,
        "a second undo makes no version"
    );
}

async fn an_undo_is_refused_when_its_key_was_taken<S: MemoryBackend>(store: S) {
    let (old, _) = create(&store, 0, sample::seat_en()).await;
    let (_, deletion) = patch(&store, 1, &old, status(Status::Deleted)).await;
    let (new, _) = create(&store, 2, sample::seat_ko()).await;
    conflict(
        store.undo(&minji(), &change(&deletion), at(3)).await,
        "an undo whose key has a new memory",
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![new],
        "a key stays unique when a memory returns"
    );
}

async fn an_undo_is_refused_when_a_memory_was_erased<S: MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_en()).await;
    let (_, deletion) = patch(&store, 1, &memory, status(Status::Deleted)).await;
    assert_eq!(
        ok(store.purge_deleted(at(9)).await, "purge_deleted"),
        1,
        "one memory is erased"
    );
    conflict(
        store.undo(&minji(), &change(&deletion), at(10)).await,
        "an undo of an erased memory",
    );
}

async fn a_recall_does_not_hinder_an_undo<S: MemoryBackend>(store: S) {
    let (memory, written) = create(&store, 0, sample::seat_en()).await;
    ok(
        store
            .count_recalls(&minji(), std::slice::from_ref(&memory.id), at(5))
            .await,
        "count_recalls",
    );
    undo(&store, &written, 6).await;
    assert!(
        active(&store, &minji()).await.is_empty(),
        "a recall is no change, so the undo goes through"
    );
}

async fn unknown_changes_are_not_found<S: MemoryBackend>(store: S) {
    let (memory, written) = create(&store, 0, sample::seat_en()).await;
    let unknown = ChangeId::new("no-such-change");
    not_found(
        store.undo(&minji(), &unknown, at(1)).await,
        "an undo of an unknown change",
    );
    not_found(
        store.undo(&daniel(), &change(&written), at(1)).await,
        "an undo of another owner's change",
    );
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        memory,
        "nothing was undone"
    );
}
