//! What a person reads when the model's files are not right.

use crate::model_dir;
use embedding::{EmbedderState, LazyEmbedder};
use embedding_local::{LocalModel, TransformersLoader};
use ports::{EmbedError, EmbedPurpose};
use std::path::Path;

fn reason(dir: &Path) -> String {
    match LocalModel::load(dir) {
        Err(EmbedError::ModelLoadFailed { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

fn copy_of_the_model() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for name in ["config.json", "model.safetensors", "tokenizer.json"] {
        std::fs::copy(model_dir().join(name), copy.path().join(name)).unwrap();
    }
    copy
}

#[test]
fn a_missing_cut_or_changed_file_is_named_with_the_remedy() {
    let copy = copy_of_the_model();
    let weights = copy.path().join("model.safetensors");
    let says = |expected: &[&str]| {
        let reason = reason(copy.path());
        let folder = copy.path().display().to_string();
        for part in expected.iter().chain(&[
            "cargo xtask models",
            "config.json, model.safetensors",
            folder.as_str(),
        ]) {
            assert!(reason.contains(part), "`{part}` is not in: {reason}");
        }
    };

    let mut bytes = std::fs::read(&weights).unwrap();
    std::fs::write(&weights, &bytes[..bytes.len() / 2]).unwrap();
    says(&[
        "`model.safetensors`",
        "45434188 bytes instead of 90868376",
        "cut short",
    ]);

    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, &bytes).unwrap();
    says(&["`model.safetensors`", "damaged", "SHA-256"]);

    std::fs::remove_file(&weights).unwrap();
    says(&["`model.safetensors` is missing"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    assert!(reason(Path::new("/nowhere/all-MiniLM-L6-v2")).contains("`config.json` is missing in `/nowhere"));
}

#[tokio::test]
async fn the_app_finds_the_model_loads_it_aside_and_embeds() {
    let nowhere = Path::new("/nowhere");
    let lazy = LazyEmbedder::new(TransformersLoader::new(nowhere, nowhere, None));
    lazy.start();
    let EmbedderState::Ready(embedder) = lazy.settled().await else {
        panic!("{:?}", lazy.state())
    };
    assert_eq!(embedder.space(), &lazy.space());
    let vectors = embedder
        .embed(&["통로 쪽 좌석".to_owned()], EmbedPurpose::Query)
        .await
        .unwrap();
    assert_eq!(vectors[0].len(), 384);
}
