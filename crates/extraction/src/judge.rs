//! The judgement of candidates: grounded, injection, secret, sensitive, durable, normalise, duplicate, conflict,
//! procedural, in this order. Pure: what is known is given.

use crate::extract::{TEXT_CHARS_MAX, TEXT_CHARS_MIN, is_explicit};
use crate::gates::turned_away;
use crate::relate::{Closeness, Relation, Statement, relate};
use crate::{injection, secret, sensitive};
use memory_model::{
    ApprovedUpdate, Candidate, CaptureMode, Category, Memory, MemoryId, MessageId, ReviewReason, SkipReason,
    Skipped, Status, Waiting, char_span, nfc,
};
use std::collections::BTreeSet;

/// What must be read from the store before judging.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Keys of the candidates, each once.
    pub keys: Vec<String>,
    /// Names of the slots that they fill, each once.
    pub slots: Vec<String>,
}

/// What must be read from the store before judging: keys and slot names of all candidates.
pub fn probe(candidates: &[Candidate]) -> Probe {
    let keys: BTreeSet<&String> = candidates.iter().map(|candidate| &candidate.key).collect();
    let slots: BTreeSet<&String> = candidates
        .iter()
        .filter_map(|candidate| candidate.slot.as_ref())
        .map(|slot| &slot.name)
        .collect();
    Probe {
        keys: keys.into_iter().cloned().collect(),
        slots: slots.into_iter().cloned().collect(),
    }
}

/// What to do with health, belief and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SensitivePolicy {
    /// Never keep it.
    Block,
    /// Ask.
    #[default]
    Review,
    /// Keep it like everything else.
    Allow,
}

/// What to do with standing instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProceduralPolicy {
    /// Ask.
    #[default]
    Review,
    /// Keep them like everything else.
    Allow,
}

/// The settings that the judgement needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Sensitive statements of a kind that has no policy of its own.
    pub sensitive: SensitivePolicy,
    /// Kinds with a policy of their own, in the order of [`SENSITIVE_KINDS`].
    pub sensitive_kinds: [Option<SensitivePolicy>; SENSITIVE_KINDS.len()],
    /// Standing instructions.
    pub procedural: ProceduralPolicy,
    /// How much is kept without asking.
    pub capture: CaptureMode,
}

/// The kinds of sensitive statements that may have a policy of their own, as settings name them.
pub const SENSITIVE_KINDS: [&str; 10] = [
    "health",
    "belief",
    "politics",
    "sexual_life",
    "union",
    "ids",
    "cards_and_accounts",
    "precise_location",
    "children",
    "biometrics",
];

impl Policy {
    /// What to do with a text: the strictest policy of the sensitive kinds in it, and to allow it where there is none.
    fn for_text(&self, text: &str) -> SensitivePolicy {
        let of_kind = |kind: &str| {
            SENSITIVE_KINDS
                .iter()
                .position(|name| *name == kind)
                .and_then(|at| self.sensitive_kinds.get(at).copied().flatten())
                .unwrap_or(self.sensitive)
        };
        sensitive::kinds(text)
            .map(of_kind)
            .min_by_key(|policy| match policy {
                SensitivePolicy::Block => 0,
                SensitivePolicy::Review => 1,
                SensitivePolicy::Allow => 2,
            })
            .unwrap_or(SensitivePolicy::Allow)
    }
}

/// A message that candidates rest on.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Which message.
    pub message_id: &'a MessageId,
    /// What it says.
    pub text: &'a str,
}

/// An active memory that may have to do with a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The memory.
    pub memory: Memory,
    /// The candidates whose near neighbour it is.
    pub near: Vec<Near>,
}

/// How alike a known memory and one of the candidates are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which candidate, counted from 0.
    pub candidate: usize,
    /// The cosine of the two texts.
    pub likeness: f32,
    /// The same, freed of what is particular to the model.
    pub closeness: Closeness,
}

impl Known {
    fn near(&self, candidate: usize) -> Option<Near> {
        self.near.iter().copied().find(|near| near.candidate == candidate)
    }
}

/// What becomes of the candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// To be written.
    pub approved: Vec<ApprovedUpdate>,
    /// For a person to decide.
    pub waiting: Vec<Waiting>,
    /// Left out, each with its reason.
    pub skipped: Vec<Skipped>,
    /// Memories that were said again.
    pub confirmations: Vec<MemoryId>,
}

/// Judges candidates against what is known: active memories under the keys and slots of [`probe`]. `sources` are
/// the messages that the evidence points to; a candidate whose evidence names no message is grounded by its quote.
pub fn judge(
    candidates: Vec<Candidate>,
    sources: &[SourceText<'_>],
    known: &[Known],
    policy: &Policy,
) -> Verdict {
    let mut verdict = Verdict::default();
    for (number, candidate) in candidates.into_iter().enumerate() {
        if let Some(reason) = left_out(&candidate, sources, policy) {
            let words = if reason == SkipReason::Secret {
                String::new()
            } else {
                candidate.text
            };
            verdict.skipped.push(Skipped::new(words, reason));
            continue;
        }
        let reason = if injection::suspected(&candidate.evidence.quote.to_lowercase())
            || injection::suspected(&candidate.text.to_lowercase())
        {
            Some(ReviewReason::InjectionSuspected)
        } else if policy.for_text(&candidate.text) == SensitivePolicy::Review {
            Some(ReviewReason::Sensitive)
        } else if normalisation_failed(&candidate) {
            Some(ReviewReason::NormalisationFailed)
        } else {
            None
        };
        match reason {
            Some(reason @ (ReviewReason::InjectionSuspected | ReviewReason::NormalisationFailed)) => {
                verdict.waiting.push(waiting(reason, candidate));
            }
            ask => judge_known((number, candidate), known, policy, ask, &mut verdict),
        }
    }
    verdict
}

fn waiting(reason: ReviewReason, candidate: Candidate) -> Waiting {
    Waiting {
        reason,
        candidate: Some(candidate),
        existing: None,
        likeness: None,
    }
}

/// The first reason to leave a candidate out that does not depend on what is known.
fn left_out(candidate: &Candidate, sources: &[SourceText<'_>], policy: &Policy) -> Option<SkipReason> {
    let length = candidate.text.chars().count();
    if policy.capture == CaptureMode::RecallOnly {
        return Some(SkipReason::CaptureOff);
    }
    if policy.capture == CaptureMode::Manual && !is_explicit(candidate) {
        return Some(SkipReason::CaptureOff);
    }
    if !grounded(candidate, sources) {
        return Some(SkipReason::NotGrounded);
    }
    if secret::find_secret(&candidate.text).is_some()
        || secret::find_secret(&candidate.evidence.quote).is_some()
    {
        return Some(SkipReason::Secret);
    }
    if policy.for_text(&candidate.text) == SensitivePolicy::Block {
        return Some(SkipReason::Sensitive);
    }
    if !is_explicit(candidate) && candidate.category != Category::Instruction {
        let gate = turned_away(&candidate.evidence.quote.to_lowercase(), candidate.language);
        if let Some(gate) =
            gate.filter(|gate| matches!(gate.reason, SkipReason::TransientRequest | SkipReason::Question))
        {
            return Some(gate.reason);
        }
    }
    if length < TEXT_CHARS_MIN {
        return Some(SkipReason::TooShort);
    }
    (length > TEXT_CHARS_MAX).then_some(SkipReason::TooLong)
}

/// Whether the quote stands where the evidence says, in the message it names.
fn grounded(candidate: &Candidate, sources: &[SourceText<'_>]) -> bool {
    let evidence = &candidate.evidence;
    if evidence.quote.trim().is_empty() {
        return false;
    }
    let Some(message) = &evidence.message_id else {
        return true;
    };
    sources
        .iter()
        .find(|source| source.message_id == message)
        .is_some_and(|source| {
            let text = nfc(source.text);
            char_span(&text, evidence.start as usize, evidence.end as usize) == Some(evidence.quote.as_str())
        })
}

fn normalisation_failed(candidate: &Candidate) -> bool {
    let slug = candidate.key.split_once(':').map_or("", |(_, slug)| slug);
    slug.is_empty()
        || !candidate.key.starts_with(candidate.category.name())
        || candidate.text.trim().is_empty()
}

/// Duplicate, conflict, procedural; `ask` is a reason that was found before and stands if it is not a duplicate.
fn judge_known(
    (number, candidate): (usize, Candidate),
    known: &[Known],
    policy: &Policy,
    ask: Option<ReviewReason>,
    verdict: &mut Verdict,
) {
    let statement = Statement::from(&candidate);
    let against = |approved: &ApprovedUpdate| {
        let related = relate(&Statement::from(&approved.candidate), &statement, None);
        related.relation == Relation::Update && related.review && one_place(&approved.candidate, &candidate)
    };
    if ask.is_none() && verdict.approved.iter().any(against) {
        // Two things said in one breath that cannot both hold: a person says which.
        verdict.waiting.push(waiting(ReviewReason::Conflict, candidate));
        return;
    }
    let meeting = match meet(number, &candidate, known) {
        Meeting::Said(memory) => {
            let mut skipped = Skipped::new(candidate.text, SkipReason::AlreadyKnown);
            skipped.known_key = Some(memory.key.clone());
            verdict.skipped.push(skipped);
            if !verdict.confirmations.contains(&memory.id) {
                verdict.confirmations.push(memory.id.clone());
            }
            return;
        }
        other => other,
    };
    let procedural =
        candidate.category == Category::Instruction && policy.procedural == ProceduralPolicy::Review;
    let reason = match (ask, &meeting) {
        (Some(reason), _) => Some(reason),
        (None, Meeting::Unclear(..)) => Some(ReviewReason::Conflict),
        _ if procedural => Some(ReviewReason::Procedural),
        _ if policy.capture == CaptureMode::Confirm => Some(ReviewReason::Confirm),
        _ => None,
    };
    let likeness = match &meeting {
        Meeting::Unclear(_, likeness) => *likeness,
        _ => None,
    };
    let existing = match meeting {
        Meeting::Replaces(memory) | Meeting::Unclear(memory, _) => Some(memory.clone()),
        Meeting::Said(_) | Meeting::Nothing => None,
    };
    match reason {
        Some(reason) => verdict.waiting.push(Waiting {
            reason,
            candidate: Some(candidate),
            existing,
            likeness,
        }),
        None => verdict.approved.push(ApprovedUpdate {
            candidate,
            replaces: existing,
        }),
    }
}

/// How a candidate meets what is known.
enum Meeting<'a> {
    /// It says what this memory says.
    Said(&'a Memory),
    /// It replaces this memory.
    Replaces(&'a Memory),
    /// It may replace or repeat this memory; a person says which. With the cosine, where it was measured.
    Unclear(&'a Memory, Option<f32>),
    /// It is new.
    Nothing,
}

/// A memory under the same key decides before others, and a clear answer before an unclear one of another key.
fn meet<'a>(number: usize, candidate: &Candidate, known: &'a [Known]) -> Meeting<'a> {
    let statement = Statement::from(candidate);
    let mut meeting = Meeting::Nothing;
    for entry in known.iter().filter(|entry| concerns(entry, number, candidate)) {
        let near = entry.near(number);
        let memory = &entry.memory;
        let related = relate(
            &Statement::from(memory),
            &statement,
            near.map(|near| near.closeness),
        );
        let same_key = memory.key == candidate.key;
        let found = match related.relation {
            // The same thing said in the other language is kept beside it: a question in that language finds it.
            Relation::Duplicate if memory.language != candidate.language => continue,
            Relation::Duplicate if !related.review => return Meeting::Said(memory),
            // Only the same subject in the same place may be replaced unasked.
            Relation::Update if !related.review && (same_key || same_slot(memory, candidate)) => {
                Meeting::Replaces(memory)
            }
            Relation::Duplicate | Relation::Update => {
                Meeting::Unclear(memory, near.map(|near| near.likeness))
            }
            Relation::Complement | Relation::Unrelated => continue,
        };
        if matches!(meeting, Meeting::Nothing) || same_key {
            meeting = found;
        }
    }
    meeting
}

/// Whether two candidates of one message are about one place: the same key, or the same slot of the same subject.
fn one_place(one: &Candidate, other: &Candidate) -> bool {
    let slots = match (&one.slot, &other.slot) {
        (Some(a), Some(b)) => a.name == b.name && one.subject == other.subject,
        _ => false,
    };
    one.key == other.key || slots
}

fn same_slot(memory: &Memory, candidate: &Candidate) -> bool {
    match (&memory.slot, &candidate.slot) {
        (Some(known), Some(new)) => known.name == new.name && memory.subject == candidate.subject,
        _ => false,
    }
}

/// Only an active memory under the same key, with the same slot and subject, or near in meaning can be meant.
fn concerns(entry: &Known, number: usize, candidate: &Candidate) -> bool {
    let memory = &entry.memory;
    memory.status == Status::Active
        && (memory.key == candidate.key || same_slot(memory, candidate) || entry.near(number).is_some())
}
