//! The ranking of the strategy `hybrid`: each text is read together with what was said around it.
//!
//! An answer often stands beside the words that were asked for ("Where did you go?" — "To Lisbon."), so a word
//! that a neighbour holds counts as well, a little less with each step away. Who is asked about and which
//! conversation the good hits come from raise a text; they never take one out.

use crate::maxsim::AskedTokens;
use crate::terms;
use memory_model::MemoryId;
use ports::{Beside, TermCounts};
use std::collections::{HashMap, HashSet};

/// Neighbours on each side that are read with a text.
pub const NEIGHBOURS: u32 = 2;

/// Words that reach the keyword index: the rarest ones. Common words cost long lists and tell texts apart badly.
/// A pair of syllables counts as half a word, because a Korean word becomes two or three of them.
pub const RAREST_WORDS_MAX: usize = 8;

/// Texts that a word may always be in: a list of so many takes a few milliseconds.
const COMMON_TEXTS_MIN: u32 = 1_000;

/// What each sign is worth. Found by a search over five conversations of LoCoMo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Share of the asked words, by rarity, that the text and its neighbours hold.
    pub words: f32,
    /// A word of the text next to this one, and of the one after that, against an own word.
    pub words_beside: [f32; 2],
    /// Cosine of question and text.
    pub meaning: f32,
    /// Cosine of the neighbours, next and after next, on both sides.
    pub meaning_beside: [f32; 2],
    /// The text is about whom the question names.
    pub subject: f32,
    /// The mean of the best three texts of the same conversation.
    pub thread: f32,
    /// What is said after a text, against what is said before it.
    pub later: f32,
    /// The word pieces of the question in the text ([`crate::maxsim`]).
    pub pieces: f32,
    /// The same in the text and its neighbours.
    pub pieces_around: f32,
    /// A piece of the text next to this one, and of the one after that, against an own piece.
    pub pieces_beside: [f32; 2],
}

impl Weights {
    /// The weights of the product.
    pub const DEFAULT: Self = Self {
        words: 1.0,
        words_beside: [0.5, 0.36],
        meaning: 0.5,
        meaning_beside: [0.08, 0.05],
        subject: 0.05,
        thread: 0.5,
        later: 1.0,
        pieces: 0.0,
        pieces_around: 0.0,
        pieces_beside: [0.0; 2],
    };

    /// The weights where word pieces are kept.
    pub const WITH_PIECES: Self = Self {
        words: 0.42,
        words_beside: [0.5, 0.36],
        meaning: 0.35,
        meaning_beside: [0.0; 2],
        subject: 0.035,
        thread: 0.42,
        later: 1.2,
        pieces: 0.5,
        pieces_around: 0.51,
        pieces_beside: [1.0, 0.6],
    };
}

/// The rarest terms of a question with the weight of each, most telling first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The terms of about [`RAREST_WORDS_MAX`] words.
    pub terms: Vec<String>,
    /// ln(1 + (N - n + 0.5) / (n + 0.5)) of each, as in BM25.
    pub weights: Vec<f32>,
}

impl Asked {
    /// Chooses among all terms of a question by how many texts hold them. A term that no text holds costs nothing
    /// and finds nothing; it fills what is left over, for stores that count only roughly.
    pub fn rarest(terms: Vec<String>, counts: &TermCounts) -> Self {
        let mut counted: Vec<(String, u32)> = terms
            .into_iter()
            .zip(counts.holding.iter().copied().chain(std::iter::repeat(0)))
            .collect();
        // Stable, so that equally rare terms stay in the order of the question.
        counted.sort_by_key(|(_, holding)| if *holding == 0 { u32::MAX } else { *holding });
        let mut halves = 2 * RAREST_WORDS_MAX;
        counted.retain(|(term, _)| {
            let cost = if term.chars().any(memory_model::is_hangul) {
                1
            } else {
                2
            };
            let fits = halves >= cost;
            halves = halves.saturating_sub(cost);
            fits
        });
        let weights = counted
            .iter()
            .map(|(_, holding)| rarity(counts.texts, *holding))
            .collect();
        Self {
            terms: counted.into_iter().map(|(term, _)| term).collect(),
            weights,
        }
    }
}

/// The asked terms that the keyword index is searched for: all but those that more than half of many texts hold. Such
/// a word tells no text from another, and going through its list takes longer than everything else. Where there is no
/// other word that a text holds, all are searched for.
pub fn telling(all_terms: &[String], asked: &Asked, counts: &TermCounts) -> Vec<String> {
    let common = (counts.texts / 2).max(COMMON_TEXTS_MIN);
    let holding: HashMap<&String, u32> = all_terms.iter().zip(counts.holding.iter().copied()).collect();
    let held_by = |term: &String| holding.get(term).copied().unwrap_or_default();
    let telling: Vec<String> = (asked.terms.iter())
        .filter(|term| held_by(term) <= common)
        .cloned()
        .collect();
    match telling.iter().any(|term| held_by(term) > 0) {
        true => telling,
        false => asked.terms.clone(),
    }
}

/// How much a word tells when `holding` of `texts` hold it; 0 for one that nobody holds.
pub fn rarity(texts: u32, holding: u32) -> f32 {
    if holding == 0 {
        return 0.0;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share, where a few in ten million do not matter"
    )]
    let (texts, holding) = (texts.max(holding) as f32, holding as f32);
    (1.0 + (texts - holding + 0.5) / (holding + 0.5)).ln()
}

/// A text that may be the answer.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which memory.
    pub id: MemoryId,
    /// Which of the asked terms it holds, and how much a word of a text of this length counts.
    holds: Vec<bool>,
    length_factor: f32,
    /// Cosine with the question.
    similarity: f32,
    /// It is about whom the question names.
    named: bool,
    /// Number of its conversation.
    thread: Option<usize>,
    /// Places of its neighbours, with their distance, negative before it.
    beside: Vec<(usize, i32)>,
}

/// All texts that may be the answer, with what stands around them.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The texts, in the order in which they were found.
    pub places: Vec<Place>,
    weights: Vec<f32>,
}

impl Field {
    /// Reads the surroundings of what the lists found. `similarities` is the vector list; a text outside it is at
    /// most as near as its last row.
    pub fn read(
        surroundings: &[Beside],
        asked: &Asked,
        question_terms: &HashSet<&str>,
        similarities: &HashMap<MemoryId, f32>,
    ) -> Self {
        let floor = similarities.values().copied().reduce(f32::min).unwrap_or(0.0);
        let mut numbers: HashMap<&MemoryId, usize> = HashMap::new();
        let mut threads: HashMap<&str, usize> = HashMap::new();
        let mut places: Vec<Place> = Vec::new();
        let mut lengths = Vec::new();
        let named = named_subject(surroundings, question_terms);
        for beside in surroundings {
            if numbers.contains_key(&beside.id) {
                continue;
            }
            numbers.insert(&beside.id, places.len());
            let next = threads.len();
            let own: HashSet<String> = terms::index_terms(&beside.text).into_iter().collect();
            lengths.push(own.len());
            places.push(Place {
                id: beside.id.clone(),
                holds: asked.terms.iter().map(|term| own.contains(term)).collect(),
                length_factor: 1.0,
                similarity: similarities.get(&beside.id).copied().unwrap_or(floor),
                named: named.is_some_and(|subject| subject == beside.subject),
                thread: (beside.thread.as_ref())
                    .map(|thread| *threads.entry(thread.as_str()).or_insert(next)),
                beside: Vec::new(),
            });
        }
        set_length_factors(&mut places, &lengths);
        for beside in surroundings.iter().filter(|beside| beside.distance != 0) {
            if let (Some(&of), Some(&at)) = (numbers.get(&beside.of), numbers.get(&beside.id)) {
                link(&mut places, of, at, beside.distance);
                link(&mut places, at, of, -beside.distance);
            }
        }
        Self {
            places,
            weights: asked.weights.clone(),
        }
    }

    /// The score of each place, larger is better.
    pub fn scores(&self, weights: &Weights) -> Vec<f32> {
        let mut scores = self.first_scores(weights);
        self.add_threads(&mut scores, weights.thread);
        scores
    }

    /// The score of each place when word pieces are compared too. `nearest` holds for each place what
    /// [`AskedTokens::nearest`] says of it, nothing for one without pieces: it counts as the average of the others.
    pub fn scores_with_pieces(
        &self,
        weights: &Weights,
        asked: &AskedTokens,
        nearest: &[Vec<f32>],
    ) -> Vec<f32> {
        let pieces: Vec<Option<f32>> = (self.places.iter().zip(nearest))
            .map(|(place, own)| {
                Some(own).filter(|own| !own.is_empty()).map(|own| {
                    let mut around = own.clone();
                    for &(at, distance) in &place.beside {
                        let beside = nearest.get(at).map(Vec::as_slice).unwrap_or_default();
                        let factor = factor(distance, &weights.pieces_beside, weights.later);
                        around
                            .iter_mut()
                            .zip(beside)
                            .for_each(|(best, near)| *best = best.max(factor * near));
                    }
                    weights.pieces * asked.sum(own) + weights.pieces_around * asked.sum(&around)
                })
            })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred places")]
        let average = pieces.iter().flatten().sum::<f32>() / pieces.iter().flatten().count().max(1) as f32;
        let mut scores = self.first_scores(weights);
        for (score, pieces) in scores.iter_mut().zip(pieces) {
            *score += pieces.unwrap_or(average);
        }
        self.add_threads(&mut scores, weights.thread);
        scores
    }

    fn first_scores(&self, weights: &Weights) -> Vec<f32> {
        let asked: f32 = self.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let score = |place: &Place| {
            let named = if place.named { weights.subject } else { 0.0 };
            weights.words * self.words(place, weights) / asked + self.meaning(place, weights) + named
        };
        self.places.iter().map(score).collect()
    }

    /// The weight of the asked terms that a place or its neighbours hold; of several holders the best counts.
    fn words(&self, place: &Place, weights: &Weights) -> f32 {
        let of_term = |(term, weight): (usize, &f32)| {
            let held = |place: &Place| match place.holds.get(term) {
                Some(true) => place.length_factor,
                _ => 0.0,
            };
            let beside = place.beside.iter().filter_map(|&(at, distance)| {
                Some(held(self.places.get(at)?) * factor(distance, &weights.words_beside, weights.later))
            });
            weight * beside.fold(held(place), f32::max)
        };
        self.weights.iter().enumerate().map(of_term).sum()
    }

    fn meaning(&self, place: &Place, weights: &Weights) -> f32 {
        let beside: f32 = (place.beside.iter())
            .filter_map(|&(at, distance)| {
                Some(
                    self.places.get(at)?.similarity
                        * factor(distance, &weights.meaning_beside, weights.later),
                )
            })
            .sum();
        weights.meaning * place.similarity + beside
    }

    /// Adds the mean of the best three of each conversation to all that were said in it.
    fn add_threads(&self, scores: &mut [f32], weight: f32) {
        let mut best: HashMap<usize, Vec<f32>> = HashMap::new();
        for (place, score) in self.places.iter().zip(scores.iter()) {
            if let Some(thread) = place.thread {
                best.entry(thread).or_default().push(*score);
            }
        }
        for list in best.values_mut() {
            list.sort_by(|a, b| b.total_cmp(a));
            list.truncate(THREAD_BEST);
        }
        for (place, score) in self.places.iter().zip(scores) {
            // A memory without a conversation stands for one of its own: it must not lose against company.
            let mean = match place.thread.and_then(|thread| best.get(&thread)) {
                #[expect(clippy::cast_precision_loss, reason = "three at most")]
                Some(list) => list.iter().sum::<f32>() / list.len().max(1) as f32,
                None => *score,
            };
            *score += weight * mean;
        }
    }
}

/// Places at the front that keep their order; behind them other conversations come first.
const FRONT: usize = 10;

/// Texts of a conversation that speak for it behind the front, and the weight of the asked words that any text of it
/// holds. Found on three conversations of LoCoMo: an evidence session is among the first five in 94.15 instead of
/// 94.00 of 100 questions, and on two others in 95.39 instead of 94.81.
const MERIT_BEST: usize = 5;
const MERIT_WORDS: f32 = 0.7;

impl Field {
    /// The order in which places are shown. `ranked` are places, best first. Behind the front more of the same
    /// conversations tells little, so the best text of each other one comes next, the most promising first; nothing is
    /// left out.
    pub fn spread(&self, ranked: &[usize], scores: &[f32]) -> Vec<usize> {
        let (front, rest) = ranked.split_at(ranked.len().min(FRONT));
        let thread_of = |place: &usize| self.places.get(*place).and_then(|place| place.thread);
        let mut seen: HashSet<usize> = front.iter().filter_map(thread_of).collect();
        let (mut firsts, mut others) = (Vec::new(), Vec::new());
        for place in rest {
            match thread_of(place) {
                Some(thread) if seen.insert(thread) => firsts.push((*place, thread)),
                _ => others.push(*place),
            }
        }
        let merits = self.merits(scores);
        let merit = |thread: &usize| merits.get(thread).copied().unwrap_or_default();
        firsts.sort_by(|(_, a), (_, b)| merit(b).total_cmp(&merit(a)));
        let firsts = firsts.into_iter().map(|(place, _)| place);
        front.iter().copied().chain(firsts).chain(others).collect()
    }

    /// How promising each conversation is: its best texts, and the share of the asked words that it holds anywhere.
    fn merits(&self, scores: &[f32]) -> HashMap<usize, f32> {
        let asked: f32 = self.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut of_threads: HashMap<usize, (Vec<f32>, Vec<bool>)> = HashMap::new();
        for (place, score) in self.places.iter().zip(scores) {
            let Some(thread) = place.thread else { continue };
            let none = || (Vec::new(), vec![false; self.weights.len()]);
            let (best, holds) = of_threads.entry(thread).or_insert_with(none);
            best.push(*score);
            holds
                .iter_mut()
                .zip(&place.holds)
                .for_each(|(any, own)| *any |= own);
        }
        let merit = |(thread, (mut best, holds)): (usize, (Vec<f32>, Vec<bool>))| {
            best.sort_by(|a, b| b.total_cmp(a));
            best.truncate(MERIT_BEST);
            #[expect(clippy::cast_precision_loss, reason = "five at most")]
            let mean = best.iter().sum::<f32>() / best.len().max(1) as f32;
            let held: f32 = (self.weights.iter().zip(holds))
                .filter_map(|(weight, held)| held.then_some(*weight))
                .sum();
            (thread, mean + MERIT_WORDS * held / asked)
        };
        of_threads.into_iter().map(merit).collect()
    }
}

/// What a neighbour counts.
fn factor(distance: i32, beside: &[f32; 2], later: f32) -> f32 {
    let step = (distance.unsigned_abs() as usize).checked_sub(1);
    let factor = step
        .and_then(|step| beside.get(step))
        .copied()
        .unwrap_or_default();
    if distance > 0 { factor * later } else { factor }
}

/// Texts of a conversation that speak for it.
const THREAD_BEST: usize = 3;

/// The one subject that the question names; two of them, or none, decide nothing.
fn named_subject<'a>(surroundings: &'a [Beside], question_terms: &HashSet<&str>) -> Option<&'a str> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut named = None;
    for beside in surroundings {
        if !seen.insert(&beside.subject) {
            continue;
        }
        let own = terms::index_terms(&beside.subject);
        if !own.is_empty() && own.iter().all(|term| question_terms.contains(term.as_str())) {
            if named.is_some() {
                return None;
            }
            named = Some(beside.subject.as_str());
        }
    }
    named
}

/// The factor of BM25 for texts whose terms count once each: k1 = 1.2, b = 0.75.
fn set_length_factors(places: &mut [Place], lengths: &[usize]) {
    #[expect(clippy::cast_precision_loss, reason = "token counts")]
    let average = (lengths.iter().sum::<usize>() as f32 / lengths.len().max(1) as f32).max(1.0);
    for (place, length) in places.iter_mut().zip(lengths) {
        #[expect(clippy::cast_precision_loss, reason = "token counts")]
        let length = *length as f32;
        place.length_factor = 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * length / average));
    }
}

fn link(places: &mut [Place], from: usize, to: usize, distance: i32) {
    if let Some(place) = places.get_mut(from)
        && !place.beside.contains(&(to, distance))
    {
        place.beside.push((to, distance));
    }
}
