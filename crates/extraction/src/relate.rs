//! How two statements relate. Differing words, numbers, slots and negation decide; a cosine only breaks ties,
//! because a changed value is often closer in meaning space than a true paraphrase.

mod signals;
mod vocabulary;
mod weights;

use crate::by_hand::read_statement;
use memory_model::{Candidate, Category, Language, Memory, Polarity, Slot};

/// How near two texts are in meaning space, freed of what is particular to a model: 0 where two statements may begin
/// to be about one thing, 1 where they most likely say the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closeness(pub f32);

impl Closeness {
    /// From a cosine and the thresholds of the model that it was made with: `neighbour` and `duplicate` are the
    /// cosines from which two statements may be about one thing and most likely say the same.
    pub fn of(cosine: f32, neighbour: f32, duplicate: f32) -> Self {
        let width = (duplicate - neighbour).max(f32::EPSILON);
        Self((cosine - neighbour) / width)
    }
}

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

/// How `candidate` relates to `existing`. `closeness` tells how near the two texts are, where a model said so.
pub fn relate(existing: &Statement, candidate: &Statement, closeness: Option<Closeness>) -> Related {
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
    if let (Some(old), Some(fresh)) = (&existing.slot, &candidate.slot)
        && old.name == fresh.name
    {
        return in_one_slot(existing, candidate, old.value == fresh.value);
    }
    if !existing.key.is_empty() && existing.key == candidate.key && existing.polarity != candidate.polarity {
        return Related {
            relation: Relation::Update,
            review: !candidate.changed_mind,
        };
    }
    let signals = signals::of(existing, candidate, closeness);
    let shares = weights::shares(&signals, Language::of(&candidate.text));
    decide(&shares, candidate)
}

/// The likeliest relation; what would change or drop something without being likely enough is for a person.
fn decide(shares: &[f32; 4], candidate: &Statement) -> Related {
    let [duplicate, update, complement, unrelated] = *shares;
    let best = duplicate.max(update).max(complement).max(unrelated);
    let relation = if best == unrelated {
        Relation::Unrelated
    } else if best == complement {
        Relation::Complement
    } else if best == duplicate {
        Relation::Duplicate
    } else {
        Relation::Update
    };
    let review = match relation {
        Relation::Duplicate => duplicate < SURE_DUPLICATE,
        Relation::Update => !candidate.changed_mind || update < SURE_UPDATE,
        Relation::Complement | Relation::Unrelated => false,
    };
    Related { relation, review }
}

/// Share from which a duplicate is dropped unasked: below it lie most of the harmless pairs that look like one.
const SURE_DUPLICATE: f32 = 0.7;

/// Share from which a change that the words announce replaces the old statement unasked.
const SURE_UPDATE: f32 = 0.7;

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
