//! What is not a lasting statement of the user, each with its reason (spec extraction, «What is not a memory»).

use crate::english::gates::ENGLISH_GATES;
use crate::korean::gates::KOREAN_GATES;
use crate::rules::pattern;
use memory_model::{Language, SkipReason};
use regex::Regex;
use std::sync::LazyLock;

/// One sign that a sentence is not to be kept.
pub(crate) struct Gate {
    /// Why it is left out.
    pub reason: SkipReason,
    /// The sign, in folded text.
    pub pattern: &'static str,
    /// Signs that the gate does not mean this sentence; empty for none.
    pub unless: &'static str,
    /// Whether the sign also speaks for the sentence before ("… Kidding.").
    pub takes_back: bool,
    /// A sentence that must be turned away by this gate.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests read it"))]
    pub says: &'static str,
}

/// A usual row.
pub(crate) const fn gate(reason: SkipReason, pattern: &'static str, says: &'static str) -> Gate {
    Gate {
        reason,
        pattern,
        unless: "",
        takes_back: false,
        says,
    }
}

impl Gate {
    /// The same gate, with signs that it is not meant.
    pub(crate) const fn unless(self, pattern: &'static str) -> Self {
        Self {
            unless: pattern,
            ..self
        }
    }
}

struct ReadyGate {
    gate: &'static Gate,
    sign: Regex,
    unless: Option<Regex>,
}

static READY: LazyLock<[Vec<ReadyGate>; 2]> = LazyLock::new(|| [ready(ENGLISH_GATES), ready(KOREAN_GATES)]);

fn ready(gates: &'static [Gate]) -> Vec<ReadyGate> {
    gates
        .iter()
        .map(|gate| ReadyGate {
            gate,
            sign: pattern(gate.pattern),
            unless: (!gate.unless.is_empty()).then(|| pattern(gate.unless)),
        })
        .collect()
}

/// The first gate that turns a folded sentence or clause away.
pub(crate) fn turned_away(folded: &str, language: Language) -> Option<&'static Gate> {
    let [english, korean] = &*READY;
    let gates = match language {
        Language::En => english,
        Language::Ko => korean,
    };
    gates
        .iter()
        .find(|ready| {
            ready.sign.is_match(folded)
                && ready
                    .unless
                    .as_ref()
                    .is_none_or(|unless| !unless.is_match(folded))
        })
        .map(|ready| ready.gate)
}
