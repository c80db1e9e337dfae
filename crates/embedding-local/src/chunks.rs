//! Cuts a long text into windows that the model reads whole.

use std::ops::Range;

/// A word of a text: where it stands, and how many word pieces the model makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) bytes: Range<usize>,
    pub(crate) tokens: usize,
}

/// Characters of a word from which on it may be cut: languages without spaces write whole sentences as one.
const WORD_CHARS_MAX: usize = 48;

/// Where the words of a text stand; a very long one is cut into several.
pub(crate) fn split_words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    // Characters of the word that is not finished yet; 0 between two words.
    let mut chars = 0;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            chars = 0;
            continue;
        }
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if (1..WORD_CHARS_MAX).contains(&chars) => word.end = end,
            _ => {
                words.push(at..end);
                chars = 0;
            }
        }
        chars += 1;
    }
    words
}

/// A text in windows of at most `tokens_max` word pieces that overlap by `overlap`; whole where it fits.
pub(crate) fn cut(text: &str, words: &[Word], tokens_max: usize, overlap: usize) -> Vec<String> {
    if words.iter().map(|word| word.tokens).sum::<usize>() <= tokens_max {
        return vec![text.to_owned()];
    }
    windows(words, tokens_max, overlap)
        .into_iter()
        .filter_map(|window| {
            let words = words.get(window)?;
            let bytes = words.first()?.bytes.start..words.last()?.bytes.end;
            Some(text.get(bytes)?.to_owned())
        })
        .collect()
}

/// Ranges of words, each of at most `tokens_max` word pieces. Neighbours share at least `overlap` of them
/// where words are short enough. The last range is filled up from the front, so that the end of a
/// text is never a chunk of three words without its context. Words are never cut: a cut word would be
/// other word pieces.
pub(crate) fn windows(words: &[Word], tokens_max: usize, overlap: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    loop {
        let end = start + fitting(words.iter().skip(start), tokens_max).max(1);
        if end >= words.len() {
            let from_back = fitting(words.iter().rev(), tokens_max).max(1);
            ranges.push(words.len().saturating_sub(from_back)..words.len());
            return ranges;
        }
        ranges.push(start..end);
        // Never back to the same start, however long the words are.
        let shared = sharing(words, start..end, overlap);
        start = (end - shared).max(start + 1);
    }
}

/// How many of these words, from the first on, fit into `tokens_max`.
fn fitting<'a>(words: impl Iterator<Item = &'a Word>, tokens_max: usize) -> usize {
    let mut tokens = 0;
    words
        .take_while(|word| {
            tokens += word.tokens;
            tokens <= tokens_max
        })
        .count()
}

/// How many words at the end of a window make at least `overlap` word pieces.
fn sharing(words: &[Word], window: Range<usize>, overlap: usize) -> usize {
    let mut tokens = 0;
    words
        .get(window)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|word| {
            let more = tokens < overlap;
            tokens += word.tokens;
            more
        })
        .count()
}
