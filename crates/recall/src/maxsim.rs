//! The finest sign of the strategy `hybrid`: for each word piece of the question the nearest word piece of a text, as
//! in Khattab and Zaharia, «ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
//! BERT», SIGIR 2020. A whole text has one vector, in which a single telling word is lost; its pieces keep it.

use crate::rank::rarity;
use crate::terms;
use ports::{TermCounts, TokenMatrix, TokenVector};
use std::collections::HashMap;

/// Texts that are compared piece by piece: the best of the ranking before it.
pub const POOL: usize = 128;

/// Weight of a word that says nothing about a subject, against the rarest word.
const STOP_WORD: f32 = 0.1;

/// Weight of the commonest telling word, such as a name that stands in every second text.
const COMMON_WORD: f32 = 0.15;

/// The word pieces of a question, with the weight of each; the weights add up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedTokens {
    vectors: Vec<Vec<f32>>,
    weights: Vec<f32>,
}

impl AskedTokens {
    /// Weighs each piece by the word it belongs to. `terms` and `counts` say how common the words are.
    pub fn of(text: &str, tokens: Vec<TokenVector>, terms: &[String], counts: &TermCounts) -> Self {
        let holding: HashMap<&str, u32> = (terms.iter().map(String::as_str))
            .zip(counts.holding.iter().copied())
            .collect();
        let rarest = rarity(counts.texts.max(1), 1);
        let words = words(text);
        let weigh = |token: &TokenVector| {
            let word = words
                .iter()
                .find(|(from, word)| (*from..*from + word.len()).contains(&token.bytes.start));
            let Some((_, word)) = word else { return 0.0 };
            if terms::is_stop_word(word.trim_matches(['.', '-', '_'])) {
                return STOP_WORD;
            }
            let known = terms::index_terms(word)
                .first()
                .and_then(|term| holding.get(term.as_str()).copied());
            match known {
                // A square root, because a rare word should lead and not rule.
                Some(holding) if holding > 0 => (rarity(counts.texts, holding) / rarest)
                    .clamp(0.0, 1.0)
                    .sqrt()
                    .max(COMMON_WORD),
                _ => 1.0,
            }
        };
        let mut weights: Vec<f32> = tokens.iter().map(weigh).collect();
        let sum = weights.iter().sum::<f32>();
        if sum <= 0.0 {
            return Self::default();
        }
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Self {
            vectors: tokens.into_iter().map(|token| token.numbers).collect(),
            weights,
        }
    }

    /// Whether there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// For each piece of the question the cosine of the nearest piece of a text.
    pub fn nearest(&self, matrix: &TokenMatrix) -> Vec<f32> {
        (self.vectors.iter())
            .map(|vector| matrix.nearest(vector).unwrap_or(0.0))
            .collect()
    }

    /// The weighted sum of [`Self::nearest`].
    pub fn sum(&self, nearest: &[f32]) -> f32 {
        self.weights
            .iter()
            .zip(nearest)
            .map(|(weight, nearest)| weight * nearest)
            .sum()
    }
}

/// The words of a text with the byte at which each begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        let inside = c.is_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_');
        match (from, inside) {
            (None, true) => from = Some(at),
            (Some(begin), false) => {
                found.extend(text.get(begin..at).map(|word| (begin, word)));
                from = None;
            }
            _ => {}
        }
    }
    // A full stop is a sign, not a word.
    found.retain(|(_, word)| word.chars().any(char::is_alphanumeric));
    found
}
