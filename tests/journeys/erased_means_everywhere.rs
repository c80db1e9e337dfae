//! What is erased is gone from every place, with a receipt; saying it again works; a damaged database goes back to
//! the last backup.

use crate::people::{memories, open, say};
use engine::{EraseReceipt, ErasedPlace, MemoryQuery};
use memory_model::{Status, ThreadId};
use std::path::{Path, PathBuf};

fn count(receipt: &EraseReceipt, place: ErasedPlace) -> u32 {
    let places = receipt.removed.iter().chain(&receipt.remains);
    places
        .filter(|held| held.place == place)
        .map(|held| held.count)
        .sum()
}

/// Files under a folder whose bytes hold a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_erased_is_gone_from_every_place() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    let words = "망원동 서점";
    say(&engine, "t", "저는 망원동 서점을 좋아해요").await;
    say(&engine, "t", "내가 좋아하는 서점이 어디지?").await;
    say(&engine, "u", "I like cycling.").await;
    let memory = memories(&engine, Status::Active)
        .await
        .into_iter()
        .find(|memory| memory.text.contains("서점"))
        .unwrap();
    engine.catch_up().await.unwrap();

    let preview = engine.erase_memory(&memory.id, true, false).await.unwrap();
    assert!(!preview.done);
    assert!(
        engine.open_memory(&memory.id).await.is_ok(),
        "a preview erases nothing"
    );

    let receipt = engine.erase_memory(&memory.id, true, true).await.unwrap();
    for place in [
        ErasedPlace::Memory,
        ErasedPlace::Versions,
        ErasedPlace::KeywordIndex,
        ErasedPlace::Vectors,
        ErasedPlace::Checkpoints,
        ErasedPlace::Messages,
        ErasedPlace::Backups,
    ] {
        assert!(count(&receipt, place) > 0, "{place:?}: {receipt:?}");
        assert_eq!(
            count(&receipt, place),
            count(&preview, place),
            "the preview said the same"
        );
    }
    let query = MemoryQuery {
        text: "서점".to_owned(),
        with_irrelevant: true,
        ..MemoryQuery::default()
    };
    let found = engine.list_memories(&query).await.unwrap();
    assert!(
        found.rows.iter().all(|row| row.memory.id != memory.id),
        "{found:?}"
    );
    let thread = engine.open_thread(&ThreadId::new("t")).await.unwrap();
    let json = serde_json::to_string(&thread).unwrap();
    assert!(
        !json.contains(words),
        "neither messages nor checkpoints say it: {json}"
    );
    assert_eq!(
        memories(&engine, Status::Active).await.len(),
        1,
        "the others are untouched"
    );
    assert!(
        engine
            .list_audit(10)
            .await
            .unwrap()
            .iter()
            .any(|record| record.action == "memory.erased")
    );
    engine.close().await;
    assert_eq!(
        holding(folder.path(), words),
        Vec::<PathBuf>::new(),
        "the bytes are gone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_erased_can_be_said_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    for again in 0..2 {
        let said = say(&engine, "t", "I prefer window tables in restaurants.").await;
        assert_eq!(said.stored_updates.len(), 1, "time {again}: {said:?}");
        let memory = memories(&engine, Status::Active).await.remove(0);
        engine.erase_memory(&memory.id, false, true).await.unwrap();
        assert!(memories(&engine, Status::Active).await.is_empty());
    }
    let said = say(&engine, "t", "I prefer window tables in restaurants.").await;
    let id = said.stored_updates[0].memory_id.clone();
    let memory = engine.open_memory(&id).await.unwrap().memory;
    engine.delete_memory(&id, memory.version).await.unwrap();
    let again = say(&engine, "t", "I prefer window tables in restaurants.").await;
    assert_eq!(
        again.stored_updates.len(),
        1,
        "a deleted memory is no obstacle: {again:?}"
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_goes_back_to_its_backup() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I prefer herbal tea.").await;
    engine.catch_up().await.unwrap();
    assert!(!engine::list_backups(folder.path()).await.unwrap().is_empty());
    engine.close().await;
    let file = folder.path().join("reverie.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[4_096..end].fill(0xA5);
    std::fs::write(&file, &bytes).unwrap();
    let options = crate::people::options(folder.path(), &[]);
    let damaged = engine::Engine::open(options.clone()).await.err().unwrap();
    assert_eq!(damaged.code, engine::ErrorCode::Damaged);

    engine::restore_backup(folder.path()).await.unwrap();
    let engine = open(folder.path()).await;
    let kept = memories(&engine, Status::Active).await;
    assert!(
        kept.iter().any(|memory| memory.text.contains("herbal tea")),
        "{kept:?}"
    );
    engine.close().await;
    let aside = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().contains("damaged"));
    assert!(aside, "the damaged file is kept");
}
