//! Vectors of word pieces: kept while the memory says the same, gone with it, made again when they are damaged.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{Memory, MemoryFilter, MemoryPatch, Strategy, UserId, WriteOp};
use ports::{
    EmbedPurpose, Embedder as _, EmbeddingSpace, MemoryBackend, MissingVector, NewTokenVectors, NewVectors,
    TokenMatrix, VectorIndex,
};
use recall::search::Places;
use sqlx::Connection as _;
use std::path::Path;
use test_support::HashEmbedder;
use test_support::sample::{at, batch, minji, new_memory};

const TEA: &str = "보리차는 차갑게 마시고 홍차는 뜨겁게 마셔요";

/// Keeps a whole vector and the word pieces of what lacks them; says of which texts.
async fn keep(store: &SqliteStore, embedder: &HashEmbedder) -> Vec<String> {
    let space = embedder.space();
    let whole = |row: MissingVector| NewVectors {
        chunks: vec![HashEmbedder::vector(&row.text)],
        id: row.id,
        content_hash: row.content_hash,
    };
    let missing = store.missing(space, 1_000).await.unwrap();
    store
        .put(space, missing.into_iter().map(whole).collect())
        .await
        .unwrap();
    let missing = store.without_token_vectors(space, 1_000).await.unwrap();
    let texts: Vec<String> = missing.iter().map(|row| row.text.clone()).collect();
    let mut rows = Vec::new();
    for row in missing {
        let tokens = pieces(embedder, &row.text).await;
        rows.push(NewTokenVectors {
            id: row.id,
            content_hash: row.content_hash,
            tokens,
        });
    }
    store.put_token_vectors(space, rows).await.unwrap();
    texts
}

async fn pieces(embedder: &HashEmbedder, text: &str) -> TokenMatrix {
    let made = embedder
        .embed_tokens(&[text.to_owned()], EmbedPurpose::Passage)
        .await;
    let tokens = &made.unwrap().unwrap()[0].tokens;
    TokenMatrix::of(
        embedder.space().dimension,
        tokens.iter().map(|token| token.numbers.as_slice()),
    )
}

async fn kept(store: &SqliteStore, space: &EmbeddingSpace, memory: &Memory) -> Option<TokenMatrix> {
    let found = store
        .token_vectors(&memory.owner, space, std::slice::from_ref(&memory.id))
        .await;
    found.unwrap().pop().map(|(_, tokens)| tokens)
}

#[tokio::test]
async fn word_pieces_are_kept_while_the_memory_says_the_same() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let embedder = HashEmbedder::new();
    let space = embedder.space();
    let memory = create(&store, new_memory(&minji(), "preference:tea", TEA)).await;
    assert!(
        store.without_token_vectors(space, 10).await.unwrap().is_empty(),
        "whole vectors go first"
    );
    assert_eq!(keep(&store, &embedder).await, [TEA]);
    assert_eq!(keep(&store, &embedder).await, [""; 0], "nothing is made twice");
    assert_eq!(
        kept(&store, space, &memory).await,
        Some(pieces(&embedder, TEA).await)
    );
    let other = UserId::new("somebody else");
    let of_other = store
        .token_vectors(&other, space, std::slice::from_ref(&memory.id))
        .await;
    assert_eq!(of_other.unwrap(), [], "the owner is asked before the words");

    let coffee = "커피는 아침에만 마셔요";
    let patch = MemoryPatch {
        text: Some(coffee.to_owned()),
        ..MemoryPatch::default()
    };
    let op = WriteOp::Update {
        id: memory.id.clone(),
        expected_version: memory.version,
        patch,
    };
    store.apply(batch(&minji(), at(1), vec![op])).await.unwrap();
    assert_eq!(kept(&store, space, &memory).await, None, "what it said before");
    let late = NewTokenVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        tokens: pieces(&embedder, TEA).await,
    };
    store.put_token_vectors(space, vec![late]).await.unwrap();
    assert_eq!(kept(&store, space, &memory).await, None, "made of the old words");
    assert_eq!(keep(&store, &embedder).await, [coffee]);
    assert_eq!(
        kept(&store, space, &memory).await,
        Some(pieces(&embedder, coffee).await)
    );
}

#[tokio::test]
async fn damaged_word_pieces_are_made_again_and_those_of_another_model_go() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let embedder = HashEmbedder::new();
    let space = embedder.space();
    let memory = create(&store, new_memory(&minji(), "preference:tea", TEA)).await;
    keep(&store, &embedder).await;
    run(
        &path,
        "UPDATE token_vectors SET vectors = substr(vectors, 1, length(vectors) - 3)",
    )
    .await;
    assert_eq!(kept(&store, space, &memory).await, None);
    assert_eq!(keep(&store, &embedder).await, [TEA]);

    let next = EmbeddingSpace {
        model: "next".to_owned(),
        ..space.clone()
    };
    let row = NewTokenVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        tokens: pieces(&embedder, TEA).await,
    };
    store.put_token_vectors(&next, vec![row.clone()]).await.unwrap();
    assert_eq!(
        kept(&store, &next, &memory).await,
        None,
        "no space without whole vectors"
    );
    let whole = NewVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        chunks: vec![HashEmbedder::vector(TEA)],
    };
    store.put(&next, vec![whole]).await.unwrap();
    store.put_token_vectors(&next, vec![row.clone()]).await.unwrap();
    assert!(kept(&store, space, &memory).await.is_some() && kept(&store, &next, &memory).await.is_some());
    store.drop_other_spaces(&next).await.unwrap();
    assert_eq!(kept(&store, space, &memory).await, None);
    store.put_token_vectors(space, vec![row]).await.unwrap();
    assert_eq!(
        kept(&store, space, &memory).await,
        None,
        "the old space does not come back"
    );
    assert!(kept(&store, &next, &memory).await.is_some());
}

#[tokio::test]
async fn erasing_takes_the_bytes_of_word_pieces_out_of_the_files() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let embedder = HashEmbedder::new();
    for index in 0..30 {
        let text = format!("{index}번째 아침에도 강가를 달려요");
        create(&store, new_memory(&minji(), &format!("profile:{index}"), &text)).await;
    }
    let memory = create(&store, new_memory(&minji(), "preference:tea", TEA)).await;
    keep(&store, &embedder).await;
    let bytes = pieces(&embedder, TEA).await.to_bytes();
    // A row of it: a long blob is spread over pages.
    let row = &bytes[..TokenMatrix::row_bytes(embedder.space().dimension)];
    assert!(holds(&path, row));
    let preview = store.erase(&minji(), &memory.id, false, false).await.unwrap();
    assert_eq!(preview.vectors, 2, "the whole one and the pieces");
    assert!(holds(&path, row), "a preview does nothing");
    store.erase(&minji(), &memory.id, false, true).await.unwrap();
    assert!(!holds(&path, row));
    let left: i64 = scalar(&path, "SELECT count(*) FROM token_vectors").await;
    assert_eq!(left, 30);
}

fn holds(path: &Path, needle: &[u8]) -> bool {
    std::fs::read_dir(path.parent().unwrap()).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle)
    })
}

async fn connection(path: &Path) -> sqlx::SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    sqlx::SqliteConnection::connect_with(&options).await.unwrap()
}

async fn run(path: &Path, sql: &'static str) {
    sqlx::raw_sql(sql)
        .execute(&mut connection(path).await)
        .await
        .unwrap();
}

async fn scalar(path: &Path, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql)
        .fetch_one(&mut connection(path).await)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_telling_word_decides_between_texts_that_whole_vectors_cannot_tell_apart() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let embedder = HashEmbedder::new();
    let texts = [
        "주말마다 한강에서 자전거를 타요",
        "주말마다 한강에서 달리기를 해요",
        "Rides a bicycle along the river on weekends",
        "Runs along the river on weekends",
    ];
    for (index, text) in texts.iter().enumerate() {
        create(&store, new_memory(&minji(), &format!("habit:{index}"), text)).await;
    }
    let first = async |question: &str| {
        let places = Places {
            memory: &store,
            vectors: &store,
            embedder: Some(&embedder),
        };
        let params = recall::Params {
            strategy: Strategy::Hybrid,
            rrf_k: 60,
            limit: 10,
            similarity_min: 0.3,
            with_irrelevant: true,
            now: at(5),
        };
        let filter = MemoryFilter::active(minji());
        let found = recall::search(&recall::Query::of(question), &filter, places, params)
            .await
            .unwrap();
        assert!(found.embedding_error.is_none());
        let hits = found.found.hits;
        assert!(
            hits.windows(2).all(|pair| pair[0].score >= pair[1].score),
            "{question}: scores go down"
        );
        (hits[0].memory.text.clone(), hits[0].score)
    };
    for (question, expected) in [("한강 자전거", texts[0]), ("bicycle by the river", texts[2])] {
        assert_eq!(first(question).await.0, expected, "without word pieces");
    }
    let before = first("한강 자전거").await.1;
    keep(&store, &embedder).await;
    for (question, expected) in [("한강 자전거", texts[0]), ("bicycle by the river", texts[2])] {
        assert_eq!(first(question).await.0, expected, "with word pieces");
    }
    assert_ne!(first("한강 자전거").await.1, before, "word pieces were compared");
}
