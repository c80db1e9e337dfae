//! The last word of a search box, which somebody is still typing: which terms of the keyword index it may become.

use crate::terms::{self, Kind};
use memory_model::nfc;
use ports::TermRange;

/// Letters from which on a word is completed. Half of all words begin with one letter or another.
const LETTERS_MIN: usize = 2;

/// Letters of a word from which on its own beginnings count too, and how many letters those leave out at most: the
/// index holds stems, and "happines" is longer than "happi".
const STEM_LETTERS_MIN: usize = 5;
const STEM_LETTERS_LESS: usize = 3;

/// The first syllable block, and how many blocks share an initial consonant, and an initial consonant and a vowel.
const FIRST_SYLLABLE: u32 = 0xAC00;
const LAST_SYLLABLE: u32 = 0xD7A3;
const WITH_INITIAL: u32 = 21 * 28;
const WITH_VOWEL: u32 = 28;

/// Initial consonants in the order of syllable blocks, as a keyboard shows them before there is a vowel.
const INITIALS: [char; 19] = [
    'ㄱ', 'ㄲ', 'ㄴ', 'ㄷ', 'ㄸ', 'ㄹ', 'ㅁ', 'ㅂ', 'ㅃ', 'ㅅ', 'ㅆ', 'ㅇ', 'ㅈ', 'ㅉ', 'ㅊ', 'ㅋ', 'ㅌ',
    'ㅍ', 'ㅎ',
];

/// For each final consonant what stays behind, as a final, and what becomes an initial when a vowel follows: "앉" and
/// a vowel are "안" and "ㅈ".
const FINALS: [(u32, char); 28] = [
    (0, ' '),
    (0, 'ㄱ'),
    (0, 'ㄲ'),
    (1, 'ㅅ'),
    (0, 'ㄴ'),
    (4, 'ㅈ'),
    (4, 'ㅎ'),
    (0, 'ㄷ'),
    (0, 'ㄹ'),
    (8, 'ㄱ'),
    (8, 'ㅁ'),
    (8, 'ㅂ'),
    (8, 'ㅅ'),
    (8, 'ㅌ'),
    (8, 'ㅍ'),
    (8, 'ㅎ'),
    (0, 'ㅁ'),
    (0, 'ㅂ'),
    (17, 'ㅅ'),
    (0, 'ㅅ'),
    (0, 'ㅆ'),
    (0, 'ㅇ'),
    (0, 'ㅈ'),
    (0, 'ㅊ'),
    (0, 'ㅋ'),
    (0, 'ㅌ'),
    (0, 'ㅍ'),
    (0, 'ㅎ'),
];

/// What the last word of a text may become. Nothing when the text ends behind a word, or with a single letter.
pub fn completions(text: &str) -> Vec<TermRange> {
    let text = nfc(text);
    let Some(kind) = text.chars().next_back().map(Kind::of) else {
        return Vec::new();
    };
    let run: Vec<char> = text.chars().rev().take_while(|c| Kind::of(*c) == kind).collect();
    match (kind, run.as_slice()) {
        (Kind::Alphabetic, run) => alphabetic(&run.iter().rev().collect::<String>()),
        (Kind::Syllabic, [last, before @ ..]) => syllabic(before.first().copied(), *last),
        _ => Vec::new(),
    }
}

fn alphabetic(run: &str) -> Vec<TermRange> {
    let word = terms::trim_identifier(run).to_lowercase();
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < LETTERS_MIN {
        return Vec::new();
    }
    let mut ranges = vec![TermRange {
        to: format!("{word}{}", char::MAX),
        from: word,
    }];
    if letters.len() >= STEM_LETTERS_MIN {
        ranges.extend((1..=STEM_LETTERS_LESS).filter_map(|less| {
            let stem = letters.get(..letters.len() - less)?;
            Some(only(stem.iter().collect()))
        }));
    }
    ranges
}

/// A syllable block may still take a final consonant, and the final consonant of one may still go over to the next.
fn syllabic(before: Option<char>, last: char) -> Vec<TermRange> {
    let pair = |c: char| before.into_iter().chain([c]).collect::<String>();
    if let Some(initial) = INITIALS.iter().position(|initial| *initial == last) {
        // Alone it is the beginning of a twentieth of all words.
        return match before {
            Some(_) => with_initial(initial, pair).into_iter().collect(),
            None => Vec::new(),
        };
    }
    let code = u32::from(last);
    if !(FIRST_SYLLABLE..=LAST_SYLLABLE).contains(&code) {
        return Vec::new();
    }
    let final_consonant = (code - FIRST_SYLLABLE) % WITH_VOWEL;
    let open = code - final_consonant;
    if final_consonant == 0 {
        return range(open, open + WITH_VOWEL, pair).into_iter().collect();
    }
    let mut ranges: Vec<TermRange> = range(code, code + 1, pair).into_iter().collect();
    let moved = FINALS.get(final_consonant as usize).and_then(|&(stays, goes)| {
        let initial = INITIALS.iter().position(|initial| *initial == goes)?;
        Some((char::from_u32(open + stays)?, initial))
    });
    if let Some((stays, initial)) = moved {
        ranges.extend(before.map(|_| only(pair(stays))));
        ranges.extend(with_initial(initial, |c| [stays, c].iter().collect()));
    }
    ranges
}

/// The range of the syllables with an initial consonant.
fn with_initial(initial: usize, term: impl Fn(char) -> String) -> Option<TermRange> {
    let first = FIRST_SYLLABLE + u32::try_from(initial).ok()? * WITH_INITIAL;
    range(first, first + WITH_INITIAL, term)
}

fn range(first: u32, behind: u32, term: impl Fn(char) -> String) -> Option<TermRange> {
    Some(TermRange {
        from: term(char::from_u32(first)?),
        to: term(char::from_u32(behind)?),
    })
}

/// The range of one term.
fn only(term: String) -> TermRange {
    TermRange {
        to: format!("{term}\0"),
        from: term,
    }
}
