//! What two statements have in common and what tells them apart, as numbers. The weights beside this file say
//! what each number is worth; they were fitted on pairs of our own making (see the test `fit`).

use super::vocabulary::{self, Vocabulary};
use super::{Closeness, Statement};
use crate::tokens::{self, Tokens, overlap};
use memory_model::Language;
use std::collections::BTreeSet;

/// How many numbers describe a pair.
pub(crate) const COUNT: usize = 36;

/// The numbers of a pair, each about 0 to 1; the first is always 1.
pub(crate) fn of(existing: &Statement, candidate: &Statement, closeness: Option<Closeness>) -> [f32; COUNT] {
    let words = vocabulary::general();
    let pair = Pair {
        old: Side::of(existing, words),
        new: Side::of(candidate, words),
        words,
    };
    let (old, new) = (&pair.old, &pair.new);
    let shared = old.tokens.stems.intersection(&new.tokens.stems).count();
    let jaccard = overlap(&old.tokens.stems, &new.tokens.stems);
    let smaller = old.tokens.stems.len().min(new.tokens.stems.len());
    let contained = if smaller == 0 {
        0.0
    } else {
        shared as f32 / smaller as f32
    };
    let pieces = dice(&old.pieces, &new.pieces);
    let close = closeness.map_or(0.0, |closeness| closeness.0.clamp(-1.5, 2.0));
    let known = flag(closeness.is_some());
    let swap = pair.one_part_exchanged();
    let values = pair.values();
    let numbers = sides(&old.tokens.numbers, &new.tokens.numbers);
    let names = sides(&old.names, &new.names);
    let negated = flag(old.tokens.negated != new.tokens.negated);
    let opposed = flag(existing.polarity != candidate.polarity);
    let against = flag(pair.against());
    let ended = flag(tokens::ended(&candidate.text) && !tokens::ended(&existing.text));
    let changed = flag(candidate.changed_mind && !existing.changed_mind);
    let topics = sides(&old.topics, &new.topics);
    let left_out = old.tokens.stems.difference(&new.tokens.stems).count() as f32;
    let added = new.tokens.stems.difference(&old.tokens.stems).count() as f32;
    let calm =
        (1.0 - negated) * (1.0 - against) * (1.0 - opposed) * (1.0 - values.differ) * (1.0 - numbers.differ);
    let slot = match (&existing.slot, &candidate.slot) {
        (Some(a), Some(b)) if a.name == b.name => (flag(a.value == b.value), flag(a.value != b.value)),
        _ => (0.0, 0.0),
    };
    let same_key = flag(!existing.key.is_empty() && existing.key == candidate.key);
    [
        1.0,
        jaccard,
        contained,
        flag(shared > 0),
        pieces,
        known,
        close,
        close.max(0.0) * close.max(0.0),
        topics.same,
        topics.differ,
        values.same,
        values.differ,
        values.old_only,
        values.new_only,
        numbers.same,
        numbers.differ,
        numbers.one_side,
        names.same,
        names.differ,
        names.one_side,
        negated,
        opposed,
        against,
        ended,
        changed,
        swap,
        (left_out / 4.0).min(1.0),
        (added / 4.0).min(1.0),
        slot.0,
        slot.1,
        same_key,
        calm * pieces,
        calm * close.max(0.0),
        (1.0 - calm) * pieces,
        topics.same * values.same * calm,
        flag(left_out > 0.0 && added > 0.0) * topics.same,
    ]
}

fn flag(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

/// How two sets meet: share something, differ in full, or only one of them has anything.
struct Sides {
    same: f32,
    differ: f32,
    one_side: f32,
}

fn sides<T: Ord>(old: &BTreeSet<T>, new: &BTreeSet<T>) -> Sides {
    let meet = old.intersection(new).next().is_some();
    let both = !old.is_empty() && !new.is_empty();
    Sides {
        same: flag(meet),
        differ: flag(
            both && (!meet || (old.difference(new).next().is_some() && new.difference(old).next().is_some())),
        ),
        one_side: flag(old.is_empty() != new.is_empty()),
    }
}

/// Answers to one question: the same, another, or only one of the two gives one.
struct Values {
    same: f32,
    differ: f32,
    old_only: f32,
    new_only: f32,
}

struct Side {
    tokens: Tokens,
    order: Vec<String>,
    pieces: BTreeSet<(char, char)>,
    values: BTreeSet<(usize, usize)>,
    topics: BTreeSet<usize>,
    names: BTreeSet<String>,
}

impl Side {
    fn of(statement: &Statement, words: &Vocabulary) -> Self {
        let folded = tokens::fold(&statement.text);
        let order: Vec<String> = folded
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '+' | '#' | '-')))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let mut tokens = tokens::of(&statement.text);
        tokens.stems = tokens.stems.iter().map(|stem| words.canonical(stem)).collect();
        for word in &order {
            if let Some(number) = words.number(word) {
                tokens.numbers.insert(number);
            }
        }
        let (values, topics) = words.read(&order);
        Self {
            pieces: pairs_of_letters(&folded),
            names: names(&statement.text),
            tokens,
            order,
            values,
            topics,
        }
    }
}

struct Pair<'a> {
    old: Side,
    new: Side,
    words: &'a Vocabulary,
}

impl Pair<'_> {
    fn values(&self) -> Values {
        let kinds = |side: &Side| -> BTreeSet<usize> { side.values.iter().map(|(kind, _)| *kind).collect() };
        let (old, new) = (kinds(&self.old), kinds(&self.new));
        let shared: BTreeSet<usize> = old.intersection(&new).copied().collect();
        let same = self.old.values.intersection(&self.new.values).next().is_some();
        let differ = shared.iter().any(|kind| {
            let of = |side: &Side| -> BTreeSet<usize> {
                side.values
                    .iter()
                    .filter(|(k, _)| k == kind)
                    .map(|(_, value)| *value)
                    .collect()
            };
            of(&self.old).is_disjoint(&of(&self.new))
        });
        Values {
            same: flag(same),
            differ: flag(differ),
            old_only: flag(!old.is_empty() && shared.is_empty()),
            new_only: flag(!new.is_empty() && shared.is_empty()),
        }
    }

    fn against(&self) -> bool {
        self.words.against(&self.old.order, &self.new.order)
    }

    /// How much of the two is one frame around one exchanged part ("my car is a …", "… is my car"): 0 when nothing or
    /// more than a few words were exchanged.
    fn one_part_exchanged(&self) -> f32 {
        let (old, new) = (&self.old.order, &self.new.order);
        let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(new.len()) - begin;
        let end = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take_while(|(a, b)| a == b)
            .count()
            .min(rest);
        let (left, right) = (old.len() - begin - end, new.len() - begin - end);
        let few = (1..=3).contains(&left) && (1..=3).contains(&right);
        if few && begin + end > 0 {
            (begin + end) as f32 / old.len().max(new.len()) as f32
        } else {
            0.0
        }
    }
}

/// Neighbouring letters of the words; Korean words meet in them whatever their endings are.
fn pairs_of_letters(folded: &str) -> BTreeSet<(char, char)> {
    let letters: Vec<char> = folded
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    letters
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if *a != ' ' && *b != ' ' => Some((*a, *b)),
            _ => None,
        })
        .collect()
}

fn dice(a: &BTreeSet<(char, char)>, b: &BTreeSet<(char, char)>) -> f32 {
    let all = a.len() + b.len();
    if all == 0 {
        return 0.0;
    }
    2.0 * a.intersection(b).count() as f32 / all as f32
}

/// Names: capitalised English words that do not begin the text, and Latin words in Korean text.
fn names(text: &str) -> BTreeSet<String> {
    let korean = Language::of(text) == Language::Ko;
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .enumerate()
        .filter(|(at, word)| {
            let latin = word.chars().all(|c| c.is_ascii_alphanumeric());
            let capital = word.chars().next().is_some_and(|c| c.is_ascii_uppercase());
            let long = word.chars().count() > 1;
            if korean {
                latin && word.chars().any(|c| c.is_ascii_alphabetic())
            } else {
                capital && long && *at > 0 && !word.contains('\'')
            }
        })
        .map(|(_, word)| word.to_lowercase())
        .collect()
}
