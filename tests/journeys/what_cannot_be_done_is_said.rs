//! Bad data, missing models, folders that cannot be written: a clear message, nothing harmed, search goes on.

use crate::people::{open_with, say};
use engine::{Engine, ErrorCode, Options};
use memory_model::{MemoryPatch, TurnStatus};
use std::path::Path;
use std::sync::Arc;

fn options(folder: &Path) -> Options {
    Options {
        data_dir: folder.to_path_buf(),
        exe_dir: journeys::programs::folder().unwrap(),
        env: Arc::new(|_| None),
        chat_model: None,
        background: false,
        fault: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_a_newer_app_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reverie.db");
    let made = file.clone();
    tokio::task::spawn_blocking(move || journeys::newer_database(&made))
        .await
        .unwrap()
        .unwrap();
    let before = std::fs::read(&file).unwrap();
    let error = Engine::open(options(folder.path())).await.err().unwrap();
    assert_eq!(error.code, ErrorCode::NewerData);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_data_is_kept_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reverie.db");
    std::fs::write(&file, "이것은 데이터베이스가 아니에요".repeat(400)).unwrap();
    let before = std::fs::read(&file).unwrap();
    let error = Engine::open(options(folder.path())).await.err().unwrap();
    assert_eq!(error.code, ErrorCode::Damaged);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file, not a folder");
    std::fs::write(&file, "x").unwrap();
    let error = Engine::open(options(&file)).await.err().unwrap();
    assert_eq!(error.code, ErrorCode::ReadOnly, "{error:?}");
}

#[test]
fn without_a_model_words_are_searched_and_the_remedy_is_named() {
    for (name, content) in [
        ("missing", None),
        ("cut short", Some("")),
        ("wrong", Some("not a model")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models-elsewhere");
        let model = models.join("all-MiniLM-L6-v2");
        std::fs::create_dir_all(&model).unwrap();
        if let Some(content) = content {
            for file in ["config.json", "model.safetensors", "tokenizer.json"] {
                std::fs::write(model.join(file), content).unwrap();
            }
        }
        let run = |arguments: &[&str]| {
            let output = journeys::programs::reverie(folder.path())
                .unwrap()
                .args(arguments)
                .env("REVERIE_MODELS_DIR", &models)
                .env("XDG_CACHE_HOME", folder.path())
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        run(&["remember", "I prefer aisle seats"]);
        let (found, said) = run(&["recall", "aisle"]);
        assert!(
            found.contains("aisle seats"),
            "{name}: words are searched: {found} {said}"
        );
        assert!(
            said.contains("cargo xtask models"),
            "{name}: the remedy is named: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_texts_out_of_range_name_their_field() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open_with(folder.path(), &[("MEMORY_RRF_K", "20")]).await;
    let error = engine
        .save_setting("memoryMaxTokens", &serde_json::json!(-1))
        .await
        .err()
        .unwrap();
    assert_eq!(
        (error.code, error.field.as_deref()),
        (ErrorCode::InvalidInput, Some("memoryMaxTokens"))
    );
    assert!(error.message.contains("16000"), "{}", error.message);
    let set_by = engine
        .list_settings()
        .into_iter()
        .find_map(|setting| setting.set_by);
    assert_eq!(set_by.as_deref(), Some("MEMORY_RRF_K"));

    let input = |text: &str| engine::NewMemoryInput {
        text: text.to_owned(),
        category: None,
    };
    assert_eq!(
        engine
            .add_memory(&input("a"))
            .await
            .err()
            .unwrap()
            .field
            .as_deref(),
        Some("text")
    );
    assert_eq!(
        engine
            .add_memory(&input(&"가".repeat(501)))
            .await
            .err()
            .unwrap()
            .field
            .as_deref(),
        Some("text")
    );
    let token = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6");
    let error = engine
        .add_memory(&input(&format!("my token is {token}")))
        .await
        .err()
        .unwrap();
    assert!(!error.message.contains(&token), "the value is never repeated");

    let written = engine.add_memory(&input("I prefer aisle seats")).await.unwrap();
    let memory = written.results[0].memory.clone().unwrap();
    let patch = MemoryPatch {
        text: Some("창가 좌석이 좋아요".to_owned()),
        ..MemoryPatch::default()
    };
    engine
        .edit_memory(&memory.id, memory.version, patch.clone())
        .await
        .unwrap();
    let error = engine
        .edit_memory(&memory.id, memory.version, patch)
        .await
        .err()
        .unwrap();
    assert_eq!(
        error.code,
        ErrorCode::Conflict,
        "an edit on an old version is refused"
    );
    engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_message_waits_for_the_first_answer() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open_with(folder.path(), &[]).await;
    let output = say(&engine, "", "Hello").await;
    assert_eq!(output.status, TurnStatus::Failed);
    assert!(output.errors[0].starts_with("thread_id"), "{:?}", output.errors);
    engine.close().await;
}
