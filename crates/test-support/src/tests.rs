use crate::{FixedClock, HashEmbedder, InMemoryStore, PlainSink, ScriptedModel, contract, sample};
use memory_model::{MemoryFilter, MemoryOrder, Node, PromptContext, WriteOp};
use ports::{
    AuditLog, ChatError, ChatModel, Clock, Conversations, EmbedPurpose, Embedder, MemoryBackend,
    SettingsStore, StoreError, VectorIndex,
};
use sample::{at, batch, minji};

async fn make() -> InMemoryStore {
    InMemoryStore::new()
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_memories() {
    contract::memory_backend(make).await;
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_vectors() {
    contract::vector_index(make).await;
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_conversations() {
    contract::conversations(make).await;
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_reviews() {
    contract::review_queue(make).await;
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_settings() {
    contract::settings_store(make).await;
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract_of_the_audit_log() {
    contract::audit_log(make).await;
}

fn seat() -> memory_model::WriteBatch {
    batch(
        &minji(),
        at(0),
        vec![WriteOp::Create {
            memory: sample::seat_ko(),
        }],
    )
}

#[tokio::test]
async fn a_full_disk_stops_every_write_and_no_read() {
    let store = InMemoryStore::new();
    store.fail_writes(true);
    assert!(matches!(
        store.apply(seat()).await,
        Err(StoreError::DiskFull { .. })
    ));
    let state = sample::turn_state_ko(&memory_model::ThreadId::new("trip"));
    assert!(matches!(
        store.checkpoint(&state, Node::Finalize).await,
        Err(StoreError::DiskFull { .. })
    ));
    let setting = store.save_setting("a", Some(&serde_json::json!(1))).await;
    assert!(matches!(setting, Err(StoreError::DiskFull { .. })));
    let page = store
        .list(&MemoryFilter::active(minji()), MemoryOrder::Updated, 0, 9)
        .await
        .expect("reads go on");
    assert_eq!(page.total, 0);
    store.fail_writes(false);
    assert!(store.apply(seat()).await.is_ok());
}

#[tokio::test]
async fn memories_can_fail_while_messages_are_written() {
    let store = InMemoryStore::new();
    store.fail_memory_writes(true);
    assert!(matches!(
        store.apply(seat()).await,
        Err(StoreError::DiskFull { .. })
    ));
    let thread = memory_model::ThreadId::new("trip");
    let message = sample::message(&minji(), &thread, sample::SEAT_EN, at(0));
    assert!(store.append_message(message).await.is_ok());
}

#[tokio::test]
async fn searches_and_reads_fail_by_themselves() {
    let store = InMemoryStore::new();
    store.apply(seat()).await.expect("the store works");
    let filter = MemoryFilter::active(minji());
    let space = HashEmbedder::new().space().clone();
    store.fail_searches(true);
    assert!(
        store
            .search_keywords(&filter, &["통로".to_owned()], 5)
            .await
            .is_err()
    );
    assert!(
        store
            .search(&space, &filter, &HashEmbedder::vector("통로"), 5)
            .await
            .is_err()
    );
    assert!(store.list(&filter, MemoryOrder::Updated, 0, 9).await.is_ok());
    store.fail_searches(false);
    store.fail_reads(true);
    assert_eq!(
        store
            .search_keywords(&filter, &["통로".to_owned()], 5)
            .await
            .expect("searches go on")
            .len(),
        1
    );
    assert!(store.list(&filter, MemoryOrder::Updated, 0, 9).await.is_err());
    assert!(store.recent(&minji(), 9).await.is_err());
    assert!(!store.health().await.ok);
    assert!(store.apply(batch(&minji(), at(1), Vec::new())).await.is_ok());
}

#[tokio::test]
async fn a_scripted_model_answers_in_pieces_and_remembers_prompts() {
    let model = ScriptedModel::new(["통로 쪽 좌석으로 할게요."]);
    let prompt = PromptContext {
        system: "한국어로 답해요".to_owned(),
        ..PromptContext::default()
    };
    let mut sink = PlainSink::default();
    assert_eq!(
        model.answer(&prompt, &mut sink).await,
        Ok(memory_model::TokenUsage::default())
    );
    assert_eq!(sink.pieces, ["통로 ", "쪽 ", "좌석으로 ", "할게요."]);
    assert!(
        matches!(
            model.answer(&prompt, &mut sink).await,
            Err(ChatError::Failed { .. })
        ),
        "the script is empty"
    );
    assert_eq!(model.prompts(), [prompt.clone(), prompt]);
}

#[tokio::test]
async fn a_scripted_model_breaks_off_and_can_be_stopped() {
    let model = ScriptedModel::answering(|prompt| format!("You said {}", prompt.system));
    let prompt = PromptContext {
        system: "aisle".to_owned(),
        ..PromptContext::default()
    };
    model.fail_after(Some(2));
    let mut sink = PlainSink::default();
    assert!(matches!(
        model.answer(&prompt, &mut sink).await,
        Err(ChatError::Failed { .. })
    ));
    assert_eq!(sink.pieces, ["You ", "said "], "what was pushed before stays");
    model.fail_after(None);
    let mut sink = PlainSink {
        stop_after: Some(1),
        ..PlainSink::default()
    };
    assert_eq!(model.answer(&prompt, &mut sink).await, Err(ChatError::Stopped));
    assert_eq!(sink.pieces, ["You "]);
    assert_eq!(
        model.summarise("하나 둘 셋 넷", 2).await.as_deref(),
        Ok("하나 둘")
    );
    model.fail_summaries(true);
    assert!(model.summarise("하나 둘 셋 넷", 2).await.is_err());
    assert_eq!(model.summarised().len(), 2);
}

#[tokio::test]
async fn texts_that_share_words_are_near() {
    let embedder = HashEmbedder::new();
    let texts = [
        sample::SEAT_EN,
        "aisle seats please",
        "The cat sleeps",
        sample::SEAT_KO,
        "통로 좌석",
        "고양이가 자요",
        "",
    ];
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let vectors = embedder
        .embed(&texts, EmbedPurpose::Passage)
        .await
        .expect("it works");
    let cosine = |a: usize, b: usize| {
        vectors[a]
            .iter()
            .zip(&vectors[b])
            .map(|(a, b)| a * b)
            .sum::<f32>()
    };
    for (index, text) in texts.iter().enumerate() {
        let length = cosine(index, index);
        assert!((length - 1.0).abs() < 1e-5, "{text:?} has length 1");
    }
    assert!(
        cosine(0, 1) > cosine(0, 2) + 0.3,
        "{} {}",
        cosine(0, 1),
        cosine(0, 2)
    );
    assert!(
        cosine(3, 4) > cosine(3, 5) + 0.3,
        "{} {}",
        cosine(3, 4),
        cosine(3, 5)
    );
    embedder.fail(true);
    assert!(embedder.embed(&texts, EmbedPurpose::Query).await.is_err());
}

#[test]
fn a_fixed_clock_moves_when_it_is_told_to() {
    let clock = FixedClock::new(at(5));
    assert_eq!(clock.now(), at(5));
    clock.advance_millis(2000);
    assert_eq!(clock.now(), at(7));
    clock.set(at(1));
    assert_eq!(clock.now(), at(1));
}
