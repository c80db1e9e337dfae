//! Candidates from a text, English and Korean, and the judgement of a candidate against what is known.
//!
//! [`extract`] reads one message: the page is folded and what is quoted is masked (`page`), it is cut into
//! sentences and clauses (`split`), gates turn away what is not a lasting statement of the user (`gates`),
//! and the tables under `rules` say what a clause means. [`judge`] then decides, knowing what is stored,
//! what is kept, what waits and what is left out. Nothing here reads a clock, a store or a model.

mod by_hand;
mod dates;
mod english;
mod explicit;
mod extract;
mod gates;
mod injection;
mod judge;
mod keys;
mod korean;
mod page;
mod relate;
mod rules;
mod secret;
mod sensitive;
mod slots;
mod split;
mod tokens;

pub use by_hand::candidate_by_hand;
pub use dates::holds_since;
pub use extract::{
    CANDIDATES_MAX, MESSAGE_CHARS_MAX, SourceMessage, TEXT_CHARS_MAX, TEXT_CHARS_MIN, extract, warm_up,
};
pub use injection::directive_shaped;
pub use judge::{
    Known, Near, Policy, Probe, ProceduralPolicy, SENSITIVE_KINDS, SensitivePolicy, SourceText, Verdict,
    judge, probe,
};
pub use keys::key_of;
pub use memory_model::CaptureMode;
pub use relate::{Closeness, Related, Relation, Statement, relate};
pub use secret::{SecretFound, find_secret};

#[cfg(test)]
mod tests;
