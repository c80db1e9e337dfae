//! General vocabulary for comparing statements: words for one thing, opposites, and answers that exclude each other.

use memory_model::is_hangul;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

static GENERAL: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::read_from(include_str!("lexicon.txt"), include_str!("words.txt")));

/// The vocabulary that ships with the app.
pub(crate) fn general() -> &'static Vocabulary {
    &GENERAL
}

/// Korean words are compared by their beginning of at most this many syllables: longer ones are compounds.
const KOREAN_CHARS_MAX: usize = 6;

/// What a word may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// It shows that this topic is meant.
    Topic(usize),
    /// It is this answer to the question of this topic.
    Value(usize, usize),
}

/// Words and what they mean.
pub(crate) struct Vocabulary {
    meanings: HashMap<String, Vec<Meaning>>,
    same: BTreeMap<String, String>,
    against: Vec<(String, String)>,
}

impl Vocabulary {
    fn read_from(lexicon: &str, words: &str) -> Self {
        let mut vocabulary = Self {
            meanings: HashMap::new(),
            same: BTreeMap::new(),
            against: Vec::new(),
        };
        let mut topic = 0;
        let mut value = 0;
        for line in lexicon.lines() {
            if line.starts_with('@') {
                topic += 1;
            } else if let Some(words) = line.strip_prefix("w ") {
                for word in words.split_whitespace().filter(|word| *word != "|") {
                    vocabulary.add(word, Meaning::Topic(topic));
                }
            } else if let Some(pairs) = line.strip_prefix("v ") {
                for pair in pairs.split_whitespace() {
                    value += 1;
                    for word in pair.split(['=', '/']) {
                        vocabulary.add(word, Meaning::Value(topic, value));
                    }
                }
            }
        }
        for line in words.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("same") => {
                    let words: Vec<&str> = words.collect();
                    for word in &words {
                        let first = words.first().copied().unwrap_or(word).to_owned();
                        vocabulary.same.entry((*word).to_owned()).or_insert(first);
                    }
                }
                Some("against") => {
                    if let (Some(one), Some(other)) = (words.next(), words.next()) {
                        vocabulary.against.push((one.to_owned(), other.to_owned()));
                    }
                }
                _ => {}
            }
        }
        vocabulary
    }

    fn add(&mut self, word: &str, meaning: Meaning) {
        let meanings = self.meanings.entry(word.replace('_', " ")).or_default();
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }

    /// The word that stands for all words of one meaning.
    pub(crate) fn canonical(&self, stem: &str) -> String {
        self.same.get(stem).cloned().unwrap_or_else(|| stem.to_owned())
    }

    /// The digits of a number word.
    pub(crate) fn number(&self, word: &str) -> Option<String> {
        NUMBERS
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, digits)| (*digits).to_owned())
    }

    /// Answers and topics that words name.
    pub(crate) fn read(&self, words: &[String]) -> (BTreeSet<(usize, usize)>, BTreeSet<usize>) {
        let mut values = BTreeSet::new();
        let mut topics = BTreeSet::new();
        for (at, word) in words.iter().enumerate() {
            let pair = words.get(at + 1).map(|next| format!("{word} {next}"));
            let found = pair
                .as_deref()
                .and_then(|pair| self.meanings.get(pair))
                .or_else(|| self.meaning(word));
            for meaning in found.into_iter().flatten() {
                match *meaning {
                    Meaning::Topic(topic) => topics.insert(topic),
                    Meaning::Value(topic, value) => {
                        values.insert((topic, value));
                        topics.insert(topic)
                    }
                };
            }
        }
        (values, topics)
    }

    fn meaning(&self, word: &str) -> Option<&Vec<Meaning>> {
        if !word.chars().any(is_hangul) {
            return self.meanings.get(word);
        }
        let chars: Vec<char> = word.chars().take(KOREAN_CHARS_MAX).collect();
        (1..=chars.len()).rev().find_map(|length| {
            let beginning: String = chars.get(..length)?.iter().collect();
            let whole = length == word.chars().count() || length > 1;
            // One syllable is a word only where a particle follows it.
            let followed = word
                .chars()
                .nth(length)
                .is_some_and(|c| "은는이가을를도만에로와과의".contains(c));
            (whole || followed)
                .then(|| self.meanings.get(&beginning))
                .flatten()
        })
    }

    /// Whether one text has a word that the other one has the opposite of, and not both words itself.
    pub(crate) fn against(&self, old: &[String], new: &[String]) -> bool {
        let has = |words: &[String], word: &str| {
            let korean = word.chars().any(is_hangul);
            words.iter().any(|one| {
                if korean {
                    one.starts_with(word)
                } else {
                    one == word
                }
            })
        };
        self.against.iter().any(|(one, other)| {
            (has(old, one) && has(new, other) && !has(old, other) && !has(new, one))
                || (has(old, other) && has(new, one) && !has(old, one) && !has(new, other))
        })
    }
}

/// Number words and their digits.
const NUMBERS: &[(&str, &str)] = &[
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("first", "1"),
    ("second", "2"),
    ("third", "3"),
    ("fourth", "4"),
    ("fifth", "5"),
    ("한", "1"),
    ("두", "2"),
    ("세", "3"),
    ("네", "4"),
    ("다섯", "5"),
    ("여섯", "6"),
    ("일곱", "7"),
    ("여덟", "8"),
    ("아홉", "9"),
    ("열", "10"),
    ("열한", "11"),
    ("열두", "12"),
    ("일주일", "1"),
    ("이십", "20"),
    ("삼십", "30"),
    ("사십", "40"),
    ("오십", "50"),
];
