//! Keys: `category:slug`, where the object decides the slug, so that "I prefer Python" and "I don't like Python"
//! meet. The same statement gives the same key on every machine.

use crate::{english, korean, rules::pattern};
use memory_model::{Category, Language, Slot, content_hash, nfc};
use regex::Regex;
use std::sync::LazyLock;

/// The longest slug, in characters (spec extraction).
const SLUG_CHARS_MAX: usize = 64;

/// Characters of the hash that ends a slug that was cut, so that two long objects with one beginning stay apart.
const HASH_CHARS: usize = 6;

/// Rules whose object is "what is asked" and "what is answered" ("my birthday is in May"): the first half is the key.
const BY_ATTRIBUTE: [&str; 6] = [
    "attribute",
    "favourite",
    "our work",
    "the work",
    "where it is",
    "state of family",
];

/// The key of a text under a category: the one that the same statement in a message gets.
pub fn key_of(text: &str, category: Category) -> String {
    let text = nfc(text);
    match crate::by_hand::read_statement(&text) {
        Some(read) if read.category == category => read.key,
        Some(read) => format!("{}:{}", category.name(), slug(&read.object)),
        None => format!("{}:{}", category.name(), slug(&text)),
    }
}

/// The key of an object that a rule found.
pub(crate) fn key(category: Category, rule: &str, object: &str, slot: Option<&Slot>) -> String {
    let named_by_slot = matches!(rule, "name" | "from" | "lives in" | "moved");
    let words = match slot {
        Some(slot)
            if named_by_slot
                || (BY_ATTRIBUTE.contains(&rule) && slot.name.starts_with(&slug(attribute(object)))) =>
        {
            slot.name.clone()
        }
        _ if BY_ATTRIBUTE.contains(&rule) => attribute(object).to_owned(),
        _ if matches!(
            category,
            Category::Pattern | Category::Decision | Category::Instruction
        ) && Language::of(object) == Language::Ko =>
        {
            korean::deed(object).to_owned()
        }
        _ => object.to_owned(),
    };
    format!("{}:{}", category.name(), slug(&words))
}

static ENGLISH_ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:my|our|the|a|an) )?(?P<a>.+?)(?:'s)? (?:is|are|was|has|have|runs?|uses?|starts?|ends?|takes?|lives?|listens?|costs?|will)\b",
    )
});

static KOREAN_ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:(?:제|내|저의|나의|우리|저희)(?: 집)? )?(?P<a>\S.*?)(?:은|는|이|가|의) "));

/// What a statement of the form "A is B" is about.
pub(crate) fn attribute(object: &str) -> &str {
    let form = match Language::of(object) {
        Language::En => &*ENGLISH_ATTRIBUTE,
        Language::Ko => &*KOREAN_ATTRIBUTE,
    };
    form.captures(object)
        .and_then(|found| found.name("a"))
        .map_or(object, |found| found.as_str())
}

static LEADING: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:(?:the|a|an|to|my|some|any) )+"));

/// Lower-case words joined by underscores; letters of every script are kept.
pub(crate) fn slug(words: &str) -> String {
    let lower = nfc(words).to_lowercase();
    let bare = LEADING.replace(lower.trim(), "");
    let mut slug = String::new();
    for word in bare.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '\'' | '\u{2019}'))) {
        let word: String = word.chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).collect();
        let word = if Language::of(&word) == Language::Ko {
            korean::without_particle(&word)
        } else {
            &word
        };
        if !word.is_empty() {
            if !slug.is_empty() {
                slug.push('_');
            }
            slug.push_str(word);
        }
    }
    if slug.is_empty() {
        return hash(words);
    }
    if slug.chars().count() <= SLUG_CHARS_MAX {
        slug
    } else {
        cut(&slug)
    }
}

/// The beginning of a long slug, cut between words, and a hash of all of it.
fn cut(slug: &str) -> String {
    let room = SLUG_CHARS_MAX - HASH_CHARS - 1;
    let mut kept = String::new();
    for word in slug.split('_') {
        if kept.chars().count() + word.chars().count() + 1 > room {
            break;
        }
        if !kept.is_empty() {
            kept.push('_');
        }
        kept.push_str(word);
    }
    if kept.is_empty() {
        kept = slug.chars().take(room).collect();
    }
    format!("{kept}_{}", hash(slug))
}

fn hash(words: &str) -> String {
    content_hash(words, "slug", "", &[])
        .chars()
        .take(HASH_CHARS)
        .collect()
}

/// The first rule that a statement matches, in its language.
pub(crate) fn read(folded: &str) -> Option<crate::rules::Match> {
    match Language::of(folded) {
        Language::En => english::read(folded),
        Language::Ko => korean::read(folded),
    }
}
