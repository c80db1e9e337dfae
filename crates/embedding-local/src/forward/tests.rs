//! The fast forward against candle, on the real model.

use super::kernels::ByteLevel;
use super::{Level, Precision};
use crate::local::LocalModel;
use crate::locations::find_model_dir;
use crate::model::{BertEncoderModel, Runner};
use crate::worker::TextModel as _;
use ports::EmbedPurpose;
use std::path::Path;

/// f32 sums in another order stay below this; a wrong weight or a wrong neighbour is a thousand times more.
const DIFFERENCE_MAX: f32 = 1e-5;

fn load(runner: Runner) -> BertEncoderModel {
    let nowhere = Path::new("/nowhere");
    let dir = find_model_dir(nowhere, nowhere).expect("`cargo xtask models` fetches the model");
    BertEncoderModel::load_with(&LocalModel::ALL_MINILM_L6_V2, &dir, runner).unwrap()
}

/// English, Korean and neither, from nothing to more than the model reads.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "tea",
        "녹차",
        "🌙",
        "👩‍👩‍👧 🧗🏽 🇰🇷",
        "The workshop lends out its large saw on Friday afternoons.",
        "공방은 금요일 오후에 큰 톱을 빌려준다.",
        "Jonas moved from Leipzig to Busan in spring; his sister stayed, and they call each other on Sundays.",
        "민서는 봄에 라이프치히에서 부산으로 이사했고, 언니는 그대로 남아 일요일마다 통화한다.",
        "fn main() { let x = vec![1, 2, 3]; }",
        "ㄱㄴㄷ ㅋㅋㅋ mixed 한국어와 English 2026-11-30",
    ]
    .map(str::to_owned)
    .to_vec();
    for words in [9, 33, 61, 120, 400] {
        texts.push((0..words).map(|n| format!("step{n} ")).collect());
        texts.push("우리는 저녁마다 강가를 걷는다. ".repeat(words / 8 + 1));
    }
    texts
}

fn tokens(model: &BertEncoderModel) -> Vec<Vec<u32>> {
    texts()
        .iter()
        .map(|text| model.tokens(text, EmbedPurpose::Passage).unwrap())
        .collect()
}

fn largest_difference(left: &[Vec<f32>], right: &[Vec<f32>]) -> f32 {
    assert_eq!(left.len(), right.len());
    left.iter()
        .flatten()
        .zip(right.iter().flatten())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max)
}

#[test]
fn every_level_makes_the_vectors_of_candle_alone_and_in_mixed_batches() {
    let candle = load(Runner::Candle);
    let tokens = tokens(&candle);
    let expected: Vec<Vec<f32>> = tokens
        .iter()
        .map(|ids| candle.vectors(&[ids]).unwrap().remove(0))
        .collect();
    for level in Level::available() {
        let fast = load(Runner::Fast(level, Precision::F32));
        let alone: Vec<Vec<f32>> = tokens
            .iter()
            .map(|ids| fast.vectors(&[ids]).unwrap().remove(0))
            .collect();
        let off = largest_difference(&alone, &expected);
        assert!(off <= DIFFERENCE_MAX, "{} alone: {off}", level.name());
        let batch: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        let off = largest_difference(&fast.vectors(&batch).unwrap(), &expected);
        assert!(off <= DIFFERENCE_MAX, "{} together: {off}", level.name());
    }
}

#[test]
fn what_a_text_stands_beside_changes_nothing() {
    let fast = load(Runner::Fast(Level::best(), Precision::F32));
    let tokens = tokens(&fast);
    let batch: Vec<&[u32]> = tokens.iter().rev().map(Vec::as_slice).collect();
    let together = fast.vectors(&batch).unwrap();
    for (ids, vector) in batch.iter().zip(together) {
        let alone = fast.vectors(&[ids]).unwrap().remove(0);
        assert!(largest_difference(&[alone], &[vector]) < 1e-6);
    }
}

#[test]
fn word_pieces_that_the_model_does_not_have_are_refused() {
    let fast = load(Runner::Fast(Level::best(), Precision::F32));
    for bad in [vec![], vec![101, 30_522, 102], vec![u32::MAX], vec![101; 513]] {
        assert!(fast.vectors(&[&[101, 102], &bad]).is_err(), "{bad:?}");
    }
    assert_eq!(fast.vectors(&[&[101, 102]]).unwrap().len(), 1);
    assert!(fast.vectors(&[]).unwrap().is_empty());
}

/// The bounds: what 8 bits may cost.
const ENGLISH_COSINE_MIN: f32 = 0.995;
const KOREAN_COSINE_MIN: f32 = 0.985;

#[test]
fn bytes_stay_near_the_exact_vectors_in_english_and_korean() {
    let exact = load(Runner::Candle);
    for level in Level::available() {
        if ByteLevel::beside(level).is_none() {
            continue;
        }
        let bytes = load(Runner::Fast(level, Precision::Int8));
        for (text, ids) in texts().iter().zip(tokens(&exact)) {
            // The bounds are for texts in a language; a blank one or an emoji alone is in none.
            if !text.chars().any(char::is_alphabetic) {
                continue;
            }
            let [a, b] = [&exact, &bytes].map(|model| model.vectors(&[&ids]).unwrap().remove(0));
            let cosine: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let korean = text.chars().any(|c| ('가'..='힣').contains(&c));
            let least = if korean {
                KOREAN_COSINE_MIN
            } else {
                ENGLISH_COSINE_MIN
            };
            assert!(cosine >= least, "{}: {cosine} for `{text}`", level.name());
        }
    }
}
