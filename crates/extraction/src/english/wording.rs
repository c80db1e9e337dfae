//! How an English statement is shown: "I prefer aisle seats" becomes "Prefers aisle seats".

use crate::rules::pattern;
use regex::Regex;
use std::sync::LazyLock;

static SUBJECT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?i:i)(?P<short>'m|'ve|'ll|'d)? (?P<rest>.+)$"));

/// Words that stand before the verb and stay as they are.
const ADVERBS: &[&str] = &[
    "really",
    "also",
    "just",
    "still",
    "always",
    "generally",
    "usually",
    "typically",
    "normally",
    "strongly",
    "absolutely",
    "completely",
    "totally",
    "much",
    "personally",
    "definitely",
    "actually",
    "honestly",
    "greatly",
    "truly",
    "particularly",
    "especially",
    "now",
    "only",
    "exclusively",
    "strictly",
    "never",
    "often",
    "rarely",
    "seldom",
    "vastly",
    "highly",
    "regularly",
    "firmly",
    "mostly",
    "mainly",
    "primarily",
    "currently",
    "sometimes",
    "frequently",
    "constantly",
    "barely",
    "hardly",
    "almost",
    "ever",
    "very",
    "rather",
    "both",
    "recently",
];

/// Verbs that do not change, and past forms that do not end in "ed".
const UNCHANGED: &[&str] = &[
    "will",
    "would",
    "can",
    "can't",
    "cannot",
    "could",
    "must",
    "should",
    "won't",
    "wouldn't",
    "may",
    "might",
    "was",
    "did",
    "didn't",
    "had",
    "went",
    "chose",
    "got",
    "gave",
    "took",
    "grew",
    "made",
    "came",
    "left",
    "bought",
    "sold",
    "quit",
    "began",
    "became",
    "met",
    "found",
    "kept",
    "lost",
    "moved",
    "used",
    "decided",
    "studied",
    "stopped",
    "started",
    "switched",
    "graduated",
    "worked",
    "agreed",
    "broke",
    "won",
    "fought",
    "wrote",
    "taught",
    "spent",
    "fell",
    "picked",
    "settled",
];

/// The statement about the user in the third person; anything else keeps its words and gets a capital letter.
pub(crate) fn shown(clause: &str, inherits_subject: bool) -> String {
    let straight = clause.replace(['\u{2018}', '\u{2019}'], "'");
    let statement = if inherits_subject {
        format!("I {straight}")
    } else {
        straight
    };
    let text = match SUBJECT.captures(&statement) {
        Some(found) => {
            let rest = found.name("rest").map_or("", |m| m.as_str());
            match found.name("short").map(|m| m.as_str()) {
                Some("'m") => format!("is {rest}"),
                Some("'ve") => format!("has {rest}"),
                Some("'ll") => format!("will {rest}"),
                Some(_) => format!("would {rest}"),
                None => third_person(rest),
            }
        }
        None => statement,
    };
    capitalised(&text)
}

fn third_person(rest: &str) -> String {
    if let Some(verb) = rest.strip_prefix("no longer ") {
        return format!("no longer {}", third_person(verb));
    }
    let mut words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
    let verb = words
        .iter()
        .position(|word| !ADVERBS.contains(&word.to_lowercase().as_str()));
    if let Some(word) = verb.and_then(|at| words.get_mut(at)) {
        *word = conjugated(word);
    }
    words.join(" ")
}

fn conjugated(verb: &str) -> String {
    let lower = verb.to_lowercase();
    match lower.as_str() {
        "am" => return "is".to_owned(),
        "have" => return "has".to_owned(),
        "haven't" => return "hasn't".to_owned(),
        "do" => return "does".to_owned(),
        "go" => return "goes".to_owned(),
        "don't" | "dont" => return "doesn't".to_owned(),
        _ => {}
    }
    let past = lower.len() > 4 && lower.ends_with("ed") && !lower.ends_with("eed");
    if UNCHANGED.contains(&lower.as_str()) || past || !lower.chars().all(|c| c.is_ascii_alphabetic()) {
        return verb.to_owned();
    }
    let before_y = lower.chars().rev().nth(1);
    if lower.ends_with('y') && before_y.is_some_and(|c| !"aeiou".contains(c)) {
        return format!("{}ies", verb.trim_end_matches(['y', 'Y']));
    }
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| lower.ends_with(end));
    format!("{verb}{}", if hisses { "es" } else { "s" })
}

/// The text with a capital first letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
