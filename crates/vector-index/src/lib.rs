//! The vectors of one embedding space in memory, eight bits a number, and the search over all of them.
//!
//! Every row is compared (brute force), which keeps the answer right while rows come and go and lets a filter be
//! asked before anything is ranked. A comparison in eight bits is only a first look: what it finds is compared again
//! with the 32-bit numbers, which stay where they are kept and are read for these few rows only. So nothing is
//! saved twice, and 100,000 vectors of 384 numbers take about 50 MB of memory.

mod compare;
mod index;
mod labels;
mod query;
mod rows;

#[cfg(test)]
mod tests;

pub use compare::Kernel;
pub use index::{Candidate, Index};
pub use labels::Labels;
pub use query::{Query, cosine, is_usable, normalised};
