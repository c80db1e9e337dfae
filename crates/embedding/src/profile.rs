//! What is particular to one model: how much it reads, its prefixes, and what its cosines mean. A threshold
//! belongs to a model, never to the code that compares: unrelated texts score near 0 in one model and
//! above 0.7 in another.

use ports::{EmbedPurpose, EmbeddingSpace};

/// A model of the source `transformers`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelProfile {
    /// Its name on the hub and in settings.
    pub name: &'static str,
    /// The folder that holds its files, inside a models folder.
    pub folder: &'static str,
    /// Numbers in a vector.
    pub dimension: usize,
    /// How its weights are stored where that is less than the original; such vectors have a space of their own.
    pub precision: Option<&'static str>,
    /// Word pieces that it reads at once, with the two that mark beginning and end.
    pub tokens_max: usize,
    /// Word pieces that two neighbouring chunks of a long text share.
    pub overlap_tokens: usize,
    /// Put before a question.
    pub query_prefix: &'static str,
    /// Put before a text to be found.
    pub passage_prefix: &'static str,
    /// What its cosines mean.
    pub thresholds: Thresholds,
    /// What its cosines mean between Korean texts.
    pub hangul_thresholds: Thresholds,
}

/// Cosines from which something holds, -1 to 1. Measured for each model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// A question and a text from here on have to do with each other, even when they share no word.
    pub relevance_floor: f32,
    /// Two statements from here on may be about the same thing and are worth a closer look.
    pub neighbour: f32,
    /// Two statements from here on most likely say the same thing.
    pub duplicate: f32,
}

/// all-MiniLM-L6-v2: small, quick, English. Korean falls apart into single letters in its vocabulary, so
/// Korean is found by the keyword list.
///
/// - `tokens_max`: the model card and its `sentence_bert_config.json` say 256 word pieces; positions go
///   to 512 but were never trained that far, and the tokenizer file's own limit of 128 loses half.
/// - `overlap_tokens`: one or two sentences, so that a sentence at a seam is whole in one of the chunks.
/// - `thresholds`, measured on LoCoMo (300 questions, 2,760 turns) and 280 pairs of English statements: 0.30
///   keeps 62 % of the turns that answer a question and 0.8 % of those from other people's lives (0.35: 44 %
///   and 0.3 %). From 0.60 on lie 98 % of duplicates, 74 % of changed facts and 5 % of other facts on the
///   same topic; from 0.75 on 89 %, 37 % and none. Unrelated pairs end at 0.46.
/// - `hangul_thresholds`, measured on 230 pairs of Korean statements: two Korean texts that have nothing to
///   do with each other have 0.64 in the middle and 0.89 at the top, hardly less than two that say the same
///   (0.78). So from 0.90 on means nearly the same words, and below it meaning says nothing.
pub const ALL_MINILM_L6_V2: ModelProfile = ModelProfile {
    name: "sentence-transformers/all-MiniLM-L6-v2",
    folder: "all-MiniLM-L6-v2",
    dimension: 384,
    precision: None,
    tokens_max: 256,
    overlap_tokens: 32,
    query_prefix: "",
    passage_prefix: "",
    thresholds: Thresholds {
        relevance_floor: 0.30,
        neighbour: 0.60,
        duplicate: 0.75,
    },
    hangul_thresholds: Thresholds {
        relevance_floor: 0.90,
        neighbour: 0.80,
        duplicate: 0.97,
    },
};

/// multilingual-e5-small: a hundred languages in one space, Korean as well as English. Its cosines are crowded
/// together: two texts that have nothing in common have 0.7 to 0.9.
///
/// - `tokens_max` and the prefixes: the model card.
/// - `overlap_tokens`: one or two sentences.
/// - `thresholds`, measured on 24 English statements, each with a question, a paraphrase and a changed fact (the
///   weights of 4 bit): from 0.80 on lie 92 % of the statements that answer a question and 0.7 % of the others.
///   From 0.88 on lie all paraphrases, all changed facts and no unrelated pair (they end at 0.86); from 0.94
///   on 67 % of the paraphrases and 25 % of the changed facts.
/// - `hangul_thresholds`, measured on as many Korean statements: from 0.84 on lie 75 % of the answers and 0.7 %
///   of the others. From 0.91 on lie 96 % of the paraphrases, all changed facts and 2 % of unrelated pairs. A
///   changed fact is nearer (0.96 in the middle) than a paraphrase (0.94), so only nearly the same words count
///   as a duplicate.
pub const MULTILINGUAL_E5_SMALL: ModelProfile = ModelProfile {
    name: "intfloat/multilingual-e5-small",
    folder: "multilingual-e5-small",
    dimension: 384,
    precision: Some("q4"),
    tokens_max: 512,
    overlap_tokens: 48,
    query_prefix: "query: ",
    passage_prefix: "passage: ",
    thresholds: Thresholds {
        relevance_floor: 0.80,
        neighbour: 0.88,
        duplicate: 0.94,
    },
    hangul_thresholds: Thresholds {
        relevance_floor: 0.84,
        neighbour: 0.91,
        duplicate: 0.98,
    },
};

/// A text counts as Korean from one Hangul character in this many letters on: a syllable becomes two or
/// three word pieces, as much as a Latin word, so a few of them already rule the vector.
const LETTERS_PER_HANGUL: usize = 4;

/// For a model that nobody has measured here. Careful: little is found by meaning alone, and what shares a word
/// is found by that. Unrelated texts lie below 0.35 in the models of OpenAI, Cohere and Voyage and in static
/// tables, as far as their pages say.
pub const UNMEASURED: Thresholds = Thresholds {
    relevance_floor: 0.40,
    neighbour: 0.65,
    duplicate: 0.90,
};

/// What cosines in a space mean for a text (a question, a candidate).
pub fn thresholds_for(space: &EmbeddingSpace, text: &str) -> Thresholds {
    ModelProfile::of_space(space).map_or(UNMEASURED, |profile| profile.thresholds_for(text))
}

impl ModelProfile {
    /// Every model that the app knows.
    pub const ALL: [&'static Self; 2] = [&ALL_MINILM_L6_V2, &MULTILINGUAL_E5_SMALL];

    /// The model with this name, with or without the organisation before it.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name == name || profile.folder == name)
    }

    /// The model whose vectors a space holds, in whatever precision; `None` for other sources and unknown models.
    pub fn of_space(space: &EmbeddingSpace) -> Option<&'static Self> {
        let name = space
            .model
            .split_once(['@', '+'])
            .map_or(space.model.as_str(), |(name, _)| name);
        Self::named(name).filter(|_| space.source == "transformers")
    }

    /// The space of its vectors.
    pub fn space(&self) -> EmbeddingSpace {
        let space = EmbeddingSpace {
            source: "transformers".to_owned(),
            model: self.name.to_owned(),
            dimension: self.dimension,
        };
        match self.precision {
            Some(precision) => space.in_precision(precision),
            None => space,
        }
    }

    /// What the cosines of a text (a question, a candidate) with others mean.
    pub fn thresholds_for(&self, text: &str) -> Thresholds {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let hangul = text.chars().filter(|&c| memory_model::is_hangul(c)).count();
        if hangul > 0 && hangul * LETTERS_PER_HANGUL >= letters {
            self.hangul_thresholds
        } else {
            self.thresholds
        }
    }

    /// What is put before a text.
    pub fn prefix(&self, purpose: EmbedPurpose) -> &'static str {
        match purpose {
            EmbedPurpose::Query => self.query_prefix,
            EmbedPurpose::Passage => self.passage_prefix,
        }
    }
}
