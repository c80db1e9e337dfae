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
        self.each(&text, |_, c| push(&mut normalised, c));
        normalised
    }

    /// The same of a text in NFC, with the place in it that each byte comes from, and its length at the end.
    pub(super) fn normalise_with_places(&self, text: &str) -> (String, Vec<usize>) {
        let mut normalised = String::with_capacity(text.len());
        let mut places = Vec::with_capacity(text.len() + 1);
        self.each(text, |at, c| {
            push(&mut normalised, c);
            places.resize(normalised.len(), at);
        });
        places.push(text.len());
        (normalised, places)
    }

    /// Each character that replaces one of the text, with the byte at which the replaced one begins.
    fn each(&self, text: &str, mut push: impl FnMut(usize, char)) {
        for (at, c) in text.char_indices() {
            match self.map.get(&c) {
                Some(replacement) => replacement.chars().for_each(|c| push(at, c)),
                None => push(at, c),
            }
        }
    }
}

/// Appends a character, unless it is a second space.
fn push(normalised: &mut String, c: char) {
    if c != ' ' || !normalised.ends_with(' ') {
        normalised.push(c);
    }
}
