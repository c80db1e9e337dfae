//! How two statements relate. Differing words, numbers, slots and negation decide; a cosine only breaks ties,
//! because a changed value is often closer in meaning space than a true paraphrase.

use crate::by_hand::read_statement;
use crate::tokens::{self, Tokens, overlap};
use memory_model::{Candidate, Category, Memory, Polarity, Slot};

/// Words in common above which two statements say the same unless something else tells them apart.
const SAME_WORDS: f32 = 0.75;

/// Words in common above which two statements are about one thing.
const SAME_TOPIC: f32 = 0.08;

/// Cosine above which two statements are about one thing (all-MiniLM-L6-v2 puts unrelated pairs below it).
const LIKE_TOPIC: f32 = 0.5;

/// Cosine above which two statements with the same words left over are a paraphrase.
const LIKE_SAME: f32 = 0.9;

/// How a new statement relates to a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It says the same.
    Duplicate,
    /// It replaces the known one: another value, the opposite, or its end.
    Update,
    /// Another fact about the same thing.
    Complement,
    /// Nothing to do with it.
    Unrelated,
}

/// The relation, and whether a person should look before anything is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    /// How they relate.
    pub relation: Relation,
    /// Whether a person should decide.
    pub review: bool,
}

/// A statement as it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it says.
    pub text: String,
    /// What it is about; `None` for a text that no rule knows.
    pub category: Option<Category>,
    /// Its key; empty for a text that no rule knows.
    pub key: String,
    /// For or against.
    pub polarity: Polarity,
    /// The position it fills.
    pub slot: Option<Slot>,
    /// Who or what it is about.
    pub subject: String,
    /// Whether its words say that something changed.
    pub changed_mind: bool,
}

impl Statement {
    /// A statement from a text alone.
    pub fn of_text(text: &str) -> Self {
        let read = read_statement(text);
        let folded = text.to_lowercase();
        Self {
            text: text.to_owned(),
            category: read.as_ref().map(|read| read.category),
            key: read.as_ref().map(|read| read.key.clone()).unwrap_or_default(),
            polarity: read.as_ref().map(|read| read.polarity).unwrap_or_default(),
            slot: read.and_then(|read| read.slot),
            subject: "user".to_owned(),
            changed_mind: crate::extract::changed_mind(&folded),
        }
    }
}

impl From<&Candidate> for Statement {
    fn from(candidate: &Candidate) -> Self {
        Self {
            text: candidate.text.clone(),
            category: Some(candidate.category),
            key: candidate.key.clone(),
            polarity: candidate.polarity,
            slot: candidate.slot.clone(),
            subject: candidate.subject.clone(),
            changed_mind: candidate.changed_mind,
        }
    }
}

impl From<&Memory> for Statement {
    fn from(memory: &Memory) -> Self {
        Self {
            text: memory.text.clone(),
            category: Some(memory.category),
            key: memory.key.clone(),
            polarity: memory.polarity,
            slot: memory.slot.clone(),
            subject: memory.subject.clone(),
            changed_mind: false,
        }
    }
}

/// How `candidate` relates to `existing`. `likeness` is the cosine of the two texts, where it is known.
pub fn relate(existing: &Statement, candidate: &Statement, likeness: Option<f32>) -> Related {
    let sure = |relation| Related {
        relation,
        review: false,
    };
    if existing.subject != candidate.subject {
        return sure(Relation::Unrelated);
    }
    if existing.text == candidate.text && existing.polarity == candidate.polarity {
        return sure(Relation::Duplicate);
    }
    let known = tokens::of(&existing.text);
    let new = tokens::of(&candidate.text);
    if let (Some(old), Some(fresh)) = (&existing.slot, &candidate.slot)
        && old.name == fresh.name
    {
        return in_one_slot(existing, candidate, old.value == fresh.value);
    }
    if !existing.key.is_empty() && existing.key == candidate.key {
        return match (
            existing.polarity == candidate.polarity,
            known.numbers == new.numbers,
        ) {
            (true, true) => sure(Relation::Duplicate),
            (true, false) | (false, _) => Related {
                relation: Relation::Update,
                review: !candidate.changed_mind,
            },
        };
    }
    let shared = overlap(&known.stems, &new.stems);
    let about_one_thing = shared >= SAME_TOPIC || likeness.is_some_and(|likeness| likeness >= LIKE_TOPIC);
    if !about_one_thing {
        return sure(Relation::Unrelated);
    }
    if tokens::ended(&candidate.text) && !tokens::ended(&existing.text) && shared > 0.0 {
        return sure(Relation::Update);
    }
    let opposed = existing.polarity != candidate.polarity || known.negated != new.negated;
    by_words(&known, &new, likeness, opposed)
}

fn in_one_slot(existing: &Statement, candidate: &Statement, same_value: bool) -> Related {
    let same_side = existing.polarity == candidate.polarity;
    let relation = match (same_value, same_side) {
        (true, true) => Relation::Duplicate,
        (true, false) => Relation::Update,
        // "prefers the aisle" and "dislikes the middle" do not exclude each other; two likes of one slot do.
        (false, true) if existing.polarity == Polarity::Positive => Relation::Update,
        (false, _) => Relation::Complement,
    };
    Related {
        relation,
        review: relation == Relation::Update && !candidate.changed_mind,
    }
}

fn by_words(known: &Tokens, new: &Tokens, likeness: Option<f32>, opposed: bool) -> Related {
    let sure = |relation| Related {
        relation,
        review: false,
    };
    let doubtful = |relation| Related {
        relation,
        review: true,
    };
    let shared = overlap(&known.stems, &new.stems);
    let left_out = known.stems.difference(&new.stems).count();
    let added = new.stems.difference(&known.stems).count();
    if shared >= SAME_WORDS {
        return match (opposed, known.numbers == new.numbers) {
            (false, true) => sure(Relation::Duplicate),
            _ => doubtful(Relation::Update),
        };
    }
    if opposed && shared >= 0.5 {
        return doubtful(Relation::Update);
    }
    if left_out == 0 || added == 0 {
        let paraphrase = known.numbers == new.numbers
            && (left_out + added <= 1 || likeness.is_some_and(|l| l >= LIKE_SAME));
        return if paraphrase && !opposed {
            sure(Relation::Duplicate)
        } else {
            sure(Relation::Complement)
        };
    }
    // One word exchanged in the same frame: "my car is a Golf", "my car is a Polo".
    if left_out == 1 && added == 1 && shared >= 0.34 {
        return doubtful(Relation::Update);
    }
    sure(Relation::Complement)
}
