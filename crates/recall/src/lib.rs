//! Finding the right memories for a message: tokens, query, fusion of the two lists, relevance floor, budget,
//! and the why of every hit.
//!
//! RRF(d) = 1 / (k + rank_vector) + 1 / (k + rank_keyword), k = 60, after Cormack, Clarke and Büttcher, «Reciprocal
//! Rank Fusion outperforms Condorcet and individual Rank Learning Methods», SIGIR 2009.

pub mod budget;
pub mod floor;
pub mod fusion;
pub mod maxsim;
pub mod query;
pub mod rank;
pub mod search;
pub mod terms;
pub mod typing;

pub use query::Query;
pub use search::{Params, Recalled, by_words, search};

#[cfg(test)]
mod tests;
