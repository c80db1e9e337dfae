//! Everything has a limit, and reaching it is reported.

use super::read;
use crate::{CANDIDATES_MAX, TEXT_CHARS_MAX, key_of};
use memory_model::{Category, Polarity, SkipReason};
use std::time::{Duration, Instant};

#[test]
fn a_very_long_message_is_read_to_its_limit_and_says_so() {
    for filler in ["word ", "단어 ", "{\"a\": 1}\n", "\" ", "( ' ", "I like a, "] {
        let text = format!(
            "I prefer aisle seats. {}",
            filler.repeat(1_000_000 / filler.len())
        );
        let began = Instant::now();
        let found = read(&text);
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "{filler:?} took {:?}",
            began.elapsed()
        );
        assert!(
            found
                .skipped
                .iter()
                .any(|skipped| skipped.reason == SkipReason::TooLong),
            "{filler:?}"
        );
        assert!(found.candidates.len() <= CANDIDATES_MAX);
    }
}

#[test]
fn a_long_statement_is_cut_at_a_comma_and_never_inside_a_character() {
    let long = format!("I like {}", "호두과자 and walnuts, ".repeat(60));
    for candidate in read(&long).candidates {
        assert!(candidate.text.chars().count() <= TEXT_CHARS_MAX);
    }
}

#[test]
fn keys_are_short_stable_and_apart() {
    let long = "I like ".to_owned() + &"very particular words about mountains ".repeat(4);
    let one = key_of(&long, Category::Preference);
    assert!(one.chars().count() <= "preference:".len() + 64, "{one}");
    assert_ne!(one, key_of(&format!("{long}and lakes"), Category::Preference));
    assert_eq!(key_of("I prefer C++", Category::Preference), "preference:c++");
    assert_eq!(
        key_of("저는 커피를 좋아해요", Category::Preference),
        "preference:커피"
    );
    let decomposed: String = "저는 커피를 좋아해요".chars().flat_map(decomposed).collect();
    assert_eq!(key_of(&decomposed, Category::Preference), "preference:커피");
}

/// A Hangul syllable as its jamo (Unicode standard, section 3.12).
fn decomposed(c: char) -> Vec<char> {
    let Some(index) = (c as u32).checked_sub(0xAC00).filter(|index| *index < 11_172) else {
        return vec![c];
    };
    let parts = [
        0x1100 + index / 588,
        0x1161 + index % 588 / 28,
        0x11A7 + index % 28,
    ];
    let count = if index % 28 == 0 { 2 } else { 3 };
    parts
        .iter()
        .take(count)
        .filter_map(|part| char::from_u32(*part))
        .collect()
}

#[test]
fn odd_input_does_no_harm() {
    for text in [
        "\0\0",
        "🎉🎉🎉",
        "\u{202E}I like tea",
        "....",
        "???",
        "\n\n\n",
        "'",
        "\"",
        "```",
        "«",
        "a:",
        "저는",
        "I",
    ] {
        let _ = read(text);
    }
}

#[test]
fn names_of_signs_and_slashes_get_keys_of_their_own() {
    let names = [
        "🚀",
        "🎯",
        "../notes",
        "notes",
        "a/b",
        "a/c",
        "월/간 보고",
        "월/간 계획",
    ];
    let keys: std::collections::BTreeSet<String> =
        names.iter().map(|name| key_of(name, Category::Project)).collect();
    for key in &keys {
        assert!(!key.contains(['/', '\\', '.']), "{key}");
    }
    // "../notes" and "notes" name one thing; all others stay apart.
    assert_eq!(keys.len(), names.len() - 1, "{keys:?}");
}

#[test]
fn nothing_that_is_said_twice_in_one_message_vanishes() {
    for text in [
        "I like squash. I really like squash.",
        "저는 재즈가 좋아요. 저는 재즈가 정말 좋아요.",
    ] {
        let found = read(text);
        assert_eq!(found.candidates.len(), 1, "{text}: {:?}", found.candidates);
        let left: Vec<_> = found.skipped.iter().map(|skipped| skipped.reason).collect();
        assert_eq!(left, [SkipReason::AlreadyKnown], "{text}");
    }
    let found = read("저는 커피를 안 마셔요. 저는 커피를 마셔요.");
    assert_eq!(found.candidates.len(), 1, "{:?}", found.candidates);
    assert_eq!(found.candidates[0].polarity, Polarity::Positive);
    assert_eq!(found.skipped[0].reason, SkipReason::SupersededInMessage);
}
