//! The judgement of candidates: grounded, injection, secret, sensitive, durable, normalise, duplicate, conflict,
//! procedural, in this order. Pure: what is known is given.

use crate::extract::{TEXT_CHARS_MAX, TEXT_CHARS_MIN, is_explicit};
use crate::gates::turned_away;
use crate::relate::{Relation, Statement, relate};
use crate::{injection, secret, sensitive};
use memory_model::{
    ApprovedUpdate, Candidate, Category, Memory, MemoryId, MessageId, ReviewReason, SkipReason, Skipped,
    Status, Waiting, char_span, nfc,
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

/// How much is kept without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureMode {
    /// What passes the judgement.
    #[default]
    Auto,
    /// Nothing: what passes waits for a person.
    Confirm,
    /// Only what the user asked to be remembered.
    Manual,
    /// Nothing at all.
    RecallOnly,
}

/// The settings that the judgement needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Sensitive statements.
    pub sensitive: SensitivePolicy,
    /// Standing instructions.
    pub procedural: ProceduralPolicy,
    /// How much is kept without asking.
    pub capture: CaptureMode,
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
    /// Cosine to the candidate it was found for, where it was measured.
    pub likeness: Option<f32>,
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
    for candidate in candidates {
        if let Some(reason) = left_out(&candidate, sources, policy) {
            let words = if reason == SkipReason::Secret {
                String::new()
            } else {
                candidate.text
            };
            verdict.skipped.push(Skipped::new(words, reason));
        } else if injection::suspected(&candidate.evidence.quote.to_lowercase())
            || injection::suspected(&candidate.text.to_lowercase())
        {
            verdict
                .waiting
                .push(waiting(ReviewReason::InjectionSuspected, candidate));
        } else if sensitive::kind(&candidate.text).is_some() && policy.sensitive == SensitivePolicy::Review {
            judge_known(
                candidate,
                known,
                policy,
                Some(ReviewReason::Sensitive),
                &mut verdict,
            );
        } else if normalisation_failed(&candidate) {
            verdict
                .waiting
                .push(waiting(ReviewReason::NormalisationFailed, candidate));
        } else {
            judge_known(candidate, known, policy, None, &mut verdict);
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
    if policy.sensitive == SensitivePolicy::Block && sensitive::kind(&candidate.text).is_some() {
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
    candidate: Candidate,
    known: &[Known],
    policy: &Policy,
    ask: Option<ReviewReason>,
    verdict: &mut Verdict,
) {
    let statement = Statement::from(&candidate);
    let against = |approved: &ApprovedUpdate| {
        let related = relate(&Statement::from(&approved.candidate), &statement, None);
        related.relation == Relation::Update && related.review
    };
    if ask.is_none() && verdict.approved.iter().any(against) {
        // Two things said in one breath that cannot both hold: a person says which.
        verdict.waiting.push(waiting(ReviewReason::Conflict, candidate));
        return;
    }
    let mut replaces: Option<(&Known, bool)> = None;
    for entry in known.iter().filter(|entry| concerns(entry, &candidate)) {
        let related = relate(&Statement::from(&entry.memory), &statement, entry.likeness);
        match related.relation {
            // The same thing said in the other language is kept beside it: a question in that language finds it.
            Relation::Duplicate if entry.memory.language != candidate.language => {}
            Relation::Duplicate => {
                let mut skipped = Skipped::new(candidate.text, SkipReason::AlreadyKnown);
                skipped.known_key = Some(entry.memory.key.clone());
                verdict.skipped.push(skipped);
                if !verdict.confirmations.contains(&entry.memory.id) {
                    verdict.confirmations.push(entry.memory.id.clone());
                }
                return;
            }
            Relation::Update => {
                let same_key = entry.memory.key == candidate.key;
                if replaces.is_none() || same_key {
                    replaces = Some((entry, related.review));
                }
            }
            Relation::Complement | Relation::Unrelated => {}
        }
    }
    if let Some(reason) = ask {
        let existing = replaces.map(|(entry, _)| entry.memory.clone());
        verdict.waiting.push(Waiting {
            reason,
            candidate: Some(candidate),
            existing,
            likeness: None,
        });
        return;
    }
    if let Some((entry, true)) = replaces {
        let (existing, likeness) = (Some(entry.memory.clone()), entry.likeness);
        verdict.waiting.push(Waiting {
            reason: ReviewReason::Conflict,
            candidate: Some(candidate),
            existing,
            likeness,
        });
        return;
    }
    let replaced = replaces.map(|(entry, _)| entry.memory.clone());
    let procedural =
        candidate.category == Category::Instruction && policy.procedural == ProceduralPolicy::Review;
    if procedural || policy.capture == CaptureMode::Confirm {
        let reason = if procedural {
            ReviewReason::Procedural
        } else {
            ReviewReason::Confirm
        };
        verdict.waiting.push(Waiting {
            reason,
            candidate: Some(candidate),
            existing: replaced,
            likeness: None,
        });
        return;
    }
    verdict.approved.push(ApprovedUpdate {
        candidate,
        replaces: replaced,
    });
}

/// Only an active memory under the same key, or with the same slot and subject, can be confirmed or replaced.
fn concerns(entry: &Known, candidate: &Candidate) -> bool {
    let memory = &entry.memory;
    let same_slot = match (&memory.slot, &candidate.slot) {
        (Some(known), Some(new)) => known.name == new.name && memory.subject == candidate.subject,
        _ => false,
    };
    memory.status == Status::Active && (memory.key == candidate.key || same_slot || entry.likeness.is_some())
}
