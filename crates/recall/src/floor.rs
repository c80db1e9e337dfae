//! The relevance floor: "nothing relevant" is a valid and common answer.

/// A hit is relevant by its words alone when the memory holds at least this share of the telling words of the
/// question: one of three in "Book me a flight to Denver".
pub const COVERAGE_MIN: f32 = 1.0 / 3.0;

/// Or at least this many of them, in a long question.
pub const MATCHED_WORDS_MIN: usize = 2;

/// One word of a long question is enough when meaning does not speak against it: a cosine of at least this share
/// of the model's floor. "Find flight options for my trip next month" shares one word with "prefers morning flights".
pub const WEAK_MEANING_SHARE: f32 = 0.5;

/// What is known about a hit when the floor judges it.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Cosine of question and memory; `None` when meaning was not searched or the memory is not near.
    pub similarity: Option<f32>,
    /// Whether meaning was searched. Words alone must do when it was not.
    pub meaning_searched: bool,
    /// Telling words of the question that the memory holds.
    pub matched: usize,
    /// Telling words of the question.
    pub asked: usize,
}

/// Whether a hit is relevant. `similarity_min` belongs to the embedding model.
pub fn is_relevant(evidence: Evidence, similarity_min: f32) -> bool {
    if evidence
        .similarity
        .is_some_and(|similarity| similarity >= similarity_min)
    {
        return true;
    }
    if evidence.matched == 0 || evidence.asked == 0 {
        return false;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a question has a few dozen words at most"
    )]
    let coverage = evidence.matched as f32 / evidence.asked as f32;
    let by_words = evidence.matched >= MATCHED_WORDS_MIN || coverage >= COVERAGE_MIN;
    let weak_meaning = |similarity| similarity >= similarity_min * WEAK_MEANING_SHARE;
    by_words || !evidence.meaning_searched || evidence.similarity.is_some_and(weak_meaning)
}
