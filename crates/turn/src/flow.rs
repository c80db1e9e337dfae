//! The pipeline on one screen: every branch of the graph is a `match` here; the nodes run straight through.

use crate::nodes::{
    build_prompt_context, build_retrieval_query, compact_short_term_memory, extract_memory_candidates,
    finalize, generate_response, mark_needs_review, prepare_turn, retrieve_long_term_memory,
    store_memory_updates, validate_memory_updates,
};
use crate::ports::TurnPorts;
use crate::trailing::after_validation;
use memory_model::{Node, Problem, ProblemCode, TraceStep, TurnState, TurnStatus};
use std::time::Instant;

/// How far a call of [`run`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Until the user's message is kept: a caller learns at once that it is safe, or why it is not.
    AfterMessage,
    /// Until the answer is final: extraction and what follows run behind it.
    AfterAnswer,
    /// Until what was found is judged and nothing of it is written.
    AfterValidation,
    /// Until the turn has ended.
    AtEnd,
}

impl Stop {
    fn is_before(self, node: Node) -> bool {
        match self {
            Self::AfterMessage => node == Node::BuildRetrievalQuery,
            Self::AfterAnswer => node == Node::ExtractMemoryCandidates,
            Self::AfterValidation => matches!(
                node,
                Node::StoreMemoryUpdates | Node::MarkNeedsReview | Node::Finalize
            ),
            Self::AtEnd => false,
        }
    }
}

/// Runs a turn from a node on, with a checkpoint after each node. Returns the node that runs next, or `None` when
/// the turn has ended; `turn.final_output` is complete then.
pub async fn run(turn: &mut TurnState, from: Node, stop: Stop, ports: &TurnPorts<'_>) -> Option<Node> {
    if from != Node::PrepareTurn {
        prepare_turn::reload_messages(turn, ports.conversations).await;
    }
    let mut next = Some(from);
    while let Some(node) = next {
        if stop.is_before(node) {
            break;
        }
        ports.observer.node_started(turn, node);
        let began = Instant::now();
        let problems = turn.problems.len();
        next = step(node, turn, ports).await;
        turn.trace.push(TraceStep {
            node,
            millis: began.elapsed().as_secs_f32() * 1_000.0,
            count: count(node, turn),
            failed: turn.problems.len() > problems,
        });
        ports.observer.node_ran(turn, node);
        match next {
            Some(next) => checkpoint(turn, node, next, ports).await,
            None => finalize::finish(turn, ports).await,
        }
        ports.observer.checkpointed(turn, node);
    }
    next
}

#[tracing::instrument(skip_all, fields(node = node.name(), turn = %turn.turn_id))]
async fn step(node: Node, turn: &mut TurnState, ports: &TurnPorts<'_>) -> Option<Node> {
    match node {
        Node::PrepareTurn => match prepare_turn::run(turn, ports.conversations, ports.clock.now()).await {
            Ok(()) => Some(Node::BuildRetrievalQuery),
            Err(rejected) => failed(turn, rejected),
        },
        Node::BuildRetrievalQuery => {
            turn.retrieval_query = build_retrieval_query::run(&turn.input, &turn.messages);
            Some(Node::RetrieveLongTermMemory)
        }
        Node::RetrieveLongTermMemory => match retrieve_long_term_memory::run(turn, ports).await {
            retrieve_long_term_memory::Recall::Done => Some(Node::CompactShortTermMemory),
            retrieve_long_term_memory::Recall::Unsafe(waiting) => {
                turn.waiting.push(*waiting);
                Some(Node::MarkNeedsReview)
            }
        },
        Node::CompactShortTermMemory => {
            compact_short_term_memory::run(turn, ports).await;
            Some(Node::BuildPromptContext)
        }
        Node::BuildPromptContext => {
            build_prompt_context::run(turn, ports.settings);
            Some(Node::GenerateResponse)
        }
        Node::GenerateResponse => {
            generate_response::run(turn, ports).await;
            Some(Node::ExtractMemoryCandidates)
        }
        Node::ExtractMemoryCandidates => {
            extract_memory_candidates::run(turn, ports).await;
            Some(Node::ValidateMemoryUpdates)
        }
        Node::ValidateMemoryUpdates => {
            validate_memory_updates::run(turn, ports).await;
            match after_validation(turn) {
                next @ (Node::StoreMemoryUpdates | Node::MarkNeedsReview) => Some(next),
                _ => Some(Node::Finalize),
            }
        }
        Node::StoreMemoryUpdates => {
            store_memory_updates::run(turn, ports).await;
            Some(if turn.waiting.is_empty() {
                Node::Finalize
            } else {
                Node::MarkNeedsReview
            })
        }
        Node::MarkNeedsReview => {
            mark_needs_review::run(turn, ports).await;
            None
        }
        Node::Finalize => {
            finalize::run(turn, ports).await;
            None
        }
    }
}

fn failed(turn: &mut TurnState, rejected: Problem) -> Option<Node> {
    turn.status = TurnStatus::Failed;
    turn.problems.push(rejected);
    None
}

async fn checkpoint(turn: &mut TurnState, node: Node, next: Node, ports: &TurnPorts<'_>) {
    if let Err(error) = ports.conversations.checkpoint(turn, next).await {
        // The turn goes on: an answer without a checkpoint is worth more than none.
        tracing::warn!(node = node.name(), %error, "checkpoint not written");
        let problem = Problem {
            code: ProblemCode::CheckpointFailed,
            node,
            message: format!("The step was not saved: {error}."),
        };
        if !turn.problems.iter().any(|known| known.code == problem.code) {
            turn.problems.push(problem);
        }
    }
}

/// The number that tells a person what a node did.
fn count(node: Node, turn: &TurnState) -> Option<u32> {
    let count = match node {
        Node::RetrieveLongTermMemory => turn.retrieved_memories.len(),
        Node::BuildPromptContext => return Some(turn.prompt_context.tokens),
        Node::ExtractMemoryCandidates => turn.memory_candidates.len(),
        Node::ValidateMemoryUpdates => turn.approved_memory_updates.len(),
        Node::StoreMemoryUpdates => turn
            .memory_write_results
            .iter()
            .filter(|write| write.error.is_none())
            .count(),
        Node::MarkNeedsReview => turn.review_ids.len(),
        Node::PrepareTurn
        | Node::BuildRetrievalQuery
        | Node::CompactShortTermMemory
        | Node::GenerateResponse
        | Node::Finalize => return None,
    };
    u32::try_from(count).ok()
}
