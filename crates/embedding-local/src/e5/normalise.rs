//! What a text is before it is cut into pieces: NFC, then character by character as the model's map says, then
//! no two spaces side by side.

use std::collections::HashMap;

/// The normalisation map of the model.
pub(super) struct Normaliser {
    /// Nearly all of NFKC, and what becomes a space or nothing.
    map: HashMap<char, Box<str>>,
}

impl Normaliser {
    pub(super) fn new(replacements: Vec<(char, String)>) -> Self {
        Self {
            map: replacements
                .into_iter()
                .map(|(from, to)| (from, to.into_boxed_str()))
                .collect(),
        }
    }

    /// The text as the vocabulary was made for it. NFC comes first because the map works on single characters:
    /// decomposed Hangul would be taken for single letters.
    pub(super) fn normalise(&self, text: &str) -> String {
        let text = memory_model::nfc(text);
        let mut normalised = String::with_capacity(text.len());
        let mut push = |c: char| {
            if c != ' ' || !normalised.ends_with(' ') {
                normalised.push(c);
            }
        };
        for c in text.chars() {
            match self.map.get(&c) {
                Some(replacement) => replacement.chars().for_each(&mut push),
                None => push(c),
            }
        }
        normalised
    }
}
