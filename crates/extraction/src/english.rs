//! English: what a clause means and how it is shown.

pub(crate) mod gates;
pub(crate) mod table;
pub(crate) mod wording;

use crate::rules::{Match, ReadyRule, chars_before, pattern, ready};
use regex::Regex;
use std::sync::LazyLock;

/// Shared pieces of the patterns. Later pieces may be used in earlier ones.
pub(crate) const PIECES: [(&str, &str); 5] = [
    (
        "{I}",
        r"^(?:i|we|my (?:wife|husband|partner|family|team) and i) ?{ADV}",
    ),
    (
        "{NOT}",
        r"(?:do not|don't|dont|do n't|did not|didn't|can not|cannot|can't|cant|never|no longer|will not|won't|wouldn't|would not|am not|'m not|are not|'re not)",
    ),
    (
        "{ADV}",
        concat!(
            r"(?:(?:really|also|just|still|always|generally|usually|typically|normally|strongly|absolutely|completely|totally|much|",
            r"personally|definitely|actually|honestly|greatly|truly|particularly|especially|now|only|exclusively|strictly|vastly|highly|",
            r"mostly|mainly|simply|kind of|sort of|firmly|intensely|deliberately|consciously|actively|primarily|often|deeply|very much|",
            r"instead|do|would|tend to|try to|prefer to|have always|have never|so|too|even|specifically|solely|religiously|all|both|rather|quite|pretty|far) )*",
        ),
    ),
    ("{AM}", r"(?:am|'m|are|'re|have been|'ve been|was)"),
    ("{O}", r"(?P<o>\S.*)$"),
];

static RULES: LazyLock<Vec<ReadyRule>> = LazyLock::new(|| ready(table::RULES, &PIECES));

/// What people say before they come to the point, and a circumstance before "I".
static LEAD_IN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:(?:yeah|yes|yep|yup|no|nope|oh|ah|well|so|and|but|also|ok|okay|hey|hi|hello|honestly|actually|by the way|btw|fyi|",
        r"just so you know|for the record|note that|to be honest|tbh|thanks|right|haha|plus|anyway|look|listen|personally|in general|",
        r"generally|as for me|for me|good morning|morning|good evening|these days|nowadays|lately|recently|now|as of now|from now on|",
        r"going forward|keep in mind(?: that)?|remember(?: that)?|please remember(?: that)?|don't forget(?: that)?|do not forget(?: that)?|",
        r"please note(?: that)?|you should know(?: that)?|for your information|i should mention(?: that)?|i must say(?: that)?|",
        r"i think(?: that)?|as i said|like i said|turns out|unfortunately|sadly|luckily|because|since|as)\b|(?:oh|ah) (?:yeah|yes|no)\b)",
        r"[ ,!.:;-]*)*",
    ))
});

static CIRCUMSTANCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:when|whenever|in|at|on|during|after|before|due to|because of|given|as an?|for|while|with|from|since|because|out of|owing to|to|by|",
        r"over|despite|although|though|being)\b[^,]{1,90}, ",
    ))
});

static CIRCUMSTANCE_START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:when|whenever|in|at|on|during|after|before|due to|because of|given|as an?|for|while|with|out of|owing to|despite|being)\b",
    )
});

/// Whether folded words before a comma only lead to the statement behind it ("Actually, …", "When I travel, …").
pub(crate) fn opens(words: &str) -> bool {
    let words = words.trim();
    let rest = words.get(said_from(words)..).unwrap_or("");
    rest.is_empty() || CIRCUMSTANCE_START.is_match(rest)
}

/// The first rule that a folded clause matches, with its object.
pub(crate) fn read(clause: &str) -> Option<Match> {
    let said = said_from(clause);
    let mut starts = vec![said];
    if let Some(rest) = clause.get(said..)
        && let Some(found) = CIRCUMSTANCE.find(rest)
    {
        starts.push(said + found.end());
    }
    starts.iter().find_map(|&start| {
        let rest = clause.get(start..)?;
        let first_person = rest.starts_with(['i', 'w']);
        RULES.iter().find_map(|ready| {
            // Matching is many times faster than capturing, and nearly every row fails.
            if (ready.first_person && !first_person) || !ready.regex.is_match(rest) {
                return None;
            }
            let found = ready.regex.captures(rest)?;
            let object = found.name("o")?;
            let object = trimmed_object(object.as_str(), object.start())?;
            let from = start + object.start;
            let to = start + object.end;
            Some(Match {
                rule: ready.rule,
                object: chars_before(clause, from)..chars_before(clause, to),
            })
        })
    })
}

/// Where a folded clause comes to the point, in bytes.
pub(crate) fn said_from(clause: &str) -> usize {
    LEAD_IN.find(clause).map_or(0, |found| found.end())
}

static OBJECT_TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:,? (?:because|due to|since|as i|as it|as they|so that|so i|which|even if|even though|although|though|when they|that's why|in order to)\b.*",
        r"|,? (?:a lot|very much|so much|the most|most of all|any ?more|any longer|these days|nowadays|now|as well|too|instead|in general|generally|either|at all|please|lol|haha|though|from now on|going forward))$",
    ))
});

static OBJECT_HEAD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:(?:to|the|a|an|my|some|any|very|that|being|it when|using|of) )+"));

/// Objects that name nothing.
static EMPTY_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:it|that|this|these|those|them|him|her|you|your|u|so|how|what|why|know|think|see|say|mean|he|she|they|who|if)(?:[ ,'].*)?",
        r"|(?:all|both|one|ones|either|everything|to|here|there|more|better)",
        r"|(?:the )?(?:way|idea|sound|look|option|version|first|second|third|last)(?: (?:one|option|version|of|that|you)(?: .*)?| \w+)?",
        r"|an? (?:bit|little|moment|second|question|minute|feeling|look|idea|point|problem|meeting|appointment)\b.*)$",
    ))
});

/// The object without reasons and fillers, as bytes; `None` when nothing is left that could be meant.
fn trimmed_object(object: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    if EMPTY_OBJECT.is_match(object) {
        return None;
    }
    let mut end = object
        .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | ')'))
        .len();
    while let Some(tail) = object.get(..end).and_then(|object| OBJECT_TAIL.find(object)) {
        if tail.start() == 0 {
            break;
        }
        end = tail.start();
    }
    let start = object
        .get(..end)
        .and_then(|object| OBJECT_HEAD.find(object))
        .map_or(0, |head| head.end());
    (start < end).then_some(offset + start..offset + end)
}
