//! The real model: its vectors, its chunks, and its time on the worker. The files come from the models
//! folder that `cargo xtask models` fills; without them these tests fail and say so.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests that break model files on purpose"
)]

mod broken_files;
mod e5;
mod texts;
mod vectors;
mod word_pieces;

use embedding_local::{LocalEmbedder, LocalModel, find_model_dir};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The model's folder.
fn model_dir() -> PathBuf {
    let nowhere = Path::new("/nowhere");
    match find_model_dir(nowhere, nowhere) {
        Some(dir) => dir,
        None => panic!("the embedding model is missing; run `cargo xtask models`"),
    }
}

/// The model, loaded once for all tests.
fn model() -> &'static LocalEmbedder {
    static MODEL: OnceLock<LocalEmbedder> = OnceLock::new();
    MODEL
        .get_or_init(|| LocalModel::load(&model_dir()).expect("`cargo xtask models` fetches the right files"))
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum::<f64>()
    };
    (dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()) as f32
}
