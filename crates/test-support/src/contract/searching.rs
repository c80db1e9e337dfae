//! The keyword list.

use super::{create, filtering, ok, patch, status, text};
use crate::sample::{self, at, daniel, minji, new_memory};
use memory_model::{MemoryFilter, MemoryId, Status, ThreadId, WriteOp};
use ports::{KeywordHit, MemoryBackend};
use recall::terms::index_terms;

pub(super) async fn all<S: MemoryBackend>(make: &impl AsyncFn() -> S) {
    words_are_found_in_both_languages(make().await).await;
    the_best_comes_first(make().await).await;
    no_term_is_ever_an_error(make().await).await;
    names_with_signs_are_found(make().await).await;
    a_search_is_filtered_before_it_is_ranked(make().await).await;
    a_search_follows_every_change(make().await).await;
    words_are_counted(make().await).await;
    what_stands_beside_a_memory_is_known(make().await).await;
}

async fn words_are_counted<S: MemoryBackend>(store: S) {
    create(
        &store,
        0,
        new_memory(&minji(), "fact:a", "Plays the cello on Sundays"),
    )
    .await;
    create(
        &store,
        0,
        new_memory(&minji(), "fact:b", "일요일마다 첼로를 연습해요"),
    )
    .await;
    create(&store, 0, new_memory(&minji(), "fact:c", "Rests on Sundays")).await;
    let terms: Vec<String> = ["sunday", "cello", "첼로", "submarin", "\"", "a b"]
        .map(str::to_owned)
        .into();
    let counts = ok(store.term_counts(&terms).await, "term_counts");
    assert_eq!(
        counts.holding,
        [2, 1, 1, 0, 0, 0],
        "each memory that holds a word counts once"
    );
    assert!(counts.texts >= 3, "every text counts: {counts:?}");
}

async fn what_stands_beside_a_memory_is_known<S: MemoryBackend>(store: S) {
    let thread = ThreadId::new("thread-of-neighbours");
    let said = |key: &str, text: &str| sample::new_memory_said_in(&minji(), key, text, &thread);
    let mut made = Vec::new();
    for (key, text) in [
        ("fact:1", "첫 번째 이야기"),
        ("fact:2", "The second one"),
        ("fact:3", "세 번째 이야기"),
        ("fact:4", "The fourth one"),
    ] {
        made.push(create(&store, 0, said(key, text)).await.0);
    }
    let (alone, _) = create(&store, 0, sample::seat_en()).await;
    let beside = async |id: &MemoryId, each_side: u32| -> Vec<(i32, MemoryId)> {
        let ids = [id.clone(), MemoryId::new("unknown")];
        let found = ok(
            store.surroundings(&minji(), &ids, each_side).await,
            "surroundings",
        );
        let mut found: Vec<_> = found.into_iter().map(|row| (row.distance, row.id)).collect();
        found.sort();
        found
    };
    let id = |place: usize| made[place].id.clone();
    assert_eq!(
        beside(&id(1), 1).await,
        [(-1, id(0)), (0, id(1)), (1, id(2))],
        "one on each side"
    );
    assert_eq!(
        beside(&id(3), 2).await,
        [(-2, id(1)), (-1, id(2)), (0, id(3))],
        "the end of a thread"
    );
    assert_eq!(
        beside(&alone.id, 2).await,
        [(0, alone.id.clone())],
        "no thread, no neighbours"
    );
    patch(&store, 1, &made[2], status(Status::Deleted)).await;
    assert_eq!(
        beside(&id(3), 1).await,
        [(-1, id(1)), (0, id(3))],
        "a deleted one stands beside nobody"
    );
    let foreign = ok(store.surroundings(&daniel(), &[id(1)], 2).await, "surroundings");
    assert!(
        foreign.is_empty(),
        "nobody sees what another one said: {foreign:?}"
    );
}

async fn search<S: MemoryBackend>(
    store: &S,
    filter: &MemoryFilter,
    terms: &[String],
    limit: u32,
) -> Vec<KeywordHit> {
    let hits = ok(
        store.search_keywords(filter, terms, limit).await,
        "search_keywords",
    );
    assert!(hits.len() <= limit as usize, "at most `limit` rows");
    assert!(
        hits.windows(2).all(|pair| pair[0].bm25 >= pair[1].bm25),
        "best first, larger is better: {hits:?}"
    );
    let mut ids: Vec<_> = hits.iter().map(|hit| &hit.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), hits.len(), "a memory is in the list once: {hits:?}");
    hits
}

async fn found<S: MemoryBackend>(store: &S, words: &str) -> Vec<MemoryId> {
    let hits = search(store, &MemoryFilter::active(minji()), &index_terms(words), 10).await;
    hits.into_iter().map(|hit| hit.id).collect()
}

async fn words_are_found_in_both_languages<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (chair, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:좌석", sample::SEAT_KO),
    )
    .await;
    let (food, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:food", sample::FOOD_KO),
    )
    .await;
    assert_eq!(
        found(&store, "aisle").await,
        std::slice::from_ref(&seat.id),
        "an English word is found"
    );
    assert_eq!(
        found(&store, "AISLE").await,
        [seat.id],
        "capital letters make no difference"
    );
    assert_eq!(found(&store, "통로").await, [chair.id], "a Korean word is found");
    assert_eq!(
        found(&store, "조개류는").await,
        [food.id],
        "a Korean word with its particle is found"
    );
    assert!(
        found(&store, "submarine").await.is_empty(),
        "what nobody said is not found"
    );
    assert!(
        found(&store, "잠수함").await.is_empty(),
        "what nobody said is not found"
    );
    assert!(found(&store, "").await.is_empty(), "no terms, no hits");
}

async fn the_best_comes_first<S: MemoryBackend>(store: S) {
    for index in 0..12 {
        create(
            &store,
            0,
            new_memory(
                &minji(),
                &format!("pattern:{index}"),
                &format!("I walk the dog at {index}"),
            ),
        )
        .await;
    }
    let (best, _) = create(
        &store,
        0,
        new_memory(&minji(), "preference:tea", "I walk to the tea house"),
    )
    .await;
    let hits = search(
        &store,
        &MemoryFilter::active(minji()),
        &index_terms("walk tea"),
        5,
    )
    .await;
    assert_eq!(hits.len(), 5, "one term is enough for a hit, and `limit` holds");
    assert_eq!(
        hits[0].id, best.id,
        "the memory with both words, one of them rare, is first"
    );
    assert!(hits[0].bm25 > hits[1].bm25, "larger is better: {hits:?}");
}

async fn no_term_is_ever_an_error<S: MemoryBackend>(store: S) {
    create(&store, 0, sample::seat_en()).await;
    let odd = [
        "it's",
        "O'Brien",
        "C++",
        "c#",
        "\"",
        "\"aisle\"",
        "'",
        "''",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR/3",
        "*",
        "ais*",
        "aisle OR window",
        "text:aisle",
        "-aisle",
        "^aisle",
        "(",
        ")",
        "(aisle",
        "{text}",
        "%",
        "_",
        ";",
        "--",
        "\\",
        "🛫",
        "👩‍👩‍👧",
        "",
        " ",
        "\0",
        "통로*",
        "\"통로",
        "\u{110B}\u{116E}",
        "; DROP TABLE memories",
    ];
    let filter = MemoryFilter::active(minji());
    for term in odd {
        search(&store, &filter, &[term.to_owned()], 5).await;
    }
    let all: Vec<_> = odd.iter().map(|term| (*term).to_owned()).collect();
    search(&store, &filter, &all, 5).await;
    let with_word = ["\"", "NOT", "*", "seat"].map(str::to_owned);
    assert_eq!(
        search(&store, &filter, &with_word, 5).await.len(),
        1,
        "odd terms do not hide a plain one"
    );
    let syntax = ["mor*", "zebra OR seat", "NOT zebra", "text: seat OR seat"].map(str::to_owned);
    assert!(
        search(&store, &filter, &syntax, 5).await.is_empty(),
        "terms are plain tokens, never query syntax"
    );
    let many: Vec<_> = (0..500).map(|index| format!("term{index}")).collect();
    search(&store, &filter, &many, 5).await;
}

async fn names_with_signs_are_found<S: MemoryBackend>(store: S) {
    let cases = [
        ("project:cpp", "Our engine is written in C++", "C++"),
        ("project:name", "O'Brien reviews the code", "O'Brien"),
        ("preference:plane", "🛫 비행기는 아침이 좋아요", "비행기는"),
        ("project:path", "The \"quoted\" word AND the star *", "quoted"),
        (
            "profile:city",
            "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}에 살아요",
            "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}에",
        ),
    ];
    for (key, text, _) in cases {
        create(&store, 0, new_memory(&minji(), key, text)).await;
    }
    for (key, text, words) in cases {
        let ids = found(&store, words).await;
        let first = ids
            .first()
            .unwrap_or_else(|| panic!("{words:?} must be found in {text:?}"));
        let memory = super::get(&store, &minji(), first).await;
        assert_eq!(memory.key, key, "{words:?} finds {text:?} first");
    }
}

async fn a_search_is_filtered_before_it_is_ranked<S: MemoryBackend>(store: S) {
    let theirs = |index| {
        new_memory(
            &daniel(),
            &format!("preference:{index}"),
            "aisle aisle, 통로 통로",
        )
    };
    let ops = (0..150)
        .map(|index| WriteOp::Create {
            memory: theirs(index),
        })
        .collect();
    super::write(&store, &daniel(), 0, ops).await;
    for case in filtering::cases(&filtering::memories(&store).await) {
        for word in ["aisle", "통로"] {
            let limit = u32::try_from(case.expected.len()).unwrap_or(u32::MAX);
            let hits = search(&store, &case.filter, &index_terms(word), limit).await;
            let mut ids: Vec<_> = hits.into_iter().map(|hit| hit.id).collect();
            ids.sort();
            let name = case.name;
            assert_eq!(
                ids, case.expected,
                "150 hits of another owner hide none of one's own; {word}, filter: {name}"
            );
        }
    }
}

async fn a_search_follows_every_change<S: MemoryBackend>(store: S) {
    let (seat, _) = create(&store, 0, sample::seat_en()).await;
    let (seat, _) = patch(&store, 1, &seat, text("창가 자리를 골라요")).await;
    assert!(
        found(&store, "aisle").await.is_empty(),
        "words that were changed are no longer found"
    );
    assert_eq!(
        found(&store, "창가").await,
        std::slice::from_ref(&seat.id),
        "the new words are found"
    );
    let (_, deletion) = patch(&store, 2, &seat, status(Status::Deleted)).await;
    assert!(
        found(&store, "창가").await.is_empty(),
        "a deleted memory is not found"
    );
    let Some(change) = deletion.change_id else {
        panic!("a deletion can be undone")
    };
    ok(store.undo(&minji(), &change, at(3)).await, "undo");
    assert_eq!(
        found(&store, "창가").await,
        [seat.id],
        "a memory that came back is found"
    );
}
