//! Tests of what cannot be reached through the ports.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::vector_log::{self, Since};
use crate::writer::Durability;
use ports::StoreError;

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
