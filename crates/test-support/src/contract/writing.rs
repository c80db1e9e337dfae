//! Batches: what one write does, and what it refuses.

use super::{active, create, get, memory_of, only, patch, status, text, write};
use crate::sample::{self, at, daniel, minji, new_memory};
use memory_model::{MemoryId, MemoryPatch, NewMemory, Status, ThreadId, WriteOp, WriteStatus, content_hash};
use ports::MemoryBackend;

pub(super) async fn all<S: MemoryBackend>(make: &impl AsyncFn() -> S) {
    a_new_memory_begins_at_version_one(make().await).await;
    an_empty_batch_changes_nothing(make().await).await;
    every_field_comes_back_as_it_was_given(make().await).await;
    texts_of_every_script_stay_as_they_are(make().await).await;
    a_taken_key_returns_the_existing_memory(make().await).await;
    a_key_is_free_again_when_its_memory_ended(make().await).await;
    one_refusal_does_not_stop_the_others(make().await).await;
    an_update_changes_what_it_names(make().await).await;
    an_update_of_another_version_is_refused(make().await).await;
    an_update_cannot_take_a_key_twice(make().await).await;
    a_memory_cannot_become_active_beside_another(make().await).await;
    unknown_memories_are_reported(make().await).await;
    a_batch_reaches_one_owner_only(make().await).await;
}

async fn a_new_memory_begins_at_version_one<S: MemoryBackend>(store: S) {
    let (memory, written) = create(&store, 5, sample::seat_en()).await;
    assert!(written.change_id.is_some(), "a batch that wrote can be undone");
    assert_eq!(memory.version, 1, "versions count from 1");
    assert_eq!(memory.confirmations, 1, "a memory was said once when it is made");
    assert_eq!(memory.recall_count, 0, "a new memory was never recalled");
    assert_eq!(memory.last_recalled_at, None, "a new memory was never recalled");
    assert_eq!(memory.status, Status::Active, "a new memory holds");
    for time in [
        memory.created_at,
        memory.updated_at,
        memory.last_confirmed_at,
        memory.valid_from,
    ] {
        assert_eq!(time, at(5), "a new memory carries the time of the batch");
    }
    assert_eq!(memory.valid_to, None, "a new memory holds until further notice");
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        memory,
        "get returns what the write returned"
    );
}

async fn an_empty_batch_changes_nothing<S: MemoryBackend>(store: S) {
    let written = write(&store, &minji(), 0, Vec::new()).await;
    assert_eq!(
        written.change_id, None,
        "nothing changed, so there is nothing to undo"
    );
    assert!(written.results.is_empty(), "one result for each operation");
}

async fn every_field_comes_back_as_it_was_given<S: MemoryBackend>(store: S) {
    let thread = ThreadId::new("trip");
    let given = NewMemory {
        value: serde_json::json!({ "좌석": ["통로", null, 1.5, true], "nested": { "deep": "\"quoted\"" } }),
        polarity: memory_model::Polarity::Negative,
        subject: "누나".to_owned(),
        slot: Some(memory_model::Slot {
            name: "seat".to_owned(),
            value: "창가".to_owned(),
        }),
        evidence: Some(sample::evidence(sample::SEAT_KO, Some(&thread))),
        source: memory_model::Origin::File,
        trust: memory_model::Origin::Tool,
        confidence: 0.625,
        valid_from: Some(at(-1000)),
        ..new_memory(&minji(), "decision:seat", sample::SEAT_KO)
    };
    let (memory, _) = create(&store, 0, given.clone()).await;
    let expected = given.into_memory(memory.id.clone(), at(0));
    assert_eq!(memory, expected, "every field is kept as it was given");
    assert_eq!(
        get(&store, &minji(), &memory.id).await,
        expected,
        "every field is read as it was given"
    );
}

async fn texts_of_every_script_stay_as_they_are<S: MemoryBackend>(store: S) {
    // The fourth text is «서울» in decomposed form (NFD): the border composes texts, a store keeps what it gets.
    let texts = [
        "저는 아침에 커피를 마시지 않아요",
        "It's called \"C++\", and 100% of it is O'Brien's",
        "🛫 👩‍👩‍👧 é ß ﬁ",
        "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}에 살아요",
        "مرحبا بالعالم שלום",
        "line one\nline two\ttab",
    ];
    for (index, wanted) in texts.into_iter().enumerate() {
        let (memory, _) = create(
            &store,
            0,
            new_memory(&minji(), &format!("profile:{index}"), wanted),
        )
        .await;
        assert_eq!(
            get(&store, &minji(), &memory.id).await.text,
            wanted,
            "a text stays as it was given"
        );
        let hash = content_hash(wanted, "profile", "", &[]);
        assert_eq!(
            memory.content_hash, hash,
            "the content hash is the canonical one for {wanted:?}"
        );
    }
}

async fn a_taken_key_returns_the_existing_memory<S: MemoryBackend>(store: S) {
    let (first, _) = create(&store, 0, sample::seat_en()).await;
    let written = write(
        &store,
        &minji(),
        1,
        vec![WriteOp::Create {
            memory: sample::seat_ko(),
        }],
    )
    .await;
    let result = only(&written);
    assert_eq!(
        result.status,
        WriteStatus::AlreadyExists,
        "one active memory for each owner and key"
    );
    assert_eq!(
        memory_of(result),
        first,
        "AlreadyExists holds the existing memory, unchanged"
    );
    assert_eq!(result.key, "preference:seat", "a result names its key");
    assert_eq!(
        written.change_id, None,
        "nothing changed, so there is nothing to undo"
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![first],
        "the existing memory is left as it is"
    );

    let twice = |text| WriteOp::Create {
        memory: new_memory(&minji(), "pattern:tea", text),
    };
    let written = write(
        &store,
        &minji(),
        2,
        vec![twice("I drink tea at four"), twice("네 시에 차를 마셔요")],
    )
    .await;
    let statuses: Vec<_> = written.results.iter().map(|result| result.status).collect();
    assert_eq!(
        statuses,
        [WriteStatus::Created, WriteStatus::AlreadyExists],
        "a key is unique inside a batch too"
    );

    let (other, _) = create(
        &store,
        3,
        new_memory(&daniel(), "preference:seat", "I prefer the window"),
    )
    .await;
    assert_eq!(other.owner, daniel(), "another owner's key is another key");
}

async fn a_key_is_free_again_when_its_memory_ended<S: MemoryBackend>(store: S) {
    for ended in [Status::Archived, Status::Deleted] {
        let (old, _) = create(&store, 0, sample::seat_en()).await;
        let (old, _) = patch(&store, 1, &old, status(ended)).await;
        assert_eq!(old.status, ended, "a patch sets the status");
        let (new, _) = create(&store, 2, sample::seat_ko()).await;
        assert_ne!(new.id, old.id, "a key is unique among active memories only");
        assert_eq!(
            get(&store, &minji(), &old.id).await.status,
            ended,
            "the ended memory stays as it is"
        );
        patch(&store, 3, &new, status(Status::Deleted)).await;
    }
}

async fn one_refusal_does_not_stop_the_others<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let ops = vec![
        WriteOp::Create {
            memory: new_memory(&minji(), "pattern:run", "I run every morning"),
        },
        WriteOp::Create {
            memory: sample::seat_ko(),
        },
        WriteOp::Update {
            id: seat.id.clone(),
            expected_version: 7,
            patch: text("I sit anywhere"),
        },
        WriteOp::Confirm {
            id: MemoryId::new("no-such-memory"),
            evidence: None,
        },
        WriteOp::Create {
            memory: new_memory(&minji(), "profile:city", "부산에 살아요"),
        },
    ];
    let written = write(&store, &minji(), 1, ops).await;
    let statuses: Vec<_> = written.results.iter().map(|result| result.status).collect();
    let expected = [
        WriteStatus::Created,
        WriteStatus::AlreadyExists,
        WriteStatus::VersionConflict,
        WriteStatus::NotFound,
        WriteStatus::Created,
    ];
    assert_eq!(
        statuses, expected,
        "each operation has its own result, in order, and the others are written"
    );
    assert!(written.change_id.is_some(), "something was written");
    assert_eq!(
        active(&store, &minji()).await.len(),
        3,
        "both new memories are there"
    );
}

async fn an_update_changes_what_it_names<S: MemoryBackend>(store: S) {
    let (before, _) = create(&store, 0, sample::seat_en()).await;
    let change = MemoryPatch {
        text: Some("통로 쪽 좌석만 앉아요".to_owned()),
        meaning: None,
        value: Some(serde_json::json!({ "seat": "통로" })),
        key: Some("preference:좌석".to_owned()),
        pinned: Some(true),
        status: None,
        tags: Some(vec!["여행".to_owned(), "air".to_owned()]),
        trust: None,
        topic: Some("travel".to_owned()),
    };
    let (after, _) = patch(&store, 9, &before, change).await;
    let tags = vec!["air".to_owned(), "여행".to_owned()];
    let expected = memory_model::Memory {
        text: "통로 쪽 좌석만 앉아요".to_owned(),
        value: serde_json::json!({ "seat": "통로" }),
        key: "preference:좌석".to_owned(),
        pinned: true,
        content_hash: content_hash("통로 쪽 좌석만 앉아요", "preference", "travel", &tags),
        tags,
        topic: "travel".to_owned(),
        version: 2,
        updated_at: at(9),
        language: after.language,
        ..before.clone()
    };
    assert_eq!(
        after, expected,
        "the named fields change, tags are sorted, the hash, version and time follow"
    );
    assert_eq!(
        get(&store, &minji(), &before.id).await,
        expected,
        "get returns what the write returned"
    );
}

async fn an_update_of_another_version_is_refused<S: MemoryBackend>(store: S) {
    let (first, _) = create(&store, 0, sample::seat_en()).await;
    let (second, _) = patch(&store, 1, &first, text("I prefer the window")).await;
    let late = WriteOp::Update {
        id: first.id.clone(),
        expected_version: 1,
        patch: text("I prefer the middle"),
    };
    let written = write(&store, &minji(), 2, vec![late]).await;
    let result = only(&written);
    assert_eq!(
        result.status,
        WriteStatus::VersionConflict,
        "somebody else changed it in between"
    );
    assert_eq!(
        memory_of(result),
        second,
        "VersionConflict holds the current state"
    );
    assert_eq!(
        written.change_id, None,
        "nothing changed, so there is nothing to undo"
    );
    assert_eq!(
        get(&store, &minji(), &first.id).await,
        second,
        "a refused update writes nothing"
    );
}

async fn an_update_cannot_take_a_key_twice<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let rename = MemoryPatch {
        key: Some(seat.key.clone()),
        ..MemoryPatch::default()
    };
    let op = WriteOp::Update {
        id: food.id.clone(),
        expected_version: 1,
        patch: rename,
    };
    let written = write(&store, &minji(), 1, vec![op]).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::AlreadyExists,
        "an update cannot take the key of another memory"
    );
    assert_eq!(
        memory_of(only(&written)).id,
        seat.id,
        "AlreadyExists holds the memory that has the key"
    );
    assert_eq!(
        get(&store, &minji(), &food.id).await,
        food,
        "a refused update writes nothing"
    );
}

async fn a_memory_cannot_become_active_beside_another<S: MemoryBackend>(store: S) {
    let (old, _) = create(&store, 0, sample::seat_en()).await;
    let (old, _) = patch(&store, 1, &old, status(Status::Archived)).await;
    let (new, _) = create(&store, 2, sample::seat_ko()).await;
    let op = WriteOp::Update {
        id: old.id.clone(),
        expected_version: old.version,
        patch: status(Status::Active),
    };
    let written = write(&store, &minji(), 3, vec![op]).await;
    assert_eq!(
        only(&written).status,
        WriteStatus::AlreadyExists,
        "a key stays unique when a memory returns"
    );
    assert_eq!(
        active(&store, &minji()).await,
        vec![new],
        "a refused update writes nothing"
    );
}

async fn unknown_memories_are_reported<S: MemoryBackend>(store: S) {
    let (theirs, _) = create(
        &store,
        0,
        new_memory(&daniel(), "preference:seat", "I prefer the window"),
    )
    .await;
    for id in [MemoryId::new("no-such-memory"), theirs.id.clone()] {
        let ops = vec![
            WriteOp::Update {
                id: id.clone(),
                expected_version: 1,
                patch: text("taken over"),
            },
            WriteOp::Supersede {
                old: id.clone(),
                expected_version: 1,
                memory: sample::seat_en(),
            },
            WriteOp::Confirm {
                id: id.clone(),
                evidence: None,
            },
        ];
        let written = write(&store, &minji(), 1, ops).await;
        for result in &written.results {
            assert_eq!(
                result.status,
                WriteStatus::NotFound,
                "no such memory of this owner: {result:?}"
            );
            assert_eq!(
                result.memory, None,
                "nothing was written, and nothing of another owner is shown"
            );
        }
        assert_eq!(written.change_id, None, "nothing changed");
    }
    assert_eq!(
        get(&store, &daniel(), &theirs.id).await,
        theirs,
        "another owner's memory stays as it is"
    );
    assert!(
        active(&store, &minji()).await.is_empty(),
        "a replacement of nothing makes nothing"
    );
}

async fn a_batch_reaches_one_owner_only<S: MemoryBackend>(store: S) {
    let smuggled = new_memory(&daniel(), "preference:seat", "I prefer the window");
    // The outcome is left open; what counts is that nothing arrives at the other owner.
    let _ = store
        .apply(sample::batch(
            &minji(),
            at(0),
            vec![WriteOp::Create { memory: smuggled }],
        ))
        .await;
    assert!(
        active(&store, &daniel()).await.is_empty(),
        "every operation is limited to the owner of the batch"
    );
}
