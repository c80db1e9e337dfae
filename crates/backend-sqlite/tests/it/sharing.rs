//! Two programs on one file.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{Decision, MemoryFilter, MemoryId, MemoryPatch, Status, UserId, WriteOp, WriteStatus};
use ports::{EmbeddingSpace, MemoryBackend, NewVectors, ReviewQueue, StoreError, VectorIndex};
use sqlx::Connection;
use test_support::sample::{self, at, batch, minji, new_memory};

const WRITES: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_two_programs_write() {
    let (_folder, path) = place();
    let (a, b) = (
        SqliteStore::open(&path).await.unwrap(),
        SqliteStore::open(&path).await.unwrap(),
    );
    let write = |store: SqliteStore, name: &'static str| {
        tokio::spawn(async move {
            for index in 0..WRITES {
                create(
                    &store,
                    new_memory(
                        &minji(),
                        &format!("profile:{name}-{index}"),
                        "매일 아침 물을 마셔요",
                    ),
                )
                .await;
            }
        })
    };
    let (first, second) = tokio::join!(write(a.clone(), "a"), write(b.clone(), "b"));
    first.unwrap();
    second.unwrap();
    for store in [a, b] {
        assert_eq!(store.counts(&minji()).await.unwrap().memories, 2 * WRITES as u32);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_programs_that_write_one_key_the_second_is_told() {
    let (_folder, path) = place();
    let (a, b) = (
        SqliteStore::open(&path).await.unwrap(),
        SqliteStore::open(&path).await.unwrap(),
    );
    let race = |store: SqliteStore| {
        tokio::spawn(async move {
            let mut results = Vec::new();
            for index in 0..50 {
                let memory = new_memory(&minji(), &format!("preference:{index}"), "창가 쪽이 좋아요");
                let written = store
                    .apply(batch(&minji(), at(0), vec![WriteOp::Create { memory }]))
                    .await
                    .unwrap();
                results.extend(written.results);
            }
            results
        })
    };
    let (first, second) = tokio::join!(race(a.clone()), race(b));
    for (one, other) in first.unwrap().into_iter().zip(second.unwrap()) {
        let mut statuses = [one.status, other.status];
        statuses.sort_by_key(|status| *status != WriteStatus::Created);
        assert_eq!(statuses, [WriteStatus::Created, WriteStatus::AlreadyExists]);
        assert_eq!(
            one.memory, other.memory,
            "the second sees the memory of the first"
        );
    }
    assert_eq!(a.counts(&minji()).await.unwrap().memories, 50);
}

#[tokio::test]
async fn a_version_that_another_program_changed_is_a_conflict() {
    let (_folder, path) = place();
    let (a, b) = (
        SqliteStore::open(&path).await.unwrap(),
        SqliteStore::open(&path).await.unwrap(),
    );
    let memory = create(&a, sample::seat_ko()).await;
    let update = |text: &str| {
        let patch = MemoryPatch {
            text: Some(text.to_owned()),
            ..MemoryPatch::default()
        };
        batch(
            &minji(),
            at(1),
            vec![WriteOp::Update {
                id: memory.id.clone(),
                expected_version: 1,
                patch,
            }],
        )
    };
    assert_eq!(
        b.apply(update("창가")).await.unwrap().results[0].status,
        WriteStatus::Updated
    );
    let late = a.apply(update("가운데")).await.unwrap();
    assert_eq!(late.results[0].status, WriteStatus::VersionConflict);
    assert_eq!(
        late.results[0].memory.as_ref().map(|memory| memory.text.as_str()),
        Some("창가")
    );
}

#[tokio::test]
async fn a_decision_that_could_not_be_written_leaves_the_item_waiting() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let item = sample::review_item(
        "a",
        &minji(),
        sample::candidate("preference:seat", sample::SEAT_KO),
        None,
        at(1),
    );
    store.park(vec![item.clone()], None).await.unwrap();
    create(&store, sample::seat_en()).await;
    let writes = batch(
        &minji(),
        at(2),
        vec![WriteOp::Create {
            memory: sample::seat_ko(),
        }],
    );
    let error = store
        .decide(&item.id, &Decision::Approve, writes)
        .await
        .unwrap_err();
    assert!(
        matches!(error, StoreError::Conflict { what: "memory" }),
        "{error:?}"
    );
    assert_eq!(store.item(&minji(), &item.id).await.unwrap(), Some(item));
}

#[tokio::test]
async fn commits_of_others_change_the_data_version() {
    let (_folder, path) = place();
    let (a, b) = (
        SqliteStore::open(&path).await.unwrap(),
        SqliteStore::open(&path).await.unwrap(),
    );
    let before = a.data_version().await.unwrap();
    assert_eq!(a.data_version().await.unwrap(), before, "nothing happened");
    create(&b, sample::seat_ko()).await;
    let after = a.data_version().await.unwrap();
    assert_ne!(after, before, "another program wrote");
    create(&a, new_memory(&minji(), "profile:city", "부산에 살아요")).await;
    assert_ne!(a.data_version().await.unwrap(), after, "this program wrote");
}

fn space() -> EmbeddingSpace {
    EmbeddingSpace {
        source: "test".to_owned(),
        model: "plane".to_owned(),
        dimension: 2,
    }
}

#[tokio::test]
async fn vectors_of_another_program_are_found_at_once() {
    let (_folder, path) = place();
    let (a, b) = (
        SqliteStore::open(&path).await.unwrap(),
        SqliteStore::open(&path).await.unwrap(),
    );
    let found = async |owner: &UserId| {
        let filter = MemoryFilter::active(owner.clone());
        let hits = a.search(&space(), &filter, &[1.0, 0.0], 100).await.unwrap();
        hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert!(found(&minji()).await.is_empty());
    let mut memories = Vec::new();
    for index in 0..30_u8 {
        let memory = create(&b, new_memory(&minji(), &format!("profile:{index}"), "어떤 문장")).await;
        let angle = f32::from(index) * 0.05;
        let chunks = vec![vec![angle.cos(), angle.sin()], vec![-1.0, 0.0]];
        let row = NewVectors {
            id: memory.id.clone(),
            content_hash: memory.content_hash.clone(),
            chunks,
        };
        b.put(&space(), vec![row]).await.unwrap();
        memories.push(memory);
        assert_eq!(
            found(&minji()).await.len(),
            memories.len(),
            "found as soon as it is committed"
        );
    }
    let expected: Vec<_> = memories.iter().map(|memory| memory.id.clone()).collect();
    assert_eq!(found(&minji()).await, expected, "in the order of the angle");

    // Every third memory leaves, and the copy in memory follows without mixing up the others.
    for memory in memories.iter().step_by(3) {
        let patch = MemoryPatch {
            status: Some(Status::Archived),
            ..MemoryPatch::default()
        };
        let op = WriteOp::Update {
            id: memory.id.clone(),
            expected_version: 1,
            patch,
        };
        b.apply(batch(&minji(), at(1), vec![op])).await.unwrap();
    }
    let left: Vec<_> = memories
        .iter()
        .enumerate()
        .filter(|(index, _)| index % 3 != 0)
        .map(|(_, memory)| memory.id.clone())
        .collect();
    assert_eq!(found(&minji()).await, left);
    let fresh = SqliteStore::open(&path).await.unwrap();
    let hits = fresh
        .search(&space(), &MemoryFilter::active(minji()), &[1.0, 0.0], 100)
        .await
        .unwrap();
    assert_eq!(
        hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>(),
        left,
        "the same as read from the file"
    );
    assert_eq!(fresh.without_vector(&minji(), &space()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_vector_of_another_length_is_refused() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let memory = create(&store, sample::seat_ko()).await;
    for chunk in [vec![1.0], vec![f32::NAN, 0.0]] {
        let row = NewVectors {
            id: memory.id.clone(),
            content_hash: memory.content_hash.clone(),
            chunks: vec![chunk],
        };
        assert!(store.put(&space(), vec![row]).await.is_err());
    }
}

#[tokio::test]
async fn a_damaged_vector_is_found_and_made_again() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let mut memories = Vec::new();
    for (key, text, vector) in [
        ("preference:seat", sample::SEAT_KO, vec![1.0, 0.0]),
        ("preference:food", sample::FOOD_EN, vec![0.8, 0.6]),
        ("profile:city", "부산에 살아요", vec![0.6, 0.8]),
        ("profile:job", "저는 목수예요", vec![0.0, 1.0]),
    ] {
        let memory = create(&store, new_memory(&minji(), key, text)).await;
        let row = NewVectors {
            id: memory.id.clone(),
            content_hash: memory.content_hash.clone(),
            chunks: vec![vector],
        };
        store.put(&space(), vec![row]).await.unwrap();
        memories.push(memory);
    }
    let filter = MemoryFilter::active(minji());
    let found = async |store: &SqliteStore| {
        let hits = store.search(&space(), &filter, &[1.0, 0.0], 10).await.unwrap();
        hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&store).await.len(), 4);
    // Behind the store's back, as a failing disk would: a byte too few, a number that is none, a huge one.
    let damage = async |blob: &str, id: &MemoryId| {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
        let mut disk = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        let sql = format!(
            "DROP TRIGGER IF EXISTS vectors_changed; \
             UPDATE vectors SET vector = x'{blob}' WHERE memory = (SELECT row FROM memories WHERE id = '{id}')"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
            .execute(&mut disk)
            .await
            .unwrap();
        disk.close().await.unwrap();
    };
    damage("0000803f000000", &memories[0].id).await;
    damage("0000c07f00000000", &memories[1].id).await;
    // The copy in memory still has them, and finds the damage when it compares them again.
    let left: Vec<_> = [&memories[2], &memories[3]]
        .map(|memory| memory.id.clone())
        .to_vec();
    assert_eq!(found(&store).await, left);
    let missing = async |store: &SqliteStore| {
        let missing = store.missing(&space(), 10).await.unwrap();
        missing.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(
        missing(&store).await,
        [memories[0].id.clone(), memories[1].id.clone()],
        "what was damaged waits for a new vector"
    );
    // A program that starts finds the damage when it reads the vectors.
    damage("0000007f00000000", &memories[2].id).await;
    let fresh = SqliteStore::open(&path).await.unwrap();
    assert_eq!(found(&fresh).await, [memories[3].id.clone()]);
    assert_eq!(missing(&fresh).await.len(), 3);
    let words = recall::terms::index_terms("좌석");
    let hits = fresh.search_keywords(&filter, &words, 10).await.unwrap();
    assert_eq!(hits.len(), 1, "words are searched all the same");
    let row = NewVectors {
        id: memories[0].id.clone(),
        content_hash: memories[0].content_hash.clone(),
        chunks: vec![vec![1.0, 0.0]],
    };
    fresh.put(&space(), vec![row]).await.unwrap();
    let healed: Vec<_> = [&memories[0], &memories[3]]
        .map(|memory| memory.id.clone())
        .to_vec();
    assert_eq!(found(&fresh).await, healed);
    assert_eq!(
        found(&store).await,
        healed,
        "in the program that was open all along, too"
    );
}
