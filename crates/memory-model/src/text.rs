//! Text at the border: one Unicode form, one idea of a language, one idea of a span.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The language of a text, as far as the rules tell them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English, and every text in Latin script without Hangul.
    #[default]
    En,
    /// Korean: the text holds Hangul.
    Ko,
}

impl Language {
    /// Korean as soon as a text holds a Hangul syllable or jamo: people mix English words into Korean
    /// sentences far more often than the other way round.
    pub fn of(text: &str) -> Self {
        if text.chars().any(is_hangul) {
            Self::Ko
        } else {
            Self::En
        }
    }

    /// The BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
        }
    }
}

/// Whether a character is a Hangul syllable or jamo (Unicode blocks Hangul Syllables, Hangul Jamo,
/// Hangul Compatibility Jamo, and the two Extended blocks).
pub fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}'
        | '\u{A960}'..='\u{A97F}' | '\u{D7B0}'..='\u{D7FF}')
}

/// The text in Unicode normal form C. Every text is brought to it once, at the border.
pub fn nfc(text: &str) -> String {
    if is_nfc(text) {
        text.to_owned()
    } else {
        text.nfc().collect()
    }
}

/// Cuts a text to at most `chars_max` characters (Unicode scalar values), never inside one.
pub fn cut_chars(text: &str, chars_max: usize) -> &str {
    match text.char_indices().nth(chars_max) {
        Some((byte, _)) => text.get(..byte).unwrap_or(text),
        None => text,
    }
}

/// The part of a text between two character positions (Unicode scalar values, end exclusive).
/// `None` when the span does not lie inside the text.
pub fn char_span(text: &str, start: usize, end: usize) -> Option<&str> {
    if start > end {
        return None;
    }
    let mut bounds = text
        .char_indices()
        .map(|(byte, _)| byte)
        .chain(std::iter::once(text.len()));
    let from = bounds.nth(start)?;
    let to = if end == start {
        from
    } else {
        bounds.nth(end - start - 1)?
    };
    text.get(from..to)
}

/// SHA-256 of what a memory says, in lower-case hex.
///
/// Canonical form (spec team-sync, «SHA-256 change detection»): the parts `"tm1"`, the text (NFC, LF
/// line ends, trimmed), the kind, the topic and each tag (sorted) follow one another, each preceded by
/// its length in bytes as a 64-bit little-endian number, so that no two lists of parts collide.
pub fn content_hash(text: &str, kind: &str, topic: &str, tags: &[String]) -> String {
    let text = nfc(text).replace("\r\n", "\n").replace('\r', "\n");
    let mut tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    tags.sort_unstable();
    let mut hasher = Sha256::new();
    for part in ["tm1", text.trim(), kind, topic].into_iter().chain(tags) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
