//! Reading memories: lists, pages, histories, counters and erasing.

use super::{active, create, filtering, get, ok, patch, status, text, write};
use crate::sample::{self, at, daniel, minji, new_memory, new_memory_in_slot};
use memory_model::{
    Category, ChangeReason, MemoryFilter, MemoryId, MemoryOrder, MemoryPatch, Status, WriteOp,
};
use ports::MemoryBackend;

pub(super) async fn all<S: MemoryBackend>(make: &impl AsyncFn() -> S) {
    a_store_has_a_name_and_is_well(make().await).await;
    a_memory_is_read_by_its_owner_only(make().await).await;
    a_list_is_sorted_and_paged(make().await).await;
    a_list_is_filtered(make().await).await;
    a_list_counts_everything_that_fits(make().await).await;
    a_history_is_in_order(make().await).await;
    several_memories_are_read_at_once(make().await).await;
    what_is_known_about_keys_and_slots(make().await).await;
    a_recall_is_counted_and_moves_nothing_else(make().await).await;
    only_what_was_deleted_before_is_erased(make().await).await;
}

async fn a_store_has_a_name_and_is_well<S: MemoryBackend>(store: S) {
    assert!(!store.id().is_empty(), "a store has an id");
    assert!(!store.display_name().is_empty(), "a store has a name for screens");
    let health = store.health().await;
    assert!(
        health.ok && health.error.is_none(),
        "a fresh store is well: {health:?}"
    );
    assert!(health.latency_ms >= 0.0, "a latency is not negative");
}

async fn a_memory_is_read_by_its_owner_only<S: MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_ko()).await;
    let foreign = ok(store.get(&daniel(), &memory.id).await, "get");
    assert_eq!(foreign, None, "a memory is read by its owner only");
    let unknown = ok(store.get(&minji(), &MemoryId::new("no-such-memory")).await, "get");
    assert_eq!(unknown, None, "an unknown memory is None");
    assert!(
        active(&store, &daniel()).await.is_empty(),
        "a list is limited to its owner"
    );
    if let Ok(history) = store.history(&daniel(), &memory.id).await {
        assert!(history.is_empty(), "a history is read by its owner only");
    }
    for ended in [Status::Archived, Status::Deleted] {
        let now = get(&store, &minji(), &memory.id).await;
        patch(&store, 1, &now, status(ended)).await;
        assert_eq!(
            get(&store, &minji(), &memory.id).await.status,
            ended,
            "a memory is read in any state"
        );
    }
}

async fn texts<S: MemoryBackend>(store: &S, order: MemoryOrder, offset: u32, limit: u32) -> Vec<String> {
    let page = ok(
        store
            .list(&MemoryFilter::active(minji()), order, offset, limit)
            .await,
        "list",
    );
    page.data.into_iter().map(|memory| memory.text).collect()
}

async fn a_list_is_sorted_and_paged<S: MemoryBackend>(store: S) {
    let (first, _) = create(&store, 1, new_memory(&minji(), "profile:a", "banana bread")).await;
    let (second, _) = create(&store, 2, new_memory(&minji(), "profile:b", "가나다")).await;
    create(&store, 3, new_memory(&minji(), "profile:c", "Apple pie")).await;
    let pin = MemoryPatch {
        topic: Some("food".to_owned()),
        ..MemoryPatch::default()
    };
    patch(&store, 4, &first, pin).await;
    ok(
        store.count_recalls(&minji(), &[second.id], at(5)).await,
        "count_recalls",
    );
    ok(
        store.count_recalls(&minji(), &[first.id], at(6)).await,
        "count_recalls",
    );

    let updated = texts(&store, MemoryOrder::Updated, 0, 10).await;
    assert_eq!(
        updated,
        ["banana bread", "Apple pie", "가나다"],
        "Updated: last changed first"
    );
    let created = texts(&store, MemoryOrder::Created, 0, 10).await;
    assert_eq!(
        created,
        ["Apple pie", "가나다", "banana bread"],
        "Created: newest first"
    );
    let recalled = texts(&store, MemoryOrder::Recalled, 0, 10).await;
    assert_eq!(
        recalled,
        ["banana bread", "가나다", "Apple pie"],
        "Recalled: last recalled first, never recalled last"
    );
    let by_text = texts(&store, MemoryOrder::Text, 0, 10).await;
    assert_eq!(
        by_text,
        ["Apple pie", "banana bread", "가나다"],
        "Text: by text, in code point order"
    );

    assert_eq!(
        texts(&store, MemoryOrder::Text, 0, 2).await,
        ["Apple pie", "banana bread"],
        "the first page"
    );
    assert_eq!(
        texts(&store, MemoryOrder::Text, 2, 2).await,
        ["가나다"],
        "the last page"
    );
    assert!(
        texts(&store, MemoryOrder::Text, 9, 2).await.is_empty(),
        "a page after the end is empty"
    );
}

async fn a_list_is_filtered<S: MemoryBackend>(store: S) {
    for case in filtering::cases(&filtering::memories(&store).await) {
        let page = ok(store.list(&case.filter, MemoryOrder::Text, 0, 50).await, "list");
        let mut found: Vec<_> = page.data.iter().map(|memory| memory.id.clone()).collect();
        found.sort();
        assert_eq!(found, case.expected, "a list filtered by: {}", case.name);
        assert_eq!(
            page.total as usize,
            case.expected.len(),
            "the total of a list filtered by: {}",
            case.name
        );
    }
}

async fn a_list_counts_everything_that_fits<S: MemoryBackend>(store: S) {
    for index in 0..7 {
        let key = if index < 5 {
            format!("preference:{index}")
        } else {
            format!("profile:{index}")
        };
        create(
            &store,
            index,
            new_memory(&minji(), &key, &format!("기억 {index}번")),
        )
        .await;
    }
    create(
        &store,
        0,
        new_memory(&daniel(), "preference:seat", "I prefer the window"),
    )
    .await;
    let page = ok(
        store
            .list(&MemoryFilter::active(minji()), MemoryOrder::Created, 0, 2)
            .await,
        "list",
    );
    assert_eq!(page.data.len(), 2, "a page holds at most `limit` rows");
    assert_eq!(page.total, 7, "the total counts every page and no other owner");
    let by_type: Vec<_> = page.by_type.into_iter().collect();
    assert_eq!(
        by_type,
        [(Category::Preference, 5), (Category::Profile, 2)],
        "categories that occur are counted"
    );
}

async fn a_history_is_in_order<S: MemoryBackend>(store: S) {
    let (one, made) = create(&store, 1, sample::seat_en()).await;
    let (two, changed) = patch(&store, 2, &one, text("I prefer the exit row")).await;
    let (three, deleted) = patch(&store, 3, &two, status(Status::Deleted)).await;
    let history = ok(store.history(&minji(), &one.id).await, "history");
    let states: Vec<_> = history.iter().map(|version| version.memory.clone()).collect();
    assert_eq!(
        states,
        [one, two, three],
        "every version is kept, oldest first, as it was"
    );
    let times: Vec<_> = history.iter().map(|version| version.changed_at).collect();
    assert_eq!(times, [at(1), at(2), at(3)], "a version knows when it began");
    let changes: Vec<_> = history
        .iter()
        .map(|version| Some(version.change_id.clone()))
        .collect();
    assert_eq!(
        changes,
        [made.change_id, changed.change_id, deleted.change_id],
        "a version knows its change set"
    );
    let manual = history
        .iter()
        .all(|version| version.reason == ChangeReason::Manual);
    assert!(manual, "a version knows what made it: {history:?}");
}

async fn several_memories_are_read_at_once<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let (theirs, _) = create(
        &store,
        0,
        new_memory(&daniel(), "preference:food", sample::FOOD_EN),
    )
    .await;
    let (food, _) = patch(&store, 1, &food, status(Status::Deleted)).await;
    let ids = [
        seat.id.clone(),
        MemoryId::new("no-such-memory"),
        theirs.id,
        food.id.clone(),
    ];
    let mut found = ok(store.get_many(&minji(), &ids).await, "get_many");
    found.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(
        found,
        [food, seat],
        "in any state; unknown ids and other owners' are left out"
    );
    assert!(
        ok(store.get_many(&minji(), &[]).await, "get_many").is_empty(),
        "no ids, no memories"
    );
    let many: Vec<_> = (0..3000)
        .map(|index| MemoryId::new(format!("no-such-{index}")))
        .collect();
    assert!(
        ok(store.get_many(&minji(), &many).await, "get_many").is_empty(),
        "a long list of ids is no error"
    );
}

async fn what_is_known_about_keys_and_slots<S: MemoryBackend>(store: S) {
    let quiet = new_memory_in_slot(
        &minji(),
        "preference:호텔",
        "조용한 호텔이 좋아요",
        "hotel",
        "quiet",
    );
    let window = new_memory_in_slot(
        &daniel(),
        "preference:seat",
        "I like the window",
        "seat",
        "window",
    );
    let city = new_memory_in_slot(&minji(), "profile:city", "서울에 살아요", "city", "Seoul");
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (hotel, _) = create(&store, 0, quiet).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_EN),
    )
    .await;
    let (gone, _) = create(&store, 0, city).await;
    patch(&store, 1, &gone, status(Status::Archived)).await;
    create(&store, 0, window).await;

    let cases = [
        ("under a key", vec!["preference:food"], vec![], vec![&food]),
        ("in a slot, of this owner only", vec![], vec!["seat"], vec![&seat]),
        (
            "once, by key and slot",
            vec!["preference:seat"],
            vec!["seat"],
            vec![&seat],
        ),
        (
            "under a key or in a slot",
            vec!["preference:호텔"],
            vec!["seat"],
            vec![&seat, &hotel],
        ),
        ("active memories only", vec!["profile:city"], vec!["city"], vec![]),
        (
            "keys and slots compared whole",
            vec!["preference"],
            vec!["s"],
            vec![],
        ),
        ("nothing asked, nothing known", vec![], vec![], vec![]),
    ];
    let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<String>>();
    for (name, keys, slots, expected) in cases {
        let mut found = ok(store.known(&minji(), &own(keys), &own(slots)).await, "known");
        found.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            expected,
            "what is known: {name}"
        );
    }
}

async fn a_recall_is_counted_and_moves_nothing_else<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_ko()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let (theirs, _) = create(
        &store,
        0,
        new_memory(&daniel(), "preference:food", sample::FOOD_EN),
    )
    .await;
    let ids = [seat.id.clone(), theirs.id.clone()];
    ok(store.count_recalls(&minji(), &ids, at(50)).await, "count_recalls");
    ok(store.count_recalls(&minji(), &ids, at(60)).await, "count_recalls");
    let expected = memory_model::Memory {
        recall_count: 2,
        last_recalled_at: Some(at(60)),
        ..seat.clone()
    };
    let after = get(&store, &minji(), &seat.id).await;
    assert_eq!(
        after.updated_at, seat.updated_at,
        "a recall never moves updated_at"
    );
    assert_eq!(
        after, expected,
        "a recall moves its counter and its time and nothing else"
    );
    assert_eq!(
        get(&store, &minji(), &food.id).await,
        food,
        "other memories stay as they are"
    );
    assert_eq!(
        get(&store, &daniel(), &theirs.id).await,
        theirs,
        "other owners' memories stay as they are"
    );
    assert_eq!(
        ok(store.history(&minji(), &seat.id).await, "history").len(),
        1,
        "a recall makes no version"
    );
    let op = WriteOp::Update {
        id: seat.id.clone(),
        expected_version: 1,
        patch: text("통로가 좋아요"),
    };
    let written = write(&store, &minji(), 70, vec![op]).await;
    let updated = written.results[0].memory.clone();
    assert_eq!(
        updated.map(|memory| memory.recall_count),
        Some(2),
        "an update keeps the count of recalls"
    );
}

async fn only_what_was_deleted_before_is_erased<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_ko()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let (old, _) = create(&store, 0, new_memory(&minji(), "decision:car", "I sold the car")).await;
    let (theirs, _) = create(
        &store,
        0,
        new_memory(&daniel(), "preference:food", sample::FOOD_EN),
    )
    .await;
    patch(&store, 100, &seat, status(Status::Deleted)).await;
    patch(&store, 200, &food, status(Status::Deleted)).await;
    patch(&store, 100, &old, status(Status::Archived)).await;
    patch(&store, 100, &theirs, status(Status::Deleted)).await;

    assert_eq!(
        ok(store.purge_deleted(at(100)).await, "purge_deleted"),
        0,
        "deleted at `before` is not before it"
    );
    assert_eq!(
        ok(store.purge_deleted(at(101)).await, "purge_deleted"),
        2,
        "what was deleted before is erased, of all owners"
    );
    assert_eq!(
        ok(store.get(&minji(), &seat.id).await, "get"),
        None,
        "an erased memory is gone"
    );
    if let Ok(history) = store.history(&minji(), &seat.id).await {
        assert!(history.is_empty(), "the versions of an erased memory are gone");
    }
    let filter = MemoryFilter {
        statuses: vec![Status::Deleted],
        ..MemoryFilter::active(minji())
    };
    let hits = ok(
        store
            .search_keywords(&filter, &recall::terms::index_terms("통로"), 9)
            .await,
        "search_keywords",
    );
    assert!(hits.is_empty(), "the keyword index of an erased memory is gone");
    assert_eq!(
        get(&store, &minji(), &food.id).await.status,
        Status::Deleted,
        "what was deleted later stays"
    );
    assert_eq!(
        get(&store, &minji(), &old.id).await.status,
        Status::Archived,
        "archived memories are never erased"
    );
    assert_eq!(
        ok(store.purge_deleted(at(101)).await, "purge_deleted"),
        0,
        "erasing again erases nothing"
    );
}
