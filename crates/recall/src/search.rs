//! One search: both lists, fused, judged by the floor, with the why of every hit.

use crate::maxsim::{self, AskedTokens};
use crate::rank::{self, Asked, Field};
use crate::{Query, floor, fusion, terms};
use memory_model::{
    Found, Hit, LeftOut, LeftOutReason, Memory, MemoryFilter, MemoryId, MemoryOrder, Strategy, Timestamp,
    UserId, Why,
};
use ports::{
    EmbedError, EmbedPurpose, EmbeddedTokens, Embedder, KeywordHit, MemoryBackend, StoreError, TermCounts,
    TokenVector, VectorHit, VectorIndex,
};
use std::collections::{HashMap, HashSet};

/// Rows taken from each list before fusion.
const LIST_ROWS: u32 = 100;

/// Rows of the fused list that are read with what was said around them.
const SEEDS_MAX: usize = 100;

/// Terms that one half-typed word becomes: the commonest are what somebody most likely means, and more of them
/// would crowd out the other words.
const COMPLETIONS_MAX: u32 = 6;

/// Memories read in one go: a turn's ten hits and what it reports beside them.
const READ_AT_ONCE: usize = 32;

/// Rows of what was left out that are reported.
const LEFT_OUT_MAX: usize = 20;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// What a search may be asked to do differently.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// How the search ranks.
    pub strategy: Strategy,
    /// The k of reciprocal rank fusion.
    pub rrf_k: u32,
    /// Hits at most.
    pub limit: usize,
    /// Cosine from which meaning alone makes a hit relevant; belongs to the embedding model.
    pub similarity_min: f32,
    /// Return also what lies below the floor.
    pub with_irrelevant: bool,
    /// Now, for the age of a hit.
    pub now: Timestamp,
}

/// What a search found, and what went wrong on the way.
#[derive(Debug, Default)]
pub struct Recalled {
    /// The answer.
    pub found: Found,
    /// Why meaning was not searched although there is a model.
    pub embedding_error: Option<EmbedError>,
}

/// Where a search looks.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// Memories and the keyword list.
    pub memory: &'a dyn MemoryBackend,
    /// The vector list.
    pub vectors: &'a dyn VectorIndex,
    /// The embedding model; `None` searches by words only.
    pub embedder: Option<&'a dyn Embedder>,
}

/// A question, taken apart.
struct Question<'a> {
    query: &'a Query,
    filter: &'a MemoryFilter,
    /// All its terms.
    terms: HashSet<&'a str>,
    /// What the word that is being typed may become.
    completed: Vec<String>,
    /// The rarest terms.
    asked: Asked,
    /// Whether vectors took part.
    meaning_searched: bool,
}

/// Searches one owner's memories.
///
/// # Errors
/// When the store cannot be read. A failing embedding model is no error: words are still searched, and
/// [`Recalled::embedding_error`] says so.
pub async fn search(
    query: &Query,
    filter: &MemoryFilter,
    places: Places<'_>,
    params: Params,
) -> Result<Recalled, StoreError> {
    if query.text.is_empty() {
        return Ok(Recalled::default());
    }
    if params.strategy == Strategy::Recent {
        return recent(filter, places.memory, params).await;
    }
    // The model computes while the store reads.
    let (by_words, meaning) = futures::join!(
        keyword_list(query, filter, places.memory, params.strategy),
        meaning_list(query, filter, places, params.strategy),
    );
    let KeywordList {
        all_terms,
        completed,
        counts,
        asked,
        hits: keyword,
    } = by_words?;
    let Meaning {
        hits: vector,
        tokens,
        error,
    } = meaning?;
    let mut question = Question {
        query,
        filter,
        terms: all_terms.iter().map(String::as_str).collect(),
        completed,
        asked,
        meaning_searched: false,
    };
    let mut fused = fusion::fuse(&keyword, vector.as_deref().unwrap_or_default(), params.rrf_k);
    if params.strategy == Strategy::Hybrid {
        let tokens = AskedTokens::of(&query.text, tokens, &all_terms, &counts);
        let hits = vector.iter().flatten();
        let similarities = hits.map(|hit| (hit.id.clone(), hit.similarity)).collect();
        let similarities = stretched(similarities, &query.text, params.similarity_min);
        fused = in_context(fused, &question, &similarities, &tokens, places).await?;
    }
    // What lies behind is neither shown nor reported.
    fused.truncate(params.limit.saturating_add(LEFT_OUT_MAX).max(LIST_ROWS as usize));
    question.meaning_searched = vector.is_some();
    let mut found = Found {
        meaning_searched: question.meaning_searched,
        ..Found::default()
    };
    // A whole memory is the dearest thing to read, and an answer is mostly full after the first of them.
    for fused in fused.chunks(READ_AT_ONCE) {
        if found.hits.len() >= params.limit && found.left_out.len() >= LEFT_OUT_MAX {
            break;
        }
        let memories = fetch(fused, filter, places.memory).await?;
        judge(&question, fused, memories, params, &mut found);
    }
    Ok(Recalled {
        found,
        embedding_error: error,
    })
}

/// Cosine from which on a model's cosines are crowded together: two texts that have nothing to do with each other
/// reach 0.7 and more there, and the differences that tell are hidden behind those of single syllables.
const CROWDED_FLOOR: f32 = 0.6;

/// The cosines of a Korean question by a crowded model, stretched to 0 to 1 from the last of the list to the first;
/// all 0 when nothing reaches the floor. On 206 Korean pairs five hits hold the answer for 77 % instead of 68 %.
fn stretched(
    mut similarities: HashMap<MemoryId, f32>,
    question: &str,
    similarity_min: f32,
) -> HashMap<MemoryId, f32> {
    if similarity_min < CROWDED_FLOOR || !question.chars().any(memory_model::is_hangul) {
        return similarities;
    }
    let last = similarities.values().copied().fold(f32::INFINITY, f32::min);
    let first = similarities.values().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = if first < similarity_min {
        f32::INFINITY
    } else {
        (first - last).max(f32::EPSILON)
    };
    similarities
        .values_mut()
        .for_each(|similarity| *similarity = (*similarity - last) / range);
    similarities
}

/// What the words say.
struct KeywordList {
    /// All terms of the question, with what its last word may become.
    all_terms: Vec<String>,
    completed: Vec<String>,
    counts: TermCounts,
    asked: Asked,
    hits: Vec<KeywordHit>,
}

async fn keyword_list(
    query: &Query,
    filter: &MemoryFilter,
    memory: &dyn MemoryBackend,
    strategy: Strategy,
) -> Result<KeywordList, StoreError> {
    let completed = complete(query, memory).await?;
    let mut all_terms = query.terms();
    all_terms.extend(completed.iter().cloned());
    let mut list = KeywordList {
        all_terms,
        completed,
        counts: TermCounts::default(),
        asked: Asked::default(),
        hits: Vec::new(),
    };
    if strategy != Strategy::Semantic && !list.all_terms.is_empty() {
        list.counts = memory.term_counts(&list.all_terms).await?;
        list.asked = Asked::rarest(list.all_terms.clone(), &list.counts);
        let telling = rank::telling(&list.all_terms, &list.asked, &list.counts);
        list.hits = memory.search_keywords(filter, &telling, LIST_ROWS).await?;
    }
    Ok(list)
}

/// The terms of the index that the last word may become and that the question does not hold yet.
async fn complete(query: &Query, memory: &dyn MemoryBackend) -> Result<Vec<String>, StoreError> {
    let known = query.terms();
    let mut found: Vec<String> = Vec::new();
    for range in &query.completions {
        for term in memory.terms_between(range, COMPLETIONS_MAX).await? {
            if !known.contains(&term) && !found.contains(&term) {
                found.push(term);
            }
        }
    }
    Ok(found)
}

/// The last changed memories; nothing is asked of them, so nothing is left out.
async fn recent(
    filter: &MemoryFilter,
    memory: &dyn MemoryBackend,
    params: Params,
) -> Result<Recalled, StoreError> {
    let limit = u32::try_from(params.limit).unwrap_or(u32::MAX);
    let page = memory.list(filter, MemoryOrder::Updated, 0, limit).await?;
    let hits = (1_u32..).zip(page.data).map(|(rank, memory)| {
        let fused = fusion::Fused {
            score: fusion::share(rank, params.rrf_k),
            ..fusion::empty(&memory.id)
        };
        hit(memory, &fused, &HashSet::new(), (params.now, params.rrf_k))
    });
    Ok(Recalled {
        found: Found {
            hits: hits.collect(),
            ..Found::default()
        },
        embedding_error: None,
    })
}

/// The memories that hold words of a question, those with the rarest words first: for memories that are in no index.
pub fn by_words(query: &Query, memories: Vec<Memory>, now: Timestamp) -> Vec<Hit> {
    let terms = query.terms();
    let own = |memory: &Memory| terms::index_terms(&searchable_text(memory));
    let held: Vec<HashSet<String>> = memories
        .iter()
        .map(|memory| own(memory).into_iter().collect())
        .collect();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let holding = |term: &String| count(held.iter().filter(|own| own.contains(term)).count());
    let rarities: Vec<(&str, f32)> = (terms.iter())
        .map(|term| (term.as_str(), rank::rarity(count(held.len()), holding(term))))
        .collect();
    let of_question: HashSet<&str> = terms.iter().map(String::as_str).collect();
    let mut found: Vec<(f32, Memory)> = (memories.into_iter().zip(&held))
        .map(|(memory, own)| {
            let score = rarities.iter().filter(|(term, _)| own.contains(*term));
            (score.map(|(_, rarity)| rarity).sum(), memory)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|(left, a), (right, b)| right.total_cmp(left).then_with(|| a.id.cmp(&b.id)));
    let hit = |(score, memory): (f32, Memory)| {
        let fused = fusion::Fused {
            score,
            ..fusion::empty(&memory.id)
        };
        hit(memory, &fused, &of_question, (now, 0))
    };
    found.into_iter().map(hit).collect()
}

/// Orders the seed lists anew, each text with what was said around it, and lets in what stands beside them.
async fn in_context(
    seeds: Vec<fusion::Fused>,
    question: &Question<'_>,
    similarities: &HashMap<MemoryId, f32>,
    tokens: &AskedTokens,
    places: Places<'_>,
) -> Result<Vec<fusion::Fused>, StoreError> {
    let ids: Vec<MemoryId> = seeds.iter().take(SEEDS_MAX).map(|seed| seed.id.clone()).collect();
    let owner = &question.filter.owner;
    let surroundings = places.memory.surroundings(owner, &ids, rank::NEIGHBOURS).await?;
    let field = Field::read(&surroundings, &question.asked, &question.terms, similarities);
    let scores = field.scores(&rank::Weights::DEFAULT);
    let mut known: HashMap<MemoryId, fusion::Fused> =
        (seeds.into_iter()).map(|seed| (seed.id.clone(), seed)).collect();
    let mut ranked: Vec<fusion::Fused> = (field.places.iter().zip(scores))
        .map(|(place, score)| fusion::Fused {
            score,
            ..known
                .remove(&place.id)
                .unwrap_or_else(|| fusion::empty(&place.id))
        })
        .collect();
    ranked.sort_by(fusion::best_first);
    by_pieces(&mut ranked, &field, tokens, owner, places).await?;
    Ok(spread(ranked, &field))
}

/// Lets other conversations in behind the front of a ranking. One that moves up takes the score of the one before it,
/// so that scores of an answer go down from hit to hit.
fn spread(ranked: Vec<fusion::Fused>, field: &Field) -> Vec<fusion::Fused> {
    let numbers: HashMap<&MemoryId, usize> = (field.places.iter().enumerate())
        .map(|(number, place)| (&place.id, number))
        .collect();
    let order: Vec<usize> = ranked
        .iter()
        .filter_map(|fused| numbers.get(&fused.id).copied())
        .collect();
    let mut scores = vec![0.0; field.places.len()];
    for (fused, number) in ranked.iter().zip(&order) {
        if let Some(score) = scores.get_mut(*number) {
            *score = fused.score;
        }
    }
    let mut by_number: HashMap<usize, fusion::Fused> = order.iter().copied().zip(ranked).collect();
    let mut shown: Vec<fusion::Fused> = (field.spread(&order, &scores).into_iter())
        .filter_map(|number| by_number.remove(&number))
        .collect();
    // From the back: each is worth at least as much as what follows it.
    let mut behind = f32::NEG_INFINITY;
    for fused in shown.iter_mut().rev() {
        fused.score = fused.score.max(behind);
        behind = fused.score;
    }
    shown
}

/// Orders the first of a ranking by their word pieces, where the store keeps those of enough of them.
async fn by_pieces(
    ranked: &mut [fusion::Fused],
    field: &Field,
    tokens: &AskedTokens,
    owner: &UserId,
    places: Places<'_>,
) -> Result<(), StoreError> {
    let Some(embedder) = places.embedder.filter(|_| !tokens.is_empty()) else {
        return Ok(());
    };
    let pool = ranked.len().min(maxsim::POOL);
    let ids: Vec<MemoryId> = ranked.iter().take(pool).map(|fused| fused.id.clone()).collect();
    let kept = places
        .vectors
        .token_vectors(owner, embedder.space(), &ids)
        .await?;
    if kept.len() * 2 < pool {
        return Ok(());
    }
    // A text that the model cannot read whole has none, and is judged like one that nobody has looked at yet.
    let nearest: HashMap<&MemoryId, Vec<f32>> = (kept.iter())
        .filter(|(_, matrix)| !matrix.is_empty())
        .map(|(id, matrix)| (id, tokens.nearest(matrix)))
        .collect();
    let of_places: Vec<Vec<f32>> = (field.places.iter())
        .map(|place| nearest.get(&place.id).cloned().unwrap_or_default())
        .collect();
    let scores = field.scores_with_pieces(&rank::Weights::WITH_PIECES, tokens, &of_places);
    let by_id: HashMap<&MemoryId, f32> = field.places.iter().map(|place| &place.id).zip(scores).collect();
    let (first, rest) = ranked.split_at_mut(pool);
    for fused in first.iter_mut() {
        fused.score = by_id.get(&fused.id).copied().unwrap_or_default();
    }
    first.sort_by(fusion::best_first);
    // The others keep their order behind them; scores of one answer go down from hit to hit.
    let last = first.last().map_or(0.0, |fused| fused.score);
    rest.iter_mut()
        .for_each(|fused| fused.score = fused.score.min(last));
    Ok(())
}

/// What meaning says.
#[derive(Default)]
struct Meaning {
    /// The vector list; `None` when meaning was not searched.
    hits: Option<Vec<VectorHit>>,
    /// The word pieces of the question.
    tokens: Vec<TokenVector>,
    /// Why meaning was not searched although there is a model.
    error: Option<EmbedError>,
}

async fn meaning_list(
    query: &Query,
    filter: &MemoryFilter,
    places: Places<'_>,
    strategy: Strategy,
) -> Result<Meaning, StoreError> {
    let Some(embedder) = places.embedder.filter(|_| strategy != Strategy::Exact) else {
        return Ok(Meaning::default());
    };
    let with_tokens = strategy == Strategy::Hybrid;
    let (vector, tokens) = match embed(query, embedder, with_tokens).await {
        Ok(Some(embedded)) => (embedded.whole, embedded.tokens),
        Ok(None) => return Ok(Meaning::default()),
        Err(error) => {
            return Ok(Meaning {
                error: Some(error),
                ..Meaning::default()
            });
        }
    };
    let hits = (places.vectors)
        .search(embedder.space(), filter, &vector, LIST_ROWS)
        .await?;
    Ok(Meaning {
        hits: Some(hits),
        tokens,
        error: None,
    })
}

/// The question as the model reads it, with its word pieces where the model gives them: both come from one run.
async fn embed(
    query: &Query,
    embedder: &dyn Embedder,
    with_tokens: bool,
) -> Result<Option<EmbeddedTokens>, EmbedError> {
    let text = std::slice::from_ref(&query.text);
    if with_tokens && let Some(embedded) = embedder.embed_tokens(text, EmbedPurpose::Query).await? {
        return Ok(embedded.into_iter().next());
    }
    let vectors = embedder.embed(text, EmbedPurpose::Query).await?;
    Ok(vectors.into_iter().next().map(|whole| EmbeddedTokens {
        whole,
        tokens: Vec::new(),
    }))
}

async fn fetch(
    fused: &[fusion::Fused],
    filter: &MemoryFilter,
    memory: &dyn MemoryBackend,
) -> Result<HashMap<MemoryId, Memory>, StoreError> {
    let ids: Vec<MemoryId> = fused.iter().map(|hit| hit.id.clone()).collect();
    let memories = memory.get_many(&filter.owner, &ids).await?;
    // The vector list knows fewer conditions than the filter may have.
    Ok(memories
        .into_iter()
        .filter(|memory| filter.narrow.holds(memory))
        .map(|memory| (memory.id.clone(), memory))
        .collect())
}

/// Puts each memory among the hits or what was left out, in the order of the ranking.
fn judge(
    question: &Question<'_>,
    fused: &[fusion::Fused],
    mut memories: HashMap<MemoryId, Memory>,
    params: Params,
    found: &mut Found,
) {
    let Question {
        query,
        filter,
        terms,
        completed,
        ..
    } = question;
    for fused in fused {
        // A neighbour that came in beside a hit must pass the filter like any other.
        let Some(memory) = memories.remove(&fused.id).filter(|memory| filter.admits(memory)) else {
            continue;
        };
        let own_terms: HashSet<String> = terms::index_terms(&searchable_text(&memory))
            .into_iter()
            .collect();
        let matched = query
            .words
            .iter()
            .filter(|tokens| matches_word(tokens, &own_terms))
            .count();
        // The last word as it may become is one word more, not several.
        let asked = query.words.len().max(usize::from(!completed.is_empty()));
        let by_completion = usize::from(completed.iter().any(|term| own_terms.contains(term)));
        let matched = (matched + by_completion).min(asked);
        let evidence = floor::Evidence {
            similarity: fused.similarity,
            meaning_searched: question.meaning_searched,
            matched,
            asked,
        };
        let relevant = floor::is_relevant(evidence, params.similarity_min);
        if (relevant || params.with_irrelevant) && found.hits.len() < params.limit {
            found
                .hits
                .push(hit(memory, fused, terms, (params.now, params.rrf_k)));
        } else if found.left_out.len() < LEFT_OUT_MAX {
            let reason = if relevant {
                LeftOutReason::OverBudget
            } else {
                LeftOutReason::BelowFloor
            };
            found.left_out.push(LeftOut {
                memory_id: memory.id,
                text: memory.text,
                reason,
            });
        }
    }
}

/// A word of a question is matched when the memory holds at least half of its tokens: all of a stem, the better
/// part of the bigrams of a Korean word with another ending.
fn matches_word(tokens: &[String], own_terms: &HashSet<String>) -> bool {
    let held = tokens.iter().filter(|token| own_terms.contains(*token)).count();
    held > 0 && held * 2 >= tokens.len()
}

/// What of a memory the keyword index holds: its text and the exact words it rests on.
pub fn searchable_text(memory: &Memory) -> String {
    match &memory.evidence {
        Some(evidence) if evidence.quote != memory.text => format!("{}\n{}", memory.text, evidence.quote),
        _ => memory.text.clone(),
    }
}

fn hit(memory: Memory, fused: &fusion::Fused, terms: &HashSet<&str>, (now, rrf_k): (Timestamp, u32)) -> Hit {
    let age = now
        .as_millis()
        .saturating_sub(memory.updated_at.as_millis())
        .max(0)
        / MILLIS_PER_DAY;
    let why = Why {
        keyword_rank: fused.keyword_rank,
        bm25: fused.bm25,
        vector_rank: fused.vector_rank,
        similarity: fused.similarity,
        fused: fused.reciprocal,
        rrf_k,
        matched_words: terms::matched_words(&memory.text, terms),
        age_days: u32::try_from(age).unwrap_or(u32::MAX),
    };
    Hit {
        memory,
        score: fused.score,
        why,
    }
}
