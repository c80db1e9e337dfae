//! Undo for everything: what a turn saved, an edit, a deletion, a changed mind.

use crate::people::{memories, open, say};
use engine::MemoryQuery;
use memory_model::{MemoryPatch, Status};

#[tokio::test(flavor = "multi_thread")]
async fn changes_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await;
    say(&engine, "t", "I prefer window seats.").await;
    let changed = say(&engine, "t", "I now prefer aisle seats.").await;
    assert_eq!(
        memories(&engine, Status::Superseded).await.len(),
        1,
        "{changed:?}"
    );
    engine
        .undo_change(changed.change_id.as_ref().unwrap())
        .await
        .unwrap();
    let active = memories(&engine, Status::Active).await;
    assert_eq!(active.len(), 1);
    assert!(active[0].text.contains("window"), "{active:?}");

    let memory = &active[0];
    let patch = MemoryPatch {
        text: Some("비상구 옆 좌석이 좋아요".to_owned()),
        ..MemoryPatch::default()
    };
    let edited = engine
        .edit_memory(&memory.id, memory.version, patch)
        .await
        .unwrap();
    let found = engine
        .list_memories(&MemoryQuery {
            text: "비상구".to_owned(),
            ..MemoryQuery::default()
        })
        .await
        .unwrap();
    assert_eq!(found.rows.len(), 1);
    assert_eq!(
        found.rows[0].memory.slot, None,
        "the slot of the old words ends with them"
    );
    engine
        .undo_change(edited.change_id.as_ref().unwrap())
        .await
        .unwrap();
    let back = &memories(&engine, Status::Active).await[0];
    assert!(back.text.contains("window"), "{back:?}");
    let history = engine.open_memory(&back.id).await.unwrap().history;
    assert!(history.len() >= 3, "every state is kept: {history:?}");

    let deleted = engine.delete_memory(&back.id, back.version).await.unwrap();
    assert!(memories(&engine, Status::Active).await.is_empty());
    engine
        .undo_change(deleted.change_id.as_ref().unwrap())
        .await
        .unwrap();
    assert_eq!(memories(&engine, Status::Active).await.len(), 1);
    engine.close().await;
}
