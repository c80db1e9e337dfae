//! What the signals are worth: one row of weights for each relation and language.
//!
//! How they were fitted: multinomial logistic regression without intercept (the first signal is always 1), ridge
//! penalty 1 / (2 · 0.3), classes balanced, on the pairs of `pairs.txt`, which are of our own making. Each pair counts
//! twice, with its closeness and without; and once more with what the lexicon says (signals 8 to 13, 34 and 35) set
//! to 0 where the two share a word, are unrelated or have a closeness, so that statements about something that the
//! lexicon does not know are told apart as well. A test reads the pairs again and guards the figures.

use super::signals::COUNT;
use memory_model::Language;
use std::sync::LazyLock;

/// Weights by language, then by relation in the order duplicate, update, complement, unrelated.
type Weights = [[[f32; COUNT]; 4]; 2];

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    let mut weights = [[[0.0; COUNT]; 4]; 2];
    let mut values = include_str!("weights.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .filter_map(|value| value.parse().ok());
    for weight in weights.iter_mut().flatten().flatten() {
        *weight = values.next().unwrap_or_default();
    }
    weights
});

/// How likely each relation is, in the order duplicate, update, complement, unrelated; together 1.
pub(crate) fn shares(signals: &[f32; COUNT], language: Language) -> [f32; 4] {
    let of_language = match language {
        Language::En => &WEIGHTS[0],
        Language::Ko => &WEIGHTS[1],
    };
    let scores = of_language.map(|row| {
        row.iter()
            .zip(signals)
            .map(|(weight, signal)| weight * signal)
            .sum::<f32>()
    });
    let highest = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| (score - highest).exp());
    let all: f32 = powers.iter().sum();
    powers.map(|power| power / all)
}
