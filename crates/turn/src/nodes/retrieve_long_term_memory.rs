//! Searches the user's memories. A failure is never dressed up as "no memories".

use super::store_problem;
use crate::ports::{OnRetrievalError, TurnPorts, TurnSettings};
use memory_model::{
    Category, Hit, MemoryFilter, Node, Origin, Problem, ProblemCode, RetrievedMemory, ReviewReason,
    TurnState, UserId, Waiting,
};
use recall::search::Places;

/// How the search ended.
pub enum Recall {
    /// Found something, found nothing, or went on without.
    Done,
    /// It failed, and answering without memory would mislead.
    Unsafe(Box<Waiting>),
}

/// Fills `retrieved_memories` and `left_out`; what went wrong is in `problems`.
pub async fn run(turn: &mut TurnState, ports: &TurnPorts<'_>) -> Recall {
    turn.mode = Some(ports.settings.mode);
    let Some(filter) = turn
        .user_id
        .clone()
        .and_then(|owner| filter(owner, ports.settings))
    else {
        return Recall::Done;
    };
    let query = recall::Query::of(&turn.retrieval_query);
    let places = Places {
        memory: ports.memory,
        vectors: ports.vectors,
        embedder: ports.embedder,
    };
    let params = recall::Params {
        strategy: ports.settings.strategy,
        rrf_k: ports.settings.rrf_k,
        limit: ports.settings.recall_limit,
        similarity_min: ports.settings.similarity_min,
        with_irrelevant: false,
        now: ports.clock.now(),
    };
    match recall::search(&query, &filter, places, params).await {
        Ok(recalled) => {
            if let Some(error) = recalled.embedding_error {
                turn.problems.push(Problem {
                    code: ProblemCode::MeaningSearchOff,
                    node: Node::RetrieveLongTermMemory,
                    message: error.to_string(),
                });
            }
            let mut hits: Vec<Hit> = recalled.found.hits;
            rank_by_trust(&mut hits);
            turn.retrieved_memories = hits.into_iter().map(retrieved).collect();
            turn.left_out = recalled.found.left_out;
            Recall::Done
        }
        Err(error) => {
            let problem = Problem {
                code: ProblemCode::RetrievalFailed,
                ..store_problem(Node::RetrieveLongTermMemory, ProblemCode::RetrievalFailed, &error)
            };
            turn.problems.push(problem);
            match ports.settings.on_retrieval_error {
                OnRetrievalError::Continue => Recall::Done,
                OnRetrievalError::Review => Recall::Unsafe(Box::new(Waiting {
                    reason: ReviewReason::RetrievalFailed,
                    candidate: None,
                    existing: None,
                    likeness: None,
                })),
            }
        }
    }
}

/// The memories that this turn may recall; `None` when it recalls nothing.
fn filter(owner: UserId, settings: &TurnSettings) -> Option<MemoryFilter> {
    let mut filter = MemoryFilter::active(owner);
    if !settings.recall_off.is_empty() {
        let on = Category::ALL
            .into_iter()
            .filter(|category| !settings.recall_off.contains(category));
        filter.categories = on.collect();
        // No category at all would mean every category.
        if filter.categories.is_empty() {
            return None;
        }
    }
    settings.mode.recall.then_some(filter)
}

/// What is trusted less comes later: its relevance counts for less. The score itself stays what it was, because it
/// says how the memory was found.
fn rank_by_trust(hits: &mut [Hit]) {
    let weighted = |hit: &Hit| hit.score * weight(hit.memory.trust);
    hits.sort_by(|a, b| weighted(b).total_cmp(&weighted(a)));
}

/// How much the relevance of a memory counts. A share of 1 / (60 + rank) falls by a fifth over some fifteen places,
/// so each step down is about as many places as a screen shows.
fn weight(trust: Origin) -> f32 {
    match trust {
        Origin::User => 1.0,
        Origin::Peer => 0.9,
        Origin::Agent => 0.8,
        Origin::File => 0.7,
        Origin::Assistant => 0.6,
        Origin::Tool => 0.5,
    }
}

fn retrieved(hit: Hit) -> RetrievedMemory {
    RetrievedMemory {
        namespace: hit.memory.namespace.clone(),
        key: hit.memory.key.clone(),
        value: hit.memory.value.clone(),
        score: hit.score,
        in_prompt: false,
        number: None,
        cited: None,
        hit,
    }
}
