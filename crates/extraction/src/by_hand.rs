//! A memory that a person adds by hand, and statements that are read without a message around them.

use crate::extract::{TEXT_CHARS_MAX, TEXT_CHARS_MIN, UNKNOWN_POLARITY, changed_mind, value_of};
use crate::page::Page;
use crate::rules::pattern;
use crate::{english, keys, korean, rules::Rule, secret, slots};
use memory_model::{Candidate, Category, Evidence, Language, Polarity, SkipReason, Slot, Timestamp, nfc};
use regex::Regex;
use std::sync::LazyLock;

/// How sure we are of what a person typed into the field for a memory.
const CONFIDENCE: f32 = 1.0;

/// What the rules make of one statement.
pub(crate) struct Read {
    pub category: Category,
    pub polarity: Polarity,
    pub key: String,
    pub object: String,
    pub slot: Option<Slot>,
}

/// A memory added by hand. The words stay as they are; rules find category, key, polarity and slot.
///
/// # Errors
/// The reason why it is refused: a secret, or a text under 3 or over 500 characters.
pub fn candidate_by_hand(
    text: &str,
    category: Option<Category>,
    at: Timestamp,
) -> Result<Candidate, SkipReason> {
    let text = nfc(text).trim().to_owned();
    let length = text.chars().count();
    if secret::find_secret(&text).is_some() {
        return Err(SkipReason::Secret);
    }
    if length < TEXT_CHARS_MIN {
        return Err(SkipReason::TooShort);
    }
    if length > TEXT_CHARS_MAX {
        return Err(SkipReason::TooLong);
    }
    let language = Language::of(&text);
    let read = read_statement(&text);
    let category = category
        .or(read.as_ref().map(|read| read.category))
        .unwrap_or_else(|| guessed(&text));
    let (polarity, object, slot) = match read {
        Some(read) => (read.polarity, read.object, read.slot),
        None => (UNKNOWN_POLARITY, text.clone(), None),
    };
    Ok(Candidate {
        category,
        polarity,
        key: keys::key_of(&text, category),
        value: value_of(&object, slot.as_ref()),
        subject: "user".to_owned(),
        slot,
        changed_mind: changed_mind(&text.to_lowercase()),
        evidence: Evidence {
            thread_id: None,
            message_id: None,
            start: 0,
            end: u32::try_from(length).unwrap_or(u32::MAX),
            quote: text.clone(),
            said_at: at,
        },
        confidence: CONFIDENCE,
        language,
        text: shown(&text, language),
    })
}

fn shown(text: &str, language: Language) -> String {
    let bare = text.trim_end_matches(['.', '!', ' ']);
    let bare = if bare.chars().count() < TEXT_CHARS_MIN {
        text
    } else {
        bare
    };
    match language {
        Language::En => english::wording::shown(bare, false),
        Language::Ko => korean::wording::shown(bare),
    }
}

static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)https?://|www\.|\b[a-z]:\\|(?:^|\s)/[\w.-]+/"));

/// The category of a statement that no rule knows: a link is a reference, everything else a fact about what the
/// person works on.
fn guessed(text: &str) -> Category {
    if LINK.is_match(text) {
        Category::Reference
    } else {
        Category::Project
    }
}

/// Reads one statement, also in the form in which memories are shown ("Prefers aisle seats").
pub(crate) fn read_statement(text: &str) -> Option<Read> {
    read_as_is(text).or_else(|| read_as_is(&first_person(text)?))
}

fn read_as_is(text: &str) -> Option<Read> {
    let page = Page::read(text.trim().trim_end_matches(['.', '!', ' ']));
    let all = 0..page.chars.len();
    let found = keys::read(&page.folded(&all))?;
    let object = page.words(&found.object);
    let slot = slots::of(&object, &page.words(&all), found.rule, Language::of(text));
    let rule: &Rule = found.rule;
    Some(Read {
        category: rule.category,
        polarity: rule.polarity,
        key: keys::key(rule.category, rule.name, &object, slot.as_ref()),
        object,
        slot,
    })
}

static THIRD_PERSON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?P<adverbs>(?:(?:Really|Also|Usually|Always|Often|Never|Now|Only|Generally|Strongly|really|usually|always|often|now|only|strongly) )*)(?P<verb>[A-Za-z']+)(?P<rest>(?: .*)?)$",
    )
});

/// "Prefers aisle seats" as the user said it: "I prefer aisle seats". Korean keeps its words: "저는 …".
fn first_person(text: &str) -> Option<String> {
    if Language::of(text) == Language::Ko {
        return Some(format!("저는 {text}"));
    }
    let found = THIRD_PERSON.captures(text)?;
    let (verb, rest) = (found.name("verb")?.as_str(), found.name("rest")?.as_str());
    let adverbs = found.name("adverbs")?.as_str().to_lowercase();
    let lower = verb.to_lowercase();
    let base = match lower.as_str() {
        "is" => "am".to_owned(),
        "has" => "have".to_owned(),
        "does" => "do".to_owned(),
        "goes" => "go".to_owned(),
        "doesn't" => "don't".to_owned(),
        verb if verb.ends_with("ies") => format!("{}y", verb.trim_end_matches("ies")),
        verb if ["ches", "shes", "sses", "xes", "zes"]
            .iter()
            .any(|end| verb.ends_with(end)) =>
        {
            verb.trim_end_matches("es").to_owned()
        }
        verb => verb.strip_suffix('s').unwrap_or(verb).to_owned(),
    };
    Some(format!("I {adverbs}{base}{rest}"))
}
