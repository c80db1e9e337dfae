//! What a rule is. Rules are data: each row carries a sentence that it must match, and a test reads them all.

use memory_model::{Category, Polarity};
use regex::Regex;

/// One way of saying something that lasts. Patterns are written for folded text (lower case, straight
/// quotation marks); the group `o` is the object, which decides the key.
pub(crate) struct Rule {
    /// A name for tests and traces.
    pub name: &'static str,
    /// What it says.
    pub category: Category,
    /// For or against.
    pub polarity: Polarity,
    /// How sure a match is, 0 to 1.
    pub confidence: f32,
    /// The regular expression, with `{…}` for a shared piece.
    pub pattern: &'static str,
    /// A sentence that must match this row and none before it.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests read it"))]
    pub says: &'static str,
}

/// A row with a usual confidence: such a phrase was meant as said in nearly every sentence we tried.
pub(crate) const fn row(
    name: &'static str,
    category: Category,
    polarity: Polarity,
    pattern: &'static str,
    says: &'static str,
) -> Rule {
    Rule {
        name,
        category,
        polarity,
        confidence: 0.9,
        pattern,
        says,
    }
}

/// A rule that is ready to match.
pub(crate) struct ReadyRule {
    /// The row.
    pub rule: &'static Rule,
    /// Its expression.
    pub regex: Regex,
    /// Whether it can only match where a clause begins with "I" or "we": most clauses do not, and are spared it.
    pub first_person: bool,
}

/// Makes a table ready; `pieces` are the shared pieces by name.
pub(crate) fn ready(rules: impl Iterator<Item = &'static Rule>, pieces: &[(&str, &str)]) -> Vec<ReadyRule> {
    rules
        .map(|rule| ReadyRule {
            rule,
            regex: pattern(&expanded(rule.pattern, pieces)),
            first_person: FIRST_PERSON.iter().any(|start| rule.pattern.starts_with(start)),
        })
        .collect()
}

/// How patterns begin that need "I" or "we".
const FIRST_PERSON: [&str; 6] = ["^i ", "^i(", "^we ", "^(?:i|we)", "{I}", "{IVE}"];

/// Fills shared pieces into a pattern.
pub(crate) fn expanded(pattern: &str, pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(pattern.to_owned(), |text, (name, piece)| {
        text.replace(name, piece)
    })
}

/// A constant expression. Word boundaries are ASCII boundaries: a Unicode boundary would make the regex engine
/// fall back to its slow form on every Korean text, and Hangul next to a Latin word has to count as an edge anyway.
#[expect(
    clippy::expect_used,
    reason = "every pattern is a constant of this crate and is compiled by a test"
)]
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace(r"\b", r"(?-u:\b)")).expect("a constant pattern that the tests compile")
}

/// A match of a rule.
pub(crate) struct Match {
    /// The row that matched.
    pub rule: &'static Rule,
    /// The object, as characters of the clause's matched text.
    pub object: std::ops::Range<usize>,
}

/// The number of characters before a byte position.
pub(crate) fn chars_before(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| before.chars().count())
}
