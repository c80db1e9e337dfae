//! The fast forward against candle, on the real weights.

use super::E5Model;
use super::tests::model_file;
use crate::forward::{Level, Precision};
use crate::model::Runner;
use crate::worker::TextModel as _;
use ports::EmbedPurpose;
use std::sync::Arc;

/// English, Korean, both, neither, and longer than one window.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        "rye",
        "호밀",
        "🌙🧗🏽",
        "Which shelf did I put the tide tables on?",
        "조석표를 어느 선반에 올려 두었더라?",
        "Mirae repairs accordions in Jeonju; her cousin tunes them and refuses to be paid in anything but pears.",
        "미래는 전주에서 아코디언을 고치고, 사촌은 조율을 해 주고 배가 아니면 값을 받지 않는다.",
        "let tide = table.rows[3]; // 2026-11-30, 한국어 주석",
        "The ferry to the outer islands leaves from pier four at ten past six, except on Mondays.",
        "바깥 섬으로 가는 배는 월요일만 빼고 여섯 시 십 분에 사 번 부두에서 떠납니다.",
        "나는 아침마다 다리를 건너서 도서관까지 걸어가고, 비가 오면 버스를 탄다.",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("The harbour master writes every arrival into a green book. ".repeat(60));
    texts
}

fn vectors(model: &Arc<E5Model>) -> Vec<Vec<f32>> {
    let vector = |text: &String| {
        let ids = model.tokens(text, EmbedPurpose::Passage).unwrap();
        model.vectors(&[&ids]).unwrap().remove(0)
    };
    texts().iter().map(vector).collect()
}

fn load(runner: Runner) -> Arc<E5Model> {
    Arc::new(E5Model::load(&embedding::MULTILINGUAL_E5_SMALL, &model_file(), runner).unwrap())
}

/// The bounds: what 8 bits may cost.
const ENGLISH_COSINE_MIN: f32 = 0.995;
const KOREAN_COSINE_MIN: f32 = 0.985;

/// Numbers of a vector of length 1 that differ by less come from adding in another order (the bound).
const DIFFERENCE_MAX: f32 = 1e-5;

/// The same for a text that fills the window: sums over 512 pieces through twelve layers, where 2.5e-5 was measured.
/// The cosine of two such vectors differs from 1 by less than 1e-6.
const LONG_DIFFERENCE_MAX: f32 = 4e-5;

#[test]
fn every_level_makes_the_vectors_of_candle_and_bytes_stay_near_them() {
    let exact = vectors(&load(Runner::Candle));
    for level in Level::available() {
        for (text, (exact, fast)) in texts().iter().zip(
            exact
                .iter()
                .zip(vectors(&load(Runner::Fast(level, Precision::F32)))),
        ) {
            let off = exact
                .iter()
                .zip(&fast)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            let bound = match text.len() > 1_000 {
                true => LONG_DIFFERENCE_MAX,
                false => DIFFERENCE_MAX,
            };
            assert!(off <= bound, "{}: {off} for {text:.40}", level.name());
        }
    }
    if !Precision::Int8.is_quick_here() {
        return;
    }
    let bytes = vectors(&load(Runner::Fast(Level::best(), Precision::Int8)));
    for (text, (exact, bytes)) in texts().iter().zip(exact.iter().zip(bytes)) {
        // The bounds are for texts in a language; a blank one or an emoji alone is in none.
        if !text.chars().any(char::is_alphabetic) {
            continue;
        }
        let cosine: f32 = exact.iter().zip(&bytes).map(|(a, b)| a * b).sum();
        let least = match text.chars().any(memory_model::is_hangul) {
            true => KOREAN_COSINE_MIN,
            false => ENGLISH_COSINE_MIN,
        };
        assert!(cosine >= least, "{cosine} for {text:.40}");
    }
}
