//! What is erased for good is in no file any more.

use crate::{create, place};
use backend_sqlite::SqliteStore;
use memory_model::{
    Decision, MemoryPatch, ReviewItem, Status, ThreadId, TurnId, TurnMark, WriteBatch, WriteOp, WriteStatus,
};
use ports::{Conversations, EmbeddingSpace, MemoryBackend, NewVectors, ReviewQueue, StoreError, VectorIndex};
use std::path::Path;
use test_support::sample::{self, at, batch, message, minji, new_memory, turn_batch};

/// Words that stand nowhere else.
const SECRET: &str = "홍길동은 zanzibarquartz 별장에서 쉬어요";

/// Whether the words, or the vector of the test, are in any file of the folder.
fn found_in_files(path: &Path) -> Vec<String> {
    let bigram = "별장".as_bytes();
    let vector: Vec<u8> = VECTOR.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        let bytes = std::fs::read(entry.path()).unwrap();
        for (name, needle) in [
            ("word", &b"zanzibarquartz"[..]),
            ("syllables", bigram),
            ("vector", &vector),
        ] {
            if bytes.windows(needle.len()).any(|window| window == needle) {
                found.push(format!("{name} in {}", entry.file_name().display()));
            }
        }
    }
    found
}

const VECTOR: [f32; 4] = [0.182_574_19, 0.365_148_37, 0.547_722_6, 0.730_296_74];

fn delete(memory: &memory_model::Memory) -> WriteBatch {
    let patch = MemoryPatch {
        status: Some(Status::Deleted),
        ..MemoryPatch::default()
    };
    let op = WriteOp::Update {
        id: memory.id.clone(),
        expected_version: memory.version,
        patch,
    };
    batch(&minji(), at(10), vec![op])
}

#[tokio::test]
async fn an_erased_memory_leaves_no_bytes() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    for index in 0..200 {
        create(
            &store,
            new_memory(&minji(), &format!("profile:{index}"), "아침마다 강가를 달려요"),
        )
        .await;
    }
    let space = EmbeddingSpace {
        source: "test".to_owned(),
        model: "plane".to_owned(),
        dimension: 4,
    };
    // Written by a turn, with a quote, a version of other words, a vector, and through the review queue.
    let mark = TurnMark {
        turn_id: TurnId::new("turn"),
        thread_id: ThreadId::new("other"),
        cursor: 1,
    };
    let mut new = new_memory(&minji(), "preference:villa", SECRET);
    new.evidence = Some(sample::evidence(SECRET, None));
    let turn = turn_batch(
        &minji(),
        at(1),
        mark,
        vec![WriteOp::Create { memory: new.clone() }],
    );
    let memory = store.apply(turn.clone()).await.unwrap().results[0]
        .memory
        .clone()
        .unwrap();
    let row = NewVectors {
        id: memory.id.clone(),
        content_hash: memory.content_hash.clone(),
        chunks: vec![VECTOR.to_vec()],
    };
    store.put(&space, vec![row]).await.unwrap();
    let conflict = ReviewItem {
        waiting: memory_model::Waiting {
            reason: memory_model::ReviewReason::Conflict,
            candidate: None,
            existing: Some(memory.clone()),
            likeness: None,
        },
        ..sample::review_item("b", &minji(), sample::candidate("profile:x", "무엇"), None, at(2))
    };
    let parked = sample::review_item(
        "a",
        &minji(),
        sample::candidate("pattern:villa", SECRET),
        None,
        at(2),
    );
    store
        .park(vec![parked.clone(), conflict.clone()], None)
        .await
        .unwrap();
    let approved = WriteOp::Create {
        memory: memory_model::NewMemory {
            key: "pattern:villa".to_owned(),
            ..new
        },
    };
    let written = store
        .decide(
            &parked.id,
            &Decision::Approve,
            batch(&minji(), at(3), vec![approved]),
        )
        .await;
    let second = written.unwrap().results[0].memory.clone().unwrap();

    let deleted = store.apply(delete(&memory)).await.unwrap();
    store.apply(delete(&second)).await.unwrap();
    assert!(
        !found_in_files(&path).is_empty(),
        "a deleted memory can be brought back, so it is still there"
    );
    assert_eq!(store.purge_deleted(at(11)).await.unwrap(), 2);
    assert_eq!(
        found_in_files(&path),
        Vec::<String>::new(),
        "nothing of an erased memory is left"
    );

    let gone = store
        .undo(&minji(), &deleted.change_id.unwrap(), at(12))
        .await
        .unwrap_err();
    assert!(matches!(gone, StoreError::Conflict { .. }), "{gone:?}");
    assert_eq!(
        store.item(&minji(), &parked.id).await.unwrap(),
        None,
        "the decided item went with its memory"
    );
    let waiting = store.item(&minji(), &conflict.id).await.unwrap().unwrap();
    assert_eq!(
        waiting.waiting.existing, None,
        "an item that waits lost its other side"
    );
    let again = store.apply(turn).await.unwrap();
    assert_eq!(
        again.results[0].status,
        WriteStatus::Created,
        "the turn's batch is still known as applied"
    );
    assert_eq!(again.results[0].memory, None);
    assert_eq!(store.counts(&minji()).await.unwrap().memories, 200);
}

#[tokio::test]
async fn a_turn_forgets_what_was_erased() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let memory = create(&store, new_memory(&minji(), "preference:villa", SECRET)).await;
    let thread = ThreadId::new("trip");
    let said = store
        .append_message(message(&minji(), &thread, "어디서 쉴까요?", at(1)))
        .await
        .unwrap();
    let recalled = memory_model::RetrievedMemory {
        namespace: memory.namespace.clone(),
        key: memory.key.clone(),
        value: memory.value.clone(),
        score: 1.0,
        hit: memory_model::Hit {
            memory: memory.clone(),
            score: 1.0,
            why: memory_model::Why::default(),
        },
        in_prompt: true,
        number: Some(1),
        cited: None,
    };
    let mut state = sample::turn_state(&minji(), &thread, "어디서 쉴까요?", at(1));
    state.user_message = Some(said.id);
    state.retrieved_memories = vec![recalled.clone()];
    state.prompt_context.memory_ids = vec![memory.id.clone()];
    state.prompt_context.memory_block = SECRET.to_owned();
    let output = memory_model::FinalOutput {
        retrieved_memories: vec![recalled],
        ..Default::default()
    };
    store.finish_turn(&state, &output).await.unwrap();
    store.apply(delete(&memory)).await.unwrap();
    store.purge_deleted(at(11)).await.unwrap();
    assert_eq!(found_in_files(&path), Vec::<String>::new());
    let turns = store.turns(&minji(), &thread).await.unwrap();
    assert_eq!(turns.len(), 1, "the turn itself stays");
    assert!(turns[0].output.retrieved_memories.is_empty());
}

#[tokio::test]
async fn an_erased_conversation_leaves_no_bytes() {
    let (_folder, path) = place();
    let store = SqliteStore::open(&path).await.unwrap();
    let thread = ThreadId::new("trip");
    store
        .append_message(message(&minji(), &thread, SECRET, at(1)))
        .await
        .unwrap();
    let mut state = sample::turn_state(&minji(), &thread, SECRET, at(1));
    state.response = SECRET.to_owned();
    store
        .checkpoint(&state, memory_model::Node::GenerateResponse)
        .await
        .unwrap();
    store.delete_thread(&minji(), &thread, true, at(2)).await.unwrap();
    assert_eq!(store.purge_threads(at(3)).await.unwrap(), 1);
    assert_eq!(found_in_files(&path), Vec::<String>::new());
}
