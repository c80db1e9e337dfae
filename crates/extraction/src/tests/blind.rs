//! Sentences that were written before the rules were worked on and that the rules are never tuned on. The floors
//! below guard what general rules reach; a rule that only knows its own phrases does not move them.

use super::read;
use crate::{Closeness, Relation, Statement, relate};
use memory_model::{Candidate, Polarity};

/// One sentence and what it should give.
struct Row {
    /// `category sign`, or `none`.
    expected: &'static str,
    about: &'static str,
    text: &'static str,
}

fn rows(file: &'static str) -> Vec<Row> {
    file.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| {
            let mut parts = line.splitn(3, '|').map(str::trim);
            let mut part = || parts.next().expect("three parts");
            Row {
                expected: part(),
                about: part(),
                text: part(),
            }
        })
        .collect()
}

/// How many rows of a set came out in which way.
#[derive(Debug, Default)]
struct Tally {
    expected: u32,
    found: u32,
    right_category: u32,
    right_sign: u32,
    nothing_expected: u32,
    wrongly_kept: u32,
}

impl Tally {
    fn share(part: u32, whole: u32) -> f64 {
        f64::from(part) / f64::from(whole.max(1))
    }

    fn recall(&self) -> f64 {
        Self::share(self.found, self.expected)
    }

    fn precision(&self) -> f64 {
        Self::share(self.found, self.found + self.wrongly_kept)
    }
}

/// Whether a candidate speaks of at least half of the expected words (Korean by the first two syllables).
fn speaks_of(candidate: &Candidate, about: &str) -> bool {
    let said = format!("{} {}", candidate.text, candidate.evidence.quote).to_lowercase();
    let stem = |word: &str| -> String {
        let korean = word.chars().any(memory_model::is_hangul);
        word.chars().take(if korean { 2 } else { usize::MAX }).collect()
    };
    let about = about.to_lowercase();
    let words: Vec<String> = about.split_whitespace().map(stem).collect();
    let hits = words.iter().filter(|word| said.contains(word.as_str())).count();
    hits * 2 >= words.len()
}

fn measure(file: &'static str) -> (Tally, Vec<String>) {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for row in rows(file) {
        let candidates = read(row.text).candidates;
        if row.expected == "none" {
            tally.nothing_expected += 1;
            if !candidates.is_empty() {
                tally.wrongly_kept += 1;
                wrong.push(format!(
                    "kept: {} -> {}",
                    row.text,
                    super::lines(&candidates).join("; ")
                ));
            }
            continue;
        }
        tally.expected += 1;
        let (category, sign) = row.expected.split_once(' ').expect("a category and a sign");
        let matching: Vec<&Candidate> = candidates
            .iter()
            .filter(|one| speaks_of(one, row.about))
            .collect();
        let right_category = |one: &&&Candidate| one.category.name() == category;
        let Some(best) = matching.iter().find(right_category).or_else(|| matching.first()) else {
            wrong.push(format!(
                "missed: {} {} {:?}",
                row.expected,
                row.text,
                super::lines(&candidates)
            ));
            continue;
        };
        tally.found += 1;
        tally.right_category += u32::from(best.category.name() == category);
        let right_sign = (best.polarity == Polarity::Negative) == (sign == "-");
        tally.right_sign += u32::from(right_sign);
        if best.category.name() != category || !right_sign {
            wrong.push(format!(
                "other: {} {} {:?}",
                row.expected,
                row.text,
                super::lines(&candidates)
            ));
        }
    }
    (tally, wrong)
}

/// How pairs came out.
#[derive(Default)]
struct Pairs {
    /// Expected by found.
    table: [[u32; 4]; 4],
    harmless: u32,
    destroyed: u32,
    wrong: Vec<String>,
}

const NAMES: [&str; 4] = ["duplicate", "update", "complement", "unrelated"];

impl Pairs {
    fn count(&mut self, expected: &str, existing: &str, candidate: &str, closeness: Option<Closeness>) {
        let related = relate(
            &Statement::of_text(existing),
            &Statement::of_text(candidate),
            closeness,
        );
        let got = match related.relation {
            Relation::Duplicate => 0,
            Relation::Update => 1,
            Relation::Complement => 2,
            Relation::Unrelated => 3,
        };
        let expected = NAMES
            .iter()
            .position(|name| *name == expected)
            .expect("a relation");
        self.table[expected][got] += 1;
        if expected >= 2 {
            self.harmless += 1;
            self.destroyed += u32::from(got < 2 && !related.review);
        }
        if got != expected {
            self.wrong.push(format!(
                "{} as {}: {existing} | {candidate}",
                NAMES[expected], NAMES[got]
            ));
        }
    }

    /// Macro-averaged F1 over the four relations.
    fn macro_f1(&self) -> f64 {
        let f1 = |label: usize| {
            let hit = self.table[label][label];
            let said: u32 = self.table.iter().map(|row| row[label]).sum();
            let real: u32 = self.table[label].iter().sum();
            Tally::share(2 * hit, said + real)
        };
        (0..4).map(f1).sum::<f64>() / 4.0
    }

    /// The share of harmless pairs that would be merged unasked.
    fn destroyed(&self) -> f64 {
        Tally::share(self.destroyed, self.harmless)
    }
}

#[test]
fn sentences_never_tuned_on_are_read_well() {
    for (name, file, precision, recall) in [
        ("English", include_str!("blind/extraction_en.txt"), 0.98, 0.83),
        ("Korean", include_str!("blind/extraction_ko.txt"), 0.94, 0.90),
    ] {
        let (tally, wrong) = measure(file);
        eprintln!(
            "{name}: precision {:.3} recall {:.3} category {:.3} sign {:.3} {tally:?}\n{wrong:#?}",
            tally.precision(),
            tally.recall(),
            Tally::share(tally.right_category, tally.found),
            Tally::share(tally.right_sign, tally.found),
        );
        assert!(tally.precision() >= precision, "{name}");
        assert!(tally.recall() >= recall, "{name}");
    }
}

#[test]
fn pairs_never_tuned_on_are_related_well() {
    for (name, file, floor, harm) in [
        ("English", include_str!("blind/conflict_en.txt"), 0.62, 0.08),
        ("Korean", include_str!("blind/conflict_ko.txt"), 0.72, 0.08),
    ] {
        let mut pairs = Pairs::default();
        for row in rows(file) {
            pairs.count(row.expected, row.about, row.text, None);
        }
        let (f1, destroyed) = (pairs.macro_f1(), pairs.destroyed());
        eprintln!(
            "{name}: macro-F1 {f1:.3} destroyed {destroyed:.3}\n{:#?}",
            pairs.wrong
        );
        assert!(f1 >= floor && destroyed <= harm, "{name}");
    }
}

#[test]
fn the_weights_fit_the_pairs_that_they_were_made_from() {
    let mut pairs = Pairs::default();
    for line in include_str!("../relate/pairs.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [expected, closeness, existing, candidate] = parts.as_slice() else {
            panic!("{line}");
        };
        let closeness = Closeness(closeness.parse().expect("a number"));
        pairs.count(expected, existing, candidate, Some(closeness));
    }
    let (f1, destroyed) = (pairs.macro_f1(), pairs.destroyed());
    assert!(
        f1 >= 0.85 && destroyed <= 0.02,
        "macro-F1 {f1:.3} destroyed {destroyed:.3}"
    );
}
