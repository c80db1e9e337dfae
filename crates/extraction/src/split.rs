//! Sentences and clauses, as spans of characters. A full stop inside a name or a number ends nothing.

use crate::page::Page;
use crate::rules::pattern;
use memory_model::is_hangul;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Words after which a full stop does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "vs", "etc", "e.g", "i.e", "approx", "no", "inc",
    "ltd", "co", "dept", "fig", "a.m", "p.m", "u.s",
];

/// A part of a sentence that says one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// Where its words are.
    pub span: Range<usize>,
    /// The subject it takes over from the clause before it ("I avoid buses and prefer trains").
    pub subject: &'static str,
}

/// The sentences of a page, each with its closing mark, without the space around it.
pub(crate) fn sentences(page: &Page) -> Vec<Range<usize>> {
    let plain = &page.plain;
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < plain.len() {
        let c = plain.get(at).copied().unwrap_or(' ');
        let mut end = at + 1;
        let ends = match c {
            '\n' => true,
            '!' | '?' | '…' => plain.get(end).is_none_or(|c| !c.is_alphanumeric()),
            '.' => ends_sentence(plain, start, at),
            _ => false,
        };
        if ends {
            while plain
                .get(end)
                .is_some_and(|c| matches!(c, '.' | '!' | '?' | '…' | '"' | '\'' | ')' | '^' | '~'))
            {
                end += 1;
            }
            push_trimmed(plain, start..end, &mut sentences);
            start = end;
        }
        at = end;
    }
    push_trimmed(plain, start..plain.len(), &mut sentences);
    sentences
}

fn ends_sentence(plain: &[char], start: usize, at: usize) -> bool {
    let next = plain.get(at + 1).copied().unwrap_or(' ');
    if !(next.is_whitespace() || matches!(next, '"' | '\'' | ')' | '.' | '!' | '?')) {
        return false;
    }
    let word_start = plain
        .get(start..at)
        .and_then(|part| part.iter().rposition(|c| c.is_whitespace()));
    let word: String = plain
        .get(word_start.map_or(start, |i| start + i + 1)..at)
        .unwrap_or_default()
        .iter()
        .collect();
    let numbered = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) && word_start.is_none();
    let initial = word.chars().count() == 1 && word.chars().all(|c| c.is_ascii_alphabetic()) && word != "i";
    let last = at + 1 >= plain.len();
    last || !(ABBREVIATIONS.contains(&word.as_str()) || numbered || initial)
}

fn push_trimmed(plain: &[char], span: Range<usize>, into: &mut Vec<Range<usize>>) {
    let span = trimmed(plain, span);
    if !span.is_empty() {
        into.push(span);
    }
}

/// A span without the space, list marks and dashes around it.
pub(crate) fn trimmed(plain: &[char], span: Range<usize>) -> Range<usize> {
    let mut span = span;
    let skip =
        |c: Option<&char>| c.is_some_and(|c| c.is_whitespace() || matches!(c, '-' | '*' | '•' | ',' | ';'));
    while span.start < span.end && skip(plain.get(span.start)) {
        span.start += 1;
    }
    while span.start < span.end && skip(plain.get(span.end - 1)) {
        span.end -= 1;
    }
    span
}

/// A span without closing marks, for quotes and objects.
pub(crate) fn without_closing_marks(plain: &[char], span: Range<usize>) -> Range<usize> {
    let mut span = span;
    while span.start < span.end
        && plain.get(span.end - 1).is_some_and(|c| {
            c.is_whitespace() || matches!(c, '.' | '!' | '?' | '…' | ',' | ';' | ':' | '~' | '^')
        })
    {
        span.end -= 1;
    }
    span
}

/// Words that begin a clause of their own after a comma or a conjunction.
static ENGLISH_BREAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?P<cut>,? (?:and|but|so|yet|while|whereas|although|though) (?:also )?|[;,] |, (?:and|but) |: | - )",
        r"(?P<next>(?:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|my|our|please|can you|could you|would you|what|which|where|how|who)\b",
        r"|(?P<verb>(?:strongly |generally |always |usually |never |much |vastly |instead |really |actively )*",
        r"(?:prefer|like|love|enjoy|dislike|hate|despise|avoid|refuse|favou?r|don't|do not|can't|cannot|won't|choose|opt|have no|have a|steer|tend)\b)",
        r")",
    ))
});

static KOREAN_BREAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<cut>(?:지만|는데|은데|인데|으며|이고|하고는|구요|고요),? |(?:요|다|어|야), |(?:^|[ ])(?:안|못) [가-힣]{1,4}고,? |[;] )(?P<next>\S)",
    )
});

/// The clauses of a sentence.
pub(crate) fn clauses(page: &Page, sentence: &Range<usize>) -> Vec<Clause> {
    let text = page.folded(sentence);
    let korean = text.chars().any(is_hangul);
    let breaks = if korean { &*KOREAN_BREAK } else { &*ENGLISH_BREAK };
    let mut clauses = Vec::new();
    let mut start = sentence.start;
    let mut subject = "";
    for found in breaks.captures_iter(&text) {
        let (Some(cut), Some(next)) = (found.name("cut"), found.name("next")) else {
            continue;
        };
        let position =
            |byte: usize| sentence.start + text.get(..byte).map_or(0, |before| before.chars().count());
        let verb_alone = found.name("verb").is_some();
        let so_far = page.folded(&(start..position(cut.start())));
        if text
            .get(next.start()..)
            .is_some_and(|rest| AGREEMENT.is_match(rest))
        {
            continue;
        }
        if !korean && crate::english::opens(&so_far) {
            continue;
        }
        if verb_alone && (!speaks_of_the_user(&so_far, subject) || tells_of_a_thing(&so_far, next.as_str())) {
            continue;
        }
        let end = if korean {
            position(next.start())
        } else {
            position(cut.start())
        };
        clauses.push(Clause {
            span: trimmed(&page.plain, start..end),
            subject,
        });
        start = position(next.start());
        subject = if verb_alone { "i " } else { "" };
    }
    clauses.push(Clause {
        span: trimmed(&page.plain, start..sentence.end),
        subject,
    });
    clauses.retain(|clause| !clause.span.is_empty());
    clauses
}

/// "…, we agreed on that" belongs to the statement before it.
static AGREEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^we (?:all )?(?:agreed|decided|voted|signed off)\b(?: on (?:it|that|this)| yesterday| today| last \w+|[.!]*$)",
    )
});

static RELATIVE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r" (?:that|which|who) (?:are|is|have|has|do|don't|can|will)\b"));

/// "…that are vegan and do not contain milk": the second verb speaks of the thing, not of the user.
fn tells_of_a_thing(so_far: &str, verb: &str) -> bool {
    let helper = ["do", "have", "can", "won't"]
        .iter()
        .any(|start| verb.starts_with(start));
    helper && RELATIVE.is_match(so_far)
}

static USER_SUBJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[ ,])(?:i|i'm|i've|i'll)(?: |$)"));

fn speaks_of_the_user(clause: &str, subject: &str) -> bool {
    !subject.is_empty() || USER_SUBJECT.is_match(clause)
}
