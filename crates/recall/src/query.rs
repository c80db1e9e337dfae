//! What is asked of the memory.

use crate::{terms, typing};
use memory_model::{cut_chars, nfc};
use ports::TermRange;
use std::collections::HashSet;

/// Characters of a query. A longer message says its subject in its first sentences, and the embedding model
/// reads no more than about this anyway.
pub const QUERY_CHARS_MAX: usize = 1_000;

/// Tokens that reach the keyword index. Each costs a posting list; a question has fewer than this.
pub const QUERY_TERMS_MAX: usize = 48;

/// A message with at least this many telling words stands on its own; a shorter one ("yes, that one") takes
/// the last user turns along.
const WORDS_ENOUGH: usize = 3;

/// Earlier user turns that a short message takes along.
const RECENT_TURNS_MAX: usize = 2;

/// A bounded question.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The text for the embedding model.
    pub text: String,
    /// The telling words, each as its tokens.
    pub words: Vec<Vec<String>>,
    /// What the last word may become while somebody types it.
    pub completions: Vec<TermRange>,
}

impl Query {
    /// A question as it was typed or built.
    pub fn of(text: &str) -> Self {
        let text = nfc(text);
        let text = cut_chars(text.trim(), QUERY_CHARS_MAX).to_owned();
        let words = terms::query_words(&text);
        Self {
            text,
            words,
            completions: Vec::new(),
        }
    }

    /// A question that is still being typed: its last word finds what it may become, until a space ends it.
    pub fn typed(text: &str) -> Self {
        let query = Self::of(text);
        let ended = text.chars().count() > QUERY_CHARS_MAX;
        Self {
            completions: if ended {
                Vec::new()
            } else {
                typing::completions(text)
            },
            ..query
        }
    }

    /// Every token once, at most [`QUERY_TERMS_MAX`].
    pub fn terms(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        self.words
            .iter()
            .flatten()
            .filter(|term| seen.insert(term.as_str()))
            .take(QUERY_TERMS_MAX)
            .cloned()
            .collect()
    }
}

/// The query of a turn: the message, and the last user turns when the message is too short to stand alone.
/// `recent_user_turns` are oldest first and do not hold the message itself.
pub fn build(input: &str, recent_user_turns: &[&str]) -> String {
    let mut query = cut_chars(input.trim(), QUERY_CHARS_MAX).to_owned();
    if terms::query_words(&query).len() >= WORDS_ENOUGH {
        return query;
    }
    for turn in recent_user_turns.iter().rev().take(RECENT_TURNS_MAX) {
        let room = QUERY_CHARS_MAX.saturating_sub(query.chars().count() + 1);
        if room == 0 {
            break;
        }
        query.push('\n');
        query.push_str(cut_chars(turn.trim(), room));
    }
    query
}
