//! Tokens for the keyword index and for queries.
//!
//! The same function makes both sides, so whatever a person types is found as it was kept. Tokens are plain
//! words (letters, digits and `+ # . - _`), never query syntax:
//! - words of alphabetic scripts are lower-cased and stemmed (Snowball English);
//! - identifiers (`C++`, `.NET`, `node.js`, `multi-agent`) are kept whole, and their parts beside them;
//! - Hangul, Han and kana words become overlapping bigrams, so that particles and endings do not hide a word
//!   and a two-syllable word, the norm in Korean, is found inside a longer one;
//! - an emoji becomes a word of its own (`emoji1f6eb`), because FTS5 would drop it.

use memory_model::{is_hangul, nfc};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashSet;

/// Tokens read from one text at most. Later ones add nothing to a ranking and cost index space.
const TERMS_MAX: usize = 20_000;

/// Characters of a single word that are looked at. Longer runs are data (base64, hashes), not words.
const WORD_CHARS_MAX: usize = 128;

/// Korean particles that may follow a noun of one syllable or a foreign word.
const PARTICLES: &[&str] = &[
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "도",
    "의",
    "로",
    "와",
    "과",
    "만",
    "랑",
    "야",
    "요",
    "으로",
    "에서",
    "부터",
    "까지",
    "이나",
    "하고",
    "처럼",
    "보다",
    "에게",
    "한테",
    "이랑",
    "이다",
    "예요",
    "이에요",
];

/// Words that say nothing about a subject. English function words and the Korean ones that stand alone.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "for",
    "from",
    "get",
    "had",
    "has",
    "have",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "many",
    "me",
    "more",
    "most",
    "much",
    "my",
    "no",
    "not",
    "now",
    "of",
    "on",
    "one",
    "or",
    "our",
    "please",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "to",
    "too",
    "up",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "s",
    "t",
    "don",
    "ve",
    "ll",
    "re",
    "d",
    "m",
    "나",
    "내",
    "저",
    "제",
    "너",
    "네",
    "그",
    "이",
    "저는",
    "나는",
    "제가",
    "내가",
    "그리고",
    "그래서",
    "좀",
    "것",
    "거",
    "수",
    "더",
    "뭐",
    "무엇",
    "어떤",
    "어떻게",
    "언제",
    "어디",
    "누가",
    "왜",
    "있어",
    "있나요",
    "해줘",
    "해",
    "줘",
    "알려줘",
    "알려",
    "주세요",
];

/// A piece of a text that tokens come from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    /// As the text writes it.
    surface: String,
    /// Its tokens, the most telling first.
    tokens: Vec<String>,
}

/// The tokens of a text that is to be found, in order, each once.
pub fn index_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    words(text)
        .into_iter()
        .flat_map(|word| word.tokens)
        .filter(|token| seen.insert(token.clone()))
        .take(TERMS_MAX)
        .collect()
}

/// The tokens of a question, grouped by the word they come from, without stop words. When a question holds
/// nothing but stop words, they are kept: finding something beats finding nothing.
pub fn query_words(text: &str) -> Vec<Vec<String>> {
    let all = words(text);
    let telling: Vec<Vec<String>> = all
        .iter()
        .filter(|word| !is_stop_word(&word.surface))
        .map(|word| word.tokens.clone())
        .collect();
    let chosen = if telling.is_empty() {
        all.into_iter().map(|word| word.tokens).collect()
    } else {
        telling
    };
    let mut seen = HashSet::new();
    chosen
        .into_iter()
        .filter(|tokens| !tokens.is_empty() && seen.insert(tokens.clone()))
        .collect()
}

/// Words of `text` that share a token with `terms`, as the text writes them, each once.
pub fn matched_words(text: &str, terms: &HashSet<&str>) -> Vec<String> {
    let mut seen = HashSet::new();
    words(text)
        .into_iter()
        .filter(|word| word.tokens.iter().any(|token| terms.contains(token.as_str())))
        .map(|word| word.surface)
        .filter(|surface| seen.insert(surface.to_lowercase()))
        .collect()
}

/// Whether a word says nothing about a subject.
pub(crate) fn is_stop_word(surface: &str) -> bool {
    let lower = surface.to_lowercase();
    STOP_WORDS.contains(&lower.as_str())
}

fn words(text: &str) -> Vec<Word> {
    let text = nfc(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut found = Vec::new();
    let mut run = String::new();
    let mut run_kind = Kind::Other;
    let mut tokens_left = TERMS_MAX;
    for c in text.chars().chain(std::iter::once(' ')) {
        let kind = Kind::of(c);
        if kind != run_kind || kind == Kind::Emoji {
            if !run.is_empty() {
                let after_alphabetic = matches!(found.last(), Some((Kind::Alphabetic, _)));
                let word = word_of(&run, run_kind, after_alphabetic, &stemmer);
                tokens_left = tokens_left.saturating_sub(word.tokens.len());
                found.push((run_kind, word));
                run.clear();
            }
            if kind == Kind::Other && run_kind != Kind::Other {
                // A gap ends the tie between a foreign word and the particle glued to it.
                found.push((
                    Kind::Other,
                    Word {
                        surface: String::new(),
                        tokens: Vec::new(),
                    },
                ));
            }
            if tokens_left == 0 {
                break;
            }
            run_kind = kind;
        }
        if kind != Kind::Other {
            run.push(c);
        }
    }
    found
        .into_iter()
        .map(|(_, word)| word)
        .filter(|word| !word.tokens.is_empty())
        .collect()
}

/// What a character may be part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of letters and digits, or an identifier.
    Alphabetic,
    /// A word of syllables or ideographs.
    Syllabic,
    /// An emoji, alone.
    Emoji,
    /// A gap.
    Other,
}

impl Kind {
    /// The kind of a character.
    pub(crate) fn of(c: char) -> Self {
        if is_hangul(c) || is_han_or_kana(c) {
            Self::Syllabic
        } else if c.is_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_') {
            Self::Alphabetic
        } else if is_emoji(c) {
            Self::Emoji
        } else {
            Self::Other
        }
    }
}

fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2FA1F}')
}

/// The blocks that hold pictographs; modifiers and joiners are gaps.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F300}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2B50}')
}

fn word_of(run: &str, kind: Kind, after_alphabetic: bool, stemmer: &Stemmer) -> Word {
    let run = memory_model::cut_chars(run, WORD_CHARS_MAX);
    let tokens = match kind {
        Kind::Alphabetic => alphabetic_tokens(run, stemmer),
        Kind::Syllabic if after_alphabetic && PARTICLES.contains(&run) => Vec::new(),
        Kind::Syllabic => syllabic_tokens(run),
        Kind::Emoji => run.chars().map(|c| format!("emoji{:x}", u32::from(c))).collect(),
        Kind::Other => Vec::new(),
    };
    let surface = if kind == Kind::Alphabetic {
        trim_identifier(run).to_owned()
    } else {
        run.to_owned()
    };
    Word { surface, tokens }
}

/// Takes off the punctuation around an identifier: everything but a leading dot (`.NET`) and trailing `+`, `#`.
pub(crate) fn trim_identifier(run: &str) -> &str {
    let end = run.trim_end_matches(['.', '-', '_']);
    let start = end.trim_start_matches(['-', '_', '+', '#']);
    let bare = start.trim_start_matches('.');
    let dots = start.chars().count() - bare.chars().count();
    // One dot before a letter belongs to the name; dots in front of a number or several dots do not.
    if dots == 1 && bare.chars().next().is_some_and(char::is_alphabetic) {
        start
    } else {
        bare
    }
}

fn alphabetic_tokens(run: &str, stemmer: &Stemmer) -> Vec<String> {
    let whole = trim_identifier(run).to_lowercase();
    if whole.is_empty() {
        return Vec::new();
    }
    let plain = whole.chars().all(char::is_alphabetic);
    if plain {
        return vec![stemmer.stem(&whole).into_owned()];
    }
    let mut tokens = vec![whole.clone()];
    for part in whole
        .split(['+', '#', '.', '-', '_'])
        .filter(|part| !part.is_empty() && *part != whole)
    {
        let token = if part.chars().all(char::is_alphabetic) {
            stemmer.stem(part).into_owned()
        } else {
            part.to_owned()
        };
        if !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens
}

fn syllabic_tokens(run: &str) -> Vec<String> {
    let syllables: Vec<char> = run.chars().collect();
    if let [first, second] = syllables.as_slice()
        && PARTICLES.contains(&second.to_string().as_str())
    {
        // "책을": the noun is one syllable and must be found by itself.
        return vec![run.to_owned(), first.to_string()];
    }
    if syllables.len() <= 2 {
        return vec![run.to_owned()];
    }
    syllables.windows(2).map(|pair| pair.iter().collect()).collect()
}
