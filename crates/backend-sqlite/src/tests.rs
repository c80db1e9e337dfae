//! Tests of what cannot be reached through the ports.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::vector_log::{self, Since};
use crate::tables::{token_vectors, vectors};
use crate::writer::Durability;
use memory_model::{Memory, MemoryId, WriteOp};
use ports::{
    EmbeddingSpace, MemoryBackend, NewTokenVectors, NewVectors, StoreError, TokenMatrix, VectorIndex,
};
use test_support::sample;

async fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("reverie.db"))
        .await
        .unwrap();
    (folder, store)
}

/// What a statement fails with on a connection that writes.
async fn failure(store: &SqliteStore, before: &'static str, statement: &'static str) -> StoreError {
    let mut writer = store.inner.writer.lock().await;
    let mut transaction = writer.begin(Durability::ProcessEnd, "testing").await.unwrap();
    sqlx::raw_sql(before).execute(&mut *transaction).await.unwrap();
    sqlx::raw_sql(statement)
        .execute(&mut *transaction)
        .await
        .doing("testing")
        .unwrap_err()
}

#[tokio::test]
async fn codes_of_sqlite_say_what_a_person_can_do() {
    const FILL: &str = "INSERT INTO settings VALUES ('large', hex(zeroblob(4000000)))";
    let (_folder, store) = store().await;
    let full = failure(&store, "PRAGMA max_page_count = 1", FILL).await;
    assert!(
        matches!(full, StoreError::DiskFull { doing: "testing", .. }),
        "{full:?}"
    );
    // SQLite has rolled the transaction back by itself; the store must go on.
    let other = failure(&store, "SELECT 1", "INSERT INTO no_such_table VALUES (1)").await;
    assert!(matches!(other, StoreError::Other { .. }), "{other:?}");
    assert_eq!(other.to_string(), "failed while testing");
    let read_only = failure(&store, "PRAGMA query_only = ON", FILL).await;
    assert!(matches!(read_only, StoreError::ReadOnly { .. }), "{read_only:?}");
}

#[tokio::test]
async fn a_checkpoint_is_quick_and_a_save_is_flushed() {
    let (_folder, store) = store().await;
    let mut writer = store.inner.writer.lock().await;
    for (durability, expected) in [
        (Durability::ProcessEnd, 1_i64),
        (Durability::PowerLoss, 2),
        (Durability::PowerLoss, 2),
        (Durability::ProcessEnd, 1),
        (Durability::PowerLoss, 2),
    ] {
        let mut transaction = writer.begin(durability, "testing").await.unwrap();
        let mode: i64 = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(&mut *transaction)
            .await
            .unwrap();
        assert_eq!(mode, expected, "1 is NORMAL, 2 is FULL");
    }
}

#[tokio::test]
async fn a_place_that_left_the_log_means_everything() {
    let (_folder, store) = store().await;
    let mut writer = store.inner.writer.lock().await;
    let mut transaction = writer.begin(Durability::ProcessEnd, "testing").await.unwrap();
    assert_eq!(vector_log::end(&mut transaction).await.unwrap(), 0);
    for memory in [7, 8, 7] {
        sqlx::query("INSERT INTO vector_log (memory) VALUES (?)")
            .bind(memory)
            .execute(&mut *transaction)
            .await
            .unwrap();
    }
    assert_eq!(
        vector_log::since(&mut transaction, None).await.unwrap(),
        Since::Everything { place: 3 }
    );
    let rows = Since::Rows {
        rows: vec![8, 7],
        place: 3,
    };
    assert_eq!(vector_log::since(&mut transaction, Some(1)).await.unwrap(), rows);
    assert_eq!(
        vector_log::since(&mut transaction, Some(3)).await.unwrap(),
        Since::Rows {
            rows: vec![],
            place: 3
        }
    );
    sqlx::query("DELETE FROM vector_log WHERE seq < 3")
        .execute(&mut *transaction)
        .await
        .unwrap();
    assert_eq!(
        vector_log::since(&mut transaction, Some(1)).await.unwrap(),
        Since::Everything { place: 3 }
    );
    let rows = Since::Rows {
        rows: vec![7],
        place: 3,
    };
    assert_eq!(vector_log::since(&mut transaction, Some(2)).await.unwrap(), rows);
    assert_eq!(
        vector_log::since(&mut transaction, Some(9)).await.unwrap(),
        Since::Everything { place: 3 }
    );
}

#[tokio::test]
async fn word_pieces_that_were_used_longest_ago_make_room() {
    let (_folder, store) = store().await;
    let owner = sample::minji();
    let space = EmbeddingSpace {
        source: "test".to_owned(),
        model: "plane".to_owned(),
        dimension: 4,
    };
    let ops = (0..6).map(|index| WriteOp::Create {
        memory: sample::new_memory(
            &owner,
            &format!("habit:{index}"),
            &format!("{index}번째 습관이에요"),
        ),
    });
    let written = store
        .apply(sample::batch(&owner, sample::at(0), ops.collect()))
        .await
        .unwrap();
    let memories: Vec<Memory> = written
        .results
        .into_iter()
        .filter_map(|result| result.memory)
        .collect();
    let whole = |memory: &Memory| NewVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        chunks: vec![vec![0.5; 4]],
    };
    store
        .put(&space, memories.iter().map(whole).collect())
        .await
        .unwrap();
    let pieces = |memory: &Memory| NewTokenVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        tokens: TokenMatrix::of(4, [[0.5_f32; 4].as_slice(); 3].into_iter()),
    };
    // The last one is not there yet.
    store
        .put_token_vectors(&space, memories[..5].iter().map(pieces).collect())
        .await
        .unwrap();
    store
        .count_recalls(&owner, &[memories[0].id.clone()], sample::at(1))
        .await
        .unwrap();
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
    let each = i64::try_from(3 * TokenMatrix::row_bytes(4)).unwrap();
    {
        let mut writer = store.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::ProcessEnd, "testing").await.unwrap();
        token_vectors::make_room(&mut transaction, 3 * each)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    }
    let kept = store.token_vectors(&owner, &space, &ids).await.unwrap();
    let mut kept: Vec<&MemoryId> = kept.iter().map(|(id, _)| id).collect();
    kept.sort_by_key(|id| ids.iter().position(|known| known == *id));
    assert_eq!(kept, [&ids[0], &ids[3], &ids[4]], "the first was recalled since");

    let mut reader = store.reader("testing").await.unwrap();
    let id = vectors::space(&mut reader, &space).await.unwrap().unwrap();
    let mut wanted = async |bytes_max| {
        let missing = token_vectors::missing(&mut reader, (id, 4), 10, bytes_max).await;
        missing.unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(
        wanted(4 * each).await,
        [&ids[5], &ids[2], &ids[1]].map(Clone::clone)
    );
    assert_eq!(
        wanted(3 * each).await,
        [ids[5].clone()],
        "a full store takes in only what is newer, or it would never come to rest"
    );
}
