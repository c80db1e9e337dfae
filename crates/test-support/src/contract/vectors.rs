//! The contract of [`VectorIndex`].

use super::{create, filtering, ok, patch, status, text};
use crate::sample::{self, at, daniel, minji, new_memory};
use memory_model::{Memory, MemoryFilter, MemoryId, MemoryPatch, Status, WriteOp};
use ports::{EmbeddingSpace, MemoryBackend, NewVectors, VectorHit, VectorIndex};

/// How far a similarity may be from the exact cosine: an index may keep its numbers in eight bits.
const TOLERANCE: f32 = 0.02;

/// The contract of [`VectorIndex`]. `MemoryBackend` makes the memories that the vectors belong to.
///
/// # Panics
/// When the store breaks a promise.
pub async fn vector_index<S: VectorIndex + MemoryBackend>(make: impl AsyncFn() -> S) {
    what_has_no_vector_is_missing(make().await).await;
    the_nearest_comes_first(make().await).await;
    a_memory_is_as_near_as_its_best_chunk(make().await).await;
    new_vectors_replace_old_ones(make().await).await;
    vectors_of_changed_and_erased_memories_are_left_out(make().await).await;
    a_vector_holds_while_the_memory_says_the_same(make().await).await;
    spaces_do_not_mix(make().await).await;
    a_search_is_filtered_before_it_is_ranked(make().await).await;
}

fn space(model: &str) -> EmbeddingSpace {
    EmbeddingSpace {
        source: "test".to_owned(),
        model: model.to_owned(),
        dimension: 4,
    }
}

/// A unit vector in a plane, at an angle in degrees from the query of the cases, which is at 0.
fn angle(degrees: f32) -> Vec<f32> {
    let radians = degrees.to_radians();
    vec![radians.cos(), radians.sin(), 0.0, 0.0]
}

fn row(memory: &Memory, chunks: Vec<Vec<f32>>) -> NewVectors {
    NewVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        chunks,
    }
}

async fn put<S: VectorIndex>(store: &S, memory: &Memory, degrees: f32) {
    ok(
        store
            .put(&space("a"), vec![row(memory, vec![angle(degrees)])])
            .await,
        "put",
    );
}

async fn search<S: VectorIndex>(store: &S, filter: &MemoryFilter, limit: u32) -> Vec<VectorHit> {
    let hits = ok(
        store.search(&space("a"), filter, &angle(0.0), limit).await,
        "search",
    );
    assert!(hits.len() <= limit as usize, "at most `limit` memories");
    assert!(
        hits.windows(2)
            .all(|pair| pair[0].similarity >= pair[1].similarity),
        "best first: {hits:?}"
    );
    hits
}

async fn found<S: VectorIndex>(store: &S) -> Vec<MemoryId> {
    search(store, &MemoryFilter::active(minji()), 10)
        .await
        .into_iter()
        .map(|hit| hit.id)
        .collect()
}

async fn missing<S: VectorIndex>(store: &S, model: &str) -> Vec<MemoryId> {
    let mut ids: Vec<_> = ok(store.missing(&space(model), 100).await, "missing")
        .into_iter()
        .map(|missing| missing.id)
        .collect();
    ids.sort();
    ids
}

async fn what_has_no_vector_is_missing<S: VectorIndex + MemoryBackend>(store: S) {
    assert!(
        missing(&store, "a").await.is_empty(),
        "nothing is missing in an empty store"
    );
    let (seat, _) = create(&store, 0, sample::seat_ko()).await;
    let (theirs, _) = create(
        &store,
        0,
        new_memory(&daniel(), "preference:food", sample::FOOD_EN),
    )
    .await;
    let (old, _) = create(&store, 0, new_memory(&minji(), "decision:car", "I sold the car")).await;
    patch(&store, 1, &old, status(Status::Deleted)).await;

    let mut rows = ok(store.missing(&space("a"), 100).await, "missing");
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    let mut expected = [&seat, &theirs].map(|memory| ports::MissingVector {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        text: memory.text.clone(),
    });
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(
        rows, expected,
        "active memories of every owner without a vector, with their words and hashes"
    );
    assert_eq!(
        ok(store.missing(&space("a"), 1).await, "missing").len(),
        1,
        "at most `limit` memories"
    );

    put(&store, &seat, 0.0).await;
    assert_eq!(
        missing(&store, "a").await,
        [theirs.id],
        "what has a vector is no longer missing"
    );
}

async fn the_nearest_comes_first<S: VectorIndex + MemoryBackend>(store: S) {
    assert!(found(&store).await.is_empty(), "an empty index finds nothing");
    let mut expected = Vec::new();
    for degrees in [80.0, 10.0, 150.0, 40.0] {
        let (memory, _) = create(
            &store,
            0,
            new_memory(&minji(), &format!("profile:{degrees}"), "어떤 문장"),
        )
        .await;
        put(&store, &memory, degrees).await;
        expected.push((degrees, memory.id));
    }
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let hits = search(&store, &MemoryFilter::active(minji()), 10).await;
    assert_eq!(
        hits.len(),
        4,
        "every memory with a vector is in a list that is long enough"
    );
    for (hit, (degrees, id)) in hits.iter().zip(&expected) {
        assert_eq!(&hit.id, id, "the nearest by cosine comes first: {hits:?}");
        let cosine = degrees.to_radians().cos();
        assert!(
            (hit.similarity - cosine).abs() < TOLERANCE,
            "similarity is the cosine {cosine}: {hit:?}"
        );
    }
    assert_eq!(
        search(&store, &MemoryFilter::active(minji()), 1).await[0].id,
        expected[0].1,
        "a short list holds the nearest"
    );
}

async fn a_memory_is_as_near_as_its_best_chunk<S: VectorIndex + MemoryBackend>(store: S) {
    let (long, _) = create(&store, 0, sample::seat_en()).await;
    let (short, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let chunks = vec![angle(170.0), angle(5.0), angle(20.0)];
    ok(
        store
            .put(
                &space("a"),
                vec![row(&long, chunks), row(&short, vec![angle(12.0)])],
            )
            .await,
        "put",
    );
    let hits = search(&store, &MemoryFilter::active(minji()), 10).await;
    let ids: Vec<_> = hits.iter().map(|hit| hit.id.clone()).collect();
    assert_eq!(
        ids,
        [long.id, short.id],
        "a memory is in the list once, at the place of its best chunk"
    );
    let cosine = 5.0_f32.to_radians().cos();
    assert!(
        (hits[0].similarity - cosine).abs() < TOLERANCE,
        "similarity is that of the best chunk: {hits:?}"
    );
    assert_eq!(
        search(&store, &MemoryFilter::active(minji()), 2).await.len(),
        2,
        "the limit counts memories, not chunks"
    );
}

async fn new_vectors_replace_old_ones<S: VectorIndex + MemoryBackend>(store: S) {
    let (memory, _) = create(&store, 0, sample::seat_en()).await;
    ok(
        store
            .put(&space("a"), vec![row(&memory, vec![angle(0.0), angle(3.0)])])
            .await,
        "put",
    );
    put(&store, &memory, 90.0).await;
    let hits = search(&store, &MemoryFilter::active(minji()), 10).await;
    assert_eq!(hits.len(), 1, "a memory has one set of vectors in a space");
    assert!(
        hits[0].similarity.abs() < TOLERANCE,
        "no chunk of the old set is left: {hits:?}"
    );
}

async fn vectors_of_changed_and_erased_memories_are_left_out<S: VectorIndex + MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    let (city, _) = create(&store, 0, new_memory(&minji(), "profile:city", "부산에 살아요")).await;
    let (changed, _) = patch(&store, 1, &seat, text("창가 쪽이 좋아요")).await;
    patch(&store, 1, &food, status(Status::Deleted)).await;
    assert_eq!(
        ok(store.purge_deleted(at(2)).await, "purge_deleted"),
        1,
        "one memory is erased"
    );
    let unknown = NewVectors {
        id: MemoryId::new("no-such-memory"),
        content_hash: "0".to_owned(),
        chunks: vec![angle(0.0)],
    };
    let rows = vec![
        row(&seat, vec![angle(0.0)]),
        row(&food, vec![angle(0.0)]),
        unknown,
        row(&city, vec![angle(0.0)]),
    ];
    ok(store.put(&space("a"), rows).await, "vectors that come too late");
    assert_eq!(
        found(&store).await,
        [city.id],
        "rows whose memory has changed or gone since are left out, others kept"
    );
    assert_eq!(
        missing(&store, "a").await,
        [changed.id],
        "the changed memory still waits for its vector"
    );
}

async fn a_vector_holds_while_the_memory_says_the_same<S: VectorIndex + MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    put(&store, &seat, 0.0).await;
    let (seat, _) = patch(
        &store,
        1,
        &seat,
        MemoryPatch {
            pinned: Some(true),
            ..MemoryPatch::default()
        },
    )
    .await;
    assert_eq!(
        found(&store).await,
        std::slice::from_ref(&seat.id),
        "a change that leaves the words alone keeps the vector"
    );
    assert!(
        missing(&store, "a").await.is_empty(),
        "a change that leaves the words alone asks for no new vector"
    );

    let (seat, _) = patch(&store, 2, &seat, text("조용한 자리가 좋아요")).await;
    assert!(
        found(&store).await.is_empty(),
        "the vector of other words is not compared"
    );
    assert_eq!(
        missing(&store, "a").await,
        std::slice::from_ref(&seat.id),
        "new words ask for a new vector"
    );
    put(&store, &seat, 0.0).await;
    assert_eq!(
        found(&store).await,
        std::slice::from_ref(&seat.id),
        "new words are found by their new vector"
    );

    patch(&store, 3, &seat, status(Status::Deleted)).await;
    assert!(found(&store).await.is_empty(), "a deleted memory is not found");
    assert!(
        missing(&store, "a").await.is_empty(),
        "a deleted memory asks for no vector"
    );
    ok(store.purge_deleted(at(4)).await, "purge_deleted");
    let filter = MemoryFilter {
        statuses: vec![Status::Deleted],
        ..MemoryFilter::active(minji())
    };
    assert!(
        search(&store, &filter, 10).await.is_empty(),
        "the vectors of an erased memory are gone"
    );
}

async fn spaces_do_not_mix<S: VectorIndex + MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    put(&store, &seat, 0.0).await;
    let wide = EmbeddingSpace {
        dimension: 2,
        ..space("a")
    };
    let mine = MemoryFilter::active(minji());
    assert_eq!(
        missing(&store, "b").await,
        std::slice::from_ref(&seat.id),
        "a vector in one space is missing in another"
    );
    let hits = ok(store.search(&space("b"), &mine, &angle(0.0), 5).await, "search");
    assert!(hits.is_empty(), "vectors are compared only inside one space");
    let hits = ok(store.search(&wide, &mine, &[1.0, 0.0], 5).await, "search");
    assert!(hits.is_empty(), "another dimension is another space");
    ok(
        store.put(&wide, vec![row(&seat, vec![vec![0.0, 1.0]])]).await,
        "put in a second space",
    );
    let hits = search(&store, &mine, 5).await;
    assert!(
        (hits[0].similarity - 1.0).abs() < TOLERANCE,
        "one set of vectors for each space: {hits:?}"
    );
}

async fn a_search_is_filtered_before_it_is_ranked<S: VectorIndex + MemoryBackend>(store: S) {
    let theirs = |index| new_memory(&daniel(), &format!("preference:{index}"), "the aisle");
    let ops = (0..150)
        .map(|index| WriteOp::Create {
            memory: theirs(index),
        })
        .collect();
    let written = super::write(&store, &daniel(), 0, ops).await;
    let near = |result| row(&super::memory_of(result), vec![angle(0.0)]);
    ok(
        store
            .put(&space("a"), written.results.iter().map(near).collect())
            .await,
        "put 150 rows",
    );

    let memories = filtering::memories(&store).await;
    for (memory, degrees) in memories.iter().zip([60.0, 70.0, 80.0, 50.0]) {
        put(&store, memory, degrees).await;
    }
    for case in filtering::cases(&memories) {
        let limit = u32::try_from(case.expected.len()).unwrap_or(u32::MAX);
        let hits = search(&store, &case.filter, limit).await;
        let mut ids: Vec<_> = hits.into_iter().map(|hit| hit.id).collect();
        ids.sort();
        let name = case.name;
        assert_eq!(
            ids, case.expected,
            "150 nearer vectors of another owner hide none of one's own; filter: {name}"
        );
    }
}
