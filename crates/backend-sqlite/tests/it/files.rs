//! Opening: fresh, again, newer, damaged, read-only; and texts that a file must keep as they are.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{MemoryFilter, MessageState, Role, ThreadId};
use ports::{Conversations, MemoryBackend, SettingsStore, StoreError};
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use test_support::sample::{self, at, message, minji, new_memory};

#[tokio::test]
async fn what_was_saved_is_there_after_a_restart() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(store.path(), path);
    let memory = create(
        &store,
        new_memory(&minji(), "preference:seat", "저는 통로 쪽 좌석이 좋아요"),
    )
    .await;
    store.close().await;
    assert!(
        store.get(&minji(), &memory.id).await.is_err(),
        "a closed store answers with an error"
    );

    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(
        store.get(&minji(), &memory.id).await.unwrap(),
        Some(memory.clone())
    );
    let terms = recall::terms::index_terms("통로가 어디죠");
    let hits = store
        .search_keywords(&MemoryFilter::active(minji()), &terms, 5)
        .await
        .unwrap();
    assert_eq!(hits[0].id, memory.id);
    let counts = store.counts(&minji()).await.unwrap();
    assert_eq!(
        (counts.memories, counts.waiting, counts.without_vector),
        (1, 0, 1)
    );
}

#[tokio::test]
async fn two_programs_may_make_the_file_at_once() {
    let (_folder, path) = place();
    let (a, b) = tokio::join!(SqliteStore::open(&path), SqliteStore::open(&path));
    create(&a.unwrap(), sample::seat_en()).await;
    assert_eq!(b.unwrap().counts(&minji()).await.unwrap().memories, 1);
}

#[tokio::test]
async fn newer_data_is_refused_and_stays_as_it_is() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    create(&store, sample::seat_ko()).await;
    store.close().await;
    let mut bytes = fs::read(&path).unwrap();
    // Offset 60 of the header is `user_version`, big-endian.
    bytes[60..64].copy_from_slice(&7_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();

    let refused = SqliteStore::open(&path).await.err().unwrap();
    assert!(
        matches!(refused, StoreError::Newer { found: 7, known: 1 }),
        "{refused:?}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes, "not a byte was changed");
    let names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["reverie.db"], "nothing was put beside it");
}

#[tokio::test]
async fn damage_is_found_and_left_alone() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    for index in 0..300 {
        create(
            &store,
            new_memory(&minji(), &format!("profile:{index}"), "아침마다 한강에서 달려요"),
        )
        .await;
    }
    store.close().await;
    let sound = fs::read(&path).unwrap();

    let mut holes = sound.clone();
    // Every fourth page after the first loses its beginning.
    for page in (1..holes.len() / 4096).step_by(4) {
        holes[page * 4096..page * 4096 + 64].fill(0xEE);
    }
    let cut = sound[..sound.len() / 2].to_vec();
    let other = b"This is a letter and no database.\n".repeat(20);
    let short = sound[..50].to_vec();
    for (name, bytes) in [("holes", holes), ("cut", cut), ("other", other), ("short", short)] {
        fs::write(&path, &bytes).unwrap();
        let error = SqliteStore::open(&path)
            .await
            .err()
            .unwrap_or_else(|| panic!("{name} must be refused"));
        assert!(matches!(error, StoreError::Damaged { .. }), "{name}: {error:?}");
        assert_eq!(
            fs::read(&path).unwrap(),
            bytes,
            "{name}: the damaged file is kept as it is"
        );
    }
    fs::write(&path, &sound).unwrap();
    assert_eq!(
        SqliteStore::open(&path)
            .await
            .unwrap()
            .counts(&minji())
            .await
            .unwrap()
            .memories,
        300
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_cannot_be_written_says_so() {
    let (folder, _) = place();
    // A file in the place of the folder, which not even the administrator can write into.
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "a file").unwrap();
    let error = SqliteStore::open(&blocked.join("data").join("reverie.db"))
        .await
        .err()
        .unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");

    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        // The administrator may write everywhere, so there is no such folder for this run.
        return;
    }
    let error = SqliteStore::open(&locked.join("reverie.db")).await.err().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_that_became_read_only_says_so() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    create(&store, sample::seat_ko()).await;
    store.close().await;
    let folder = path.parent().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        return;
    }
    let error = SqliteStore::open(&path).await.err().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn odd_and_large_texts_are_kept_as_they_are() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let large = "긴 글이에요. Long text. ".repeat(50_000);
    let texts = [
        "앞\0뒤에 숨은 낱말",
        "\0",
        "مرحبا 👩‍👩‍👧 \u{202E}rtl",
        "{\"a\": \"\\u0000\"}",
        large.as_str(),
    ];
    for (index, text) in texts.into_iter().enumerate() {
        let key = format!("profile:{index}\0key");
        let mut new = new_memory(&minji(), &key, text);
        new.evidence = Some(sample::evidence(text, Some(&ThreadId::new("odd"))));
        let memory = create(&store, new).await;
        assert_eq!((memory.text.as_str(), memory.key.as_str()), (text, key.as_str()));
        assert_eq!(
            store.get(&minji(), &memory.id).await.unwrap(),
            Some(memory.clone()),
            "the row"
        );
        assert_eq!(
            store.history(&minji(), &memory.id).await.unwrap()[0].memory,
            memory,
            "the version"
        );
        assert_eq!(
            store
                .known(&minji(), std::slice::from_ref(&key), &[])
                .await
                .unwrap(),
            [memory],
            "the key"
        );

        let said = store
            .append_message(message(&minji(), &ThreadId::new("odd"), text, at(1)))
            .await
            .unwrap();
        store
            .update_message(&said.id, text, MessageState::Complete, None)
            .await
            .unwrap();
        let kept = store
            .messages(&minji(), &ThreadId::new("odd"), 1)
            .await
            .unwrap()
            .remove(0);
        assert_eq!((kept.text.as_str(), kept.role), (text, Role::User), "the message");
    }
    let terms = recall::terms::index_terms("숨은");
    let hits = store
        .search_keywords(&MemoryFilter::active(minji()), &terms, 5)
        .await
        .unwrap();
    assert_eq!(hits.len(), 1, "words after a NUL are found");
    store.threads(&minji(), false, Some("뒤에\0"), 5).await.unwrap();
    let thread = store
        .thread(&minji(), &ThreadId::new("odd"))
        .await
        .unwrap()
        .unwrap();
    assert!(
        thread.snippet.chars().count() <= 161 && thread.title == "앞 뒤에 숨은 낱말",
        "{thread:?}"
    );

    store
        .save_setting("\0", Some(&serde_json::json!("\0")))
        .await
        .unwrap();
    assert_eq!(
        store.load_settings().await.unwrap(),
        [("\0".to_owned(), serde_json::json!("\0"))]
    );
}
