//! The eleven nodes, in the order of the graph. The arguments of a node show what it reaches.

pub mod build_prompt_context;
pub mod build_retrieval_query;
pub mod compact_short_term_memory;
pub mod extract_memory_candidates;
pub mod finalize;
pub mod generate_response;
pub mod mark_needs_review;
pub mod prepare_turn;
pub mod retrieve_long_term_memory;
pub mod store_memory_updates;
pub mod validate_memory_updates;

use memory_model::{Node, Problem, ProblemCode};
use ports::StoreError;

/// What a person is told when the store failed at a node. The two causes that a person can mend by hand, a full
/// disk and a folder that cannot be written, keep their own code.
pub(crate) fn store_problem(node: Node, otherwise: ProblemCode, error: &StoreError) -> Problem {
    let code = match error {
        StoreError::DiskFull { .. } => ProblemCode::DiskFull,
        StoreError::ReadOnly { .. } => ProblemCode::ReadOnly,
        _ => otherwise,
    };
    Problem {
        code,
        node,
        message: format!("{error}"),
    }
}
