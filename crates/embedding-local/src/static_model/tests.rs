//! A table of six word pieces, made here.

use super::{StaticEmbedder, StaticLoader};
use embedding::EmbedderLoader as _;
use ports::{EmbedError, EmbedPurpose, Embedder as _};
use safetensors::{Dtype, tensor::TensorView};
use std::path::Path;

const TOKENIZER: &str = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],
"normalizer":null,"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,
"model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"tea":1,"green":2,"saw":3,"녹차":4,"톱":5}}}"#;

const ROWS: [f32; 18] = [
    9.0, 9.0, 9.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 3.0,
];

fn write(dir: &Path, rows: &[f32], shape: [usize; 2], weights: Option<&[f32]>) {
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (table, weights) = (bytes(rows), weights.map(bytes));
    let mut tensors = vec![(
        "embeddings",
        TensorView::new(Dtype::F32, shape.to_vec(), &table).unwrap(),
    )];
    if let Some(weights) = &weights {
        tensors.push((
            "weights",
            TensorView::new(Dtype::F32, vec![weights.len() / 4], weights).unwrap(),
        ));
    }
    let file = safetensors::serialize(tensors, None).unwrap();
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(dir.join("model.safetensors"), file).unwrap();
    std::fs::write(dir.join("tokenizer.json"), TOKENIZER).unwrap();
    std::fs::write(dir.join("config.json"), r#"{"normalize":true}"#).unwrap();
}

fn embed(model: &StaticEmbedder, text: &str) -> Vec<f32> {
    let texts = [text.to_owned()];
    let made = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(model.embed(&texts, EmbedPurpose::Query));
    made.unwrap().remove(0)
}

#[test]
fn a_text_is_the_mean_of_its_pieces_with_length_one() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &ROWS, [6, 3], None);
    let model = StaticEmbedder::load("tiny", dir.path()).unwrap();
    assert_eq!(model.space().name(), "static/tiny/3");
    let half = 0.5_f32.sqrt();
    for (text, expected) in [
        ("green tea", [half, half, 0.0]),
        ("녹차", [half, half, 0.0]),
        // Decomposed Hangul, as some systems type it.
        ("\u{1102}\u{1169}\u{11A8}\u{110E}\u{1161}", [half, half, 0.0]),
        ("saw 톱", [0.0, 0.0, 1.0]),
        // What is not in the table has no say.
        ("tea umbrella", [1.0, 0.0, 0.0]),
        ("umbrella", [0.0, 0.0, 0.0]),
        ("", [0.0, 0.0, 0.0]),
    ] {
        let vector = embed(&model, text);
        assert!(
            vector.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-6),
            "{text}: {vector:?}"
        );
    }
}

#[test]
fn pieces_may_weigh_differently() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &ROWS, [6, 3], Some(&[1.0, 0.0, 1.0, 1.0, 1.0, 1.0]));
    let model = StaticEmbedder::load("tiny", dir.path()).unwrap();
    assert_eq!(embed(&model, "green tea"), [0.0, 1.0, 0.0]);
}

#[test]
fn a_broken_table_is_refused_with_the_remedy() {
    for (rows, shape, expected) in [
        (vec![1.0; 9], [3, 3], "3 rows for 6 word pieces"),
        (vec![f32::NAN; 18], [6, 3], "a number that is none"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &rows, shape, None);
        match StaticEmbedder::load("tiny", dir.path()) {
            Err(EmbedError::ModelLoadFailed { reason }) => {
                assert!(
                    reason.contains(expected) && reason.contains("tokenizer.json"),
                    "{reason}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &ROWS, [6, 3], None);
    std::fs::write(dir.path().join("model.safetensors"), "<html>").unwrap();
    assert!(StaticEmbedder::load("tiny", dir.path()).is_err());
}

#[test]
fn a_model_is_found_by_name_and_a_name_never_leaves_the_folder() {
    let cache = tempfile::tempdir().unwrap();
    write(&cache.path().join("potion-tiny"), &ROWS, [6, 3], None);
    let loader = |name: &str| {
        let nowhere = Path::new("/nowhere");
        StaticLoader::new(name, &cache.path().join("."), nowhere, nowhere)
    };
    assert_eq!(
        loader("somebody/potion-tiny").load().unwrap().space().dimension,
        3
    );
    assert!(loader("somebody/potion-tiny").fingerprint().is_some());
    assert!(loader("somebody/other").fingerprint().is_none());
    let outside = format!("x/../../{}", cache.path().join("potion-tiny").display());
    assert!(loader(&outside).fingerprint().is_none());
    assert!(loader("somebody/other").load().is_err());
}

#[test]
fn a_long_text_is_cut_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &ROWS, [6, 3], None);
    let model = StaticEmbedder::load("tiny", dir.path()).unwrap();
    let note = format!("{}마지막 톱", "녹차 tea ".repeat(200));
    let chunks = model.chunks(&note);
    assert!(
        chunks.len() > 2 && chunks.last().unwrap().ends_with("톱"),
        "{}",
        chunks.len()
    );
    assert_eq!(model.chunks("녹차"), ["녹차"]);
}
